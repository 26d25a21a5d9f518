/*
 * The methods of Collection, by file:
 *   collection.c        the type, its documents, inputs, and what was skipped
 *   collection_runs.c   scan, dedup, compare; signatures and texts
 *   collection_clean.c  writes cleaned inputs
 */
#ifndef CORE_COLLECTION_H
#define CORE_COLLECTION_H

#include "module.h"

/* ---- collection_runs.c */

PyObject *core_collection_cancel(PyObject *self, PyObject *nothing);
PyObject *core_collection_scan(PyObject *self, PyObject *nothing);
PyObject *core_collection_dedup(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_collection_compare(PyObject *self, PyObject *nothing);
PyObject *core_collection_sketch(PyObject *self, PyObject *arguments);
PyObject *core_collection_texts(PyObject *self, PyObject *take);
extern const char core_collection_cancel_doc[], core_collection_scan_doc[],
    core_collection_dedup_doc[], core_collection_compare_doc[], core_collection_sketch_doc[],
    core_collection_texts_doc[];

/* ---- collection_clean.c */

PyObject *core_collection_outputs(PyObject *self, PyObject *arguments);
PyObject *core_collection_check_outputs(PyObject *self, PyObject *paths);
PyObject *core_collection_clean(PyObject *self, PyObject *arguments);
extern const char core_collection_outputs_doc[], core_collection_check_outputs_doc[],
    core_collection_clean_doc[];

#endif

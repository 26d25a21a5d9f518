/*
 * The methods of Result, by file:
 *   result.c           the type, the figures and notes of the run, clusters
 *   result_records.c   pairs and removed documents, as tuples or columns
 *   result_passages.c  the passages of a pair
 *   result_output.c    writes results and reports
 *   spans.c            spans that are cut
 */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include "module.h"

/* ---- result_records.c */

/* Returns None for an unknown number. */
PyObject *core_number_or_none(double number);
/* Returns an argument as an index below `count`, or -1. */
Py_ssize_t core_index_of(PyObject *argument, size_t count);
PyObject *core_result_pair(PyObject *self, PyObject *index);
PyObject *core_result_removed(PyObject *self, PyObject *index);
PyObject *core_result_column(PyObject *self, PyObject *arguments);
PyObject *core_result_decisions(PyObject *self, PyObject *arguments);
extern const char core_result_pair_doc[], core_result_removed_doc[], core_result_column_doc[],
    core_result_decisions_doc[];

/* ---- result_passages.c */

PyObject *core_result_passages(PyObject *self, PyObject *index);
extern const char core_result_passages_doc[];

/* ---- result_output.c */

PyObject *core_result_write(PyObject *self, PyObject *arguments);
PyObject *core_result_write_removed(PyObject *self, PyObject *callable);
PyObject *core_result_write_report(PyObject *self, PyObject *arguments);
extern const char core_result_write_doc[], core_result_write_removed_doc[],
    core_result_write_report_doc[];

/* ---- spans.c */

PyObject *core_result_cuts(PyObject *self, PyObject *none);
PyObject *core_result_cut(PyObject *self, PyObject *index);
extern const char core_result_cuts_doc[], core_result_cut_doc[];

#endif

/*
 * The methods of Result, by file:
 *   result.c           the type, and what the run says of itself
 *   result_records.c   pairs and removed documents, one by one or as columns
 *   result_passages.c  the passages of a pair
 *   result_output.c    what is written
 */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include "module.h"

/* ---- result_records.c */

/* Returns None for a number that is not known. */
PyObject *core_number_or_none(double number);
/* Returns the index that an argument is, below `count`, or -1. */
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

#endif

/* Writes a result to a callable that takes bytes. */
#include "result.h"

const char core_result_write_doc[] =
    PyDoc_STR("write($self, format, write, /)\n--\n\n"
              "Writes the result as the command does: 'table', 'csv', 'tsv', 'json',\n"
              "'jsonl' or 'candidates'. write is called with bytes.");

PyObject *core_result_write(PyObject *object, PyObject *arguments)
{
    const core_result *self = (const core_result *)object;
    core_writer writer = {.raised = &self->collection->raised};
    const char *name;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &writer.write))
        return NULL;
    twinset_format format;
    if (core_format(name, &format) || core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_write(self->handle, format, NULL, core_write, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self->collection, status, &error) ? NULL : Py_NewRef(Py_None);
}

const char core_result_write_removed_doc[] =
    PyDoc_STR("write_removed($self, write, /)\n--\n\n"
              "Writes the removed documents as JSON lines.");

PyObject *core_result_write_removed(PyObject *object, PyObject *callable)
{
    const core_result *self = (const core_result *)object;
    core_writer writer = {callable, &self->collection->raised};
    twinset_error error = {""};
    int status;
    if (core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_write_removed(self->handle, core_write, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self->collection, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* Takes four counts from a tuple, as clean() returns them. */
static int take_cleaned(PyObject *from, twinset_clean_counts *cleaned)
{
    unsigned long long read, kept, removed, skipped;
    if (!PyTuple_Check(from)) {
        PyErr_SetString(PyExc_TypeError, "cleaned must be a tuple of four numbers, or None");
        return -1;
    }
    if (!PyArg_ParseTuple(from, "KKKK", &read, &kept, &removed, &skipped))
        return -1;
    *cleaned = (twinset_clean_counts){read, kept, removed, skipped};
    return 0;
}

const char core_result_write_report_doc[] =
    PyDoc_STR("write_report($self, write, cleaned=None, /)\n--\n\n"
              "Writes how the run went as one JSON object. cleaned: the sums of the\n"
              "results of clean().");

PyObject *core_result_write_report(PyObject *object, PyObject *arguments)
{
    const core_result *self = (const core_result *)object;
    core_writer writer = {.raised = &self->collection->raised};
    PyObject *counts = Py_None;
    twinset_clean_counts cleaned;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "O|O", &writer.write, &counts) ||
        (counts != Py_None && take_cleaned(counts, &cleaned)) ||
        core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_write_report(self->handle, counts == Py_None ? NULL : &cleaned,
                                         sizeof cleaned, core_write, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self->collection, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* Writes the cleaned inputs of a collection. */
#include "collection.h"

static PyObject *output_at(PyObject *self, size_t i)
{
    return core_name(twinset_collection_output(((core_collection *)self)->handle, i));
}

const char core_collection_outputs_doc[] =
    PyDoc_STR("outputs($self, apart, annotate, /)\n--\n\n"
              "Prepares for clean(). Returns, for each input, the name of its output, or None if\n"
              "it is not written. apart: whether each input has a file of its own.");

PyObject *core_collection_outputs(PyObject *object, PyObject *arguments)
{
    core_collection *self = (core_collection *)object;
    int apart, annotate, status;
    size_t count = 0;
    twinset_error error = {""};
    PyObject *list = NULL;
    if (!PyArg_ParseTuple(arguments, "pp", &apart, &annotate) || core_collection_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_collection_outputs(self->handle, apart, annotate, &count, &error);
    Py_END_ALLOW_THREADS;
    if (status == TWINSET_OK)
        list = core_list(object, twinset_collection_inputs(self->handle), output_at);
    if (status == TWINSET_OK && !list)
        core_raised_keep(&self->raised);
    if (core_collection_leave(self, status, &error))
        Py_CLEAR(list);
    return list;
}

const char core_collection_check_outputs_doc[] =
    PyDoc_STR("check_outputs($self, paths, /)\n--\n\n"
              "Raises UsageError if an output is a file that is read, or if two outputs are one\n"
              "file, whatever their names.");

/* The paths as bytes, as the system encodes them, in a list that owns them; or NULL. */
static PyObject *encode_paths(PyObject *paths, const char ***names)
{
    PyObject *list = PySequence_List(paths);
    Py_ssize_t count = list ? PyList_Size(list) : 0;
    *names = list ? PyMem_Calloc((size_t)count + 1, sizeof **names) : NULL;
    if (list && !*names)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; *names && i < count; i++) {
        PyObject *bytes = NULL;
        if (!PyUnicode_FSConverter(PyList_GetItem(list, i), &bytes) ||
            PyList_SetItem(list, i, bytes)) {
            PyMem_Free(*names);
            *names = NULL;
        } else {
            (*names)[i] = PyBytes_AsString(bytes);
        }
    }
    if (!*names)
        Py_CLEAR(list);
    return list;
}

PyObject *core_collection_check_outputs(PyObject *object, PyObject *paths)
{
    core_collection *self = (core_collection *)object;
    const char **names;
    twinset_error error = {""};
    PyObject *list = encode_paths(paths, &names);
    if (!list)
        return NULL;
    int status = core_collection_enter(self);
    if (status == 0) {
        size_t count = (size_t)PyList_Size(list);
        Py_BEGIN_ALLOW_THREADS;
        status = twinset_collection_check_outputs(self->handle, names, count, &error);
        Py_END_ALLOW_THREADS;
        status = core_collection_leave(self, status, &error);
    }
    PyMem_Free(names);
    Py_DECREF(list);
    return status ? NULL : Py_NewRef(Py_None);
}

/* A call of clean(). */
typedef struct clean_call {
    core_result *result;
    size_t input;
    const char *name;
    int annotate;
    core_writer writer;
    twinset_clean_counts counts;
} clean_call;

static int clean_input(core_collection *self, clean_call *call)
{
    twinset_error error = {""};
    int status;
    if (core_collection_enter(self))
        return -1;
    if (call->input >= twinset_collection_inputs(self->handle)) {
        core_lock_give(&self->lock);
        PyErr_SetString(PyExc_IndexError, "there is no such input");
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS;
    status =
        twinset_result_clean(call->result->handle, call->input, call->name, call->annotate,
                             core_write, &call->writer, &call->counts, sizeof call->counts, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self, status, &error);
}

const char core_collection_clean_doc[] = PyDoc_STR(
    "clean($self, result, input, name, annotate, write, /)\n--\n\n"
    "Writes what is kept of an input, compressed as the extension of name says (None: as the\n"
    "input is). Returns the numbers of records (read, kept, removed, skipped).");

PyObject *core_collection_clean(PyObject *object, PyObject *arguments)
{
    core_collection *self = (core_collection *)object;
    clean_call call = {.writer.raised = &self->raised};
    Py_ssize_t input;
    if (!PyArg_ParseTuple(arguments, "O!nzpO", core_state_of(object)->result, &call.result, &input,
                          &call.name, &call.annotate, &call.writer.write))
        return NULL;
    call.input = (size_t)input;
    if (call.result->collection != self) {
        PyErr_SetString(PyExc_ValueError, "the result is that of another collection");
        return NULL;
    }
    if (clean_input(self, &call))
        return NULL;
    const twinset_clean_counts *counts = &call.counts;
    return Py_BuildValue("KKKK", (unsigned long long)counts->read, (unsigned long long)counts->kept,
                         (unsigned long long)counts->removed, (unsigned long long)counts->skipped);
}

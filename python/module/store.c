/* The type Store. store.h says which file has which of its methods. */
#include "store.h"

#include <errno.h>

/* ---- calls */

int core_store_enter(core_store *self)
{
    if (core_lock_take(&self->lock, core_state_of((PyObject *)self), "the index"))
        return -1;
    if (self->handle)
        return 0;
    core_lock_give(&self->lock);
    PyErr_SetString(PyExc_ValueError, "the index is closed");
    return -1;
}

int core_store_leave(core_store *self, int status, const twinset_error *error)
{
    bool raised = core_raised_again(&self->raised);
    core_lock_give(&self->lock);
    if (!raised && status != TWINSET_OK)
        core_fail(core_state_of((PyObject *)self), status, error);
    return raised || status != TWINSET_OK ? -1 : 0;
}

int core_store_options(core_store *self, twinset_options *options)
{
    twinset_error error = {""};
    if (core_store_enter(self))
        return -1;
    double threshold = options->threshold;
    int status = twinset_index_options(self->handle, options, sizeof *options, &error);
    if (threshold != TWINSET_AUTO)
        options->threshold = threshold;
    return core_store_leave(self, status, &error);
}

PyObject *core_store_counts(const twinset_index_counts *counts)
{
    return Py_BuildValue("KKK", (unsigned long long)counts->added,
                         (unsigned long long)counts->known, (unsigned long long)counts->skipped);
}

int core_store_take(core_store_taker *taker, PyObject *arguments)
{
    PyObject *answer = arguments ? PyObject_CallObject(taker->take, arguments) : NULL;
    Py_XDECREF(arguments);
    if (!answer)
        core_raised_keep(&taker->self->raised);
    Py_XDECREF(answer);
    return answer ? 0 : ECANCELED;
}

/* ---- the type */

PyDoc_STRVAR(close_doc, "close($self, /)\n--\n\nWrites the log to the file, and closes it.");

static PyObject *close_store(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    if (core_lock_take(&self->lock, core_state_of(object), "the index"))
        return NULL;
    twinset_index *handle = self->handle;
    self->handle = NULL;
    core_lock_give(&self->lock);
    Py_BEGIN_ALLOW_THREADS;
    twinset_index_close(handle);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

static int open_store(core_store *self, const core_state *state, const char *path,
                      PyObject *settings, unsigned flags)
{
    twinset_options options;
    twinset_error error = {""};
    int status;
    self->options = core_options(state, settings, &options);
    if (!self->options || core_lock_init(&self->lock))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_open(path, &options, flags, &self->handle, &error);
    Py_END_ALLOW_THREADS;
    if (status != TWINSET_OK)
        core_fail(state, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static PyObject *new_store(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"path", "options", "read_only", "create", "no_text", NULL};
    PyObject *path, *options = Py_None;
    int read_only = 0, create = 0, no_text = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|Oppp", names_of,
                                     PyUnicode_FSConverter, &path, &options, &read_only, &create,
                                     &no_text))
        return NULL;
    unsigned flags = (read_only ? TWINSET_INDEX_READ_ONLY : 0) |
                     (create ? TWINSET_INDEX_CREATE : 0) | (no_text ? TWINSET_INDEX_NO_TEXT : 0);
    const char *name = PyBytes_AsString(path);
    core_store *self = name ? (core_store *)PyType_GenericAlloc(type, 0) : NULL;
    int status = self ? open_store(self, PyType_GetModuleState(type), name, options, flags) : -1;
    Py_DECREF(path);
    if (status == 0)
        return (PyObject *)self;
    Py_XDECREF((PyObject *)self);
    return NULL;
}

static void dealloc(PyObject *object)
{
    core_store *self = (core_store *)object;
    PyTypeObject *type = Py_TYPE(object);
    twinset_index_close(self->handle);
    core_lock_free(&self->lock);
    core_raised_free(&self->raised);
    Py_XDECREF(self->options);
    PyObject_Free(object);
    Py_DECREF(type);
}

static char type_doc[] =
    "Store(path, options=None, read_only=False, create=False, no_text=False)\n--\n\n"
    "An index of documents in a file.";

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"add_texts", WITH_KEYWORDS(core_store_add_texts), core_store_add_texts_doc},
    {"add", core_store_add, METH_O, core_store_add_doc},
    {"add_find", core_store_add_find, METH_O, core_store_add_find_doc},
    {"query", core_store_query, METH_O, core_store_query_doc},
    {"skipped", core_store_skipped, METH_NOARGS, core_store_skipped_doc},
    {"get", core_store_get, METH_O, core_store_get_doc},
    {"dump", core_store_dump, METH_VARARGS, core_store_dump_doc},
    {"clusters", core_store_clusters, METH_O, core_store_clusters_doc},
    {"remove", core_store_remove, METH_O, core_store_remove_doc},
    {"remove_matching", core_store_remove_matching, METH_VARARGS, core_store_remove_matching_doc},
    {"stat", core_store_stat, METH_NOARGS, core_store_stat_doc},
    {"verify", core_store_verify, METH_O, core_store_verify_doc},
    {"optimize", core_store_optimize, METH_NOARGS, core_store_optimize_doc},
    {"backup", core_store_backup, METH_O, core_store_backup_doc},
    {"merge", core_store_merge, METH_O, core_store_merge_doc},
    {"close", close_store, METH_NOARGS, close_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},
    {Py_tp_new, new_store},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {0},
};

PyType_Spec core_store_spec = {
    .name = "twinset._core.Store",
    .basicsize = sizeof(core_store),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

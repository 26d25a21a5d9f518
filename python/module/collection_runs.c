/* Runs over a collection, and its signatures and texts. */
#include "collection.h"

#include <errno.h>

/* ---- runs */

/* A run over all documents. */
typedef int run_fn(twinset_collection *collection, const char *keep, twinset_result **result,
                   twinset_error *error);

static int run_scan(twinset_collection *collection, const char *Py_UNUSED(keep),
                    twinset_result **result, twinset_error *error)
{
    return twinset_collection_scan(collection, result, error);
}

static int run_compare(twinset_collection *collection, const char *Py_UNUSED(keep),
                       twinset_result **result, twinset_error *error)
{
    return twinset_collection_compare(collection, result, error);
}

static PyObject *run(PyObject *object, run_fn *work, const char *keep)
{
    core_collection *self = (core_collection *)object;
    twinset_result *result = NULL;
    twinset_error error = {""};
    int status;
    if (core_collection_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = work(self->handle, keep, &result, &error);
    Py_END_ALLOW_THREADS;
    if (core_collection_leave(self, status, &error)) {
        if (status == TWINSET_OK)
            twinset_result_free(result);
        return NULL;
    }
    return core_result_new(self, result);
}

const char core_collection_cancel_doc[] =
    PyDoc_STR("cancel($self, /)\n--\n\n"
              "Stops the call in progress, from another thread; or the next one.");

PyObject *core_collection_cancel(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    twinset_collection_cancel(((core_collection *)self)->handle);
    Py_RETURN_NONE;
}

const char core_collection_scan_doc[] =
    PyDoc_STR("scan($self, /)\n--\n\nFinds the similar pairs and their clusters.");

PyObject *core_collection_scan(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    return run(self, run_scan, NULL);
}

const char core_collection_dedup_doc[] = PyDoc_STR("dedup($self, keep='first')\n--\n\n"
                                                   "Chooses which of similar documents are kept.");

PyObject *core_collection_dedup(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"keep", NULL};
    const char *keep = "first";
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|s", names_of, &keep))
        return NULL;
    return run(self, twinset_collection_dedup, keep);
}

const char core_collection_compare_doc[] =
    PyDoc_STR("compare($self, /)\n--\n\n"
              "Compares the only two documents of the collection, in the order of\n"
              "adding. The result is one pair, whatever its similarity.");

PyObject *core_collection_compare(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    return run(self, run_compare, NULL);
}

/* ---- signatures and texts */

const char core_collection_sketch_doc[] =
    PyDoc_STR("sketch($self, format, write, /)\n--\n\n"
              "Writes the signatures of all documents as 'jsonl' or 'binary'.\n"
              "write is called with bytes.");

PyObject *core_collection_sketch(PyObject *object, PyObject *arguments)
{
    core_collection *self = (core_collection *)object;
    core_writer writer = {.raised = &self->raised};
    const char *name;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &writer.write))
        return NULL;
    twinset_format format;
    if (core_format(name, &format) || core_collection_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_collection_sketch(self->handle, format, core_write, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* twinset_text_fn */
static int take_text(void *context, const char *name, const char *text, size_t length)
{
    core_writer *writer = context;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *called = core_name(name), *answer = NULL;
    PyObject *words = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
    if (called && words)
        answer = PyObject_CallFunctionObjArgs(writer->write, called, words, NULL);
    bool failed = !answer || PyErr_CheckSignals();
    if (failed)
        core_raised_keep(writer->raised);
    Py_XDECREF(called);
    Py_XDECREF(words);
    Py_XDECREF(answer);
    PyGILState_Release(gil);
    return failed ? ECANCELED : 0;
}

const char core_collection_texts_doc[] =
    PyDoc_STR("texts($self, take, /)\n--\n\n"
              "Calls take(name, text) for each document, in the order of names,\n"
              "with the text as it is compared.");

PyObject *core_collection_texts(PyObject *object, PyObject *take)
{
    core_collection *self = (core_collection *)object;
    core_writer writer = {take, &self->raised};
    twinset_error error = {""};
    int status;
    if (core_collection_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_collection_texts(self->handle, take_text, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

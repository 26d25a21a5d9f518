/*
 * Collection: documents, and what is done with all of them. The engine borrows texts where
 * they lie; the collection holds on to their owners.
 */
#include "module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const roles[] = {"new", "old", "like", "ignore", NULL};

/* ---- calls */

int core_collection_enter(core_collection *self)
{
    return core_lock_take(&self->lock, core_state_of((PyObject *)self), "the collection");
}

int core_collection_leave(core_collection *self, int status, const twinset_error *error)
{
    /* A run may end well that was asked to stop, and what was raised must still be heard. */
    bool raised = core_raised_again(&self->raised);
    core_lock_give(&self->lock);
    if (!raised && status != TWINSET_OK)
        core_fail(core_state_of((PyObject *)self), status, error);
    return raised || status != TWINSET_OK ? -1 : 0;
}

/* twinset_progress_fn, in the thread that made the call. */
static int report(void *context, const char *stage, uint64_t done, uint64_t total)
{
    core_collection *self = context;
    PyGILState_STATE gil = PyGILState_Ensure();
    bool stop = PyErr_CheckSignals() != 0;
    if (!stop && self->progress) {
        PyObject *answer = PyObject_CallFunction(
            self->progress, "sKK", stage, (unsigned long long)done, (unsigned long long)total);
        stop = !answer;
        Py_XDECREF(answer);
    }
    if (stop)
        core_raised_keep(&self->raised);
    PyGILState_Release(gil);
    return stop;
}

/* ---- documents */

/* A call of add_texts(). */
typedef struct add_call {
    core_texts texts, names; /* names.count is 0 where texts are numbered */
    twinset_role role;
    char *name; /* room for one */
    size_t room;
} add_call;

enum { NUMBER_DIGITS = 10 }; /* of one width, for the order of names to be that of numbers */

/* A name for a text, with a NUL behind it. */
static int make_name(add_call *call, size_t i, uint64_t number, twinset_error *error)
{
    if (!call->names.count) {
        snprintf(call->name, call->room, "%0*llu", NUMBER_DIGITS, (unsigned long long)number);
        return TWINSET_OK;
    }
    size_t length = call->names.lengths[i];
    memcpy(call->name, call->names.starts[i], length);
    call->name[length] = '\0';
    if (strlen(call->name) == length)
        return TWINSET_OK;
    snprintf(error->message, sizeof error->message, "names[%zu] has a NUL character", i);
    return TWINSET_USAGE;
}

static int add_all(core_collection *self, add_call *call, twinset_error *error)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < call->texts.count && status == TWINSET_OK; i++) {
        status = make_name(call, i, self->numbered, error);
        if (status == TWINSET_OK)
            status = twinset_collection_borrow_text(self->handle, call->name, call->texts.starts[i],
                                                    call->texts.lengths[i], call->role, error);
        self->numbered += !call->names.count;
    }
    return status;
}

static int make_room(add_call *call)
{
    call->room = 2 * NUMBER_DIGITS;
    for (size_t i = 0; i < call->names.count; i++)
        if (call->names.lengths[i] > call->room)
            call->room = call->names.lengths[i];
    call->name = PyMem_Malloc(++call->room);
    if (!call->name)
        PyErr_NoMemory();
    return call->name ? 0 : -1;
}

static int take_texts(add_call *call, PyObject *texts, PyObject *names)
{
    if (core_texts_take(&call->texts, texts, CORE_TEXTS))
        return -1;
    if (names == Py_None)
        return make_room(call);
    if (core_texts_take(&call->names, names, CORE_NAMES))
        return -1;
    if (call->names.count == call->texts.count)
        return make_room(call);
    PyErr_Format(PyExc_ValueError, "there are %zu texts, but %zu names", call->texts.count,
                 call->names.count);
    return -1;
}

static int add_texts_to(core_collection *self, add_call *call)
{
    twinset_error error = {""};
    int status;
    if (core_collection_enter(self))
        return -1;
    if (PyList_Append(self->owners, call->texts.owners))
        return core_collection_leave(self, TWINSET_NOMEM, &error);
    Py_BEGIN_ALLOW_THREADS;
    status = add_all(self, call, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self, status, &error);
}

PyDoc_STRVAR(add_texts_doc,
             "add_texts($self, texts, names=None, role='new')\n--\n\n"
             "Adds texts in memory: a sequence of str, bytes (UTF-8) or None, which is skipped,\n"
             "or an Arrow column of strings. They are not copied, but kept alive.\n\n"
             "names: as many names, none twice; None: the texts' positions, as decimal numbers of\n"
             "one width. role: 'new', 'old', 'like' or 'ignore'.");

static PyObject *add_texts(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"texts", "names", "role", NULL};
    PyObject *texts, *names = Py_None;
    const char *role = "new";
    add_call call = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Os", names_of, &texts, &names, &role))
        return NULL;
    int number = core_choice(roles, role, "role");
    if (number < 0)
        return NULL;
    call.role = (twinset_role)number;
    int status = take_texts(&call, texts, names);
    if (status == 0)
        status = add_texts_to((core_collection *)self, &call);
    core_texts_free(&call.texts);
    core_texts_free(&call.names);
    PyMem_Free(call.name);
    return status ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(add_path_doc, "add_path($self, path, role='new')\n--\n\n"
                           "Adds a file, every document below a folder, or those of '@list'.\n"
                           "A path that cannot be read is skipped: see skipped().");

static PyObject *add_path(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"path", "role", NULL};
    core_collection *self = (core_collection *)object;
    PyObject *path;
    const char *role = "new";
    twinset_error error = {""};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|s", names_of, PyUnicode_FSConverter,
                                     &path, &role))
        return NULL;
    int number = core_choice(roles, role, "role");
    const char *name = PyBytes_AsString(path);
    if (number < 0 || !name || core_collection_enter(self)) {
        Py_DECREF(path);
        return NULL;
    }
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_collection_add_path(self->handle, name, (twinset_role)number, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return core_collection_leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* ---- runs */

/* What is done to find out about all documents. */
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

PyDoc_STRVAR(cancel_doc, "cancel($self, /)\n--\n\n"
                         "Stops the call in progress, from another thread; or the next one.");

static PyObject *cancel(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    twinset_collection_cancel(((core_collection *)self)->handle);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(scan_doc, "scan($self, /)\n--\n\nFinds the similar pairs and their clusters.");

static PyObject *scan(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    return run(self, run_scan, NULL);
}

PyDoc_STRVAR(dedup_doc, "dedup($self, keep='first')\n--\n\n"
                        "Chooses what is kept of documents that resemble each other.");

static PyObject *dedup(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"keep", NULL};
    const char *keep = "first";
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|s", names_of, &keep))
        return NULL;
    return run(self, twinset_collection_dedup, keep);
}

PyDoc_STRVAR(compare_doc, "compare($self, /)\n--\n\n"
                          "Compares the collection's only two documents, in the order they were\n"
                          "added: one pair, whatever its similarity.");

static PyObject *compare(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    return run(self, run_compare, NULL);
}

/* ---- what goes out piece by piece */

PyDoc_STRVAR(sketch_doc, "sketch($self, format, write, /)\n--\n\n"
                         "Writes the signatures of all documents as 'jsonl' or 'binary'.\n"
                         "write is called with bytes.");

static PyObject *sketch(PyObject *object, PyObject *arguments)
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
static int hand_text(void *context, const char *name, const char *text, size_t length)
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

PyDoc_STRVAR(texts_doc, "texts($self, take, /)\n--\n\n"
                        "Calls take(name, text) for each document, in the order of their names,\n"
                        "with its text as it is compared.");

static PyObject *texts(PyObject *object, PyObject *take)
{
    core_collection *self = (core_collection *)object;
    core_writer writer = {take, &self->raised};
    twinset_error error = {""};
    int status;
    if (core_collection_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_collection_texts(self->handle, hand_text, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* ---- what it knows */

PyObject *core_skip_tuple(PyObject *self, int status, const twinset_skip *skip)
{
    if (status != TWINSET_OK)
        return core_fail(core_state_of(self), status, NULL);
    return Py_BuildValue("NNN", core_name(skip->path),
                         core_sentence(core_state_of(self), skip->reason),
                         PyBool_FromLong(skip->empty));
}

static PyObject *input_at(PyObject *self, size_t i)
{
    return core_name(twinset_collection_input(((core_collection *)self)->handle, i));
}

static PyObject *skipped_at(PyObject *self, size_t i)
{
    twinset_skip skip;
    int status = twinset_collection_skip(((core_collection *)self)->handle, i, &skip, sizeof skip);
    return core_skip_tuple(self, status, &skip);
}

static PyObject *output_at(PyObject *self, size_t i)
{
    return core_name(twinset_collection_output(((core_collection *)self)->handle, i));
}

PyDoc_STRVAR(inputs_doc, "inputs($self, /)\n--\n\nThe files and the names of texts added so far.");

static PyObject *inputs(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_collection *self = (core_collection *)object;
    if (core_collection_enter(self))
        return NULL;
    PyObject *list = core_list(object, twinset_collection_inputs(self->handle), input_at);
    core_lock_give(&self->lock);
    return list;
}

PyDoc_STRVAR(skipped_doc, "skipped($self, /)\n--\n\n"
                          "What was skipped so far: (path, reason, whether it was only empty).");

static PyObject *skipped(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_collection *self = (core_collection *)object;
    if (core_collection_enter(self))
        return NULL;
    PyObject *list = core_list(object, twinset_collection_skips(self->handle), skipped_at);
    core_lock_give(&self->lock);
    return list;
}

/* ---- what is left of a cleaned collection */

PyDoc_STRVAR(outputs_doc,
             "outputs($self, apart, annotate, /)\n--\n\n"
             "Prepares for clean(): for each input the name of what is left of it, or None where\n"
             "it is not to be written. apart: each goes to a file of its own.");

static PyObject *outputs(PyObject *object, PyObject *arguments)
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

PyDoc_STRVAR(check_outputs_doc,
             "check_outputs($self, paths, /)\n--\n\n"
             "Raises UsageError where one of the files that are to be written is read, or where\n"
             "two of them are one file, whatever they are called.");

/* The paths as the bytes that the system knows them by, in a list that owns them, or NULL. */
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

static PyObject *check_outputs(PyObject *object, PyObject *paths)
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

PyDoc_STRVAR(clean_doc,
             "clean($self, result, input, name, annotate, write, /)\n--\n\n"
             "Writes what is kept of an input, packed as the end of name says (None: as the input\n"
             "is). Gives the numbers of records (read, kept, removed, skipped).");

static PyObject *clean(PyObject *object, PyObject *arguments)
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

/* ---- the type */

static int open_collection(core_collection *self, const core_state *state, PyObject *settings)
{
    twinset_options options;
    twinset_error error = {""};
    self->options = core_options(state, settings, &options);
    self->owners = self->options ? PyList_New(0) : NULL;
    if (!self->owners || core_lock_init(&self->lock))
        return -1;
    options.progress = report;
    options.progress_context = self;
    int status = twinset_collection_new(&options, &self->handle, &error);
    if (status != TWINSET_OK)
        core_fail(state, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static PyObject *new_collection(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"options", "progress", NULL};
    PyObject *options = Py_None, *progress = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO", names_of, &options, &progress))
        return NULL;
    if (progress != Py_None && !PyCallable_Check(progress)) {
        PyErr_SetString(PyExc_TypeError, "progress must be callable, or None");
        return NULL;
    }
    core_collection *self = (core_collection *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->progress = progress == Py_None ? NULL : Py_NewRef(progress);
    if (open_collection(self, PyType_GetModuleState(type), options) == 0)
        return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

/* What the owners hold is not looked through: they are gone only after the handle. */
static int traverse(PyObject *object, visitproc visit, void *arg)
{
    core_collection *self = (core_collection *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->progress);
    return 0;
}

static int clear(PyObject *object)
{
    Py_CLEAR(((core_collection *)object)->progress);
    return 0;
}

static void dealloc(PyObject *object)
{
    core_collection *self = (core_collection *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    twinset_collection_free(self->handle);
    core_lock_free(&self->lock);
    core_raised_free(&self->raised);
    Py_XDECREF(self->progress);
    Py_XDECREF(self->owners);
    Py_XDECREF(self->options);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static char type_doc[] = "Collection(options=None, progress=None)\n--\n\n"
                         "A collection of documents.\n\n"
                         "options: the command's, by their long names, as str.\n"
                         "progress: called with (stage, done, total) now and then; what it raises\n"
                         "ends the run.";

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"add_texts", WITH_KEYWORDS(add_texts), add_texts_doc},
    {"add_path", WITH_KEYWORDS(add_path), add_path_doc},
    {"cancel", cancel, METH_NOARGS, cancel_doc},
    {"scan", scan, METH_NOARGS, scan_doc},
    {"dedup", WITH_KEYWORDS(dedup), dedup_doc},
    {"compare", compare, METH_NOARGS, compare_doc},
    {"sketch", sketch, METH_VARARGS, sketch_doc},
    {"texts", texts, METH_O, texts_doc},
    {"inputs", inputs, METH_NOARGS, inputs_doc},
    {"skipped", skipped, METH_NOARGS, skipped_doc},
    {"outputs", outputs, METH_VARARGS, outputs_doc},
    {"check_outputs", check_outputs, METH_O, check_outputs_doc},
    {"clean", clean, METH_VARARGS, clean_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},
    {Py_tp_new, new_collection},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_methods, methods},
    {0},
};

PyType_Spec core_collection_spec = {
    .name = "twinset._core.Collection",
    .basicsize = sizeof(core_collection),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

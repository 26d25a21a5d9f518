/*
 * Collection: documents, and the runs over them. The engine borrows texts; the collection keeps
 * their owners alive.
 */
#include "collection.h"

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
    /* A callback's exception counts even if the run ended well before it stopped. */
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
    core_texts texts, names; /* names.count is 0 if texts are numbered */
    twinset_role role;
    char *name; /* space for a name */
    size_t capacity;
} add_call;

enum { NUMBER_DIGITS = 10 }; /* all names have this width, so that they sort as numbers do */

/* Makes the name of a text, terminated by NUL. */
static int make_name(add_call *call, size_t i, uint64_t number, twinset_error *error)
{
    if (!call->names.count) {
        snprintf(call->name, call->capacity, "%0*llu", NUMBER_DIGITS, (unsigned long long)number);
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

static int reserve_name(add_call *call)
{
    call->capacity = 2 * NUMBER_DIGITS;
    for (size_t i = 0; i < call->names.count; i++)
        if (call->names.lengths[i] > call->capacity)
            call->capacity = call->names.lengths[i];
    call->name = PyMem_Malloc(++call->capacity);
    if (!call->name)
        PyErr_NoMemory();
    return call->name ? 0 : -1;
}

static int take_texts(add_call *call, PyObject *texts, PyObject *names)
{
    if (core_texts_take(&call->texts, texts, CORE_TEXTS))
        return -1;
    if (names == Py_None)
        return reserve_name(call);
    if (core_texts_take(&call->names, names, CORE_NAMES))
        return -1;
    if (call->names.count == call->texts.count)
        return reserve_name(call);
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
             "names: a distinct name for each text. None: positions, as decimal numbers of equal\n"
             "width. role: 'new', 'old', 'like' or 'ignore'.");

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

/* ---- inputs and skipped documents */

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
                          "The documents skipped so far: (path, reason, is_empty).");

static PyObject *skipped(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_collection *self = (core_collection *)object;
    if (core_collection_enter(self))
        return NULL;
    PyObject *list = core_list(object, twinset_collection_skips(self->handle), skipped_at);
    core_lock_give(&self->lock);
    return list;
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
    if (self->store && core_store_options((core_store *)self->store, &options))
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
    static char *names_of[] = {"options", "progress", "store", NULL};
    const core_state *state = PyType_GetModuleState(type);
    PyObject *options = Py_None, *progress = Py_None, *store = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOO!", names_of, &options, &progress,
                                     state->store, &store))
        return NULL;
    if (progress != Py_None && !PyCallable_Check(progress)) {
        PyErr_SetString(PyExc_TypeError, "progress must be callable, or None");
        return NULL;
    }
    core_collection *self = (core_collection *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->progress = progress == Py_None ? NULL : Py_NewRef(progress);
    self->store = Py_XNewRef(store);
    if (open_collection(self, state, options) == 0)
        return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

/* Objects behind the owners are not visited: the owners must live longer than the handle. */
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
    Py_XDECREF(self->store);
    Py_XDECREF(self->owners);
    Py_XDECREF(self->options);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static char type_doc[] = "Collection(options=None, progress=None, store=None)\n--\n\n"
                         "A collection of documents.\n\n"
                         "options: the command's, by their long names, as str.\n"
                         "progress: called with (stage, done, total) from time to time; an\n"
                         "exception in it ends the run.\n"
                         "store: a Store, whose options apply.";

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"add_texts", WITH_KEYWORDS(add_texts), add_texts_doc},
    {"add_path", WITH_KEYWORDS(add_path), add_path_doc},
    {"cancel", core_collection_cancel, METH_NOARGS, core_collection_cancel_doc},
    {"scan", core_collection_scan, METH_NOARGS, core_collection_scan_doc},
    {"dedup", WITH_KEYWORDS(core_collection_dedup), core_collection_dedup_doc},
    {"compare", core_collection_compare, METH_NOARGS, core_collection_compare_doc},
    {"sketch", core_collection_sketch, METH_VARARGS, core_collection_sketch_doc},
    {"texts", core_collection_texts, METH_O, core_collection_texts_doc},
    {"inputs", inputs, METH_NOARGS, inputs_doc},
    {"skipped", skipped, METH_NOARGS, skipped_doc},
    {"outputs", core_collection_outputs, METH_VARARGS, core_collection_outputs_doc},
    {"check_outputs", core_collection_check_outputs, METH_O, core_collection_check_outputs_doc},
    {"clean", core_collection_clean, METH_VARARGS, core_collection_clean_doc},
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

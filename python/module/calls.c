/* Helpers for calls to the engine: errors, options, locks, callbacks, buffers. */
#include "module.h"

#include <errno.h>
#include <string.h>

/* ---- errors and names */

static PyObject *exception_for(const core_state *state, int status)
{
    switch (status) {
    case TWINSET_NOMEM:
        return PyExc_MemoryError;
    case TWINSET_USAGE:
        return state->usage_error;
    case TWINSET_IO:
        return state->input_error;
    case TWINSET_LIMIT:
        return PyExc_OSError;
    case TWINSET_EMPTY:
        return state->empty_error;
    default:
        return state->error;
    }
}

PyObject *core_fail(const core_state *state, int status, const twinset_error *error)
{
    const char *text = error && error->message[0] ? error->message
                       : status == TWINSET_NOMEM  ? "out of memory"
                                                  : "the call failed";
    PyObject *message = core_sentence(state, text);
    if (message)
        PyErr_SetObject(exception_for(state, status), message);
    Py_XDECREF(message);
    return NULL;
}

PyObject *core_name(const char *name)
{
    if (!name)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape");
}

const char *core_type_name(PyObject *object, PyObject **keep)
{
    *keep = PyType_GetName(Py_TYPE(object));
    const char *name = *keep ? PyUnicode_AsUTF8AndSize(*keep, NULL) : NULL;
    if (!name)
        PyErr_Clear();
    return name ? name : "?";
}

/* ---- options */

/* The characters of a str without NUL. */
static const char *plain_string(PyObject *from, const char *what)
{
    Py_ssize_t length;
    if (!PyUnicode_Check(from)) {
        PyObject *keep;
        PyErr_Format(PyExc_TypeError, "the %s of an option is %s, but must be str", what,
                     core_type_name(from, &keep));
        Py_XDECREF(keep);
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(from, &length);
    if (text && strlen(text) != (size_t)length) {
        PyErr_Format(PyExc_ValueError, "the %s %R of an option has a NUL character", what, from);
        return NULL;
    }
    return text;
}

static int set_option(const core_state *state, PyObject *key, PyObject *value,
                      twinset_options *options)
{
    const char *name = plain_string(key, "name"),
               *text = name ? plain_string(value, "value") : NULL;
    twinset_error error = {""};
    if (!text)
        return -1;
    int status = twinset_options_set(options, name, text, &error);
    if (status == TWINSET_OK)
        return 0;
    core_fail(state, status, &error);
    return -1;
}

PyObject *core_options(const core_state *state, PyObject *dict, twinset_options *options)
{
    twinset_options_init(options, sizeof *options);
    if (dict != Py_None && !PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "options must be a dict of str to str, or None");
        return NULL;
    }
    /* The caller's dict may change while the copy is read. */
    PyObject *copy = dict == Py_None ? PyDict_New() : PyDict_Copy(dict), *key, *value;
    Py_ssize_t position = 0;
    while (copy && PyDict_Next(copy, &position, &key, &value))
        if (set_option(state, key, value, options)) {
            Py_DECREF(copy);
            return NULL;
        }
    return copy;
}

PyObject *core_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords,
                   int (*open)(PyObject *self, PyObject *options))
{
    static char *names[] = {"options", NULL};
    PyObject *options = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &options))
        return NULL;
    PyObject *self = PyType_GenericAlloc(type, 0);
    if (self && open(self, options) == 0)
        return self;
    Py_XDECREF(self);
    return NULL;
}

int core_engine_open(core_engine *self, PyObject *dict, twinset_options *options)
{
    self->options = core_options(core_state_of((PyObject *)self), dict, options);
    return self->options ? core_lock_init(&self->lock) : -1;
}

void core_engine_free(PyObject *object)
{
    core_engine *self = (core_engine *)object;
    PyTypeObject *type = Py_TYPE(object);
    core_lock_free(&self->lock);
    Py_XDECREF(self->options);
    PyObject_Free(object);
    Py_DECREF(type);
}

int core_choice(const char *const *words, const char *word, const char *what)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    PyObject *all = PyUnicode_FromString(words[0]);
    for (int i = 1; words[i] && all; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U, %s", all, words[i]);
        Py_DECREF(all);
        all = longer;
    }
    if (all)
        PyErr_Format(PyExc_ValueError, "unknown %s '%s'; there are: %U", what, word, all);
    Py_XDECREF(all);
    return -1;
}

int core_format(const char *name, twinset_format *format)
{
    enum { MOST = 32 };
    const char *names[MOST + 1] = {NULL};
    twinset_format_info info;
    for (size_t i = 0; i < MOST && twinset_format_at(i, &info, sizeof info) == TWINSET_OK; i++)
        names[i] = info.name;
    int index = core_choice(names, name, "format");
    if (index < 0 || twinset_format_at((size_t)index, &info, sizeof info) != TWINSET_OK)
        return -1;
    *format = info.format;
    return 0;
}

/* ---- the lock */

enum { LISTEN_EVERY = 50000 }; /* microseconds between checks for Ctrl-C */

int core_lock_init(core_lock *lock)
{
    lock->lock = PyThread_allocate_lock();
    if (!lock->lock)
        PyErr_NoMemory();
    return lock->lock ? 0 : -1;
}

void core_lock_free(core_lock *lock)
{
    if (lock->lock)
        PyThread_free_lock(lock->lock);
}

int core_lock_take(core_lock *lock, const core_state *state, const char *what)
{
    unsigned long self = PyThread_get_thread_ident();
    bool taken = PyThread_acquire_lock(lock->lock, NOWAIT_LOCK);
    if (!taken && lock->holder == self) {
        PyErr_Format(state->error, "%s is in use by the call that this callback belongs to", what);
        return -1;
    }
    while (!taken) {
        Py_BEGIN_ALLOW_THREADS;
        taken = PyThread_acquire_lock_timed(lock->lock, LISTEN_EVERY, 0) == PY_LOCK_ACQUIRED;
        Py_END_ALLOW_THREADS;
        if (!taken && PyErr_CheckSignals())
            return -1;
    }
    lock->holder = self;
    return 0;
}

void core_lock_give(core_lock *lock)
{
    lock->holder = 0;
    PyThread_release_lock(lock->lock);
}

/* ---- callbacks */

void core_raised_keep(core_raised *raised)
{
    if (raised->type)
        PyErr_Clear();
    else
        PyErr_Fetch(&raised->type, &raised->value, &raised->traceback);
}

bool core_raised_again(core_raised *raised)
{
    if (!raised->type)
        return false;
    PyErr_Restore(raised->type, raised->value, raised->traceback);
    *raised = (core_raised){0};
    return true;
}

void core_raised_free(core_raised *raised)
{
    Py_CLEAR(raised->type);
    Py_CLEAR(raised->value);
    Py_CLEAR(raised->traceback);
}

void core_release_foreign(PyObject *object)
{
    core_raised raised = {0};
    core_raised_keep(&raised);
    Py_XDECREF(object);
    core_raised_again(&raised);
}

static int call_write(PyObject *write, const char *bytes, size_t count)
{
    PyObject *chunk = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)count);
    PyObject *answer = chunk ? PyObject_CallFunctionObjArgs(write, chunk, NULL) : NULL;
    Py_XDECREF(chunk);
    Py_XDECREF(answer);
    return answer && PyErr_CheckSignals() == 0 ? 0 : -1;
}

int core_write(void *context, const char *bytes, size_t count)
{
    core_writer *writer = context;
    PyGILState_STATE gil = PyGILState_Ensure();
    bool failed = call_write(writer->write, bytes, count) != 0;
    if (failed)
        core_raised_keep(writer->raised);
    PyGILState_Release(gil);
    return failed ? ECANCELED : 0;
}

/* ---- bytes, lists, buffers of numbers */

PyObject *core_bytes(size_t count, size_t size)
{
    if (count <= PY_SSIZE_T_MAX / size)
        return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * size));
    PyErr_NoMemory();
    return NULL;
}

PyObject *core_list(PyObject *self, size_t count, PyObject *(*at)(PyObject *self, size_t index))
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; i < count && list; i++) {
        PyObject *item = at(self, i);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item))
            Py_CLEAR(list);
    }
    return list;
}

static bool fits(const Py_buffer *view, size_t size)
{
    char type = view->format && view->format[0] ? view->format[strlen(view->format) - 1] : 'B';
    bool whole = strchr("bBhHiIlLqQnN", type) != NULL;
    return whole && (view->itemsize == 1 || (size_t)view->itemsize == size) &&
           (size_t)view->len % size == 0 && (uintptr_t)view->buf % size == 0;
}

int core_numbers(PyObject *from, size_t size, int flags, const char *what, Py_buffer *view)
{
    if (PyObject_GetBuffer(from, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags))
        return -1;
    if (fits(view, size))
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must be a buffer of whole numbers of %zu bytes each", what,
                 size);
    PyBuffer_Release(view);
    return -1;
}

void core_release_numbers(Py_buffer views[2])
{
    PyBuffer_Release(&views[0]);
    PyBuffer_Release(&views[1]);
}

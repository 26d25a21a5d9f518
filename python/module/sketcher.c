/*
 * Sketcher: turns texts, items or numbers into signatures. Its handle belongs to one thread at a
 * time. Others wait for the lock without the GIL, and no Python runs while it is held.
 */
#include "module.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

typedef struct core_sketcher {
    core_engine engine;
    twinset_sketcher *handle;
    size_t hashes;
} core_sketcher;

static int enter(core_sketcher *self)
{
    return core_lock_take(&self->engine.lock, core_state_of((PyObject *)self), "the sketcher");
}

static int leave(core_sketcher *self, int status, const twinset_error *error)
{
    core_lock_give(&self->engine.lock);
    if (status == TWINSET_OK)
        return 0;
    core_fail(core_state_of((PyObject *)self), status, error);
    return -1;
}

/* Requests large pages for memory that fills some: the first touch of as many small pages takes a
 * fifth of the time to sketch texts of 1 KB. */
static void ask_for_large_pages(char *start, size_t size)
{
    enum { PAGE = 4096, LARGE = 2 << 20 };
    size_t skip = (PAGE - (uintptr_t)start % PAGE) % PAGE;
#ifdef MADV_HUGEPAGE
    if (size > 2 * LARGE)
        madvise(start + skip, (size - skip) / PAGE * PAGE, MADV_HUGEPAGE);
#endif
}

/* New bytes for `count` signatures. */
static PyObject *new_signatures(const core_sketcher *self, size_t count, uint32_t **slots)
{
    size_t size = self->hashes * sizeof **slots;
    PyObject *bytes = core_bytes(count, size);
    char *start = bytes ? PyBytes_AsString(bytes) : NULL;
    if (start)
        ask_for_large_pages(start, count * size);
    *slots = (uint32_t *)(void *)start;
    return bytes;
}

/* ---- texts */

enum { BLOCK_BYTES = 1 << 16 }; /* of text between two looks at the clock */
#define LISTEN_EVERY 0.1        /* seconds between checks for Ctrl-C */

typedef struct text_job {
    core_sketcher *sketcher;
    const core_texts *texts;
    size_t next; /* text to sketch */
    uint32_t *slots;
} text_job;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int sketch_text(core_sketcher *self, const char *text, size_t length, uint32_t *slots,
                       twinset_error *error)
{
    if (text)
        return twinset_sketcher_text(self->handle, text, length, slots, error);
    memset(slots, 0xff, self->hashes * sizeof *slots);
    return TWINSET_OK;
}

/* Runs without the GIL. */
static int sketch_block(text_job *job, twinset_error *error)
{
    const core_texts *texts = job->texts;
    double until = now() + LISTEN_EVERY;
    int status = TWINSET_OK;
    for (size_t bytes = 0; job->next < texts->count && status == TWINSET_OK; job->next++) {
        if (bytes > BLOCK_BYTES) {
            if (now() > until)
                break;
            bytes = 0;
        }
        status = sketch_text(job->sketcher, texts->starts[job->next], texts->lengths[job->next],
                             job->slots + job->next * job->sketcher->hashes, error);
        bytes += texts->lengths[job->next];
    }
    return status;
}

static int sketch_all(text_job *job)
{
    twinset_error error = {""};
    int status = TWINSET_OK;
    if (enter(job->sketcher))
        return -1;
    while (job->next < job->texts->count && status == TWINSET_OK) {
        Py_BEGIN_ALLOW_THREADS;
        status = sketch_block(job, &error);
        Py_END_ALLOW_THREADS;
        if (PyErr_CheckSignals()) {
            core_lock_give(&job->sketcher->engine.lock);
            return -1;
        }
    }
    return leave(job->sketcher, status, &error);
}

PyDoc_STRVAR(texts_doc, "texts($self, texts, /)\n--\n\n"
                        "The signatures of texts, one after the other. None, like a text without\n"
                        "shingles, has the empty signature: every slot is empty_slot.");

static PyObject *texts(PyObject *object, PyObject *from)
{
    core_sketcher *self = (core_sketcher *)object;
    core_texts texts = {0};
    text_job job = {self, &texts, 0, NULL};
    PyObject *made = NULL;
    if (core_texts_take(&texts, from, CORE_TEXTS) == 0)
        made = new_signatures(self, texts.count, &job.slots);
    if (made && sketch_all(&job))
        Py_CLEAR(made);
    core_texts_free(&texts);
    return made;
}

PyDoc_STRVAR(text_doc, "text($self, text, /)\n--\n\n"
                       "The signature of a text: 32-bit slots in the machine's byte order.");

static PyObject *text(PyObject *object, PyObject *from)
{
    core_sketcher *self = (core_sketcher *)object;
    core_text text;
    uint32_t *slots;
    twinset_error error = {""};
    int status;
    if (core_text_take(&text, from, true, "text"))
        return NULL;
    PyObject *made = new_signatures(self, 1, &slots);
    if (!made || enter(self)) {
        Py_XDECREF(made);
        Py_DECREF(text.owner);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = sketch_text(self, text.start, text.length, slots, &error);
    Py_END_ALLOW_THREADS;
    if (leave(self, status, &error))
        Py_CLEAR(made);
    Py_DECREF(text.owner);
    return made;
}

/* ---- numbers and byte strings */

/* The shingles of a signature: numbers, or byte strings. */
typedef struct shingle_set {
    bool numbers;
    Py_buffer view;
    core_texts items;
} shingle_set;

static int take_shingles(shingle_set *shingles, PyObject *from, bool numbers)
{
    *shingles = (shingle_set){.numbers = numbers};
    if (numbers)
        return core_numbers(from, sizeof(uint64_t), 0, "values", &shingles->view);
    return core_texts_take(&shingles->items, from, CORE_ITEMS);
}

static void free_shingles(shingle_set *shingles)
{
    if (shingles->numbers)
        PyBuffer_Release(&shingles->view);
    core_texts_free(&shingles->items);
}

/* Runs with the lock, without the GIL. */
static int sketch_shingles(core_sketcher *self, const shingle_set *shingles, uint32_t *slots,
                           twinset_error *error)
{
    if (shingles->numbers)
        return twinset_sketcher_values(self->handle, shingles->view.buf,
                                       (size_t)shingles->view.len / sizeof(uint64_t), slots, error);
    return twinset_sketcher_items(self->handle, shingles->items.starts, shingles->items.lengths,
                                  shingles->items.count, slots, error);
}

static PyObject *signature_of(core_sketcher *self, PyObject *from, bool numbers)
{
    shingle_set shingles;
    uint32_t *slots;
    twinset_error error = {""};
    PyObject *made = NULL;
    if (take_shingles(&shingles, from, numbers) == 0)
        made = new_signatures(self, 1, &slots);
    if (made && enter(self))
        Py_CLEAR(made);
    if (made) {
        int status;
        Py_BEGIN_ALLOW_THREADS;
        status = sketch_shingles(self, &shingles, slots, &error);
        Py_END_ALLOW_THREADS;
        if (leave(self, status, &error))
            Py_CLEAR(made);
    }
    free_shingles(&shingles);
    return made;
}

PyDoc_STRVAR(values_doc, "values($self, values, /)\n--\n\n"
                         "The signature of a set of 64-bit numbers that stand for shingles.");

static PyObject *values(PyObject *self, PyObject *from)
{
    return signature_of((core_sketcher *)self, from, true);
}

PyDoc_STRVAR(items_doc, "items($self, items, /)\n--\n\n"
                        "The signature of a set of byte strings, each of which is a shingle.");

static PyObject *items(PyObject *self, PyObject *from)
{
    return signature_of((core_sketcher *)self, from, false);
}

/* ---- lowering hash values */

/* Lowers hash values by the signature of shingles, unless there are none. */
static int lower_by(core_sketcher *self, const shingle_set *shingles, uint32_t *slots,
                    core_hashvalues *values)
{
    twinset_error error = {""};
    int status;
    if (enter(self))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = sketch_shingles(self, shingles, slots, &error);
    Py_END_ALLOW_THREADS;
    return leave(self, status, &error) ? -1 : core_hashvalues_lower(values, slots, self->hashes);
}

static int take_and_lower(core_sketcher *self, PyObject *from, bool numbers,
                          core_hashvalues *values)
{
    uint32_t few[256], *many = NULL;
    shingle_set shingles;
    if (self->hashes > 256 && !(many = PyMem_Malloc(self->hashes * sizeof *many))) {
        PyErr_NoMemory();
        return -1;
    }
    int status = take_shingles(&shingles, from, numbers);
    if (status == 0)
        status = lower_by(self, &shingles, many ? many : few, values);
    free_shingles(&shingles);
    PyMem_Free(many);
    return status;
}

static PyObject *lower_any(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                           bool numbers)
{
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "2 arguments are needed, but there are %zd", count);
        return NULL;
    }
    if (!PyObject_TypeCheck(arguments[1], core_state_of(object)->hashvalues)) {
        PyErr_SetString(PyExc_TypeError, "hashvalues must be a HashValues");
        return NULL;
    }
    int status = take_and_lower((core_sketcher *)object, arguments[0], numbers,
                                (core_hashvalues *)arguments[1]);
    return status ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(lower_doc,
             "lower($self, items, hashvalues, /)\n--\n\n"
             "Adds byte strings to the set of a signature, a HashValues: each of its values,\n"
             "of 4 or 8 bytes, becomes the smaller of itself and that of items(items). An\n"
             "array that others hold as well does not change; a copy replaces it.");

static PyObject *lower(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    return lower_any(self, arguments, count, false);
}

PyDoc_STRVAR(lower_values_doc, "lower_values($self, values, hashvalues, /)\n--\n\n"
                               "Adds 64-bit numbers, as lower() adds byte strings.");

static PyObject *lower_values(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    return lower_any(self, arguments, count, true);
}

/* ---- the functions behind the slots */

PyDoc_STRVAR(functions_doc, "functions($self, /)\n--\n\n"
                            "The parameters (a, b) of the slots' functions, as 64-bit numbers.");

static PyObject *functions(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_sketcher *self = (core_sketcher *)object;
    PyObject *a = core_bytes(self->hashes, sizeof(uint64_t));
    PyObject *b = a ? core_bytes(self->hashes, sizeof(uint64_t)) : NULL;
    twinset_error error = {""};
    int status = b ? enter(self) : -1;
    if (status == 0) {
        status = twinset_sketcher_functions(self->handle, (uint64_t *)(void *)PyBytes_AsString(a),
                                            (uint64_t *)(void *)PyBytes_AsString(b), &error);
        status = leave(self, status, &error);
    }
    if (status == 0)
        return Py_BuildValue("NN", a, b);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return NULL;
}

static int take_parameters(const core_sketcher *self, PyObject *from, const char *what,
                           Py_buffer *view)
{
    if (core_numbers(from, sizeof(uint64_t), 0, what, view))
        return -1;
    if ((size_t)view->len == self->hashes * sizeof(uint64_t))
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must be %zu numbers, one for each slot", what, self->hashes);
    PyBuffer_Release(view);
    return -1;
}

PyDoc_STRVAR(set_functions_doc,
             "set_functions($self, a, b, p=0, /)\n--\n\n"
             "Replaces the parameters that were drawn from the seed by buffers of 64-bit numbers.\n"
             "p is for the modular scheme.");

static PyObject *set_functions(PyObject *object, PyObject *arguments)
{
    core_sketcher *self = (core_sketcher *)object;
    PyObject *from_a, *from_b;
    Py_buffer a, b;
    unsigned long long p = 0;
    twinset_error error = {""};
    if (!PyArg_ParseTuple(arguments, "OO|K", &from_a, &from_b, &p) ||
        take_parameters(self, from_a, "a", &a))
        return NULL;
    int status = take_parameters(self, from_b, "b", &b);
    if (status == 0) {
        status = enter(self);
        if (status == 0) {
            status = twinset_sketcher_set_functions(self->handle, a.buf, b.buf, p, &error);
            status = leave(self, status, &error);
        }
        PyBuffer_Release(&b);
    }
    PyBuffer_Release(&a);
    return status ? NULL : Py_NewRef(Py_None);
}

/* ---- the type */

static int open_sketcher(PyObject *object, PyObject *settings)
{
    core_sketcher *self = (core_sketcher *)object;
    twinset_options options;
    twinset_error error = {""};
    if (core_engine_open(&self->engine, settings, &options))
        return -1;
    int status = twinset_sketcher_new(&options, &self->handle, &error);
    self->hashes = twinset_sketcher_hashes(self->handle);
    if (status != TWINSET_OK)
        core_fail(core_state_of(object), status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static PyObject *new_sketcher(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    return core_new(type, arguments, keywords, open_sketcher);
}

static void dealloc(PyObject *object)
{
    twinset_sketcher_free(((core_sketcher *)object)->handle);
    core_engine_free(object);
}

static PyObject *get_hashes(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSize_t(((core_sketcher *)self)->hashes);
}

static char type_doc[] = "Sketcher(options=None)\n--\n\n"
                         "Makes signatures. options: the command's, by their long names, as str.";

static PyGetSetDef properties[] = {
    {"hashes", get_hashes, NULL, "The number of slots of a signature.", NULL},
    {0},
};

static PyMethodDef methods[] = {
    {"text", text, METH_O, text_doc},
    {"texts", texts, METH_O, texts_doc},
    {"values", values, METH_O, values_doc},
    {"items", items, METH_O, items_doc},
    {"lower", (PyCFunction)(void (*)(void))lower, METH_FASTCALL, lower_doc},
    {"lower_values", (PyCFunction)(void (*)(void))lower_values, METH_FASTCALL, lower_values_doc},
    {"functions", functions, METH_NOARGS, functions_doc},
    {"set_functions", set_functions, METH_VARARGS, set_functions_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},    {Py_tp_new, new_sketcher},  {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods}, {Py_tp_getset, properties}, {0},
};

PyType_Spec core_sketcher_spec = {
    .name = "twinset._core.Sketcher",
    .basicsize = sizeof(core_sketcher),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

/*
 * The steps that cut repeated spans, for programs that run on many machines: SpanFinder, and
 * cut_spans(). Numbers are passed as buffers, without an object for each. Result.cut() returns the
 * spans of a run.
 */
#include "result.h"

#include <stdlib.h>
#include <string.h>

typedef struct finder {
    core_engine engine;
    twinset_span_finder *handle;
} finder;

static PyObject *fail(PyObject *self, int status, const twinset_error *error)
{
    return status == TWINSET_OK ? NULL : core_fail(core_state_of(self), status, error);
}

static int take_lock(finder *self)
{
    return core_lock_take(&self->engine.lock, core_state_of((PyObject *)self), "the finder");
}

/* Gets a buffer of rows of uint64. */
static int take_rows(PyObject *from, size_t width, const char *what, Py_buffer *view)
{
    if (core_numbers(from, sizeof(uint64_t), 0, what, view))
        return -1;
    if ((size_t)view->len % (width * sizeof(uint64_t)) == 0)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must have %zu numbers for each", what, width);
    PyBuffer_Release(view);
    return -1;
}

/* ---- numbers that grow */

typedef struct numbers {
    uint64_t *data;
    size_t count, capacity;
} numbers;

/* Reserves space for `more` numbers. Runs without the GIL. */
static int reserve(numbers *to, size_t more)
{
    if (more <= to->capacity - to->count)
        return TWINSET_OK;
    size_t capacity = 2 * to->capacity + more;
    uint64_t *data = realloc(to->data, capacity * sizeof *data);
    if (!data)
        return TWINSET_NOMEM;
    to->data = data;
    to->capacity = capacity;
    return TWINSET_OK;
}

static PyObject *bytes_of(const numbers *from)
{
    return PyBytes_FromStringAndSize(from->count ? (const char *)from->data : "",
                                     (Py_ssize_t)(from->count * sizeof *from->data));
}

/* ---- a column of texts to fingerprints, or to runs */

/* The search of a column, and its results. */
typedef struct column {
    const core_texts *texts;
    const uint64_t *wanted; /* fingerprints; NULL: all of them are wanted */
    const int64_t *ends;    /* of the fingerprints of each text */
    numbers first, second;  /* fingerprints; or the hashes of runs, and their words */
    int64_t *made_ends;     /* of the results of each text */
} column;

static int add_fingerprints(finder *self, column *all, size_t i, twinset_error *error)
{
    const uint64_t *found;
    size_t count;
    int status = twinset_span_finder_fingerprints(self->handle, all->texts->starts[i],
                                                  all->texts->lengths[i], &found, &count, error);
    if (status == TWINSET_OK)
        status = reserve(&all->first, count);
    if (status == TWINSET_OK && count)
        memcpy(all->first.data + all->first.count, found, count * sizeof *found);
    all->first.count += status == TWINSET_OK ? count : 0;
    return status;
}

static int add_runs(finder *self, column *all, size_t i, twinset_error *error)
{
    const twinset_word_run *runs;
    size_t count, from = i ? (size_t)all->ends[i - 1] : 0;
    int status = twinset_span_finder_runs(self->handle, all->texts->starts[i],
                                          all->texts->lengths[i], all->wanted + from,
                                          (size_t)all->ends[i] - from, &runs, &count, error);
    if (status == TWINSET_OK)
        status = reserve(&all->first, count);
    if (status == TWINSET_OK)
        status = reserve(&all->second, count);
    for (size_t n = 0; n < count && status == TWINSET_OK; n++) {
        all->first.data[all->first.count++] = runs[n].hash;
        all->second.data[all->second.count++] = runs[n].word;
    }
    return status;
}

static int look_through(finder *self, column *all)
{
    twinset_error error = {""};
    int status = TWINSET_OK;
    if (take_lock(self))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    for (size_t i = 0; i < all->texts->count && status == TWINSET_OK; i++) {
        if (all->texts->starts[i])
            status = (all->wanted ? add_runs : add_fingerprints)(self, all, i, &error);
        all->made_ends[i] = (int64_t)all->first.count;
    }
    Py_END_ALLOW_THREADS;
    core_lock_give(&self->engine.lock);
    fail((PyObject *)self, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

/* Searches a column, and returns the results as a tuple of bytes. */
static PyObject *look(finder *self, column *all)
{
    PyObject *ends = core_bytes(all->texts->count, sizeof *all->made_ends), *made = NULL;
    all->made_ends = ends ? (void *)PyBytes_AsString(ends) : NULL;
    if (ends && look_through(self, all) == 0) {
        PyObject *first = bytes_of(&all->first), *second = bytes_of(&all->second);
        if (first && second)
            made =
                all->wanted ? PyTuple_Pack(3, first, second, ends) : PyTuple_Pack(2, first, ends);
        Py_XDECREF(first);
        Py_XDECREF(second);
    }
    Py_XDECREF(ends);
    free(all->first.data);
    free(all->second.data);
    return made;
}

PyDoc_STRVAR(finder_fingerprints_doc,
             "fingerprints($self, texts, /)\n--\n\n"
             "The fingerprints of texts, of which those that share a span have one in common:\n"
             "(fingerprints, ends), as uint64 and int64; each text's end at its end.");

static PyObject *finder_fingerprints(PyObject *object, PyObject *from)
{
    core_texts texts = {0};
    PyObject *made = NULL;
    if (core_texts_take(&texts, from, CORE_TEXTS) == 0)
        made = look((finder *)object, &(column){.texts = &texts});
    core_texts_free(&texts);
    return made;
}

static int check_ends(const core_texts *texts, const Py_buffer *wanted, const Py_buffer *ends)
{
    const int64_t *end = ends->buf;
    int64_t before = 0, most = wanted->len / (Py_ssize_t)sizeof(uint64_t);
    bool is_right = (size_t)ends->len == texts->count * sizeof *end;
    for (size_t i = 0; i < texts->count && is_right; before = end[i++])
        is_right = end[i] >= before && end[i] <= most;
    if (is_right)
        return 0;
    PyErr_SetString(PyExc_ValueError, "ends must have one for each text, among the fingerprints");
    return -1;
}

PyDoc_STRVAR(finder_runs_doc,
             "runs($self, texts, fingerprints, ends, /)\n--\n\n"
             "The runs of texts that have one of their fingerprints, which ascend:\n"
             "(hashes, words, ends), as uint64 twice and int64.");

static PyObject *finder_runs(PyObject *object, PyObject *arguments)
{
    PyObject *from, *wanted, *ends, *made = NULL;
    core_texts texts = {0};
    Py_buffer buffers[2] = {{0}};
    static const uint64_t none[1];
    if (PyArg_ParseTuple(arguments, "OOO", &from, &wanted, &ends) &&
        core_numbers(wanted, sizeof(uint64_t), 0, "fingerprints", &buffers[0]) == 0 &&
        core_numbers(ends, sizeof(int64_t), 0, "ends", &buffers[1]) == 0 &&
        core_texts_take(&texts, from, CORE_TEXTS) == 0 &&
        check_ends(&texts, &buffers[0], &buffers[1]) == 0)
        made = look((finder *)object, &(column){
                                          .texts = &texts,
                                          .wanted = buffers[0].len ? buffers[0].buf : none,
                                          .ends = buffers[1].buf,
                                      });
    core_texts_free(&texts);
    core_release_numbers(buffers);
    return made;
}

/* ---- excerpts of a text */

/* Reads a text. */
static int load(finder *self, const core_text *text, uint64_t *words)
{
    twinset_error error = {""};
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_span_finder_load(self->handle, text->start, text->length, words, &error);
    Py_END_ALLOW_THREADS;
    fail((PyObject *)self, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

/* Appends an excerpt of the text that was read to a list. */
static int add_excerpt(finder *self, uint64_t word, uint64_t count, PyObject *list)
{
    twinset_error error = {""};
    const void *bytes;
    size_t length;
    int status = twinset_span_finder_excerpt(self->handle, word, count, &bytes, &length, &error);
    if (status != TWINSET_OK) {
        fail((PyObject *)self, status, &error);
        return -1;
    }
    PyObject *excerpt = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
    int added = excerpt ? PyList_Append(list, excerpt) : -1;
    Py_XDECREF(excerpt);
    return added;
}

static PyObject *excerpts_of(finder *self, const core_text *text, const Py_buffer *wanted)
{
    const uint64_t *span = wanted->buf;
    size_t count = (size_t)wanted->len / (2 * sizeof *span);
    uint64_t words;
    PyObject *list = PyList_New(0);
    if (!list || take_lock(self)) {
        Py_XDECREF(list);
        return NULL;
    }
    int status = load(self, text, &words);
    for (size_t i = 0; i < count && status == 0; i++, span += 2)
        status = add_excerpt(self, span[0], span[1], list);
    core_lock_give(&self->engine.lock);
    if (status)
        Py_CLEAR(list);
    return list;
}

PyDoc_STRVAR(
    finder_excerpts_doc,
    "excerpts($self, text, wanted, /)\n--\n\n"
    "Excerpts of a text, as a list of bytes. `wanted` has two uint64 for each: the number\n"
    "of its first word, and how many words it has.");

static PyObject *finder_excerpts(PyObject *object, PyObject *arguments)
{
    PyObject *from, *words, *made = NULL;
    core_text text = {0};
    Py_buffer wanted;
    if (!PyArg_ParseTuple(arguments, "OO", &from, &words) || take_rows(words, 2, "wanted", &wanted))
        return NULL;
    if (core_text_take(&text, from, false, "the text") == 0)
        made = excerpts_of((finder *)object, &text, &wanted);
    Py_XDECREF(text.owner);
    PyBuffer_Release(&wanted);
    return made;
}

/* ---- the spans of a text */

/* Runs without the GIL, except to make the result. */
static PyObject *verify_runs(finder *self, const core_text *text, const Py_buffer *runs,
                             const twinset_excerpt *excerpts, size_t count)
{
    twinset_error error = {""};
    const twinset_repeated_span *spans = NULL;
    size_t span_count = 0;
    uint64_t words = 0, covered = 0;
    int status;
    if (take_lock(self))
        return NULL;
    PyObject *made = NULL;
    if (load(self, text, &words) == 0) {
        Py_BEGIN_ALLOW_THREADS;
        status = twinset_span_finder_verify(self->handle, runs->buf,
                                            (size_t)runs->len / sizeof(twinset_copied_runs),
                                            excerpts, count, &spans, &span_count, &covered, &error);
        Py_END_ALLOW_THREADS;
        made = status == TWINSET_OK
                   ? Py_BuildValue("y#KK", span_count ? (const char *)spans : "",
                                   (Py_ssize_t)(span_count * sizeof *spans),
                                   (unsigned long long)covered, (unsigned long long)words)
                   : fail((PyObject *)self, status, &error);
    }
    core_lock_give(&self->engine.lock);
    return made;
}

/* The excerpts of a list of bytes, whose texts have these numbers. */
static PyObject *verify_with(finder *self, const core_text *text, const Py_buffer *runs,
                             const Py_buffer *firsts, const core_texts *items)
{
    size_t count = items->count;
    if ((size_t)firsts->len != count * sizeof(uint64_t)) {
        PyErr_SetString(PyExc_ValueError, "firsts must have a number for each excerpt");
        return NULL;
    }
    twinset_excerpt *excerpts = PyMem_Calloc(count + 1, sizeof *excerpts);
    if (!excerpts)
        return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++)
        excerpts[i] = (twinset_excerpt){((const uint64_t *)firsts->buf)[i], items->starts[i],
                                        items->lengths[i]};
    PyObject *made = verify_runs(self, text, runs, excerpts, count);
    PyMem_Free(excerpts);
    return made;
}

PyDoc_STRVAR(
    finder_verify_doc,
    "verify($self, text, runs, firsts, excerpts, /)\n--\n\n"
    "The spans of a text that an earlier one has: (spans, covered, words), spans as seven\n"
    "uint64 each: start, end, first_start, first_end, word, words, first. Runs are four\n"
    "uint64 each: word, count, first, first_word; excerpts are of the texts with the\n"
    "numbers in firsts.");

static PyObject *finder_verify(PyObject *object, PyObject *arguments)
{
    PyObject *from, *runs, *firsts, *list, *made = NULL;
    core_text text = {0};
    core_texts items = {0};
    Py_buffer buffers[2] = {{0}};
    if (PyArg_ParseTuple(arguments, "OOOO", &from, &runs, &firsts, &list) &&
        take_rows(runs, sizeof(twinset_copied_runs) / 8, "runs", &buffers[0]) == 0 &&
        core_numbers(firsts, sizeof(uint64_t), 0, "firsts", &buffers[1]) == 0 &&
        core_text_take(&text, from, false, "the text") == 0 &&
        core_texts_take(&items, list, CORE_ITEMS) == 0)
        made = verify_with((finder *)object, &text, &buffers[0], &buffers[1], &items);
    core_texts_free(&items);
    Py_XDECREF(text.owner);
    core_release_numbers(buffers);
    return made;
}

/* ---- the type */

static int open_finder(PyObject *object, PyObject *settings)
{
    finder *self = (finder *)object;
    twinset_options options;
    twinset_error error = {""};
    if (core_engine_open(&self->engine, settings, &options))
        return -1;
    int status = twinset_span_finder_new(&options, &self->handle, &error);
    fail(object, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static PyObject *new_finder(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    return core_new(type, arguments, keywords, open_finder);
}

static void free_finder(PyObject *object)
{
    twinset_span_finder_free(((finder *)object)->handle);
    core_engine_free(object);
}

static char finder_doc[] = "SpanFinder(options)\n--\n\n"
                           "Finds spans of texts that earlier ones have, step by step.";

static PyMethodDef finder_methods[] = {
    {"fingerprints", finder_fingerprints, METH_O, finder_fingerprints_doc},
    {"runs", finder_runs, METH_VARARGS, finder_runs_doc},
    {"excerpts", finder_excerpts, METH_VARARGS, finder_excerpts_doc},
    {"verify", finder_verify, METH_VARARGS, finder_verify_doc},
    {0},
};

static PyType_Slot finder_slots[] = {
    {Py_tp_doc, finder_doc},
    {Py_tp_new, new_finder},
    {Py_tp_dealloc, free_finder},
    {Py_tp_methods, finder_methods},
    {0},
};

PyType_Spec core_span_finder_spec = {
    .name = "twinset._core.SpanFinder",
    .basicsize = sizeof(finder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = finder_slots,
};

/* ---- cutting */

const char core_cut_spans_doc[] =
    "cut_spans($module, text, spans, field=None, /)\n--\n\n"
    "A text without its spans, as bytes; or, with a field, a line of JSON without those of the\n"
    "string in it. Spans are as SpanFinder.verify() gives them.";

PyObject *core_cut_spans(PyObject *module, PyObject *arguments)
{
    PyObject *from, *spans, *made = NULL;
    const char *field = NULL;
    core_text text = {0};
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "OO|z", &from, &spans, &field) ||
        take_rows(spans, sizeof(twinset_repeated_span) / 8, "spans", &view))
        return NULL;
    if (core_text_take(&text, from, false, "the text") == 0) {
        twinset_error error = {""};
        char *cut = NULL;
        size_t length = 0;
        int status = twinset_cut_spans(text.start, text.length, field, view.buf,
                                       (size_t)view.len / sizeof(twinset_repeated_span), &cut,
                                       &length, &error);
        made = status == TWINSET_OK ? PyBytes_FromStringAndSize(cut, (Py_ssize_t)length)
                                    : core_fail(PyModule_GetState(module), status, &error);
        twinset_free(cut);
    }
    Py_XDECREF(text.owner);
    PyBuffer_Release(&view);
    return made;
}

/* ---- what a run cuts */

const char core_result_cuts_doc[] =
    PyDoc_STR("cuts($self, /)\n--\n\nHow many documents have spans that are cut.");

PyObject *core_result_cuts(PyObject *object, PyObject *Py_UNUSED(arguments))
{
    return PyLong_FromSize_t(twinset_result_cuts(((const core_result *)object)->handle));
}

/* The names of the documents that have spans first. */
static PyObject *sources_of(const core_result *self, const twinset_repeated_span *spans,
                            size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; i < count && list; i++) {
        PyObject *name = core_name(twinset_result_cut_source(self->handle, spans[i].first));
        if (!name || PyList_SetItem(list, (Py_ssize_t)i, name))
            Py_CLEAR(list);
    }
    return list;
}

const char core_result_cut_doc[] =
    PyDoc_STR("cut($self, index, /)\n--\n\n"
              "A document that spans are cut from: (id, spans, sources), spans as\n"
              "SpanFinder.verify() gives them, sources a list of ids.");

PyObject *core_result_cut(PyObject *object, PyObject *argument)
{
    const core_result *self = (const core_result *)object;
    Py_ssize_t index = core_index_of(argument, twinset_result_cuts(self->handle));
    twinset_repeated_span *spans = NULL;
    twinset_error error = {""};
    const char *name;
    size_t count;
    if (index < 0)
        return NULL;
    int status = twinset_result_cut(self->handle, (size_t)index, &name, &spans, &count, &error);
    if (status != TWINSET_OK)
        return fail(object, status, &error);
    PyObject *id = core_name(name), *sources = sources_of(self, spans, count), *made = NULL;
    if (id && sources)
        made = Py_BuildValue("Oy#O", id, (const char *)spans, (Py_ssize_t)(count * sizeof *spans),
                             sources);
    Py_XDECREF(id);
    Py_XDECREF(sources);
    twinset_free(spans);
    return made;
}

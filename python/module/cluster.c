/*
 * The steps of a scan for programs that run on many machines: Keyer, Comparer and pair_lines().
 * Each processes a column of texts without the GIL, and returns columns as bytes, so that no object
 * is made for a document or a pair.
 */
#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static PyObject *fail(PyObject *self, int status, const twinset_error *error)
{
    return status == TWINSET_OK ? NULL : core_fail(core_state_of(self), status, error);
}

/* ---- from texts to keys */

typedef struct keyer {
    core_engine engine;
    twinset_sketcher *handle;
    unsigned bands, rows, max_bucket;
} keyer;

/* The kinds of texts. */
enum { DOCUMENT, NULL_TEXT, EMPTY, BLANK };

/* The result for a column: an identity of 24 bytes and a kind for each text, and a number for each
 * band of each text. */
typedef struct keyed {
    uint8_t (*identities)[24];
    uint8_t *kinds;
    uint64_t *buckets;
} keyed;

static int key_text(keyer *self, const core_texts *texts, size_t i, const keyed *to,
                    twinset_error *error)
{
    uint64_t *buckets = to->buckets + i * self->bands;
    twinset_document facts = {0};
    int status = TWINSET_OK;
    if (texts->starts[i])
        status = twinset_sketcher_document(self->handle, texts->starts[i], texts->lengths[i],
                                           self->bands, self->rows, buckets, &facts, sizeof facts,
                                           error);
    else
        memset(buckets, 0, self->bands * sizeof *buckets);
    for (uint64_t band = 0; band < self->bands; band++)
        buckets[band] |= band << TWINSET_KEY_BITS;
    memcpy(to->identities[i], facts.digest, sizeof facts.digest);
    for (int byte = 0; byte < 8; byte++)
        to->identities[i][16 + byte] = (uint8_t)(facts.tokens >> (56 - 8 * byte));
    to->kinds[i] = !texts->starts[i]    ? NULL_TEXT
                   : !facts.tokens      ? EMPTY
                   : facts.all_excluded ? BLANK
                                        : DOCUMENT;
    return status;
}

static int key_texts(keyer *self, const core_texts *texts, const keyed *to)
{
    twinset_error error = {""};
    int status = TWINSET_OK;
    if (core_lock_take(&self->engine.lock, core_state_of((PyObject *)self), "the keyer"))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    for (size_t i = 0; i < texts->count && status == TWINSET_OK; i++)
        status = key_text(self, texts, i, to, &error);
    Py_END_ALLOW_THREADS;
    core_lock_give(&self->engine.lock);
    fail((PyObject *)self, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

PyDoc_STRVAR(
    keyer_texts_doc,
    "texts($self, texts, /)\n--\n\n"
    "Returns (identities, kinds, buckets) of texts. An identity is 24 bytes, equal for texts\n"
    "that are equal after normalization, and ends with the number of tokens, largest byte\n"
    "first; a kind is DOCUMENT, NULL_TEXT, EMPTY or BLANK; buckets are 64-bit numbers, one\n"
    "for each band of each text.");

static PyObject *keyer_texts(PyObject *object, PyObject *from)
{
    keyer *self = (keyer *)object;
    core_texts texts = {0};
    PyObject *identities = NULL, *kinds = NULL, *buckets = NULL, *made = NULL;
    if (core_texts_take(&texts, from, CORE_TEXTS) == 0 &&
        (identities = core_bytes(texts.count, 24)) && (kinds = core_bytes(texts.count, 1)) &&
        (buckets = core_bytes(texts.count, self->bands * sizeof(uint64_t)))) {
        const keyed to = {(void *)PyBytes_AsString(identities), (void *)PyBytes_AsString(kinds),
                          (void *)PyBytes_AsString(buckets)};
        if (key_texts(self, &texts, &to) == 0)
            made = PyTuple_Pack(3, identities, kinds, buckets);
    }
    core_texts_free(&texts);
    Py_XDECREF(identities);
    Py_XDECREF(kinds);
    Py_XDECREF(buckets);
    return made;
}

/* Fills `options`, and tunes bands and rows as a scan does. */
static int open_tuned(PyObject *object, PyObject *settings, twinset_options *options,
                      twinset_tuning *tuning)
{
    twinset_error error = {""};
    if (core_engine_open((core_engine *)object, settings, options))
        return -1;
    int status = twinset_tune(options, tuning, sizeof *tuning, &error);
    options->hashes = tuning->hashes;
    fail(object, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static int open_keyer(PyObject *object, PyObject *settings)
{
    keyer *self = (keyer *)object;
    twinset_options options;
    twinset_tuning tuning;
    twinset_error error = {""};
    if (open_tuned(object, settings, &options, &tuning))
        return -1;
    self->bands = tuning.bands;
    self->rows = tuning.rows;
    self->max_bucket = options.max_bucket;
    int status = twinset_sketcher_new(&options, &self->handle, &error);
    fail(object, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static PyObject *new_keyer(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    return core_new(type, arguments, keywords, open_keyer);
}

static void free_keyer(PyObject *object)
{
    twinset_sketcher_free(((keyer *)object)->handle);
    core_engine_free(object);
}

static PyObject *get_bands(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLong(((keyer *)self)->bands);
}

static PyObject *get_max_bucket(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLong(((keyer *)self)->max_bucket);
}

static char keyer_doc[] = "Keyer(options=None)\n--\n\n"
                          "Finds the buckets of texts: documents that share one are candidates.";

static PyGetSetDef keyer_properties[] = {
    {"bands", get_bands, NULL, "The number of buckets of a text.", NULL},
    {"max_bucket", get_max_bucket, NULL, "Larger buckets propose stars; 0: none does.", NULL},
    {0},
};

static PyMethodDef keyer_methods[] = {{"texts", keyer_texts, METH_O, keyer_texts_doc}, {0}};

static PyType_Slot keyer_slots[] = {
    {Py_tp_doc, keyer_doc},         {Py_tp_new, new_keyer},           {Py_tp_dealloc, free_keyer},
    {Py_tp_methods, keyer_methods}, {Py_tp_getset, keyer_properties}, {0},
};

static PyType_Spec keyer_spec = {
    .name = "twinset._core.Keyer",
    .basicsize = sizeof(keyer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = keyer_slots,
};

/* ---- columns of pairs */

/* The fields of pairs, except names: doubles and whole numbers of 8 bytes. */
static const struct column {
    const char *name;
    size_t offset;
} columns[] = {
    {"similarity", offsetof(twinset_pair, similarity)},
    {"jaccard", offsetof(twinset_pair, jaccard)},
    {"containment_a", offsetof(twinset_pair, containment_a)},
    {"containment_b", offsetof(twinset_pair, containment_b)},
    {"shared", offsetof(twinset_pair, shared)},
    {"union", offsetof(twinset_pair, union_count)},
    {"estimate", offsetof(twinset_pair, estimate)},
    {"longest", offsetof(twinset_pair, longest)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- comparing texts */

typedef struct comparer {
    core_engine engine;
    twinset_comparer *handle;
    double threshold;
} comparer;

/* Pairs of texts by their indices, and those that are similar. */
typedef struct comparison {
    const core_texts *texts;
    const int32_t *a, *b;
    size_t count;
    int32_t *found; /* indices of similar pairs */
    twinset_pair *pairs;
    size_t found_count;
} comparison;

static bool is_index_of_text(const comparison *job, int32_t index)
{
    return index >= 0 && (size_t)index < job->texts->count && job->texts->starts[index];
}

static int check_indices(const comparison *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (!is_index_of_text(job, job->a[i]) || !is_index_of_text(job, job->b[i])) {
            PyErr_Format(PyExc_IndexError,
                         "pair %zu is of the texts %d and %d, of which there are "
                         "%zu, without null",
                         i, job->a[i], job->b[i], job->texts->count);
            return -1;
        }
    return 0;
}

/* Runs without the GIL. */
static int compare_pairs(comparer *self, comparison *job, twinset_error *error)
{
    const core_texts *texts = job->texts;
    for (size_t i = 0; i < job->count; i++) {
        size_t a = (size_t)job->a[i], b = (size_t)job->b[i];
        twinset_pair *pair = &job->pairs[job->found_count];
        int status =
            twinset_comparer_texts(self->handle, texts->starts[a], texts->lengths[a],
                                   texts->starts[b], texts->lengths[b], pair, sizeof *pair, error);
        if (status != TWINSET_OK)
            return status;
        job->found[job->found_count] = (int32_t)i;
        /* Copies are similar even if options leave nothing of them to compare. */
        job->found_count += pair->similarity > 0 && pair->similarity >= self->threshold;
    }
    return TWINSET_OK;
}

static PyObject *column_bytes(const comparison *job, size_t offset)
{
    PyObject *bytes = core_bytes(job->found_count, 8);
    char *start = bytes ? PyBytes_AsString(bytes) : NULL;
    for (size_t i = 0; i < job->found_count && start; i++)
        memcpy(start + 8 * i, (const char *)&job->pairs[i] + offset, 8);
    return bytes;
}

static PyObject *pairs_dict(const comparison *job)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; i < COLUMNS && dict; i++) {
        PyObject *bytes = column_bytes(job, columns[i].offset);
        if (!bytes || PyDict_SetItemString(dict, columns[i].name, bytes))
            Py_CLEAR(dict);
        Py_XDECREF(bytes);
    }
    return dict;
}

static PyObject *compare_all(comparer *self, comparison *job)
{
    twinset_error error = {""};
    int status;
    if (check_indices(job) ||
        core_lock_take(&self->engine.lock, core_state_of((PyObject *)self), "the comparer"))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = compare_pairs(self, job, &error);
    Py_END_ALLOW_THREADS;
    core_lock_give(&self->engine.lock);
    if (status != TWINSET_OK)
        return fail((PyObject *)self, status, &error);
    PyObject *dict = pairs_dict(job);
    PyObject *found = PyBytes_FromStringAndSize(
        (const char *)job->found, (Py_ssize_t)(job->found_count * sizeof *job->found));
    PyObject *made = dict && found ? PyTuple_Pack(2, found, dict) : NULL;
    Py_XDECREF(dict);
    Py_XDECREF(found);
    return made;
}

static PyObject *compare_texts(comparer *self, const core_texts *texts, const Py_buffer indices[2])
{
    comparison job = {
        .texts = texts,
        .a = indices[0].buf,
        .b = indices[1].buf,
        .count = (size_t)indices[0].len / sizeof(int32_t),
    };
    if (indices[0].len != indices[1].len) {
        PyErr_SetString(PyExc_ValueError, "a and b must have equal lengths");
        return NULL;
    }
    job.found = PyMem_Calloc(job.count + 1, sizeof *job.found);
    job.pairs = PyMem_Calloc(job.count + 1, sizeof *job.pairs);
    PyObject *made = job.found && job.pairs ? compare_all(self, &job) : PyErr_NoMemory();
    PyMem_Free(job.found);
    PyMem_Free(job.pairs);
    return made;
}

PyDoc_STRVAR(
    comparer_pairs_doc,
    "pairs($self, texts, a, b, /)\n--\n\n"
    "Compares pairs of texts, given by two buffers of int32, their indices in the column.\n"
    "Returns (found, columns) of the pairs that are similar: their indices, as int32, and a\n"
    "dict of columns of 8 bytes each.");

static PyObject *comparer_pairs(PyObject *object, PyObject *arguments)
{
    PyObject *from, *a, *b, *made = NULL;
    core_texts texts = {0};
    Py_buffer indices[2] = {{0}};
    if (PyArg_ParseTuple(arguments, "OOO", &from, &a, &b) &&
        core_numbers(a, sizeof(int32_t), 0, "a", &indices[0]) == 0 &&
        core_numbers(b, sizeof(int32_t), 0, "b", &indices[1]) == 0 &&
        core_texts_take(&texts, from, CORE_TEXTS) == 0)
        made = compare_texts((comparer *)object, &texts, indices);
    core_texts_free(&texts);
    core_release_numbers(indices);
    return made;
}

static int open_comparer(PyObject *object, PyObject *settings)
{
    comparer *self = (comparer *)object;
    twinset_options options;
    twinset_tuning tuning;
    twinset_error error = {""};
    if (open_tuned(object, settings, &options, &tuning))
        return -1;
    self->threshold = tuning.threshold;
    int status = twinset_comparer_new(&options, &self->handle, &error);
    fail(object, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static PyObject *new_comparer(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    return core_new(type, arguments, keywords, open_comparer);
}

static void free_comparer(PyObject *object)
{
    twinset_comparer_free(((comparer *)object)->handle);
    core_engine_free(object);
}

static char comparer_doc[] = "Comparer(options=None)\n--\n\n"
                             "Compares pairs of texts, as a scan by lsh does.";

static PyMethodDef comparer_methods[] = {
    {"pairs", comparer_pairs, METH_VARARGS, comparer_pairs_doc}, {0}};

static PyType_Slot comparer_slots[] = {
    {Py_tp_doc, comparer_doc},
    {Py_tp_new, new_comparer},
    {Py_tp_dealloc, free_comparer},
    {Py_tp_methods, comparer_methods},
    {0},
};

static PyType_Spec comparer_spec = {
    .name = "twinset._core.Comparer",
    .basicsize = sizeof(comparer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = comparer_slots,
};

/* ---- pairs as lines */

typedef struct byte_buffer {
    char *data;
    size_t length, capacity;
} byte_buffer;

/* A twinset_write_fn. */
static int append(void *context, const char *bytes, size_t count)
{
    byte_buffer *to = context;
    if (count > to->capacity - to->length) {
        size_t capacity = 2 * to->capacity + count;
        char *data = realloc(to->data, capacity);
        if (!data)
            return ENOMEM;
        to->data = data;
        to->capacity = capacity;
    }
    memcpy(to->data + to->length, bytes, count);
    to->length += count;
    return 0;
}

/* The names, columns and cluster numbers of pairs. */
typedef struct pair_columns {
    twinset_format format;
    core_texts a, b;
    Py_buffer columns[COLUMNS + 1];
    size_t taken; /* number of columns so far */
    byte_buffer text, name[2];
    int64_t *ends;
} pair_columns;

static const char *terminate(byte_buffer *to, const core_texts *names, size_t i)
{
    to->length = 0;
    if (append(to, names->starts[i], names->lengths[i]) || append(to, "", 1))
        return NULL;
    return to->data;
}

/* Runs without the GIL. */
static int write_line(pair_columns *all, size_t i, twinset_error *error)
{
    twinset_pair pair = {
        .a = terminate(&all->name[0], &all->a, i),
        .b = terminate(&all->name[1], &all->b, i),
        .cluster = (uint32_t)((const uint64_t *)all->columns[COLUMNS].buf)[i],
    };
    if (!pair.a || !pair.b)
        return TWINSET_NOMEM;
    for (size_t n = 0; n < COLUMNS; n++)
        memcpy((char *)&pair + columns[n].offset, (const char *)all->columns[n].buf + 8 * i, 8);
    int status = twinset_pair_write(&pair, sizeof pair, all->format, append, &all->text, error);
    all->ends[i] = (int64_t)all->text.length;
    return status;
}

static int write_lines(pair_columns *all, const core_state *state)
{
    twinset_error error = {""};
    int status = TWINSET_OK;
    Py_BEGIN_ALLOW_THREADS;
    for (size_t i = 0; i < all->a.count && status == TWINSET_OK; i++)
        status = write_line(all, i, &error);
    Py_END_ALLOW_THREADS;
    if (status == TWINSET_OK)
        return 0;
    core_fail(state, status, &error);
    return -1;
}

static int take_column(pair_columns *all, PyObject *dict, const char *name)
{
    PyObject *column = PyDict_GetItemString(dict, name); /* borrowed */
    Py_buffer *view = &all->columns[all->taken];
    if (!column) {
        PyErr_Format(PyExc_KeyError, "%s", name);
        return -1;
    }
    if (PyObject_GetBuffer(column, view, PyBUF_C_CONTIGUOUS))
        return -1;
    all->taken++;
    if ((size_t)view->len == 8 * all->a.count && (uintptr_t)view->buf % 8 == 0)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must have 8 bytes for each pair", name);
    return -1;
}

static int check_names(const core_texts *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (memchr(names->starts[i], '\0', names->lengths[i])) {
            PyErr_Format(PyExc_ValueError, "name %zu has a NUL character", i);
            return -1;
        }
    return 0;
}

static int take_lines(pair_columns *all, PyObject *a, PyObject *b, PyObject *dict)
{
    if (core_texts_take(&all->a, a, CORE_NAMES) || core_texts_take(&all->b, b, CORE_NAMES) ||
        check_names(&all->a) || check_names(&all->b))
        return -1;
    if (all->a.count != all->b.count) {
        PyErr_SetString(PyExc_ValueError, "a and b must have equally many names");
        return -1;
    }
    for (size_t i = 0; i < COLUMNS; i++)
        if (take_column(all, dict, columns[i].name))
            return -1;
    return take_column(all, dict, "cluster");
}

static void free_lines(pair_columns *all)
{
    core_texts_free(&all->a);
    core_texts_free(&all->b);
    while (all->taken > 0)
        PyBuffer_Release(&all->columns[--all->taken]);
    free(all->text.data);
    free(all->name[0].data);
    free(all->name[1].data);
}

PyDoc_STRVAR(pair_lines_doc,
             "pair_lines($module, format, a, b, columns, /)\n--\n\n"
             "Pairs as lines of 'csv', 'tsv' or 'jsonl': (text, ends), ends as int64. a and b are\n"
             "names, columns the dict of Comparer.pairs() with the column 'cluster'.");

static PyObject *pair_lines(PyObject *module, PyObject *arguments)
{
    const char *word;
    PyObject *a, *b, *dict, *ends = NULL, *made = NULL;
    pair_columns all = {0};
    if (!PyArg_ParseTuple(arguments, "sOOO!", &word, &a, &b, &PyDict_Type, &dict))
        return NULL;
    if (core_format(word, &all.format) == 0 && take_lines(&all, a, b, dict) == 0)
        ends = core_bytes(all.a.count, sizeof *all.ends);
    if (ends) {
        all.ends = (void *)PyBytes_AsString(ends);
        if (write_lines(&all, PyModule_GetState(module)) == 0)
            made = Py_BuildValue("y#O", all.text.data ? all.text.data : "",
                                 (Py_ssize_t)all.text.length, ends);
    }
    Py_XDECREF(ends);
    free_lines(&all);
    return made;
}

PyDoc_STRVAR(pair_heading_doc, "pair_heading($module, format, /)\n--\n\n"
                               "The heading for pair_lines(); b'' if the format has none.");

static PyObject *pair_heading(PyObject *module, PyObject *word)
{
    const char *text = PyUnicode_AsUTF8AndSize(word, NULL);
    byte_buffer to = {0};
    twinset_format format;
    twinset_error error = {""};
    if (!text || core_format(text, &format))
        return NULL;
    int status = twinset_pair_write(NULL, 0, format, append, &to, &error);
    PyObject *made = status == TWINSET_OK
                         ? PyBytes_FromStringAndSize(to.data ? to.data : "", (Py_ssize_t)to.length)
                         : core_fail(PyModule_GetState(module), status, &error);
    free(to.data);
    return made;
}

/* ---- types and functions of the module */

static PyMethodDef functions[] = {
    {"pair_lines", pair_lines, METH_VARARGS, pair_lines_doc},
    {"pair_heading", pair_heading, METH_O, pair_heading_doc},
    {0},
};

static int add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    int status = type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
    Py_XDECREF(type);
    return status;
}

int core_cluster_add(PyObject *module)
{
    static const struct {
        const char *name;
        int value;
    } kinds[] = {
        {"DOCUMENT", DOCUMENT}, {"NULL_TEXT", NULL_TEXT}, {"EMPTY", EMPTY}, {"BLANK", BLANK}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (PyModule_AddIntConstant(module, kinds[i].name, kinds[i].value))
            return -1;
    if (add_type(module, &keyer_spec) || add_type(module, &comparer_spec))
        return -1;
    return PyModule_AddFunctions(module, functions);
}

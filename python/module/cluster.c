/*
 * The steps of a scan for programs that run on many machines, a column of texts at a time: Keyer,
 * Comparer and pair_lines(). All of a column goes through without the GIL; what comes out are
 * columns again, as bytes, so that no object is made for a document or a pair.
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

/* What a text is. */
enum { DOCUMENT, NULL_TEXT, EMPTY, BLANK };

/* What comes out of a column: 24 bytes and a kind for each text, a number for each band of it. */
typedef struct keyed {
    uint8_t (*identities)[24];
    uint8_t *kinds;
    uint64_t *buckets;
} keyed;

static int key_one(keyer *self, const core_texts *texts, size_t i, const keyed *to,
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

static int key_all(keyer *self, const core_texts *texts, const keyed *to)
{
    twinset_error error = {""};
    int status = TWINSET_OK;
    if (core_lock_take(&self->engine.lock, core_state_of((PyObject *)self), "the keyer"))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    for (size_t i = 0; i < texts->count && status == TWINSET_OK; i++)
        status = key_one(self, texts, i, to, &error);
    Py_END_ALLOW_THREADS;
    core_lock_give(&self->engine.lock);
    fail((PyObject *)self, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

PyDoc_STRVAR(
    keyer_texts_doc,
    "texts($self, texts, /)\n--\n\n"
    "Looks through texts once: (identities, kinds, buckets). An identity is 24 bytes, the\n"
    "same for texts that are compared as the same, and ends with the number of tokens,\n"
    "largest byte first; a kind is one of DOCUMENT, NULL_TEXT, EMPTY and BLANK; buckets\n"
    "are 64-bit numbers, one for each band of each text.");

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
        if (key_all(self, &texts, &to) == 0)
            made = PyTuple_Pack(3, identities, kinds, buckets);
    }
    core_texts_free(&texts);
    Py_XDECREF(identities);
    Py_XDECREF(kinds);
    Py_XDECREF(buckets);
    return made;
}

/* Takes the options, and tunes by them as a scan would. */
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

/* What is known of pairs, beside their names: doubles and whole numbers of 8 bytes. */
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

/* ---- two texts at a time */

typedef struct comparer {
    core_engine engine;
    twinset_comparer *handle;
    double threshold;
} comparer;

/* Places of texts, and the pairs of them that are similar. */
typedef struct meeting {
    const core_texts *texts;
    const int32_t *a, *b;
    size_t count;
    int32_t *found; /* indices of similar pairs */
    twinset_pair *pairs;
    size_t found_count;
} meeting;

static bool is_place(const meeting *meet, int32_t place)
{
    return place >= 0 && (size_t)place < meet->texts->count && meet->texts->starts[place];
}

static int check_places(const meeting *meet)
{
    for (size_t i = 0; i < meet->count; i++)
        if (!is_place(meet, meet->a[i]) || !is_place(meet, meet->b[i])) {
            PyErr_Format(PyExc_IndexError,
                         "pair %zu is of the texts %d and %d, of which there are "
                         "%zu, without null",
                         i, meet->a[i], meet->b[i], meet->texts->count);
            return -1;
        }
    return 0;
}

/* Without the GIL. */
static int compare_pairs(comparer *self, meeting *meet, twinset_error *error)
{
    const core_texts *texts = meet->texts;
    for (size_t i = 0; i < meet->count; i++) {
        size_t a = (size_t)meet->a[i], b = (size_t)meet->b[i];
        twinset_pair *pair = &meet->pairs[meet->found_count];
        int status =
            twinset_comparer_texts(self->handle, texts->starts[a], texts->lengths[a],
                                   texts->starts[b], texts->lengths[b], pair, sizeof *pair, error);
        if (status != TWINSET_OK)
            return status;
        meet->found[meet->found_count] = (int32_t)i;
        /* Copies are similar even where all of them is left out. */
        meet->found_count += pair->similarity > 0 && pair->similarity >= self->threshold;
    }
    return TWINSET_OK;
}

static PyObject *column_bytes(const meeting *meet, size_t offset)
{
    PyObject *bytes = core_bytes(meet->found_count, 8);
    char *start = bytes ? PyBytes_AsString(bytes) : NULL;
    for (size_t i = 0; i < meet->found_count && start; i++)
        memcpy(start + 8 * i, (const char *)&meet->pairs[i] + offset, 8);
    return bytes;
}

static PyObject *meeting_dict(const meeting *meet)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; i < COLUMNS && dict; i++) {
        PyObject *bytes = column_bytes(meet, columns[i].offset);
        if (!bytes || PyDict_SetItemString(dict, columns[i].name, bytes))
            Py_CLEAR(dict);
        Py_XDECREF(bytes);
    }
    return dict;
}

static PyObject *meet_all(comparer *self, meeting *meet)
{
    twinset_error error = {""};
    int status;
    if (check_places(meet) ||
        core_lock_take(&self->engine.lock, core_state_of((PyObject *)self), "the comparer"))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = compare_pairs(self, meet, &error);
    Py_END_ALLOW_THREADS;
    core_lock_give(&self->engine.lock);
    if (status != TWINSET_OK)
        return fail((PyObject *)self, status, &error);
    PyObject *dict = meeting_dict(meet);
    PyObject *found = PyBytes_FromStringAndSize(
        (const char *)meet->found, (Py_ssize_t)(meet->found_count * sizeof *meet->found));
    PyObject *made = dict && found ? PyTuple_Pack(2, found, dict) : NULL;
    Py_XDECREF(dict);
    Py_XDECREF(found);
    return made;
}

static PyObject *meet_texts(comparer *self, const core_texts *texts, const Py_buffer places[2])
{
    meeting meet = {
        .texts = texts,
        .a = places[0].buf,
        .b = places[1].buf,
        .count = (size_t)places[0].len / sizeof(int32_t),
    };
    if (places[0].len != places[1].len) {
        PyErr_SetString(PyExc_ValueError, "a and b must have as many places");
        return NULL;
    }
    meet.found = PyMem_Calloc(meet.count + 1, sizeof *meet.found);
    meet.pairs = PyMem_Calloc(meet.count + 1, sizeof *meet.pairs);
    PyObject *made = meet.found && meet.pairs ? meet_all(self, &meet) : PyErr_NoMemory();
    PyMem_Free(meet.found);
    PyMem_Free(meet.pairs);
    return made;
}

PyDoc_STRVAR(
    comparer_pairs_doc,
    "pairs($self, texts, a, b, /)\n--\n\n"
    "Compares texts with each other, by their places in the column, two buffers of int32:\n"
    "(found, columns) of those that are similar: the indices of such pairs, as int32, and a\n"
    "dict of columns of 8 bytes each.");

static PyObject *comparer_pairs(PyObject *object, PyObject *arguments)
{
    PyObject *from, *a, *b, *made = NULL;
    core_texts texts = {0};
    Py_buffer places[2];
    if (!PyArg_ParseTuple(arguments, "OOO", &from, &a, &b) ||
        core_numbers(a, sizeof(int32_t), 0, "a", &places[0]))
        return NULL;
    if (core_numbers(b, sizeof(int32_t), 0, "b", &places[1])) {
        PyBuffer_Release(&places[0]);
        return NULL;
    }
    if (core_texts_take(&texts, from, CORE_TEXTS) == 0)
        made = meet_texts((comparer *)object, &texts, places);
    core_texts_free(&texts);
    PyBuffer_Release(&places[0]);
    PyBuffer_Release(&places[1]);
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
                             "Compares texts, two at a time, as a scan by lsh does it.";

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

typedef struct growing {
    char *data;
    size_t length, capacity;
} growing;

/* A twinset_write_fn. */
static int append(void *context, const char *bytes, size_t count)
{
    growing *to = context;
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

/* Names, columns and cluster numbers of some pairs. */
typedef struct lines {
    twinset_format format;
    core_texts a, b;
    Py_buffer columns[COLUMNS + 1];
    size_t taken; /* of them */
    growing text, name[2];
    int64_t *ends;
} lines;

static const char *terminated(growing *to, const core_texts *names, size_t i)
{
    to->length = 0;
    if (append(to, names->starts[i], names->lengths[i]) || append(to, "", 1))
        return NULL;
    return to->data;
}

/* Without the GIL. */
static int write_line(lines *all, size_t i, twinset_error *error)
{
    twinset_pair pair = {
        .a = terminated(&all->name[0], &all->a, i),
        .b = terminated(&all->name[1], &all->b, i),
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

static int write_lines(lines *all, const core_state *state)
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

static int take_column(lines *all, PyObject *dict, const char *name)
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

static int take_lines(lines *all, PyObject *a, PyObject *b, PyObject *dict)
{
    if (core_texts_take(&all->a, a, CORE_NAMES) || core_texts_take(&all->b, b, CORE_NAMES) ||
        check_names(&all->a) || check_names(&all->b))
        return -1;
    if (all->a.count != all->b.count) {
        PyErr_SetString(PyExc_ValueError, "a and b must have as many names");
        return -1;
    }
    for (size_t i = 0; i < COLUMNS; i++)
        if (take_column(all, dict, columns[i].name))
            return -1;
    return take_column(all, dict, "cluster");
}

static void free_lines(lines *all)
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
             "names, columns a dict of those that Comparer.pairs() gives, and of 'cluster'.");

static PyObject *pair_lines(PyObject *module, PyObject *arguments)
{
    const char *word;
    PyObject *a, *b, *dict, *ends = NULL, *made = NULL;
    lines all = {0};
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
                               "The line above those of pair_lines(); b'' where there is none.");

static PyObject *pair_heading(PyObject *module, PyObject *word)
{
    const char *text = PyUnicode_AsUTF8AndSize(word, NULL);
    growing to = {0};
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

/* ---- adding all this to the module */

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

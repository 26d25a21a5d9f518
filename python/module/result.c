/*
 * Result: what came out of a run. It keeps its collection alive, for the texts that a cleaned
 * collection is written from. Its
 * numbers do not change, so they are read without the lock; passages and output are made with it.
 */
#include "module.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

PyObject *core_scan_formats(void)
{
    PyObject *list = PyList_New(0);
    twinset_format_info info;
    for (size_t i = 0; list && twinset_format_at(i, &info, sizeof info) == TWINSET_OK; i++) {
        PyObject *name =
            info.uses & TWINSET_FORMAT_OF_SCAN ? PyUnicode_FromString(info.name) : NULL;
        if (name ? PyList_Append(list, name) : PyErr_Occurred() != NULL)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* ---- records: pairs, and what was removed */

typedef enum value_type {
    STRING,
    REAL,
    WHOLE,
    SMALL
} value_type; /* char *, double, uint64_t, uint32_t */

typedef struct record_field {
    const char *name;
    value_type type;
    size_t offset;
} record_field;

#define PAIR(name, type, member)                                                                   \
    {                                                                                              \
        name, type, offsetof(twinset_pair, member)                                                 \
    }
static const record_field pair_fields[] = {
    PAIR("a", STRING, a),
    PAIR("b", STRING, b),
    PAIR("similarity", REAL, similarity),
    PAIR("jaccard", REAL, jaccard),
    PAIR("containment_a", REAL, containment_a),
    PAIR("containment_b", REAL, containment_b),
    PAIR("shared", WHOLE, shared),
    PAIR("union", WHOLE, union_count),
    PAIR("estimate", REAL, estimate),
    PAIR("longest", WHOLE, longest),
    PAIR("cluster", SMALL, cluster),
    PAIR("weighted", REAL, weighted),
    PAIR("overlap", WHOLE, overlap),
    PAIR("longest_lines", WHOLE, longest_lines),
    PAIR("lines_a", WHOLE, lines_a),
    PAIR("lines_b", WHOLE, lines_b),
    PAIR("false_alarms", REAL, false_alarms),
    {0},
};

#define REMOVED(name, type, member)                                                                \
    {                                                                                              \
        name, type, offsetof(twinset_removal, member)                                              \
    }
static const record_field removed_fields[] = {
    REMOVED("id", STRING, name),
    REMOVED("kept", STRING, kept),
    REMOVED("similarity", REAL, similarity),
    REMOVED("cluster", SMALL, cluster),
    {0},
};

typedef union any_record {
    twinset_pair pair;
    twinset_removal removed;
} any_record;

static int read_pair(const core_result *self, size_t i, any_record *record)
{
    return twinset_result_pair(self->handle, i, &record->pair, sizeof record->pair);
}

static int read_removed(const core_result *self, size_t i, any_record *record)
{
    return twinset_result_removal(self->handle, i, &record->removed, sizeof record->removed);
}

static const struct table {
    const record_field *fields;
    int (*read)(const core_result *self, size_t i, any_record *record); /* below table_size() */
} tables[] = {{pair_fields, read_pair}, {removed_fields, read_removed}};

static const char *const table_names[] = {"pairs", "removed", NULL};

static size_t table_size(const core_result *self, int table)
{
    return table ? self->run.removed : self->run.pairs;
}

static const void *value_in(const void *record, const record_field *field)
{
    return (const char *)record + field->offset;
}

/* None for what is not known. */
static PyObject *number_or_none(double number)
{
    return isnan(number) ? Py_NewRef(Py_None) : PyFloat_FromDouble(number);
}

static PyObject *value_of(const void *record, const record_field *field)
{
    const void *value = value_in(record, field);
    switch (field->type) {
    case STRING:
        return core_name(*(const char *const *)value);
    case REAL:
        return number_or_none(*(const double *)value);
    case WHOLE:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)value);
    default:
        return PyLong_FromUnsignedLong(*(const uint32_t *)value);
    }
}

static Py_ssize_t field_count(const record_field *fields)
{
    Py_ssize_t count = 0;
    while (fields[count].name)
        count++;
    return count;
}

static PyObject *record_tuple(const void *record, const record_field *fields)
{
    PyObject *tuple = PyTuple_New(field_count(fields));
    for (Py_ssize_t i = 0; fields[i].name && tuple; i++) {
        PyObject *value = value_of(record, &fields[i]);
        if (!value || PyTuple_SetItem(tuple, i, value))
            Py_CLEAR(tuple);
    }
    return tuple;
}

PyObject *core_pair_fields(void)
{
    PyObject *tuple = PyTuple_New(field_count(pair_fields));
    for (Py_ssize_t i = 0; pair_fields[i].name && tuple; i++) {
        PyObject *name = PyUnicode_FromString(pair_fields[i].name);
        if (!name || PyTuple_SetItem(tuple, i, name))
            Py_CLEAR(tuple);
    }
    return tuple;
}

PyObject *core_pair_tuple(const twinset_pair *pair)
{
    return record_tuple(pair, pair_fields);
}

/* The index of an argument, or -1. */
static Py_ssize_t index_of(PyObject *argument, size_t count)
{
    Py_ssize_t index = PyNumber_AsSsize_t(argument, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred())
        return -1;
    if (index >= 0 && (size_t)index < count)
        return index;
    PyErr_Format(PyExc_IndexError, "%zd is not from 0 to below %zu", index, count);
    return -1;
}

static PyObject *record_at(PyObject *object, PyObject *argument, int table)
{
    const core_result *self = (const core_result *)object;
    Py_ssize_t index = index_of(argument, table_size(self, table));
    any_record record;
    if (index < 0)
        return NULL;
    int status = tables[table].read(self, (size_t)index, &record);
    return status == TWINSET_OK ? record_tuple(&record, tables[table].fields)
                                : core_fail(core_state_of(object), status, NULL);
}

PyDoc_STRVAR(pair_doc, "pair($self, index, /)\n--\n\nA pair, with the fields of PAIR_FIELDS.");

static PyObject *pair(PyObject *self, PyObject *index)
{
    return record_at(self, index, 0);
}

PyDoc_STRVAR(removed_doc, "removed($self, index, /)\n--\n\n"
                          "A document that was removed: (id, kept, similarity, cluster).");

static PyObject *removed(PyObject *self, PyObject *index)
{
    return record_at(self, index, 1);
}

/* ---- whole columns */

typedef struct column_view {
    const core_result *result;
    const struct table *table;
    const record_field *field;
    size_t count;
} column_view;

static const char *string_at(const column_view *column, size_t i)
{
    any_record record;
    if (column->table->read(column->result, i, &record) != TWINSET_OK)
        return "";
    return *(const char *const *)value_in(&record, column->field);
}

static void fill_offsets(const column_view *column, int64_t *offsets)
{
    offsets[0] = 0;
    for (size_t i = 0; i < column->count; i++)
        offsets[i + 1] = offsets[i] + (int64_t)strlen(string_at(column, i));
}

static void fill_strings(const column_view *column, const int64_t *offsets, char *data)
{
    for (size_t i = 0; i < column->count; i++)
        memcpy(data + offsets[i], string_at(column, i), (size_t)(offsets[i + 1] - offsets[i]));
}

/* All numbers take 8 bytes. */
static void fill_numbers(const column_view *column, char *data)
{
    for (size_t i = 0; i < column->count; i++) {
        any_record record = {0};
        if (column->table->read(column->result, i, &record) != TWINSET_OK)
            return;
        const void *value = value_in(&record, column->field);
        uint64_t small = column->field->type == SMALL ? *(const uint32_t *)value : 0;
        memcpy(data + 8 * i, column->field->type == SMALL ? &small : value, 8);
    }
}

static PyObject *number_column(const column_view *column)
{
    PyObject *bytes = core_bytes(column->count, 8);
    char *data = bytes ? PyBytes_AsString(bytes) : NULL;
    if (!data)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    fill_numbers(column, data);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("NO", bytes, Py_None);
}

static PyObject *string_column(const column_view *column)
{
    PyObject *places = core_bytes(column->count + 1, sizeof(int64_t));
    int64_t *offsets = places ? (int64_t *)(void *)PyBytes_AsString(places) : NULL;
    if (!offsets)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    fill_offsets(column, offsets);
    Py_END_ALLOW_THREADS;
    PyObject *bytes = core_bytes((size_t)offsets[column->count], 1);
    char *data = bytes ? PyBytes_AsString(bytes) : NULL;
    if (!data) {
        Py_DECREF(places);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    fill_strings(column, offsets, data);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("NN", bytes, places);
}

PyDoc_STRVAR(column_doc,
             "column($self, kind, field, /)\n--\n\n"
             "A field of all 'pairs', or of all 'removed', at once: (data, None) with 8 bytes a\n"
             "number, or for strings their UTF-8 and the 64-bit offsets in it, one more than\n"
             "there are strings. similarity and the like are double, NaN where not known; counts\n"
             "are unsigned.");

static PyObject *column_of(PyObject *object, PyObject *arguments)
{
    const core_result *self = (const core_result *)object;
    const char *kind, *name;
    if (!PyArg_ParseTuple(arguments, "ss", &kind, &name))
        return NULL;
    int table = core_choice(table_names, kind, "kind");
    if (table < 0)
        return NULL;
    column_view column = {self, &tables[table], tables[table].fields, table_size(self, table)};
    while (column.field->name && strcmp(column.field->name, name) != 0)
        column.field++;
    if (!column.field->name)
        return PyErr_Format(PyExc_ValueError, "%s have no field '%s'", kind, name);
    return column.field->type == STRING ? string_column(&column) : number_column(&column);
}

/* ---- what there is beside them */

PyDoc_STRVAR(run_doc, "run($self, /)\n--\n\nHow the run went, in numbers.");

static PyObject *run(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const twinset_run *run = &((const core_result *)object)->run;
    return Py_BuildValue(
        "{sn sn sn sn sn sn sn ss sI sI sK sK sN sK sK sK sK sK sK sK sn}", "documents",
        (Py_ssize_t)run->documents, "pairs", (Py_ssize_t)run->pairs, "clusters",
        (Py_ssize_t)run->clusters, "skipped", (Py_ssize_t)run->skipped, "flagged",
        (Py_ssize_t)run->flagged, "notes", (Py_ssize_t)run->notes, "missing",
        (Py_ssize_t)run->missing, "method", run->method == TWINSET_METHOD_LSH ? "lsh" : "exact",
        "bands", run->bands, "rows", run->rows, "candidates", (unsigned long long)run->candidates,
        "verified", (unsigned long long)run->verified, "expected_recall",
        number_or_none(run->expected_recall), "records", (unsigned long long)run->records, "bytes",
        (unsigned long long)run->bytes, "shingles", (unsigned long long)run->shingles,
        "spilled_bytes", (unsigned long long)run->spilled_bytes, "sampled",
        (unsigned long long)run->sampled, "sample_pairs", (unsigned long long)run->sample_pairs,
        "sample_found", (unsigned long long)run->sample_found, "removed", (Py_ssize_t)run->removed);
}

static const twinset_result *handle_of(PyObject *self)
{
    return ((const core_result *)self)->handle;
}

static PyObject *skipped_at(PyObject *self, size_t i)
{
    twinset_skip skip;
    int status = twinset_result_skip(handle_of(self), i, &skip, sizeof skip);
    return core_skip_tuple(self, status, &skip);
}

static PyObject *flagged_at(PyObject *self, size_t i)
{
    twinset_flagged_document flagged;
    int status = twinset_result_flagged_document(handle_of(self), i, &flagged, sizeof flagged);
    if (status != TWINSET_OK)
        return core_fail(core_state_of(self), status, NULL);
    return Py_BuildValue("NIN", core_name(flagged.path), flagged.flags,
                         core_name(flagged.encoding));
}

static PyObject *note_at(PyObject *self, size_t i)
{
    return core_sentence(core_state_of(self), twinset_result_note(handle_of(self), i));
}

static PyObject *stage_at(PyObject *self, size_t i)
{
    twinset_stage stage;
    int status = twinset_result_stage(handle_of(self), i, &stage, sizeof stage);
    if (status != TWINSET_OK)
        return core_fail(core_state_of(self), status, NULL);
    return Py_BuildValue("NdK", core_name(stage.name), stage.seconds,
                         (unsigned long long)stage.bytes);
}

PyDoc_STRVAR(skipped_doc, "skipped($self, /)\n--\n\n"
                          "What was skipped: (path, reason, whether it was only empty).");

static PyObject *skipped(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    return core_list(object, self->run.skipped, skipped_at);
}

PyDoc_STRVAR(flagged_doc, "flagged($self, /)\n--\n\n"
                          "Documents with something to know about them: (path, flags, encoding).");

static PyObject *flagged(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    return core_list(object, self->run.flagged, flagged_at);
}

PyDoc_STRVAR(notes_doc, "notes($self, /)\n--\n\nSentences that a person should read.");

static PyObject *notes(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    return core_list(object, self->run.notes, note_at);
}

PyDoc_STRVAR(stages_doc, "stages($self, /)\n--\n\nWhat took how long: (name, seconds, bytes).");

/* With the lock: cleaning adds to them. */
static PyObject *stages(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    if (core_collection_enter(self->collection))
        return NULL;
    PyObject *list = core_list(object, twinset_result_stages(self->handle), stage_at);
    core_lock_give(&self->collection->lock);
    return list;
}

static PyObject *names_list(const char *const *names, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; i < count && list; i++) {
        PyObject *name = core_name(names[i]);
        if (!name || PyList_SetItem(list, (Py_ssize_t)i, name))
            Py_CLEAR(list);
    }
    return list;
}

PyDoc_STRVAR(cluster_doc, "cluster($self, index, /)\n--\n\n"
                          "A cluster: (id, members, representative, min_similarity).");

static PyObject *cluster(PyObject *object, PyObject *argument)
{
    const core_result *self = (const core_result *)object;
    Py_ssize_t index = index_of(argument, self->run.clusters);
    if (index < 0)
        return NULL;
    twinset_cluster found;
    int status = twinset_result_cluster(self->handle, (size_t)index, &found, sizeof found);
    if (status != TWINSET_OK)
        return core_fail(core_state_of(object), status, NULL);
    return Py_BuildValue("INNd", found.id, names_list(found.members, found.size),
                         core_name(found.representative), found.min_similarity);
}

/* ---- passages */

/* Where a passage is in a document, side 0 or 1 of the pair. */
static PyObject *span_dict(const twinset_passages *passages, size_t index, int side)
{
    twinset_span found = {0}, *span = &found;
    if (twinset_passages_span(passages, index, side, span, sizeof *span) != TWINSET_OK)
        Py_RETURN_NONE;
    return Py_BuildValue("{sN sn sn sn sn sn}", "file", core_name(span->file), "number",
                         (Py_ssize_t)span->file_index, "start", (Py_ssize_t)span->start, "end",
                         (Py_ssize_t)span->end, "first_line", (Py_ssize_t)span->first_line,
                         "last_line", (Py_ssize_t)span->last_line);
}

/* Appends an object that is made for it. */
static int append_new(PyObject *list, PyObject *item)
{
    int status = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return status;
}

/* The kinds by name. What was only moved is verbatim as well. */
static PyObject *kinds_list(unsigned kinds)
{
    static const char *const names[] = {"renamed", "edited", "alike", "reordered", "padded"};
    PyObject *list = PyList_New(0);
    if (list && !(kinds & ~(unsigned)TWINSET_PASSAGE_REORDERED) &&
        append_new(list, PyUnicode_FromString("verbatim")))
        Py_CLEAR(list);
    for (size_t i = 0; i < sizeof names / sizeof *names && list; i++)
        if (kinds >> i & 1 && append_new(list, PyUnicode_FromString(names[i])))
            Py_CLEAR(list);
    return list;
}

static PyObject *renames_list(const twinset_passages *passages, size_t index)
{
    PyObject *list = PyList_New(0);
    twinset_rename rename;
    for (size_t i = 0;
         list && twinset_passages_rename(passages, index, i, &rename, sizeof rename) == TWINSET_OK;
         i++)
        if (append_new(list, Py_BuildValue("NNn", core_name(rename.a), core_name(rename.b),
                                           (Py_ssize_t)rename.count)))
            Py_CLEAR(list);
    return list;
}

static PyObject *passage_dict(const twinset_passages *passages, size_t index,
                              const twinset_passage *passage)
{
    return Py_BuildValue("{sN sN sK sN sK sN}", "a", span_dict(passages, index, 0), "b",
                         span_dict(passages, index, 1), "tokens",
                         (unsigned long long)passage->tokens, "kinds", kinds_list(passage->kinds),
                         "documents", (unsigned long long)passage->documents, "renames",
                         renames_list(passages, index));
}

static PyObject *passages_list(const twinset_passages *passages)
{
    if (!passages)
        Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    twinset_passage passage;
    for (size_t i = 0;
         list && twinset_passages_at(passages, i, &passage, sizeof passage) == TWINSET_OK; i++)
        if (append_new(list, passage_dict(passages, i, &passage)))
            Py_CLEAR(list);
    return list;
}

PyDoc_STRVAR(passages_doc,
             "passages($self, index, /)\n--\n\n"
             "What the documents of a pair have in common, passage by passage, in the order of a:\n"
             "a dict each. None where they are too large for it.");

static PyObject *passages(PyObject *object, PyObject *argument)
{
    const core_result *self = (const core_result *)object;
    twinset_passages *found = NULL;
    twinset_error error = {""};
    int status;
    Py_ssize_t index = index_of(argument, self->run.pairs);
    if (index < 0 || core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_passages(self->handle, (size_t)index, &found, &error);
    Py_END_ALLOW_THREADS;
    PyObject *list = NULL;
    if (core_collection_leave(self->collection, status, &error) == 0)
        list = passages_list(found);
    if (status == TWINSET_OK)
        twinset_passages_free(found);
    return list;
}

/* ---- output */

PyDoc_STRVAR(write_doc, "write($self, format, write, /)\n--\n\n"
                        "Writes the result as the command does: 'table', 'csv', 'tsv', 'json',\n"
                        "'jsonl' or 'candidates'. write is called with bytes.");

static PyObject *write_result(PyObject *object, PyObject *arguments)
{
    const core_result *self = (const core_result *)object;
    core_writer writer = {.raised = &self->collection->raised};
    const char *name;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &writer.write))
        return NULL;
    twinset_format format;
    if (core_format(name, &format) || core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_write(self->handle, format, NULL, core_write, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self->collection, status, &error) ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(write_removed_doc, "write_removed($self, write, /)\n--\n\n"
                                "Writes what was removed as JSON, an object a line.");

static PyObject *write_removed(PyObject *object, PyObject *callable)
{
    const core_result *self = (const core_result *)object;
    core_writer writer = {callable, &self->collection->raised};
    twinset_error error = {""};
    int status;
    if (core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_write_removed(self->handle, core_write, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self->collection, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* Four numbers of a tuple, as clean() gives them. */
static int take_cleaned(PyObject *from, twinset_clean_counts *cleaned)
{
    unsigned long long read, kept, removed, skipped;
    if (!PyTuple_Check(from)) {
        PyErr_SetString(PyExc_TypeError, "cleaned must be a tuple of four numbers, or None");
        return -1;
    }
    if (!PyArg_ParseTuple(from, "KKKK", &read, &kept, &removed, &skipped))
        return -1;
    *cleaned = (twinset_clean_counts){read, kept, removed, skipped};
    return 0;
}

PyDoc_STRVAR(write_report_doc,
             "write_report($self, write, cleaned=None, /)\n--\n\n"
             "Writes how the run went as one JSON object. cleaned: the sum of what clean() gave.");

static PyObject *write_report(PyObject *object, PyObject *arguments)
{
    const core_result *self = (const core_result *)object;
    core_writer writer = {.raised = &self->collection->raised};
    PyObject *counts = Py_None;
    twinset_clean_counts cleaned;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "O|O", &writer.write, &counts) ||
        (counts != Py_None && take_cleaned(counts, &cleaned)) ||
        core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_write_report(self->handle, counts == Py_None ? NULL : &cleaned,
                                         sizeof cleaned, core_write, &writer, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self->collection, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* ---- the type */

PyObject *core_result_new(core_collection *collection, twinset_result *handle)
{
    PyTypeObject *type = core_state_of((PyObject *)collection)->result;
    core_result *self = (core_result *)PyType_GenericAlloc(type, 0);
    if (!self) {
        twinset_result_free(handle);
        return NULL;
    }
    self->handle = handle;
    if (twinset_result_run(handle, &self->run, sizeof self->run) != TWINSET_OK)
        self->run = (twinset_run){0};
    self->collection = (core_collection *)Py_NewRef((PyObject *)collection);
    return (PyObject *)self;
}

static Py_ssize_t length(PyObject *self)
{
    return (Py_ssize_t)((core_result *)self)->run.pairs;
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT((PyObject *)((core_result *)object)->collection);
    return 0;
}

static void dealloc(PyObject *object)
{
    core_result *self = (core_result *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    twinset_result_free(self->handle);
    Py_DECREF((PyObject *)self->collection);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static char type_doc[] =
    "What came out of a run of a Collection. Its length is the number of pairs.";

static PyMethodDef methods[] = {
    {"run", run, METH_NOARGS, run_doc},
    {"pair", pair, METH_O, pair_doc},
    {"cluster", cluster, METH_O, cluster_doc},
    {"removed", removed, METH_O, removed_doc},
    {"skipped", skipped, METH_NOARGS, skipped_doc},
    {"flagged", flagged, METH_NOARGS, flagged_doc},
    {"notes", notes, METH_NOARGS, notes_doc},
    {"stages", stages, METH_NOARGS, stages_doc},
    {"column", column_of, METH_VARARGS, column_doc},
    {"passages", passages, METH_O, passages_doc},
    {"write", write_result, METH_VARARGS, write_doc},
    {"write_removed", write_removed, METH_O, write_removed_doc},
    {"write_report", write_report, METH_VARARGS, write_report_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},    {Py_tp_dealloc, dealloc}, {Py_tp_traverse, traverse},
    {Py_tp_methods, methods}, {Py_sq_length, length},   {0},
};

PyType_Spec core_result_spec = {
    .name = "twinset._core.Result",
    .basicsize = sizeof(core_result),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

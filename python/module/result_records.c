/*
 * The records of a result: pairs and removed documents. A record is a tuple, and a field of all
 * records is a column of packed numbers or strings.
 */
#include "result.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- records */

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
    PAIR("passages", WHOLE, passages),
    PAIR("passage_words", WHOLE, passage_words),
    PAIR("coverage_a", REAL, coverage_a),
    PAIR("coverage_b", REAL, coverage_b),
    PAIR("false_alarms", REAL, false_alarms),
    PAIR("weighted", REAL, weighted),
    PAIR("overlap", WHOLE, overlap),
    PAIR("longest_lines", WHOLE, longest_lines),
    PAIR("lines_a", WHOLE, lines_a),
    PAIR("lines_b", WHOLE, lines_b),
    PAIR("language_a", STRING, language_a),
    PAIR("language_b", STRING, language_b),
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

PyObject *core_number_or_none(double number)
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
        return core_number_or_none(*(const double *)value);
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

Py_ssize_t core_index_of(PyObject *argument, size_t count)
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
    Py_ssize_t index = core_index_of(argument, table_size(self, table));
    any_record record;
    if (index < 0)
        return NULL;
    int status = tables[table].read(self, (size_t)index, &record);
    return status == TWINSET_OK ? record_tuple(&record, tables[table].fields)
                                : core_fail(core_state_of(object), status, NULL);
}

const char core_result_pair_doc[] =
    PyDoc_STR("pair($self, index, /)\n--\n\nA pair, with the fields of PAIR_FIELDS.");

PyObject *core_result_pair(PyObject *self, PyObject *index)
{
    return record_at(self, index, 0);
}

const char core_result_removed_doc[] =
    PyDoc_STR("removed($self, index, /)\n--\n\n"
              "A document that was removed: (id, kept, similarity, cluster).");

PyObject *core_result_removed(PyObject *self, PyObject *index)
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
    const char *string = *(const char *const *)value_in(&record, column->field);
    return string ? string : "";
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

/* Numbers of all types take 8 bytes. */
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
    PyObject *ends = core_bytes(column->count + 1, sizeof(int64_t));
    int64_t *offsets = ends ? (int64_t *)(void *)PyBytes_AsString(ends) : NULL;
    if (!offsets)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    fill_offsets(column, offsets);
    Py_END_ALLOW_THREADS;
    PyObject *bytes = core_bytes((size_t)offsets[column->count], 1);
    char *data = bytes ? PyBytes_AsString(bytes) : NULL;
    if (!data) {
        Py_DECREF(ends);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    fill_strings(column, offsets, data);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("NN", bytes, ends);
}

const char core_result_column_doc[] = PyDoc_STR(
    "column($self, kind, field, /)\n--\n\n"
    "A field of all 'pairs' or all 'removed' documents. For numbers: (data, None), with\n"
    "8 bytes a number; fractions are double, NaN if unknown, and counts are unsigned. For\n"
    "strings: (UTF-8, 64-bit offsets), with one more offset than there are strings; one\n"
    "that is not known is empty.");

PyObject *core_result_column(PyObject *object, PyObject *arguments)
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

/* ---- records of JSON lines */

/* A call of decisions(). */
typedef struct decision_call {
    Py_ssize_t input, first, count;
    int with_clusters;
    PyObject *removals, *clusters; /* bytes, and bytes or None */
} decision_call;

static uint32_t *numbers_in(PyObject *bytes)
{
    return bytes == Py_None ? NULL : (uint32_t *)(void *)PyBytes_AsString(bytes);
}

static int decide(const core_result *self, const decision_call *call)
{
    twinset_error error = {""};
    uint32_t *removals = numbers_in(call->removals), *clusters = numbers_in(call->clusters);
    int status;
    if (core_collection_enter(self->collection))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_records(self->handle, (size_t)call->input, (uint64_t)call->first,
                                    (size_t)call->count, removals, clusters, &error);
    Py_END_ALLOW_THREADS;
    return core_collection_leave(self->collection, status, &error);
}

const char core_result_decisions_doc[] =
    PyDoc_STR("decisions($self, input, first, count, with_clusters=False, /)\n--\n\n"
              "The decisions on count records of an input of JSON lines, from line first, counted\n"
              "from 0: (removals, clusters), with 4 bytes a record. A removal is 0 for a kept\n"
              "record, 2**32 - 1 for a skipped one, and otherwise 1 more than an index for\n"
              "removed(). A cluster is its number, or 0. clusters is None unless with_clusters is\n"
              "true.");

PyObject *core_result_decisions(PyObject *object, PyObject *arguments)
{
    decision_call call = {0};
    if (!PyArg_ParseTuple(arguments, "nnn|p", &call.input, &call.first, &call.count,
                          &call.with_clusters))
        return NULL;
    if (call.input < 0 || call.first < 0 || call.count < 0) {
        PyErr_SetString(PyExc_ValueError, "decisions() takes no negative numbers");
        return NULL;
    }
    call.removals = core_bytes((size_t)call.count, sizeof(uint32_t));
    call.clusters =
        call.with_clusters ? core_bytes((size_t)call.count, sizeof(uint32_t)) : Py_NewRef(Py_None);
    if (call.removals && call.clusters && decide((const core_result *)object, &call) == 0)
        return Py_BuildValue("NN", call.removals, call.clusters);
    Py_XDECREF(call.removals);
    Py_XDECREF(call.clusters);
    return NULL;
}

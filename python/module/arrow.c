/*
 * Columns by the Arrow C data interface: two methods that return capsules with three plain structs,
 * specified at arrow.apache.org/docs/format/CDataInterface.html; nothing is linked. The values of
 * an array are not copied. A capsule calls its array's release function when it is freed, so
 * capsules are the owners of texts.
 *
 * Arrays are not validated; Arrow's own libraries do not validate them either.
 */
#include "module.h"

#include <stdlib.h>
#include <string.h>

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* The layout of the values of an array. */
typedef enum layout {
    NOTHING, /* only nulls */
    OFFSETS, /* 32-bit offsets into the characters */
    LARGE,   /* 64-bit offsets */
    VIEWS,   /* 16 bytes each: the text, or its buffer and offset */
} layout;

/* How a column is read. */
typedef struct column_type {
    layout values;
    char index; /* format of the indices into a dictionary; 0: none */
} column_type;

/* ---- types */

static const struct {
    const char *format;
    layout layout;
} layouts[] = {
    {"n", NOTHING}, {"u", OFFSETS}, {"z", OFFSETS}, {"U", LARGE},
    {"Z", LARGE},   {"vu", VIEWS},  {"vz", VIEWS},
};

static bool find_layout(const char *format, layout *found)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(format, layouts[i].format) == 0) {
            *found = layouts[i].layout;
            return true;
        }
    return false;
}

static int find_type(const struct ArrowSchema *schema, column_type *type)
{
    const struct ArrowSchema *values = schema->dictionary ? schema->dictionary : schema;
    type->index = schema->dictionary ? schema->format[0] : '\0';
    if (!values->dictionary && find_layout(values->format, &type->values))
        return 0;
    PyErr_Format(PyExc_TypeError,
                 "the Arrow data has the format '%s', but must be a column of strings or binary "
                 "values, of any size, as views, or by a dictionary",
                 values->format);
    return -1;
}

/* ---- values */

typedef struct span {
    const char *start; /* NULL: null */
    size_t length;
} span;

/* Number i of a buffer, which need not be aligned. */
static uint16_t number_16(const void *buffer, int64_t i)
{
    uint16_t number;
    memcpy(&number, (const char *)buffer + i * (int64_t)sizeof number, sizeof number);
    return number;
}

static int32_t number_32(const void *buffer, int64_t i)
{
    int32_t number;
    memcpy(&number, (const char *)buffer + i * (int64_t)sizeof number, sizeof number);
    return number;
}

static int64_t number_64(const void *buffer, int64_t i)
{
    int64_t number;
    memcpy(&number, (const char *)buffer + i * (int64_t)sizeof number, sizeof number);
    return number;
}

static bool is_null(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *valid = array->n_buffers > 0 ? array->buffers[0] : NULL;
    return valid && array->null_count != 0 && !(valid[i >> 3] >> (i & 7) & 1);
}

/* The span of a value. An empty value may have no buffer of characters. */
static span between(const void *characters, int64_t from, int64_t to)
{
    return from == to ? (span){"", 0}
                      : (span){(const char *)characters + from, (size_t)(to - from)};
}

/* The value of a view. It holds up to 12 bytes itself, after their count. The last two numbers of a
 * longer one are a buffer and an offset in it. */
static span view_at(const struct ArrowArray *array, int64_t i)
{
    const char *view = (const char *)array->buffers[1] + 16 * i;
    int32_t length = number_32(view, 0);
    if (length <= 12)
        return (span){view + 4, (size_t)length};
    const char *characters = array->buffers[2 + number_32(view, 2)];
    return (span){characters + number_32(view, 3), (size_t)length};
}

/* Value i, counted from the array's offset in its buffers. */
static span value_at(const struct ArrowArray *array, layout values, int64_t i)
{
    i += array->offset;
    if (values == NOTHING || is_null(array, i))
        return (span){NULL, 0};
    const void *offsets = array->buffers[1];
    if (values == OFFSETS)
        return between(array->buffers[2], number_32(offsets, i), number_32(offsets, i + 1));
    if (values == LARGE)
        return between(array->buffers[2], number_64(offsets, i), number_64(offsets, i + 1));
    return view_at(array, i);
}

static int64_t index_at(const struct ArrowArray *array, char format, int64_t i)
{
    const void *indices = array->buffers[1];
    switch (format) {
    case 'c':
        return ((const int8_t *)indices)[i];
    case 'C':
        return ((const uint8_t *)indices)[i];
    case 's':
        return (int16_t)number_16(indices, i);
    case 'S':
        return number_16(indices, i);
    case 'i':
        return number_32(indices, i);
    case 'I':
        return (uint32_t)number_32(indices, i);
    default:
        return number_64(indices, i);
    }
}

static span find_in_dictionary(const struct ArrowArray *array, const column_type *type, int64_t i)
{
    if (is_null(array, i + array->offset))
        return (span){NULL, 0};
    return value_at(array->dictionary, type->values,
                    index_at(array, type->index, i + array->offset));
}

static int add_array(core_texts *texts, PyObject *capsule, const column_type *type)
{
    const struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (!array || PyList_Append(texts->owners, capsule) ||
        core_texts_reserve(texts, (size_t)array->length))
        return -1;
    for (int64_t i = 0; i < array->length; i++) {
        span found =
            type->index ? find_in_dictionary(array, type, i) : value_at(array, type->values, i);
        core_texts_put(texts, found.start, found.length);
    }
    return 0;
}

/* ---- streams */

static void release_array(PyObject *capsule)
{
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array && array->release)
        array->release(array);
    free(array);
}

/* Releases a schema, whose function may be written in Python, without the exception that is set. */
static void release_schema(struct ArrowSchema *schema)
{
    core_raised raised = {0};
    core_raised_keep(&raised);
    if (schema->release)
        schema->release(schema);
    core_raised_again(&raised);
}

static PyObject *new_array(struct ArrowArray **array)
{
    *array = calloc(1, sizeof **array);
    if (!*array)
        return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(*array, "arrow_array", release_array);
    if (!capsule)
        free(*array);
    return capsule;
}

static int fail_stream(struct ArrowArrayStream *stream, int status)
{
    const char *message = stream->get_last_error(stream);
    PyErr_Format(PyExc_OSError, "cannot read the Arrow stream: %s",
                 message ? message : strerror(status));
    return -1;
}

/* Adds the next array of a stream. Without the GIL, which the threads that make the array may need.
 * *more: whether there was one. */
static int add_next(core_texts *texts, struct ArrowArrayStream *stream, const column_type *type,
                    bool *more)
{
    struct ArrowArray *array;
    PyObject *capsule = new_array(&array);
    int status;
    if (!capsule)
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = stream->get_next(stream, array);
    Py_END_ALLOW_THREADS;
    *more = status == 0 && array->release;
    if (status)
        status = fail_stream(stream, status);
    else if (*more)
        status = add_array(texts, capsule, type);
    core_release_foreign(capsule);
    return status;
}

static int take_stream(core_texts *texts, PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    struct ArrowSchema schema = {0};
    column_type type;
    int status;
    bool more = true;
    if (!stream)
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = stream->get_schema(stream, &schema);
    Py_END_ALLOW_THREADS;
    status = status ? fail_stream(stream, status) : find_type(&schema, &type);
    while (status == 0 && more)
        status = add_next(texts, stream, &type, &more);
    release_schema(&schema);
    return status;
}

/* ---- objects */

static int take_array(core_texts *texts, PyObject *pair)
{
    PyObject *capsule, *array;
    column_type type;
    if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "OO", &capsule, &array)) {
        PyErr_SetString(PyExc_TypeError, "__arrow_c_array__() must give two capsules");
        return -1;
    }
    const struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    return schema && find_type(schema, &type) == 0 ? add_array(texts, array, &type) : -1;
}

/* Calls a method without arguments. NULL without an exception if there is no such method. */
static PyObject *call(PyObject *from, const char *method)
{
    PyObject *found = PyObject_GetAttrString(from, method);
    if (!found) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Clear();
        return NULL;
    }
    PyObject *given = PyObject_CallNoArgs(found);
    Py_DECREF(found);
    return given;
}

int core_arrow_take(core_texts *texts, PyObject *from, bool *known)
{
    int (*take)(core_texts *, PyObject *) = take_stream;
    PyObject *capsules = call(from, "__arrow_c_stream__");
    if (!capsules && !PyErr_Occurred()) {
        take = take_array;
        capsules = call(from, "__arrow_c_array__");
    }
    *known = capsules != NULL;
    if (!capsules)
        return PyErr_Occurred() ? -1 : 0;
    int status = take(texts, capsules);
    core_release_foreign(capsules);
    return status;
}

/* Writes columns of a table as JSON lines, for the engine to read. */
#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A column. The values are strings to quote, or JSON as they are. */
typedef struct line_column {
    core_texts values;
    core_text key; /* with its colon, and with the "{" or "," before it */
    int is_quoted;
} line_column;

/* ---- one value */

enum { MAX_ESCAPE = 6 }; /* bytes of an escaped byte: \u001f */

static bool is_special(unsigned char byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

/* Whether any of 32 bytes has to be escaped. Compilers vectorize this loop. */
static bool has_special(const char *bytes)
{
    unsigned found = 0;
    for (size_t i = 0; i < 32; i++)
        found |= is_special((unsigned char)bytes[i]);
    return found;
}

static char *escape_byte(char *out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    if (!is_special(byte)) {
        *out = (char)byte;
        return out + 1;
    }
    *out++ = '\\';
    if (byte >= 0x20 || byte == '\n') {
        *out = byte == '\n' ? 'n' : (char)byte;
        return out + 1;
    }
    memcpy(out, "u00", 3);
    out[3] = digits[byte >> 4];
    out[4] = digits[byte & 15];
    return out + 5;
}

static char *quote(char *out, const char *text, size_t length)
{
    size_t i = 0;
    *out++ = '"';
    while (i < length) {
        size_t end = length - i > 32 ? i + 32 : length;
        if (end - i == 32 && !has_special(text + i)) {
            memcpy(out, text + i, 32);
            out += 32;
            i = end;
        }
        for (; i < end; i++)
            out = escape_byte(out, (unsigned char)text[i]);
    }
    *out++ = '"';
    return out;
}

static char *copy(char *out, const char *bytes, size_t length)
{
    memcpy(out, bytes, length);
    return out + length;
}

/* ---- lines */

static char *write_line(const line_column *columns, Py_ssize_t count, size_t row, char *out)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        const core_texts *values = &columns[i].values;
        out = copy(out, columns[i].key.start, columns[i].key.length);
        if (!values->starts[row])
            out = copy(out, "null", 4);
        else if (columns[i].is_quoted)
            out = quote(out, values->starts[row], values->lengths[row]);
        else
            out = copy(out, values->starts[row], values->lengths[row]);
    }
    return copy(out, "}\n", 2);
}

/* The largest number of bytes that a line may take. */
static size_t bound_line(const line_column *columns, Py_ssize_t count, size_t row)
{
    size_t bytes = 2;
    for (Py_ssize_t i = 0; i < count; i++)
        bytes += columns[i].key.length + 4 + MAX_ESCAPE * columns[i].values.lengths[row];
    return bytes;
}

/* A file, and the bytes that are not written yet. */
typedef struct line_buffer {
    int fd;
    char *data;
    size_t length, capacity;
} line_buffer;

enum { BLOCK = 1 << 18 }; /* small enough to stay in the cache */

/* Returns 0, or an errno value. */
static int flush(line_buffer *buffer)
{
    for (size_t done = 0; done < buffer->length;) {
        ssize_t written = write(buffer->fd, buffer->data + done, buffer->length - done);
        if (written < 0 && errno != EINTR)
            return errno;
        done += written < 0 ? 0 : (size_t)written;
    }
    buffer->length = 0;
    return 0;
}

/* Reserves space for a line at the end of the buffer. Returns 0, or an errno value. */
static int reserve(line_buffer *buffer, size_t needed)
{
    int failure = buffer->length + needed > BLOCK ? flush(buffer) : 0;
    if (failure || needed <= buffer->capacity - buffer->length)
        return failure;
    size_t capacity = needed > BLOCK ? needed : BLOCK;
    char *larger = realloc(buffer->data, capacity);
    if (!larger)
        return ENOMEM;
    buffer->data = larger;
    buffer->capacity = capacity;
    return 0;
}

/* Returns 0, or an errno value. */
static int write_lines(const line_column *columns, Py_ssize_t count, int fd)
{
    line_buffer buffer = {.fd = fd};
    int failure = 0;
    for (size_t row = 0; row < columns->values.count && !failure; row++) {
        failure = reserve(&buffer, bound_line(columns, count, row));
        if (!failure)
            buffer.length = (size_t)(write_line(columns, count, row, buffer.data + buffer.length) -
                                     buffer.data);
    }
    if (!failure)
        failure = flush(&buffer);
    free(buffer.data);
    return failure;
}

/* ---- the call */

static int take_column(line_column *column, PyObject *from, size_t rows)
{
    PyObject *key, *values;
    if (!PyArg_ParseTuple(from, "OOp", &key, &values, &column->is_quoted) ||
        core_text_take(&column->key, key, false, "the key") ||
        core_texts_take(&column->values, values, CORE_TEXTS))
        return -1;
    if (rows == SIZE_MAX || column->values.count == rows)
        return 0;
    PyErr_SetString(PyExc_ValueError, "the columns have different numbers of rows");
    return -1;
}

static int write_all(const line_column *columns, Py_ssize_t count, int fd)
{
    int failure;
    Py_BEGIN_ALLOW_THREADS;
    failure = write_lines(columns, count, fd);
    Py_END_ALLOW_THREADS;
    if (!failure)
        return 0;
    errno = failure;
    PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

const char core_write_json_lines_doc[] = PyDoc_STR(
    "write_json_lines($module, columns, fd, /)\n--\n\n"
    "Writes columns as JSON lines to an open file, without the GIL. A column is a\n"
    "tuple (key, values, is_quoted). The key is JSON with its punctuation, such as\n"
    "'{\"id\":'. Values are texts as for add_texts(); values that are not quoted are JSON\n"
    "already.");

PyObject *core_write_json_lines(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *tuple;
    int fd;
    if (!PyArg_ParseTuple(arguments, "O!i", &PyTuple_Type, &tuple, &fd))
        return NULL;
    Py_ssize_t count = PyTuple_Size(tuple);
    line_column *columns = PyMem_Calloc((size_t)count + 1, sizeof *columns);
    int status = columns ? 0 : -1;
    if (!columns)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && status == 0; i++)
        status = take_column(&columns[i], PyTuple_GetItem(tuple, i),
                             i ? columns->values.count : SIZE_MAX);
    if (status == 0)
        status = write_all(columns, count, fd);
    for (Py_ssize_t i = 0; i < count && columns; i++) {
        core_texts_free(&columns[i].values);
        Py_XDECREF(columns[i].key.owner);
    }
    PyMem_Free(columns);
    return status ? NULL : Py_NewRef(Py_None);
}

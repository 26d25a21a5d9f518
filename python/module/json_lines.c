/* Writes columns of a table as JSON lines, which the engine reads, and reads texts back. */
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

/* 8 bytes as a number, the first as the lowest. Compilers make one load of it. */
static inline uint64_t load_8(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* Finds the bytes of 8 that have to be escaped: the lowest bit that is set is the highest of the
 * first of them. */
static inline uint64_t find_special(uint64_t word)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t found = (word - ones * 0x20) & ~word;
    found |= (quote - ones) & ~quote;
    found |= (backslash - ones) & ~backslash;
    return found & ones << 7;
}

/* Copies the bytes before the first that has to be escaped, and returns their number. May write up
 * to `length` bytes. */
static size_t copy_plain(char *out, const char *in, size_t length)
{
    size_t i = 0;
    for (; length - i >= 8; i += 8) {
        uint64_t found = find_special(load_8(in + i));
        memcpy(out + i, in + i, 8);
        if (found)
            return i + (size_t)__builtin_ctzll(found) / 8;
    }
    for (; i < length && !is_special((unsigned char)in[i]); i++)
        out[i] = in[i];
    return i;
}

static char *copy(char *out, const char *bytes, size_t length)
{
    memcpy(out, bytes, length);
    return out + length;
}

static char *escape_byte(char *out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    *out++ = '\\';
    if (byte >= 0x20 || byte == '\n') {
        *out = byte == '\n' ? 'n' : (char)byte;
        return out + 1;
    }
    out = copy(out, "u00", 3);
    *out++ = digits[byte >> 4];
    *out++ = digits[byte & 15];
    return out;
}

static char *quote(char *out, const char *text, size_t length)
{
    *out++ = '"';
    for (size_t i = 0; i < length;) {
        size_t plain = copy_plain(out, text + i, length - i);
        out += plain;
        i += plain;
        if (i < length)
            out = escape_byte(out, (unsigned char)text[i++]);
    }
    *out++ = '"';
    return out;
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

/* ---- write_json_lines() */

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

/* Raises the OSError of an errno value. Returns -1. */
static int raise_errno(int failure)
{
    errno = failure;
    PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

static int write_all(const line_column *columns, Py_ssize_t count, int fd)
{
    int failure;
    Py_BEGIN_ALLOW_THREADS;
    failure = write_lines(columns, count, fd);
    Py_END_ALLOW_THREADS;
    return failure ? raise_errno(failure) : 0;
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

/* ---- read_json_texts() */

/* A call of read_json_texts(). The buffers are those of an Arrow array with 64-bit offsets. */
typedef struct texts_call {
    int fd;
    Py_ssize_t from, to, key_length; /* bytes of the file, and of what precedes each text */
    const char *removals;            /* 4 bytes for each line; texts of lines with 0 are read */
    size_t line_count;
    char *lines;
    PyObject *offsets, *characters, *valid; /* characters are a bytearray, which can shrink */
    char *ends, *start, *out;               /* of offsets; of characters, and the next of them */
    uint8_t *bits;
    size_t kept; /* texts so far */
    bool has_null;
} texts_call;

static bool is_removed(const texts_call *call, size_t line)
{
    uint32_t removal;
    memcpy(&removal, call->removals + line * sizeof removal, sizeof removal);
    return removal != 0;
}

static unsigned digit_value(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* Reads the escape at `in`, which stands for one byte, and returns its end. */
static const char *read_escape(const char *in, char *byte)
{
    *byte = in[1] == 'n' ? '\n' : in[1];
    if (in[1] != 'u')
        return in + 2;
    *byte = (char)(digit_value(in[4]) << 4 | digit_value(in[5]));
    return in + 6;
}

/* Copies a string from behind its opening quote on, without escapes. Returns the end of the copy;
 * NULL if the string does not end before `end`. */
static char *unquote(const char *in, const char *end, char *out)
{
    while (in < end) {
        size_t plain = copy_plain(out, in, (size_t)(end - in));
        out += plain;
        in += plain;
        if (in == end || *in == '"')
            break;
        if (*in != '\\' || end - in < 2 || (in[1] == 'u' && end - in < MAX_ESCAPE))
            return NULL;
        in = read_escape(in, out++);
    }
    return in < end ? out : NULL;
}

/* Reads the value of a line, and appends it to the buffers. Returns 0, or an errno value. */
static int take_line(texts_call *call, const char *line, const char *end)
{
    if (end - line <= call->key_length)
        return EIO;
    line += call->key_length;
    if (*line == '"') {
        call->out = unquote(line + 1, end, call->out);
        if (!call->out)
            return EIO;
        call->bits[call->kept / 8] |= (uint8_t)(1 << call->kept % 8);
    } else {
        call->has_null = true;
    }
    call->kept++;
    int64_t length = call->out - call->start;
    memcpy(call->ends + call->kept * sizeof length, &length, sizeof length);
    return 0;
}

/* Returns 0, or an errno value. */
static int take_lines(texts_call *call)
{
    const char *line = call->lines, *end = line + (call->to - call->from);
    int failure = 0;
    for (size_t i = 0; i < call->line_count && !failure; i++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline)
            return EIO;
        if (!is_removed(call, i))
            failure = take_line(call, line, newline);
        line = newline + 1;
    }
    return failure;
}

/* Returns 0, or an errno value. */
static int read_lines(const texts_call *call)
{
    for (Py_ssize_t at = call->from; at < call->to;) {
        ssize_t count =
            pread(call->fd, call->lines + (at - call->from), (size_t)(call->to - at), at);
        if (count == 0 || (count < 0 && errno != EINTR))
            return count ? errno : EIO;
        at += count > 0 ? count : 0;
    }
    return 0;
}

static int make_buffers(texts_call *call)
{
    size_t count = call->line_count;
    call->lines = malloc((size_t)(call->to - call->from) + 1);
    call->offsets = core_bytes(count + 1, sizeof(int64_t));
    call->characters = PyByteArray_FromStringAndSize(NULL, call->to - call->from);
    call->valid = core_bytes(count / 8 + 1, 1);
    if (!call->lines)
        PyErr_NoMemory();
    if (!call->lines || !call->offsets || !call->characters || !call->valid)
        return -1;
    call->ends = PyBytes_AsString(call->offsets);
    call->start = call->out = PyByteArray_AsString(call->characters);
    call->bits = (uint8_t *)PyBytes_AsString(call->valid);
    memset(call->ends, 0, sizeof(int64_t));
    memset(call->bits, 0, count / 8 + 1);
    return 0;
}

static int read_texts(texts_call *call)
{
    int failure;
    if (make_buffers(call))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    failure = read_lines(call);
    if (!failure)
        failure = take_lines(call);
    Py_END_ALLOW_THREADS;
    if (!failure) /* texts that were not read leave space */
        return PyByteArray_Resize(call->characters, call->out - call->start);
    return raise_errno(failure);
}

const char core_read_json_texts_doc[] = PyDoc_STR(
    "read_json_texts($module, fd, start, end, key_length, removals, /)\n--\n\n"
    "Reads lines that write_json_lines() wrote, from bytes start to end of a file, without\n"
    "the GIL. removals has 4 bytes for each line; texts of lines with 0 are read. A text\n"
    "is the first field, whose key takes key_length bytes. Returns the buffers of an Arrow\n"
    "array of large strings, and its length: (valid or None, offsets, characters, length).");

PyObject *core_read_json_texts(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    texts_call call = {0};
    Py_ssize_t bytes;
    PyObject *read = NULL;
    if (!PyArg_ParseTuple(arguments, "innny#", &call.fd, &call.from, &call.to, &call.key_length,
                          &call.removals, &bytes))
        return NULL;
    call.line_count = (size_t)bytes / sizeof(uint32_t);
    if (call.from < 0 || call.to < call.from || call.key_length < 0) {
        PyErr_SetString(PyExc_ValueError, "read_json_texts() takes no negative numbers");
        return NULL;
    }
    if (read_texts(&call) == 0)
        read = Py_BuildValue("OOOn", call.has_null ? call.valid : Py_None, call.offsets,
                             call.characters, (Py_ssize_t)call.kept);
    free(call.lines);
    Py_XDECREF(call.offsets);
    Py_XDECREF(call.characters);
    Py_XDECREF(call.valid);
    return read;
}

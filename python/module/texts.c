/*
 * Texts of any type as pointers and lengths, without a copy: the UTF-8 that Python itself keeps
 * with a str (for ASCII, it is the str), and the bytes of bytes and of Arrow columns.
 */
#include "module.h"

#include <string.h>

/* How elements are taken, by core_kind. */
static const struct rule {
    const char *sequence, *element; /* for messages: the sequence, and the types of an element */
    const char *errors;             /* for surrogates in str; NULL: no str */
    bool none, iterable, buffers;
} rules[] = {
    {"texts", "str, bytes or None", "surrogatepass", .none = true},
    {"names", "str or bytes", "surrogateescape", .none = false},
    {"items", "bytes-like", .iterable = true, .buffers = true},
};

/* ---- a text */

/* Takes a str. *owner is set only if the str itself is not the owner of the bytes. */
static int take_str(core_text *text, PyObject *from, const char *errors)
{
    Py_ssize_t length;
    text->start = PyUnicode_AsUTF8AndSize(from, &length);
    if (!text->start) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return -1;
        PyErr_Clear();
        char *bytes;
        text->owner = PyUnicode_AsEncodedString(from, "utf-8", errors);
        if (!text->owner || PyBytes_AsStringAndSize(text->owner, &bytes, &length))
            return -1;
        text->start = bytes;
    }
    text->length = (size_t)length;
    return 0;
}

static int take_bytes(core_text *text, PyObject *from)
{
    char *bytes;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(from, &bytes, &length))
        return -1;
    text->start = bytes;
    text->length = (size_t)length;
    return 0;
}

/* Takes a text by a rule. The owner is NULL if it is `from`, and otherwise a new reference. *known:
 * whether the type is right. */
static int take_by_rule(core_text *text, PyObject *from, const struct rule *rule, bool *known)
{
    *text = (core_text){0};
    *known = true;
    if (PyBytes_Check(from))
        return take_bytes(text, from);
    if (PyUnicode_Check(from) && rule->errors)
        return take_str(text, from, rule->errors);
    if (from == Py_None && rule->none)
        return 0;
    *known = rule->buffers && PyObject_CheckBuffer(from);
    if (!*known)
        return 0;
    text->owner = PyBytes_FromObject(from);
    return text->owner ? take_bytes(text, text->owner) : -1;
}

int core_text_take(core_text *text, PyObject *from, bool none, const char *what)
{
    bool known;
    int status = take_by_rule(text, from, &rules[CORE_TEXTS], &known);
    if (status == 0 && (!known || (!none && !text->start))) {
        PyObject *keep;
        PyErr_Format(PyExc_TypeError, "%s is %s, but must be str%s", what,
                     core_type_name(from, &keep), none ? ", bytes or None" : " or bytes");
        Py_XDECREF(keep);
        status = -1;
    }
    if (status)
        Py_CLEAR(text->owner);
    else if (!text->owner)
        text->owner = Py_NewRef(from);
    return status;
}

/* ---- sequences of texts */

int core_texts_reserve(core_texts *texts, size_t more)
{
    if (more <= texts->capacity - texts->count)
        return 0;
    size_t wanted = texts->count + more, twice = 2 * texts->capacity;
    size_t capacity = wanted > twice ? wanted : twice;
    void *starts = NULL, *lengths = NULL;
    if (capacity <= PY_SSIZE_T_MAX / sizeof *texts->starts) {
        starts = PyMem_Realloc(texts->starts, capacity * sizeof *texts->starts);
        texts->starts = starts ? starts : texts->starts;
        lengths = PyMem_Realloc(texts->lengths, capacity * sizeof *texts->lengths);
        texts->lengths = lengths ? lengths : texts->lengths;
    }
    if (!starts || !lengths) {
        PyErr_NoMemory();
        return -1;
    }
    texts->capacity = capacity;
    return 0;
}

void core_texts_free(core_texts *texts)
{
    PyMem_Free(texts->starts);
    PyMem_Free(texts->lengths);
    core_release_foreign(texts->owners);
    *texts = (core_texts){0};
}

static int add_object(core_texts *texts, PyObject *item, const struct rule *rule)
{
    bool known;
    core_text text;
    int status = take_by_rule(&text, item, rule, &known);
    if (status == 0 && !known) {
        PyObject *keep;
        PyErr_Format(PyExc_TypeError, "%s[%zu] is %s, but must be %s", rule->sequence, texts->count,
                     core_type_name(item, &keep), rule->element);
        Py_XDECREF(keep);
        status = -1;
    }
    if (status == 0 && text.owner)
        status = PyList_Append(texts->owners, text.owner);
    Py_XDECREF(text.owner);
    if (status == 0)
        core_texts_put(texts, text.start, text.length);
    return status;
}

/* Takes the elements of a sequence from a tuple, since a list may change while others run. */
static int take_sequence(core_texts *texts, PyObject *from, const struct rule *rule)
{
    PyObject *tuple = PySequence_Tuple(from);
    if (!tuple)
        return -1;
    Py_ssize_t count = PyTuple_Size(tuple);
    int status = PyList_Append(texts->owners, tuple);
    if (status == 0)
        status = core_texts_reserve(texts, (size_t)count);
    for (Py_ssize_t i = 0; i < count && status == 0; i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        if (Py_IS_TYPE(item, &PyBytes_Type)) /* the most frequent type of long sequences */
            core_texts_put(texts, PyBytes_AsString(item), (size_t)Py_SIZE(item));
        else
            status = add_object(texts, item, rule);
    }
    Py_DECREF(tuple);
    return status;
}

static int take_arrow(core_texts *texts, PyObject *from, const struct rule *rule, bool *known)
{
    size_t first = texts->count;
    if (core_arrow_take(texts, from, known))
        return -1;
    for (size_t i = first; i < texts->count && !rule->none; i++)
        if (!texts->starts[i]) {
            PyErr_Format(PyExc_TypeError, "%s[%zu] is null, but must be %s", rule->sequence, i,
                         rule->element);
            return -1;
        }
    return 0;
}

/* Whether an object is a sequence. A str is one, too, but never meant as such. */
static bool is_sequence(PyObject *from, const struct rule *rule)
{
    if (PyUnicode_Check(from) || PyBytes_Check(from) || PyByteArray_Check(from))
        return false;
    return rule->iterable || PySequence_Check(from);
}

int core_texts_take(core_texts *texts, PyObject *from, core_kind kind)
{
    const struct rule *rule = &rules[kind];
    bool arrow = false;
    if (!texts->owners && !(texts->owners = PyList_New(0)))
        return -1;
    if (!PyList_Check(from) && !PyTuple_Check(from) && take_arrow(texts, from, rule, &arrow))
        return -1;
    if (arrow)
        return 0;
    if (is_sequence(from, rule))
        return take_sequence(texts, from, rule);
    PyObject *keep;
    PyErr_Format(PyExc_TypeError, "%s is %s, but must be a sequence of %s, or an Arrow column",
                 rule->sequence, core_type_name(from, &keep), rule->element);
    Py_XDECREF(keep);
    return -1;
}

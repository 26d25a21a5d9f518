/*
 * MinHashIndex: an LSH with the methods of datasketch's MinHashLSH. It checks the length of a
 * signature, learns the bytes of a hash value from the first one, and may have several signatures
 * for a key.
 *
 * Hash values of 64 bits whose upper 32 bits are zero, such as those of datasketch 1.x, are stored
 * in 32 bits: that halves the memory, whose access takes most of the time. The first larger value
 * makes the index store all values anew, in 64 bits. So most differences of schemes show in the
 * size of values, and a signature's attribute for its scheme is read only if sizes differ.
 *
 * Attributes, keys and buffers may run Python, which may use the same object. So they are read
 * before the engine is called, and the fields of the index are read after that.
 */
#include "module.h"

#include <string.h>
#include <structmember.h>

typedef struct core_minhash_index {
    core_lsh lsh;
    Py_ssize_t rows, length; /* hash values of a band and of a signature */
    Py_ssize_t slot_bytes;   /* of a hash value; 0 before the first signature */
    uint32_t *narrow; /* space for a signature in 32 bits; NULL: values are stored as they are */
    PyObject *scheme; /* of the signatures; NULL or None if it is unknown */
    PyObject *more;   /* dict: from key to the list of its further numbers */
    Py_ssize_t changes;
    PyObject *scheme_name;         /* the name of the attribute */
    PyTypeObject *hashvalues_type; /* whose objects keep their buffer */
} core_minhash_index;

/* ---- arguments */

/* Sorts positional and keyword arguments by `names`. */
static int take_arguments(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
                          const char *const *names, Py_ssize_t most, PyObject **taken)
{
    Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    if (count > most || count + named > most) {
        PyErr_Format(PyExc_TypeError, "%zd arguments are too many: at most %zd", count + named,
                     most);
        return -1;
    }
    for (Py_ssize_t i = 0; i < most; i++)
        taken[i] = i < count ? arguments[i] : NULL;
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GetItem(keywords, i);
        Py_ssize_t index = 0;
        while (index < most && PyUnicode_CompareWithASCIIString(name, names[index]) != 0)
            index++;
        if (index == most || taken[index]) {
            PyErr_Format(PyExc_TypeError, "%s argument '%U'",
                         index == most ? "there is no" : "twice the", name);
            return -1;
        }
        taken[index] = arguments[count + i];
    }
    return 0;
}

static int need(PyObject *argument, const char *name)
{
    if (!argument)
        PyErr_Format(PyExc_TypeError, "missing the argument '%s'", name);
    return argument ? 0 : -1;
}

/* ---- signatures */

static Py_ssize_t slots_in_bands(const core_minhash_index *self)
{
    return (Py_ssize_t)self->lsh.bands * self->rows;
}

static int fail_length(Py_ssize_t expected, Py_ssize_t got)
{
    PyErr_Format(PyExc_ValueError, "Expecting minhash with length %zd, got %zd", expected, got);
    return -1;
}

/* A signature from an argument. */
typedef struct argument_signature {
    const char *bytes;
    Py_ssize_t size;  /* of a hash value */
    PyObject *source; /* the owner of borrowed bytes, valid until Python runs */
    PyObject *owner;  /* a reference to the source, once it is held */
    Py_buffer view;   /* of the bytes, unless they are borrowed */
} argument_signature;

/* Takes a buffer, which holds only the values of the bands. */
static int take_raw(const core_minhash_index *self, PyObject *from, argument_signature *got)
{
    if (PyObject_GetBuffer(from, &got->view, PyBUF_SIMPLE))
        return -1;
    got->bytes = got->view.buf;
    got->size = got->view.len / slots_in_bands(self);
    if (got->size && got->size * slots_in_bands(self) == got->view.len)
        return 0;
    PyErr_Format(PyExc_ValueError, "%zd bytes are no %zd hash values", got->view.len,
                 slots_in_bands(self));
    return -1;
}

static int take_view(const core_minhash_index *self, const Py_buffer *view, argument_signature *got)
{
    Py_ssize_t length = view->ndim ? view->shape[0] : 0;
    if (length != self->length)
        return fail_length(self->length, length);
    got->bytes = view->buf;
    got->size = view->len / length;
    return 0;
}

/* A contiguous copy of values that are not contiguous. */
static int take_copy(PyObject *values, Py_buffer *view)
{
    PyErr_Clear();
    PyObject *whole = PyMemoryView_GetContiguous(values, PyBUF_READ, 'C');
    int status = whole ? PyObject_GetBuffer(whole, view, PyBUF_ND) : -1;
    Py_XDECREF(whole);
    return status;
}

static int take_attribute(const core_minhash_index *self, PyObject *from, argument_signature *got)
{
    PyObject *values = PyObject_GetAttr(from, self->lsh.hashvalues);
    int status = values ? PyObject_GetBuffer(values, &got->view, PyBUF_ND) : -1;
    if (values && status)
        status = take_copy(values, &got->view);
    Py_XDECREF(values);
    return status ? -1 : take_view(self, &got->view, got);
}

/* Takes a signature. release_signature() must be called, also if this fails. */
static int take_minhash(const core_minhash_index *self, PyObject *from, argument_signature *got)
{
    *got = (argument_signature){0};
    if (!self->more) {
        PyErr_SetString(PyExc_ValueError, "the index has no bands: __init__() was not called");
        return -1;
    }
    const core_hashvalues *ready = (const core_hashvalues *)from;
    if (PyObject_TypeCheck(from, self->hashvalues_type) && ready->bytes) {
        got->bytes = ready->bytes;
        got->size = ready->size;
        got->source = ready->values;
        return ready->length == self->length ? 0 : fail_length(self->length, ready->length);
    }
    return PyObject_CheckBuffer(from) ? take_raw(self, from, got) : take_attribute(self, from, got);
}

/* Holds the source of borrowed bytes. It is called before Python may run. */
static void hold(argument_signature *got)
{
    if (got->source && !got->owner)
        got->owner = Py_NewRef(got->source);
}

static void release_signature(argument_signature *got)
{
    Py_XDECREF(got->owner);
    if (got->view.obj)
        PyBuffer_Release(&got->view);
}

/* The scheme of a signature, a new reference; None if it has no such attribute. */
static PyObject *scheme_of(const core_minhash_index *self, PyObject *minhash)
{
    PyObject *scheme = PyObject_GetAttr(minhash, self->scheme_name);
    if (scheme || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return scheme;
    PyErr_Clear();
    return Py_NewRef(Py_None);
}

/* Fails if the schemes of index and signature differ: then values agree only by chance. */
static int check_scheme(const core_minhash_index *self, PyObject *minhash)
{
    PyObject *known = self->scheme, *scheme = scheme_of(self, minhash);
    if (!scheme)
        return -1;
    int is_equal = !known || known == Py_None || scheme == Py_None;
    if (!is_equal)
        is_equal = PyObject_RichCompareBool(scheme, known, Py_EQ);
    if (is_equal == 0)
        PyErr_Format(PyExc_ValueError,
                     "MinHash scheme %R does not match scheme %R of the MinHash previously given "
                     "to this index",
                     scheme, known);
    Py_DECREF(scheme);
    return is_equal == 1 ? 0 : -1;
}

static int fail_size(const core_minhash_index *self, Py_ssize_t size)
{
    PyErr_Format(PyExc_ValueError,
                 "the minhash has hash values of %zd bytes, but the index holds those of %zd", size,
                 self->slot_bytes);
    return -1;
}

/* ---- stored signatures */

/* False if a value does not fit. */
static bool narrow_to(uint32_t *narrow, const char *wide, Py_ssize_t count)
{
    uint64_t all = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, wide + 8 * i, sizeof value);
        narrow[i] = (uint32_t)value;
        all |= value;
    }
    return all >> 32 == 0;
}

static PyObject *signature_bytes(const core_minhash_index *self, Py_ssize_t number)
{
    const char *held = twinset_lsh_signature(self->lsh.handle, (uint32_t)number);
    Py_ssize_t count = slots_in_bands(self);
    PyObject *bytes =
        PyBytes_FromStringAndSize(self->narrow ? NULL : held, count * self->slot_bytes);
    char *wide = bytes ? PyBytes_AsString(bytes) : NULL;
    for (Py_ssize_t i = 0; wide && self->narrow && i < count; i++) {
        uint32_t value;
        memcpy(&value, held + 4 * i, sizeof value);
        memcpy(wide + 8 * i, &(uint64_t){value}, sizeof(uint64_t));
    }
    return bytes;
}

/* Opens the index with the sizes of its first signature. */
static int open_index(core_minhash_index *self, PyObject *minhash, argument_signature *got)
{
    Py_ssize_t count = slots_in_bands(self);
    hold(got);
    PyObject *scheme = scheme_of(self, minhash);
    if (!scheme)
        return -1;
    if (self->lsh.handle) { /* Python code that ran meanwhile opened it */
        Py_DECREF(scheme);
        return 0;
    }
    uint32_t *narrow = got->size == 8 ? PyMem_Malloc((size_t)count * sizeof *narrow) : NULL;
    if (narrow && !narrow_to(narrow, got->bytes, count)) {
        PyMem_Free(narrow);
        narrow = NULL;
    }
    if (core_lsh_open(&self->lsh, self->lsh.bands, self->rows * (narrow ? 4 : got->size))) {
        PyMem_Free(narrow);
        Py_DECREF(scheme);
        return -1;
    }
    PyMem_Free(self->narrow);
    self->narrow = narrow;
    self->slot_bytes = got->size;
    Py_XDECREF(self->scheme);
    self->scheme = scheme;
    return 0;
}

static int widen(core_minhash_index *self);

/* The signature in the form that is stored, or NULL. To read its attributes may run Python. */
static const void *stored_form(core_minhash_index *self, PyObject *minhash, argument_signature *got)
{
    Py_ssize_t size = got->size;
    if (self->narrow && size == 8 && narrow_to(self->narrow, got->bytes, slots_in_bands(self)))
        return self->narrow;
    if (size == self->slot_bytes && size != 8)
        return got->bytes;
    hold(got);
    if (check_scheme(self, minhash))
        return NULL;
    if (size != self->slot_bytes) {
        fail_size(self, size);
        return NULL;
    }
    return self->narrow && widen(self) ? NULL : got->bytes;
}

/* ---- calls */

/* The list of further numbers of a key, created if it does not exist; a new reference. */
static PyObject *list_of_more(core_minhash_index *self, PyObject *key)
{
    PyObject *numbers = PyDict_GetItemWithError(self->more, key);
    if (numbers)
        return Py_NewRef(numbers);
    numbers = PyErr_Occurred() ? NULL : PyList_New(0);
    if (numbers && PyDict_SetItem(self->more, key, numbers))
        Py_CLEAR(numbers);
    return numbers;
}

static int insert_more(core_minhash_index *self, PyObject *key, const void *signature,
                       PyObject *numbers)
{
    uint32_t number;
    if (core_lsh_add(&self->lsh, key, signature, &number))
        return -1;
    PyObject *object = PyLong_FromUnsignedLong(number);
    int status = object ? PyList_Append(numbers, object) : -1;
    Py_XDECREF(object);
    if (status)
        core_lsh_drop(&self->lsh, number);
    return status;
}

static int add_signature(core_minhash_index *self, PyObject *key, PyObject *minhash,
                         PyObject *numbers)
{
    argument_signature got;
    const void *signature = NULL;
    int status = take_minhash(self, minhash, &got);
    if (status == 0 && !self->lsh.handle)
        status = open_index(self, minhash, &got);
    if (status == 0)
        signature = stored_form(self, minhash, &got);
    if (!signature)
        status = -1;
    else if (numbers)
        status = insert_more(self, key, signature, numbers);
    else
        status = core_lsh_insert(&self->lsh, key, signature);
    release_signature(&got);
    return status;
}

/* Adds a signature. To look up a key or to make an object may run Python, so both come first. */
static int add(core_minhash_index *self, PyObject *key, PyObject *minhash, bool check)
{
    Py_ssize_t number = core_lsh_number(&self->lsh, key);
    if (number >= 0 && check)
        PyErr_SetString(PyExc_ValueError, "The given key already exists");
    if (number == -2 || (number >= 0 && check))
        return -1;
    PyObject *numbers = number >= 0 ? list_of_more(self, key) : NULL;
    if (number >= 0 && !numbers)
        return -1;
    int status = add_signature(self, key, minhash, numbers);
    self->changes++;
    Py_XDECREF(numbers);
    return status;
}

PyDoc_STRVAR(insert_doc,
             "insert($self, key, minhash, check_duplication=True)\n--\n\n"
             "Adds a signature with a hashable key. ValueError if the key exists; without that\n"
             "check, the key has one more signature.");

static PyObject *insert(PyObject *object, PyObject *const *given, Py_ssize_t count,
                        PyObject *keywords)
{
    static const char *const names[] = {"key", "minhash", "check_duplication"};
    core_minhash_index *self = (core_minhash_index *)object;
    PyObject *taken[3];
    if (take_arguments(given, count, keywords, names, 3, taken) || need(taken[0], names[0]) ||
        need(taken[1], names[1]))
        return NULL;
    int check = taken[2] ? PyObject_IsTrue(taken[2]) : 1;
    if (check < 0)
        return NULL;
    return add(self, taken[0], taken[1], check) ? NULL : Py_NewRef(Py_None);
}

/* The distinct keys, in their order. */
static PyObject *without_repeats(PyObject *keys)
{
    PyObject *seen = PyDict_New(), *list = NULL;
    Py_ssize_t count = PyList_Size(keys), i = 0;
    while (seen && i < count && PyDict_SetItem(seen, PyList_GetItem(keys, i), Py_None) == 0)
        i++;
    if (seen && i == count)
        list = PyDict_Keys(seen);
    Py_XDECREF(seen);
    Py_DECREF(keys);
    return list;
}

static int find(core_minhash_index *self, PyObject *minhash, unsigned bands, PyObject *keys)
{
    argument_signature got;
    int status = take_minhash(self, minhash, &got);
    if (status == 0 && self->lsh.handle) {
        const void *signature = stored_form(self, minhash, &got);
        status = signature ? core_lsh_find(&self->lsh, signature, bands, keys) : -1;
    }
    release_signature(&got);
    return status;
}

PyDoc_STRVAR(query_doc, "query($self, minhash, bands=0)\n--\n\n"
                        "The keys of the signatures that agree with a signature in at least one\n"
                        "of its first bands (0: of all), in the order of insertion.");

static PyObject *query(PyObject *object, PyObject *const *given, Py_ssize_t count,
                       PyObject *keywords)
{
    static const char *const names[] = {"minhash", "bands"};
    core_minhash_index *self = (core_minhash_index *)object;
    PyObject *taken[2];
    if (take_arguments(given, count, keywords, names, 2, taken) || need(taken[0], names[0]))
        return NULL;
    long bands = taken[1] ? PyLong_AsLong(taken[1]) : 0;
    if (bands == -1 && PyErr_Occurred())
        return NULL;
    if (bands < 0 || (unsigned long)bands > self->lsh.bands)
        return PyErr_Format(PyExc_ValueError, "bands is %ld, but must be from 0 to %u", bands,
                            self->lsh.bands);
    PyObject *keys = PyList_New(0);
    if (keys && find(self, taken[0], (unsigned)bands, keys))
        Py_CLEAR(keys);
    return keys && PyDict_Size(self->more) ? without_repeats(keys) : keys;
}

/* The further numbers of a key, as a new list, which may be empty. */
static PyObject *further_numbers(const core_minhash_index *self, PyObject *key)
{
    PyObject *numbers = PyDict_GetItemWithError(self->more, key);
    if (numbers)
        return PyList_GetSlice(numbers, 0, PyList_Size(numbers));
    return PyErr_Occurred() ? NULL : PyList_New(0);
}

PyDoc_STRVAR(remove_doc, "remove($self, key)\n--\n\n"
                         "Removes a key with its signatures. ValueError if it does not exist.");

static PyObject *remove_key(PyObject *object, PyObject *const *given, Py_ssize_t count,
                            PyObject *keywords)
{
    static const char *const names[] = {"key"};
    core_minhash_index *self = (core_minhash_index *)object;
    PyObject *key;
    if (take_arguments(given, count, keywords, names, 1, &key) || need(key, names[0]))
        return NULL;
    PyObject *numbers = NULL;
    if (self->more && PyDict_Size(self->more) && !(numbers = further_numbers(self, key)))
        return NULL;
    PyObject *done = core_lsh_remove(object, key);
    self->changes++;
    if (done && numbers && PyList_Size(numbers)) {
        for (Py_ssize_t i = 0; i < PyList_Size(numbers); i++)
            core_lsh_drop(&self->lsh, (uint32_t)PyLong_AsUnsignedLong(PyList_GetItem(numbers, i)));
        if (PyDict_DelItem(self->more, key))
            Py_CLEAR(done);
    }
    Py_XDECREF(numbers);
    return done;
}

static int append_signature(const core_minhash_index *self, PyObject *list, Py_ssize_t number)
{
    PyObject *bytes = signature_bytes(self, number);
    int status = bytes ? PyList_Append(list, bytes) : -1;
    Py_XDECREF(bytes);
    return status;
}

PyDoc_STRVAR(signatures_doc, "signatures($self, key, /)\n--\n\n"
                             "The bytes of a key's signatures that form their bands, as a list.");

static PyObject *signatures(PyObject *object, PyObject *key)
{
    core_minhash_index *self = (core_minhash_index *)object;
    Py_ssize_t number = core_lsh_number(&self->lsh, key);
    if (number == -1)
        PyErr_SetString(PyExc_ValueError, "The given key does not exist");
    PyObject *numbers = number >= 0 ? further_numbers(self, key) : NULL;
    PyObject *list = numbers ? PyList_New(0) : NULL;
    if (list && append_signature(self, list, number))
        Py_CLEAR(list);
    for (Py_ssize_t i = 0; list && i < PyList_Size(numbers); i++)
        if (append_signature(self, list, PyLong_AsSsize_t(PyList_GetItem(numbers, i))))
            Py_CLEAR(list);
    Py_XDECREF(numbers);
    return list;
}

/* ---- widening */

/* Copies all signatures to an index that stores 64-bit values. */
static int copy_wide(core_minhash_index *from, core_minhash_index *to)
{
    PyObject *all = PyDict_Keys(from->lsh.numbers);
    int status = all ? core_lsh_open(&to->lsh, to->lsh.bands, to->rows * from->slot_bytes) : -1;
    to->slot_bytes = from->slot_bytes;
    for (Py_ssize_t i = 0; status == 0 && i < PyList_Size(all); i++) {
        PyObject *key = PyList_GetItem(all, i), *each = signatures((PyObject *)from, key);
        PyObject *numbers = each && PyList_Size(each) > 1 ? list_of_more(to, key) : NULL;
        status = each && (numbers || PyList_Size(each) == 1) ? 0 : -1;
        for (Py_ssize_t j = 0; status == 0 && j < PyList_Size(each); j++) {
            const char *bytes = PyBytes_AsString(PyList_GetItem(each, j));
            status =
                j ? insert_more(to, key, bytes, numbers) : core_lsh_insert(&to->lsh, key, bytes);
        }
        Py_XDECREF(numbers);
        Py_XDECREF(each);
    }
    Py_XDECREF(all);
    return status;
}

/* Stores all values in 64 bits, after a value that does not fit into 32. The old tables move to
 * the temporary object, and are freed with it. */
static int widen(core_minhash_index *self)
{
    PyObject *made = PyObject_CallFunction((PyObject *)Py_TYPE((PyObject *)self), "Inn",
                                           self->lsh.bands, self->rows, self->length);
    core_minhash_index *wide = (core_minhash_index *)made;
    if (!made || copy_wide(self, wide)) {
        Py_XDECREF(made);
        return -1;
    }
    core_lsh held = self->lsh;
    PyObject *more = self->more;
    self->lsh.handle = wide->lsh.handle;
    self->lsh.numbers = wide->lsh.numbers;
    self->lsh.keys = wide->lsh.keys;
    self->lsh.band_bytes = wide->lsh.band_bytes;
    self->lsh.signature_bytes = wide->lsh.signature_bytes;
    self->more = wide->more;
    wide->lsh.handle = held.handle;
    wide->lsh.numbers = held.numbers;
    wide->lsh.keys = held.keys;
    wide->more = more;
    PyMem_Free(self->narrow);
    self->narrow = NULL;
    Py_DECREF(made);
    return 0;
}

/* ---- the type */

/* The state of the module, which only the base of a class derived in Python has. */
static const core_state *state_of(PyTypeObject *type)
{
    const core_state *state = NULL;
    for (; type && !state; type = PyType_GetSlot(type, Py_tp_base)) {
        state = PyType_GetModuleState(type);
        PyErr_Clear();
    }
    return state;
}

static int init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"bands", "rows", "length", NULL};
    core_minhash_index *self = (core_minhash_index *)object;
    int bands;
    Py_ssize_t rows, length;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "inn", names_of, &bands, &rows, &length))
        return -1;
    if (self->more || bands < 1 || rows < 1 || rows > PY_SSIZE_T_MAX / bands / 16 ||
        length < bands * rows) {
        PyErr_Format(PyExc_ValueError, "no %d bands of %zd values in a length of %zd", bands, rows,
                     length);
        return -1;
    }
    self->lsh.bands = (unsigned)bands;
    self->rows = rows;
    self->length = length;
    self->hashvalues_type =
        (PyTypeObject *)Py_NewRef((PyObject *)state_of(Py_TYPE(object))->hashvalues);
    self->scheme_name = PyUnicode_InternFromString("scheme");
    self->more = PyDict_New();
    return self->scheme_name && self->more ? 0 : -1;
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    core_minhash_index *self = (core_minhash_index *)object;
    Py_VISIT(self->scheme);
    Py_VISIT(self->more);
    Py_VISIT((PyObject *)self->hashvalues_type);
    return core_lsh_traverse(object, visit, arg);
}

static int clear(PyObject *object)
{
    core_minhash_index *self = (core_minhash_index *)object;
    if (self->more)
        PyDict_Clear(self->more);
    return core_lsh_clear(object);
}

static void dealloc(PyObject *object)
{
    core_minhash_index *self = (core_minhash_index *)object;
    PyObject_GC_UnTrack(object);
    Py_CLEAR(self->scheme);
    Py_CLEAR(self->more);
    Py_CLEAR(self->scheme_name);
    Py_CLEAR(self->hashvalues_type);
    PyMem_Free(self->narrow);
    core_lsh_dealloc(object);
}

static char type_doc[] =
    "MinHashIndex(bands, rows, length)\n--\n\n"
    "An LSH of signatures of so many hash values, of which each band has rows. A\n"
    "signature has them as its attribute hashvalues; a buffer is the bands alone.";

static PyMemberDef members[] = {
    {"rows", T_PYSSIZET, offsetof(core_minhash_index, rows), READONLY, "Hash values of a band."},
    {"length", T_PYSSIZET, offsetof(core_minhash_index, length), READONLY,
     "Hash values of a signature."},
    {"slot_bytes", T_PYSSIZET, offsetof(core_minhash_index, slot_bytes), READONLY,
     "Bytes of a hash value; 0 before the first signature."},
    {"scheme", T_OBJECT, offsetof(core_minhash_index, scheme), 0,
     "The scheme of the signatures; None where it is not known."},
    {"changes", T_PYSSIZET, offsetof(core_minhash_index, changes), READONLY,
     "Grows with each change."},
    {0},
};

static PyMethodDef methods[] = {
    {"insert", (PyCFunction)(void (*)(void))insert, METH_FASTCALL | METH_KEYWORDS, insert_doc},
    {"query", (PyCFunction)(void (*)(void))query, METH_FASTCALL | METH_KEYWORDS, query_doc},
    {"remove", (PyCFunction)(void (*)(void))remove_key, METH_FASTCALL | METH_KEYWORDS, remove_doc},
    {"signatures", signatures, METH_O, signatures_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},    {Py_tp_init, init},
    {Py_tp_dealloc, dealloc}, {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},     {Py_tp_methods, methods},
    {Py_tp_members, members}, {0},
};

PyType_Spec core_index_spec = {
    .name = "twinset._core.MinHashIndex",
    .basicsize = sizeof(core_minhash_index),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

/*
 * LSH: signatures with keys, which finds those that agree in a band. Keys are any hashable objects;
 * the engine knows them as numbers. It is made for millions of short calls, so it avoids all
 * formatting and lookups that are not needed. The GIL is its lock.
 *
 * To hash or compare keys may run Python, which may use the same object. So calls of the engine
 * are complete before or after such steps.
 */
#include "module.h"

#include <structmember.h>

static int check_open(const core_lsh *self)
{
    if (!self->handle)
        PyErr_SetString(PyExc_ValueError, "the LSH has no bands: __init__() was not called");
    return self->handle ? 0 : -1;
}

/* ---- signatures */

static int fail_type(PyObject *from)
{
    PyObject *keep;
    PyErr_Format(PyExc_TypeError,
                 "a signature is %s, but must be a buffer, or have one as its hashvalues",
                 core_type_name(from, &keep));
    Py_XDECREF(keep);
    return -1;
}

static int get_buffer(const core_lsh *self, PyObject *from, Py_buffer *view)
{
    if (PyObject_CheckBuffer(from))
        return PyObject_GetBuffer(from, view, PyBUF_SIMPLE);
    PyObject *values = PyObject_GetAttr(from, self->hashvalues);
    if (!values) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear();
        return fail_type(from);
    }
    int status = PyObject_CheckBuffer(values) ? PyObject_GetBuffer(values, view, PyBUF_SIMPLE)
                                              : fail_type(values);
    Py_DECREF(values);
    return status;
}

static int take_signature(const core_lsh *self, PyObject *from, Py_buffer *view)
{
    if (check_open(self) || get_buffer(self, from, view))
        return -1;
    if (view->len >= self->signature_bytes)
        return 0;
    PyErr_Format(PyExc_ValueError, "a signature of %zd bytes is too short for %u bands of %zd",
                 view->len, self->bands, self->band_bytes);
    PyBuffer_Release(view);
    return -1;
}

Py_ssize_t core_lsh_number(const core_lsh *self, PyObject *key)
{
    PyObject *number = PyDict_GetItemWithError(self->numbers, key);
    if (number)
        return PyLong_AsSsize_t(number);
    return PyErr_Occurred() ? -2 : -1;
}

/* ---- calls */

int core_lsh_add(core_lsh *self, PyObject *key, const void *signature, uint32_t *number)
{
    if (twinset_lsh_add(self->handle, signature, number, NULL) != TWINSET_OK) {
        PyErr_NoMemory();
        return -1;
    }
    Py_ssize_t index = (Py_ssize_t)*number;
    int status = index < PyList_Size(self->keys) ? PyList_SetItem(self->keys, index, Py_NewRef(key))
                                                 : PyList_Append(self->keys, key);
    if (status && twinset_lsh_remove(self->handle, *number, NULL) != TWINSET_OK)
        status = -1;
    return status;
}

void core_lsh_drop(core_lsh *self, uint32_t number)
{
    if (twinset_lsh_remove(self->handle, number, NULL) == TWINSET_OK)
        PyList_SetItem(self->keys, (Py_ssize_t)number, Py_NewRef(Py_None));
}

int core_lsh_insert(core_lsh *self, PyObject *key, const void *signature)
{
    uint32_t number;
    if (core_lsh_add(self, key, signature, &number))
        return -1;
    PyObject *object = PyLong_FromUnsignedLong(number);
    int status = object ? PyDict_SetItem(self->numbers, key, object) : -1;
    Py_XDECREF(object);
    if (status)
        core_lsh_drop(self, number);
    return status;
}

static int add(core_lsh *self, PyObject *key, PyObject *signature)
{
    Py_buffer view;
    if (take_signature(self, signature, &view))
        return -1;
    int status = core_lsh_insert(self, key, view.buf);
    PyBuffer_Release(&view);
    return status;
}

PyDoc_STRVAR(insert_doc, "insert($self, key, signature, /)\n--\n\n"
                         "Adds a signature with a hashable key, which must be new.");

static PyObject *insert(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    core_lsh *self = (core_lsh *)object;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "insert() takes a key and a signature");
    Py_ssize_t number = core_lsh_number(self, arguments[0]);
    if (number >= 0)
        PyErr_SetString(PyExc_ValueError, "The given key already exists");
    if (number != -1 || add(self, arguments[0], arguments[1]))
        return NULL;
    Py_RETURN_NONE;
}

int core_lsh_find(core_lsh *self, const void *signature, unsigned bands, PyObject *list)
{
    const uint32_t *found;
    size_t count;
    if (twinset_lsh_query(self->handle, signature, bands, &found, &count, NULL) != TWINSET_OK) {
        PyErr_NoMemory();
        return -1;
    }
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = PyList_Append(list, PyList_GetItem(self->keys, (Py_ssize_t)found[i]));
    return status;
}

PyDoc_STRVAR(query_doc, "query($self, signature, bands=0, /)\n--\n\n"
                        "The keys of the signatures that agree with a signature in at least one\n"
                        "of its first bands (0: of all), in the order of insertion.");

static PyObject *query(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    core_lsh *self = (core_lsh *)object;
    Py_buffer view;
    if (count < 1 || count > 2)
        return PyErr_Format(PyExc_TypeError, "query() takes a signature and a number of bands");
    long bands = count == 2 ? PyLong_AsLong(arguments[1]) : 0;
    if (bands == -1 && PyErr_Occurred())
        return NULL;
    if (take_signature(self, arguments[0], &view))
        return NULL;
    PyObject *list = NULL;
    if (bands < 0 || (unsigned long)bands > self->bands)
        PyErr_Format(PyExc_ValueError, "bands is %ld, but must be from 0 to %u", bands,
                     self->bands);
    else
        list = PyList_New(0);
    if (list && core_lsh_find(self, view.buf, (unsigned)bands, list))
        Py_CLEAR(list);
    PyBuffer_Release(&view);
    return list;
}

static PyObject *fail_absent(void)
{
    PyErr_SetString(PyExc_ValueError, "The given key does not exist");
    return NULL;
}

PyDoc_STRVAR(remove_doc, "remove($self, key, /)\n--\n\nRemoves a key and its signature.");

/* The list of keys keeps the key alive until the end. */
PyObject *core_lsh_remove(PyObject *object, PyObject *key)
{
    core_lsh *self = (core_lsh *)object;
    Py_ssize_t number = core_lsh_number(self, key);
    if (number == -1)
        return fail_absent();
    if (number < 0 || PyDict_DelItem(self->numbers, key))
        return NULL;
    core_lsh_drop(self, (uint32_t)number);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(signature_doc, "signature($self, key, /)\n--\n\n"
                            "The bytes of a key's signature that its bands consist of.");

static PyObject *signature(PyObject *object, PyObject *key)
{
    core_lsh *self = (core_lsh *)object;
    Py_ssize_t number = core_lsh_number(self, key);
    if (number < 0)
        return number == -1 ? fail_absent() : NULL;
    return PyBytes_FromStringAndSize(twinset_lsh_signature(self->handle, (uint32_t)number),
                                     self->signature_bytes);
}

PyDoc_STRVAR(keys_doc, "keys($self, /)\n--\n\nThe keys, in the order of insertion.");

static PyObject *keys(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    return PyDict_Keys(((core_lsh *)object)->numbers);
}

static Py_ssize_t length(PyObject *object)
{
    return PyDict_Size(((core_lsh *)object)->numbers);
}

static int contains(PyObject *object, PyObject *key)
{
    return PyDict_Contains(((core_lsh *)object)->numbers, key);
}

/* ---- the type */

static PyObject *new_lsh(PyTypeObject *type, PyObject *Py_UNUSED(arguments),
                         PyObject *Py_UNUSED(keywords))
{
    core_lsh *self = (core_lsh *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->numbers = PyDict_New();
    self->keys = PyList_New(0);
    self->hashvalues = PyUnicode_InternFromString("hashvalues");
    if (self->numbers && self->keys && self->hashvalues)
        return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

/* This is not in tp_new, because derived classes have constructors of their own. */
static int init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"bands", "band_bytes", NULL};
    core_lsh *self = (core_lsh *)object;
    int bands;
    Py_ssize_t band_bytes;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "in", names_of, &bands, &band_bytes))
        return -1;
    if (self->handle || bands < 1 || band_bytes < 1 || band_bytes > PY_SSIZE_T_MAX / bands) {
        PyErr_SetString(PyExc_ValueError, self->handle ? "the LSH has its bands already"
                                                       : "an LSH needs bands, and bytes in them");
        return -1;
    }
    return core_lsh_open(self, (unsigned)bands, band_bytes);
}

int core_lsh_open(core_lsh *self, unsigned bands, Py_ssize_t band_bytes)
{
    twinset_lsh *handle;
    twinset_error error = {""};
    int status = twinset_lsh_new(bands, (size_t)band_bytes, &handle, &error);
    if (status != TWINSET_OK) {
        PyErr_SetString(status == TWINSET_NOMEM ? PyExc_MemoryError : PyExc_ValueError,
                        error.message);
        return -1;
    }
    self->handle = handle;
    self->bands = bands;
    self->band_bytes = band_bytes;
    self->signature_bytes = (Py_ssize_t)bands * band_bytes;
    return 0;
}

int core_lsh_traverse(PyObject *object, visitproc visit, void *arg)
{
    core_lsh *self = (core_lsh *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->numbers);
    Py_VISIT(self->keys);
    return 0;
}

/* Empties the containers, but keeps them, since methods may still use them. */
int core_lsh_clear(PyObject *object)
{
    core_lsh *self = (core_lsh *)object;
    twinset_lsh *handle = self->handle;
    self->handle = NULL;
    twinset_lsh_free(handle);
    PyDict_Clear(self->numbers);
    return PyList_SetSlice(self->keys, 0, PyList_Size(self->keys), NULL);
}

void core_lsh_dealloc(PyObject *object)
{
    core_lsh *self = (core_lsh *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    twinset_lsh_free(self->handle);
    Py_XDECREF(self->numbers);
    Py_XDECREF(self->keys);
    Py_XDECREF(self->hashvalues);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static char type_doc[] =
    "LSH(bands, band_bytes)\n--\n\n"
    "A growing set of signatures, which finds those that agree with a query in a\n"
    "band: that have equal bytes there. A signature is a buffer, or has a buffer\n"
    "as its attribute hashvalues. Its first bands * band_bytes bytes count.";

static PyMemberDef members[] = {
    {"bands", T_UINT, offsetof(core_lsh, bands), READONLY, "The number of bands."},
    {"band_bytes", T_PYSSIZET, offsetof(core_lsh, band_bytes), READONLY, "The bytes of a band."},
    {0},
};

static PyMethodDef methods[] = {
    {"insert", (PyCFunction)(void (*)(void))insert, METH_FASTCALL, insert_doc},
    {"query", (PyCFunction)(void (*)(void))query, METH_FASTCALL, query_doc},
    {"remove", core_lsh_remove, METH_O, remove_doc},
    {"signature", signature, METH_O, signature_doc},
    {"keys", keys, METH_NOARGS, keys_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},
    {Py_tp_new, new_lsh},
    {Py_tp_init, init},
    {Py_tp_dealloc, core_lsh_dealloc},
    {Py_tp_traverse, core_lsh_traverse},
    {Py_tp_clear, core_lsh_clear},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_sq_length, length},
    {Py_sq_contains, contains},
    {0},
};

PyType_Spec core_lsh_spec = {
    .name = "twinset._core.LSH",
    .basicsize = sizeof(core_lsh),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

/*
 * HashValues: the base class of signatures in Python, with one attribute, hashvalues. It keeps the
 * buffer of that attribute for an index to read: to request the buffer of an array takes as long as
 * to look up its bands.
 */
#include "module.h"

static void release(core_hashvalues *self)
{
    self->bytes = NULL;
    if (self->view.obj)
        PyBuffer_Release(&self->view);
    self->view = (Py_buffer){0};
}

/* Copies the fields that an index reads, so that they are in one cache line. */
static void hold(core_hashvalues *self, const Py_buffer *view)
{
    self->view = *view;
    self->length = view->obj && view->ndim ? view->shape[0] : 0;
    self->size = self->length ? view->len / self->length : 0;
    self->bytes = self->length ? view->buf : NULL;
}

static PyObject *get_values(PyObject *object, void *Py_UNUSED(closure))
{
    PyObject *values = ((core_hashvalues *)object)->values;
    if (!values)
        PyErr_SetString(PyExc_AttributeError, "hashvalues");
    return values ? Py_NewRef(values) : NULL;
}

/* Keeps an attribute without its buffer if it has no contiguous one. */
static int set_values(PyObject *object, PyObject *values, void *Py_UNUSED(closure))
{
    core_hashvalues *self = (core_hashvalues *)object;
    PyObject *before = self->values;
    Py_buffer view = {0};
    if (values && PyObject_CheckBuffer(values) && PyObject_GetBuffer(values, &view, PyBUF_ND)) {
        PyErr_Clear();
        view.obj = NULL;
    }
    release(self);
    hold(self, &view);
    self->own = false;
    self->values = values ? Py_NewRef(values) : NULL;
    Py_XDECREF(before);
    return 0;
}

/* ---- lowering by the engine's slots */

/* Whether a numpy array owns_memory its memory. */
static bool owns_memory(PyObject *array)
{
    PyObject *base = PyObject_GetAttrString(array, "base");
    if (!base)
        PyErr_Clear();
    Py_XDECREF(base);
    return base == Py_None;
}

/* Whether nobody else sees a change, because this object has the only references to array and
 * buffer. */
static bool is_unshared(core_hashvalues *self)
{
    if (!self->bytes || self->view.readonly || self->view.obj != self->values ||
        Py_REFCNT(self->values) != 2)
        return false;
    self->own = self->own || owns_memory(self->values);
    return self->own;
}

static int copy_values(core_hashvalues *self)
{
    PyObject *values = get_values((PyObject *)self, NULL);
    PyObject *copy = values ? PyObject_CallMethod(values, "copy", NULL) : NULL;
    int status = copy ? set_values((PyObject *)self, copy, NULL) : -1;
    Py_XDECREF(values);
    Py_XDECREF(copy);
    return status;
}

static void lower_wide(uint64_t *restrict into, const uint32_t *restrict from, size_t hashes)
{
    for (size_t i = 0; i < hashes; i++)
        into[i] = into[i] < from[i] ? into[i] : from[i];
}

int core_hashvalues_lower(core_hashvalues *self, const uint32_t *slots, size_t hashes)
{
    const Py_buffer *view = &self->view;
    if (!is_unshared(self) && copy_values(self))
        return -1;
    size_t size = self->bytes && !view->readonly ? (size_t)view->itemsize : 0;
    if ((size != 4 && size != 8) || (size_t)view->len != hashes * size ||
        (uintptr_t)view->buf % size != 0) {
        PyErr_Format(PyExc_ValueError,
                     "hashvalues must be an array of %zu whole numbers of 4 or 8 bytes each",
                     hashes);
        return -1;
    }
    if (size == 4)
        twinset_signature_merge(view->buf, slots, hashes);
    else
        lower_wide(view->buf, slots, hashes);
    return 0;
}

/* ---- the type */

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    core_hashvalues *self = (core_hashvalues *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->values);
    Py_VISIT(self->view.obj);
    return 0;
}

static int clear(PyObject *object)
{
    core_hashvalues *self = (core_hashvalues *)object;
    release(self);
    Py_CLEAR(self->values);
    return 0;
}

static void dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    clear(object);
    freefunc release_memory = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_memory(object);
    Py_DECREF(type);
}

static char type_doc[] =
    "HashValues()\n--\n\nA base class of signatures, whose hashvalues an index reads directly.";

static PyGetSetDef properties[] = {
    {"hashvalues", get_values, set_values, "The hash values, an array.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc}, {Py_tp_dealloc, dealloc},   {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},  {Py_tp_getset, properties}, {0},
};

PyType_Spec core_hashvalues_spec = {
    .name = "twinset._core.HashValues",
    .basicsize = sizeof(core_hashvalues),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

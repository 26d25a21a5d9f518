/* The documents of an index, and their clusters. */
#include "store.h"

static PyObject *document_tuple(const twinset_index_document *document)
{
    PyObject *text = document->text
                         ? PyUnicode_DecodeUTF8(document->text, (Py_ssize_t)document->text_length,
                                                "surrogateescape")
                         : Py_NewRef(Py_None);
    return Py_BuildValue("NNNN", core_name(document->id), text, core_name(document->group),
                         core_name(document->metadata));
}

const char core_store_get_doc[] =
    PyDoc_STR("get($self, id, /)\n--\n\n"
              "A document: (id, text, group, metadata), or None. The text is None where\n"
              "the index keeps none.");

PyObject *core_store_get(PyObject *object, PyObject *id)
{
    core_store *self = (core_store *)object;
    twinset_index_document document;
    twinset_error error = {""};
    PyObject *found = NULL, *name = PyUnicode_EncodeFSDefault(id);
    if (!name || core_store_enter(self)) {
        Py_XDECREF(name);
        return NULL;
    }
    int status =
        twinset_index_get(self->handle, PyBytes_AsString(name), &document, sizeof document, &error);
    Py_DECREF(name);
    if (status == TWINSET_OK)
        found = document_tuple(&document);
    else if (status == TWINSET_EMPTY)
        found = Py_NewRef(Py_None);
    core_lock_give(&self->lock);
    return found || PyErr_Occurred() ? found : core_fail(core_state_of(object), status, &error);
}

static int take_document(void *context, const twinset_index_document *document)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    int failure = core_store_take(context, document_tuple(document));
    PyGILState_Release(gil);
    return failure;
}

const char core_store_dump_doc[] =
    PyDoc_STR("dump($self, take, pattern=None, /)\n--\n\n"
              "Calls take(id, text, group, metadata) for all documents, or for those\n"
              "whose id matches a pattern, in the order in which they were added.");

PyObject *core_store_dump(PyObject *object, PyObject *arguments)
{
    core_store *self = (core_store *)object;
    core_store_taker taker = {.self = self};
    const char *pattern = NULL;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "O|z", &taker.take, &pattern) || core_store_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_dump(self->handle, pattern, take_document, &taker, &error);
    Py_END_ALLOW_THREADS;
    return core_store_leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

static int take_cluster(void *context, const char *const *members, size_t count)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count && list; i++) {
        PyObject *name = core_name(members[i]);
        if (!name || PyList_Append(list, name))
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    int failure = core_store_take(context, list ? Py_BuildValue("(N)", list) : NULL);
    PyGILState_Release(gil);
    return failure;
}

const char core_store_clusters_doc[] =
    PyDoc_STR("clusters($self, take, /)\n--\n\n"
              "Calls take(ids) for each cluster that add_find() made.");

PyObject *core_store_clusters(PyObject *object, PyObject *take)
{
    core_store *self = (core_store *)object;
    core_store_taker taker = {self, take};
    twinset_error error = {""};
    int status;
    if (core_store_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_clusters(self->handle, take_cluster, &taker, &error);
    Py_END_ALLOW_THREADS;
    return core_store_leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

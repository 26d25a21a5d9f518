/* Texts in memory as documents of an index, and the removal of documents. */
#include "store.h"

#include <string.h>

/* ---- a batch */

/* A call of add_texts(). Each list has a member for each text, or is empty. */
typedef struct batch_call {
    core_texts texts, lists[3]; /* names, groups, metadata */
    PyObject *strings;          /* list of bytes, each terminated by NUL */
    twinset_index_document *documents;
} batch_call;

enum { NAMES, GROUPS, METADATA };

/* A copy of a string that is terminated by NUL. Borrowed from the call. */
static const char *keep_string(batch_call *call, int list, size_t i)
{
    const core_texts *from = &call->lists[list];
    if (!from->count || !from->starts[i])
        return "";
    PyObject *bytes = PyBytes_FromStringAndSize(from->starts[i], (Py_ssize_t)from->lengths[i]);
    int status = bytes ? PyList_Append(call->strings, bytes) : -1;
    const char *string = status ? NULL : PyBytes_AsString(bytes);
    Py_XDECREF(bytes); /* the list holds it */
    if (string && strlen(string) != from->lengths[i]) {
        PyErr_SetString(PyExc_ValueError, "an id, a group or metadata has a NUL character");
        return NULL;
    }
    return string;
}

static int make_document(batch_call *call, size_t i)
{
    const char *id = keep_string(call, NAMES, i), *group = keep_string(call, GROUPS, i),
               *metadata = keep_string(call, METADATA, i);
    if (!id || !group || !metadata)
        return -1;
    call->documents[i] = (twinset_index_document){
        .size = sizeof *call->documents,
        .id = id,
        .text = call->texts.starts[i] ? call->texts.starts[i] : "",
        .text_length = call->texts.lengths[i],
        .group = group[0] ? group : NULL,
        .metadata = metadata[0] ? metadata : NULL,
    };
    return 0;
}

static int take_list(batch_call *call, int list, PyObject *from)
{
    core_texts *texts = &call->lists[list];
    if (from == Py_None)
        return 0;
    if (core_texts_take(texts, from, list == NAMES ? CORE_NAMES : CORE_TEXTS))
        return -1;
    if (texts->count == call->texts.count)
        return 0;
    PyErr_Format(PyExc_ValueError, "there are %zu texts, but %zu ids, groups or metadata",
                 call->texts.count, texts->count);
    return -1;
}

static int make_documents(batch_call *call, PyObject *texts, PyObject *const lists[3])
{
    int status = core_texts_take(&call->texts, texts, CORE_TEXTS);
    for (int i = 0; i < 3 && status == 0; i++)
        status = take_list(call, i, lists[i]);
    call->strings = status == 0 ? PyList_New(0) : NULL;
    if (!call->strings)
        return -1;
    call->documents = PyMem_Calloc(call->texts.count + 1, sizeof *call->documents);
    if (!call->documents) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < call->texts.count && status == 0; i++)
        status = make_document(call, i);
    return status;
}

static PyObject *add_documents(core_store *self, const batch_call *call)
{
    twinset_index_counts counts = {0};
    twinset_error error = {""};
    int status;
    if (core_store_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_add_texts(self->handle, call->documents, call->texts.count, &counts,
                                     sizeof counts, &error);
    Py_END_ALLOW_THREADS;
    return core_store_leave(self, status, &error) ? NULL : core_store_counts(&counts);
}

const char core_store_add_texts_doc[] =
    PyDoc_STR("add_texts($self, texts, names, groups=None, metadata=None)\n--\n\n"
              "Adds texts in memory as one batch. Returns (added, known, skipped).");

PyObject *core_store_add_texts(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"texts", "names", "groups", "metadata", NULL};
    PyObject *texts, *lists[] = {Py_None, Py_None, Py_None};
    batch_call call = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO", names_of, &texts, &lists[NAMES],
                                     &lists[GROUPS], &lists[METADATA]))
        return NULL;
    int status = make_documents(&call, texts, lists);
    PyObject *counts = status ? NULL : add_documents((core_store *)self, &call);
    core_texts_free(&call.texts);
    for (int i = 0; i < 3; i++)
        core_texts_free(&call.lists[i]);
    Py_XDECREF(call.strings);
    PyMem_Free(call.documents);
    return counts;
}

/* ---- removing */

static PyObject *removed_tuple(core_store *self, int status, const twinset_index_counts *counts,
                               const twinset_error *error)
{
    if (core_store_leave(self, status, error))
        return NULL;
    return Py_BuildValue("KK", (unsigned long long)counts->removed,
                         (unsigned long long)counts->unknown);
}

const char core_store_remove_doc[] =
    PyDoc_STR("remove($self, ids, /)\n--\n\n"
              "Removes documents, as one batch. Returns (removed, unknown).");

PyObject *core_store_remove(PyObject *object, PyObject *ids)
{
    core_store *self = (core_store *)object;
    batch_call call = {0};
    PyObject *const lists[] = {ids, Py_None, Py_None};
    twinset_index_counts counts = {0};
    twinset_error error = {""};
    PyObject *answer = NULL;
    int status = make_documents(&call, ids, lists);
    const char **names = status == 0 ? PyMem_Calloc(call.texts.count + 1, sizeof *names) : NULL;
    for (size_t i = 0; i < call.texts.count && names; i++)
        names[i] = call.documents[i].id;
    if (status == 0 && !names)
        PyErr_NoMemory();
    if (names && core_store_enter(self) == 0) {
        Py_BEGIN_ALLOW_THREADS;
        status = twinset_index_remove(self->handle, names, call.texts.count, &counts, sizeof counts,
                                      &error);
        Py_END_ALLOW_THREADS;
        answer = removed_tuple(self, status, &counts, &error);
    }
    core_texts_free(&call.texts);
    core_texts_free(&call.lists[NAMES]);
    Py_XDECREF(call.strings);
    PyMem_Free(call.documents);
    PyMem_Free(names);
    return answer;
}

const char core_store_remove_matching_doc[] =
    PyDoc_STR("remove_matching($self, pattern, group, /)\n--\n\n"
              "Removes the documents whose id matches, and that are of a group; None: any.\n"
              "Gives (removed, unknown).");

PyObject *core_store_remove_matching(PyObject *object, PyObject *arguments)
{
    core_store *self = (core_store *)object;
    const char *pattern, *group;
    twinset_index_counts counts = {0};
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "zz", &pattern, &group) || core_store_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status =
        twinset_index_remove_matching(self->handle, pattern, group, &counts, sizeof counts, &error);
    Py_END_ALLOW_THREADS;
    return removed_tuple(self, status, &counts, &error);
}

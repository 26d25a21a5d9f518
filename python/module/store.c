/*
 * Store: an index of documents in a file, by twinset_index.h. Documents and queries are a
 * Collection with the options of the store, or, for a batch in memory, texts.
 *
 * A call takes the lock of the store, then that of the collection.
 */
#include "module.h"

#include <errno.h>
#include <string.h>
#include <twinset_index.h>

struct core_store {
    PyObject_HEAD twinset_index *handle; /* NULL once it is closed */
    PyObject *options;                   /* dict: what the handle's options point to */
    core_lock lock;
    core_raised raised; /* by a callback of the call that holds the lock */
};

/* ---- calls */

static int enter(core_store *self)
{
    if (core_lock_take(&self->lock, core_state_of((PyObject *)self), "the index"))
        return -1;
    if (self->handle)
        return 0;
    core_lock_give(&self->lock);
    PyErr_SetString(PyExc_ValueError, "the index is closed");
    return -1;
}

static int leave(core_store *self, int status, const twinset_error *error)
{
    bool raised = core_raised_again(&self->raised);
    core_lock_give(&self->lock);
    if (!raised && status != TWINSET_OK)
        core_fail(core_state_of((PyObject *)self), status, error);
    return raised || status != TWINSET_OK ? -1 : 0;
}

int core_store_options(core_store *self, twinset_options *options)
{
    twinset_error error = {""};
    if (enter(self))
        return -1;
    double threshold = options->threshold;
    int status = twinset_index_options(self->handle, options, sizeof *options, &error);
    if (threshold != TWINSET_AUTO)
        options->threshold = threshold;
    return leave(self, status, &error);
}

static PyObject *counts_tuple(const twinset_index_counts *counts)
{
    return Py_BuildValue("KKK", (unsigned long long)counts->added,
                         (unsigned long long)counts->known, (unsigned long long)counts->skipped);
}

/* ---- texts in memory */

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
    if (enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_add_texts(self->handle, call->documents, call->texts.count, &counts,
                                     sizeof counts, &error);
    Py_END_ALLOW_THREADS;
    return leave(self, status, &error) ? NULL : counts_tuple(&counts);
}

PyDoc_STRVAR(add_texts_doc, "add_texts($self, texts, names, groups=None, metadata=None)\n--\n\n"
                            "Adds texts in memory as one batch. Returns (added, known, skipped).");

static PyObject *add_texts(PyObject *self, PyObject *arguments, PyObject *keywords)
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

/* ---- collections */

/* What a call does with a collection: it adds, queries, or both. */
typedef enum store_work { STORE_ADD, STORE_QUERY, STORE_ADD_FIND } store_work;

static int run_work(store_work work, core_store *self, core_collection *collection,
                    twinset_result **result, twinset_index_counts *counts, twinset_error *error)
{
    if (work == STORE_QUERY)
        return twinset_index_query(self->handle, collection->handle, result, error);
    if (work == STORE_ADD)
        return twinset_index_add(self->handle, collection->handle, counts, sizeof *counts, error);
    return twinset_index_add_find(self->handle, collection->handle, result, counts, sizeof *counts,
                                  error);
}

static int run_collection(core_store *self, PyObject *object, store_work work,
                          twinset_result **result, twinset_index_counts *counts)
{
    core_collection *collection = (core_collection *)object;
    twinset_error error = {""};
    int status;
    *result = NULL;
    if (!PyObject_TypeCheck(object, core_state_of((PyObject *)self)->collection)) {
        PyErr_SetString(PyExc_TypeError, "a Collection is wanted");
        return -1;
    }
    if (enter(self))
        return -1;
    if (core_collection_enter(collection)) {
        core_lock_give(&self->lock);
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = run_work(work, self, collection, result, counts, &error);
    Py_END_ALLOW_THREADS;
    int failed = core_collection_leave(collection, status, &error);
    core_lock_give(&self->lock);
    if (failed && status == TWINSET_OK && *result)
        twinset_result_free(*result);
    return failed;
}

PyDoc_STRVAR(add_doc, "add($self, collection, /)\n--\n\n"
                      "Adds the documents of a collection. Returns (added, known, skipped).");

static PyObject *add(PyObject *self, PyObject *collection)
{
    twinset_index_counts counts = {0};
    twinset_result *result;
    if (run_collection((core_store *)self, collection, STORE_ADD, &result, &counts))
        return NULL;
    return counts_tuple(&counts);
}

PyDoc_STRVAR(query_doc, "query($self, collection, /)\n--\n\n"
                        "Finds the documents of the index that resemble those of a collection.");

static PyObject *query(PyObject *self, PyObject *collection)
{
    twinset_index_counts counts = {0};
    twinset_result *result;
    if (run_collection((core_store *)self, collection, STORE_QUERY, &result, &counts))
        return NULL;
    return core_result_new((core_collection *)collection, result);
}

PyDoc_STRVAR(add_find_doc, "add_find($self, collection, /)\n--\n\n"
                           "Queries the documents of a collection, and adds them.\n"
                           "Returns (result, (added, known, skipped)).");

static PyObject *add_find(PyObject *self, PyObject *collection)
{
    twinset_index_counts counts = {0};
    twinset_result *result;
    if (run_collection((core_store *)self, collection, STORE_ADD_FIND, &result, &counts))
        return NULL;
    return Py_BuildValue("NN", core_result_new((core_collection *)collection, result),
                         counts_tuple(&counts));
}

static PyObject *skip_at(PyObject *self, size_t i)
{
    twinset_skip skip;
    int status = twinset_index_skip(((core_store *)self)->handle, i, &skip, sizeof skip);
    return core_skip_tuple(self, status, &skip);
}

PyDoc_STRVAR(skipped_doc, "skipped($self, /)\n--\n\n"
                          "The documents that the last call that adds skipped because of what\n"
                          "the index has: (id, reason, is_empty).");

static PyObject *skipped(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    twinset_skip skip;
    size_t count = 0;
    if (enter(self))
        return NULL;
    while (twinset_index_skip(self->handle, count, &skip, sizeof skip) == TWINSET_OK)
        count++;
    PyObject *list = core_list(object, count, skip_at);
    core_lock_give(&self->lock);
    return list;
}

/* ---- documents out */

static PyObject *document_tuple(const twinset_index_document *document)
{
    PyObject *text = document->text
                         ? PyUnicode_DecodeUTF8(document->text, (Py_ssize_t)document->text_length,
                                                "surrogateescape")
                         : Py_NewRef(Py_None);
    return Py_BuildValue("NNNN", core_name(document->id), text, core_name(document->group),
                         core_name(document->metadata));
}

PyDoc_STRVAR(get_doc, "get($self, id, /)\n--\n\n"
                      "A document: (id, text, group, metadata), or None. The text is None where\n"
                      "the index keeps none.");

static PyObject *get(PyObject *object, PyObject *id)
{
    core_store *self = (core_store *)object;
    twinset_index_document document;
    twinset_error error = {""};
    PyObject *found = NULL, *name = PyUnicode_EncodeFSDefault(id);
    if (!name || enter(self)) {
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

/* A Python callable that is the callback of a walk. */
typedef struct walk {
    core_store *self;
    PyObject *take;
} walk;

static int call_take(walk *context, PyObject *arguments)
{
    PyObject *answer = arguments ? PyObject_CallObject(context->take, arguments) : NULL;
    Py_XDECREF(arguments);
    if (!answer)
        core_raised_keep(&context->self->raised);
    Py_XDECREF(answer);
    return answer ? 0 : ECANCELED;
}

static int take_document(void *context, const twinset_index_document *document)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    int failure = call_take(context, document_tuple(document));
    PyGILState_Release(gil);
    return failure;
}

PyDoc_STRVAR(dump_doc, "dump($self, take, pattern=None, /)\n--\n\n"
                       "Calls take(id, text, group, metadata) for all documents, or for those\n"
                       "whose id matches a pattern, in the order in which they were added.");

static PyObject *dump(PyObject *object, PyObject *arguments)
{
    core_store *self = (core_store *)object;
    walk context = {.self = self};
    const char *pattern = NULL;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "O|z", &context.take, &pattern) || enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_dump(self->handle, pattern, take_document, &context, &error);
    Py_END_ALLOW_THREADS;
    return leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
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
    int failure = call_take(context, list ? Py_BuildValue("(N)", list) : NULL);
    PyGILState_Release(gil);
    return failure;
}

PyDoc_STRVAR(clusters_doc, "clusters($self, take, /)\n--\n\n"
                           "Calls take(ids) for each cluster that add_find() made.");

static PyObject *clusters(PyObject *object, PyObject *take)
{
    core_store *self = (core_store *)object;
    walk context = {self, take};
    twinset_error error = {""};
    int status;
    if (enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_clusters(self->handle, take_cluster, &context, &error);
    Py_END_ALLOW_THREADS;
    return leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* ---- removing */

static PyObject *removed_tuple(core_store *self, int status, const twinset_index_counts *counts,
                               const twinset_error *error)
{
    if (leave(self, status, error))
        return NULL;
    return Py_BuildValue("KK", (unsigned long long)counts->removed,
                         (unsigned long long)counts->unknown);
}

PyDoc_STRVAR(remove_doc, "remove($self, ids, /)\n--\n\n"
                         "Removes documents, as one batch. Returns (removed, unknown).");

static PyObject *remove_ids(PyObject *object, PyObject *ids)
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
    if (names && enter(self) == 0) {
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

PyDoc_STRVAR(remove_matching_doc,
             "remove_matching($self, pattern, group, /)\n--\n\n"
             "Removes the documents whose id matches, and that are of a group; None: any.\n"
             "Gives (removed, unknown).");

static PyObject *remove_matching(PyObject *object, PyObject *arguments)
{
    core_store *self = (core_store *)object;
    const char *pattern, *group;
    twinset_index_counts counts = {0};
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "zz", &pattern, &group) || enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status =
        twinset_index_remove_matching(self->handle, pattern, group, &counts, sizeof counts, &error);
    Py_END_ALLOW_THREADS;
    return removed_tuple(self, status, &counts, &error);
}

/* ---- the whole index */

PyDoc_STRVAR(stat_doc, "stat($self, /)\n--\n\nFigures, as a dict.");

static PyObject *get_stat(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    twinset_index_stat found;
    twinset_error error = {""};
    if (enter(self))
        return NULL;
    int status = twinset_index_stat_get(self->handle, &found, sizeof found, &error);
    if (leave(self, status, &error))
        return NULL;
    typedef unsigned long long number;
    return Py_BuildValue("{sKsKsKsKsKsKsKsKsIsIsIsdsOsO}", "documents", (number)found.documents,
                         "tokens", (number)found.tokens, "text_bytes", (number)found.text_bytes,
                         "file_bytes", (number)found.file_bytes, "batches", (number)found.batches,
                         "runs", (number)found.runs, "postings", (number)found.postings,
                         "clustered", (number)found.clustered, "version", found.version, "bands",
                         found.bands, "rows", found.rows, "threshold", found.threshold, "has_texts",
                         found.has_texts ? Py_True : Py_False, "has_fingerprints",
                         found.has_fingerprints ? Py_True : Py_False);
}

static int take_problem(void *context, const char *problem)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    int failure = call_take(context, Py_BuildValue("(s)", problem));
    PyGILState_Release(gil);
    return failure;
}

PyDoc_STRVAR(verify_doc,
             "verify($self, take, /)\n--\n\n"
             "Reads all of the index, and calls take(sentence) for each problem, after\n"
             "which it fails. Gives the number of documents.");

static PyObject *verify(PyObject *object, PyObject *take)
{
    core_store *self = (core_store *)object;
    walk context = {self, take};
    uint64_t documents = 0;
    twinset_error error = {""};
    int status;
    if (enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_verify(self->handle, take_problem, &context, &documents, &error);
    Py_END_ALLOW_THREADS;
    return leave(self, status, &error) ? NULL : PyLong_FromUnsignedLongLong(documents);
}

PyDoc_STRVAR(optimize_doc, "optimize($self, /)\n--\n\nMakes the file small and fast.");

static PyObject *optimize(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    twinset_error error = {""};
    int status;
    if (enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_optimize(self->handle, &error);
    Py_END_ALLOW_THREADS;
    return leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* Calls backup() or merge(), which take the path of another file. */
static PyObject *with_path(PyObject *object, PyObject *argument, bool is_merge)
{
    core_store *self = (core_store *)object;
    twinset_index_counts counts = {0};
    twinset_error error = {""};
    PyObject *path;
    int status;
    if (!PyUnicode_FSConverter(argument, &path))
        return NULL;
    const char *name = PyBytes_AsString(path);
    if (!name || enter(self)) {
        Py_DECREF(path);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = is_merge ? twinset_index_merge(self->handle, name, &counts, sizeof counts, &error)
                      : twinset_index_backup(self->handle, name, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return leave(self, status, &error) ? NULL : counts_tuple(&counts);
}

PyDoc_STRVAR(backup_doc, "backup($self, path, /)\n--\n\nCopies the index to a new file.");

static PyObject *backup(PyObject *self, PyObject *path)
{
    PyObject *counts = with_path(self, path, false);
    Py_XDECREF(counts);
    return counts ? Py_NewRef(Py_None) : NULL;
}

PyDoc_STRVAR(merge_doc, "merge($self, path, /)\n--\n\n"
                        "Adds the documents of another index. Returns (added, known, skipped).");

static PyObject *merge(PyObject *self, PyObject *path)
{
    return with_path(self, path, true);
}

PyDoc_STRVAR(close_doc, "close($self, /)\n--\n\nWrites the log to the file, and closes it.");

static PyObject *close_store(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    if (core_lock_take(&self->lock, core_state_of(object), "the index"))
        return NULL;
    twinset_index *handle = self->handle;
    self->handle = NULL;
    core_lock_give(&self->lock);
    Py_BEGIN_ALLOW_THREADS;
    twinset_index_close(handle);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

/* ---- the type */

static int open_store(core_store *self, const core_state *state, const char *path,
                      PyObject *settings, unsigned flags)
{
    twinset_options options;
    twinset_error error = {""};
    int status;
    self->options = core_options(state, settings, &options);
    if (!self->options || core_lock_init(&self->lock))
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_open(path, &options, flags, &self->handle, &error);
    Py_END_ALLOW_THREADS;
    if (status != TWINSET_OK)
        core_fail(state, status, &error);
    return status == TWINSET_OK ? 0 : -1;
}

static PyObject *new_store(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names_of[] = {"path", "options", "read_only", "create", "no_text", NULL};
    PyObject *path, *options = Py_None;
    int read_only = 0, create = 0, no_text = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|Oppp", names_of,
                                     PyUnicode_FSConverter, &path, &options, &read_only, &create,
                                     &no_text))
        return NULL;
    unsigned flags = (read_only ? TWINSET_INDEX_READ_ONLY : 0) |
                     (create ? TWINSET_INDEX_CREATE : 0) | (no_text ? TWINSET_INDEX_NO_TEXT : 0);
    const char *name = PyBytes_AsString(path);
    core_store *self = name ? (core_store *)PyType_GenericAlloc(type, 0) : NULL;
    int status = self ? open_store(self, PyType_GetModuleState(type), name, options, flags) : -1;
    Py_DECREF(path);
    if (status == 0)
        return (PyObject *)self;
    Py_XDECREF((PyObject *)self);
    return NULL;
}

static void dealloc(PyObject *object)
{
    core_store *self = (core_store *)object;
    PyTypeObject *type = Py_TYPE(object);
    twinset_index_close(self->handle);
    core_lock_free(&self->lock);
    core_raised_free(&self->raised);
    Py_XDECREF(self->options);
    PyObject_Free(object);
    Py_DECREF(type);
}

static char type_doc[] =
    "Store(path, options=None, read_only=False, create=False, no_text=False)\n--\n\n"
    "An index of documents in a file.";

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"add_texts", WITH_KEYWORDS(add_texts), add_texts_doc},
    {"add", add, METH_O, add_doc},
    {"add_find", add_find, METH_O, add_find_doc},
    {"query", query, METH_O, query_doc},
    {"skipped", skipped, METH_NOARGS, skipped_doc},
    {"get", get, METH_O, get_doc},
    {"dump", dump, METH_VARARGS, dump_doc},
    {"clusters", clusters, METH_O, clusters_doc},
    {"remove", remove_ids, METH_O, remove_doc},
    {"remove_matching", remove_matching, METH_VARARGS, remove_matching_doc},
    {"stat", get_stat, METH_NOARGS, stat_doc},
    {"verify", verify, METH_O, verify_doc},
    {"optimize", optimize, METH_NOARGS, optimize_doc},
    {"backup", backup, METH_O, backup_doc},
    {"merge", merge, METH_O, merge_doc},
    {"close", close_store, METH_NOARGS, close_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},
    {Py_tp_new, new_store},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {0},
};

PyType_Spec core_store_spec = {
    .name = "twinset._core.Store",
    .basicsize = sizeof(core_store),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

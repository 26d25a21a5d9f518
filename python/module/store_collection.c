/* Collections as documents or queries of an index. */
#include "store.h"

/* What a call does with a collection: it adds, queries, or both. */
typedef enum store_work { STORE_ADD, STORE_QUERY, STORE_ADD_FIND } store_work;

/* A call with a collection, and what it gives. */
typedef struct store_call {
    store_work work;
    twinset_result *result; /* NULL for STORE_ADD */
    twinset_index_counts counts;
} store_call;

static int run_work(twinset_index *index, twinset_collection *collection, store_call *call,
                    twinset_error *error)
{
    twinset_index_counts *counts = &call->counts;
    if (call->work == STORE_QUERY)
        return twinset_index_query(index, collection, &call->result, error);
    if (call->work == STORE_ADD)
        return twinset_index_add(index, collection, counts, sizeof *counts, error);
    return twinset_index_add_find(index, collection, &call->result, counts, sizeof *counts, error);
}

static int run_collection(core_store *self, PyObject *object, store_call *call)
{
    core_collection *collection = (core_collection *)object;
    twinset_error error = {""};
    int status;
    if (!PyObject_TypeCheck(object, core_state_of((PyObject *)self)->collection)) {
        PyErr_SetString(PyExc_TypeError, "a Collection is wanted");
        return -1;
    }
    if (core_store_enter(self))
        return -1;
    if (core_collection_enter(collection)) {
        core_lock_give(&self->lock);
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = run_work(self->handle, collection->handle, call, &error);
    Py_END_ALLOW_THREADS;
    int failed = core_collection_leave(collection, status, &error);
    core_lock_give(&self->lock);
    if (failed && status == TWINSET_OK && call->result)
        twinset_result_free(call->result);
    return failed;
}

const char core_store_add_doc[] =
    PyDoc_STR("add($self, collection, /)\n--\n\n"
              "Adds the documents of a collection. Returns (added, known, skipped).");

PyObject *core_store_add(PyObject *self, PyObject *collection)
{
    store_call call = {.work = STORE_ADD};
    if (run_collection((core_store *)self, collection, &call))
        return NULL;
    return core_store_counts(&call.counts);
}

const char core_store_query_doc[] =
    PyDoc_STR("query($self, collection, /)\n--\n\n"
              "Finds the documents of the index that resemble those of a collection.");

PyObject *core_store_query(PyObject *self, PyObject *collection)
{
    store_call call = {.work = STORE_QUERY};
    if (run_collection((core_store *)self, collection, &call))
        return NULL;
    return core_result_new((core_collection *)collection, call.result);
}

const char core_store_add_find_doc[] =
    PyDoc_STR("add_find($self, collection, /)\n--\n\n"
              "Queries the documents of a collection, and adds them.\n"
              "Returns (result, (added, known, skipped)).");

PyObject *core_store_add_find(PyObject *self, PyObject *collection)
{
    store_call call = {.work = STORE_ADD_FIND};
    if (run_collection((core_store *)self, collection, &call))
        return NULL;
    return Py_BuildValue("NN", core_result_new((core_collection *)collection, call.result),
                         core_store_counts(&call.counts));
}

static PyObject *skip_at(PyObject *self, size_t i)
{
    twinset_skip skip;
    int status = twinset_index_skip(((core_store *)self)->handle, i, &skip, sizeof skip);
    return core_skip_tuple(self, status, &skip);
}

const char core_store_skipped_doc[] =
    PyDoc_STR("skipped($self, /)\n--\n\n"
              "The documents that the last call that adds skipped because of what\n"
              "the index has: (id, reason, is_empty).");

PyObject *core_store_skipped(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    twinset_skip skip;
    size_t count = 0;
    if (core_store_enter(self))
        return NULL;
    while (twinset_index_skip(self->handle, count, &skip, sizeof skip) == TWINSET_OK)
        count++;
    PyObject *list = core_list(object, count, skip_at);
    core_lock_give(&self->lock);
    return list;
}

/*
 * Store: an index of documents in a file, by twinset_index.h. Its methods, by file:
 *   store.c             the type; opens and closes the index, and has the lock of calls
 *   store_texts.c       adds texts in memory, and removes documents
 *   store_collection.c  adds and queries the documents of a Collection
 *   store_documents.c   gives documents and their clusters
 *   store_whole.c       figures, checks, and copies of the whole index
 *
 * A call takes the lock of the store, then that of the collection.
 */
#ifndef CORE_STORE_H
#define CORE_STORE_H

#include "module.h"

#include <twinset_index.h>

struct core_store {
    PyObject_HEAD twinset_index *handle; /* NULL once it is closed */
    PyObject *options;                   /* dict: what the handle's options point to */
    core_lock lock;
    core_raised raised; /* by a callback of the call that holds the lock */
};

/* ---- store.c */

/* Take the lock for a call; release it after the call, and set the exception of the call. */
int core_store_enter(core_store *self);
int core_store_leave(core_store *self, int status, const twinset_error *error);

/* (added, known, skipped) */
PyObject *core_store_counts(const twinset_index_counts *counts);

/* A Python callable, as the context of a callback of the engine. */
typedef struct core_store_taker {
    core_store *self;
    PyObject *take;
} core_store_taker;

/* Calls the callable with a tuple, which it frees; NULL stands for an exception. The thread has the
 * GIL. Returns what the callback is to return: 0, or ECANCELED with the exception stored. */
int core_store_take(core_store_taker *taker, PyObject *arguments);

/* ---- store_texts.c */

PyObject *core_store_add_texts(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_store_remove(PyObject *self, PyObject *ids);
PyObject *core_store_remove_matching(PyObject *self, PyObject *arguments);
extern const char core_store_add_texts_doc[], core_store_remove_doc[],
    core_store_remove_matching_doc[];

/* ---- store_collection.c */

PyObject *core_store_add(PyObject *self, PyObject *collection);
PyObject *core_store_query(PyObject *self, PyObject *collection);
PyObject *core_store_add_find(PyObject *self, PyObject *collection);
PyObject *core_store_skipped(PyObject *self, PyObject *nothing);
extern const char core_store_add_doc[], core_store_query_doc[], core_store_add_find_doc[],
    core_store_skipped_doc[];

/* ---- store_documents.c */

PyObject *core_store_get(PyObject *self, PyObject *id);
PyObject *core_store_dump(PyObject *self, PyObject *arguments);
PyObject *core_store_clusters(PyObject *self, PyObject *take);
extern const char core_store_get_doc[], core_store_dump_doc[], core_store_clusters_doc[];

/* ---- store_whole.c */

PyObject *core_store_stat(PyObject *self, PyObject *nothing);
PyObject *core_store_verify(PyObject *self, PyObject *take);
PyObject *core_store_optimize(PyObject *self, PyObject *nothing);
PyObject *core_store_backup(PyObject *self, PyObject *path);
PyObject *core_store_merge(PyObject *self, PyObject *path);
extern const char core_store_stat_doc[], core_store_verify_doc[], core_store_optimize_doc[],
    core_store_backup_doc[], core_store_merge_doc[];

#endif

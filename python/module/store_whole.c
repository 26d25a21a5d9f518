/* The whole index: its figures, its check, and its copies. */
#include "store.h"

const char core_store_stat_doc[] = PyDoc_STR("stat($self, /)\n--\n\nFigures, as a dict.");

PyObject *core_store_stat(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    twinset_index_stat found;
    twinset_error error = {""};
    if (core_store_enter(self))
        return NULL;
    int status = twinset_index_stat_get(self->handle, &found, sizeof found, &error);
    if (core_store_leave(self, status, &error))
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
    int failure = core_store_take(context, Py_BuildValue("(s)", problem));
    PyGILState_Release(gil);
    return failure;
}

const char core_store_verify_doc[] =
    PyDoc_STR("verify($self, take, /)\n--\n\n"
              "Reads all of the index, and calls take(sentence) for each problem, after\n"
              "which it fails. Gives the number of documents.");

PyObject *core_store_verify(PyObject *object, PyObject *take)
{
    core_store *self = (core_store *)object;
    core_store_taker taker = {self, take};
    uint64_t documents = 0;
    twinset_error error = {""};
    int status;
    if (core_store_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_verify(self->handle, take_problem, &taker, &documents, &error);
    Py_END_ALLOW_THREADS;
    return core_store_leave(self, status, &error) ? NULL : PyLong_FromUnsignedLongLong(documents);
}

const char core_store_optimize_doc[] =
    PyDoc_STR("optimize($self, /)\n--\n\nMakes the file small and fast.");

PyObject *core_store_optimize(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    core_store *self = (core_store *)object;
    twinset_error error = {""};
    int status;
    if (core_store_enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_index_optimize(self->handle, &error);
    Py_END_ALLOW_THREADS;
    return core_store_leave(self, status, &error) ? NULL : Py_NewRef(Py_None);
}

/* A call with the path of another file. */
typedef int path_call(twinset_index *index, const char *path, twinset_index_counts *counts,
                      twinset_error *error);

static int copy_to(twinset_index *index, const char *path, twinset_index_counts *Py_UNUSED(counts),
                   twinset_error *error)
{
    return twinset_index_backup(index, path, error);
}

static int merge_from(twinset_index *index, const char *path, twinset_index_counts *counts,
                      twinset_error *error)
{
    return twinset_index_merge(index, path, counts, sizeof *counts, error);
}

static int run_with_path(PyObject *object, PyObject *argument, path_call *call,
                         twinset_index_counts *counts)
{
    core_store *self = (core_store *)object;
    twinset_error error = {""};
    PyObject *path;
    int status;
    if (!PyUnicode_FSConverter(argument, &path))
        return -1;
    const char *name = PyBytes_AsString(path);
    if (!name || core_store_enter(self)) {
        Py_DECREF(path);
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = call(self->handle, name, counts, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return core_store_leave(self, status, &error);
}

const char core_store_backup_doc[] =
    PyDoc_STR("backup($self, path, /)\n--\n\nCopies the index to a new file.");

PyObject *core_store_backup(PyObject *self, PyObject *path)
{
    twinset_index_counts counts = {0};
    return run_with_path(self, path, copy_to, &counts) ? NULL : Py_NewRef(Py_None);
}

const char core_store_merge_doc[] =
    PyDoc_STR("merge($self, path, /)\n--\n\n"
              "Adds the documents of another index. Returns (added, known, skipped).");

PyObject *core_store_merge(PyObject *self, PyObject *path)
{
    twinset_index_counts counts = {0};
    return run_with_path(self, path, merge_from, &counts) ? NULL : core_store_counts(&counts);
}

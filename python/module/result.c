/*
 * Result: the result of a run. It keeps its collection alive, whose texts are needed to write
 * cleaned inputs. Its numbers do not change, so they are read without the lock; passages and output
 * need the lock. result.h lists the files of its methods.
 */
#include "result.h"

PyObject *core_scan_formats(void)
{
    PyObject *list = PyList_New(0);
    twinset_format_info info;
    for (size_t i = 0; list && twinset_format_at(i, &info, sizeof info) == TWINSET_OK; i++) {
        PyObject *name =
            info.uses & TWINSET_FORMAT_OF_SCAN ? PyUnicode_FromString(info.name) : NULL;
        if (name ? PyList_Append(list, name) : PyErr_Occurred() != NULL)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* ---- figures, notes and clusters of the run */

PyDoc_STRVAR(run_doc, "run($self, /)\n--\n\nHow the run went, in numbers.");

static PyObject *run(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const twinset_run *run = &((const core_result *)object)->run;
    return Py_BuildValue(
        "{sn sn sn sn sn sn sn ss sI sI sK sK sN sK sK sK sK sK sK sK sn sn sK}", "documents",
        (Py_ssize_t)run->documents, "pairs", (Py_ssize_t)run->pairs, "clusters",
        (Py_ssize_t)run->clusters, "skipped", (Py_ssize_t)run->skipped, "flagged",
        (Py_ssize_t)run->flagged, "notes", (Py_ssize_t)run->notes, "missing",
        (Py_ssize_t)run->missing, "method", run->method == TWINSET_METHOD_LSH ? "lsh" : "exact",
        "bands", run->bands, "rows", run->rows, "candidates", (unsigned long long)run->candidates,
        "verified", (unsigned long long)run->verified, "expected_recall",
        core_number_or_none(run->expected_recall), "records", (unsigned long long)run->records,
        "bytes", (unsigned long long)run->bytes, "shingles", (unsigned long long)run->shingles,
        "spilled_bytes", (unsigned long long)run->spilled_bytes, "sampled",
        (unsigned long long)run->sampled, "sample_pairs", (unsigned long long)run->sample_pairs,
        "sample_found", (unsigned long long)run->sample_found, "removed", (Py_ssize_t)run->removed,
        "found_pairs", (Py_ssize_t)run->found_pairs, "resumed_bytes",
        (unsigned long long)run->resumed_bytes);
}

static const twinset_result *handle_of(PyObject *self)
{
    return ((const core_result *)self)->handle;
}

static PyObject *skipped_at(PyObject *self, size_t i)
{
    twinset_skip skip;
    int status = twinset_result_skip(handle_of(self), i, &skip, sizeof skip);
    return core_skip_tuple(self, status, &skip);
}

static PyObject *flagged_at(PyObject *self, size_t i)
{
    twinset_flagged_document flagged;
    int status = twinset_result_flagged_document(handle_of(self), i, &flagged, sizeof flagged);
    if (status != TWINSET_OK)
        return core_fail(core_state_of(self), status, NULL);
    return Py_BuildValue("NIN", core_name(flagged.path), flagged.flags,
                         core_name(flagged.encoding));
}

static PyObject *note_at(PyObject *self, size_t i)
{
    return core_sentence(core_state_of(self), twinset_result_note(handle_of(self), i));
}

static PyObject *stage_at(PyObject *self, size_t i)
{
    twinset_stage stage;
    int status = twinset_result_stage(handle_of(self), i, &stage, sizeof stage);
    if (status != TWINSET_OK)
        return core_fail(core_state_of(self), status, NULL);
    return Py_BuildValue("NdK", core_name(stage.name), stage.seconds,
                         (unsigned long long)stage.bytes);
}

PyDoc_STRVAR(skipped_doc, "skipped($self, /)\n--\n\n"
                          "The documents that were skipped: (path, reason, is_empty).");

static PyObject *skipped(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    return core_list(object, self->run.skipped, skipped_at);
}

PyDoc_STRVAR(flagged_doc, "flagged($self, /)\n--\n\n"
                          "Documents with flags for users: (path, flags, encoding).");

static PyObject *flagged(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    return core_list(object, self->run.flagged, flagged_at);
}

PyDoc_STRVAR(notes_doc, "notes($self, /)\n--\n\nSentences for users.");

static PyObject *notes(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    return core_list(object, self->run.notes, note_at);
}

PyDoc_STRVAR(stages_doc, "stages($self, /)\n--\n\nThe stages of the run: (name, seconds, bytes).");

/* Stages are read with the lock, because cleaning adds to them. */
static PyObject *stages(PyObject *object, PyObject *Py_UNUSED(nothing))
{
    const core_result *self = (const core_result *)object;
    if (core_collection_enter(self->collection))
        return NULL;
    PyObject *list = core_list(object, twinset_result_stages(self->handle), stage_at);
    core_lock_give(&self->collection->lock);
    return list;
}

static PyObject *names_list(const char *const *names, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; i < count && list; i++) {
        PyObject *name = core_name(names[i]);
        if (!name || PyList_SetItem(list, (Py_ssize_t)i, name))
            Py_CLEAR(list);
    }
    return list;
}

PyDoc_STRVAR(cluster_doc, "cluster($self, index, /)\n--\n\n"
                          "A cluster: (id, members, representative, min_similarity).");

static PyObject *cluster(PyObject *object, PyObject *argument)
{
    const core_result *self = (const core_result *)object;
    Py_ssize_t index = core_index_of(argument, self->run.clusters);
    if (index < 0)
        return NULL;
    twinset_cluster found;
    int status = twinset_result_cluster(self->handle, (size_t)index, &found, sizeof found);
    if (status != TWINSET_OK)
        return core_fail(core_state_of(object), status, NULL);
    return Py_BuildValue("INNd", found.id, names_list(found.members, found.size),
                         core_name(found.representative), found.min_similarity);
}

/* ---- the type */

PyObject *core_result_new(core_collection *collection, twinset_result *handle)
{
    PyTypeObject *type = core_state_of((PyObject *)collection)->result;
    core_result *self = (core_result *)PyType_GenericAlloc(type, 0);
    if (!self) {
        twinset_result_free(handle);
        return NULL;
    }
    self->handle = handle;
    if (twinset_result_run(handle, &self->run, sizeof self->run) != TWINSET_OK)
        self->run = (twinset_run){0};
    self->collection = (core_collection *)Py_NewRef((PyObject *)collection);
    return (PyObject *)self;
}

static Py_ssize_t length(PyObject *self)
{
    return (Py_ssize_t)((core_result *)self)->run.pairs;
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT((PyObject *)((core_result *)object)->collection);
    return 0;
}

static void dealloc(PyObject *object)
{
    core_result *self = (core_result *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    twinset_result_free(self->handle);
    Py_DECREF((PyObject *)self->collection);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static char type_doc[] = "The result of a run of a Collection. Its length is the number of pairs.";

static PyMethodDef methods[] = {
    {"run", run, METH_NOARGS, run_doc},
    {"pair", core_result_pair, METH_O, core_result_pair_doc},
    {"cluster", cluster, METH_O, cluster_doc},
    {"removed", core_result_removed, METH_O, core_result_removed_doc},
    {"cuts", core_result_cuts, METH_NOARGS, core_result_cuts_doc},
    {"cut", core_result_cut, METH_O, core_result_cut_doc},
    {"skipped", skipped, METH_NOARGS, skipped_doc},
    {"flagged", flagged, METH_NOARGS, flagged_doc},
    {"notes", notes, METH_NOARGS, notes_doc},
    {"stages", stages, METH_NOARGS, stages_doc},
    {"column", core_result_column, METH_VARARGS, core_result_column_doc},
    {"decisions", core_result_decisions, METH_VARARGS, core_result_decisions_doc},
    {"passages", core_result_passages, METH_O, core_result_passages_doc},
    {"write", core_result_write, METH_VARARGS, core_result_write_doc},
    {"write_removed", core_result_write_removed, METH_O, core_result_write_removed_doc},
    {"write_report", core_result_write_report, METH_VARARGS, core_result_write_report_doc},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, type_doc},    {Py_tp_dealloc, dealloc}, {Py_tp_traverse, traverse},
    {Py_tp_methods, methods}, {Py_sq_length, length},   {0},
};

PyType_Spec core_result_spec = {
    .name = "twinset._core.Result",
    .basicsize = sizeof(core_result),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

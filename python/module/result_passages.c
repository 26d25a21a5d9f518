/* The passages of a pair of a result, as dicts. */
#include "result.h"

/* The span of a passage in document 0 or 1 of the pair. */
static PyObject *span_dict(const twinset_passages *passages, size_t index, int side)
{
    twinset_span found = {0}, *span = &found;
    if (twinset_passages_span(passages, index, side, span, sizeof *span) != TWINSET_OK)
        Py_RETURN_NONE;
    return Py_BuildValue("{sN sn sn sn sn sn}", "file", core_name(span->file), "number",
                         (Py_ssize_t)span->file_index, "start", (Py_ssize_t)span->start, "end",
                         (Py_ssize_t)span->end, "first_line", (Py_ssize_t)span->first_line,
                         "last_line", (Py_ssize_t)span->last_line);
}

/* Appends a new object, whose reference it takes. */
static int append_new(PyObject *list, PyObject *item)
{
    int status = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return status;
}

/* The kinds by name. A passage that was only moved is also verbatim. */
static PyObject *kinds_list(unsigned kinds)
{
    static const char *const names[] = {"renamed", "edited",      "alike",  "reordered",
                                        "padded",  "paraphrased", "summary"};
    PyObject *list = PyList_New(0);
    if (list && !(kinds & ~(unsigned)TWINSET_PASSAGE_REORDERED) &&
        append_new(list, PyUnicode_FromString("verbatim")))
        Py_CLEAR(list);
    for (size_t i = 0; i < sizeof names / sizeof *names && list; i++)
        if (kinds >> i & 1 && append_new(list, PyUnicode_FromString(names[i])))
            Py_CLEAR(list);
    return list;
}

static PyObject *renames_list(const twinset_passages *passages, size_t index)
{
    PyObject *list = PyList_New(0);
    twinset_rename rename;
    for (size_t i = 0;
         list && twinset_passages_rename(passages, index, i, &rename, sizeof rename) == TWINSET_OK;
         i++)
        if (append_new(list, Py_BuildValue("NNn", core_name(rename.a), core_name(rename.b),
                                           (Py_ssize_t)rename.count)))
            Py_CLEAR(list);
    return list;
}

static PyObject *passage_dict(const twinset_passages *passages, size_t index,
                              const twinset_passage *passage)
{
    return Py_BuildValue("{sN sN sK sN sK sd sN}", "a", span_dict(passages, index, 0), "b",
                         span_dict(passages, index, 1), "tokens",
                         (unsigned long long)passage->tokens, "kinds", kinds_list(passage->kinds),
                         "documents", (unsigned long long)passage->documents, "rarity",
                         passage->rarity, "renames", renames_list(passages, index));
}

static PyObject *passages_list(const twinset_passages *passages)
{
    if (!passages)
        Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    twinset_passage passage;
    for (size_t i = 0;
         list && twinset_passages_at(passages, i, &passage, sizeof passage) == TWINSET_OK; i++)
        if (append_new(list, passage_dict(passages, i, &passage)))
            Py_CLEAR(list);
    return list;
}

const char core_result_passages_doc[] = PyDoc_STR(
    "passages($self, index, /)\n--\n\n"
    "The common passages of a pair, in the order of a, each a dict. None if the documents are\n"
    "too large for it.");

PyObject *core_result_passages(PyObject *object, PyObject *argument)
{
    const core_result *self = (const core_result *)object;
    twinset_passages *found = NULL;
    twinset_error error = {""};
    int status;
    Py_ssize_t index = core_index_of(argument, self->run.pairs);
    if (index < 0 || core_collection_enter(self->collection))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_result_passages(self->handle, (size_t)index, &found, &error);
    Py_END_ALLOW_THREADS;
    PyObject *list = NULL;
    if (core_collection_leave(self->collection, status, &error) == 0)
        list = passages_list(found);
    if (status == TWINSET_OK)
        twinset_passages_free(found);
    return list;
}

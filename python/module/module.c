/* The module twinset._core: its functions, exceptions and types. */
#include "module.h"

#include <stdio.h>
#include <string.h>

/* ---- options as data */

PyDoc_STRVAR(options_doc,
             "options($module, /)\n--\n\n"
             "The options: (name, letter, argument, topic, help, commands). letter is '' where\n"
             "there is none, argument None for a switch; commands are those that take it.");

static PyObject *option_tuple(const twinset_option_info *info)
{
    char letter[2] = {info->letter, '\0'};
    char help[512]; /* test_core_functions.py checks that all fit */
    snprintf(help, sizeof help, "%s", info->help);
    return Py_BuildValue("sszsss", info->name, letter, info->argument, info->topic,
                         twinset_spell_options(help), info->commands);
}

static PyObject *options(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    PyObject *list = PyList_New(0);
    twinset_option_info info;
    for (size_t i = 0; list && twinset_option_at(i, &info, sizeof info) == TWINSET_OK; i++) {
        PyObject *tuple = option_tuple(&info);
        if (!tuple || PyList_Append(list, tuple))
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

PyDoc_STRVAR(rules_doc,
             "rules($module, /)\n--\n\n"
             "Defaults, limits and lists that all ways to use twinset agree on: name to value.\n"
             "The words of a list have bars between them.");

static PyObject *rules(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    PyObject *dict = PyDict_New();
    twinset_rule_info rule;
    for (size_t i = 0; dict && twinset_rule(i, &rule, sizeof rule) == TWINSET_OK; i++) {
        PyObject *value = PyUnicode_FromString(rule.value);
        if (!value || PyDict_SetItemString(dict, rule.name, value))
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

/* ---- texts */

PyDoc_STRVAR(compare_doc,
             "compare($module, a, b, options=None, /)\n--\n\n"
             "Compares two texts, str or bytes: a pair with the fields of PAIR_FIELDS.");

static PyObject *compare(PyObject *module, PyObject *arguments)
{
    const core_state *state = PyModule_GetState(module);
    PyObject *from_a, *from_b, *settings = Py_None, *kept = NULL, *tuple = NULL;
    core_text a = {0}, b = {0};
    twinset_options chosen;
    twinset_pair pair;
    twinset_error error = {""};
    int status;
    if (!PyArg_ParseTuple(arguments, "OO|O", &from_a, &from_b, &settings))
        return NULL;
    if (core_text_take(&a, from_a, false, "a") || core_text_take(&b, from_b, false, "b") ||
        !(kept = core_options(state, settings, &chosen)))
        goto cleanup;
    Py_BEGIN_ALLOW_THREADS;
    status =
        twinset_compare(a.start, a.length, b.start, b.length, &chosen, &pair, sizeof pair, &error);
    Py_END_ALLOW_THREADS;
    tuple = status == TWINSET_OK ? core_pair_tuple(&pair) : core_fail(state, status, &error);
cleanup:
    Py_XDECREF(kept);
    Py_XDECREF(a.owner);
    Py_XDECREF(b.owner);
    return tuple;
}

/* The arguments of normalise() and shingles(): a text and options. */
typedef struct text_call {
    core_text text;
    twinset_options options;
    PyObject *kept;
} text_call;

static void free_text_call(text_call *call)
{
    Py_XDECREF(call->kept);
    Py_XDECREF(call->text.owner);
}

static int take_text_call(text_call *call, const core_state *state, PyObject *arguments)
{
    PyObject *from, *settings = Py_None;
    call->text.owner = call->kept = NULL;
    if (!PyArg_ParseTuple(arguments, "O|O", &from, &settings) ||
        core_text_take(&call->text, from, false, "text"))
        return -1;
    call->kept = core_options(state, settings, &call->options);
    if (!call->kept)
        free_text_call(call);
    return call->kept ? 0 : -1;
}

PyDoc_STRVAR(normalise_doc,
             "normalise($module, text, options=None, /)\n--\n\nThe text as it is compared.");

static PyObject *normalise(PyObject *module, PyObject *arguments)
{
    const core_state *state = PyModule_GetState(module);
    text_call call;
    char *normal = NULL;
    size_t length = 0;
    twinset_error error = {""};
    int status;
    if (take_text_call(&call, state, arguments))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = twinset_normalise(call.text.start, call.text.length, &call.options, &normal, &length,
                               &error);
    Py_END_ALLOW_THREADS;
    free_text_call(&call);
    if (status != TWINSET_OK)
        return core_fail(state, status, &error);
    PyObject *made = PyUnicode_DecodeUTF8(normal, (Py_ssize_t)length, "replace");
    twinset_free(normal);
    return made;
}

PyDoc_STRVAR(shingles_doc, "shingles($module, text, options=None, /)\n--\n\n"
                           "The 64-bit hashes of a text's shingles, sorted.");

static PyObject *shingles(PyObject *module, PyObject *arguments)
{
    const core_state *state = PyModule_GetState(module);
    text_call call;
    uint64_t *hashes = NULL;
    size_t count = 0;
    twinset_error error = {""};
    int status;
    if (take_text_call(&call, state, arguments))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status =
        twinset_shingles(call.text.start, call.text.length, &call.options, &hashes, &count, &error);
    Py_END_ALLOW_THREADS;
    free_text_call(&call);
    if (status != TWINSET_OK)
        return core_fail(state, status, &error);
    PyObject *made =
        PyBytes_FromStringAndSize((const char *)hashes, (Py_ssize_t)(count * sizeof *hashes));
    twinset_free(hashes);
    return made;
}

/* ---- signatures */

/* Takes two signatures of equal length. `views` are zero before; the caller releases them, also
 * after a failure. */
static int take_two(PyObject *arguments, Py_buffer views[2])
{
    PyObject *a, *b;
    if (!PyArg_ParseTuple(arguments, "OO", &a, &b) ||
        core_numbers(a, sizeof(uint32_t), 0, "a", &views[0]) ||
        core_numbers(b, sizeof(uint32_t), 0, "b", &views[1]))
        return -1;
    if (views[0].len == views[1].len)
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "the signatures have %zd and %zd slots, but must have equally many",
                 views[0].len / 4, views[1].len / 4);
    return -1;
}

PyDoc_STRVAR(merge_doc, "merge($module, a, b, /)\n--\n\nThe signature of the union of two sets.");

static PyObject *merge(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Py_buffer views[2] = {{0}};
    PyObject *made = NULL;
    if (take_two(arguments, views) == 0)
        made = PyBytes_FromStringAndSize(views[0].buf, views[0].len);
    if (made)
        twinset_signature_merge((uint32_t *)(void *)PyBytes_AsString(made), views[1].buf,
                                (size_t)views[1].len / sizeof(uint32_t));
    core_release_numbers(views);
    return made;
}

PyDoc_STRVAR(estimate_doc, "estimate($module, a, b, /)\n--\n\n"
                           "The share of slots that agree: the estimated Jaccard similarity.");

static PyObject *estimate(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Py_buffer views[2] = {{0}};
    PyObject *share = NULL;
    if (take_two(arguments, views) == 0)
        share = PyFloat_FromDouble(twinset_signature_estimate(
            views[0].buf, views[1].buf, (size_t)views[0].len / sizeof(uint32_t)));
    core_release_numbers(views);
    return share;
}

/* ---- bands and rows */

static PyObject *tuning_dict(const twinset_tuning *tuning)
{
    return Py_BuildValue("{sI sd sI sI sd sd sd sd}", "hashes", tuning->hashes, "threshold",
                         tuning->threshold, "bands", tuning->bands, "rows", tuning->rows, "knee",
                         tuning->knee, "recall", tuning->recall, "false_positives",
                         tuning->false_positives, "false_negatives", tuning->false_negatives);
}

PyDoc_STRVAR(tune_doc, "tune($module, options=None, /)\n--\n\n"
                       "The choice of bands and rows for these options, and what to expect of it.");

static PyObject *tune(PyObject *module, PyObject *arguments)
{
    const core_state *state = PyModule_GetState(module);
    PyObject *settings = Py_None;
    twinset_options chosen;
    twinset_tuning tuning;
    twinset_error error = {""};
    if (!PyArg_ParseTuple(arguments, "|O", &settings))
        return NULL;
    PyObject *kept = core_options(state, settings, &chosen);
    if (!kept)
        return NULL;
    int status = twinset_tune(&chosen, &tuning, sizeof tuning, &error);
    Py_DECREF(kept);
    return status == TWINSET_OK ? tuning_dict(&tuning) : core_fail(state, status, &error);
}

static PyObject *walk_list(const twinset_options *chosen)
{
    PyObject *list = PyList_New(0);
    twinset_tuning choice;
    for (size_t i = 0; list && twinset_tune_choice(chosen, i, &choice, sizeof choice) == TWINSET_OK;
         i++) {
        PyObject *tuning = tuning_dict(&choice);
        if (!tuning || PyList_Append(list, tuning))
            Py_CLEAR(list);
        Py_XDECREF(tuning);
    }
    return list;
}

PyDoc_STRVAR(tune_walk_doc, "tune_walk($module, options=None, /)\n--\n\n"
                            "All choices of the rule that applies, by ascending bands.");

static PyObject *tune_walk(PyObject *module, PyObject *arguments)
{
    PyObject *settings = Py_None;
    twinset_options chosen;
    if (!PyArg_ParseTuple(arguments, "|O", &settings))
        return NULL;
    PyObject *kept = core_options(PyModule_GetState(module), settings, &chosen);
    PyObject *list = kept ? walk_list(&chosen) : NULL;
    Py_XDECREF(kept);
    return list;
}

PyDoc_STRVAR(probability_doc,
             "probability($module, bands, rows, s, /)\n--\n\n"
             "The probability that two documents of similarity s agree in a band.");

static PyObject *probability(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned bands, rows;
    double s;
    if (!PyArg_ParseTuple(arguments, "IId", &bands, &rows, &s))
        return NULL;
    return PyFloat_FromDouble(twinset_candidate_probability(bands, rows, s));
}

static PyMethodDef functions[] = {
    {"options", options, METH_NOARGS, options_doc},
    {"rules", rules, METH_NOARGS, rules_doc},
    {"use_command_words", core_use_command_words, METH_O, core_use_command_words_doc},
    {"write_json_lines", core_write_json_lines, METH_VARARGS, core_write_json_lines_doc},
    {"read_json_texts", core_read_json_texts, METH_VARARGS, core_read_json_texts_doc},
    {"cut_spans", core_cut_spans, METH_VARARGS, core_cut_spans_doc},
    {"compare", compare, METH_VARARGS, compare_doc},
    {"normalise", normalise, METH_VARARGS, normalise_doc},
    {"shingles", shingles, METH_VARARGS, shingles_doc},
    {"merge", merge, METH_VARARGS, merge_doc},
    {"estimate", estimate, METH_VARARGS, estimate_doc},
    {"tune", tune, METH_VARARGS, tune_doc},
    {"tune_walk", tune_walk, METH_VARARGS, tune_walk_doc},
    {"probability", probability, METH_VARARGS, probability_doc},
    {0},
};

/* ---- the module */

static int add_object(PyObject *module, const char *name, PyObject *object)
{
    return object ? PyModule_AddObjectRef(module, name, object) : -1;
}

/* Adds an exception that also derives from one of Python's own. *made keeps it. */
static int add_exception(PyObject *module, const char *name, const char *doc, PyObject *base,
                         PyObject *own, PyObject **made)
{
    PyObject *bases = own ? PyTuple_Pack(2, base, own) : PyTuple_Pack(1, base);
    if (bases)
        *made = PyErr_NewExceptionWithDoc(name, doc, bases, NULL);
    Py_XDECREF(bases);
    return add_object(module, strrchr(name, '.') + 1, *made);
}

static int add_exceptions(PyObject *module, core_state *state)
{
    if (add_exception(module, "twinset.Error", "The base class of errors of twinset.",
                      PyExc_Exception, NULL, &state->error) ||
        add_exception(module, "twinset.UsageError", "An option or argument that makes no sense.",
                      state->error, PyExc_ValueError, &state->usage_error) ||
        add_exception(module, "twinset.InputError", "A file that could not be read or written.",
                      state->error, PyExc_OSError, &state->input_error))
        return -1;
    return add_exception(module, "twinset.EmptyError", "There are no documents to compare.",
                         state->error, NULL, &state->empty_error);
}

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base, PyTypeObject **made)
{
    *made = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, (PyObject *)base);
    return *made ? PyModule_AddType(module, *made) : -1;
}

static int add_types(PyObject *module, core_state *state)
{
    if (add_type(module, &core_store_spec, NULL, &state->store) ||
        add_type(module, &core_collection_spec, NULL, &state->collection) ||
        add_type(module, &core_result_spec, NULL, &state->result) ||
        add_type(module, &core_sketcher_spec, NULL, &state->sketcher) ||
        add_type(module, &core_lsh_spec, NULL, &state->lsh) ||
        add_type(module, &core_hashvalues_spec, NULL, &state->hashvalues) ||
        add_type(module, &core_span_finder_spec, NULL, &state->span_finder))
        return -1;
    return add_type(module, &core_index_spec, state->lsh, &state->index);
}

static int add_constants(PyObject *module)
{
    PyObject *empty = PyLong_FromUnsignedLong(UINT32_MAX), *fields = core_pair_fields();
    PyObject *formats = core_scan_formats();
    int status = add_object(module, "empty_slot", empty);
    if (status == 0)
        status = add_object(module, "PAIR_FIELDS", fields);
    if (status == 0)
        status = add_object(module, "SCAN_FORMATS", formats);
    Py_XDECREF(empty);
    Py_XDECREF(fields);
    Py_XDECREF(formats);
    return status ? status : PyModule_AddStringConstant(module, "version", twinset_version());
}

static int execute(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    if (add_exceptions(module, state) || add_types(module, state) || core_cluster_add(module))
        return -1;
    return add_constants(module);
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    Py_VISIT(state->error);
    Py_VISIT(state->usage_error);
    Py_VISIT(state->input_error);
    Py_VISIT(state->empty_error);
    Py_VISIT((PyObject *)state->collection);
    Py_VISIT((PyObject *)state->result);
    Py_VISIT((PyObject *)state->sketcher);
    Py_VISIT((PyObject *)state->lsh);
    Py_VISIT((PyObject *)state->index);
    Py_VISIT((PyObject *)state->hashvalues);
    Py_VISIT((PyObject *)state->store);
    Py_VISIT((PyObject *)state->span_finder);
    return 0;
}

static int clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    Py_CLEAR(state->error);
    Py_CLEAR(state->usage_error);
    Py_CLEAR(state->input_error);
    Py_CLEAR(state->empty_error);
    Py_CLEAR(state->collection);
    Py_CLEAR(state->result);
    Py_CLEAR(state->sketcher);
    Py_CLEAR(state->lsh);
    Py_CLEAR(state->index);
    Py_CLEAR(state->hashvalues);
    Py_CLEAR(state->store);
    Py_CLEAR(state->span_finder);
    return 0;
}

static void release(void *module)
{
    clear(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0}};

PyDoc_STRVAR(module_doc, "twinset's engine. Programs use the package twinset.");

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,        .m_name = "twinset._core", .m_doc = module_doc,
    .m_size = sizeof(core_state), .m_methods = functions,    .m_slots = slots,
    .m_traverse = traverse,       .m_clear = clear,          .m_free = release,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}

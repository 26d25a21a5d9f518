/*
 * What the files of the module twinset._core share. The module forwards calls to
 * twinset_advanced.h: texts become pointers, options a struct, errors exceptions.
 *
 * Calls that may take long run without the GIL. A handle of the engine belongs to one thread at a
 * time, so each has a lock (core_lock). No thread waits for it while it holds the GIL. Callbacks
 * run in any thread; an exception in them is stored (core_raised) and raised when the call that
 * caused them ends.
 *
 * Functions that return int return 0, or -1 with an exception set.
 */
#ifndef CORE_MODULE_H
#define CORE_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdbool.h>
#include <twinset_advanced.h>

typedef struct core_state {
    PyObject *error, *usage_error, *input_error, *empty_error;
    PyTypeObject *collection, *result, *sketcher, *lsh, *index, *hashvalues, *store, *span_finder;
    bool command_words; /* messages name options as a command line does */
} core_state;

/* The module's state, from a type that cannot be derived from, or from an object of it. */
static inline core_state *core_state_of(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

/* The types, and the functions of the module. */
extern PyType_Spec core_collection_spec, core_result_spec, core_sketcher_spec, core_lsh_spec,
    core_index_spec, core_hashvalues_spec, core_store_spec, core_span_finder_spec;

/* cluster.c: adds its types and functions to the module. */
int core_cluster_add(PyObject *module);

/* ---- calls.c: what every call to the engine needs */

/* Sets the exception that a status stands for. Returns NULL. */
PyObject *core_fail(const core_state *state, int status, const twinset_error *error);

/* The str of a name's bytes, with surrogates for bytes that are no UTF-8. None for NULL. */
PyObject *core_name(const char *name);

/* sentence.c: the str of a message of the library. Options are named as keywords, or as options of
 * a command line. None for NULL. */
PyObject *core_sentence(const core_state *state, const char *text);
PyObject *core_use_command_words(PyObject *module, PyObject *wanted);
extern const char core_use_command_words_doc[];

/* Fills `options` from a dict of str to str, or None. Returns the owner of their strings, which
 * must be kept for as long as the options are used. */
PyObject *core_options(const core_state *state, PyObject *dict, twinset_options *options);

/* A new object of a type whose only argument is options; `open` opens its handle with them. */
PyObject *core_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords,
                   int (*open)(PyObject *self, PyObject *options));

typedef struct core_lock {
    PyThread_type_lock lock;
    unsigned long holder; /* the thread's identity; 0: none */
} core_lock;

/* The first member of types that consist of a handle of the engine and its lock. */
typedef struct core_engine {
    PyObject_HEAD PyObject *options; /* dict: what the handle's options point to */
    core_lock lock;
} core_engine;

/* Fills `options`, and keeps their strings, for the handle that the caller opens with them. */
int core_engine_open(core_engine *self, PyObject *dict, twinset_options *options);
/* Frees the object; its handle must have been freed. */
void core_engine_free(PyObject *self);

/* The number of a word in a list that ends with NULL, or -1. `what` names it in the message. */
int core_choice(const char *const *words, const char *word, const char *what);
/* Finds the format of a name. */
int core_format(const char *name, twinset_format *format);

int core_lock_init(core_lock *lock);
void core_lock_free(core_lock *lock);
/* Waits for the lock; Ctrl-C interrupts it. Fails in the thread that holds the lock, which can only
 * call this from a callback. `what` names the object. */
int core_lock_take(core_lock *lock, const core_state *state, const char *what);
void core_lock_give(core_lock *lock);

/* The exception of a callback. */
typedef struct core_raised {
    PyObject *type, *value, *traceback;
} core_raised;

/* Stores the exception that is set, if there is one. The first exception counts. */
void core_raised_keep(core_raised *raised);
/* Raises the stored exception again. False if there is none. */
bool core_raised_again(core_raised *raised);
void core_raised_free(core_raised *raised);

/* Py_XDECREF() of an object of foreign code, whose cleanup must not see the exception that is set.
 */
void core_release_foreign(PyObject *object);

/* A callable that takes bytes, as a twinset_write_fn. */
typedef struct core_writer {
    PyObject *write;
    core_raised *raised;
} core_writer;

int core_write(void *writer, const char *bytes, size_t count);

/* Gets a buffer of whole numbers of `size` bytes each, or of bytes with a multiple of that size.
 * `flags` are added for PyObject_GetBuffer(). Released with PyBuffer_Release(). */
int core_numbers(PyObject *from, size_t size, int flags, const char *what, Py_buffer *view);
/* Releases two buffers, each of which may be zero instead, as it is after a failure to get it. */
void core_release_numbers(Py_buffer views[2]);

/* New bytes for `count` values of `size` bytes, to be filled through PyBytes_AsString(). */
PyObject *core_bytes(size_t count, size_t size);
/* The list of at(self, index) for each index below `count`. */
PyObject *core_list(PyObject *self, size_t count, PyObject *(*at)(PyObject *self, size_t index));

/* The name of an object's type, for messages; "?" if it is unknown. Borrowed. */
const char *core_type_name(PyObject *object, PyObject **keep);

/* ---- texts.c, arrow.c: texts of any type */

/* The types that the elements of a sequence may have. */
typedef enum core_kind {
    CORE_TEXTS, /* str, bytes or None; lone surrogates become the bytes that would encode them */
    CORE_NAMES, /* str or bytes; surrogates stand for bytes, as in the names of files */
    CORE_ITEMS, /* bytes-like objects, in any iterable */
} core_kind;

/* The start and length of each text; the start is NULL for None. Valid as long as `owners`. */
typedef struct core_texts {
    const char **starts;
    size_t *lengths;
    size_t count, capacity;
    PyObject *owners; /* list of the objects that hold the texts */
} core_texts;

/* Takes the texts of a sequence, or of an Arrow array or stream. `texts` must be zero or
 * hold texts. Freed with core_texts_free(), also if this fails. */
int core_texts_take(core_texts *texts, PyObject *from, core_kind kind);
void core_texts_free(core_texts *texts);

/* For arrow.c: reserves space for `more` texts, and adds a text to reserved space. */
int core_texts_reserve(core_texts *texts, size_t more);
static inline void core_texts_put(core_texts *texts, const char *start, size_t length)
{
    texts->starts[texts->count] = start;
    texts->lengths[texts->count++] = length;
}

/* A text from str, bytes, or, if `none` allows it, None, whose start is NULL. The owner is a new
 * reference. */
typedef struct core_text {
    const char *start;
    size_t length;
    PyObject *owner;
} core_text;

int core_text_take(core_text *text, PyObject *from, bool none, const char *what);

/* Takes the column of an object's Arrow method. *known: whether the object has such a method. */
int core_arrow_take(core_texts *texts, PyObject *from, bool *known);

/* ---- json_lines.c */

PyObject *core_write_json_lines(PyObject *module, PyObject *arguments);
extern const char core_write_json_lines_doc[];
PyObject *core_read_json_texts(PyObject *module, PyObject *arguments);
extern const char core_read_json_texts_doc[];

/* ---- spans.c */

PyObject *core_cut_spans(PyObject *module, PyObject *arguments);
extern const char core_cut_spans_doc[];

/* ---- lsh.c, minhash_index.c, hashvalues.c */

typedef struct core_lsh {
    PyObject_HEAD twinset_lsh *handle;
    unsigned bands;
    Py_ssize_t band_bytes, signature_bytes;
    PyObject *numbers;    /* dict: from key to number */
    PyObject *keys;       /* list: from number to key; None for unused numbers */
    PyObject *hashvalues; /* the name of the attribute */
} core_lsh;

int core_lsh_open(core_lsh *self, unsigned bands, Py_ssize_t band_bytes);
/* The number of a key; -1 if it is absent, -2 with an exception. */
Py_ssize_t core_lsh_number(const core_lsh *self, PyObject *key);
/* Adds a signature with a key that is absent. */
int core_lsh_insert(core_lsh *self, PyObject *key, const void *signature);
/* Add and remove signatures whose numbers the caller stores. */
int core_lsh_add(core_lsh *self, PyObject *key, const void *signature, uint32_t *number);
void core_lsh_drop(core_lsh *self, uint32_t number);
/* Appends the keys of signatures that agree in one of the first bands (0: of all). The caller makes
 * the list before: a new object may start the garbage collector, and so run any code, while the
 * found numbers are borrowed from the engine. */
int core_lsh_find(core_lsh *self, const void *signature, unsigned bands, PyObject *list);
PyObject *core_lsh_remove(PyObject *self, PyObject *key);
/* For types that are derived from core_lsh. */
int core_lsh_traverse(PyObject *self, visitproc visit, void *arg);
int core_lsh_clear(PyObject *self);
void core_lsh_dealloc(PyObject *self);

typedef struct core_hashvalues {
    PyObject_HEAD PyObject *values;
    const char *bytes; /* of the values; NULL if they have no contiguous buffer */
    Py_ssize_t length; /* number of values */
    Py_ssize_t size;   /* bytes of each */
    Py_buffer view;
    bool own; /* the values are known to be in their array's own memory */
} core_hashvalues;

/* Sets each value to the smaller of itself and its slot. Runs Python only if it must copy them. */
int core_hashvalues_lower(core_hashvalues *self, const uint32_t *slots, size_t hashes);

/* ---- collection.c, result.c, store.c */

typedef struct core_store core_store;

/* Fills in the options that an index stores, except a threshold that is set already. */
int core_store_options(core_store *store, twinset_options *options);

typedef struct core_collection {
    PyObject_HEAD twinset_collection *handle;
    PyObject *options;  /* dict: what the handle's options point to */
    PyObject *owners;   /* list: the owners of borrowed texts */
    PyObject *progress; /* callable, or NULL */
    PyObject *store;    /* the owner of the index's options, or NULL */
    core_lock lock;     /* of the handle and of its results */
    core_raised raised; /* by a callback of the call that holds the lock */
    uint64_t numbered;  /* texts without a name so far */
} core_collection;

/* Take the lock for a call; release it after the call, and set the exception of the call. */
int core_collection_enter(core_collection *collection);
int core_collection_leave(core_collection *collection, int status, const twinset_error *error);

/* (path, reason, empty), or the exception of a status that is not TWINSET_OK. */
PyObject *core_skip_tuple(PyObject *self, int status, const twinset_skip *skip);

typedef struct core_result {
    PyObject_HEAD twinset_result *handle;
    core_collection *collection; /* whose run this is, and whose lock it shares */
    twinset_run run;
} core_result;

/* Takes ownership of the handle, also if it fails. */
PyObject *core_result_new(core_collection *collection, twinset_result *handle);

/* The names of the formats of a scan, as a tuple. */
PyObject *core_scan_formats(void);

/* The names of the fields of a pair, and a pair as a tuple. */
PyObject *core_pair_fields(void);
PyObject *core_pair_tuple(const twinset_pair *pair);

#endif

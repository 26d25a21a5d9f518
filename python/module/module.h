/*
 * What the files of the module twinset._core share. The module hands calls on to
 * twinset_advanced.h and
 * does no work of its own: texts become pointers, options a struct, errors exceptions.
 *
 * Whatever may take long runs without the GIL. A handle of the engine belongs to one thread at a
 * time, so each has a lock (core_lock), which is never waited for with the GIL held. Callbacks
 * come from any thread; what they raise is kept (core_raised) until the call that led to them is
 * over, and is raised there.
 *
 * Functions that return int: 0, or -1 with an exception set.
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
    PyTypeObject *collection, *result, *sketcher, *lsh, *index, *hashvalues, *store;
    bool command_words; /* sentences name options as a command line does */
} core_state;

/* Of a type that cannot be derived from, and its objects. */
static inline core_state *core_state_of(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

/* The types, and the functions of the module. */
extern PyType_Spec core_collection_spec, core_result_spec, core_sketcher_spec, core_lsh_spec,
    core_index_spec, core_hashvalues_spec, core_store_spec;

/* cluster.c: adds what it has. */
int core_cluster_add(PyObject *module);

/* ---- calls.c: what every call to the engine needs */

/* Sets the exception that a status stands for. Returns NULL. */
PyObject *core_fail(const core_state *state, int status, const twinset_error *error);

/* str of the bytes of a name: what is no UTF-8 comes back as it went in. None for NULL. */
PyObject *core_name(const char *name);

/* sentence.c: str of a sentence of the library, with options named as keywords are, or as those of
 * a command line. None for NULL. */
PyObject *core_sentence(const core_state *state, const char *text);
PyObject *core_use_command_words(PyObject *module, PyObject *wanted);
extern const char core_use_command_words_doc[];

/* Fills `options` from a dict of str to str, or None. Returns what their strings lie in, which
 * must be kept for as long as they are used. */
PyObject *core_options(const core_state *state, PyObject *dict, twinset_options *options);

/* A new object of a type that takes options and no more; `open` makes what it needs of them. */
PyObject *core_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords,
                   int (*open)(PyObject *self, PyObject *options));

typedef struct core_lock {
    PyThread_type_lock lock;
    unsigned long holder; /* the thread's identity; 0: none */
} core_lock;

/* What the types begin with that are a handle of the engine, with its lock, and no more. */
typedef struct core_engine {
    PyObject_HEAD PyObject *options; /* dict: what the handle's options point to */
    core_lock lock;
} core_engine;

/* Takes the options, for the handle that is made of them next. */
int core_engine_open(core_engine *self, PyObject *dict, twinset_options *options);
/* Frees the object; its handle must have been freed. */
void core_engine_free(PyObject *self);

/* The number of a word in a list that ends with NULL, or -1. `what` names it in the message. */
int core_choice(const char *const *words, const char *word, const char *what);
/* Finds the format of a name. */
int core_format(const char *name, twinset_format *format);

int core_lock_init(core_lock *lock);
void core_lock_free(core_lock *lock);
/* Waits, and hears of Ctrl-C meanwhile. Fails for the thread that holds it, which got here
 * through a callback. `what` names the object. */
int core_lock_take(core_lock *lock, const core_state *state, const char *what);
void core_lock_give(core_lock *lock);

/* What a callback raised. */
typedef struct core_raised {
    PyObject *type, *value, *traceback;
} core_raised;

/* Takes the exception that is set, if any; the first one counts. */
void core_raised_keep(core_raised *raised);
/* Raises it again. False where there was none. */
bool core_raised_again(core_raised *raised);
void core_raised_free(core_raised *raised);

/* Py_XDECREF() of what others made: an exception that is set waits while they clean up. */
void core_let_go(PyObject *object);

/* A callable that takes bytes, as a twinset_write_fn. */
typedef struct core_writer {
    PyObject *write;
    core_raised *raised;
} core_writer;

int core_write(void *writer, const char *bytes, size_t count);

/* A buffer of whole numbers of `size` bytes each, or of bytes that hold such. `flags` are those
 * of PyObject_GetBuffer() beyond the usual. Released with PyBuffer_Release(). */
int core_numbers(PyObject *from, size_t size, int flags, const char *what, Py_buffer *view);

/* bytes of so many things of a size, to be filled where PyBytes_AsString() says. */
PyObject *core_bytes(size_t count, size_t size);
/* The list of what `at` gives for each index. */
PyObject *core_list(PyObject *self, size_t count, PyObject *(*at)(PyObject *self, size_t index));

/* The name of an object's type, for messages; "?" where it is unknown. Borrowed. */
const char *core_type_name(PyObject *object, PyObject **keep);

/* ---- texts.c, arrow.c: texts of any kind */

/* What is taken from a sequence. */
typedef enum core_kind {
    CORE_TEXTS, /* str, bytes or None; lone surrogates as the bytes that would encode them */
    CORE_NAMES, /* str or bytes; surrogates stand for bytes, as in the names of files */
    CORE_ITEMS, /* bytes-like, of any iterable */
} core_kind;

/* Where each text lies and how long it is; NULL for None. Valid as long as `owners`. */
typedef struct core_texts {
    const char **starts;
    size_t *lengths;
    size_t count, capacity;
    PyObject *owners; /* list of what they lie in */
} core_texts;

/* Takes the texts of a sequence, or of an Arrow array or stream. Texts must be zero or hold
 * texts; freed with core_texts_free(), also where this fails. */
int core_texts_take(core_texts *texts, PyObject *from, core_kind kind);
void core_texts_free(core_texts *texts);

/* For arrow.c: room for so many more, and one more in that room. */
int core_texts_reserve(core_texts *texts, size_t more);
static inline void core_texts_put(core_texts *texts, const char *start, size_t length)
{
    texts->starts[texts->count] = start;
    texts->lengths[texts->count++] = length;
}

/* One text: str, bytes, or, where `none` allows it, None, whose start is NULL. The owner is a new
 * reference. */
typedef struct core_text {
    const char *start;
    size_t length;
    PyObject *owner;
} core_text;

int core_text_take(core_text *text, PyObject *from, bool none, const char *what);

/* Takes what the object's Arrow method gives; *known says whether it has one. */
int core_arrow_take(core_texts *texts, PyObject *from, bool *known);

/* ---- json_lines.c */

PyObject *core_write_json_lines(PyObject *module, PyObject *arguments);
extern const char core_write_json_lines_doc[];

/* ---- lsh.c, minhash_index.c, hashvalues.c */

typedef struct core_lsh {
    PyObject_HEAD twinset_lsh *handle;
    unsigned bands;
    Py_ssize_t band_bytes, signature_bytes;
    PyObject *numbers;    /* dict: from key to number */
    PyObject *keys;       /* list: from number to key, None where none is */
    PyObject *hashvalues; /* the name of the attribute */
} core_lsh;

int core_lsh_open(core_lsh *self, unsigned bands, Py_ssize_t band_bytes);
/* The number of a key; -1 where it is absent, -2 with an exception. */
Py_ssize_t core_lsh_number(const core_lsh *self, PyObject *key);
/* Adds a signature by a key that is absent. */
int core_lsh_insert(core_lsh *self, PyObject *key, const void *signature);
/* Adds and removes signatures whose numbers the caller keeps. */
int core_lsh_add(core_lsh *self, PyObject *key, const void *signature, uint32_t *number);
void core_lsh_drop(core_lsh *self, uint32_t number);
/* Appends the keys that agree in one of the first bands, 0: of all. The list is made before: a new
 * object may start the garbage collector, and that any code, but what is found is borrowed. */
int core_lsh_find(core_lsh *self, const void *signature, unsigned bands, PyObject *list);
PyObject *core_lsh_remove(PyObject *self, PyObject *key);
/* For types that are derived from it. */
int core_lsh_traverse(PyObject *self, visitproc visit, void *arg);
int core_lsh_clear(PyObject *self);
void core_lsh_dealloc(PyObject *self);

typedef struct core_hashvalues {
    PyObject_HEAD PyObject *values;
    const char *bytes; /* of the values; NULL where they have no buffer in one piece */
    Py_ssize_t length; /* number of values */
    Py_ssize_t size;   /* bytes of each */
    Py_buffer view;
    bool own; /* the values are known to lie in their array's own memory */
} core_hashvalues;

/* Makes each value the smaller of itself and a slot's. Runs no Python unless it must copy them. */
int core_hashvalues_lower(core_hashvalues *self, const uint32_t *slots, size_t hashes);

/* ---- collection.c, result.c, store.c */

typedef struct core_store core_store;

/* Fills in the options that an index keeps, but for a threshold that is set. */
int core_store_options(core_store *store, twinset_options *options);

typedef struct core_collection {
    PyObject_HEAD twinset_collection *handle;
    PyObject *options;  /* dict: what the handle's options point to */
    PyObject *owners;   /* list: what the borrowed texts lie in */
    PyObject *progress; /* callable, or NULL */
    PyObject *store;    /* that some of the options lie in, or NULL */
    core_lock lock;     /* of the handle and of what it gave */
    core_raised raised; /* by a callback of the call that holds the lock */
    uint64_t numbered;  /* texts without a name so far */
} core_collection;

/* Takes the lock for one call; then gives it back and sets the exception that came out of it. */
int core_collection_enter(core_collection *collection);
int core_collection_leave(core_collection *collection, int status, const twinset_error *error);

/* (path, reason, empty), or the exception of a status that is not TWINSET_OK. */
PyObject *core_skip_tuple(PyObject *self, int status, const twinset_skip *skip);

typedef struct core_result {
    PyObject_HEAD twinset_result *handle;
    core_collection *collection; /* that it came from, and whose lock it shares */
    twinset_run run;
} core_result;

/* Takes the handle over, also where it fails. */
PyObject *core_result_new(core_collection *collection, twinset_result *handle);

/* The names of the formats that a scan is written in, as a tuple. */
PyObject *core_scan_formats(void);

/* The fields of a pair, and one pair. */
PyObject *core_pair_fields(void);
PyObject *core_pair_tuple(const twinset_pair *pair);

#endif

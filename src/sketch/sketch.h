/*
 * Signatures: K slots that two sets agree in with the probability of their Jaccard
 * similarity.
 *
 *   sketch.c     the schemes' parameters, and the calls that every scheme answers to
 *   fss.c        Fast Similarity Sketch: one hash a shingle, whatever K; fss.h says more
 *   classic.c    one hash a shingle and slot: affine, modular, jenkins, md5, datasketch
 *
 * These are the portable references. Kernels for one instruction set are in x86/ and arm/,
 * and give the same slots.
 */
#ifndef TW_SKETCH_H
#define TW_SKETCH_H

#include "common.h"

/* As uint32_t: a slot that no shingle filled. fss never gives it; classical schemes do so
 * once in 2^32 times, and lose that slot's agreement. */
enum { TW_EMPTY_SLOT = -1 };

/* Hash functions; read-only once made, shared by all threads. */
typedef struct tw_scheme {
    int kind;         /* TWINSET_SCHEME_* */
    int shingle_hash; /* TWINSET_SHINGLE_HASH_* */
    size_t hashes;
    uint64_t *a, *b;   /* parameters of each slot's function */
    uint64_t p;        /* modulus of the modular scheme */
    uint32_t salt;     /* of fss; 0 for the default seed */
    unsigned bin_bits; /* of fss: bits that number the bins */
} tw_scheme;

int tw_scheme_new(const twinset_options *options, tw_scheme **scheme,
                  twinset_error *error) TW_CHECKED;
void tw_scheme_free(tw_scheme *scheme);

/* Whether a shingle's id is all that the scheme needs to know of it. */
bool tw_scheme_takes_ids(const tw_scheme *scheme);
/* The number that stands for a shingle in this scheme. */
uint64_t tw_scheme_value(const tw_scheme *scheme, uint64_t id, const char *bytes, size_t length);
/* The same for many at once: `values` has their ids, and gets the numbers. */
void tw_scheme_values(const tw_scheme *scheme, const char *const *bytes, const size_t *lengths,
                      size_t count, uint64_t *values);
/* The number for one that some other program hashed. */
uint64_t tw_scheme_foreign(const tw_scheme *scheme, uint64_t number);

struct tw_fss_kernels;

/* A signature in the making: begin, add any number of times, end. One per thread. */
typedef struct tw_sketch {
    const tw_scheme *scheme;
    uint32_t *slots;

    /* fss alone: */
    const struct tw_fss_kernels *kernels; /* NULL: the portable reference */
    uint32_t *kept;                       /* high halves for later rounds, while bins are empty */
    size_t kept_count, kept_capacity;
    uint64_t *scratch;
    size_t scratch_capacity;
    bool full;          /* no bin is empty after round 0 */
    bool many;          /* too many different values to keep all */
    uint32_t *tables;   /* of the kernels, inside `memory`; NULL until the first shingle */
    uint32_t limit;     /* no place in a full table is larger */
    size_t until_limit; /* so many shingles later it is looked up again */
    uint32_t *memory;
    uint32_t *passed; /* high halves that got through a filter */
    size_t passed_capacity;
} tw_sketch;

void tw_sketch_init(tw_sketch *sketch, const tw_scheme *scheme);
void tw_sketch_free(tw_sketch *sketch);
void tw_sketch_begin(tw_sketch *sketch, uint32_t *slots);
/* Values as tw_scheme_value() makes them. */
int tw_sketch_add(tw_sketch *sketch, const uint64_t *values, size_t count) TW_CHECKED;
/* The values of the `count` windows of k bytes that start at text[0], text[1]...; TW_SLACK
 * bytes after the last can be read. fss never makes their ids. */
int tw_sketch_windows(tw_sketch *sketch, const char *text, size_t count, size_t k) TW_CHECKED;
void tw_sketch_end(tw_sketch *sketch);

/* Slots in which two signatures agree. */
size_t tw_agreeing_slots(const uint32_t *a, const uint32_t *b, size_t hashes);

/* ---- between sketch.c and the schemes */

void tw_fss_begin(tw_sketch *sketch);
int tw_fss_add(tw_sketch *sketch, const uint64_t *values, size_t count) TW_CHECKED;
int tw_fss_windows(tw_sketch *sketch, const char *text, size_t count, size_t k) TW_CHECKED;
void tw_fss_end(tw_sketch *sketch);
void tw_classic_add(const tw_scheme *scheme, const uint64_t *values, size_t count, uint32_t *slots);
/* The same for one slot: the reference of the kernels. */
void tw_classic_slot(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                     uint32_t *slots);

/* ---- kernels */

typedef struct tw_slot_kernels {
    /* tw_agreeing_slots() */
    size_t (*agreeing)(const uint32_t *a, const uint32_t *b, size_t hashes);
    /* tw_classic_add() for the schemes affine and datasketch2; tells how many slots, from the
     * first on, it took care of. May be NULL. */
    size_t (*affine)(const tw_scheme *scheme, const uint64_t *values, size_t count,
                     uint32_t *slots);
    /* The same for datasketch1, of values below 2^32. */
    size_t (*mersenne)(const tw_scheme *scheme, const uint64_t *values, size_t count,
                       uint32_t *slots);
} tw_slot_kernels;

extern const tw_slot_kernels tw_slots_avx2, tw_slots_avx512, tw_slots_neon;

/* Those to use. */
const tw_slot_kernels *tw_slots_choose(void);

#endif

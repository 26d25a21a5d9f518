/*
 * Signatures: K slots, in each of which two sets agree with the probability of their Jaccard
 * similarity. This header lists what other folders see.
 *
 *   schemes.c      the table of schemes: their values, their parameters, their functions
 *   sketch.c       the calls that lead to the chosen scheme
 *   fss.c          Fast Similarity Sketch: one hash for each shingle, for any K
 *   fss_vector.c   Fast Similarity Sketch with vector kernels
 *   classic.c      one hash for each shingle and slot, as most schemes have it
 *   datasketch.c   the parameters that datasketch draws
 *
 * These are the portable references. Kernels for one instruction set are in x86/ and arm/, and give
 * the same slots.
 */
#ifndef TW_SKETCH_H
#define TW_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common.h"

/* As uint32_t: a slot that no shingle filled. fss never gives it to a set that is not empty; a
 * classical scheme does once in 2^32 slots, and then misses that slot's agreement. */
enum { TW_EMPTY_SLOT = -1 };

/* What a scheme is, in schemes.h. */
typedef struct tw_scheme_row tw_scheme_row;

/* Hash functions; read-only once made, shared by all threads. Free with tw_scheme_free(). */
typedef struct tw_scheme {
    const tw_scheme_row *row;
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

/* TWINSET_USAGE where the functions of the scheme are not a x + b. */
int tw_scheme_check_linear(const tw_scheme *scheme, twinset_error *error) TW_CHECKED;
/* Replaces the parameters of all functions, and the modulus where the scheme has one. */
int tw_scheme_set_functions(tw_scheme *scheme, const uint64_t *a, const uint64_t *b, uint64_t p,
                            twinset_error *error) TW_CHECKED;

/* Whether a shingle's id is all that the scheme needs to know of it. */
bool tw_scheme_takes_ids(const tw_scheme *scheme);
/* Whether a shingle's id is the very number that represents it, so that none needs to be made. */
bool tw_scheme_sketches_ids(const tw_scheme *scheme);
/* The number that represents a shingle in this scheme. */
uint64_t tw_scheme_value(const tw_scheme *scheme, uint64_t id, const char *bytes, size_t length);
/* Replaces the ids of many shingles, in `values`, by the numbers that represent them. */
void tw_scheme_values(const tw_scheme *scheme, const char *const *bytes, const size_t *lengths,
                      size_t count, uint64_t *values);
/* The number that represents a shingle which another program has hashed. */
uint64_t tw_scheme_external_value(const tw_scheme *scheme, uint64_t number);

/* A signature in the making: begin, add any number of times, end. One per thread. */
typedef struct tw_sketch {
    const tw_scheme *scheme;
    uint32_t *slots;

    /* The rest belongs to fss alone. */
    const struct tw_fss_kernels *kernels; /* NULL: the portable reference */
    uint32_t *kept;                       /* high halves for later rounds, while bins are empty */
    size_t kept_count, kept_capacity;
    uint64_t *scratch;
    size_t scratch_capacity;
    bool full;          /* no bin is empty after round 0 */
    bool many;          /* too many different values to keep all */
    uint32_t *tables;   /* of the kernels, aligned in `memory`; NULL until the first shingle */
    uint32_t limit;     /* no fraction in a full table is larger */
    size_t until_limit; /* shingles until the limit is computed again */
    uint32_t *memory;
    uint32_t *passed; /* high halves that passed the filter */
    size_t passed_capacity;
} tw_sketch;

void tw_sketch_init(tw_sketch *sketch, const tw_scheme *scheme);
void tw_sketch_free(tw_sketch *sketch);
void tw_sketch_begin(tw_sketch *sketch, uint32_t *slots);
/* Adds values that tw_scheme_value() made. */
int tw_sketch_add(tw_sketch *sketch, const uint64_t *values, size_t count) TW_CHECKED;
/* Adds the `count` windows of k bytes that start at text[0], text[1]...; TW_SLACK bytes after the
 * last must be readable. With kernels, fss hashes and sketches in one pass and stores no ids. */
int tw_sketch_windows(tw_sketch *sketch, const char *text, size_t count, size_t k) TW_CHECKED;
void tw_sketch_end(tw_sketch *sketch);

/* The number of slots in which two signatures agree. */
size_t tw_agreeing_slots(const uint32_t *a, const uint32_t *b, size_t hashes);

#endif

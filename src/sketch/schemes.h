/*
 * What distinguishes one scheme from another, as data: a row of the table in schemes.c.
 *
 * Most schemes are classical: slot i is the smallest value of the i-th hash function over all
 * shingles. Such a scheme is its values, its parameters and its hash function. A scheme that works
 * in another way brings calls of its own, as fss does.
 */
#ifndef TW_SCHEMES_H
#define TW_SCHEMES_H

#include "sketch.h"

/* The vector kernel of classic.h that computes the same slots as the hash function. */
typedef enum tw_scheme_kernel {
    TW_KERNEL_NONE,
    TW_KERNEL_AFFINE,
    TW_KERNEL_MERSENNE,
} tw_scheme_kernel;

/* The calls of sketch.h, for a scheme that is not classical. */
typedef struct tw_sketch_calls {
    void (*begin)(tw_sketch *sketch);
    int (*add)(tw_sketch *sketch, const uint64_t *values, size_t count);
    int (*windows)(tw_sketch *sketch, const char *text, size_t count, size_t k);
    void (*end)(tw_sketch *sketch);
} tw_sketch_calls;

struct tw_scheme_row {
    /* The number that represents a shingle: its id, shifted right by `id_shift`, or what
     * `external` makes of another hash of the shingle. */
    unsigned id_shift;
    bool takes_sha1;                       /* that hash is always SHA-1, and ids are not used */
    uint64_t (*external)(uint64_t number); /* NULL: the number itself */

    /* Draws scheme->a and scheme->b, the parameters of every slot; TWINSET_NOMEM. Classical schemes
     * have them. */
    int (*draw_parameters)(tw_scheme *scheme, uint64_t seed);
    bool is_linear;  /* the functions are a x + b, and a caller may set a and b */
    bool is_modular; /* modulo scheme->p, which a caller sets with them */

    /* Lowers one slot by the values. */
    void (*lower_slot)(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                       uint32_t *slots);
    tw_scheme_kernel kernel;

    const tw_sketch_calls *calls; /* NULL: the scheme is classical */
};

/* The row of a scheme, TWINSET_SCHEME_*. */
const tw_scheme_row *tw_scheme_row_of(int scheme);

#endif

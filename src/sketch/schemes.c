/*
 * The table of schemes. A scheme is a value of the enum in twinset.h, its word in the row `scheme`
 * of options.c, and a row here, with the functions that the row names.
 */
#include "schemes.h"

#include <inttypes.h>
#include <stdio.h>

#include "datasketch.h"
#include "fss.h"

#define MERSENNE_61 ((UINT64_C(1) << 61) - 1)

/* ---- values of shingles that are given as numbers */

static uint64_t mix_high_half(uint64_t number)
{
    return tw_mix64(number) >> 32;
}

static uint64_t mix_low_half(uint64_t number)
{
    return tw_fmix32((uint32_t)number);
}

/* ---- parameters, drawn from the seed */

static int draw_any(tw_scheme *scheme, uint64_t seed)
{
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = tw_splitmix64(&seed);
        scheme->b[i] = tw_splitmix64(&seed);
    }
    return TWINSET_OK;
}

/* With an odd factor, the function is a permutation. */
static int draw_affine(tw_scheme *scheme, uint64_t seed)
{
    int status = draw_any(scheme, seed);
    for (size_t i = 0; i < scheme->hashes; i++)
        scheme->a[i] |= 1;
    return status;
}

static int draw_modular(tw_scheme *scheme, uint64_t seed)
{
    int status = draw_any(scheme, seed);
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = 1 + scheme->a[i] % (scheme->p - 1);
        scheme->b[i] %= scheme->p;
    }
    return status;
}

/* The functions are numbered from 0, and those of each seed follow those of the one before. */
static int number_functions(tw_scheme *scheme, uint64_t seed)
{
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = i + (seed - 1) * 65536;
        scheme->b[i] = 0;
    }
    return TWINSET_OK;
}

static int draw_datasketch1(tw_scheme *scheme, uint64_t seed)
{
    tw_datasketch1_parameters((uint32_t)seed, scheme->hashes, scheme->a, scheme->b);
    return TWINSET_OK;
}

static int draw_datasketch2(tw_scheme *scheme, uint64_t seed)
{
    uint32_t *a = tw_array(2 * scheme->hashes, sizeof *a);
    if (!a)
        return TWINSET_NOMEM;
    tw_datasketch2_parameters((uint32_t)seed, scheme->hashes, a, a + scheme->hashes);
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = a[i];
        scheme->b[i] = a[scheme->hashes + i];
    }
    tw_free(a);
    return TWINSET_OK;
}

/* ---- hash functions of one slot, with its parameters a and b */

static uint32_t affine(uint64_t a, uint64_t b, uint64_t p, uint64_t value)
{
    (void)p;
    return (uint32_t)a * (uint32_t)value + (uint32_t)b;
}

static uint32_t modular(uint64_t a, uint64_t b, uint64_t p, uint64_t value)
{
    return (uint32_t)((a * (value % p) + b) % p);
}

static uint32_t jenkins(uint64_t a, uint64_t b, uint64_t p, uint64_t value)
{
    (void)p;
    return tw_jenkins_mix((uint32_t)value, (uint32_t)a, (uint32_t)b);
}

/* MD5 of the function's number and the value, both in decimal. */
static uint32_t md5(uint64_t a, uint64_t b, uint64_t p, uint64_t value)
{
    (void)b;
    (void)p;
    char text[48];
    int length = snprintf(text, sizeof text, "%" PRIu64 "%" PRIu64, a, value);
    uint8_t digest[16];
    tw_md5(text, (size_t)length, digest);
    return (uint32_t)digest[0] | (uint32_t)digest[1] << 8 | (uint32_t)digest[2] << 16 |
           (uint32_t)digest[3] << 24;
}

/* The sum wraps at 2^64 before it is reduced, as it does in datasketch. */
static uint32_t mersenne(uint64_t a, uint64_t b, uint64_t p, uint64_t value)
{
    (void)p;
    return (uint32_t)((a * value + b) % MERSENNE_61);
}

/* Defines lower_by_NAME(), which lowers a slot by one of the functions above. A macro, so that each
 * loop has its function inlined. */
#define LOWER_BY(name)                                                                             \
    static void lower_by_##name(const tw_scheme *scheme, const uint64_t *values, size_t count,     \
                                size_t slot, uint32_t *slots)                                      \
    {                                                                                              \
        uint64_t a = scheme->a[slot], b = scheme->b[slot], p = scheme->p;                          \
        uint32_t smallest = slots[slot];                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            uint32_t value = name(a, b, p, values[i]);                                             \
            smallest = value < smallest ? value : smallest;                                        \
        }                                                                                          \
        slots[slot] = smallest;                                                                    \
    }

LOWER_BY(affine)
LOWER_BY(modular)
LOWER_BY(jenkins)
LOWER_BY(md5)
LOWER_BY(mersenne)

/* ---- the table */

static const tw_sketch_calls fss_calls = {
    .begin = tw_fss_begin,
    .add = tw_fss_add,
    .windows = tw_fss_windows,
    .end = tw_fss_end,
};

static const tw_scheme_row rows[] = {
    [TWINSET_SCHEME_FSS] = {.external = tw_mix64, .calls = &fss_calls},
    [TWINSET_SCHEME_AFFINE] = {.id_shift = 32,
                               .external = mix_high_half,
                               .draw_parameters = draw_affine,
                               .is_linear = true,
                               .lower_slot = lower_by_affine,
                               .kernel = TW_KERNEL_AFFINE},
    [TWINSET_SCHEME_MODULAR] = {.id_shift = 33,
                                .draw_parameters = draw_modular,
                                .is_linear = true,
                                .is_modular = true,
                                .lower_slot = lower_by_modular},
    [TWINSET_SCHEME_JENKINS] = {.id_shift = 32,
                                .draw_parameters = draw_any,
                                .lower_slot = lower_by_jenkins},
    [TWINSET_SCHEME_MD5] = {.draw_parameters = number_functions, .lower_slot = lower_by_md5},
    [TWINSET_SCHEME_DATASKETCH1] = {.takes_sha1 = true,
                                    .draw_parameters = draw_datasketch1,
                                    .is_linear = true,
                                    .lower_slot = lower_by_mersenne,
                                    .kernel = TW_KERNEL_MERSENNE},
    [TWINSET_SCHEME_DATASKETCH2] = {.takes_sha1 = true,
                                    .external = mix_low_half,
                                    .draw_parameters = draw_datasketch2,
                                    .is_linear = true,
                                    .lower_slot = lower_by_affine,
                                    .kernel = TW_KERNEL_AFFINE},
};

const tw_scheme_row *tw_scheme_row_of(int scheme)
{
    return &rows[scheme];
}

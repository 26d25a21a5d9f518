/* Schemes: their parameters, drawn from the seed, and the calls that lead to the chosen one. */
#include "sketch.h"

#include <string.h>

#include "classic.h"
#include "datasketch.h"
#include "fss.h"
#include "text.h"

/* The first prime above 2^31, below which the modular scheme's shingle numbers lie. */
#define MODULUS UINT64_C(2147483659)

static bool is_classic(const tw_scheme *scheme)
{
    return scheme->kind != TWINSET_SCHEME_FSS;
}

static bool is_datasketch(const tw_scheme *scheme)
{
    return scheme->kind >= TWINSET_SCHEME_DATASKETCH1;
}

/* ---- parameters */

static int datasketch2_parameters(tw_scheme *scheme, uint32_t seed)
{
    uint32_t *a = tw_array(2 * scheme->hashes, sizeof *a);
    if (!a)
        return TWINSET_NOMEM;
    tw_datasketch2_parameters(seed, scheme->hashes, a, a + scheme->hashes);
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = a[i];
        scheme->b[i] = a[scheme->hashes + i];
    }
    tw_free(a);
    return TWINSET_OK;
}

/* Draws the parameters of a classical scheme from the seed. */
static int draw_parameters(tw_scheme *scheme, uint64_t seed)
{
    if (scheme->kind == TWINSET_SCHEME_DATASKETCH2)
        return datasketch2_parameters(scheme, (uint32_t)seed);
    if (scheme->kind == TWINSET_SCHEME_DATASKETCH1) {
        tw_datasketch1_parameters((uint32_t)seed, scheme->hashes, scheme->a, scheme->b);
        return TWINSET_OK;
    }
    uint64_t state = seed;
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = tw_splitmix64(&state);
        scheme->b[i] = tw_splitmix64(&state);
        if (scheme->kind == TWINSET_SCHEME_MODULAR) {
            scheme->a[i] = 1 + scheme->a[i] % (scheme->p - 1);
            scheme->b[i] %= scheme->p;
        } else if (scheme->kind == TWINSET_SCHEME_AFFINE) {
            scheme->a[i] |= 1; /* with an odd factor, the function is a permutation */
        } else if (scheme->kind == TWINSET_SCHEME_MD5) {
            scheme->a[i] = i + (seed - 1) * 65536; /* the functions are numbered from 0 */
        }
    }
    return TWINSET_OK;
}

int tw_scheme_new(const twinset_options *options, tw_scheme **out, twinset_error *error)
{
    *out = NULL;
    tw_scheme *scheme = tw_calloc(1, sizeof *scheme);
    if (!scheme)
        return tw_nomem(error);
    scheme->kind = options->scheme;
    scheme->shingle_hash = options->shingle_hash;
    scheme->hashes = options->hashes;
    scheme->p = MODULUS;
    scheme->salt = options->seed == 1 ? 0 : (uint32_t)(tw_mix64(options->seed + 1) >> 32) | 1;
    while ((size_t)1 << scheme->bin_bits < scheme->hashes)
        scheme->bin_bits++;
    int status = TWINSET_OK;
    if (is_classic(scheme)) {
        scheme->a = tw_array(scheme->hashes, sizeof *scheme->a);
        scheme->b = tw_array(scheme->hashes, sizeof *scheme->b);
        status = scheme->a && scheme->b ? draw_parameters(scheme, options->seed) : TWINSET_NOMEM;
    }
    if (status != TWINSET_OK) {
        tw_scheme_free(scheme);
        return tw_nomem(error);
    }
    *out = scheme;
    return TWINSET_OK;
}

void tw_scheme_free(tw_scheme *scheme)
{
    if (!scheme)
        return;
    tw_free(scheme->a);
    tw_free(scheme->b);
    tw_free(scheme);
}

/* ---- numbers for shingles */

bool tw_scheme_takes_ids(const tw_scheme *scheme)
{
    return scheme->shingle_hash == TWINSET_SHINGLE_HASH_DEFAULT && !is_datasketch(scheme);
}

static uint64_t little_endian(const uint8_t *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

uint64_t tw_scheme_external_value(const tw_scheme *scheme, uint64_t number)
{
    switch (scheme->kind) {
    case TWINSET_SCHEME_FSS:
        return tw_mix64(number);
    case TWINSET_SCHEME_AFFINE:
        return tw_mix64(number) >> 32;
    case TWINSET_SCHEME_DATASKETCH2:
        return tw_fmix32((uint32_t)number);
    default:
        return number;
    }
}

uint64_t tw_scheme_value(const tw_scheme *scheme, uint64_t id, const char *bytes, size_t length)
{
    uint8_t digest[20];
    if (is_datasketch(scheme)) {
        tw_sha1(bytes, length, digest);
        return tw_scheme_external_value(scheme, little_endian(digest, 4));
    }
    if (scheme->shingle_hash == TWINSET_SHINGLE_HASH_MURMUR3)
        return tw_scheme_external_value(scheme, tw_murmur3_32(bytes, length, 0) & 0x7FFFFFFF);
    if (scheme->shingle_hash == TWINSET_SHINGLE_HASH_MD5) {
        tw_md5(bytes, length, digest);
        return tw_scheme_external_value(scheme, little_endian(digest, 8));
    }
    switch (scheme->kind) {
    case TWINSET_SCHEME_AFFINE:
    case TWINSET_SCHEME_JENKINS:
        return id >> 32;
    case TWINSET_SCHEME_MODULAR:
        return id >> 33;
    default:
        return id;
    }
}

static void hash_for_datasketch(const tw_scheme *scheme, const char *const *bytes,
                                const size_t *lengths, size_t count, uint64_t *values)
{
    uint32_t words[256];
    for (size_t at = 0, some; at < count; at += some) {
        some = count - at < 256 ? count - at : 256;
        tw_sha1_words(bytes + at, lengths + at, some, words);
        for (size_t i = 0; i < some; i++)
            values[at + i] = tw_scheme_external_value(scheme, words[i]);
    }
}

void tw_scheme_values(const tw_scheme *scheme, const char *const *bytes, const size_t *lengths,
                      size_t count, uint64_t *values)
{
    if (is_datasketch(scheme)) {
        hash_for_datasketch(scheme, bytes, lengths, count, values);
        return;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = tw_scheme_value(scheme, values[i], bytes[i], lengths[i]);
}

/* ---- signatures */

void tw_sketch_init(tw_sketch *sketch, const tw_scheme *scheme)
{
    *sketch = (tw_sketch){.scheme = scheme};
}

void tw_sketch_free(tw_sketch *sketch)
{
    tw_free(sketch->kept);
    tw_free(sketch->scratch);
    tw_free(sketch->memory);
    tw_free(sketch->passed);
}

void tw_sketch_begin(tw_sketch *sketch, uint32_t *slots)
{
    memset(slots, 0xFF, sketch->scheme->hashes * sizeof *slots);
    sketch->slots = slots;
    if (!is_classic(sketch->scheme))
        tw_fss_begin(sketch);
}

int tw_sketch_add(tw_sketch *sketch, const uint64_t *values, size_t count)
{
    if (!is_classic(sketch->scheme))
        return tw_fss_add(sketch, values, count);
    tw_classic_add(sketch->scheme, values, count, sketch->slots);
    return TWINSET_OK;
}

static int add_windows(tw_sketch *sketch, const char *text, size_t count, size_t k)
{
    enum { AT_ONCE = 512 }; /* so many stay in the L1 cache */
    uint64_t values[AT_ONCE];
    const char *bytes[AT_ONCE];
    size_t lengths[AT_ONCE];
    int status = TWINSET_OK;
    for (size_t some; count && status == TWINSET_OK; text += some, count -= some) {
        some = count < AT_ONCE ? count : AT_ONCE;
        tw_window_ids(text, some, k, values);
        for (size_t i = 0; i < some; i++) {
            bytes[i] = text + i;
            lengths[i] = k;
        }
        tw_scheme_values(sketch->scheme, bytes, lengths, some, values);
        status = tw_sketch_add(sketch, values, some);
    }
    return status;
}

int tw_sketch_windows(tw_sketch *sketch, const char *text, size_t count, size_t k)
{
    bool fused = !is_classic(sketch->scheme) && tw_scheme_takes_ids(sketch->scheme);
    return fused && sketch->kernels ? tw_fss_windows(sketch, text, count, k)
                                    : add_windows(sketch, text, count, k);
}

void tw_sketch_end(tw_sketch *sketch)
{
    if (!is_classic(sketch->scheme))
        tw_fss_end(sketch);
}

void twinset_signature_merge(uint32_t *into, const uint32_t *from, size_t hashes)
{
    if (!into || !from)
        return;
    for (size_t i = 0; i < hashes; i++)
        into[i] = from[i] < into[i] ? from[i] : into[i];
}

/* ---- kernels */

static size_t portable_agreeing(const uint32_t *a, const uint32_t *b, size_t hashes)
{
    size_t agree = 0;
    for (size_t i = 0; i < hashes; i++)
        agree += a[i] == b[i] && a[i] != (uint32_t)TW_EMPTY_SLOT;
    return agree;
}

static const tw_slot_kernels portable = {.agreeing = portable_agreeing};

static const tw_slot_kernels *const KERNELS[TW_ISAS] = {
    [TW_ISA_PORTABLE] = &portable,
#if defined(__x86_64__)
    [TW_ISA_AVX2] = &tw_slots_avx2,
    [TW_ISA_AVX512] = &tw_slots_avx512,
#elif defined(__aarch64__)
    [TW_ISA_NEON] = &tw_slots_neon,
#endif
};

const tw_slot_kernels *tw_slots_choose(void)
{
    return TW_KERNELS(KERNELS);
}

size_t tw_agreeing_slots(const uint32_t *a, const uint32_t *b, size_t hashes)
{
    return tw_slots_choose()->agreeing(a, b, hashes);
}

double twinset_signature_estimate(const uint32_t *a, const uint32_t *b, size_t hashes)
{
    return a && b && hashes ? (double)tw_agreeing_slots(a, b, hashes) / (double)hashes : 0;
}

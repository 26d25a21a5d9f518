/* The calls of sketch.h, which lead to what the row of the chosen scheme says. */
#include "sketch.h"

#include <string.h>

#include "classic.h"
#include "schemes.h"
#include "text.h"

/* The first prime above 2^31, below which the modular scheme's shingle numbers lie. */
#define MODULUS UINT64_C(2147483659)

int tw_scheme_new(const twinset_options *options, tw_scheme **out, twinset_error *error)
{
    *out = NULL;
    tw_scheme *scheme = tw_calloc(1, sizeof *scheme);
    if (!scheme)
        return tw_nomem(error);
    scheme->row = tw_scheme_row_of(options->scheme);
    scheme->shingle_hash = options->shingle_hash;
    scheme->hashes = options->hashes;
    scheme->p = MODULUS;
    scheme->salt = options->seed == 1 ? 0 : (uint32_t)(tw_mix64(options->seed + 1) >> 32) | 1;
    while ((size_t)1 << scheme->bin_bits < scheme->hashes)
        scheme->bin_bits++;
    int status = TWINSET_OK;
    if (scheme->row->draw_parameters) {
        scheme->a = tw_array(scheme->hashes, sizeof *scheme->a);
        scheme->b = tw_array(scheme->hashes, sizeof *scheme->b);
        status = scheme->a && scheme->b ? scheme->row->draw_parameters(scheme, options->seed)
                                        : TWINSET_NOMEM;
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

int tw_scheme_check_linear(const tw_scheme *scheme, twinset_error *error)
{
    if (scheme->row->is_linear)
        return TWINSET_OK;
    return tw_fail(error, TWINSET_USAGE,
                   "the functions of this scheme are not a x + b, with parameters to get or set");
}

int tw_scheme_set_functions(tw_scheme *scheme, const uint64_t *a, const uint64_t *b, uint64_t p,
                            twinset_error *error)
{
    bool modular = scheme->row->is_modular;
    int status = tw_scheme_check_linear(scheme, error);
    if (status != TWINSET_OK)
        return status;
    if (modular && (p < 2 || p > UINT32_MAX))
        return tw_fail(error, TWINSET_USAGE, "p is %llu, but must be from 2 to 4294967295",
                       (unsigned long long)p);
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = modular ? a[i] % p : a[i];
        scheme->b[i] = modular ? b[i] % p : b[i];
    }
    scheme->p = p;
    return TWINSET_OK;
}

/* ---- numbers for shingles */

bool tw_scheme_takes_ids(const tw_scheme *scheme)
{
    return scheme->shingle_hash == TWINSET_SHINGLE_HASH_DEFAULT && !scheme->row->takes_sha1;
}

bool tw_scheme_sketches_ids(const tw_scheme *scheme)
{
    return tw_scheme_takes_ids(scheme) && scheme->row->id_shift == 0;
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
    return scheme->row->external ? scheme->row->external(number) : number;
}

uint64_t tw_scheme_value(const tw_scheme *scheme, uint64_t id, const char *bytes, size_t length)
{
    uint8_t digest[20];
    if (scheme->row->takes_sha1) {
        tw_sha1(bytes, length, digest);
        return tw_scheme_external_value(scheme, little_endian(digest, 4));
    }
    if (scheme->shingle_hash == TWINSET_SHINGLE_HASH_MURMUR3)
        return tw_scheme_external_value(scheme, tw_murmur3_32(bytes, length, 0) & 0x7FFFFFFF);
    if (scheme->shingle_hash == TWINSET_SHINGLE_HASH_MD5) {
        tw_md5(bytes, length, digest);
        return tw_scheme_external_value(scheme, little_endian(digest, 8));
    }
    return id >> scheme->row->id_shift;
}

static void hash_by_sha1(const tw_scheme *scheme, const char *const *bytes, const size_t *lengths,
                         size_t count, uint64_t *values)
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
    if (scheme->row->takes_sha1) {
        hash_by_sha1(scheme, bytes, lengths, count, values);
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
    if (sketch->scheme->row->calls)
        sketch->scheme->row->calls->begin(sketch);
}

int tw_sketch_add(tw_sketch *sketch, const uint64_t *values, size_t count)
{
    if (sketch->scheme->row->calls)
        return sketch->scheme->row->calls->add(sketch, values, count);
    tw_classic_add(sketch->scheme, values, count, sketch->slots);
    return TWINSET_OK;
}

static int add_windows(tw_sketch *sketch, const char *text, size_t count, size_t k)
{
    enum { AT_ONCE = 512 }; /* these stay in the L1 cache */
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
    const tw_sketch_calls *calls = sketch->scheme->row->calls;
    bool fused = calls && sketch->kernels && tw_scheme_sketches_ids(sketch->scheme);
    return fused ? calls->windows(sketch, text, count, k) : add_windows(sketch, text, count, k);
}

void tw_sketch_end(tw_sketch *sketch)
{
    if (sketch->scheme->row->calls)
        sketch->scheme->row->calls->end(sketch);
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
#ifdef TW_X86_KERNELS
    [TW_ISA_AVX2] = &tw_slots_avx2,
    [TW_ISA_AVX512] = &tw_slots_avx512,
#elif defined(TW_ARM_KERNELS)
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

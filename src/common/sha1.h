/*
 * SHA-1 of many short inputs, one in each lane of a vector. Only the first word of a digest is
 * wanted here: it is the number that datasketch takes for an item.
 */
#ifndef TW_SHA1_H
#define TW_SHA1_H

#include <stddef.h>
#include <stdint.h>

/* The first four bytes of each one's SHA-1, as a little-endian number. */
void tw_sha1_words(const char *const *items, const size_t *lengths, size_t count, uint32_t *words);

/* ---- kernels: the same for items of up to TW_SHA1_SHORT bytes, which fit into one block */

enum { TW_SHA1_SHORT = 55 };

typedef void (*tw_sha1_kernel)(const char *const *items, const size_t *lengths, size_t count,
                               uint32_t *words);

void tw_sha1_words_avx2(const char *const *items, const size_t *lengths, size_t count,
                        uint32_t *words);
void tw_sha1_words_avx512(const char *const *items, const size_t *lengths, size_t count,
                          uint32_t *words);
void tw_sha1_words_neon(const char *const *items, const size_t *lengths, size_t count,
                        uint32_t *words);

#endif

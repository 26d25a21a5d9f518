/*
 * The kernels of tw_sha1_words(): SHA-1 of many short items, one in each lane of a vector.
 */
#ifndef TW_SHA1_H
#define TW_SHA1_H

#include <stddef.h>
#include <stdint.h>

/* The longest items that the kernels take, in bytes: they fit into one block of SHA-1. */
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

/*
 * Windows: the ids of all shingles of a text at once. Neighbouring windows share most of their
 * bytes, so that a vector hashes 4 to 16 of them from one load.
 */
#ifndef TW_WINDOW_H
#define TW_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* Kernels read past the last window: the bytes after it that must be readable. */
enum { TW_SLACK = 64 };

/* Computes tw_shingle_id() of each of the `count` windows of k bytes that start at text[0],
 * text[1]... */
void tw_window_ids(const char *text, size_t count, size_t k, uint64_t *ids);

/* Computes tw_shingle_id() of each of the `count` windows of k tokens. `start` has the offset of
 * each token in the text, and one entry more, for a token after the last; `gap` bytes lie between
 * two tokens. */
void tw_window_ids_at(const char *text, const size_t *start, size_t count, size_t k, size_t gap,
                      uint64_t *ids);

#endif

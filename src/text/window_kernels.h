/* The functions of window.h for one instruction set; `count` is not 0. */
#ifndef TW_WINDOW_KERNELS_H
#define TW_WINDOW_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_window_kernels {
    void (*ids)(const char *text, size_t count, size_t k, uint64_t *ids);
    void (*ids_at)(const char *text, const size_t *start, size_t count, size_t k, size_t gap,
                   uint64_t *ids);
} tw_window_kernels;

extern const tw_window_kernels tw_window_avx2, tw_window_avx512, tw_window_neon;

#endif

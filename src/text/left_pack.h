/* A table for moving some of eight bytes to the front with a shuffle. */
#ifndef TW_LEFT_PACK_H
#define TW_LEFT_PACK_H

#include <stdint.h>

/* For each set of eight bytes, the index of each member, one in a byte, from the lowest on. */
#define INDEX(set, i)                                                                              \
    ((uint64_t)((set) >> (i)&1) * (i) << 8 * __builtin_popcount((set) & ((1 << (i)) - 1)))
#define INDICES_1(set)                                                                             \
    (INDEX(set, 1) | INDEX(set, 2) | INDEX(set, 3) | INDEX(set, 4) | INDEX(set, 5) |               \
     INDEX(set, 6) | INDEX(set, 7))
#define INDICES_4(set)                                                                             \
    INDICES_1(set), INDICES_1((set) + 1), INDICES_1((set) + 2), INDICES_1((set) + 3)
#define INDICES_16(set)                                                                            \
    INDICES_4(set), INDICES_4((set) + 4), INDICES_4((set) + 8), INDICES_4((set) + 12)
#define INDICES_64(set)                                                                            \
    INDICES_16(set), INDICES_16((set) + 16), INDICES_16((set) + 32), INDICES_16((set) + 48)

static const uint64_t TW_PACK_ORDERS[256] = {INDICES_64(0), INDICES_64(64), INDICES_64(128),
                                             INDICES_64(192)};

#undef INDEX
#undef INDICES_1
#undef INDICES_4
#undef INDICES_16
#undef INDICES_64

#endif

/* Moves the chosen ones of eight bytes to the front, where a vector unit can only shuffle. */
#ifndef TW_LEFT_PACK_H
#define TW_LEFT_PACK_H

#include <stdint.h>

/* For each set of eight bytes the places of its members, a byte each, from the lowest on. */
#define PLACE(set, i)                                                                              \
    ((uint64_t)((set) >> (i)&1) * (i) << 8 * __builtin_popcount((set) & ((1 << (i)) - 1)))
#define PLACES_1(set)                                                                              \
    (PLACE(set, 1) | PLACE(set, 2) | PLACE(set, 3) | PLACE(set, 4) | PLACE(set, 5) |               \
     PLACE(set, 6) | PLACE(set, 7))
#define PLACES_4(set) PLACES_1(set), PLACES_1((set) + 1), PLACES_1((set) + 2), PLACES_1((set) + 3)
#define PLACES_16(set) PLACES_4(set), PLACES_4((set) + 4), PLACES_4((set) + 8), PLACES_4((set) + 12)
#define PLACES_64(set)                                                                             \
    PLACES_16(set), PLACES_16((set) + 16), PLACES_16((set) + 32), PLACES_16((set) + 48)

static const uint64_t TW_PLACES[256] = {PLACES_64(0), PLACES_64(64), PLACES_64(128),
                                        PLACES_64(192)};

#undef PLACE
#undef PLACES_1
#undef PLACES_4
#undef PLACES_16
#undef PLACES_64

#endif

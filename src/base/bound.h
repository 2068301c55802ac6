/* Binary search: one loop for all that is kept in order. */
#ifndef HEDDLE_BASE_BOUND_H
#define HEDDLE_BASE_BOUND_H

#include <stddef.h>

/* Sets at, a size_t, to the first place of [from, to) for which the expression `before`, of at, does not hold; to, if it holds
 * for all. It must hold for places in front of the first alone. */
#define BOUND(at, from, to, before)                          \
    do {                                                     \
        size_t bound_low = (from), bound_high = (to);        \
        while (bound_low < bound_high) {                     \
            (at) = bound_low + (bound_high - bound_low) / 2; \
            if (before)                                      \
                bound_low = (at) + 1;                        \
            else                                             \
                bound_high = (at);                           \
        }                                                    \
        (at) = bound_low;                                    \
    } while (0)

#endif

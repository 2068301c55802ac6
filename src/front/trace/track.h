/* The next number of a column in a thread's tape, predicted from those before: what is predicted right need not be written.
 *
 * Programs are loops. Of predicates the lengths of runs of equal values are remembered: after as many rounds as last time, a
 * loop ends. Addresses grow by a stride, and after as many strides as last time by the jump that was made then: two loops, one
 * inside the other. What comes first, and the first stride or run, stands in tables of the block (table.h), so they are right
 * by definition. */
#ifndef HEDDLE_FRONT_TRACE_TRACK_H
#define HEDDLE_FRONT_TRACE_TRACK_H

#include <stdbool.h>
#include <stdint.h>

struct track {
    uint64_t last;   /* number; of bits 0 or 1 */
    uint64_t stride; /* modulo 2^64; of bits the lengths of the last runs of 0 */
    uint64_t jump;   /* modulo 2^64; of bits the length of the last run of 1; 0: none has ended */
    /* Strides since the last jump, and between the two last; of bits the run under way. */
    uint32_t run, before;
    bool begun, jumped;
};

static inline uint64_t track_predict_bit(const struct track *t) {
    const uint64_t length = t->last ? t->jump : t->stride;
    return length && t->run == length ? !t->last : t->last;
}

static inline void track_bit(struct track *t, uint64_t v) {
    if (t->begun && v == t->last) {
        t->run++;
        return;
    }
    if (t->begun && t->last) t->jump = t->run;
    if (t->begun && !t->last) t->stride = t->run;
    t->begun = true;
    t->last = v;
    t->run = 1;
}

static inline uint64_t track_predict(const struct track *t) {
    if (!t->begun) return t->last;
    return t->last + (t->jumped && t->run == t->before ? t->jump : t->stride);
}

static inline void track_value(struct track *t, uint64_t v) {
    const uint64_t d = v - t->last;
    t->last = v;
    if (!t->begun) {
        t->begun = true;
    } else if (d == t->stride) {
        t->run++;
    } else if (t->jumped && !t->run && d == t->jump) { /* twice the same: the new stride */
        t->stride = d;
        t->run = 1;
        t->jumped = false;
    } else {
        t->jump = d;
        t->before = t->run;
        t->run = 0;
        t->jumped = true;
    }
}

#endif

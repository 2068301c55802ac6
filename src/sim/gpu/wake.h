/* When each SM is to be ticked next. A tick, a jump to the next tick and a change of mind cost the same however many SMs
 * sleep. */
#ifndef HEDDLE_SIM_GPU_WAKE_H
#define HEDDLE_SIM_GPU_WAKE_H

#include <stdint.h>

#include "base/bitmap.h"

#define GPU_NEVER UINT64_MAX
enum { GPU_WAKE_SLOTS = 64 };

struct gpu_wake {
    uint32_t words; /* of a set of SMs */
    uint64_t now;   /* as of the last gpu_wake_advance */
    uint64_t *when; /* of each SM; not after now: it is in no set but `due` */
    uint64_t *due;  /* those that were due now */
    /* SMs that are due in the 64 cycles from now on, by the cycle's last six bits, and which of these sets have
     * members. */
    uint64_t *slot; /* [GPU_WAKE_SLOTS][words] */
    uint64_t slots;
    uint64_t *far;      /* those due later */
    uint64_t far_first; /* the first of them */
};

/* Starts with no SM due. The first advance is to `now` or later. */
void gpu_wake_init(struct gpu_wake *w, uint32_t sms, uint64_t now);
void gpu_wake_free(struct gpu_wake *w);
/* The time is until - 1, at most GPU_WAKE_SLOTS cycles from `now`, which is not after the first due cycle: SMs due in one of
 * the cycles from now on are in w->due, and due no more. */
void gpu_wake_advance(struct gpu_wake *w, uint64_t now, uint64_t until);
/* The time is `now` after all, which is earlier. */
void gpu_wake_rewind(struct gpu_wake *w, uint32_t sms, uint64_t now);
uint64_t gpu_wake_next(const struct gpu_wake *w); /* the first due cycle, or GPU_NEVER */

/* For gpu_wake_set: an SM that is not due yet is taken out; one that is due late is put aside. */
void gpu_wake_forget(struct gpu_wake *w, uint32_t i);
void gpu_wake_late(struct gpu_wake *w, uint32_t i);
/* SM i is due at this cycle, which the time has not been advanced to yet, and at no other; GPU_NEVER: at none. */
static inline void gpu_wake_set(struct gpu_wake *w, uint32_t i, uint64_t when) {
    if (w->when[i] > w->now) gpu_wake_forget(w, i);
    w->when[i] = when;
    if (when - w->now >= GPU_WAKE_SLOTS) {
        gpu_wake_late(w, i);
        return;
    }
    bitmap_set(w->slot + when % GPU_WAKE_SLOTS * w->words, i);
    w->slots |= (uint64_t)1 << when % GPU_WAKE_SLOTS;
}

#endif

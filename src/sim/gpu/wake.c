/* A timing wheel of sets of SMs. An SM with work is due within a few cycles, so it goes round and round in the wheel; one
 * that waits for longer (a deep pipeline, a slow unit) is in a set aside that is looked through when its first member comes
 * into the wheel's reach. */
#include "sim/gpu/wake.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void gpu_wake_init(struct gpu_wake *w, uint32_t sms, uint64_t now) {
    const uint32_t words = bitmap_words(sms);
    *w = (struct gpu_wake){.words = words, .now = now, .far_first = GPU_NEVER};
    w->when = xcalloc(sms, sizeof *w->when);
    for (uint32_t i = 0; i < sms; i++) w->when[i] = GPU_NEVER;
    w->due = xcalloc(words, sizeof *w->due);
    w->slot = xcalloc((size_t)GPU_WAKE_SLOTS * words, sizeof *w->slot);
    w->far = xcalloc(words, sizeof *w->far);
}

void gpu_wake_free(struct gpu_wake *w) {
    xfree(w->when);
    xfree(w->due);
    xfree(w->slot);
    xfree(w->far);
}

static bool gpu_wake_within(const struct gpu_wake *w, uint64_t when) {
    return when - w->now < GPU_WAKE_SLOTS;
}

/* Members of the set aside that the wheel reaches go into it; far_first is that of the others. */
static void sort_far(struct gpu_wake *w) {
    w->far_first = GPU_NEVER;
    FOR_BITMAP(i, w->far, w->words) {
        if (gpu_wake_within(w, w->when[i])) {
            bitmap_clear(w->far, i);
            bitmap_set(w->slot + w->when[i] % GPU_WAKE_SLOTS * w->words, i);
            w->slots |= (uint64_t)1 << w->when[i] % GPU_WAKE_SLOTS;
        } else if (w->when[i] < w->far_first) {
            w->far_first = w->when[i];
        }
    }
}

void gpu_wake_late(struct gpu_wake *w, uint32_t i) {
    if (w->when[i] == GPU_NEVER) return;
    bitmap_set(w->far, i);
    if (w->when[i] < w->far_first) w->far_first = w->when[i];
}

void gpu_wake_forget(struct gpu_wake *w, uint32_t i) {
    const uint64_t when = w->when[i];
    if (when == GPU_NEVER) return;
    if (!gpu_wake_within(w, when)) {
        bitmap_clear(w->far, i);
        if (when == w->far_first) sort_far(w);
        return;
    }
    uint64_t *set = w->slot + when % GPU_WAKE_SLOTS * w->words;
    bitmap_clear(set, i);
    if (!bitmap_any(set, w->words)) w->slots &= ~((uint64_t)1 << when % GPU_WAKE_SLOTS);
}

static void gpu_wake_reach(struct gpu_wake *w, uint64_t now) {
    w->now = now;
    if (w->far_first != GPU_NEVER && gpu_wake_within(w, w->far_first)) sort_far(w);
}

void gpu_wake_advance(struct gpu_wake *w, uint64_t now, uint64_t until) {
    gpu_wake_reach(w, now);
    memset(w->due, 0, w->words * sizeof *w->due);
    for (uint64_t c = now; w->slots && c < until; c++) {
        if (!(w->slots >> c % GPU_WAKE_SLOTS & 1)) continue;
        uint64_t *set = w->slot + c % GPU_WAKE_SLOTS * w->words;
        for (uint32_t k = 0; k < w->words; k++) {
            w->due[k] |= set[k];
            set[k] = 0;
        }
        w->slots &= ~((uint64_t)1 << c % GPU_WAKE_SLOTS);
    }
    if (until > now + 1) gpu_wake_reach(w, until - 1);
}

void gpu_wake_rewind(struct gpu_wake *w, uint32_t sms, uint64_t now) {
    memset(w->slot, 0, (size_t)GPU_WAKE_SLOTS * w->words * sizeof *w->slot);
    memset(w->far, 0, w->words * sizeof *w->far);
    w->slots = 0;
    w->far_first = GPU_NEVER;
    w->now = now;
    for (uint32_t i = 0; i < sms; i++) {
        const uint64_t when = w->when[i];
        w->when[i] = now;
        if (when > now) gpu_wake_set(w, i, when);
    }
}

uint64_t gpu_wake_next(const struct gpu_wake *w) {
    if (!w->slots) return w->far_first;
    uint32_t at = (uint32_t)(w->now % GPU_WAKE_SLOTS);
    uint64_t ahead = at ? w->slots >> at | w->slots << (64 - at) : w->slots;
    return w->now + (uint64_t)__builtin_ctzll(ahead);
}

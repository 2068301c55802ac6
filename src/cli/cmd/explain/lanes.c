/* Sets of threads of the block that is explained, and how they are drawn. */
#include <inttypes.h>
#include <string.h>

#include "cli/cmd/explain/explain.h"

uint32_t lanes_chosen(const struct explain_view *v, uint32_t k) {
    const uint64_t from = v->first, to = from + v->count, at = (uint64_t)k * 32;
    const uint64_t below_to = to <= at ? 0 : to - at >= 32 ? UINT32_MAX : (UINT64_C(1) << (to - at)) - 1;
    const uint64_t below_from = from <= at        ? 0
                                : from - at >= 32 ? UINT32_MAX
                                                  : (UINT64_C(1) << (from - at)) - 1;
    return (uint32_t)(below_to & ~below_from);
}

void lanes_add(const struct explain_view *v, struct explain_lanes *l, uint32_t slot, uint32_t mask) {
    const uint32_t k = slot - v->base; /* slots before the block's wrap around, to far beyond it */
    const uint32_t mine = k < EXPLAIN_WORDS ? mask & lanes_chosen(v, k) : 0;
    if (mine) l->word[k] |= mine;
    l->others += (uint32_t)__builtin_popcount(mask & ~mine);
}

struct explain_lanes lanes_of(const struct explain_view *v, const struct mech_set *set) {
    struct explain_lanes l = {0};
    for (uint32_t k = 0; k < set->n; k++) lanes_add(v, &l, set->p[k].warp, set->p[k].mask);
    return l;
}

bool lanes_any(const struct explain_lanes *l) {
    return lanes_meet(l, l);
}

bool lanes_meet(const struct explain_lanes *a, const struct explain_lanes *b) {
    uint32_t both = 0;
    for (uint32_t k = 0; k < EXPLAIN_WORDS; k++) both |= a->word[k] & b->word[k];
    return both;
}

bool lanes_equal(const struct explain_lanes *a, const struct explain_lanes *b) {
    return a->others == b->others && !memcmp(a->word, b->word, sizeof a->word);
}

/* One warp of the machine: threads [from, to). */
static void draw_warp(const struct explain_lanes *l, uint32_t from, uint32_t to, struct sb *out) {
    for (uint32_t t = from; t < to; t++)
        sb_add(out, "%s%c", t > from && (t - from) % 8 == 0 ? " " : "",
               l->word[t / 32] >> t % 32 & 1 ? '#' : '.');
}

static bool in_warp(const struct explain_lanes *l, uint32_t from, uint32_t to) {
    for (uint32_t t = from; t < to; t++)
        if (l->word[t / 32] >> t % 32 & 1) return true;
    return false;
}

void lanes_draw(const struct explain_view *v, const struct explain_lanes *l, struct sb *out) {
    const uint32_t end = v->first + v->count;
    const char *gap = "";
    if (v->count <= v->width) draw_warp(l, v->first, end, out);
    for (uint32_t from = v->first; v->count > v->width && from < end; from += v->width) {
        const uint32_t to = end - from < v->width ? end : from + v->width;
        if (!in_warp(l, from, to)) continue;
        sb_add(out, "%s%" PRIu32 ":", gap, from / v->width);
        draw_warp(l, from, to, out);
        gap = " ";
    }
    if (l->others) sb_add(out, " +%" PRIu32, l->others);
}

/* Convergence barriers: paths and barriers as text, what they cost, and the audit. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/volta/volta.h"

void volta_census(const struct mech *m, struct mech_census *c) {
    const struct volta *v = m->self;
    *c = (struct mech_census){.inactive_path = v->standing, .reconvergence = v->blocked};
}

/* ---- text ---- */

static void volta_print_split(const struct volta_home *h, const struct mech_split *s, struct sb *out) {
    static const char *const word[] = {
        [VOLTA_READY] = "could run", [VOLTA_STALLED] = "made room", [VOLTA_WAITS] = "waiting at a barrier"};
    split_print_pc(out, "  path pc", s->pc);
    if (s->own[VOLTA_DEPTH]) sb_add(out, "depth %" PRIu32 " ", s->own[VOLTA_DEPTH]);
    set_print(&s->set, out);
    sb_add(out, " ");
    if (s->own[VOLTA_STATUS] == VOLTA_BLOCKED) {
        const struct volta_barrier *b = &h->barrier[s->own[VOLTA_BARRIER]];
        sb_add(out, "blocked by b%" PRIu32 " at %" PRIu32, b->reg, b->join);
    } else if (s->own[VOLTA_STATUS] == VOLTA_RUNS || s->in_flight) {
        order_describe(s, out);
    } else {
        sb_add(out, "%s", word[s->own[VOLTA_STATUS]]);
    }
    sb_add(out, "\n");
}

static void print_barrier(const struct volta_home *h, const struct volta_barrier *b, struct sb *out) {
    struct mech_set set;
    sb_add(out, "  b%" PRIu32 " ", b->reg);
    split_print_pc(out, "rpc", b->join);
    if (b->depth) sb_add(out, "depth %" PRIu32 " ", b->depth);
    mask_set(&b->members, h->first, &set);
    set_print(&set, out);
    if (mask_any(&b->yielded)) {
        sb_add(out, " yielded ");
        mask_set(&b->yielded, h->first, &set);
        set_print(&set, out);
    }
    sb_add(out, "\n");
}

/* The splits of all warps, then their barriers; splits keep no list of their warp's own. */
void volta_state(const struct mech *m, struct sb *out) {
    const struct volta *v = m->self;
    for (uint32_t k = 0; k < v->homes; k++) {
        const struct volta_home *h = &v->home[k];
        if (!h->splits) continue;
        sb_add(out, "warp %" PRIu32 "\n", k);
        FOR_SPLITS(s, m->pool) if (s->own[VOLTA_HOME] == k) volta_print_split(h, s, out);
        for (uint32_t i = 0; i < h->n; i++)
            if (h->barrier[i].used) print_barrier(h, &h->barrier[i], out);
    }
}

/* Counts bits as hardware would have them, PC and state of each thread and sixteen masks of a warp, and for our
 * choices: to which path's set a thread of a register belongs, and whether it has yielded. */
void volta_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t w = m->env.warp_size, warps = ((uint64_t)m->env.warps * 32 + w - 1) / w;
    storage_add(out, (struct mech_array){.name = "threads", .entries = warps, .bits = w * (32 + 2)});
    storage_add(out, (struct mech_array){.name = "barriers", .entries = warps * VOLTA_REGISTERS, .bits = w});
    storage_add(out, (struct mech_array){.name = "paths",
                                         .entries = warps * VOLTA_REGISTERS,
                                         .bits = w * (1 + bits_for((uint32_t)w))});
}

/* ---- audit ---- */

static void audit_list(const struct mech *m, const struct volta_home *h, uint32_t home) {
    const struct volta *v = m->self;
    uint32_t ready = 0;
    for (uint32_t k = 0; k < h->nlist; k++) {
        const struct mech_split *s = split_at(m->pool, h->list[k]);
        CHECK(s && s->own[VOLTA_HOME] == home);
        const uint32_t status = s->own[VOLTA_STATUS];
        CHECK(v->interleave == VOLTA_ANY ? status == VOLTA_RUNS
                                         : status == VOLTA_READY || status == VOLTA_STALLED);
        CHECK(status != VOLTA_READY || order_parked(s));
        ready += status == VOLTA_READY;
    }
    CHECK(h->current == SPLIT_NONE || (v->interleave != VOLTA_ANY && split_at(m->pool, h->current)));
    CHECK(!ready || h->current != SPLIT_NONE);
}

/* What must hold of a barrier: someone is a member and did not come yet nor yield, those who came are members, and none of
 * them has yielded. */
static uint32_t audit_barrier(const struct mech *m, const struct volta_home *h,
                              const struct volta_barrier *b) {
    struct mask here = {0};
    if (b->blocked != SPLIT_NONE) {
        const struct mech_split *s = split_at(m->pool, b->blocked);
        CHECK(s && s->own[VOLTA_STATUS] == VOLTA_BLOCKED && order_parked(s) && s->pc == b->join + 1);
        CHECK(&h->barrier[s->own[VOLTA_BARRIER]] == b && s->own[VOLTA_DEPTH] == b->depth);
        mask_put(&here, h->first, &s->set);
    }
    uint32_t missing = 0;
    for (uint32_t k = 0; k < MASK_WORDS; k++) {
        const uint32_t slot = h->first + k;
        CHECK(!(here.w[k] & ~b->members.w[k]) && !(b->yielded.w[k] & ~b->members.w[k]));
        CHECK(!(here.w[k] & b->yielded.w[k]));
        CHECK(!(b->members.w[k] & ~(slot < m->pool->slots ? m->pool->present[slot] : 0)));
        missing |= b->members.w[k] & ~(here.w[k] | b->yielded.w[k]);
    }
    CHECK(missing);
    return mask_count(&here);
}

/* Returns the threads that are blocked. */
static uint32_t volta_audit_home(const struct mech *m, uint32_t home) {
    const struct volta *v = m->self;
    const struct volta_home *h = &v->home[home];
    uint32_t blocked = 0;
    audit_list(m, h, home);
    for (uint32_t i = 0; i < h->n; i++) {
        const struct volta_barrier *a = &h->barrier[i], *b;
        if (!a->used) continue;
        blocked += audit_barrier(m, h, a);
        for (b = a + 1; b < h->barrier + h->n; b++)
            for (uint32_t k = 0; b->used && b->reg == a->reg && b->depth == a->depth && k < MASK_WORDS; k++)
                CHECK(!(a->members.w[k] & b->members.w[k]));
    }
    return blocked;
}

void volta_audit(const struct mech *m) {
    const struct volta *v = m->self;
    uint32_t blocked = 0, standing = 0, listed = 0, splits = 0;
    split_audit(m, true);
    for (uint32_t k = 0; k < v->homes; k++) {
        blocked += volta_audit_home(m, k);
        splits += v->home[k].splits;
    }
    FOR_SPLITS(s, m->pool) {
        const uint32_t status = s->own[VOLTA_STATUS];
        if (status == VOLTA_BLOCKED) listed += s->threads;
        if (status == VOLTA_READY || status == VOLTA_STALLED) standing += s->threads;
    }
    CHECK(blocked == v->blocked && listed == blocked && standing == v->standing);
    CHECK(splits == m->pool->alive);
}

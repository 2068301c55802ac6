/* Convergence barriers: who is a member of which, who has come to its BSYNC, and when those go on. */
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/volta/volta.h"

#define FOR_BARRIERS(b, h)                                                                    \
    for (struct volta_barrier *b = (h)->barrier; b != NULL && b < (h)->barrier + (h)->n; b++) \
        if (b->used)

static void common(const struct mask *m, uint32_t first, const struct mech_set *set, struct mech_set *out) {
    out->n = 0;
    for (uint32_t k = 0; k < set->n; k++) {
        const uint32_t mask = m->w[set->p[k].warp - first] & set->p[k].mask;
        if (mask) set_add(out, set->p[k].warp, mask);
    }
}

static bool is_of(const struct volta_barrier *b, uint32_t reg, uint32_t depth) {
    return b->reg == reg && b->depth == depth;
}

/* ---- going on ---- */

static void volta_barriers_drop(struct volta_home *h, struct volta_barrier *b) {
    b->used = false;
    while (h->n && !h->barrier[h->n - 1].used) h->n--;
}

static void let_go(struct mech *m, struct volta_home *h, struct volta_barrier *b) {
    struct mech_split *s = split_known(m->pool, b->blocked);
    struct mech_set set;
    if (b->paths > 1) split_reconverged(m, b->join);
    if (mask_any(&b->yielded)) {
        volta_counts(m)->released_without_yielded++;
        mech_event(m, "barrier %u lets go without those who yielded", (unsigned)b->reg);
    }
    volta_barriers_drop(h, b);
    set_copy(&set, &s->set);
    volta_unify(m, h, &set);
    volta_ready(m, s, false);
}

/* Without members it is gone; with none but those who are there or have yielded, the former go on. */
static void volta_barriers_check(struct mech *m, struct volta_home *h, struct volta_barrier *b) {
    const uint32_t members = mask_count(&b->members);
    if (!members)
        volta_barriers_drop(h, b);
    else if (b->blocked != SPLIT_NONE &&
             split_known(m->pool, b->blocked)->threads + mask_count(&b->yielded) == members)
        let_go(m, h, b);
}

static void remove_members(struct mech *m, struct volta_home *h, struct volta_barrier *b,
                           const struct mech_set *set) {
    if (!mask_meets(&b->members, h->first, set)) return;
    mask_take(&b->members, h->first, set);
    mask_take(&b->yielded, h->first, set);
    volta_barriers_check(m, h, b);
}

/* ---- the marks ---- */

static struct volta_barrier *new_barrier(struct mech *m, struct volta_home *h) {
    uint32_t i = 0, used = 1;
    while (i < h->n && h->barrier[i].used) i++;
    if (i == h->n) {
        PAGES_GROW(m->env.pages, h->barrier, h->n, h->cap);
        h->n++;
    }
    for (uint32_t k = 0; k < h->n; k++) used += k != i && h->barrier[k].used;
    if (used > volta_counts(m)->barriers) volta_counts(m)->barriers = used;
    return &h->barrier[i];
}

void volta_bssy(struct mech *m, const struct mech_split *s, uint32_t reg, uint32_t join) {
    struct volta_home *h = volta_home_of(m, s);
    volta_counts(m)->bssy++;
    FOR_BARRIERS(b, h) if (is_of(b, reg, s->own[VOLTA_DEPTH])) remove_members(m, h, b, &s->set);
    struct volta_barrier *b = new_barrier(m, h);
    *b = (struct volta_barrier){.used = true,
                                .reg = reg,
                                .depth = s->own[VOLTA_DEPTH],
                                .join = join,
                                .blocked = SPLIT_NONE,
                                .branch = IR_NOPC,
                                .alarm = MECH_NEVER};
    mask_put(&b->members, h->first, &s->set);
}

static void set_alarm(struct mech *m, struct volta_barrier *b) {
    struct volta *v = m->self;
    const uint32_t patience = volta_params(m)->patience;
    b->alarm = patience ? *m->env.now + patience : MECH_NEVER;
    if (b->alarm < v->ring) v->ring = b->alarm;
}

/* t, all of them members, has come to the BSYNC. */
static void volta_barriers_block(struct mech *m, struct volta_home *h, struct volta_barrier *b,
                                 struct mech_split *t) {
    mask_take(&b->yielded, h->first, &t->set);
    b->paths++;
    if (b->blocked == SPLIT_NONE) {
        set_alarm(m, b);
        b->blocked = t->id;
        t->own[VOLTA_BARRIER] = (uint32_t)(b - h->barrier);
        volta_set_status(m, t, VOLTA_BLOCKED);
    } else {
        volta_join(m, split_known(m->pool, b->blocked), t);
    }
    if (split_known(m->pool, b->blocked)->threads + mask_count(&b->yielded) < mask_count(&b->members))
        volta_counts(m)->bsync_waits++;
    volta_barriers_check(m, h, b);
}

struct mech_split *volta_bsync(struct mech *m, struct mech_split *s, uint32_t reg, uint32_t pc) {
    struct volta_home *h = volta_home_of(m, s);
    struct mech_set here;
    FOR_BARRIERS(b, h) {
        if (!is_of(b, reg, s->own[VOLTA_DEPTH]) || b->join != pc) continue;
        common(&b->members, h->first, &s->set, &here);
        if (!here.n) continue;
        const bool all = set_equal(&here, &s->set);
        struct mech_split *t = s;
        if (!all) {
            t = split_divide(m, s, &here);
            t->age = s->age;
            h->splits++;
        }
        volta_barriers_block(m, h, b, t);
        if (all) return NULL;
    }
    return s;
}

void volta_break(struct mech *m, const struct mech_split *s, uint32_t reg, const struct mech_set *set) {
    struct volta_home *h = volta_home_of(m, s);
    volta_counts(m)->breaks += set->n != 0;
    FOR_BARRIERS(b, h) if (is_of(b, reg, s->own[VOLTA_DEPTH])) remove_members(m, h, b, set);
}

void volta_yield(struct mech *m, const struct mech_split *s, const struct mech_set *set) {
    struct volta_home *h = volta_home_of(m, s);
    struct mech_set here;
    volta_counts(m)->yields++;
    FOR_BARRIERS(b, h) {
        if (b->blocked == SPLIT_NONE) continue;
        common(&b->members, h->first, set, &here);
        mask_put(&b->yielded, h->first, &here);
        if (here.n) volta_barriers_check(m, h, b);
    }
}

void volta_leave(struct mech *m, struct volta_home *h, const struct mech_set *set, int32_t depth) {
    FOR_BARRIERS(b, h) if ((int64_t)b->depth > depth) remove_members(m, h, b, set);
}

/* ---- the clock ---- */

/* All who are missing stand at a block barrier or a .sync instruction. */
static bool in_vain(const struct mech *m, const struct volta_home *h, const struct volta_barrier *b) {
    struct mask missing = b->members;
    mask_minus(&missing, &b->yielded);
    mask_take(&missing, h->first, &split_known(m->pool, b->blocked)->set);
    FOR_MASK(t, &missing) {
        const struct mech_split *s = split_of(m->pool, h->first + t / 32, t % 32);
        if (s->in_flight || s->own[VOLTA_STATUS] != VOLTA_WAITS) return false;
    }
    return true;
}

bool volta_clocked(const struct mech *m, uint32_t warp, uint32_t lane) {
    const struct mech_split *s = split_of(m->pool, warp, lane);
    if (!s || s->in_flight || s->own[VOLTA_STATUS] != VOLTA_BLOCKED) return false;
    const struct volta_home *h = volta_home_of(m, s);
    const struct volta_barrier *b = &h->barrier[s->own[VOLTA_BARRIER]];
    return b->alarm != MECH_NEVER && in_vain(m, h, b);
}

static void ring_home(struct mech *m, struct volta_home *h) {
    struct volta *v = m->self;
    FOR_BARRIERS(b, h) {
        if (b->alarm <= *m->env.now && in_vain(m, h, b)) {
            volta_counts(m)->let_go++;
            mech_event(m, "let go at %u", (unsigned)b->join);
            let_go(m, h, b);
            continue;
        }
        if (b->alarm <= *m->env.now) set_alarm(m, b);
        if (b->alarm < v->ring) v->ring = b->alarm;
    }
    volta_settle(m, h);
}

void volta_ring(struct mech *m) {
    struct volta *v = m->self;
    v->ring = MECH_NEVER;
    for (uint32_t k = 0; k < v->homes; k++)
        if (v->home[k].n) ring_home(m, &v->home[k]);
}

/* ---- paths that part and meet ---- */

/* Notes that a branch parts these threads. It belongs to the barrier set last among those whose threads have not parted
 * yet. */
void volta_note(const struct volta_home *h, const struct mech_set *set, uint32_t branch) {
    struct volta_barrier *last = NULL;
    FOR_BARRIERS(b, h) {
        if (b->branch != IR_NOPC || !mask_meets(&b->members, h->first, set)) continue;
        if (!last || mask_count(&b->members) <= mask_count(&last->members)) last = b;
    }
    if (!last) return;
    last->branch = branch;
}

static void unite(struct mech *m, struct volta_home *h, struct volta_barrier *a, struct volta_barrier *b) {
    for (uint32_t k = 0; k < MASK_WORDS; k++) {
        a->members.w[k] |= b->members.w[k];
        a->yielded.w[k] |= b->yielded.w[k];
    }
    a->paths += b->paths;
    if (b->alarm < a->alarm) a->alarm = b->alarm;
    if (a->branch == IR_NOPC) a->branch = b->branch;
    if (a->blocked == SPLIT_NONE && b->blocked != SPLIT_NONE) {
        a->blocked = b->blocked;
        split_known(m->pool, a->blocked)->own[VOLTA_BARRIER] = (uint32_t)(a - h->barrier);
    } else if (b->blocked != SPLIT_NONE) {
        volta_join(m, split_known(m->pool, a->blocked), split_known(m->pool, b->blocked));
    }
    volta_barriers_drop(h, b);
}

void volta_unify(struct mech *m, struct volta_home *h, const struct mech_set *set) {
    FOR_BARRIERS(a, h) {
        if (!mask_meets(&a->members, h->first, set)) continue;
        for (struct volta_barrier *b = a + 1; b < h->barrier + h->n; b++)
            if (b->used && is_of(b, a->reg, a->depth) && b->join == a->join &&
                mask_meets(&b->members, h->first, set))
                unite(m, h, a, b);
    }
}

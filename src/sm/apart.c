/* When threads that parted at a branch run together again. A mechanism knows joins, and several branches may lead to one:
 * `if (a || b)` has two, a loop one for each iteration that some thread leaves. So the SM looks for itself: a branch that sends threads
 * different ways is remembered until all of them that still live are in one split that issues. If the threads of all ways but
 * one have exited, there is no thread left to meet, and the branch is forgotten.
 *
 * What is remembered is kept with the home warp of its first thread, which has to be in any split that has them all. A home warp
 * keeps MOST branches, more than its threads can be apart by under any stack; a mechanism that regroups threads and never has
 * the same ones together again (DWF) loses the oldest. Threads of other blocks than the first one's are left out. */
#include <inttypes.h>

#include "mech/lib/split.h"
#include "sm/impl.h"

enum { MOST = 64 };

struct piece { /* threads that went one way */
    uint32_t warp, mask, way;
};

struct parting {
    uint32_t pc;
    uint64_t since;
    uint32_t n, cap;
    struct piece *p;
};

struct home {
    uint32_t n, cap;
    struct parting *v;
};

struct sm_apart {
    struct home *home;
};

void apart_init(struct sm *s) {
    struct pages *p = s->env.grid->pages;
    s->apart = PAGES_NEW(p, struct sm_apart, 1);
    s->apart->home = PAGES_NEW(p, struct home, split_homes(&s->mech->env));
}

void apart_block(struct sm *s, const struct mech_block *b) {
    struct split_home home;
    for (uint32_t k = 0; split_home_at(s->mech->pool, b, k, &home); k++) s->apart->home[home.id].n = 0;
}

static struct home *apart_home_of(const struct sm *s, uint32_t warp, uint32_t mask) {
    return &s->apart->home[split_home_of(s->mech->pool, warp, (uint32_t)__builtin_ctz(mask))];
}

/* Takes it out; its memory stays for the next one. */
static void apart_forget(struct home *h, uint32_t k) {
    const struct parting last = h->v[--h->n];
    h->v[h->n] = h->v[k];
    h->v[k] = last;
}

static struct parting *remember(const struct sm *s, struct home *h) {
    struct pages *pages = s->env.grid->pages;
    uint32_t oldest = 0;
    for (uint32_t k = 1; k < h->n; k++)
        if (h->v[k].since < h->v[oldest].since) oldest = k;
    if (h->n == MOST) apart_forget(h, oldest);
    if (h->n == h->cap) {
        h->cap = h->cap ? h->cap * 2 : 4;
        h->v = pages_more(pages, h->v, h->n * sizeof *h->v, h->cap * sizeof *h->v);
        for (uint32_t k = h->n; k < h->cap; k++) h->v[k] = (struct parting){0};
    }
    return &h->v[h->n++];
}

void apart_diverged(struct sm *s) {
    const struct mech_outcome *o = &s->common->outcome;
    if (!s->env.branch || o->nsides < 2) return;
    const struct mech_piece first = o->side[0].set.p[0];
    struct parting *a = remember(s, apart_home_of(s, first.warp, first.mask));
    a->pc = o->pc;
    a->since = s->now;
    a->n = 0;
    for (uint32_t way = 0; way < o->nsides; way++)
        for (uint32_t k = 0; k < o->side[way].set.n; k++) {
            const struct mech_piece p = o->side[way].set.p[k];
            if (s->warps[p.warp].block != s->warps[first.warp].block) continue;
            if (a->n == a->cap) {
                a->cap = a->cap ? a->cap * 2 : 4;
                a->p = pages_more(s->env.grid->pages, a->p, a->n * sizeof *a->p, a->cap * sizeof *a->p);
            }
            a->p[a->n++] = (struct piece){p.warp, p.mask, way};
        }
}

static uint32_t mask_in(const struct mech_set *set, uint32_t warp) {
    for (uint32_t k = 0; k < set->n; k++)
        if (set->p[k].warp == warp) return set->p[k].mask;
    return 0;
}

enum meeting { APART, TOGETHER, NONE_LEFT };

static enum meeting apart_meeting(const struct sm *s, const struct parting *a, const struct mech_set *set) {
    uint32_t way = IR_NOPC;
    bool several = false, all = true;
    for (uint32_t k = 0; k < a->n; k++) {
        const struct piece *p = &a->p[k];
        const uint32_t live = p->mask & s->warps[p->warp].w->live;
        if (!live) continue;
        several |= way != IR_NOPC && way != p->way;
        way = p->way;
        all &= !(live & ~mask_in(set, p->warp));
    }
    return !several ? NONE_LEFT : all ? TOGETHER : APART;
}

static void apart_look(struct sm *s, struct home *h, const struct mech_set *set) {
    for (uint32_t k = h->n; k-- > 0;) {
        const struct parting *a = &h->v[k];
        const enum meeting m = apart_meeting(s, a, set);
        if (m == APART) continue;
        if (m == TOGETHER) {
            sm_code(s, a->pc); /* another thread of the host may have issued it */
            s->env.branch[a->pc].reconvergences++;
            s->env.branch[a->pc].reconvergence_cycles += s->now - a->since;
        }
        apart_forget(h, k);
    }
}

void apart_issued(struct sm *s, const struct mech_set *set) {
    const struct home *last = NULL;
    for (uint32_t k = 0; k < set->n; k++)
        for (uint32_t left = set->p[k].mask; left;) {
            struct home *h = apart_home_of(s, set->p[k].warp, split_next_part(s->mech->pool, &left));
            if (h != last && h->n) apart_look(s, h, set);
            last = h;
        }
}

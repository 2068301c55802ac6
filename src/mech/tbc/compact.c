/* The warp compactor and the warps it makes (Fung & Aamodt 2011, section 4.2 and its Figure of the thread compactor).
 *
 * For each lane of the SIMD group a priority encoder picks, warp after warp, the first thread of the entry that is at home
 * in that lane: the k-th warp has of every lane the k-th thread. A full mask gives the home warps back.
 *
 * One warp leaves the compactor every compact_cycles; the first is there at once. A warp occupies a slot of its block, the
 * lowest that is free, as long as it has threads: the scheduler's age and turn are the slot's. Each block compacts for itself.
 * The last two are our choice; the paper has one compactor for an SM and does not say how it is shared. */
#include <string.h>

#include "mech/tbc/tbc.h"

enum { LANES = 32 };

/* Lanes of a machine warp that lie in one word of a block's mask: less than a word for warps narrower than 32. */
static uint32_t lanes_per_word(const struct mech *m) {
    return m->env.warp_size < LANES ? m->env.warp_size : LANES;
}

static uint32_t row_words(const struct mech *m) { /* words of one machine warp */
    return m->env.warp_size > LANES ? m->env.warp_size / LANES : 1;
}

struct compactor {
    uint32_t n;
    uint32_t taken[MECH_WIDEST][MECH_WIDEST / LANES]; /* of the k-th warp: lanes */
};

typedef void put_fn(void *user, uint32_t k, uint32_t word, uint32_t mask);

/* Tells `put` which threads the k-th warp has, word after word. A block of 1024 threads has at most 256 warps of 4. */
static uint32_t deal(const struct mech *m, const struct tbc_block *b, const uint32_t *mask, put_fn *put,
                     void *user) {
    struct compactor c;
    const uint32_t step = lanes_per_word(m), words = row_words(m);
    const uint32_t lanes = step == LANES ? ~0u : (1u << step) - 1;
    c.n = 0;
    for (uint32_t w = 0; w < b->words; w++)
        for (uint32_t at = 0, rest = mask[w]; at < LANES && rest; at += step) {
            uint32_t left = mask[w] >> at & lanes, k = 0;
            rest &= ~(left << at);
            for (; left; k++) {
                if (k == c.n) memset(c.taken[c.n++], 0, words * sizeof c.taken[0][0]);
                uint32_t *taken = &c.taken[k][w % words];
                const uint32_t fit = left & ~*taken;
                *taken |= fit;
                left &= ~fit;
                if (put && fit) put(user, k, w, fit << at);
            }
        }
    return c.n;
}

uint32_t tbc_compacted(const struct mech *m, const struct tbc_block *b, const uint32_t *mask) {
    return deal(m, b, mask, NULL, NULL);
}

/* ---- warps ---- */

static uint32_t slot_take(struct mech *m, struct tbc_block *b) {
    uint32_t k = 0;
    while (k < b->nslots && b->busy[k]) k++;
    if (k == b->cap_slots) {
        const size_t had = b->cap_slots, cap = had ? 2 * had : 8;
        b->slot = pages_more(m->env.pages, b->slot, had * sizeof *b->slot, cap * sizeof *b->slot);
        b->busy = pages_more(m->env.pages, b->busy, had * sizeof *b->busy, cap * sizeof *b->busy);
        b->cap_slots = (uint32_t)cap;
    }
    if (k == b->nslots) b->slot[b->nslots++] = split_new(m, b->sched, 0)->id;
    b->busy[k] = true;
    return k;
}

void tbc_warp_enter(struct mech *m, struct mech_split *s, struct tbc_side *n) {
    struct tbc *t = m->self;
    struct tbc_warp *w = &t->w[s->id];
    w->side = n;
    w->prev = SPLIT_NONE;
    w->next = n->first;
    if (n->first != SPLIT_NONE) t->w[n->first].prev = s->id;
    n->first = s->id;
    n->warps++;
}

static struct mech_split *warp_make(struct mech *m, struct tbc_block *b, struct tbc_side *n, uint32_t pc,
                                    int32_t depth, uint32_t backs) {
    struct tbc *t = m->self;
    const uint32_t slot = slot_take(m, b);
    struct mech_split *s = split_known(m->pool, b->slot[slot]);
    t->w[s->id] = (struct tbc_warp){.block = b, .depth = depth, .backs = backs, .slot = slot};
    s->pc = pc;
    tbc_warp_enter(m, s, n);
    return s;
}

struct mech_split *tbc_warp_new(struct mech *m, struct tbc_block *b, struct tbc_side *n,
                                const struct mech_set *set, uint32_t pc, int32_t depth, uint32_t backs) {
    struct mech_split *s = warp_make(m, b, n, pc, depth, backs);
    split_assign(m->pool, s, set);
    return s;
}

void tbc_warp_leave(struct mech *m, struct mech_split *s) {
    struct tbc *t = m->self;
    struct tbc_warp *w = &t->w[s->id];
    *(w->prev == SPLIT_NONE ? &w->side->first : &t->w[w->prev].next) = w->next;
    if (w->next != SPLIT_NONE) t->w[w->next].prev = w->prev;
    w->side->warps--;
    w->side = NULL;
}

void tbc_warp_retire(struct mech *m, struct tbc_block *b, struct mech_split *s) {
    struct tbc *t = m->self;
    split_unbind(m->pool, &s->set);
    s->set.n = s->threads = 0;
    b->busy[t->w[s->id].slot] = false;
}

void tbc_block_end(struct mech *m, struct tbc_block *b) {
    for (uint32_t k = 0; k < b->nslots; k++) split_free(m, split_known(m->pool, b->slot[k]));
    b->nslots = 0;
}

/* ---- compaction ---- */

struct making {
    struct mech *m;
    struct tbc_block *b;
    struct tbc_side *n;
    uint32_t pc, backs, made;
    int32_t depth;
    uint32_t id[MECH_WIDEST];
};

static void add_to_warp(void *user, uint32_t k, uint32_t word, uint32_t mask) {
    struct making *x = user;
    if (k == x->made) x->id[x->made++] = warp_make(x->m, x->b, x->n, x->pc, x->depth, x->backs)->id;
    struct mech_split *s = split_known(x->m->pool, x->id[k]);
    set_add(&s->set, x->b->first + word, mask);
}

void tbc_compact(struct mech *m, struct tbc_block *b, struct tbc_side *n, const uint32_t *mask,
                 uint32_t brought, uint32_t pc, int32_t depth, uint32_t backs) {
    struct tbc *t = m->self;
    struct making x = {.m = m, .b = b, .n = n, .pc = pc, .depth = depth, .backs = backs};
    deal(m, b, mask, add_to_warp, &x);
    tbc_counts(m)->compactions++;
    tbc_counts(m)->warps_before += brought;
    tbc_counts(m)->warps_after += x.made;
    mech_event(m, "compacted %u warps into %u", brought, x.made);
    for (uint32_t k = 0; k < x.made; k++) {
        struct mech_split *s = split_known(m->pool, x.id[k]);
        const uint64_t wait = (uint64_t)k * tbc_params(m)->compact_cycles;
        s->threads = set_count(&s->set);
        split_bind(m->pool, s, &s->set);
        t->w[s->id].delayed = wait;
        if (wait)
            heap_put(&t->later[b->sched], *m->env.now + wait, s->id);
        else
            order_add(m->order, s);
    }
}

bool tbc_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct tbc *t = m->self;
    struct heap *h = &t->later[sched];
    while (h->n && h->v[0].key <= *m->env.now) {
        const uint32_t id = h->v[0].id;
        heap_take(h, id);
        t->w[id].delayed = false;
        order_add(m->order, split_known(m->pool, id));
    }
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, p, s);
    return true;
}

bool tbc_clocked(const struct mech *m, uint32_t warp, uint32_t lane) {
    const struct tbc *t = m->self;
    const struct mech_split *s = split_of(m->pool, warp, lane);
    return s && t->w[s->id].delayed;
}

uint64_t tbc_next(const struct mech *m, uint32_t sched) {
    const struct tbc *t = m->self;
    return t->later[sched].n ? t->later[sched].v[0].key : MECH_NEVER;
}

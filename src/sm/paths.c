/* Remembers the way of each thread through the program, so that charge.c knows where two threads parted that were not
 * running together when they did.
 *
 * A thread is at a decision when it executes an instruction that need not lead all to the same place: a branch under a
 * guard, an indirect one, a guarded call, return or exit, an indirect call. What a decision is about ends where the
 * instruction's ways meet again, at its immediate post-dominator: the region. A thread's path is where it stands among
 * decisions: the regions it is inside of, and in each of them the decisions taken so far. When it comes to a region's end,
 * whatever it decided inside is forgotten. So two threads have the same path exactly if a post-dominator stack with all
 * the time in the world would have them run together, iterations of loops included.
 *
 * Two threads part, for the program, at a decision that both come to by the same path and take differently, one perhaps
 * long after the other. The SM therefore remembers, by home warp, who took which way at recent decisions. Under a stack
 * this finds what is seen anyway, since threads of one path run together. Where threads of one path may be in different
 * warps (DWF, MIMD, no reconvergence) it is what tells the branch that is to blame from the one that first took the
 * threads apart.
 *
 * A path is a hash of 64 bits; two that differ are taken to be two. Bounds: a thread keeps REGIONS regions. What is
 * decided in more of them counts for the innermost that is kept, so that partings beyond are seen only if the threads run
 * together. A home warp remembers WAYS x BUCKETS ways at each of LEVELS depths, the most recent; a thread that comes to a
 * decision after so many others finds nothing, and stays parted where it was. Depths have places of their own, lest a loop
 * push out the branch around it. */
#include <string.h>

#include "mech/lib/split.h"
#include "sm/impl.h"

enum { REGIONS = 16, LEVELS = 8, BUCKETS = 16, WAYS = 4 };

struct region {
    uint64_t path; /* before its first decision */
    uint32_t end;  /* PC; IR_NOPC: where the function is left */
    int32_t depth; /* of calls, there */
};

struct thread {
    uint64_t path;
    uint32_t n;
    /* Place of its last decision at which some went another way; of the first; or ACCOUNT_NONE. */
    uint32_t decided;
    struct region region[REGIONS];
};

struct way { /* threads of a home warp that came to a decision by `from` and were on `to` afterwards */
    uint64_t from, to;
    uint32_t lanes[]; /* words of a home warp */
};

struct sm_paths {
    uint64_t blocks;        /* that arrived */
    uint32_t words, stride; /* of a home warp; bytes of a way */
    struct thread *thread;  /* by slot * 32 + lane */
    /* By home: LEVELS x BUCKETS x WAYS, the most recent of a bucket first; NULL: none yet. */
    unsigned char **ways;
};

static inline uint64_t paths_mix(uint64_t path, uint64_t what) {
    return rng_next(&(struct rng){path ^ what * 0xff51afd7ed558ccdu});
}

void paths_init(struct sm *s) {
    struct pages *p = s->env.grid->pages;
    const uint32_t size = s->mech->env.warp_size;
    s->paths = PAGES_NEW(p, struct sm_paths, 1);
    s->paths->words = size > SM_LANES ? size / SM_LANES : 1;
    s->paths->stride = (uint32_t)(sizeof(struct way) + s->paths->words * sizeof(uint32_t) + 7) & ~(uint32_t)7;
    s->paths->thread = PAGES_NEW(p, struct thread, s->nwarps * SM_LANES);
    s->paths->ways = PAGES_NEW(p, unsigned char *, split_homes(&s->mech->env));
}

/* Paths of different blocks differ, so that ways of the last one in this slot need not be forgotten. */
void paths_block(struct sm *s, const struct mech_block *b) {
    const uint64_t start = paths_mix(++s->paths->blocks, 0);
    for (uint32_t k = 0; k < b->warps * SM_LANES; k++) {
        struct thread *t = &s->paths->thread[b->first * SM_LANES + k];
        t->path = start;
        t->n = 0;
        t->decided = ACCOUNT_NONE;
    }
}

/* ---- regions ---- */

/* Notes that these threads go on at pc. Regions that end there are behind them. */
void paths_arrive(struct sm *s, const struct mech_set *set, uint32_t pc) {
    if (!(sm_insn(s, pc)->flags & IR_F_LEADER)) return;
    for (uint32_t k = 0; k < set->n; k++) {
        const uint32_t warp = set->p[k].warp, *depth = s->warps[warp].w->depth;
        FOR_LANES(l, set->p[k].mask) {
            struct thread *t = &s->paths->thread[warp * SM_LANES + l];
            for (; t->n; t->n--) {
                const struct region *r = &t->region[t->n - 1];
                if (r->depth != (int32_t)depth[l] || (r->end != pc && r->end != IR_NOPC)) break;
                t->path = paths_mix(r->path, r->end);
            }
        }
    }
}

/* The thread, so deep in calls, decides at i. Returns how many regions it was inside of. */
static uint32_t paths_decide(struct thread *t, const struct ir_insn *i, uint32_t depth, uint32_t to) {
    const int32_t end_depth = (int32_t)depth - (i->rpc == IR_NOPC);
    const struct region *in = t->n ? &t->region[t->n - 1] : NULL;
    if (t->n < REGIONS && !(in && in->end == i->rpc && in->depth == end_depth))
        t->region[t->n++] = (struct region){t->path, i->rpc, end_depth};
    t->path = paths_mix(t->path, to);
    return t->n - 1;
}

/* ---- who went which way ---- */

static struct way *way_at(const struct sm_paths *p, uint32_t home, uint32_t level, uint64_t from,
                          uint32_t k) {
    const uint32_t bucket = (level < LEVELS ? level : LEVELS - 1) * BUCKETS + (uint32_t)(from % BUCKETS);
    return (struct way *)(void *)(p->ways[home] + (size_t)(bucket * WAYS + k) * p->stride);
}

/* Lanes of a home warp's word take a way; they part from those that have taken others. */
static void take_way(struct sm *s, uint32_t home, uint32_t word, uint32_t lanes, uint32_t level,
                     uint64_t from, uint64_t to, uint64_t parting) {
    struct sm_paths *p = s->paths;
    if (!p->ways[home])
        p->ways[home] = pages_get(s->env.grid->pages, (size_t)LEVELS * BUCKETS * WAYS * p->stride);
    struct way *mine = NULL;
    for (uint32_t k = 0; k < WAYS; k++) {
        struct way *w = way_at(p, home, level, from, k);
        if (w->from != from) continue;
        if (w->to == to)
            mine = w;
        else
            charge_lanes_parted(s, home, word, lanes, w->lanes, parting);
    }
    if (!mine) {
        mine = way_at(p, home, level, from, 0);
        memmove(way_at(p, home, level, from, 1), mine, (WAYS - 1) * (size_t)p->stride);
        mine->from = from;
        mine->to = to;
        memset(mine->lanes, 0, p->words * sizeof *mine->lanes);
    }
    mine->lanes[word] |= lanes;
}

/* Threads of one home warp and slot go to one place; those that came by one path together. */
static void decide_part(struct sm *s, const struct ir_insn *i, uint32_t warp, uint32_t lanes, uint32_t to,
                        int32_t deeper, uint64_t parting) {
    const struct split_pool *pool = s->mech->pool;
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes), home = split_home_of(pool, warp, lane),
                   word = warp - pool->first[warp], shift = lane & ~(pool->warp_size - 1);
    struct thread *t = &s->paths->thread[warp * SM_LANES];
    const uint32_t *depth = s->warps[warp].w->depth;
    const bool apart = s->common->outcome.nsides + (s->common->outcome.exited.n > 0) > 1;
    while (lanes) {
        const uint64_t from = t[__builtin_ctz(lanes)].path;
        uint64_t after = 0;
        uint32_t here = 0, level = 0;
        FOR_LANES(l, lanes) {
            if (t[l].path != from) continue;
            level = paths_decide(&t[l], i, (uint32_t)((int32_t)depth[l] - deeper), to);
            if (apart || t[l].decided == ACCOUNT_NONE) t[l].decided = (uint32_t)parting;
            after = t[l].path;
            here |= 1u << l;
        }
        take_way(s, home, word, here >> shift, level, from, after, parting);
        lanes &= ~here;
    }
}

static void decide_set(struct sm *s, const struct ir_insn *i, const struct mech_set *set, uint32_t to,
                       int32_t deeper, uint64_t parting) {
    for (uint32_t k = 0; k < set->n; k++)
        for (uint32_t left = set->p[k].mask; left;)
            decide_part(s, i, set->p[k].warp, split_next_part(s->mech->pool, &left), to, deeper, parting);
}

static bool paths_decides(const struct ir_insn *i) {
    switch (i->op) {
    case IR_BRA:
    case IR_CALL:
    case IR_RET:
    case IR_EXIT: return ir_is_conditional(i);
    case IR_BRX:
    case IR_CALL_IND: return true;
    default: return false;
    }
}

/* How much deeper in calls a thread is that went to pc. */
static int32_t deeper_at(const struct mech_outcome *o, uint32_t pc) {
    const enum ir_op op = (enum ir_op)o->insn->op;
    if (pc == o->pc + 1) return 0;
    return op == IR_CALL || op == IR_CALL_IND ? 1 : op == IR_RET ? -1 : 0;
}

void paths_commit(struct sm *s, uint64_t parting) {
    const struct mech_outcome *o = &s->common->outcome;
    if (paths_decides(o->insn)) {
        for (uint32_t k = 0; k < o->nsides; k++)
            decide_set(s, o->insn, &o->side[k].set, o->side[k].pc, deeper_at(o, o->side[k].pc), parting);
        decide_set(s, o->insn, &o->exited, SM_EXITED, 0, parting);
    }
    for (uint32_t k = 0; k < o->nsides; k++) paths_arrive(s, &o->side[k].set, o->side[k].pc);
}

uint32_t paths_decided(const struct sm *s, const struct sm_home *h, const uint32_t *running) {
    uint32_t w = 0;
    while (w < h->words && !running[w]) w++;
    if (w == h->words) return ACCOUNT_NONE;
    const uint32_t lane = h->shift + (uint32_t)__builtin_ctz(running[w]);
    return s->paths->thread[(h->warp + w) * SM_LANES + lane].decided;
}

/* What a block's stack looks like from outside: text, places, census, bits, and the audit. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "mech/tbc/tbc.h"

#define FOR_BLOCKS(b, m, t)                                                                               \
    for (struct tbc_block *b = (t)->block; b < (t)->block + (size_t)(m)->env.warps * (m)->env.schedulers; \
         b++)                                                                                             \
        if (b->njoins)

void tbc_census(const struct mech *m, struct mech_census *c) {
    const struct tbc *t = m->self;
    *c = (struct mech_census){.inactive_path = t->inactive, .reconvergence = t->joining};
}

static void put_mask(const struct tbc_block *b, const uint32_t *mask, uint32_t pc, mech_place_fn *put,
                     void *user) {
    for (uint32_t k = 0; pc != IR_NOPC && k < b->words; k++)
        if (mask[k]) put(user, b->first + k, mask[k], pc);
}

static void side_places(const struct tbc_block *b, const struct tbc_side *n, mech_place_fn *put, void *user) {
    if (!n->live) put_mask(b, n->mask, n->pc, put, user);
    for (const struct tbc_gather *g = n->gather; g; g = g->next)
        for (uint32_t k = 0; !g->open && k < g->narms; k++)
            put_mask(b, g->arm[k].mask, g->arm[k].pc, put, user);
}

/* A join is older than what is above it. */
void tbc_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct tbc *t = m->self;
    FOR_BLOCKS(b, m, t) for (uint32_t k = 0; k < b->njoins; k++) {
        put_mask(b, b->join[k]->mask, b->join[k]->pc, put, user);
        for (const struct tbc_side *n = b->join[k]->top; n; n = n->below) side_places(b, n, put, user);
    }
}

/* ---- text ---- */

static void print_mask(const struct tbc_block *b, const uint32_t *mask, struct sb *out) {
    struct mech_set set = {0};
    for (uint32_t k = 0; k < b->words; k++) set_add(&set, b->first + k, mask[k]);
    set_print(&set, out);
}

static void print_warps(const struct mech *m, const struct tbc_side *n, struct sb *out) {
    const struct tbc *t = m->self;
    FOR_SPLITS(s, m->pool) {
        const struct tbc_warp *w = &t->w[s->id];
        if (w->side != n || !s->threads) continue;
        sb_add(out, "    warp %" PRIu32 " pc %" PRIu32 " ", w->slot, s->pc);
        if (w->delayed)
            sb_add(out, "compacting");
        else if (w->waits)
            sb_add(out, "waiting at a barrier");
        else
            order_describe(s, out);
        sb_add(out, " ");
        set_print(&s->set, out);
        sb_add(out, "\n");
    }
}

static void print_gather(const struct tbc_block *b, const struct tbc_gather *g, struct sb *out) {
    sb_add(out, "    %s at %" PRIu32 ": ", g->open ? "passed one by one" : "counted in", g->pc);
    sb_add(out, "%" PRIu32 " warp%s", g->warps, g->warps == 1 ? "" : "s");
    for (uint32_t k = 0; k < g->narms; k++) {
        sb_add(out, ", to %" PRIu32 " ", g->arm[k].pc);
        print_mask(b, g->arm[k].mask, out);
    }
    sb_add(out, "\n");
}

static void print_side(const struct mech *m, const struct tbc_block *b, const struct tbc_side *n,
                       struct sb *out) {
    if (!n->threads && !n->collects && !n->fed && !n->gather) return;
    sb_add(out, "  ");
    split_print_pc(out, "pc", n->pc);
    split_print_pc(out, "rpc", n->rpc);
    if (n->depth > 0) sb_add(out, "depth %" PRId32 " ", n->depth);
    if (n->likely) sb_add(out, "lpc %" PRIu32 " ", n->lpc);
    print_mask(b, n->mask, out);
    if (n->live)
        sb_add(out, " runs, %" PRIu32 " warp%s\n", n->warps, n->warps == 1 ? "" : "s");
    else
        sb_add(out, n->collects ? " collects\n" : "\n");
    print_warps(m, n, out);
    for (const struct tbc_gather *g = n->gather; g; g = g->next) print_gather(b, g, out);
}

static void print_join(const struct mech *m, const struct tbc_block *b, const struct tbc_join *j,
                       struct sb *out);

static void print_sides(const struct mech *m, const struct tbc_block *b, const struct tbc_side *n,
                        struct sb *out) {
    if (!n) return;
    print_sides(m, b, n->below, out);
    print_side(m, b, n, out);
    for (uint32_t k = 0; k < b->njoins; k++)
        if (b->join[k]->side == n) print_join(m, b, b->join[k], out);
}

static void print_join(const struct mech *m, const struct tbc_block *b, const struct tbc_join *j,
                       struct sb *out) {
    if (j->side) {
        sb_add(out, "  ");
        split_print_pc(out, "pc", j->pc);
        split_print_pc(out, "rpc", j->side->rpc);
        if (j->rdepth > 0) sb_add(out, "depth %" PRId32 " ", j->rdepth);
        print_mask(b, j->mask, out);
        sb_add(out, " join\n");
    }
    print_sides(m, b, j->top, out);
}

void tbc_state(const struct mech *m, struct sb *out) {
    const struct tbc *t = m->self;
    FOR_BLOCKS(b, m, t) {
        sb_add(out, "block at warp %" PRIu32 " sched %" PRIu32 ":\n", b->first, b->sched);
        print_join(m, b, b->join[0], out);
    }
}

/* ---- bits ---- */

/* A block may be as large as the SM's threads, up to 1024: a stack of twice as many entries, each with two PCs (and, with
 * likely-convergence points, a third and the number of an entry), the counter of its warps and a mask; the threads that each
 * side of the branch at hand has so far; and for each lane of each warp the row of the thread in it. */
void tbc_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t all = (uint64_t)m->env.warps * 32, block = all < 1024 ? all : 1024, w = m->env.warp_size;
    const uint64_t rows = (block + w - 1) / w, blocks = (all + block - 1) / block, entries = 2 * block;
    const uint64_t likely = tbc_params(m)->likely ? 32 + bits_for(entries) : 0;
    storage_add(out, (struct mech_array){.name = "stack",
                                         .entries = blocks * entries,
                                         .bits = 64 + likely + bits_for(rows + 1) + block});
    storage_add(out,
                (struct mech_array){
                    .name = "compactor", .cell = MECH_REGISTERS, .arrays = 1, .entries = 2, .bits = block});
    storage_add(out, (struct mech_array){
                         .name = "warps", .entries = (all + w - 1) / w, .bits = w * (bits_for(rows) + 1)});
    out->lane_decoders = true;
}

/* ---- audit ---- */

static uint32_t tbc_count(const uint32_t *mask, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < words; k++) n += bits_count(mask[k]);
    return n;
}

static bool disjoint(const uint32_t *a, const uint32_t *b, uint32_t words) {
    uint32_t both = 0;
    for (uint32_t k = 0; k < words; k++) both |= a[k] & b[k];
    return !both;
}

static bool tbc_within(const uint32_t *a, const uint32_t *b, uint32_t words) {
    uint32_t out = 0;
    for (uint32_t k = 0; k < words; k++) out |= a[k] & ~b[k];
    return !out;
}

/* The threads of a live side are those of its warps and those counted in at a branch. */
static void audit_side(const struct mech *m, const struct tbc_block *b, const struct tbc_side *n) {
    const struct tbc *t = m->self;
    uint32_t mask[STACK_WORDS] = {0}, threads = 0, warps = 0, blocked = 0;
    CHECK(tbc_count(n->mask, b->words) == n->threads);
    CHECK(!n->likely || (n->likely->join == n->join && !n->likely->live));
    for (uint32_t id = n->first; id != SPLIT_NONE; id = t->w[id].next) {
        const struct mech_split *s = split_at(m->pool, id);
        CHECK(s && s->threads && t->w[id].side == n && t->w[id].block == b && b->busy[t->w[id].slot]);
        CHECK(s->threads <= m->env.warp_size && s->sched == b->sched);
        tbc_put(mask, b->first, &s->set);
        threads += s->threads;
        warps++;
        blocked += t->w[id].waits != 0;
    }
    CHECK(warps == n->warps && blocked == n->blocked && (n->live || !warps));
    for (const struct tbc_gather *g = n->gather; g; g = g->next)
        for (uint32_t k = 0; !g->open && k < g->narms; k++) {
            CHECK(disjoint(mask, g->arm[k].mask, b->words));
            tbc_or(mask, g->arm[k].mask, b->words);
            threads += g->arm[k].threads;
        }
    if (!n->live) return;
    CHECK(threads == n->threads && !memcmp(mask, n->mask, b->words * sizeof *mask));
}

/* Sides of a join share no thread, and what they have, with the joins above them, is the join's. */
static void audit_join(const struct mech *m, const struct tbc_block *b, const struct tbc_join *j) {
    uint32_t seen[STACK_WORDS] = {0};
    for (const struct tbc_side *n = j->top; n; n = n->below) {
        uint32_t joins = 0;
        CHECK(n->join == j && disjoint(seen, n->mask, b->words));
        tbc_or(seen, n->mask, b->words);
        for (uint32_t k = 0; k < b->njoins; k++) {
            if (b->join[k]->side != n) continue;
            joins++;
            CHECK(disjoint(seen, b->join[k]->mask, b->words));
            tbc_or(seen, b->join[k]->mask, b->words);
        }
        CHECK(joins == n->joins);
        audit_side(m, b, n);
    }
    if (j->side) {
        CHECK(tbc_within(seen, j->mask, b->words));
        CHECK(tbc_count(seen, b->words) + j->arrived == tbc_count(j->mask, b->words));
        return;
    }
    for (uint32_t k = 0; k < b->words; k++) CHECK(seen[k] == (m->pool->present[b->first + k] & b->all[k]));
}

void tbc_audit(const struct mech *m) {
    const struct tbc *t = m->self;
    uint32_t waiting = 0;
    split_audit(m, false);
    FOR_BLOCKS(b, m, t) for (uint32_t k = 0; k < b->njoins; k++) {
        audit_join(m, b, b->join[k]);
        waiting += b->join[k]->arrived;
        for (const struct tbc_side *n = b->join[k]->top; n; n = n->below) {
            if (!n->live) waiting += n->threads;
            for (const struct tbc_gather *g = n->gather; g; g = g->next) waiting += g->open ? 0 : g->threads;
        }
    }
    CHECK(waiting == t->inactive + t->joining);
}

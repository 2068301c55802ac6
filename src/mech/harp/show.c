/* HARP's tables as text, their occupancy and size, and what must always be true of them. */
#include "mech/harp/harp.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/set.h"

/* ---- text ---- */

static void harp_line_of(const struct mech *m, uint32_t sched, const char *table, const struct mech_split *s,
                         const struct mech_set *set, struct sb *out) {
    if (m->env.schedulers > 1) sb_add(out, "sched %" PRIu32 " ", sched);
    sb_add(out, "%s pc %" PRIu32 " ", table, s->pc);
    if (s->own[HARP_DEPTH]) sb_add(out, "depth %" PRIu32 " ", s->own[HARP_DEPTH]);
    set_print(set, out);
    if (s->own[HARP_WHERE] == HARP_TIMED) sb_add(out, " wakes at %" PRIu64, s->wake);
    if (s->own[HARP_WHERE] == HARP_EVENT) sb_add(out, " waits for an event");
    sb_add(out, "\n");
}

static void harp_line(const struct mech *m, uint32_t sched, const char *table, const struct mech_split *s,
                      struct sb *out) {
    harp_line_of(m, sched, table, s, &s->set, out);
}

static void lines_where(const struct mech *m, uint32_t sched, enum harp_where where, const char *table,
                        struct sb *out) {
    FOR_SPLITS(s, m->pool)
    if (s->sched == sched && s->own[HARP_WHERE] == (uint32_t)where) harp_line(m, sched, table, s, out);
}

static void lines_fifo(const struct mech *m, uint32_t sched, const struct harp_fifo *f, const char *table,
                       struct sb *out) {
    const struct mech_split *s = f->head;
    for (uint32_t k = 0; k < f->n; k++) {
        if (k) s = split_at(m->pool, s->own[HARP_NEXT]);
        harp_line(m, sched, table, s, out);
    }
}

/* Whether an access of s is under way that threads of the entry wait for; part: those threads. */
static bool waits_in(const struct mech_split *s, uint32_t sched, const struct harp_waiting *e,
                     struct mech_set *part) {
    if (s->sched != sched || !s->own[HARP_WAIT]) return false;
    set_copy(part, &s->set);
    set_and(part, &e->all);
    return part->n;
}

static void lines_waiting(const struct mech *m, uint32_t sched, struct sb *out) {
    const struct harp *h = m->self;
    for (uint32_t k = 0; k < h->cap_waiting; k++) {
        const struct harp_waiting *e = &h->q[sched].waiting[k];
        if (!harp_waiting_used(e)) continue;
        FOR_SPLITS(s, m->pool) {
            struct mech_set part;
            if (waits_in(s, sched, e, &part)) harp_line_of(m, sched, "waiting-lookup", s, &part, out);
        }
        if (e->warp) harp_line(m, sched, "waiting-lookup back", e->warp, out);
    }
}

static void lines_barriers(const struct mech *m, uint32_t sched, struct sb *out) {
    const struct harp *h = m->self;
    const struct harp_sched *q = &h->q[sched];
    for (uint32_t k = 0; q->nbarriers && k < h->sets * h->ways; k++) {
        const struct harp_barrier *b = &q->barrier[k];
        if (q->key[k] == HARP_FREE) continue;
        if (m->env.schedulers > 1) sb_add(out, "sched %" PRIu32 " ", sched);
        sb_add(out, "barrier %" PRIu32 ".%" PRIu32 " ", k / h->ways, k % h->ways);
        if ((uint32_t)q->key[k] == IR_NOPC)
            sb_add(out, "return ");
        else
            sb_add(out, "rpc %" PRIu32 " ", (uint32_t)q->key[k]);
        if (q->key[k] >> 32) sb_add(out, "depth %" PRIu32 " ", (uint32_t)(q->key[k] >> 32));
        set_print(&b->all, out);
        sb_add(out, " reached ");
        set_print(&b->reached, out);
        sb_add(out, "\n");
    }
}

void harp_state(const struct mech *m, struct sb *out) {
    const struct harp *h = m->self;
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        const struct harp_sched *q = &h->q[k];
        FOR_SPLITS(s, m->pool)
        if (s->sched == k && s->own[HARP_WHERE] == HARP_NOWHERE && !s->own[HARP_WAIT])
            harp_line(m, k, "in flight", s, out);
        lines_where(m, k, HARP_FIRST, "first", out);
        lines_fifo(m, k, &q->ready, "second", out);
        lines_where(m, k, HARP_TIMED, "second", out);
        lines_where(m, k, HARP_EVENT, "second", out);
        lines_where(m, k, HARP_PARKED, "waiting at a barrier", out);
        lines_fifo(m, k, &q->spilled, "spilled", out);
        for (uint32_t i = 0; i < q->nlookup; i++) harp_line(m, k, "ready-lookup", q->lookup[i].warp, out);
        lines_waiting(m, k, out);
        lines_fifo(m, k, &q->revived, "revived", out);
        lines_barriers(m, k, out);
    }
}

/* Threads that have reached a barrier are in no warp. */
void harp_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct harp *h = m->self;
    for (uint32_t k = 0; k < m->env.schedulers; k++)
        for (uint32_t at = 0; at < h->sets * h->ways; at++) {
            const struct harp_barrier *b = &h->q[k].barrier[at];
            if (h->q[k].key[at] == HARP_FREE) continue;
            for (uint32_t i = 0; i < b->reached.n; i++)
                put(user, b->reached.p[i].warp, b->reached.p[i].mask, b->at);
        }
}

/* Warps in a table of a scheduler, with one port (4.2.2). */
static struct mech_array warps_of(const struct mech *m, const char *name, uint64_t entries, uint64_t bits) {
    return (struct mech_array){
        .name = name, .arrays = m->env.schedulers, .entries = entries, .bits = bits, .reads = 1};
}

/* Fully associative, by PC and threads. */
static void add_lookup(const struct mech *m, const char *name, uint64_t entries, uint64_t bits, uint64_t tag,
                       struct mech_storage *out) {
    struct mech_array a = warps_of(m, name, entries, bits);
    a.cell = MECH_CAM;
    a.ways = (uint32_t)entries;
    a.tag = (uint32_t)tag;
    storage_add(out, a);
}

/* Figure 9: a bank for each lane, searched for a thread; and one for reconvergence PCs. */
static void add_barriers(const struct mech *m, uint64_t tid, struct mech_storage *out) {
    const struct harp *h = m->self;
    struct mech_array lanes = warps_of(m, "barriers", h->sets * h->ways, tid + 2);
    struct mech_array pcs = warps_of(m, "barriers", h->sets * h->ways, 1 + 32 + 8);
    lanes.arrays *= m->env.warp_size;
    lanes.cell = MECH_CAM;
    lanes.ways = pcs.ways = h->ways;
    lanes.tag = (uint32_t)tid;
    pcs.tag = 1 + 32;
    storage_add(out, lanes);
    storage_add(out, pcs);
}

/* Table 7, with a valid bit per lane of a barrier and 8 bits of call depth per warp and barrier, which it has not got. A
 * thread's number leaves its lane out. First-Level is not in it: a pointer into the program and threads like the others. */
void harp_storage(const struct mech *m, struct mech_storage *out) {
    const struct harp *h = m->self;
    const uint64_t width = m->env.warp_size, n = m->env.schedulers;
    const uint64_t tid = bits_for(split_homes(&m->env) / n);
    const uint64_t warp = 32 + 8 + width * (tid + 1), searched = 32 + width * tid;
    storage_add(out, warps_of(m, "first_level", h->cap_first, warp));
    storage_add(out, warps_of(m, "second_level", h->cap_second, warp + 2));
    add_lookup(m, "ready_lookup", h->cap_ready, warp, searched, out);
    add_lookup(m, "waiting_lookup", h->cap_waiting, warp, searched, out);
    add_barriers(m, tid, out);
    out->lane_decoders = true;
}

/* ---- invariants ---- */

static void harp_audit_lanes(const struct mech *m, const struct mech_set *set, struct harp_lanes *used) {
    *used = (struct harp_lanes){0};
    for (uint32_t k = 0; k < set->n; k++) FOR_LANES(l, set->p[k].mask) {
            CHECK(harp_free_lanes(m->pool, used, set->p[k].warp, 1u << l));
            harp_use_lanes(m->pool, used, set->p[k].warp, 1u << l);
        }
}

static void audit_barrier(const struct mech *m, const struct harp_sched *q, uint32_t at, uint32_t *reached) {
    const struct harp *h = m->self;
    const struct harp_barrier *b = &q->barrier[at];
    struct harp_lanes used;
    harp_audit_lanes(m, &b->all, &used);
    CHECK(!memcmp(&used, &b->used, sizeof used));
    CHECK(b->nall == set_count(&b->all) && b->nreached == set_count(&b->reached));
    CHECK(b->nreached < b->nall && set_subset(&b->reached, &b->all));
    for (uint32_t k = 0; k < b->all.n; k++) CHECK(!(b->all.p[k].mask & ~m->pool->present[b->all.p[k].warp]));
    for (uint32_t k = 0; k < b->reached.n; k++) {
        CHECK(!(reached[b->reached.p[k].warp] & b->reached.p[k].mask));
        reached[b->reached.p[k].warp] |= b->reached.p[k].mask;
    }
    for (uint32_t k = at + 1; k < (at / h->ways + 1) * h->ways; k++) { /* no RPC occurs twice */
        struct mech_set both;
        if (q->key[k] != q->key[at]) continue;
        set_copy(&both, &b->all);
        set_and(&both, &q->barrier[k].all);
        CHECK(!both.n);
    }
}

static void audit_barriers(const struct mech *m, uint32_t *reached) {
    const struct harp *h = m->self;
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        const struct harp_sched *q = &h->q[k];
        uint32_t n = 0;
        CHECK(!q->ndone);
        for (uint32_t at = 0; at < h->sets * h->ways; at++) {
            if (q->key[at] == HARP_FREE) continue;
            n++;
            audit_barrier(m, q, at, reached);
        }
        CHECK(n == q->nbarriers);
    }
}

/* An entry of Waiting-Lookup has its threads' lanes once, and each of them is back in its warp or in an access under way. */
static void audit_waiting(const struct mech *m, uint32_t sched) {
    const struct harp *h = m->self;
    uint32_t used = 0, complete = 0;
    for (uint32_t k = 0; k < h->cap_waiting; k++) {
        const struct harp_waiting *e = &h->q[sched].waiting[k];
        struct harp_lanes lanes;
        if (!harp_waiting_used(e)) continue;
        used++;
        complete += !e->outstanding;
        harp_audit_lanes(m, &e->all, &lanes);
        CHECK(!memcmp(&lanes, &e->used, sizeof lanes));
        CHECK(!e->warp || set_subset(&e->warp->set, &e->all));
        uint32_t threads = e->warp ? e->warp->threads : 0, under_way = 0;
        FOR_SPLITS(s, m->pool) {
            struct mech_set part;
            if (!waits_in(s, sched, e, &part)) continue;
            CHECK(s->own[HARP_WAIT] <= k + 1 && s->in_flight);
            under_way++;
            threads += set_count(&part);
        }
        CHECK(under_way == e->outstanding && threads == set_count(&e->all));
    }
    CHECK(used == h->q[sched].nwaiting && complete == h->q[sched].nback && (h->keep || !complete));
}

/* Every warp has its lanes once and threads of one depth, and the tables hold as many as they say. */
static void audit_warps(const struct mech *m) {
    const struct harp *h = m->self;
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        const struct harp_sched *q = &h->q[k];
        uint32_t n[HARP_REVIVED + 1] = {0};
        FOR_SPLITS(s, m->pool) {
            struct harp_lanes used;
            if (s->sched != k) continue;
            n[s->own[HARP_WHERE]]++;
            CHECK(s->threads && s->in_flight == (s->own[HARP_WHERE] == HARP_NOWHERE));
            harp_audit_lanes(m, &s->set, &used);
            for (uint32_t p = 0; !s->in_flight && p < s->set.n; p++) FOR_LANES(l, s->set.p[p].mask)
            CHECK(m->env.depth(m->env.sm, s->set.p[p].warp, l) == s->own[HARP_DEPTH]);
        }
        CHECK(n[HARP_FIRST] == q->first && q->first <= h->cap_first);
        CHECK(n[HARP_READY] == q->ready.n && n[HARP_TIMED] == q->timed.n);
        CHECK(n[HARP_READY] + n[HARP_TIMED] + n[HARP_EVENT] == q->second && q->second <= h->cap_second);
        CHECK(n[HARP_SPILLED] == q->spilled.n && n[HARP_REVIVED] == q->revived.n);
        CHECK(q->pending == q->timed.n + q->spilled.n + q->revived.n);
        CHECK(n[HARP_LOOKUP] == q->nlookup && q->nlookup <= h->cap_ready);
        audit_waiting(m, k);
    }
}

/* Every thread is in one warp or waits in one barrier. */
void harp_audit(const struct mech *m) {
    const struct harp *h = m->self;
    const struct split_pool *p = m->pool;
    uint32_t *reached = xcalloc(p->slots, sizeof *reached), n = 0;
    split_audit(m, false);
    audit_barriers(m, reached);
    for (uint32_t slot = 0; slot < p->slots; slot++) {
        n += bits_count(reached[slot]);
        FOR_LANES(l, p->present[slot])
        CHECK((p->holder[slot * 32 + l] == SPLIT_NONE) == (reached[slot] >> l & 1));
    }
    CHECK(n == h->reached);
    xfree(reached);
    audit_warps(m);
}

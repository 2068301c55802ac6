/* Dynamic warp formation as text, in bits, and checked. */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/dwf/dwf.h"
#include "mech/lib/set.h"

/* ---- state ---- */

/* The lanes that a warp being formed has taken, or how many slots of each bank. */
static void show_taken(const struct mech *m, const struct mech_split *s, struct sb *out) {
    const struct dwf *d = m->self;
    uint32_t occ[MECH_WIDEST / 32];
    uint16_t taken[MECH_WIDEST] = {0};
    dwf_occupied(m, s, occ);
    if (d->lanes == DWF_AWARE) sb_add(out, " occ ");
    for (uint32_t i = d->words; d->lanes == DWF_AWARE && i-- > 0;)
        sb_add(out, "%0*" PRIx32, d->width < 32 ? (int)d->width / 4 : 8, occ[i]);
    if (d->lanes != DWF_BANK) return;
    dwf_count_homes(m, &s->set, d->banks, taken);
    for (uint32_t b = 0; b < d->banks; b++) sb_add(out, "%s%" PRIu16, b ? "," : " banks ", taken[b]);
}

static void show_lut(const struct mech *m, const struct dwf_sched *q, struct sb *out) {
    for (uint32_t k = 0; k < lookup_entries(&q->lut); k++) {
        const struct lookup_entry *e = &q->lut.e[k];
        if (!e->used) continue;
        sb_add(out, "  lut[%" PRIu32 "] pc %" PRIu32 " warp %" PRIu32, k, e->pc, e->value);
        show_taken(m, split_at(m->pool, e->value), out);
        sb_add(out, "\n");
    }
}

static void show_group(const struct dwf *d, uint32_t g, struct sb *out) {
    sb_add(out, "pc %" PRIu32 " threads %" PRIu32 " warps", d->group[g].pc, d->group[g].threads);
    for (uint32_t id = d->group[g].head; id != DWF_NONE; id = d->w[id].next) sb_add(out, " %" PRIu32, id);
    sb_add(out, "\n");
}

static void show_first(const struct dwf *d, const struct dwf_sched *q, struct sb *out) {
    if (!q->first.n) return;
    sb_add(out, "  first");
    for (uint32_t id = q->first.head; id != QUEUE_NONE; id = d->w[id].next) sb_add(out, " %" PRIu32, id);
    sb_add(out, "\n");
}

static void show_warp(const struct mech *m, const struct mech_split *s, struct sb *out) {
    static const char *const where[] = {"in flight", "waiting at a barrier", "ready",
                                        "wakes at",  "waits for an event",   "spilled"};
    const struct dwf *d = m->self;
    const struct dwf_warp *w = &d->w[s->id];
    sb_add(out, "  warp %" PRIu32 " pc %" PRIu32 " %s", s->id, s->pc,
           w->refill ? "back at" : where[w->state]);
    if (w->state == DWF_TIMED) sb_add(out, " %" PRIu64, s->wake);
    if (d->policy == DWF_DPDPRI) sb_add(out, " passed %" PRIu32, w->passed);
    sb_add(out, " ");
    set_print(&s->set, out);
    sb_add(out, "\n");
}

void dwf_state(const struct mech *m, struct sb *out) {
    const struct dwf *d = m->self;
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        const struct dwf_sched *q = &d->q[k];
        sb_add(out, "scheduler %" PRIu32 ": pool %" PRIu32 " of %" PRIu32 "\n", k, q->used, d->pool);
        show_lut(m, q, out);
        show_first(d, q, out);
        if (d->grouped && q->majority != DWF_NONE) {
            sb_add(out, "  majority ");
            show_group(d, q->majority, out);
        }
        for (uint32_t i = 0; i < q->n; i++) {
            sb_add(out, "  heap[%" PRIu32 "] ", i);
            show_group(d, q->heap[i], out);
        }
        FOR_SPLITS(s, m->pool) {
            if (s->sched == k) show_warp(m, s, out);
        }
    }
}

/* ---- storage: DWF Table 7.1 ---- */

/* What Majority adds: Figure 4.5. */
static void add_heap(const struct mech *m, uint64_t pc, uint64_t tid, uint64_t idx,
                     struct mech_storage *out) {
    const struct dwf_params *p = dwf_params(m);
    const uint64_t heap = p->heap, lut = p->heap_lut;
    storage_add(out, (struct mech_array){.name = "mheap_lut",
                                         .arrays = m->env.schedulers,
                                         .entries = lut,
                                         .bits = pc + bits_for(heap) + 1,
                                         .ways = (uint32_t)p->heap_lut_ways,
                                         .reads = 2,
                                         .writes = 2});
    storage_add(out, (struct mech_array){.name = "max_heap",
                                         .arrays = m->env.schedulers,
                                         .entries = heap,
                                         .bits = pc + tid + 2 * (idx + 1) + bits_for(lut) + 1,
                                         .reads = 2,
                                         .writes = 2});
}

/* 4.2.1: a bank for each lane, and one for PCs and the policy's data, which two warps may be written to at once. Or one
 * array, with four write ports ("a naive implementation") or with one. */
static void add_pool(const struct mech *m, uint64_t pc, uint64_t tid, uint64_t data,
                     struct mech_storage *out) {
    const struct dwf *d = m->self;
    const enum dwf_layout layout = dwf_params(m)->pool_layout;
    if (layout != DWF_BANKED) {
        storage_add(out, (struct mech_array){.name = "warp_pool",
                                             .arrays = out->schedulers,
                                             .entries = d->pool,
                                             .bits = tid * d->width + pc + data,
                                             .reads = 1,
                                             .writes = layout == DWF_PORTED ? 4 : 1});
        return;
    }
    storage_add(out, (struct mech_array){.name = "warp_pool",
                                         .arrays = (uint64_t)out->schedulers * d->width,
                                         .entries = d->pool,
                                         .bits = tid});
    storage_add(out, (struct mech_array){.name = "warp_pool",
                                         .arrays = out->schedulers,
                                         .entries = d->pool,
                                         .bits = pc + data,
                                         .reads = 1,
                                         .writes = 2});
}

/* PC, thread and index fields as the table has them, ports as Table 7.2 has; OCC has a bit for every lane, or for every
 * slot of every bank. Its size of the MHeap LUT, 39 bits an entry, is
 * more than its contents, PC and MH#, add up to; that of the warp pool is without the next pointer's valid bit. */
void dwf_storage(const struct mech *m, struct mech_storage *out) {
    enum { PC = 24, STAMP = 10 };
    const struct dwf *d = m->self;
    const struct dwf_params *p = dwf_params(m);
    const uint64_t w = d->width, n = m->env.schedulers, tid = bits_for((uint64_t)m->env.warps * 32);
    const uint64_t idx = bits_for(d->pool), occ = d->lanes <= DWF_BANK ? w : bits_for(w + 1);
    const uint64_t data = d->grouped ? idx : d->policy == DWF_DPC ? 0 : STAMP;
    storage_add(out, (struct mech_array){.name = "warp_update_registers",
                                         .cell = MECH_REGISTERS,
                                         .arrays = n,
                                         .entries = (uint64_t)p->update,
                                         .bits = tid * w + PC + w});
    storage_add(out, (struct mech_array){.name = "pc_warp_lut",
                                         .arrays = n,
                                         .entries = lookup_entries(&d->q[0].lut),
                                         .bits = PC + occ + idx,
                                         .ways = (uint32_t)p->lut_ways,
                                         .reads = 2,
                                         .writes = 1});
    add_pool(m, PC, tid, data, out);
    storage_add(out,
                (struct mech_array){.name = "warp_allocator", .arrays = n, .entries = d->pool, .bits = idx});
    if (d->real_heap) add_heap(m, PC, tid, idx, out);
    out->lane_decoders = true;
}

/* ---- audit ---- */

static bool in_pool(const struct dwf_warp *w) {
    return w->state == DWF_READY || w->state == DWF_TIMED || w->state == DWF_EVENT;
}

static void dwf_audit_lanes(const struct mech *m, const struct mech_split *s) {
    const struct dwf *d = m->self;
    uint16_t taken[MECH_WIDEST] = {0};
    CHECK(s->threads <= d->width);
    if (d->lanes > DWF_BANK) return;
    const uint32_t lanes = d->lanes == DWF_AWARE ? d->width : d->banks;
    dwf_count_homes(m, &s->set, lanes, taken);
    for (uint32_t l = 0; l < lanes; l++) CHECK(taken[l] <= d->width / lanes);
}

/* Checks the count of passed post-dominators of a warp that may issue. A parked warp, of which a barrier may have taken
 * a part, is counted anew when it goes on. */
static void audit_passed(const struct mech *m, const struct mech_split *s) {
    const struct dwf *d = m->self;
    const struct dwf_warp *w = &d->w[s->id];
    uint32_t least = UINT32_MAX, most = 0;
    if (d->policy != DWF_DPDPRI || w->stale || w->state == DWF_PARKED) return;
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask) {
            const uint32_t passed = d->passed[s->set.p[k].warp * 32 + l];
            if (passed < least) least = passed;
            if (passed > most) most = passed;
        }
    CHECK(w->passed == (dwf_params(m)->rank == DWF_LEAST ? least : most));
}

static void audit_warp(const struct mech *m, const struct mech_split *s) {
    const struct dwf *d = m->self;
    const struct dwf_warp *w = &d->w[s->id];
    CHECK(s->in_flight == (w->state == DWF_FLIGHT));
    CHECK(!w->refill || w->state == DWF_TIMED);
    CHECK(!w->first || w->lut == DWF_NONE);
    CHECK(w->lut == DWF_NONE || in_pool(w));
    if (w->lut != DWF_NONE) {
        const struct lookup_entry *e = &d->q[s->sched].lut.e[w->lut];
        CHECK(e->used && e->pc == s->pc && e->value == s->id);
    }
    CHECK(w->state != DWF_READY || !d->grouped || w->first || d->group[w->group].pc == s->pc);
    dwf_audit_lanes(m, s);
    audit_passed(m, s);
}

static uint32_t audit_group(const struct mech *m, uint32_t g) {
    const struct dwf *d = m->self;
    uint32_t warps = 0, threads = 0;
    for (uint32_t id = d->group[g].head; id != DWF_NONE; id = d->w[id].next, warps++) {
        CHECK(d->w[id].state == DWF_READY && d->w[id].group == g);
        CHECK(d->w[id].counted == split_at(m->pool, id)->threads);
        threads += d->w[id].counted;
    }
    CHECK(threads == d->group[g].threads);
    return warps;
}

static void audit_groups(const struct mech *m, const struct dwf_sched *q) {
    const struct dwf *d = m->self;
    uint32_t ready = q->majority == DWF_NONE ? 0 : audit_group(m, q->majority);
    for (uint32_t k = 0; k < q->n; k++) {
        const struct dwf_group *gr = &d->group[q->heap[k]], *parent = &d->group[q->heap[(k - !!k) / 2]];
        const uint32_t warps = audit_group(m, q->heap[k]);
        CHECK(warps && gr->at == k);
        CHECK(d->policy == DWF_DMAJ ? parent->threads >= gr->threads : parent->threads <= gr->threads);
        CHECK(gr->lut == DWF_NONE || (q->mlut.e[gr->lut].pc == gr->pc && q->mlut.e[gr->lut].value == k));
        ready += warps;
    }
    CHECK(ready + q->first.n == q->nready);
}

static void audit_lut(const struct mech *m, const struct dwf_sched *q) {
    const struct dwf *d = m->self;
    for (uint32_t k = 0; k < lookup_entries(&q->lut); k++)
        if (q->lut.e[k].used) CHECK(split_at(m->pool, q->lut.e[k].value) && d->w[q->lut.e[k].value].lut == k);
}

void dwf_audit(const struct mech *m) {
    const struct dwf *d = m->self;
    uint32_t spilled = 0;
    split_audit(m, true);
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        const struct dwf_sched *q = &d->q[k];
        uint32_t used = 0, refilling = 0;
        FOR_SPLITS(s, m->pool) {
            const struct dwf_warp *w = &d->w[s->id];
            if (s->sched != k) continue;
            audit_warp(m, s);
            used += in_pool(w);
            refilling += w->refill;
            if (w->refill || w->state == DWF_SPILLED) spilled += s->threads;
        }
        CHECK(used == q->used && used <= d->pool && refilling == q->refilling);
        audit_lut(m, q);
        if (d->grouped) audit_groups(m, q);
    }
    CHECK(spilled == d->spilled);
}

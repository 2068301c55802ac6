/* Dual-path execution: its stacks as text, what they cost, and the audit. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/dpe/dpe.h"
#include "mech/lib/order.h"

void dpe_census(const struct mech *m, struct mech_census *c) {
    const struct dpe *d = m->self;
    *c = (struct mech_census){.inactive_path = d->held, .reconvergence = d->joining};
}

/* From the bottom up, so that of several joins the one counts at which a thread is. */
void dpe_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct dpe *d = m->self;
    for (const struct dpe_home *h = d->home; h < d->home + d->homes; h++)
        for (uint32_t i = 0; i < 2 * h->n; i++) {
            const struct dpe_path *p = dpe_path(h, i);
            for (uint32_t k = 0; p->kind == DPE_JOINS && k < MASK_WORDS; k++)
                if (p->mask.w[k]) put(user, h->first + k, p->mask.w[k], p->pc);
        }
}

static void print_path(const struct mech *m, const struct dpe_home *h, const struct dpe_path *p,
                       struct sb *out) {
    const struct mech_split *s = p->kind == DPE_SPLIT ? split_at(m->pool, p->split) : NULL;
    struct mech_set set;
    mask_set(&p->mask, h->first, &set);
    split_print_pc(out, "pc", s ? s->pc : p->pc);
    const uint32_t depth = s ? s->own[DPE_DEPTH] : (uint32_t)p->depth;
    if (depth && (s || p->depth > 0)) sb_add(out, "depth %" PRIu32 " ", depth);
    set_print(s ? &s->set : &set, out);
    sb_add(out, " ");
    if (!s)
        sb_add(out, "join");
    else if (s->own[DPE_STATUS] == DPE_WAITS)
        sb_add(out, "waiting at a barrier");
    else if (s->own[DPE_STATUS] == DPE_HELD)
        sb_add(out, "held");
    else
        order_describe(s, out);
}

static void print_entry(const struct mech *m, const struct dpe_home *h, uint32_t i, struct sb *out) {
    static const char *const name[] = {"left", "right"};
    const struct dpe_entry *e = &h->e[i];
    const char *between = "";
    split_print_pc(out, "  rpc", e->rpc);
    for (uint32_t k = 0; k < 2; k++) {
        if (e->path[k].kind == DPE_GONE) continue;
        sb_add(out, "%s| %s ", between, name[k]);
        print_path(m, h, &e->path[k], out);
        between = " ";
    }
    sb_add(out, i < h->spilled ? " in memory\n" : i + 1 < h->n ? "\n" : " <- top\n");
}

void dpe_state(const struct mech *m, struct sb *out) {
    const struct dpe *d = m->self;
    for (uint32_t k = 0; k < d->homes; k++) {
        if (d->home[k].n) sb_add(out, "warp %" PRIu32 "\n", k);
        for (uint32_t i = 0; i < d->home[k].n; i++) print_entry(m, &d->home[k], i, out);
    }
}

/* An unbounded stack is counted with an entry per thread, which suffice: an entry for sides of a path parts at least one of
 * its threads from the others. */
void dpe_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t w = m->env.warp_size, warps = ((uint64_t)m->env.warps * 32 + w - 1) / w,
                   entries = dpe_params(m)->entries ? dpe_params(m)->entries : w;
    storage_add(out,
                (struct mech_array){.name = "stack", .entries = warps * entries, .bits = 32 + 2 * (32 + w)});
}

/* ---- audit ---- */

/* A path's threads. */
static void audit_path(const struct mech *m, const struct dpe_home *h, uint32_t path, struct mask *out) {
    const struct dpe_path *p = dpe_path(h, path);
    *out = (struct mask){0};
    if (p->kind == DPE_JOINS) *out = p->mask;
    if (p->kind != DPE_SPLIT) return;
    const struct mech_split *s = split_at(m->pool, p->split);
    CHECK(s && s->own[DPE_PATH] == path && dpe_home_of(m, s) == h && s->threads && s->age == h->age);
    CHECK(s->in_flight || s->own[DPE_STATUS] == DPE_WAITS || !dpe_at_rpc(&h->e[path / 2], s));
    CHECK(order_holds(s) <=
          (s->own[DPE_STATUS] == DPE_RUNS && dpe_on_top(h, path))); /* so two at most are schedulable */
    CHECK(mask_any(&p->mask) == (s->own[DPE_STATUS] == DPE_WAITS));
    mask_put(out, h->first, &s->set);
}

/* Threads at joins of the warp: those that no entry that leads there has. */
static uint32_t dpe_audit_home(const struct mech *m, const struct dpe_home *h) {
    uint32_t joining = 0;
    for (uint32_t path = 0; path < 2 * h->n; path++) {
        struct mask all, some, seen = {0};
        uint32_t entries = 0;
        audit_path(m, h, path, &all);
        for (uint32_t i = 0; i < 2 * h->n; i++) {
            if (h->e[i / 2].to != path) continue;
            entries += i % 2;
            CHECK(i / 2 > path / 2);
            audit_path(m, h, i, &some);
            for (uint32_t k = 0; k < MASK_WORDS; k++) {
                CHECK(!(some.w[k] & seen.w[k]) && !(some.w[k] & ~all.w[k]));
                seen.w[k] |= some.w[k];
            }
        }
        CHECK(dpe_path(h, path)->kind == DPE_JOINS ? entries == dpe_path(h, path)->entries && entries
                                                   : !entries);
        if (entries) joining += mask_count(&all) - mask_count(&seen);
    }
    CHECK(!h->n || h->e[h->n - 1].path[0].kind != DPE_GONE || h->e[h->n - 1].path[1].kind != DPE_GONE);
    return joining;
}

void dpe_audit(const struct mech *m) {
    const struct dpe *d = m->self;
    uint32_t joining = 0, held = 0, threads = 0, present = 0;
    split_audit(m, false);
    for (const struct dpe_home *h = d->home; h < d->home + d->homes; h++) joining += dpe_audit_home(m, h);
    FOR_SPLITS(s, m->pool) {
        threads += s->threads;
        if (s->own[DPE_STATUS] == DPE_HELD) held += s->threads;
    }
    for (uint32_t k = 0; k < m->pool->slots; k++) present += bits_count(m->pool->present[k]);
    CHECK(joining == d->joining && held == d->held && threads + joining == present);
}

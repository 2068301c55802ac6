/* What every waiting thread waits for, in words: the watchdog's report (rule 5). Threads are grouped by warp, PC and
 * reason. Why a thread does not run that neither waits at a barrier nor has an instruction under way only the mechanism
 * knows: its tables follow. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/impl.h"

static void add_place(const struct sm *s, uint32_t pc, struct sb *out) {
    sb_add(out, " at ");
    exec_describe_pc(s->env.module, pc, out);
}

static void add_threads(const struct sm *s, uint32_t warp, uint32_t mask, struct sb *out) {
    const struct exec_warp *w = s->warps[warp].w;
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    sb_add(out,
           "    warp %" PRIu32 " lanes 0x%08" PRIx32 " (%d thread%s from (%" PRIu32 ",%" PRIu32 ",%" PRIu32
           ") on)",
           w->index, mask, __builtin_popcount(mask), mask & (mask - 1) ? "s" : "", w->tid[0][first],
           w->tid[1][first], w->tid[2][first]);
}

/* Live threads of the block that are not at the barrier; a barrier with a count waits for a number, not for these. */
static void add_missing(const struct exec_block *b, uint32_t id, struct sb *out) {
    const struct exec_barrier *bar = &b->bar[id];
    sb_add(out, ", %" PRIu32 " of %" PRIu32 " threads have arrived; not there:", bar->arrived,
           bar->count ? bar->count : b->live);
    uint32_t shown = 0;
    for (uint32_t k = 0; k < b->nwarps; k++) {
        const struct exec_warp *w = &b->warps[k];
        uint32_t here = 0;
        FOR_LANES(l, w->bar_wait) here |= (uint32_t)(w->bar_id[l] == id) << l;
        if (!(w->live & ~here)) continue;
        if (shown++ < 8) sb_add(out, " warp %" PRIu32 " lanes 0x%08" PRIx32, k, w->live & ~here);
    }
    if (shown > 8) sb_add(out, " and %" PRIu32 " more warps", shown - 8);
    if (!shown) sb_add(out, " none");
}

static void add_blocked(const struct sm *s, uint32_t warp, struct sb *out) {
    const struct exec_warp *w = s->warps[warp].w;
    for (uint32_t left = w->blocked; left;) {
        const uint32_t first = (uint32_t)__builtin_ctz(left), pc = w->wait_pc[first];
        const bool bar = w->bar_wait >> first & 1;
        uint32_t here = 0;
        FOR_LANES(l, left)
        here |= (uint32_t)(w->wait_pc[l] == pc && (w->bar_wait >> l & 1) == bar &&
                           (!bar || w->bar_id[l] == w->bar_id[first]))
                << l;
        left &= ~here;
        add_threads(s, warp, here, out);
        if (bar && w->bar_id[first] == EXEC_CLUSTER) {
            sb_add(out, " in the cluster's barrier");
        } else if (bar) {
            sb_add(out, " in barrier %u", w->bar_id[first]);
            add_missing(w->block, w->bar_id[first], out);
        } else {
            sb_add(out, " for lanes 0x%08" PRIx32 " of the warp", w->xchg.member[first] & w->live & ~here);
        }
        add_place(s, pc, out);
        sb_add(out, "\n");
    }
}

/* Under `scoreboard`: registers that wait for data. */
static void add_loads(const struct sm *s, uint32_t warp, struct sb *out) {
    const struct sm_warp *w = &s->warps[warp];
    for (uint32_t k = 0; k < w->nscore; k++) {
        const struct sm_score *e = &w->score[k];
        if (e->ready != SM_NEVER || !(e->mask & w->w->live)) continue;
        add_threads(s, warp, e->mask & w->w->live, out);
        sb_add(out, " on data of the load");
        add_place(s, e->pc, out);
        sb_add(out, "\n");
    }
}

/* Instructions not committed yet; a free op has no split. */
static void add_ops(const struct sm *s, uint32_t block, struct sb *out) {
    for (uint32_t k = 0; k < s->ops.pool.used; k++) {
        const struct sm_op *op = &s->ops.v[k];
        for (uint32_t p = 0; op->split && p < op->split->set.n; p++) {
            const struct mech_piece at = op->split->set.p[p];
            if (s->warps[at.warp].block != block || !s->warps[at.warp].w) continue;
            add_threads(s, at.warp, at.mask, out);
            sb_add(out, op->unanswered ? " on memory" : " on the pipeline");
            sb_add(out, ", since cycle %" PRIu64, op->issued);
            add_place(s, op->pc, out);
            sb_add(out, "\n");
        }
    }
}

/* Threads that are with the mechanism, by where they would go on. */
static void add_held(const struct sm *s, uint32_t warp, const uint32_t *pc, struct sb *out) {
    const struct exec_warp *w = s->warps[warp].w;
    uint32_t left = 0;
    FOR_LANES(l, exec_can_run(w)) left |= (uint32_t)(pc[l] != IR_NOPC) << l;
    while (left) {
        const uint32_t at = pc[__builtin_ctz(left)];
        uint32_t here = 0;
        FOR_LANES(l, left) here |= (uint32_t)(pc[l] == at) << l;
        left &= ~here;
        add_threads(s, warp, here, out);
        sb_add(out, " for the mechanism to let them go on");
        add_place(s, at, out);
        sb_add(out, "\n");
    }
}

static void add_looping(const struct sm *s, uint32_t warp, struct sb *out) {
    const uint32_t loops = s->warps[warp].loops & s->warps[warp].w->live;
    if (!loops) return;
    add_threads(s, warp, loops, out);
    sb_add(out, " go round a loop that only another thread could end\n");
}

/* The mechanism's tables, set in under its name. */
static void add_state(const struct sm *s, struct sb *out) {
    struct sb own = {0}, text = {0};
    sb_add(out, "  mechanism %s:\n", s->mech->ops->name);
    order_settle(s->mech->order, s->schedulers);
    if (s->mech->ops->state) s->mech->ops->state(s->mech, &own);
    if (own.text) cfg_rewrite_print_text(s->env.form, own.text, &text);
    for (const char *at = text.text; at && *at;) {
        const size_t n = strcspn(at, "\n");
        sb_add(out, "    %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    sb_free(&own);
    sb_free(&text);
}

void sm_describe(const struct sm *s, struct sb *out) {
    uint32_t *held = xcalloc((size_t)s->nwarps * SM_LANES, sizeof *held);
    places_held(s, held);
    sb_add(out, "SM %" PRIu32 ", cycle %" PRIu64 ", kernel %s\n", s->env.index, s->now,
           s->env.grid->func->name);
    for (uint32_t k = 0; k < s->nblocks; k++) {
        const struct sm_block *b = &s->blocks[k];
        if (!b->threads) continue;
        sb_add(out,
               "  block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "): %" PRIu32
               " threads have not exited; they wait\n",
               b->b.ctaid[0], b->b.ctaid[1], b->b.ctaid[2], b->threads);
        for (uint32_t w = k * s->block_warps; w < (k + 1) * s->block_warps; w++) {
            add_blocked(s, w, out);
            add_loads(s, w, out);
            add_looping(s, w, out);
            add_held(s, w, held + (size_t)w * SM_LANES, out);
        }
        add_ops(s, k, out);
    }
    add_state(s, out);
    xfree(held);
}

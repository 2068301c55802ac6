/* The life of an SM: blocks arrive, every cycle walks the stages from the back to the front (so that no state is kept
 * twice, DWF 5.1.1), blocks end. What comes back from memory, what writes back, the load/store unit, then issue. */
#include <stdlib.h>

#include "mech/lib/set.h"
#include "sm/impl.h"

/* ---- what the mechanism asks ---- */

uint64_t when_any(struct sm *s, const struct mech_split *split) {
    const struct sm_code *c = sm_code(s, split->pc);
    uint64_t when = s->unit[split->sched][c->unit], t;
    if (s->scoreboard && (t = score_when(s, split, c)) > when) when = t;
    if (s->fetched && (t = fetch_when(s, split, c)) > when) when = t;
    return when;
}

static uint64_t ask_when(void *sm, const struct mech_split *split) {
    return sm_when(sm, split);
}

static uint64_t recheck(void *sm, const struct mech_split *split) {
    return sm_recheck(sm, split);
}

/* Asks again and checks the answer against a full enquiry. */
static uint64_t audited_recheck(void *sm, const struct mech_split *split) {
    const struct sm *s = sm;
    const uint64_t when = recheck(sm, split), all = when_any(sm, split);
    CHECK(when > s->now ? all == when : all <= s->now);
    return when;
}

/* A short when_any where there is neither a scoreboard nor instruction fetch. */
static uint64_t ask_unit(void *sm, const struct mech_split *split) {
    const struct sm *s = sm;
    const struct sm_code *c = &s->common->code[split->pc];
    return c->known ? s->unit[split->sched][c->unit] : when_any(sm, split);
}

static uint32_t ask_live(void *sm, uint32_t warp) {
    const struct sm *s = sm;
    return s->warps[warp].w ? s->warps[warp].w->live : 0;
}

static uint32_t ask_spinning(void *sm, uint32_t warp) {
    const struct sm *s = sm;
    return s->warps[warp].spin;
}

static uint32_t ask_depth(void *sm, uint32_t warp, uint32_t lane) {
    const struct sm *s = sm;
    return s->warps[warp].w ? s->warps[warp].w->depth[lane] : 0;
}

/* Unanswered requests say who has no data; they are looked through, for few mechanisms ask. */
static void remove_waiting(const struct sm *s, uint32_t op, struct mech_set *out) {
    for (uint32_t r = 0; r < s->requests.pool.used; r++)
        for (uint32_t k = s->requests.v[r].nodes; k != SM_NONE; k = s->nodes.v[k].next) {
            const struct sm_node *n = &s->nodes.v[k];
            struct mech_set waits;
            if (n->op != op) continue;
            set_one(&waits, n->warp, n->mask);
            set_remove(out, &waits);
        }
}

static void ready_threads(void *sm, const struct mech_split *split, struct mech_set *out) {
    struct sm *s = sm;
    uint32_t k = 0;
    out->n = 0;
    while (k < s->ops.pool.used && s->ops.v[k].split != split) k++;
    if (k == s->ops.pool.used || !split->in_flight) return;
    const struct sm_op *op = &s->ops.v[k];
    if (!op->memory || op->held || !op->unanswered || op->ready > s->now || !sm_insn(s, op->pc)->nd) return;
    s->census_known = false; /* the mechanism may take them */
    set_copy(out, &split->set);
    remove_waiting(s, k, out);
}

static void hear_event(void *sm, const char *text) {
    struct sm *s = sm;
    if (!s->env.observer) return;
    if (s->event.len) sb_add(&s->event, "; ");
    cfg_rewrite_print_text(s->env.form, text, &s->event);
}

/* ---- making ---- */

static void sm_read_options(struct sm *s) {
    const struct mem_options *m = s->env.mem_options;
    const int64_t value[MEM_NPATHS][3] = {
        [MEM_L1D] = {m->l1d.line, m->l1d.sector, m->l1d.ports},
        [MEM_L1T] = {m->l1t.line, m->l1t.sector, m->l1t.ports},
        [MEM_L1C] = {m->l1c.line, m->l1c.sector, m->l1c.ports},
        [MEM_L1I] = {m->l1i.line, m->l1i.sector, m->l1i.ports},
    };
    for (int p = 0; p < MEM_NPATHS; p++) {
        s->line[p] = (uint32_t)value[p][0];
        s->sector[p] = (uint32_t)value[p][1];
        s->ports[p] = (uint32_t)value[p][2];
    }
    s->one_port = s->ports[MEM_L1D] == 1 && s->ports[MEM_L1T] == 1 && s->ports[MEM_L1C] == 1;
}

static bool make_mech(struct sm *s, struct err *e) {
    const struct opt_sm *o = &s->o->sm;
    const struct mech_env env = {
        .pages = s->env.grid->pages,
        .module = s->env.module,
        .cfg = s->env.cfg,
        .warp_size = (uint32_t)o->warp_size,
        .simd_width = (uint32_t)o->simd_width,
        .schedulers = (uint32_t)o->schedulers,
        .whole_blocks = sm_whole_blocks(o, s->env.grid),
        .warps = s->nwarps,
        .order = (uint32_t)o->order,
        .order_groups = (uint32_t)o->order_active,
        .order_timeout = (uint32_t)o->order_timeout,
        .tables = s->env.mech_tables,
        .param = s->env.mech_params,
        .now = &s->now,
        .sm = s,
        .when = s->scoreboard || s->fetched ? ask_when : ask_unit,
        .recheck = s->env.audit                  ? audited_recheck
                   : s->scoreboard || s->fetched ? recheck
                                                 : ask_unit,
        .live = ask_live,
        .depth = ask_depth,
        .ready = ready_threads,
        .served = port_served,
        .refusal = s->scoreboard ? 1 : (uint32_t)o->depth,
        .spinning = ask_spinning,
        .event = hear_event,
        .tracing = s->env.observer && s->env.observer->issue && !s->env.observer->quiet,
        .audit = s->env.audit,
    };
    s->mech = mech_new(s->env.mech, &env, e);
    if (!s->mech) return false;
    if (s->env.account) {
        charge_init(s);
        waits_init(s);
    }
    const uint32_t size = s->mech->env.warp_size;
    s->beats = (size + env.simd_width - 1) / env.simd_width;
    s->halves = size == SM_LANES && s->beats == 2;
    s->coalesce = o->coalesce == SM_COALESCE_SIMD && env.simd_width < size ? env.simd_width : 0;
    s->shared_lanes = (uint32_t)o->shared_lanes < size ? (uint32_t)o->shared_lanes : 0;
    s->plain_banks = o->shared_banks <= 64 && is_pow2((uint64_t)o->shared_banks) &&
                     is_pow2((uint64_t)o->shared_bank_bytes);
    s->plain_slots = s->mech->env.warp_size == SM_LANES && !s->charge;
    s->unobserved = !s->charge && !s->env.observer && !s->env.audit;
    s->refuses = s->mech->ops->refuses;
    s->fast_issue = s->unobserved && s->scoreboard && size == SM_LANES && !s->env.thread_insts;
    s->order = s->mech->order;
    s->wakes = s->mech->wakes;
    s->order_selects = s->fast_issue && s->wakes;
    s->recheck = s->mech->env.recheck;
    return true;
}

/* Bytes of local memory that a thread is known to need; it may need more (recursion). Of machine code nothing is known. */
static uint64_t known_local(const struct exec_grid *g) {
    const uint64_t frame = g->func->frame_bytes, all = g->launch->local_bytes;
    if (g->module->binary) return 0;
    return all < frame ? frame : all < g->stack_limit ? all : g->stack_limit;
}

static void make_slots(struct sm *s) {
    const uint32_t warps = (s->env.grid->threads + SM_LANES - 1) / SM_LANES;
    s->block_warps = warps;
    s->nwarps = s->nblocks * warps;
    s->local = local_layout(&(struct local_shape){.known = known_local(s->env.grid),
                                                  .most = s->env.grid->stack_limit,
                                                  .sm = s->env.index,
                                                  .sms = s->env.sms,
                                                  .warps = s->nwarps,
                                                  .pieces = s->o->sm.local == SM_LOCAL_THREADS});
    struct pages *p = s->env.grid->pages;
    s->sched = pages_get(p, s->schedulers * sizeof *s->sched);
    s->unit = pages_get(p, s->schedulers * sizeof *s->unit);
    s->warps = pages_get(p, s->nwarps * sizeof *s->warps);
    s->spun_at = pages_raw(p, s->nwarps * sizeof *s->spun_at);
    s->blocks = pages_get(p, s->nblocks * sizeof *s->blocks);
    for (uint32_t k = 0; s->scoreboard && k < s->nwarps; k++) {
        s->warps[k].score = pages_raw(p, SM_FIRST_SCORES * sizeof *s->warps[k].score);
        s->warps[k].score_cap = SM_FIRST_SCORES;
    }
}

struct sm *sm_new(const struct sm_env *env, struct err *e) {
    enum sm_limiter limiter;
    if (!sm_fits(env->options, env->grid, e)) return NULL;
    struct sm *s = pages_get(env->grid->pages, sizeof *s);
    s->env = *env;
    s->o = env->options;
    s->schedulers = (uint32_t)env->options->sm.schedulers;
    s->common = env->common;
    s->scoreboard = s->o->sm.issue == SM_SCOREBOARD;
    s->fn = env->grid->fn;
    s->lanes = mem_lanes_here();
    s->sm_port = mem_sm_port(env->mem, env->index);
    s->calls = mem_sm_calls(env->mem, env->index);
    s->nblocks = sm_residency(env->options, env->grid, &limiter);
    s->arrival_tick = s->event_at = s->pipe_at = SM_NEVER;
    sm_read_options(s);
    units_init(s);
    code_init(s);
    make_slots(s);
    pool_init(s);
    if (!s->o->sm.ideal_fetch) fetch_init(s);
    if (make_mech(s, e)) return s;
    sm_free(s);
    return NULL;
}

void sm_free(struct sm *s) {
    if (!s) return;
    for (uint32_t k = 0; k < s->nblocks; k++)
        if (s->blocks[k].allocated) exec_block_free(&s->blocks[k].b);
    pool_free(s);
    sb_free(&s->event);
    err_free(&s->failed);
}

void sm_use(struct sm *s, struct sm_common *c, struct sm_branch *branch) {
    s->common = s->env.common = c;
    s->env.branch = branch;
}

/* ---- blocks ---- */

bool sm_room(const struct sm *s) {
    return s->active < s->nblocks;
}

static void place_block(struct sm *s, uint32_t slot, uint64_t block) {
    struct sm_block *b = &s->blocks[slot];
    exec_block_start(&b->b, block);
    b->b.sm = s->env.index;
    if (b->asyncs) async_forget(s, slot);
    b->threads = s->env.grid->threads;
    for (uint32_t k = 0; k < s->block_warps; k++) {
        struct sm_warp *w = &s->warps[slot * s->block_warps + k];
        *w = (struct sm_warp){.w = &b->b.warps[k],
                              .regs = b->b.warps[k].regs,
                              .block = slot,
                              .absent = (uint8_t)bits_count(~b->b.warps[k].live),
                              .exist = b->b.warps[k].live,
                              .score = w->score,
                              .score_cap = w->score_cap};
    }
    const struct mech_block arrives = {slot, slot * s->block_warps, s->block_warps, b->threads,
                                       s->env.grid->func->entry};
    if (s->charge) charge_block(s, &arrives);
    s->mech->ops->launch(s->mech, &arrives);
}

void sm_start(struct sm *s, uint64_t block, uint64_t now) {
    const struct sm_observer *o = s->env.observer;
    uint32_t slot = 0;
    while (s->blocks[slot].threads) slot++;
    idle_account(s, now, false);
    if (!s->active) { /* nothing was counted while it was empty */
        if (s->counted < now) s->counted = now;
        for (uint32_t k = 0; k < s->schedulers; k++) s->sched[k].counted = s->counted;
    }
    s->arrival_tick = s->ticked && s->now == now ? now + 1 : now;
    if (s->now < now) {
        s->now = now;
        s->ticked = false;
    }
    struct sm_block *b = &s->blocks[slot];
    if (!b->allocated && !exec_block_alloc(&b->b, s->env.grid, &s->failed)) return;
    b->allocated = true;
    b->begun = now;
    s->active++;
    s->census_known = s->residents_known = false;
    if (s->charge) waits_changed(s);
    place_block(s, slot, block);
    if (o && o->block) o->block(o->user, now, s->env.index, block, true);
}

static void end_block(struct sm *s, uint32_t slot) {
    const struct sm_observer *o = s->env.observer;
    const struct sm_block *b = &s->blocks[slot];
    if (s->active == 1) { /* the last one: cycles the ports are still held for belong to it */
        uint64_t end = s->now;
        for (uint32_t k = 0; k < s->schedulers; k++)
            if (s->sched[k].counted > end) end = s->sched[k].counted;
        idle_account_all(s, end);
    }
    idle_check(s);
    s->active--;
    s->ended++;
    s->stats.sm.blocks++;
    s->stats.sm.block_cycles += s->now - b->begun;
    for (uint32_t k = 0; k < s->block_warps; k++) {
        s->warps[slot * s->block_warps + k].w = NULL;
        s->warps[slot * s->block_warps + k].nscore = 0;
        s->warps[slot * s->block_warps + k].rows = 0;
    }
    if (o && o->block) o->block(o->user, s->now, s->env.index, b->b.index, false);
    exec_block_end(&s->blocks[slot].b);
}

void sm_threads_ended(struct sm *s, const struct mech_set *exited) {
    for (uint32_t k = 0; k < exited->n; k++) {
        const uint32_t slot = s->warps[exited->p[k].warp].block;
        struct sm_block *b = &s->blocks[slot];
        const uint32_t n = bits_count(exited->p[k].mask);
        b->threads -= n;
        s->exited += n;
        if (!b->threads) end_block(s, slot);
    }
}

bool sm_busy(const struct sm *s) {
    return s->active || POOL_TAKEN(&s->ops) || s->queue.n || s->failed.code;
}

/* ---- time ---- */

/* Returns the op of an event, or op 0 if the event is a request. It has no branch, since hosts would mispredict it. */
static const struct sm_op *op_of(const struct sm *s, uint32_t what) {
    return &s->ops.v[what & ((what >> 31) - 1)];
}

/* The host fetches the split of the next op while this one is committed. */
static inline __attribute__((always_inline)) void write_back(struct sm *s) {
    for (uint32_t due; (due = event_due(s)) != SM_NONE;)
        for (uint32_t what = due, next; what != SM_NONE; what = next) {
            next = *event_link(s, what);
            if (what & SM_EVENT_REQUEST) {
                lsu_answered(s, what & ~SM_EVENT_REQUEST);
            } else {
                __builtin_prefetch(op_of(s, next)->split);
                outcome_commit(s, &s->ops.v[what]);
                op_give(s, what);
            }
        }
}

/* When a scheduler may have something to issue, or a stall begins. */
static uint64_t next_issue(const struct sm *s) {
    uint64_t next = SM_NEVER;
    for (uint32_t k = 0; next > s->now + 1 && k < s->schedulers; k++) {
        const bool held = s->stuck && issue_held(s, k);
        if (held && s->sched[k].stalled) continue;
        uint64_t t = held ? s->now : mech_next(s->mech, k);
        if (t != MECH_NEVER && t < s->sched[k].port) t = s->sched[k].port;
        if (t < next) next = t;
    }
    return next;
}

/* The functions below are compiled twice: for SMs in which order_selects is set, where it is then a constant, as in
 * nearly all runs, and for any SM. */
#define TWICE static inline __attribute__((always_inline))

/* One cycle; false: a fault. */
TWICE bool tick_once(struct sm *s, uint64_t now, const bool order_selects, struct err *e) {
    idle_account(s, now, order_selects);
    if (s->stuck) lsu_account(s, now);
    s->now = now;
    for (uint32_t tag; s->calls->called && mem_take_done(s->sm_port, &tag);) {
        if (s->o->sm.writeback) lsu_returned(s, tag);
        lsu_answered(s, tag);
    }
    if (s->event_at <= now) write_back(s);
    s->wheel_at = now;
    if (s->lsu_waiting) lsu_cycle(s);
    if (!(order_selects && issue_none(s)) && !issue_all(s, e)) return false;
    if (s->ahead.left) fetch_ahead(s);
    if (!order_selects && s->charge) waits_ticked(s);
    return true;
}

/* After a tick: the next cycle in which something is to be done, which is a later one. */
TWICE uint64_t next_tick(struct sm *s, const bool order_selects) {
    const uint64_t soonest = s->now + 1;
    if (s->ahead.left || lsu_sends(s)) return soonest;
    uint64_t next = s->lsu_waiting ? lsu_next(s) : SM_NEVER;
    if (s->event_at < next) next = s->event_at;
    if (next <= soonest) return soonest;
    if (!s->active) return next;
    const uint64_t issue = s->stuck || !(order_selects || s->wakes) ? next_issue(s)
                           : s->order->moved                        ? issue_soonest(s)
                                                                    : s->issue_at;
    if (issue < next) next = issue;
    return next > soonest ? next : soonest;
}

uint64_t sm_next(struct sm *s) {
    if (s->failed.code) return s->now;
    return s->arrival_tick != SM_NEVER ? s->arrival_tick : next_tick(s, false);
}

/* Ticks the SM from cycle `from` on for as long as it may go on by itself. */
TWICE uint64_t tick_until(struct sm *s, uint64_t from, uint64_t until, const bool order_selects,
                          struct err *e) {
    uint64_t next = from;
    do {
        if (!tick_once(s, next, order_selects, e)) return SM_FAULT;
        next = next_tick(s, order_selects);
    } while (next < until && next < mem_calls_next(s->calls, s->env.mem, s->env.index) && s->active &&
             !s->ended);
    return next;
}

uint64_t sm_run(struct sm *s, uint64_t from, uint64_t until, uint32_t *ended, struct err *e) {
    uint64_t next;
    if (s->failed.code) {
        s->now = from;
        err_set(e, s->failed.code, "%s", err_text(&s->failed));
        return SM_FAULT;
    }
    s->arrival_tick = SM_NEVER;
    s->ended = 0;
    s->ticked = true;
    next = s->order_selects ? tick_until(s, from, until, true, e) : tick_until(s, from, until, false, e);
    *ended += s->ended;
    return next;
}

uint64_t sm_ticked(const struct sm *s) {
    return s->now;
}

/* ---- what is to be seen from outside ---- */

void sm_account(struct sm *s, uint64_t now) {
    idle_account_all(s, now);
    lsu_account(s, now);
}

void sm_get_stats(const struct sm *s, struct sm_stats *out, struct mech_stats *mech) {
    *out = s->stats;
    idle_waits(s, &out->idle);
    out->warp.cycles = out->sm.cycles * s->schedulers;
    out->lane.active = out->sm.thread_insts + out->sm.overhead_lanes;
    *mech = s->mech->stats;
}

uint64_t sm_exited(const struct sm *s) {
    return s->exited;
}

struct mech *sm_mech(struct sm *s) {
    return s->mech;
}

/* Issue: when a scheduler's port is free and its pipeline moves, the mechanism selects a packet; every piece of every
 * split is executed at once (values never depend on time), and what remains is when each split may go on.
 *
 * Write-back comes depth + latency - 1 cycles after the start. Under `barrel` a split is committed then, loads when their
 * data is back. Under `scoreboard` an instruction that cannot change control flow is committed at issue, and the rows it
 * writes are under way until write-back; branches, calls, exits and barriers are committed when they resolve. */
#include "mech/set.h"
#include "sm/impl.h"

/* Lanes that last polled, slept or failed an atomic make no progress by running on, until they store, change a word or
 * reach a barrier, or have done something else for a good while: what the watchdog of a spinning kernel needs to know. */
static void note_spinning(struct sm *s, struct sm_warp *w, const struct ir_insn *i, uint32_t mask) {
    const uint8_t cls = ir_ops[i->op].cls;
    if (w->w->spun) {
        w->w->spun = false;
        w->spin |= mask;
        w->spun_at = s->now;
        return;
    }
    if (w->spin) {
        if (cls == IR_C_BAR || cls == IR_C_ATOM || (cls == IR_C_LDST && !i->nd)) w->spin &= ~mask;
        if (s->now - w->spun_at > (uint64_t)s->o->gpu.watchdog / 4) w->spin = 0;
    }
    if (mask & ~w->spin) s->stats.last_progress = s->now;
}

static void note_progress(struct sm *s, struct sm_warp *w, const struct ir_insn *i, uint32_t mask) {
    if (w->w->spun || w->spin)
        note_spinning(s, w, i, mask);
    else
        s->stats.last_progress = s->now;
}

static void count_threads(const struct sm *s, const struct sm_warp *w, uint32_t mask) {
    uint64_t *at =
        s->env.thread_insts + w->w->block->index * s->env.grid->threads + (uint64_t)w->w->index * SM_LANES;
    FOR_LANES(l, mask) at[l]++;
}

/* The step of one piece; returns the lanes it counts for. A guarded branch counts for all of its lanes, anything else for
 * those it runs for, as in the functional engine. */
static uint32_t step(struct sm *s, struct exec_warp *w, const struct ir_insn *i, uint32_t mask) {
    const uint32_t runs = i->guard ? exec_guard(&w->x, i, mask) : mask;
    struct exec_out *out = &s->env.grid->out;
    out->flow = EXEC_NEXT;
    out->access.mask = 0;
    if (runs) s->fn[i->op](&w->x, i, runs);
    return i->op == IR_BRA ? mask : runs;
}

/* What the splits of a packet add up to. */
struct sums {
    uint32_t done, threads, lanes;  /* splits; lanes: those that count */
    uint32_t classes;               /* that occur, one bit each */
    uint32_t of_class[IR_NCLASSES]; /* threads */
    bool memory;                    /* an access was gathered */
};
_Static_assert(IR_NCLASSES <= 32, "classes are bits of a word");

static void gather(struct sm *s, struct sums *t, uint32_t warp, bool texture) {
    if (!t->memory) lines_begin(s);
    t->memory = true;
    lines_gather(s, warp, texture);
}

/* The step of every piece; *lanes: those it counts for. False: a fault. */
static bool execute(struct sm *s, struct sm_op *op, struct sums *t, uint32_t *lanes, struct err *e) {
    const struct mech_split *split = op->split;
    const struct ir_insn *i = sm_insn(s, op->pc);
    const uint32_t n = split->set.n;
    struct exec_grid *g = s->env.grid;
    g->run_start = op->pc;
    for (uint32_t k = 0; k < n; k++) {
        const struct mech_piece p = split->set.p[k];
        struct sm_warp *w = &s->warps[p.warp];
        if (k + 1 < n) sm_look_ahead(s, split->set.p[k + 1].warp, op->pc);
        const uint32_t counts = step(s, w->w, i, p.mask);
        if (g->out.flow == EXEC_FAULT) return exec_fault_report(w->w, e);
        *lanes += n == 1 && counts == p.mask ? split->threads : bits_count(counts);
        if (s->env.thread_insts) count_threads(s, w, counts);
        note_progress(s, w, i, p.mask);
        if (g->out.flow != EXEC_NEXT || op->sides != SM_NONE) outcome_note(s, op, k);
        if (g->out.access.mask) gather(s, t, p.warp, i->op == IR_TEX);
    }
    if (op->freed != SM_NONE) outcome_settle(s, op);
    return true;
}

/* One split of the packet: its op, executed, with its requests. */
static bool run_split(struct sm *s, uint32_t k, bool merge, struct sums *t, struct err *e) {
    struct sm_op *op = &s->ops[k];
    const uint32_t cls = sm_code(s, op->pc)->cls;
    uint32_t lanes = 0;
    if (!execute(s, op, t, &lanes, e)) return false;
    if (t->memory) lines_build(s, k, merge);
    t->threads += op->split->threads;
    t->lanes += lanes;
    t->classes |= 1u << cls;
    t->of_class[cls] += op->split->threads;
    s->stats.class_insts[cls] += lanes;
    if (s->env.branch) {
        s->env.branch[op->pc].executions++;
        s->env.branch[op->pc].lanes += lanes;
    }
    return true;
}

/* Nothing about it is decided later: it goes on at pc + 1 while its result is under way. */
static bool commits_at_issue(const struct sm *s, const struct sm_op *op) {
    return s->scoreboard && sm_code(s, op->pc)->early && op->sides == SM_NONE && op->freed == SM_NONE;
}

/* The op has executed and its requests exist: commit now, or say when. */
static void dispatch(struct sm *s, uint32_t k) {
    struct sm_op *op = &s->ops[k];
    if (op->memory && op->lines) s->sched[op->sched].loads++;
    if (!commits_at_issue(s, op)) {
        if (!op->memory) event_push(s, op->ready, k);
        return;
    }
    const bool awaited = op->memory && sm_insn(s, op->pc)->nd;
    for (uint32_t p = 0; p < op->split->set.n; p++) {
        const struct mech_piece at = op->split->set.p[p];
        score_add(s, at.warp, at.mask, op->pc, awaited ? k : SM_NONE, awaited ? SM_NEVER : op->ready);
    }
    outcome_commit(s, op);
    if (!op->memory) op_give(s, k);
}

/* Cycles register read needs beyond the beats: bank conflicts of the operands, and of mixed warps. */
static uint32_t register_stall(struct sm *s, const struct mech_packet *p) {
    uint32_t most = 0;
    for (uint32_t k = 0; s->o->sm.register_banks && k < p->n; k++) {
        const uint32_t n = sm_code(s, p->split[k]->pc)->stall * s->beats;
        if (n > most) most = n;
    }
    return most + p->register_stall;
}

static void tell(struct sm *s, uint32_t sched) {
    const struct sm_observer *o = s->env.observer;
    if (o && o->issue)
        o->issue(o->user, s->now, s->env.index, sched, &s->common->packet, s->event.len ? s->event.text : "");
    s->event.len = 0;
    if (s->event.text) s->event.text[0] = 0;
}

/* A packet without threads only takes its slots. */
static void issue_charge(struct sm *s, uint32_t sched) {
    const uint64_t slots = s->common->packet.charge ? s->common->packet.charge : 1, cycles = slots * s->beats;
    s->stats.empty_slots += cycles;
    s->stats.last_progress = s->now;
    s->sched[sched].port = s->sched[sched].counted = s->now + cycles;
}

/* Units are reserved: for a whole warp, or for what the lanes of a mixed packet need. */
static void start_units(struct sm *s, uint32_t sched, const struct sums *t, uint64_t start) {
    const uint32_t width = (uint32_t)s->o->sm.simd_width;
    const bool mixed = s->common->packet.n > 1;
    FOR_LANES(c, t->classes)
    unit_start(s, sched, c, start, mixed ? (t->of_class[c] + width - 1) / width : s->beats);
}

static uint32_t take_op(struct sm *s, struct mech_split *split, uint32_t sched, uint64_t start) {
    const uint32_t k = op_take(s);
    s->ops[k] = (struct sm_op){.split = split,
                               .pc = split->pc,
                               .sched = sched,
                               .sides = SM_NONE,
                               .freed = SM_NONE,
                               .next = SM_NONE,
                               .ready = start + sm_code(s, split->pc)->result,
                               .issued = s->now};
    return k;
}

/* All splits execute before any is committed: a commit may reuse a split of the packet. */
static bool issue_packet(struct sm *s, uint32_t sched, struct err *e) {
    const struct mech_packet *p = &s->common->packet;
    struct exec_grid *g = s->env.grid;
    const uint32_t extra = register_stall(s, p), n = p->n;
    const uint64_t start = s->now + extra, barriers = g->barriers;
    uint32_t op[MECH_WIDEST];
    struct sums t = {0};
    g->clock = s->now;
    for (; t.done < n; t.done++) {
        op[t.done] = take_op(s, p->split[t.done], sched, start);
        if (t.done + 1 < n) {
            const struct mech_split *next = p->split[t.done + 1];
            sm_look_ahead(s, next->set.p[0].warp, next->pc);
        }
        if (!run_split(s, op[t.done], n > 1, &t, e)) break;
    }
    if (g->barriers != barriers) s->stats.barriers += g->barriers - barriers;
    s->stats.warp_insts += t.done;
    s->stats.thread_insts += t.lanes;
    if (t.done < n) return false;
    if (extra) s->stats.register_conflict_cycles += extra;
    start_units(s, sched, &t, start);
    const uint32_t entry = t.memory ? lines_end(s) : SM_NONE;
    if (entry != SM_NONE) lsu_issue(s, entry, sched, start + (uint64_t)s->o->sm.depth - 1);
    idle_issued(s, sched, t.threads, extra);
    for (uint32_t k = 0; k < n; k++) dispatch(s, op[k]);
    return true;
}

/* What a packet may take at most must be free before one is selected; three nodes per thread are for outcomes. */
static bool may_run_out(const struct sm *s) {
    return s->nfree_ops < MECH_WIDEST || s->nfree_requests <= SM_PACKET || s->nfree_nodes < s->reserve_nodes;
}

bool issue_held(const struct sm *s, uint32_t sched) {
    return lsu_blocked(s, sched) || may_run_out(s);
}

bool issue_all(struct sm *s, struct err *e) {
    for (uint32_t k = 0; k < s->schedulers; k++) {
        struct sm_sched *c = &s->sched[k];
        c->stalled = false;
        if (c->port > s->now) continue;
        c->stalled = issue_held(s, k);
        if (c->stalled) continue;
        s->common->packet.n = s->common->packet.charge = s->common->packet.register_stall = 0;
        if (!s->mech->ops->select(s->mech, k, &s->common->packet)) continue;
        tell(s, k);
        if (!s->common->packet.n)
            issue_charge(s, k);
        else if (!issue_packet(s, k, e))
            return false;
    }
    return true;
}

/* Issue: when a scheduler's port is free and its pipeline moves, the mechanism selects a packet; every piece of every
 * split is executed at once (values never depend on time), and what remains is when each split may go on.
 *
 * Write-back comes depth + latency - 1 cycles after the start. Under `barrel` a split is committed then, loads when their
 * data is back. Under `scoreboard` an instruction that cannot change control flow is committed at issue, and the rows it
 * writes are under way until write-back; branches, calls, exits and barriers are committed when they resolve. */
#include "mech/lib/set.h"
#include "mech/lib/split.h"
#include "sm/impl.h"

/* What is compiled twice, for packets of one split, as most are, and for mixed ones: `mixed` is a constant. */
#define TWICE static inline __attribute__((always_inline))

/* Lanes that last polled, slept or failed an atomic, until they store, change a word or reach a barrier, or have done
 * something else for a good while: a mechanism may want to let others go first (env.spinning). */
static void note_spinning(struct sm *s, struct sm_warp *w, const struct ir_insn *i, uint32_t mask) {
    const uint8_t cls = ir_ops[i->op].cls;
    if (w->w->spun) {
        w->w->spun = false;
        w->spin |= mask;
        s->spun_at[w - s->warps] = s->now;
        return;
    }
    if (cls == IR_C_BAR || cls == IR_C_ATOM || (cls == IR_C_LDST && !i->nd)) w->spin &= ~mask;
    if (s->now - s->spun_at[w - s->warps] > s->env.watchdog / 4) w->spin = 0;
}

static void count_threads(const struct sm *s, const struct sm_warp *w, uint32_t mask) {
    uint64_t *at =
        s->env.thread_insts + w->w->block->index * s->env.grid->threads + (uint64_t)w->w->index * SM_LANES;
    FOR_LANES(l, mask) at[l]++;
}

/* The step of one piece; returns the lanes it counts for. A guarded branch counts for all of its lanes, anything else for
 * those it runs for, as in the functional engine. */
static inline __attribute__((always_inline)) uint32_t execute_lanes(struct sm *s, struct exec_warp *w,
                                                                    const struct ir_insn *i, uint32_t mask) {
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
    uint32_t apart;                 /* splits that are no instruction of the program */
    bool memory;                    /* an access was gathered */
    uint32_t classes;               /* mixed packets: that occur, one bit each */
    uint16_t of_class[IR_NCLASSES]; /* the same: threads; MECH_WIDEST at most */
};
_Static_assert(IR_NCLASSES <= 32, "classes are bits of a word");

static void issue_gather(struct sm *s, struct sums *t, uint32_t warp, bool texture) {
    if (!t->memory) lines_begin(s);
    t->memory = true;
    lines_gather(s, warp, texture);
}

/* Steps the split's piece k; *counts are the lanes it counts for. False: a fault. */
static inline __attribute__((always_inline)) bool step_piece(struct sm *s, struct sm_op *op,
                                                             const struct ir_insn *i, uint32_t k,
                                                             uint32_t *counts, struct err *e) {
    const struct mech_piece p = op->split->set.p[k];
    struct sm_warp *w = &s->warps[p.warp];
    const struct exec_out *out = &s->env.grid->out;
    *counts = execute_lanes(s, w->w, i, p.mask);
    if (out->flow == EXEC_FAULT) return exec_fault_error(w->w, e);
    w->ran |= p.mask;
    if (!sm_code(s, op->pc)->stays) s->residents_known = false;
    if (w->w->spun || w->spin) note_spinning(s, w, i, p.mask);
    if (out->flow != EXEC_NEXT || op->sides != SM_NONE) outcome_note(s, op, k);
    return true;
}

/* Steps the split's piece k and does what follows from it. t counts all lanes of the piece already. */
static inline __attribute__((always_inline)) bool run_piece(struct sm *s, struct sm_op *op,
                                                            const struct ir_insn *i, uint32_t k,
                                                            struct sums *t, struct err *e) {
    const struct mech_piece p = op->split->set.p[k];
    const struct exec_out *out = &s->env.grid->out;
    uint32_t counts;
    if (!step_piece(s, op, i, k, &counts, e)) return false;
    if (counts != p.mask) t->lanes -= bits_count(p.mask & ~counts);
    if (s->env.thread_insts && !(i->flags & IR_F_ADDED)) count_threads(s, &s->warps[p.warp], counts);
    if (async_concerns(i->op)) async_ran(s, (uint32_t)(op - s->ops.v), i, p.warp, p.mask);
    if (out->access.mask) issue_gather(s, t, p.warp, i->op == IR_TEX);
    return true;
}

static bool run_pieces(struct sm *s, struct sm_op *op, const struct ir_insn *i, struct sums *t,
                       struct err *e) {
    const struct mech_set *set = &op->split->set;
    const struct sm_code *c = sm_code(s, op->pc);
    for (uint32_t k = 1; k < set->n; k++) __builtin_prefetch(&s->warps[set->p[k].warp]);
    for (uint32_t k = 0; k < set->n; k++) {
        if (k + 1 < set->n) sm_look_ahead(s, set->p[k + 1].warp, c);
        if (!run_piece(s, op, i, k, t, e)) return false;
    }
    if (op->freed != SM_NONE) outcome_settle(s, op);
    return true;
}

/* Not an instruction of the program, which the packet counts it as: an issue without threads, or what the form adds. The
 * latter is overhead, so that IPC compares the same work with and without it. */
static __attribute__((noinline)) void count_apart(struct sm *s, const struct sm_op *op, struct sums *t,
                                                  uint32_t lanes) {
    const bool empty = !op->split->threads;
    t->apart++;
    s->stats.sm.warp_insts--;
    if (empty && s->env.branch) s->env.branch[op->pc].executions--;
    const struct ir_insn *i = sm_insn(s, op->pc);
    if (empty || !(i->flags & IR_F_ADDED)) return;
    s->stats.sm.thread_insts -= lanes;
    s->stats.sm.overhead_insts++;
    s->stats.sm.overhead_lanes += lanes;
    if (i->op != IR_MARK) s->env.grid->insts -= lanes; /* the launch's bound; a mark's are off it already */
}

static __attribute__((noinline)) void charge_ran(struct sm *s, uint32_t place, uint32_t threads,
                                                 uint32_t lanes) {
    struct sm_cost *c = sm_cost(s, place);
    c->lanes[LANE_ACTIVE] += lanes;
    c->lanes[LANE_GUARDED] += threads - lanes;
}

/* One split of the packet, all its pieces, and its requests. False: a fault. */
TWICE bool execute_split(struct sm *s, uint32_t k, const bool mixed, struct sums *t, struct err *e) {
    struct sm_op *op = &s->ops.v[k];
    const struct ir_insn *i = sm_insn(s, op->pc);
    const uint32_t before = t->lanes, threads = op->split->threads;
    s->env.grid->run_start = op->pc;
    t->lanes += threads;
    if (!(op->split->set.n == 1 ? run_piece(s, op, i, 0, t, e) : run_pieces(s, op, i, t, e))) {
        t->lanes = before;
        return false;
    }
    if (t->memory) lines_build(s, k, mixed);
    if (async_concerns(i->op)) async_built(s, k);
    t->threads += threads;
    if (s->charge) charge_ran(s, op->place, threads, t->lanes - before);
    if (s->env.branch) {
        struct sm_branch *b = &s->env.branch[op->pc];
        b->executions++;
        b->lanes += t->lanes - before;
    }
    if (!threads || i->flags & IR_F_ADDED) count_apart(s, op, t, t->lanes - before);
    return true;
}

/* ---- when they go on ---- */

/* Ops that end in the same cycle, one behind the other. */
struct chain {
    uint64_t ready;
    uint32_t first, last;
};

static void chain_end(struct sm *s, const struct chain *c) {
    if (c->first != SM_NONE) event_push(s, c->ready, c->first, c->last);
}

static void chain_add(struct sm *s, struct chain *c, uint32_t k) {
    if (c->first != SM_NONE && c->ready == s->ops.v[k].ready) {
        s->ops.v[c->last].next = k;
        c->last = k;
    } else {
        chain_end(s, c);
        *c = (struct chain){s->ops.v[k].ready, k, k};
    }
}

/* Nothing about it is decided later: it goes on at pc + 1 while its result is under way. */
static void commit_early(struct sm *s, uint32_t k) {
    struct sm_op *op = &s->ops.v[k];
    const bool awaited = op->memory && sm_insn(s, op->pc)->nd;
    const uint64_t written = sm_code(s, op->pc)->written;
    for (uint32_t p = 0; p < op->split->set.n; p++)
        score_add(s, op->split->set.p[p], op->pc, written, awaited ? k : SM_NONE,
                  awaited ? SM_NEVER : op->ready);
    outcome_commit(s, op);
    if (!op->memory) op_give(s, k);
}

/* Where all its threads go next is known. */
static inline bool issue_goes_on(const struct sm *s, const struct sm_op *op) {
    const struct sm_code *c = sm_code(s, op->pc);
    return c->early && (op->sides == SM_NONE || c->cls == IR_C_MARK);
}

/* The op has executed and its requests exist. True: it is neither committed now nor when they are answered, but when it is
 * ready. */
static inline bool ends_when_ready(struct sm *s, uint32_t k) {
    const struct sm_op *op = &s->ops.v[k];
    if (op->memory && op->lines) idle_load(s, &s->sched[op->sched]);
    if (s->scoreboard && issue_goes_on(s, op)) {
        commit_early(s, k);
        return false;
    }
    return !op->memory;
}

TWICE void issue_dispatch(struct sm *s, const uint32_t *ops, uint32_t n, const bool mixed) {
    struct chain chain = {.first = SM_NONE};
    if (!mixed) {
        if (ends_when_ready(s, ops[0])) event_push(s, s->ops.v[ops[0]].ready, ops[0], ops[0]);
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        if (ends_when_ready(s, ops[k])) chain_add(s, &chain, ops[k]);
    chain_end(s, &chain);
}

/* Cycles that register read takes longer by so many turns. Parts of a cycle add up. */
static uint32_t bank_conflicts(struct sm *s, uint32_t sched, uint32_t turns) {
    const uint32_t cost = s->sched[sched].turns + turns * s->turn_cost;
    s->sched[sched].turns = cost % SM_TURN;
    return cost / SM_TURN;
}

/* The most that any instruction of the packet needs. */
struct needs {
    uint32_t turns; /* of register read beyond the first */
    uint32_t slots;
};

TWICE struct needs find_needs(struct sm *s, const bool mixed) {
    const struct mech_packet *p = &s->common->packet;
    const struct sm_code *c = sm_code(s, p->split[0]->pc);
    struct needs n = {c->turns, c->slots};
    for (uint32_t k = 1; mixed && k < p->n; k++) {
        c = sm_code(s, p->split[k]->pc);
        if (c->turns > n.turns) n.turns = c->turns;
        if (c->slots > n.slots) n.slots = c->slots;
    }
    if (n.slots > 1) s->stats.sm.sequence_slots += n.slots - 1;
    return n;
}

static void show_issue(struct sm *s, uint32_t sched) {
    const struct sm_observer *o = s->env.observer;
    if (o->issue)
        o->issue(o->user, s->now, s->env.index, sched, &s->common->packet, s->event.len ? s->event.text : "");
    s->event.len = 0;
    if (s->event.text) s->event.text[0] = 0;
}

static inline void count_class(struct sums *t, uint32_t cls, uint32_t threads) {
    t->classes |= 1u << cls;
    t->of_class[cls] = (uint16_t)(t->of_class[cls] + threads);
}

/* A mixed packet keeps each unit for the beats that the threads of its class fill. */
static void start_units(struct sm *s, uint32_t sched, const struct sums *t, uint64_t start) {
    const uint32_t width = (uint32_t)s->o->sm.simd_width;
    FOR_LANES(c, t->classes) {
        const uint32_t unit = s->unit_of[c];
        const uint64_t before = s->unit[sched][unit];
        unit_start(s, sched, unit, c, start, (t->of_class[c] + width - 1) / width);
        if (s->unit[sched][unit] < before) s->unit[sched][unit] = before; /* two classes of one unit */
    }
}

static inline uint32_t take_op(struct sm *s, struct mech_split *split, uint32_t sched, uint64_t ready) {
    const uint32_t k = POOL_TAKE_SIZED(&s->ops);
    s->ops.v[k] = (struct sm_op){.split = split,
                                 .pc = split->pc,
                                 .sched = sched,
                                 .sides = SM_NONE,
                                 .to = split->pc + 1,
                                 .freed = SM_NONE,
                                 .next = SM_NONE,
                                 .ready = ready,
                                 .issued = s->now};
    return k;
}

/* The op has run, and was one too many. */
static bool limit_reached(const struct sm *s, const struct sm_op *op, struct err *e) {
    return exec_limit_error(s->warps[op->split->set.p[0].warp].w, op->pc, e);
}

/* The splits of the packet, one after the other; those after one that faults or exceeds the launch's limit do not run. */
TWICE bool execute_packet(struct sm *s, uint32_t sched, uint64_t start, uint32_t beats, uint64_t end,
                          const bool mixed, uint32_t *op, struct sums *t, struct err *e) {
    const struct mech_packet *p = &s->common->packet;
    struct exec_grid *g = s->env.grid;
    const uint64_t from = start + (p->last_beat ? beats - 1 : 0);
    do {
        struct mech_split *split = p->split[t->done];
        const struct sm_code *c = sm_code(s, split->pc);
        const uint64_t ready = from + c->result > end ? from + c->result : end;
        const uint32_t before = t->lanes, k = take_op(s, split, sched, ready);
        op[t->done] = k;
        if (s->charge) s->ops.v[k].place = charge_issued(s, split);
        if (mixed)
            count_class(t, c->cls, split->threads * c->steps);
        else
            unit_start(s, sched, c->unit, c->cls, start, beats * c->steps);
        if (!execute_split(s, k, mixed, t, e)) return false;
        t->done++;
        g->insts += t->lanes - before;
        if (g->insts > g->most) return limit_reached(s, &s->ops.v[k], e);
    } while (mixed && t->done < p->n);
    return true;
}

/* Lanes that a packet could have filled: a warp's, or those of the beats it asked for; at least what it had, where an
 * instruction that is the same for all (a jump of a large warp) takes fewer beats than threads need. */
static inline uint32_t lanes_offered(struct sm *s, uint32_t threads, uint32_t beats) {
    if (!s->common->packet.beats) return s->mech->env.warp_size;
    const uint32_t lanes = beats * (uint32_t)s->o->sm.simd_width;
    if (lanes >= threads) return lanes;
    s->stats.sm.beyond_slots += threads - lanes;
    return threads;
}

/* The cycles that the packet holds the port in their class (idle.c); what it stalled is counted already. */
static inline void count_issue(struct sm *s, uint32_t threads, uint32_t held, uint32_t offered) {
    s->stats.sm.issues++;
    if (!threads) {
        s->stats.sm.empty_issues++;
        s->stats.warp.empty += held;
        return;
    }
    const uint32_t k = ((threads - 1) * (SM_SIZES - 1)) / offered;
    s->stats.warp.issued[k < SM_SIZES ? k : SM_SIZES - 1] += held;
    s->stats.sm.lane_slots += offered;
}

/* Beats in which no lane of the SIMD group has a thread are no cycles of HARP's equations 1 and 2. Of one piece of a warp of
 * two beats, as most packets are, each half is one. */
TWICE void count_vacant(struct sm *s, uint32_t threads, bool own, const bool mixed) {
    const struct mech_packet *p = &s->common->packet;
    const struct mech_set *set = &p->split[0]->set;
    uint32_t n;
    if (!mixed && s->halves && set->n == 1 && !p->beats) {
        const uint32_t lanes = set->p[0].mask;
        if (lanes >> SM_LANES / 2 && lanes << SM_LANES / 2) return;
        n = 1;
    } else if (!(n = slots_vacant(s, threads)))
        return;
    s->stats.sm.vacant_cycles += n;
    if (own) s->stats.sm.vacant_slots += n * (uint32_t)s->o->sm.simd_width;
}

/* offered: lane slots of the packet; first: the op of its first split. */
TWICE void count_lanes(struct sm *s, const struct sums *t, uint32_t offered, const struct sm_op *first,
                       const bool mixed) {
    if (t->lanes < t->threads) s->stats.lane.guarded += t->threads - t->lanes;
    if (t->threads == offered) return;
    if (!t->threads) {
        s->stats.lane.empty += offered;
        if (s->charge) sm_cost(s, first->place)->lanes[LANE_EMPTY] += offered;
        return;
    }
    slots_idle(s, offered - t->threads, first->place);
    if (s->beats > 1) count_vacant(s, t->threads, t->apart < t->done, mixed);
}

/* All splits execute before any is committed: a commit may reuse a split of the packet. */
TWICE bool issue_packet(struct sm *s, uint32_t sched, const bool mixed, struct err *e) {
    struct exec_grid *g = s->env.grid;
    const uint32_t beats = s->common->packet.beats ? s->common->packet.beats : s->beats;
    const struct needs needs = find_needs(s, mixed);
    const uint32_t conflicts = needs.turns ? bank_conflicts(s, sched, needs.turns * beats) : 0;
    const uint32_t extra = conflicts + s->common->packet.register_stall, held = beats * needs.slots;
    const uint64_t start = s->now + extra, barriers = g->barriers;
    uint32_t op[MECH_WIDEST];
    struct sums t = {0};
    g->clock = s->now;
    const bool fine = execute_packet(s, sched, start, beats, start + held, mixed, op, &t, e);
    if (g->barriers != barriers) s->stats.sm.barriers += g->barriers - barriers;
    s->stats.sm.warp_insts += t.done;
    s->stats.sm.thread_insts += t.lanes;
    if (!fine) return false;
    if (extra) {
        s->stats.sm.register_conflict_cycles += extra;
        s->stats.warp.stall += extra;
    }
    if (mixed) start_units(s, sched, &t, start);
    const uint32_t entry = t.memory ? lines_end(s) : SM_NONE;
    if (entry != SM_NONE) lsu_issue(s, entry, sched, start + (uint64_t)s->o->sm.depth - 1);
    idle_until(s, &s->sched[sched], start + held);
    const uint32_t offered = lanes_offered(s, t.threads, beats);
    count_issue(s, t.threads, held, offered);
    if (t.apart == t.done && t.threads) { /* nothing of the program among them */
        s->stats.sm.lane_slots -= offered;
        s->stats.sm.overhead_slots += offered;
    }
    count_lanes(s, &t, offered, &s->ops.v[op[0]], mixed);
    /* Lanes are charged once for each instruction: the other slots of a sequence are slots that the port waits for. */
    if (s->charge) waits_issued(s, sched, s->ops.v[op[0]].place, held, extra + held - beats);
    issue_dispatch(s, op, t.done, mixed);
    return true;
}

static __attribute__((noinline)) bool issue_one(struct sm *s, uint32_t sched, struct err *e) {
    return issue_packet(s, sched, false, e);
}
static __attribute__((noinline)) bool issue_mixed(struct sm *s, uint32_t sched, struct err *e) {
    return issue_packet(s, sched, true, e);
}

/* ---- the short way ---- */

/* True for a simple instruction of one piece in an SM with fast_issue. It commits at once, so it needs no op and no
 * sums. */
static inline bool issues_fast(const struct mech_split *split, const struct sm_code *c) {
    return split->set.n == 1 && c->simple;
}

/* Returns the lanes it counts for. */
static inline uint32_t issue_compute(const struct sm *s, const struct mech_split *split,
                                     const struct sm_code *c) {
    const struct mech_piece p = split->set.p[0];
    const struct exec_warp *w = s->warps[p.warp].w;
    const struct ir_insn *i = sm_insn(s, split->pc);
    const uint32_t runs = i->guard ? exec_guard(&w->x, i, p.mask) : p.mask;
    if (runs) c->fn(&s->warps[p.warp].w->x, i, runs);
    return runs;
}

/* Counts an instruction that has run. */
static inline void count_issued(struct sm *s, uint32_t pc, uint32_t lanes) {
    s->stats.sm.warp_insts++;
    s->stats.sm.thread_insts += lanes;
    if (!s->env.branch) return;
    s->env.branch[pc].executions++;
    s->env.branch[pc].lanes += lanes;
}
static inline void count_run(struct sm *s, struct mech_piece p, uint32_t pc, uint32_t lanes) {
    struct sm_warp *w = &s->warps[p.warp];
    w->ran |= p.mask;
    if (w->spin) note_spinning(s, w, sm_insn(s, pc), p.mask);
    count_issued(s, pc, lanes);
}

/* The packet is that split. */
static inline void issue_pack(struct sm *s, struct mech_split *split) {
    struct mech_packet *p = &s->common->packet;
    p->n = split != NULL;
    p->beats = p->register_stall = 0;
    p->last_beat = false;
    p->beat = NULL;
    p->split[0] = split;
}

/* Counts a simple instruction that has issued. */
static inline void count_simple(struct sm *s, struct mech_split *split, uint32_t lanes, uint32_t held) {
    const uint32_t threads = split->threads;
    count_issue(s, threads, held, SM_LANES);
    if (lanes < threads) s->stats.lane.guarded += threads - lanes;
    if (threads == SM_LANES) return;
    slots_idle_piece(s, SM_LANES - threads, split->set.p[0]);
    if (s->beats == 1) return;
    issue_pack(s, split);
    count_vacant(s, threads, true, false);
}

/* Cycles that operands in one bank hold it up. */
static inline void count_conflicts(struct sm *s, uint32_t extra) {
    s->stats.sm.register_conflict_cycles += extra;
    s->stats.warp.stall += extra;
}
static inline uint32_t read_conflicts(struct sm *s, uint32_t sched, uint32_t turns) {
    const uint32_t extra = bank_conflicts(s, sched, turns * s->beats);
    count_conflicts(s, extra);
    return extra;
}

/* Simple instructions fail only if a replayed trace does not match: the replay then sets the limit to 0
 * (exec/tape/tape.c). */
static __attribute__((noinline)) bool simple_failed(const struct sm *s, const struct exec_warp *w,
                                                    uint32_t pc, struct err *e) {
    return s->env.grid->out.flow == EXEC_FAULT ? exec_fault_error(w, e) : exec_limit_error(w, pc, e);
}

static __attribute__((noinline)) bool issue_simple(struct sm *s, uint32_t sched, struct mech_split *split,
                                                   const struct sm_code *c, struct err *e) {
    struct exec_grid *g = s->env.grid;
    g->clock = s->now;
    g->run_start = split->pc;
    const uint32_t runs = issue_compute(s, split, c);
    /* Arithmetic of machine code may find no rounding mode. */
    if (g->out.flow == EXEC_FAULT) return exec_fault_error(s->warps[split->set.p[0].warp].w, e);
    /* Read after the call: fewer registers of the host are to be kept over it. */
    const struct mech_piece p = split->set.p[0];
    const uint32_t pc = split->pc, lanes = runs == p.mask ? split->threads : bits_count(runs);
    const uint32_t held = s->beats * c->slots, extra = c->turns ? read_conflicts(s, sched, c->turns) : 0;
    const uint64_t start = s->now + extra, end = start + held;
    if (c->slots > 1) s->stats.sm.sequence_slots += c->slots - 1u;
    unit_keep(s, sched, c->unit, start + c->busy);
    count_run(s, p, pc, lanes);
    g->insts += lanes;
    if (g->insts > g->most) return simple_failed(s, s->warps[p.warp].w, pc, e);
    count_simple(s, split, lanes, held);
    idle_until(s, &s->sched[sched], end);
    score_add(s, p, pc, c->written, SM_NONE, start + c->result > end ? start + c->result : end);
    outcome_move(s, split, pc + 1);
    return true;
}

/* ---- the same of what takes an op: accesses, branches, barriers ---- */

/* Lets a split go on whose instruction has run and whose requests exist. */
static inline void issue_go_on(struct sm *s, uint32_t k, const struct sm_code *c) {
    struct sm_op *op = &s->ops.v[k];
    if (!c->early || !c->moves || op->sides != SM_NONE) {
        issue_dispatch(s, &k, 1, false);
        return;
    }
    if (op->lines) idle_load(s, &s->sched[op->sched]);
    struct mech_split *split = op->split;
    const bool awaited = op->memory && sm_insn(s, op->pc)->nd;
    score_add(s, split->set.p[0], op->pc, c->written, awaited ? k : SM_NONE, awaited ? SM_NEVER : op->ready);
    op->split = NULL;
    const uint32_t to = op->to;
    if (!op->memory) op_give(s, k);
    outcome_move(s, split, to);
}

static __attribute__((noinline)) bool issue_plain(struct sm *s, uint32_t sched, struct mech_split *split,
                                                  const struct sm_code *c, struct err *e) {
    struct exec_grid *g = s->env.grid;
    const uint32_t pc = split->pc, held = s->beats * c->slots,
                   extra = c->turns ? bank_conflicts(s, sched, c->turns * s->beats) : 0;
    const uint64_t start = s->now + extra, end = start + held, barriers = g->barriers;
    const uint32_t k = take_op(s, split, sched, start + c->result > end ? start + c->result : end);
    uint32_t runs;
    unit_keep(s, sched, c->unit, start + c->busy);
    g->clock = s->now;
    g->run_start = pc;
    const bool fine = step_piece(s, &s->ops.v[k], sm_insn(s, pc), 0, &runs, e);
    if (g->barriers != barriers) s->stats.sm.barriers += g->barriers - barriers;
    if (!fine) return false;
    const struct mech_piece p = split->set.p[0];
    const uint32_t lanes = runs == p.mask ? split->threads : bits_count(runs);
    uint32_t entry = SM_NONE;
    if (g->out.access.mask) {
        issue_pack(s, split);
        entry = lines_of_piece(s, k, p);
    }
    count_issued(s, pc, lanes);
    g->insts += lanes;
    if (g->insts > g->most) return limit_reached(s, &s->ops.v[k], e);
    if (c->slots > 1) s->stats.sm.sequence_slots += c->slots - 1u;
    if (extra) count_conflicts(s, extra);
    if (entry != SM_NONE) lsu_issue(s, entry, sched, start + (uint64_t)s->o->sm.depth - 1);
    idle_until(s, &s->sched[sched], end);
    count_simple(s, split, lanes, held);
    issue_go_on(s, k, c);
    return true;
}

bool issue_held(const struct sm *s, uint32_t sched) {
    return lsu_blocked(s, sched) || issue_may_run_out(s);
}

/* Issues what the mechanism selects, if it selects anything. The scheduler's port is free and its pipeline moves.
 * False: a fault. */
static bool issue_selected(struct sm *s, uint32_t sched, struct err *e) {
    const struct mech_packet *p = &s->common->packet;
    issue_pack(s, NULL);
    if (!s->mech->ops->select(s->mech, sched, &s->common->packet)) return true;
    if (s->env.observer) show_issue(s, sched);
    if (p->n != 1) return issue_mixed(s, sched, e);
    const bool plain = s->fast_issue && !p->beats && !p->register_stall && !p->last_beat;
    const struct sm_code *c = sm_code(s, p->split[0]->pc);
    return plain && issues_fast(p->split[0], c) ? issue_simple(s, sched, p->split[0], c, e)
                                                : issue_one(s, sched, e);
}

/* The schedulers from `from` on, whatever the mechanism and whatever holds them up. */
static __attribute__((noinline)) bool issue_from(struct sm *s, uint32_t from, struct err *e) {
    for (uint32_t k = from; k < s->schedulers; k++) {
        struct sm_sched *c = &s->sched[k];
        const bool free = c->port <= s->now;
        idle_stalled(s, c, free && issue_held(s, k));
        if (!free || c->stalled || (s->wakes && s->wakes[k] > s->now)) continue;
        if (!issue_selected(s, k, e)) return false;
    }
    return true;
}

/* When a split that is ready may issue after all. */
static inline uint64_t ready_at(void *sm, const struct mech_split *split) {
    struct sm *s = sm;
    return s->recheck && split->set.n == 1 ? sm_recheck(s, split) : when_any(s, split);
}

/* The first scheduler from k on that may issue now: its port is free, and its order has a ready split. */
static inline uint32_t next_due(const struct sm *s, uint32_t k) {
    const uint64_t *wakes = s->wakes, now = s->now;
    for (const uint32_t n = s->schedulers; k < n; k++)
        if (wakes[k] <= now && s->sched[k].port <= now) break;
    return k;
}

/* Lets all schedulers issue. The loop is for SMs with order_selects in which nothing holds a scheduler up; issue_from
 * serves all others. */
bool issue_all(struct sm *s, struct err *e) {
    struct order *order = s->order;
    order->moved = true; /* who issues, and ports */
    if (!s->order_selects || !issue_moves(s)) return issue_from(s, 0, e);
    const uint64_t now = s->now;
    bool asked = false; /* whether some scheduler was due */
    for (uint32_t k = next_due(s, 0); k < s->schedulers; k = next_due(s, k + 1)) {
        asked = true;
        struct mech_split *split = order_choose(order, k, now, ready_at, s);
        if (!split) continue;
        split_sample(s->mech);
        const struct sm_code *code = sm_code(s, split->pc);
        if (issues_fast(split, code)) {
            if (!issue_simple(s, k, split, code, e)) return false;
            continue;
        }
        if (split->set.n == 1 && code->plain) {
            if (!issue_plain(s, k, split, code, e)) return false;
        } else {
            issue_pack(s, split);
            if (!issue_one(s, k, e)) return false;
        }
        if (issue_may_run_out(s)) return issue_from(s, k + 1, e);
    }
    if (!asked) issue_soonest(s);
    return true;
}

/* An SM without execution or time to speak of, for the tests of mechanisms. A program is a few ir instructions; which way
 * a thread goes is decided by the thread alone (a script, or a hash of seed, thread and its own step), so that each has one
 * path whatever runs beside it. The fake walks every thread by itself first, then runs them through a mechanism and fails
 * when a thread is run at a PC where it is not, is lost, or takes another number of steps. */
#ifndef TESTS_UNIT_MECH_FAKE_SM_H
#define TESTS_UNIT_MECH_FAKE_SM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants these first */
#include <cmocka.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"
#include "mech/mech.h"

/* ---- programs ---- */

enum { FAKE_MAYBE = 1 }; /* guard: each thread decides whether it does it */

static inline void fake_put(struct ir_module *m, struct ir_insn i) {
    i.line = (uint32_t)m->code.n + 1;
    VEC_PUSH(&m->code, i);
    VEC_PUSH(&m->src, (struct ir_srcloc){0});
}
static inline void fake_op(struct ir_module *m) {
    fake_put(m, (struct ir_insn){.op = IR_ADD_U32,
                                 .nd = 1,
                                 .ns = 2,
                                 .o = {ir_reg(IR_FILE_32, 0), ir_reg(IR_FILE_32, 1), ir_reg(IR_FILE_32, 2)}});
}
static inline void fake_load(struct ir_module *m) { /* from global memory */
    fake_put(m, (struct ir_insn){.op = IR_LD_U32,
                                 .nd = 1,
                                 .ns = 1,
                                 .vec = 1,
                                 .space = IR_SP_GLOBAL,
                                 .o = {ir_reg(IR_FILE_32, 0), ir_reg(IR_FILE_64, 1)}});
}
static inline void fake_bra(struct ir_module *m, uint16_t guard, uint32_t target) {
    fake_put(m, (struct ir_insn){.op = IR_BRA, .guard = guard, .target = target});
}
static inline void fake_mark(struct ir_module *m, enum ir_mark kind, uint16_t guard, uint32_t target) {
    fake_put(m, (struct ir_insn){.op = IR_MARK, .sub = (uint8_t)kind, .guard = guard, .target = target});
}
static inline void fake_end(struct ir_module *m, enum ir_op op, uint16_t guard) { /* EXIT, RET */
    fake_put(m, (struct ir_insn){.op = (uint16_t)op, .guard = guard});
}
static inline void fake_bar(struct ir_module *m, uint16_t guard) {
    fake_put(m, (struct ir_insn){.op = IR_BAR_SYNC, .guard = guard, .ns = 1, .o = {ir_reg(IR_FILE_32, 0)}});
}
static inline void fake_brx(struct ir_module *m, uint32_t n, const uint32_t *target) {
    fake_put(
        m, (struct ir_insn){.op = IR_BRX, .ext = (uint32_t)m->ext.n, .ns = 1, .o = {ir_reg(IR_FILE_32, 0)}});
    VEC_PUSH(&m->ext, n);
    for (uint32_t k = 0; k < n; k++) VEC_PUSH(&m->ext, target[k]);
}
static inline void fake_call(struct ir_module *m, uint16_t guard, uint32_t func) {
    fake_put(m, (struct ir_insn){.op = IR_CALL, .guard = guard, .ext = (uint32_t)m->ext.n});
    for (uint32_t k = 0; k < IR_CALL_COPIES; k++) VEC_PUSH(&m->ext, k == IR_CALL_FUNC ? func : 0);
}
static inline void fake_call_ind(struct ir_module *m, uint32_t n, const uint32_t *func) {
    fake_put(m, (struct ir_insn){
                    .op = IR_CALL_IND, .ext = (uint32_t)m->ext.n, .ns = 1, .o = {ir_reg(IR_FILE_64, 0)}});
    for (uint32_t k = 0; k < IR_CALL_COPIES; k++) VEC_PUSH(&m->ext, k == IR_CALL_FUNC ? n : 0);
    for (uint32_t k = 0; k < n; k++) VEC_PUSH(&m->ext, func[k]);
}
/* What was put since the last one is a function; the first is the kernel. */
static inline void fake_func(struct ir_module *m, const char *name) {
    const bool kernel = !m->funcs.n;
    uint32_t from = kernel ? 0 : m->funcs.v[m->funcs.n - 1].end;
    VEC_PUSH(&m->funcs, (struct ir_func){.name = name,
                                         .kernel = kernel,
                                         .address_taken = !kernel,
                                         .defined = true,
                                         .line = from + 1,
                                         .entry = from,
                                         .end = (uint32_t)m->code.n,
                                         .nvirt = {4, 4, 4}});
}
static inline struct cfg *fake_finish_with(struct ir_module *m, enum cfg_exits exits) {
    struct err e = {0};
    struct cfg *c = cfg_analyse(m, exits, &e);
    if (!c) fail_msg("%s", err_text(&e));
    return c;
}
static inline struct cfg *fake_finish(struct ir_module *m) {
    return fake_finish_with(m, CFG_EXITS_MAIN);
}

/* ---- the SM ---- */

enum {
    FAKE_WARPS = 32,
    FAKE_THREADS = FAKE_WARPS * 32,
    FAKE_DEPTH = 24,
    FAKE_FLIGHT = 4096,
    FAKE_NEVER = 60
};

struct fake_thread {
    uint32_t pc, depth, steps;
    uint32_t ret[FAKE_DEPTH];
    bool live, waits, in_flight;
    bool early;     /* in flight, but has its data: it may be taken out of its split */
    uint64_t ready; /* operands there from this cycle on */
    bool event;     /* it waits for an event, so its cycle is not known */
};

struct fake_flight {
    struct mech_split *s;
    uint64_t at;
    struct mech_outcome out; /* side filled in at commit */
};

struct fake {
    struct pages pages; /* the mechanism's */
    struct arena tables;
    struct mech_env env;
    struct mech *mech;
    uint64_t now;
    struct fake_thread t[FAKE_THREADS], alone[FAKE_THREADS];
    uint32_t threads;
    uint32_t per_block; /* a multiple of 32: they come in blocks of so many, side by side; 0: in one */
    uint64_t seed;
    const struct rewrite
        *form;       /* the module is one: threads decide by the original's PCs and steps; or NULL */
    uint32_t budget; /* a thread ends at the first chance after so many steps; 0: never by itself */
    /* The script: which way thread t goes at pc, from 0; NULL: by hash. For BRA 1 is taken. */
    uint32_t (*choose)(uint32_t thread, uint32_t pc, uint32_t step);
    /* The line that a thread's load, or addition, asks for, by its step; NULL: all ask for the same. */
    uint32_t (*line)(uint32_t thread, uint32_t step);
    bool busy; /* no thread polls; otherwise all do */
    bool slow; /* random latencies, events, early data; otherwise one packet at a time, committed at once */
    struct rng rng;
    struct fake_flight *flight[FAKE_FLIGHT];
    uint32_t nflight;
    uint64_t issued, lane_sum;
    /* Packets issued without threads; with threads, at an instruction that a form adds. */
    uint64_t empty, added;
    struct mech_side *side; /* MECH_SIDES of them */
    struct mech_packet packet;
    uint32_t issued_pc; /* PC of its first split, when it issued */
};

static inline uint32_t fake_decide(const struct fake *f, uint32_t id, uint32_t pc, uint32_t step,
                                   uint32_t n) {
    if (f->choose) return f->choose(id, pc, step) % n;
    struct rng r = {f->seed * 0x9e3779b97f4a7c15u + (uint64_t)id * 1000003u + step * 7919u + pc};
    rng_next(&r);
    if (rng_below(&r, 3) == 0) { /* now and then all do the same, or diverging would be all there is */
        struct rng same = {f->seed + pc * 31u + step / 4};
        return (uint32_t)rng_below(&same, n);
    }
    return (uint32_t)rng_below(&r, n);
}

/* Whether the thread does what stands where it is. */
static inline bool fake_guard(const struct fake *f, const struct fake_thread *t, uint32_t id) {
    const struct ir_insn *i = &f->env.module->code.v[t->pc];
    const uint32_t was = f->form ? f->form->old_pc[t->pc] : t->pc;
    return !i->guard || fake_decide(f, id, was, t->steps, 2) != i->guard >> 15;
}

/* Executes one instruction for one thread: moves its pc, or ends it, or (true) finds it at a barrier. */
static inline bool fake_step(const struct fake *f, struct fake_thread *t, uint32_t id) {
    const struct ir_module *m = f->env.module;
    const struct ir_insn *i = &m->code.v[t->pc];
    const bool added = f->form && i->flags & IR_F_ADDED;
    const uint32_t *ext = m->ext.v + i->ext, pc = t->pc, step = t->steps;
    const uint32_t was = f->form ? f->form->old_pc[pc] : pc;
    const bool doit = fake_guard(f, t, id);
    t->steps += !added;
    t->pc = pc + 1;
    if (i->op == IR_BAR_SYNC) return doit;
    if (f->budget && t->steps > f->budget && !added) {
        t->live = false;
    } else if (!doit) {
        return false;
    } else if (i->op == IR_BRA) {
        t->pc = i->target;
    } else if (i->op == IR_BRX) {
        t->pc = ext[1 + fake_decide(f, id, was, step, ext[0])];
    } else if (i->op == IR_CALL || i->op == IR_CALL_IND) {
        uint32_t func = i->op == IR_CALL
                            ? ext[IR_CALL_FUNC]
                            : ext[IR_CALL_COPIES + fake_decide(f, id, was, step, ext[IR_CALL_FUNC])];
        if (t->depth == FAKE_DEPTH) return false; /* too deep: does without */
        t->ret[t->depth++] = pc + 1;
        t->pc = m->funcs.v[func].entry;
    } else if (i->op == IR_RET && t->depth) {
        t->pc = t->ret[--t->depth];
    } else if (i->op == IR_RET || i->op == IR_EXIT) {
        t->live = false;
    }
    return false;
}

static inline uint64_t fake_when(void *sm, const struct mech_split *s) {
    struct fake *f = sm;
    uint64_t at = f->now;
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask) {
            struct fake_thread *t = &f->t[s->set.p[k].warp * 32 + l];
            if (t->early) t->in_flight = t->early = false; /* it has been taken */
            assert_false(t->in_flight);
            if (t->ready <= f->now) continue;
            if (t->event) return MECH_NEVER;
            if (t->ready > at) at = t->ready;
        }
    return at;
}
static inline uint32_t fake_live(void *sm, uint32_t warp) {
    struct fake *f = sm;
    uint32_t bits = 0;
    for (uint32_t l = 0; l < 32; l++) bits |= (uint32_t)f->t[warp * 32 + l].live << l;
    return bits;
}
static inline void fake_ready(void *sm, const struct mech_split *s, struct mech_set *out) {
    const struct fake *f = sm;
    out->n = 0;
    if (!s->in_flight) return;
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask)
    if (f->t[s->set.p[k].warp * 32 + l].early) set_add(out, s->set.p[k].warp, 1u << l);
    if (set_equal(out, &s->set)) out->n = 0;
}
/* The threads in the line of the first. */
static inline void fake_served(void *sm, const struct mech_split *s, struct mech_set *out) {
    const struct fake *f = sm;
    set_copy(out, &s->set);
    const uint16_t op = f->env.module->code.v[s->pc].op;
    if (!f->line || (op != IR_LD_U32 && op != IR_ADD_U32)) return;
    const uint32_t first = s->set.p[0].warp * 32 + (uint32_t)__builtin_ctz(s->set.p[0].mask);
    const uint32_t line = f->line(first, f->t[first].steps);
    out->n = 0;
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask) {
            const uint32_t id = s->set.p[k].warp * 32 + l;
            if (f->line(id, f->t[id].steps) == line) set_add(out, s->set.p[k].warp, 1u << l);
        }
}
static inline uint32_t fake_spinning(void *sm, uint32_t warp) {
    const struct fake *f = sm;
    (void)warp;
    return f->busy ? 0 : ~0u;
}
static inline uint32_t fake_depth(void *sm, uint32_t warp, uint32_t lane) {
    return ((struct fake *)sm)->t[warp * 32 + lane].depth;
}
static inline void fake_event(void *sm, const char *text) {
    (void)sm, (void)text;
}

static const int64_t fake_params[32];

/* threads in the slots from 0 on, at the kernel's entry. */
static inline struct fake *fake_new(const struct ir_module *m, const struct cfg *c, uint32_t w,
                                    uint32_t threads) {
    struct fake *f = xcalloc(1, sizeof *f);
    f->threads = threads;
    f->side = xcalloc(MECH_SIDES, sizeof *f->side);
    f->env = (struct mech_env){.pages = &f->pages,
                               .module = m,
                               .cfg = c,
                               .warp_size = w,
                               .simd_width = w,
                               .schedulers = 1,
                               .warps = (threads + 31) / 32,
                               .order_groups = 2,
                               .param = fake_params,
                               .now = &f->now,
                               .sm = f,
                               .when = fake_when,
                               .live = fake_live,
                               .depth = fake_depth,
                               .ready = fake_ready,
                               .served = fake_served,
                               .refusal = 1,
                               .spinning = fake_spinning,
                               .event = fake_event,
                               .tracing = true,
                               .audit = true};
    return f;
}

static inline void fake_start_ops(struct fake *f, const struct mech_ops *ops) {
    struct err e = {0};
    struct mech_program program = {.module = f->env.module,
                                   .cfg = f->env.cfg,
                                   .warp_size = f->env.warp_size,
                                   .simd_width = f->env.simd_width};
    assert_true(mech_prepare(ops, f->env.param, program, &f->tables, &f->env.tables, &e));
    f->mech = mech_new(ops, &f->env, &e);
    assert_non_null(f->mech);
    f->rng.state = f->seed + 12345;
    uint32_t entry = f->env.module->funcs.v[0].entry;
    for (uint32_t t = 0; t < f->threads; t++) {
        f->t[t].live = true;
        f->t[t].pc = entry;
    }
    uint32_t block = f->per_block ? f->per_block : f->threads;
    for (uint32_t from = 0; from < f->threads; from += block) {
        uint32_t n = f->threads - from < block ? f->threads - from : block;
        struct mech_block b = {
            .slot = from / block, .first = from / 32, .warps = (n + 31) / 32, .threads = n, .pc = entry};
        f->mech->ops->launch(f->mech, &b);
    }
    f->mech->ops->audit(f->mech);
}

static inline void fake_start(struct fake *f, const char *mech) {
    fake_start_ops(f, mech_find(mech));
}

static inline void fake_free(struct fake *f) {
    pages_free(&f->pages);
    arena_free(&f->tables);
    for (uint32_t k = 0; k < f->nflight; k++) free(f->flight[k]);
    free(f->side);
    free(f);
}

/* ---- issue, commit, release ---- */

static inline void fake_side(struct fake *f, struct mech_outcome *o, uint32_t pc, uint32_t warp,
                             uint32_t lane) {
    uint32_t k = 0;
    while (k < o->nsides && f->side[k].pc < pc) k++;
    if (k == o->nsides || f->side[k].pc != pc) {
        assert_true(o->nsides < MECH_SIDES);
        memmove(&f->side[k + 1], &f->side[k], (o->nsides - k) * sizeof *f->side);
        f->side[k] = (struct mech_side){.pc = pc};
        o->nsides++;
    }
    set_add(&f->side[k].set, warp, 1u << lane);
}

/* Executes a split at issue; who waits or exits is known then. */
static inline struct fake_flight *fake_execute(struct fake *f, struct mech_split *s) {
    struct fake_flight *fl = xcalloc(1, sizeof *fl);
    fl->s = s;
    fl->out.pc = s->pc;
    fl->out.insn = &f->env.module->code.v[s->pc];
    uint16_t op = fl->out.insn->op;
    fl->out.depth_change = op == IR_CALL || op == IR_CALL_IND ? 1 : op == IR_RET ? 2 : 0;
    assert_true(s->threads == set_count(&s->set)); /* none: an issue without threads */
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask) {
            uint32_t id = s->set.p[k].warp * 32 + l;
            struct fake_thread *t = &f->t[id];
            assert_true(t->live && !t->waits && !t->in_flight);
            assert_int_equal(t->pc, s->pc);
            t->in_flight = true;
            if (op == IR_MARK && fake_guard(f, t, id)) set_add(&fl->out.marked, s->set.p[k].warp, 1u << l);
            bool waits = fake_step(f, t, id);
            t->waits = waits;
            if (waits) set_add(&fl->out.waiting, s->set.p[k].warp, 1u << l);
            if (!t->live) set_add(&fl->out.exited, s->set.p[k].warp, 1u << l);
        }
    return fl;
}

static inline void fake_land(struct fake *f, struct fake_thread *t) {
    t->in_flight = t->early = false;
    if (!f->slow) return;
    uint64_t what = rng_below(&f->rng, 8);
    t->ready = what < 5 ? f->now : f->now + 1 + rng_below(&f->rng, 12);
    t->event = what == 7;
}

static inline void fake_commit(struct fake *f, struct fake_flight *fl) {
    struct mech_split *s = fl->s;
    fl->out.side = f->side;
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask) {
            struct fake_thread *t = &f->t[s->set.p[k].warp * 32 + l];
            fake_land(f, t);
            if (t->live && !t->waits) fake_side(f, &fl->out, t->pc, s->set.p[k].warp, l);
        }
    f->mech->ops->commit(f->mech, s, &fl->out);
    free(fl);
    f->mech->ops->audit(f->mech);
}

/* The one barrier: every thread alive waits. Released in one set per PC. */
static inline bool fake_barrier(struct fake *f) {
    uint32_t waits = 0;
    for (uint32_t t = 0; t < f->threads; t++) {
        if (f->t[t].in_flight || (f->t[t].live && !f->t[t].waits)) return false;
        waits += f->t[t].live;
    }
    for (uint32_t pc = 0; waits && pc <= f->env.module->code.n; pc++) {
        struct mech_set set = {0};
        for (uint32_t t = 0; t < f->threads; t++)
            if (f->t[t].live && f->t[t].waits && f->t[t].pc == pc) {
                set_add(&set, t / 32, 1u << t % 32);
                f->t[t].waits = false;
            }
        if (!set.n) continue;
        f->mech->ops->release(f->mech, &set, pc);
        f->mech->ops->audit(f->mech);
    }
    return waits;
}

static inline bool fake_done(const struct fake *f) {
    for (uint32_t t = 0; t < f->threads; t++)
        if (f->t[t].live) return false;
    return !f->nflight;
}

/* Checks, for a mechanism that says on which lanes the threads of a home warp are, that no lane is given to two threads
 * of a packet. */
static inline void fake_check_lanes(const struct fake *f, const struct mech_packet *p) {
    const struct mech *m = f->mech;
    bool taken[MECH_WIDEST] = {0};
    for (uint32_t k = 0; m->ops->shuffle && k < p->n; k++)
        for (uint32_t i = 0; i < p->split[k]->set.n; i++) FOR_LANES(l, p->split[k]->set.p[i].mask) {
                const uint32_t warp = p->split[k]->set.p[i].warp, home = split_home_of(m->pool, warp, l);
                const uint32_t lane = split_lane_of(m->pool, warp, l) ^ m->ops->shuffle(m, home);
                assert_true(lane < f->env.warp_size && !taken[lane]);
                taken[lane] = true;
            }
}

/* Who is in which beat: of every thread of the packet's split it is one, and no lane has two threads in a beat. */
static inline void fake_check_beats(const struct fake *f) {
    const struct mech_packet *p = &f->packet;
    struct mech_set all = {0};
    if (!p->beat) return;
    assert_true(p->n == 1 && p->beats);
    for (uint32_t b = 0; b < p->beats; b++) {
        bool busy[MECH_WIDEST] = {false};
        assert_true(p->beat[b].n);
        for (uint32_t k = 0; k < p->beat[b].n; k++) FOR_LANES(l, p->beat[b].p[k].mask) {
                const uint32_t warp = p->beat[b].p[k].warp;
                const uint32_t lane = split_lane_of(f->mech->pool, warp, l) % f->env.simd_width;
                assert_false(busy[lane] || set_mask(&all, warp) >> l & 1);
                busy[lane] = true;
                set_add(&all, warp, 1u << l);
            }
    }
    assert_true(set_equal(&all, &p->split[0]->set));
}

/* Selects once for a scheduler. False: nothing to issue. */
static inline bool fake_issue(struct fake *f, uint32_t sched) {
    struct mech_packet *p = &f->packet;
    p->n = p->beats = p->register_stall = 0;
    p->last_beat = false;
    p->beat = NULL;
    uint64_t next = mech_next(f->mech, sched);
    if (!f->mech->ops->select(f->mech, sched, p)) return false;
    assert_true(next <= f->now && p->n);
    fake_check_beats(f);
    uint32_t threads = 0;
    fake_check_lanes(f, p);
    f->issued++;
    f->issued_pc = p->split[0]->pc;
    for (uint32_t k = 0; k < p->n; k++) {
        assert_true(p->split[k]->in_flight);
        assert_int_equal(p->split[k]->sched, sched);
        threads += p->split[k]->threads;
        struct fake_flight *fl = fake_execute(f, p->split[k]);
        fl->at = f->slow ? f->now + rng_below(&f->rng, 6) : f->now;
        assert_true(f->nflight < FAKE_FLIGHT);
        f->flight[f->nflight++] = fl;
    }
    assert_true(threads <= f->mech->env.warp_size);
    f->lane_sum += threads;
    f->empty += !threads;
    f->added += threads && f->env.module->code.v[f->issued_pc].flags & IR_F_ADDED;
    return true;
}

/* These threads of a split in flight have their data, and the others wait for theirs. Whether they were taken. */
static inline bool fake_offer(struct fake *f, const struct fake_flight *fl, const struct mech_set *ready) {
    for (uint32_t k = 0; k < ready->n; k++)
        FOR_LANES(l, ready->p[k].mask) f->t[ready->p[k].warp * 32 + l].early = true;
    const bool taken = f->mech->ops->memory(f->mech, fl->s, ready);
    f->mech->ops->audit(f->mech);
    return taken;
}

/* Some threads of a plain instruction in flight have their data before the others. */
static inline void fake_early(struct fake *f, const struct fake_flight *fl) {
    const struct mech_split *s = fl->s;
    struct mech_set ready = {0};
    if (!f->mech->ops->memory || fl->out.insn->op != IR_ADD_U32 || fl->out.exited.n) return;
    for (uint32_t k = 0; k < s->set.n; k++)
        FOR_LANES(l, s->set.p[k].mask) if (rng_below(&f->rng, 2)) set_add(&ready, s->set.p[k].warp, 1u << l);
    if (ready.n && !set_equal(&ready, &s->set)) fake_offer(f, fl, &ready);
}

static inline void fake_landings(struct fake *f) {
    uint32_t n = f->nflight, kept = 0;
    for (uint32_t k = 0; k < n; k++) {
        struct fake_flight *fl = f->flight[k];
        if (fl->at <= f->now) {
            fake_commit(f, fl);
            continue;
        }
        if (rng_below(&f->rng, 8) == 0) fake_early(f, fl);
        f->flight[kept++] = fl;
    }
    f->nflight = kept;
}

static inline void fake_events(struct fake *f) {
    for (uint32_t w = 0; w < f->env.warps; w++) {
        uint32_t mask = 0;
        for (uint32_t l = 0; l < 32; l++) {
            struct fake_thread *t = &f->t[w * 32 + l];
            if (t->event && t->ready <= f->now) {
                t->event = false;
                mask |= 1u << l;
            }
        }
        if (mask) mech_wake(f->mech, w, mask);
    }
}

/* One cycle. Returns whether anything happened. */
static inline bool fake_cycle(struct fake *f) {
    bool some = f->nflight != 0;
    fake_landings(f);
    fake_events(f);
    some |= fake_barrier(f);
    for (uint32_t s = 0; s < f->env.schedulers; s++) some |= fake_issue(f, s);
    if (!f->slow) fake_landings(f);
    f->now++;
    return some;
}

/* Every thread by itself, barriers being nothing to a thread alone. */
static inline void fake_walk(struct fake *f) {
    for (uint32_t id = 0; id < f->threads; id++) {
        struct fake_thread *t = &f->alone[id];
        *t = (struct fake_thread){.live = true, .pc = f->env.module->funcs.v[0].entry};
        while (t->live) fake_step(f, t, id);
    }
}

/* To the end, against the walk. False: stuck, which only barriers may cause. */
static inline bool fake_run(struct fake *f) {
    fake_walk(f);
    for (uint32_t idle = 0; !fake_done(f);) {
        idle = fake_cycle(f) ? 0 : idle + 1;
        if (idle > FAKE_NEVER) return false;
    }
    for (uint32_t id = 0; id < f->threads; id++) {
        assert_int_equal(f->t[id].steps, f->alone[id].steps);
        assert_int_equal(f->t[id].pc, f->alone[id].pc);
    }
    assert_int_equal(f->mech->pool->alive, 0);
    return true;
}

static inline void fake_expect_state(const struct fake *f, const char *text) {
    struct sb out = {0};
    f->mech->ops->state(f->mech, &out);
    assert_string_equal(out.text ? out.text : "", text);
    sb_free(&out);
}

#endif

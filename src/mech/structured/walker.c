/* The walk. A warp has one PC and goes through structured code in the order of the text. Marks are executed by the warp
 * whichever threads are active, and say which are from there on; a mechanism differs from another in how it stores
 * that. A home warp has one split for life, which has the threads that are active, perhaps none; all its threads are
 * bound to it.
 *
 * A mark where threads meet changes the activity before it is issued, since all of them execute it: ENDIF lets both sides
 * go on, ENDLOOP takes back who has continued. The others do so when they are committed.
 *
 * No thread active: `skip` goes on at the next mark of the innermost open construct (ELSE, ENDIF, ENDLOOP), which is
 * executed; a function in which no thread is left is returned from at once. Without `skip` the instructions up to there
 * are issued without threads: marks do what they do, a call that no thread makes is passed, and the function's last
 * instruction returns.
 *
 * Calls (amd, pomp): all threads of a warp that call do so together and share one stack of return addresses (SL's Sync); a
 * call opens a level as an IF does, for those whose guard keeps them from it and for those who return before the others.
 *
 * Barriers and .sync: the warp is one instruction stream, who waits holds it. Members of a warp that wait for threads of
 * the same warp that are off wait for ever, which is what such hardware does. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/order.h"
#include "mech/lib/split.h"
#include "mech/structured/structured.h"

static const struct structured_activity *const activity[STRUCTURED_WAYS] = {
    [STRUCTURED_MASKS] = &structured_by_masks,
    [STRUCTURED_COUNTS] = &structured_by_counters,
    [STRUCTURED_PCS] = &structured_by_pcs,
};

static const struct mask *active_by(const struct structured_home *h, uint32_t way) {
    return way == STRUCTURED_MASKS    ? &h->masks.active
           : way == STRUCTURED_COUNTS ? &h->counters.active
                                      : &h->pcs.active;
}

void structured_create(struct mech *m, uint32_t way) {
    struct structured *w = m->self;
    const struct structured_tables *t = m->env.tables;
    w->way = way;
    w->skip = structured_params(m)->skip;
    w->tables = t;
    w->home = PAGES_NEW(m->env.pages, struct structured_home, split_homes(&m->env));
    if (!t) return;
    structured_counts(m)->kernel_depth = t->levels;
    structured_counts(m)->warp_bits = structured_bits(m, t->levels);
    structured_counts(m)->kernel_insts = t->insts;
    structured_counts(m)->added_insts = t->added;
}

/* ---- what happens, to the mechanism's own activity and, under audit, to the others' ---- */

static uint64_t structured_walker_place(const struct structured_home *h, uint32_t pc) {
    return structured_place(h->calls, pc);
}

static void happens(struct mech *m, struct structured_home *h, const struct structured_change *c) {
    const struct structured *w = m->self;
    for (uint32_t k = 0; k < STRUCTURED_WAYS; k++)
        if (k == w->way || m->env.audit) activity[k]->change(m, h, c);
    h->active = *active_by(h, w->way);
}

void structured_start(struct mech *m, struct mech_split *s, uint32_t home) {
    const struct structured *w = m->self;
    struct structured_home *h = &w->home[home];
    s->own[STRUCTURED_HOME] = home;
    h->run = s;
    h->first = s->set.p[0].warp;
    h->words = m->env.warp_size > 32 ? m->env.warp_size / 32 : 1;
    h->nlive = s->threads;
    h->off = h->pending = h->height = h->calls = h->n = 0;
    h->live = h->waiting = (struct mask){0};
    mask_put(&h->live, h->first, &s->set);
    h->active = h->live;
    for (uint32_t k = 0; k < STRUCTURED_WAYS; k++)
        if (k == w->way || m->env.audit) activity[k]->start(m, h, structured_walker_place(h, s->pc));
    if (m->env.audit) {
        if (!h->own_pc) h->own_pc = PAGES_NEW(m->env.pages, uint32_t, h->words * 32);
        FOR_MASK(t, &h->live) h->own_pc[t] = s->pc;
    }
    order_add(m->order, s);
}

/* ---- levels ---- */

static struct structured_level *structured_walker_top(const struct structured_home *h) {
    return h->n ? &h->level[h->n - 1] : NULL;
}

static uint32_t height_of(uint32_t kind) {
    return kind == LEVEL_LOOP ? 2 : 1;
}

static struct structured_level *open_level(struct mech *m, struct structured_home *h, uint32_t kind,
                                           uint32_t pc, uint32_t end) {
    PAGES_GROW(m->env.pages, h->level, h->n, h->cap);
    struct structured_level *l = &h->level[h->n++];
    *l = (struct structured_level){.kind = (uint8_t)kind,
                                   .pc = pc,
                                   .other = IR_NOPC,
                                   .end = end,
                                   .meet.branch = IR_NOPC,
                                   .round.branch = IR_NOPC};
    h->height += height_of(kind);
    if (h->height > structured_counts(m)->depth_max) structured_counts(m)->depth_max = h->height;
    return l;
}

static void close_level(struct structured_home *h) {
    h->height -= height_of(structured_walker_top(h)->kind);
    h->n--;
}

/* The innermost level of a kind, and what is open inside of it. */
static struct structured_level *structured_walker_innermost(const struct structured_home *h, uint32_t kind,
                                                            struct structured_change *c) {
    uint32_t k = h->n;
    CHECK(k);
    while (h->level[--k].kind != kind) {
        CHECK(k);
        c->ifs += h->level[k].kind != LEVEL_LOOP;
        c->loops += h->level[k].kind == LEVEL_LOOP;
    }
    return &h->level[k];
}

/* ---- accounts of divergence ---- */

/* Threads begin to wait at `at`, a meeting of level l. Where all who were active do, an open level inside of l knows the
 * branch that parted them from others. */
static void wait_there(const struct structured_home *h, const struct structured_level *l,
                       struct structured_meeting *at, uint32_t threads, const struct mech_outcome *o) {
    if (!threads) return;
    at->threads += threads;
    at->last = threads;
    if (at->branch != IR_NOPC) return;
    if (o->nsides > 1) {
        at->branch = o->pc;
        return;
    }
    for (const struct structured_level *k = h->level + h->n; --k > l;)
        if (k->meet.branch != IR_NOPC) {
            at->branch = k->meet.branch;
            return;
        }
}

/* Counts a meeting: waiting threads go on at pc together with others. */
static void structured_walker_meet(struct mech *m, struct structured_meeting *at, uint32_t others,
                                   uint32_t pc) {
    const uint32_t group = others ? others : at->last;
    if (at->branch != IR_NOPC && others + at->threads > group) split_reconverged(m, pc);
    *at = (struct structured_meeting){.branch = IR_NOPC};
}

/* ---- marks ---- */

/* Gives the threads of the outcome that go to pc. */
static void structured_walker_side_at(const struct structured_home *h, const struct mech_outcome *o,
                                      uint32_t pc, struct mask *out) {
    for (uint32_t k = 0; k < o->nsides; k++)
        if (o->side[k].pc == pc) mask_put(out, h->first, &o->side[k].set);
}

static uint32_t start_if(struct mech *m, struct structured_home *h, const struct mech_outcome *o) {
    const struct structured *w = m->self;
    const uint32_t target = o->insn->target, other = w->tables->other[o->pc];
    struct structured_change c = {.what = STRUCTURED_OPENS,
                                  .at = structured_walker_place(h, target),
                                  .next = structured_walker_place(h, o->pc + 1)};
    if (target != o->pc + 1) structured_walker_side_at(h, o, target, &c.off);
    const uint32_t end = other == IR_NOPC ? target : m->env.module->code.v[other].target;
    struct structured_level *l = open_level(m, h, LEVEL_IF, o->pc, end);
    const uint32_t off = mask_count(&c.off);
    l->other = other;
    if (other != IR_NOPC) {
        l->pending = off;
        h->pending += off;
        if (o->nsides > 1) l->meet = (struct structured_meeting){.branch = o->pc};
    } else {
        wait_there(h, l, &l->meet, off, o);
    }
    happens(m, h, &c);
    return o->pc + 1;
}

static uint32_t start_else(struct mech *m, struct structured_home *h, const struct mech_outcome *o) {
    struct structured_level *l = structured_walker_top(h);
    wait_there(h, l, &l->meet, mask_count(&h->active), o);
    h->pending -= l->pending;
    l->pending = 0;
    l->second = true;
    happens(m, h,
            &(struct structured_change){.what = STRUCTURED_SWAPS,
                                        .at = structured_walker_place(h, l->end),
                                        .next = structured_walker_place(h, o->pc + 1)});
    return o->pc + 1;
}

static uint32_t start_loop(struct mech *m, struct structured_home *h, const struct mech_outcome *o) {
    open_level(m, h, LEVEL_LOOP, o->pc, o->insn->target);
    happens(
        m, h,
        &(struct structured_change){.what = STRUCTURED_LOOPS, .next = structured_walker_place(h, o->pc + 1)});
    return o->pc + 1;
}

/* BRK, CONT. A CONT right before its ENDLOOP does nothing: all go there. */
static uint32_t leave_loop(struct mech *m, struct structured_home *h, const struct mech_outcome *o,
                           bool breaks) {
    const uint32_t target = o->insn->target;
    struct structured_change c = {.what = breaks ? STRUCTURED_BREAKS : STRUCTURED_SKIPS,
                                  .at = structured_walker_place(h, target),
                                  .next = structured_walker_place(h, o->pc + 1)};
    struct structured_level *l = structured_walker_innermost(h, LEVEL_LOOP, &c);
    if (target != o->pc + 1) structured_walker_side_at(h, o, target, &c.off);
    wait_there(h, l, breaks ? &l->meet : &l->round, mask_count(&c.off), o);
    happens(m, h, &c);
    return o->pc + 1;
}

static uint32_t end_loop(struct mech *m, struct structured_home *h, const struct mech_outcome *o) {
    const uint32_t again = o->insn->target;
    if (mask_any(&h->active)) {
        happens(m, h,
                &(struct structured_change){.what = STRUCTURED_REPEATS,
                                            .next = structured_walker_place(h, again)});
        return again;
    }
    structured_walker_meet(m, &structured_walker_top(h)->meet, 0, o->pc + 1);
    close_level(h);
    happens(
        m, h,
        &(struct structured_change){.what = STRUCTURED_ENDS, .next = structured_walker_place(h, o->pc + 1)});
    return o->pc + 1;
}

/* ---- calls ---- */

static uint32_t structured_walker_call(struct mech *m, struct structured_home *h,
                                       const struct mech_outcome *o) {
    const struct ir_module *module = m->env.module;
    const struct ir_func *f = &module->funcs.v[module->ext.v[o->insn->ext + IR_CALL_FUNC]];
    struct structured_change c = {.what = STRUCTURED_OPENS,
                                  .at = structured_walker_place(h, o->pc + 1),
                                  .next = structured_place(h->calls + 1, f->entry)};
    struct mask callers = {0};
    structured_walker_side_at(h, o, f->entry, &callers);
    if (!mask_any(&callers)) return o->pc + 1;
    struct structured_level *l = open_level(m, h, LEVEL_CALL, o->pc, f->end);
    structured_walker_side_at(h, o, o->pc + 1, &c.off);
    wait_there(h, l, &l->meet, mask_count(&c.off), o);
    h->calls++;
    happens(m, h, &c);
    return f->entry;
}

static uint32_t ret(struct mech *m, struct structured_home *h, const struct mech_outcome *o) {
    struct structured_change c = {.what = STRUCTURED_RETURNS, .next = structured_walker_place(h, o->pc + 1)};
    struct structured_level *l = structured_walker_innermost(h, LEVEL_CALL, &c);
    c.at = structured_place(h->calls - 1, l->pc + 1);
    structured_walker_side_at(h, o, l->pc + 1, &c.off);
    wait_there(h, l, &l->meet, mask_count(&c.off), o);
    happens(m, h, &c);
    return o->pc + 1;
}

/* The warp is at the end of the function that it called. */
static uint32_t return_to_caller(struct mech *m, struct structured_home *h) {
    const uint32_t pc = structured_walker_top(h)->pc + 1;
    struct structured_meeting waited = structured_walker_top(h)->meet;
    const uint32_t threads = waited.threads;
    close_level(h);
    h->calls--;
    happens(m, h,
            &(struct structured_change){.what = STRUCTURED_CLOSES, .next = structured_walker_place(h, pc)});
    structured_walker_meet(m, &waited, mask_count(&h->active) - threads, pc);
    return pc;
}

/* ---- where the warp goes ---- */

static void end_if(struct mech *m, struct structured_home *h, uint32_t pc) {
    struct structured_meeting waited = structured_walker_top(h)->meet;
    const uint32_t threads = waited.threads;
    close_level(h);
    happens(m, h,
            &(struct structured_change){.what = STRUCTURED_CLOSES, .next = structured_walker_place(h, pc)});
    structured_walker_meet(m, &waited, mask_count(&h->active) - threads, pc);
}

static void structured_walker_gather(struct mech *m, struct structured_home *h, uint32_t pc) {
    const uint32_t threads = structured_walker_top(h)->round.threads;
    happens(m, h,
            &(struct structured_change){.what = STRUCTURED_GATHERS, .next = structured_walker_place(h, pc)});
    structured_walker_meet(m, &structured_walker_top(h)->round, mask_count(&h->active) - threads, pc);
}

/* Returns where to go on when no thread is active: the next mark of the innermost construct. */
static uint32_t structured_walker_jump(struct mech *m, const struct structured_home *h, uint32_t pc) {
    const struct structured_level *l = structured_walker_top(h);
    const uint32_t to = l->kind == LEVEL_IF && !l->second && l->other != IR_NOPC ? l->other : l->end;
    if (to == pc) return pc;
    structured_counts(m)->skipped_parts++;
    if (l->kind != LEVEL_CALL) mech_event(m, "no thread is active: goes on at %" PRIu32, to);
    return to;
}

/* Whether the warp is behind the last instruction of the function that it is in. */
static bool at_end(const struct structured_home *h, uint32_t pc) {
    return h->n && structured_walker_top(h)->kind == LEVEL_CALL && structured_walker_top(h)->end == pc;
}

/* The warp comes to pc: threads that wait there join before it is issued. */
static void structured_walker_arrive(struct mech *m, struct structured_home *h, uint32_t pc) {
    const struct structured *w = m->self;
    struct mech_split *s = h->run;
    do {
        if (w->skip && h->n && !mask_any(&h->active)) pc = structured_walker_jump(m, h, pc);
        if (!at_end(h, pc)) break;
        pc = return_to_caller(m, h);
    } while (true);
    if (w->tables->what[pc] == STRUCTURED_ENDIF) end_if(m, h, pc);
    if (w->tables->what[pc] == STRUCTURED_ENDLOOP) structured_walker_gather(m, h, pc);
    s->pc = pc;
    mask_set(&h->active, h->first, &s->set);
    s->threads = mask_count(&h->active);
    order_add(m->order, s);
}

/* ---- the interface ---- */

static void structured_walker_note(struct mech *m, const struct mech_split *s, const struct mech_outcome *o) {
    const struct structured *w = m->self;
    const uint8_t what = w->tables->what[o->pc];
    structured_counts(m)->marks += what >= STRUCTURED_IF && what <= STRUCTURED_ENDLOOP;
    structured_counts(m)->guards += what == STRUCTURED_GUARD;
    structured_counts(m)->empty_issues += !s->threads;
    if (o->nsides > 1) split_diverged(m, o->nsides);
}

static void structured_walker_leave(struct mech *m, struct structured_home *h, const struct mech_set *gone) {
    struct structured_change c = {.what = STRUCTURED_EXITS};
    mask_put(&c.off, h->first, gone);
    mask_minus(&h->live, &c.off);
    h->nlive = mask_count(&h->live);
    split_exit(m->pool, NULL, gone);
    happens(m, h, &c);
}

/* env.audit: where the threads themselves went. */
static void structured_walker_follow(struct structured_home *h, const struct mech_outcome *o) {
    for (uint32_t k = 0; k < o->nsides; k++) {
        struct mask side = {0};
        mask_put(&side, h->first, &o->side[k].set);
        FOR_MASK(t, &side) h->own_pc[t] = o->side[k].pc;
    }
    FOR_MASK(t, &h->waiting) h->own_pc[t] = o->pc + 1;
}

static uint32_t structured_walker_execute(struct mech *m, struct structured_home *h,
                                          const struct mech_outcome *o) {
    const struct structured *w = m->self;
    switch (w->tables->what[o->pc]) {
    case STRUCTURED_IF: return start_if(m, h, o);
    case STRUCTURED_ELSE: return start_else(m, h, o);
    case STRUCTURED_LOOP: return start_loop(m, h, o);
    case STRUCTURED_BRK: return leave_loop(m, h, o, true);
    case STRUCTURED_CONT: return leave_loop(m, h, o, false);
    case STRUCTURED_ENDLOOP: return end_loop(m, h, o);
    case STRUCTURED_CALL: return structured_walker_call(m, h, o);
    case STRUCTURED_RET: return ret(m, h, o);
    default: break;
    }
    CHECK(o->nsides <= 1);
    return o->insn->op == IR_BRA ? o->insn->target : o->pc + 1;
}

/* What the warp holds back, as census has it. */
static void count_off(struct structured *w, struct structured_home *h, uint32_t pending) {
    const uint32_t off = h->run ? h->nlive - mask_count(&h->active) : 0;
    w->off += off - h->off;
    w->pending += h->pending - pending;
    h->off = off;
}

static void structured_walker_step(struct mech *m, struct structured_home *h, const struct mech_outcome *o) {
    structured_walker_note(m, h->run, o);
    mask_put(&h->waiting, h->first, &o->waiting);
    if (m->env.audit) structured_walker_follow(h, o);
    if (o->exited.n) structured_walker_leave(m, h, &o->exited);
    if (!h->nlive) {
        h->run->set.n = h->run->threads = 0;
        split_free(m, h->run);
        h->run = NULL;
    } else if (o->waiting.n) {
        h->run->pc = o->pc + 1;
        mask_set(&h->active, h->first, &h->run->set);
        h->run->threads = mask_count(&h->active);
        order_remove(m->order, h->run);
    } else {
        structured_walker_arrive(m, h, structured_walker_execute(m, h, o));
    }
}

bool structured_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    const struct structured *w = m->self;
    if (w->tables->what[s->pc] != STRUCTURED_PLAIN || m->env.audit) return false;
    s->pc = to;
    order_add(m->order, s);
    return true;
}

void structured_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct structured *w = m->self;
    const bool together = o->nsides == 1 && !o->exited.n && !o->waiting.n;
    if (together && structured_advance(m, s, o->side[0].pc)) return;
    struct structured_home *h = &w->home[s->own[STRUCTURED_HOME]];
    const uint32_t pending = h->pending;
    structured_walker_step(m, h, o);
    count_off(w, h, pending);
}

/* A part of an architectural warp, all of one home. */
static void release_lanes(struct mech *m, uint32_t warp, uint32_t lanes, uint32_t pc) {
    struct structured *w = m->self;
    struct structured_home *h = &w->home[split_home_of(m->pool, warp, (uint32_t)__builtin_ctz(lanes))];
    const uint32_t pending = h->pending;
    CHECK(h->run->pc == pc);
    h->waiting.w[warp - h->first] &= ~lanes;
    if (mask_any(&h->waiting)) return;
    structured_walker_arrive(m, h, pc);
    count_off(w, h, pending);
}

void structured_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    for (uint32_t k = 0; k < set->n; k++)
        for (uint32_t left = set->p[k].mask; left;)
            release_lanes(m, set->p[k].warp, split_next_part(m->pool, &left), pc);
}

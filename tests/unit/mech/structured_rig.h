/* Structured programs for the fake SM, by hand and at random, and the five mechanisms that walk them. A branch that is a
 * mark (ir/marks.def) is decided by each thread as any branch is. */
#ifndef TESTS_UNIT_MECH_STRUCTURED_RIG_H
#define TESTS_UNIT_MECH_STRUCTURED_RIG_H

#include "unit/mech/random_program.h"
#include "unit/mech/rig.h"

static const char *const structured_names[] = {"chap", "amd", "pomp", "gma", "sandybridge"};
enum { CHAP, AMD, POMP, GMA, SANDYBRIDGE, SCHEMES };
enum { SKIP, DEPTH }; /* parameters */

static inline const struct mech_ops *scheme(int k) {
    return mech_find(structured_names[k]);
}

static inline uint32_t put_branch(struct ir_module *m, enum ir_mark mark, uint16_t guard, uint32_t target) {
    fake_put(m, (struct ir_insn){.op = IR_BRA, .sub = (uint8_t)mark, .guard = guard, .target = target});
    return (uint32_t)m->code.n - 1;
}
static inline uint32_t put_mark(struct ir_module *m, enum ir_mark mark, uint32_t target) {
    fake_mark(m, mark, 0, target);
    return (uint32_t)m->code.n - 1;
}

/* ---- by hand ---- */

static inline void rig_start(struct rig *r, int k, bool skip) {
    r->param[SKIP] = skip;
    r->param[DEPTH] = 64;
    fake_start_ops(r->f, scheme(k));
}

/* Masks, counters and PCs by the scheme. */
enum { MASKS, COUNTERS, PCS };
static inline int way_of(int k) {
    return k == SANDYBRIDGE ? PCS : k == POMP || k == GMA ? COUNTERS : MASKS;
}

/* SL Figure 1: an if with both parts. The guard of an IF says who skips its part. */
static inline struct ir_module *figure_1(void) {
    struct ir_module *m = ir_module_new("figure 1");
    fake_op(m);                             /* 0 A */
    put_branch(m, IR_MK_IF, FAKE_MAYBE, 4); /* 1 */
    fake_op(m);                             /* 2 B */
    put_branch(m, IR_MK_ELSE, 0, 5);        /* 3 */
    fake_op(m);                             /* 4 C */
    put_mark(m, IR_MK_ENDIF, IR_NOPC);      /* 5 */
    fake_op(m);                             /* 6 D */
    fake_end(m, IR_EXIT, 0);                /* 7 */
    fake_func(m, "figure_1");
    return m;
}

/* A loop with a break in an if. */
static inline struct ir_module *breaks(void) {
    struct ir_module *m = ir_module_new("breaks");
    put_mark(m, IR_MK_LOOP, 7);             /* 0 */
    fake_op(m);                             /* 1 A */
    put_branch(m, IR_MK_IF, FAKE_MAYBE, 5); /* 2 */
    put_branch(m, IR_MK_BRK, 0, 8);         /* 3 */
    fake_op(m);                             /* 4: no thread comes here */
    put_mark(m, IR_MK_ENDIF, IR_NOPC);      /* 5 */
    fake_op(m);                             /* 6 C */
    put_branch(m, IR_MK_ENDLOOP, 0, 1);     /* 7 */
    fake_op(m);                             /* 8 D */
    fake_end(m, IR_EXIT, 0);                /* 9 */
    fake_func(m, "breaks");
    return m;
}

/* f calls itself. */
static inline struct ir_module *recursion(void) {
    struct ir_module *m = ir_module_new("recursion");
    fake_call(m, FAKE_MAYBE, 1); /* 0 */
    fake_end(m, IR_EXIT, 0);     /* 1 */
    fake_func(m, "kernel");
    put_branch(m, IR_MK_IF, FAKE_MAYBE, 4); /* 2 */
    fake_call(m, 0, 1);                     /* 3 */
    put_mark(m, IR_MK_ENDIF, IR_NOPC);      /* 4 */
    fake_end(m, IR_RET, FAKE_MAYBE);        /* 5: some return before the others */
    fake_op(m);                             /* 6 */
    fake_end(m, IR_RET, 0);                 /* 7 */
    fake_func(m, "f");
    return m;
}

static inline uint32_t nobody(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 0;
}

/* ---- at random ---- */

struct structured_mix {
    bool leaves; /* brk and cont anywhere in a loop; otherwise every loop has one brk, not inside of an if */
    bool exits, barriers, calls;
    uint32_t deep; /* most constructs inside of each other */
};

static inline void put_parts(struct ir_module *m, struct rng *r, struct structured_mix mix, uint32_t depth,
                             uint32_t loop);

static inline void put_if(struct ir_module *m, struct rng *r, struct structured_mix mix, uint32_t depth,
                          uint32_t loop) {
    const uint32_t at = put_branch(m, IR_MK_IF, FAKE_MAYBE, 0);
    if (rng_below(r, 8)) put_parts(m, r, mix, depth + 1, loop);
    m->code.v[at].target = (uint32_t)m->code.n;
    if (rng_below(r, 2)) {
        const uint32_t other = put_branch(m, IR_MK_ELSE, 0, 0);
        m->code.v[at].target = other + 1;
        if (rng_below(r, 8)) put_parts(m, r, mix, depth + 1, loop);
        m->code.v[other].target = (uint32_t)m->code.n;
    }
    put_mark(m, IR_MK_ENDIF, IR_NOPC);
}

/* Targets of brk and cont are known when the loop is: until then they name the loop. */
static inline void put_loop(struct ir_module *m, struct rng *r, struct structured_mix mix, uint32_t depth) {
    const uint32_t at = put_mark(m, IR_MK_LOOP, 0);
    put_parts(m, r, mix, depth + 1, at);
    if (!mix.leaves || rng_below(r, 2)) {
        put_branch(m, IR_MK_BRK, FAKE_MAYBE, at);
        if (rng_below(r, 2)) put_parts(m, r, mix, depth + 1, at);
    }
    const uint32_t end = put_branch(m, IR_MK_ENDLOOP, 0, at + 1);
    m->code.v[at].target = end;
    for (uint32_t pc = at + 1; pc < end; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        if (ir_is_mark(i, IR_MK_BRK) && i->target == at) i->target = end + 1;
        if (ir_is_mark(i, IR_MK_CONT) && i->target == at) i->target = end;
    }
}

static inline void put_one(struct ir_module *m, struct rng *r, struct structured_mix mix, uint32_t depth,
                           uint32_t loop) {
    const uint64_t what = rng_below(r, 100);
    const uint16_t maybe = rng_below(r, 4) ? FAKE_MAYBE : 0;
    if (what < 25 && depth < mix.deep)
        put_if(m, r, mix, depth, loop);
    else if (what < 40 && depth < mix.deep)
        put_loop(m, r, mix, depth);
    else if (what < 52 && loop != IR_NOPC && mix.leaves)
        put_branch(m, what & 1 ? IR_MK_BRK : IR_MK_CONT, maybe, loop);
    else if (what < 57 && mix.exits)
        fake_end(m, mix.calls && what & 1 && m->funcs.n ? IR_RET : IR_EXIT, maybe);
    else if (what < 62 && mix.barriers)
        fake_bar(m, maybe);
    else if (what < 70 && mix.calls)
        fake_call(m, maybe, 1 + (uint32_t)rng_below(r, RANDOM_FUNCS - 1));
    else if (what < 73)
        fake_bra(m, 0, (uint32_t)m->code.n + 1);
    else if (what < 80)
        fake_load(m);
    else
        fake_op(m);
}

static inline void put_parts(struct ir_module *m, struct rng *r, struct structured_mix mix, uint32_t depth,
                             uint32_t loop) {
    for (uint64_t n = 1 + rng_below(r, 4); n-- > 0;) put_one(m, r, mix, depth, loop);
}

static inline struct ir_module *marked_program(struct rng *r, struct structured_mix mix) {
    static const char *const name[RANDOM_FUNCS] = {"kernel", "first", "second"};
    struct ir_module *m = ir_module_new("structured");
    for (uint32_t f = 0; f < RANDOM_FUNCS; f++) {
        put_parts(m, r, mix, 0, IR_NOPC);
        fake_end(m, f ? IR_RET : IR_EXIT, 0);
        fake_func(m, name[f]);
    }
    return m;
}

#endif

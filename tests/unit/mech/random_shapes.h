/* Random programs of one shape each: without loops, structured, anything without barriers. */
#ifndef TESTS_UNIT_MECH_RANDOM_SHAPES_H
#define TESTS_UNIT_MECH_RANDOM_SHAPES_H

#include "unit/mech/random_program.h"

/* Every branch leads forward, anywhere. */
static inline struct ir_module *forward_code(struct rng *r, bool indirect) {
    const uint32_t len = 4 + (uint32_t)rng_below(r, 40);
    struct ir_module *m = ir_module_new("forward");
    for (uint32_t pc = 0; pc + 1 < len; pc++) {
        uint32_t to[RANDOM_WAYS];
        for (int k = 0; k < RANDOM_WAYS; k++) to[k] = pc + 1 + (uint32_t)rng_below(r, len - pc - 1);
        const uint64_t what = rng_below(r, 100);
        if (what < 45)
            fake_bra(m, FAKE_MAYBE, to[0]);
        else if (what < 52)
            fake_bra(m, 0, to[0]);
        else if (what < 60 && indirect)
            fake_brx(m, RANDOM_WAYS, to);
        else if (what < 64)
            fake_end(m, IR_EXIT, FAKE_MAYBE);
        else
            fake_op(m);
    }
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "forward");
    return m;
}
static inline struct ir_module *forward_program(struct rng *r) {
    return forward_code(r, true);
}
static inline struct ir_module *direct_forward_program(struct rng *r) {
    return forward_code(r, false);
}

/* Sequences of instructions, if, if-else, while and do-while. */
static inline void put_statement(struct ir_module *m, struct rng *r, uint32_t depth) {
    const uint64_t what = depth ? rng_below(r, 6) : 0;
    const uint32_t from = (uint32_t)m->code.n;
    if (what < 2) {
        fake_op(m);
    } else if (what == 2 || what == 3) { /* if, if-else */
        fake_bra(m, FAKE_MAYBE, 0);
        put_statement(m, r, depth - 1);
        const uint32_t jump = (uint32_t)m->code.n;
        if (what == 3) fake_bra(m, 0, 0);
        m->code.v[from].target = (uint32_t)m->code.n;
        if (what == 3) put_statement(m, r, depth - 1);
        if (what == 3) m->code.v[jump].target = (uint32_t)m->code.n;
    } else if (what == 4) { /* while */
        fake_bra(m, FAKE_MAYBE, 0);
        put_statement(m, r, depth - 1);
        fake_bra(m, 0, from);
        m->code.v[from].target = (uint32_t)m->code.n;
    } else { /* do-while: the condition is an instruction of its own, so that the loop has a latch */
        put_statement(m, r, depth - 1);
        fake_op(m);
        fake_bra(m, FAKE_MAYBE, from);
    }
    if (depth && rng_below(r, 2)) put_statement(m, r, depth - 1);
}
static inline struct ir_module *structured_program(struct rng *r) {
    struct ir_module *m = ir_module_new("structured");
    for (uint64_t k = 1 + rng_below(r, 3); k--;) put_statement(m, r, 4);
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "structured");
    return m;
}

static inline struct ir_module *any_program(struct rng *r, bool calls) {
    return random_program(r, (struct random_mix){.calls = calls,
                                                 .ends = rng_below(r, 2),
                                                 .ways = 2 + (uint32_t)rng_below(r, RANDOM_WAYS - 1)});
}
/* ... without indirect branches and calls. */
static inline struct ir_module *direct_program(struct rng *r) {
    return random_program(r, (struct random_mix){.ends = rng_below(r, 2)});
}

#endif

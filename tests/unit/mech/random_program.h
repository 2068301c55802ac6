/* Random programs for the fake SM: anything branches anywhere within its function, calls recurse, directly, through each
 * other and through a table. A thread's outcomes are random too; fake_run compares with every thread alone and audits the
 * mechanism after every commit. */
#ifndef TESTS_UNIT_MECH_RANDOM_PROGRAM_H
#define TESTS_UNIT_MECH_RANDOM_PROGRAM_H

#include "unit/mech/fake_sm.h"

enum { RANDOM_FUNCS = 3, RANDOM_WAYS = 5 };

struct random_mix { /* what a program may contain */
    bool calls, barriers, ends, loads;
    uint32_t ways; /* ways of an indirect branch; 0: none, nor indirect calls */
};

static inline struct random_mix random_mix(struct rng *r, bool barriers) {
    return (struct random_mix){.calls = rng_below(r, 2),
                               .barriers = barriers && rng_below(r, 2),
                               .ends = rng_below(r, 2),
                               .loads = rng_below(r, 2),
                               .ways = 2 + (uint32_t)rng_below(r, RANDOM_WAYS - 1)};
}

static inline void random_insn(struct ir_module *m, struct rng *r, struct random_mix mix, uint32_t from,
                               uint32_t len) {
    uint32_t to[RANDOM_WAYS], funcs[2] = {1, 2};
    uint64_t what = rng_below(r, 100);
    uint16_t maybe = rng_below(r, 3) ? FAKE_MAYBE : 0;
    for (int k = 0; k < RANDOM_WAYS; k++) to[k] = from + (uint32_t)rng_below(r, len);
    if (what < 30)
        fake_bra(m, FAKE_MAYBE, to[0]);
    else if (what < 36)
        fake_bra(m, 0, to[0]);
    else if (what < 42 && mix.ways)
        fake_brx(m, mix.ways, to);
    else if (what < 52 && mix.calls)
        fake_call(m, maybe, 1 + (uint32_t)rng_below(r, RANDOM_FUNCS - 1));
    else if (what < 55 && mix.calls && mix.ways)
        fake_call_ind(m, 2, funcs);
    else if (what < 60 && mix.ends)
        fake_end(m, what & 1 ? IR_RET : IR_EXIT, FAKE_MAYBE);
    else if (what < 66 && mix.barriers)
        fake_bar(m, maybe);
    else if (what < 80 && mix.loads)
        fake_load(m);
    else
        fake_op(m);
}

static inline struct ir_module *random_program(struct rng *r, struct random_mix mix) {
    static const char *const name[RANDOM_FUNCS] = {"kernel", "first", "second"};
    struct ir_module *m = ir_module_new("random");
    for (uint32_t f = 0; f < RANDOM_FUNCS; f++) {
        uint32_t from = (uint32_t)m->code.n, len = 4 + (uint32_t)rng_below(r, 20);
        for (uint32_t k = 0; k + 1 < len; k++) random_insn(m, r, mix, from, len);
        fake_end(m, f ? IR_RET : IR_EXIT, 0);
        fake_func(m, name[f]);
    }
    return m;
}

static inline uint32_t random_threads(struct rng *r, uint32_t w) {
    return 1 + (uint32_t)rng_below(r, w < 32 ? 48 : 2 * w);
}

/* Schedulers, their order, the threads' outcomes and how long they go on. */
static inline void random_machine(struct fake *f, struct rng *r) {
    f->env.schedulers = 1 + (uint32_t)rng_below(r, 3);
    f->env.whole_blocks = rng_below(r, 2);
    f->env.order = (uint32_t)rng_below(r, 4);
    f->env.order_groups = 1 + (uint32_t)rng_below(r, 4);
    f->seed = rng_next(r);
    f->budget = 20 + (uint32_t)rng_below(r, 60);
}

#endif

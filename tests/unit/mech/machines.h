/* Kernels that diverge, recurse and synchronise on whole machines: what they leave in memory is what the functional engine
 * leaves. For the tests of single mechanisms, with their tables cut down. */
#ifndef TESTS_UNIT_MECH_MACHINES_H
#define TESTS_UNIT_MECH_MACHINES_H

#include "kernels/timed.h"

enum { MACHINES_WORDS = 512 }; /* words of the largest result */

struct machines_subject {
    const char *file, *kernel;
    uint32_t block, words; /* block and words of the result */
    uint32_t rounds;       /* second argument; 0: none */
};

static inline void machines_run(struct rig *r, const struct machines_subject *s, uint32_t *out) {
    const uint64_t d = rig_zero(r, 4 * MACHINES_WORDS);
    const hd_launch *l = LAUNCH(.grid = {s->words / s->block}, .block = {s->block});
    if (s->rounds)
        RUN(r, s->kernel, l, PTR(d), hd_arg_u32(s->rounds));
    else
        RUN(r, s->kernel, l, PTR(d));
    rig_out(r, d, out, 4 * MACHINES_WORDS);
}

/* On n machines, with as many instructions of threads; `also` (or NULL) looks at each of them when it has run. */
static inline void machines_same(const struct machines_subject *s, const struct timed_machine *machine,
                                 size_t n, void (*also)(struct rig *r)) {
    uint32_t want[MACHINES_WORDS], got[MACHINES_WORDS];
    struct rig r;
    rig_open(&r, s->file);
    machines_run(&r, s, want);
    const double insts = rig_stat(&r, "exec.thread_insts");
    rig_close(&r);
    for (size_t m = 0; m < n; m++) {
        timed_open(&r, &machine[m], s->file);
        machines_run(&r, s, got);
        same_u32(s->kernel, got, want, MACHINES_WORDS);
        assert_true(rig_stat(&r, "sm.thread_insts") == insts);
        if (also) also(&r);
        rig_close(&r);
    }
}

#endif

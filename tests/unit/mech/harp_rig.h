/* What the tests of HARP share: its parameters, issue and commit by hand, and the kernel of the paper's Figure 10. */
#ifndef TESTS_UNIT_MECH_HARP_RIG_H
#define TESTS_UNIT_MECH_HARP_RIG_H

#include "unit/mech/rig.h"

enum { FIRST, SECOND, READY, WAITING, BARRIERS, WAYS, LATENCY, FEW, SPILL, COUNT, MERGE, DEPART, PARAMS };
enum { COUNT_BOTH, COUNT_SECOND };
enum { MERGE_WARPS, MERGE_THREADS };
enum { DEPART_BACK, DEPART_FEW };

static inline void rig_make(struct rig *r, struct ir_module *m, uint32_t width, uint32_t threads,
                            choose_fn *choose) {
    static const int64_t paper[PARAMS] = {2, 512, 8,   8,          128,         16,
                                          1, 2,   400, COUNT_BOTH, MERGE_WARPS, DEPART_BACK};
    rig_load(r, m, 32, threads, choose);
    r->f->env.simd_width = width;
    memcpy(r->param, paper, sizeof paper);
}

static inline uint32_t waiting_to_reconverge(const struct rig *r) {
    struct mech_census c;
    r->f->mech->ops->census(r->f->mech, &c);
    assert_int_equal(c.inactive_path, 0);
    return c.reconvergence;
}

/* Issue and commit by hand, for several warps in flight. */
static inline void issue(struct rig *r) {
    assert_true(fake_issue(r->f, 0));
}
static inline void nothing_issues(struct rig *r) {
    assert_false(fake_issue(r->f, 0));
}
static inline void commit_at(struct rig *r, uint32_t k) { /* k counts commits in flight, oldest first */
    struct fake_flight *it = r->f->flight[k];
    memmove(r->f->flight + k, r->f->flight + k + 1, (--r->f->nflight - k) * sizeof it);
    fake_commit(r->f, it);
}
static inline void commit(struct rig *r) {
    commit_at(r, 0);
}
static inline void next_cycle(struct rig *r) {
    r->f->now++;
}

/* ---- Figure 10 ---- */

/* 10(a). Four lanes: W0 is T0-T3, W1 is T4-T7. B and C have a load each; C also has to jump to D. */
enum { A = 0, B = 1, D = 2, C = 4 };
static inline struct ir_module *figure(void) {
    struct ir_module *m = ir_module_new("figure 10");
    fake_bra(m, FAKE_MAYBE, C); /* 0 A */
    fake_load(m);               /* 1 B */
    fake_op(m);                 /* 2 D */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_load(m);               /* 4 C */
    fake_bra(m, 0, D);          /* 5 */
    fake_func(m, "figure");
    return m;
}
static inline uint32_t figure_choice(uint32_t thread, uint32_t pc, uint32_t step) { /* 10(b): who goes to C */
    (void)pc, (void)step;
    return thread == 0 || thread == 2 || thread == 7;
}

#endif

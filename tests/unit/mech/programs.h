/* Programs that the tests of several mechanisms run, and which way their threads go. */
#ifndef TESTS_UNIT_MECH_PROGRAMS_H
#define TESTS_UNIT_MECH_PROGRAMS_H

#include "unit/mech/rig.h"

static inline uint32_t choose_upper_half(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return thread % 4 >= 2;
}
static inline uint32_t choose_nothing(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)thread, (void)pc, (void)step;
    return 0;
}

/* SL Figure 1. */
static inline struct ir_module *program_diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_op(m);                 /* 0 A */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 */
    fake_op(m);                 /* 2 B */
    fake_bra(m, 0, 5);          /* 3 */
    fake_op(m);                 /* 4 C */
    fake_op(m);                 /* 5 D */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "diamond");
    return m;
}

/* The shape of DWF Figure 3.1. */
static inline struct ir_module *program_nested(void) {
    struct ir_module *m = ir_module_new("nested");
    fake_bra(m, FAKE_MAYBE, 6); /* 0 A */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 B */
    fake_op(m);                 /* 2 C */
    fake_bra(m, 0, 5);          /* 3 */
    fake_op(m);                 /* 4 D */
    fake_bra(m, 0, 7);          /* 5 E */
    fake_op(m);                 /* 6 F */
    fake_end(m, IR_EXIT, 0);    /* 7 G */
    fake_func(m, "nested");
    return m;
}
/* 0 and 1 go through C, 2 through D, 3 through F. */
static inline uint32_t choose_nested(uint32_t thread, uint32_t pc, uint32_t step) {
    (void)step;
    return pc == 0 ? thread == 3 : thread == 2;
}

/* The shape of Figure 1 of Diamos et al. (thread frontiers): blocks of one instruction; all branches have their
 * post-dominator at 5. */
static inline struct ir_module *program_unstructured(void) {
    struct ir_module *m = ir_module_new("unstructured");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 BB1 */
    fake_bra(m, FAKE_MAYBE, 5); /* 1 BB2 */
    fake_bra(m, FAKE_MAYBE, 4); /* 2 BB3 */
    fake_bra(m, FAKE_MAYBE, 5); /* 3 BB4 */
    fake_op(m);                 /* 4 BB5 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "unstructured");
    return m;
}
/* 0: BB1 BB3 BB4, 1: BB1 BB2, 2: BB1 BB2 BB3 BB5, 3: all of them in order; then all exit. */
static inline uint32_t choose_four_paths(uint32_t thread, uint32_t pc, uint32_t step) {
    static const uint32_t taken[4] = {1u << 0 | 1u << 3, 1u << 1, 1u << 2, 0};
    (void)step;
    return taken[thread % 4] >> pc & 1;
}

/* The join lies before its paths. */
static inline struct ir_module *program_join_first(void) {
    struct ir_module *m = ir_module_new("join first");
    fake_bra(m, 0, 3);          /* 0 */
    fake_op(m);                 /* 1 join */
    fake_end(m, IR_EXIT, 0);    /* 2 */
    fake_bra(m, FAKE_MAYBE, 6); /* 3 */
    fake_op(m);                 /* 4 */
    fake_bra(m, 0, 1);          /* 5 */
    fake_bra(m, 0, 1);          /* 6 */
    fake_func(m, "join_first");
    return m;
}

/* Threads that do not branch wait at 1, the others at 3. */
static inline struct ir_module *program_two_barriers(void) {
    struct ir_module *m = ir_module_new("two barriers");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_bar(m, 0);             /* 1 */
    fake_bra(m, 0, 4);          /* 2 */
    fake_bar(m, 0);             /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "two_barriers");
    return m;
}

/* Some wait at 0, in the middle of a block. */
static inline struct ir_module *program_guarded_barrier(void) {
    struct ir_module *m = ir_module_new("guarded barrier");
    fake_bar(m, FAKE_MAYBE); /* 0 */
    fake_op(m);              /* 1 */
    fake_end(m, IR_EXIT, 0); /* 2 */
    fake_func(m, "guarded_barrier");
    return m;
}

/* The mechanism refuses this kernel, which is freed, and says why. */
static inline void expect_refusal(const char *mech, struct ir_module *m, const char *why) {
    struct cfg *c = fake_finish(m);
    struct err e = {0};
    assert_false(mech_can_run(mech_find(mech), m, c, 0, &e));
    if (!strstr(err_text(&e), why)) fail_msg("%s", err_text(&e));
    err_free(&e);
    cfg_free(c);
    ir_module_free(m);
}

/* SL Table 1: "No" for recursion, and so for calls, and "No" for indirect branches. */
static inline void expect_no_calls_and_no_indirect_branches(const char *mech) {
    struct ir_module *m = ir_module_new("call.ptx");
    fake_call(m, 0, 1);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_end(m, IR_RET, 0);
    fake_func(m, "f");
    expect_refusal(mech, m, " cannot run kernel: a call of a function");
    m = ir_module_new("brx.ptx");
    fake_brx(m, 2, (const uint32_t[]){1, 2});
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    expect_refusal(mech, m, " cannot run kernel: an indirect branch");
}

/* Threads of slot 0 that wait, in a rig that has begun, are released out of turn. */
static inline void release_now(struct rig *r, uint32_t mask, uint32_t pc) {
    struct mech_set set;
    set_one(&set, 0, mask);
    FOR_LANES(l, mask) r->f->t[l].waits = false;
    r->f->mech->ops->release(r->f->mech, &set, pc);
    r->f->mech->ops->audit(r->f->mech);
}

#endif

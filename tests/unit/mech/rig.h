/* A program in the fake SM, with the parameters of a mechanism: what the tests of mechanisms set up and take down. */
#ifndef TESTS_UNIT_MECH_RIG_H
#define TESTS_UNIT_MECH_RIG_H

#include "unit/mech/fake_sm.h"

typedef uint32_t choose_fn(uint32_t thread, uint32_t pc, uint32_t step);

struct rig {
    struct ir_module *m;
    struct cfg *c;
    struct rewrite *form; /* the form of m that runs; NULL: m */
    struct fake *f;
    int64_t param[32];   /* in the order of the mechanism's table; the test's to fill before it starts */
    struct mech_ops ops; /* room for the mechanism's, where a test leaves some of them out */
};

/* Not started yet. */
static inline void rig_load(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads,
                            choose_fn *choose) {
    r->m = m;
    r->c = fake_finish(m);
    r->form = NULL;
    r->f = fake_new(m, r->c, w, threads);
    r->f->env.param = r->param;
    r->f->choose = choose;
}

/* Loads a form of m. The script is still about PCs and steps of m. */
static inline void rig_load_form(struct rig *r, struct ir_module *m, enum cfg_form form, uint32_t w,
                                 uint32_t threads, choose_fn *choose) {
    struct err e = {0};
    rig_load(r, m, w, threads, choose);
    r->form = cfg_make_form(m, r->c, form, &e);
    if (!r->form) fail_msg("%s", err_text(&e));
    r->f->form = r->form;
    r->f->env.module = r->form->m;
    r->f->env.cfg = r->form->cfg;
}

static inline void rig_down(struct rig *r) {
    fake_free(r->f);
    cfg_rewrite_free(r->form);
    cfg_free(r->c);
    ir_module_free(r->m);
}

/* Runs so many issues, or to the end: "0 1 5* 6", their PCs, of those without threads with a star. */
static inline void rig_issues(struct rig *r, uint32_t n, struct sb *out) {
    struct fake *f = r->f;
    for (uint64_t before = f->issued, empty = f->empty, till = before + n; f->issued < till && !fake_done(f);
         before = f->issued, empty = f->empty) {
        assert_true(fake_cycle(f) || mech_next(f->mech, 0) != MECH_NEVER);
        if (f->issued > before)
            sb_add(out, "%s%u%s", out->len ? " " : "", f->issued_pc, f->empty > empty ? "*" : "");
    }
}
static inline void rig_expect_issues(struct rig *r, uint32_t n, const char *want) {
    struct sb out = {0};
    rig_issues(r, n, &out);
    assert_string_equal(out.text, want);
    sb_free(&out);
}

static inline uint64_t rig_counter(const struct rig *r, const char *key) {
    const struct mech_counter *c = r->f->mech->ops->counters;
    for (uint32_t k = 0; c[k].key; k++)
        if (!strcmp(c[k].key, key)) return r->f->mech->stats.extra[k];
    fail_msg("%s has no counter %s", r->f->mech->ops->name, key);
    return 0;
}

/* Threads that could run while others do, when none waits at a join. */
static inline uint32_t rig_standing(const struct rig *r) {
    struct mech_census c;
    r->f->mech->ops->census(r->f->mech, &c);
    assert_int_equal(c.reconvergence, 0);
    return c.inactive_path;
}

/* Each instruction begins in the state that its row says, and there are no more. */
static inline void rig_expect_steps(struct rig *r, const char *const *row, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        fake_expect_state(r->f, row[k]);
        assert_true(fake_cycle(r->f));
    }
    assert_true(fake_run(r->f));
    assert_int_equal(r->f->issued, n);
}
#define RIG_ROWS(row) (row), sizeof(row) / sizeof *(row)

/* All issues that are left, and that every thread took its own path. */
static inline void rig_expect_run(struct rig *r, const char *want) {
    rig_expect_issues(r, UINT32_MAX, want);
    assert_true(fake_run(r->f));
}

#endif

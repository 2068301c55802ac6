/* The fake SM with dynamic warp formation in it, its parameters by name. */
#ifndef TESTS_UNIT_MECH_DWF_RIG_H
#define TESTS_UNIT_MECH_DWF_RIG_H

#include "unit/mech/rig.h"

/* Value of a choice, or a number. */
static inline int64_t rig_value(const struct mech_param *p, const char *text) {
    if (p->kind != OPTION_ENUM) return strtoll(text, NULL, 10);
    for (const struct option_choice *c = p->choices; c->name; c++)
        if (!strcmp(c->name, text)) return c->value;
    fail_msg("%s has no choice %s", p->key, text);
    return 0;
}

static inline void rig_set(struct rig *r, const char *key, const char *text) {
    const struct mech_param *p = mech_find("dwf")->params;
    for (int k = 0; p[k].key; k++)
        if (!strcmp(p[k].key, key)) {
            r->param[k] = rig_value(&p[k], text);
            return;
        }
    fail_msg("dwf has no parameter %s", key);
}

/* options: key, value, ..., NULL. Not started yet. */
static inline void rig_make(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads,
                            choose_fn *choose, const char *const *options) {
    const struct mech_param *p = mech_find("dwf")->params;
    rig_load(r, m, w, threads, choose);
    for (int k = 0; p[k].key; k++) r->param[k] = p[k].def;
    for (; *options; options += 2) rig_set(r, options[0], options[1]);
}
#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void rig_start(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads,
                             uint32_t (*choose)(uint32_t, uint32_t, uint32_t), const char *const *options) {
    rig_make(r, m, w, threads, choose, options);
    fake_start(r->f, "dwf");
}

/* Cycles until something issues, and returns its PC; its threads are in f->lane_sum. */
static inline uint32_t rig_issue(struct rig *r) {
    for (uint64_t before = r->f->issued, n = 0; r->f->issued == before; n++) {
        assert_true(n < FAKE_NEVER);
        fake_cycle(r->f);
    }
    return r->f->issued_pc;
}

/* ---- a branch, and who takes it: of two warps of four, threads of equal lanes ---- */

enum { A = 0, B = 1, C = 3, D = 4 };

static inline struct ir_module *diamond(void) {
    struct ir_module *m = ir_module_new("diamond");
    fake_bra(m, FAKE_MAYBE, C); /* 0 A */
    fake_op(m);                 /* 1 B */
    fake_bra(m, 0, D);          /* 2 */
    fake_op(m);                 /* 3 C */
    fake_end(m, IR_EXIT, 0);    /* 4 D */
    fake_func(m, "diamond");
    return m;
}

static inline uint32_t clash(uint32_t t, uint32_t pc, uint32_t step) {
    (void)pc, (void)step;
    return t < 2 || t == 4 || t == 6;
}

#endif

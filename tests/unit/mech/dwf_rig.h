/* The fake SM with dynamic warp formation in it, its parameters by name. */
#ifndef TESTS_UNIT_MECH_DWF_RIG_H
#define TESTS_UNIT_MECH_DWF_RIG_H

#include "unit/mech/fake_sm.h"

struct rig {
    struct ir_module *m;
    struct cfg *c;
    struct fake *f;
    int64_t param[32];
};

/* Index of a choice in "a|b|c", or a number. */
static inline int64_t rig_value(const struct mech_param *p, const char *text) {
    if (p->kind != 'e') return strtoll(text, NULL, 10);
    int64_t n = 0;
    for (const char *at = p->choices; at; n++) {
        size_t len = strcspn(at, "|");
        if (len == strlen(text) && !strncmp(at, text, len)) return n;
        at = at[len] ? at + len + 1 : NULL;
    }
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
                            uint32_t (*choose)(uint32_t, uint32_t, uint32_t), const char *const *options) {
    const struct mech_param *p = mech_find("dwf")->params;
    r->m = m;
    r->c = fake_finish(m);
    for (int k = 0; p[k].key; k++) r->param[k] = p[k].def;
    for (; *options; options += 2) rig_set(r, options[0], options[1]);
    r->f = fake_new(m, r->c, w, threads);
    r->f->env.param = r->param;
    r->f->choose = choose;
}
#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void rig_start(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads,
                             uint32_t (*choose)(uint32_t, uint32_t, uint32_t), const char *const *options) {
    rig_make(r, m, w, threads, choose, options);
    fake_start(r->f, "dwf");
}

static inline void rig_down(struct rig *r) {
    fake_free(r->f);
    cfg_free(r->c);
    ir_module_free(r->m);
}

static inline uint64_t rig_counter(const struct rig *r, const char *key) {
    const struct mech_counter *c = mech_find("dwf")->counters;
    for (int k = 0; c[k].key; k++)
        if (!strcmp(c[k].key, key)) return r->f->mech->stats.extra[k];
    fail_msg("dwf has no counter %s", key);
    return 0;
}

/* Cycles until something issues; its PC and threads are in f->packet and f->lane_sum. */
static inline uint32_t rig_issue(struct rig *r) {
    for (uint64_t before = r->f->issued, n = 0; r->f->issued == before; n++) {
        assert_true(n < FAKE_NEVER);
        fake_cycle(r->f);
    }
    return r->f->packet.pc;
}

#endif

/* Branch and warp interweaving on random programs: with marks anywhere and any parameters every thread takes its own path, and on
 * structured code one warp never needs more packets than under min(SP:PC). */
#include "unit/mech/random_run.h"

/* ---- any programs ---- */

/* The program with SYNC marks anywhere, that name any place before them or behind. */
static struct rewrite *with_marks(struct rng *r, const struct ir_module *m, const struct cfg *c) {
    VEC(struct rewrite_insert) mark = {0};
    struct err e = {0};
    for (uint32_t f = 0; f < m->funcs.n; f++)
        for (uint32_t pc = m->funcs.v[f].entry; pc < m->funcs.v[f].end; pc++) {
            const uint32_t span = m->funcs.v[f].end - m->funcs.v[f].entry;
            const uint32_t to = m->funcs.v[f].entry + (uint32_t)rng_below(r, span);
            const struct ir_insn sync = {.op = IR_MARK, .sub = IR_MK_SYNC, .target = to};
            if (rng_below(r, 3) == 0)
                VEC_PUSH(&mark, ((struct rewrite_insert){.pc = pc, .targets = true, .insn = sync}));
        }
    struct rewrite *w = cfg_rewrite(m, c, mark.v, mark.n, &e);
    if (!w) fail_msg("%s", err_text(&e));
    VEC_FREE(&mark);
    return w;
}

/* Any value of any parameter; small tables more often. */
static void any_params(const struct mech_ops *ops, struct rng *r, int64_t *param) {
    for (uint32_t k = 0; ops->params[k].key; k++) {
        const int64_t most = ops->params[k].high < 6 ? ops->params[k].high : 6;
        param[k] = (int64_t)rng_below(r, (uint64_t)most + 1);
    }
}

/* Now and then a split that was ready is not yet: on the SM, another may have taken what it needs. */
static uint64_t at_times_later(void *sm, const struct mech_split *s) {
    struct fake *f = sm;
    const uint64_t at = fake_when(sm, s);
    return at <= f->now && rng_below(&f->rng, 4) == 0 ? f->now + 1 + rng_below(&f->rng, 6) : at;
}

static void run_random(const struct mech_ops *ops, struct rng *r, uint32_t w, bool barriers) {
    struct ir_module *m = random_program(r, random_mix(r, barriers));
    struct cfg *c = fake_finish(m);
    struct rewrite *marked = with_marks(r, m, c);
    struct fake *f = fake_new(marked->m, marked->cfg, w, random_threads(r, w));
    int64_t param[RANDOM_PARAMS] = {0};
    any_params(ops, r, param);
    random_machine(f, r);
    f->env.param = param;
    f->slow = rng_below(r, 2);
    if (rng_below(r, 2)) f->env.when = at_times_later;
    f->per_block = 32 * (uint32_t)rng_below(r, 4);
    fake_start_ops(f, ops);
    assert_true(fake_run(f)); /* a split that waits at a barrier is held alone, so no thread gets stuck */
    fake_free(f);
    cfg_rewrite_free(marked);
    cfg_free(c);
    ir_module_free(m);
}

static void every_thread_takes_its_own_path_under_all_parameters(void **state) {
    (void)state;
    static const char *const name[] = {"sbi", "swi", "sbi+swi"};
    struct rng r = {11};
    for (int k = 0; k < 3; k++)
        for (uint32_t w = 4; w <= 256; w *= 2)
            for (uint32_t n = 0; n < (w < 64 ? 150u : 2000u / w); n++)
                run_random(mech_find(name[k]), &r, w, n & 1);
}

/* ---- never worse than min(SP:PC) ---- */

struct shape {
    struct rng *r;
    struct ir_module *m;
    uint32_t left; /* nodes */
};

static uint32_t here(const struct shape *s) {
    return (uint32_t)s->m->code.n;
}

/* Operations, diamonds with and without an else, and loops with their body first, nested, with marks. */
static void put_code(struct shape *s, uint32_t depth) {
    for (uint32_t n = 1 + (uint32_t)rng_below(s->r, 3); n; n--) {
        const uint64_t what = depth < 4 && s->left ? rng_below(s->r, 4) : 0;
        const uint32_t at = here(s);
        if (s->left) s->left--;
        if (what == 0) {
            fake_op(s->m);
        } else if (what == 3) { /* do ... while */
            fake_op(s->m);
            const uint32_t head = here(s);
            put_code(s, depth + 1);
            fake_bra(s->m, FAKE_MAYBE, head);
            fake_mark(s->m, IR_MK_SYNC, 0, at);
        } else {
            fake_bra(s->m, FAKE_MAYBE, 0);
            put_code(s, depth + 1);
            if (what == 2) {
                const uint32_t jump = here(s);
                fake_bra(s->m, 0, 0);
                s->m->code.v[at].target = here(s);
                put_code(s, depth + 1);
                s->m->code.v[jump].target = here(s);
            } else {
                s->m->code.v[at].target = here(s);
            }
            fake_mark(s->m, IR_MK_SYNC, 0, at);
        }
    }
}

static const struct mech_ops *real; /* the mechanism of the run under way */
static uint64_t own_slots;          /* packets of the mechanism that are more than marks */

static bool counting_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    if (!real->select(m, sched, p)) return false;
    bool own = false;
    for (uint32_t k = 0; k < p->n; k++) own |= m->env.module->code.v[p->split[k]->pc].op != IR_MARK;
    own_slots += own;
    return true;
}

static uint64_t slots_of(const char *mech, const struct ir_module *m, const struct cfg *c, uint32_t w,
                         uint64_t seed) {
    struct fake *f = fake_new(m, c, w, w);
    int64_t param[RANDOM_PARAMS] = {0};
    for (uint32_t k = 0; mech_find(mech)->params[k].key; k++) param[k] = mech_find(mech)->params[k].def;
    f->env.param = param;
    f->seed = seed;
    f->budget = 400;
    fake_start(f, mech);
    real = f->mech->ops;
    struct mech_ops counting = *real;
    counting.select = counting_select;
    f->mech->ops = &counting;
    own_slots = 0;
    assert_true(fake_run(f));
    fake_free(f);
    return own_slots;
}

static void one_warp_of_structured_code_never_needs_more_packets_than_minpc(void **state) {
    (void)state;
    struct rng r = {5};
    uint64_t fewer = 0;
    for (uint32_t n = 0; n < 2000; n++) {
        struct shape s = {&r, ir_module_new("shape"), 12};
        put_code(&s, 0);
        fake_end(s.m, IR_EXIT, 0);
        fake_func(s.m, "shape");
        struct cfg *c = fake_finish(s.m);
        const uint32_t w = 4u << rng_below(&r, 4);
        const uint64_t seed = rng_next(&r), lowest = slots_of("minpc", s.m, c, w, seed);
        const uint64_t sbi = slots_of("sbi", s.m, c, w, seed);
        if (sbi > lowest)
            fail_msg("program %u: %llu packets, minpc %llu", n, (unsigned long long)sbi,
                     (unsigned long long)lowest);
        fewer += sbi < lowest;
        cfg_free(c);
        ir_module_free(s.m);
    }
    assert_true(fewer > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_takes_its_own_path_under_all_parameters),
        cmocka_unit_test(one_warp_of_structured_code_never_needs_more_packets_than_minpc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random structured programs under the five mechanisms that walk such code, at every warp size: each thread takes its own
 * path, masks, counters and PCs store the same (the audit compares them after every commit), and every instruction runs
 * with the same threads in the same order whatever stores who is active, and whether parts without threads are jumped over
 * or walked. Where loops are left at one place only, that is with the threads of a post-dominator stack. */
#include "unit/mech/random_shapes.h"
#include "unit/mech/structured_rig.h"

#ifdef __SANITIZE_ADDRESS__
enum { PART = 3 };
#else
enum { PART = 1 };
#endif

/* What a home warp has executed: instructions with threads, in order; and, in any order, those that are no marks. */
struct ran {
    uint64_t in_order[FAKE_WARPS * 8], sum[FAKE_WARPS * 8];
    uint64_t issues, empty;
    bool done;
};
static struct ran *log_to; /* mechanisms have nothing to hang it on */
static void (*commit_of)(struct mech *, struct mech_split *, const struct mech_outcome *);

static bool is_mark(const struct ir_insn *i) {
    return i->op == IR_MARK || (i->op == IR_BRA && i->sub);
}

static void log_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (s->threads) {
        const uint32_t home =
            split_home_of(m->pool, s->set.p[0].warp, (uint32_t)__builtin_ctz(s->set.p[0].mask));
        uint64_t one = hash_bytes(HASH_START, &o->pc, sizeof o->pc);
        one = hash_bytes(one, s->set.p, s->set.n * sizeof *s->set.p);
        log_to->in_order[home] = hash_bytes(log_to->in_order[home], &one, sizeof one);
        if (!is_mark(o->insn)) log_to->sum[home] += one;
        log_to->issues++;
    } else {
        log_to->empty++;
    }
    commit_of(m, s, o);
}

struct kernel {
    struct ir_module *m;
    struct cfg *c;
    struct rewrite *form; /* the form that runs; NULL: m itself */
    uint32_t w, threads;
    uint64_t seed; /* seed of machine and outcomes */
    bool slow;
};

static struct ran run(const struct kernel *k, const struct mech_ops *ops, bool skip) {
    struct ran out = {0};
    struct rng r = {k->seed};
    int64_t param[32] = {[SKIP] = skip, [DEPTH] = 1000};
    struct fake *f = fake_new(k->form ? k->form->m : k->m, k->form ? k->form->cfg : k->c, k->w, k->threads);
    f->form = k->form;
    struct mech_ops logged = *ops;
    random_machine(f, &r);
    f->slow = k->slow;
    f->per_block = 32 * (uint32_t)rng_below(&r, 4);
    f->env.param = param;
    if (!strcmp(ops->name, "pdom")) param[0] = 0;
    log_to = &out;
    commit_of = ops->commit;
    logged.commit = log_commit;
    fake_start_ops(f, &logged);
    out.done = fake_run(f);
    if (!out.done) {
        struct sb text = {0};
        ops->state(f->mech, &text);
        assert_non_null(strstr(text.text, "waiting at a barrier"));
        sb_free(&text);
    }
    fake_free(f);
    return out;
}

static struct kernel kernel_of(struct rng *r, uint32_t w, struct ir_module *m) {
    struct kernel k = {.m = m, .c = fake_finish(m), .w = w, .slow = rng_below(r, 2)};
    k.threads = random_threads(r, w);
    k.seed = rng_next(r);
    return k;
}
static struct kernel kernel_new(struct rng *r, uint32_t w, struct structured_mix mix) {
    return kernel_of(r, w, marked_program(r, mix));
}
/* False: it has no structured form. */
static bool kernel_structurise(struct kernel *k) {
    struct err e = {0};
    k->form = mech_can_run(scheme(CHAP), k->m, k->c, 0, &e)
                  ? cfg_make_form(k->m, k->c, CFG_FORM_STRUCTURED, &e)
                  : NULL;
    err_free(&e);
    return k->form;
}
static void kernel_free(struct kernel *k) {
    cfg_rewrite_free(k->form);
    cfg_free(k->c);
    ir_module_free(k->m);
}

static void expect_same(const struct ran *a, const struct ran *b, const char *who, uint32_t n) {
    if (a->done != b->done || a->issues != b->issues || memcmp(a->in_order, b->in_order, sizeof a->in_order))
        fail_msg("program %u: %s does not run as amd does", n, who);
}

/* Runs the mechanisms that run calls, or all; whether it ran to the end. */
static bool run_five(const struct kernel *k, bool calls, uint32_t n) {
    const struct ran want = run(k, scheme(AMD), true);
    assert_true(want.issues);
    for (int s = 0; s < SCHEMES; s++) {
        if (calls && !(scheme(s)->caps & MECH_CALLS)) continue;
        const struct ran jumps = run(k, scheme(s), true), walks = run(k, scheme(s), false);
        expect_same(&want, &jumps, structured_names[s], n);
        expect_same(&want, &walks, structured_names[s], n);
        if (want.done) assert_true(jumps.empty <= walks.empty);
    }
    return want.done;
}

static uint32_t run_all(bool barriers) {
    struct rng r = {barriers ? 21 : 20};
    uint32_t stuck = 0;
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (uint32_t n = 0; n < (w < 64 ? 60u : 1500u / w) / PART; n++) {
            const struct structured_mix mix = {.leaves = rng_below(&r, 4) != 0,
                                               .exits = rng_below(&r, 2),
                                               .barriers = barriers,
                                               .calls = rng_below(&r, 2),
                                               .deep = 1 + (uint32_t)rng_below(&r, 6)};
            struct kernel k = kernel_new(&r, w, mix);
            stuck += !run_five(&k, mix.calls, n);
            kernel_free(&k);
        }
    return stuck;
}

static void all_five_run_the_same_threads_at_every_instruction(void **state) {
    (void)state;
    assert_int_equal(run_all(false), 0);
}

/* A warp that waits for its own threads waits for ever: the same ones under all five. */
static void barriers_hold_the_same_warps_under_all_five(void **state) {
    (void)state;
    assert_true(run_all(true));
}

/* Forward jumps anywhere, and anything that is reducible: what the compiler makes of it. */
static void unstructured_programs_run_the_same_under_all_five(void **state) {
    (void)state;
    struct rng r = {23};
    uint32_t ran[2] = {0};
    for (uint32_t w = 4; w <= 64; w *= 2)
        for (uint32_t n = 0; n < 60 / PART; n++) {
            const struct random_mix mix = {.ends = n % 3 == 0, .loads = true};
            struct kernel k = kernel_of(&r, w, n % 2 ? direct_forward_program(&r) : random_program(&r, mix));
            if (kernel_structurise(&k)) {
                assert_true(run_five(&k, false, n));
                ran[n % 2]++;
            }
            kernel_free(&k);
        }
    assert_true(ran[0] >= 10 / PART && ran[1] == 150 / PART);
}

static void without_breaks_in_ifs_instructions_have_the_threads_of_a_stack(void **state) {
    (void)state;
    struct rng r = {22};
    for (uint32_t w = 4; w <= 256; w *= 4)
        for (uint32_t n = 0; n < (w < 64 ? 150u : 3000u / w) / PART; n++) {
            struct kernel k = kernel_new(&r, w, (struct structured_mix){.deep = 5});
            const struct ran stack = run(&k, mech_find("pdom"), false);
            for (int s = 0; s < SCHEMES; s++) {
                const struct ran walk = run(&k, scheme(s), n % 2);
                if (memcmp(stack.sum, walk.sum, sizeof stack.sum))
                    fail_msg("program %u, warp of %u: %s has other threads than pdom", n, w,
                             structured_names[s]);
            }
            kernel_free(&k);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_five_run_the_same_threads_at_every_instruction),
        cmocka_unit_test(barriers_hold_the_same_warps_under_all_five),
        cmocka_unit_test(unstructured_programs_run_the_same_under_all_five),
        cmocka_unit_test(without_breaks_in_ifs_instructions_have_the_threads_of_a_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

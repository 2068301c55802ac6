/* Generated kernels in structured form: it has the shape that structurise.h promises, computes what the original computes and
 * executes each of its instructions for the same threads as often; by itself, and under mechanisms that know nothing of
 * its marks. A kernel that is refused is irreducible. */
#include "unit/diff/program.h"

#include "base/bits.h"
#include "cfg/form.h"
#include "diff/sweep.h"
#include "mech/mech.h"
#include "unit/cfg/grammar.h"

static bool irreducible(const struct program *p) {
    for (size_t f = 0; f < p->m->funcs.n; f++)
        if (p->c->funcs[f].structure == CFG_IRREDUCIBLE) return true;
    return false;
}

static struct rewrite *structured(const struct program *p, uint64_t seed) {
    struct err e = {0};
    struct rewrite *r = cfg_make_form(p->m, p->c, CFG_FORM_STRUCTURED, &e);
    if (!r == !irreducible(p)) fail_msg("seed %llu: %s", (unsigned long long)seed, err_text(&e));
    if (!r) assert_non_null(strstr(err_text(&e), "also entered past"));
    err_free(&e);
    return r;
}

/* Whether the kernel has the form. */
static bool check_seed(uint64_t seed) {
    struct diff_case c;
    diff_make(&c, seed);
    struct program p = load(c.text.text, c.text.len);
    struct rewrite *r = structured(&p, seed);
    if (r) {
        grammar_check(r, p.m, p.c);
        const struct exec_stats was = run_on(&c, p.m, NULL), is = run_on(&c, p.m, r->m);
        assert_int_equal(was.thread_insts, is.thread_insts);
        assert_true(was.loads == is.loads && was.stores == is.stores && was.calls == is.calls);
    }
    const bool has = r != NULL;
    cfg_rewrite_free(r);
    unload(&p);
    diff_free(&c);
    return has;
}

static void the_form_computes_the_same_or_the_kernel_is_irreducible(void **state) {
    (void)state;
    struct diff_range range = diff_long_range(600, 4000);
    uint64_t have = 0;
    for (uint64_t k = 0; k < range.count; k++) have += check_seed(range.first + k);
    assert_true(range.count < 300 || (have > range.count / 2 && have < range.count));
}

/* ---- under mechanisms ---- */

/* Without marks of their own threads do not meet again under tesla, volta and lorie-strong: a .sync of all would wait for ever. */
static bool needs_other_marks(const struct mech_ops *mech) {
    return mech->form_by || mech->form == CFG_FORM_JOINS;
}

static void run_under(struct diff_case *c, const char *mech, struct rng *rng) {
    const struct diff_machine *m = &diff_machines[rng_below(rng, diff_nmachines())];
    const char *more[] = {"run.mech",   mech,           "run.mode", "timed", "run.form",
                          "structured", "gpu.watchdog", "5000000",  NULL};
    struct sb why = {0};
    if (!diff_run(c, m, more, &why)) fail_msg("%s", why.text);
}

/* Some for each kernel, so that all of them have their turn. */
static void mechanisms_compute_the_same_whatever_they_make_of_the_marks(void **state) {
    (void)state;
    enum { EACH = 5 };
    struct diff_range range = diff_long_range(60, 400);
    struct sb why = {0};
    size_t turn = 0;
    for (uint64_t k = 0; k < range.count; k++) {
        struct diff_case c;
        struct rng rng = {range.first + k};
        if (!diff_begin(&c, range.first + k, &why)) fail_msg("%s", why.text);
        struct program p = load(c.text.text, c.text.len);
        for (int n = 0; !irreducible(&p) && n < EACH; n++) {
            if (!mech_list[++turn]) turn = 0;
            if (!needs_other_marks(mech_list[turn])) run_under(&c, mech_list[turn]->name, &rng);
        }
        unload(&p);
        diff_free(&c);
    }
    sb_free(&why);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_computes_the_same_or_the_kernel_is_irreducible),
        cmocka_unit_test(mechanisms_compute_the_same_whatever_they_make_of_the_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

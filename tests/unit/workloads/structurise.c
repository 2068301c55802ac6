/* Every workload in structured form: its functions have it unless one is irreducible, and its results are right when a
 * mechanism runs it that knows nothing of the marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/form.h"
#include "front/ptx/ptx.h"
#include "lab/run/subject.h"
#include "unit/cfg/grammar.h"

/* Instructions before and after. */
struct size {
    uint32_t was, is;
};

static struct size check_form(const struct workload *w) {
    struct err e = {0};
    struct ir_module *m = ptx_load(w->name, w->code, w->code_bytes, &e);
    struct cfg *c = m ? cfg_analyse(m, CFG_EXITS_MAIN, &e) : NULL;
    if (!c) fail_msg("%s", err_text(&e));
    struct rewrite *r = cfg_make_form(m, c, CFG_FORM_STRUCTURED, &e);
    bool irreducible = false;
    for (size_t f = 0; f < m->funcs.n; f++) irreducible |= c->funcs[f].structure == CFG_IRREDUCIBLE;
    assert_int_equal(r == NULL, irreducible);
    if (r) grammar_check(r, m, c);
    const struct size n = {(uint32_t)m->code.n, r ? (uint32_t)r->m->code.n : 0};
    err_free(&e);
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
    return n;
}

/* All workloads but one; their code grows by a twelfth. */
static void every_workload_has_the_form_unless_it_is_irreducible(void **state) {
    (void)state;
    struct size all = {0};
    uint32_t refused = 0;
    for (const struct workload *w = workload_list; w->name; w++) {
        const struct size n = check_form(w);
        refused += !n.is;
        if (n.is) all.was += n.was, all.is += n.is;
    }
    print_message("%u instructions become %u\n", all.was, all.is);
    assert_int_equal(refused, 1);
    assert_true(all.is * 10 < all.was * 12);
}

static void and_computes_in_it_what_it_should(void **state) {
    (void)state;
    for (const struct workload *w = workload_list; w->name; w++) {
        const hd_option o[] = {
            {"run.mode", "timed"}, {"run.mech", "mimd"}, {"run.form", "structured"}, {"sm.warp_size", "32"}};
        const hd_config machine = {.options = o, .noptions = 4};
        const struct lab_subject s = {.workload = w, .size = WORK_TINY};
        struct lab_outcome out;
        lab_run(&s, &machine, NULL, &out);
        const bool refused = out.err.code == ERR_REFUSED && strstr(err_text(&out.err), "also entered past");
        if (out.err.code && !refused) fail_msg("@%s: %s", w->name, err_text(&out.err));
        assert_int_equal(refused, !strcmp(w->name, "irreducible"));
        lab_outcome_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_workload_has_the_form_unless_it_is_irreducible),
        cmocka_unit_test(and_computes_in_it_what_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

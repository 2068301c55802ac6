/* A launch that runs a form of the program: it leaves the same memory, its marks are counted apart, and profile, trace,
 * steps and faults speak of the program as it was loaded. */
#include <inttypes.h>

#include "base/bits.h"
#include "kernels/harness.h"
#include "sim/device/internal.h"

/* Threads go round as often as their number says, and take one of two ways each time; the last one may fault. */
static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 bad)\n{\n"
    "\t.reg .b64 %a<4>;\n\t.reg .b32 %r<8>;\n\t.reg .pred %p<3>;\n"
    "\tld.param.u64 %a0, [out];\n\tld.param.u32 %r6, [bad];\n\tmov.u32 %r0, %tid.x;\n\tmov.u32 %r1, 0;\n"
    "\tmov.u32 %r2, %r0;\n"
    "LOOP:\n\tand.b32 %r3, %r2, 1;\n\tsetp.eq.u32 %p0, %r3, 0;\n\t@%p0 bra EVEN;\n"
    "\tadd.u32 %r1, %r1, 3;\n\tbra JOIN;\nEVEN:\n\tadd.u32 %r1, %r1, 5;\nJOIN:\n"
    "\tsub.u32 %r2, %r2, 1;\n\tsetp.gt.s32 %p1, %r2, 0;\n\t@%p1 bra LOOP;\n"
    "\tmul.wide.u32 %a1, %r0, 4;\n\tadd.u64 %a2, %a0, %a1;\n\tsetp.eq.u32 %p2, %r0, %r6;\n"
    "\t@%p2 mov.u64 %a2, 8;\n\tst.global.u32 [%a2], %r1;\n\tret;\n}\n";
enum { THREADS = 70, NOBODY = 1000 };

struct seen {
    uint64_t steps[THREADS], sum[THREADS]; /* by thread: how many steps, and a hash of their PCs */
};

static void see_step(void *user, const struct watch_step *s) {
    struct seen *x = user;
    FOR_LANES(l, s->mask) {
        const uint64_t t = s->first + l;
        x->sum[t] = x->sum[t] * 31 + s->pc;
        x->steps[t]++;
    }
}
static void collect(void *user, const char *text, size_t n) {
    sb_addn(user, text, n);
}

struct launched {
    struct rig r;
    struct sb trace;
    struct seen seen;
    struct profile profile;
    uint32_t out[THREADS];
    hd_status status;
};

static void launch(struct launched *x, const char *mech, const char *form, uint32_t bad) {
    hd_option o[] = {{"run.mode", "timed"}, {"run.mech", mech}, {"run.form", form}, {"run.audit", "true"}};
    memset(x, 0, sizeof *x);
    if (hd_device_open(&(hd_config){.options = o, .noptions = 4, .file = "tiny"}, &x->r.dev))
        fail_msg("no device");
    MUST(&x->r, hd_module_load(x->r.dev, "form.ptx", PTX, 0, &x->r.mod));
    sim_watch(x->r.dev,
              &(struct watch){.trace = {collect, &x->trace}, .steps = {.step = see_step, .user = &x->seen}});
    uint64_t d = rig_zero(&x->r, sizeof x->out);
    x->status =
        rig_launch(&x->r, "k", LAUNCH(.grid = {1}, .block = {THREADS}), ARGS(PTR(d), hd_arg_u32(bad)));
    rig_out(&x->r, d, x->out, sizeof x->out);
    sim_profile(x->r.mod, &x->profile);
}

static void end(struct launched *x) {
    profile_free(&x->profile);
    sb_free(&x->trace);
    rig_close(&x->r);
}

/* Compares the work of all instructions but marks; cycles are another matter. */
static void expect_same_work(const struct launched *a, const struct launched *b, const char *mech) {
    const struct stats *s = sim_stats(a->r.dev, false), *t = sim_stats(b->r.dev, false);
    if (memcmp(a->out, b->out, sizeof a->out)) fail_msg("%s: memory differs", mech);
    assert_int_equal(s->sm.thread_insts, t->sm.thread_insts);
    assert_int_equal(s->exec.thread_insts, t->exec.thread_insts);
    assert_int_equal(s->exec.class_insts[IR_C_BRANCH], t->exec.class_insts[IR_C_BRANCH]);
    assert_int_equal(s->sm.overhead_lanes, 0);
    assert_true(t->sm.overhead_lanes > 0);
    assert_int_equal(t->exec.class_insts[IR_C_MARK], t->sm.overhead_lanes);
    assert_memory_equal(a->seen.steps, b->seen.steps, sizeof a->seen.steps);
    assert_memory_equal(a->seen.sum, b->seen.sum, sizeof a->seen.sum);
}

/* One that walks structured code runs nothing else. */
static void expect_refused(const char *mech, const char *form) {
    struct launched x;
    launch(&x, mech, form, NOBODY);
    assert_int_equal(x.status, HD_REFUSED);
    assert_non_null(strstr(hd_error(x.r.dev), "it needs structured code"));
    end(&x);
}

static void every_mechanism_does_the_same_work_with_marks_in(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct launched a, b;
        if ((*m)->form == CFG_FORM_STRUCTURED) {
            expect_refused((*m)->name, "none");
            expect_refused((*m)->name, "joins");
            continue;
        }
        launch(&a, (*m)->name, "none", NOBODY);
        launch(&b, (*m)->name, "joins", NOBODY);
        assert_int_equal(a.status, HD_OK);
        assert_int_equal(b.status, HD_OK);
        expect_same_work(&a, &b, (*m)->name);
        end(&a);
        end(&b);
    }
}

/* Each thread executes the same instructions in the same order, whatever has become of its branches. */
static void threads_take_the_same_steps_in_structured_form(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "minpc", "dwf", "mimd", "tf"};
    for (size_t k = 0; k < sizeof mechs / sizeof *mechs; k++) {
        struct launched a, b;
        launch(&a, mechs[k], "none", NOBODY);
        launch(&b, mechs[k], "structured", NOBODY);
        assert_true(a.status == HD_OK && b.status == HD_OK);
        assert_memory_equal(a.out, b.out, sizeof a.out);
        assert_memory_equal(a.seen.steps, b.seen.steps, sizeof a.seen.steps);
        assert_memory_equal(a.seen.sum, b.seen.sum, sizeof a.seen.sum);
        const struct stats *s = sim_stats(a.r.dev, false), *t = sim_stats(b.r.dev, false);
        assert_int_equal(s->sm.thread_insts, t->sm.thread_insts);
        assert_true(t->sm.overhead_lanes > 0);
        end(&a);
        end(&b);
    }
}

static void check_profile(const char *form) {
    struct launched a, b;
    launch(&a, "pdom", "none", NOBODY);
    launch(&b, "pdom", form, NOBODY);
    assert_int_equal(a.profile.branches.n, 2);
    assert_int_equal(b.profile.branches.n, 2);
    for (size_t k = 0; k < 2; k++) {
        const struct profile_row *x = &a.profile.branches.v[k], *y = &b.profile.branches.v[k];
        assert_int_equal(x->pc, y->pc);
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->count.executions, y->count.executions);
        assert_int_equal(x->count.lanes, y->count.lanes);
        assert_int_equal(x->count.divergences, y->count.divergences);
    }
    end(&a);
    end(&b);
}

static void the_profile_has_the_pcs_of_the_program(void **state) {
    (void)state;
    check_profile("joins");
    check_profile("structured");
}

/* The lines of a trace without cycles, SM and scheduler, but for marks; how many of those there are. */
static uint32_t without_marks(const char *trace, struct sb *out) {
    uint32_t marks = 0;
    for (const char *at = trace; *at;) {
        const size_t n = strcspn(at, "\n");
        struct sb line = {0};
        sb_addn(&line, at, n);
        const bool mark = strstr(line.text, "  sync") != NULL;
        marks += mark;
        const char *from = line.text;
        for (int field = 0; field < 3 && *from != '#'; field++) from += strcspn(from, " ") + 1;
        if (!mark && *line.text != '#' && !strstr(line.text, "block")) {
            size_t len = strcspn(from, ";"); /* what the mechanism said names marks */
            while (from[len - 1] == ' ') len--;
            sb_addn(out, from, len);
            sb_add(out, "\n");
        }
        sb_free(&line);
        at += n + (at[n] == '\n');
    }
    return marks;
}

static void the_trace_has_the_pcs_of_the_program_and_the_marks(void **state) {
    (void)state; /* equal lines, in another order: as many characters */
    struct launched a, b;
    struct sb plain = {0}, marked = {0};
    launch(&a, "pdom", "none", NOBODY);
    launch(&b, "pdom", "joins", NOBODY);
    assert_int_equal(without_marks(a.trace.text, &plain), 0);
    const uint32_t marks = without_marks(b.trace.text, &marked);
    assert_int_equal(marks, sim_stats(b.r.dev, false)->sm.overhead_insts);
    assert_int_equal(plain.len, marked.len);
    assert_non_null(strstr(b.trace.text, " 10 "));
    assert_non_null(strstr(a.trace.text, "; reconverge at 11\n")); /* what the mechanism says, too */
    assert_non_null(strstr(b.trace.text, "; reconverge at 11 sync\n"));
    sb_free(&plain);
    sb_free(&marked);
    end(&a);
    end(&b);
}

static void a_fault_names_the_line_of_the_program(void **state) {
    (void)state;
    struct launched a, b;
    launch(&a, "pdom", "none", THREADS - 1);
    launch(&b, "pdom", "joins", THREADS - 1);
    assert_int_equal(a.status, HD_FAULT);
    assert_int_equal(b.status, HD_FAULT);
    assert_non_null(strstr(hd_error(a.r.dev), "form.ptx:30: st.global.u32 [%a2], %r1;"));
    assert_string_equal(hd_error(a.r.dev), hd_error(b.r.dev));
    end(&a);
    end(&b);
}

/* ---- a mechanism that asks for a form, with tables of its own ---- */

static uint32_t prepared, syncs;

static const void *prepare_once(const struct mech_program *p, struct arena *mem, struct err *e) {
    uint32_t *n = ARENA_NEW(mem, uint32_t, 1);
    (void)e;
    prepared++;
    for (size_t pc = 0; pc < p->module->code.n; pc++) *n += p->module->code.v[pc].op == IR_MARK;
    return n;
}
static const void *refuse_at_join(const struct mech_program *p, struct arena *mem, struct err *e) {
    (void)mem;
    for (size_t pc = 0; pc < p->module->code.n; pc++)
        if (p->module->code.v[pc].op == IR_MARK) {
            err_set(e, ERR_INPUT, "%s:%" PRIu32 ": a join", p->module->name, p->module->code.v[pc].line);
            return NULL;
        }
    return mem;
}
static void commit_looking(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    assert_int_equal(*(const uint32_t *)m->env.tables, 3); /* LOOP, what is behind it, and JOIN */
    syncs += o->insn->op == IR_MARK;
    mech_find("nrec")->commit(m, s, o);
}

static void count_nothing(void *user, uint32_t pc, const struct sm_branch *b) {
    (void)user, (void)pc, (void)b;
}

static bool run_gpu(struct launched *x, const struct mech_ops *ops, struct gpu_tables *tables,
                    struct stats *s, struct err *e) {
    const struct rewrite *form;
    hd_module *mod = x->r.mod;
    const uint64_t d = rig_zero(&x->r, sizeof x->out);
    uint8_t params[16] = {0};
    memcpy(params, &d, 8);
    memcpy(params + 8, &(uint32_t){NOBODY}, 4);
    assert_true(sim_form(mod, CFG_NONE, &form, e));
    const struct exec_launch exec = {
        .image = mod->image, .form = form->m, .grid = {3, 1, 1}, .block = {THREADS, 1, 1}, .params = params};
    struct series none = {0};
    struct gpu_launch l = {.exec = &exec,
                           .module = mod->ir,
                           .cfg = mod->cfg,
                           .form = form,
                           .mech = ops,
                           .tables = tables,
                           .param = NULL,
                           .count = count_nothing,
                           .series = &none};
    struct gpu *g = gpu_new(&x->r.dev->options, e);
    const bool good = gpu_simulate(g, &l, s, e);
    gpu_free(g);
    rig_out(&x->r, d, x->out, sizeof x->out);
    return good;
}

static void a_form_and_tables_are_made_once_for_all_sms_and_launches(void **state) {
    (void)state;
    struct launched x;
    struct mech_ops ops = *mech_find("nrec");
    struct stats s;
    struct err e = {0};
    struct gpu_tables tables = {0}, none = {0};
    launch(&x, "pdom", "joins", NOBODY);
    uint32_t want[THREADS];
    memcpy(want, x.out, sizeof want);
    ops.prepare = prepare_once;
    ops.commit = commit_looking;
    prepared = 0;
    for (int k = 0; k < 2; k++) {
        syncs = 0;
        assert_true(run_gpu(&x, &ops, &tables, &s, &e));
        assert_int_equal(prepared, 1);
        assert_int_equal(syncs, s.sm.overhead_insts);
        assert_memory_equal(x.out, want, sizeof want);
    }
    arena_free(&tables.mem);
    ops.prepare = refuse_at_join;
    assert_false(run_gpu(&x, &ops, &none, &s, &e));
    assert_string_equal(err_text(&e), "form.ptx:15: a join");
    err_free(&e);
    end(&x);
}

/* Thread 0 would store, but the stack runs the others first, which wait for it: PCs 4 to 6 and 8. */
static const char WAITS[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    "\t.reg .b64 %a0;\n\t.reg .b32 %r<2>;\n\t.reg .pred %p<2>;\n\tld.param.u64 %a0, [out];\n"
    "\tmov.u32 %r0, %tid.x;\n\tsetp.eq.u32 %p1, %r0, 0;\n\t@%p1 bra S;\n"
    "L:\n\tld.volatile.global.u32 %r1, [%a0];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n\tbra E;\n"
    "S:\n\tst.volatile.global.u32 [%a0], 1;\nE:\n\tret;\n}\n";

/* One kernel of two is irreducible, with an indirect branch. */
static const char MIXED[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry bad(.param .u64 out)\n{\n"
    "\t.reg .b32 %r<2>;\n\t.reg .pred %p<2>;\n\tmov.u32 %r0, %tid.x;\n"
    "T:\t.branchtargets A, B;\n\tbrx.idx %r0, T;\nA:\n\tsetp.eq.u32 %p0, %r0, 0;\nB:\n\t@%p0 bra "
    "A;\n\tret;\n}\n"
    ".visible .entry good(.param .u64 out)\n{\n"
    "\t.reg .b64 %a0;\n\t.reg .b32 %r<2>;\n\t.reg .pred %p<2>;\n\tld.param.u64 %a0, [out];\n"
    "\tmov.u32 %r0, %tid.x;\n\tsetp.ne.u32 %p1, %r0, 0;\n\t@%p1 bra E;\n\tst.global.u32 [%a0], 7;\n"
    "E:\n\tadd.u32 %r0, %r0, 1;\n\tret;\n}\n";

static void a_kernel_without_the_form_is_refused_and_the_others_run(void **state) {
    (void)state;
    hd_option o[] = {{"run.mode", "timed"}, {"run.mech", "pdom"}, {"run.form", "structured"}};
    struct rig r = {0};
    if (hd_device_open(&(hd_config){.options = o, .noptions = 3, .file = "tiny"}, &r.dev))
        fail_msg("no device");
    MUST(&r, hd_module_load(r.dev, "mixed.ptx", MIXED, 0, &r.mod));
    const uint64_t d = rig_zero(&r, 4);
    uint32_t got = 0;
    RUN(&r, "good", LAUNCH(.grid = {1}, .block = {8}), PTR(d));
    rig_out(&r, d, &got, 4);
    assert_int_equal(got, 7);
    assert_true(sim_stats(r.dev, false)->sm.overhead_insts > 0);
    rig_fails(&r, "bad", LAUNCH(.grid = {1}, .block = {8}), ARGS(PTR(d)), HD_REFUSED,
              TEXTS("mixed.ptx:14: error: bad has no structured form: the loop closed by the jump from B"));
    RUN(&r, "good", LAUNCH(.grid = {1}, .block = {8}), PTR(d));
    rig_close(&r);
}

static void the_watchdog_s_report_has_the_pcs_of_the_program(void **state) {
    (void)state;
    static const char *const form[] = {"none", "joins", "structured"};
    for (size_t k = 0; k < 3; k++) {
        hd_option o[] = {
            {"run.mode", "timed"}, {"run.mech", "pdom"}, {"pdom.side", "fallthrough"}, {"run.form", form[k]}};
        struct rig r = {0};
        if (hd_device_open(&(hd_config){.options = o, .noptions = 4, .file = "tiny"}, &r.dev))
            fail_msg("%s", hd_error(r.dev));
        MUST(&r, hd_module_load(r.dev, "waits.ptx", WAITS, 0, &r.mod));
        const uint64_t d = rig_zero(&r, 4);
        assert_int_equal(rig_launch(&r, "k", LAUNCH(.grid = {1}, .block = {8}), ARGS(PTR(d))), HD_FAULT);
        const char *top = strstr(hd_error(r.dev), "      pc 8 rpc - w0:00000001\n      pc ");
        if (!top) fail_msg("%s: %s", form[k], hd_error(r.dev));
        const char *running = strstr(top, "\n      pc ") + 10;
        assert_in_range(strtoul(running, NULL, 10), 4, 6);
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mechanism_does_the_same_work_with_marks_in),
        cmocka_unit_test(threads_take_the_same_steps_in_structured_form),
        cmocka_unit_test(a_kernel_without_the_form_is_refused_and_the_others_run),
        cmocka_unit_test(the_profile_has_the_pcs_of_the_program),
        cmocka_unit_test(the_watchdog_s_report_has_the_pcs_of_the_program),
        cmocka_unit_test(the_trace_has_the_pcs_of_the_program_and_the_marks),
        cmocka_unit_test(a_fault_names_the_line_of_the_program),
        cmocka_unit_test(a_form_and_tables_are_made_once_for_all_sms_and_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Runs of subjects: what a workload's check finds, what hooks see, names. The workloads here are made for the test, wrong ones
 * among them, which the table of real ones cannot have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lab/run/compare.h"

/* Every thread stores its number plus what is there. */
static const char number_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry number(.param .u64 a) {\n"
                                 ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                                 "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n"
                                 "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                                 "ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, %r1;\n"
                                 "st.global.u32 [%rd3], %r2; ret; }\n";
enum { THREADS = 64 };

/* Launches so often, and wants element `wrong` to be one more than it is. */
static void number(struct work *w, uint32_t launches, uint32_t wrong) {
    uint32_t *want = work_host(w, THREADS, sizeof *want);
    uint64_t a = work_buffer(w, "a", THREADS * sizeof *want);
    for (uint32_t i = 0; i < launches; i++)
        WORK_LAUNCH(w, "number", WORK_SHAPE(.grid = {1}, .block = {THREADS}), hd_arg_ptr(a));
    for (uint32_t i = 0; i < THREADS; i++) want[i] = launches * i + (i == wrong);
    work_check_u32(w, "a", a, want, THREADS);
}

static void right(struct work *w) {
    number(w, work_pick(w, 1, 3, 5), THREADS);
}

static void broken(struct work *w) {
    number(w, 1, 7);
    work_expect(w, false, NULL, 0, "only the first failure is told");
}

/* What it computes is what it draws. */
static void drawing(struct work *w) {
    const uint32_t drawn = work_random(w);
    work_expect(w, true, &drawn, sizeof drawn, "always");
}

/* The check holds, but the bytes are not the same on a machine with time. */
static void fickle(struct work *w) {
    double cycles = 0;
    number(w, 1, THREADS);
    hd_stat(w->dev, 0, "gpu.cycles", &cycles);
    bool timed = cycles > 0;
    work_expect(w, true, &timed, sizeof timed, "always");
}

static void faulty(struct work *w) {
    WORK_LAUNCH(w, "number", WORK_SHAPE(.grid = {1}, .block = {THREADS}), hd_arg_ptr(0));
    work_check_u32(w, "nothing", 0, (uint32_t[THREADS]){0}, THREADS);
}

static void misnamed(struct work *w) {
    WORK_LAUNCH(w, "nmber", WORK_SHAPE(.grid = {1}, .block = {THREADS}), hd_arg_ptr(0));
}

static struct workload workload(void (*run)(struct work *)) {
    return (struct workload){.name = "test",
                             .origin = "test",
                             .code = number_ptx,
                             .code_bytes = sizeof number_ptx - 1,
                             .run = run};
}

static const hd_option functional[] = {{"run.mode", "functional"}};
static const hd_option timed[] = {{"run.mode", "timed"}, {"run.mech", "pdom"}};
static const hd_config without_time = {.options = functional, .noptions = 1};
static const hd_config with_time = {.options = timed, .noptions = 2, .file = "tiny"};

/* ---- one run ---- */

struct seen {
    hd_device *dev;
    unsigned opened, before, after, ended, closing;
    uint64_t threads; /* threads of all launches, each by its own statistics */
};

static void on_opened(void *user, hd_device *dev) {
    struct seen *s = user;
    s->dev = dev;
    s->opened++;
}
static void on_before(void *user, hd_kernel *k, const hd_launch *l) {
    struct seen *s = user;
    hd_kernel_info info;
    assert_int_equal(hd_kernel_get_info(k, &info), HD_OK);
    assert_string_equal(info.name, "number");
    assert_int_equal(l->block[0], THREADS);
    s->before++;
}
static void on_after(void *user, hd_kernel *k, const hd_launch *l) {
    struct seen *s = user;
    (void)k, (void)l;
    s->after++;
    s->threads += sim_stats(s->dev, false)->exec.threads;
}
static void on_ended(void *user, hd_device *dev, hd_module *mod, const hd_arg *args) {
    struct seen *s = user;
    assert_ptr_equal(dev, s->dev);
    assert_non_null(mod);
    assert_null(args);
    s->ended++;
}
static void on_closing(void *user, hd_device *dev) {
    struct seen *s = user;
    assert_ptr_equal(dev, s->dev);
    s->closing++;
}

static struct seen run(void (*code)(struct work *), enum work_size size, const hd_config *config,
                       struct lab_outcome *out) {
    struct seen s = {0};
    const struct workload w = workload(code);
    const struct lab_hooks hooks = {.opened = on_opened,
                                    .before = on_before,
                                    .after = on_after,
                                    .ended = on_ended,
                                    .closing = on_closing,
                                    .user = &s};
    lab_run(&(struct lab_subject){.workload = &w, .size = size}, config, &hooks, out);
    return s;
}

/* run.seed = 0 is what it is without; every other number draws something else, and the same again. */
static void the_seed_decides_what_inputs_are_drawn(void **state) {
    (void)state;
    static const char *const seed[] = {NULL, "0", "1", "2", "1"};
    struct lab_outcome out[5];
    for (size_t k = 0; k < 5; k++) {
        const hd_option set = {"run.seed", seed[k] ? seed[k] : ""};
        run(drawing, WORK_TINY, &(hd_config){.options = &set, .noptions = seed[k] != NULL}, &out[k]);
        assert_int_equal(out[k].err.code, ERR_OK);
    }
    assert_int_equal(out[1].digest, out[0].digest);
    assert_int_equal(out[4].digest, out[2].digest);
    assert_int_not_equal(out[2].digest, out[0].digest);
    assert_int_not_equal(out[3].digest, out[0].digest);
    assert_int_not_equal(out[3].digest, out[2].digest);
    for (size_t k = 0; k < 5; k++) lab_outcome_free(&out[k]);
}

static void a_right_workload_is_verified(void **state) {
    (void)state;
    struct lab_outcome out[2];
    struct seen s = run(right, WORK_SMALL, &without_time, &out[0]);
    assert_int_equal(out[0].err.code, ERR_OK);
    assert_false(out[0].wrong);
    assert_int_equal(out[0].checked, THREADS);
    assert_int_equal(out[0].launches, 3);
    assert_int_equal(out[0].total.exec.threads, 3 * THREADS);
    assert_int_equal(s.opened, 1);
    assert_int_equal(s.before, 3);
    assert_int_equal(s.after, 3);
    assert_int_equal(s.threads, 3 * THREADS);
    assert_int_equal(s.ended, 1);
    assert_int_equal(s.closing, 1);
    run(right, WORK_SMALL, &with_time, &out[1]);
    assert_int_equal(out[1].digest, out[0].digest);
    assert_true(out[1].total.gpu.cycles > 0);
    lab_outcome_free(&out[0]);
    lab_outcome_free(&out[1]);
}

static void a_wrong_element_is_named(void **state) {
    (void)state;
    struct lab_outcome out;
    struct seen s = run(broken, WORK_TINY, &with_time, &out);
    assert_true(out.wrong);
    assert_int_equal(out.err.code, ERR_FAULT);
    assert_string_equal(err_text(&out.err), "the result is wrong: a[7] is 7, not 8");
    assert_int_equal(out.launches, 1);
    assert_true(out.total.gpu.cycles > 0); /* statistics are there all the same */
    assert_int_equal(s.after, 1);
    assert_int_equal(s.ended, 0);
    assert_int_equal(s.closing, 1);
    lab_outcome_free(&out);
}

static void a_fault_is_not_a_wrong_result(void **state) {
    (void)state;
    struct lab_outcome out;
    struct seen s = run(faulty, WORK_TINY, &without_time, &out);
    assert_false(out.wrong);
    assert_int_equal(out.err.code, ERR_FAULT);
    assert_non_null(strstr(err_text(&out.err), "kernel number, block (0,0,0), thread (0,0,0)"));
    assert_int_equal(s.before, 1);
    assert_int_equal(s.after, 0);
    assert_int_equal(s.closing, 1);
    lab_outcome_free(&out);
    run(misnamed, WORK_TINY, &without_time, &out);
    assert_false(out.wrong);
    assert_int_equal(out.err.code, ERR_INPUT);
    lab_outcome_free(&out);
}

static void a_device_that_cannot_be_opened_is_an_error(void **state) {
    (void)state;
    struct lab_outcome out;
    struct seen s = run(right, WORK_TINY, &(hd_config){.file = "nosuch"}, &out);
    assert_int_equal(out.err.code, ERR_INPUT);
    assert_int_equal(s.opened, 0);
    assert_int_equal(s.closing, 0);
    lab_outcome_free(&out);
}

/* The digest of a program is of its buffers, every byte of them. */
static void a_program_is_digested_unless_spared(void **state) {
    (void)state;
    uint32_t data[THREADS] = {0};
    struct lab_arg arg = {.text = "buffer", .bytes = sizeof data, .initial = (const uint8_t *)data};
    const struct lab_program p = {.file = "test.ptx",
                                  .text = number_ptx,
                                  .text_bytes = sizeof number_ptx - 1,
                                  .kernel = "number",
                                  .launch = {.grid = {1}, .block = {THREADS}},
                                  .args = &arg,
                                  .nargs = 1};
    const struct lab_hooks spared = {.no_digest = true};
    struct lab_outcome out[4];
    lab_run(&(struct lab_subject){.program = &p}, &without_time, NULL, &out[0]);
    lab_run(&(struct lab_subject){.program = &p}, &with_time, NULL, &out[1]);
    lab_run(&(struct lab_subject){.program = &p}, &with_time, &spared, &out[2]);
    data[THREADS - 1] = 1;
    lab_run(&(struct lab_subject){.program = &p}, &with_time, NULL, &out[3]);
    assert_int_equal(out[0].digest, out[1].digest);
    assert_int_equal(out[2].digest, 0);
    assert_int_not_equal(out[3].digest, out[0].digest);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(out[i].err.code, ERR_OK);
        assert_int_equal(out[i].launches, 1);
        lab_outcome_free(&out[i]);
    }
}

/* ---- scripts ---- */

/* Numbers a buffer twice, prints in between, and has a check that fails when the second launch saw nothing of the first. */
static bool numbers_twice(const void *user, struct lab_stage *st, struct err *e) {
    const uint32_t *skew = user; /* what a timed run would leave if it were wrong */
    uint64_t addr;
    hd_kernel *k;
    bool fine = lab_check(st->dev, hd_alloc(st->dev, THREADS * sizeof(uint32_t), &addr), e) &&
                lab_check(st->dev, hd_module_kernel(st->mod, "number", &k), e);
    for (int i = 0; i < 2 && fine; i++) {
        fine = lab_stage_launch(st, k, &(hd_launch){.block = {THREADS}}, (hd_arg[]){hd_arg_ptr(addr)}, 1, e);
        if (fine && st->hooks->print) st->hooks->print(st->hooks->user, "x", 1);
    }
    double cycles = 0;
    if (fine && skew && !hd_stat(st->dev, 1, "gpu.cycles", &cycles) && cycles > 0)
        fine = lab_check(st->dev, hd_copy_in(st->dev, addr, skew, sizeof *skew), e);
    st->out->checked = 5;
    if (fine && st->hooks->buffers)
        st->hooks->buffers(st->hooks->user, st->dev,
                           &(struct lab_buffer){"a", addr, THREADS * sizeof(uint32_t)}, 1);
    return fine;
}

static struct lab_script script(const uint32_t *skew) {
    return (struct lab_script){.name = "s.hds",
                               .file = "test.ptx",
                               .text = number_ptx,
                               .text_bytes = sizeof number_ptx - 1,
                               .run = numbers_twice,
                               .user = skew};
}

static void count_print(void *user, const char *text, size_t n) {
    size_t *printed = user;
    (void)text;
    *printed += n;
}

static void a_script_launches_on_one_device(void **state) {
    (void)state;
    const struct lab_script s = script(NULL);
    const struct lab_subject subject = {.script = &s};
    struct lab_outcome out;
    struct sb name = {0};
    size_t printed = 0;
    lab_run(&subject, &with_time, &(struct lab_hooks){.print = count_print, .user = &printed}, &out);
    assert_int_equal(out.err.code, ERR_OK);
    assert_int_equal(out.launches, 2);
    assert_int_equal(out.checked, 5);
    assert_int_equal(printed, 2);
    assert_true(out.total.gpu.cycles > 0);
    lab_outcome_free(&out);
    lab_subject_name(&subject, &name);
    assert_string_equal(name.text, "test.ptx:s.hds");
    sb_free(&name);
}

static void a_comparison_looks_at_the_buffers_of_a_script(void **state) {
    (void)state;
    static const uint32_t skew = 77;
    const struct lab_script s[] = {script(NULL), script(&skew)};
    const struct lab_subject subjects[] = {{.script = &s[0]}, {.script = &s[1]}};
    const struct lab_machine machine = {"pdom", with_time};
    struct lab_comparison c = {.subjects = subjects,
                               .nsubjects = 2,
                               .machines = &machine,
                               .nmachines = 1,
                               .reference = without_time};
    struct err e = {0};
    assert_true(lab_compare(&c, &e));
    assert_true(lab_cell_right(lab_cell(&c, 0, 0)));
    assert_true(lab_cell(&c, 1, 0)->difference.any);
    assert_string_equal(lab_cell(&c, 1, 0)->difference.symbol, "a");
    assert_int_equal(lab_cell(&c, 1, 0)->difference.offset, 0);
    lab_compare_free(&c);
}

/* ---- compared ---- */

static void a_comparison_sees_what_a_check_cannot(void **state) {
    (void)state;
    const struct workload w[] = {workload(right), workload(fickle)};
    const struct lab_subject subjects[] = {{.workload = &w[0]}, {.workload = &w[1]}};
    const struct lab_machine machines[] = {{"functional", without_time}, {"pdom", with_time}};
    struct lab_comparison c = {.subjects = subjects,
                               .nsubjects = 2,
                               .machines = machines,
                               .nmachines = 2,
                               .reference = without_time};
    struct err e = {0};
    assert_true(lab_compare(&c, &e));
    assert_true(lab_cell_right(lab_cell(&c, 0, 0)));
    assert_true(lab_cell_right(lab_cell(&c, 0, 1)));
    assert_true(lab_cell_right(lab_cell(&c, 1, 0)));
    assert_false(lab_cell_right(lab_cell(&c, 1, 1)));
    assert_int_equal(lab_cell(&c, 1, 1)->out.err.code, ERR_OK);
    assert_true(lab_cell(&c, 1, 1)->difference.any);
    lab_compare_free(&c);
}

static void a_wrong_reference_ends_a_comparison(void **state) {
    (void)state;
    const struct workload w = workload(broken);
    const struct lab_subject subject = {.workload = &w};
    const struct lab_machine machine = {"pdom", with_time};
    struct lab_comparison c = {.subjects = &subject,
                               .nsubjects = 1,
                               .machines = &machine,
                               .nmachines = 1,
                               .reference = without_time};
    struct err e = {0};
    assert_false(lab_compare(&c, &e));
    assert_int_equal(e.code, ERR_FAULT);
    assert_string_equal(err_text(&e), "@test: the result is wrong: a[7] is 7, not 8");
    err_free(&e);
    lab_compare_free(&c);
}

/* ---- names ---- */

static void names_are_found_or_suggested(void **state) {
    (void)state;
    struct err e = {0};
    enum work_size size = WORK_TINY;
    assert_string_equal(lab_workload("matrix", &e)->name, "matrix");
    assert_null(lab_workload("matirx", &e));
    assert_string_equal(err_text(&e), "there is no workload 'matirx' (did you mean @matrix?)");
    assert_null(lab_workload("", &e));
    assert_null(lab_workload("no such workload in all the world", &e));
    assert_non_null(strstr(err_text(&e), "'heddle list workloads' shows them"));
    assert_true(lab_size("paper", &size, &e));
    assert_int_equal(size, WORK_PAPER);
    assert_false(lab_size("huge", &size, &e));
    assert_string_equal(err_text(&e), "there is no size 'huge': tiny, small or paper");
    err_free(&e);
    struct sb name = {0};
    lab_subject_name(&(struct lab_subject){.workload = workload_find("matrix")}, &name);
    assert_string_equal(name.text, "@matrix");
    sb_free(&name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_workload_is_verified),
        cmocka_unit_test(the_seed_decides_what_inputs_are_drawn),
        cmocka_unit_test(a_wrong_element_is_named),
        cmocka_unit_test(a_fault_is_not_a_wrong_result),
        cmocka_unit_test(a_device_that_cannot_be_opened_is_an_error),
        cmocka_unit_test(a_program_is_digested_unless_spared),
        cmocka_unit_test(a_script_launches_on_one_device),
        cmocka_unit_test(a_comparison_looks_at_the_buffers_of_a_script),
        cmocka_unit_test(a_comparison_sees_what_a_check_cannot),
        cmocka_unit_test(a_wrong_reference_ends_a_comparison),
        cmocka_unit_test(names_are_found_or_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

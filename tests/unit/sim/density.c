/* Lanes over time: whatever the length of a run, nothing is lost from the cells, bins and windows stay within their bounds,
 * and what a close-up has is exactly what was issued. */
#include <string.h>

#include "kernels/harness.h"
#include "sim/observe/density.h"
#include "sim/sim.h"

enum { BINS = 64, WINDOWS = 8, KEPT = 10 };
static const struct density_options small = {.sm = 1, .bins = BINS, .windows = WINDOWS, .issues = KEPT};

static struct density_cell sum(const struct density *l, const struct density_track *t) {
    struct density_cell s = {0};
    for (uint32_t k = 0; t->cells && k < l->o.bins; k++) {
        s.issues += t->cells[k].issues;
        s.threads += t->cells[k].threads;
    }
    return s;
}

static void feed(struct density *l, uint64_t cycle, uint32_t warp, uint32_t mask, uint32_t pc) {
    density_packet(l, cycle, l->o.sm, (uint32_t)__builtin_popcount(mask), pc);
    density_piece(l, &(struct density_issue){cycle, warp, mask, pc});
}

static void a_short_run_has_a_bin_for_each_cycle(void **state) {
    (void)state;
    struct density l;
    density_init(&l, &small);
    for (uint32_t c = 0; c < BINS; c++) feed(&l, c, c % 2, c % 2 ? 0xf : 0xff, 100 + c);
    assert_int_equal(l.shift, 0);
    assert_int_equal(density_used(&l), BINS);
    assert_int_equal(l.warps.n, 2);
    for (uint32_t c = 0; c < BINS; c++) {
        const struct density_cell *cell = &l.warps.v[c % 2].cells[c];
        assert_int_equal(cell->issues, 1);
        assert_int_equal(cell->threads, c % 2 ? 4 : 8);
        assert_int_equal(cell->pc, 100 + c);
        assert_int_equal(l.warps.v[1 - c % 2].cells[c].issues, 0);
    }
    for (uint32_t w = 0; w < WINDOWS; w++) assert_int_equal(l.windows.v[w].issues.n, BINS / WINDOWS);
    density_free(&l);
}

static void bins_double_when_time_outgrows_them_and_nothing_is_lost(void **state) {
    (void)state;
    struct density l;
    uint64_t threads = 0, cycle = 0;
    density_init(&l, &small);
    for (uint32_t k = 0; k < 5000; k++, cycle += 1 + k % 7) {
        const uint32_t mask = k * 2654435761u | 1;
        feed(&l, cycle, k % 3, mask, k % 5);
        threads += (uint32_t)__builtin_popcount(mask);
    }
    assert_true(l.end > (uint64_t)(BINS / 2) << l.shift);
    assert_true(l.end <= (uint64_t)BINS << l.shift);
    struct density_cell all = sum(&l, &l.sms.v[1]), warps = {0};
    for (size_t w = 0; w < l.warps.n; w++) {
        const struct density_cell one = sum(&l, &l.warps.v[w]);
        warps.issues += one.issues;
        warps.threads += one.threads;
    }
    assert_int_equal(all.issues, 5000);
    assert_int_equal(all.threads, threads);
    assert_int_equal(warps.issues, 5000);
    assert_int_equal(warps.threads, threads);
    assert_null(l.sms.v[0].cells); /* an SM that never issued */
    density_free(&l);
}

static void a_window_keeps_its_first_issues_and_no_part_of_a_cycle(void **state) {
    (void)state;
    struct density l;
    density_init(&l, &small);
    for (uint32_t c = 0; c < 4000; c++)
        for (uint32_t w = 0; w < 3; w++)
            feed(&l, c, w, 1u << w, c); /* three a cycle: ten end within the fourth */
    const uint64_t stride = density_stride(&l);
    assert_int_equal(stride * WINDOWS, 4096);
    for (uint32_t k = 0; k < WINDOWS; k++) {
        const struct density_window *w = &l.windows.v[k];
        assert_true(w->full);
        assert_int_equal(w->issues.n, 9);
        assert_int_equal(w->end, k * stride + 3);
        for (uint32_t i = 0; i < 9; i++) {
            assert_int_equal(w->issues.v[i].cycle, k * stride + i / 3);
            assert_int_equal(w->issues.v[i].warp, i % 3);
        }
    }
    density_free(&l);
}

static void windows_that_kept_all_are_joined_and_keep_all(void **state) {
    (void)state;
    struct density l;
    density_init(&l, &small);
    for (uint32_t k = 0; k < WINDOWS * KEPT; k++) feed(&l, k * 100, 0, 1, k); /* 8000 cycles, 80 issues */
    uint32_t n = 0;
    for (uint32_t w = 0; w < WINDOWS; w++)
        for (size_t i = 0; i < l.windows.v[w].issues.n; i++, n++) {
            assert_false(l.windows.v[w].full && l.windows.v[w].issues.n < KEPT - 1);
            assert_int_equal(l.windows.v[w].issues.v[i].cycle / density_stride(&l), w);
        }
    assert_true(n > WINDOWS * KEPT * 3 / 4); /* windows of 1024 cycles have 10 or 11 of them */
    density_free(&l);
}

static void a_pc_of_most_issues_is_the_one_of_its_cell(void **state) {
    (void)state;
    struct density l;
    density_init(&l, &small);
    for (uint32_t c = 0; c < 6400; c++) feed(&l, c, 0, 1, c % 5 < 3 ? 7 : c);
    for (uint32_t k = 0; k + 1 < density_used(&l); k++) assert_int_equal(l.warps.v[0].cells[k].pc, 7);
    density_free(&l);
}

/* A launch: what the cells have is what the statistics count, for machine warps narrower than 32 threads too. */
static void cells_have_what_a_launch_issued(void **state) {
    (void)state;
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
                              "\t.reg .b32 %r;\n\t.reg .pred %p;\n\tmov.u32 %r, %tid.x;\n"
                              "L:\tadd.u32 %r, %r, 7;\n\tsetp.lt.u32 %p, %r, 900;\n\t@%p bra L;\n\tret;\n}\n";
    const hd_option o[] = {{"run.mode", "timed"}, {"gpu.sms", "1"}};
    struct rig r = {0};
    MUST(&r, hd_device_open(&(hd_config){.options = o, .noptions = 2, .file = "tiny"}, &r.dev));
    MUST(&r, hd_module_load(r.dev, "k.ptx", ptx, 0, &r.mod));
    sim_watch(r.dev, &(struct watch){.density = {.sm = 0, .bins = BINS, .windows = WINDOWS, .issues = KEPT}});
    for (int k = 0; k < 2; k++) MUST(&r, rig_launch(&r, "k", LAUNCH(.grid = {6}, .block = {40}), NULL, 0));
    const struct density *l = sim_density(r.dev);
    const struct stats *s = sim_stats(r.dev, true);
    struct density_cell all = sum(l, &l->sms.v[0]), warps = {0};
    for (size_t w = 0; w < l->warps.n; w++) {
        warps.issues += sum(l, &l->warps.v[w]).issues;
        warps.threads += sum(l, &l->warps.v[w]).threads;
    }
    assert_int_equal(all.issues, s->sm.issues);
    assert_int_equal(all.threads, s->sm.thread_insts);
    assert_int_equal(warps.issues, s->sm.issues);
    assert_int_equal(warps.threads, s->sm.thread_insts);
    assert_true(l->end <= s->gpu.cycles);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_run_has_a_bin_for_each_cycle),
        cmocka_unit_test(bins_double_when_time_outgrows_them_and_nothing_is_lost),
        cmocka_unit_test(a_window_keeps_its_first_issues_and_no_part_of_a_cycle),
        cmocka_unit_test(windows_that_kept_all_are_joined_and_keep_all),
        cmocka_unit_test(a_pc_of_most_issues_is_the_one_of_its_cell),
        cmocka_unit_test(cells_have_what_a_launch_issued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

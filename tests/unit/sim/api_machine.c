/* The machine read back, occupancy, launches of either mode on one device, cooperative launches. */
#include "api.h"

/* Every thread counts up its word, all blocks meet, and it adds its neighbour's word of another block; twice. The barrier is
 * the one that nvcc makes of grid.sync(): the workspace's word at 4. */
static const char GRID[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".func meet(.param .b64 w)\n{\n  .reg .b64 %d<2>; .reg .b32 %r<12>; .reg .pred %p<4>;\n"
    "  ld.param.u64 %d0, [w];\n  setp.ne.u64 %p0, %d0, 0;\n  @!%p0 trap;\n  barrier.sync 0;\n"
    "  mov.u32 %r0, %tid.x;\n  setp.ne.u32 %p1, %r0, 0;\n  @%p1 bra DONE;\n"
    "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %nctaid.x;\n  setp.eq.u32 %p2, %r1, 0;\n"
    "  mov.u32 %r3, -2147483647;\n  sub.s32 %r4, %r3, %r2;\n  selp.b32 %r5, %r4, 1, %p2;\n"
    "  atom.add.release.gpu.u32 %r6, [%d0+4], %r5;\nSPIN:\n  ld.acquire.gpu.u32 %r7, [%d0+4];\n"
    "  xor.b32 %r8, %r7, %r6;\n  setp.gt.s32 %p3, %r8, -1;\n  @%p3 bra SPIN;\nDONE:\n  barrier.sync 0;\n  "
    "ret;\n}\n"
    ".visible .entry rounds(.param .u64 p, .param .u64 q)\n{\n  .reg .b64 %d<12>; .reg .b32 %r<16>; .reg "
    ".pred %p0;\n"
    "  ld.param.u64 %d0, [p];\n  ld.param.u64 %d1, [q];\n  mov.u32 %r0, %envreg1;\n  mov.u32 %r1, %envreg2;\n"
    "  mov.b64 %d2, {%r1, %r0};\n  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %ctaid.x;\n"
    "  mov.u32 %r5, %nctaid.x;\n  mad.lo.u32 %r6, %r4, %r3, %r2;\n  mul.lo.u32 %r7, %r3, %r5;\n"
    "  add.u32 %r8, %r6, %r3;\n  rem.u32 %r9, %r8, %r7;\n  mul.wide.u32 %d3, %r6, 4;\n  mul.wide.u32 %d4, "
    "%r9, 4;\n"
    "  add.u64 %d5, %d0, %d3;\n  add.u64 %d6, %d0, %d4;\n  add.u64 %d7, %d1, %d3;\n  mov.u32 %r10, "
    "0;\nLOOP:\n"
    "  ld.global.u32 %r11, [%d5];\n  add.u32 %r11, %r11, %r6;\n  st.global.u32 [%d5], %r11;\n"
    "  { .param .b64 w; st.param.b64 [w], %d2; call.uni meet, (w); }\n"
    "  ld.global.u32 %r12, [%d6];\n  ld.global.u32 %r13, [%d7];\n  add.u32 %r13, %r13, %r12;\n"
    "  st.global.u32 [%d7], %r13;\n"
    "  { .param .b64 w; st.param.b64 [w], %d2; call.uni meet, (w); }\n"
    "  add.u32 %r10, %r10, 1;\n  setp.lt.u32 %p0, %r10, 2;\n  @%p0 bra LOOP;\n  ret;\n}\n";

static hd_device *opened(const char *file, const hd_option *options, size_t n) {
    hd_device *dev;
    const hd_config config = {.file = file, .options = options, .noptions = n};
    if (hd_device_open(&config, &dev)) fail_msg("%s", hd_error(dev));
    return dev;
}

static hd_kernel *loaded(hd_device *dev, const char *text, const char *name) {
    hd_module *mod;
    hd_kernel *k = NULL;
    WORKS(dev, hd_module_load(dev, "machine.ptx", text, 0, &mod));
    WORKS(dev, hd_module_kernel(mod, name, &k));
    return k;
}

/* ---- what there is ---- */

static void a_configuration_is_read_back(void **state) {
    (void)state;
    hd_device_info d;
    hd_device *dev = opened("turing-rtx2060", NULL, 0);
    uint64_t buf;
    WORKS(dev, hd_alloc(dev, 1000, &buf));
    assert_int_equal(hd_device_get_info(dev, &d), HD_OK);
    assert_string_equal(d.name, "turing-rtx2060");
    assert_string_equal(d.mech, "pdom");
    assert_true(d.timed);
    assert_int_equal(d.sms, 30);
    assert_int_equal(d.warp_size, 32);
    assert_int_equal(d.lanes, 64);
    assert_int_equal(d.max_threads_per_block, 1024);
    assert_int_equal(d.max_threads_per_sm, 1024);
    assert_int_equal(d.max_blocks_per_sm, 16);
    assert_int_equal(d.registers_per_sm, 65536);
    assert_int_equal(d.shared_per_sm, 64 << 10);
    assert_int_equal(d.shared_per_block, 64 << 10);
    assert_int_equal(d.l2_bytes, 3 << 20);
    assert_int_equal(d.memory_bytes, UINT64_C(6) << 30);
    assert_int_equal(d.memory_used, 1000);
    assert_true(d.core_mhz == 1365);
    assert_true(d.memory_mhz * d.bus_bits / 8 == 336000); /* MB/s */
    assert_int_equal(d.capability_major, 7);
    assert_int_equal(d.capability_minor, 5);
    hd_device_close(dev);
    dev = opened("volta-v100", (hd_option[]){{"run.mode", "functional"}}, 1);
    assert_int_equal(hd_device_get_info(dev, &d), HD_OK);
    assert_false(d.timed);
    assert_int_equal(d.capability_major * 10 + d.capability_minor, 70);
    assert_int_equal(d.shared_per_sm, 96 << 10);
    assert_int_equal(d.shared_per_block, 227 << 10); /* exec.shared_bytes */
    hd_device_close(dev);
    dev = opened(NULL, (hd_option[]){{"gpu.capability", "12.1"}}, 1);
    assert_int_equal(hd_device_get_info(dev, &d), HD_OK);
    assert_false(d.timed); /* it says nothing about time */
    assert_string_equal(d.name, "");
    assert_int_equal(d.capability_major, 12);
    assert_int_equal(d.capability_minor, 1);
    assert_int_equal(hd_device_get_info(NULL, &d), HD_INVALID);
    assert_int_equal(hd_device_get_info(dev, NULL), HD_INVALID);
    hd_device_close(dev);
}

static void limits_of_kernels_change_on_an_open_device(void **state) {
    struct api *a = *state;
    hd_device_info d;
    WORKS(a->dev, hd_device_set(a->dev, "exec.heap_bytes", "64M"));
    assert_int_equal(hd_device_get_info(a->dev, &d), HD_OK);
    assert_int_equal(d.heap_bytes, 64 << 20);
    WORKS(a->dev, hd_device_set(a->dev, "exec.max_insts", "100"));
    assert_int_equal(hd_run(api_kernel(a, "forever"), &(hd_launch){.block = {1}}, NULL, 0), HD_LIMIT);
    FAILS(a->dev, HD_INVALID,
          "hd_device_set: gpu.sms is for hd_device_open; only options of exec change later",
          hd_device_set(a->dev, "gpu.sms", "3"));
    assert_int_equal(hd_device_set(a->dev, "exec.heap_bytes", "lots"), HD_INVALID);
    FAILS(a->dev, HD_INVALID, "hd_device_set: key and value must not be NULL",
          hd_device_set(a->dev, NULL, "1"));
    assert_int_equal(hd_device_set(NULL, "exec.heap_bytes", "1"), HD_INVALID);
}

/* ---- occupancy ---- */

static void occupancy_is_what_a_timed_launch_has(void **state) {
    (void)state;
    static const uint32_t threads[] = {32, 33, 256, 1024}, shared[] = {0, 100, 9000, 60000};
    hd_device *dev = opened("turing-rtx2060", NULL, 0);
    hd_kernel *k = loaded(dev, API_PTX, "uses_shared");
    for (int t = 0; t < 4; t++)
        for (int s = 0; s < 4; s++) {
            uint32_t blocks;
            double resident;
            WORKS(dev, hd_occupancy(k, threads[t], shared[s], &blocks));
            WORKS(dev,
                  hd_run(k, &(hd_launch){.block = {threads[t], 1, 1}, .shared_bytes = shared[s]}, NULL, 0));
            WORKS(dev, hd_stat(dev, 0, "gpu.resident_blocks", &resident));
            assert_int_equal(blocks, resident);
        }
    uint32_t blocks = 99;
    WORKS(dev, hd_occupancy(k, 32, 65536, &blocks)); /* and 1024 static ones */
    assert_int_equal(blocks, 0);
    FAILS(dev, HD_INVALID, "hd_occupancy: a block has 1 to 1024 threads, not 0",
          hd_occupancy(k, 0, 0, &blocks));
    FAILS(dev, HD_INVALID, "hd_occupancy: a block has 1 to 1024 threads, not 1025",
          hd_occupancy(k, 1025, 0, &blocks));
    FAILS(dev, HD_INVALID, "hd_occupancy: blocks must not be NULL", hd_occupancy(k, 32, 0, NULL));
    assert_int_equal(hd_occupancy(k, 32, UINT32_MAX, &blocks), HD_INVALID);
    assert_int_equal(hd_occupancy(NULL, 32, 0, &blocks), HD_INVALID);
    hd_device_close(dev);
}

/* ---- modes ---- */

static double cycles(hd_device *dev, int total) {
    double v = -1;
    WORKS(dev, hd_stat(dev, total, "gpu.cycles", &v));
    return v;
}

/* %smid and %nsmid of every block. Six blocks fit three SMs at once, and are dealt in turn. */
static void blocks_know_their_sm_in_timed_launches(void **state) {
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {\n"
        ".reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
        "mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; mov.u32 %r3, %ctaid.x;\n"
        "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r3, 8; add.u64 %rd1, %rd1, %rd2;\n"
        "st.global.v2.u32 [%rd1], {%r1, %r2}; ret; }\n";
    hd_device *dev = opened("tiny", (hd_option[]){{"gpu.sms", "3"}, {"sm.blocks", "2"}}, 2);
    hd_kernel *k = loaded(dev, text, "k");
    uint64_t buf;
    uint32_t got[6][2], blocks_of[3] = {0};
    WORKS(dev, hd_alloc(dev, sizeof got, &buf));
    hd_arg arg = hd_arg_ptr(buf);
    WORKS(dev, hd_run(k, &(hd_launch){.grid = {6}, .mode = HD_MODE_TIMED}, &arg, 1));
    WORKS(dev, hd_copy_out(dev, got, buf, sizeof got));
    for (int b = 0; b < 6; b++) {
        assert_true(got[b][0] < 3 && got[b][1] == 3);
        blocks_of[got[b][0]]++;
    }
    for (int s = 0; s < 3; s++) assert_int_equal(blocks_of[s], 2);
    WORKS(dev, hd_run(k, &(hd_launch){.grid = {6}, .mode = HD_MODE_FUNCTIONAL}, &arg, 1));
    WORKS(dev, hd_copy_out(dev, got, buf, sizeof got));
    for (int b = 0; b < 6; b++) assert_true(got[b][0] == 0 && got[b][1] == 3);
    hd_device_close(dev);
}

static void one_device_runs_launches_either_way(void **state) {
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        const hd_option mode = {"run.mode", timed ? "timed" : "functional"};
        hd_device *dev = opened("tiny", &mode, 1);
        hd_kernel *k = loaded(dev, API_PTX, "lookup");
        uint64_t buf;
        WORKS(dev, hd_alloc(dev, 128, &buf));
        hd_arg arg = hd_arg_ptr(buf);
        hd_launch l = {.block = {32, 1, 1}};
        WORKS(dev, hd_run(k, &l, &arg, 1));
        assert_int_equal(cycles(dev, 0) > 0, timed);
        l.mode = HD_MODE_FUNCTIONAL;
        WORKS(dev, hd_run(k, &l, &arg, 1));
        assert_true(cycles(dev, 0) == 0);
        l.mode = HD_MODE_TIMED;
        const double before = cycles(dev, 1);
        WORKS(dev, hd_run(k, &l, &arg, 1));
        assert_true(cycles(dev, 0) > 0);
        assert_true(cycles(dev, 1) == before + cycles(dev, 0));
        double launches;
        WORKS(dev, hd_stat(dev, 1, "exec.launches", &launches));
        assert_int_equal(launches, 3);
        uint32_t got[32];
        WORKS(dev, hd_copy_out(dev, got, buf, sizeof got));
        assert_int_equal(got[31], 47);
        l.mode = (hd_mode)3;
        FAILS(dev, HD_INVALID, "mode: 3 is not an hd_mode", hd_run(k, &l, &arg, 1));
        hd_device_close(dev);
    }
}

/* Shared memory: a functional launch goes by exec.shared_bytes, a timed one by the machine. */
static void each_launch_has_the_limits_of_its_mode(void **state) {
    (void)state;
    hd_device *dev = opened("tiny", NULL, 0);
    hd_kernel *k = loaded(dev, API_PTX, "uses_shared");
    hd_launch l = {.block = {32, 1, 1}, .shared_bytes = 200 << 10};
    assert_int_equal(hd_run(k, &l, NULL, 0), HD_INVALID);
    l.mode = HD_MODE_FUNCTIONAL;
    WORKS(dev, hd_run(k, &l, NULL, 0));
    hd_device_close(dev);
}

/* ---- cooperative launches ---- */

static void run_rounds(hd_device *dev, hd_kernel *k, uint32_t blocks, uint32_t threads, hd_mode mode) {
    enum { MOST = 4096 };
    const uint32_t n = blocks * threads;
    static uint32_t got[MOST];
    uint64_t p, q;
    assert_true(n <= MOST);
    WORKS(dev, hd_alloc(dev, 4 * n, &p));
    WORKS(dev, hd_alloc(dev, 4 * n, &q));
    hd_arg args[] = {hd_arg_ptr(p), hd_arg_ptr(q)};
    hd_launch l = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .mode = mode, .cooperative = 1};
    WORKS(dev, hd_run(k, &l, args, 2));
    WORKS(dev, hd_copy_out(dev, got, q, 4 * n));
    for (uint32_t i = 0; i < n; i++) assert_int_equal(got[i], 3 * ((i + threads) % n));
    WORKS(dev, hd_free(dev, p));
    WORKS(dev, hd_free(dev, q));
}

static void blocks_of_a_cooperative_launch_meet(void **state) {
    (void)state;
    hd_device *dev = opened("turing-rtx2060", (hd_option[]){{"run.mode", "functional"}}, 1);
    hd_kernel *k = loaded(dev, GRID, "rounds");
    run_rounds(dev, k, 1, 1, HD_MODE_FUNCTIONAL);
    run_rounds(dev, k, 60, 64, HD_MODE_FUNCTIONAL);
    run_rounds(dev, k, 60, 64, HD_MODE_TIMED);
    run_rounds(dev, k, 120, 33, HD_MODE_FUNCTIONAL); /* the workspace is clean again */
    hd_device_close(dev);
}

static void every_mechanism_gets_through_a_grid_barrier(void **state) {
    (void)state;
    const char *mech;
    int ran = 0;
    for (size_t m = 0; !hd_mech_at(m, &mech, NULL); m++) {
        hd_device *dev = opened("tiny", (hd_option[]){{"run.mech", mech}, {"gpu.sms", "3"}}, 2);
        hd_kernel *k = loaded(dev, GRID, "rounds");
        uint64_t p;
        WORKS(dev, hd_alloc(dev, 4 * 96, &p));
        hd_arg args[] = {hd_arg_ptr(p), hd_arg_ptr(p)};
        hd_launch l = {.grid = {3, 1, 1}, .block = {32, 1, 1}, .cooperative = 1};
        const hd_status s = hd_run(k, &l, args, 2);
        if (s && s != HD_REFUSED) fail_msg("%s: %s: %s", mech, hd_status_name(s), hd_error(dev));
        if (!s) run_rounds(dev, k, 3, 32, HD_MODE_TIMED);
        ran += !s;
        hd_device_close(dev);
    }
    assert_true(ran >= 10);
}

static void a_grid_that_does_not_fit_is_refused(void **state) {
    (void)state;
    hd_device *dev = opened("turing-rtx2060", NULL, 0);
    hd_kernel *k = loaded(dev, GRID, "rounds");
    uint32_t blocks;
    uint64_t p;
    WORKS(dev, hd_alloc(dev, 4096, &p));
    hd_arg args[] = {hd_arg_ptr(p), hd_arg_ptr(p)};
    WORKS(dev, hd_occupancy(k, 1024, 0, &blocks));
    assert_int_equal(blocks, 1);
    hd_launch l = {.grid = {31, 1, 1}, .block = {1024, 1, 1}, .cooperative = 1};
    for (hd_mode mode = HD_MODE_FUNCTIONAL; mode <= HD_MODE_TIMED; mode++) {
        l.mode = mode;
        FAILS(
            dev, HD_TOO_LARGE,
            "kernel rounds: the 31 blocks of a cooperative launch do not fit the machine at once: it has 30 "
            "SMs, and sm.threads leaves room for 1 on each",
            hd_run(k, &l, args, 2));
    }
    l.cooperative = 0; /* no workspace: the barrier traps */
    hd_fault_info f;
    assert_int_equal(hd_run(k, &l, args, 2), HD_FAULT);
    hd_fault(dev, &f);
    assert_true(f.kind == HD_FAULT_TRAP || f.kind == HD_FAULT_ADDRESS);
    hd_device_close(dev);
}

/* ---- profile ---- */

/* A branch that odd threads take to a long side. */
static const char PARTS[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"parts.cu\"\n"
    ".visible .entry parts(.param .u64 out)\n{\n  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "  ld.param.u64 %d0, [out];\n  mov.u32 %r0, %tid.x;\n  and.b32 %r1, %r0, 1;\n  setp.eq.u32 %p, %r1, 0;\n"
    "  .loc 1 20 1\n  @%p bra EVEN;\n  .loc 1 21 1\n  mul.lo.u32 %r0, %r0, %r0;\n  mul.lo.u32 %r0, %r0, "
    "%r0;\n"
    "  mul.lo.u32 %r0, %r0, %r0;\nEVEN:\n  .loc 1 22 1\n  mul.wide.u32 %d1, %r1, 4;\n  add.u64 %d2, %d0, "
    "%d1;\n"
    "  st.global.u32 [%d2], %r0;\n  ret;\n}\n";

static void lines_are_charged(void **state) {
    (void)state;
    for (int profiled = 0; profiled < 2; profiled++) {
        hd_device *dev = opened("tiny", (hd_option[]){{"run.profile", profiled ? "true" : "false"}}, 1);
        hd_kernel *k = loaded(dev, PARTS, "parts");
        hd_module *mod;
        hd_profile_row row;
        uint64_t out, slots;
        WORKS(dev, hd_module_load(dev, "other.ptx", PARTS, 0, &mod));
        WORKS(dev, hd_module_kernel(mod, "parts", &k));
        WORKS(dev, hd_alloc(dev, 8, &out));
        hd_arg arg = hd_arg_ptr(out);
        assert_int_equal(hd_profile_count(mod, HD_PROFILE_PTX), 0);
        for (uint64_t n = 1; n <= 2; n++) {
            WORKS(dev, hd_run(k, &(hd_launch){.block = {32, 1, 1}}, &arg, 1));
            assert_int_equal(hd_profile_count(mod, HD_PROFILE_BRANCHES), 1);
            WORKS(dev, hd_profile_at(mod, HD_PROFILE_BRANCHES, 0, &row));
            assert_int_equal(row.divergences, n * 32 / 8); /* tiny has warps of 8 */
        }
        assert_string_equal(row.function, "parts");
        assert_string_equal(row.file, "other.ptx");
        assert_int_equal(row.line, 13);
        assert_non_null(strstr(row.text, "bra"));
        assert_true(strstr(row.text, "bra") < strchr(row.text, '\n'));
        assert_string_equal(row.source, "parts.cu");
        assert_int_equal(row.source_line, 20);
        assert_int_equal(row.sides, 2 * row.divergences);
        WORKS(dev, hd_profile_slots(mod, &slots));
        assert_int_equal(slots != 0, profiled);
        assert_int_equal(row.own.causes != 0, profiled);
        uint64_t of_lines = 0, of_kinds = 0;
        hd_profile_kind kind;
        for (size_t i = 0; !hd_profile_kind_at(mod, i, &kind); i++) of_kinds += kind.slots;
        assert_int_equal(of_kinds, slots);
        assert_string_equal(kind.key, "nobody");
        assert_true(kind.waits);
        assert_int_equal(hd_profile_kind_at(mod, 0, NULL), HD_INVALID);
        assert_int_equal(hd_profile_kind_at(NULL, 0, &kind), HD_INVALID);
        for (size_t i = 0; !hd_profile_at(mod, HD_PROFILE_PTX, i, &row); i++) of_lines += row.own.slots;
        assert_true(of_lines <= slots);
        assert_int_equal(hd_profile_count(mod, HD_PROFILE_FUNCTIONS), 1);
        WORKS(dev, hd_profile_at(mod, HD_PROFILE_FUNCTIONS, 0, &row));
        assert_int_equal(row.own.slots, of_lines);
        FAILS(dev, HD_INVALID, "hd_profile_at: there are 1 rows",
              hd_profile_at(mod, HD_PROFILE_FUNCTIONS, 1, &row));
        FAILS(dev, HD_INVALID, "hd_profile_at: row must not be NULL",
              hd_profile_at(mod, HD_PROFILE_FUNCTIONS, 0, NULL));
        FAILS(dev, HD_INVALID, "hd_profile_at: 9 is not an hd_profile_by",
              hd_profile_at(mod, (hd_profile_by)9, 0, &row));
        assert_int_equal(hd_profile_at(NULL, HD_PROFILE_PTX, 0, &row), HD_INVALID);
        assert_int_equal(hd_profile_slots(NULL, &slots), HD_INVALID);
        assert_int_equal(hd_profile_slots(mod, NULL), HD_INVALID);
        assert_int_equal(hd_profile_count(NULL, HD_PROFILE_PTX), 0);
        hd_device_close(dev);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_configuration_is_read_back),
        API_TEST(limits_of_kernels_change_on_an_open_device),
        cmocka_unit_test(occupancy_is_what_a_timed_launch_has),
        cmocka_unit_test(blocks_know_their_sm_in_timed_launches),
        cmocka_unit_test(one_device_runs_launches_either_way),
        cmocka_unit_test(each_launch_has_the_limits_of_its_mode),
        cmocka_unit_test(blocks_of_a_cooperative_launch_meet),
        cmocka_unit_test(every_mechanism_gets_through_a_grid_barrier),
        cmocka_unit_test(a_grid_that_does_not_fit_is_refused),
        cmocka_unit_test(lines_are_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A program that is killed after any of its launches and goes on in another process ends as if it had not been. */
#include "sim/device/checkpoint.h"

#include <inttypes.h>

#include "base/bits.h"
#include "kernels/harness.h"
#include "sim/sim.h"
#include "unit/bytes.h"

/* Each thread takes a step of Collatz's sequence, on one side of a branch by a call. The first of a block also keeps a piece
 * of heap memory from one round to the next and frees the one before, so that where things are allocated depends on the
 * kernels; the first of all prints. */
static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
    ".extern .func free (.param .b64 p);\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
    ".global .align 1 .b8 text[7] = {115, 116, 101, 112, 33, 10, 0};\n"
    ".visible .global .align 8 .u64 kept[64];\n"
    ".visible .global .align 4 .u32 steps = 0;\n"
    ".func (.param .b32 r) up(.param .b32 v)\n{\n\t.reg .b32 %r<3>;\n"
    "\tld.param.u32 %r0, [v];\n\tmad.lo.u32 %r1, %r0, 3, 1;\n\tst.param.b32 [r], %r1;\n\tret;\n}\n"
    ".visible .entry step(.param .u64 out, .param .u64 bytes)\n{\n"
    "\t.reg .b64 %a<12>;\n\t.reg .b32 %r<10>;\n\t.reg .pred %p<4>;\n"
    "\tld.param.u64 %a0, [out];\n\tmov.u32 %r0, %tid.x;\n\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n"
    "\tmad.lo.u32 %r3, %r1, %r2, %r0;\n\tmul.wide.u32 %a1, %r3, 4;\n\tadd.u64 %a2, %a0, %a1;\n"
    "\tld.global.u32 %r4, [%a2];\n\tand.b32 %r5, %r4, 1;\n\tsetp.eq.u32 %p0, %r5, 0;\n\t@%p0 bra EVEN;\n"
    "\t{\n\t.param .b32 v;\n\tst.param.b32 [v], %r4;\n\t.param .b32 r;\n\tcall (r), up, (v);\n"
    "\tld.param.b32 %r4, [r];\n\t}\n\tbra JOIN;\n"
    "EVEN:\n\tshr.u32 %r4, %r4, 1;\nJOIN:\n\tst.global.u32 [%a2], %r4;\n"
    "\tmov.u64 %a8, steps;\n\tatom.global.add.u32 %r9, [%a8], %r5;\n"
    "\tsetp.ne.u32 %p1, %r0, 0;\n\t@%p1 bra DONE;\n"
    "\tmul.wide.u32 %a3, %r1, 8;\n\tmov.u64 %a4, kept;\n\tadd.u64 %a5, %a4, %a3;\n\tld.global.u64 %a6, "
    "[%a5];\n"
    "\t{\n\t.param .b64 p;\n\tst.param.b64 [p], %a6;\n\tcall.uni free, (p);\n\t}\n"
    "\tld.param.u64 %a9, [bytes];\n"
    "\t{\n\t.param .b64 n;\n\tst.param.b64 [n], %a9;\n\t.param .b64 r;\n\tcall.uni (r), malloc, (n);\n"
    "\tld.param.b64 %a7, [r];\n\t}\n"
    "\tst.global.u64 [%a5], %a7;\n\tst.u32 [%a7], %r4;\n"
    "\tsetp.ne.u32 %p2, %r3, 0;\n\t@%p2 bra DONE;\n"
    "\tmov.u64 %a10, text;\n\tcvta.global.u64 %a11, %a10;\n\tmov.u64 %a10, 0;\n"
    "\t{\n\t.param .b64 f;\n\tst.param.b64 [f], %a11;\n\t.param .b64 v;\n\tst.param.b64 [v], %a10;\n"
    "\t.param .b32 r;\n\tcall.uni (r), vprintf, (f, v);\n\tld.param.b32 %r8, [r];\n\t}\n"
    "DONE:\n\tret;\n}\n";
enum { BLOCKS = 5, THREADS = 48, ALL = BLOCKS * THREADS, LAUNCHES = 7 };

/* A run, and what can be kept of it. */
struct run {
    hd_device *dev;
    hd_module *mod;
    struct sb seen; /* everything the program learns, and what is shown at its end */
    struct bytes log, state[LAUNCHES + 1];
    struct sim_state at[LAUNCHES + 1];
    struct bytes *replay, *restore; /* NULL: it begins anew */
    uint32_t other;                 /* what its input differs by */
};

static bool write_log(void *user, void *data, size_t n) {
    return bytes_put(&((struct run *)user)->log, data, n);
}
static bool read_log(void *user, void *data, size_t n) {
    return bytes_get(((struct run *)user)->replay, data, n);
}
static bool read_state(void *user, void *data, size_t n) {
    return bytes_get(((struct run *)user)->restore, data, n);
}

static void on_print(void *user, const char *text, size_t n) {
    sb_addn(&((struct run *)user)->seen, text, n);
}

/* ---- the program ---- */

static void show_stats(struct run *r, int total) {
    double value;
    hd_stat_info info;
    for (size_t i = 0; !hd_stat_value(r->dev, total, i, &value); i++) sb_add(&r->seen, "%.17g ", value);
    for (size_t i = 0; !hd_stat_own(r->dev, total, i, &info, &value); i++) sb_add(&r->seen, "%.17g ", value);
    sb_add(&r->seen, "\n");
}

static void show_memory(struct run *r) {
    hd_memory m;
    for (uint64_t a = 0; !hd_find_next(r->dev, a, &m); a = m.addr + m.bytes)
        sb_add(&r->seen, "%" PRIx64 " %" PRIu64 " %d %s %" PRIx64 "\n", m.addr, m.bytes, (int)m.kind, m.label,
               hash_bytes(HASH_START, m.host, m.bytes));
}

static void show_profile(struct run *r) {
    hd_profile_row row;
    for (int by = HD_PROFILE_BRANCHES; by <= HD_PROFILE_FUNCTIONS; by++)
        for (size_t i = 0; i < hd_profile_count(r->mod, (hd_profile_by)by); i++) {
            assert_int_equal(hd_profile_at(r->mod, (hd_profile_by)by, i, &row), HD_OK);
            sb_add(&r->seen, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", row.line, row.executions,
                   row.divergences, row.own.slots, row.with_calls.causes);
        }
}

/* After each launch some of what it left is read and decides about the next, and memory comes and goes. */
static hd_status program(struct run *r, void (*after)(struct run *r, uint64_t launch)) {
    uint64_t buf, more = 0, steps;
    hd_kernel *k;
    uint32_t data[ALL];
    for (uint32_t i = 0; i < ALL; i++) data[i] = i * 7 + 3 + r->other;
    hd_status s = hd_module_load(r->dev, "step.ptx", PTX, 0, &r->mod);
    if (!s) s = hd_module_kernel(r->mod, "step", &k);
    if (!s) s = hd_module_symbol(r->mod, "steps", &steps, NULL);
    if (!s) s = hd_alloc(r->dev, sizeof data, &buf);
    if (!s) s = hd_copy_in(r->dev, buf, data, sizeof data);
    for (uint64_t i = 0; !s && i < LAUNCHES; i++) {
        uint32_t odd = 0;
        hd_arg args[] = {hd_arg_ptr(buf), hd_arg_u64(64 + data[0] % 512)};
        const hd_launch l = {.grid = {BLOCKS}, .block = {THREADS}};
        if ((s = hd_run(k, &l, args, 2))) break;
        show_stats(r, 0);
        if (after) after(r, i + 1);
        s = hd_copy_out(r->dev, data, buf, 16);
        if (!s) s = hd_copy_out(r->dev, &odd, steps, 4);
        if (!s && more) s = hd_free(r->dev, more);
        if (!s) s = hd_alloc(r->dev, 100 + odd, &more);
        if (!s) s = hd_set(r->dev, more, (uint8_t)i, 100);
        sb_add(&r->seen, "%u %u %" PRIx64 "\n", data[0], odd, more);
    }
    if (s) return s;
    show_stats(r, 1);
    show_memory(r);
    series_csv(sim_series(r->dev), &r->seen);
    show_profile(r);
    return HD_OK;
}

static void keep(struct run *r, uint64_t launch) {
    struct err e = {0};
    uint64_t note = 1000 + launch;
    sim_note(r->dev, &note, sizeof note);
    assert_int_equal(note, 1000 + launch);
    if (sim_replaying(r->dev)) return;
    if (!sim_save(r->dev, bytes_put, &r->state[launch], &r->at[launch], &e)) fail_msg("%s", err_text(&e));
    assert_int_equal(r->at[launch].launches, launch);
}

/* ---- runs ---- */

static void begin(struct run *r, const hd_config *config, struct sim_state from) {
    struct err e = {0};
    assert_int_equal(hd_device_open(config, &r->dev), HD_OK);
    hd_set_print(r->dev, on_print, r);
    sim_watch(r->dev, &(struct watch){.interval = 100, .threads = 3, .profile = true});
    const struct sim_journal j = {.write = write_log,
                                  .bytes = from.bytes,
                                  .launches = from.launches,
                                  .read = read_log,
                                  .read_state = read_state,
                                  .user = r};
    if (!sim_journal(r->dev, &j, &e)) fail_msg("%s", err_text(&e));
}

static void end(struct run *r) {
    hd_device_close(r->dev);
    sb_free(&r->seen);
    VEC_FREE(&r->log);
    for (int i = 0; i <= LAUNCHES; i++) VEC_FREE(&r->state[i]);
}

/* Goes on after each launch of a whole run; what follows is kept again, and is the same. */
static void resume_everywhere(const struct run *whole, const hd_config *config) {
    for (uint64_t k = 1; k <= LAUNCHES; k++) {
        struct bytes log = whole->log, state = whole->state[k];
        struct run part = {.replay = &log, .restore = &state};
        begin(&part, config, whole->at[k]);
        assert_int_equal(program(&part, keep), HD_OK);
        assert_string_equal(part.seen.text, whole->seen.text);
        assert_int_equal(part.log.n, whole->log.n - whole->at[k].bytes);
        assert_memory_equal(part.log.v, whole->log.v + whole->at[k].bytes, part.log.n);
        for (uint64_t i = k + 1; i <= LAUNCHES; i++) {
            assert_int_equal(part.state[i].n, whole->state[i].n);
            assert_memory_equal(part.state[i].v, whole->state[i].v, part.state[i].n);
        }
        end(&part);
    }
}

/* False: the mechanism does not run such a kernel. */
static bool whole_run(struct run *r, const hd_config *config) {
    *r = (struct run){0};
    begin(r, config, (struct sim_state){0});
    const hd_status s = program(r, keep);
    assert_true(s == HD_OK || s == HD_REFUSED);
    return s == HD_OK;
}

static hd_config machine(hd_option *o, const char *mech, const char *file) {
    o[0] = (hd_option){"run.mode", "timed"};
    o[1] = (hd_option){"run.mech", mech};
    return (hd_config){.options = o, .noptions = 2, .file = file};
}

static void every_mechanism_goes_on(void **state) {
    (void)state;
    hd_option o[2];
    const char *mech;
    size_t ran = 0;
    for (size_t i = 0; !hd_mech_at(i, &mech, NULL); i++) {
        const hd_config config = machine(o, mech, "tiny");
        struct run r;
        if (whole_run(&r, &config)) resume_everywhere(&r, &config), ran++;
        end(&r);
    }
    assert_true(ran > 15);
}

static void every_machine_goes_on(void **state) {
    (void)state;
    hd_option o[2];
    const char *file;
    for (size_t i = 0; !hd_config_at(i, &file, NULL); i++) {
        const hd_config config = machine(o, "pdom", file);
        struct run r;
        whole_run(&r, &config);
        resume_everywhere(&r, &config);
        end(&r);
    }
}

static void a_functional_run_goes_on(void **state) {
    (void)state;
    struct run r;
    whole_run(&r, NULL);
    resume_everywhere(&r, NULL);
    end(&r);
}

/* A journal changes nothing. */
static void a_run_without_a_journal_is_the_same(void **state) {
    (void)state;
    hd_option o[2];
    const hd_config config = machine(o, "volta", "tiny");
    struct run with, without = {0};
    whole_run(&with, &config);
    assert_int_equal(hd_device_open(&config, &without.dev), HD_OK);
    hd_set_print(without.dev, on_print, &without);
    sim_watch(without.dev, &(struct watch){.interval = 100, .threads = 3, .profile = true});
    assert_int_equal(program(&without, NULL), HD_OK);
    assert_string_equal(with.seen.text, without.seen.text);
    end(&with);
    end(&without);
}

static void other_inputs_are_refused(void **state) {
    (void)state;
    struct run whole;
    whole_run(&whole, NULL);
    struct bytes log = whole.log, kept = whole.state[3];
    struct run part = {.replay = &log, .restore = &kept, .other = 1};
    begin(&part, NULL, whole.at[3]);
    assert_int_equal(program(&part, keep), HD_INVALID);
    assert_non_null(strstr(hd_error(part.dev), "does not fit this run: up to launch 0 the program copied"));
    end(&part);
    end(&whole);
}

/* A journal cut short, at whatever byte, and one without a state. */
static void what_is_cut_short_is_refused(void **state) {
    (void)state;
    struct run whole;
    whole_run(&whole, NULL);
    for (uint64_t cut = 0; cut < whole.at[2].bytes + whole.state[2].n; cut += 1 + cut / 8) {
        const bool in_log = cut < whole.at[2].bytes;
        struct bytes log = whole.log, kept = whole.state[2];
        if (in_log)
            log.n = cut;
        else
            kept.n = cut - whole.at[2].bytes;
        struct run part = {.replay = &log, .restore = &kept};
        begin(&part, NULL, whole.at[2]);
        assert_int_equal(program(&part, keep), HD_INVALID);
        assert_non_null(strstr(hd_error(part.dev), "it ends too early"));
        end(&part);
    }
    end(&whole);
}

/* Whatever a byte of the state is changed to, it is taken or refused, and the device can be closed. */
static void changed_bytes_break_nothing(void **state) {
    (void)state;
    hd_option o[2];
    const hd_config config = machine(o, "pdom", "tiny");
    struct run whole;
    uint32_t refused = 0;
    whole_run(&whole, &config);
    struct bytes kept = whole.state[1];
    for (size_t i = 0; i < kept.n; i += 1 + i / 400) {
        kept.v[i] ^= 0xff;
        struct bytes log = whole.log, from = kept;
        struct run part = {.replay = &log, .restore = &from};
        begin(&part, &config, whole.at[1]);
        from.at = 0;
        refused += program(&part, NULL) != HD_OK;
        kept.v[i] ^= 0xff;
        end(&part);
    }
    assert_true(refused > 0);
    end(&whole);
}

static void a_failed_launch_ends_what_can_be_kept(void **state) {
    (void)state;
    struct run r = {0};
    struct err e = {0};
    struct sim_state at;
    hd_kernel *k;
    begin(&r, NULL, (struct sim_state){0});
    assert_int_equal(hd_module_load(r.dev, "step.ptx", PTX, 0, &r.mod), HD_OK);
    assert_int_equal(hd_module_kernel(r.mod, "step", &k), HD_OK);
    hd_arg args[] = {hd_arg_ptr(0), hd_arg_u64(1)};
    assert_int_equal(hd_run(k, &(hd_launch){.grid = {1}}, args, 2), HD_FAULT);
    assert_false(sim_save(r.dev, bytes_put, &r.state[0], &at, &e));
    assert_string_equal(err_text(&e), "a launch has failed");
    err_free(&e);
    end(&r);
}

static void races_and_traces_are_refused(void **state) {
    (void)state;
    const hd_option o[] = {{"run.races", "on"}};
    struct err e = {0};
    hd_device *dev;
    assert_int_equal(hd_device_open(&(hd_config){.options = o, .noptions = 1}, &dev), HD_OK);
    assert_false(sim_journal(dev, &(struct sim_journal){.write = write_log}, &e));
    assert_string_equal(err_text(&e), "what the race check knows cannot be kept");
    hd_device_close(dev);
    assert_int_equal(hd_device_open(NULL, &dev), HD_OK);
    sim_watch(dev, &(struct watch){.trace = {on_print, NULL}});
    assert_false(sim_journal(dev, &(struct sim_journal){.write = write_log}, &e));
    assert_string_equal(err_text(&e), "what is traced cannot be kept");
    hd_device_close(dev);
    err_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_functional_run_goes_on),
        cmocka_unit_test(every_mechanism_goes_on),
        cmocka_unit_test(every_machine_goes_on),
        cmocka_unit_test(a_run_without_a_journal_is_the_same),
        cmocka_unit_test(other_inputs_are_refused),
        cmocka_unit_test(what_is_cut_short_is_refused),
        cmocka_unit_test(changed_bytes_break_nothing),
        cmocka_unit_test(a_failed_launch_ends_what_can_be_kept),
        cmocka_unit_test(races_and_traces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

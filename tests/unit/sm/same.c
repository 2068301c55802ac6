/* Whatever the machine, a kernel leaves the memory the functional engine leaves; its counts add up; and sleeping through
 * idle cycles gives the numbers that ticking through them gives, those charged to single lines included. */
#include "base/bits.h"
#include "unit/mech/example/rejoin.c"
#include "unit/sm/rig.h"

#include "unit/sm/kernels.h"

struct shape {
    const char *name;
    int64_t warp_size, simd_width, schedulers;
    int issue, order;
    bool ideal, fetch;
    enum cfg_form form; /* runs with its marks */
};
static const struct shape shapes[] = {
    {"default", 32, 16, 2, SM_BARREL, 0, true, true, CFG_FORM_NONE},
    {"scoreboard", 32, 32, 4, SM_SCOREBOARD, 1, true, true, CFG_FORM_NONE},
    {"narrow", 8, 8, 1, SM_BARREL, 2, true, true, CFG_FORM_NONE},
    {"wide", 64, 16, 1, SM_SCOREBOARD, 3, true, true, CFG_FORM_NONE},
    {"memory", 32, 8, 1, SM_BARREL, 0, false, true, CFG_FORM_NONE},
    {"all", 32, 16, 2, SM_SCOREBOARD, 1, false, false, CFG_FORM_NONE},
    {"widest", 256, 32, 1, SM_BARREL, 0, false, false, CFG_FORM_NONE},
    {"marks", 32, 16, 2, SM_SCOREBOARD, 0, false, false, CFG_FORM_JOINS},
    {"barrel marks", 16, 8, 1, SM_BARREL, 2, true, true, CFG_FORM_REGIONS},
    {"regions", 32, 16, 2, SM_SCOREBOARD, 3, false, false, CFG_FORM_REGIONS},
};

static void apply(struct machine *x, const struct shape *s) {
    x->o.sm.warp_size = s->warp_size;
    x->o.sm.simd_width = s->simd_width;
    x->o.sm.schedulers = s->schedulers;
    x->o.sm.issue = s->issue;
    x->o.sm.order = s->order;
    x->o.sm.ideal_fetch = s->fetch;
    x->m.memory.ideal = s->ideal;
    x->o.sm.prefetch = s->fetch ? 0 : s->order;
    x->m.l1i.ideal = s->fetch;
    x->o.sm.register_banks = !s->ideal;
    x->o.sm.lsu_queue = s->ideal ? 8 : 2;
    x->o.sm.writeback = s->ideal ? 0 : 8;
    x->o.sm.blocks = 3;
    x->o.sm.shared_fp64 = !s->ideal;
    x->o.sequence.udiv32 = x->o.sequence.fdiv32 = s->ideal ? 1 : 5;
}

static void fill(struct machine *x, uint64_t in, uint64_t out) {
    struct rng g = {7};
    uint32_t *v = exec_mem_at(x->r.mem, in, KERNEL_BYTES);
    for (uint32_t k = 0; k < KERNEL_BYTES / 4; k++) v[k] = (uint32_t)rng_next(&g);
    memset(exec_mem_at(x->r.mem, out, KERNEL_BYTES), 0, KERNEL_BYTES);
}

static void check_sums(const struct machine *x) {
    const struct sm_core_stats *s = &x->s.sm;
    const struct sm_warp_stats *w = &x->s.warp;
    const struct sm_lane_stats *l = &x->s.lane;
    uint64_t sum = w->w0_mem + w->w0_idle + w->stall + w->empty, threads = 0;
    for (int k = 0; k < SM_SIZES; k++) sum += w->issued[k];
    for (size_t pc = 0; pc < (x->form ? x->form->m : x->r.m)->code.n; pc++) threads += x->branch[pc].lanes;
    assert_int_equal(sum, w->cycles);
    assert_int_equal(w->cycles, s->cycles * (uint64_t)x->o.sm.schedulers);
    assert_int_equal(threads, s->thread_insts + s->overhead_lanes);
    assert_int_equal(s->blocks, KERNEL_BLOCKS);
    assert_int_equal(x->exited, KERNEL_BLOCKS * KERNEL_THREADS);
    assert_int_equal(l->active + l->guarded + l->absent + l->exited + l->parted,
                     s->lane_slots + s->overhead_slots);
    assert_int_equal(l->active, s->thread_insts + s->overhead_lanes);
    if (!x->form) assert_int_equal(s->overhead_insts + s->overhead_lanes + s->overhead_slots, 0);
}

/* volta with other defaults: paths that make room while they wait for memory need a clock of their own. */
static const struct mech_ops *interleaved(int64_t how) {
    static struct mech_param rows[MECH_PARAMETERS];
    static struct mech_ops ops;
    ops = *mech_find("volta");
    for (int k = 0; ops.params[k].key; k++) {
        rows[k] = ops.params[k];
        if (!strcmp(rows[k].key, "interleave")) rows[k].def = how;
        if (!strcmp(rows[k].key, "fair")) rows[k].def = 5;
        if (!strcmp(rows[k].key, "place")) rows[k].def = 1;
    }
    ops.params = rows;
    return &ops;
}

/* All, the example of docs/mechanisms.md, and settings with a clock. */
static const struct mech_ops *nth_mechanism(size_t k) {
    size_t n = 0;
    while (mech_list[n]) n++;
    return k < n ? mech_list[k] : k == n ? &mech_rejoin : k <= n + 2 ? interleaved((int64_t)(k - n)) : NULL;
}

/* What the mechanism asks for, or else the marks that the shape has. */
static struct rewrite *form_of(struct machine *x, const struct shape *shape) {
    int64_t param[MECH_PARAMETERS] = {0};
    for (int k = 0; x->mech->params && x->mech->params[k].key; k++) param[k] = x->mech->params[k].def;
    enum cfg_form form = mech_form(x->mech, param);
    if (form == CFG_FORM_NONE) form = shape->form;
    if (form == CFG_FORM_NONE) return NULL;
    struct rewrite *made = cfg_make_form(x->r.m, x->r.cfg, form, &x->r.err);
    assert_non_null(made);
    return made;
}

/* Not those kernels that it refuses, saying why. */
static bool can_run(struct machine *x, const char *kernel) {
    struct err e = {0};
    const bool can = mech_can_run(x->mech, x->r.m, x->r.cfg, (uint32_t)ir_find_func(x->r.m, kernel), &e);
    assert_int_equal(can, !err_text(&e)[0]);
    err_free(&e);
    return can;
}

/* Every lane slot and cycle that an SM loses is charged once. */
static void check_account(const struct machine *x) {
    const struct sm_account *a = x->account;
    const struct sm_stats *s = &x->s;
    struct sm_cost sum = {0};
    uint64_t waits = 0;
    for (size_t p = 0; p < a->costs.n; p++) {
        const struct sm_cost *c = &a->costs.v[p];
        sum.cycles += c->cycles;
        sum.waits_caused += c->waits_caused;
        for (int k = 0; k < SM_LANE_KINDS; k++) sum.lanes[k] += c->lanes[k];
        for (int k = 0; k < SM_LANE_KINDS; k++) sum.caused[k] += c->caused[k];
        for (int k = 0; k < SM_WAITS; k++) sum.waits[k] += c->waits[k];
    }
    sum.waits[WAIT_RECONVERGENCE] = sum.waits_caused;
    sum.waits[WAIT_NOBODY] = a->waits[WAIT_NOBODY]; /* no line suffers */
    const struct sm_lane_stats *l = &s->lane;
    const uint64_t lanes[SM_LANE_KINDS] = {l->active, l->guarded, l->absent, l->exited, l->parted, l->empty};
    for (int k = 0; k < SM_LANE_KINDS; k++) assert_int_equal(sum.lanes[k], lanes[k]);
    assert_int_equal(sum.caused[LANE_PARTED], l->parted);
    assert_int_equal(sum.caused[LANE_EXITED], l->exited);
    for (int k = 0; k < SM_WAITS; k++) {
        assert_int_equal(sum.waits[k], a->waits[k]);
        waits += a->waits[k];
    }
    assert_int_equal(sum.cycles + waits, s->warp.cycles);
    assert_int_equal(waits, s->warp.w0_mem + s->warp.w0_idle + s->warp.stall);
}

/* A run of each way: without an account and, where memory is ideal, as far as it goes in one call; sleeping with an account;
 * ticking with one. */
static void run_three(struct machine *x, const char *kernel, const char *mech, const struct shape *shape,
                      const uint64_t *p, const void *want) {
    const void *got = exec_mem_at(x->r.mem, p[1], KERNEL_BYTES);
    struct sm_stats first;
    struct sm_account *slept = NULL;
    for (int way = 0; way < 3; way++) {
        fill(x, p[0], p[1]);
        x->profile = way > 0;
        x->tick_all = way == 2;
        x->stretch = !way && x->m.memory.ideal;
        x->audit = x->tick_all && (shape == &shapes[0] || shape == &shapes[3]);
        machine_ok(x, mech, kernel, KERNEL_BLOCKS, KERNEL_THREADS, p);
        if (memcmp(want, got, KERNEL_BYTES))
            fail_msg("%s under %s on %s: memory differs", kernel, mech, shape->name);
        if (x->r.stats.thread_insts != x->s.sm.thread_insts)
            fail_msg("%s under %s on %s: %llu thread instructions, functional %llu", kernel, mech,
                     shape->name, (unsigned long long)x->s.sm.thread_insts,
                     (unsigned long long)x->r.stats.thread_insts);
        check_sums(x);
        if (x->profile) check_account(x);
        if (way && memcmp(&first, &x->s, sizeof first))
            fail_msg("%s under %s on %s: jumping %llu, %s %llu cycles", kernel, mech, shape->name,
                     (unsigned long long)first.sm.cycles, way == 1 ? "with an account" : "ticking",
                     (unsigned long long)x->s.sm.cycles);
        first = x->s;
        if (way == 1) {
            slept = x->account;
            x->account = NULL;
        }
    }
    assert_int_equal(slept->costs.n, x->account->costs.n);
    for (size_t k = 0; k < slept->costs.n; k++)
        if (memcmp(&slept->costs.v[k], &x->account->costs.v[k], sizeof *slept->costs.v))
            fail_msg("%s under %s on %s: the costs of place %zu are others when ticking", kernel, mech,
                     shape->name, k);
    assert_memory_equal(slept->waits, x->account->waits, sizeof slept->waits);
    account_free(slept);
}

/* Under every mechanism if HEDDLE_DIFF_ALL is set, as .ci/run does; else under a third of them, by turns. */
static void run_all(struct machine *x, const char *kernel, const struct shape *shape, size_t turn) {
    const size_t every = getenv("HEDDLE_DIFF_ALL") ? 1 : 3;
    uint64_t p[2] = {rig_buf(&x->r, KERNEL_BYTES, "in"), rig_buf(&x->r, KERNEL_BYTES, "out")};
    uint8_t *want = malloc(KERNEL_BYTES);
    fill(x, p[0], p[1]);
    rig_ok(&x->r, kernel, KERNEL_BLOCKS, KERNEL_THREADS, p);
    memcpy(want, exec_mem_at(x->r.mem, p[1], KERNEL_BYTES), KERNEL_BYTES);
    for (size_t k = 0; (x->mech = nth_mechanism(k)); k++) {
        if ((turn + k) % every || !can_run(x, kernel)) continue;
        struct rewrite *form = form_of(x, shape);
        x->form = form;
        run_three(x, kernel, x->mech->name, shape, p, want);
        x->form = NULL;
        cfg_rewrite_free(form);
    }
    free(want);
}

static void memory_is_that_of_the_functional_engine(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (const char *const *name = kernels_all; *name; name++) {
            struct machine x = machine_load(kernels_text);
            apply(&x, &shapes[k]);
            run_all(&x, *name, &shapes[k], k + (size_t)(name - kernels_all));
            machine_free(&x);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_that_of_the_functional_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

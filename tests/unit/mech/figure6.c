/* HARP's Figure 6: one diamond under SBR (pdom), DWF, LWM, TBC and HARP, unit of time by unit of time, and what the caption
 * says of each.
 *
 * Eight threads on four lanes. A, B and C have one instruction, D has two: A is the branch, C's is the jump to D, D's second
 * is the exit. Warps have four threads, LWM's eight, and TBC's stack is that of all eight, as the paper has it. Each
 * instruction of a warp takes a unit, and what follows it can issue in the next one.
 *
 * Our readings. The paper's text does not have the threads of the figure, which is adapted from one of Fung and Aamodt (HPCA
 * 2011): here B is for 1, 2 and 5, 7, 8, and C for 3, 4 and 6. B's access "taking two time units" is under way for two units
 * after the one in which it issues; with two in all, the other warp would hide it under SBR too. B runs before C. DWF issues
 * the earliest warp first (dtime): under the majority policy its threads happen to meet at D. Lanes are not swizzled. HARP
 * has the one scheduler table of Figure 10. TBC's compaction takes no time, as in the figure. */
#include <stdio.h>

#include "unit/mech/rig.h"

enum { A = 0, B = 1, D = 2, C = 4, LANES = 4, THREADS = 8, UNITS = 32 };
enum { ACCESS = 2 }; /* units from the end of B's issue to its data */

static struct ir_module *figure(void) {
    struct ir_module *m = ir_module_new("figure 6");
    fake_bra(m, FAKE_MAYBE, C); /* 0 A */
    fake_load(m);               /* 1 B */
    fake_op(m);                 /* 2 D */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_bra(m, 0, D);          /* 4 C */
    fake_func(m, "figure");
    return m;
}
static uint32_t goes_to_c(uint32_t thread, uint32_t pc, uint32_t step) { /* threads count from 0 here */
    (void)pc, (void)step;
    return thread == 2 || thread == 3 || thread == 5;
}

struct setting {
    const char *key;
    int64_t value;
};
static const struct setting sbr[] = {{"side", 1}, {0}}, /* the fall-through, B, first */
    dwf[] = {{"policy", 2}, {"swizzle", 1}, {0}}, majority[] = {{"swizzle", 1}, {0}},
                            lwm[] = {{"side", 1}, {"size", THREADS}, {0}},
                            tbc[] = {{"side", 1}, {"compact_cycles", 0}, {0}},
                            harp[] = {{"first", 1}, {"few", 1}, {0}},
                            harp_without_lookup[] = {{"first", 1}, {"few", 1}, {"ready_lookup", 0}, {0}};

/* ---- the machine ---- */

/* What a mechanism did with its units. */
struct outcome {
    char units[UNITS][LANES + 3]; /* "B 12--": block, and the thread on each lane; "idle" */
    uint32_t n, idle;
    uint32_t slots[4]; /* units of A, B, C and D */
};

static void put_idle(struct outcome *o) {
    assert_true(o->n < UNITS);
    snprintf(o->units[o->n++], sizeof o->units[0], "idle");
    o->idle++;
}

/* The units of an issue: in each of them every lane has the next of its threads. */
static void put_issue(struct outcome *o, uint32_t pc, const struct mech_set *set, uint32_t beats) {
    const uint32_t block = pc == A ? 0 : pc == B ? 1 : pc == C ? 2 : 3, first = o->n;
    assert_true(first + beats <= UNITS);
    for (; o->n < first + beats; o->n++)
        snprintf(o->units[o->n], sizeof o->units[0], "%c ----", "ABCD"[block]);
    o->slots[block] += beats;
    for (uint32_t k = 0; k < set->n; k++) FOR_LANES(l, set->p[k].mask) {
            uint32_t unit = first;
            while (unit < o->n && o->units[unit][2 + l % LANES] != '-') unit++;
            assert_true(unit < o->n);
            o->units[unit][2 + l % LANES] = (char)('1' + l);
        }
}

/* Issues if a split can. Returns the units that takes. */
static uint32_t issue(struct fake *f, struct outcome *o) {
    if (!fake_issue(f, 0)) {
        put_idle(o);
        return 1;
    }
    const struct mech_packet *p = &f->packet;
    const uint32_t pc = f->issued_pc, beats = p->beats ? p->beats : 1;
    assert_int_equal(p->n, 1);
    put_issue(o, pc, &p->split[0]->set, beats);
    f->flight[f->nflight - 1]->at = f->now + beats + (pc == B ? ACCESS : 0);
    return beats;
}

static void set(struct rig *r, const struct mech_ops *ops, const struct setting *s) {
    uint32_t k = 0;
    while (ops->params[k].key && strcmp(ops->params[k].key, s->key)) k++;
    if (!ops->params[k].key) fail_msg("%s has no parameter %s", ops->name, s->key);
    r->param[k] = s->value;
}

static struct outcome run(const char *mech, const struct setting *s) {
    const struct mech_ops *ops = mech_find(mech);
    struct outcome o = {.n = 0};
    struct rig r;
    rig_load(&r, figure(), LANES, THREADS, goes_to_c);
    for (uint32_t k = 0; ops->params[k].key; k++) r.param[k] = ops->params[k].def;
    for (; s->key; s++) set(&r, ops, s);
    fake_start(r.f, mech);
    while (!fake_done(r.f)) {
        r.f->now += issue(r.f, &o);
        fake_landings(r.f);
    }
    rig_down(&r);
    return o;
}

static void expect(const struct outcome *o, uint32_t n, const char *const *units) {
    for (uint32_t k = 0; k < n && k < o->n; k++) assert_string_equal(o->units[k], units[k]);
    assert_int_equal(o->n, n);
}
#define EXPECT(o, ...) \
    expect(o, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

/* Slots of the diverging paths, over which their eight threads are spread. */
static uint32_t paths(const struct outcome *o) {
    return o->slots[1] + o->slots[2];
}

/* ---- the five of the figure ---- */

static void test_sbr_leaves_half_the_lanes_empty_and_is_idle_during_the_access(void **state) {
    (void)state;
    const struct outcome o = run("pdom", sbr);
    EXPECT(&o, "A 1234", "A 5678", "B 12--", "B 5-78", "idle", "C --34", "C -6--", "D 1234", "D 5678",
           "D 1234", "D 5678");
    assert_int_equal(paths(&o), 4); /* 8 threads on 16 lanes */
    assert_int_equal(o.idle, 1);
}

static void test_dwf_fills_lanes_and_hides_the_access_but_does_not_reconverge(void **state) {
    (void)state;
    const struct outcome o = run("dwf", dwf);
    EXPECT(&o, "A 1234", "A 5678", "C -634", "B 1278", "B 5---", "D -634", "D 1278", "D 1634", "D 5---",
           "D 5278");
    assert_int_equal(paths(&o), 3); /* 8 threads on 12 lanes */
    assert_int_equal(o.idle, 0);
    assert_int_equal(o.slots[3], 5); /* warps that could be one: 4 slots would do */
}

/* What reconverges under the majority policy is a chance: {3, 4, 6} waits at D because {1, 2, 7, 8} came first, and 5 comes in
 * time to join it. */
static void test_dwf_may_meet_again_when_one_warp_waits_for_another_to_issue(void **state) {
    (void)state;
    const struct outcome o = run("dwf", majority);
    EXPECT(&o, "A 1234", "A 5678", "B 1278", "B 5---", "C -634", "D 1278", "D 5634", "D 1278", "D 5634");
}

static void test_lwm_fills_lanes_but_all_its_threads_wait_for_the_access(void **state) {
    (void)state;
    const struct outcome o = run("lwm", lwm);
    EXPECT(&o, "A 1234", "A 5678", "B 1278", "B 5---", "idle", "idle", "C -634", "D 1234", "D 5678", "D 1234",
           "D 5678");
    assert_int_equal(paths(&o), 3);
    assert_int_equal(o.idle, 2); /* longer than SBR: no other warp runs beside the one large warp */
    assert_int_equal(o.slots[3], 4);
}

/* "LWM and TBC appear to behave similarly since each diverging path has a single instruction." */
static void test_tbc_takes_the_slots_and_the_idle_units_of_lwm(void **state) {
    (void)state;
    const struct outcome o = run("tbc", tbc), large = run("lwm", lwm);
    EXPECT(&o, "A 1234", "A 5678", "B 1278", "B 5---", "idle", "idle", "C -634", "D 5678", "D 1234", "D 5678",
           "D 1234");
    assert_memory_equal(o.slots, large.slots, sizeof o.slots);
    assert_int_equal(o.idle, large.idle);
    assert_int_equal(o.n, large.n);
}

static void test_harp_fills_lanes_hides_the_access_and_reconverges(void **state) {
    (void)state;
    const struct outcome o = run("harp", harp);
    EXPECT(&o, "A 1234", "A 5678", "B 1278", "B 5---", "C -634", "D 1234", "D 1234", "D 5678", "D 5678");
    assert_int_equal(paths(&o), 3);
    assert_int_equal(o.idle, 0);
    assert_int_equal(o.slots[3], 4);
}

/* "HARP's width utilization can be lower than LWM if dynamic regrouping finds less merging opportunities": it finds none
 * without its table. */
static void test_harp_that_finds_nothing_to_merge_fills_fewer_lanes_than_lwm(void **state) {
    (void)state;
    const struct outcome o = run("harp", harp_without_lookup), large = run("lwm", lwm);
    assert_int_equal(paths(&o), 4);
    assert_true(paths(&o) > paths(&large));
    assert_true(o.n < large.n); /* and is still sooner done */
}

static void test_harp_is_done_first_then_dwf_then_the_three_that_idle(void **state) {
    (void)state;
    assert_int_equal(run("harp", harp).n, 9);
    assert_int_equal(run("dwf", dwf).n, 10);
    assert_int_equal(run("pdom", sbr).n, 11);
    assert_int_equal(run("lwm", lwm).n, 11); /* a slot less than SBR, and an idle unit more */
    assert_int_equal(run("tbc", tbc).n, 11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sbr_leaves_half_the_lanes_empty_and_is_idle_during_the_access),
        cmocka_unit_test(test_dwf_fills_lanes_and_hides_the_access_but_does_not_reconverge),
        cmocka_unit_test(test_dwf_may_meet_again_when_one_warp_waits_for_another_to_issue),
        cmocka_unit_test(test_lwm_fills_lanes_but_all_its_threads_wait_for_the_access),
        cmocka_unit_test(test_tbc_takes_the_slots_and_the_idle_units_of_lwm),
        cmocka_unit_test(test_harp_fills_lanes_hides_the_access_and_reconverges),
        cmocka_unit_test(test_harp_that_finds_nothing_to_merge_fills_fewer_lanes_than_lwm),
        cmocka_unit_test(test_harp_is_done_first_then_dwf_then_the_three_that_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

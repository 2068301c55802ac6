/* Random programs with random outcomes through dynamic warp formation, its tables cut down to an entry or two: no thread is
 * lost, none leaves its own path, the books balance after every commit (fake_sm.h checks all three). */
#include "unit/mech/dwf_rig.h"
#include "unit/mech/random_program.h"

static const char *pick(struct rng *r, const char *const *choices) {
    size_t n = 0;
    while (choices[n]) n++;
    return choices[rng_below(r, n)];
}

static void random_tables(struct rig *r, struct rng *g) {
    static const char *const small[] = {"1", "2", "8", NULL}, *const pool[] = {"1", "2",   "5",
                                                                               "0", "128", NULL};
    rig_set(r, "policy", pick(g, OPTIONS("dmaj", "dmaj", "dmin", "dtime", "dpc", "dpdpri")));
    rig_set(r, "lanes", pick(g, OPTIONS("aware", "bank", "bank", "free", "conflict", "bank_conflict")));
    rig_set(r, "swizzle", pick(g, OPTIONS("swap", "none", "rotate")));
    rig_set(r, "rank", pick(g, OPTIONS("least", "most")));
    rig_set(r, "ties", pick(g, OPTIONS("arrival", "fuller")));
    rig_set(r, "barrier", pick(g, OPTIONS("regroup", "first")));
    rig_set(r, "update", pick(g, small));
    rig_set(r, "lut_entries", pick(g, small));
    rig_set(r, "lut_ways", pick(g, small));
    rig_set(r, "pool", pick(g, pool));
    rig_set(r, "spill_cycles", pick(g, OPTIONS("0", "1", "9")));
    rig_set(r, "memory", pick(g, OPTIONS("warp", "thread")));
    rig_set(r, "pool_layout", pick(g, OPTIONS("banks", "array")));
    rig_set(r, "spill", pick(g, OPTIONS("arriving", "last")));
    rig_set(r, "majority", pick(g, OPTIONS("heap", "heap", "pipelined", "ideal")));
    rig_set(r, "heap", pick(g, small));
    rig_set(r, "heap_lut", pick(g, small));
    rig_set(r, "heap_lut_ways", pick(g, small));
    rig_set(r, "heap_ports", pick(g, small));
}

/* When it is slow the fake offers early data to mechanisms with `memory`, and expects it to be taken. */
static bool takes_early(const struct rig *r) {
    const struct mech_param *p = mech_find("dwf")->params;
    int k = 0;
    while (strcmp(p[k].key, "memory") != 0) k++;
    return r->param[k] == 1;
}

struct seen {
    uint64_t pool_spills, heap_spills, evictions, heap_evictions, merges, conflicts;
};

static void run_one(struct rng *g, uint32_t w, struct seen *seen) {
    struct rig r;
    rig_make(&r, random_program(g, random_mix(g, true)), w, random_threads(g, w), NULL,
             (const char *const[]){NULL});
    random_tables(&r, g);
    random_machine(r.f, g);
    r.f->env.simd_width = w >> rng_below(g, 3);
    r.f->slow = takes_early(&r);
    fake_start(r.f, "dwf");
    assert_true(fake_run(r.f));
    seen->pool_spills += rig_counter(&r, "pool_spills");
    seen->heap_spills += rig_counter(&r, "heap_spills");
    seen->evictions += rig_counter(&r, "lut_evictions");
    seen->heap_evictions += rig_counter(&r, "heap_lut_evictions");
    seen->merges += rig_counter(&r, "merges");
    seen->conflicts += rig_counter(&r, "lane_conflicts");
    rig_down(&r);
}

static void test_tiny_tables_lose_no_thread(void **state) {
    (void)state;
    static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128, 256};
    struct rng g = {2026};
    struct seen seen = {0};
    for (uint32_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (uint32_t n = 0; n < (sizes[k] < 64 ? 300u : 6000u / sizes[k]); n++) run_one(&g, sizes[k], &seen);
    /* every way a table can overflow was taken */
    assert_true(seen.pool_spills && seen.heap_spills && seen.evictions && seen.heap_evictions);
    assert_true(seen.merges && seen.conflicts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiny_tables_lose_no_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A DRAM channel under random load: all is served, and skipping gives the schedule of ticking. */
#include "dram_rig.h"

#include "base/bits.h"

/* Runs a seeded random load, by ticking or by skipping wherever the channel says nothing happens, and returns a hash of what
 * came out and when. */
static uint64_t random_load(const struct opt_dram *o, uint64_t seed, bool skip, struct dram_stats *s) {
    enum { REQUESTS = 3000 };
    struct dram *d = dram_new(o);
    struct rng r = {seed};
    uint8_t *seen = calloc(REQUESTS, 1);
    uint64_t hash = HASH_START, now = 0, next = 0;
    uint32_t sent = 0, got = 0;
    while (got < REQUESTS && now < 1000000) {
        if (now >= next) {
            for (uint64_t k = rng_below(&r, 12); k && sent < REQUESTS && dram_room(d); k--) {
                struct dram_place at = {.bank = (uint32_t)rng_below(&r, (uint64_t)o->banks),
                                        .row = rng_below(&r, 3)};
                dram_push(d, at, 32u << rng_below(&r, 3), rng_below(&r, 3) == 0, sent++);
            }
            next = now + 1 + (rng_below(&r, 8) ? rng_below(&r, 30) : rng_below(&r, 900));
        }
        uint64_t quiet = skip ? dram_quiet(d) : 0;
        if (quiet > next - now) quiet = next - now;
        if (quiet)
            dram_skip(d, quiet);
        else
            dram_cycle(d);
        now += quiet ? quiet : 1;
        for (uint32_t m; dram_pop(d, &m); got++) {
            assert_true(m < sent && !seen[m]);
            seen[m] = 1;
            hash = hash_bytes(hash, (uint64_t[]){now, m}, 2 * sizeof(uint64_t));
        }
    }
    assert_int_equal(got, REQUESTS);
    assert_false(dram_busy(d));
    dram_get_stats(d, s);
    assert_int_equal(s->cycles, now);
    dram_free(d);
    free(seen);
    return hash;
}

static struct opt_dram random_options(uint64_t k) {
    struct opt_dram o = gddr5();
    o.policy = k % 2 ? MEM_FRFCFS : MEM_FCFS;
    if (k / 2 % 2) o.tREFI = 700;
    if (k / 4 % 2) o.banks = 3;
    if (k / 8 % 2) o.burst = 1;
    if (k / 16 % 2) o.ideal = true;
    return o;
}

static void all_requests_are_served_once_and_soon(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 16; k++) {
        struct opt_dram o = random_options(k);
        struct dram_stats s;
        random_load(&o, k, false, &s);
        assert_int_equal(s.reads + s.writes, 3000);
        assert_int_equal(s.row_hits + s.row_misses + s.row_conflicts, 3000);
        assert_int_equal(s.latency_count, 3000);
        uint64_t in_hist = 0;
        for (int b = 0; b < 16; b++) in_hist += s.latency[b];
        assert_int_equal(in_hist, 3000);
        /* no one waits longer than a queue full of the dearest accesses, and refreshes in between */
        assert_true(s.latency_max < (uint64_t)(o.queue * (o.tRC + o.tRCD + o.tCL + 4 * 16)) * 2);
    }
}

static void skipping_gives_the_schedule_of_ticking(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 32; k++) {
        struct opt_dram o = random_options(k);
        struct dram_stats ticked, skipped;
        assert_true(random_load(&o, k, false, &ticked) == random_load(&o, k, true, &skipped));
        assert_memory_equal(&ticked, &skipped, sizeof ticked);
    }
}

/* dram_skip may be given any number: here whole idle stretches with many refreshes. */
static void skipping_far_does_what_falls_due_on_the_way(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    o.tREFI = 1000;
    struct rig r = rig_new(&o), t = rig_new(&o);
    get(&r, 2, 1, 1);
    get(&t, 2, 1, 1);
    dram_skip(r.d, 123456);
    run(&t, 123456);
    dram_get_stats(r.d, &r.s);
    assert_memory_equal(&r.s, &t.s, sizeof r.s);
    assert_int_equal(r.s.refreshes, 123);
    dram_free(r.d);
    dram_free(t.d);
}

static void an_idle_channel_is_quiet_for_ever(void **state) {
    (void)state;
    struct opt_dram o = gddr5();
    struct rig r = rig_new(&o);
    assert_true(dram_quiet(r.d) == UINT64_MAX);
    get(&r, 0, 0, 1);
    assert_int_equal(dram_quiet(r.d), 0);
    run(&r, 2); /* the activate, and a look at what comes next */
    assert_int_equal(dram_quiet(r.d), o.tRCD - 2);
    run(&r, 100);
    assert_true(dram_quiet(r.d) == UINT64_MAX);
    dram_free(r.d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_requests_are_served_once_and_soon),
        cmocka_unit_test(skipping_gives_the_schedule_of_ticking),
        cmocka_unit_test(skipping_far_does_what_falls_due_on_the_way),
        cmocka_unit_test(an_idle_channel_is_quiet_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

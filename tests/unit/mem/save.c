/* The memory system kept between launches: what goes on from a copy is what would have gone on. */
#include "rig.h"

#include "base/transfer.h"
#include "mem/dram.h"
#include "unit/bytes.h"

static struct bytes save(struct mem *m) {
    struct bytes b = {0};
    struct transfer t = {.move = bytes_put, .user = &b};
    mem_transfer(m, &t);
    assert_true(transfer_good(&t));
    assert_int_equal(t.moved, b.n);
    return b;
}

/* Whether it could be used; the reason goes to *why. */
static bool load(struct mem *m, struct bytes b, struct err *why) {
    struct transfer t = {.in = true, .move = bytes_get, .user = &b};
    mem_transfer(m, &t);
    *why = t.err;
    if (transfer_good(&t)) assert_int_equal(b.at, b.n);
    return transfer_good(&t);
}

/* A launch of random requests from cycle *now on; the digest is of every answer and of its cycle. */
static uint64_t launch(struct mem *m, uint32_t sms, uint64_t seed, uint64_t *now) {
    struct rng rng = {seed};
    uint64_t h = HASH_START;
    mem_restart_stats(m);
    for (uint32_t left = 3000; left || !mem_idle(m, MEM_NEVER); ++*now) {
        mem_advance(m, *now);
        for (uint32_t sm = 0; sm < sms; sm++) {
            uint32_t tag;
            uint64_t when = 0;
            while (mem_done(m, sm, *now, &tag)) {
                const uint64_t seen[] = {*now, sm, tag};
                h = hash_bytes(h, seen, sizeof seen);
            }
            if (!left || rng_below(&rng, 4) == 0) continue;
            const enum mem_path path = (enum mem_path)rng_below(&rng, MEM_NPATHS);
            const enum mem_kind kind = path == MEM_L1D ? (enum mem_kind)rng_below(&rng, 3) : MEM_READ;
            const uint64_t addr = (UINT64_C(1) << 28) + rng_below(&rng, 1 << 14) * 64;
            const uint64_t seen[] = {mem_ask(m, sm, path, kind, addr, 4, left--, *now, &when), when};
            h = hash_bytes(h, seen, sizeof seen);
        }
    }
    mem_flush(m);
    for (; !mem_idle(m, MEM_NEVER); mem_advance(m, *now)) *now = mem_next(m);
    mem_flush_l2(m);
    for (; !mem_idle(m, MEM_NEVER); mem_advance(m, *now)) *now = mem_next(m);
    return h;
}

/* Caches are small, so that lines have to go and what decides about that counts. */
static void vary(struct mem_options *o, int how) {
    o->l1d.sets = o->l1t.sets = 2;
    o->l2.sets = 8;
    o->l2.write = how % 2 ? MEM_WRITE_BACK : o->l2.write;
    switch (how) {
    case 1: o->l2.replace = o->l1d.replace = MEM_RANDOM; break;
    case 2: o->dram.policy = MEM_FCFS; break;
    case 3: o->noc.ideal = true; break;
    case 4: o->l2.present = false; break;
    case 5: o->l15c.present = true; break;
    case 6: o->memory.flush_l2 = true; break;
    case 7: o->dram.ideal = true; break;
    default: o->dram.tREFI = 500, o->dram.tRFC = 40; break;
    }
}
enum { WAYS_TO_VARY = 9, SMS = 5 };

static void a_copy_goes_on_as_the_original_does(void **state) {
    (void)state;
    for (int how = 0; how < WAYS_TO_VARY; how++) {
        struct mem_options o = rig_defaults();
        vary(&o, how);
        struct mem *a = rig_mem(&o, SMS), *b = rig_mem(&o, SMS);
        struct err why = {0};
        uint64_t now = 1;
        launch(a, SMS, 1, &now);
        struct bytes kept = save(a);
        launch(b, SMS, 77, &(uint64_t){1}); /* whatever it did before is forgotten */
        assert_true(load(b, kept, &why));
        for (uint64_t seed = 2; seed < 4; seed++) {
            uint64_t then = now;
            assert_int_equal(launch(a, SMS, seed, &now), launch(b, SMS, seed, &then));
            assert_int_equal(now, then);
        }
        struct mem_stats sa, sb;
        mem_get_stats(a, &sa);
        mem_get_stats(b, &sb);
        assert_memory_equal(&sa, &sb, sizeof sa);
        struct bytes ka = save(a), kb = save(b);
        assert_int_equal(ka.n, kb.n);
        assert_memory_equal(ka.v, kb.v, ka.n);
        VEC_FREE(&kept);
        VEC_FREE(&ka);
        VEC_FREE(&kb);
        mem_free(a);
        mem_free(b);
    }
}

/* The first of two requests to idle banks is the one behind the bank that had the last command. */
static uint32_t first_of_two(struct dram *d) {
    uint32_t first;
    dram_push(d, (struct dram_place){.bank = 0, .row = 7}, 32, false, 100);
    dram_push(d, (struct dram_place){.bank = 3, .row = 7}, 32, false, 103);
    while (!dram_pop(d, &first)) dram_cycle(d);
    return first;
}

static void whose_turn_it_is_in_a_channel_is_kept(void **state) {
    (void)state;
    const struct mem_options o = rig_defaults();
    struct dram *a = dram_new(&o.dram), *b = dram_new(&o.dram);
    struct bytes kept = {0};
    uint32_t message;
    dram_push(a, (struct dram_place){.bank = 1, .row = 7}, 32, false, 1);
    while (!dram_pop(a, &message)) dram_cycle(a);
    dram_skip(a, 1000);
    dram_transfer(a, &(struct transfer){.move = bytes_put, .user = &kept});
    dram_transfer(b, &(struct transfer){.in = true, .move = bytes_get, .user = &kept});
    assert_int_equal(first_of_two(a), 103);
    assert_int_equal(first_of_two(b), 103);
    VEC_FREE(&kept);
    dram_free(a);
    dram_free(b);
}

/* The second launch is not that of a memory which never saw the first: there is something to keep. */
static void without_the_copy_it_goes_otherwise(void **state) {
    (void)state;
    struct mem_options o = rig_defaults();
    struct mem *a = rig_mem(&o, SMS), *b = rig_mem(&o, SMS);
    uint64_t now = 1;
    launch(a, SMS, 1, &now);
    uint64_t then = now;
    assert_int_not_equal(launch(a, SMS, 2, &now), launch(b, SMS, 2, &then));
    mem_free(a);
    mem_free(b);
}

static void what_is_cut_short_is_refused(void **state) {
    (void)state;
    struct mem_options o = rig_defaults();
    struct mem *a = rig_mem(&o, 1);
    launch(a, 1, 1, &(uint64_t){1});
    struct bytes kept = save(a), part = kept;
    for (part.n = 0; part.n < kept.n; part.n += 1 + part.n / 16) {
        struct mem *b = rig_mem(&o, 1);
        struct err why;
        assert_false(load(b, part, &why));
        assert_string_equal(err_text(&why), "it ends too early");
        err_free(&why);
        mem_free(b);
    }
    VEC_FREE(&kept);
    mem_free(a);
}

static void another_machine_refuses_it(void **state) {
    (void)state;
    struct mem_options o = rig_defaults();
    struct mem *a = rig_mem(&o, 1), *b = rig_mem(&o, 2);
    struct bytes kept = save(a);
    struct err why;
    assert_false(load(b, kept, &why));
    assert_string_equal(err_text(&why), "the number of SMs is 1 there and 2 here");
    err_free(&why);
    VEC_FREE(&kept);
    mem_free(a);
    mem_free(b);
}

/* Whatever a byte is changed to: it is taken or refused, and the memory can be released. */
static void changed_bytes_break_nothing(void **state) {
    (void)state;
    struct mem_options o = rig_defaults();
    o.l1d.sets = o.l1t.sets = o.l1c.sets = o.l1i.sets = o.l2.sets = 2;
    struct mem *a = rig_mem(&o, 1);
    launch(a, 1, 1, &(uint64_t){1});
    struct bytes kept = save(a);
    uint32_t refused = 0;
    for (size_t i = 0; i < kept.n; i++) {
        struct mem *b = rig_mem(&o, 1);
        struct err why;
        kept.v[i] ^= 0xff;
        refused += !load(b, kept, &why);
        err_free(&why);
        kept.v[i] ^= 0xff;
        mem_free(b);
    }
    assert_true(refused > 0);
    VEC_FREE(&kept);
    mem_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_goes_on_as_the_original_does),
        cmocka_unit_test(whose_turn_it_is_in_a_channel_is_kept),
        cmocka_unit_test(without_the_copy_it_goes_otherwise),
        cmocka_unit_test(what_is_cut_short_is_refused),
        cmocka_unit_test(another_machine_refuses_it),
        cmocka_unit_test(changed_bytes_break_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

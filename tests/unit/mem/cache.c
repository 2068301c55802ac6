/* Tag array and miss registers by themselves: replacement order, reserved lines, sectors and grains, merging. */
#include "rig.h"

#include "mem/level.h"

static struct cache_shape shape(uint32_t sets, uint32_t ways, int replace) {
    return (struct cache_shape){.name = "l1d",
                                .replace = replace,
                                .sets = sets,
                                .ways = ways,
                                .line = 64,
                                .banks = 1,
                                .ports = 1,
                                .latency = 1,
                                .mshrs = 8,
                                .merges = 3};
}

static void make(struct level *l, const struct cache_shape *s) {
    struct err e = {0};
    assert_true(cache_check(s, &e));
    assert_true(level_init(l, s, 1, &e));
}

/* These bytes have come; returns the dirty grains of what goes for them. */
static uint64_t fill(struct level *l, struct msg_pool *p, uint32_t entry, uint64_t addr, uint32_t bytes,
                     struct queue *out) {
    uint64_t line;
    return level_fill(l, p, entry, addr, bytes, out, &line);
}

/* Reads line n; a miss is answered at once. True: it hit. */
static bool reads(struct level *l, uint64_t n) {
    struct msg_pool none = {0};
    struct queue out = {0};
    uint64_t addr = n << l->tags.line_shift;
    struct level_access a = {MEM_READ, addr, l->shape.line, n, true};
    struct level_effect x;
    enum level_what got = level_do(l, &a, &x);
    assert_true(got == LEVEL_HIT || got == LEVEL_MISS);
    if (got == LEVEL_MISS) fill(l, &none, x.entry, addr, l->shape.line, &out);
    return got == LEVEL_HIT;
}

/* One set of three: 1 2 3, 1 again, then 4 throws out 2 (least recently used), 5 throws out 3. */
static void lru_order(void **state) {
    (void)state;
    struct level l;
    struct cache_shape s = shape(1, 3, MEM_LRU);
    make(&l, &s);
    for (uint64_t n = 1; n <= 3; n++) assert_false(reads(&l, n));
    assert_true(reads(&l, 1));
    assert_false(reads(&l, 4));
    assert_int_equal(cache_find(&l.tags, 2, 2), CACHE_NONE);
    assert_false(reads(&l, 5));
    assert_int_equal(cache_find(&l.tags, 3, 3), CACHE_NONE);
    assert_true(reads(&l, 1) && reads(&l, 4) && reads(&l, 5));
    assert_int_equal(l.stats.evictions, 2);
    level_free(&l);
}

/* Under FIFO: 1 came first and goes first, used or not. */
static void fifo_order(void **state) {
    (void)state;
    struct level l;
    struct cache_shape s = shape(1, 3, MEM_FIFO);
    make(&l, &s);
    for (uint64_t n = 1; n <= 3; n++) reads(&l, n);
    assert_true(reads(&l, 1));
    assert_false(reads(&l, 4));
    assert_int_equal(cache_find(&l.tags, 1, 1), CACHE_NONE);
    assert_false(reads(&l, 5));
    assert_int_equal(cache_find(&l.tags, 2, 2), CACHE_NONE);
    assert_true(reads(&l, 3) && reads(&l, 4) && reads(&l, 5));
    level_free(&l);
}

/* LRU against a plain list kept in order, on a random walk; any number of sets. */
static void lru_matches_a_list(void **state) {
    (void)state;
    enum { SETS = 5, WAYS = 4 };
    struct level l;
    struct cache_shape s = shape(SETS, WAYS, MEM_LRU);
    make(&l, &s);
    uint64_t list[SETS][WAYS] = {{0}}; /* most recent first; line numbers + 1 */
    struct rng r = {3};
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t n = rng_below(&r, 40), *set = list[n % SETS];
        uint32_t at = 0;
        while (at < WAYS && set[at] != n + 1) at++;
        assert_int_equal(reads(&l, n), at < WAYS);
        memmove(set + 1, set, (at < WAYS ? at : WAYS - 1) * sizeof *set);
        set[0] = n + 1;
    }
    rig_adds_up(&l.stats);
    level_free(&l);
}

/* Random replacement takes every way about as often, and the same ones for the same seed. */
static void random_order_is_fair_and_repeatable(void **state) {
    (void)state;
    struct cache c[2];
    struct cache_shape s = shape(1, 4, MEM_RANDOM);
    void *room[2];
    uint32_t count[4] = {0};
    for (int i = 0; i < 2; i++) {
        cache_init(&c[i], &s, 9, room[i] = calloc(1, cache_bytes(&s)));
        for (uint32_t w = 0; w < 4; w++) cache_place(&c[i], cache_victim(&c[i], 0), w);
    }
    c[0].line[2].pending = c[1].line[2].pending = 1; /* reserved: must never go */
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t slot = cache_victim(&c[0], 0);
        assert_int_equal(slot, cache_victim(&c[1], 0));
        count[slot]++;
    }
    assert_int_equal(count[2], 0);
    for (uint32_t w = 0; w < 4; w++)
        if (w != 2) assert_in_range(count[w], 900, 1100);
    free(room[0]);
    free(room[1]);
}

/* A set whose lines are all on their way refuses the next miss, and counts no access for it. */
static void a_set_of_reserved_lines_refuses(void **state) {
    (void)state;
    struct level l;
    struct cache_shape s = shape(1, 2, MEM_LRU);
    make(&l, &s);
    struct level_effect x;
    for (uint64_t n = 0; n < 3; n++) {
        struct level_access a = {MEM_READ, n * 64, 4, n, true};
        assert_int_equal(level_do(&l, &a, &x), n < 2 ? LEVEL_MISS : LEVEL_REFUSED);
    }
    assert_int_equal(l.stats.accesses, 2);
    assert_int_equal(l.stats.busy, 1);
    assert_int_equal(l.stats.evictions, 0);
    level_free(&l);
}

/* With reserve = fill a set of two takes as many misses as there are registers, merges with each, and keeps the two lines that
 * came last: 5 and 0 of 0 to 7, whose data comes in another order than it was asked for. */
static void a_line_gets_its_way_at_the_fill(void **state) {
    (void)state;
    static const uint64_t order[] = {3, 1, 7, 2, 6, 4, 5, 0};
    struct level l;
    struct msg_pool none = {0};
    struct queue out = {0};
    struct cache_shape s = shape(1, 2, MEM_LRU);
    s.reserve = MEM_RESERVE_FILL;
    make(&l, &s);
    struct level_effect x[9];
    for (uint64_t n = 0; n < 9; n++) {
        struct level_access a = {MEM_READ, n * 64, 4, n, true};
        assert_int_equal(level_do(&l, &a, &x[n]), n < 8 ? LEVEL_MISS : LEVEL_REFUSED); /* eight registers */
        if (n < 8) assert_int_equal(level_do(&l, &a, &x[8]), LEVEL_PENDING);
        if (n < 8) assert_int_equal(x[8].entry, x[n].entry);
    }
    for (uint64_t n = 0; n < 8; n++) fill(&l, &none, x[order[n]].entry, order[n] * 64, 64, &out);
    for (uint64_t n = 0; n < 8; n++) assert_int_equal(level_slot(&l, n, n) != CACHE_NONE, n == 5 || n == 0);
    assert_int_equal(l.stats.evictions, 6);
    assert_int_equal(l.tags.used, 2);
    level_free(&l);
}

/* What is used while a line is on its way stays, what is not goes, dirty grains first to be written: 1 and 2 are there and
 * dirty, 3 is asked for, 1 is read, 3 comes and pushes 2 out. With reserve = miss 1 would have gone, at the ask. */
static void who_goes_is_decided_at_the_fill(void **state) {
    (void)state;
    for (int reserve = MEM_RESERVE_MISS; reserve <= MEM_RESERVE_FILL; reserve++) {
        struct level l;
        struct msg_pool none = {0};
        struct queue out = {0};
        struct cache_shape s = shape(1, 2, MEM_LRU);
        s.reserve = reserve;
        s.write = MEM_WRITE_BACK;
        s.allocate = true;
        make(&l, &s);
        struct level_effect x;
        uint64_t line = 99;
        for (uint64_t n = 1; n <= 2; n++) {
            struct level_access w = {MEM_WRITE, n * 64, 64, n, true};
            assert_int_equal(level_do(&l, &w, &x), LEVEL_MISS);
            assert_int_equal(x.fetch, 0);
        }
        struct level_access three = {MEM_READ, 192, 4, 3, true}, one = {MEM_READ, 64, 4, 1, true};
        assert_int_equal(level_do(&l, &three, &x), LEVEL_MISS);
        assert_int_equal(x.evict, reserve == MEM_RESERVE_MISS);
        if (reserve == MEM_RESERVE_MISS) assert_int_equal(x.evict_line, 1);
        struct level_effect y;
        assert_int_equal(level_do(&l, &one, &y), reserve == MEM_RESERVE_MISS ? LEVEL_MISS : LEVEL_HIT);
        const uint64_t dirty = level_fill(&l, &none, x.entry, 192, 64, &out, &line);
        assert_int_equal(dirty, reserve == MEM_RESERVE_FILL);
        if (reserve == MEM_RESERVE_FILL) assert_int_equal(line, 2);
        level_free(&l);
    }
}

/* A line on its way is written to: the grains written whole are there at once, and all are dirty when it comes. Where every way
 * of the set is kept by a line with sectors on their way, it is not kept and must be written below itself. */
static void a_line_without_a_way_passes_by(void **state) {
    (void)state;
    struct level l;
    struct msg_pool none = {0};
    struct queue out = {0};
    struct cache_shape s = shape(1, 1, MEM_LRU);
    s.reserve = MEM_RESERVE_FILL;
    s.sector = 32;
    s.write = MEM_WRITE_BACK;
    s.allocate = true;
    make(&l, &s);
    struct level_effect x, y, z;
    struct level_access half = {MEM_READ, 0, 4, 0, true}, rest = {MEM_READ, 32, 4, 0, true},
                        write = {MEM_WRITE, 64, 40, 1, true}, read = {MEM_READ, 64, 4, 1, true};
    uint64_t line = 99;
    assert_int_equal(level_do(&l, &half, &x), LEVEL_MISS);
    fill(&l, &none, x.entry, 0, 32, &out);
    assert_int_equal(level_do(&l, &rest, &x), LEVEL_MISS); /* keeps its way */
    assert_int_equal(level_do(&l, &write, &y), LEVEL_MISS);
    assert_int_equal(y.fetch, 2);
    assert_int_equal(level_do(&l, &read, &z), LEVEL_HIT);
    assert_int_equal(level_fill(&l, &none, y.entry, 96, 32, &out, &line), 3);
    assert_int_equal(line, 1);
    assert_int_equal(level_slot(&l, 1, 1), CACHE_NONE);
    fill(&l, &none, x.entry, 32, 32, &out);
    assert_int_equal(level_do(&l, &rest, &x), LEVEL_HIT);
    assert_int_equal(l.stats.writebacks, 1);
    level_free(&l);
}

/* Four sectors of 16: only what was asked for comes; each sector is a miss of its own, a second ask for it pending. */
static void sectors_miss_one_by_one(void **state) {
    (void)state;
    struct level l;
    struct msg_pool pool = {0};
    struct queue out = {0};
    struct cache_shape s = shape(4, 2, MEM_LRU);
    s.sector = 16;
    make(&l, &s);
    struct level_effect x, y;
    struct level_access first = {MEM_READ, 0x14, 4, 0, true}, both = {MEM_READ, 0x1c, 8, 0, true};
    assert_int_equal(level_do(&l, &first, &x), LEVEL_MISS);
    assert_int_equal(x.fetch, 2);
    assert_int_equal(level_do(&l, &both, &y), LEVEL_MISS); /* sector 1 is on its way, 2 is not */
    assert_int_equal(y.fetch, 4);
    assert_int_equal(y.wait, 6);
    assert_int_equal(y.entry, x.entry);
    assert_int_equal(level_do(&l, &both, &y), LEVEL_PENDING);
    assert_int_equal(y.fetch, 0);
    uint32_t a = msg_new(&pool), b = msg_new(&pool);
    mshr_wait(&l.mshr, &pool, x.entry, a, 2);
    mshr_wait(&l.mshr, &pool, x.entry, b, 6);
    fill(&l, &pool, x.entry, 0x10, 16, &out);
    assert_int_equal(out.n, 1);
    assert_int_equal(QUEUE_TAKE(&out, pool.v), a);
    assert_int_equal(level_do(&l, &first, &x), LEVEL_HIT);
    assert_int_equal(POOL_TAKEN(&l.mshr), 1);
    fill(&l, &pool, y.entry, 0x20, 16, &out);
    assert_int_equal(QUEUE_TAKE(&out, pool.v), b);
    assert_int_equal(POOL_TAKEN(&l.mshr), 0);
    assert_int_equal(level_do(&l, &both, &x), LEVEL_HIT);
    rig_adds_up(&l.stats);
    POOL_FREE(&pool);
    level_free(&l);
}

/* A write of whole sectors needs nothing from below; of a part, the rest of that sector. Dirty sectors alone go back. */
static void write_back_writes_what_is_dirty(void **state) {
    (void)state;
    struct level l;
    struct msg_pool none = {0};
    struct queue out = {0};
    struct cache_shape s = shape(1, 1, MEM_LRU);
    s.sector = 16;
    s.write = MEM_WRITE_BACK;
    s.allocate = true;
    make(&l, &s);
    struct level_effect x;
    struct level_access whole = {MEM_WRITE, 0x10, 16, 0, true}, part = {MEM_WRITE, 0x30, 4, 0, true};
    assert_int_equal(level_do(&l, &whole, &x), LEVEL_MISS);
    assert_int_equal(x.fetch, 0);
    assert_false(x.forward);
    assert_int_equal(level_do(&l, &part, &x), LEVEL_MISS);
    assert_int_equal(x.fetch, 8);
    fill(&l, &none, x.entry, 0x30, 16, &out);
    struct level_access other = {MEM_READ, 0x1000, 16, 0x40, true};
    assert_int_equal(level_do(&l, &other, &x), LEVEL_MISS);
    assert_int_equal(x.evict, 0xa);
    assert_int_equal(x.evict_line, 0);
    uint32_t bytes;
    uint64_t left = x.evict;
    assert_int_equal(cache_run(&l.tags, 0, &left, 64, &bytes), 0x10);
    assert_int_equal(bytes, 16);
    assert_int_equal(cache_run(&l.tags, 0, &left, 64, &bytes), 0x30);
    assert_int_equal(left, 0);
    assert_int_equal(l.stats.writebacks, 1);
    level_free(&l);
}

/* A line emptied while the rest of what was written to it is on its way stays dirty there. */
static void emptying_forgets_no_write_under_way(void **state) {
    (void)state;
    struct level l;
    struct msg_pool none = {0};
    struct queue out = {0};
    struct cache_shape s = shape(1, 1, MEM_LRU);
    s.sector = 32;
    s.write = MEM_WRITE_BACK;
    s.allocate = true;
    make(&l, &s);
    struct level_effect x;
    struct level_access a = {MEM_WRITE, 0, 40, 0, true}; /* the first sector, and 8 bytes of the second */
    uint64_t line;
    assert_int_equal(level_do(&l, &a, &x), LEVEL_MISS);
    assert_int_equal(x.fetch, 2);
    assert_int_equal(level_empty(&l, 0, &line), 1);
    fill(&l, &none, x.entry, 32, 32, &out);
    assert_int_equal(level_empty(&l, 0, &line), 2);
    assert_int_equal(line, 0);
    assert_int_equal(cache_find(&l.tags, 0, 0), CACHE_NONE);
    level_free(&l);
}

/* Four policies: what a write that misses, and one that hits, sends below. */
static void write_policies(void **state) {
    (void)state;
    for (int policy = 0; policy < 4; policy++) {
        struct level l;
        struct cache_shape s = shape(4, 1, MEM_LRU);
        s.write = policy & 1 ? MEM_WRITE_BACK : MEM_WRITE_THROUGH;
        s.allocate = policy & 2;
        make(&l, &s);
        struct level_access a = {MEM_WRITE, 0x40, 64, 1, true};
        struct level_effect x;
        assert_int_equal(level_do(&l, &a, &x), LEVEL_MISS);
        assert_int_equal(x.forward, !(s.write == MEM_WRITE_BACK && s.allocate));
        assert_int_equal(x.fetch, 0);
        assert_int_equal(cache_find(&l.tags, 1, 1) != CACHE_NONE, s.allocate);
        reads(&l, 1);
        assert_int_equal(level_do(&l, &a, &x), LEVEL_HIT);
        assert_int_equal(x.forward, s.write == MEM_WRITE_THROUGH);
        a.room = false; /* nothing can be sent: a write that must be is refused and changes nothing */
        uint64_t before = l.stats.accesses;
        assert_int_equal(level_do(&l, &a, &x), s.write == MEM_WRITE_THROUGH ? LEVEL_REFUSED : LEVEL_HIT);
        assert_int_equal(l.stats.accesses, before + (s.write == MEM_WRITE_BACK));
        level_free(&l);
    }
}

/* A line of 128 from lines of 64 below is fetched in two pieces and there when both are. */
static void long_lines_are_filled_in_pieces(void **state) {
    (void)state;
    struct level l;
    struct msg_pool pool = {0};
    struct queue out = {0};
    struct cache_shape s = shape(4, 1, MEM_LRU);
    s.line = 128;
    s.grain = 64;
    make(&l, &s);
    struct level_access a = {MEM_READ, 0x80, 4, 1, true};
    struct level_effect x;
    uint32_t bytes;
    assert_int_equal(level_do(&l, &a, &x), LEVEL_MISS);
    uint64_t left = x.fetch;
    assert_int_equal(left, 3);
    assert_int_equal(cache_run(&l.tags, 1, &left, 64, &bytes), 0x80);
    assert_int_equal(cache_run(&l.tags, 1, &left, 64, &bytes), 0xc0);
    mshr_wait(&l.mshr, &pool, x.entry, msg_new(&pool), x.wait);
    fill(&l, &pool, x.entry, 0xc0, 64, &out);
    assert_int_equal(out.n, 0);
    fill(&l, &pool, x.entry, 0x80, 64, &out);
    assert_int_equal(out.n, 1);
    POOL_FREE(&pool);
    level_free(&l);
}

static void registers_merge_up_to_their_room(void **state) {
    (void)state;
    struct mshr t;
    struct mshr_entry room[2];
    struct msg_pool pool = {0};
    struct queue out = {0};
    mshr_init(&t, room, 2, 3);
    uint32_t a = mshr_take(&t, 5), b = mshr_take(&t, 6);
    assert_false(mshr_room(&t));
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(mshr_merges(&t, a));
        mshr_wait(&t, &pool, a, msg_new(&pool), 1u << i);
    }
    assert_false(mshr_merges(&t, a));
    assert_true(mshr_merges(&t, b));
    mshr_arrive(&t, &pool, a, 5, &out); /* first and third, in that order */
    assert_int_equal(out.n, 2);
    assert_int_equal(QUEUE_TAKE(&out, pool.v), 0);
    assert_int_equal(QUEUE_TAKE(&out, pool.v), 2);
    mshr_arrive(&t, &pool, a, 2, &out);
    assert_int_equal(QUEUE_TAKE(&out, pool.v), 1);
    mshr_give(&t, a);
    assert_int_equal(mshr_take(&t, 7), a);
    POOL_FREE(&pool);
}

/* Two ports, two banks: a second request to a bank, and a third of any kind, wait for the next cycle. */
static void ports_and_banks_take_turns(void **state) {
    (void)state;
    struct level l;
    struct cache_shape s = shape(4, 4, MEM_LRU);
    s.ports = s.banks = 2;
    make(&l, &s);
    for (uint64_t n = 0; n < 4; n++) reads(&l, n);
    struct level_effect x;
    struct level_access a = {MEM_READ, 0, 4, 0, true}, b = {MEM_READ, 64, 4, 1, true};
    assert_true(level_open(&l, 0, 10));
    level_do(&l, &a, &x);
    assert_false(level_open(&l, 2, 10));
    assert_int_equal(l.stats.bank_conflicts, 1);
    assert_true(level_open(&l, 1, 10));
    level_do(&l, &b, &x);
    assert_false(level_open(&l, 3, 10));
    assert_true(level_open(&l, 2, 11));
    level_free(&l);
}

static void bad_shapes_are_refused(void **state) {
    (void)state;
    struct err e = {0};
    struct cache_shape s = shape(1, 1, MEM_LRU);
    s.line = 48;
    assert_false(cache_check(&s, &e));
    assert_string_equal(err_text(&e), "l1d.line is 48: it must be a power of two");
    s.line = 64;
    s.sector = 128;
    assert_false(cache_check(&s, &e));
    s.sector = 24;
    assert_false(cache_check(&s, &e));
    s.sector = 1;
    assert_false(cache_check(&s, &e));
    s.sector = 2;
    assert_true(cache_check(&s, &e));
    err_free(&e);
}

struct sectors {
    uint64_t all, hits, pending, misses;
};

static void counted(const struct level *l, struct sectors want) {
    assert_int_equal(l->stats.sectors, want.all);
    assert_int_equal(l->stats.sector_hits, want.hits);
    assert_int_equal(l->stats.sector_pending, want.pending);
    assert_int_equal(l->stats.sector_misses, want.misses);
    rig_adds_up(&l->stats);
}

/* A line of four sectors. An access that finds one of two there is a miss by access, a hit and a miss by sector. The same
 * where a sector comes in two grains: it is there when both are. */
static void hits_are_counted_by_sector_too(void **state) {
    (void)state;
    for (uint32_t grain = 8; grain <= 16; grain += 8) {
        struct level l;
        struct msg_pool none = {0};
        struct queue out = {0};
        struct cache_shape s = shape(1, 2, MEM_LRU);
        s.sector = 16;
        s.grain = grain;
        make(&l, &s);
        struct level_effect first, x;
        struct level_access one = {MEM_READ, 0, 4, 0, true}, two = {MEM_READ, 8, 16, 0, true},
                            all = {MEM_READ, 0, 64, 0, true}, write = {MEM_WRITE, 32, 32, 0, true};
        assert_int_equal(level_do(&l, &one, &first), LEVEL_MISS); /* sector 0 */
        counted(&l, (struct sectors){1, 0, 0, 1});
        assert_int_equal(level_do(&l, &two, &x), LEVEL_MISS); /* 0 is on its way, 1 is not */
        counted(&l, (struct sectors){3, 0, 1, 2});
        fill(&l, &none, first.entry, 0, 16, &out);
        assert_int_equal(level_do(&l, &two, &x), LEVEL_PENDING); /* 0 is there, 1 on its way */
        counted(&l, (struct sectors){5, 1, 2, 2});
        fill(&l, &none, first.entry, 16, 16, &out);
        assert_int_equal(level_do(&l, &two, &x), LEVEL_HIT);
        counted(&l, (struct sectors){7, 3, 2, 2});
        assert_int_equal(level_do(&l, &write, &x), LEVEL_MISS); /* writes through: 2 and 3 */
        counted(&l, (struct sectors){9, 3, 2, 4});
        assert_int_equal(level_do(&l, &all, &x), LEVEL_MISS);
        counted(&l, (struct sectors){13, 5, 2, 6});
        level_free(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_order),
        cmocka_unit_test(fifo_order),
        cmocka_unit_test(lru_matches_a_list),
        cmocka_unit_test(random_order_is_fair_and_repeatable),
        cmocka_unit_test(a_set_of_reserved_lines_refuses),
        cmocka_unit_test(a_line_gets_its_way_at_the_fill),
        cmocka_unit_test(who_goes_is_decided_at_the_fill),
        cmocka_unit_test(a_line_without_a_way_passes_by),
        cmocka_unit_test(sectors_miss_one_by_one),
        cmocka_unit_test(write_back_writes_what_is_dirty),
        cmocka_unit_test(emptying_forgets_no_write_under_way),
        cmocka_unit_test(write_policies),
        cmocka_unit_test(long_lines_are_filled_in_pieces),
        cmocka_unit_test(registers_merge_up_to_their_room),
        cmocka_unit_test(ports_and_banks_take_turns),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(hits_are_counted_by_sector_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

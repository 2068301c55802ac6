/* Seeded random traffic through random machines, down to queues and buffers of one entry: every request is answered exactly
 * once, counters add up, nothing is left, nothing locks up; and it makes no difference whether the machine ticks every cycle
 * or jumps to mem_next. */
#include "rig.h"

enum { SMS = 5, ASKS = 160 };

struct ask {
    uint64_t cycle, addr;
    uint32_t sm, bytes;
    enum mem_path path;
    enum mem_kind kind;
    uint64_t asked, done; /* cycles, filled in by the run */
};

static int64_t pick(struct rng *r, const int64_t *from, uint32_t n) {
    return from[rng_below(r, n)];
}
#define PICK(r, ...) \
    pick(r, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

#define RANDOM_CACHE(C)                                  \
    do {                                                 \
        o.C.ideal = rng_below(r, 16) == 0;               \
        o.C.sets = PICK(r, 1, 2, 3, 16);                 \
        o.C.ways = PICK(r, 1, 2, 5);                     \
        o.C.line = PICK(r, 16, 64, 128, 256);            \
        o.C.sector = PICK(r, 0, o.C.line / 4, o.C.line); \
        o.C.replace = (int)rng_below(r, 3);              \
        o.C.write = (int)rng_below(r, 2);                \
        o.C.allocate = rng_below(r, 2);                  \
        o.C.banks = PICK(r, 1, 2, 3);                    \
        o.C.ports = PICK(r, 1, 2);                       \
        o.C.latency = PICK(r, 1, 2, 9);                  \
        o.C.mshrs = PICK(r, 1, 2, 8);                    \
        o.C.merges = PICK(r, 1, 2, 8);                   \
        o.C.reserve = (int)rng_below(r, 2);              \
    } while (0)

static struct mem_options random_options(struct rng *r) {
    struct mem_options o = rig_defaults();
    RANDOM_CACHE(l1d);
    RANDOM_CACHE(l1t);
    RANDOM_CACHE(l1c);
    RANDOM_CACHE(l15c);
    RANDOM_CACHE(l1i);
    RANDOM_CACHE(l2);
    o.l2.present = rng_below(r, 4) != 0;
    o.l15c.present = rng_below(r, 2);
    o.noc.ideal = rng_below(r, 8) == 0;
    o.noc.flit = PICK(r, 1, 8, 32);
    o.noc.latency = PICK(r, 0, 1, 7);
    o.noc.input_buffer = PICK(r, 1, 2, 32);
    o.noc.output_buffer = PICK(r, 1, 2, 32);
    o.noc.sms_per_port = PICK(r, 1, 2, 3, 64);
    o.dram.ideal = rng_below(r, 8) == 0;
    o.dram.channels = PICK(r, 1, 2, 3);
    o.dram.queue = PICK(r, 1, 2, 32);
    o.dram.policy = (int)rng_below(r, 2);
    o.memory.stores = (int)rng_below(r, 2);
    o.dram.tREFI = PICK(r, 0, 0, 1000);
    o.clock.core = (double)PICK(r, 700, 1150, 2000);
    o.clock.noc = (double)PICK(r, 100, 650, 3001);
    o.clock.l2 = (double)PICK(r, 99, 650, 2999);
    o.clock.dram = (double)PICK(r, 101, 800, 2500);
    o.memory.queue = PICK(r, 1, 1, 8);
    o.memory.seed = (int64_t)rng_below(r, 1000);
    return o;
}

static uint32_t line_of(const struct mem_options *o, enum mem_path path) {
    const int64_t line[MEM_NPATHS] = {o->l1d.line, o->l1t.line, o->l1c.line, o->l1i.line};
    return (uint32_t)line[path];
}

/* Bursts of asks with silences between; addresses few enough to collide. */
static void random_asks(struct rng *r, const struct mem_options *o, struct ask *a) {
    uint64_t cycle = 1;
    for (uint32_t i = 0; i < ASKS; i++) {
        enum mem_path path = rng_below(r, 2) ? MEM_L1D : (enum mem_path)rng_below(r, MEM_NPATHS);
        uint32_t line = line_of(o, path), bytes = 1 + (uint32_t)rng_below(r, line);
        cycle += rng_below(r, 20) ? rng_below(r, 3) : rng_below(r, 2000);
        a[i] = (struct ask){.cycle = cycle,
                            .addr = rng_below(r, 8192) / line * line + rng_below(r, line - bytes + 1),
                            .bytes = bytes,
                            .sm = (uint32_t)rng_below(r, SMS),
                            .path = path,
                            .kind = path == MEM_L1D ? (enum mem_kind)rng_below(r, 3) : MEM_READ};
    }
}

/* One try of one ask; true when it was taken. */
static bool try_ask(struct mem *m, struct ask *a, uint32_t tag, uint64_t now, uint32_t *waiting) {
    uint64_t when = 0;
    enum mem_answer got = mem_ask(m, a->sm, a->path, a->kind, a->addr, a->bytes, tag, now, &when);
    if (got == MEM_BUSY) return false;
    a->asked = now;
    assert_int_equal(a->done, 0);
    if (got == MEM_WAIT)
        ++*waiting;
    else
        a->done = got == MEM_HIT ? when : now;
    assert_true(got != MEM_POSTED || a->kind == MEM_WRITE);
    return true;
}

static void collect(struct mem *m, struct ask *a, uint64_t now, uint32_t *waiting) {
    uint32_t tag;
    for (uint32_t s = 0; s < SMS; s++)
        for (; mem_done(m, s, now, &tag); --*waiting) {
            assert_true(tag < ASKS && a[tag].asked && !a[tag].done && a[tag].sm == s);
            a[tag].done = now;
        }
}

/* The first ask of that SM from i on. */
static uint32_t of_sm(const struct ask *a, uint32_t i, uint32_t sm) {
    while (i < ASKS && a[i].sm != sm) i++;
    return i;
}

/* Each SM with an ask that is due tries it, once. Returns the cycle at which an SM will try next. */
static uint64_t ask_all(struct mem *m, struct ask *a, uint32_t next[SMS], uint64_t now, uint32_t *waiting) {
    uint64_t soonest = MEM_NEVER;
    for (uint32_t s = 0; s < SMS; s++) {
        uint32_t i = next[s];
        if (i < ASKS && a[i].cycle <= now && try_ask(m, &a[i], i, now, waiting))
            i = next[s] = of_sm(a, i + 1, s);
        if (i == ASKS) continue;
        uint64_t then = a[i].cycle > now ? a[i].cycle : now + 1;
        if (then < soonest) soonest = then;
    }
    return soonest;
}

/* What an SM reads without asking is what it would be told. */
static void check_calls(const struct mem *m) {
    for (uint32_t s = 0; s < SMS; s++)
        assert_true(mem_calls_next(mem_sm_calls(m, s), m, s) == mem_sm_next(m, s));
}

/* Runs them all, each SM in order, until nothing is left to do. */
static void run(struct mem *m, struct ask *a, bool jump) {
    uint32_t waiting = 0, next[SMS];
    for (uint32_t s = 0; s < SMS; s++) next[s] = of_sm(a, 0, s);
    for (uint64_t now = 1, then; now != MEM_NEVER; now = jump || then == MEM_NEVER ? then : now + 1) {
        assert_true(now < 10000000);
        mem_advance(m, now);
        collect(m, a, now, &waiting);
        then = ask_all(m, a, next, now, &waiting);
        check_calls(m);
        uint64_t event = mem_next(m);
        assert_true(event > now);
        if (event < then) then = event;
    }
    assert_int_equal(waiting, 0);
    assert_true(mem_idle(m, MEM_NEVER));
}

static void check_stats(const struct mem *m, const struct mem_options *o) {
    struct mem_stats s;
    mem_get_stats(m, &s);
    rig_adds_up(&s.l1d);
    rig_adds_up(&s.l1t);
    rig_adds_up(&s.l1c);
    rig_adds_up(&s.l15c);
    assert_int_equal(s.l15c.accesses != 0, o->l15c.present && s.l1c.misses);
    rig_adds_up(&s.l1i);
    rig_adds_up(&s.l2);
    assert_true(o->l2.present || !s.l2.accesses);
    assert_int_equal(s.l1d.accesses + s.l1t.accesses + s.l1c.accesses + s.l1i.accesses, ASKS);
    assert_int_equal(s.dram.latency_count, s.dram.reads + s.dram.writes);
    assert_true(s.dram.busy_cycles <= s.dram.cycles);
    for (int i = 0; i < 2; i++) assert_true(s.noc.occupied[i] <= s.noc.port_cycles[i]);
}

static void one_machine(uint64_t seed) {
    struct rng r = {seed};
    struct mem_options o = random_options(&r);
    struct ask ticked[ASKS], jumped[ASKS];
    random_asks(&r, &o, ticked);
    memcpy(jumped, ticked, sizeof ticked);
    struct err e = {0};
    struct mem *m = mem_new(&o, SMS, &e);
    if (!m) { /* lines that do not fit each other */
        assert_int_equal(e.code, ERR_INPUT);
        err_free(&e);
        return;
    }
    run(m, ticked, false);
    check_stats(m, &o);
    struct mem *again = rig_mem(&o, SMS);
    run(again, jumped, true);
    assert_memory_equal(ticked, jumped, sizeof ticked);
    struct mem_stats a, b;
    mem_get_stats(m, &a);
    mem_get_stats(again, &b);
    assert_memory_equal(&a.l1d, &b.l1d, sizeof a.l1d);
    assert_memory_equal(&a.l1t, &b.l1t, sizeof a.l1t);
    assert_memory_equal(&a.l1c, &b.l1c, sizeof a.l1c);
    assert_memory_equal(&a.l15c, &b.l15c, sizeof a.l15c);
    assert_memory_equal(&a.l1i, &b.l1i, sizeof a.l1i);
    assert_memory_equal(&a.l2, &b.l2, sizeof a.l2);
    assert_int_equal(a.dram.latency_sum, b.dram.latency_sum);
    assert_int_equal(a.load.latency_sum, b.load.latency_sum);
    mem_free(m);
    mem_free(again);
}

static void random_machines_answer_everything_once(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) one_machine(seed);
}

/* All SMs at once into machines where every queue, buffer and table holds one. */
static void one_entry_queues_do_not_lock_up(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct rng r = {seed};
        struct mem_options o = random_options(&r);
        o.memory.queue = o.dram.queue = o.noc.input_buffer = o.noc.output_buffer = 1;
        o.l1d.mshrs = o.l1d.merges = o.l1t.mshrs = o.l15c.mshrs = o.l15c.merges = o.l2.mshrs = o.l2.merges =
            1;
        o.l1d.ideal = o.l2.ideal = o.noc.ideal = o.dram.ideal = false;
        o.l1d.sets = o.l1d.ways = o.l2.sets = o.l2.ways = 1;
        o.l1d.write = o.l2.write = MEM_WRITE_BACK;
        o.l1d.allocate = o.l2.allocate = true;
        o.l2.line = 64;
        o.l2.sector = 16;
        o.l2.present = seed % 4 < 2;
        struct ask a[ASKS];
        random_asks(&r, &o, a);
        for (uint32_t i = 0; i < ASKS; i++) a[i].cycle = 1;
        struct mem *m = rig_mem(&o, SMS);
        run(m, a, seed % 2);
        check_stats(m, &o);
        mem_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_machines_answer_everything_once),
        cmocka_unit_test(one_entry_queues_do_not_lock_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

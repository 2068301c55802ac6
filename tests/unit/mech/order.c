/* The schedulers' orders: the exact sequence of each policy. */
#include "unit/mech/fake_sm.h"

enum { SPLITS = 6 };

struct rig {
    struct mech m;
    struct pages pages;
    struct ir_module *module;
    uint64_t now;
    uint64_t at[SPLITS]; /* when split k may issue */
    uint32_t asked;      /* calls of when */
    struct mech_split *s[SPLITS];
};

static uint64_t rig_when(void *sm, const struct mech_split *s) {
    struct rig *r = sm;
    r->asked++;
    return r->at[s->id] < r->now ? r->now : r->at[s->id];
}

/* Splits 0 .. 5 of one scheduler (or id % schedulers), all schedulable, PC 0: an add; PC 1: a global load. */
static void rig_up_timeout(struct rig *r, enum order_policy policy, uint32_t schedulers, uint32_t groups,
                           uint32_t timeout) {
    *r = (struct rig){.module = ir_module_new("order")};
    fake_op(r->module);
    fake_put(r->module, (struct ir_insn){.op = IR_LD_U32, .space = IR_SP_GLOBAL});
    r->m.env = (struct mech_env){.pages = &r->pages,
                                 .module = r->module,
                                 .warp_size = 32,
                                 .warps = 4,
                                 .schedulers = schedulers,
                                 .order = policy,
                                 .order_groups = groups,
                                 .order_timeout = timeout,
                                 .now = &r->now,
                                 .sm = r,
                                 .when = rig_when};
    r->m.pool = split_pool_new(&r->m.env, MECH_PIECES);
    r->m.order = order_new(&r->m.env, r->m.pool);
    for (uint32_t k = 0; k < SPLITS; k++) {
        r->s[k] = split_new(&r->m, k % schedulers, 0);
        r->s[k]->threads = 1; /* one that waits for a load */
        order_add(r->m.order, r->s[k]);
    }
}
static void rig_up(struct rig *r, enum order_policy policy, uint32_t schedulers, uint32_t groups) {
    rig_up_timeout(r, policy, schedulers, groups, 0);
}
static void rig_down(struct rig *r) {
    pages_free(&r->pages);
    ir_module_free(r->module);
}

/* Picks at each cycle and gives the split back `flight` cycles later; checks the ids, '-' for none. */
static void expect(struct rig *r, uint32_t sched, uint32_t flight, const char *ids) {
    struct mech_split *out[64] = {0};
    uint64_t from = r->now;
    for (uint32_t k = 0; ids[k]; k++, r->now++) {
        if (k >= flight && out[k - flight]) order_add(r->m.order, out[k - flight]);
        uint64_t next = order_next(r->m.order, sched);
        out[k] = order_pick(r->m.order, sched, r->now);
        char got = out[k] ? (char)('0' + out[k]->id) : '-';
        if (got != ids[k]) fail_msg("cycle %u of %s: %c", (unsigned)(r->now - from), ids, got);
        assert_true(out[k] ? next <= r->now && out[k]->in_flight : order_next(r->m.order, sched) > r->now);
    }
    uint32_t n = (uint32_t)strlen(ids);
    for (uint32_t k = n > flight ? n - flight : 0; k < n; k++)
        if (out[k]) order_add(r->m.order, out[k]);
}

static void test_round_robin_goes_round(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_LRR, 1, 1);
    expect(&r, 0, 1, "012345012345");
    r.at[1] = r.at[2] = r.now + 100; /* who is not ready is passed over */
    expect(&r, 0, 1, "0345034503");
    expect(&r, 0, 8, "4503----"); /* in flight */
    rig_down(&r);
}

static void test_each_scheduler_has_its_own_splits(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_LRR, 2, 1);
    expect(&r, 1, 1, "135135");
    expect(&r, 0, 1, "024024");
    rig_down(&r);
}

static void test_greedy_stays_and_then_takes_the_oldest(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_GTO, 1, 1);
    expect(&r, 0, 1, "0000");
    r.at[0] = r.now + 3;
    expect(&r, 0, 1, "111"); /* 0 waits: the oldest of the others goes */
    expect(&r, 0, 1, "111"); /* it goes on greedily although 0 is ready again */
    r.at[1] = r.now + 2;
    expect(&r, 0, 1, "0000");
    rig_down(&r);
}

static void test_greed_ends_with_the_split(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_GTO, 1, 1);
    r.at[0] = 2;
    expect(&r, 0, 1, "11");
    split_free(&r.m, r.s[1]);
    r.s[1] = split_new(&r.m, 0, 0); /* another split in slot 0, the youngest */
    assert_int_equal(r.s[1]->id, 1);
    order_add(r.m.order, r.s[1]);
    expect(&r, 0, 1, "00");
    rig_down(&r);
}

/* DPC of DWF 4.3: who is behind goes first; splits at one PC in the order of their age. */
static void test_lowest_pc_first_lets_those_behind_catch_up(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_PC, 1, 1);
    struct mech_split *const behind = order_pick(r.m.order, 0, r.now), *const ahead = r.s[1];
    assert_int_equal(behind->id, 0);
    order_remove(r.m.order, ahead);
    behind->pc = ahead->pc = 1;
    order_add(r.m.order, ahead);
    order_add(r.m.order, behind);
    expect(&r, 0, 8, "234501--"); /* 0 is the oldest of all, but only among the two at PC 1 */
    rig_down(&r);
}

static void test_oldest_first_goes_back_as_soon_as_it_can(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_OLDEST, 1, 1);
    r.at[0] = 3;
    expect(&r, 0, 1, "11100");
    expect(&r, 0, 4, "0123012");
    rig_down(&r);
}

static void test_two_level_keeps_to_its_active_set(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_TWO_LEVEL, 1, 2);
    expect(&r, 0, 1, "010101");
    r.s[0]->pc = 1; /* a load: 0 gives its place to 2 and queues behind 5 */
    expect(&r, 0, 1, "01212");
    r.s[1]->pc = r.s[2]->pc = 1; /* 3 and 4 replace them; pending: 5 0 1 2 */
    expect(&r, 0, 1, "1234343");
    rig_down(&r);
}

/* Narasiman et al. 2011: so that a large warp that never goes to memory does not keep the others out. */
static void test_two_level_makes_room_after_a_timeout(void **state) {
    (void)state;
    struct rig r;
    rig_up_timeout(&r, ORDER_TWO_LEVEL, 1, 1, 3);
    expect(&r, 0, 1, "000111222333444555000");
    r.s[1]->pc = 1; /* a load is a reason of its own, and the count begins anew */
    expect(&r, 0, 1, "1222333444555000122");
    for (uint32_t k = 0; k < 5; k++) order_remove(r.m.order, r.s[k]);
    expect(&r, 0, 1, "5555555"); /* no split waits */
    rig_down(&r);
}

static void test_two_level_demotes_who_waits_for_an_event(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_TWO_LEVEL, 1, 2);
    r.at[0] = MECH_NEVER;
    expect(&r, 0, 1, "121212"); /* found out when 0 was about to be picked */
    r.at[0] = 0;
    order_wake(r.m.order, r.s[0]); /* behind 3, 4, 5 */
    r.at[1] = r.at[2] = MECH_NEVER;
    expect(&r, 0, 1, "3434");
    r.at[3] = r.at[4] = MECH_NEVER;
    expect(&r, 0, 1, "5050");
    r.at[5] = MECH_NEVER;
    expect(&r, 0, 1, "00");
    rig_down(&r);
}

static void test_an_event_brings_a_split_back(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_LRR, 1, 1);
    for (uint32_t k = 0; k < SPLITS; k++) r.at[k] = k < 2 ? MECH_NEVER : 10 + k;
    expect(&r, 0, 1, "-");
    assert_int_equal(order_next(r.m.order, 0), 12); /* it does not ask before */
    r.asked = 0;
    expect(&r, 0, 1, "----");
    assert_int_equal(r.asked, 0);
    r.at[1] = 7;
    order_wake(r.m.order, r.s[1]);
    assert_int_equal(order_next(r.m.order, 0), 7);
    order_wake(r.m.order, r.s[0]); /* woken for nothing */
    expect(&r, 0, 1, "--111112345");
    rig_down(&r);
}

static void test_a_removed_split_is_never_picked(void **state) {
    (void)state;
    struct rig r;
    rig_up(&r, ORDER_TWO_LEVEL, 1, 2);
    order_remove(r.m.order, r.s[1]); /* active */
    order_remove(r.m.order, r.s[3]); /* pending */
    expect(&r, 0, 1, "0202");
    order_remove(r.m.order, r.s[0]);
    order_remove(r.m.order, r.s[2]);
    expect(&r, 0, 1, "4545");
    order_wake(r.m.order, r.s[0]);
    expect(&r, 0, 1, "45");
    order_add(r.m.order, r.s[0]);
    order_remove(r.m.order, r.s[4]);
    expect(&r, 0, 1, "0505");
    rig_down(&r);
}

/* SBI's partners: who could be picked now can be taken, and comes back as if it had been picked. */
static void test_who_is_ready_can_be_taken_out_of_turn(void **state) {
    (void)state;
    static const char *const without[] = {"0134501", "0000", "0000", "0101", "0000"};
    static const char *const with[] = {"2345012", "0000", "0000", "2012", "0000"};
    for (uint32_t policy = ORDER_LRR; policy <= ORDER_PC; policy++) {
        struct rig r;
        rig_up(&r, policy, 1, 3);
        assert_true(order_ready(r.m.order, r.s[2]));
        assert_int_equal(order_ready(r.m.order, r.s[5]),
                         policy != ORDER_TWO_LEVEL); /* not in the active set */
        order_take(r.m.order, r.s[2]);
        assert_true(r.s[2]->in_flight && !order_holds(r.s[2]));
        expect(&r, 0, 1, without[policy]); /* in the active set it keeps its place */
        order_add(r.m.order, r.s[2]);
        expect(&r, 0, 1, with[policy]);
        r.at[1] = r.now + 5;
        assert_false(order_ready(r.m.order, r.s[1]));
        rig_down(&r);
    }
}

/* Under every policy what is picked is always ready, and a split is picked whenever one is ready. */
static void test_random_times_lose_nobody(void **state) {
    (void)state;
    for (uint32_t policy = ORDER_LRR; policy <= ORDER_PC; policy++) {
        struct rig r;
        struct rng rng = {policy + 1};
        uint32_t picked[SPLITS] = {0};
        rig_up(&r, (enum order_policy)policy, 1, 3);
        for (uint32_t k = 0; k < 20000; k++, r.now++) {
            uint32_t woken = (uint32_t)rng_below(&rng, SPLITS);
            if (r.at[woken] == MECH_NEVER) {
                r.at[woken] = r.now;
                order_wake(r.m.order, r.s[woken]);
            }
            struct mech_split *s = order_pick(r.m.order, 0, r.now);
            bool any = false;
            for (uint32_t i = 0; i < SPLITS; i++) any |= r.at[i] <= r.now;
            if (policy != ORDER_TWO_LEVEL) assert_int_equal(s != NULL, any);
            if (!s) continue;
            assert_true(r.at[s->id] <= r.now);
            picked[s->id]++;
            r.at[s->id] = rng_below(&rng, 4) ? r.now + rng_below(&rng, 40) : MECH_NEVER;
            order_add(r.m.order, s);
        }
        for (uint32_t i = 0; i < SPLITS; i++) assert_true(picked[i] > 100);
        rig_down(&r);
    }
}

/* ---- many ---- */

enum { MANY = 40 };

static bool is_before(enum order_policy policy, const struct mech_split *a, const struct mech_split *b) {
    if (policy == ORDER_PC && a->pc != b->pc) return a->pc < b->pc;
    return a->age < b->age;
}

/* What the policy would pick of those that may issue, found by looking at all of them; MANY: none. */
static uint32_t model(const struct rig *r, struct mech_split *const *s, const bool *there, uint32_t last,
                      enum order_policy policy, const uint64_t *at) {
    uint32_t best = MANY;
    for (uint32_t step = 0; step < MANY; step++) {
        const uint32_t k = policy == ORDER_LRR ? (last + 1 + step) % MANY : step;
        if (!there[k] || at[k] > r->now) continue;
        if (policy == ORDER_GTO && k == last) return k;
        if (best == MANY || (policy != ORDER_LRR && is_before(policy, s[k], s[best]))) best = k;
    }
    return best;
}

struct crowd {
    struct rig r;
    struct mech_split *s[MANY];
    uint64_t at[MANY];
    bool there[MANY]; /* schedulable */
    uint32_t n;       /* number of them */
};

static uint64_t crowd_when(void *sm, const struct mech_split *s) {
    return ((struct crowd *)sm)->at[s->id];
}

static void crowd_up(struct crowd *c, enum order_policy policy) {
    *c = (struct crowd){.r.module = ir_module_new("order")};
    fake_op(c->r.module);
    c->r.m.env = (struct mech_env){.pages = &c->r.pages,
                                   .module = c->r.module,
                                   .warp_size = 32,
                                   .warps = 4,
                                   .schedulers = 1,
                                   .order = policy,
                                   .order_groups = 1,
                                   .now = &c->r.now,
                                   .sm = c,
                                   .when = crowd_when};
    c->r.m.pool = split_pool_new(&c->r.m.env, MECH_PIECES);
    c->r.m.order = order_new(&c->r.m.env, c->r.m.pool);
    for (uint32_t k = 0; k < MANY; k++) c->s[k] = split_new(&c->r.m, 0, 0);
}

/* One that is in no order comes, with a cycle that is near, far, past, or unknown. */
static void crowd_add(struct crowd *c, uint32_t k, struct rng *g) {
    const uint32_t kind = (uint32_t)rng_next(g) % 8;
    c->at[k] = kind == 0 ? MECH_NEVER : kind == 1 ? c->r.now + 200 : c->r.now + (uint32_t)rng_next(g) % 6;
    if (rng_next(g) % 2) c->s[k]->pc = (uint32_t)rng_next(g) % 5;
    order_add(c->r.m.order, c->s[k]);
    c->there[k] = true;
    c->n++;
}

/* It leaves, or what it waited for has happened. */
static void crowd_disturb(struct crowd *c, uint32_t k, bool leaves) {
    if (leaves) {
        order_remove(c->r.m.order, c->s[k]);
        c->there[k] = false;
        c->n--;
    } else if (c->at[k] > c->r.now) {
        c->at[k] = c->r.now + 1;
        order_wake(c->r.m.order, c->s[k]);
    }
}

/* Whether there are few or many, those come and go that the model says; most: how many are there at once. */
static void run_crowd(enum order_policy policy, uint32_t most) {
    struct crowd c;
    struct rng g = {most};
    uint32_t last = MANY - 1, picked = 0;
    crowd_up(&c, policy);
    for (c.r.now = 1; c.r.now < 3000; c.r.now++) {
        const uint32_t limit = c.r.now / 100 % 2 ? most : most / 4; /* ebb and flow */
        for (uint32_t k = (uint32_t)rng_next(&g) % MANY, tries = 0; c.n < limit && tries < 3; tries++) {
            if (!c.there[k]) crowd_add(&c, k, &g);
            k = (k + 7) % MANY;
        }
        const uint32_t k = (uint32_t)rng_next(&g) % MANY;
        if (c.there[k]) crowd_disturb(&c, k, rng_next(&g) % 2);
        const uint32_t want = model(&c.r, c.s, c.there, last, policy, c.at);
        const struct mech_split *got = order_pick(c.r.m.order, 0, c.r.now);
        assert_int_equal(got ? got->id : MANY, want);
        if (want == MANY) continue;
        last = want;
        picked++;
        c.n--;
        c.there[want] = false;
        if (rng_next(&g) % 4) crowd_add(&c, want, &g); /* back at once, as after most instructions */
    }
    assert_true(picked > 500);
    pages_free(&c.r.pages);
    ir_module_free(c.r.module);
}

static void test_few_and_many_are_picked_alike(void **state) {
    (void)state;
    static const enum order_policy policies[] = {ORDER_LRR, ORDER_GTO, ORDER_OLDEST, ORDER_PC};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        run_crowd(policies[p], 6);
        run_crowd(policies[p], 16);
        run_crowd(policies[p], MANY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_and_many_are_picked_alike),
        cmocka_unit_test(test_round_robin_goes_round),
        cmocka_unit_test(test_each_scheduler_has_its_own_splits),
        cmocka_unit_test(test_greedy_stays_and_then_takes_the_oldest),
        cmocka_unit_test(test_greed_ends_with_the_split),
        cmocka_unit_test(test_lowest_pc_first_lets_those_behind_catch_up),
        cmocka_unit_test(test_oldest_first_goes_back_as_soon_as_it_can),
        cmocka_unit_test(test_two_level_keeps_to_its_active_set),
        cmocka_unit_test(test_two_level_makes_room_after_a_timeout),
        cmocka_unit_test(test_two_level_demotes_who_waits_for_an_event),
        cmocka_unit_test(test_an_event_brings_a_split_back),
        cmocka_unit_test(test_a_removed_split_is_never_picked),
        cmocka_unit_test(test_who_is_ready_can_be_taken_out_of_turn),
        cmocka_unit_test(test_random_times_lose_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

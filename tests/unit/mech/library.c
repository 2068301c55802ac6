/* Sets, the split pool, homes of every warp size, the stack, what mechanisms declare, their list and what they refuse. */
#include "mech/lib/declare.h"
#include "mech/lib/stack.h"
#include "unit/mech/fake_sm.h"

/* ---- sets ---- */

static void test_sets_stay_sorted_and_without_empty_pieces(void **state) {
    (void)state;
    struct mech_set s = {0}, t = {0}, u;
    struct sb out = {0};
    set_print(&s, &out);
    set_add(&s, 5, 0xf0);
    set_add(&s, 2, 0x1);
    set_add(&s, 5, 0x0f);
    set_add(&s, 9, 0);
    set_print(&s, &out);
    assert_string_equal(out.text, "-w2:00000001 w5:000000ff");
    assert_int_equal(set_count(&s), 9);
    set_add(&t, 5, 0x3c);
    assert_true(set_subset(&t, &s) && !set_subset(&s, &t));
    set_copy(&u, &s);
    set_remove(&u, &t);
    assert_int_equal(set_mask(&u, 5), 0xc3);
    set_union(&u, &t);
    assert_true(set_equal(&u, &s));
    set_and(&u, &t);
    assert_true(set_equal(&u, &t));
    set_remove(&u, &t);
    assert_true(set_empty(&u));
    set_remove(&s, &s);
    assert_true(set_empty(&s));
    sb_free(&out);
}

/* Against one bit per thread. */
static void test_set_operations_agree_with_bit_maps(void **state) {
    (void)state;
    enum { N = 6 };
    struct rng r = {7};
    for (uint32_t round = 0; round < 2000; round++) {
        struct mech_set a = {0}, b = {0}, x;
        uint32_t ma[N] = {0}, mb[N] = {0};
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t w = (uint32_t)rng_below(&r, N), m = (uint32_t)rng_next(&r) & (uint32_t)rng_next(&r);
            set_add(k & 1 ? &a : &b, w, m);
            (k & 1 ? ma : mb)[w] |= m;
        }
        uint64_t what = rng_below(&r, 3);
        set_copy(&x, &a);
        if (what == 0) set_union(&x, &b);
        if (what == 1) set_remove(&x, &b);
        if (what == 2) set_and(&x, &b);
        uint32_t n = 0;
        for (uint32_t w = 0; w < N; w++) {
            uint32_t want = what == 0 ? ma[w] | mb[w] : what == 1 ? ma[w] & ~mb[w] : ma[w] & mb[w];
            assert_int_equal(set_mask(&x, w), want);
            n += want != 0;
        }
        assert_int_equal(x.n, n);
    }
}

/* ---- pool and homes ---- */

static void pool_up(struct mech *m, uint64_t *now, uint32_t w, uint32_t warps, uint32_t schedulers) {
    *m = (struct mech){.env = {.pages = xcalloc(1, sizeof(struct pages)),
                               .warp_size = w,
                               .warps = warps,
                               .schedulers = schedulers,
                               .order_groups = 1,
                               .now = now}};
    m->pool = split_pool_new(&m->env, MECH_PIECES);
    m->order = order_new(&m->env, m->pool);
}
static void pool_down(struct mech *m) {
    pages_free(m->env.pages);
    free(m->env.pages);
}

static void test_slots_are_reused_lowest_first_and_ages_never(void **state) {
    (void)state;
    struct mech m;
    uint64_t now = 0;
    pool_up(&m, &now, 32, 4, 1);
    struct mech_split *s[128];
    for (uint32_t k = 0; k < 128; k++) { /* as many as threads */
        s[k] = split_new(&m, 0, 0);
        assert_int_equal(s[k]->id, k);
        assert_int_equal(s[k]->age, k);
    }
    split_free(&m, s[90]);
    split_free(&m, s[7]);
    struct mech_split *a = split_new(&m, 0, 0), *b = split_new(&m, 0, 0);
    assert_ptr_equal(a, s[7]);
    assert_ptr_equal(b, s[90]);
    assert_int_equal(b->age, 129);
    assert_int_equal(m.stats.splits_max, 128);
    pool_down(&m);
}

static void test_dividing_and_merging_move_the_threads(void **state) {
    (void)state;
    struct mech m;
    uint64_t now = 0;
    struct mech_set all = {0}, part = {0};
    pool_up(&m, &now, 64, 4, 1);
    set_add(&all, 1, 0xff);
    set_add(&all, 2, 0x0f);
    set_add(&part, 1, 0x03);
    set_add(&part, 2, 0x0f);
    struct mech_split *s = split_new(&m, 0, 5);
    s->own[0] = 77;
    split_assign(m.pool, s, &all);
    struct mech_split *t = split_divide(&m, s, &part);
    assert_int_equal(s->threads, 6);
    assert_int_equal(t->threads, 6);
    assert_int_equal(t->pc, 5);
    assert_int_equal(t->own[0], 77);
    assert_ptr_equal(split_of(m.pool, 2, 3), t);
    assert_ptr_equal(split_of(m.pool, 1, 7), s);
    assert_null(split_of(m.pool, 0, 0));
    split_merge(&m, s, t);
    assert_true(set_equal(&s->set, &all) && s->threads == 12);
    assert_ptr_equal(split_of(m.pool, 2, 3), s);
    split_exit(m.pool, s, &part);
    assert_int_equal(s->threads, 6);
    assert_null(split_of(m.pool, 2, 3));
    pool_down(&m);
}

/* Thread t of a block is in machine warp t / W at lane t % W, for every W, wherever the block lies. */
static void test_homes_are_thread_over_warp_size(void **state) {
    (void)state;
    uint64_t now = 0;
    for (uint32_t w = 4; w <= 256; w *= 2) {
        struct mech m;
        struct mech_block b = {.first = 3, .warps = 11, .threads = 11 * 32 - 9};
        struct split_home home;
        uint32_t seen = 0, k = 0;
        pool_up(&m, &now, w, 16, 3);
        split_launch(m.pool, &b);
        for (; split_home_at(m.pool, &b, k, &home); k++) {
            assert_true(home.id < split_homes(&m.env));
            for (uint32_t i = 0; i < home.set.n; i++) FOR_LANES(l, home.set.p[i].mask) {
                    uint32_t warp = home.set.p[i].warp, t = (warp - b.first) * 32 + l;
                    assert_int_equal(t / w, k);
                    assert_int_equal(split_home_of(m.pool, warp, l), home.id);
                    assert_int_equal(split_lane_of(m.pool, warp, l), t % w);
                    seen++;
                }
        }
        assert_int_equal(seen, b.threads);
        assert_int_equal(k, (b.threads + w - 1) / w);
        pool_down(&m);
    }
}

static void test_neighbouring_warps_have_different_schedulers(void **state) {
    (void)state;
    uint64_t now = 0;
    for (uint32_t w = 4; w <= 256; w *= 2) {
        struct mech m;
        struct mech_block b = {.warps = 32, .threads = 1024};
        struct split_home home;
        uint32_t splits_of[2] = {0};
        pool_up(&m, &now, w, 32, 2);
        for (uint32_t k = 0; split_home_at(m.pool, &b, k, &home); k++) splits_of[home.sched]++;
        assert_int_equal(splits_of[0], splits_of[1]);
        pool_down(&m);
    }
}

/* HARP Table 5: all threads of a block are one scheduler's, and blocks take turns. */
static void test_whole_blocks_go_to_schedulers_in_turn(void **state) {
    (void)state;
    uint64_t now = 0;
    for (uint32_t w = 4; w <= 256; w *= 2) {
        struct mech m;
        pool_up(&m, &now, w, 32, 2);
        m.pool->whole_blocks = true;
        for (uint32_t slot = 0; slot < 4; slot++) {
            struct mech_block b = {.slot = slot, .first = slot * 8, .warps = 8, .threads = 256};
            struct split_home home;
            uint32_t k = 0;
            for (; split_home_at(m.pool, &b, k, &home); k++) {
                assert_int_equal(home.sched, slot % 2);
                assert_int_equal(split_rank(m.pool, home.id), slot * 256 / w + k);
            }
            assert_int_equal(k, 256 / w);
        }
        pool_down(&m);
    }
}

/* Threads of two home warps, parked in three splits: home warps come back one after the other, whole. */
static void test_home_warps_are_gathered_from_wherever_they_wait(void **state) {
    (void)state;
    uint64_t now = 0;
    for (uint32_t w = 16; w <= 64; w *= 4) {
        struct mech m;
        struct mech_block b = {.first = 2, .warps = 4, .threads = 128};
        struct mech_set all = {0}, some = {0};
        pool_up(&m, &now, w, 8, 1);
        split_launch(m.pool, &b);
        for (uint32_t k = 0; k < 4; k++) set_add(&all, 2 + k, ~0u);
        struct mech_split *s = split_new(&m, 0, 7);
        split_assign(m.pool, s, &all);
        for (uint32_t k = 0; k < 4; k++) set_add(&some, 2 + k, 0x0f0f0f0fu << k);
        split_divide(&m, s, &some);
        set_one(&some, 3, 0x80000000);
        split_divide(&m, s, &some);
        for (uint32_t n = 0; all.n; n++) {
            struct mech_split *home = split_gather_home(&m, &all);
            assert_true(n < 128 / w && home->threads == w);
            for (uint32_t k = 0; k < home->set.n; k++) FOR_LANES(l, home->set.p[k].mask)
            assert_int_equal(((home->set.p[k].warp - b.first) * 32 + l) / w, n);
        }
        assert_int_equal(m.pool->alive, 128 / w);
        pool_down(&m);
    }
}

/* ---- the stack ---- */

/* A branch joins where the mechanism says, here at 5 before its post-dominator 9. */
static void test_a_stack_joins_where_it_is_told_to(void **state) {
    (void)state;
    static const struct ir_insn branch = {.op = IR_BRA, .rpc = 9}, step = {.op = IR_ADD_U32};
    uint64_t now = 0;
    struct mech m;
    struct stack st = {0};
    struct mech_side side[2] = {{.pc = 1}, {.pc = 4}};
    struct mech_set top;
    struct sb out = {0};
    /* ten instructions of one block */
    struct ir_insn code[10] = {{.block = 0}};
    struct cfg_block block = {.end = 10};
    const struct ir_module module = {.code = {.v = code, .n = 10}};
    const struct cfg cfg = {.blocks = &block, .nblocks = 1};
    pool_up(&m, &now, 32, 1, 1);
    m.env.module = &module;
    m.env.cfg = &cfg;
    set_one(&top, 0, 0xff);
    stack_start(&m, &st, 0, 1, 64, &top, 0);
    set_one(&side[0].set, 0, 0x0f);
    set_one(&side[1].set, 0, 0xf0);
    assert_true(stack_commit(&m, &st, &(struct mech_outcome){.insn = &branch, .nsides = 2, .side = side}, 5,
                             STACK_TAKEN));
    stack_print(&st, 4, &out);
    assert_string_equal(out.text, "  pc 5 rpc - w0:000000ff\n  pc 1 rpc 5 w0:0000000f\n"
                                  "  pc 4 rpc 5 w0:000000f0 <- top\n");
    for (uint32_t k = 0; k < 2; k++) { /* each side arrives */
        stack_top(&st, &top);
        assert_int_equal(top.p[0].mask, k ? 0x0f : 0xf0);
        const struct mech_side to = {.pc = 5, .set = top};
        assert_true(stack_commit(&m, &st, &(struct mech_outcome){.insn = &step, .nsides = 1, .side = &to},
                                 IR_NOPC, STACK_TAKEN));
    }
    stack_top(&st, &top);
    assert_int_equal(top.p[0].mask, 0xff);
    assert_int_equal(m.stats.reconvergences, 1);
    sb_free(&out);
    pool_down(&m);
}

/* ---- what a mechanism declares ---- */

#define PARAMS(INT, BOOL, ENUM)                        \
    INT(entries, 64, 1, 1024, "Entries of the table.") \
    BOOL(swap, true, "Whether lanes are swapped.")     \
    ENUM(side, STACK_SIDE, "Which side runs first.")
MECH_PARAMS(declared, PARAMS)
#define COUNTERS(SUM, MAX)                   \
    SUM(merges, "times", "Splits that met.") \
    MAX(deepest, "entries", "Deepest stack.")
MECH_COUNTS(declared, COUNTERS)

static bool find_by_name(struct mech *m, struct err *e) {
    (void)e;
    assert_int_equal(declared_params(m)->entries, 100);
    assert_int_equal(declared_params(m)->swap, 0);
    assert_int_equal(declared_params(m)->side, 2);
    assert_int_equal(*(uint64_t *)m->self, 0);
    declared_counts(m)->merges += 3;
    declared_counts(m)->deepest = 5;
    return true;
}

static void test_parameters_and_counters_go_by_name(void **state) {
    (void)state;
    const struct mech_ops ops = {.name = "declared",
                                 .params = MECH_PARAM_ROWS(PARAMS),
                                 .counters = MECH_COUNTER_ROWS(COUNTERS),
                                 .self_bytes = sizeof(uint64_t),
                                 .create = find_by_name};
    const int64_t param[] = {100, 0, 2};
    struct pages pages = {0};
    struct err e = {0};
    uint64_t now = 0;
    struct mech_env env = {.pages = &pages,
                           .warp_size = 32,
                           .warps = 1,
                           .schedulers = 1,
                           .order_groups = 1,
                           .now = &now,
                           .param = param};
    struct mech *m = mech_new(&ops, &env, &e);
    assert_non_null(m);
    assert_int_equal(m->stats.extra[0], 3);
    assert_int_equal(m->stats.extra[1], 5);
    assert_string_equal(ops.params[2].key, "side");
    assert_true(ops.params[0].def == 64 && ops.params[0].low == 1 && ops.params[0].high == 1024);
    assert_true(ops.params[1].kind == OPTION_BOOL && ops.params[2].high == STACK_MOST && !ops.params[3].key);
    assert_true(ops.counters[0].how == STAT_SUM && ops.counters[1].how == STAT_MAX && !ops.counters[2].key);
    pages_free(&pages);
}

/* Every call the SM makes without asking whether the mechanism has it. */
static void test_what_a_mechanism_leaves_out_is_filled_in(void **state) {
    (void)state;
    struct pages pages = {0};
    struct err e = {0};
    uint64_t now = 0;
    struct mech_env env = {
        .pages = &pages, .warp_size = 32, .warps = 1, .schedulers = 1, .order_groups = 1, .now = &now};
    const struct mech_ops ops = {.name = "bare"};
    const struct mech_ops *o = mech_new(&ops, &env, &e)->ops;
    assert_true(o->launch && o->start && o->select && o->release && o->wake);
    assert_true(o->census && o->state && o->audit);
    assert_true(!o->create && !o->memory && !o->next && !o->places); /* these it asks for */
    pages_free(&pages);
}

/* ---- the list ---- */

static void test_every_mechanism_is_found_and_complete(void **state) {
    (void)state;
    assert_null(mech_find("nothing"));
    for (uint32_t k = 0; mech_list[k]; k++) {
        const struct mech_ops *o = mech_list[k];
        assert_ptr_equal(mech_find(o->name), o);
        assert_true(o->title && o->source && o->commit && o->storage);
        for (const struct mech_param *p = o->params; p && p->key; p++)
            assert_true(0 <= p->low && p->low <= p->def && p->def <= p->high && p->high <= UINT32_MAX);
    }
}

static void test_an_sm_without_schedulers_is_refused(void **state) {
    (void)state;
    struct err e = {0};
    uint64_t now = 0;
    struct mech_env env = {.warp_size = 32, .warps = 1, .schedulers = 0, .order_groups = 1, .now = &now};
    assert_null(mech_new(mech_find("nrec"), &env, &e));
    assert_string_equal(err_text(&e), "nrec: an SM without schedulers");
    err_free(&e);
}

/* kernel 0 calls 1, which recurses; 2 has an indirect branch and no caller. */
static void test_refusals_name_place_and_reason(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("r.ptx");
    fake_call(m, 0, 1);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_call(m, FAKE_MAYBE, 1);
    fake_end(m, IR_RET, 0);
    fake_func(m, "again");
    fake_brx(m, 2, (uint32_t[]){5, 6});
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_func(m, "table");
    struct cfg *c = fake_finish(m);
    struct err e = {0};
    struct mech_ops ops = *mech_find("pdom");
    assert_true(mech_can_run(&ops, m, c, 0, &e));
    ops.caps &= ~(unsigned)MECH_RECURSION;
    assert_false(mech_can_run(&ops, m, c, 0, &e));
    assert_string_equal(err_text(&e), "r.ptx:3: mechanism pdom cannot run again: it may call itself");
    ops.caps = MECH_ANY_CODE & ~(MECH_CALLS | MECH_RECURSION);
    assert_false(mech_can_run(&ops, m, c, 0, &e));
    assert_string_equal(err_text(&e), "r.ptx:1: mechanism pdom cannot run kernel: a call of a function");
    assert_true(mech_can_run(&ops, m, c, 2, &e)); /* which has none */
    ops.caps = MECH_ANY_CODE & ~MECH_INDIRECT;
    assert_true(mech_can_run(&ops, m, c, 0, &e)); /* the table is out of reach */
    assert_false(mech_can_run(&ops, m, c, 2, &e));
    assert_string_equal(err_text(&e), "r.ptx:5: mechanism pdom cannot run table: an indirect branch");
    err_free(&e);
    cfg_free(c);
    ir_module_free(m);
}

/* A jump into the arm of an if. */
static void test_unstructured_code_is_refused_where_it_cannot_run(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("u.ptx");
    fake_bra(m, FAKE_MAYBE, 4); /* 0: into the arm of the next */
    fake_bra(m, FAKE_MAYBE, 5); /* 1 */
    fake_op(m);                 /* 2 */
    fake_bra(m, FAKE_MAYBE, 6); /* 3 */
    fake_op(m);                 /* 4 */
    fake_op(m);                 /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "kernel");
    struct cfg *c = fake_finish(m);
    struct err e = {0};
    struct mech_ops ops = *mech_find("nrec");
    assert_true(c->funcs[0].structure >= CFG_UNSTRUCTURED);
    assert_true(mech_can_run(&ops, m, c, 0, &e));
    ops.caps = MECH_ANY_CODE & ~MECH_UNSTRUCTURED;
    assert_false(mech_can_run(&ops, m, c, 0, &e));
    assert_non_null(strstr(err_text(&e), ": mechanism nrec cannot run kernel: "));
    assert_non_null(strstr(err_text(&e), c->funcs[0].why_text));
    err_free(&e);
    cfg_free(c);
    ir_module_free(m);
}

/* A loop that is entered in the middle. */
static void test_irreducible_code_is_apart_from_unstructured(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("i.ptx");
    fake_bra(m, FAKE_MAYBE, 2); /* 0: into the loop */
    fake_op(m);                 /* 1: its head */
    fake_op(m);                 /* 2 */
    fake_bra(m, FAKE_MAYBE, 1); /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "kernel");
    struct cfg *c = fake_finish(m);
    struct err e = {0};
    struct mech_ops ops = *mech_find("nrec");
    assert_int_equal(c->funcs[0].structure, CFG_IRREDUCIBLE);
    assert_true(mech_can_run(&ops, m, c, 0, &e));
    for (unsigned k = 0; k < 2; k++) { /* it is both */
        ops.caps = MECH_ANY_CODE & ~(unsigned)(k ? MECH_UNSTRUCTURED : MECH_IRREDUCIBLE);
        assert_false(mech_can_run(&ops, m, c, 0, &e));
        assert_non_null(strstr(err_text(&e), ": mechanism nrec cannot run kernel: "));
        assert_non_null(strstr(err_text(&e), c->funcs[0].why_text));
    }
    err_free(&e);
    cfg_free(c);
    ir_module_free(m);
}

static uint32_t two_of_its_own(const void *params, uint32_t warp_size, uint32_t simd_width) {
    const uint32_t *p = params; /* key "threads", then key "times" */
    assert_int_equal(simd_width, 8);
    return p[1] ? p[1] * warp_size : p[0];
}

static void test_the_width_of_a_warp_may_be_the_mechanisms(void **state) {
    (void)state;
    struct mech_ops ops = *mech_find("nrec");
    struct pages pages = {0};
    struct err e = {0};
    uint64_t now = 0;
    int64_t param[] = {48, 0};
    const struct mech_env env = {.pages = &pages,
                                 .warp_size = 32,
                                 .simd_width = 8,
                                 .warps = 4,
                                 .schedulers = 1,
                                 .order_groups = 1,
                                 .param = param,
                                 .now = &now};
    ops.params = (const struct mech_param[]){{.key = "threads"}, {.key = "times"}, {0}};
    ops.width = two_of_its_own;
    assert_null(mech_new(&ops, &env, &e));
    assert_string_equal(err_text(&e), "nrec: a warp of 48 threads: it must be a power of two up to 256");
    param[1] = 4;
    assert_int_equal(mech_width(&ops, param, 32, 8), 128);
    struct mech *m = mech_new(&ops, &env, &e);
    assert_int_equal(m->env.warp_size, 128);
    assert_int_equal(m->pool->warp_size, 128);
    pages_free(&pages);
    err_free(&e);
}

static const void *count_functions(const struct mech_program *p, struct arena *mem, struct err *e) {
    const uint32_t *most = p->params;
    if (p->module->funcs.n > most[0]) {
        err_set(e, ERR_INPUT, "%s:%u: too many functions", p->module->name, p->module->funcs.v[p->func].line);
        return NULL;
    }
    uint32_t *n = ARENA_NEW(mem, uint32_t, 2);
    n[0] = (uint32_t)p->module->funcs.n;
    n[1] = p->warp_size;
    return n;
}

static void test_tables_are_made_or_refused_before_the_launch(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("p.ptx");
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    struct mech_ops ops = *mech_find("harp");
    struct arena mem = {0};
    struct err e = {0};
    int64_t param[32] = {0};
    const void *tables = &mem;
    const struct mech_program p = {.module = m, .warp_size = 32, .simd_width = 8};
    assert_true(mech_prepare(&ops, param, p, &mem, &tables, &e)); /* it has none */
    assert_null(tables);
    ops.prepare = count_functions;
    assert_false(mech_prepare(&ops, param, p, &mem, &tables, &e));
    assert_string_equal(err_text(&e), "p.ptx:1: too many functions");
    param[0] = 1;
    assert_true(mech_prepare(&ops, param, p, &mem, &tables, &e));
    assert_int_equal(((const uint32_t *)tables)[0], 1);
    assert_int_equal(((const uint32_t *)tables)[1], 8); /* harp's own width */
    arena_free(&mem);
    err_free(&e);
    ir_module_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_irreducible_code_is_apart_from_unstructured),
        cmocka_unit_test(test_the_width_of_a_warp_may_be_the_mechanisms),
        cmocka_unit_test(test_tables_are_made_or_refused_before_the_launch),
        cmocka_unit_test(test_sets_stay_sorted_and_without_empty_pieces),
        cmocka_unit_test(test_set_operations_agree_with_bit_maps),
        cmocka_unit_test(test_slots_are_reused_lowest_first_and_ages_never),
        cmocka_unit_test(test_dividing_and_merging_move_the_threads),
        cmocka_unit_test(test_homes_are_thread_over_warp_size),
        cmocka_unit_test(test_neighbouring_warps_have_different_schedulers),
        cmocka_unit_test(test_whole_blocks_go_to_schedulers_in_turn),
        cmocka_unit_test(test_home_warps_are_gathered_from_wherever_they_wait),
        cmocka_unit_test(test_a_stack_joins_where_it_is_told_to),
        cmocka_unit_test(test_parameters_and_counters_go_by_name),
        cmocka_unit_test(test_what_a_mechanism_leaves_out_is_filled_in),
        cmocka_unit_test(test_every_mechanism_is_found_and_complete),
        cmocka_unit_test(test_an_sm_without_schedulers_is_refused),
        cmocka_unit_test(test_refusals_name_place_and_reason),
        cmocka_unit_test(test_unstructured_code_is_refused_where_it_cannot_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

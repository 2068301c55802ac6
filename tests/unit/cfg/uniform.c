/* Which branches can diverge: small kernels with the answer written beside each branch, and random graphs against the
 * rules of uniform.c and diverge.c applied by brute force. */
#include "unit/cfg/graphs.h"

#include <stdio.h>
#include <string.h>

#include "cfg/uniform.h"
#include "front/ptx/ptx.h"

/* ---- by hand ---- */

#define HEAD         ".version 8.0\n.target sm_90\n.address_size 64\n"
#define REGS         ".reg .pred %p<8>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<8>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n" REGS body "exit;\n}\n"
#define TID          "mov.u32 %r1, %tid.x;\n"
#define N            "ld.param.u32 %r2, [n];\n"

/* The conditional branches of the text's functions in order: u uniform, w varies in a warp, b in a block only. */
static void expect(const char *text, const char *want) {
    struct err e = {0};
    struct ir_module *m = ptx_load("t.ptx", text, strlen(text), &e);
    struct cfg *c = m ? cfg_analyse(m, CFG_EXITS_MAIN, &e) : NULL;
    if (!c) fail_msg("%s", err_text(&e));
    uint8_t *varies = cfg_uniform(m, c);
    char got[64] = "";
    size_t n = 0;
    for (size_t pc = 0; pc < m->code.n && n + 1 < sizeof got; pc++) {
        const struct ir_insn *i = &m->code.v[pc];
        bool can = i->op == IR_BRX || i->op == IR_CALL_IND ||
                   (i->guard && (i->op == IR_BRA || i->op == IR_RET || i->op == IR_EXIT || i->op == IR_CALL));
        if (!can) {
            assert_int_equal(varies[pc], 0);
            continue;
        }
        assert_true(varies[pc] != CFG_VARIES_WARP);
        got[n++] = varies[pc] & CFG_VARIES_WARP ? 'w' : varies[pc] ? 'b' : 'u';
    }
    assert_string_equal(got, want);
    free(varies);
    cfg_free(c);
    ir_module_free(m);
}

static void where_a_condition_comes_from_decides(void **state) {
    (void)state;
    expect(KERNEL(TID "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nmov.u32 %r3, 1;\nL: mov.u32 %r3, 2;\n"), "w");
    expect(KERNEL(N "setp.eq.u32 %p1, %r2, 3;\n@%p1 bra L;\nmov.u32 %r3, 1;\nL: mov.u32 %r3, 2;\n"), "u");
    expect(KERNEL("mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 3;\n@%p1 bra L;\nmov.u32 %r3, 1;\nL: "
                  "mov.u32 %r3, 2;\n"),
           "u");
    expect(KERNEL("mov.u32 %r2, %warpid;\nsetp.eq.u32 %p1, %r2, 3;\n@%p1 bra L;\nmov.u32 %r3, 1;\nL: mov.u32 "
                  "%r3, 2;\n"),
           "b");
    expect(
        KERNEL("ld.param.u64 %rd1, [a];\nld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 3;\n@%p1 bra L;\n"
               "mov.u32 %r3, 1;\nL: mov.u32 %r3, 2;\n"),
        "w"); /* another block may store meanwhile */
    expect(KERNEL(TID "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra.uni L;\nmov.u32 %r3, 1;\nL: mov.u32 %r3, 2;\n"),
           "b"); /* .uni speaks of the threads of a warp */
    /* Threads that stay are alike. */
    expect(KERNEL(TID "setp.ge.u32 %p1, %r1, 3;\n@%p1 exit;\n" N
                      "setp.eq.u32 %p1, %r2, 3;\n@%p1 bra L;\nmov.u32 %r3, 1;\nL: mov.u32 %r3, 2;\n"),
           "wu");
}

static void votes_of_named_members_are_one_warps(void **state) {
    (void)state;
#define VOTED(vote) \
    KERNEL(TID "setp.eq.u32 %p1, %r1, 3;\n" vote "@%p2 bra L;\nmov.u32 %r3, 1;\nL: mov.u32 %r3, 2;\n")
    expect(VOTED("vote.sync.any.pred %p2, %p1, 0xffffffff;\n"), "b");
    expect(VOTED("mov.u32 %r4, %lanemask_le;\nvote.sync.any.pred %p2, %p1, %r4;\n"),
           "w"); /* who votes differs */
    expect(VOTED("@%p1 vote.sync.any.pred %p2, %p1, 8;\n"), "w");
    expect(VOTED("vote.sync.ballot.b32 %r4, %p1, 0xffffffff;\nsetp.eq.u32 %p2, %r4, 0;\n"), "b");
    expect(VOTED("shfl.sync.idx.b32 %r4, %r1, 0, 31, 0xffffffff;\nsetp.eq.u32 %p2, %r4, 0;\n"), "w");
    expect(VOTED("bar.red.or.pred %p2, 0, %p1;\n"), "u");
    expect(VOTED("bar.red.or.pred %p2, 0, 64, %p1;\n"), "w");
    expect(VOTED("activemask.b32 %r4;\nsetp.eq.u32 %p2, %r4, 0;\n"), "w");
}

static void a_value_written_by_some_differs_where_they_meet(void **state) {
    (void)state;
    const char *written_by_some =
        KERNEL(TID "mov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nmov.u32 %r3, 1;\nL:\n"
                   "setp.eq.u32 %p2, %r3, 1;\n@%p2 bra M;\nmov.u32 %r4, 1;\nM: mov.u32 %r4, 2;\n");
    const char *inside =
        KERNEL(TID "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nmov.u32 %r3, %ctaid.x;\n"
                   "setp.eq.u32 %p2, %r3, 1;\n@%p2 bra L;\nmov.u32 %r4, 1;\nL: mov.u32 %r4, 2;\n");
    const char *guarded =
        KERNEL(TID "mov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 mov.u32 %r3, 1;\n"
                   "setp.eq.u32 %p2, %r3, 1;\n@%p2 bra M;\nmov.u32 %r4, 1;\nM: mov.u32 %r4, 2;\n");
    const char *all_guarded =
        KERNEL(N "mov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r2, 3;\n@%p1 mov.u32 %r3, 1;\n"
                 "setp.eq.u32 %p2, %r3, 1;\n@%p2 bra M;\nmov.u32 %r4, 1;\nM: mov.u32 %r4, 2;\n");
    expect(written_by_some, "ww");
    expect(inside, "wu");
    expect(guarded, "w");
    expect(all_guarded, "u");
}

/* A counted loop under `if (tid < n)`: all who are in it go round as often. Then the same left by some earlier. */
static void loops(void **state) {
    (void)state;
    expect(KERNEL(TID N "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra E;\nmov.u32 %r3, 0;\n"
                        "L: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, %r2;\n@%p2 bra L;\n"
                        "E: mov.u32 %r4, 2;\n"),
           "wu");
    const char *left_early =
        KERNEL(TID N "mov.u32 %r3, 0;\nL: setp.eq.u32 %p1, %r3, %r1;\n@%p1 bra E;\nadd.u32 %r3, %r3, 1;\n"
                     "setp.lt.u32 %p2, %r3, %r2;\n@%p2 bra L;\n"    /* in the loop it is one number */
                     "E: setp.eq.u32 %p3, %r3, %r2;\n@%p3 bra X;\n" /* behind it, each has its own */
                     "mov.u32 %r4, 2;\nX: mov.u32 %r4, 3;\n");
    expect(left_early, "wuw");
}

static void the_carry_bit_carries_it(void **state) {
    (void)state;
    expect(
        KERNEL(TID
               "mov.u32 %r3, 0;\nadd.cc.u32 %r4, %r1, 1;\naddc.u32 %r3, %r3, 0;\nsetp.eq.u32 %p1, %r3, 1;\n"
               "@%p1 bra M;\nmov.u32 %r4, 1;\nM: mov.u32 %r4, 2;\n"),
        "w");
}

#define FUNCTION(name, body) \
    ".func (.param .b32 r) " name "(.param .b32 x)\n{\n" REGS "ld.param.b32 %r1, [x];\n" body "ret;\n}\n"
#define CALL(what, arg) \
    "{\n.param .b32 pa;\n.param .b32 pr;\nst.param.b32 [pa], " arg ";\n" what "ld.param.b32 %r5, [pr];\n}\n"
#define TEST_R5    "setp.eq.u32 %p3, %r5, 1;\n@%p3 bra M;\nmov.u32 %r4, 1;\nM: mov.u32 %r4, 2;\nexit;\n}\n"
#define BODY(body) ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n" REGS TID N body TEST_R5

#define SAME                      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\nadd.u32 %r1, %r1, 1;\nE: st.param.b32 [r], %r1;\n"
#define PROTOTYPE                 "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
#define TRY(function, body, want) expect(HEAD FUNCTION("f", function) BODY(body), want)

static void arguments_and_results_of_calls(void **state) {
    (void)state;
    TRY(SAME, CALL("call (pr), f, (pa);\n", "%r2"), "uu");
    TRY(SAME, CALL("call (pr), f, (pa);\n", "%r1"), "ww");
    /* one call that passes what differs is enough, for all of them */
    TRY(SAME, CALL("call (pr), f, (pa);\n", "%r1") CALL("call (pr), f, (pa);\n", "%r2"), "ww");
    TRY("mov.u32 %r1, %laneid;\nst.param.b32 [r], %r1;\n", CALL("call (pr), f, (pa);\n", "%r2"), "w");
    /* which return it took differs, and so does what it returns */
    TRY("mov.u32 %r2, %tid.x;\nst.param.b32 [r], 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 ret;\nst.param.b32 [r], "
        "2;\n",
        CALL("call (pr), f, (pa);\n", "%r2"), "ww");
    /* threads that end in the callee do not return to differ */
    TRY("mov.u32 %r2, %tid.x;\nst.param.b32 [r], 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 exit;\n",
        CALL("call (pr), f, (pa);\n", "%r2"), "wu");
    TRY(SAME,
        "setp.eq.u32 %p2, %r1, 3;\nmov.u32 %r5, 0;\n@%p2 bra S;\n" CALL("call (pr), f, (pa);\n",
                                                                        "%r2") "S:\n",
        "uww");
    TRY(SAME, "setp.eq.u32 %p2, %r1, 3;\n" CALL("@%p2 call (pr), f, (pa);\n", "%r2"), "uww");
    TRY(SAME, "mov.u64 %rd1, f;\n" CALL(PROTOTYPE "call (pr), %rd1, (pa), proto;\n", "%r2"), "uuu");
    TRY(SAME,
        "mov.u64 %rd1, f;\ncvt.u64.u32 %rd2, %r1;\nadd.u64 %rd1, %rd1, %rd2;\n" CALL(
            PROTOTYPE "call (pr), %rd1, (pa), proto;\n", "%r2"),
        "uww");
}

#define DOWN                                                                               \
    "mov.u32 %r5, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\nsub.u32 %r2, %r1, 1;\n" CALL( \
        "call (pr), f, (pa);\n", "%r2") "E: st.param.b32 [r], %r5;\n"

static void recursion(void **state) {
    (void)state;
    TRY(DOWN, CALL("call (pr), f, (pa);\n", "%r2"), "uu");
    TRY(DOWN, CALL("call (pr), f, (pa);\n", "%r1"), "ww");
}

/* n blocks that may each skip the next, by turns on a condition that varies and on one that does not: threads that
 * diverge meet at the end only, so what has to be looked at grows with the square. Returns how many of them are said
 * to diverge. */
static uint32_t skipping_chain(uint32_t n) {
    struct ir_module *m = ir_module_new("test");
    const ir_opnd r0 = ir_reg(IR_FILE_32, 0), r1 = ir_reg(IR_FILE_32, 1), p1 = ir_reg(IR_FILE_P, 1),
                  p2 = ir_reg(IR_FILE_P, 2);
    put(m, (struct ir_insn){.op = IR_SREG_U32, .sub = IR_SR_TID_X, .nd = 1, .o = {r0}});
    put(m, (struct ir_insn){.op = IR_SREG_U32, .sub = IR_SR_NTID_X, .nd = 1, .o = {r1}});
    put(m, (struct ir_insn){.op = IR_SETP_U32, .nd = 2, .ns = 3, .o = {p1, IR_NONE, r0, r1, IR_PT}});
    put(m, (struct ir_insn){.op = IR_SETP_U32, .nd = 2, .ns = 3, .o = {p2, IR_NONE, r1, r1, IR_PT}});
    for (uint32_t k = 0; k < n; k++)
        put(m, (struct ir_insn){.op = IR_BRA, .guard = (uint16_t)(1 + k % 2), .target = 4 + k + 2});
    put(m, (struct ir_insn){.op = IR_NOP});
    put(m, (struct ir_insn){.op = IR_RET});
    VEC_PUSH(
        &m->funcs,
        (struct ir_func){
            .name = "k", .kernel = true, .defined = true, .end = (uint32_t)m->code.n, .nvirt = {2, 0, 3}});
    struct cfg *c = analysed(m);
    uint8_t *varies = cfg_uniform(m, c);
    uint32_t found = 0;
    for (uint32_t k = 0; k < n; k++) found += varies[4 + k] == (CFG_VARIES_WARP | CFG_VARIES_BLOCK);
    free(varies);
    cfg_free(c);
    ir_module_free(m);
    return found;
}

static void a_function_too_large_to_follow_has_every_branch_diverge(void **state) {
    (void)state;
    assert_int_equal(skipping_chain(100), 50);
    assert_int_equal(skipping_chain(20000), 20000);
}

/* ---- random graphs against brute force ---- */

enum { MOST = 40, REGISTERS = 6 };
typedef uint64_t set;
#define BIT(v) ((set)1 << (v))

struct naive {
    const struct shape *s;
    const struct ir_module *m;
    const struct cfg *c;
    set succ[MOST + 1], in[MOST + 1], defs[MOST]; /* in, defs: registers, 32-bit file then predicates */
    bool varies[MOST];
};

static set from(const struct naive *x, uint32_t v, set avoid) { /* reached from v's successors */
    set seen = 0, todo = x->succ[v] & ~avoid;
    while (todo) {
        seen |= todo;
        set next = 0;
        for (uint32_t u = 0; u < x->s->n; u++)
            if (todo & BIT(u)) next |= x->succ[u] & ~avoid;
        todo = next & ~seen;
    }
    return seen;
}

static set written(const struct naive *x, set blocks) {
    set w = 0;
    for (uint32_t v = 0; v < x->s->n; v++)
        if (blocks & BIT(v)) w |= x->defs[v];
    return w;
}

/* Two ways from b to j, inside the region, that share nothing between: no single node cuts all of them. A way that is the
 * edge itself needs a second that leaves b by another edge. */
static bool meets_twice(const struct naive *x, uint32_t b, uint32_t j, set outside) {
    bool direct = x->succ[b] & BIT(j);
    set region = from(x, b, outside | BIT(b) | BIT(j));
    struct naive less = *x;
    if (direct) { /* another way at all, once the edge is gone */
        less.succ[b] &= ~BIT(j);
        return from(&less, b, outside | (b == j ? 0 : BIT(b))) & BIT(j);
    }
    for (uint32_t cut = 0; cut <= x->s->n; cut++)
        if (region & BIT(cut) && !(from(x, b, outside | BIT(cut) | (b == j ? 0 : BIT(b))) & BIT(j)))
            return false;
    return from(x, b, outside | (b == j ? 0 : BIT(b))) & BIT(j);
}

static void naive_part(struct naive *x, uint32_t b) {
    uint32_t n = x->s->n, r = x->c->blocks[b].ipdom == CFG_NONE ? n : x->c->blocks[b].ipdom;
    set region = from(x, b, BIT(r));
    if (__builtin_popcountll(x->succ[b]) < 2) return;
    x->in[r] |= written(x, region);
    for (uint32_t j = 0; j <= n; j++)
        if (region & BIT(j) && meets_twice(x, b, j, BIT(r)))
            x->in[j] |= written(x, j == b ? region : from(x, b, BIT(r) | BIT(j)));
    set cycle = 0;
    for (uint32_t v = 0; v < n; v++)
        if (region & BIT(v) && region & BIT(b) && (v == b || from(x, v, BIT(r)) & BIT(b))) cycle |= BIT(v);
    for (uint32_t v = 0; v < n; v++)
        if (cycle & BIT(v))
            for (uint32_t j = 0; j <= n; j++)
                if (x->succ[v] & BIT(j) && !(cycle & BIT(j)) && j != r) x->in[j] |= written(x, cycle);
}

static set bit_of(const struct ir_func *f, ir_opnd o) {
    if (ir_is_const(o) || ir_file(o) == IR_FILE_NONE || (ir_file(o) == IR_FILE_P && !ir_index(o))) return 0;
    uint32_t at = ir_index(o) - f->base[ir_file(o)];
    return BIT(ir_file(o) == IR_FILE_P ? 32 + at : at);
}

static set naive_insn(const struct naive *x, const struct ir_insn *i, set s) {
    const struct ir_func *f = &x->m->funcs.v[0];
    set reads = bit_of(f, ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX)), writes = 0;
    for (int k = 0; k < i->nd; k++) writes |= bit_of(f, i->o[k]);
    for (int k = i->nd; k < i->nd + i->ns; k++) reads |= bit_of(f, i->o[k]);
    bool v = i->op == IR_SREG_U32 ? i->sub == IR_SR_TID_X || s & reads : (s & reads) != 0;
    return v ? s | writes : i->guard ? s : s & ~writes;
}

static void naive_run(struct naive *x) {
    const struct ir_func *f = &x->m->funcs.v[0];
    x->in[0] = ~(set)0;
    for (bool more = true; more;) {
        more = false;
        set was[MOST + 1];
        memcpy(was, x->in, sizeof was);
        for (uint32_t v = 0; v < x->s->n; v++) {
            if (!x->c->blocks[v].reachable) continue;
            set s = x->in[v];
            for (uint32_t pc = x->c->blocks[v].first; pc < x->c->blocks[v].end; pc++) {
                const struct ir_insn *i = &x->m->code.v[pc];
                set reads = bit_of(f, ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX));
                if (i->op == IR_BRX) reads |= bit_of(f, i->o[0]);
                bool ends = i->op == IR_BRA || i->op == IR_BRX || i->op == IR_EXIT;
                uint32_t ways = (uint32_t)__builtin_popcountll(x->succ[v]) + (i->op == IR_EXIT);
                if (ends && s & reads && ways > 1) x->varies[v] = true;
                s = naive_insn(x, i, s);
            }
            if (x->varies[v]) naive_part(x, v);
            for (uint32_t t = 0; t <= x->s->n; t++)
                if (x->succ[v] & BIT(t)) x->in[t] |= s;
        }
        more = memcmp(was, x->in, sizeof was) != 0;
    }
}

/* Few registers, so that branches depend on few things: constants, tid, sums, comparisons. */
static struct ir_insn plain_insn(struct rng *r) {
    ir_opnd a = ir_reg(IR_FILE_32, (uint32_t)rng_below(r, REGISTERS)),
            b = ir_reg(IR_FILE_32, (uint32_t)rng_below(r, REGISTERS));
    ir_opnd c = ir_reg(IR_FILE_32, (uint32_t)rng_below(r, REGISTERS)),
            p = ir_reg(IR_FILE_P, 1 + (uint32_t)rng_below(r, REGISTERS));
    uint16_t guard = rng_below(r, 8) ? 0 : (uint16_t)(1 + rng_below(r, REGISTERS));
    switch (rng_below(r, 8)) {
    case 0: return (struct ir_insn){.op = IR_ADD_U32, .guard = guard, .nd = 1, .ns = 2, .o = {a, b, c}};
    case 1:
        return (struct ir_insn){.op = IR_SREG_U32,
                                .guard = guard,
                                .sub = rng_below(r, 4) ? IR_SR_CTAID_X : IR_SR_TID_X,
                                .nd = 1,
                                .o = {a}};
    case 2:
    case 3: return (struct ir_insn){.op = IR_SREG_U32, .sub = IR_SR_NTID_X, .nd = 1, .o = {a}};
    case 4: return (struct ir_insn){.op = IR_MOV_U32, .guard = guard, .nd = 1, .ns = 1, .o = {a, b}};
    default:
        return (struct ir_insn){
            .op = IR_SETP_U32, .guard = guard, .nd = 2, .ns = 3, .o = {p, IR_NONE, a, b, IR_PT}};
    }
}

static struct ir_module *plain_module(const struct shape *s, struct rng *r) {
    const struct filling f = {3, {REGISTERS, 2, REGISTERS + 1}};
    struct ir_module *m = module_of(s, r, &f);
    for (size_t pc = 0; pc < m->code.n; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        if (i->op == IR_BRA || i->op == IR_BRX || i->op == IR_EXIT || i->op == IR_RET) continue;
        uint32_t line = i->line;
        *i = plain_insn(r);
        i->line = line;
    }
    return m;
}

/* Returns how many conditional branches were called uniform. */
static uint32_t check_shape(const struct shape *s, struct rng *r, uint32_t *branches) {
    struct ir_module *m = plain_module(s, r);
    struct cfg *c = analysed(m);
    struct naive x = {.s = s, .m = m, .c = c};
    uint32_t uniform = 0;
    assert_int_equal(c->nblocks, s->n);
    uint8_t *varies = cfg_uniform(m, c);
    for (uint32_t v = 0; v < s->n; v++) {
        for (uint32_t k = 0; c->blocks[v].reachable && k < c->blocks[v].nsucc; k++)
            x.succ[v] |= BIT(c->edges[c->blocks[v].succ + k]);
        if (c->blocks[v].reachable && m->code.v[c->blocks[v].end - 1].op == IR_RET) x.succ[v] |= BIT(s->n);
        for (uint32_t pc = c->blocks[v].first; pc < c->blocks[v].end; pc++)
            for (int k = 0; k < m->code.v[pc].nd; k++)
                x.defs[v] |= bit_of(&m->funcs.v[0], m->code.v[pc].o[k]);
    }
    naive_run(&x);
    for (uint32_t v = 0; v < s->n; v++) {
        const struct ir_insn *last = &m->code.v[c->blocks[v].end - 1];
        assert_int_equal(varies[c->blocks[v].end - 1] != 0, x.varies[v]);
        if (!c->blocks[v].reachable || !(last->op == IR_BRX || (last->op == IR_BRA && last->guard))) continue;
        ++*branches;
        uniform += !x.varies[v];
    }
    free(varies);
    cfg_free(c);
    ir_module_free(m);
    return uniform;
}

static void random_graphs_as_by_brute_force(void **state) {
    (void)state;
    uint32_t uniform = 0, branches = 0;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        struct rng r = {seed};
        struct shape s;
        if (seed % 2)
            shape_random(&s, &r, 2 + (uint32_t)rng_below(&r, MOST - 2));
        else
            shape_structured(&s, &r, 2 + (uint32_t)rng_below(&r, 10));
        if (s.n <= MOST) uniform += check_shape(&s, &r, &branches);
        shape_free(&s);
    }
    print_message("%u of %u branches uniform\n", uniform, branches);
    assert_true(uniform > branches / 20 && uniform < branches / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_a_condition_comes_from_decides),
        cmocka_unit_test(votes_of_named_members_are_one_warps),
        cmocka_unit_test(a_value_written_by_some_differs_where_they_meet),
        cmocka_unit_test(loops),
        cmocka_unit_test(the_carry_bit_carries_it),
        cmocka_unit_test(arguments_and_results_of_calls),
        cmocka_unit_test(recursion),
        cmocka_unit_test(a_function_too_large_to_follow_has_every_branch_diverge),
        cmocka_unit_test(random_graphs_as_by_brute_force),
    };
    return cmocka_run_group_tests_name("cfg/uniform", tests, NULL, NULL);
}

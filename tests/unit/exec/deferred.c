/* Accesses that are put off: random instructions of two SMs, each run for all its cycles alone and their logs performed
 * afterwards, leave the same memory, registers and signs of spinning as the SMs in lockstep. The latter run the build of the
 * executors for every machine, the former that for this one. */
#include "rig.h"

#include "base/bits.h"
#include "exec/deferred/deferred.h"

enum {
    CYCLES = 24,
    SMS = 2,
    WARPS = 2,
    INSNS = CYCLES * SMS,
    BUFFER = 2048,
    SMALL = 1024, /* bytes of shared, local and constant memory */
    GAP = SMALL,  /* before and behind a buffer: no line of the host has bytes of both */
    SOURCES = 4,  /* rows of each file that stores and atomics bring */
    RESULTS = 4,  /* rows of each file that one instruction may write */
    ROWS = SOURCES + INSNS * (RESULTS + 1)
};

/* Rows: sources, then for each instruction its results; of the 64-bit file also its addresses. */
static uint32_t result_row(uint32_t insn, uint32_t k) {
    return SOURCES + insn * (RESULTS + 1) + k;
}
static uint32_t address_row(uint32_t insn) {
    return result_row(insn, RESULTS);
}

/* ---- random instructions ---- */

struct plan { /* a launch: what SM s issues in cycle c is code[c * SMS + s] */
    struct rng g;
    struct ir_module *m;
    uint32_t mask[INSNS], warp[INSNS];
    bool apart; /* the SMs use different buffers */
};

static uint32_t pick(struct plan *p, uint32_t n) {
    return (uint32_t)rng_below(&p->g, n);
}

static ir_opnd source(struct plan *p, enum ir_file f) {
    return pick(p, 4) ? ir_reg(f, pick(p, SOURCES)) : ir_const(f, pick(p, 2));
}

static enum ir_file file_of(struct plan *p, uint32_t bytes) {
    return bytes == 8 || !pick(p, 3) ? IR_FILE_64 : IR_FILE_32;
}

static void make_load(struct plan *p, struct ir_insn *i, uint32_t n) {
    i->op = (uint16_t)(IR_LD_U8 + pick(p, IR_LD_U64 - IR_LD_U8 + 1));
    i->vec = (uint8_t)(1u << pick(p, 3));
    i->nd = i->vec;
    i->ns = 1;
    const enum ir_file f = i->op == IR_LD_S32 || i->op == IR_LD_BOX32
                               ? IR_FILE_64
                               : file_of(p, ir_type_bytes[ir_ops[i->op].type]);
    for (uint32_t k = 0; k < i->nd; k++) i->o[k] = pick(p, 8) ? ir_reg(f, result_row(n, k)) : IR_NONE;
    if (!pick(p, 8)) i->mods |= IR_M_VOLATILE;
}

static void make_store(struct plan *p, struct ir_insn *i) {
    i->op = (uint16_t)(IR_ST_U8 + pick(p, 4));
    i->vec = (uint8_t)(1u << pick(p, 3));
    i->ns = (uint8_t)(i->vec + 1);
    const enum ir_file f = file_of(p, ir_type_bytes[ir_ops[i->op].type]);
    for (uint32_t k = 1; k < i->ns; k++) i->o[k] = source(p, f);
}

static void make_atom(struct plan *p, struct ir_insn *i, uint32_t n) {
    static const uint8_t of_floats[] = {IR_AT_ADD, IR_AT_MIN, IR_AT_MAX, IR_AT_EXCH};
    i->op = (uint16_t)(IR_ATOM_U16 + pick(p, IR_ATOM_F64 - IR_ATOM_U16 + 1));
    const bool whole = i->op <= IR_ATOM_S64;
    const enum ir_file f = ir_type_bytes[ir_ops[i->op].type] == 8 ? IR_FILE_64 : IR_FILE_32;
    i->sub = (uint8_t)(whole ? pick(p, IR_AT_DEC + 1) : of_floats[pick(p, 4)]);
    i->vec = 1;
    i->nd = pick(p, 4) > 0;
    i->ns = i->sub == IR_AT_CAS ? 3 : 2;
    if (i->nd) i->o[0] = ir_reg(f, result_row(n, 0));
    for (uint32_t k = 1; k < i->ns; k++) i->o[i->nd + k] = source(p, f);
}

static void make_atom128(struct plan *p, struct ir_insn *i, uint32_t n) {
    i->op = IR_ATOM_B128;
    i->sub = pick(p, 2) ? IR_AT_EXCH : IR_AT_CAS;
    i->vec = i->nd = 2;
    i->ns = i->sub == IR_AT_CAS ? 5 : 3;
    for (uint32_t k = 0; k < 2; k++) i->o[k] = ir_reg(IR_FILE_64, result_row(n, k));
    for (uint32_t k = 3; k < i->nd + (uint32_t)i->ns; k++) i->o[k] = source(p, IR_FILE_64);
}

static bool stores(const struct ir_insn *i) {
    return ir_ops[i->op].cls == IR_C_ATOM || (i->op >= IR_ST_U8 && i->op <= IR_ST_U64);
}

static uint32_t bytes_of(const struct ir_insn *i) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type];
    return i->op == IR_ATOM_B128 ? 16 : ir_ops[i->op].cls == IR_C_LDST ? size * i->vec : size;
}

static void make(struct plan *p, uint32_t n) {
    struct ir_insn i = {0};
    switch (pick(p, 8)) {
    case 0: make_atom128(p, &i, n); break;
    case 1:
    case 2: make_atom(p, &i, n); break;
    case 3:
    case 4: make_store(p, &i); break;
    default: make_load(p, &i, n);
    }
    const bool atom = ir_ops[i.op].cls == IR_C_ATOM;
    static const uint8_t spaces[] = {IR_SP_GLOBAL, IR_SP_GENERIC, IR_SP_GENERIC, IR_SP_SHARED, IR_SP_LOCAL};
    i.space = spaces[pick(p, atom ? 4 : 5)];
    if (!stores(&i) && !pick(p, 6)) i.space = IR_SP_CONST;
    i.o[i.nd] = ir_reg(IR_FILE_64, address_row(n));
    VEC_PUSH(&p->m->code, i);
    p->mask[n] = pick(p, 2) ? ~0u : pick(p, 2) ? 1u << pick(p, 32) : (uint32_t)rng_next(&p->g) | 1;
    p->warp[n] = pick(p, WARPS);
}

/* seed decides everything but the addresses, which are drawn when the buffers are there. */
static struct plan plan_new(uint64_t seed) {
    struct plan p = {.g = {seed}, .m = ir_module_new("hand")};
    p.apart = pick(&p, 3) == 0;
    for (uint32_t k = 0; k < 2; k++) {
        VEC_PUSH(&p.m->k32, (uint32_t)rng_next(&p.g));
        VEC_PUSH(&p.m->k64, rng_next(&p.g));
    }
    p.m->address_bits = 64;
    for (uint32_t n = 0; n < INSNS; n++) make(&p, n);
    VEC_PUSH(&p.m->code, (struct ir_insn){.op = IR_RET});
    VEC_PUSH(&p.m->vars, (struct ir_var){.name = "bank", .space = IR_SP_CONST, .bytes = SMALL});
    VEC_PUSH(&p.m->funcs, (struct ir_func){.name = "k",
                                           .kernel = true,
                                           .defined = true,
                                           .end = (uint32_t)p.m->code.n,
                                           .shared_bytes = SMALL,
                                           .frame_bytes = SMALL,
                                           .total_rows = {ROWS, ROWS, 1}});
    return p;
}

/* ---- worlds ---- */

struct world {
    struct exec_mem *mem;
    struct exec_image *im;
    struct exec_launch launch;
    struct exec_grid grid[SMS];
    struct exec_block block[SMS];
    struct exec_deferred *log[SMS];
    uint64_t buffer[2], constant; /* no instruction stores to `constant` */
    struct err e;
};

/* Where a lane's access may go: an address of the instruction's space, aligned. */
static uint64_t place(struct plan *p, const struct world *w, const struct ir_insn *i, uint32_t sm,
                      uint32_t lane) {
    const uint32_t bytes = bytes_of(i);
    const uint64_t small = (uint64_t)pick(p, SMALL / bytes) * bytes;
    const uint64_t big = w->buffer[p->apart ? sm : pick(p, 2)] + (uint64_t)pick(p, BUFFER / bytes) * bytes;
    (void)lane;
    switch (i->space) {
    case IR_SP_GLOBAL: return big;
    case IR_SP_SHARED:
    case IR_SP_LOCAL: return small;
    case IR_SP_CONST: return pick(p, 2) ? small : w->constant + small;
    default: break;
    }
    switch (pick(p, ir_ops[i->op].cls == IR_C_ATOM ? 3 : stores(i) ? 4 : 5)) {
    case 0: return EXEC_WIN_SHARED + small;
    case 3: return EXEC_WIN_LOCAL + small;
    case 4: return EXEC_WIN_CONST + small;
    default: return big;
    }
}

/* One address, consecutive ones, few different ones, or any. */
static void draw_addresses(struct plan *p, const struct world *w, uint32_t n, uint64_t *addr) {
    const struct ir_insn *i = &p->m->code.v[n];
    const uint32_t bytes = bytes_of(i), shape = pick(p, 4);
    uint64_t first = place(p, w, i, n % SMS, 0);
    if (shape == 1) first &= ~(uint64_t)(SMALL - 1); /* room for the row behind it */
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        addr[l] = place(p, w, i, n % SMS, l);
        if (shape == 0 || (shape == 2 && pick(p, 2))) addr[l] = first;
        if (shape == 1) addr[l] = first + (uint64_t)l * bytes;
    }
}

static void fill(struct rng *g, void *to, size_t n) {
    uint8_t *b = to;
    for (size_t k = 0; k < n; k++) b[k] = (uint8_t)(rng_below(g, 3) ? rng_below(g, 4) : rng_next(g));
}

static void fill_warp(struct plan *p, struct world *w, struct exec_warp *warp) {
    fill(&p->g, warp->x.r32[0], SOURCES * EXEC_LANES * sizeof(uint32_t));
    fill(&p->g, warp->x.r64[0], SOURCES * EXEC_LANES * sizeof(uint64_t));
    fill(&p->g, warp->local, (size_t)warp->local_stride * EXEC_LANES);
    for (uint32_t n = 0; n < INSNS; n++) {
        uint64_t *row = warp->x.r64[0] + (size_t)address_row(n) * EXEC_LANES;
        draw_addresses(p, w, n, row);
    }
}

/* The plan's copy draws the same for every world. */
static struct world world_new(struct plan p, enum exec_isa isa) {
    struct world w = {.mem = exec_mem_new(1 << 24, 0)};
    for (int k = 0; k < 2; k++) {
        assert_true(exec_mem_alloc(w.mem, BUFFER + 2 * GAP, 4096, "buffer", &w.buffer[k], &w.e));
        w.buffer[k] += GAP;
        fill(&p.g, exec_mem_at(w.mem, w.buffer[k], BUFFER), BUFFER);
    }
    assert_true(exec_mem_alloc(w.mem, SMALL, 1024, "constant", &w.constant, &w.e));
    fill(&p.g, exec_mem_at(w.mem, w.constant, SMALL), SMALL);
    w.im = exec_image_new(w.mem, p.m, isa, &w.e);
    if (!w.im) fail_msg("%s", err_text(&w.e));
    uint64_t bytes;
    fill(&p.g, exec_image_bytes(w.im, 0, &bytes), SMALL);
    return w;
}

static void world_start(struct world *w, struct plan p) {
    w->launch = (struct exec_launch){
        .image = w->im, .grid = {SMS, 1, 1}, .block = {WARPS * EXEC_LANES, 1, 1}, .params = ""};
    assert_true(exec_grid_init(&w->grid[0], &w->launch, &w->e));
    for (uint32_t s = 1; s < SMS; s++) w->grid[s] = w->grid[0];
    for (uint32_t s = 0; s < SMS; s++) {
        w->log[s] = exec_deferred_new();
        assert_true(exec_block_alloc(&w->block[s], &w->grid[s], &w->e));
        exec_block_start(&w->block[s], s);
        fill(&p.g, w->block[s].shared, SMALL);
        for (uint32_t k = 0; k < WARPS; k++) fill_warp(&p, w, &w->block[s].warps[k]);
    }
}

static void world_free(struct world *w) {
    for (uint32_t s = 0; s < SMS; s++) {
        exec_block_free(&w->block[s]);
        exec_deferred_free(w->log[s]);
    }
    exec_grid_free(&w->grid[0]);
    exec_image_free(w->im);
    exec_mem_free_all(w->mem);
    err_free(&w->e);
}

/* SM s issues what it does in a cycle, and then overwrites the rows that it brought. */
static void issue(const struct plan *p, struct world *w, uint32_t cycle, uint32_t s) {
    const uint32_t n = cycle * SMS + s;
    struct exec_warp *warp = &w->block[s].warps[p->warp[n]];
    w->grid[s].clock = 100 + cycle;
    exec_step(warp, n, p->mask[n]);
    if (w->grid[s].out.flow == EXEC_FAULT) {
        exec_fault_error(warp, &w->e);
        fail_msg("%s", err_text(&w->e));
    }
    const uint32_t row = n % SOURCES * EXEC_LANES;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        warp->x.r32[0][row + l] = warp->x.r32[0][row + l] * 5 + n;
        warp->x.r64[0][row + l] = warp->x.r64[0][row + l] * 5 + n;
    }
}

static void run_deferred(const struct plan *p, struct world *w) {
    for (uint32_t s = 0; s < SMS; s++) {
        w->grid[s].deferred = w->log[s];
        for (uint32_t c = 0; c < CYCLES; c++) issue(p, w, c, s);
        w->grid[s].deferred = NULL;
    }
}

/* Results of instructions of which some lanes were not issued in one of the worlds are not compared. */
static void compare(const struct plan *p, struct world *a, struct world *b, uint32_t issued, uint64_t seed) {
    for (int k = 0; k < 2; k++)
        if (memcmp(exec_mem_at(a->mem, a->buffer[k], BUFFER), exec_mem_at(b->mem, b->buffer[k], BUFFER),
                   BUFFER))
            fail_msg("seed %llu: buffer %d differs", (unsigned long long)seed, k);
    for (uint32_t s = 0; s < SMS; s++) {
        const struct exec_warp *wa = a->block[s].warps, *wb = b->block[s].warps;
        for (uint32_t n = s; n < issued; n += SMS)
            for (uint32_t r = result_row(n, 0); r < result_row(n, RESULTS); r++) {
                const size_t at = (size_t)r * EXEC_LANES, k = p->warp[n];
                if (memcmp(wa[k].x.r32[0] + at, wb[k].x.r32[0] + at, EXEC_LANES * 4) ||
                    memcmp(wa[k].x.r64[0] + at, wb[k].x.r64[0] + at, EXEC_LANES * 8))
                    fail_msg("seed %llu: result of instruction %u, %s, differs", (unsigned long long)seed, n,
                             ir_ops[p->m->code.v[n].op].id);
            }
    }
}

static void compare_blocks(struct world *a, struct world *b) {
    for (uint32_t s = 0; s < SMS; s++) {
        assert_memory_equal(a->block[s].shared, b->block[s].shared, SMALL);
        for (uint32_t k = 0; k < WARPS; k++) {
            const struct exec_warp *wa = &a->block[s].warps[k], *wb = &b->block[s].warps[k];
            assert_memory_equal(wa->local, wb->local, (size_t)wa->local_stride * EXEC_LANES);
            assert_memory_equal(wa->regs, wb->regs, ROWS * EXEC_LANES * 12);
            assert_int_equal(wa->spun, wb->spun);
        }
    }
}

static void lockstep(const struct plan *p, struct world *w, uint32_t insns) {
    for (uint32_t n = 0; n < insns; n++) issue(p, w, n / SMS, n % SMS);
}

static void logs_in_order_do_what_lockstep_does(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct plan p = plan_new(seed);
        struct world a = world_new(p, EXEC_ISA_PORTABLE), b = world_new(p, EXEC_ISA_AUTO);
        world_start(&a, p);
        world_start(&b, p);
        lockstep(&p, &a, INSNS);
        run_deferred(&p, &b);
        exec_deferred_run_all(b.log, SMS, UINT64_MAX, 0);
        for (uint32_t s = 0; s < SMS; s++) assert_false(exec_deferred_waiting(b.log[s]));
        compare(&p, &a, &b, INSNS, seed);
        compare_blocks(&a, &b);
        world_free(&a);
        world_free(&b);
        ir_module_free(p.m);
    }
}

/* As far as the instruction at which a launch ended. */
static void a_bound_stops_the_logs_where_lockstep_stops(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct plan p = plan_new(seed);
        struct world a = world_new(p, EXEC_ISA_PORTABLE), b = world_new(p, EXEC_ISA_AUTO);
        const uint32_t last = (uint32_t)(seed * 7 % INSNS);
        world_start(&a, p);
        world_start(&b, p);
        lockstep(&p, &a, last + 1);
        run_deferred(&p, &b);
        exec_deferred_run_all(b.log, SMS, 100 + last / SMS, last % SMS);
        compare(&p, &a, &b, last + 1, seed);
        world_free(&a);
        world_free(&b);
        ir_module_free(p.m);
    }
}

/* ---- conflicts ---- */

enum { LOADED = 1, STORED = 2 };

/* What each SM does to each byte of the buffers. */
static void mark(const struct plan *p, const struct world *w, uint8_t used[SMS][2][BUFFER]) {
    memset(used, 0, SMS * 2 * BUFFER);
    for (uint32_t n = 0; n < INSNS; n++) {
        const struct ir_insn *i = &p->m->code.v[n];
        const uint64_t *row =
            w->block[n % SMS].warps[p->warp[n]].x.r64[0] + (size_t)address_row(n) * EXEC_LANES;
        FOR_LANES(l, p->mask[n])
        for (uint32_t k = 0; k < 2; k++)
            if (row[l] - w->buffer[k] < BUFFER)
                for (uint32_t b = 0; b < bytes_of(i); b++)
                    used[n % SMS][k][row[l] - w->buffer[k] + b] |= stores(i) ? STORED : LOADED;
    }
}

static bool truly_conflict(const uint8_t used[SMS][2][BUFFER]) {
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t b = 0; b < BUFFER; b++)
            if (used[0][k][b] && used[1][k][b] && (used[0][k][b] | used[1][k][b]) & STORED) return true;
    return false;
}

static void no_conflict_is_missed_and_logs_without_one_run_in_any_order(void **state) {
    (void)state;
    uint32_t without = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct plan p = plan_new(seed);
        struct world a = world_new(p, EXEC_ISA_PORTABLE), b = world_new(p, EXEC_ISA_AUTO);
        static uint8_t used[SMS][2][BUFFER];
        world_start(&a, p);
        world_start(&b, p);
        mark(&p, &b, used);
        run_deferred(&p, &b);
        const bool conflict = exec_deferred_conflict(b.log, SMS);
        if (truly_conflict((const uint8_t(*)[2][BUFFER])used)) assert_true(conflict);
        if (!conflict) {
            without++;
            lockstep(&p, &a, INSNS);
            exec_deferred_run(b.log[1], UINT64_MAX);
            exec_deferred_run(b.log[0], UINT64_MAX);
            compare(&p, &a, &b, INSNS, seed);
            compare_blocks(&a, &b);
        }
        world_free(&a);
        world_free(&b);
        ir_module_free(p.m);
    }
    assert_true(without > 30 && without < 200);
}

/* ---- one log ---- */

#define LOAD_AND_ADD                                                                                     \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %a; .reg .u32 %r<4>;\nld.param.u64 %a, [p];\n"   \
         "ld.global.u32 %r1, [%a];\natom.global.add.u32 %r2, [%a+4], 3;\nst.global.v2.u32 [%a+8], {%r1," \
         "%r2};\nret;\n}\n"

/* Its accesses are made, but the registers are those of the block that came after it. */
static void a_block_that_ended_gets_nothing_from_its_log(void **state) {
    (void)state;
    struct rig r = rig_load(LOAD_AND_ADD);
    const uint64_t buf = rig_buf(&r, 16, "b");
    struct exec_grid g;
    struct exec_block b;
    rig_u32(&r, buf)[0] = 77;
    rig_aim(&r, "k", 2, 1, &buf);
    assert_true(exec_grid_init(&g, &r.launch, &r.err));
    assert_true(exec_block_alloc(&b, &g, &r.err));
    exec_block_start(&b, 0);
    struct exec_deferred *log = g.deferred = exec_deferred_new();
    uint32_t pc = g.func->entry;
    while (r.m->code.v[pc].op < IR_ST_U8 || r.m->code.v[pc].op > IR_ST_U64) exec_step(&b.warps[0], pc++, 1);
    assert_true(exec_deferred_waiting(log) && exec_deferred_stores(log));
    assert_int_equal(exec_deferred_next(log), g.clock);
    exec_block_start(&b, 1);
    exec_deferred_run(log, UINT64_MAX);
    assert_int_equal(rig_u32(&r, buf)[1], 3);
    assert_true(exec_deferred_next(log) == UINT64_MAX);
    for (uint32_t k = 0; k < g.func->total_rows[IR_FILE_32]; k++)
        assert_int_equal(b.warps[0].x.r32[0][k * EXEC_LANES], 0);
    exec_deferred_reset(log);
    assert_false(exec_deferred_waiting(log) || exec_deferred_stores(log));
    exec_deferred_free(log);
    exec_block_free(&b);
    exec_grid_free(&g);
    rig_free(&r);
}

/* ---- which kernels ---- */

static void check_undeferrable(const char *before, const char *body, enum exec_undeferrable want,
                               bool atomics_want) {
    struct sb text = {0};
    struct exec_reach x;
    sb_add(&text,
           HEAD
           "%s\n.visible .entry k(.param .u64 p) {\n.reg .u64 %%a<4>; .reg .u32 %%r<5>; .reg .pred %%p;\n"
           ".shared .align 16 .b8 sh[256];\nld.param.u64 %%a1, [p];\n%s\nret;\n}\n",
           before, body);
    struct rig r = rig_load(text.text);
    struct exec_grid g;
    rig_aim(&r, "k", 1, 32, &(uint64_t){0});
    assert_true(exec_grid_init(&g, &r.launch, &r.err));
    exec_reach(&g, &x);
    assert_int_equal(x.why, want);
    if (!want) assert_int_equal(x.has_global_atomics, atomics_want);
    exec_reach_free(&x);
    exec_grid_free(&g);
    rig_free(&r);
    sb_free(&text);
}

#define RECURSIVE                                                                                         \
    ".func (.param .b32 d) f(.param .b32 n) {\n.reg .u32 %r<4>; .reg .pred %p;\nld.param.u32 %r1, [n];\n" \
    "setp.eq.u32 %p, %r1, 0;\n@%p bra done;\n{\n.param .b32 x; .param .b32 y;\nst.param.b32 [x], %r1;\n"  \
    "call (y), f, (x);\n}\ndone:\nst.param.b32 [d], %r1;\nret;\n}\n"

static void kernels_that_need_memory_at_once_say_why(void **state) {
    (void)state;
    check_undeferrable("", "ld.global.u32 %r1, [%a1]; st.global.u32 [%a1], %r1; ld.shared.u32 %r2, [sh];",
                       EXEC_UNDEFERRABLE_NONE, false);
    check_undeferrable("", "red.global.add.u32 [%a1], 1; atom.shared.add.u32 %r2, [sh], 1;",
                       EXEC_UNDEFERRABLE_NONE, true);
    check_undeferrable("", "atom.shared.add.u32 %r2, [sh], 1;", EXEC_UNDEFERRABLE_NONE, false);
    check_undeferrable("", "atom.global.add.u32 %r2, [%a1], 1;", EXEC_UNDEFERRABLE_NONE, true);
    check_undeferrable(
        ".extern .func (.param .b32 d) vprintf (.param .b64 f, .param .b64 a);\n",
        "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %a1; st.param.b64 [y], %a1;\n"
        "call (z), vprintf, (x, y); }",
        EXEC_UNDEFERRABLE_SYSTEM, false);
    check_undeferrable("", "cp.async.ca.shared.global [sh], [%a1], 4;", EXEC_UNDEFERRABLE_COPY, false);
    check_undeferrable(".global .texref t;\n", "tex.1d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [t, {%r1}];",
                       EXEC_UNDEFERRABLE_NONE, false);
    check_undeferrable(".global .texref t;\n",
                       "tex.1d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [t, {%r1}]; st.u32 [%a1], %r1;",
                       EXEC_UNDEFERRABLE_TEXTURE, false);
    check_undeferrable("", "ld.const.u32 %r1, [%a1]; st.u32 [%a1], %r1;", EXEC_UNDEFERRABLE_CONSTANT, false);
    check_undeferrable(".const .u32 c;\n", "ld.const.u32 %r1, [%a1]; st.u32 [%a1], %r1;",
                       EXEC_UNDEFERRABLE_NONE, false);
    check_undeferrable(".global .surfref s;\n", "suld.b.1d.b32.trap %r1, [s, {%r2}];",
                       EXEC_UNDEFERRABLE_SURFACE, false);
    check_undeferrable("", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%a1];", EXEC_UNDEFERRABLE_MATRIX,
                       false);
    check_undeferrable("", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [sh];", EXEC_UNDEFERRABLE_NONE,
                       false);
    check_undeferrable(RECURSIVE, "{ .param .b32 x; .param .b32 y; st.param.b32 [x], 3; call (y), f, (x); }",
                       EXEC_UNDEFERRABLE_RECURSION, false);
    check_undeferrable(
        ".visible .func f() { .reg .u32 %r; .reg .u64 %a; mov.u64 %a, 0; suld.b.1d.b32.trap %r, [%a, {%r}]; "
        "ret; }\n.global .u64 fp = f;\n",
        "ld.global.u64 %a2, [fp]; pr: .callprototype _ (); call %a2, (), pr;", EXEC_UNDEFERRABLE_SURFACE,
        false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_in_order_do_what_lockstep_does),
        cmocka_unit_test(a_bound_stops_the_logs_where_lockstep_stops),
        cmocka_unit_test(no_conflict_is_missed_and_logs_without_one_run_in_any_order),
        cmocka_unit_test(a_block_that_ended_gets_nothing_from_its_log),
        cmocka_unit_test(kernels_that_need_memory_at_once_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

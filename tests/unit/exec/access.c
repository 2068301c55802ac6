/* Loads of random rows of addresses, many of them at the edges of what may be accessed, by every build of the executors: they
 * read what is there, or fail for the lowest lane that must not read, with the reason. */
#include "rig.h"

#include "base/bits.h"
#include "exec/warp.h"

enum { BYTES = 4096, SHARED = 512, ADDRESS = 0, RESULT = 1, ROWS = 8, ROUNDS = 4000 };

/* One load of each type and vector, with a base of 64 and of 32 bits, from each of three spaces. */
static const uint8_t spaces[] = {IR_SP_GLOBAL, IR_SP_GENERIC, IR_SP_SHARED};

static struct ir_module *module(void) {
    struct ir_module *m = ir_module_new("hand");
    m->address_bits = 64;
    for (int s = 0; s < 3; s++)
        for (uint16_t op = IR_LD_U8; op <= IR_LD_U64; op++)
            for (uint8_t vec = 1; vec <= 4; vec = (uint8_t)(vec * 2))
                for (int wide = 0; wide < 2; wide++) {
                    struct ir_insn i = {.op = op, .space = spaces[s], .vec = vec, .nd = vec, .ns = 1};
                    for (uint32_t k = 0; k < vec; k++) i.o[k] = ir_reg(IR_FILE_64, RESULT + k);
                    i.o[vec] = ir_reg(wide ? IR_FILE_64 : IR_FILE_32, ADDRESS);
                    VEC_PUSH(&m->code, i);
                }
    VEC_PUSH(&m->code, (struct ir_insn){.op = IR_RET});
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "k",
                                         .kernel = true,
                                         .defined = true,
                                         .end = (uint32_t)m->code.n,
                                         .shared_bytes = SHARED,
                                         .total_rows = {ROWS, ROWS, 1}});
    return m;
}

struct bench {
    struct exec_mem *mem;
    struct exec_image *im;
    struct exec_launch launch;
    struct exec_grid grid;
    struct exec_block block;
    uint64_t buffer;
    struct err e;
};

static void bench_init(struct bench *b, const struct ir_module *m, enum exec_isa isa) {
    *b = (struct bench){.mem = exec_mem_new(1 << 20, 0)};
    assert_true(exec_mem_alloc(b->mem, BYTES, 256, "buffer", &b->buffer, &b->e));
    b->im = exec_image_new(b->mem, m, isa, &b->e);
    if (!b->im) fail_msg("%s", err_text(&b->e));
    b->launch = (struct exec_launch){.image = b->im, .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = ""};
    assert_true(exec_grid_init(&b->grid, &b->launch, &b->e));
    assert_true(exec_block_alloc(&b->block, &b->grid, &b->e));
    exec_block_start(&b->block, 0);
    uint8_t *p = exec_mem_at(b->mem, b->buffer, BYTES);
    for (uint32_t k = 0; k < BYTES; k++) p[k] = (uint8_t)(k * 167 >> 3);
    for (uint32_t k = 0; k < SHARED; k++) b->block.shared[k] = (uint8_t)(k * 89 >> 2);
}

static void bench_free(struct bench *b) {
    exec_block_free(&b->block);
    exec_grid_free(&b->grid);
    exec_image_free(b->im);
    exec_mem_free_all(b->mem);
    err_free(&b->e);
}

/* What a lane's load must do: the bytes, or NULL with the reason. */
static const uint8_t *expect(const struct bench *b, enum ir_space space, uint64_t addr, uint32_t bytes,
                             enum exec_fault_kind *why) {
    const bool shared =
        space == IR_SP_SHARED || (space == IR_SP_GENERIC && addr >= EXEC_WIN_SHARED && addr < EXEC_WIN_LOCAL);
    const bool local = space == IR_SP_GENERIC && addr >= EXEC_WIN_LOCAL && addr < EXEC_WIN_CONST;
    const uint64_t lo = space == IR_SP_SHARED ? 0
                        : shared              ? EXEC_WIN_SHARED
                                              : b->buffer,
                   size = shared ? SHARED : BYTES;
    const uint8_t *host = shared ? b->block.shared : exec_mem_at(b->mem, b->buffer, BYTES);
    *why = addr % bytes                                  ? EXEC_F_ALIGN
           : !local && addr - lo <= size - bytes         ? EXEC_OK
           : !shared && !local && addr < EXEC_NULL_BYTES ? EXEC_F_NULL
                                                         : EXEC_F_BOUNDS;
    return *why ? NULL : host + (addr - lo);
}

static void draw(struct rng *g, const struct bench *b, const struct ir_insn *i, uint32_t bytes,
                 uint64_t *addr) {
    const uint64_t size = i->space == IR_SP_SHARED ? SHARED : BYTES,
                   base = i->space == IR_SP_SHARED ? 0 : b->buffer;
    const uint64_t shape = rng_below(g, 4),
                   near = rng_below(g, 4) ? size / 2 / bytes : size / bytes - 31 + rng_below(g, 3);
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        addr[l] = base + (shape == 0   ? near * bytes
                          : shape == 1 ? (near - 16 + l) * bytes
                                       : rng_below(g, size / bytes) * bytes);
        if (i->space == IR_SP_GENERIC && shape == 3 && rng_below(g, 4) == 0)
            addr[l] = EXEC_WIN_SHARED + rng_below(g, SHARED / bytes) * bytes;
    }
    const uint64_t odd[] = {base + size, base + size - bytes / 2, base - bytes,
                            16 * bytes,  UINT64_MAX - 15,         base + 1};
    if (rng_below(g, 3) == 0) addr[rng_below(g, EXEC_LANES)] = odd[rng_below(g, 6)];
}

static void check_values(const struct bench *b, const struct ir_insn *i, uint32_t lane, const uint8_t *p) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type];
    const bool extend = i->op == IR_LD_S8 || i->op == IR_LD_S16 || i->op == IR_LD_S32;
    for (uint32_t k = 0; k < i->vec; k++) {
        uint64_t v = 0;
        for (uint32_t n = 0; n < size; n++) v |= (uint64_t)p[k * size + n] << 8 * n;
        if (extend && v >> (8 * size - 1)) v |= ~UINT64_C(0) << 8 * size;
        if (i->op == IR_LD_BOX32) v |= UINT64_C(0xffffffff) << 32;
        assert_int_equal(b->block.warps[0].x.r64[0][(RESULT + k) * EXEC_LANES + lane], v);
    }
}

static void check_round(struct rng *g, struct bench *b, const struct ir_module *m) {
    const uint32_t pc = (uint32_t)rng_below(g, m->code.n - 1),
                   bytes = ir_type_bytes[ir_ops[m->code.v[pc].op].type];
    struct ir_insn *i = &m->code.v[pc];
    const uint32_t some = (uint32_t)rng_next(g) & (rng_below(g, 2) ? ~0u : 0x01010101u);
    const uint32_t mask = rng_below(g, 2) ? ~0u : some | 4;
    struct exec_warp *w = &b->block.warps[0];
    uint64_t addr[EXEC_LANES];
    const bool wide = ir_file(i->o[i->nd]) == IR_FILE_64;
    i->disp = (int32_t)rng_below(g, 64) - 32;
    draw(g, b, i, bytes * i->vec, addr);
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        if (wide)
            w->x.r64[0][ADDRESS * EXEC_LANES + l] = addr[l] - (uint64_t)(int64_t)i->disp;
        else
            w->x.r32[0][ADDRESS * EXEC_LANES + l] = (uint32_t)addr[l] - (uint32_t)i->disp,
                                               addr[l] = (uint32_t)addr[l];
    }
    exec_step(w, pc, mask);
    enum exec_fault_kind why = EXEC_OK;
    FOR_LANES(l, mask) {
        const uint8_t *p = expect(b, (enum ir_space)i->space, addr[l], bytes * i->vec, &why);
        assert_int_equal(b->grid.out.access.addr[l], addr[l]);
        if (p && b->grid.out.flow != EXEC_FAULT) check_values(b, i, l, p);
        if (p) continue;
        assert_int_equal(b->grid.out.flow, EXEC_FAULT);
        assert_int_equal(b->grid.out.fault.lane, l);
        assert_int_equal(b->grid.out.fault.kind, why);
        return;
    }
    assert_int_equal(b->grid.out.flow, EXEC_NEXT);
}

static void every_build_reads_or_fails_where_it_must(void **state) {
    (void)state;
    static const enum exec_isa builds[] = {EXEC_ISA_PORTABLE, EXEC_ISA_AUTO};
    struct ir_module *m = module();
    for (int k = 0; k < 2; k++) {
        struct bench b;
        struct rng g = {17};
        bench_init(&b, m, builds[k]);
        for (int n = 0; n < ROUNDS; n++) check_round(&g, &b, m);
        bench_free(&b);
    }
    ir_module_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_build_reads_or_fails_where_it_must)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

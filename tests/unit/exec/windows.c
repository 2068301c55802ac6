/* Loads, stores and atomics at the edges of everything that an address can name: each is a fault of the right lane, which leaves
 * registers and memory as they were, or does what the model (windows.h) says.
 *
 * A case draws an operation, a space, an address register of 32 or 64 bits (or a constant, or none) with a displacement, the end
 * of each lane's frame, a mask, and a row of addresses: uniform, dense or anything, at most a few elements from where a window,
 * an allocation or a frame begins or ends, or where 32, 63 and 64 bits do. Some go through the log of deferred accesses.
 *
 * `make test` runs this under AddressSanitizer. HEDDLE_WINDOWS says how many cases there are. */
#include "windows.h"

enum { DEFAULT_CASES = 100000 };

static const struct sizes sizes[] = {{0, 1032, 200, 72}, {8, 4, 8, 0}, {40, 0, 0, 4}, {256, 24, 4, 40}};
static const enum exec_isa builds[] = {EXEC_ISA_PORTABLE, EXEC_ISA_AUTO};
enum { BENCHES = 2 * sizeof sizes / sizeof *sizes };

/* Where windows and numbers end, besides what has a size. */
static const uint64_t ends[] = {0,          0x10000,    0x01000000, 0x02000000,  0x0a000000,
                                0x0e000000, 0x0f000000, 0x10000000, 0x100000000, 0x8000000000000000,
                                0x80000000};
enum { ENDS = sizeof ends / sizeof *ends };

/* ---- a case ---- */

static ir_opnd row(struct rng *g, uint32_t index, bool any) {
    return ir_reg(any && rng_below(g, 2) ? IR_FILE_32 : IR_FILE_64, index);
}

static void draw_load(struct rng *g, struct ir_insn *i) {
    i->op = (uint16_t)(IR_LD_U8 + rng_below(g, IR_LD_U64 - IR_LD_U8 + 1));
    i->vec = i->nd = (uint8_t)(1u << rng_below(g, 3));
    i->ns = 1;
    for (uint32_t k = 0; k < i->nd; k++)
        i->o[k] = row(g, RESULT + k, i->op != IR_LD_S32 && i->op != IR_LD_BOX32);
}

static void draw_store(struct rng *g, struct ir_insn *i) {
    i->op = (uint16_t)(IR_ST_U8 + rng_below(g, IR_ST_U64 - IR_ST_U8 + 1));
    i->vec = (uint8_t)(1u << rng_below(g, 3));
    i->ns = (uint8_t)(1 + i->vec);
    for (uint32_t k = 0; k < i->vec; k++) i->o[1 + k] = row(g, SOURCE + k, true);
}

static void draw_atom(struct rng *g, struct ir_insn *i) {
    static const uint16_t ops[] = {IR_ATOM_U16, IR_ATOM_U32, IR_ATOM_U64, IR_ATOM_B128};
    static const uint8_t subs[] = {IR_AT_EXCH, IR_AT_CAS, IR_AT_ADD};
    i->op = ops[rng_below(g, 4)];
    i->sub = subs[rng_below(g, i->op == IR_ATOM_B128 ? 2 : 3)];
    const uint32_t n = i->op == IR_ATOM_B128 ? 2 : 1, given = i->sub == IR_AT_CAS ? 2 * n : n;
    i->nd = n == 2 ? 2 : (uint8_t)rng_below(g, 2);
    i->ns = (uint8_t)(1 + given);
    for (uint32_t k = 0; k < i->nd; k++) i->o[k] = row(g, RESULT + k, n == 1 && i->op != IR_ATOM_U64);
    for (uint32_t k = 0; k < given; k++) i->o[i->nd + 1 + k] = row(g, SOURCE + k, n == 1);
}

static ir_opnd draw_base(struct rng *g) {
    switch (rng_below(g, 8)) {
    case 0: return IR_NONE;
    case 1: return ir_const(rng_below(g, 2) ? IR_FILE_32 : IR_FILE_64, 0);
    case 2:
    case 3: return ir_reg(IR_FILE_32, ADDRESS);
    default: return ir_reg(IR_FILE_64, ADDRESS);
    }
}

/* Mostly small, sometimes as large as it can be. */
static int32_t draw_disp(struct rng *g, uint32_t bytes) {
    switch (rng_below(g, 6)) {
    case 0: return 0;
    case 1: return INT32_MAX - (int32_t)rng_below(g, 64);
    case 2: return INT32_MIN + (int32_t)rng_below(g, 64);
    default: return ((int32_t)rng_below(g, 64) - 32) * (rng_below(g, 8) ? (int32_t)bytes : 1);
    }
}

static void draw_insn(struct trial *t) {
    static const uint8_t spaces[] = {IR_SP_GENERIC, IR_SP_GLOBAL, IR_SP_SHARED, IR_SP_LOCAL,
                                     IR_SP_FRAME,   IR_SP_CONST,  IR_SP_PARAM};
    struct rng *g = t->g;
    const uint64_t kind = rng_below(g, 5);
    *t->i = (struct ir_insn){.space = rng_below(g, 2) ? IR_SP_GENERIC : spaces[rng_below(g, IR_NSPACES)]};
    (kind < 2 ? draw_load : kind < 4 ? draw_store : draw_atom)(g, t->i);
    t->store = kind >= 2;
    t->bytes = kind < 4                   ? ir_type_bytes[ir_ops[t->i->op].type] * t->i->vec
               : t->i->op == IR_ATOM_B128 ? 16
                                          : ir_type_bytes[ir_ops[t->i->op].type];
    t->i->o[t->i->nd] = draw_base(g);
    t->i->disp = draw_disp(g, t->bytes);
}

static uint32_t draw_mask(struct rng *g) {
    const uint32_t any = (uint32_t)rng_next(g), one = 1u << rng_below(g, EXEC_LANES);
    switch (rng_below(g, 6)) {
    case 0: return one;
    case 1: return (any & 0x11111111) | one;
    case 2: return any | one;
    case 3: return 0x55555555u << rng_below(g, 2);
    default: return ~0u;
    }
}

/* Lets half of the lanes of a compare-and-swap find what they compare with. */
static void meet_memory(struct trial *t) {
    const struct ir_insn *i = t->i;
    const uint32_t n = t->bytes > 8 ? 2 : 1, size = t->bytes / n;
    if (ir_ops[i->op].cls != IR_C_ATOM || i->sub != IR_AT_CAS) return;
    FOR_LANES(l, t->mask & (uint32_t)rng_next(t->g)) {
        enum exec_fault_kind why;
        const uint8_t *p = bytes_of(t, l, &why);
        for (uint32_t k = 0; p && k < n; k++)
            result(t, i->o[i->nd + 1 + k], l, get(p + (size_t)k * size, size));
    }
}

static void draw_frames(struct trial *t) {
    struct exec_warp *w = t->b->w;
    const uint32_t most = t->b->grid.func->frame_bytes;
    const uint64_t same = rng_below(t->g, 3);
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        w->sp[l] = same ? most : (uint32_t)rng_below(t->g, most / 4 + 1) * 4;
        w->frame[l] = rng_below(t->g, 2) ? 0 : (uint32_t)rng_below(t->g, w->sp[l] / 4 + 1) * 4;
    }
}

/* ---- addresses ---- */

/* A piece of memory that a lane may reach by the instruction's addresses. */
static void draw_piece(struct trial *t, uint32_t lane, uint64_t *lo, uint64_t *size) {
    static const struct {
        enum ir_space space;
        uint64_t lo;
    } windows[] = {{IR_SP_SHARED, 0x01000000},
                   {IR_SP_LOCAL, 0x02000000},
                   {IR_SP_CONST, 0x0a000000},
                   {IR_SP_PARAM, 0x0e000000}};
    const enum ir_space space = (enum ir_space)t->i->space;
    const uint64_t k = rng_below(t->g, PLACES), window = rng_below(t->g, 4);
    const bool heap = space == IR_SP_GLOBAL || (space == IR_SP_CONST && !rng_below(t->g, 4));
    *lo = 0;
    if (heap || (space == IR_SP_GENERIC && rng_below(t->g, 2))) {
        *lo = places[k].addr;
        *size = places[k].bytes;
    } else if (space == IR_SP_GENERIC) {
        *lo = windows[window].lo;
        *size = size_in(t->b, windows[window].space, lane);
    } else {
        *size = size_in(t->b, space, lane);
    }
}

/* An address at most a few elements from the begin or the end of something. */
static uint64_t draw_edge(struct trial *t, uint32_t lane) {
    uint64_t lo, size;
    draw_piece(t, lane, &lo, &size);
    const uint64_t end = rng_below(t->g, 3) ? lo + size / t->bytes * t->bytes : ends[rng_below(t->g, ENDS)];
    const uint64_t from = rng_below(t->g, 3) ? end : lo;
    return from + (rng_below(t->g, 5) - 2) * t->bytes + (rng_below(t->g, 12) ? 0 : rng_below(t->g, 32));
}

static uint64_t draw_inside(struct trial *t, uint32_t lane) {
    uint64_t lo, size;
    draw_piece(t, lane, &lo, &size);
    const uint64_t first = (lo + t->bytes - 1) / t->bytes * t->bytes, n = (lo + size - first) / t->bytes;
    return first + (n && n < size ? rng_below(t->g, n) : 0) * t->bytes;
}

enum shape { UNIFORM, DENSE, DENSE_BUT_ONE, NEAR, INSIDE, EDGES, SHAPES };

static void draw_row(struct trial *t, uint64_t *to) {
    const enum shape shape = (enum shape)rng_below(t->g, SHAPES);
    const uint64_t pivot = rng_below(t->g, EXEC_LANES), odd = rng_below(t->g, EXEC_LANES);
    uint64_t at = rng_below(t->g, 2) ? draw_edge(t, (uint32_t)pivot) : draw_inside(t, (uint32_t)pivot);
    if (shape == DENSE && rng_below(t->g, 2)) { /* all of it in one piece, if there is room */
        uint64_t lo, size;
        draw_piece(t, 0, &lo, &size);
        at = (lo + t->bytes - 1) / t->bytes * t->bytes + pivot * t->bytes;
    }
    for (uint64_t l = 0; l < EXEC_LANES; l++) {
        const uint32_t lane = (uint32_t)l;
        switch (shape) {
        case UNIFORM: to[l] = at; break;
        case DENSE_BUT_ONE:
        case DENSE:
            to[l] = shape == DENSE_BUT_ONE && l == odd ? draw_edge(t, lane) : at + (l - pivot) * t->bytes;
            break;
        case NEAR: to[l] = at + (rng_below(t->g, 5) - 2) * t->bytes; break;
        case INSIDE: to[l] = draw_inside(t, lane); break;
        default: to[l] = rng_below(t->g, 16) ? draw_inside(t, lane) : draw_edge(t, lane);
        }
    }
}

/* Registers, and the constant, such that lanes get these addresses, as far as the operand can have them. Lanes that do not run
 * have others, often. */
static void set_registers(struct trial *t, const uint64_t *want) {
    struct exec_warp *w = t->b->w;
    const bool wild = rng_below(t->g, 2);
    const uint64_t disp = (uint64_t)(int64_t)t->i->disp;
    const uint32_t first = (uint32_t)__builtin_ctz(t->mask);
    if (ir_file(t->i->o[t->i->nd]) == IR_FILE_NONE && want[first] < INT32_MAX && rng_below(t->g, 4))
        t->i->disp = (int32_t)want[first];
    for (uint32_t k = 0; k < ROWS * EXEC_LANES; k++)
        t->r64[k] = rng_next(t->g), t->r32[k] = (uint32_t)rng_next(t->g);
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        const uint64_t frame = t->i->space == IR_SP_FRAME ? w->frame[l] : 0;
        t->b->im->k64[l] = want[first] - disp;
        t->b->im->k32[l] = (uint32_t)(want[first] - disp);
        if (wild && !(t->mask >> l & 1)) continue;
        t->r64[l] = want[l] - disp - frame;
        t->r32[l] = (uint32_t)(want[l] - disp - frame);
    }
    for (uint32_t l = 0; l < EXEC_LANES; l++) t->addr[l] = formed(t, l);
    meet_memory(t);
    memcpy(w->x.r64[0], t->r64, sizeof t->r64);
    memcpy(w->x.r32[0], t->r32, sizeof t->r32);
}

/* ---- what must hold ---- */

#define MUST(what) \
    if (!(what)) return #what

static const char *check_fault(const struct trial *t, uint32_t lane, enum exec_fault_kind why) {
    const struct exec_fault *f = &t->b->grid.out.fault;
    uint64_t at;
    enum ir_space space = goes_to((enum ir_space)t->i->space, t->addr[lane], &at);
    if (t->i->space != IR_SP_GENERIC) space = (enum ir_space)t->i->space, at = t->addr[lane];
    MUST(t->b->grid.out.flow == EXEC_FAULT);
    MUST(f->lane == lane);
    MUST(f->kind == why);
    MUST(f->space == space && f->addr == at && f->bytes == t->bytes && f->store == t->store);
    return NULL;
}

static const char *check_access(const struct trial *t) {
    const struct exec_out *o = &t->b->grid.out;
    MUST(o->flow == EXEC_NEXT);
    MUST(o->access.mask == t->mask && o->access.bytes == t->bytes && o->access.store == t->store);
    FOR_LANES(l, t->mask) {
        uint64_t at;
        const enum ir_space space = goes_to((enum ir_space)t->i->space, t->addr[l], &at);
        MUST(o->access.addr[l] == t->addr[l]);
        MUST(o->access.found == IR_SP_GENERIC || o->access.found == space);
        if (t->store && t->i->space == IR_SP_GENERIC && space == IR_SP_LOCAL) MUST(t->b->w->local_low <= at);
    }
    return NULL;
}

static const char *check_state(const struct trial *t) {
    const struct exec_ctx *x = &t->b->w->x;
    bool same = true;
    each_region(t->b, compare, &same);
    MUST(same);
    MUST(!memcmp(x->r64[0], t->r64, sizeof t->r64));
    MUST(!memcmp(x->r32[0], t->r32, sizeof t->r32));
    return NULL;
}

struct counts {
    uint64_t faults[IR_NSPACES][EXEC_FAULT_KINDS];
};

static const char *run(struct trial *t, struct counts *counts) {
    struct bench *b = t->b;
    enum exec_fault_kind why;
    const uint32_t lane = faulting(t, &why);
    const char *bad;
    b->w->local_low = UINT32_MAX;
    b->grid.deferred = rng_below(t->g, 4) ? NULL : b->log;
    exec_step(b->w, (uint32_t)(t->i - b->m->code.v), t->mask);
    if (lane < EXEC_LANES) {
        bad = check_fault(t, lane, why);
    } else {
        FOR_LANES(l, t->mask) model(t, l, bytes_of(t, l, &why));
        exec_deferred_run(b->log, UINT64_MAX);
        bad = check_access(t);
    }
    exec_deferred_reset(b->log);
    counts->faults[t->i->space][why]++;
    return bad ? bad : check_state(t);
}

static void check_case(struct bench *b, uint64_t number, struct counts *counts) {
    struct rng g = {number * 0x2545f4914f6cdd1du};
    struct trial t = {.b = b, .g = &g, .i = &b->m->code.v[rng_below(&g, SLOTS)]};
    uint64_t want[EXEC_LANES];
    draw_insn(&t);
    t.mask = draw_mask(&g);
    draw_frames(&t);
    draw_row(&t, want);
    set_registers(&t, want);
    const char *bad = run(&t, counts);
    if (bad)
        fail_msg("case %llu: %s; op %s of %u bytes, space %d, base 0x%x, disp %d, mask 0x%08x, frame of %u",
                 (unsigned long long)number, bad, ir_ops[t.i->op].name, t.bytes, t.i->space, t.i->o[t.i->nd],
                 t.i->disp, t.mask, b->grid.func->frame_bytes);
}

static uint64_t cases(void) {
    const char *n = getenv("HEDDLE_WINDOWS");
    return n ? strtoull(n, NULL, 10) : DEFAULT_CASES;
}

/* Each outcome that a space can have has come up often. */
static void check_counts(const struct counts *counts) {
    enum { OFTEN = 100 };
    for (uint32_t s = 0; s < IR_NSPACES; s++) {
        const uint64_t *n = counts->faults[s];
        const bool nulls = s == IR_SP_GENERIC || s == IR_SP_GLOBAL,
                   constants = s == IR_SP_GENERIC || s == IR_SP_CONST || s == IR_SP_PARAM;
        assert_true(n[EXEC_OK] > OFTEN && n[EXEC_F_BOUNDS] > OFTEN && n[EXEC_F_ALIGN] > OFTEN);
        assert_true(nulls ? n[EXEC_F_NULL] > OFTEN : !n[EXEC_F_NULL]);
        assert_true(constants ? n[EXEC_F_READONLY] > OFTEN : !n[EXEC_F_READONLY]);
    }
}

static void every_access_is_a_fault_or_right(void **state) {
    (void)state;
    static struct bench b[BENCHES];
    struct rng g = {5};
    struct counts counts = {0};
    for (uint32_t k = 0; k < BENCHES; k++) {
        bench_init(&b[k], &sizes[k / 2], builds[k % 2]);
        each_region(&b[k], fill, &g);
    }
    const uint64_t most = cases();
    for (uint64_t n = 0; n < most; n++) check_case(&b[n % BENCHES], n, &counts);
    for (uint32_t k = 0; k < BENCHES; k++) bench_free(&b[k]);
    if (most >= DEFAULT_CASES) check_counts(&counts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_access_is_a_fault_or_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

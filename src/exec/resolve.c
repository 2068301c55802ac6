/* From addresses to bytes: every access of a kernel is checked here, lane by lane, against what the space
 * holds.
 *
 * The common cases are decided for the warp at once: all lanes in one allocation, in shared memory or in the
 * parameter block, aligned. Lanes that do not run are given the first running lane's address, so that one
 * loop without branches sees the whole row; where only a few run (pieces of a warp mixed from many) only they
 * are looked at. Anything else goes lane by lane, and the lowest lane that fails is the one reported. */
#include "exec/impl.h"

static uint8_t *within(uint8_t *base, uint64_t size, uint64_t addr, uint32_t bytes,
                       enum exec_fault_kind *why) {
    if (bytes <= size && addr <= size - bytes) return base + addr;
    *why = EXEC_F_BOUNDS;
    return NULL;
}

static uint8_t *within_global(struct exec_grid *g, uint64_t addr, uint32_t bytes, enum exec_fault_kind *why) {
    struct exec_alloc *a = exec_grid_find(g, addr, bytes);
    if (a) return a->host + (addr - a->addr);
    *why = addr < EXEC_NULL_BYTES ? EXEC_F_NULL : EXEC_F_BOUNDS;
    return NULL;
}

uint8_t *resolve_lane(struct exec_warp *w, enum ir_space space, uint64_t addr, uint32_t bytes, uint32_t lane,
                      bool store, enum exec_fault_kind *why) {
    struct exec_grid *g = w->block->grid;
    const bool readonly = space == IR_SP_CONST || space == IR_SP_PARAM;
    space = exec_decode(space, &addr);
    if (addr & (bytes - 1)) {
        *why = EXEC_F_ALIGN;
        return NULL;
    }
    if (store && (readonly || space == IR_SP_CONST || space == IR_SP_PARAM)) {
        *why = EXEC_F_READONLY;
        return NULL;
    }
    switch (space) {
    case IR_SP_SHARED: return within(w->block->shared, g->shared_bytes, addr, bytes, why);
    case IR_SP_LOCAL:
    case IR_SP_FRAME: return within(w->local + (size_t)lane * w->local_stride, w->sp[lane], addr, bytes, why);
    case IR_SP_CONST: return within(g->image->bank, g->image->bank_bytes, addr, bytes, why);
    case IR_SP_PARAM: return within(g->params, g->func->param_bytes, addr, bytes, why);
    default: return within_global(g, addr, bytes, why);
    }
}

uint64_t resolve_span(struct exec_warp *w, uint64_t addr, uint32_t lane, const uint8_t **at) {
    const struct exec_grid *g = w->block->grid;
    enum exec_fault_kind why;
    uint64_t full = addr, size;
    const enum ir_space space = exec_decode(IR_SP_GENERIC, &addr);
    *at = resolve_lane(w, space, addr, 1, lane, false, &why);
    if (!*at) return 0;
    switch (space) {
    case IR_SP_SHARED: size = g->shared_bytes; break;
    case IR_SP_LOCAL: size = w->sp[lane]; break;
    case IR_SP_CONST: size = g->image->bank_bytes; break;
    case IR_SP_PARAM: size = g->func->param_bytes; break;
    default: {
        const struct exec_alloc *a = exec_mem_find(g->mem, full, 1);
        return a->bytes - (full - a->addr);
    }
    }
    return size - addr;
}

void resolve_fault(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, enum exec_fault_kind why,
                   enum ir_space space, uint64_t addr, uint32_t bytes, bool store) {
    struct exec_fault *f = &w->x.out->fault;
    exec_fault(w, i, lane, why);
    f->space = space == IR_SP_GENERIC ? exec_decode(space, &addr) : space;
    f->addr = addr;
    f->bytes = bytes;
    f->store = store;
}

enum { FEW = 12 }; /* lanes: up to here one by one costs less than the whole row */

/* Addresses of the lanes that run. */
static void few_addresses(const struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                          uint64_t *restrict addr) {
    const uint64_t disp = (uint64_t)(int64_t)i->disp;
    switch (ir_file(base)) {
    case IR_FILE_64: {
        const uint64_t *restrict r = exec_row64(x, base);
        FOR_LANES(l, mask) addr[l] = r[l] + disp;
        break;
    }
    case IR_FILE_32: {
        const uint32_t *restrict r = exec_row32(x, base);
        FOR_LANES(l, mask) addr[l] = (uint32_t)(r[l] + (uint32_t)disp);
        break;
    }
    default: FOR_LANES(l, mask) addr[l] = disp;
    }
    if (i->space == IR_SP_FRAME) FOR_LANES(l, mask) addr[l] += x->warp->frame[l];
}

/* Addresses of the whole row; lanes that do not run get the address of the first that does. */
static void addresses(const struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                      uint64_t *restrict addr) {
    const uint64_t disp = (uint64_t)(int64_t)i->disp;
    switch (ir_file(base)) {
    case IR_FILE_64: {
        const uint64_t *restrict r = exec_row64(x, base);
        for (int l = 0; l < EXEC_LANES; l++) addr[l] = r[l] + disp;
        break;
    }
    case IR_FILE_32: { /* a 32-bit address wraps at 32 bits */
        const uint32_t *restrict r = exec_row32(x, base);
        for (int l = 0; l < EXEC_LANES; l++) addr[l] = (uint32_t)(r[l] + (uint32_t)disp);
        break;
    }
    default:
        for (int l = 0; l < EXEC_LANES; l++) addr[l] = disp;
    }
    if (i->space == IR_SP_FRAME) {
        const uint32_t *restrict frame = x->warp->frame;
        for (int l = 0; l < EXEC_LANES; l++) addr[l] += frame[l];
    }
    if (mask == ~0u) return;
    const uint64_t first = addr[__builtin_ctz(mask)];
    for (uint32_t l = 0; l < EXEC_LANES; l++)
        if (!(mask >> l & 1)) addr[l] = first;
}

static enum span lane_by_lane(struct exec_warp *w, const struct ir_insn *i, uint32_t mask, uint32_t bytes,
                              bool store, uint8_t **at) {
    const uint64_t *addr = w->x.out->access.addr;
    FOR_LANES(l, mask) {
        enum exec_fault_kind why = EXEC_OK;
        at[l] = resolve_lane(w, i->space, addr[l], bytes, l, store, &why);
        if (!at[l]) {
            resolve_fault(w, i, l, why, i->space, addr[l], bytes, store);
            return SPAN_FAULT;
        }
    }
    return SPAN_LANES;
}

/* Are the lanes' addresses step apart, each from the one before? */
static bool evenly(const uint64_t *addr, uint64_t step) {
    uint64_t off = 0;
    for (int l = 1; l < EXEC_LANES; l++) off |= (addr[l] - addr[l - 1]) ^ step;
    return !off;
}

/* One piece of memory [lo, lo + size) at host, for all lanes: what spans the row has in it. SPAN_FAULT here only says
 * that some lane needs a closer look. */
static enum span one_piece(const uint64_t *restrict addr, uint64_t lo, uint64_t size, uint8_t *host,
                           uint32_t mask, uint32_t bytes, uint8_t **restrict at) {
    if (size < bytes) return SPAN_FAULT;
    const uint64_t first = addr[0] - lo, room = size - bytes, step = addr[1] - addr[0];
    if ((step == 0 || (step == bytes && mask == ~0u)) && evenly(addr, step)) {
        if (addr[0] & (bytes - 1) || first > room || first + (EXEC_LANES - 1) * step > room)
            return SPAN_FAULT;
        at[0] = host + first;
        return step ? SPAN_DENSE : SPAN_UNIFORM;
    }
    uint64_t low = 0, beyond = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        uint64_t off = addr[l] - lo;
        low |= addr[l];
        beyond |= (uint64_t)(off > room);
        at[l] = (uint8_t *)((uintptr_t)host + (uintptr_t)off);
    }
    return beyond || low & (bytes - 1) ? SPAN_FAULT : SPAN_LANES;
}

/* The same for a few lanes. */
static enum span few_lanes(const uint64_t *restrict addr, uint64_t lo, uint64_t size, uint8_t *host,
                           uint32_t mask, uint32_t bytes, uint8_t **restrict at) {
    if (size < bytes) return SPAN_FAULT;
    const uint64_t room = size - bytes;
    uint64_t low = 0, beyond = 0;
    FOR_LANES(l, mask) {
        const uint64_t off = addr[l] - lo;
        low |= addr[l];
        beyond |= (uint64_t)(off > room);
        at[l] = (uint8_t *)((uintptr_t)host + (uintptr_t)off);
    }
    return beyond || low & (bytes - 1) ? SPAN_FAULT : SPAN_LANES;
}

static enum span local_lanes(struct exec_warp *w, const uint64_t *restrict addr, uint32_t mask,
                             uint32_t bytes, uint8_t **restrict at) {
    uint64_t low = 0, bad = 0;
    FOR_LANES(l, mask) {
        low |= addr[l];
        bad |= (uint64_t)(w->sp[l] < bytes || addr[l] > w->sp[l] - bytes);
        at[l] = (uint8_t *)((uintptr_t)w->local + (uintptr_t)l * w->local_stride + (uintptr_t)addr[l]);
    }
    return (low & (bytes - 1)) || bad ? SPAN_FAULT : SPAN_LANES;
}

enum span resolve(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask, uint32_t bytes,
                  bool store, uint8_t *at[EXEC_LANES]) {
    struct exec_warp *w = x->warp;
    struct exec_grid *g = w->block->grid;
    struct exec_out *o = x->out;
    uint64_t *addr = o->access.addr;
    const bool few = bits_count(mask) <= FEW;
    (few ? few_addresses : addresses)(x, i, base, mask, addr);
    const uint64_t first = addr[__builtin_ctz(mask)];
    enum span (*const piece)(const uint64_t *restrict, uint64_t, uint64_t, uint8_t *, uint32_t, uint32_t,
                             uint8_t **restrict) = few ? few_lanes : one_piece;
    o->access.mask = mask;
    o->access.bytes = bytes;
    o->access.space = (enum ir_space)i->space;
    o->access.store = store;
    enum span s = SPAN_FAULT;
    uint64_t offset = first;
    const enum ir_space space = exec_decode(i->space, &offset);
    const uint64_t window = first - offset; /* where that space begins among these addresses */
    switch (space) {
    case IR_SP_GLOBAL: {
        struct exec_alloc *a = i->space == IR_SP_CONST && store ? NULL : exec_grid_find(g, first, bytes);
        if (a) s = piece(addr, a->addr, a->bytes, a->host, mask, bytes, at);
        break;
    }
    case IR_SP_SHARED: s = piece(addr, window, g->shared_bytes, w->block->shared, mask, bytes, at); break;
    case IR_SP_CONST:
        if (!store) s = piece(addr, window, g->image->bank_bytes, g->image->bank, mask, bytes, at);
        break;
    case IR_SP_PARAM:
        if (!store) s = piece(addr, window, g->func->param_bytes, g->params, mask, bytes, at);
        break;
    case IR_SP_LOCAL:
    case IR_SP_FRAME:
        if (!window) s = local_lanes(w, addr, mask, bytes, at);
        break;
    default: break;
    }
    return s != SPAN_FAULT ? s : lane_by_lane(w, i, mask, bytes, store, at);
}

/* From addresses to bytes, lane by lane: every access of a kernel that access_find.c does not find in one piece is checked here
 * against what the space holds. The lowest lane that fails is the one reported. */
#include "exec/impl.h"

static uint8_t *resolve_within(uint8_t *base, uint64_t size, uint64_t addr, uint64_t bytes,
                               enum exec_fault_kind *why) {
    if (bytes <= size && addr <= size - bytes) return base + addr;
    *why = EXEC_F_BOUNDS;
    return NULL;
}

static uint8_t *within_global(struct exec_grid *g, uint64_t addr, uint64_t bytes, enum exec_fault_kind *why) {
    struct exec_alloc *a = exec_grid_find(g, 0, addr, bytes);
    if (a) return a->host + (addr - a->addr);
    *why = addr < EXEC_NULL_BYTES ? EXEC_F_NULL : EXEC_F_BOUNDS;
    return NULL;
}

uint8_t *resolve_bytes(struct exec_warp *w, enum ir_space space, uint64_t addr, uint64_t bytes, uint32_t lane,
                       bool store, enum exec_fault_kind *why) {
    struct exec_grid *g = w->block->grid;
    const bool readonly = space == IR_SP_CONST || space == IR_SP_PARAM;
    space = exec_decode(space, &addr);
    if (store && (readonly || space == IR_SP_CONST || space == IR_SP_PARAM)) {
        *why = EXEC_F_READONLY;
        return NULL;
    }
    switch (space) {
    case IR_SP_SHARED: return resolve_within(w->block->shared, g->shared_bytes, addr, bytes, why);
    case IR_SP_LOCAL:
        if (store && addr < w->local_low) w->local_low = (uint32_t)addr;
        /* fall through */
    case IR_SP_FRAME:
        return resolve_within(w->local + (size_t)lane * w->local_stride, w->sp[lane], addr, bytes, why);
    case IR_SP_CONST: return resolve_within(g->image->bank, g->image->bank_bytes, addr, bytes, why);
    case IR_SP_PARAM: return resolve_within(g->params, g->func->param_bytes, addr, bytes, why);
    default: return within_global(g, addr, bytes, why);
    }
}

/* Windows begin at multiples of every size: an address is aligned in its window if it is as it stands. */
uint8_t *resolve_lane(struct exec_warp *w, enum ir_space space, uint64_t addr, uint32_t bytes, uint32_t lane,
                      bool store, enum exec_fault_kind *why) {
    if (!(addr & (bytes - 1))) return resolve_bytes(w, space, addr, bytes, lane, store, why);
    *why = EXEC_F_ALIGN;
    return NULL;
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

enum span resolve_each(struct exec_warp *w, const struct ir_insn *i, uint32_t mask, uint32_t bytes,
                       bool store, struct reach *r) {
    const uint64_t *addr = w->x.out->access.addr;
    r->lane = r->own;
    r->delta = 0;
    r->span = SPAN_LANES;
    FOR_LANES(l, mask) {
        enum exec_fault_kind why = EXEC_OK;
        const uint8_t *at = resolve_lane(w, i->space, addr[l], bytes, l, store, &why);
        if (!at) {
            resolve_fault(w, i, l, why, i->space, addr[l], bytes, store);
            return r->span = SPAN_FAULT;
        }
        r->own[l] = (uint64_t)(uintptr_t)at;
    }
    return SPAN_LANES;
}

bool resolve(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask, uint32_t bytes,
             bool store, uint8_t *at[EXEC_LANES]) {
    struct reach r;
    if (x->warp->block->grid->image->access->find(x, i, base, mask, bytes, store, &r) == SPAN_FAULT)
        return false;
    FOR_LANES(l, mask) at[l] = reach_lane(&r, l, bytes);
    return true;
}

/* A module has the build for this host in its place (exec/image.c). */
void ld_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    x->warp->block->grid->image->access->ld(x, i, mask);
}

void st_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    x->warp->block->grid->image->access->st(x, i, mask);
}

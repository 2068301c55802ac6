/* Asynchronous copies: cp.async, cp.async.bulk and cp.reduce.async.bulk.
 *
 * The bytes move when the instruction is executed, which is one of the times PTX allows, so that memory is the same however
 * long a copy takes. When it is over is a matter of time: the timed machine makes those wait who wait for it (sm/async.c).
 * A program that reads what it did not wait for gets the copied bytes here. The race check takes a copy for a store of the
 * thread that asked for it: it finds other threads that read without a barrier, not that thread's own missing wait. */
#include <inttypes.h>

#include "exec/impl.h"

/* ---- cp.async: 4, 8 or 16 bytes of each thread, of which those beyond the source's are zeros ---- */

/* Bytes that a lane reads; 0: its source is not looked at. */
static uint32_t bytes_read(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lane) {
    const ir_opnd o = i->o[2];
    if (ir_file(o) == IR_FILE_P) return opnd_get(x, o, lane) ? 0 : i->sub; /* ignore-src */
    const uint32_t n = (uint32_t)opnd_get(x, o, lane);
    return n < i->sub ? n : i->sub;
}

static uint64_t lane_address(const struct exec_ctx *x, ir_opnd base, uint32_t disp, uint32_t lane) {
    const uint64_t a = opnd_get(x, base, lane) + (uint64_t)(int64_t)(int32_t)disp;
    return ir_file(base) == IR_FILE_32 ? (uint32_t)a : a;
}

/* The source of one lane: aligned as the whole, n bytes of it there. NULL: a fault, reported. */
static const uint8_t *access_async_source(struct exec_warp *w, const struct ir_insn *i, uint32_t lane,
                                          uint32_t n) {
    const uint64_t addr = lane_address(&w->x, i->o[1], (uint32_t)i->disp, lane);
    enum exec_fault_kind why = EXEC_F_ALIGN;
    const uint8_t *p = NULL;
    if (!(addr & (i->sub - 1u))) p = resolve_bytes(w, (enum ir_space)i->space, addr, n, lane, false, &why);
    if (!p) resolve_fault(w, i, lane, why, (enum ir_space)i->space, addr, i->sub, false);
    w->x.out->access.addr[lane] = addr;
    return p;
}

void cp_async_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    struct exec_out *o = x->out;
    const uint32_t disp = (uint32_t)opnd_get(x, i->o[3], 0);
    uint32_t reads = 0;
    FOR_LANES(l, mask) {
        const uint32_t n = bytes_read(x, i, l);
        const uint64_t to = lane_address(x, i->o[0], disp, l);
        enum exec_fault_kind why;
        uint8_t data[16] = {0};
        uint8_t *p = resolve_lane(w, IR_SP_SHARED, to, i->sub, l, true, &why);
        if (!p) {
            resolve_fault(w, i, l, why, IR_SP_SHARED, to, i->sub, true);
            return;
        }
        if (n) {
            const uint8_t *from = access_async_source(w, i, l, n);
            if (!from) return;
            memcpy(data, from, n);
            reads |= 1u << l;
        }
        memcpy(p, data, i->sub);
    }
    o->access.mask = reads;
    o->access.bytes = i->sub;
    o->access.space = (enum ir_space)i->space;
    o->access.found = IR_SP_GENERIC;
    o->access.store = false;
}

void cp_commit_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    FOR_LANES(l, mask) x->warp->cp_group[i->sub][l]++;
}

/* ---- bulk copies: any number of 16 bytes, by one thread ---- */

enum { BULK = 16 };

static enum ir_space bulk_space(const struct ir_insn *i, bool to) {
    if (i->sub == IR_BULK_SHARED) return IR_SP_SHARED;
    return (i->sub == IR_BULK_IN) == to ? IR_SP_SHARED : IR_SP_GLOBAL;
}

/* The bytes of one side, all in one piece of memory. NULL: a fault, reported. */
static uint8_t *bulk_side(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, bool to, uint32_t n) {
    const enum ir_space space = bulk_space(i, to);
    const uint64_t addr = opnd_get(&w->x, i->o[to ? 0 : 1], lane);
    enum exec_fault_kind why = EXEC_F_ALIGN;
    uint8_t *p = addr % BULK ? NULL : resolve_bytes(w, space, addr, n, lane, to, &why);
    if (!p) resolve_fault(w, i, lane, why, space, addr, n, to);
    return p;
}

/* Element by element; the row of atom.c is that of the type. */
static void access_async_reduce(uint8_t *to, const uint8_t *from, uint32_t n, const struct ir_insn *i) {
    static const uint16_t row[IR_NTYPES] = {
        [IR_T_U32] = IR_ATOM_U32, [IR_T_S32] = IR_ATOM_S32, [IR_T_U64] = IR_ATOM_U64,
        [IR_T_S64] = IR_ATOM_S64, [IR_T_F16] = IR_ATOM_F16, [IR_T_BF16] = IR_ATOM_BF16,
        [IR_T_F32] = IR_ATOM_F32, [IR_T_F64] = IR_ATOM_F64};
    const uint32_t size = ir_type_bytes[i->dtype];
    for (uint32_t at = 0; at < n; at += size) {
        uint64_t a = 0, b = 0;
        memcpy(&a, to + at, size);
        memcpy(&b, from + at, size);
        a = atom_result(row[i->dtype], (uint8_t)(i->cop - 1), a, b, 0, bulk_space(i, true) == IR_SP_SHARED);
        memcpy(to + at, &a, size);
    }
}

static bool bulk_lane(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint32_t n) {
    if (n % BULK) {
        exec_note(w, i, lane, EXEC_F_SYNC, "a bulk copy of %" PRIu32 " bytes: a multiple of %d is asked for",
                  n, BULK);
        return false;
    }
    if (n) {
        uint8_t *to = bulk_side(w, i, lane, true, n);
        const uint8_t *from = to ? bulk_side(w, i, lane, false, n) : NULL;
        if (!from) return false;
        if (i->cop)
            access_async_reduce(to, from, n, i);
        else
            memmove(to, from, n);
    }
    if (ir_file(i->o[3]) == IR_FILE_NONE) return true;
    const uint64_t addr = opnd_get(&w->x, i->o[3], lane);
    enum exec_fault_kind why;
    uint64_t old;
    uint8_t *bar = resolve_lane(w, IR_SP_SHARED, addr, 8, lane, true, &why);
    if (!bar) resolve_fault(w, i, lane, why, IR_SP_SHARED, addr, 8, true);
    return bar && mbar_apply(w, i, lane, bar, IR_MBAR_COMPLETE_TX, n, &old);
}

/* The access that others see is that of global memory, or of what is read. */
void cp_bulk_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_out *o = x->out;
    const bool out = i->sub == IR_BULK_OUT;
    o->access.mask = o->access.bytes = 0;
    o->access.space = i->sub == IR_BULK_SHARED ? IR_SP_SHARED : IR_SP_GLOBAL;
    o->access.store = out;
    FOR_LANES(l, mask) {
        const uint32_t n = (uint32_t)opnd_get(x, i->o[2], l);
        if (!bulk_lane(x->warp, i, l, n)) return;
        if (!n) continue;
        o->access.mask |= 1u << l;
        o->access.addr[l] = opnd_get(x, i->o[out ? 0 : 1], l);
        if (n > o->access.bytes) o->access.bytes = n;
    }
    if (i->sub == IR_BULK_SHARED) o->access.bytes = BULK;
}

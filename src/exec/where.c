/* Where an instruction is going to access memory, for those who have to know before it runs. */
#include "base/bits.h"
#include "exec/livelock/follow.h"

uint32_t exec_where(const struct exec_warp *w, const struct ir_insn *i, uint32_t mask, uint64_t *addr,
                    uint32_t *bytes) {
    if (!follow_is_access(i) || w->block->grid->launch->tape) return 0;
    const uint32_t runs = i->guard ? exec_guard(&w->x, i, mask) : mask;
    *bytes = follow_bytes(i);
    FOR_LANES(l, runs) addr[l] = follow_address(w, i, l);
    return runs;
}

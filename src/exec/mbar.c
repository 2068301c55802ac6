/* mbarriers: 64 bits of shared memory that count the arrivals of threads and the bytes of asynchronous copies (PTX manual,
 * "Parallel Synchronization and Communication Instructions: mbarrier").
 *
 * A phase is over when no arrival and no byte is pending; the next one begins at once, with the arrivals that are expected
 * of each. What the object holds is ours to choose (ir/insn.h): a program may only hand the state of an arrival back.
 * The manual leaves undefined what comes of arriving more often than is expected, of counts out of range and of an object
 * that was not initialised: here these are faults.
 *
 * A wait never blocks here: test_wait and try_wait say whether the phase is over, and a warp that hears "no" is one that
 * waits for others, which schedulers are told. The suspension that try_wait allows is a matter of time (sm/async.c). */
#include <inttypes.h>

#include "exec/impl.h"

struct mbar {
    uint32_t expected, pending, phase;
    int32_t tx;
    bool valid;
};

enum { MOST_COUNT = IR_MBAR_COUNTS, MOST_TX = (1 << 20) - 1, PHASES = 4 };

static struct mbar mbar_unpack(uint64_t v) {
    const uint32_t tx = (uint32_t)(v >> IR_MBAR_TX_AT) & ((1u << IR_MBAR_TX_BITS) - 1);
    return (struct mbar){.expected = (uint32_t)v & IR_MBAR_COUNTS,
                         .pending = (uint32_t)(v >> IR_MBAR_PENDING_AT) & IR_MBAR_COUNTS,
                         .phase = (uint32_t)(v >> IR_MBAR_PHASE_AT),
                         .tx = (int32_t)(tx << (32 - IR_MBAR_TX_BITS)) >> (32 - IR_MBAR_TX_BITS),
                         .valid = v >> IR_MBAR_VALID_AT & 1};
}

static uint64_t mbar_pack(const struct mbar *m) {
    const uint64_t tx = (uint32_t)m->tx & ((1u << IR_MBAR_TX_BITS) - 1);
    return (uint64_t)m->expected | (uint64_t)m->pending << IR_MBAR_PENDING_AT | tx << IR_MBAR_TX_AT |
           (uint64_t)m->valid << IR_MBAR_VALID_AT | (uint64_t)m->phase << IR_MBAR_PHASE_AT;
}

static bool mbar_bad(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, const uint8_t *p,
                     const char *why) {
    exec_note(w, i, lane, EXEC_F_SYNC, "the mbarrier at shared address 0x%" PRIx64 " %s",
              (uint64_t)(p - w->block->shared), why);
    return false;
}

static bool exec_mbar_arrive(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, const uint8_t *p,
                             struct mbar *m, uint64_t n, bool drop) {
    if (!n || n > m->pending) {
        exec_note(w, i, lane, EXEC_F_SYNC,
                  "%" PRIu64 " arrivals at the mbarrier at shared address 0x%" PRIx64
                  ", which waits for %" PRIu32 " of %" PRIu32,
                  n, (uint64_t)(p - w->block->shared), m->pending, m->expected);
        return false;
    }
    m->pending -= (uint32_t)n;
    if (drop) m->expected -= (uint32_t)n < m->expected ? (uint32_t)n : m->expected;
    return true;
}

static bool add_tx(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, const uint8_t *p,
                   struct mbar *m, int64_t n) {
    const int64_t tx = m->tx + n;
    if (n > MOST_TX || n < -MOST_TX || tx > MOST_TX || tx < -MOST_TX)
        return mbar_bad(w, i, lane, p, "counts more bytes than 2^20 - 1");
    m->tx = (int32_t)tx;
    return true;
}

static bool mbar_change(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, const uint8_t *p,
                        struct mbar *m, enum ir_mbar what, uint64_t n) {
    switch (what) {
    case IR_MBAR_EXPECT_TX: return add_tx(w, i, lane, p, m, (int64_t)n);
    case IR_MBAR_COMPLETE_TX: return add_tx(w, i, lane, p, m, -(int64_t)n);
    case IR_MBAR_ARRIVE: return exec_mbar_arrive(w, i, lane, p, m, n, false);
    case IR_MBAR_DROP: return exec_mbar_arrive(w, i, lane, p, m, n, true);
    case IR_MBAR_ARRIVE_TX:
    case IR_MBAR_DROP_TX:
        return add_tx(w, i, lane, p, m, (int64_t)n) &&
               exec_mbar_arrive(w, i, lane, p, m, 1, what == IR_MBAR_DROP_TX);
    case IR_MBAR_CP: /* one more arrival is expected in this phase, and comes with the copies */
        if (m->pending == MOST_COUNT) return mbar_bad(w, i, lane, p, "expects more than 2^20 - 1 arrivals");
        m->pending++;
        return exec_mbar_arrive(w, i, lane, p, m, 1, false);
    default: return exec_mbar_arrive(w, i, lane, p, m, 1, false); /* IR_MBAR_CP_NOINC */
    }
}

static bool init(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint8_t *p, uint64_t n) {
    if (!n || n > MOST_COUNT)
        return mbar_bad(w, i, lane, p, "is initialised with a count beyond 1 to 2^20 - 1");
    const struct mbar m = {.expected = (uint32_t)n, .pending = (uint32_t)n, .valid = true};
    memcpy(p, &(uint64_t){mbar_pack(&m)}, 8);
    return true;
}

bool mbar_apply(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint8_t *p, enum ir_mbar what,
                uint64_t n, uint64_t *old) {
    memcpy(old, p, 8);
    if (what == IR_MBAR_INIT) return init(w, i, lane, p, n);
    struct mbar m = mbar_unpack(*old);
    if (!m.valid) return mbar_bad(w, i, lane, p, "is not initialised");
    w->x.out->phase[lane] = (uint8_t)m.phase;
    if (what == IR_MBAR_INVAL) {
        memset(p, 0, 8);
        return true;
    }
    if (!mbar_change(w, i, lane, p, &m, what, n)) return false;
    if (!m.pending && !m.tx) {
        m.phase = (m.phase + 1) % PHASES;
        m.pending = m.expected;
    }
    memcpy(p, &(uint64_t){mbar_pack(&m)}, 8);
    return true;
}

/* The object of each lane; false: a fault, reported. */
static bool objects(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, uint8_t *at[EXEC_LANES]) {
    const struct exec_block *b = x->warp->block;
    if (!resolve(x, i, i->o[i->nd], mask, 8, true, at)) return false;
    FOR_LANES(l, mask) {
        if ((uintptr_t)at[l] - (uintptr_t)b->shared < b->grid->shared_bytes) continue;
        exec_note(x->warp, i, l, EXEC_F_SYNC, "an mbarrier lies in shared memory, this address does not");
        return false;
    }
    return true;
}

void mbar_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    uint8_t *at[EXEC_LANES];
    if (!objects(x, i, mask, at)) return;
    FOR_LANES(l, mask) {
        uint64_t old;
        const uint64_t n = i->ns > 1 ? (uint32_t)opnd_get(x, i->o[i->nd + 1], l) : 1;
        if (!mbar_apply(x->warp, i, l, at[l], (enum ir_mbar)i->sub, n, &old)) return;
        opnd_put(x, i->o[0], l, old);
    }
}

void mbar_wait_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    uint8_t *at[EXEC_LANES];
    uint32_t over = 0;
    if (!objects(x, i, mask, at)) return;
    FOR_LANES(l, mask) {
        uint64_t v;
        memcpy(&v, at[l], 8);
        const struct mbar m = mbar_unpack(v);
        const uint64_t given = opnd_get(x, i->o[2], l);
        if (!m.valid) {
            mbar_bad(x->warp, i, l, at[l], "is not initialised");
            return;
        }
        const bool yes =
            i->sub & IR_MBAR_PARITY ? (m.phase & 1) != (given & 1) : m.phase != mbar_unpack(given).phase;
        over |= (uint32_t)yes << l;
        x->out->phase[l] = (uint8_t)((m.phase + PHASES - 1) % PHASES);
    }
    exec_set_pred(x, i->o[0], mask, over);
    if (over != mask) x->warp->spun = true;
}

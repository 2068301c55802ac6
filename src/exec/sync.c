/* Warp-wide operations: votes, shuffles, match, reductions, election, bar.warp.sync.
 *
 * Two phases. A lane publishes what it brings (xchg.value) and, for the .sync forms, whom it waits for
 * (xchg.member); when every live thread its mask names has arrived with the same operation and the same mask,
 * each consumes with its own instruction's operands. So threads may meet from different PCs, as sm_70 and
 * later allow. Forms without .sync act on the lanes that execute together.
 *
 * Where PTX leaves things undefined: a shuffle from a lane that does not take part gives 0, so that a
 * program that does it gets the same under every mechanism; a thread that is not in its own member mask is a
 * fault. */
#include <inttypes.h>

#include "exec/alu/fn.h"
#include "exec/impl.h"

void activemask_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    FOR_LANES(l, mask) opnd_put(x, i->o[0], l, mask);
}

/* The value of an operand in each lane of mask; other lanes of to keep what they have. */
static void sync_values(const struct exec_ctx *x, ir_opnd o, uint32_t mask, uint64_t *restrict to) {
    if (mask == ~0u && ir_file(o) == IR_FILE_32) {
        const uint32_t *restrict r = exec_row32(x, o);
        for (int l = 0; l < EXEC_LANES; l++) to[l] = r[l];
    } else {
        FOR_LANES(l, mask) to[l] = opnd_get(x, o, l);
    }
}

static void sync_publish(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    if (i->op != IR_WARPSYNC && i->op != IR_ELECT) sync_values(x, i->o[i->nd], mask, x->warp->xchg.value);
}

static uint32_t true_lanes(const uint64_t *value, uint32_t group) {
    uint32_t bits = 0;
    FOR_LANES(l, group) bits |= (uint32_t)(value[l] & 1) << l;
    return bits;
}

static void sync_vote(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    uint32_t bits = true_lanes(x->warp->xchg.value, group);
    if (i->op == IR_BALLOT) {
        FOR_LANES(l, lanes) opnd_put(x, i->o[0], l, bits);
        return;
    }
    bool yes = i->sub == IR_VOTE_ALL   ? bits == group
               : i->sub == IR_VOTE_ANY ? bits != 0
                                       : !bits || bits == group;
    exec_set_pred(x, i->o[0], lanes, yes ? ~0u : 0);
}

/* The lane a shuffle reads, and whether that is inside its segment. */
static inline uint32_t shfl_from(uint8_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside) {
    const uint32_t segment = c >> 8 & 31, low = lane & segment, bound = low | (c & 31 & ~segment);
    b &= 31;
    switch (mode) {
    case IR_SHFL_UP: *inside = lane >= bound + b; return lane - b;
    case IR_SHFL_DOWN: *inside = lane + b <= bound; return lane + b;
    case IR_SHFL_BFLY: *inside = (lane ^ b) <= bound; return lane ^ b;
    default: *inside = (low | (b & ~segment)) <= bound; return low | (b & ~segment);
    }
}

/* Inlined once per mode, so that the choice is made outside the loop. b and c are 32-bit rows. */
static inline __attribute__((always_inline)) uint32_t
shfl_rows(uint8_t mode, const struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    const uint64_t *value = x->warp->xchg.value;
    const uint32_t *b = exec_row32(x, i->o[i->nd + 1]), *c = exec_row32(x, i->o[i->nd + 2]);
    uint32_t *d = exec_row32(x, i->o[0]), pred = 0;
    FOR_LANES(l, lanes) {
        bool inside;
        uint32_t from = shfl_from(mode, l, b[l], c[l], &inside);
        pred |= (uint32_t)inside << l;
        d[l] = !inside ? (uint32_t)value[l] : group >> from & 1 ? (uint32_t)value[from] : 0;
    }
    return pred;
}

/* A faster shfl_rows for a shuffle in which all 32 lanes take part with equal b and c: what a lane reads then depends
 * on its number alone. */
static inline __attribute__((always_inline)) uint32_t shfl_warp(uint8_t mode, const struct exec_ctx *x,
                                                                const struct ir_insn *i) {
    const uint64_t *value = x->warp->xchg.value;
    const uint32_t b = exec_row32(x, i->o[i->nd + 1])[0], c = exec_row32(x, i->o[i->nd + 2])[0];
    uint32_t *d = exec_row32(x, i->o[0]), pred = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        bool inside;
        const uint32_t from = shfl_from(mode, l, b, c, &inside);
        pred |= (uint32_t)inside << l;
        d[l] = (uint32_t)value[inside ? from : l];
    }
    return pred;
}

static void shfl(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    const bool whole = (lanes & group) == ~0u && ir_is_const(i->o[i->nd + 1]) && ir_is_const(i->o[i->nd + 2]);
    uint32_t pred;
#define SHFL(mode) (whole ? shfl_warp(mode, x, i) : shfl_rows(mode, x, i, lanes, group))
    switch (i->sub) {
    case IR_SHFL_UP: pred = SHFL(IR_SHFL_UP); break;
    case IR_SHFL_DOWN: pred = SHFL(IR_SHFL_DOWN); break;
    case IR_SHFL_BFLY: pred = SHFL(IR_SHFL_BFLY); break;
    default: pred = SHFL(IR_SHFL_IDX);
    }
#undef SHFL
    if (i->nd > 1) exec_set_pred(x, i->o[1], lanes, pred);
}

static void match_any(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    const uint64_t *value = x->warp->xchg.value;
    FOR_LANES(l, lanes) {
        uint32_t same = 0;
        FOR_LANES(k, group) same |= (uint32_t)(value[k] == value[l]) << k;
        opnd_put(x, i->o[0], l, same);
    }
}

static void match_all(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    const uint64_t *value = x->warp->xchg.value;
    bool same = true;
    FOR_LANES(l, group) same &= value[l] == value[__builtin_ctz(group)];
    FOR_LANES(l, lanes) opnd_put(x, i->o[0], l, same ? group : 0);
    if (i->nd > 1) exec_set_pred(x, i->o[1], lanes, same ? ~0u : 0);
}

static uint32_t sync_reduce(uint8_t sub, uint32_t a, uint32_t b, bool is_signed) {
    switch (sub) {
    case IR_AT_ADD: return a + b;
    case IR_AT_AND: return a & b;
    case IR_AT_OR: return a | b;
    case IR_AT_XOR: return a ^ b;
    case IR_AT_MIN: return (is_signed ? (int32_t)a < (int32_t)b : a < b) ? a : b;
    default: return (is_signed ? (int32_t)a > (int32_t)b : a > b) ? a : b; /* IR_AT_MAX */
    }
}

/* min and max of f32; .abs of magnitudes; .NaN: one that is makes the result one. */
static uint32_t reduce_f32(const struct ir_insn *i, const uint64_t *value, uint32_t group) {
    uint32_t acc = 0x7fffffffu;
    FOR_LANES(l, group) {
        const uint32_t v = (uint32_t)value[l] & (i->mods & IR_M_XSGN ? 0x7fffffffu : ~0u);
        const bool nan = (v & 0x7fffffffu) > 0x7f800000u, none = acc == 0x7fffffffu;
        if (nan && i->mods & IR_M_NAN) return 0x7fffffffu;
        if (nan) continue;
        const float a = f32_from(none ? v : acc), b = f32_from(v);
        acc = f32_bits(i->sub == IR_AT_MIN ? fmin_ptx(a, b) : fmax_ptx(a, b));
    }
    return acc;
}

static void redux(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    const uint64_t *value = x->warp->xchg.value;
    uint32_t acc = (uint32_t)value[__builtin_ctz(group)];
    if (i->op == IR_REDUX_F32) {
        acc = reduce_f32(i, value, group);
    } else {
        FOR_LANES(l, group & (group - 1))
        acc = sync_reduce(i->sub, acc, (uint32_t)value[l], i->op == IR_REDUX_S32);
    }
    FOR_LANES(l, lanes) opnd_put(x, i->o[0], l, acc);
}

static void elect(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    const uint32_t leader = (uint32_t)__builtin_ctz(group);
    FOR_LANES(l, lanes) opnd_put(x, i->o[0], l, leader);
    if (i->nd > 1) exec_set_pred(x, i->o[1], lanes, 1u << leader);
}

/* lanes at this instruction receive what the whole group published. */
static void consume(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, uint32_t group) {
    switch (i->op) {
    case IR_VOTE:
    case IR_BALLOT: sync_vote(x, i, lanes, group); break;
    case IR_SHFL_U32: shfl(x, i, lanes, group); break;
    case IR_MATCH_ANY_U32:
    case IR_MATCH_ANY_U64: match_any(x, i, lanes, group); break;
    case IR_MATCH_ALL_U32:
    case IR_MATCH_ALL_U64: match_all(x, i, lanes, group); break;
    case IR_REDUX_U32:
    case IR_REDUX_S32:
    case IR_REDUX_F32: redux(x, i, lanes, group); break;
    case IR_ELECT: elect(x, i, lanes, group); break;
    case IR_WARPSYNC: break;
    default: tensor_consume(x, i, lanes); break;
    }
}

/* The group has met: one consumption per PC it is spread over. */
static void sync_finish(struct exec_warp *w, uint32_t group) {
    const struct ir_insn *code = w->block->grid->module->code.v;
    for (uint32_t left = group; left;) {
        uint32_t pc = w->wait_pc[__builtin_ctz(left)], here = 0;
        FOR_LANES(l, left) here |= (uint32_t)(w->wait_pc[l] == pc) << l;
        consume(&w->x, &code[pc], here, group);
        left &= ~here;
    }
    if (w->block->grid->races_released && code[w->wait_pc[__builtin_ctz(group)]].op == IR_WARPSYNC)
        races_met(w, group, w->xchg.member[__builtin_ctz(group)]);
    lanes_go_on(w, group);
    w->x.out->woke = true;
}

/* Finishes every group of waiting lanes whose live members have all arrived. */
void warp_recheck(struct exec_warp *w) {
    const struct ir_insn *code = w->block->grid->module->code.v;
    for (uint32_t left = w->blocked & ~w->bar_wait; left;) {
        uint32_t first = (uint32_t)__builtin_ctz(left), group = 0;
        uint32_t member = w->xchg.member[first];
        uint16_t op = code[w->wait_pc[first]].op;
        FOR_LANES(l, left)
        group |= (uint32_t)(w->xchg.member[l] == member && code[w->wait_pc[l]].op == op) << l;
        if ((member & w->live & ~group) == 0) sync_finish(w, group);
        left &= ~group;
    }
}

static bool outside_own_mask(struct exec_warp *w, const struct ir_insn *i, uint32_t mask) {
    FOR_LANES(l, mask) {
        if (w->xchg.member[l] >> l & 1) continue;
        exec_note(w, i, l, EXEC_F_SYNC,
                  "lane %" PRIu32 " executes %s with member mask 0x%08" PRIx32 ", which does not name it", l,
                  ir_ops[i->op].name, w->xchg.member[l]);
        return true;
    }
    return false;
}

static void wait_for_members(struct exec_warp *w, const struct ir_insn *i, uint32_t mask) {
    struct exec_out *o = w->x.out;
    FOR_LANES(l, mask) w->wait_pc[l] = insn_pc(w, i);
    lanes_block(w, mask);
    out_jump(o, 0, 0);
    warp_recheck(w);
    w->released &= ~mask; /* these simply go on */
    o->waiting = mask & w->blocked;
    o->woke = w->released != 0;
    if (!o->waiting && !o->woke) o->flow = EXEC_NEXT;
}

void warp_meet_all(struct exec_warp *w, const struct ir_insn *i, uint32_t mask) {
    FOR_LANES(l, mask) w->xchg.member[l] = ~0u;
    wait_for_members(w, i, mask);
}

/* A mask written into the instruction, as nearly all are, needs no look at every lane. */
static bool meets_at_once(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const ir_opnd o = i->o[i->nd + i->ns - 1];
    return ir_is_const(o) && (exec_row32(x, o)[0] & x->warp->live) == mask;
}

void warp_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    sync_publish(x, i, mask);
    if (!(i->mods & IR_M_SYNC) || meets_at_once(x, i, mask)) {
        consume(x, i, mask, mask);
        return;
    }
    uint32_t apart = 0, all = ~0u;
    FOR_LANES(l, mask) {
        w->xchg.member[l] = (uint32_t)opnd_get(x, i->o[i->nd + i->ns - 1], l);
        apart |= w->xchg.member[l] ^ w->xchg.member[__builtin_ctz(mask)];
        all &= w->xchg.member[l];
    }
    if ((mask & ~all) && outside_own_mask(w, i, mask)) return;
    if (!apart && (all & w->live) == mask)
        consume(x, i, mask, mask);
    else
        wait_for_members(w, i, mask);
}

/* Each access against what is known of the words it touches: FastTrack (Flanagan and Freund, PLDI 2009,
 * 10.1145/1542476.1542490) with the last plain store of a word by one epoch, and with everything else since then by groups of
 * lanes.
 *
 * A plain store that comes after all groups replaces them: what comes after the store comes after them too, and what
 * does not conflicts with the store. Of groups that do not know of each other eight are kept, the first seven and the latest;
 * a race with a reader in between is missed where all of those eight come before the store.
 *
 * Accesses that are both strong (atomic, volatile, relaxed and stronger) do not conflict. One exception: volatile accesses of
 * two lanes of a warp to shared memory do, because programs have them that rely on lanes running in lockstep, and volatile
 * does not give them that. */
#include "exec/race/impl.h"

struct access {
    struct exec_races *r;
    struct races_block *b;
    const struct ir_insn *i;
    uint8_t kind; /* enum exec_race_access */
    bool shared;
    uint32_t pc, warp, lane, thread, unit;
    uint32_t epoch;
    uint64_t addr;
    uint32_t value; /* of a store, in the cell at hand */
};

static bool races_access_writes(uint8_t kind) {
    return kind == EXEC_RACE_WRITE || kind == EXEC_RACE_VOLATILE_WRITE || kind == EXEC_RACE_STRONG_WRITE ||
           kind == EXEC_RACE_ATOMIC;
}
static bool is_store(uint8_t kind) {
    return races_access_writes(kind) && kind != EXEC_RACE_ATOMIC;
}
static bool is_volatile(uint8_t kind) {
    return kind == EXEC_RACE_VOLATILE_READ || kind == EXEC_RACE_VOLATILE_WRITE;
}
static bool is_strong(uint8_t kind) {
    return kind > EXEC_RACE_WRITE;
}

/* May accesses of these kinds happen in any order? */
static bool conflict(const struct access *a, uint8_t kind, bool same_warp) {
    if (!races_access_writes(a->kind) && !races_access_writes(kind)) return false;
    if (!is_strong(a->kind) || !is_strong(kind)) return true;
    return a->shared && same_warp && is_volatile(a->kind) && is_volatile(kind);
}

static void races_access_record(const struct access *a, const struct races_cell *c,
                                const struct races_seen *before) {
    const bool same = is_store(a->kind) && is_store(before->access) && a->value == c->value;
    races_record(
        a->r,
        &(struct races_conflict){
            .side = {*before,
                     {.pc = a->pc, .block = a->b->index, .thread = (uint16_t)a->thread, .access = a->kind}},
            .address = a->addr,
            .shared = a->shared,
            .same_value = same});
}

/* In lockstep every instruction is an epoch of its own, and only lanes of the same one are not ordered. */
static bool after_write(const struct access *a, const struct races_write *w) {
    const uint32_t unit = races_unit_of(a->r, w->thread);
    if (w->block == a->b->index && unit == a->unit) return w->thread == a->thread || w->epoch != a->epoch;
    return clock_knows(clock_part(a->b->unit[a->unit].clock, w->block), unit, w->epoch);
}

static void check_write(const struct access *a, const struct races_cell *c) {
    const struct races_write *w = &c->w;
    if (!w->epoch || !conflict(a, w->access, false) || after_write(a, w)) return;
    races_access_record(a, c, &(struct races_seen){w->pc, w->block, w->thread, w->access});
}

/* The lanes of a group that the access does not come after. */
static uint32_t concurrent(const struct access *a, const struct races_group *g) {
    const struct races_part *p = clock_part(a->b->unit[a->unit].clock, g->block);
    const bool own = g->block == a->b->index && g->warp == a->warp;
    if (a->r->mode == EXEC_RACES_LOCKSTEP) return own || clock_knows(p, g->warp, g->epoch) ? 0 : g->lanes;
    uint32_t lanes = own ? g->lanes & ~(1u << a->lane) : g->lanes, apart = 0;
    if (!p) return lanes;
    const uint32_t *epoch = p->epoch + g->warp * EXEC_LANES;
    FOR_LANES(l, lanes) apart |= (uint32_t)(epoch[l] < g->epoch) << l;
    return apart;
}

static void check_groups(const struct access *a, struct races_cell *c) {
    const struct races_group *g;
    for (uint32_t k = 0; (g = shadow_group(a->r, c, k)); k++) {
        const bool same_warp = g->block == a->b->index && g->warp == a->warp;
        if (!conflict(a, g->access, same_warp)) continue;
        const uint32_t lanes = concurrent(a, g);
        if (!lanes) continue;
        const uint32_t thread = g->warp * EXEC_LANES + (uint32_t)__builtin_ctz(lanes);
        races_access_record(a, c, &(struct races_seen){g->pc, g->block, (uint16_t)thread, g->access});
    }
}

/* Adds the access to its like, or in the place of one of its kind that it comes after, or behind the others. */
static void add_to_groups(const struct access *a, struct races_cell *c) {
    const struct races_group mine = {a->b->index, a->epoch, a->pc, 1u << a->lane, (uint16_t)a->warp, a->kind};
    struct races_group *g;
    uint32_t k, at = UINT32_MAX;
    for (k = 0; (g = shadow_group(a->r, c, k)); k++) {
        if (g->access != a->kind) continue;
        if (g->block == mine.block && g->warp == mine.warp && g->epoch == mine.epoch &&
            (g->pc == mine.pc || g->lanes == mine.lanes)) {
            g->lanes |= mine.lanes;
            return;
        }
        if (at == UINT32_MAX && !concurrent(a, g)) at = k;
    }
    shadow_add_group(a->r, c, &mine, at == UINT32_MAX ? k : at);
}

static void races_access_touch(const struct access *a, struct races_cell *c) {
    check_write(a, c);
    if (c->first.epoch) check_groups(a, c);
    if (is_store(a->kind)) c->value = a->value;
    if (a->kind != EXEC_RACE_WRITE) {
        add_to_groups(a, c);
        return;
    }
    c->w = (struct races_write){a->b->index, a->epoch, a->pc, (uint16_t)a->thread, a->kind};
    if (c->first.epoch) shadow_clear_groups(a->r, c);
}

/* A compare-and-swap that failed has written nothing; where its result overwrote what it compared with, who knows. */
static bool swapped(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lane) {
    if (i->sub != IR_AT_CAS || !i->nd || i->o[0] == i->o[i->nd + 1]) return true;
    return opnd_get(x, i->o[0], lane) == opnd_get(x, i->o[i->nd + 1], lane);
}

static void synchronise(const struct exec_ctx *x, const struct access *a, struct races_cell *c) {
    const bool atomic = a->kind == EXEC_RACE_ATOMIC;
    if (c->sync && (!races_access_writes(a->kind) || (atomic && a->i->nd)))
        races_acquire(a->r, a->b, &a->b->unit[a->unit], &a->r->sync.v[c->sync]);
    if (races_access_writes(a->kind) && (!atomic || swapped(x, a->i, a->lane)))
        races_publish(a->r, a->b, a->unit, c, a->i->order, atomic);
}

/* The bytes that one lane stores. */
static void stored(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, uint8_t to[32]) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type];
    if (i->op == IR_STMATRIX) {
        stmatrix_row(x, i, lane, to);
        return;
    }
    for (uint32_t k = 0; k + 1 < i->ns && (k + 1) * size <= 32; k++) {
        const uint64_t v = opnd_get(x, i->o[1 + k], lane);
        memcpy(to + (size_t)k * size, &v, size);
    }
}

static void access_lane(const struct exec_ctx *x, struct access *a, uint32_t bytes) {
    uint8_t data[32] = {0};
    const uint64_t from = a->addr;
    uint32_t step = 1;
    if (a->i->op == IR_CP_ASYNC)
        memcpy(data, a->shared ? x->warp->block->shared + from : data, a->shared ? bytes : 0);
    else if (is_store(a->kind))
        stored(x, a->i, a->lane, data);
    for (uint32_t k = 0; k < bytes; k += step) {
        struct races_cell *c = shadow_cell(a->r, a->shared ? a->b : NULL, from + k, bytes, &step);
        if (!c) {
            a->r->unseen++;
            return;
        }
        a->addr = from + k;
        a->value = 0;
        memcpy(&a->value, data + k, step);
        races_access_touch(a, c);
        if (a->kind == EXEC_RACE_WRITE)
            shadow_clear_sync(a->r, c);
        else if (!k && is_strong(a->kind))
            synchronise(x, a, c);
    }
}

static void access_one(struct exec_ctx *x, const struct ir_insn *i, uint32_t l, uint8_t kind,
                       enum ir_space space, uint64_t addr) {
    struct exec_warp *w = x->warp;
    struct exec_races *r = w->block->grid->races;
    space = exec_decode(space, &addr);
    if (space != IR_SP_GLOBAL && space != IR_SP_SHARED) return;
    const uint32_t thread = w->index * EXEC_LANES + l, unit = races_unit_of(r, thread);
    struct access a = {r,
                       w->block->races,
                       i,
                       kind,
                       space == IR_SP_SHARED,
                       insn_pc(w, i),
                       w->index,
                       l,
                       thread,
                       unit,
                       w->block->races->unit[unit].epoch,
                       addr,
                       0};
    access_lane(x, &a, x->out->access.bytes);
}

static bool run_plain(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    struct exec_warp *w = x->warp;
    w->block->grid->image->fn[i->op](x, i, mask);
    if (x->out->flow == EXEC_FAULT || (!x->out->access.mask && i->op != IR_CP_ASYNC)) return false;
    if (w->block->grid->races->mode == EXEC_RACES_LOCKSTEP) w->block->races->unit[w->index].epoch++;
    return true;
}

static void access_all(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, uint8_t kind) {
    if (!run_plain(x, i, mask)) return;
    FOR_LANES(l, x->out->access.mask)
    access_one(x, i, l, kind, (enum ir_space)i->space, x->out->access.addr[l]);
}

/* A copy reads and writes when it issues: who does not wait for it, or is not told of it, races with the thread that made it.
 * That this thread itself waits is not asked for. */
void races_copy(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    if (!run_plain(x, i, mask)) return;
    const uint32_t disp = (uint32_t)opnd_get(x, i->o[3], 0);
    FOR_LANES(l, x->out->access.mask)
    access_one(x, i, l, EXEC_RACE_READ, IR_SP_GLOBAL, x->out->access.addr[l]);
    FOR_LANES(l, mask)
    access_one(x, i, l, EXEC_RACE_WRITE, IR_SP_SHARED, (uint32_t)(opnd_get(x, i->o[0], l) + disp));
}

static uint8_t strength(const struct ir_insn *i, enum exec_race_access plain,
                        enum exec_race_access with_volatile, enum exec_race_access with_order) {
    if (i->order & IR_ORDER) return (uint8_t)with_order;
    return (uint8_t)(i->mods & IR_M_VOLATILE || i->cop == IR_COP_CV ? with_volatile : plain);
}

void races_ld(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    access_all(x, i, mask, strength(i, EXEC_RACE_READ, EXEC_RACE_VOLATILE_READ, EXEC_RACE_STRONG_READ));
}

void races_st(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    access_all(x, i, mask, strength(i, EXEC_RACE_WRITE, EXEC_RACE_VOLATILE_WRITE, EXEC_RACE_STRONG_WRITE));
}

void races_atom(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    access_all(x, i, mask, EXEC_RACE_ATOMIC);
}

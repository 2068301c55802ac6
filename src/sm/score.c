/* The scoreboard of issue = scoreboard. Each warp keeps the instructions whose results are under way as {lanes, PC of the
 * instruction, cycle of write-back}; the rows are those the instruction writes. A split waits for an entry only when they
 * have both a lane and a row in common, so splits of one warp never wait for each other's registers, however many there
 * are: with a cycle per row they would. The list of a warp is short, so looking through it costs less than a table of
 * rows would; a 64-bit signature of the rows decides most comparisons.
 *
 * A warp with SM_SCORES entries is held back until one of them is done. */
#include "sm/impl.h"

/* The carry flag is a row of its own, behind every file's. */
#define CARRY 0x5fffffffu

static uint64_t row_bit(ir_opnd o) {
    return UINT64_C(1) << ((ir_index(o) + 29 * (uint32_t)ir_file(o)) & 63);
}

static bool is_row(ir_opnd o) {
    return !ir_is_const(o) && ir_file(o) != IR_FILE_NONE && (o & ~IR_O_NEG) != IR_PT;
}

struct rows {
    uint32_t n;
    uint64_t bits;
    ir_opnd row[32];
};

static void rows_add(struct rows *r, ir_opnd o) {
    o &= ~IR_O_NEG;
    if (!is_row(o) || r->n == sizeof r->row / sizeof *r->row) return;
    r->row[r->n++] = o;
    r->bits |= row_bit(o);
}

static void rows_written(const struct ir_insn *i, struct rows *r) {
    for (uint32_t k = 0; k < i->nd; k++) rows_add(r, i->o[k]);
    if (i->mods & IR_M_CC_OUT) rows_add(r, CARRY);
}

static void rows_used(const struct sm *s, const struct ir_insn *i, struct rows *r) {
    rows_written(i, r);
    for (uint32_t k = i->nd; k < (uint32_t)i->nd + i->ns; k++) rows_add(r, i->o[k]);
    if (i->guard & IR_GUARD_INDEX) rows_add(r, ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX));
    if (i->mods & IR_M_CC_IN) rows_add(r, CARRY);
    if (i->op == IR_TEX) {
        const uint32_t *words = s->env.module->ext.v + i->ext;
        rows_add(r, words[IR_TEX_HANDLE]);
        for (uint32_t k = 0; k < words[IR_TEX_NCOORD]; k++) rows_add(r, words[IR_TEX_COORDS + k]);
    }
}

static bool holds(const struct rows *r, ir_opnd o) {
    for (uint32_t k = 0; k < r->n; k++)
        if (r->row[k] == o) return true;
    return false;
}

static bool meets(const struct ir_insn *writer, const struct rows *r) {
    for (uint32_t k = 0; k < writer->nd; k++)
        if (holds(r, writer->o[k])) return true;
    return (writer->mods & IR_M_CC_OUT) && holds(r, CARRY);
}

static void drop_written(struct sm_warp *w, uint64_t now) {
    for (uint32_t k = 0; k < w->nscore;)
        if (w->score[k].ready <= now || !w->score[k].mask)
            w->score[k] = w->score[--w->nscore];
        else
            k++;
}

void score_add(struct sm *s, uint32_t warp, uint32_t mask, uint32_t pc, uint32_t op, uint64_t ready) {
    struct sm_warp *w = &s->warps[warp];
    struct rows r;
    r.n = 0;
    r.bits = 0;
    rows_written(sm_insn(s, pc), &r);
    if (!r.n) return;
    drop_written(w, s->now);
    CHECK(w->nscore < SM_SCORES + SM_LANES);
    w->score[w->nscore++] = (struct sm_score){ready, r.bits, mask, pc, op};
}

void score_clear(struct sm *s, uint32_t warp, uint32_t mask, uint32_t op) {
    struct sm_warp *w = &s->warps[warp];
    const bool full = w->nscore >= SM_SCORES; /* then other lanes may wait for this too */
    for (uint32_t k = 0; k < w->nscore; k++)
        if (w->score[k].op == op) w->score[k].mask &= ~mask;
    mech_wake(s->mech, warp, full ? ~0u : mask);
}

void score_clear_op(struct sm *s, uint32_t op) {
    for (uint32_t warp = 0; warp < s->nwarps; warp++) {
        const struct sm_warp *w = &s->warps[warp];
        for (uint32_t k = 0; k < w->nscore; k++)
            if (w->score[k].op == op) score_clear(s, warp, w->score[k].mask, op);
    }
}

/* The earliest end of any entry: a full list takes another then. */
static uint64_t first_end(const struct sm_warp *w) {
    uint64_t first = SM_NEVER;
    for (uint32_t k = 0; k < w->nscore; k++)
        if (w->score[k].ready < first) first = w->score[k].ready;
    return first;
}

static uint64_t piece_when(struct sm *s, const struct mech_piece *p, const struct rows *r) {
    struct sm_warp *w = &s->warps[p->warp];
    drop_written(w, s->now);
    if (w->nscore >= SM_SCORES) return first_end(w);
    uint64_t when = 0;
    for (uint32_t k = 0; k < w->nscore; k++) {
        const struct sm_score *e = &w->score[k];
        if (!(e->mask & p->mask) || !(e->written & r->bits) || e->ready <= when) continue;
        if (meets(sm_insn(s, e->pc), r)) when = e->ready;
    }
    return when;
}

uint64_t score_when(struct sm *s, const struct mech_split *split) {
    struct rows r; /* filled in only if there is anything to wait for */
    r.n = 0;
    r.bits = 0;
    uint64_t when = 0;
    bool looked = false;
    for (uint32_t k = 0; k < split->set.n; k++) {
        if (!s->warps[split->set.p[k].warp].nscore) continue;
        if (!looked) rows_used(s, sm_insn(s, split->pc), &r);
        looked = true;
        const uint64_t t = piece_when(s, &split->set.p[k], &r);
        if (t > when) when = t;
    }
    return when;
}

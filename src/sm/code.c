/* What an SM has to know of an instruction again and again, read from it once: its class and what that costs, the rows it
 * uses, its line of code. The table is one for all SMs of a launch, so that it stays in the host's caches. It is filled in
 * as instructions are met, and only those are forgotten when the launch ends, so that a launch of a small kernel from a
 * large module costs little.
 *
 * Rows. A kernel with all that it calls nearly always has fewer than 64: each is then a bit. Machine code has 64 that an
 * instruction can name, and no carry flag. Otherwise row numbers are folded into 64 bits, and code_depends looks row by row
 * when two signatures meet. */
#include <stdlib.h>

#include "sm/impl.h"

/* The carry flag is a row of its own, behind every file's. */
#define CARRY 0x5fffffffu
enum { CARRY_BIT = 63 };
_Static_assert(IR_RV_FCSR <= 64,
               "x and f registers are bits of a word; what lies behind them no instruction names");

struct sm_common *sm_common_new(void) {
    /* Room to work in: nothing is read before it is written, but these. */
    struct sm_common *c = xmalloc(sizeof *c);
    c->code = NULL;
    c->branch = NULL;
    c->code_memory = NULL;
    c->cap = 0;
    c->met.v = NULL;
    c->met.n = c->met.cap = 0;
    return c;
}

static void free_tables(struct sm_common *c) {
    xfree(c->code_memory);
    xfree(c->branch);
}

void sm_common_free(struct sm_common *c) {
    if (!c) return;
    free_tables(c);
    VEC_FREE(&c->met);
    xfree(c);
}

/* Tables for the largest program so far do for all. They arrive zeroed and untouched: what no launch comes to costs nothing. */
struct sm_branch *sm_common_begin(struct sm_common *c, const struct ir_module *m) {
    CHECK(!c->met.n);
    if (m->code.n <= c->cap) return c->branch;
    free_tables(c);
    c->cap = m->code.n;
    c->branch = xcalloc(c->cap, sizeof *c->branch);
    c->code_memory = xcalloc(c->cap * sizeof *c->code + SM_HOST_LINE, 1);
    const uintptr_t at = (uintptr_t)c->code_memory + SM_HOST_LINE - 1;
    c->code = (struct sm_code *)(at / SM_HOST_LINE * SM_HOST_LINE);
    return c->branch;
}

const uint32_t *sm_common_met(const struct sm_common *c, size_t *n) {
    *n = c->met.n;
    return c->met.v;
}

void sm_common_join(struct sm_common *to, struct sm_common *from) {
    for (size_t k = 0; k < from->met.n; k++) {
        const uint32_t pc = from->met.v[k];
        sm_branch_add(&to->branch[pc], &from->branch[pc]);
        from->branch[pc] = (struct sm_branch){0};
        if (to->code[pc].known) continue;
        to->code[pc].known = true; /* no SM will ask any more */
        VEC_PUSH(&to->met, pc);
    }
}

void sm_common_end(struct sm_common *c) {
    for (size_t k = 0; k < c->met.n; k++) {
        c->code[c->met.v[k]].known = false;
        c->branch[c->met.v[k]] = (struct sm_branch){0};
    }
    c->met.n = 0;
}

void code_init(struct sm *s) {
    const uint32_t *rows = s->env.grid->func->total_rows;
    s->file[IR_FILE_32] = 0;
    s->file[IR_FILE_64] = rows[IR_FILE_32];
    s->file[IR_FILE_P] = s->file[IR_FILE_64] + rows[IR_FILE_64];
    const bool machine_rows = s->env.module->binary && !s->file[IR_FILE_64] && rows[IR_FILE_P] <= 1;
    s->exact_rows = machine_rows || s->file[IR_FILE_P] + rows[IR_FILE_P] < CARRY_BIT;
    s->plain_rows = s->exact_rows && s->scoreboard;
}

static uint64_t row_bit(const struct sm *s, ir_opnd o) {
    if (o == CARRY) return UINT64_C(1) << CARRY_BIT;
    const uint32_t bit =
        s->exact_rows ? s->file[ir_file(o)] + ir_index(o) : ir_index(o) + 29 * (uint32_t)ir_file(o);
    return UINT64_C(1) << (bit & 63);
}

static bool is_row(ir_opnd o) {
    return !ir_is_const(o) && ir_file(o) != IR_FILE_NONE && (o & ~IR_O_NEG) != IR_PT;
}

struct rows {
    uint32_t n;
    ir_opnd row[48];
};

static void rows_add(struct rows *r, ir_opnd o) {
    o &= ~IR_O_NEG;
    if (is_row(o) && r->n < sizeof r->row / sizeof *r->row) r->row[r->n++] = o;
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
    uint32_t n;
    const uint32_t *more = ir_more(s->env.module, i, &n);
    for (uint32_t k = 0; k < n; k++) rows_add(r, more[k]);
}

static uint64_t signature(const struct sm *s, const struct rows *r) {
    uint64_t bits = 0;
    for (uint32_t k = 0; k < r->n; k++) bits |= row_bit(s, r->row[k]);
    return bits;
}

/* A warp comes back to an instruction long after its registers have left the host's caches. Which lines of them it will
 * touch is known as soon as a split is scheduled for it. */
static void read_lines(const struct sm *s, const struct ir_insn *i, struct sm_code *c) {
    for (uint32_t k = 0; k < (uint32_t)i->nd + i->ns; k++) {
        const ir_opnd o = i->o[k];
        if (ir_is_const(o) || ir_file(o) > IR_FILE_64) continue;
        const uint32_t from = exec_row_at(s->env.grid->func, o), row = ir_file(o) == IR_FILE_64 ? 256 : 128;
        for (uint32_t at = from; at < from + row && c->nlines < SM_ROW_LINES; at += SM_HOST_LINE)
            c->lines[c->nlines++] = at & ~(uint32_t)(SM_HOST_LINE - 1);
    }
}

/* What only registers and the thread's place in the grid decide. */
static bool is_simple(const struct ir_insn *i) {
    const bool computes = exec_alu_portable[i->op] || (i->op >= IR_SREG_U32 && i->op <= IR_CVTA_U64);
    return computes && !(i->flags & IR_F_ADDED);
}

void code_read(const struct sm *s, uint32_t pc, struct sm_code *c) {
    const struct ir_insn *i = sm_insn(s, pc);
    struct rows written = {0}, used = {0};
    rows_written(i, &written);
    rows_used(s, i, &used);
    const uint8_t cls = ir_ops[i->op].cls;
    const uint16_t slots = s->sequences ? unit_slots(s->o, i->op) : 1;
    const uint8_t steps = unit_steps(s, i);
    *c = (struct sm_code){.used = signature(s, &used),
                          .written = signature(s, &written),
                          .fn = s->fn[i->op],
                          .result = unit_result(s, cls, slots, steps),
                          .busy = s->interval[cls] * s->beats * steps,
                          .line = (uint32_t)((uint64_t)pc * SM_INSN_BYTES / s->line[MEM_L1I]),
                          .slots = slots,
                          .steps = steps,
                          .cls = cls,
                          .unit = s->unit_of[cls],
                          .depth_change = i->op == IR_CALL || i->op == IR_CALL_IND ? 1
                                          : i->op == IR_RET                        ? 2
                                                                                   : 0,
                          .turns = s->o->sm.register_banks ? unit_register_turns(s, i) : 0,
                          .early = cls != IR_C_BRANCH && cls != IR_C_BAR && i->op != IR_MBAR_WAIT &&
                                   i->op != IR_CP_WAIT && (cls != IR_C_MARK || !ir_marks[i->sub].flow),
                          .moves =
                              i->op != IR_CALL && i->op != IR_CALL_IND && i->op != IR_RET && cls != IR_C_MARK,
                          .simple = is_simple(i),
                          .plain = !(i->flags & IR_F_ADDED) && !async_concerns(i->op),
                          .stays = is_simple(i) || i->op == IR_BRA || cls == IR_C_LDST || cls == IR_C_ATOM,
                          .known = true};
    read_lines(s, i, c);
    VEC_PUSH(&s->common->met, pc);
}

bool code_depends(const struct sm *s, uint32_t pc, uint32_t writer) {
    struct rows written = {0}, used = {0};
    rows_written(sm_insn(s, writer), &written);
    rows_used(s, sm_insn(s, pc), &used);
    for (uint32_t k = 0; k < written.n; k++)
        for (uint32_t j = 0; j < used.n; j++)
            if (written.row[k] == used.row[j]) return true;
    return false;
}

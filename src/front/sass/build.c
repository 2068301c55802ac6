/* A listing as a program: one instruction of the simulator for each. Registers are numbered as they are in the machine code;
 * behind them come the indices of jumps, and every guard is a predicate of its own. What is never executed needs no values, so
 * operands only say who waits for whom. */
#include <string.h>

#include "front/sass/sass.h"

/* R255 is the zero register: read, never written. What has no destination writes one that is never read. */
enum { NOWHERE = 256, REGISTERS };

struct builder {
    const struct sass_program *p;
    struct ir_module *m;
    uint32_t *predicate; /* by instruction: predicate of its guard */
    uint32_t *index;     /* by instruction: index of its table */
    uint32_t zero, most; /* constants: 0 and 31 */
    uint32_t nvirt[3];
};

static ir_opnd reg(uint32_t r) {
    return ir_reg(IR_FILE_32, r);
}

static uint32_t sass_build_constant(struct ir_module *m, uint32_t v) {
    VEC_PUSH(&m->k32, v);
    return ir_const(IR_FILE_32, (uint32_t)m->k32.n - 1);
}

static void sass_build_write(struct ir_insn *i, ir_opnd o) {
    i->o[i->nd++] = o;
}
static void read(struct ir_insn *i, ir_opnd o) {
    i->o[i->nd + i->ns++] = o;
}

static uint32_t sass_build_operand(const struct sass_insn *s, uint32_t k) {
    return k < s->ns ? s->source[k] : SASS_RZ;
}

static void add_told(const struct builder *b, const struct sass_insn *s, struct ir_insn *i) {
    for (size_t k = 0; k < s->tells.n; k++)
        sass_build_write(i, ir_reg(IR_FILE_P, b->predicate[s->tells.v[k]]));
    for (size_t k = 0; k < s->leads.n; k++) sass_build_write(i, reg(b->index[s->leads.v[k]]));
}

static void arithmetic(const struct builder *b, const struct sass_insn *s, struct ir_insn *i) {
    if (!sass_accesses(s) && s->row->kind > SASS_SETP) i->op = IR_ADD_U32; /* an access that has no address */
    for (uint32_t k = 0; k < sass_own(s); k++) sass_build_write(i, reg(k < s->nd ? s->dest[k] : NOWHERE));
    add_told(b, s, i);
    for (uint32_t k = 0; k < s->ns; k++) read(i, reg(s->source[k]));
}

static void choose_width(const struct sass_insn *s, struct ir_insn *i) {
    static const uint16_t loads[] = {IR_LD_U8, IR_LD_U16, IR_LD_U32},
                          stores[] = {IR_ST_U8, IR_ST_U16, IR_ST_U32};
    const uint32_t k = s->bytes == 1 ? 0 : s->bytes == 2 ? 1 : 2;
    i->space = s->row->space;
    i->vec = s->bytes == 16 ? 4 : s->bytes == 8 ? 2 : 1;
    if (s->row->kind == SASS_LOAD) i->op = loads[k];
    if (s->row->kind == SASS_STORE) i->op = stores[k];
    if (s->row->kind == SASS_ATOM) {
        i->vec = 1;
        if (s->bytes == 2) i->op = IR_ATOM_U16;
        if (s->bytes >= 8) i->op = IR_ATOM_U64;
    }
}

/* Registers of a vector follow one another. */
static ir_opnd sass_build_element(uint32_t r, uint32_t k) {
    return reg(r + k < SASS_RZ ? r + k : r);
}

static void sass_build_access(const struct sass_insn *s, struct ir_insn *i) {
    choose_width(s, i);
    const uint32_t n = i->vec;
    const uint32_t dest = s->nd ? s->dest[0] : NOWHERE;
    for (uint32_t k = 0; s->row->kind == SASS_LOAD && k < n; k++)
        sass_build_write(i, sass_build_element(dest, k));
    if (s->row->kind == SASS_ATOM && s->nd) sass_build_write(i, reg(dest));
    read(i, reg(sass_build_operand(s, 0)));
    if (s->row->kind == SASS_ATOM) read(i, reg(sass_build_operand(s, 1)));
    for (uint32_t k = 0; s->row->kind == SASS_STORE && k < n; k++)
        read(i, sass_build_element(sass_build_operand(s, s->ns > 1 ? 1 : 4), k));
}

static void of_warp(const struct builder *b, const struct sass_insn *s, struct ir_insn *i) {
    sass_build_write(i, reg(s->nd ? s->dest[0] : NOWHERE));
    if (s->row->kind == SASS_SHFL) {
        sass_build_write(i, IR_NONE);
        i->sub = IR_SHFL_IDX;
        read(i, reg(sass_build_operand(s, 0)));
        read(i, reg(sass_build_operand(s, 1)));
        read(i, b->most);
    } else if (s->row->kind == SASS_VOTE) {
        read(i, IR_PT);
    } else {
        read(i, reg(sass_build_operand(s, 0)));
    }
}

static void sass_build_jump(const struct builder *b, uint32_t at, struct ir_insn *i) {
    const struct sass_insn *s = &b->p->code.v[at];
    i->op = s->targets.n > 1 ? IR_BRX : IR_BRA;
    i->target = s->targets.v[0];
    if (s->targets.n < 2) return;
    i->ext = (uint32_t)b->m->ext.n;
    VEC_PUSH(&b->m->ext, (uint32_t)s->targets.n);
    for (size_t k = 0; k < s->targets.n; k++) VEC_PUSH(&b->m->ext, s->targets.v[k]);
    read(i, reg(b->index[at]));
}

static void sass_build_add_insn(const struct builder *b, uint32_t at) {
    const struct sass_insn *s = &b->p->code.v[at];
    struct ir_insn i = {.op = s->row->op, .vec = 1, .line = at + 2, .rpc = IR_NOPC};
    if (s->guarded) {
        i.guard = (uint16_t)(b->predicate[at] & IR_GUARD_INDEX);
        i.guard_hi = (uint8_t)(b->predicate[at] >> 15);
    }
    if (sass_computes(s)) {
        arithmetic(b, s, &i);
    } else if (sass_accesses(s)) {
        sass_build_access(s, &i);
    } else if (s->row->kind >= SASS_SHFL && s->row->kind <= SASS_MATCH) {
        of_warp(b, s, &i);
    } else if (s->row->kind == SASS_BARRIER) {
        read(&i, b->zero);
        read(&i, IR_NONE);
    } else if (s->row->kind == SASS_JUMP || s->row->kind == SASS_INDIRECT) {
        sass_build_jump(b, at, &i);
    }
    VEC_PUSH(&b->m->code, i);
    VEC_PUSH(&b->m->src, (struct ir_srcloc){0});
}

static void number_registers(struct builder *b) {
    const size_t n = b->p->code.n;
    b->predicate = xcalloc(n + 1, sizeof *b->predicate);
    b->index = xcalloc(n + 1, sizeof *b->index);
    b->nvirt[IR_FILE_32] = REGISTERS;
    b->nvirt[IR_FILE_P] = 1;
    for (size_t k = 0; k < n; k++) {
        if (b->p->code.v[k].guarded) b->predicate[k] = b->nvirt[IR_FILE_P]++;
        if (b->p->code.v[k].targets.n > 1) b->index[k] = b->nvirt[IR_FILE_32]++;
    }
}

static void sass_build(struct builder *b) {
    struct ir_module *m = b->m;
    struct ir_func f = {
        .name = arena_strdup(&m->mem, b->p->kernel), .kernel = true, .defined = true, .line = 1};
    f.maxnreg = b->p->registers;
    VEC_PUSH(&m->files, NULL);
    m->warnings = "";
    m->version_major = 1;
    m->sm = b->p->version;
    m->address_bits = 64;
    m->replays_only = true;
    b->zero = sass_build_constant(m, 0);
    b->most = sass_build_constant(m, 31);
    number_registers(b);
    for (uint32_t k = 0; k < b->p->code.n; k++) sass_build_add_insn(b, k);
    /* whatever the last one is, nothing runs off the end */
    VEC_PUSH(&m->code,
             (struct ir_insn){.op = IR_EXIT, .vec = 1, .line = (uint32_t)b->p->code.n + 1, .rpc = IR_NOPC});
    VEC_PUSH(&m->src, (struct ir_srcloc){0});
    f.end = (uint32_t)m->code.n;
    memcpy(f.nvirt, b->nvirt, sizeof f.nvirt);
    VEC_PUSH(&m->funcs, f);
}

struct ir_module *sass_load(const char *name, const char *text, size_t n, struct err *e) {
    struct sass_program p = {0};
    struct ir_module *m = NULL;
    if (sass_parse(&p, name, text, n, e)) {
        m = ir_module_new(name);
        struct builder b = {.p = &p, .m = m};
        m->text = arena_strndup(&m->mem, text, n);
        m->text_len = n;
        sass_build(&b);
        xfree(b.predicate);
        xfree(b.index);
    }
    sass_free(&p);
    return m;
}

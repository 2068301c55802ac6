/* The module of a file: functions one after the other, each instruction by instruction, with the disassembly as its text.
 *
 * A function of a module must not run past its end, and its branches stay inside. Machine code keeps to neither: a function
 * may end in a call that does not return, fall into the next one, or branch to another. So where it is needed a jump by
 * address is added behind its last instruction. */
#include "front/riscv/lower.h"

#include <string.h>

#include "front/riscv/riscv.h"

enum { STACK_BYTES = 16 << 10 };

static void rv_lower_add_insn(struct lower *l, struct ir_insn x, uint32_t line, uint64_t addr) {
    x.line = line;
    VEC_PUSH(&l->m->code, x);
    VEC_PUSH(&l->m->src, (struct ir_srcloc){0});
    VEC_PUSH(&l->addr, addr);
    VEC_PUSH(&l->text, l->line_at);
}

static void add_stub(struct lower *l, uint32_t line, uint64_t addr, uint64_t to) {
    struct ir_insn x = rv_code_at(l->c, to) == RV_NONE ? (struct ir_insn){.op = IR_TRAP} : rv_jump_out(l, to);
    x.flags |= IR_F_ADDED;
    rv_lower_add_insn(l, x, line, addr);
}

static bool may_go_on(const struct ir_insn *i) {
    return !(i->op == IR_RET || i->op == IR_TRAP || i->op == IR_BRX || (i->op == IR_BRA && !i->ns));
}

static void end_function(struct lower *l, uint32_t line) {
    const uint64_t last = l->addr.v[l->addr.n - 1];
    if (may_go_on(&l->m->code.v[l->m->code.n - 1])) add_stub(l, line, last, l->fn->to);
    for (size_t k = 0; k < l->out.n; k++) {
        l->m->code.v[l->out.v[k]].target = (uint32_t)l->m->code.n;
        add_stub(l, line, last, l->out_to.v[k]);
    }
    l->out.n = l->out_to.n = 0;
}

static void rv_lower_hex(struct sb *out, uint64_t v, int width) {
    char digits[20];
    int at = sizeof digits;
    do digits[--at] = "0123456789abcdef"[v & 15];
    while (v >>= 4);
    while (at > (int)sizeof digits - width) digits[--at] = ' ';
    sb_addn(out, digits + at, sizeof digits - (size_t)at);
}

/* "   105b4:  add a0,a0,a1" */
static void print_line(struct sb *out, const struct rv_insn *i, uint64_t addr) {
    rv_lower_hex(out, addr, 8);
    sb_addn(out, ":  ", 3);
    rv_print(out, i, addr);
    sb_addn(out, "\n", 1);
}

static const char *name_of(struct lower *l, const struct rv_func *fn) {
    if (fn->name) return arena_strdup(&l->m->mem, fn->name);
    struct sb name = {0};
    sb_add(&name, "at_%llx", (unsigned long long)fn->from);
    return sb_keep(&name, &l->m->mem);
}

static void add_function(struct lower *l, const struct rv_func *fn) {
    struct ir_func f = {
        .name = name_of(l, fn), .kernel = fn->kernel, .address_taken = fn->taken, .defined = true};
    if (fn->kernel) {
        struct ir_param *p = ARENA_NEW(&l->m->mem, struct ir_param, 1);
        *p = (struct ir_param){.name = "registers", .bytes = RISCV_PARAM_BYTES, .align = 8};
        f.params = p;
        f.nparams = 1;
        f.param_bytes = RISCV_PARAM_BYTES;
        f.frame_bytes = STACK_BYTES;
    }
    VEC_PUSH(&l->m->funcs, f);
}

static void lower_function(struct lower *l, uint32_t func, struct sb *text, uint32_t *line) {
    const struct rv_func *fn = &l->c->funcs.v[func];
    struct ir_func *f = &l->m->funcs.v[func];
    l->fn = fn;
    l->pc = f->entry = (uint32_t)l->m->code.n;
    sb_addn(text, f->name, strlen(f->name));
    sb_addn(text, ":\n", 2);
    f->line = ++*line;
    for (uint32_t k = fn->first; k < fn->last; k++) {
        l->line_at = (uint32_t)text->len;
        print_line(text, &l->c->insn.v[k], l->c->addr.v[k]);
        rv_lower_add_insn(l, rv_lower_insn(l, k), ++*line, l->c->addr.v[k]);
    }
    end_function(l, *line);
    f->end = (uint32_t)l->m->code.n;
    f->nvirt[IR_FILE_64] = IR_RV_ROWS;
}

static struct ir_binary *rv_lower_place(struct lower *l) {
    const struct rv_code *c = l->c;
    struct ir_binary *b = ARENA_NEW(&l->m->mem, struct ir_binary, 1);
    uint32_t *pc_of = ARENA_NEW(&l->m->mem, uint32_t, c->halves);
    uint64_t *addr = ARENA_NEW(&l->m->mem, uint64_t, l->addr.n);
    uint32_t *text = ARENA_NEW(&l->m->mem, uint32_t, l->text.n);
    memcpy(text, l->text.v, l->text.n * sizeof *text);
    memset(pc_of, 0xff, c->halves * sizeof *pc_of);
    memcpy(addr, l->addr.v, l->addr.n * sizeof *addr);
    for (size_t pc = l->addr.n; pc-- > 0;)
        if (!(l->m->code.v[pc].flags & IR_F_ADDED)) pc_of[(addr[pc] - c->base) / 2] = (uint32_t)pc;
    uint8_t *file = ARENA_NEW(&l->m->mem, uint8_t, l->file_bytes);
    memcpy(file, l->file, l->file_bytes);
    const struct rv_segment *last = &c->f->segments.v[c->f->segments.n - 1];
    *b = (struct ir_binary){.base = c->base,
                            .halves = c->halves,
                            .pc_of = pc_of,
                            .addr = addr,
                            .text = text,
                            .entry = c->f->entry,
                            .global_pointer = c->f->global_pointer,
                            .headers = c->f->headers,
                            .nheaders = c->f->nheaders,
                            .end = last->address + last->bytes,
                            .file = file,
                            .file_bytes = l->file_bytes};
    return b;
}

void rv_lower(struct lower *l) {
    struct sb text = {0};
    uint32_t line = 0;
    VEC_PUSH(&l->m->k32, 0);
    VEC_PUSH(&l->m->k64, 0);
    for (size_t f = 0; f < l->c->funcs.n; f++) add_function(l, &l->c->funcs.v[f]);
    for (uint32_t f = 0; f < l->c->funcs.n; f++) lower_function(l, f, &text, &line);
    l->m->binary = rv_lower_place(l);
    l->m->text_len = text.len;
    l->m->text = sb_keep(&text, &l->m->mem);
    VEC_FREE(&l->addr);
    VEC_FREE(&l->text);
    VEC_FREE(&l->out);
    VEC_FREE(&l->out_to);
    VEC_FREE(&l->targets.v);
}

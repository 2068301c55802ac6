/* How many registers machine code needs, about. Rows are for execution: each file has its own, and constants and parameters
 * that a program copies into registers have rows. NVIDIA's hardware has one file of 32-bit registers, and its instructions
 * take immediate operands and read kernel parameters where they are, in constant memory. So what ptxas gives is nearer to
 * the largest number of words alive at one place, without those registers that hold a constant or a parameter for all of
 * their life: written once, without a guard, by a move of a constant, by a load of a parameter, or by a copy or a change
 * of address space of such a register. To these come the four that an empty kernel has.
 *
 * ptxas also moves instructions, which can make registers many more (loads of an unrolled loop that begin together) or
 * fewer; that is not modelled. */
#include "cfg/live.h"

enum { OF_ANY_KERNEL = 4, COPIES = 16 };

struct writers {
    const struct live *l;
    /* By register: the instruction that writes it, plus one; CFG_NONE: several, or a guarded one. */
    uint32_t *writer;
};

static void find_writers(struct writers *x) {
    const struct work *w = x->l->w;
    for (uint32_t pc = w->fn->entry; pc < w->fn->end; pc++) {
        const struct ir_insn *i = &w->m->code.v[pc];
        for (int k = 0; k < i->nd; k++) {
            const uint32_t r = live_register(x->l, i->o[k]);
            if (r == CFG_NONE) continue;
            x->writer[r] = x->writer[r] || insn_guarded(i) ? CFG_NONE : pc + 1;
        }
    }
}

/* The operand that the instruction hands on as it is; IR_NONE: it does something else. */
static ir_opnd handed_on(const struct ir_insn *i) {
    const bool copies =
        i->op == IR_MOV_U32 || i->op == IR_MOV_U64 || i->op == IR_CVTA_U32 || i->op == IR_CVTA_U64;
    return copies && i->ns == 1 ? i->o[i->nd] : IR_NONE;
}

static bool loads_parameter(const struct work *w, const struct ir_insn *i) {
    return w->fn->kernel && ir_ops[i->op].cls == IR_C_LDST && i->nd && i->space == IR_SP_PARAM &&
           (!i->ns || ir_is_const(i->o[i->nd]) || i->o[i->nd] == IR_NONE);
}

/* Follows a chain of copies, unless it is longer than any that is written. */
static bool needs_no_place(const struct writers *x, uint32_t r) {
    const struct work *w = x->l->w;
    for (uint32_t steps = 0; steps < COPIES; steps++) {
        if (!x->writer[r] || x->writer[r] == CFG_NONE) return false;
        const struct ir_insn *i = &w->m->code.v[x->writer[r] - 1];
        if (loads_parameter(w, i)) return true;
        const ir_opnd from = handed_on(i);
        if (from == IR_NONE) return false;
        if (ir_is_const(from)) return true;
        r = live_register(x->l, from);
        if (r == CFG_NONE) return false;
    }
    return false;
}

static uint32_t most_alive(const struct live *l, const struct writers *without) {
    int64_t *change = ARENA_NEW(&l->w->mem, int64_t, l->points + 1), alive = 0, most = 0;
    for (int f = IR_FILE_32; f <= IR_FILE_64; f++)
        for (uint32_t r = l->first[f]; r < l->first[f + 1]; r++) {
            if (without && needs_no_place(without, r)) continue;
            for (uint32_t s = l->range[r]; s < l->range[r + 1]; s++) {
                change[l->segments.v[s].start] += f + 1;
                change[l->segments.v[s].end] -= f + 1;
            }
        }
    for (uint32_t p = 0; p < l->points; p++) {
        alive += change[p];
        most = alive > most ? alive : most;
    }
    return most < INT32_MAX ? (uint32_t)most : INT32_MAX;
}

void pressure_analyse(const struct live *l) {
    struct work *w = l->w;
    struct writers x = {.l = l, .writer = ARENA_NEW(&w->mem, uint32_t, l->first[LIVE_FILES])};
    find_writers(&x);
    w->f->max_live = most_alive(l, NULL);
    w->fn->compiled_regs = most_alive(l, &x) + (w->fn->kernel ? OF_ANY_KERNEL : 0);
}

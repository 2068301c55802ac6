/* Who may call whom: one reading of a call's words for all that walk through a program. */
#include <stdlib.h>

#include "ir/program.h"

static void put_taken(const struct ir_module *m, void (*put)(void *user, uint32_t func), void *user) {
    for (uint32_t f = 0; f < m->funcs.n; f++)
        if (m->funcs.v[f].address_taken) put(user, f);
}

/* A jump of machine code without a table leaves its function: to an address, as tail calls do, or to one that is not known. */
static void put_jump(const struct ir_module *m, const struct ir_insn *i,
                     void (*put)(void *user, uint32_t func), void *user) {
    const ir_opnd to = i->o[0];
    if (m->ext.v[i->ext]) return;
    if (!ir_is_const(to)) {
        put_taken(m, put, user);
        return;
    }
    const uint32_t pc = ir_binary_pc(m->binary, m->k64.v[ir_index(to)]);
    const struct ir_func *f = pc == IR_NOPC ? NULL : ir_func_at(m, pc);
    if (f) put(user, (uint32_t)(f - m->funcs.v));
}

void ir_callees(const struct ir_module *m, const struct ir_insn *i, void (*put)(void *user, uint32_t func),
                void *user) {
    if (i->op == IR_BRX && m->binary) put_jump(m, i, put, user);
    if (i->op != IR_CALL && i->op != IR_CALL_IND)
        return; /* a module without calls may have no words at all */
    const uint32_t *words = m->ext.v + i->ext;
    if (i->op == IR_CALL) {
        put(user, words[IR_CALL_FUNC]);
        return;
    }
    const uint32_t *target = ir_call_list(words);
    for (uint32_t k = 0; k < words[IR_CALL_FUNC]; k++) put(user, target[k]);
    if (!words[IR_CALL_FUNC]) put_taken(m, put, user);
}

struct walk {
    bool *met;
    VEC(uint32_t) todo;
};

static void ir_calls_meet(void *user, uint32_t func) {
    struct walk *w = user;
    if (w->met[func]) return;
    w->met[func] = true;
    VEC_PUSH(&w->todo, func);
}

void ir_follow(const struct ir_module *m, uint32_t func, bool (*visit)(void *user, uint32_t func),
               void *user) {
    struct walk w = {.met = xcalloc(m->funcs.n, sizeof *w.met)};
    ir_calls_meet(&w, func);
    while (w.todo.n) {
        const uint32_t next = w.todo.v[--w.todo.n];
        const struct ir_func *f = &m->funcs.v[next];
        if (!visit(user, next)) continue;
        for (uint32_t pc = f->entry; pc < f->end; pc++) ir_callees(m, &m->code.v[pc], ir_calls_meet, &w);
    }
    xfree(w.met);
    VEC_FREE(&w.todo);
}

static bool ir_calls_mark(void *user, uint32_t func) {
    return ((bool *)user)[func] = true;
}

void ir_reach(const struct ir_module *m, uint32_t func, bool *seen) {
    ir_follow(m, func, ir_calls_mark, seen);
}

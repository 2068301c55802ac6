/* Finds whether a kernel's accesses of global memory may be deferred (exec/deferred/deferred.h), by a search through
 * all functions that it may call.
 *
 * A texture is memory that the host chose: the time of a fetch matters only if the kernel also stores. The same holds
 * for constants at addresses that the program computes, in a module that has no constants of its own. An mbarrier is in
 * shared memory or a fault. A recursive call saves rows of its caller, and one of them may be that of a load whose data
 * is not there yet. */
#include "base/alloc.h"
#include "exec/deferred/deferred.h"
#include "exec/impl.h"

const char *const exec_undeferrable_text[EXEC_UNDEFERRABLE_KINDS] = {
#define REASON(id, text) [EXEC_UNDEFERRABLE_##id] = (text),
    EXEC_UNDEFERRABLES(REASON)
#undef REASON
};

struct search {
    const struct ir_module *m;
    struct exec_reach *x;
    bool *seen;
    bool stores, constants; /* constants: of that space */
};

static void undeferrable_visit(void *user, uint32_t func) {
    struct search *s = user;
    if (s->seen[func]) return;
    s->seen[func] = true;
    s->x->func[s->x->nfuncs++] = func;
}

static bool may_be_global(const struct ir_insn *i) {
    return i->space == IR_SP_GLOBAL || i->space == IR_SP_GENERIC;
}

static bool undeferrable_known(ir_opnd address) {
    return ir_is_const(address) || ir_file(address) == IR_FILE_NONE;
}

static enum exec_undeferrable reason_of_insn(struct search *s, const struct ir_insn *i) {
    switch (i->op) {
    case IR_SYS: return EXEC_UNDEFERRABLE_SYSTEM;
    case IR_RV_LR_W:
    case IR_RV_LR_D: return EXEC_UNDEFERRABLE_RESERVE;
    case IR_CP_ASYNC:
    case IR_CP_BULK: return EXEC_UNDEFERRABLE_COPY;
    case IR_SULD:
    case IR_SUST:
    case IR_SURED: return EXEC_UNDEFERRABLE_SURFACE;
    case IR_LDMATRIX:
    case IR_STMATRIX: return i->space == IR_SP_SHARED ? EXEC_UNDEFERRABLE_NONE : EXEC_UNDEFERRABLE_MATRIX;
    case IR_BRX:
    case IR_CALL:
    case IR_CALL_IND: ir_callees(s->m, i, undeferrable_visit, s); break;
    case IR_TEX: s->x->textures = true; break;
    case IR_ST_U8:
    case IR_ST_U16:
    case IR_ST_U32:
    case IR_ST_U64: s->stores |= may_be_global(i); break;
    case IR_LD_U8:
    case IR_LD_S8:
    case IR_LD_U16:
    case IR_LD_S16:
    case IR_LD_U32:
    case IR_LD_S32:
    case IR_LD_BOX32:
    case IR_LD_U64:
        s->x->constants |= i->space == IR_SP_CONST || i->space == IR_SP_GENERIC;
        s->constants |= i->space == IR_SP_CONST && !undeferrable_known(i->o[i->nd]);
        break;
    case IR_MBAR:
    case IR_MBAR_WAIT: break;
    default:
        if (ir_ops[i->op].cls != IR_C_ATOM || !may_be_global(i)) break;
        s->stores = s->x->has_global_atomics = true;
    }
    return EXEC_UNDEFERRABLE_NONE;
}

static enum exec_undeferrable reason_of_func(struct search *s, const struct ir_func *f) {
    enum exec_undeferrable why = f->recursive ? EXEC_UNDEFERRABLE_RECURSION : EXEC_UNDEFERRABLE_NONE;
    for (uint32_t pc = f->entry; f->defined && pc < f->end && !why; pc++)
        why = reason_of_insn(s, &s->m->code.v[pc]);
    return why;
}

void exec_reach(const struct exec_grid *g, struct exec_reach *x) {
    const struct ir_module *m = g->module;
    *x = (struct exec_reach){.why = g->races ? EXEC_UNDEFERRABLE_RACES : EXEC_UNDEFERRABLE_NONE,
                             .func = xcalloc(m->funcs.n, sizeof *x->func)};
    struct search s = {.m = m, .x = x, .seen = xcalloc(m->funcs.n, sizeof *s.seen)};
    undeferrable_visit(&s, g->launch->func);
    for (uint32_t k = 0; k < x->nfuncs && !x->why; k++) x->why = reason_of_func(&s, &m->funcs.v[x->func[k]]);
    if (!x->why && x->textures && s.stores) x->why = EXEC_UNDEFERRABLE_TEXTURE;
    if (!x->why && s.constants && s.stores && !g->image->bank_bytes) x->why = EXEC_UNDEFERRABLE_CONSTANT;
    xfree(s.seen);
}

void exec_reach_free(struct exec_reach *x) {
    xfree(x->func);
}

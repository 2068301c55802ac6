/* Finds the columns of a kernel's tape (exec/tape/tape.h).
 *
 * A register is wanted where something will ask for its value in a replay: a guard, the index of brx, the address of an
 * indirect call, number and count of a barrier, a member mask, the address of a matrix. What votes, shuffles and predicate
 * logic make a wanted register from is wanted too, since they are executed; in all other cases the tape says what is written.
 * This is liveness with fewer uses, backwards through each function: a call changes no register of its caller.
 *
 * In machine code it does, and addresses to return to lie on stacks. So branches that compare registers and jumps by them tell
 * where they go themselves, and no register is wanted. */
#include "base/alloc.h"
#include "exec/livelock/follow.h"
#include "exec/tape/impl.h"

struct search {
    const struct ir_module *m;
    uint32_t *func, nfuncs; /* what the kernel may get to */
    bool *seen;
    uint32_t first[3], rows[3]; /* by file: the bit of row 0, and how many rows */
    uint32_t words;             /* of a set of rows */
    const struct ir_func *fn;   /* the function that is looked at */
    uint64_t *before; /* by instruction of that function: the registers wanted when control comes there */
    uint64_t *after;  /* of one instruction: what is wanted behind it */
    struct exec_plan *plan;
};

/* ---- what the kernel may call ---- */

static void tape_plan_visit(void *search, uint32_t func) {
    struct search *s = search;
    if (s->seen[func]) return;
    s->seen[func] = true;
    s->func[s->nfuncs++] = func;
}

/* Calls visit for every instruction of every function that is reached. */
typedef bool visit_fn(struct search *s, const struct ir_insn *i, struct err *e);
static bool each_insn(struct search *s, visit_fn *fn, struct err *e) {
    for (uint32_t k = 0; k < s->nfuncs; k++) {
        const struct ir_func *f = &s->m->funcs.v[s->func[k]];
        for (uint32_t pc = f->entry; f->defined && pc < f->end; pc++)
            if (!fn(s, &s->m->code.v[pc], e)) return false;
    }
    return true;
}

/* ---- what instructions are ---- */

static bool is_predicate_logic(const struct ir_insn *i) {
    return i->op >= IR_MOV_P && i->op <= IR_NOT_P;
}

/* Executed in a replay, and what it writes follows from what it reads. */
static bool derives(const struct ir_insn *i) {
    return is_predicate_logic(i) || (ir_ops[i->op].cls == IR_C_WARP && !ir_is_tensor(i)) ||
           i->op == IR_BAR_RED_P || i->op == IR_BAR_RED_U32;
}

static bool is_sreg(const struct ir_insn *i) {
    return i->op == IR_SREG_U32 || i->op == IR_SREG_U64;
}

static bool tape_plan_runs(const struct ir_insn *i) {
    const uint8_t cls = ir_ops[i->op].cls;
    return derives(i) || is_sreg(i) || ir_is_tensor(i) || cls == IR_C_BAR || cls == IR_C_CTRL ||
           cls == IR_C_MARK || (cls == IR_C_BRANCH && i->op != IR_SYS) || i->op == IR_CP_WAIT ||
           i->op == IR_PREFETCH;
}

static bool known_address(const struct ir_insn *i) {
    const ir_opnd base = i->o[i->nd];
    return (ir_is_const(base) || ir_file(base) == IR_FILE_NONE) && i->space != IR_SP_GLOBAL &&
           i->space != IR_SP_GENERIC && i->space != IR_SP_CONST;
}

/* Classifies a branch, jump, call or return of machine code. */
static enum site_kind kind_of_jump(const struct ir_insn *i) {
    if (i->op == IR_BRA) return i->ns ? SITE_BRANCH : SITE_RUN;
    return i->op == IR_CALL || ir_is_const(site_target(i)) ? SITE_RUN : SITE_JUMP;
}

static bool is_jump(const struct ir_insn *i) {
    return i->op == IR_BRA || i->op == IR_BRX || i->op == IR_CALL || i->op == IR_CALL_IND || i->op == IR_RET;
}

static enum site_kind tape_plan_kind_of(const struct search *s, const struct ir_insn *i) {
    if (s->m->binary && is_jump(i)) return kind_of_jump(i);
    if (tape_plan_runs(i)) return SITE_RUN;
    switch (ir_ops[i->op].cls) {
    case IR_C_LDST: return known_address(i) ? SITE_STATIC : SITE_ACCESS;
    case IR_C_ATOM: return SITE_ATOM;
    case IR_C_TEX: return SITE_LOOSE;
    default: return i->op == IR_CP_ASYNC ? SITE_LOOSE : SITE_SKIP;
    }
}

static const char *refusal(const struct ir_insn *i) {
    switch (i->op) {
    case IR_MBAR:
    case IR_MBAR_WAIT: return "it waits by mbarrier, and how often it asks depends on time";
    case IR_CP_BULK: return "it copies in bulk, which ends at an mbarrier";
    default: return NULL;
    }
}

static bool tape_plan_names(const ir_opnd *o, uint32_t n, ir_opnd wanted) {
    for (uint32_t k = 0; k < n; k++)
        if (o[k] == wanted) return true;
    return false;
}

/* True if a register written by the instruction is overwritten before anything can read it: compilers leave such
 * results of atomics. The search ends at the next jump. */
static bool is_dropped(const struct search *s, const struct ir_insn *i, ir_opnd o) {
    const struct ir_insn *end = s->m->code.v + s->m->code.n;
    for (i++; i < end && ir_ops[i->op].cls != IR_C_BRANCH; i++) {
        if (tape_plan_names(i->o + i->nd, i->ns, o) || ir_has_more(i)) return false;
        if (!i->guard && tape_plan_names(i->o, i->nd, o)) return true;
    }
    return i < end && (i->op == IR_EXIT || (i->op == IR_RET && !s->m->binary)) && !i->guard;
}

static const char *doubt(const struct search *s, const struct ir_insn *i) {
    if (ir_ops[i->op].cls == IR_C_ATOM && i->nd && ir_file(i->o[0]) != IR_FILE_NONE &&
        !is_dropped(s, i, i->o[0]))
        return "it uses what atomics return, which depends on their order";
    if (follow_is_clock(i)) return "it reads clocks";
    if (is_sreg(i) && i->sub == IR_SR_SMID) return "it asks which SM it is on";
    if (follow_is_access(i) && i->nd &&
        (i->mods & IR_M_VOLATILE || i->cop == IR_COP_CV || i->cop == IR_COP_ORDERED))
        return "it reads memory that it expects other threads to change";
    return NULL;
}

/* ---- wanted registers ---- */

static bool is_register(ir_opnd o) {
    return ir_file(o) != IR_FILE_NONE && !ir_is_const(o) && o != IR_PT;
}

static uint32_t bit_of(const struct search *s, ir_opnd o) {
    CHECK(ir_index(o) < s->rows[ir_file(o)]);
    return s->first[ir_file(o)] + ir_index(o);
}

static bool is_wanted(const struct search *s, ir_opnd o) {
    return is_register(o) && s->after[bit_of(s, o) / 64] >> bit_of(s, o) % 64 & 1;
}

static void tape_plan_want(const struct search *s, uint64_t *set, ir_opnd o) {
    o &= ~IR_O_NEG;
    if (is_register(o)) set[bit_of(s, o) / 64] |= UINT64_C(1) << bit_of(s, o) % 64;
}

static bool writes_wanted(const struct search *s, const struct ir_insn *i) {
    for (uint32_t k = 0; k < i->nd; k++)
        if (is_wanted(s, i->o[k])) return true;
    return false;
}

static void want_sources(const struct search *s, uint64_t *set, const struct ir_insn *i) {
    for (uint32_t k = i->nd; k < (uint32_t)i->nd + i->ns; k++) tape_plan_want(s, set, i->o[k]);
}

/* What an instruction that is executed in a replay asks for, whatever becomes of its result. */
static void want_control(const struct search *s, uint64_t *set, const struct ir_insn *i) {
    if (s->m->binary) return;
    if (i->guard) tape_plan_want(s, set, ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX));
    switch (i->op) {
    case IR_BRX:
    case IR_CALL_IND: tape_plan_want(s, set, i->o[0]); break;
    case IR_BAR_SYNC:
    case IR_BAR_ARRIVE: want_sources(s, set, i); break;
    case IR_BAR_RED_P:
    case IR_BAR_RED_U32:
        tape_plan_want(s, set, i->o[1]);
        tape_plan_want(s, set, i->o[2]);
        break;
    case IR_LDMATRIX: tape_plan_want(s, set, i->o[i->nd]); break;
    case IR_STMATRIX: tape_plan_want(s, set, i->o[0]); break;
    default:
        if (i->mods & IR_M_SYNC && i->ns) tape_plan_want(s, set, i->o[i->nd + i->ns - 1]);
    }
}

static void tape_plan_join(struct search *s, uint32_t to) {
    if (to < s->fn->entry || to >= s->fn->end) return;
    const uint64_t *from = s->before + (size_t)(to - s->fn->entry) * s->words;
    for (uint32_t w = 0; w < s->words; w++) s->after[w] |= from[w];
}

/* s->after becomes what is wanted behind the instruction. */
static void look_behind(struct search *s, uint32_t pc) {
    const struct ir_insn *i = &s->m->code.v[pc];
    const bool ends = i->op == IR_BRA || i->op == IR_BRX || i->op == IR_RET || i->op == IR_EXIT;
    memset(s->after, 0, s->words * sizeof *s->after);
    if (i->guard || !ends) tape_plan_join(s, pc + 1);
    if (i->op == IR_BRA) tape_plan_join(s, i->target);
    const uint32_t *table = i->op == IR_BRX ? s->m->ext.v + i->ext : NULL;
    for (uint32_t k = 0; table && k < table[0]; k++) tape_plan_join(s, table[1 + k]);
}

/* What is wanted before it; true: more than was known. */
static bool look_before(struct search *s, uint32_t pc, uint64_t *set) {
    const struct ir_insn *i = &s->m->code.v[pc];
    uint64_t *known = s->before + (size_t)(pc - s->fn->entry) * s->words;
    bool more = false;
    memcpy(set, s->after, s->words * sizeof *set);
    for (uint32_t k = 0; !i->guard && k < i->nd; k++)
        if (is_register(i->o[k])) set[bit_of(s, i->o[k]) / 64] &= ~(UINT64_C(1) << bit_of(s, i->o[k]) % 64);
    if (derives(i) && writes_wanted(s, i)) want_sources(s, set, i);
    want_control(s, set, i);
    for (uint32_t w = 0; w < s->words; w++) {
        more |= (set[w] & ~known[w]) != 0;
        known[w] |= set[w];
    }
    return more;
}

static void find_wanted(struct search *s, const struct ir_func *f) {
    uint64_t *set = xcalloc(s->words, sizeof *set);
    s->fn = f;
    s->before = xcalloc((size_t)(f->end - f->entry + 1) * s->words, sizeof *s->before);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = f->end; pc-- > f->entry;) {
            look_behind(s, pc);
            more |= look_before(s, pc, set);
        }
    }
    xfree(set);
}

/* ---- sites ---- */

static void tape_plan_add_column(struct exec_plan *p, bool bit) {
    p->bits = xrealloc(p->bits, (p->columns + 1) * sizeof *p->bits);
    p->bits[p->columns++] = bit;
}

static void add_kind(struct exec_plan *p, enum site_kind kind) {
    if (kind == SITE_ACCESS || kind == SITE_ATOM || kind == SITE_LOOSE || kind == SITE_JUMP)
        tape_plan_add_column(p, false);
    if (kind == SITE_ATOM || kind == SITE_BRANCH) tape_plan_add_column(p, true);
    if (kind == SITE_LOOSE) tape_plan_add_column(p, false);
}

static bool add_site(struct search *s, const struct ir_insn *i, struct err *e) {
    struct exec_plan *p = s->plan;
    struct site *t = &p->site[i - s->m->code.v];
    *t = (struct site){.kind = (uint8_t)tape_plan_kind_of(s, i), .column = p->columns};
    if (!p->doubt) p->doubt = doubt(s, i);
    add_kind(p, (enum site_kind)t->kind);
    if (t->kind == SITE_RUN) {
        if (!ir_is_tensor(i) || !writes_wanted(s, i)) return true;
        const struct ir_place at = ir_place(s->m, i->line);
        return err_set(e, ERR_INPUT, "%s:%u: control flow depends on what %s computes", at.name, at.line,
                       ir_ops[i->op].name);
    }
    for (uint32_t k = 0; k < i->nd; k++) {
        if (!is_wanted(s, i->o[k])) continue;
        t->written |= (uint8_t)(1u << k);
        tape_plan_add_column(p, ir_file(i->o[k]) == IR_FILE_P);
    }
    return true;
}

static bool check_insn(struct search *s, const struct ir_insn *i, struct err *e) {
    ir_callees(s->m, i, tape_plan_visit, s);
    const char *why = refusal(i);
    const struct ir_place at = ir_place(s->m, i->line);
    return !why || err_set(e, ERR_INPUT, "%s:%u: %s", at.name, at.line, why);
}

static bool add_sites(struct search *s, const struct ir_func *f, struct err *e) {
    find_wanted(s, f);
    bool good = true;
    for (uint32_t pc = f->entry; good && pc < f->end; pc++) {
        look_behind(s, pc);
        good = add_site(s, &s->m->code.v[pc], e);
    }
    xfree(s->before);
    return good;
}

static bool search(struct search *s, struct err *e) {
    bool good = each_insn(s, check_insn, e);
    for (uint32_t k = 0; good && k < s->nfuncs; k++)
        if (s->m->funcs.v[s->func[k]].defined) good = add_sites(s, &s->m->funcs.v[s->func[k]], e);
    return good;
}

struct exec_plan *exec_plan_new(const struct ir_module *m, uint32_t func, struct err *e) {
    const struct ir_func *f = &m->funcs.v[func];
    struct exec_plan *p = xcalloc(1, sizeof *p);
    struct search s = {.m = m,
                       .func = xcalloc(m->funcs.n, sizeof *s.func),
                       .seen = xcalloc(m->funcs.n, sizeof *s.seen),
                       .plan = p};
    p->site = xcalloc(m->code.n, sizeof *p->site);
    for (uint32_t k = 0, bits = 0; k < 3; k++) {
        s.first[k] = bits;
        s.rows[k] = f->total_rows[k] + 1;
        bits += s.rows[k];
        s.words = (bits + 63) / 64;
    }
    s.after = xcalloc(s.words, sizeof *s.after);
    tape_plan_visit(&s, func);
    const bool fine = search(&s, e);
    xfree(s.after);
    xfree(s.func);
    xfree(s.seen);
    if (fine) return p;
    err_set(e, e->code, "kernel %s cannot be recorded: %s", f->name, err_text(e));
    exec_plan_free(p);
    return NULL;
}

void exec_plan_free(struct exec_plan *p) {
    if (!p) return;
    xfree(p->site);
    xfree(p->bits);
    xfree(p);
}

uint32_t exec_plan_columns(const struct exec_plan *p, const bool **bits) {
    *bits = p->bits;
    return p->columns;
}

const char *exec_plan_doubt(const struct exec_plan *p) {
    return p->doubt ? p->doubt : "";
}

struct exec_told exec_plan_at(const struct exec_plan *p, uint32_t pc) {
    const struct site *t = &p->site[pc];
    const uint32_t access = t->kind == SITE_ACCESS || t->kind == SITE_BRANCH || t->kind == SITE_JUMP ? 1
                            : t->kind == SITE_ATOM || t->kind == SITE_LOOSE                          ? 2
                                                                                                     : 0;
    return (struct exec_told){t->column, access, t->written};
}

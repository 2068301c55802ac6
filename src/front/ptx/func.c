/* Functions: heads, bodies, scopes and labels, and what only the end of the text can tell (calls to functions that were
 * never defined, aliases).
 *
 * A frame holds return values and parameters first (the caller copies them in and out), then .local variables and the
 * .param variables of calls. The latter usually live in a scope around one call, so a scope that has no .local variable
 * gives its frame space back. */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/lower.h"

enum { MAX_SCOPES = 1024 };

/* ---- heads ---- */

bool ptx_proto(struct ptx *p, struct proto *out, struct tok *name, bool kernel) {
    *out = (struct proto){0};
    if (!kernel && p->t.kind == '(' &&
        !ptx_params(p, false, 0, &out->rets, &out->ret_syms, &out->nrets, &out->frame))
        return false;
    if (!ptx_name(p, name, kernel ? "the kernel's name" : "the function's name")) return false;
    if (p->t.kind == '(' &&
        !ptx_params(p, kernel, out->frame, &out->params, &out->param_syms, &out->nparams, &out->frame))
        return false;
    return true;
}

static bool same_list(const struct ir_param *a, const struct ir_param *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (a[i].offset != b[i].offset || a[i].bytes != b[i].bytes) return false;
    return true;
}

/* The function's entry, made at its first mention; a later one must agree. */
static bool declare(struct ptx *p, const struct tok *name, const struct proto *pr, bool kernel,
                    struct sym **out) {
    bool is_new;
    struct sym *sym = names_add(&p->names, name, false, &is_new);
    if (!is_new && sym->kind != SYM_FUNC)
        return diag_error(&p->diag, name->at, "%.*s is declared twice", (int)name->len, name->s);
    if (is_new) {
        sym->kind = SYM_FUNC;
        sym->index = (uint32_t)p->m->funcs.n;
        VEC_PUSH(&p->m->funcs, (struct ir_func){.kernel = kernel, .line = name->line});
        p->m->funcs.v[sym->index].name = arena_strndup(&p->m->mem, name->s, name->len);
    }
    *out = sym;
    struct ir_func *f = &p->m->funcs.v[sym->index];
    bool agrees = f->kernel == kernel && f->nparams == pr->nparams && f->nrets == pr->nrets &&
                  same_list(f->params, pr->params, pr->nparams) && same_list(f->rets, pr->rets, pr->nrets);
    if (!is_new && !agrees)
        return diag_error(&p->diag, name->at, "%.*s was declared with other parameters before",
                          (int)name->len, name->s);
    f->params = pr->params;
    f->rets = pr->rets;
    f->nparams = pr->nparams;
    f->nrets = pr->nrets;
    f->param_bytes = kernel ? pr->frame : 0;
    return true;
}

static bool ptx_func_three(struct ptx *p, const char *what, uint32_t *out) {
    for (int i = 0; i < 3; i++) {
        uint64_t n;
        if (i && !ptx_accept(p, ',')) {
            out[i] = 1;
            continue;
        }
        if (!ptx_number(p, what, UINT32_MAX, &n)) return false;
        out[i] = (uint32_t)n;
    }
    return true;
}

static bool one(struct ptx *p, const char *what, uint32_t *out) {
    uint64_t n;
    if (!ptx_number(p, what, UINT32_MAX, &n)) return false;
    *out = (uint32_t)n;
    return true;
}

static bool skip_parens(struct ptx *p) {
    while (p->t.kind != ')' && p->t.kind != TOK_END && p->t.kind != '{') ptx_next(p);
    return ptx_expect(p, ')', "after the attributes");
}

/* One directive between head and body. Those about clusters and the calling convention change nothing here. */
static bool tuning(struct ptx *p, struct ir_func *f) {
    uint32_t ignored[3];
    if (ptx_accept_word(p, "maxntid")) return ptx_func_three(p, ".maxntid", f->maxntid);
    if (ptx_accept_word(p, "reqntid")) return ptx_func_three(p, ".reqntid", f->reqntid);
    if (ptx_accept_word(p, "minnctapersm")) return one(p, ".minnctapersm", &f->minnctapersm);
    if (ptx_accept_word(p, "maxnctapersm")) return one(p, ".maxnctapersm", &f->maxnctapersm);
    if (ptx_accept_word(p, "maxnreg")) return one(p, ".maxnreg", &f->maxnreg);
    if (ptx_accept_word(p, "reqnctapercluster")) return ptx_func_three(p, ".reqnctapercluster", ignored);
    if (ptx_accept_word(p, "maxclusterrank")) return one(p, ".maxclusterrank", ignored);
    if (ptx_accept_word(p, "abi_preserve")) return one(p, ".abi_preserve", ignored);
    if (ptx_accept_word(p, "abi_preserve_control")) return one(p, ".abi_preserve_control", ignored);
    if (ptx_accept_word(p, "pragma")) return ptx_pragma(p);
    if (ptx_accept_word(p, "attribute")) return ptx_expect(p, '(', "after .attribute") && skip_parens(p);
    if (ptx_accept_word(p, "explicitcluster") || ptx_accept_word(p, "blocksareclusters") ||
        ptx_accept_word(p, "noreturn"))
        return true;
    return ptx_unexpected(p, "'{', ';' or a directive such as .maxntid");
}

/* ---- scopes and labels ---- */

void lower_label_ref(struct ptx *p, const struct tok *name, uint32_t at, bool in_ext) {
    VEC_PUSH(&p->b.fixups, (struct fixup){*name, at, in_ext});
}

static void open_scope(struct ptx *p) {
    VEC_PUSH(&p->b.scopes, (struct scope){p->b.fixups.n, p->b.frame, p->b.keep_frame});
    p->b.keep_frame = false;
    names_push(&p->names);
}

/* References whose label is in this scope are done; the others rise to the scope around it. */
static void resolve_labels(struct ptx *p, size_t from) {
    size_t kept = from;
    for (size_t i = from; i < p->b.fixups.n; i++) {
        const struct fixup *f = &p->b.fixups.v[i];
        const struct sym *s = names_find_here(&p->names, &f->name);
        if (!s || s->kind != SYM_LABEL) {
            p->b.fixups.v[kept++] = *f;
            continue;
        }
        if (s->index > p->b.farthest) p->b.farthest = s->index;
        if (f->in_ext)
            p->m->ext.v[f->at] = s->index;
        else
            p->m->code.v[f->at].target = s->index;
    }
    p->b.fixups.n = kept;
}

static void close_scope(struct ptx *p) {
    struct scope s = p->b.scopes.v[--p->b.scopes.n];
    resolve_labels(p, s.fixups);
    if (!p->b.keep_frame) p->b.frame = s.frame;
    p->b.keep_frame |= s.keep_frame;
    names_pop(&p->names);
}

static bool target_list(struct ptx *p, struct sym *sym) {
    VEC(struct tok) list = {0};
    struct tok name;
    bool ok;
    do {
        ok = ptx_name(p, &name, "a name in the list");
        if (ok) VEC_PUSH(&list, name);
    } while (ok && ptx_accept(p, ','));
    ok = ok && ptx_expect(p, ';', "after the list");
    if (ok) sym->kind = SYM_TARGETS;
    sym->count = (uint32_t)list.n;
    sym->targets = ARENA_NEW(&p->tmp, struct tok, list.n);
    if (list.n) memcpy(sym->targets, list.v, list.n * sizeof *list.v);
    VEC_FREE(&list);
    return ok;
}

static bool call_prototype(struct ptx *p, struct sym *sym) {
    struct tok name;
    sym->proto = ARENA_NEW(&p->tmp, struct proto, 1);
    if (!ptx_proto(p, sym->proto, &name, false)) return false;
    while (p->t.kind == TOK_DOT) {
        struct ir_func ignored;
        if (!tuning(p, &ignored)) return false;
    }
    if (!ptx_expect(p, ';', "after the prototype")) return false;
    sym->kind = SYM_PROTO;
    return true;
}

static bool ptx_func_label(struct ptx *p) {
    struct tok name = p->t;
    bool is_new;
    ptx_next(p);
    ptx_next(p); /* the colon */
    struct sym *sym = names_add(&p->names, &name, false, &is_new);
    if (!is_new) return diag_error(&p->diag, name.at, "label %.*s is defined twice", (int)name.len, name.s);
    sym->kind = SYM_REFUSED;
    if (ptx_accept_word(p, "branchtargets") || ptx_accept_word(p, "calltargets")) return target_list(p, sym);
    if (ptx_accept_word(p, "callprototype")) return call_prototype(p, sym);
    sym->kind = SYM_LABEL;
    sym->index = (uint32_t)p->m->code.n;
    return true;
}

/* ---- bodies ---- */

static bool body_directive(struct ptx *p) {
    if (ptx_accept_word(p, "loc")) return ptx_loc(p);
    if (ptx_accept_word(p, "reg")) return ptx_reg_decl(p);
    if (ptx_accept_word(p, "file")) return ptx_file(p);
    if (ptx_accept_word(p, "pragma")) return ptx_pragma(p);
    if (ptx_accept_word(p, "section")) return ptx_section(p);
    struct linkage link = {.external = ptx_accept_word(p, "extern")};
    return ptx_var_decl(p, link);
}

static void body_item(struct ptx *p) {
    const char *from = p->t.at;
    bool declares = p->t.kind == TOK_DOT;
    bool labels = p->t.kind == TOK_ID && lex_at_colon(&p->lex);
    if (declares ? body_directive(p) : labels ? ptx_func_label(p) : ptx_statement(p)) return;
    ptx_resync(p);
    if (declares) ptx_refuse_names(p, from);
}

/* From '{' to the matching '}'. */
static bool body_text(struct ptx *p) {
    const char *at = p->t.at;
    do {
        if (p->t.kind == '{') {
            if (p->b.scopes.n == MAX_SCOPES)
                return diag_error(&p->diag, p->t.at, "scopes are nested too deeply");
            ptx_next(p);
            open_scope(p);
        } else if (p->t.kind == '}') {
            if (p->b.scopes.n == 1) return true;
            close_scope(p);
            ptx_next(p);
        } else if (p->t.kind == TOK_END)
            return diag_error(&p->diag, at, "this '{' has no matching '}'");
        else if (!ptx_accept(p, ';'))
            body_item(p);
    } while (!diag_full(&p->diag));
    return false;
}

static void bind_formals(struct ptx *p, struct sym **syms, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        bool is_new;
        if (!syms[i]) continue;
        struct tok name = {.kind = TOK_ID,
                           .s = syms[i]->name,
                           .at = syms[i]->name,
                           .len = syms[i]->len,
                           .hash = syms[i]->hash};
        struct sym *sym = names_add(&p->names, &name, false, &is_new);
        if (!is_new) diag_add(&p->diag, name.at, "parameter %.*s is declared twice", (int)name.len, name.s);
        sym->kind = syms[i]->kind;
        sym->bits = syms[i]->bits;
        sym->file = syms[i]->file;
        sym->nvec = syms[i]->nvec;
        sym->offset = syms[i]->offset;
        sym->bytes = syms[i]->bytes;
        syms[i] = sym;
    }
}

static int frame_row(unsigned bytes, bool store) {
    switch (bytes) {
    case 1: return store ? IR_ST_U8 : IR_LD_U8;
    case 2: return store ? IR_ST_U16 : IR_LD_U16;
    case 4: return store ? IR_ST_U32 : IR_LD_U32;
    default: return store ? IR_ST_U64 : IR_LD_U64;
    }
}

/* Parameters declared as registers come out of the frame at the start. Every function's own virtual registers begin at
 * 0 (predicates at 1, which is IR_PT). */
static void prologue(struct ptx *p, const struct proto *pr) {
    for (uint32_t i = 0; i < pr->nrets + pr->nparams; i++) {
        bool ret = i < pr->nrets;
        struct sym *s = ret ? pr->ret_syms[i] : pr->param_syms[i - pr->nrets];
        if (!s || s->kind != SYM_REG) continue;
        s->index = p->b.nvirt[s->file]++ + 1;
        if (ret) {
            VEC_PUSH(&p->b.ret_regs, s);
            continue;
        }
        struct ir_insn *in = lower_emit(p, frame_row(s->bytes, false));
        in->space = IR_SP_FRAME;
        in->disp = (int32_t)s->offset;
        lower_opnds(in, 1, 1, (ir_opnd[]){ir_reg((enum ir_file)s->file, s->index - 1), IR_NONE});
    }
}

bool lower_ret(struct ptx *p, struct stmt *s) {
    if (s && !lower_count(p, s, 0, 0)) return false;
    for (size_t i = 0; i < p->b.ret_regs.n; i++) {
        const struct sym *r = p->b.ret_regs.v[i];
        struct ir_insn *in = lower_emit(p, frame_row(r->bytes, true));
        in->space = IR_SP_FRAME;
        in->disp = (int32_t)r->offset;
        lower_opnds(in, 0, 2, (ir_opnd[]){IR_NONE, ir_reg((enum ir_file)r->file, r->index - 1)});
    }
    struct ir_insn *in = lower_emit(p, p->b.kernel ? IR_EXIT : IR_RET);
    if (s && lower_has(s, MC_UNI)) in->mods |= IR_M_UNI;
    return true;
}

static void begin_body(struct ptx *p, uint32_t func, const struct proto *pr, bool kernel) {
    struct body *b = &p->b;
    b->func = func;
    b->open = true;
    b->kernel = kernel;
    b->nvirt[IR_FILE_32] = b->nvirt[IR_FILE_64] = 0;
    b->nvirt[IR_FILE_P] = 1;
    b->frame = b->frame_max = kernel ? 0 : pr->frame;
    b->farthest = 0;
    b->guard = 0;
    b->line = p->t.line;
    b->loc = (struct ir_srcloc){0};
    b->keep_frame = false;
    b->fixups.n = b->frame_words.n = b->shared.n = b->ret_regs.n = b->scopes.n = 0;
    map64_free(&b->elements);
    p->m->funcs.v[func].entry = (uint32_t)p->m->code.n;
}

/* A body that can run off its end, or jump there, returns there. Compilers end functions with a label that is no
 * jump's target. */
static void end_flow(struct ptx *p) {
    uint32_t n = (uint32_t)p->m->code.n;
    const struct ir_insn *last = n > p->m->funcs.v[p->b.func].entry ? &p->m->code.v[n - 1] : NULL;
    bool leaves = last && !last->guard && !last->guard_hi &&
                  (last->op == IR_RET || last->op == IR_EXIT || last->op == IR_BRA || last->op == IR_BRX);
    if (leaves && p->b.farthest < n) return;
    p->b.guard = 0;
    p->b.line = p->t.line;
    lower_ret(p, NULL);
}

/* A branch to a kernel's end becomes an exit there and then, as the vendor's assembler makes it. Compilers send every early
 * return of a kernel to one `ret`: kept as a branch, that `ret` would be where the threads that left wait for those that
 * did not, and a barrier on the way would never have all of its threads. */
static void exit_early(struct ptx *p) {
    struct ir_insn *code = p->m->code.v;
    for (size_t pc = p->m->funcs.v[p->b.func].entry; p->b.kernel && pc < p->m->code.n; pc++) {
        if (code[pc].op != IR_BRA || code[pc].target >= p->m->code.n) continue;
        const struct ir_insn *to = &code[code[pc].target];
        if (to->op != IR_EXIT || to->guard || to->guard_hi) continue;
        code[pc].op = IR_EXIT;
        code[pc].mods = 0;
        code[pc].target = 0;
    }
}

static void end_body(struct ptx *p) {
    struct body *b = &p->b;
    struct ir_func *f = &p->m->funcs.v[b->func];
    f->frame_bytes = (b->frame_max + 15) / 16 * 16;
    for (size_t i = 0; i < b->frame_words.n; i++) p->m->ext.v[b->frame_words.v[i]] = f->frame_bytes;
    memcpy(f->nvirt, b->nvirt, sizeof f->nvirt);
    f->nshared_used = (uint32_t)b->shared.n;
    f->shared_used = ARENA_NEW(&p->m->mem, uint32_t, b->shared.n);
    if (b->shared.n) memcpy(f->shared_used, b->shared.v, b->shared.n * sizeof *b->shared.v);
    f->end = (uint32_t)p->m->code.n;
    b->open = false;
}

/* A weak body makes room for another one: it stays in the program as a function without a name that can be looked
 * up. */
static void retire(struct ptx *p, uint32_t func) {
    struct ir_func old = p->m->funcs.v[func];
    struct sb name = {0};
    sb_add(&name, "%s (replaced)", old.name);
    old.name = sb_keep(&name, &p->m->mem);
    old.kernel = false;
    diag_move_refused(&p->diag, func, (uint32_t)p->m->funcs.n);
    for (size_t i = 0; i < p->calls.n; i++)
        if (p->calls.v[i].caller == func) p->calls.v[i].caller = (uint32_t)p->m->funcs.n;
    VEC_PUSH(&p->m->funcs, old);
}

/* sym NULL: of a head in error. */
static void function_body(struct ptx *p, struct sym *sym, uint32_t func, const struct tok *name,
                          const struct proto *pr, bool kernel, struct linkage link) {
    const enum definition def = sym ? ptx_define(p, sym, name, link) : DEF_FIRST;
    if (def == DEF_YIELDS) {
        ptx_skip_braces(p);
        return;
    }
    if (def == DEF_REPLACES) retire(p, func);
    struct ir_func *f = &p->m->funcs.v[func];
    f->defined = true;
    f->line = name->line;
    begin_body(p, func, pr, kernel);
    uint32_t depth = names_depth(&p->names);
    names_push(&p->names);
    bind_formals(p, pr->ret_syms, pr->nrets);
    bind_formals(p, pr->param_syms, pr->nparams);
    prologue(p, pr);
    bool closed = body_text(p);
    if (closed) {
        close_scope(p);
        end_flow(p);
        for (size_t i = 0; i < p->b.fixups.n; i++) {
            const struct tok *t = &p->b.fixups.v[i].name;
            diag_add(&p->diag, t->at, "label %.*s is not defined in this function",
                     t->len < 60 ? (int)t->len : 60, t->s);
        }
        exit_early(p);
        ptx_next(p);
    }
    while (names_depth(&p->names) > depth) names_pop(&p->names);
    end_body(p);
}

static bool head(struct ptx *p, bool kernel, struct tok *name, struct proto *pr, struct sym **sym) {
    if (p->t.kind == TOK_DOT && ptx_accept_word(p, "attribute") &&
        !(ptx_expect(p, '(', "after .attribute") && skip_parens(p)))
        return false;
    return ptx_proto(p, pr, name, kernel) && declare(p, name, pr, kernel, sym);
}

/* A function of no name that stands for one whose head is in error, so that its body is read all the same. */
static uint32_t stand_in(struct ptx *p, const char *from, bool kernel, struct tok *name) {
    ptx_resync_head(p);
    ptx_refuse_names(p, from);
    *name = p->t;
    p->unsure = true;
    VEC_PUSH(&p->m->funcs, (struct ir_func){.name = "", .kernel = kernel, .line = p->t.line});
    return (uint32_t)p->m->funcs.n - 1;
}

/* An error in the head does not hide those in the body. */
bool ptx_function(struct ptx *p, bool kernel, struct linkage link) {
    struct proto pr = {0};
    struct tok name = {0};
    struct sym *sym = NULL;
    const char *from = p->t.at;
    bool good = head(p, kernel, &name, &pr, &sym);
    if (!good) sym = NULL;
    const uint32_t func = good ? sym->index : stand_in(p, from, kernel, &name);
    if (good) sym->linked |= ptx_links(link);
    while (good && p->t.kind != '{' && p->t.kind != ';') good = tuning(p, &p->m->funcs.v[func]);
    if (!good) ptx_resync_head(p);
    if (p->t.kind == '{') function_body(p, sym, func, &name, &pr, kernel, link);
    return true; /* a ';' is the caller's to skip, as everywhere */
}

/* ---- the end ---- */

static bool ptx_func_find_function(struct ptx *p, uint32_t *index) {
    struct tok name;
    uint32_t element;
    if (!ptx_name(p, &name, "a function's name")) return false;
    const struct sym *s = names_find(&p->names, &name, &element);
    if (s && s->kind == SYM_REFUSED) return false;
    if (!s || s->kind != SYM_FUNC)
        return diag_error(&p->diag, name.at, "%.*s is no function declared so far", (int)name.len, name.s);
    *index = s->index;
    return true;
}

/* .alias name, function; */
bool ptx_alias(struct ptx *p) {
    uint32_t alias, real;
    if (!ptx_func_find_function(p, &alias) || !ptx_expect(p, ',', "after the alias") ||
        !ptx_func_find_function(p, &real))
        return false;
    while (p->alias.n <= alias) VEC_PUSH(&p->alias, 0);
    p->alias.v[alias] = real + 1;
    return ptx_expect(p, ';', "after the alias");
}

/* Follows aliases; a circle ends where it began. */
static uint32_t real_function(const struct ptx *p, uint32_t f) {
    for (size_t steps = 0; steps < p->alias.n && f < p->alias.n && p->alias.v[f]; steps++)
        f = p->alias.v[f] - 1;
    return f;
}

struct served {
    const char *name;
    uint8_t sys, nparams, nrets;
};
static const struct served *find_served(const struct ir_func *f) {
    static const struct served list[] = {{"vprintf", IR_SYS_VPRINTF, 2, 1},
                                         {"malloc", IR_SYS_MALLOC, 1, 1},
                                         {"free", IR_SYS_FREE, 1, 0},
                                         {"__assertfail", IR_SYS_ASSERTFAIL, 5, 0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(f->name, list[i].name)) return &list[i];
    return NULL;
}

static bool served_well(const struct served *s, const struct ir_func *f) {
    if (f->nparams != s->nparams || f->nrets != s->nrets) return false;
    for (uint32_t i = 0; i < f->nparams; i++)
        if (f->params[i].bytes != 4 && f->params[i].bytes != 8) return false;
    for (uint32_t i = 0; i < f->nrets; i++)
        if (f->rets[i].bytes != 4 && f->rets[i].bytes != 8) return false;
    return true;
}

/* This is no error of the text: kernels that can get there are refused, as with instructions that are not supported.
 * Device code that nvcc links to launch kernels from kernels calls functions that only the driver has. */
static void refuse_call(struct ptx *p, const struct callsite *c) {
    const struct ir_insn *i = &p->m->code.v[c->pc];
    struct ir_insn trap = {.op = IR_TRAP, .vec = 1, .line = i->line, .rpc = IR_NOPC};
    trap.guard = i->guard;
    trap.guard_hi = i->guard_hi;
    for (int k = 0; k < 8; k++) trap.o[k] = IR_NONE;
    p->m->code.v[c->pc] = trap;
    diag_refuse_call(&p->diag, c->caller, c->at, strlen(p->m->funcs.v[c->func].name),
                     p->m->parts.n ? "called but not defined in any of the texts"
                                   : "called but not defined in this file");
}

static void finish_call(struct ptx *p, const struct callsite *c) {
    uint32_t func = real_function(p, c->func);
    struct ir_func *f = &p->m->funcs.v[func];
    struct ir_insn *i = &p->m->code.v[c->pc];
    p->m->ext.v[i->ext + IR_CALL_FUNC] = func;
    if (f->defined) return;
    const struct served *s = find_served(f);
    if (!s) {
        if (!p->unsure) refuse_call(p, c);
        return;
    }
    if (!served_well(s, f)) diag_add(&p->diag, c->at, "%s is declared with unexpected parameters", f->name);
    i->op = IR_SYS;
    i->sub = s->sys;
}

void ptx_finish(struct ptx *p) {
    for (size_t i = 0; i < p->calls.n; i++) finish_call(p, &p->calls.v[i]);
    for (size_t i = 0; i < p->funcrefs.n; i++) {
        struct ir_func *f = &p->m->funcs.v[real_function(p, p->funcrefs.v[i].func)];
        f->address_taken = true;
        if (!f->defined && !p->unsure)
            diag_add(&p->diag, p->funcrefs.v[i].at, "the address of %s is taken, but it is not defined",
                     f->name);
    }
    for (size_t i = 0; i < p->m->relocs.n; i++)
        if (p->m->relocs.v[i].kind == IR_RELOC_FUNC)
            p->m->relocs.v[i].symbol = real_function(p, p->m->relocs.v[i].symbol);
}

/* Control flow: branches, calls, ends. Targets are names until their scope closes (func.c). */

#include "front/ptx/lower.h"

static struct tok name_token(const struct opnd *o) {
    return (struct tok){.kind = TOK_ID, .s = o->at, .at = o->at, .len = o->len, .hash = o->hash};
}

bool lower_bra(struct ptx *p, struct stmt *s) {
    if (!lower_count(p, s, 1, 1)) return false;
    if (s->o[0].kind != OPND_NAME) return diag_error(&p->diag, s->o[0].at, "expected a label");
    struct tok name = name_token(&s->o[0]);
    struct ir_insn *i = lower_emit(p, IR_BRA);
    if (lower_has(s, MC_UNI)) i->mods |= IR_M_UNI;
    lower_label_ref(p, &name, (uint32_t)p->m->code.n - 1, false);
    return true;
}

/* brx.idx{.uni} index, list; */
bool lower_brx(struct ptx *p, struct stmt *s) {
    ir_opnd index;
    if (!lower_has(s, MC_IDX)) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2) || !lower_src(p, &s->o[0], IR_T_U32, &index)) return false;
    const struct sym *list = s->o[1].kind == OPND_SYM ? s->o[1].sym : NULL;
    if (!list || list->kind != SYM_TARGETS)
        return diag_error(&p->diag, s->o[1].at, "expected the name of a .branchtargets list");
    struct ir_insn *i = lower_emit(p, IR_BRX);
    if (lower_has(s, MC_UNI)) i->mods |= IR_M_UNI;
    i->ext = (uint32_t)p->m->ext.n;
    lower_opnds(i, 0, 1, &index);
    VEC_PUSH(&p->m->ext, list->count);
    for (uint32_t k = 0; k < list->count; k++) {
        lower_label_ref(p, &list->targets[k], (uint32_t)p->m->ext.n, true);
        VEC_PUSH(&p->m->ext, 0);
    }
    return true;
}

static bool plain(struct ptx *p, struct stmt *s, int op) {
    if (!lower_count(p, s, 0, 0)) return false;
    lower_emit(p, op);
    return true;
}
bool lower_exit(struct ptx *p, struct stmt *s) {
    return plain(p, s, IR_EXIT);
}
bool lower_trap(struct ptx *p, struct stmt *s) {
    return plain(p, s, IR_TRAP);
}
bool lower_brkpt(struct ptx *p, struct stmt *s) {
    return plain(p, s, IR_BRKPT);
}

/* ---- calls ---- */

struct call {
    const struct opnd *rets, *target, *args, *proto; /* NULL: not written */
    const struct ir_param *formal_rets, *formal_args;
    uint32_t nrets, nargs;
    uint32_t func;          /* direct calls */
    const struct sym *list; /* .calltargets */
};

/* {rets}, target, {args}, {prototype}: which is which follows from their kinds. */
static bool call_parts(struct ptx *p, struct stmt *s, struct call *c) {
    unsigned k = 0;
    if (k < s->nops && s->o[k].kind == OPND_LIST) c->rets = &s->o[k++];
    if (k == s->nops) return diag_error(&p->diag, s->at, "expected the function to call");
    c->target = &s->o[k++];
    if (k < s->nops && s->o[k].kind == OPND_LIST) c->args = &s->o[k++];
    if (k < s->nops) c->proto = &s->o[k++];
    if (k < s->nops) return diag_error(&p->diag, s->o[k].at, "expected ';' after the call");
    return true;
}

static bool target_function(struct ptx *p, const struct tok *name, uint32_t *func) {
    uint32_t element;
    const struct sym *sym = names_find(&p->names, name, &element);
    if (sym && sym->kind == SYM_REFUSED) return false;
    if (!sym || sym->kind != SYM_FUNC)
        return diag_error(&p->diag, name->at, "%.*s is no function declared so far",
                          name->len < 60 ? (int)name->len : 60, name->s);
    *func = sym->index;
    return true;
}

static void formals_of(const struct ptx *p, uint32_t func, struct call *c) {
    const struct ir_func *f = &p->m->funcs.v[func];
    c->formal_rets = f->rets;
    c->formal_args = f->params;
    c->nrets = f->nrets;
    c->nargs = f->nparams;
}

static bool indirect_formals(struct ptx *p, struct call *c) {
    const struct sym *s = c->proto && c->proto->kind == OPND_SYM ? c->proto->sym : NULL;
    if (s && s->kind == SYM_PROTO) {
        c->formal_rets = s->proto->rets;
        c->formal_args = s->proto->params;
        c->nrets = s->proto->nrets;
        c->nargs = s->proto->nparams;
        return true;
    }
    if (!s || s->kind != SYM_TARGETS)
        return diag_error(&p->diag, c->target->at, "an indirect call needs a .callprototype or .calltargets");
    uint32_t first = 0;
    if (!target_function(p, &s->targets[0], &first)) return false;
    c->list = s;
    formals_of(p, first, c);
    return true;
}

static bool call_callee(struct ptx *p, struct call *c) {
    const struct opnd *t = c->target;
    if (t->kind == OPND_REG) return indirect_formals(p, c);
    if (t->kind != OPND_SYM && t->kind != OPND_NAME)
        return diag_error(&p->diag, t->at, "expected a function or a register");
    struct tok name = name_token(t);
    name.stem = name.len;
    if (!target_function(p, &name, &c->func)) return false;
    if (p->m->funcs.v[c->func].kernel) return diag_error(&p->diag, t->at, "a kernel cannot be called");
    formals_of(p, c->func, c);
    return true;
}

static int transfer_row(uint32_t bytes, bool store) {
    switch (bytes) {
    case 1: return store ? IR_ST_U8 : IR_LD_U8;
    case 2: return store ? IR_ST_U16 : IR_LD_U16;
    case 4: return store ? IR_ST_U32 : IR_LD_U32;
    case 8: return store ? IR_ST_U64 : IR_LD_U64;
    default: return -1;
    }
}

static enum ir_type transfer_type(const struct ir_param *f) {
    if (f->type != IR_T_NONE) return (enum ir_type)f->type;
    return f->bytes == 8 ? IR_T_U64 : f->bytes == 4 ? IR_T_U32 : f->bytes == 2 ? IR_T_U16 : IR_T_U8;
}

/* Where an argument or result lies in the caller's frame: the .param variable itself, or a slot for a register. */
static bool caller_place(struct ptx *p, const struct opnd *o, const struct ir_param *f, uint32_t *offset,
                         uint32_t *bytes) {
    *bytes = f->bytes;
    if (o->kind == OPND_SYM && o->sym->kind == SYM_FRAME) {
        *offset = o->sym->offset;
        if (!f->bytes) *bytes = o->sym->bytes; /* declared as x[] */
        if (o->sym->bytes == *bytes) return true;
        return diag_error(&p->diag, o->at, "%.*s has %u bytes, the parameter %u", (int)o->len, o->at,
                          o->sym->bytes, f->bytes);
    }
    if (transfer_row(f->bytes, true) < 0 || o->kind == OPND_VEC || o->kind == OPND_NAME)
        return diag_error(&p->diag, o->at, "expected a .param variable of this function");
    *offset = ptx_frame_alloc(p, f->bytes, f->align ? f->align : 1);
    return true;
}

static bool push_copies(struct ptx *p, const struct opnd *list, const struct ir_param *formals, uint32_t n,
                        bool in) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset = 0, bytes = 0;
        const struct opnd *o = &list->elem[i];
        if (!caller_place(p, o, &formals[i], &offset, &bytes)) return false;
        VEC_PUSH(&p->m->ext, in ? offset : formals[i].offset);
        VEC_PUSH(&p->m->ext, in ? formals[i].offset : offset);
        VEC_PUSH(&p->m->ext, bytes);
        if (!in || o->kind == OPND_SYM) continue;
        ir_opnd v;
        if (!lower_src_wide(p, o, transfer_type(&formals[i]), &v)) return false;
        struct ir_insn *st = lower_emit(p, transfer_row(bytes, true));
        st->space = IR_SP_FRAME;
        st->disp = (int32_t)offset;
        lower_opnds(st, 0, 2, (ir_opnd[]){IR_NONE, v});
    }
    return true;
}

/* Results that go to registers are loaded from their slots; words is where the copies back begin. */
static bool load_results(struct ptx *p, const struct call *c, size_t words) {
    for (uint32_t i = 0; i < c->nrets; i++) {
        const struct opnd *o = &c->rets->elem[i];
        ir_opnd d;
        if (o->kind == OPND_SYM || o->kind == OPND_SINK) continue;
        if (!lower_dst(p, o, transfer_type(&c->formal_rets[i]), &d)) return false;
        struct ir_insn *ld = lower_emit(p, transfer_row(c->formal_rets[i].bytes, false));
        ld->space = IR_SP_FRAME;
        ld->disp = (int32_t)p->m->ext.v[words + 3 * i + 1];
        lower_opnds(ld, 1, 1, (ir_opnd[]){d, IR_NONE});
    }
    return true;
}

static bool push_targets(struct ptx *p, const struct call *c, uint32_t ext) {
    if (!c->list) return true;
    for (uint32_t i = 0; i < c->list->count; i++) {
        uint32_t f = 0;
        if (!target_function(p, &c->list->targets[i], &f)) return false;
        p->m->funcs.v[f].address_taken = true;
        VEC_PUSH(&p->m->ext, f);
    }
    p->m->ext.v[ext + IR_CALL_FUNC] = c->list->count;
    return true;
}

static bool check_counts(struct ptx *p, const struct call *c) {
    unsigned rets = c->rets ? c->rets->nelem : 0, args = c->args ? c->args->nelem : 0;
    if (args != c->nargs)
        return diag_error(&p->diag, c->target->at, "the function takes %u arguments, found %u", c->nargs,
                          args);
    /* A result may be left out altogether, not in part. */
    if (rets && rets != c->nrets)
        return diag_error(&p->diag, c->target->at, "the function has %u results, found %u", c->nrets, rets);
    return true;
}

bool lower_call(struct ptx *p, struct stmt *s) {
    struct call c = {0};
    ir_opnd address = IR_NONE;
    if (!call_parts(p, s, &c) || !call_callee(p, &c) || !check_counts(p, &c)) return false;
    bool indirect = c.target->kind == OPND_REG;
    if (!c.rets) c.nrets = 0;
    uint32_t ext = (uint32_t)p->m->ext.n, frame = p->b.frame;
    uint32_t head[] = {c.func, 0, c.nargs, c.nrets};
    for (int i = 0; i < IR_CALL_COPIES; i++) VEC_PUSH(&p->m->ext, head[i]);
    VEC_PUSH(&p->b.frame_words, ext + IR_CALL_FRAME);
    if (c.nargs && !push_copies(p, c.args, c.formal_args, c.nargs, true)) return false;
    size_t back = p->m->ext.n;
    if (c.nrets && !push_copies(p, c.rets, c.formal_rets, c.nrets, false)) return false;
    if (!push_targets(p, &c, ext)) return false;
    if (indirect && !lower_src(p, c.target, lower_addr_type(p), &address)) return false;
    if (indirect && lower_addr_file(p) == IR_FILE_32) {
        ir_opnd wide = lower_temp(p, IR_FILE_64);
        lower_opnds(lower_emit_always(p, IR_CVT_U64_U32), 1, 1, (ir_opnd[]){wide, address});
        address = wide;
    }
    struct ir_insn *i = lower_emit(p, indirect ? IR_CALL_IND : IR_CALL);
    i->ext = ext;
    if (lower_has(s, MC_UNI)) i->mods |= IR_M_UNI;
    if (indirect)
        lower_opnds(i, 0, 1, &address);
    else
        VEC_PUSH(&p->calls, (struct callsite){(uint32_t)p->m->code.n - 1, c.func, p->b.func, c.target->at});
    bool ok = load_results(p, &c, back);
    p->b.frame = frame; /* the slots are free again */
    return ok;
}

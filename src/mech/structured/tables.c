/* What each instruction is to the walker, and how deep the kernel nests. Made once for a launch, in one pass over each
 * function that the kernel can reach. The pass also checks that the code is structured as the marks say, since a walker
 * cannot run anything else: every IF has its ENDIF and every LOOP its ENDLOOP, properly nested, each branch that is a mark
 * goes where the mark says, and no other branch can part threads or leave the part that it is in. The structured form
 * (cfg/structurise.c) is such; a program as it is (run.form = none) is refused unless it has no branches. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "mech/structured/structured.h"

struct open {         /* an IF or LOOP */
    uint32_t pc, end; /* end: LOOP's ENDLOOP; IF: known when its ELSE is */
    bool loop;
    uint32_t part; /* of the code that it is in, a number */
};

struct pass {
    const struct mech_program *p;
    const char *mech;
    struct structured_tables *t;
    uint8_t *what;
    uint32_t *other, *part; /* by PC */
    VEC(struct open) open;
    uint32_t parts;        /* so far */
    uint32_t *levels;      /* by function */
    bool *known, *entered; /* by function: they are known, they are being counted */
};

static const struct ir_insn *insn(const struct pass *s, uint32_t pc) {
    return &s->p->module->code.v[pc];
}

static bool structured_tables_refuse(const struct pass *s, uint32_t func, uint32_t pc, const char *why,
                                     struct err *e) {
    const struct ir_module *m = s->p->module;
    return err_set(e, ERR_INPUT,
                   "%s:%" PRIu32 ": mechanism %s cannot run %s: it needs structured code, and here %s",
                   m->name, insn(s, pc)->line, s->mech, m->funcs.v[func].name, why);
}

static struct open *structured_tables_innermost(const struct pass *s) {
    return s->open.n ? &s->open.v[s->open.n - 1] : NULL;
}

static const struct open *innermost_loop(const struct pass *s) {
    for (size_t k = s->open.n; k-- > 0;)
        if (s->open.v[k].loop) return &s->open.v[k];
    return NULL;
}

/* ---- marks: NULL, or what is wrong ---- */

static void structured_tables_begin(struct pass *s, uint32_t pc, bool loop) {
    VEC_PUSH(&s->open,
             ((struct open){.pc = pc, .end = insn(s, pc)->target, .loop = loop, .part = s->part[pc]}));
}

static const char *pass_if(struct pass *s, uint32_t pc) {
    if (insn(s, pc)->op != IR_BRA) return "an if is no branch";
    structured_tables_begin(s, pc, false);
    return NULL;
}

static const char *pass_else(struct pass *s, uint32_t pc) {
    struct open *o = structured_tables_innermost(s);
    const struct ir_insn *i = insn(s, pc);
    if (!o || o->loop || s->other[o->pc] != IR_NOPC) return "an else has no if";
    if (i->op != IR_BRA || i->guard || o->end != pc + 1) return "an else is not what its if leads to";
    s->other[o->pc] = pc;
    o->end = i->target;
    return NULL;
}

static const char *pass_endif(struct pass *s, uint32_t pc) {
    const struct open *o = structured_tables_innermost(s);
    if (!o || o->loop) return "an endif has no if";
    if (insn(s, pc)->op != IR_MARK || o->end != pc) return "an endif is not what its if or else leads to";
    s->open.n--;
    return NULL;
}

static const char *pass_loop(struct pass *s, uint32_t pc) {
    if (insn(s, pc)->op != IR_MARK) return "a loop begins with a branch";
    structured_tables_begin(s, pc, true);
    return NULL;
}

static const char *pass_leave(struct pass *s, uint32_t pc, uint32_t behind) {
    const struct open *o = innermost_loop(s);
    const struct ir_insn *i = insn(s, pc);
    if (!o) return "a brk or cont is in no loop";
    if (i->op != IR_BRA || i->target != o->end + behind) return "a brk or cont leads elsewhere";
    return NULL;
}

static const char *pass_endloop(struct pass *s, uint32_t pc) {
    const struct open *o = structured_tables_innermost(s);
    const struct ir_insn *i = insn(s, pc);
    if (!o || !o->loop) return "an endloop has no loop";
    if (i->op != IR_BRA || i->guard || o->end != pc || i->target != o->pc + 1)
        return "an endloop does not lead back to its loop";
    s->open.n--;
    return NULL;
}

static const char *pass_branch(const struct pass *s, uint32_t pc) {
    const struct ir_insn *i = insn(s, pc);
    if (i->op == IR_BRX) return "an indirect branch may part threads";
    if (ir_is_conditional(i) && i->target != pc + 1) return "a branch without a mark may part threads";
    return i->target > pc ? NULL : "a branch without a mark leads back";
}

static const char *pass_one(struct pass *s, uint32_t pc) {
    const struct ir_insn *i = insn(s, pc);
    const uint32_t mark = i->op == IR_MARK || i->op == IR_BRA ? i->sub : IR_MK_NONE;
    static const uint8_t what[IR_NMARKS] = {
        [IR_MK_IF] = STRUCTURED_IF,          [IR_MK_ELSE] = STRUCTURED_ELSE, [IR_MK_ENDIF] = STRUCTURED_ENDIF,
        [IR_MK_LOOP] = STRUCTURED_LOOP,      [IR_MK_BRK] = STRUCTURED_BRK,   [IR_MK_CONT] = STRUCTURED_CONT,
        [IR_MK_ENDLOOP] = STRUCTURED_ENDLOOP};
    s->what[pc] = what[mark];
    switch (mark) {
    case IR_MK_IF: return pass_if(s, pc);
    case IR_MK_ELSE: return pass_else(s, pc);
    case IR_MK_ENDIF: return pass_endif(s, pc);
    case IR_MK_LOOP: return pass_loop(s, pc);
    case IR_MK_BRK: return pass_leave(s, pc, 1);
    case IR_MK_CONT: return pass_leave(s, pc, 0);
    case IR_MK_ENDLOOP: return pass_endloop(s, pc);
    default: return i->op == IR_BRA || i->op == IR_BRX ? pass_branch(s, pc) : NULL;
    }
}

/* ---- functions ---- */

/* A part of the code: then, else, a loop's body, what is around them. That of ENDIF and ENDLOOP is the one that ends there. */
static bool pass_marks(struct pass *s, uint32_t func, struct err *e) {
    const struct ir_func *f = &s->p->module->funcs.v[func];
    uint32_t part = s->parts++;
    s->open.n = 0;
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        s->part[pc] = part;
        const char *wrong = pass_one(s, pc);
        if (wrong) return structured_tables_refuse(s, func, pc, wrong, e);
        const uint8_t what = s->what[pc];
        if (what == STRUCTURED_IF || what == STRUCTURED_ELSE || what == STRUCTURED_LOOP) part = s->parts++;
        if (what == STRUCTURED_ENDIF || what == STRUCTURED_ENDLOOP) part = s->open.v[s->open.n].part;
    }
    return !s->open.n || structured_tables_refuse(s, func, structured_tables_innermost(s)->pc,
                                                  "an if or loop does not end", e);
}

/* A jump that all take stays in its part. */
static bool pass_jumps(struct pass *s, uint32_t func, struct err *e) {
    const struct ir_func *f = &s->p->module->funcs.v[func];
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct ir_insn *i = insn(s, pc);
        if (i->op == IR_BRA && !i->sub && s->part[i->target] != s->part[pc])
            return structured_tables_refuse(s, func, pc, "a branch without a mark leads out of its part", e);
    }
    return true;
}

/* What is no mark. */
static void name_rest(struct pass *s, uint32_t func) {
    const struct ir_func *f = &s->p->module->funcs.v[func];
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct ir_insn *i = insn(s, pc);
        const uint8_t next = pc + 1 < f->end ? s->what[pc + 1] : STRUCTURED_RET;
        const bool joins = next == STRUCTURED_ENDIF || next == STRUCTURED_ENDLOOP || pc + 1 == f->end;
        s->t->insts++;
        s->t->added += (i->flags & IR_F_ADDED) != 0;
        if (s->what[pc] != STRUCTURED_PLAIN) continue;
        s->what[pc] = i->op == IR_CALL                ? STRUCTURED_CALL
                      : i->op == IR_RET && !f->kernel ? STRUCTURED_RET
                      : i->flags & IR_F_ADDED         ? STRUCTURED_GUARD
                      : i->op == IR_BRA || joins      ? STRUCTURED_STEP
                                                      : STRUCTURED_PLAIN;
    }
}

static int32_t opens(uint8_t what) {
    return what == STRUCTURED_IF        ? 1
           : what == STRUCTURED_LOOP    ? 2
           : what == STRUCTURED_ENDIF   ? -1
           : what == STRUCTURED_ENDLOOP ? -2
                                        : 0;
}

/* Levels that a function can open, with what it calls; *where: a PC of it where they are most. */
static uint32_t count_levels(struct pass *s, uint32_t func, uint32_t *where) {
    const struct ir_module *m = s->p->module;
    const struct ir_func *f = &m->funcs.v[func];
    uint32_t now = 0, most = 0, ignored;
    *where = f->entry;
    if (s->known[func]) return s->levels[func];
    s->entered[func] = true;
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        uint32_t here = now += (uint32_t)opens(s->what[pc]);
        if (s->what[pc] == STRUCTURED_CALL) {
            const uint32_t callee = m->ext.v[insn(s, pc)->ext + IR_CALL_FUNC];
            if (!s->entered[callee])
                here += 1 + count_levels(s, callee, &ignored);
            else
                here++;
        }
        if (here <= most) continue;
        most = here;
        *where = pc;
    }
    s->entered[func] = false;
    s->known[func] = true;
    return s->levels[func] = most;
}

/* ---- the launch ---- */

static bool pass_functions(struct pass *s, struct err *e) {
    const uint32_t n = (uint32_t)s->p->module->funcs.n;
    bool *seen = xcalloc(n, sizeof *seen), fine = true;
    ir_reach(s->p->module, s->p->func, seen);
    for (uint32_t f = 0; fine && f < n; f++) {
        if (!seen[f]) continue;
        fine = pass_marks(s, f, e) && pass_jumps(s, f, e);
        if (fine) name_rest(s, f);
    }
    xfree(seen);
    return fine;
}

static bool pass_depth(struct pass *s, struct err *e) {
    const struct structured_params *params = s->p->params;
    const struct ir_module *m = s->p->module;
    uint32_t where;
    s->t->levels = count_levels(s, s->p->func, &where);
    return !params->depth || s->t->levels <= params->depth ||
           err_set(e, ERR_INPUT,
                   "%s:%" PRIu32 ": mechanism %s cannot run %s: it nests %" PRIu32
                   " levels deep (an if or a call is one, a loop two), and %s.depth = %" PRIu32,
                   m->name, insn(s, where)->line, s->mech, m->funcs.v[s->p->func].name, s->t->levels, s->mech,
                   params->depth);
}

const void *structured_prepare(const struct mech_program *p, const char *mech, struct arena *mem,
                               struct err *e) {
    const uint32_t n = (uint32_t)p->module->code.n, funcs = (uint32_t)p->module->funcs.n;
    struct structured_tables *t = ARENA_NEW(mem, struct structured_tables, 1);
    struct pass s = {.p = p,
                     .mech = mech,
                     .t = t,
                     .what = ARENA_NEW(mem, uint8_t, n),
                     .other = ARENA_NEW(mem, uint32_t, n),
                     .part = xcalloc(n, sizeof *s.part),
                     .levels = xcalloc(funcs, sizeof *s.levels),
                     .known = xcalloc(funcs, sizeof *s.known),
                     .entered = xcalloc(funcs, sizeof *s.entered)};
    t->what = s.what;
    t->other = s.other;
    memset(s.other, 0xff, n * sizeof *s.other); /* IR_NOPC */
    const bool fine = pass_functions(&s, e) && pass_depth(&s, e);
    VEC_FREE(&s.open);
    xfree(s.part);
    xfree(s.levels);
    xfree(s.known);
    xfree(s.entered);
    return fine ? t : NULL;
}

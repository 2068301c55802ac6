/* Writing structured code by the plan (plan.h). A list of things still to be written stands for the recursion, so that
 * nesting is bounded by memory only.
 *
 * Choices that are ours, for SL says no more than that compilers did this: breaks and continues stand as guarded branches
 * where they can, without an if around them; a jump that has become needless is a nop, not nothing, so that mechanisms are
 * compared on the same work; a way out of k loops costs k - 1 notes, so that code can grow with the square of the nesting:
 * a function whose code would grow out of all proportion is refused. */
#include "cfg/structurise.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cfg/plan.h"

enum { MOST_GROWTH = 64, ALWAYS_FINE = 1 << 16 }; /* lines per instruction; lines */

enum task_kind { NODE, SLOT, ELSE, ENDIF, ENDLOOP, RELEASE };
struct task {
    enum task_kind kind;
    uint32_t node; /* RELEASE: how many guards were in use before */
    /* What who runs on from the end of it comes to: a slot; p.n + l, the ENDLOOP of l; CFG_NONE. */
    uint32_t next;
};

struct open_if {
    uint32_t pc, old; /* PC of the IF or ELSE whose target is to come; the place it speaks of */
};

/* What happens behind a loop to those who left it to go on with the next round of the one around it. */
enum cont { CONT_NOBODY, CONT_RUN_ON, CONT_ALL, CONT_NOTED };

struct loop_state {
    uint32_t start, end; /* PCs behind LOOP, of ENDLOOP */
    /* Guards of those who leave the loop around it too, who begin its next round; or 0. */
    uint16_t leaves, noted;
    enum cont cont;
    bool continued; /* some CONT leads to the ENDLOOP */
};

struct jump {
    uint32_t pc, loop;
};

struct writer {
    const struct ir_module *m;
    const char **refused; /* by function */
    uint32_t nrefused;
    struct arena mem;
    struct plan p;
    struct rewrite_layout out;
    VEC(struct task) todo;
    VEC(struct open_if) ifs;
    VEC(struct jump) jumps; /* BRK, CONT and LOOP: targets are filled in at the end of the function */
    struct loop_state *loop;
    uint16_t *guard;      /* by node: of a guarded slot */
    uint32_t first_guard; /* predicate row before the first */
    uint32_t used, most;  /* guards in use */
    /* PC of a jump that has nothing left to do, unless the next instruction can stand for it; or IR_NOPC. */
    uint32_t pending;
};

/* ---- instructions ---- */

static void write_line(struct writer *k, struct ir_insn i, uint32_t old, bool added) {
    VEC_PUSH(&k->out.lines, ((struct rewrite_line){.old = old, .added = added, .insn = i}));
}

static void structurise_settle(struct writer *k) {
    const uint32_t pc = k->pending;
    k->pending = IR_NOPC;
    if (pc != IR_NOPC) write_line(k, (struct ir_insn){.op = IR_NOP, .sub = IR_NOP_PLAIN}, pc, false);
}

static void structurise_put(struct writer *k, struct ir_insn i, uint32_t old, bool added) {
    structurise_settle(k);
    write_line(k, i, old, added);
}

/* The jump at pc, if any, has nothing left to do. */
static void structurise_hold(struct writer *k, uint32_t pc) {
    if (pc == IR_NOPC) return;
    structurise_settle(k);
    k->pending = pc;
}

static struct ir_insn structurise_branch(enum ir_mark mark, uint16_t guard, uint32_t target) {
    return (struct ir_insn){.op = IR_BRA, .sub = (uint8_t)mark, .guard = guard, .target = target};
}

/* A branch in place of the one at `old`, or if that is taken already or there is none, a new one. */
static void put_branch(struct writer *k, struct ir_insn i, uint32_t *control, uint32_t place) {
    if (*control != IR_NOPC) i.mods = k->m->code.v[*control].mods & IR_M_UNI;
    structurise_put(k, i, *control == IR_NOPC ? place : *control, *control == IR_NOPC);
    *control = IR_NOPC;
}

/* A branch that stands for the jump just before it, which led the same threads the same way. */
static void put_after_jump(struct writer *k, struct ir_insn i, uint32_t place, bool can_stand) {
    const uint32_t old = can_stand ? k->pending : IR_NOPC;
    if (can_stand) k->pending = IR_NOPC;
    structurise_put(k, i, old == IR_NOPC ? place : old, old == IR_NOPC);
}

static uint16_t structurise_opposite(uint16_t guard) {
    return guard ^ IR_GUARD_NEG;
}

/* ---- guards ---- */

static uint16_t new_guard(struct writer *k) {
    k->used++;
    if (k->most < k->used) k->most = k->used;
    return (uint16_t)(k->first_guard + k->used); /* beyond IR_GUARD_INDEX the function is refused */
}

static void put_move(struct writer *k, uint16_t row, ir_opnd value, uint16_t guard, uint32_t place) {
    struct ir_insn i = {.op = IR_MOV_P, .guard = guard, .nd = 1, .ns = 1};
    i.o[0] = ir_reg(IR_FILE_P, row & IR_GUARD_INDEX);
    i.o[1] = value;
    structurise_put(k, i, place, true);
}

static void put_clear(struct writer *k, uint16_t row, uint32_t place) {
    put_move(k, row, IR_PT | IR_O_NEG, 0, place);
}

/* Emits the note that the guard holds, for the threads for which it does. */
static void put_note(struct writer *k, uint16_t row, uint16_t guard, uint32_t place) {
    put_move(k, row, IR_PT, guard, place);
}

/* The way from u leads to a slot of its own, within the same loop: clearing and noting are one. */
static bool notes_at_once(const struct writer *k, uint32_t u, uint32_t v) {
    return k->p.v[v].guarded && k->p.v[v].owner == u && k->p.v[v].loop == k->p.v[u].loop;
}

/* All write whether the guard holds. */
static void put_answer(struct writer *k, uint16_t row, uint16_t guard, uint32_t place) {
    const ir_opnd value = ir_reg(IR_FILE_P, guard & IR_GUARD_INDEX);
    put_move(k, row, guard & IR_GUARD_NEG ? value | IR_O_NEG : value, 0, place);
}

static bool leads_to(const struct plan_node *x, uint32_t v) {
    return x->to[0] == v || (x->end == PLAN_BRANCHES && x->to[1] == v);
}

/* Guards for the slots that need one, cleared here. */
static void open_slots(struct writer *k, uint32_t u, int kind, uint32_t place) {
    for (uint32_t s = k->p.v[u].slots[kind]; s != CFG_NONE; s = k->p.v[s].next) {
        if (!k->p.v[s].guarded) continue;
        k->guard[s] = new_guard(k);
        if (!leads_to(&k->p.v[u], s) || !notes_at_once(k, u, s)) put_clear(k, k->guard[s], place);
    }
}

/* ---- ways on ---- */

/* A way from u to v that is not inline: notes for those for whom `guard` holds where they go, and says by which branch
 * they leave: none, they run on. */
static enum ir_mark note_way(struct writer *k, uint32_t u, uint32_t v, uint16_t guard, uint32_t next,
                             uint32_t place) {
    const struct plan *p = &k->p;
    const bool back = plan_retreats(p, u, v);
    const uint32_t common = back ? p->v[v].heads : plan_common(p, u, v);
    uint32_t l = p->v[u].loop;
    const bool leaves = l != common;
    if (!leaves && back) return next == p->n + common ? IR_MK_NONE : IR_MK_CONT;
    for (; leaves && p->loop[l].parent != common; l = p->loop[l].parent)
        put_note(k, k->loop[l].leaves, guard, place);
    if (back && k->loop[l].cont == CONT_NOTED) put_note(k, k->loop[l].noted, guard, place);
    if (!back && p->v[v].guarded)
        (notes_at_once(k, u, v) ? put_answer : put_note)(k, k->guard[v], guard, place);
    return leaves ? IR_MK_BRK : IR_MK_NONE;
}

static void put_jump(struct writer *k, enum ir_mark mark, uint16_t guard, uint32_t loop, uint32_t *control,
                     uint32_t place) {
    put_branch(k, structurise_branch(mark, guard, IR_NOPC), control, place);
    VEC_PUSH(&k->jumps, ((struct jump){(uint32_t)k->out.lines.n - 1, loop}));
    if (mark == IR_MK_CONT) k->loop[loop].continued = true;
}

/* ---- ifs ---- */

static void put_if(struct writer *k, uint16_t skips, uint32_t *control, uint32_t place) {
    put_branch(k, structurise_branch(IR_MK_IF, skips, IR_NOPC), control, place);
    VEC_PUSH(&k->ifs, ((struct open_if){(uint32_t)k->out.lines.n - 1, place}));
}

static void put_else(struct writer *k) {
    struct open_if *x = &k->ifs.v[k->ifs.n - 1];
    put_after_jump(k, structurise_branch(IR_MK_ELSE, 0, IR_NOPC), x->old, true);
    k->out.lines.v[x->pc].insn.target = (uint32_t)k->out.lines.n;
    x->pc = (uint32_t)k->out.lines.n - 1;
}

static void put_endif(struct writer *k) {
    const struct open_if x = k->ifs.v[--k->ifs.n];
    structurise_put(k, (struct ir_insn){.op = IR_MARK, .sub = IR_MK_ENDIF, .target = IR_NOPC}, x.old, true);
    k->out.lines.v[x.pc].insn.target = (uint32_t)k->out.lines.n - 1;
}

static void do_later(struct writer *k, enum task_kind kind, uint32_t node, uint32_t next) {
    VEC_PUSH(&k->todo, ((struct task){kind, node, next}));
}

/* ---- the end of a node ---- */

static void structurise_go(struct writer *k, uint32_t u, uint32_t next) {
    const struct plan_node *x = &k->p.v[u];
    const uint32_t v = x->to[0], place = x->control == IR_NOPC ? x->first : x->control;
    uint32_t control = x->control == k->p.ret && !k->p.ret_new && k->p.end != CFG_NONE ? IR_NOPC : x->control;
    if (plan_inline(&k->p, u, v)) {
        do_later(k, NODE, v, next);
    } else {
        const enum ir_mark mark = note_way(k, u, v, 0, next, place);
        if (mark != IR_MK_NONE) put_jump(k, mark, 0, x->loop, &control, place);
    }
    structurise_hold(k, control);
}

/* Both ways are jumps, or running on. */
static void part_ways(struct writer *k, const struct plan_node *x, const enum ir_mark *mark,
                      const uint16_t *guard, uint32_t *control, uint32_t place) {
    if (mark[0] == mark[1] && mark[0] != IR_MK_NONE) {
        put_jump(k, mark[0], 0, x->loop, control, place);
        return;
    }
    for (int e = 0; e < 2; e++)
        if (mark[e] != IR_MK_NONE)
            put_jump(k, mark[e], e && mark[0] != IR_MK_NONE ? 0 : guard[e], x->loop, control, place);
}

/* A guarded return is counted for those who return, a branch for all who come to it. So the return stays, as a guarded nop, and
 * the branch is an added one. Returns the PC that the branch stands for, or IR_NOPC. */
static uint32_t keep_return(struct writer *k, uint32_t pc) {
    if (pc == IR_NOPC || k->m->code.v[pc].op != IR_RET) return pc;
    structurise_put(k, (struct ir_insn){.op = IR_NOP, .sub = IR_NOP_PLAIN, .guard = k->m->code.v[pc].guard},
                    pc, false);
    return IR_NOPC;
}

static void branch_out(struct writer *k, uint32_t u, uint16_t taken, uint32_t next) {
    const struct plan_node *x = &k->p.v[u];
    const uint32_t place = x->control == IR_NOPC ? x->first : x->control;
    const uint16_t guard[2] = {taken, structurise_opposite(taken)};
    uint32_t control = keep_return(k, x->control);
    enum ir_mark mark[2] = {IR_MK_NONE, IR_MK_NONE};
    bool in[2];
    for (int e = 0; e < 2; e++) {
        in[e] = plan_inline(&k->p, u, x->to[e]);
        if (!in[e]) mark[e] = note_way(k, u, x->to[e], guard[e], next, place);
    }
    part_ways(k, x, mark, guard, &control, place);
    if (in[0] && in[1]) {
        put_if(k, guard[0], &control, place);
        do_later(k, ENDIF, 0, 0);
        do_later(k, NODE, x->to[0], next);
        do_later(k, ELSE, 0, 0);
        do_later(k, NODE, x->to[1], next);
    } else if (in[0] || in[1]) {
        const int e = in[1];
        const bool alone = mark[!e] != IR_MK_NONE; /* the others have left */
        if (!alone) put_if(k, guard[!e], &control, place);
        if (!alone) do_later(k, ENDIF, 0, 0);
        do_later(k, NODE, x->to[e], next);
    }
    structurise_hold(k, control);
}

/* ---- nodes ---- */

static void put_guarded_call(struct writer *k, struct ir_insn i, uint32_t pc) {
    uint32_t none = IR_NOPC;
    put_if(k, structurise_opposite(i.guard), &none, pc);
    i.guard = 0;
    structurise_put(k, i, pc, false);
    put_endif(k);
}

static void put_body(struct writer *k, const struct plan_node *x) {
    for (uint32_t pc = x->first; pc < x->on; pc++) {
        const struct ir_insn *i = &k->m->code.v[pc];
        if ((i->op == IR_CALL || i->op == IR_CALL_IND) && i->guard)
            put_guarded_call(k, *i, pc);
        else
            structurise_put(k, *i, pc, false);
    }
}

/* Compares the index of an indirect branch; the guard that has the answer is good until the next test. */
static uint16_t put_test(struct writer *k, const struct plan_node *x) {
    const uint16_t row = new_guard(k);
    k->used--;
    struct ir_insn i = {.op = IR_SETP_U32, .sub = IR_LT, .nd = 2, .ns = 2};
    i.o[0] = ir_reg(IR_FILE_P, row & IR_GUARD_INDEX), i.o[1] = IR_NONE, i.o[2] = x->index;
    i.o[3] = ir_const(IR_FILE_32, (uint32_t)(k->m->k32.n + k->out.k32.n));
    VEC_PUSH(&k->out.k32, x->bound);
    structurise_put(k, i, x->first, true);
    return row;
}

static void open_loop(struct writer *k, uint32_t u, uint32_t next) {
    const struct plan_node *x = &k->p.v[u];
    const struct plan_loop *l = &k->p.loop[x->heads];
    struct loop_state *s = &k->loop[x->heads];
    open_slots(k, u, PLAN_BEHIND, x->first);
    if (l->leaves) put_clear(k, s->leaves = new_guard(k), x->first);
    if (l->conts)
        s->cont = x->slots[PLAN_BEHIND] == CFG_NONE && next == k->p.n + l->parent ? CONT_RUN_ON
                  : !l->stays && !l->leaves                                       ? CONT_ALL
                                                                                  : CONT_NOTED;
    if (s->cont == CONT_NOTED) put_clear(k, s->noted = new_guard(k), x->first);
    structurise_put(k, (struct ir_insn){.op = IR_MARK, .sub = IR_MK_LOOP}, x->first, true);
    VEC_PUSH(&k->jumps, ((struct jump){(uint32_t)k->out.lines.n - 1, x->heads}));
    s->start = (uint32_t)k->out.lines.n;
}

static void close_loop(struct writer *k, uint32_t u) {
    const uint32_t l = k->p.v[u].heads, outer = k->p.loop[l].parent, place = k->p.v[u].first;
    const struct loop_state *s = &k->loop[l];
    uint32_t none = IR_NOPC;
    put_after_jump(k, structurise_branch(IR_MK_ENDLOOP, 0, s->start), place, !s->continued);
    k->loop[l].end = (uint32_t)k->out.lines.n - 1;
    if (s->leaves) put_jump(k, IR_MK_BRK, s->leaves, outer, &none, place);
    if (s->cont == CONT_NOTED || s->cont == CONT_ALL)
        put_jump(k, IR_MK_CONT, s->cont == CONT_ALL ? 0 : s->noted, outer, &none, place);
}

/* Slots to be written later, each running on to the next, the last to `next`; the first is the last thing on the list. */
static uint32_t slots_later(struct writer *k, uint32_t u, int kind, uint32_t next) {
    const size_t from = k->todo.n;
    const uint32_t first = k->p.v[u].slots[kind];
    for (uint32_t s = first; s != CFG_NONE; s = k->p.v[s].next)
        do_later(k, SLOT, s, k->p.v[s].next == CFG_NONE ? next : k->p.v[s].next);
    for (size_t a = from, b = k->todo.n; a + 1 < b; a++, b--) {
        const struct task x = k->todo.v[a];
        k->todo.v[a] = k->todo.v[b - 1], k->todo.v[b - 1] = x;
    }
    return first == CFG_NONE ? next : first;
}

static void put_end_of_function(struct writer *k) {
    struct ir_insn i = {.op = IR_RET};
    if (!k->p.ret_new) i = k->m->code.v[k->p.ret];
    structurise_put(k, i, k->p.ret, k->p.ret_new);
}

static void write_node(struct writer *k, uint32_t u, uint32_t next) {
    const struct plan_node *x = &k->p.v[u];
    if (u == k->p.end) {
        put_end_of_function(k);
        return;
    }
    do_later(k, RELEASE, k->used, 0);
    uint32_t on = next;
    if (x->heads != CFG_NONE) {
        open_loop(k, u, next);
        slots_later(k, u, PLAN_BEHIND, next);
        do_later(k, ENDLOOP, u, 0);
        on = k->p.n + x->heads;
    }
    put_body(k, x);
    uint16_t guard = x->guard;
    open_slots(k, u, PLAN_WITHIN, x->control == IR_NOPC ? x->first : x->control);
    if (x->tests) guard ^= put_test(k, x);
    on = slots_later(k, u, PLAN_WITHIN, on);
    if (x->end == PLAN_GOES) structurise_go(k, u, on);
    if (x->end == PLAN_BRANCHES) branch_out(k, u, guard, on);
}

static void write_slot(struct writer *k, uint32_t u, uint32_t next) {
    if (!k->p.v[u].guarded) {
        write_node(k, u, next);
        return;
    }
    uint32_t none = IR_NOPC;
    put_if(k, structurise_opposite(k->guard[u]), &none, k->p.v[u].first);
    do_later(k, ENDIF, 0, 0);
    do_later(k, NODE, u, next);
}

/* False: there would be more than `most` lines in all. */
static bool write_nodes(struct writer *k, size_t most) {
    do_later(k, NODE, 0, CFG_NONE);
    while (k->todo.n && k->out.lines.n < most) {
        const struct task t = k->todo.v[--k->todo.n];
        switch (t.kind) {
        case NODE: write_node(k, t.node, t.next); break;
        case SLOT: write_slot(k, t.node, t.next); break;
        case ELSE: put_else(k); break;
        case ENDIF: put_endif(k); break;
        case ENDLOOP: close_loop(k, t.node); break;
        case RELEASE: k->used = t.node; break;
        }
    }
    structurise_settle(k);
    return !k->todo.n;
}

/* ---- functions ---- */

static void aim_jumps(struct writer *k) {
    for (size_t n = 0; n < k->jumps.n; n++) {
        struct ir_insn *i = &k->out.lines.v[k->jumps.v[n].pc].insn;
        const uint32_t end = k->loop[k->jumps.v[n].loop].end;
        i->target = ir_is_mark(i, IR_MK_BRK) ? end + 1 : end;
    }
    k->jumps.n = 0;
}

/* The function keeps its code. */
static void copy_function(struct writer *k, uint32_t func) {
    const struct ir_func *fn = &k->m->funcs.v[func];
    const uint32_t entry = k->out.entry[func];
    k->out.lines.n = entry;
    for (uint32_t pc = fn->entry; pc < fn->end; pc++) {
        struct ir_insn i = k->m->code.v[pc];
        if (i.op == IR_BRA) i.target = entry + (i.target - fn->entry);
        write_line(k, i, pc, false);
    }
    k->out.end[func] = (uint32_t)k->out.lines.n;
    k->out.predicates[func] = 0;
}

static void structurise_refuse(struct writer *k, uint32_t func, uint32_t line, const char *why) {
    struct sb text = {0};
    sb_add(&text, "%s:%" PRIu32 ": error: %s has no structured form: %s", k->m->name, line,
           k->m->funcs.v[func].name, why);
    k->refused[func] = sb_keep(&text, &k->mem);
    k->jumps.n = k->ifs.n = k->todo.n = 0;
    k->nrefused++;
    copy_function(k, func);
}

/* NULL, or why not. */
static const char *structurise(struct writer *k, const struct cfg *c, uint32_t func) {
    const struct ir_func *fn = &k->m->funcs.v[func];
    const size_t most = k->out.lines.n + ALWAYS_FINE + (size_t)MOST_GROWTH * (fn->end - fn->entry);
    plan_make(&k->p, k->m, c, func);
    k->loop = ARENA_NEW(&k->p.w.mem, struct loop_state, k->p.nloops);
    k->guard = ARENA_NEW(&k->p.w.mem, uint16_t, k->p.n);
    k->first_guard = fn->base[IR_FILE_P] + fn->nrow[IR_FILE_P];
    k->used = k->most = 0;
    k->pending = IR_NOPC;
    const bool whole = write_nodes(k, most);
    if (whole) aim_jumps(k);
    if (insn_falls_through(&k->out.lines.v[k->out.lines.n - 1].insn))
        structurise_put(k, (struct ir_insn){.op = fn->kernel ? IR_EXIT : IR_RET}, fn->end - 1, true);
    k->out.end[func] = (uint32_t)k->out.lines.n;
    k->out.predicates[func] = k->most;
    plan_free(&k->p);
    if (!whole) return "it would be many times as long";
    return k->first_guard + k->most > IR_GUARD_INDEX ? "it needs too many guards" : NULL;
}

static void write_function(struct writer *k, const struct cfg *c, uint32_t func) {
    const struct cfg_func *f = &c->funcs[func];
    k->out.entry[func] = (uint32_t)k->out.lines.n;
    if (f->structure == CFG_IRREDUCIBLE) {
        structurise_refuse(k, func, k->m->code.v[c->blocks[f->why].first].line, f->why_text);
        return;
    }
    /* Its ifs and loops are made of predicates, and machine code has none. */
    const char *why = k->m->binary ? "it is machine code" : structurise(k, c, func);
    if (why) structurise_refuse(k, func, k->m->funcs.v[func].line, why);
}

static void keep_refusals(const struct writer *k, struct rewrite *r) {
    const size_t n = k->m->funcs.n;
    r->refused = ARENA_NEW(&r->mem, const char *, n);
    for (size_t f = 0; f < n; f++)
        if (k->refused[f]) r->refused[f] = arena_strdup(&r->mem, k->refused[f]);
}

struct rewrite *cfg_structurise(const struct ir_module *m, const struct cfg *c, struct err *e) {
    struct writer k = {.m = m};
    k.refused = ARENA_NEW(&k.mem, const char *, m->funcs.n);
    k.out.entry = ARENA_NEW(&k.mem, uint32_t, m->funcs.n);
    k.out.end = ARENA_NEW(&k.mem, uint32_t, m->funcs.n);
    k.out.predicates = ARENA_NEW(&k.mem, uint32_t, m->funcs.n);
    for (uint32_t n = 0; n < m->nby_entry; n++) write_function(&k, c, m->by_entry[n]);
    struct rewrite *r = cfg_rewrite_lines(m, c, &k.out, e);
    if (r && k.nrefused) keep_refusals(&k, r);
    VEC_FREE(&k.out.lines);
    VEC_FREE(&k.out.k32);
    VEC_FREE(&k.todo);
    VEC_FREE(&k.ifs);
    VEC_FREE(&k.jumps);
    arena_free(&k.mem);
    return r;
}

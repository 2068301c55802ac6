/* A kernel's tree as PTX. Every statement prints itself where it stands; labels, predicates and loop counters are numbered
 * through, one set per function. Registers: %v the variables, %F fuel, %t and %a scratch words and addresses that no
 * statement keeps, %k loop counters, %p predicates. */
#include "gen.h"

#include <string.h>

struct loop_labels {
    uint32_t next, out;
};
struct emit {
    const struct gen_kernel *k;
    struct sb *out, away; /* away: ends of threads that branched off */
    uint32_t labels, preds, counters;
    struct loop_labels loop;
    bool in_func;
    uint32_t func, join; /* join: the label of the end all come to */
};

static const struct {
    const char *name;
    uint32_t operands;
    bool odd;
} ops[] = {
#define X(id, name, operands, odd, expr) {name, operands, odd},
    GEN_OPS(X)
#undef X
};
static const char *const atomic_name[GEN_CELLS] = {"add.u32", "or.b32", "max.u32", "xor.b32"};

static void list(struct emit *e, const struct gen_stmt *s);

static uint32_t label(struct emit *e) {
    return e->labels++;
}
static void place(struct emit *e, uint32_t l) {
    sb_add(e->out, "L%u:\n", l);
}

/* The text of an operand, in a buffer of the caller's. */
struct operand {
    char text[16];
};
static struct operand operand(struct gen_value v) {
    static const char *const names[] = {"%v", "", "%me", "%lane", "%cta"};
    struct operand o;
    struct sb t = {0};
    if (v.from == GEN_VAR || v.from == GEN_CONST)
        sb_add(&t, "%s%u", names[v.from], v.n);
    else
        sb_add(&t, "%s", names[v.from]);
    memcpy(o.text, t.text, t.len + 1);
    sb_free(&t);
    return o;
}
#define TEXT(v) operand(v).text

static uint32_t condition(struct emit *e, const struct gen_cond *c) {
    static const char *const names[] = {"eq", "ne", "lt", "ge"};
    sb_add(e->out, "\tshr.u32 %%t0, %s, %u;\n\tand.b32 %%t0, %%t0, %u;\n", TEXT(c->value), c->shift, c->mask);
    sb_add(e->out, "\tsetp.%s.u32 %%p%u, %%t0, %u;\n", names[c->compare], e->preds, c->with);
    return e->preds++;
}

/* %a0 = base + 4 (value % n); n is a power of two */
static void element(struct emit *e, const char *base, struct gen_value v, uint32_t n) {
    sb_add(e->out, "\tand.b32 %%t0, %s, %u;\n\tmul.wide.u32 %%a0, %%t0, 4;\n", TEXT(v), n - 1);
    sb_add(e->out, "\tadd.u64 %%a0, %s, %%a0;\n", base);
}

/* ---- the end of a thread: out[gid] and the sum of all; of a function: its result ---- */

static void add_locals(const struct emit *e, struct sb *to, const char *op) {
    for (uint32_t l = 0; l < GEN_LOCALS && e->k->frame; l++)
        sb_add(to, "\tld.local.u32 %%t1, [%%frame+%u];\n\t%s %%t0, %%t0, %s%%t1;\n", 4 * l, op,
               *op == 'm' ? "31, " : "");
}

static void finish(const struct emit *e, struct sb *to, const char *guard, const char *word) {
    sb_add(to, "\tmov.u32 %%t0, 0;\n");
    for (uint32_t v = 0; v < GEN_VARS; v++) sb_add(to, "\tmad.lo.u32 %%t0, %%t0, 31, %%v%u;\n", v);
    add_locals(e, to, "mad.lo.u32");
    sb_add(to, "\t%sst.global.u32 [%%mine], %%t0;\n", guard);
    sb_add(to, "\t%sred.global.add.u32 [%%cells+%u], %%t0;\n", guard, 4 * GEN_CELLS);
    sb_add(to, "\t%s%s;\n", guard, word);
}

static void give_back(const struct emit *e, struct sb *to, const char *guard) {
    sb_add(to, "\tmad.lo.u32 %%t0, %%v0, 31, %%v1;\n\tmad.lo.u32 %%t0, %%t0, 31, %%v2;\n");
    add_locals(e, to, "add.u32");
    sb_add(to, "\t%sst.param.u32 [r], %%t0;\n\t%sret;\n", guard, guard);
}

/* An end that no thread comes to. */
static void dead_end(struct emit *e, enum gen_end end, const char *guard) {
    static const char *const words[] = {"", "exit", "ret", "trap"};
    if (end == GEN_END_LOOP) {
        uint32_t l = label(e);
        place(e, l);
        sb_add(e->out, "\tbra L%u;\n", l);
    } else {
        sb_add(e->out, "\t%s%s;\n", guard, words[end]);
    }
}

static void tail(struct emit *e, const struct gen_stmt *s, const char *guard) {
    if (s->kind == GEN_NEVER)
        dead_end(e, s->end, guard);
    else if (s->kind == GEN_RETURN)
        give_back(e, e->out, guard);
    else if (e->in_func)
        sb_add(e->out, "\t%sexit;\n", guard);
    else
        finish(e, e->out, guard, s->end == GEN_END_RET ? "ret" : "exit");
}

static void emit_away(struct emit *e, const struct gen_stmt *s, uint32_t l) {
    struct sb *out = e->out, part = {0};
    e->out = &part;
    place(e, l);
    list(e, s->body[0]);
    tail(e, s, "");
    e->out = out;
    sb_addn(&e->away, part.text, part.len);
    sb_free(&part);
}

static void emit_leave(struct emit *e, const struct gen_stmt *s) {
    uint32_t p = condition(e, &s->cond), l = label(e);
    struct sb guard = {0};
    switch ((enum gen_exit)s->form) {
    case GEN_EXIT_GUARDED:
        sb_add(&guard, "@%%p%u ", p);
        tail(e, s, guard.text);
        break;
    case GEN_EXIT_AWAY:
        sb_add(e->out, "\t@%%p%u bra L%u;\n", p, l);
        emit_away(e, s, l);
        break;
    case GEN_EXIT_INLINE:
        sb_add(e->out, "\t@!%%p%u bra L%u;\n", p, l);
        list(e, s->body[0]);
        tail(e, s, "");
        list(e, s->body[1]);
        place(e, l);
        break;
    default: sb_add(e->out, "\t@%%p%u bra L%u;\n", p, e->join);
    }
    sb_free(&guard);
}

/* ---- one thread ---- */

static void emit_op(struct emit *e, const struct gen_stmt *s) {
    struct sb guard = {0};
    if (s->guarded) sb_add(&guard, "@%%p%u ", condition(e, &s->cond));
    const char *b = TEXT(s->b);
    if (ops[s->op].odd) {
        sb_add(e->out, "\tor.b32 %%t1, %s, 1;\n", b);
        b = "%t1";
    }
    sb_add(e->out, "\t%s%s %%v%u, %s, %s", guard.text ? guard.text : "", ops[s->op].name, s->dst, TEXT(s->a),
           b);
    if (ops[s->op].operands == 3) sb_add(e->out, ", %s", TEXT(s->c));
    sb_add(e->out, ";\n");
    sb_free(&guard);
}

static void emit_atomic(struct emit *e, const struct gen_stmt *s) {
    bool cta = s->kind == GEN_ATOMIC_CTA;
    if (s->guarded) {
        uint32_t p = condition(e, &s->cond);
        sb_add(e->out, "\t@%%p%u ", p);
    }
    sb_add(e->out, "%s.%s.%s %s[%s+%u], %%u;\n", s->form ? "red" : "atom", cta ? "shared" : "global",
           atomic_name[s->n], s->form ? "" : "%t1, ", cta ? "counts" : "%cells", 4 * s->n);
}

static void emit_if(struct emit *e, const struct gen_stmt *s) {
    uint32_t p = condition(e, &s->cond), other = label(e), join = label(e);
    const struct gen_stmt *first = s->body[s->form], *second = s->body[!s->form];
    sb_add(e->out, "\t@%s%%p%u bra L%u;\n", s->form ? "" : "!", p, second ? other : join);
    list(e, first);
    if (second) {
        sb_add(e->out, "\tbra L%u;\n", join);
        place(e, other);
        list(e, second);
    }
    place(e, join);
}

/* Leaves for `out` without fuel, else takes one. */
static void emit_fuel(struct emit *e, uint32_t out) {
    sb_add(e->out, "\tsetp.eq.u32 %%p%u, %%F, 0;\n\t@%%p%u bra L%u;\n\tsub.u32 %%F, %%F, 1;\n", e->preds,
           e->preds, out);
    e->preds++;
}
static void emit_counted_out(struct emit *e, uint32_t k, uint32_t out) {
    sb_add(e->out, "\tsetp.eq.u32 %%p%u, %%k%u, 0;\n\t@%%p%u bra L%u;\n", e->preds, k, e->preds, out);
    e->preds++;
}

static void emit_loop(struct emit *e, const struct gen_stmt *s) {
    struct loop_labels outer = e->loop;
    uint32_t head = label(e), k = e->counters++;
    e->loop = (struct loop_labels){label(e), label(e)};
    sb_add(e->out, "\tand.b32 %%k%u, %s, 7;\n\tadd.u32 %%k%u, %%k%u, %u;\n", k, TEXT(s->a), k, k, s->form);
    place(e, head);
    if (s->form == 0) {
        emit_counted_out(e, k, e->loop.out);
        emit_fuel(e, e->loop.out);
    }
    list(e, s->body[0]);
    place(e, e->loop.next);
    sb_add(e->out, "\tsub.u32 %%k%u, %%k%u, 1;\n", k, k);
    if (s->form == 1) {
        emit_counted_out(e, k, e->loop.out);
        emit_fuel(e, e->loop.out);
    }
    sb_add(e->out, "\tbra L%u;\n", head);
    place(e, e->loop.out);
    e->loop = outer;
}

/* %t0 = min(value & 3, ways - 1) */
static void emit_number(struct emit *e, struct gen_value v, uint32_t ways) {
    sb_add(e->out, "\tand.b32 %%t0, %s, 3;\n\tmin.u32 %%t0, %%t0, %u;\n", TEXT(v), ways - 1);
}

/* Jumps to to[%t0], one of so many, by a table or a chain of comparisons. */
static void emit_choice(struct emit *e, const uint32_t *to, uint32_t ways, bool table) {
    if (table) {
        uint32_t l = label(e);
        sb_add(e->out, "T%u: .branchtargets L%u", l, to[0]);
        for (uint32_t w = 1; w < ways; w++) sb_add(e->out, ", L%u", to[w]);
        sb_add(e->out, ";\n\tbrx.idx %%t0, T%u;\n", l);
        return;
    }
    for (uint32_t w = 0; w + 1 < ways; w++) {
        sb_add(e->out, "\tsetp.eq.u32 %%p%u, %%t0, %u;\n\t@%%p%u bra L%u;\n", e->preds, w, e->preds, to[w]);
        e->preds++;
    }
    sb_add(e->out, "\tbra L%u;\n", to[ways - 1]);
}

static void emit_switch(struct emit *e, const struct gen_stmt *s) {
    uint32_t to[GEN_ARMS + 1], join = label(e);
    for (uint32_t a = 0; a <= s->arms; a++) to[a] = label(e);
    emit_number(e, s->a, s->arms);
    emit_choice(e, to, s->arms + (s->end != GEN_END_NONE), s->form);
    for (uint32_t a = 0; a < s->arms; a++) {
        place(e, to[a]);
        list(e, s->body[a]);
        if (!s->falls[a] || (s->end && a + 1 == s->arms)) sb_add(e->out, "\tbra L%u;\n", join);
    }
    place(e, to[s->arms]);
    if (s->end) dead_end(e, s->end, "");
    place(e, join);
}

/* The target's own label, or for a way back a small block that pays for it. */
static uint32_t edge(struct emit *e, struct sb *stubs, const uint32_t *node, uint32_t from, uint32_t to) {
    if (to > from) return node[to];
    uint32_t l = label(e);
    struct sb *out = e->out;
    e->out = stubs;
    place(e, l);
    emit_fuel(e, node[from + 1]);
    sb_add(stubs, "\tbra L%u;\n", node[to]);
    e->out = out;
    return l;
}

static void emit_node(struct emit *e, const struct gen_node *n, const uint32_t *node, uint32_t self) {
    struct sb stubs = {0};
    uint32_t to[GEN_ARMS] = {0};
    place(e, node[self]);
    list(e, n->body);
    for (uint32_t w = 0; w < n->ways; w++) to[w] = edge(e, &stubs, node, self, n->to[w]);
    if (n->ways == 1) {
        sb_add(e->out, "\tbra L%u;\n", to[0]);
    } else if (n->ways == 2) {
        uint32_t p = condition(e, &n->cond);
        sb_add(e->out, "\t@%%p%u bra L%u;\n\tbra L%u;\n", p, to[1], to[0]);
    } else {
        emit_number(e, n->value, n->ways);
        emit_choice(e, to, n->ways, true);
    }
    sb_addn(e->out, stubs.text ? stubs.text : "", stubs.len);
    sb_free(&stubs);
}

static void emit_graph(struct emit *e, const struct gen_graph *g) {
    uint32_t node[GEN_NODES + 1];
    for (uint32_t i = 0; i <= g->n; i++) node[i] = label(e);
    for (uint32_t i = 0; i < g->n; i++) emit_node(e, &g->node[i], node, i);
    place(e, node[g->n]);
}

/* depth: text of the register with the depth the callee gets */
static void emit_call(struct emit *e, const struct gen_stmt *s, const char *depth) {
    uint32_t l = label(e);
    if (s->kind == GEN_CALL_TABLE) {
        sb_add(e->out, "\tmov.u64 %%a1, functions;\n\tand.b32 %%t1, %s, %u;\n\tmul.wide.u32 %%a0, %%t1, 8;\n",
               TEXT(s->c), GEN_FUNCS - 1);
        sb_add(e->out, "\tadd.u64 %%a0, %%a1, %%a0;\n\tld.global.u64 %%a0, [%%a0];\n");
    }
    sb_add(e->out, "\t{\n\t.param .u32 x;\n\t.param .u32 d;\n\t.param .u32 r;\n\tmov.u32 %%t1, %s;\n",
           TEXT(s->a));
    sb_add(e->out, "\tst.param.u32 [x], %%t1;\n\tst.param.u32 [d], %s;\n", depth);
    if (s->kind == GEN_CALL_TABLE) {
        sb_add(e->out, "\tP%u: .callprototype (.param .u32 _) _ (.param .u32 _, .param .u32 _);\n", l);
        sb_add(e->out, "\tcall (r), %%a0, (x, d), P%u;\n", l);
    } else {
        sb_add(e->out, "\tcall (r), f%u, (x, d);\n", s->n);
    }
    sb_add(e->out, "\tld.param.u32 %%v%u, [r];\n\t}\n", s->dst);
}

/* The kernel gives a depth of 0 to 3, a function half of its own; itself one less, and not at all at 0. */
static void emit_any_call(struct emit *e, const struct gen_stmt *s) {
    if (s->kind == GEN_RECUR) {
        uint32_t l = label(e), p = e->preds++;
        sb_add(e->out, "\tsetp.eq.u32 %%p%u, %%depth, 0;\n\t@%%p%u bra L%u;\n\tsub.u32 %%t0, %%depth, 1;\n",
               p, p, l);
        emit_call(e, s, "%t0");
        place(e, l);
    } else if (e->in_func) {
        sb_add(e->out, "\tshr.u32 %%t0, %%depth, 1;\n");
        emit_call(e, s, "%t0");
    } else {
        sb_add(e->out, "\tand.b32 %%t0, %s, 3;\n", TEXT(s->b));
        emit_call(e, s, "%t0");
    }
}

static void emit_memory(struct emit *e, const struct gen_stmt *s) {
    bool local = s->kind == GEN_LOCAL_PUT || s->kind == GEN_LOCAL_GET;
    const char *space = local ? "local" : "global";
    struct sb guard = {0};
    if (s->guarded) sb_add(&guard, "@%%p%u ", condition(e, &s->cond));
    const char *when = guard.text ? guard.text : "";
    if (s->kind == GEN_READ)
        element(e, "%input", s->a, GEN_INPUT);
    else
        element(e, local ? "%frame" : "%slots", s->a, local ? GEN_LOCALS : GEN_SLOTS);
    if (s->kind == GEN_LOCAL_PUT || s->kind == GEN_SLOT_PUT)
        sb_add(e->out, "\tmov.u32 %%t1, %s;\n\t%sst.%s.u32 [%%a0], %%t1;\n", TEXT(s->b), when, space);
    else
        sb_add(e->out, "\t%sld.%s.u32 %%v%u, [%%a0];\n", when, space, s->dst);
    sb_free(&guard);
}

/* %a0 = the window's first word; %t0 says which window */
static void emit_window(struct emit *e, const struct gen_stmt *s) {
    emit_number(e, s->c, s->arms);
    sb_add(e->out, "\tmov.u64 %%a0, %%w%u;\n", s->window[0]);
    for (uint32_t k = 1; k < s->arms; k++) {
        sb_add(e->out, "\tsetp.eq.u32 %%p%u, %%t0, %u;\n", e->preds, k);
        sb_add(e->out, "\tselp.b64 %%a0, %%w%u, %%a0, %%p%u;\n", s->window[k], e->preds++);
    }
    sb_add(e->out, "\tmov.u64 %%a1, %%a0;\n");
}

static void emit_any(struct emit *e, const struct gen_stmt *s) {
    struct sb guard = {0};
    if (s->guarded) sb_add(&guard, "@%%p%u ", condition(e, &s->cond));
    const char *when = guard.text ? guard.text : "";
    emit_window(e, s);
    element(e, "%a1", s->a, GEN_WORDS);
    if (s->kind == GEN_ANY_PUT)
        sb_add(e->out, "\tmov.u32 %%t1, %s;\n\t%sst.u32 [%%a0], %%t1;\n", TEXT(s->b), when);
    else
        sb_add(e->out, "\t%sld.u32 %%v%u, [%%a0];\n", when, s->dst);
    sb_free(&guard);
}

static void emit_any_atomic(struct emit *e, const struct gen_stmt *s) {
    const uint32_t p = e->preds++;
    sb_add(e->out, "\tmov.u32 %%u, %s;\n\tand.b32 %%t0, %s, 1;\n", TEXT(s->a), TEXT(s->c));
    sb_add(e->out, "\tsetp.ne.u32 %%p%u, %%t0, 0;\n\tmov.u64 %%a1, counts;\n", p);
    sb_add(e->out, "\tcvta.shared.u64 %%a1, %%a1;\n\tselp.b64 %%a0, %%cells, %%a1, %%p%u;\n", p);
    if (s->guarded) {
        uint32_t only = condition(e, &s->cond);
        sb_add(e->out, "\t@%%p%u ", only);
    }
    sb_add(e->out, "\t%s.%s %s[%%a0+%u], %%u;\n", s->form ? "red" : "atom", atomic_name[s->n],
           s->form ? "" : "%t1, ", 4 * s->n);
}

/* ---- the block together ---- */

static void emit_exchange(struct emit *e, const struct gen_stmt *s) {
    sb_add(e->out, "\tst.shared.u32 [%%post], %s;\n\tbar.sync 0;\n\tadd.u32 %%t0, %%me, %u;\n", TEXT(s->b),
           s->n + 1);
    sb_add(e->out, "\trem.u32 %%t0, %%t0, %u;\n\tshl.b32 %%t0, %%t0, 2;\n\tmov.u32 %%t1, posts;\n",
           e->k->block);
    sb_add(e->out, "\tadd.u32 %%t0, %%t0, %%t1;\n\tld.shared.u32 %%v%u, [%%t0];\n\tbar.sync 0;\n", s->dst);
}

/* mask: register of the lanes that take part */
static void emit_shuffle(struct emit *e, const struct gen_stmt *s, const char *mask) {
    uint32_t p = e->preds++;
    sb_add(e->out, "\txor.b32 %%t0, %%lane, %u;\n\tmov.u32 %%t1, %s;\n", s->n, TEXT(s->b));
    sb_add(e->out, "\tshfl.sync.idx.b32 %%t2, %%t1, %%t0, 31, %s;\n\tshr.u32 %%t0, %s, %%t0;\n", mask, mask);
    sb_add(e->out, "\tand.b32 %%t0, %%t0, 1;\n\tsetp.ne.u32 %%p%u, %%t0, 0;\n", p);
    sb_add(e->out, "\tselp.b32 %%v%u, %%t2, %%t1, %%p%u;\n", s->dst, p);
}

/* A shuffle among the lanes whose threads have not ended. */
static void emit_shuffle_all(struct emit *e, const struct gen_stmt *s) {
    if (!e->k->early) {
        emit_shuffle(e, s, "%all");
        return;
    }
    sb_add(e->out, "\tsetp.eq.u32 %%p%u, 0, 0;\n\tvote.sync.ballot.b32 %%arm, %%p%u, -1;\n", e->preds,
           e->preds);
    e->preds++;
    emit_shuffle(e, s, "%arm");
}

static void emit_vote(struct emit *e, const struct gen_stmt *s) {
    uint32_t p = condition(e, &s->cond);
    if (s->form < 2) {
        sb_add(e->out, "\tvote.sync.ballot.b32 %%t1, %%p%u, -1;\n", p);
        sb_add(e->out, "\t%s %%v%u, %%t1;\n", s->form ? "popc.b32" : "mov.u32", s->dst);
    } else {
        sb_add(e->out, "\tvote.sync.%s.pred %%p%u, %%p%u, -1;\n", s->form == 2 ? "any" : "all", e->preds, p);
        sb_add(e->out, "\tselp.u32 %%v%u, 1, 0, %%p%u;\n", s->dst, e->preds++);
    }
}

static void emit_arm(struct emit *e, const struct gen_stmt *s) {
    uint32_t p = condition(e, &s->cond), out = label(e);
    sb_add(e->out, "\tvote.sync.ballot.b32 %%arm, %%p%u, -1;\n\t@!%%p%u bra L%u;\n", p, p, out);
    list(e, s->body[0]);
    emit_shuffle(e, s, "%arm");
    place(e, out);
}

static void emit_repeat(struct emit *e, const struct gen_stmt *s) {
    uint32_t k = e->counters++, head = label(e), p = e->preds++;
    sb_add(e->out, "\tmov.u32 %%k%u, %u;\n", k, s->n);
    place(e, head);
    list(e, s->body[0]);
    sb_add(e->out, "\tsub.u32 %%k%u, %%k%u, 1;\n\tsetp.ne.u32 %%p%u, %%k%u, 0;\n\t@%%p%u bra L%u;\n", k, k, p,
           k, p, head);
}

static void emit_when(struct emit *e, const struct gen_stmt *s) {
    uint32_t out = label(e), p = e->preds++;
    sb_add(e->out, "\tand.b32 %%t0, %%cta, 1;\n\tsetp.eq.u32 %%p%u, %%t0, 0;\n\t@%%p%u bra.uni L%u;\n", p, p,
           out);
    list(e, s->body[0]);
    place(e, out);
}

static void emit_collect(struct emit *e, const struct gen_stmt *s) {
    sb_add(e->out, "\tbar.sync 0;\n\tld.shared.u32 %%v%u, [counts+%u];\n\tbar.sync 0;\n", s->dst, 4 * s->n);
}

static void statement(struct emit *e, const struct gen_stmt *s) {
    switch (s->kind) {
    case GEN_OP: emit_op(e, s); break;
    case GEN_READ:
    case GEN_LOCAL_PUT:
    case GEN_LOCAL_GET:
    case GEN_SLOT_PUT:
    case GEN_SLOT_GET: emit_memory(e, s); break;
    case GEN_ATOMIC:
    case GEN_ATOMIC_CTA:
        sb_add(e->out, "\tmov.u32 %%u, %s;\n", TEXT(s->a));
        emit_atomic(e, s);
        break;
    case GEN_ANY_PUT:
    case GEN_ANY_GET: emit_any(e, s); break;
    case GEN_ANY_ATOMIC: emit_any_atomic(e, s); break;
    case GEN_IF: emit_if(e, s); break;
    case GEN_LOOP: emit_loop(e, s); break;
    case GEN_BREAK: sb_add(e->out, "\t@%%p%u bra L%u;\n", condition(e, &s->cond), e->loop.out); break;
    case GEN_CONTINUE: sb_add(e->out, "\t@%%p%u bra L%u;\n", condition(e, &s->cond), e->loop.next); break;
    case GEN_SWITCH: emit_switch(e, s); break;
    case GEN_CALL:
    case GEN_CALL_TABLE:
    case GEN_RECUR: emit_any_call(e, s); break;
    case GEN_EXIT:
    case GEN_RETURN:
    case GEN_NEVER: emit_leave(e, s); break;
    case GEN_GRAPH: emit_graph(e, s->graph); break;
    case GEN_EXCHANGE: emit_exchange(e, s); break;
    case GEN_COLLECT: emit_collect(e, s); break;
    case GEN_SHUFFLE: emit_shuffle_all(e, s); break;
    case GEN_VOTE: emit_vote(e, s); break;
    case GEN_ARM: emit_arm(e, s); break;
    case GEN_REPEAT: emit_repeat(e, s); break;
    case GEN_WHEN: emit_when(e, s); break;
    }
}

static void list(struct emit *e, const struct gen_stmt *s) {
    for (; s; s = s->next) statement(e, s);
}

/* ---- functions and the kernel ---- */

static void declare(const struct emit *e, struct sb *out, uint32_t vars) {
    sb_add(
        out,
        "\t.reg .b32 %%v<%u>, %%t<3>, %%u, %%k<%u>, %%F, %%depth, %%me, %%lane, %%cta, %%gid, %%all, %%arm, "
        "%%post;\n",
        vars, e->counters + 1);
    sb_add(out,
           "\t.reg .b64 %%a<2>, %%frame, %%input, %%mine, %%slots, %%cells, %%w<%u>;\n\t.reg .pred "
           "%%p<%u>;\n",
           GEN_NWINDOWS, e->preds + 1);
    sb_add(out, "\tmov.u64 %%w%u, constants;\n\tcvta.const.u64 %%w%u, %%w%u;\n", GEN_IN_CONST, GEN_IN_CONST,
           GEN_IN_CONST);
    if (!e->k->frame) return;
    sb_add(out, "\t.local .align 4 .b8 array[%u];\n\tmov.u64 %%frame, array;\n", 4 * GEN_LOCALS);
    for (uint32_t l = 0; l < GEN_LOCALS; l++) sb_add(out, "\tst.local.u32 [%%frame+%u], %u;\n", 4 * l, l);
    sb_add(out, "\tcvta.local.u64 %%w%u, %%frame;\n", GEN_IN_LOCAL);
}

static void emit_func(const struct gen_kernel *k, uint32_t f, struct sb *out) {
    struct sb body = {0};
    struct emit e = {.k = k, .out = &body, .in_func = true, .func = f};
    list(&e, k->func[f]);
    sb_add(out, ".func (.param .u32 r) f%u(.param .u32 x, .param .u32 d)\n{\n", f);
    declare(&e, out, GEN_FUNC_VARS);
    sb_add(out, "\tld.param.u32 %%v0, [x];\n\tmul.lo.u32 %%v1, %%v0, 77;\n\tld.param.u32 %%depth, [d];\n");
    sb_add(out, "\tmov.u32 %%v2, %%depth;\n\tmov.u32 %%F, %u;\n%s", GEN_FUNC_FUEL, body.text);
    give_back(&e, out, "");
    sb_addn(out, e.away.text ? e.away.text : "", e.away.len);
    sb_add(out, "}\n");
    sb_free(&e.away);
    sb_free(&body);
}

/* %w: the windows, by generic addresses; a thread's words of shared memory begin with 0. */
static void emit_windows(struct sb *out) {
    sb_add(out, "\tcvta.global.u64 %%w%u, %%slots;\n\tcvta.global.u64 %%w%u, %%input;\n", GEN_IN_SLOTS,
           GEN_IN_INPUT);
    sb_add(out, "\tmov.u64 %%a0, words;\n\tcvta.param.u64 %%w%u, %%a0;\n\tmov.u64 %%a0, own;\n",
           GEN_IN_PARAM);
    sb_add(out, "\tmul.wide.u32 %%a1, %%me, %u;\n\tadd.u64 %%a0, %%a0, %%a1;\n", 4 * GEN_WORDS);
    for (uint32_t k = 0; k < GEN_WORDS; k++) sb_add(out, "\tst.shared.u32 [%%a0+%u], 0;\n", 4 * k);
    sb_add(out, "\tcvta.shared.u64 %%w%u, %%a0;\n", GEN_IN_SHARED);
}

static void emit_start(const struct gen_kernel *k, struct sb *out) {
    sb_add(out, "\tld.param.u64 %%input, [input];\n\tld.param.u64 %%mine, [out];\n\tld.param.u64 %%slots, "
                "[slots];\n");
    sb_add(out, "\tld.param.u64 %%cells, [cells];\n\tmov.u32 %%me, %%tid.x;\n\tmov.u32 %%lane, %%laneid;\n");
    sb_add(out, "\tmov.u32 %%cta, %%ctaid.x;\n\tmad.lo.u32 %%gid, %%cta, %u, %%me;\n", k->block);
    sb_add(
        out,
        "\tmul.wide.u32 %%a0, %%gid, 4;\n\tadd.u64 %%mine, %%mine, %%a0;\n\tmul.wide.u32 %%a0, %%gid, %u;\n",
        4 * GEN_SLOTS);
    sb_add(out, "\tadd.u64 %%slots, %%slots, %%a0;\n\tmov.u32 %%F, %u;\n", GEN_FUEL);
    for (uint32_t v = 0; v < GEN_VARS; v++) {
        sb_add(out, "\tmad.lo.u32 %%t0, %%gid, %u, %u;\n\tand.b32 %%t0, %%t0, %u;\n", v + 1, v,
               GEN_INPUT - 1);
        sb_add(
            out,
            "\tmul.wide.u32 %%a0, %%t0, 4;\n\tadd.u64 %%a0, %%input, %%a0;\n\tld.global.u32 %%v%u, [%%a0];\n",
            v);
    }
    sb_add(out, "\tmov.u32 %%t1, posts;\n\tshl.b32 %%t0, %%me, 2;\n\tadd.u32 %%post, %%t0, %%t1;\n");
    sb_add(out, "\tst.shared.u32 [%%post], 0;\n\tsetp.gt.u32 %%p0, %%me, 3;\n\tmov.u32 %%t1, counts;\n");
    sb_add(out,
           "\tadd.u32 %%t0, %%t0, %%t1;\n\t@!%%p0 st.shared.u32 [%%t0], 0;\n\tsetp.eq.u32 %%p0, 0, 0;\n");
    emit_windows(out);
    sb_add(out, "\tvote.sync.ballot.b32 %%all, %%p0, -1;\n\tbar.sync 0;\n");
}

static void emit_kernel(const struct gen_kernel *k, struct sb *out) {
    struct sb body = {0};
    struct emit e = {.k = k, .out = &body, .preds = 1, .labels = 1};
    list(&e, k->body);
    sb_add(out,
           ".visible .entry generated(.param .u64 input, .param .u64 out, .param .u64 slots, .param "
           ".u64 cells, .param .align 4 .b8 words[%u])\n{\n",
           4 * GEN_WORDS);
    sb_add(out, "\t.shared .align 4 .b8 posts[%u];\n\t.shared .align 4 .b8 counts[%u];\n", 4 * k->block,
           4 * GEN_CELLS);
    sb_add(out, "\t.shared .align 4 .b8 own[%u];\n", 4 * GEN_WORDS * k->block);
    declare(&e, out, GEN_VARS);
    emit_start(k, out);
    sb_add(out, "%sL%u:\n", body.text, e.join);
    finish(&e, out, "", k->seed & 2 ? "ret" : "exit");
    sb_addn(out, e.away.text ? e.away.text : "", e.away.len);
    sb_add(out, "}\n");
    sb_free(&body);
    sb_free(&e.away);
}

void gen_emit(const struct gen_kernel *k, struct sb *out) {
    sb_add(out, "// seed %llu: %s\n.version 7.7\n.target sm_70\n.address_size 64\n",
           (unsigned long long)k->seed, k->unstructured ? "unstructured" : "structured");
    sb_add(out, ".const .align 4 .b32 constants[%u] = {%u, %u, %u, %u};\n", GEN_WORDS, gen_const(k, 0),
           gen_const(k, 1), gen_const(k, 2), gen_const(k, 3));
    if (k->calls) {
        for (uint32_t f = 0; f < GEN_FUNCS; f++)
            sb_add(out, ".func (.param .u32 r) f%u(.param .u32 x, .param .u32 d);\n", f);
        sb_add(out, ".global .u64 functions[%u] = {f0, f1, f2, f3};\n", GEN_FUNCS);
        for (uint32_t f = 0; f < GEN_FUNCS; f++) emit_func(k, f, out);
    }
    emit_kernel(k, out);
}

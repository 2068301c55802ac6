/* From a seed to a kernel's tree.
 *
 * Statements are drawn from a weighted list; what a place allows (a loop around it to break from, threads together so that
 * they may meet, functions to call) is in struct scope. In some kernels threads end early, at any depth, before a place
 * where others meet: an exit is no reason to wait, and those that are left come to that place. What would be a divergent
 * barrier is never made: a way to the end that all share (GEN_EXIT_JOIN) while others meet, on which threads do not end but
 * go on elsewhere, and an exit among threads whose lanes a shuffle names. */
#include "gen.h"

#include "base/bits.h"

struct scope {
    struct gen_kernel *k;
    struct rng rng;
    uint32_t vars;
    int depth;    /* depth of nesting, bounds the tree */
    int budget;   /* statements left */
    bool in_loop; /* break and continue have one */
    bool again;   /* come to more than once: from there a function calls nothing, or calls would multiply */
    bool in_func;
    uint32_t func; /* its number: it calls only higher ones and itself */
    bool may_exit;
    bool at_end; /* nothing that waits follows */
    bool exited; /* some threads may be gone, or the code has an exit that no thread takes */
    bool may_call;
};

static uint32_t below(struct scope *s, uint32_t n) {
    return (uint32_t)rng_below(&s->rng, n);
}
static bool chance(struct scope *s, uint32_t percent) {
    return below(s, 100) < percent;
}

/* Functions know nothing of their thread but what they are given. */
static struct gen_value any_value(struct scope *s) {
    uint32_t r = below(s, 10);
    if (r < 6 || (s->in_func && r >= 8)) return (struct gen_value){GEN_VAR, below(s, s->vars)};
    if (r < 8) return (struct gen_value){GEN_CONST, (uint32_t)rng_next(&s->rng) >> below(s, 31)};
    return (struct gen_value){chance(s, 45) ? GEN_LANE : chance(s, 80) ? GEN_TID : GEN_BLOCK, 0};
}
static struct gen_value any_var(struct scope *s) {
    return (struct gen_value){GEN_VAR, below(s, s->vars)};
}
static struct gen_cond any_cond(struct scope *s) {
    uint32_t mask = (2u << below(s, 4)) - 1;
    struct gen_value v = !s->in_func && chance(s, 20) ? (struct gen_value){GEN_LANE, 0} : any_var(s);
    return (struct gen_cond){v, v.from == GEN_VAR ? below(s, 8) : 0, mask, below(s, mask + 1),
                             (enum gen_compare)below(s, 4)};
}

/* A condition that holds for one value in 8 or 16, so that most threads stay. */
static struct gen_cond rare_cond(struct scope *s) {
    struct gen_cond c = any_cond(s);
    c.mask = chance(s, 50) ? 7 : 15;
    c.with = below(s, c.mask + 1);
    c.compare = GEN_EQ;
    return c;
}
/* A condition that holds for no thread: the masked value is compared with a larger one. No analysis of the simulator
 * sees that. */
static struct gen_cond false_cond(struct scope *s) {
    struct gen_cond c = any_cond(s);
    c.compare = chance(s, 50) ? GEN_EQ : GEN_GE;
    c.with = c.mask + 1 + below(s, 100);
    return c;
}

static struct gen_stmt *list(struct scope *s, int most);

static struct gen_stmt *deeper(struct scope *s, int most) {
    s->depth++;
    struct gen_stmt *l = list(s, most);
    s->depth--;
    return l;
}

/* ---- control flow of one thread ---- */

/* Code before a return. In structured kernels it does not go back into the loop around it. */
static struct gen_stmt *last_words(struct scope *s) {
    const bool in_loop = s->in_loop;
    s->in_loop = in_loop && s->k->unstructured;
    struct gen_stmt *l = deeper(s, 3);
    s->in_loop = in_loop;
    return l;
}

static enum gen_end any_end(struct scope *s) {
    return (enum gen_end)(GEN_END_EXIT + below(s, GEN_END_LOOP));
}

/* An exit, a return of a function, or what looks like one but is never taken. */
static void make_leave(struct scope *s, struct gen_stmt *t, enum gen_kind kind) {
    const bool deep = s->depth >= 4 || s->budget <= 0;
    t->kind = kind;
    t->form = below(s, s->at_end && kind == GEN_EXIT ? GEN_NEXITS : GEN_EXIT_JOIN);
    t->cond = kind == GEN_NEVER ? false_cond(s) : s->at_end && chance(s, 60) ? any_cond(s) : rare_cond(s);
    t->end = kind == GEN_NEVER ? any_end(s) : chance(s, 50) && !s->in_func ? GEN_END_RET : GEN_END_EXIT;
    if (t->end == GEN_END_LOOP && t->form == GEN_EXIT_GUARDED) t->end = GEN_END_TRAP;
    s->exited |= kind != GEN_RETURN;
    if (t->form != GEN_EXIT_AWAY && t->form != GEN_EXIT_INLINE) return;
    if (!deep && chance(s, 60)) t->body[0] = last_words(s);
    if (!deep && t->form == GEN_EXIT_INLINE && chance(s, 30)) t->body[1] = last_words(s);
}

static void make_loop(struct scope *s, struct gen_stmt *t) {
    bool outer = s->in_loop, again = s->again;
    t->a = any_value(s);
    t->form = below(s, 2);
    s->in_loop = s->again = true;
    t->body[0] = deeper(s, 4);
    s->in_loop = outer;
    s->again = again;
}

static void make_switch(struct scope *s, struct gen_stmt *t) {
    t->a = any_var(s);
    t->arms = 2 + below(s, GEN_ARMS - 1);
    t->form = below(s, 2);
    for (uint32_t k = 0; k < t->arms; k++) {
        t->body[k] = deeper(s, 2);
        t->falls[k] = chance(s, 30);
    }
    if (chance(s, 30)) t->end = any_end(s);
    s->exited |= t->end != GEN_END_NONE;
}

static void make_node(struct scope *s, struct gen_node *n, uint32_t self, uint32_t count) {
    n->body = deeper(s, 2);
    n->ways = chance(s, 25) ? 1 : chance(s, 70) ? 2 : 3 + below(s, 2);
    n->cond = any_cond(s);
    n->value = any_var(s);
    for (uint32_t w = 0; w < n->ways; w++)
        n->to[w] = chance(s, 30) ? below(s, self + 1) : self + 1 + below(s, count - self);
}

/* Breaks and continues of a loop around the graph would be jumps out of it: the emitter allows them, they go to labels. */
static void make_graph(struct scope *s, struct gen_stmt *t) {
    struct gen_graph *g = ARENA_NEW(&s->k->mem, struct gen_graph, 1);
    bool again = s->again;
    s->again = true;
    g->n = 3 + below(s, GEN_NODES - 2);
    for (uint32_t i = 0; i < g->n; i++) make_node(s, &g->node[i], i, g->n);
    s->again = again;
    t->graph = g;
}

/* From a function: only higher numbers, with half the depth, so that calls end. */
static void make_call(struct scope *s, struct gen_stmt *t) {
    t->dst = below(s, s->vars);
    t->a = any_value(s);
    t->b = any_var(s);
    t->c = any_var(s);
    if (s->in_func) {
        uint32_t higher = GEN_FUNCS - 1 - s->func;
        t->kind = higher && chance(s, 50) ? GEN_CALL : GEN_RECUR;
        t->n = t->kind == GEN_CALL ? s->func + 1 + below(s, higher) : s->func;
        s->may_call = false;
    } else {
        t->kind = chance(s, 60) ? GEN_CALL : GEN_CALL_TABLE;
        t->n = below(s, GEN_FUNCS);
        s->exited |= s->k->func_exits;
    }
}

/* A function knows its own frame, and the constants. */
static enum gen_window any_window(struct scope *s, bool written) {
    enum gen_window w;
    do {
        w = (enum gen_window)below(s, written ? GEN_WRITABLE : GEN_NWINDOWS);
    } while ((w == GEN_IN_LOCAL && !s->k->frame) || (s->in_func && w != GEN_IN_LOCAL && w != GEN_IN_CONST));
    return w;
}

static enum gen_kind any_plain(struct scope *s) {
    static const enum gen_kind kinds[] = {GEN_LOCAL_PUT, GEN_LOCAL_GET,  GEN_READ,       GEN_SLOT_PUT,
                                          GEN_SLOT_GET,  GEN_ATOMIC,     GEN_ATOMIC,     GEN_ATOMIC_CTA,
                                          GEN_ANY_GET,   GEN_ATOMIC_CTA, GEN_ANY_ATOMIC, GEN_ANY_PUT,
                                          GEN_ANY_GET,   GEN_ANY_PUT};
    static const enum gen_kind in_func[] = {GEN_LOCAL_PUT, GEN_LOCAL_GET, GEN_ANY_GET, GEN_ANY_PUT};
    if (chance(s, 50)) return GEN_OP;
    if (s->in_func) return s->k->frame ? in_func[below(s, 4)] : GEN_ANY_GET;
    return kinds[s->k->frame ? below(s, 14) : 2 + below(s, 12)];
}

static void make_plain(struct scope *s, struct gen_stmt *t) {
    t->kind = any_plain(s);
    t->op = below(s, GEN_NOPS);
    t->dst = below(s, s->vars);
    t->a = any_value(s);
    t->b = any_value(s);
    t->c = any_value(s);
    t->n = below(s, GEN_CELLS);
    t->form = below(s, 2);
    t->guarded = chance(s, 25);
    t->cond = any_cond(s);
    t->arms = 1 + below(s, GEN_ARMS);
    if (t->kind == GEN_ANY_PUT || t->kind == GEN_ANY_GET)
        for (uint32_t k = 0; k < t->arms; k++) t->window[k] = any_window(s, t->kind == GEN_ANY_PUT);
}

static void make_thread(struct scope *s, struct gen_stmt *t) {
    uint32_t r = below(s, 100);
    bool deep = s->depth >= 4 || s->budget <= 0;
    t->cond = any_cond(s);
    if (s->in_loop && r < 12) {
        t->kind = chance(s, 60) ? GEN_BREAK : GEN_CONTINUE;
    } else if (s->may_exit && r < 17) {
        make_leave(s, t, GEN_EXIT);
    } else if (s->in_func && r < 19) {
        make_leave(s, t, GEN_RETURN);
    } else if (r > 97) {
        make_leave(s, t, GEN_NEVER);
    } else if (!deep && r < 35) {
        t->kind = GEN_IF;
        t->form = below(s, 2);
        t->body[0] = deeper(s, 4);
        if (chance(s, 60)) t->body[1] = deeper(s, 3);
    } else if (!deep && r < 47) {
        t->kind = GEN_LOOP;
        make_loop(s, t);
    } else if (!deep && r < 53) {
        t->kind = GEN_SWITCH;
        make_switch(s, t);
    } else if (!deep && r < 62 && s->k->unstructured && s->depth < 3) {
        t->kind = GEN_GRAPH;
        make_graph(s, t);
    } else if (s->may_call && r < 68 && (!s->again || (!s->in_func && chance(s, 30)))) {
        make_call(s, t);
    } else {
        make_plain(s, t);
    }
}

static struct gen_stmt *list(struct scope *s, int most) {
    struct gen_stmt *head = NULL, **tail = &head;
    for (uint32_t n = 1 + below(s, (uint32_t)most); n > 0; n--) {
        s->budget--;
        *tail = ARENA_NEW(&s->k->mem, struct gen_stmt, 1);
        make_thread(s, *tail);
        tail = &(*tail)->next;
    }
    return head;
}

/* ---- the block together ---- */

static struct gen_stmt *together(struct scope *s, int most);

/* The threads of the arm stay until the shuffle that names their lanes. */
static void make_arm(struct scope *s, struct gen_stmt *t) {
    const bool may_exit = s->may_exit, may_call = s->may_call;
    s->may_exit = false;
    s->may_call = may_call && !s->k->func_exits;
    t->body[0] = deeper(s, 3);
    s->may_exit = may_exit;
    s->may_call = may_call;
}

static void make_meeting(struct scope *s, struct gen_stmt *t) {
    static const enum gen_kind kinds[] = {GEN_EXCHANGE, GEN_EXCHANGE, GEN_COLLECT,
                                          GEN_VOTE,     GEN_SHUFFLE,  GEN_ARM};
    t->kind = kinds[below(s, 6)];
    t->dst = below(s, s->vars);
    t->b = any_var(s);
    t->cond = any_cond(s);
    t->form = below(s, 4);
    t->n = t->kind == GEN_SHUFFLE || t->kind == GEN_ARM ? 1 + below(s, 31) : below(s, GEN_CELLS);
    if (t->kind == GEN_ARM) make_arm(s, t);
    s->k->leaves |= s->exited;
}

static void make_together(struct scope *s, struct gen_stmt *t) {
    uint32_t r = below(s, 100);
    if (r < 40) {
        make_meeting(s, t);
    } else if (r < 47 && s->depth < 1) {
        t->kind = chance(s, 60) ? GEN_REPEAT : GEN_WHEN;
        t->n = 1 + below(s, 3);
        s->depth++;
        t->body[0] = together(s, 4);
        s->depth--;
        s->k->leaves |= s->exited; /* who meets in a second round */
    } else if (r < 51 && s->may_exit) {
        make_leave(s, t, GEN_EXIT);
    } else {
        make_thread(s, t);
    }
}

static struct gen_stmt *together(struct scope *s, int most) {
    struct gen_stmt *head = NULL, **tail = &head;
    for (uint32_t n = 2 + below(s, (uint32_t)most); n > 0; n--) {
        s->budget--;
        *tail = ARENA_NEW(&s->k->mem, struct gen_stmt, 1);
        make_together(s, *tail);
        tail = &(*tail)->next;
    }
    return head;
}

/* ---- the kernel ---- */

static void make_functions(struct scope *s) {
    for (uint32_t f = 0; f < GEN_FUNCS; f++) {
        const bool may_exit = s->k->func_exits && chance(s, 50);
        struct scope inner = {.k = s->k, .rng = s->rng, .vars = GEN_FUNC_VARS, .depth = 2, .budget = 8};
        inner.in_func = inner.may_call = true;
        inner.may_exit = may_exit;
        inner.func = f;
        s->k->func[f] = list(&inner, 6);
        s->rng = inner.rng;
    }
}

void gen_make(struct gen_kernel *k, uint64_t seed) {
    static const uint32_t blocks[] = {32, 64, 96, 128, 33, 40, 17, 70};
    *k = (struct gen_kernel){.seed = seed, .unstructured = seed & 1};
    struct scope s = {.k = k, .rng = {seed * 0x9e3779b97f4a7c15u + 1}, .vars = GEN_VARS, .budget = 40};
    k->block = blocks[below(&s, sizeof blocks / sizeof *blocks)];
    k->grid = 1 + below(&s, 2);
    k->calls = s.may_call = chance(&s, 60);
    k->frame = chance(&s, 65);
    k->early = s.may_exit = chance(&s, 65);
    k->func_exits = k->calls && k->early && chance(&s, 50);
    if (k->calls) make_functions(&s);
    k->body = together(&s, 10);
    s.may_exit = s.at_end = true;
    struct gen_stmt **tail = &k->body;
    while (*tail) tail = &(*tail)->next;
    *tail = list(&s, 6);
}

void gen_free(struct gen_kernel *k) {
    arena_free(&k->mem);
}

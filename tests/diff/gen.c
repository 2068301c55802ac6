/* From a seed to a kernel's tree.
 *
 * Statements are drawn from a weighted list; what a place allows (a loop around it to break from, threads together so that
 * they may meet, functions to call) is in struct scope. Threads may end early before a place where others wait only in
 * uniform code, under a guard or by a branch of their own: deeper, a post-dominator stack would hold back the threads that
 * run on from those that leave, and never reach the barrier, which is a fault of the kernel, not of the stack. After the
 * last meeting all ways out are allowed. */
#include "gen.h"

#include "base/bits.h"

struct scope {
    struct gen_kernel *k;
    struct rng rng;
    uint32_t vars;
    int depth;    /* of nesting, bounds the tree */
    int budget;   /* statements left */
    bool in_loop; /* break and continue have one */
    bool again;   /* come to more than once: from there a function calls nothing, or calls would multiply */
    bool in_func;
    uint32_t func; /* its number: it calls only higher ones and itself */
    bool may_exit; /* nothing that waits follows */
    bool exited;   /* some threads may be gone: what they would have shuffled is undefined */
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

static struct gen_stmt *list(struct scope *s, int most);

static struct gen_stmt *deeper(struct scope *s, int most) {
    s->depth++;
    struct gen_stmt *l = list(s, most);
    s->depth--;
    return l;
}

/* ---- control flow of one thread ---- */

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
    }
}

static void make_plain(struct scope *s, struct gen_stmt *t) {
    static const enum gen_kind kinds[] = {GEN_LOCAL_PUT, GEN_LOCAL_GET,  GEN_READ,
                                          GEN_SLOT_PUT,  GEN_SLOT_GET,   GEN_ATOMIC,
                                          GEN_ATOMIC,    GEN_ATOMIC_CTA, GEN_ATOMIC_CTA};
    t->kind = chance(s, 50) ? GEN_OP : kinds[below(s, s->in_func ? 2 : 9)];
    t->op = below(s, GEN_NOPS);
    t->dst = below(s, s->vars);
    t->a = any_value(s);
    t->b = any_value(s);
    t->c = any_value(s);
    t->n = below(s, GEN_CELLS);
    t->form = below(s, 2);
    t->guarded = chance(s, 25);
    t->cond = any_cond(s);
}

static void make_thread(struct scope *s, struct gen_stmt *t) {
    uint32_t r = below(s, 100);
    bool deep = s->depth >= 4 || s->budget <= 0;
    t->cond = any_cond(s);
    if (s->in_loop && r < 12) {
        t->kind = chance(s, 60) ? GEN_BREAK : GEN_CONTINUE;
    } else if (s->may_exit && r < 15) {
        t->kind = GEN_EXIT;
        t->form = below(s, GEN_NEXITS);
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

static void make_meeting(struct scope *s, struct gen_stmt *t) {
    static const enum gen_kind kinds[] = {GEN_EXCHANGE, GEN_EXCHANGE, GEN_COLLECT,
                                          GEN_VOTE,     GEN_SHUFFLE,  GEN_ARM};
    t->kind = kinds[below(s, s->exited ? 4 : 6)];
    t->dst = below(s, s->vars);
    t->b = any_var(s);
    t->cond = any_cond(s);
    t->form = below(s, 4);
    t->n = t->kind == GEN_SHUFFLE || t->kind == GEN_ARM ? 1 + below(s, 31) : below(s, GEN_CELLS);
    if (t->kind == GEN_ARM) t->body[0] = deeper(s, 3);
}

static void make_together(struct scope *s, struct gen_stmt *t) {
    uint32_t r = below(s, 100);
    if (r < 40) {
        make_meeting(s, t);
    } else if (r < 47 && s->depth < 1) {
        t->kind = chance(s, 60) ? GEN_REPEAT : GEN_WHEN;
        t->n = 1 + below(s, 3);
        s->depth++; /* which keeps exits out: a second round may shuffle */
        t->body[0] = together(s, 4);
        s->depth--;
    } else if (r < 51 && s->depth < 1) {
        t->kind = GEN_EXIT;
        t->cond = any_cond(s);
        t->form = chance(s, 50) ? GEN_EXIT_AWAY : GEN_EXIT_GUARDED;
        s->exited = true;
        s->k->leaves |= t->form == GEN_EXIT_AWAY;
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
        struct scope inner = {.k = s->k, .rng = s->rng, .vars = GEN_FUNC_VARS, .depth = 2, .budget = 8};
        inner.in_func = inner.may_call = true;
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
    if (k->calls) make_functions(&s);
    k->body = together(&s, 10);
    s.may_exit = true;
    struct gen_stmt **tail = &k->body;
    while (*tail) tail = &(*tail)->next;
    *tail = list(&s, 6);
}

void gen_free(struct gen_kernel *k) {
    arena_free(&k->mem);
}

/* A kernel's tree run directly: one thread after another between the places where a block's threads meet. Nothing here
 * knows of PTX, registers, masks or warps beyond the lanes a shuffle names. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "gen.h"

enum way { WAY_ON, WAY_BREAK, WAY_CONTINUE, WAY_RETURN, WAY_EXIT };

struct thread {
    uint32_t v[GEN_VARS], local[GEN_LOCALS];
    uint32_t fuel, depth, tid, block;
    bool ended, is_func;
    uint32_t func;
    struct block *b;
};
struct block {
    const struct gen_kernel *k;
    struct gen_memory *m;
    uint32_t index, counts[GEN_CELLS], posts[GEN_THREADS], own[GEN_THREADS][GEN_WORDS];
    struct thread t[GEN_THREADS];
};

static enum way run(struct thread *t, const struct gen_stmt *s);

static uint32_t value(const struct thread *t, struct gen_value v) {
    switch (v.from) {
    case GEN_VAR: return t->v[v.n];
    case GEN_CONST: return v.n;
    case GEN_TID: return t->tid;
    case GEN_LANE: return t->tid % 32;
    default: return t->block;
    }
}

static bool holds(const struct thread *t, const struct gen_cond *c) {
    uint32_t x = value(t, c->value) >> c->shift & c->mask;
    switch (c->compare) {
    case GEN_EQ: return x == c->with;
    case GEN_NE: return x != c->with;
    case GEN_LT: return x < c->with;
    default: return x >= c->with;
    }
}

static uint32_t compute(uint32_t op, uint32_t a, uint32_t b, uint32_t c) {
    switch (op) {
#define X(id, name, operands, odd, expr) \
    case GEN_##id:                       \
        if (odd) b |= 1;                 \
        return expr;
        GEN_OPS(X)
#undef X
    default: return 0;
    }
}

static void combine(uint32_t *cell, uint32_t n, uint32_t x) {
    switch (n) {
    case 0: *cell += x; break;
    case 1: *cell |= x; break;
    case 2: *cell = x > *cell ? x : *cell; break;
    default: *cell ^= x;
    }
}

/* ---- one thread ---- */

static enum way call(struct thread *from, uint32_t dst, uint32_t f, uint32_t x, uint32_t depth) {
    struct thread t = {.fuel = GEN_FUNC_FUEL, .depth = depth, .is_func = true, .func = f, .b = from->b};
    t.v[0] = x;
    t.v[1] = x * 77;
    t.v[2] = depth;
    for (uint32_t l = 0; l < GEN_LOCALS; l++) t.local[l] = l;
    if (run(&t, t.b->k->func[f]) == WAY_EXIT) {
        from->ended = true;
        return WAY_EXIT;
    }
    uint32_t r = (t.v[0] * 31 + t.v[1]) * 31 + t.v[2];
    for (uint32_t l = 0; l < GEN_LOCALS && t.b->k->frame; l++) r += t.local[l];
    from->v[dst] = r;
    return WAY_ON;
}

static enum way run_call(struct thread *t, const struct gen_stmt *s) {
    uint32_t x = value(t, s->a);
    if (s->kind == GEN_RECUR) return t->depth ? call(t, s->dst, t->func, x, t->depth - 1) : WAY_ON;
    uint32_t f = s->kind == GEN_CALL ? s->n : value(t, s->c) % GEN_FUNCS;
    return call(t, s->dst, f, x, t->is_func ? t->depth / 2 : value(t, s->b) & 3);
}

static bool burn(struct thread *t) {
    return t->fuel && t->fuel--;
}

static enum way run_loop(struct thread *t, const struct gen_stmt *s) {
    uint32_t k = (value(t, s->a) & 7) + s->form;
    if (s->form == 0 && !(k && burn(t))) return WAY_ON;
    do {
        enum way w = run(t, s->body[0]);
        if (w == WAY_BREAK) break;
        if (w == WAY_RETURN || w == WAY_EXIT) return w;
    } while (--k && burn(t));
    return WAY_ON;
}

static uint32_t choose(const struct thread *t, struct gen_value v, uint32_t ways) {
    uint32_t x = value(t, v) & 3;
    return x < ways ? x : ways - 1;
}

static enum way run_switch(struct thread *t, const struct gen_stmt *s) {
    uint32_t a = choose(t, s->a, s->arms);
    do {
        enum way w = run(t, s->body[a]);
        if (w != WAY_ON) return w;
    } while (s->falls[a] && ++a < s->arms);
    return WAY_ON;
}

static enum way run_graph(struct thread *t, const struct gen_graph *g) {
    for (uint32_t at = 0; at < g->n;) {
        const struct gen_node *n = &g->node[at];
        enum way w = run(t, n->body);
        if (w != WAY_ON) return w;
        uint32_t way = n->ways == 1 ? 0 : n->ways == 2 ? holds(t, &n->cond) : choose(t, n->value, n->ways);
        at = n->to[way] > at || burn(t) ? n->to[way] : at + 1;
    }
    return WAY_ON;
}

static void finish(struct thread *t) {
    uint32_t h = 0;
    for (uint32_t v = 0; v < GEN_VARS; v++) h = h * 31 + t->v[v];
    for (uint32_t l = 0; l < GEN_LOCALS && t->b->k->frame; l++) h = h * 31 + t->local[l];
    t->b->m->out[t->block * t->b->k->block + t->tid] = h;
    t->b->m->cells[GEN_CELLS] += h;
    t->ended = true;
}

static uint32_t *slots_of(const struct thread *t) {
    return t->b->m->slots + (size_t)GEN_SLOTS * (t->block * t->b->k->block + t->tid);
}

static enum gen_window window_of(const struct thread *t, const struct gen_stmt *s) {
    return s->window[choose(t, s->c, s->arms)];
}

static uint32_t read_any(const struct thread *t, enum gen_window w, uint32_t i) {
    switch (w) {
    case GEN_IN_SLOTS: return slots_of(t)[i];
    case GEN_IN_SHARED: return t->b->own[t->tid][i];
    case GEN_IN_LOCAL: return t->local[i];
    case GEN_IN_CONST: return gen_const(t->b->k, i);
    case GEN_IN_PARAM: return gen_param(t->b->k, i);
    default: return t->b->m->input[i];
    }
}

static void write_any(struct thread *t, enum gen_window w, uint32_t i, uint32_t x) {
    *(w == GEN_IN_SLOTS ? &slots_of(t)[i] : w == GEN_IN_SHARED ? &t->b->own[t->tid][i] : &t->local[i]) = x;
}

static void run_plain(struct thread *t, const struct gen_stmt *s) {
    struct gen_memory *m = t->b->m;
    uint32_t a = value(t, s->a), b = value(t, s->b);
    uint32_t *slots = t->is_func ? NULL : slots_of(t);
    if (s->guarded && !holds(t, &s->cond)) return;
    switch (s->kind) {
    case GEN_OP: t->v[s->dst] = compute(s->op, a, b, value(t, s->c)); break;
    case GEN_READ: t->v[s->dst] = m->input[a % GEN_INPUT]; break;
    case GEN_LOCAL_PUT: t->local[a % GEN_LOCALS] = b; break;
    case GEN_LOCAL_GET: t->v[s->dst] = t->local[a % GEN_LOCALS]; break;
    case GEN_SLOT_PUT: slots[a % GEN_SLOTS] = b; break;
    case GEN_SLOT_GET: t->v[s->dst] = slots[a % GEN_SLOTS]; break;
    case GEN_ATOMIC: combine(&m->cells[s->n], s->n, a); break;
    case GEN_ATOMIC_CTA: combine(&t->b->counts[s->n], s->n, a); break;
    case GEN_ANY_PUT: write_any(t, window_of(t, s), a % GEN_WORDS, b); break;
    case GEN_ANY_GET: t->v[s->dst] = read_any(t, window_of(t, s), a % GEN_WORDS); break;
    default: combine(value(t, s->c) & 1 ? &m->cells[s->n] : &t->b->counts[s->n], s->n, a);
    }
}

static enum way run_leave(struct thread *t, const struct gen_stmt *s) {
    if (!holds(t, &s->cond)) return WAY_ON;
    const enum way w = run(t, s->body[0]);
    if (w != WAY_ON) return w;
    if (s->kind == GEN_RETURN) return WAY_RETURN;
    if (t->is_func)
        t->ended = true;
    else
        finish(t);
    return WAY_EXIT;
}

static enum way run_one(struct thread *t, const struct gen_stmt *s) {
    switch (s->kind) {
    case GEN_IF: return run(t, s->body[!holds(t, &s->cond)]);
    case GEN_LOOP: return run_loop(t, s);
    case GEN_SWITCH: return run_switch(t, s);
    case GEN_GRAPH: return run_graph(t, s->graph);
    case GEN_BREAK: return holds(t, &s->cond) ? WAY_BREAK : WAY_ON;
    case GEN_CONTINUE: return holds(t, &s->cond) ? WAY_CONTINUE : WAY_ON;
    case GEN_EXIT:
    case GEN_RETURN: return run_leave(t, s);
    case GEN_NEVER: return WAY_ON;
    case GEN_CALL:
    case GEN_CALL_TABLE:
    case GEN_RECUR: return run_call(t, s);
    default: run_plain(t, s); return WAY_ON;
    }
}

static enum way run(struct thread *t, const struct gen_stmt *s) {
    enum way w = WAY_ON;
    for (; s && w == WAY_ON; s = s->next) w = run_one(t, s);
    return w;
}

/* ---- the block together ---- */

#define EACH(t, b)                                                   \
    for (struct thread *t = (b)->t; t < (b)->t + (b)->k->block; t++) \
        if (!t->ended)

static void exchange(struct block *b, const struct gen_stmt *s) {
    EACH(t, b) b->posts[t->tid] = value(t, s->b);
    EACH(t, b) t->v[s->dst] = b->posts[(t->tid + s->n + 1) % b->k->block];
}

/* Among the threads that take part; the values are those before any thread's changed. */
static void shuffle(struct block *b, const struct gen_stmt *s, const bool *part) {
    uint32_t before[GEN_THREADS] = {0};
    EACH(t, b) before[t->tid] = value(t, s->b);
    EACH(t, b) {
        uint32_t from = t->tid ^ s->n; /* n < 32: the same warp */
        if (part[t->tid]) t->v[s->dst] = before[from < b->k->block && part[from] ? from : t->tid];
    }
}

static void shuffle_all(struct block *b, const struct gen_stmt *s) {
    bool part[GEN_THREADS] = {false};
    EACH(t, b) part[t->tid] = true;
    shuffle(b, s, part);
}

static void vote(struct block *b, const struct gen_stmt *s) {
    uint32_t yes[GEN_THREADS / 32] = {0}, there[GEN_THREADS / 32] = {0};
    EACH(t, b) {
        there[t->tid / 32] |= 1u << t->tid % 32;
        if (holds(t, &s->cond)) yes[t->tid / 32] |= 1u << t->tid % 32;
    }
    EACH(t, b) {
        uint32_t y = yes[t->tid / 32], all = there[t->tid / 32];
        t->v[s->dst] = s->form == 0   ? y
                       : s->form == 1 ? (uint32_t)__builtin_popcount(y)
                       : s->form == 2 ? y != 0
                                      : y == all;
    }
}

static void arm(struct block *b, const struct gen_stmt *s) {
    bool part[GEN_THREADS] = {false};
    EACH(t, b) part[t->tid] = holds(t, &s->cond);
    EACH(t, b) {
        if (part[t->tid]) run(t, s->body[0]);
    }
    shuffle(b, s, part);
}

static void together(struct block *b, const struct gen_stmt *s) {
    for (; s; s = s->next) switch (s->kind) {
        case GEN_EXCHANGE: exchange(b, s); break;
        case GEN_COLLECT: EACH(t, b) t->v[s->dst] = b->counts[s->n]; break;
        case GEN_SHUFFLE: shuffle_all(b, s); break;
        case GEN_VOTE: vote(b, s); break;
        case GEN_ARM: arm(b, s); break;
        case GEN_REPEAT:
            for (uint32_t k = 0; k < s->n; k++) together(b, s->body[0]);
            break;
        case GEN_WHEN:
            if (b->index & 1) together(b, s->body[0]);
            break;
        default: EACH(t, b) run_one(t, s);
        }
}

static void start(struct block *b) {
    memset(b->counts, 0, sizeof b->counts);
    memset(b->posts, 0, sizeof b->posts);
    memset(b->own, 0, sizeof b->own);
    for (uint32_t i = 0; i < b->k->block; i++) {
        uint32_t gid = b->index * b->k->block + i;
        b->t[i] = (struct thread){.fuel = GEN_FUEL, .tid = i, .block = b->index, .b = b};
        for (uint32_t v = 0; v < GEN_VARS; v++) b->t[i].v[v] = b->m->input[(gid * (v + 1) + v) % GEN_INPUT];
        for (uint32_t l = 0; l < GEN_LOCALS; l++) b->t[i].local[l] = l;
    }
}

void gen_run(const struct gen_kernel *k, struct gen_memory *m) {
    struct block *b = xcalloc(1, sizeof *b);
    b->k = k;
    b->m = m;
    for (b->index = 0; b->index < k->grid; b->index++) {
        start(b);
        together(b, k->body);
        EACH(t, b) finish(t);
    }
    free(b);
}

void gen_memory_init(struct gen_memory *m, const struct gen_kernel *k) {
    struct rng rng = {k->seed};
    *m = (struct gen_memory){.threads = k->grid * k->block};
    for (uint32_t i = 0; i < GEN_INPUT; i++) m->input[i] = (uint32_t)(rng_next(&rng) >> rng_below(&rng, 56));
    m->out = xcalloc(m->threads, sizeof *m->out);
    m->slots = xcalloc((size_t)m->threads * GEN_SLOTS, sizeof *m->slots);
}
void gen_memory_free(struct gen_memory *m) {
    free(m->out);
    free(m->slots);
}

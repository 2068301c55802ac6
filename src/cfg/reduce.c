/* The reduction behind structure.c, which has the rules and why they are linear.
 *
 * Edges out belong to a list with a number of its own, not to a node, and an edge is known by (list, node it
 * enters): when u and v merge, the node u keeps its edges in and takes over the list of v, and no edge has to
 * be renamed. */
#include "cfg/reduce.h"

#define NONE 0xffffffffu

struct reduce_edge {
    uint32_t list, to; /* list NONE: gone */
    uint32_t in_next, in_prev, out_next, out_prev;
};

static uint32_t *filled(uint32_t n, uint32_t value, struct arena *mem) {
    uint32_t *a = ARENA_NEW(mem, uint32_t, n);
    for (uint32_t k = 0; k < n; k++) a[k] = value;
    return a;
}

void reduce_init(struct reduce *r, uint32_t n, uint32_t nedges, struct arena *mem) {
    *r = (struct reduce){.n = n, .alive = n};
    r->in = filled(n, NONE, mem), r->out = filled(n, NONE, mem);
    r->nin = filled(n, 0, mem), r->nout = filled(n, 0, mem);
    r->list = filled(n, 0, mem), r->owner = filled(n, 0, mem), r->todo = filled(n, 0, mem);
    for (uint32_t v = 0; v < n; v++) r->list[v] = r->owner[v] = v;
    r->dead = ARENA_NEW(mem, bool, n), r->queued = ARENA_NEW(mem, bool, n);
    r->edge = ARENA_NEW(mem, struct reduce_edge, nedges);
    /* Every arm that becomes an edge hashes it anew under other ends: at most one per node on top of the
     * first ones. */
    uint64_t slots = 16;
    while (slots < 2 * ((uint64_t)nedges + n)) slots *= 2;
    r->mask = (uint32_t)(slots - 1);
    r->table = ARENA_NEW(mem, uint32_t, slots);
    r->nin[0] = 1;
}

void reduce_drop(struct reduce *r, uint32_t v) {
    r->dead[v] = true;
    r->alive--;
}

static void queue(struct reduce *r, uint32_t v) {
    if (r->queued[v] || r->dead[v]) return;
    r->queued[v] = true;
    r->todo[r->ntodo++] = v;
}

static void unlink_in(struct reduce *r, uint32_t e) {
    const struct reduce_edge *x = &r->edge[e];
    if (x->in_prev == NONE)
        r->in[x->to] = x->in_next;
    else
        r->edge[x->in_prev].in_next = x->in_next;
    if (x->in_next != NONE) r->edge[x->in_next].in_prev = x->in_prev;
    r->nin[x->to]--;
}

static void link_in(struct reduce *r, uint32_t e, uint32_t to) {
    struct reduce_edge *x = &r->edge[e];
    x->to = to, x->in_prev = NONE, x->in_next = r->in[to];
    if (x->in_next != NONE) r->edge[x->in_next].in_prev = e;
    r->in[to] = e;
    r->nin[to]++;
}

static void remove_edge(struct reduce *r, uint32_t e) {
    struct reduce_edge *x = &r->edge[e];
    unlink_in(r, e);
    if (x->out_prev == NONE)
        r->out[x->list] = x->out_next;
    else
        r->edge[x->out_prev].out_next = x->out_next;
    if (x->out_next != NONE) r->edge[x->out_next].out_prev = x->out_prev;
    r->nout[x->list]--;
    queue(r, r->owner[x->list]);
    queue(r, x->to);
    x->list = NONE;
}

/* The live edge with these ends, or NONE, and in *slot where it is or would go. */
static uint32_t reduce_look_up(const struct reduce *r, uint32_t list, uint32_t to, uint32_t *slot) {
    uint64_t hash = ((uint64_t)list << 32 | to) * 0x9e3779b97f4a7c15u;
    uint32_t k = (uint32_t)(hash >> 32) & r->mask;
    for (; r->table[k]; k = (k + 1) & r->mask) {
        const struct reduce_edge *x = &r->edge[r->table[k] - 1];
        if (x->list == list && x->to == to) break;
    }
    *slot = k;
    return r->table[k] ? r->table[k] - 1 : NONE;
}

/* Lets e, not linked in yet, enter `to`; or removes it, when it would lead back or double another. The
 * look-up comes before e has its new end: slots filled under its earlier ends must not answer for it. */
static void reduce_enter(struct reduce *r, uint32_t e, uint32_t to) {
    uint32_t slot, list = r->edge[e].list;
    bool twin = reduce_look_up(r, list, to, &slot) != NONE;
    link_in(r, e, to);
    if (twin || r->owner[list] == to)
        remove_edge(r, e);
    else
        r->table[slot] = e + 1;
}

void reduce_edge(struct reduce *r, uint32_t from, uint32_t to) {
    uint32_t e = r->nedges++, list = r->list[from];
    struct reduce_edge *x = &r->edge[e];
    *x = (struct reduce_edge){.list = list, .to = NONE, .out_prev = NONE, .out_next = r->out[list]};
    if (x->out_next != NONE) r->edge[x->out_next].out_prev = e;
    r->out[list] = e;
    r->nout[list]++;
    reduce_enter(r, e, to);
}

/* v, entered only by e from u, which has no other way on, becomes part of u. */
static void reduce_merge(struct reduce *r, uint32_t u, uint32_t v, uint32_t e) {
    remove_edge(r, e);
    reduce_drop(r, v);
    r->list[u] = r->list[v];
    r->owner[r->list[u]] = u;
    uint32_t slot, back = reduce_look_up(r, r->list[u], u, &slot);
    if (back != NONE) remove_edge(r, back);
    queue(r, u);
}

static void reduce_step(struct reduce *r, uint32_t v) {
    uint32_t nout = r->nout[r->list[v]];
    if (nout == 1 && r->nin[r->edge[r->out[r->list[v]]].to] == 1) queue(r, r->edge[r->out[r->list[v]]].to);
    if (v == 0 || r->nin[v] != 1) return;
    uint32_t e = r->in[v], from = r->edge[e].list;
    if (nout == 0) {
        remove_edge(r, e);
        reduce_drop(r, v);
    } else if (r->nout[from] == 1) {
        reduce_merge(r, r->owner[from], v, e);
    } else if (nout == 1) {
        uint32_t on = r->out[r->list[v]], to = r->edge[on].to;
        remove_edge(r, on);
        unlink_in(r, e);
        reduce_drop(r, v);
        reduce_enter(r, e, to);
        queue(r, to);
        queue(r, r->owner[from]);
    }
}

bool reduce_run(struct reduce *r) {
    for (uint32_t v = 0; v < r->n; v++) queue(r, v);
    while (r->ntodo) {
        uint32_t v = r->todo[--r->ntodo];
        r->queued[v] = false;
        if (!r->dead[v]) reduce_step(r, v);
    }
    return r->alive == 1;
}

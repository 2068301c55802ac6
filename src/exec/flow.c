/* A graph of dependences that grows while threads are followed. Edges are kept as lists, each once: loops add the same ones
 * again and again. */
#include "exec/flow.h"

#include <string.h>

enum { FIRST_CAP = 64 };

static size_t flow_slot_of(const struct flow_table *t, uint64_t key) {
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (t->cap - 1);
    while (t->key[at] && t->key[at] != key) at = (at + 1) & (t->cap - 1);
    return at;
}

static void table_grow(struct flow_table *t) {
    struct flow_table old = *t;
    t->cap = old.cap ? old.cap * 2 : FIRST_CAP;
    t->key = xcalloc(t->cap, sizeof *t->key);
    t->value = xcalloc(t->cap, sizeof *t->value);
    for (size_t k = 0; k < old.cap; k++) {
        if (!old.key[k]) continue;
        const size_t at = flow_slot_of(t, old.key[k]);
        t->key[at] = old.key[k];
        t->value[at] = old.value[k];
    }
    xfree(old.key);
    xfree(old.value);
}

uint32_t *flow_table_at(struct flow_table *t, uint64_t key) {
    if (2 * (t->n + 1) > t->cap) table_grow(t);
    const size_t at = flow_slot_of(t, key);
    if (!t->key[at]) {
        t->key[at] = key;
        t->value[at] = 0;
        t->n++;
    }
    return &t->value[at];
}

void flow_table_clear(struct flow_table *t) {
    if (t->n) memset(t->key, 0, t->cap * sizeof *t->key);
    t->n = 0;
}

void flow_table_free(struct flow_table *t) {
    xfree(t->key);
    xfree(t->value);
}

void flow_reset(struct flow *f, uint32_t nodes) {
    VEC_RESERVE(&f->first, nodes);
    VEC_RESERVE(&f->marked, nodes);
    f->first.n = f->marked.n = nodes;
    memset(f->first.v, 0, nodes * sizeof *f->first.v);
    memset(f->marked.v, 0, nodes);
    f->edges.n = 0;
    f->marks = 0;
    flow_table_clear(&f->known);
}

uint32_t flow_add(struct flow *f) {
    VEC_PUSH(&f->first, 0);
    VEC_PUSH(&f->marked, 0);
    return (uint32_t)f->first.n - 1;
}

void flow_depends(struct flow *f, uint32_t node, uint32_t on) {
    uint32_t *known = flow_table_at(&f->known, ((uint64_t)node << 32 | on) + 1);
    if (*known) return;
    *known = 1;
    VEC_PUSH(&f->edges, (struct flow_edge){on, f->first.v[node]});
    f->first.v[node] = (uint32_t)f->edges.n;
}

void flow_unmark(struct flow *f) {
    memset(f->marked.v, 0, f->marked.n);
    f->marks = 0;
}

void flow_mark(struct flow *f, uint32_t node) {
    VEC_PUSH(&f->todo, node);
    while (f->todo.n) {
        const uint32_t at = f->todo.v[--f->todo.n];
        if (f->marked.v[at]) continue;
        f->marked.v[at] = 1;
        f->marks++;
        for (uint32_t e = f->first.v[at]; e; e = f->edges.v[e - 1].next)
            VEC_PUSH(&f->todo, f->edges.v[e - 1].from);
    }
}

void flow_free(struct flow *f) {
    VEC_FREE(&f->first);
    VEC_FREE(&f->marked);
    VEC_FREE(&f->edges);
    VEC_FREE(&f->todo);
    flow_table_free(&f->known);
}

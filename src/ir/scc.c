/* Tarjan's strongly connected components with the recursion unrolled: the path of open nodes is kept in an
 * array, each with a cursor into its successors. */
#include "ir/scc.h"

#include <stdlib.h>

#include "base/alloc.h"

#define UNSEEN 0xffffffffu

struct scc {
    const uint32_t *first, *to;
    uint32_t *comp;        /* UNSEEN until the component is closed */
    uint32_t *index, *low; /* order of discovery; smallest index reachable through open nodes */
    uint32_t *cursor;      /* next edge to look at */
    uint32_t *path, *open; /* the walk; nodes whose component is not closed yet */
    uint32_t npath, nopen, next, ncomp;
};

static void ir_scc_enter(struct scc *s, uint32_t v) {
    s->index[v] = s->low[v] = s->next++;
    s->cursor[v] = s->first[v];
    s->path[s->npath++] = v;
    s->open[s->nopen++] = v;
}

static void ir_scc_leave(struct scc *s, uint32_t v) {
    s->npath--;
    if (s->npath && s->low[v] < s->low[s->path[s->npath - 1]]) s->low[s->path[s->npath - 1]] = s->low[v];
    if (s->low[v] != s->index[v]) return;
    uint32_t w;
    do {
        w = s->open[--s->nopen];
        s->comp[w] = s->ncomp;
    } while (w != v);
    s->ncomp++;
}

static void ir_scc_walk(struct scc *s, uint32_t root) {
    ir_scc_enter(s, root);
    while (s->npath) {
        uint32_t v = s->path[s->npath - 1];
        if (s->cursor[v] == s->first[v + 1]) {
            ir_scc_leave(s, v);
            continue;
        }
        uint32_t w = s->to[s->cursor[v]++];
        if (s->index[w] == UNSEEN)
            ir_scc_enter(s, w);
        else if (s->comp[w] == UNSEEN && s->index[w] < s->low[v])
            s->low[v] = s->index[w];
    }
}

uint32_t ir_scc(uint32_t n, const uint32_t *first, const uint32_t *to, uint32_t *comp) {
    uint32_t *mem = xmalloc((size_t)n * 5 * sizeof *mem);
    struct scc s = {.first = first, .to = to, .comp = comp};
    s.index = mem, s.low = mem + n, s.cursor = mem + 2 * (size_t)n, s.path = mem + 3 * (size_t)n;
    s.open = mem + 4 * (size_t)n;
    for (uint32_t v = 0; v < n; v++) s.index[v] = comp[v] = UNSEEN;
    for (uint32_t v = 0; v < n; v++)
        if (s.index[v] == UNSEEN) ir_scc_walk(&s, v);
    xfree(mem);
    return s.ncomp;
}

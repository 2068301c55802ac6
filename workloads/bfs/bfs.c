/* Level-synchronous breadth-first search (HARP Table 5: 16 launches of 8 blocks of 512 threads, 1.4 M instructions). Two kernels a
 * level, a node a thread, and a flag by which the host learns whether the level found anything. With the paper's launches that is
 * a graph of 4096 nodes and eight levels, the last of which finds nothing; the paper does not name the graph. Ours is random and
 * undirected, in parts sparse and in parts dense, so that both the frontier and the work of a node differ from lane to lane.
 * Integers: the check is exact. */
#include "workloads/workload.h"

struct graph {
    uint32_t *offsets, *neighbours;
    uint32_t nodes, edges;
};

/* As the kernels take them. */
struct device_graph {
    uint64_t offsets, neighbours;
    uint32_t nodes, unused;
};

struct device_state {
    uint64_t frontier, found, visited, levels;
};

struct edge {
    uint32_t a, b;
};

/* Each node begins some edges: most few, one in sixteen many. */
static struct edge *make_edges(struct work *w, uint32_t nodes, uint32_t *count) {
    enum { MOST = 24 };
    struct edge *e = work_host(w, (size_t)nodes * MOST, sizeof *e);
    uint32_t n = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t degree = work_below(w, 16) ? 1 + work_below(w, 4) : 8 + work_below(w, MOST - 7);
        for (uint32_t k = 0; k < degree; k++) e[n++] = (struct edge){i, work_below(w, nodes)};
    }
    *count = n;
    return e;
}

static struct graph make_graph(struct work *w, uint32_t nodes) {
    struct graph g = {.nodes = nodes};
    uint32_t count;
    struct edge *e = make_edges(w, nodes, &count);
    g.edges = 2 * count;
    g.offsets = work_host(w, nodes + 1, sizeof *g.offsets);
    g.neighbours = work_host(w, g.edges, sizeof *g.neighbours);
    uint32_t *next = work_host(w, nodes, sizeof *next);
    for (uint32_t i = 0; i < count; i++) next[e[i].a]++, next[e[i].b]++;
    for (uint32_t i = 0; i < nodes; i++) {
        g.offsets[i + 1] = g.offsets[i] + next[i];
        next[i] = g.offsets[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        g.neighbours[next[e[i].a]++] = e[i].b;
        g.neighbours[next[e[i].b]++] = e[i].a;
    }
    return g;
}

/* With a queue. */
static void search(struct work *w, const struct graph *g, uint32_t source, int32_t *levels) {
    uint32_t *queue = work_host(w, g->nodes, sizeof *queue), head = 0, tail = 0;
    for (uint32_t i = 0; i < g->nodes; i++) levels[i] = -1;
    levels[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        uint32_t i = queue[head++];
        for (uint32_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
            uint32_t n = g->neighbours[e];
            if (levels[n] >= 0) continue;
            levels[n] = levels[i] + 1;
            queue[tail++] = n;
        }
    }
}

static struct device_state make_state(struct work *w, uint32_t nodes, uint32_t source) {
    uint8_t *first = work_host(w, nodes, sizeof *first);
    int32_t *levels = work_host(w, nodes, sizeof *levels);
    for (uint32_t i = 0; i < nodes; i++) levels[i] = i == source ? 0 : -1;
    first[source] = 1;
    return (struct device_state){work_input(w, "frontier", first, nodes), work_buffer(w, "found", nodes),
                                 work_input(w, "visited", first, nodes),
                                 work_input(w, "levels", levels, nodes * sizeof *levels)};
}

/* Launches levels until one finds nothing; a search that is right has fewer than there are nodes. */
static void search_device(struct work *w, struct device_graph g, struct device_state s, uint32_t block) {
    uint64_t more = work_buffer(w, "more", sizeof(uint32_t));
    uint32_t again = 1;
    hd_launch shape = {.grid = {g.nodes / block}, .block = {block}};
    hd_arg args[] = {hd_arg_bytes(&g, sizeof g), hd_arg_bytes(&s, sizeof s), hd_arg_ptr(more)};
    for (uint32_t level = 0; again && level < g.nodes && work_ok(w); level++) {
        work_zero(w, more, sizeof again);
        work_launch(w, "bfs_expand", &shape, args, 2);
        work_launch(w, "bfs_update", &shape, args, 3);
        work_read(w, &again, more, sizeof again);
    }
}

void work_bfs(struct work *w) {
    uint32_t nodes = work_pick(w, 512, 4096, 4096), block = work_pick(w, 128, 512, 512), source = 0;
    struct graph g = make_graph(w, nodes);
    struct device_graph d = {work_input(w, "offsets", g.offsets, (nodes + 1) * sizeof *g.offsets),
                             work_input(w, "neighbours", g.neighbours, g.edges * sizeof *g.neighbours), nodes,
                             0};
    struct device_state s = make_state(w, nodes, source);
    search_device(w, d, s, block);
    int32_t *levels = work_host(w, nodes, sizeof *levels);
    search(w, &g, source, levels);
    work_check_s32(w, "levels", s.levels, levels, nodes);
}

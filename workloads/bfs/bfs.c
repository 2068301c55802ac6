/* Level-synchronous breadth-first search (HARP Table 5: 16 launches of 8 blocks of 512 threads, 1.4 M instructions). Two kernels a
 * level, a node a thread, and a flag by which the host learns whether the level found anything. The program that HARP measured has
 * a graph of 4096 nodes with 24,576 neighbours in all, 1 to 19 each, and eight levels, of 1, 10, 60, 340, 1456, 1982, 245 and 2 nodes;
 * the expansion of the last finds nothing. Ours has as many nodes and neighbours, is random, and starts where the search has
 * ten neighbours first and as many levels. Integers: the check is exact. */
#include "workloads/workload.h"

enum { EDGES = 3, FIRST = 10, LEVELS = 8 }; /* edges for each node; neighbours of the source */

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

/* Every node begins one edge, so that it has a neighbour; the others join any two. */
static struct edge *make_edges(struct work *w, uint32_t nodes, uint32_t count) {
    struct edge *e = work_host(w, count, sizeof *e);
    for (uint32_t i = 0; i < count; i++)
        e[i] = (struct edge){i < nodes ? i : work_below(w, nodes), work_below(w, nodes)};
    return e;
}

static struct graph make_graph(struct work *w, uint32_t nodes) {
    struct graph g = {.nodes = nodes, .edges = 2 * EDGES * nodes};
    uint32_t count = EDGES * nodes;
    struct edge *e = make_edges(w, nodes, count);
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

/* With a queue. How many levels there are; 0: not all nodes were found. */
static uint32_t search(struct work *w, const struct graph *g, uint32_t source, int32_t *levels) {
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
    return tail == g->nodes ? (uint32_t)levels[queue[tail - 1]] + 1 : 0;
}

/* The first node with so many neighbours from which the search has the program's levels; node 0 if there is none. */
static uint32_t choose_source(struct work *w, const struct graph *g) {
    int32_t *levels = work_host(w, g->nodes, sizeof *levels);
    for (uint32_t i = 0; i < g->nodes; i++)
        if (g->offsets[i + 1] - g->offsets[i] == FIRST && search(w, g, i, levels) == LEVELS) return i;
    return 0;
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
    uint32_t nodes = work_pick(w, 512, 4096, 4096), block = work_pick(w, 128, 512, 512);
    struct graph g = make_graph(w, nodes);
    uint32_t source = choose_source(w, &g);
    struct device_graph d = {work_input(w, "offsets", g.offsets, (nodes + 1) * sizeof *g.offsets),
                             work_input(w, "neighbours", g.neighbours, g.edges * sizeof *g.neighbours), nodes,
                             0};
    struct device_state s = make_state(w, nodes, source);
    search_device(w, d, s, block);
    int32_t *levels = work_host(w, nodes, sizeof *levels);
    search(w, &g, source, levels);
    work_check_s32(w, "levels", s.levels, levels, nodes);
}

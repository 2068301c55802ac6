// One level of a breadth-first search, a node a thread: expand the frontier, then make of what it found the next (HARP: BFS).
#include "cuda.h"

struct graph {
    const uint *offsets, *neighbours; // node i has those from offsets[i] to offsets[i + 1]
    uint nodes;
};

struct state {
    uchar *frontier, *found, *visited;
    int *levels;
};

// Two threads may find the same node: they write the same.
KERNEL bfs_expand(graph g, state s) {
    uint i = global_id();
    if (i >= g.nodes || !s.frontier[i]) return;
    s.frontier[i] = 0;
    for (uint e = g.offsets[i]; e < g.offsets[i + 1]; e++) {
        uint n = g.neighbours[e];
        if (!s.visited[n]) {
            s.levels[n] = s.levels[i] + 1;
            s.found[n] = 1;
        }
    }
}

KERNEL bfs_update(graph g, state s, uint *more) {
    uint i = global_id();
    if (i >= g.nodes || !s.found[i]) return;
    s.found[i] = 0;
    s.frontier[i] = 1;
    s.visited[i] = 1;
    *more = 1;
}

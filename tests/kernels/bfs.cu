/* Breadth-first search, one launch per level over a compressed-row graph; levels are -1 where not reached. */
#include "cuda.h"

KERNEL bfs_level(int *level, const uint *row, const uint *edge, uint n, int depth, int *changed) {
    uint v = global_id();
    if (v >= n || level[v] != depth) return;
    for (uint e = row[v]; e < row[v + 1]; e++) {
        uint w = edge[e];
        if (level[w] < 0) {
            level[w] = depth + 1;
            *changed = 1;
        }
    }
}

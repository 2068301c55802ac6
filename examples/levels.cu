// Breadth-first search, a level a launch: a thread for each node; those of the current level look at their neighbours and put
// the new ones on the next level. The host goes on as long as there are new ones (levels.hds).
// regen: -gline-tables-only -fdebug-compilation-dir=.
// heddle: --grid 1 --block 32 --buffer 'rows=u32[33]=iota' --buffer 'columns=u32[32]=value(3)' --arg '{ptr:rows, ptr:columns, u32:32}' --arg 'buf:s32[32]=iota' --arg s32:0 --arg 'buf:u32[1]'
#include <cuda_runtime.h>
struct graph {
    const unsigned *rows, *columns; // edges of node i: columns[rows[i]] to columns[rows[i + 1] - 1]
    unsigned nodes;
};
extern "C" __global__ void levels(struct graph g, int *level, int current, unsigned *more) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= g.nodes || level[i] != current) return;
    for (unsigned edge = g.rows[i]; edge < g.rows[i + 1]; edge++) {
        unsigned to = g.columns[edge];
        if (level[to] >= 0) continue;
        level[to] = current + 1;
        *more = 1;
    }
}

// Hotspot: explicit steps of heat flow over a chip, tiles with halo in shared memory, several steps a launch (HARP Table 5).
// Addresses of shared memory have 32 bits, as they had on the machines of the paper: fewer registers.
// regen: -fcuda-short-ptr -mllvm --nvptx-short-ptr
#include "cuda.h"

#define TILE 16

struct model {
    float north_south, east_west, up; // conductances, times the step over a cell's capacity
    float heat;                       // the step over a cell's capacity
    float ambient;
};

// A block owns the middle of its tile: each step, the outermost ring of cells that is still right becomes wrong. Cells beyond
// the chip's edge are not there: heat does not flow over it, so that the neighbour is the cell itself.
KERNEL hspt(float *out, const float *in, const float *power, int columns, int rows, int steps, model m) {
    __shared__ float now[TILE][TILE], next[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * steps;
    int left = (int)blockIdx.x * inner - steps, top = (int)blockIdx.y * inner - steps;
    int x = left + tx, y = top + ty;
    bool on_chip = x >= 0 && x < columns && y >= 0 && y < rows, mine = false;
    float watts = 0;
    if (on_chip) {
        now[ty][tx] = in[y * columns + x];
        watts = power[y * columns + x];
    }
    __syncthreads();
    int west = x > 0 ? tx - 1 : tx, east = x < columns - 1 ? tx + 1 : tx;
    int north = y > 0 ? ty - 1 : ty, south = y < rows - 1 ? ty + 1 : ty;
    for (int i = 0; i < steps; i++) {
        mine = on_chip && tx > i && tx < TILE - 1 - i && ty > i && ty < TILE - 1 - i;
        if (mine) {
            float t = now[ty][tx];
            next[ty][tx] = t + (watts * m.heat + (now[north][tx] + now[south][tx] - 2 * t) * m.north_south +
                                (now[ty][east] + now[ty][west] - 2 * t) * m.east_west + (m.ambient - t) * m.up);
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (mine) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (mine) out[y * columns + x] = next[ty][tx];
}

// Blocked LU decomposition in place, without pivoting: a thread block for each matrix, a thread for each of its square blocks
// (DWF 5.3). A step decomposes the diagonal block, then the blocks beside and below it, then updates those between. The elements
// of a square block lie together.
#include "cuda.h"

// A square block, row by row.
struct tile {
    float *v;
    uint size;
    __device__ float &at(uint i, uint j) const { return v[i * size + j]; }
};

DEVICE void decompose(tile a, uint size) {
    for (uint k = 0; k < size; k++)
        for (uint i = k + 1; i < size; i++) {
            const float l = a.at(i, k) / a.at(k, k);
            a.at(i, k) = l;
            for (uint j = k + 1; j < size; j++) a.at(i, j) -= l * a.at(k, j);
        }
}

// Right of the diagonal: solve with its lower triangle.
DEVICE void solve_row(tile a, tile diagonal, uint size) {
    for (uint k = 0; k < size; k++)
        for (uint i = k + 1; i < size; i++) {
            const float l = diagonal.at(i, k);
            for (uint j = 0; j < size; j++) a.at(i, j) -= l * a.at(k, j);
        }
}

// Below the diagonal: solve with its upper triangle.
DEVICE void solve_column(tile a, tile diagonal, uint size) {
    for (uint k = 0; k < size; k++)
        for (uint i = 0; i < size; i++) {
            const float l = a.at(i, k) / diagonal.at(k, k);
            a.at(i, k) = l;
            for (uint j = k + 1; j < size; j++) a.at(i, j) -= l * diagonal.at(k, j);
        }
}

DEVICE void update(tile a, tile left, tile above, uint size) {
    for (uint k = 0; k < size; k++)
        for (uint i = 0; i < size; i++) {
            const float l = left.at(i, k);
            for (uint j = 0; j < size; j++) a.at(i, j) -= l * above.at(k, j);
        }
}

// The matrix of `across` x `across` square blocks, row by row.
struct blocks {
    float *v;
    uint across, size;
    __device__ tile at(uint row, uint column) const { return {v + (row * across + column) * size * size, size}; }
};

KERNEL lu(float *matrices, uint across, uint size) {
    const uint row = threadIdx.x / across, column = threadIdx.x % across;
    const blocks matrix = {matrices + blockIdx.x * across * across * size * size, across, size};
    const tile own = matrix.at(row, column);
    for (uint step = 0; step < across; step++) {
        const tile diagonal = matrix.at(step, step);
        if (row == step && column == step) decompose(own, size);
        __syncthreads();
        if (row == step && column > step) solve_row(own, diagonal, size);
        if (column == step && row > step) solve_column(own, diagonal, size);
        __syncthreads();
        if (row > step && column > step) update(own, matrix.at(row, step), matrix.at(step, column), size);
        __syncthreads();
    }
}

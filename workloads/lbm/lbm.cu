// One time step of the lattice-Boltzmann method (D3Q19, BGK) in a lid-driven cavity with obstacles (DWF 5.3), by pushing: a
// cell is read, relaxed and sent to its neighbours in the other lattice.
#include "cuda.h"

enum { Q = 19, CELL = 20 }; // the last value of a cell is its kind
enum { FLUID, SOLID, LID };

// Directions: at rest, the six faces, the twelve edges; an odd one and the next are opposite.
struct direction {
    int x, y, z;
};
__device__ constexpr direction along[Q] = {{0, 0, 0},  {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                           {0, 0, 1},  {0, 0, -1}, {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                           {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                           {0, 1, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
DEVICE constexpr int opposite(int q) {
    return q == 0 ? 0 : q & 1 ? q + 1 : q - 1;
}
DEVICE constexpr double weight(int q) {
    return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36;
}

// How many cells lie between a cell and its neighbours.
struct pitch {
    int y, z;
};
DEVICE double *neighbour(double *cell, const pitch &p, int q) {
    return cell + (along[q].x + along[q].y * p.y + along[q].z * p.z) * CELL;
}

// A wall sends everything back.
DEVICE void bounce(double *to, const double *f, const pitch &p) {
    UNROLL
    for (int q = 0; q < Q; q++) neighbour(to, p, opposite(q))[opposite(q)] = f[q];
}

struct moments {
    double density, x, y, z;
};
DEVICE void add(double &sum, double f, int sign) {
    if (sign > 0) sum += f;
    if (sign < 0) sum -= f;
}
// Volatile: each sum reads the cell again, as a compiler must whose machine has fewer registers than a cell has values.
DEVICE moments measure(const volatile double *f) {
    moments m = {0, 0, 0, 0};
    UNROLL
    for (int q = 0; q < Q; q++) m.density += f[q];
    UNROLL
    for (int q = 0; q < Q; q++)
        if (along[q].x) add(m.x, f[q], along[q].x);
    UNROLL
    for (int q = 0; q < Q; q++)
        if (along[q].y) add(m.y, f[q], along[q].y);
    UNROLL
    for (int q = 0; q < Q; q++)
        if (along[q].z) add(m.z, f[q], along[q].z);
    return {m.density, m.x / m.density, m.y / m.density, m.z / m.density};
}

// Relaxes towards the equilibrium of the moments.
DEVICE void collide(double *to, const double *f, const pitch &p, const moments &m, double omega) {
    const double square = 1.5 * (m.x * m.x + m.y * m.y + m.z * m.z);
    UNROLL
    for (int q = 0; q < Q; q++) {
        double c = 0;
        add(c, m.x, along[q].x);
        add(c, m.y, along[q].y);
        add(c, m.z, along[q].z);
        const double rest = weight(q) * m.density * (1.0 + 3.0 * c + 4.5 * c * c - square);
        neighbour(to, p, q)[q] = f[q] + omega * (rest - f[q]);
    }
}

// A thread has `count` cells, one after the other in memory. Both lattices have a margin for what leaves the box.
KERNEL lbm(double *to, const double *from, uint cells, uint nx, uint ny, uint count, double omega, double lid_x,
           double lid_y) {
    const pitch p = {(int)nx, (int)(nx * ny)};
    uint cell = global_id() * count;
    for (uint i = 0; i < count && cell < cells; i++, cell++) {
        const double *const f = from + (u64)cell * CELL;
        double *const t = to + (u64)cell * CELL;
        const double what = f[Q];
        if (what == SOLID) {
            bounce(t, f, p);
            continue;
        }
        moments m = measure(f);
        if (what == LID) {
            BRANCH;
            m.x = lid_x;
            m.y = lid_y;
            m.z = 0;
        }
        collide(t, f, p, m, omega);
    }
}

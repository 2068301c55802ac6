// One time step of the lattice-Boltzmann method (D3Q19, BGK) in a lid-driven cavity with obstacles; one column of cells a thread
// (DWF 5.3). A cell's 19 distributions lie together.
#include "cuda.h"

enum { Q = 19 };
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

struct box {
    uint x, y, z;
};
DEVICE uint wrap(uint at, int step, uint size) {
    return step == 0 ? at : step > 0 ? (at + 1 < size ? at + 1 : 0) : (at > 0 ? at - 1 : size - 1);
}

// What streams into the cell.
DEVICE void gather(double *f, const double *from, const box &b, uint x, uint y, uint z) {
    UNROLL
    for (int q = 0; q < Q; q++) {
        const uint sx = wrap(x, -along[q].x, b.x), sy = wrap(y, -along[q].y, b.y), sz = wrap(z, -along[q].z, b.z);
        f[q] = from[((sz * b.y + sy) * b.x + sx) * Q + q];
    }
}

// A wall sends everything back.
DEVICE void bounce(double *to, const double *f) {
    UNROLL
    for (int q = 0; q < Q; q++) to[q] = f[opposite(q)];
}

struct moments {
    double density, x, y, z;
};
DEVICE void add(double &sum, double f, int sign) {
    if (sign > 0) sum += f;
    if (sign < 0) sum -= f;
}
DEVICE moments measure(const double *f) {
    moments m = {0, 0, 0, 0};
    UNROLL
    for (int q = 0; q < Q; q++) {
        m.density += f[q];
        add(m.x, f[q], along[q].x);
        add(m.y, f[q], along[q].y);
        add(m.z, f[q], along[q].z);
    }
    return {m.density, m.x / m.density, m.y / m.density, m.z / m.density};
}

// Relaxes towards the equilibrium of the moments.
DEVICE void collide(double *to, const double *f, const moments &m, double omega) {
    const double square = 1.5 * (m.x * m.x + m.y * m.y + m.z * m.z);
    UNROLL
    for (int q = 0; q < Q; q++) {
        double c = 0;
        add(c, m.x, along[q].x);
        add(c, m.y, along[q].y);
        add(c, m.z, along[q].z);
        const double rest = weight(q) * m.density * (1.0 + 3.0 * c + 4.5 * c * c - square);
        to[q] = f[q] + omega * (rest - f[q]);
    }
}

KERNEL lbm(double *to, const double *from, const uchar *kind, uint nx, uint ny, uint nz, double omega, double lid_x,
           double lid_y) {
    const box b = {nx, ny, nz};
    const uint id = global_id(), x = id % nx, y = id / nx;
    if (y >= ny) return;
    for (uint z = 0; z < nz; z++) {
        const uint cell = (z * ny + y) * nx + x;
        const uchar what = kind[cell];
        double f[Q];
        gather(f, from, b, x, y, z);
        if (what == SOLID) {
            bounce(to + cell * Q, f);
            continue;
        }
        moments m = measure(f);
        if (what == LID) {
            BRANCH;
            m.x = lid_x;
            m.y = lid_y;
            m.z = 0;
        }
        collide(to + cell * Q, f, m, omega);
    }
}

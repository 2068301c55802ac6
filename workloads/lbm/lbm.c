/* Lattice-Boltzmann (DWF Table 5.3: 470.lbm of SPEC CPU2006, modified; medium divergence, bound by memory bandwidth): an
 * incompressible fluid in a box whose lid moves, with spheres in its way. 19 velocities in three dimensions, relaxation to
 * equilibrium with one rate, full-way bounce-back in solid cells. As in the original a cell is 20 doubles, the last of which is
 * its kind; a step reads a cell of one lattice and scatters to its neighbours in the other.
 *
 * The thesis gives the number of threads (12288). Fitted under PDOM to misses, misses with hits on lines on their way, and
 * bandwidth (Tables 6.3, 6.2 and 6.1: 13.55, 14.15 and 94.71 %): slabs of 48 x 16 cells, three cells in a row a thread, and that
 * each sum reads the cell again. Ours: the number of slabs and the spheres. The CPU does the same operations in the same order:
 * the check is exact. */
#include "workloads/workload.h"

enum { Q = 19, CELL = 20 };
enum { FLUID, SOLID, LID };
static const int along[Q][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
static const double omega = 1.95, lid[3] = {0.05, 0.02, 0};

struct box {
    uint32_t size[3]; /* x, y, z */
    uint32_t cells;
    uint8_t *kind;
};

static double weight(int q) {
    return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36;
}

/* ---- inputs ---- */

static uint32_t square_distance(uint32_t a, uint32_t b) {
    uint32_t d = a > b ? a - b : b - a;
    return d * d;
}

/* Every cell whose distance from a random middle is at most the root of `radius`. */
static void add_sphere(struct work *w, struct box *b, uint32_t radius) {
    const uint32_t x = work_below(w, b->size[0]), y = work_below(w, b->size[1]),
                   z = work_below(w, b->size[2]);
    for (uint32_t c = 0; c < b->cells; c++) {
        uint32_t at[3] = {c % b->size[0], c / b->size[0] % b->size[1], c / b->size[0] / b->size[1]};
        if (square_distance(at[0], x) + square_distance(at[1], y) + square_distance(at[2], z) <= radius)
            b->kind[c] = SOLID;
    }
}

static struct box cavity(struct work *w, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t spheres) {
    struct box b = {.size = {nx, ny, nz}, .cells = nx * ny * nz, .kind = work_host(w, nx * ny * nz, 1)};
    for (uint32_t s = 0; s < spheres; s++) add_sphere(w, &b, 1 + work_below(w, 9));
    for (uint32_t c = 0; c < b.cells; c++) {
        uint32_t x = c % nx, y = c / nx % ny, z = c / nx / ny;
        bool wall = x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1;
        if (wall)
            b.kind[c] = SOLID;
        else if (z == nz - 2 && b.kind[c] == FLUID)
            b.kind[c] = LID;
    }
    return b;
}

/* Both lattices hold each cell's kind; fluid is at rest, stirred a little so that no two cells are alike. */
static double *initial(struct work *w, const struct box *b, uint32_t margin) {
    double *f = work_host(w, (size_t)CELL * (b->cells + 2 * margin), sizeof *f);
    for (uint32_t c = 0; c < b->cells; c++) {
        double *cell = f + (size_t)(c + margin) * CELL;
        for (int q = 0; q < Q; q++) cell[q] = weight(q) * (double)work_uniform(w, 0.98f, 1.02f);
        cell[Q] = b->kind[c];
    }
    return f;
}

/* ---- the same on the CPU ---- */

static double dot(const int *c, const double *u) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        if (c[i]) sum += c[i] > 0 ? u[i] : -u[i];
    return sum;
}

static void relax(double *f, uint8_t kind) {
    double density = 0, u[3] = {0};
    for (int q = 0; q < Q; q++) {
        density += f[q];
        for (int i = 0; i < 3; i++)
            if (along[q][i]) u[i] += along[q][i] > 0 ? f[q] : -f[q];
    }
    for (int i = 0; i < 3; i++) u[i] = kind == LID ? lid[i] : u[i] / density;
    const double square = 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int q = 0; q < Q; q++) {
        double c = dot(along[q], u);
        double rest = weight(q) * density * (1.0 + 3.0 * c + 4.5 * c * c - square);
        f[q] += omega * (rest - f[q]);
    }
}

/* How far the neighbour in direction q is, in cells. */
static int64_t offset(const struct box *b, int q) {
    return along[q][0] + (int64_t)b->size[0] * (along[q][1] + (int64_t)b->size[1] * along[q][2]);
}

static void step(const struct box *b, double *to, const double *from) {
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        double f[Q];
        for (int q = 0; q < Q; q++) f[q] = from[(int64_t)cell * CELL + q];
        if (b->kind[cell] != SOLID) relax(f, b->kind[cell]);
        for (int q = 0; q < Q; q++) {
            int as = b->kind[cell] != SOLID || q == 0 ? q : q & 1 ? q + 1 : q - 1;
            to[((int64_t)cell + offset(b, as)) * CELL + as] = f[q];
        }
    }
}

/* ---- the run ---- */

void work_lbm(struct work *w) {
    const uint32_t nx = work_pick(w, 16, 48, 48), ny = work_pick(w, 6, 16, 16), nz = work_pick(w, 6, 12, 48),
                   block = work_pick(w, 64, 96, 96), steps = 2, count = 3;
    struct box b = cavity(w, nx, ny, nz, nx * ny * nz / 512);
    /* What solid cells at the ends of the box send out of it lands in a margin of a slab, a row and a cell. */
    const uint32_t margin = nx * ny + nx + 1, threads = b.cells / count;
    const size_t values = (size_t)CELL * (b.cells + 2 * margin), bytes = values * sizeof(double),
                 start = (size_t)CELL * margin;
    double *f[2] = {initial(w, &b, margin), work_host(w, bytes, 1)};
    for (size_t i = 0; i < values; i++) f[1][i] = f[0][i];
    uint64_t lattice[2] = {work_input(w, "lattice 0", f[0], bytes), work_input(w, "lattice 1", f[1], bytes)};
    for (uint32_t s = 0; s < steps; s++) {
        WORK_LAUNCH(w, "lbm", WORK_SHAPE(.grid = {(threads + block - 1) / block}, .block = {block}),
                    hd_arg_ptr(lattice[~s & 1] + start * sizeof(double)),
                    hd_arg_ptr(lattice[s & 1] + start * sizeof(double)), hd_arg_u32(b.cells), hd_arg_u32(nx),
                    hd_arg_u32(ny), hd_arg_u32(count), hd_arg_f64(omega), hd_arg_f64(lid[0]),
                    hd_arg_f64(lid[1]));
        step(&b, f[~s & 1] + start, f[s & 1] + start);
    }
    work_check_f64(w, "lattice", lattice[steps & 1], f[steps & 1], values, 0, 0);
}

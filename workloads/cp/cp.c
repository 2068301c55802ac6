/* Coulomb potential by direct summation. HARP Table 5: one launch of (8,32) blocks of (16,8), 113M instructions. Not in the
 * paper: points per thread and number of charges; two points, the second a block's width beside the first, and 160 charges
 * come to about as many instructions. Charges lie in constant memory, as all threads read the same one. Size small has the launch
 * of the paper and a tenth of the charges.
 * The CPU sums in double precision. The kernel's inverse square root is good to 2^-22 and its sum rounds in single precision;
 * terms are at most 2 (charges keep a distance of half a unit from the plane), and their absolute sum is below 100. */
#include "workloads/workload.h"

#include <math.h>

enum { ATOMS = 256, BLOCK_X = 16, BLOCK_Y = 8, POINTS = 2 };
#define SPACING 0.1f

struct atom {
    float x, y, square, charge;
};

static void make_atoms(struct work *w, struct atom *atoms, uint32_t count, float width, float height) {
    for (uint32_t i = 0; i < count; i++) {
        float away = work_uniform(w, 0.5f, 8);
        atoms[i] = (struct atom){work_uniform(w, 0, width), work_uniform(w, 0, height), away * away,
                                 work_below(w, 2) ? 1 : -1};
    }
}

static double potential(const struct atom *atoms, uint32_t count, double x, double y) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double dx = x - (double)atoms[i].x, dy = y - (double)atoms[i].y;
        sum += (double)atoms[i].charge / sqrt(dx * dx + dy * dy + (double)atoms[i].square);
    }
    return sum;
}

void work_cp(struct work *w) {
    uint32_t gx = work_pick(w, 2, 8, 8), gy = work_pick(w, 2, 32, 32), count = work_pick(w, 24, 16, 160);
    uint32_t columns = gx * BLOCK_X * POINTS, rows = gy * BLOCK_Y, n = columns * rows;
    struct atom *atoms = work_host(w, ATOMS, sizeof *atoms);
    float *energy = work_host(w, n, sizeof *energy);
    make_atoms(w, atoms, count, SPACING * (float)columns, SPACING * (float)rows);
    for (uint32_t i = 0; i < n; i++) energy[i] = work_uniform(w, -1, 1);
    work_write(w, work_symbol(w, "atoms"), atoms, ATOMS * sizeof *atoms);
    uint64_t out = work_input(w, "energy", energy, n * sizeof *energy);
    WORK_LAUNCH(w, "cp", WORK_SHAPE(.grid = {gx, gy}, .block = {BLOCK_X, BLOCK_Y}), hd_arg_ptr(out),
                hd_arg_u32(columns), hd_arg_u32(count), hd_arg_f32(SPACING));
    for (uint32_t i = 0; i < n; i++) {
        float x = SPACING * (float)(i % columns), y = SPACING * (float)(i / columns);
        energy[i] += (float)potential(atoms, count, (double)x, (double)y);
    }
    work_check_f32(w, "energy", out, energy, n, 0, 1e-4);
}

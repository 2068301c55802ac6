/* Hotspot: the temperature of a chip from the power of its cells. HARP Table 5: one launch of (43,43) blocks of (16,16), which
 * is a chip of 512x512 cells where a tile of 16 gives two cells of halo on each side to two steps. Ours: the constants of the
 * model, which is that of a slab of silicon between cells and a heat sink, and the power map, a few hot units on a quiet chip.
 * The CPU steps the whole chip at a time with the kernel's operations in the kernel's order: the check is exact. */
#include "workloads/workload.h"

enum { TILE = 16, STEPS = 2 };

/* As the kernel takes it. */
struct model {
    float north_south, east_west, up, heat, ambient;
};

/* Silicon, 16 mm square and 0.5 mm thick; a step is a quarter of what explicit integration bears. */
static struct model make_model(uint32_t columns, uint32_t rows) {
    float conductivity = 100, thick = 0.0005f; /* W/mK, m */
    float width = 0.016f / (float)columns, height = 0.016f / (float)rows;
    float ns = conductivity * thick * width / height, ew = conductivity * thick * height / width;
    float up = conductivity * width * height / thick;
    float heat = 0.25f / (2 * ns + 2 * ew + up);
    return (struct model){ns * heat, ew * heat, up * heat, heat, 80};
}

static void step(float *out, const float *in, const float *power, uint32_t columns, uint32_t rows,
                 const struct model *m) {
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++) {
            uint32_t i = y * columns + x;
            float north = in[y ? i - columns : i], south = in[y + 1 < rows ? i + columns : i];
            float west = in[x ? i - 1 : i], east = in[x + 1 < columns ? i + 1 : i], t = in[i];
            out[i] = t + (power[i] * m->heat + (north + south - 2 * t) * m->north_south +
                          (east + west - 2 * t) * m->east_west + (m->ambient - t) * m->up);
        }
}

static void make_power(struct work *w, float *power, uint32_t columns, uint32_t rows) {
    for (uint32_t i = 0; i < columns * rows; i++) power[i] = work_uniform(w, 0, 1e-4f);
    for (int unit = 0; unit < 8; unit++) {
        uint32_t x0 = work_below(w, columns), y0 = work_below(w, rows);
        uint32_t wide = 1 + work_below(w, columns / 4), high = 1 + work_below(w, rows / 4);
        for (uint32_t y = y0; y < y0 + high && y < rows; y++)
            for (uint32_t x = x0; x < x0 + wide && x < columns; x++) power[y * columns + x] += 1e-3f;
    }
}

void work_hspt(struct work *w) {
    uint32_t columns = work_pick(w, 34, 190, 512), rows = work_pick(w, 22, 190, 512), n = columns * rows;
    uint32_t inner = TILE - 2 * STEPS;
    struct model m = make_model(columns, rows);
    float *t = work_host(w, n, sizeof *t), *next = work_host(w, n, sizeof *t);
    float *power = work_host(w, n, sizeof *power);
    for (uint32_t i = 0; i < n; i++) t[i] = work_uniform(w, 75, 85);
    make_power(w, power, columns, rows);
    uint64_t in = work_input(w, "temperature", t, n * sizeof *t),
             out = work_buffer(w, "result", n * sizeof *t);
    uint64_t watts = work_input(w, "power", power, n * sizeof *power);
    WORK_LAUNCH(w, "hspt",
                WORK_SHAPE(.grid = {(columns + inner - 1) / inner, (rows + inner - 1) / inner},
                           .block = {TILE, TILE}),
                hd_arg_ptr(out), hd_arg_ptr(in), hd_arg_ptr(watts), hd_arg_u32(columns), hd_arg_u32(rows),
                hd_arg_u32(STEPS), hd_arg_bytes(&m, sizeof m));
    step(next, t, power, columns, rows, &m);
    step(t, next, power, columns, rows, &m);
    work_check_f32(w, "result", out, t, n, 0, 0);
}

/* A particle filter that follows a bright disk through a noisy video (HARP Table 5: Particle Filter, 9 launches of 8 blocks of 128
 * threads, 42 M instructions; random numbers are the same in every run, HARP 6.2). The device does the resampling, as in the
 * program that HARP measured: a thread a particle finds its parent by a linear search, from the beginning, in the distribution of
 * the weights, doubles in global memory. Draws are systematic: one random number, and even steps from it. 1000 particles leave
 * the last 24 threads idle. The host moves the particles, compares the pixels of a disk around each with what the object looks
 * like, and sums the weights that come of it to the distribution.
 *
 * The paper names no inputs: ours are ten frames of 128x128 and a disk of radius 5. The number of instructions follows from the
 * particles and launches; half of the particles are searched on average. Weights are whole numbers, so that the distribution is the
 * same on every host. The kernel compares and copies: the check, which searches by halving, is exact. And the filter must do
 * what it is for: at the last frame the particles are on the object. */
#include <math.h>
#include <string.h>

#include "workloads/workload.h"

/* As the kernel takes them. */
struct device_particles {
    uint64_t x, y;
};

struct disk {
    int32_t *dx, *dy;
    uint32_t points;
};

struct particles {
    uint32_t count;
    double *x, *y;
    uint32_t *weights, *seeds;
};

struct video {
    int32_t width, height, radius;
    uint32_t frames;
    uint8_t *pixels;
};

enum { START_X = 30, START_Y = 20, STEP_X = 1, STEP_Y = 2 };

static bool in_disk(int32_t dx, int32_t dy, int32_t radius) {
    return dx * dx + dy * dy <= radius * radius;
}

/* The background is about 100, the object about 228. */
static struct video make_video(struct work *w, uint32_t frames, int32_t size, int32_t radius) {
    struct video v = {size, size, radius, frames, NULL};
    v.pixels = work_host(w, (size_t)size * (size_t)size * frames, 1);
    uint8_t *p = v.pixels;
    for (int32_t f = 0; f < (int32_t)frames; f++)
        for (int32_t y = 0; y < v.height; y++)
            for (int32_t x = 0; x < v.width; x++) {
                bool object = in_disk(x - START_X - f * STEP_X, y - START_Y - f * STEP_Y, radius);
                *p++ = (uint8_t)((object ? 208 : 80) + work_below(w, 40));
            }
    return v;
}

static struct disk make_disk(struct work *w, int32_t radius) {
    size_t most = (size_t)(2 * radius + 1) * (size_t)(2 * radius + 1);
    struct disk d = {work_host(w, most, sizeof *d.dx), work_host(w, most, sizeof *d.dy), 0};
    for (int32_t y = -radius; y <= radius; y++)
        for (int32_t x = -radius; x <= radius; x++) {
            if (!in_disk(x, y, radius)) continue;
            d.dx[d.points] = x;
            d.dy[d.points++] = y;
        }
    return d;
}

static struct particles make_particles(struct work *w, uint32_t count) {
    struct particles p = {count, work_host(w, count, sizeof *p.x), work_host(w, count, sizeof *p.y),
                          work_host(w, count, sizeof *p.weights), work_host(w, count, sizeof *p.seeds)};
    for (uint32_t i = 0; i < count; i++) {
        p.x[i] = START_X;
        p.y[i] = START_Y;
        p.seeds[i] = work_random(w);
    }
    return p;
}

/* ---- the host's part ---- */

static double random24(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return (double)(*seed >> 8) * 0x1p-24;
}

/* The sum of twelve uniform numbers has variance 1. */
static double normal(uint32_t *seed) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += random24(seed);
    return sum;
}

static float log_likelihood(const struct video *v, const uint8_t *frame, const struct disk *d, int32_t x,
                            int32_t y) {
    int32_t sum = 0, seen = 0;
    for (uint32_t p = 0; p < d->points; p++) {
        int32_t px = x + d->dx[p], py = y + d->dy[p];
        if (px < 0 || px >= v->width || py < 0 || py >= v->height) continue;
        int32_t pixel = frame[py * v->width + px];
        sum += (pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228);
        seen++;
    }
    return seen ? (float)sum / (float)(seen * 2048) : -16.0f;
}

/* 2^6 e^x by the series of the fraction of log2: the host's library may round differently from another's. */
static uint32_t fixed_exp(float x) {
    float t = x * 1.44269504f, whole = floorf(t), f = (t - whole) * 0.69314718f;
    float series = 1 + f * (1 + f * (0.5f + f * (0.16666667f + f * (0.041666668f + f * 0.0083333333f))));
    return (uint32_t)ldexpf(series, 6 + (int)whole);
}

static void move(struct particles *p, const struct video *v, const uint8_t *frame, const struct disk *d) {
    for (uint32_t i = 0; i < p->count; i++) {
        p->x[i] += STEP_X + 3 * normal(&p->seeds[i]);
        p->y[i] += STEP_Y + 3 * normal(&p->seeds[i]);
        p->weights[i] =
            1 + fixed_exp(log_likelihood(v, frame, d, (int32_t)floor(p->x[i]), (int32_t)floor(p->y[i])));
    }
}

/* The distribution of the weights, and a draw for each particle. */
static void distribute(struct work *w, const struct particles *p, double *cdf, double *draws) {
    uint64_t total = 0, sum = 0;
    double n = p->count, first = (double)work_uniform(w, 0, 1) / n;
    for (uint32_t i = 0; i < p->count; i++) total += p->weights[i];
    for (uint32_t i = 0; i < p->count; i++) {
        sum += p->weights[i];
        cdf[i] = (double)sum / (double)total;
        draws[i] = first + (double)i / n;
    }
}

/* The mean of the particles by their weights, as far from the object as this. */
static double distance(const struct particles *p, uint32_t frame) {
    double x = 0, y = 0, sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        x += (double)p->weights[i] * p->x[i];
        y += (double)p->weights[i] * p->y[i];
        sum += p->weights[i];
    }
    return hypot(x / sum - (START_X + (double)frame * STEP_X), y / sum - (START_Y + (double)frame * STEP_Y));
}

/* ---- resampling ---- */

/* The first particle up to which the shares sum to the draw, by halving. */
static uint32_t choose_parent(const double *cdf, uint32_t count, double draw) {
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (cdf[middle] >= draw)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void resample(struct work *w, struct particles *p, const double *cdf, const double *draws) {
    double *x = work_host(w, p->count, sizeof *x), *y = work_host(w, p->count, sizeof *y);
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t parent = choose_parent(cdf, p->count, draws[i]);
        x[i] = p->x[parent];
        y[i] = p->y[parent];
    }
    p->x = x;
    p->y = y;
}

struct device_filter {
    struct device_particles now, before;
    uint64_t cdf, draws;
};

static struct device_filter make_filter(struct work *w, size_t bytes) {
    return (struct device_filter){{work_buffer(w, "x", bytes), work_buffer(w, "y", bytes)},
                                  {work_buffer(w, "parent x", bytes), work_buffer(w, "parent y", bytes)},
                                  work_buffer(w, "cdf", bytes),
                                  work_buffer(w, "draws", bytes)};
}

static void check_bits(struct work *w, const char *what, uint64_t addr, const double *want, uint32_t n) {
    uint32_t *bits = work_host(w, n, sizeof *want);
    memcpy(bits, want, n * sizeof *want);
    work_check_u32(w, what, addr, bits, 2 * (size_t)n);
}

/* On the device, and on the host for the check. */
static void step(struct work *w, const struct device_filter *f, struct particles *p, const double *cdf,
                 const double *draws, uint32_t threads) {
    size_t bytes = p->count * sizeof *cdf;
    work_write(w, f->before.x, p->x, bytes);
    work_write(w, f->before.y, p->y, bytes);
    work_write(w, f->cdf, cdf, bytes);
    work_write(w, f->draws, draws, bytes);
    WORK_LAUNCH(w, "pf", WORK_SHAPE(.grid = {(p->count + threads - 1) / threads}, .block = {threads}),
                hd_arg_bytes(&f->now, sizeof f->now), hd_arg_bytes(&f->before, sizeof f->before),
                hd_arg_ptr(f->cdf), hd_arg_ptr(f->draws), hd_arg_u32(p->count));
    resample(w, p, cdf, draws);
    check_bits(w, "x", f->now.x, p->x, p->count);
    check_bits(w, "y", f->now.y, p->y, p->count);
}

void work_pf(struct work *w) {
    uint32_t count = work_pick(w, 120, 1000, 1000), threads = work_pick(w, 64, 128, 128);
    uint32_t frames = work_pick(w, 3, 3, 10), radius = work_pick(w, 2, 5, 5);
    struct video v = make_video(w, frames, (int32_t)work_pick(w, 64, 128, 128), (int32_t)radius);
    struct disk d = make_disk(w, v.radius);
    struct particles p = make_particles(w, count);
    struct device_filter f = make_filter(w, count * sizeof(double));
    double *cdf = work_host(w, count, sizeof *cdf), *draws = work_host(w, count, sizeof *draws), off = 0;
    for (uint32_t k = 1; k < frames; k++) {
        move(&p, &v, v.pixels + k * (size_t)v.width * (size_t)v.height, &d);
        distribute(w, &p, cdf, draws);
        off = distance(&p, k);
        step(w, &f, &p, cdf, draws, threads);
    }
    work_expect(w, off < 2, NULL, 0, "the filter lost the object: it is %.1f pixels off", off);
}

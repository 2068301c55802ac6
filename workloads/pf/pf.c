/* A particle filter that follows a bright disk through a noisy video (HARP Table 5: Particle Filter, 9 launches of 8 blocks of 128
 * threads, 42 M instructions; random numbers are the same in every run, HARP 6.2). A launch takes the filter one frame further, a
 * particle a thread: each block sums the weights of all particles to their distribution; each thread searches it, from its
 * beginning, for a random number and so finds the parent it descends from, moves by a random step, compares the pixels of a disk
 * there with what the object looks like, and makes a weight of that.
 *
 * Parents are drawn independently. Systematic resampling, which takes them in even steps, was tried first: neighbours then search
 * nearly as far and hardly diverge (lane activity 0.99 instead of 0.67 at the paper's size), where the paper has low lane activity.
 *
 * The paper names no inputs: ours are ten frames of 128x128 and a disk of radius 5. Weights are whole numbers, so that their sums are
 * the same in any order; the other arithmetic is the same IEEE operations on both sides: the check is exact. And the filter must
 * do what it is for: at the last frame the particles are on the object. */
#include <math.h>

#include "workloads/workload.h"

struct image {
    uint64_t pixels;
    int32_t width, height;
};

struct device_disk {
    uint64_t dx, dy;
    uint32_t points, unused;
};

struct device_particles {
    uint64_t x, y, weights;
};

struct disk {
    int32_t *dx, *dy;
    uint32_t points;
};

struct particles {
    uint32_t count;
    float *x, *y;
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
        p.weights[i] = 1;
        p.seeds[i] = work_random(w);
    }
    return p;
}

/* ---- the filter on the CPU ---- */

static uint32_t random24(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static float normal(uint32_t *seed) {
    float sum = -6;
    for (int i = 0; i < 12; i++) sum += (float)random24(seed) * 0x1p-24f;
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

static uint32_t fixed_exp(float x) {
    float t = x * 1.44269504f, whole = floorf(t), f = (t - whole) * 0.69314718f;
    float series = 1 + f * (1 + f * (0.5f + f * (0.16666667f + f * (0.041666668f + f * 0.0083333333f))));
    return (uint32_t)ldexpf(series, 6 + (int)whole);
}

/* The first particle whose weight and those before it exceed the target, by halving. */
static uint32_t choose_parent(const uint64_t *sums, uint32_t count, uint32_t *seed) {
    uint64_t target = sums[count - 1] * random24(seed) >> 24;
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sums[middle] > target)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void step(struct work *w, struct particles *p, const struct video *v, const uint8_t *frame,
                 const struct disk *d) {
    uint64_t *sums = work_host(w, p->count, sizeof *sums);
    float *x = work_host(w, p->count, sizeof *x), *y = work_host(w, p->count, sizeof *y);
    for (uint32_t i = 0; i < p->count; i++) sums[i] = (i ? sums[i - 1] : 0) + p->weights[i];
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t parent = choose_parent(sums, p->count, &p->seeds[i]);
        x[i] = p->x[parent] + STEP_X + 3 * normal(&p->seeds[i]);
        y[i] = p->y[parent] + STEP_Y + 3 * normal(&p->seeds[i]);
        p->weights[i] =
            1 + fixed_exp(log_likelihood(v, frame, d, (int32_t)floorf(x[i]), (int32_t)floorf(y[i])));
    }
    p->x = x;
    p->y = y;
}

/* The mean of the particles by their weights, as far from the object as this. */
static double distance(const struct particles *p, uint32_t frame) {
    double x = 0, y = 0, sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        x += (double)p->weights[i] * (double)p->x[i];
        y += (double)p->weights[i] * (double)p->y[i];
        sum += p->weights[i];
    }
    return hypot(x / sum - (START_X + (double)frame * STEP_X), y / sum - (START_Y + (double)frame * STEP_Y));
}

/* ---- on the device ---- */

static struct device_particles device_particles(struct work *w, const struct particles *p) {
    return (struct device_particles){work_input(w, "x", p->x, p->count * sizeof *p->x),
                                     work_input(w, "y", p->y, p->count * sizeof *p->y),
                                     work_input(w, "weights", p->weights, p->count * sizeof *p->weights)};
}

static struct device_disk device_disk(struct work *w, const struct disk *d) {
    return (struct device_disk){work_input(w, "dx", d->dx, d->points * sizeof *d->dx),
                                work_input(w, "dy", d->dy, d->points * sizeof *d->dy), d->points, 0};
}

void work_pf(struct work *w) {
    uint32_t blocks = work_pick(w, 2, 4, 8), threads = work_pick(w, 64, 128, 128);
    uint32_t frames = work_pick(w, 3, 4, 10), radius = work_pick(w, 2, 5, 5);
    struct video v = make_video(w, frames, (int32_t)work_pick(w, 64, 128, 128), (int32_t)radius);
    struct disk d = make_disk(w, v.radius);
    struct particles p = make_particles(w, blocks * threads);
    struct device_particles before = device_particles(w, &p), now = device_particles(w, &p);
    struct device_disk dd = device_disk(w, &d);
    uint64_t seeds = work_input(w, "seeds", p.seeds, p.count * sizeof *p.seeds);
    size_t pixels = (size_t)v.width * (size_t)v.height;
    struct image image = {work_input(w, "video", v.pixels, frames * pixels), v.width, v.height};
    for (uint32_t f = 1; f < frames; f++) {
        image.pixels += pixels;
        WORK_LAUNCH(w, "pf", WORK_SHAPE(.grid = {blocks}, .block = {threads}), hd_arg_bytes(&now, sizeof now),
                    hd_arg_bytes(&before, sizeof before), hd_arg_ptr(seeds),
                    hd_arg_bytes(&image, sizeof image), hd_arg_bytes(&dd, sizeof dd), hd_arg_u32(p.count));
        step(w, &p, &v, v.pixels + f * pixels, &d);
        struct device_particles swap = before;
        before = now;
        now = swap;
    }
    work_check_f32(w, "x", before.x, p.x, p.count, 0, 0);
    work_check_f32(w, "y", before.y, p.y, p.count, 0, 0);
    work_check_u32(w, "weights", before.weights, p.weights, p.count);
    double off = distance(&p, frames - 1);
    work_expect(w, off < 2, NULL, 0, "the filter lost the object: it is %.1f pixels off", off);
}

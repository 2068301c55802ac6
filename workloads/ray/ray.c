/* Ray tracing. HARP Table 5: one launch of (16,32) blocks of (16,8): an image of 256x256 pixels, a thread each, 65 M instructions. As
 * in the program that HARP measured there are four things, a plane and three spheres, in constant memory, and what the bounces of a
 * ray meet is kept on a stack of five entries in local memory, from which the pixel is mixed at the end. Where the things are, their
 * colours, the lamp and the camera are ours: rays leave into the sky at once or bounce up to five times, and a point on the dark
 * side needs no search for what shadows it. The CPU traces recursively, by the same operations: the check is exact. */
#include "workloads/workload.h"

#include <math.h>

enum { OBJECTS = 4, BOUNCES = 5, BLOCK_X = 16, BLOCK_Y = 8 };
#define FAR  1e6f
#define NEAR 1e-3f

struct vec {
    float x, y, z;
};
struct vec4 {
    float x, y, z, w;
};
struct ray {
    struct vec from, way;
};
enum { PLANE, SPHERE };
struct object {
    struct vec4 shape, paint;
    uint32_t kind, unused[3];
};
struct scene {
    struct object objects[OBJECTS];
    struct vec4 lamp;
};

static const struct scene scene = {{{{0, 1, 0, 0}, {0.9f, 0.9f, 0.8f, 0.3f}, PLANE, {0}},
                                    {{-2.6f, 2.3f, 1, 2.3f * 2.3f}, {0.9f, 0.3f, 0.2f, 0.5f}, SPHERE, {0}},
                                    {{0.3f, 1.2f, -1.7f, 1.2f * 1.2f}, {0.3f, 0.8f, 0.3f, 0.6f}, SPHERE, {0}},
                                    {{3, 2.4f, 1.5f, 2.4f * 2.4f}, {0.3f, 0.4f, 0.9f, 0.5f}, SPHERE, {0}}},
                                   {-4, 8, -5, 0.85f}};

static struct vec add(struct vec a, struct vec b) {
    return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static struct vec scale(struct vec a, float s) {
    return (struct vec){a.x * s, a.y * s, a.z * s};
}
static struct vec sub(struct vec a, struct vec b) {
    return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static float dot(struct vec a, struct vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static struct vec unit(struct vec a) {
    return scale(a, 1 / sqrtf(dot(a, a)));
}
static struct vec first3(struct vec4 s) {
    return (struct vec){s.x, s.y, s.z};
}

/* ---- the reference ---- */

static float hit_plane(const struct ray *r, struct vec4 s) {
    float slope = dot(first3(s), r->way);
    if (slope >= 0) return FAR;
    float t = -(dot(first3(s), r->from) + s.w) / slope;
    return t < NEAR ? FAR : t;
}

static float hit_sphere(const struct ray *r, struct vec4 s) {
    struct vec to = sub(first3(s), r->from);
    float along = dot(to, r->way), square = along * along - (dot(to, to) - s.w);
    if (square < 0) return FAR;
    float t = along - sqrtf(square);
    if (t < NEAR) t = along + sqrtf(square);
    return t < NEAR ? FAR : t;
}

static int nearest(const struct ray *r, float *best) {
    int found = -1;
    *best = FAR;
    for (int i = 0; i < OBJECTS; i++) {
        const struct object *o = &scene.objects[i];
        float t = o->kind == SPHERE ? hit_sphere(r, o->shape) : hit_plane(r, o->shape);
        if (t < *best) *best = t, found = i;
    }
    return found;
}

static float lit(const struct ray *r, struct vec normal, float *glare) {
    struct vec to = sub(first3(scene.lamp), r->from);
    float distance = sqrtf(dot(to, to)), between;
    struct vec light = scale(to, 1 / distance);
    float cosine = dot(normal, light);
    *glare = 0;
    if (cosine <= 0) return 0.15f;
    nearest(&(struct ray){r->from, light}, &between);
    if (between < distance) return 0.15f;
    float shine = dot(normal, unit(sub(light, r->way)));
    if (shine > 0.9f) {
        for (int i = 0; i < 5; i++) shine *= shine;
        *glare = shine;
    }
    return 0.15f + cosine * scene.lamp.w;
}

static struct vec trace(const struct ray *r, int bounce) {
    if (bounce == BOUNCES) return (struct vec){0, 0, 0};
    float t, glare, high = 0.5f + 0.5f * r->way.y;
    int i = nearest(r, &t);
    if (i < 0) return (struct vec){0.3f * high, 0.5f * high, 0.4f + 0.6f * high};
    const struct object *o = &scene.objects[i];
    struct vec at = add(r->from, scale(r->way, t)), colour = first3(o->paint), normal = first3(o->shape);
    if (o->kind == SPHERE)
        normal = unit(sub(at, normal));
    else if (((int)floorf(at.x) + (int)floorf(at.z)) & 1)
        colour = scale(colour, 0.25f);
    colour = scale(colour, lit(&(struct ray){at, r->way}, normal, &glare));
    colour = add(colour, (struct vec){glare, glare, glare});
    struct ray on = {at, sub(r->way, scale(normal, 2 * dot(normal, r->way)))};
    return add(scale(colour, 1 - o->paint.w), scale(trace(&on, bounce + 1), o->paint.w));
}

/* A pixel of the picture of 256x256. */
static struct vec pixel(uint32_t x, uint32_t y) {
    float across = ((float)x - 128) * (1.0f / 256), up = (128 - (float)y) * (1.0f / 256);
    return trace(&(struct ray){{0, 2.2f, -7}, unit((struct vec){across, up - 0.35f, 1})}, 0);
}

void work_ray(struct work *w) {
    uint32_t columns = work_pick(w, 32, 256, 256), bands = work_pick(w, 3, 8, 32);
    uint32_t rows = bands * BLOCK_Y, step = 256 / columns, apart = 256 / bands, n = columns * rows;
    struct vec4 *image = work_host(w, n, sizeof *image);
    work_write(w, work_symbol(w, "objects"), scene.objects, sizeof scene.objects);
    work_write(w, work_symbol(w, "lamp"), &scene.lamp, sizeof scene.lamp);
    uint64_t out = work_buffer(w, "image", n * sizeof *image);
    WORK_LAUNCH(w, "trace", WORK_SHAPE(.grid = {columns / BLOCK_X, bands}, .block = {BLOCK_X, BLOCK_Y}),
                hd_arg_ptr(out), hd_arg_u32(columns), hd_arg_u32(rows), hd_arg_u32(step), hd_arg_u32(apart));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = i / columns;
        struct vec colour = pixel(i % columns * step, row / BLOCK_Y * apart + row % BLOCK_Y);
        image[i] = (struct vec4){colour.x, colour.y, colour.z, 1};
    }
    work_check_f32(w, "image", out, &image->x, 4 * (size_t)n, 0, 0);
}

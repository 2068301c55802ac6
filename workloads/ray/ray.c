/* Ray tracing. HARP Table 5: one launch of (16,32) blocks of (16,8): an image of 256x256 pixels, a thread each. The paper does
 * not say what is in the picture; ours has 12 spheres, dull or mirrors, in 4 bounding spheres over a dull chequered plane, and
 * a lamp. Rays miss, meet dull things or bounce up to five times, and a point on the dark side needs no search for what
 * shadows it. The CPU traces recursively and without bounding spheres. What a ray meets is computed by the same operations, so
 * that both see the same scene; only the sum of the bounces rounds differently, a few units in the last place of each share. */
#include "workloads/workload.h"

#include <math.h>

enum { GROUPS = 4, MEMBERS = 3, BALLS = GROUPS * MEMBERS, BOUNCES = 5, BLOCK_X = 16, BLOCK_Y = 8 };
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
struct scene {
    struct vec4 bound[GROUPS], ball[BALLS], paint[BALLS], lamp;
};

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
static struct vec middle(struct vec4 s) {
    return (struct vec){s.x, s.y, s.z};
}

/* ---- the scene ---- */

/* Members sit on the plane around the middle of their group; every third is dull. The bound is a little wider than it must be, so
 * that rounding never hides a member. */
static void make_group(struct work *w, struct scene *s, int g) {
    struct vec c = {-3 + 2 * (float)g, 0.9f, work_uniform(w, -1, 3)};
    float reach = 0;
    for (int i = g * MEMBERS; i < (g + 1) * MEMBERS; i++) {
        float r = work_uniform(w, 0.6f, 1);
        struct vec m = {c.x + work_uniform(w, -0.8f, 0.8f), r + work_uniform(w, 0, 1),
                        c.z + work_uniform(w, -1, 1)};
        struct vec from = sub(m, c);
        reach = fmaxf(reach, sqrtf(dot(from, from)) + r);
        s->ball[i] = (struct vec4){m.x, m.y, m.z, r * r};
        s->paint[i] = (struct vec4){work_uniform(w, 0.2f, 1), work_uniform(w, 0.2f, 1),
                                    work_uniform(w, 0.2f, 1), i % 3 ? work_uniform(w, 0.3f, 0.7f) : 0};
    }
    s->bound[g] = (struct vec4){c.x, c.y, c.z, 1.01f * reach * reach};
}

static void make_scene(struct work *w, struct scene *s) {
    for (int g = 0; g < GROUPS; g++) make_group(w, s, g);
    s->lamp = (struct vec4){-4, 8, -5, 0.85f};
    work_write(w, work_symbol(w, "bound"), s->bound, sizeof s->bound);
    work_write(w, work_symbol(w, "ball"), s->ball, sizeof s->ball);
    work_write(w, work_symbol(w, "paint"), s->paint, sizeof s->paint);
    work_write(w, work_symbol(w, "lamp"), &s->lamp, sizeof s->lamp);
}

/* ---- the reference ---- */

static float hit(const struct ray *r, struct vec4 s) {
    struct vec to = sub(middle(s), r->from);
    float along = dot(to, r->way), square = along * along - (dot(to, to) - s.w);
    if (square < 0) return FAR;
    float t = along - sqrtf(square);
    if (t < NEAR) t = along + sqrtf(square);
    return t < NEAR ? FAR : t;
}

static bool shadowed(const struct scene *s, const struct ray *r, float distance) {
    for (int i = 0; i < BALLS; i++)
        if (hit(r, s->ball[i]) < distance) return true;
    return false;
}

static struct vec lit(const struct scene *s, struct vec at, struct vec normal, struct vec colour,
                      struct vec way) {
    struct vec to = sub(middle(s->lamp), at), sum = scale(colour, 0.15f);
    float distance = sqrtf(dot(to, to));
    struct vec light = scale(to, 1 / distance);
    float cosine = dot(normal, light);
    if (cosine <= 0 || shadowed(s, &(struct ray){at, light}, distance)) return sum;
    sum = add(sum, scale(colour, cosine * s->lamp.w));
    float glare = dot(normal, unit(sub(light, way)));
    float shine = glare > 0.9f ? (float)pow(glare, 32) : 0;
    return add(sum, (struct vec){shine, shine, shine});
}

/* The colour along a ray; *rest: the weight that is left after its last bounce. */
static struct vec trace(const struct scene *s, const struct ray *r, float weight, int bounce, float *rest) {
    *rest = weight;
    if (bounce == BOUNCES) return (struct vec){0, 0, 0};
    float best = FAR, high = 0.5f + 0.5f * r->way.y, ground = -r->from.y / r->way.y;
    int found = -1;
    for (int i = 0; i < BALLS; i++) {
        float t = hit(r, s->ball[i]);
        if (t < best) best = t, found = i;
    }
    bool plane = r->way.y < 0 && ground < best;
    if (found < 0 && !plane) return (struct vec){0.3f * high, 0.5f * high, 0.4f + 0.6f * high};
    struct vec at = add(r->from, scale(r->way, plane ? ground : best)), normal = {0, 1, 0}, colour;
    float mirror = 0;
    if (plane) {
        float shade = ((int)floorf(at.x) + (int)floorf(at.z)) & 1 ? 0.9f : 0.2f;
        colour = (struct vec){shade, shade, shade};
    } else {
        normal = unit(sub(at, middle(s->ball[found])));
        colour = middle(s->paint[found]);
        mirror = s->paint[found].w;
    }
    struct vec sum = scale(lit(s, at, normal, colour, r->way), 1 - mirror);
    *rest = weight * mirror;
    if (*rest < 0.02f) return sum;
    struct ray on = {at, sub(r->way, scale(normal, 2 * dot(normal, r->way)))};
    return add(sum, scale(trace(s, &on, *rest, bounce + 1, rest), mirror));
}

void work_ray(struct work *w) {
    uint32_t width = work_pick(w, 32, 192, 256), height = work_pick(w, 16, 192, 256), n = width * height;
    float pitch = 1.0f / (float)width;
    struct scene *s = work_host(w, 1, sizeof *s);
    struct vec4 *image = work_host(w, n, sizeof *image);
    make_scene(w, s);
    uint64_t out = work_buffer(w, "image", n * sizeof *image);
    WORK_LAUNCH(w, "trace",
                WORK_SHAPE(.grid = {width / BLOCK_X, height / BLOCK_Y}, .block = {BLOCK_X, BLOCK_Y}),
                hd_arg_ptr(out), hd_arg_u32(width), hd_arg_u32(height), hd_arg_f32(pitch));
    for (uint32_t i = 0; i < n; i++) {
        struct vec to = {((float)(i % width) - 0.5f * (float)width) * pitch,
                         (0.5f * (float)height - (float)(i / width)) * pitch - 0.17f, 1};
        struct ray r = {{0, 2.2f, -7}, unit(to)};
        struct vec colour = trace(s, &r, 1, 0, &image[i].w);
        image[i].x = colour.x, image[i].y = colour.y, image[i].z = colour.z;
    }
    work_check_f32(w, "image", out, &image->x, 4 * (size_t)n, 1e-5, 1e-6);
}

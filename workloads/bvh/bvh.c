/* Rays through a tree of boxes (control flow of the multi-path slides' kind: BVH). Triangles lie at random in a cube, small and
 * large ones; the tree is split at the middle of the longest side, leaves have up to four. Rays start at one point and go
 * through the pixels of a picture, as a camera's do, or for every second warp from random points in random directions, as
 * reflected ones. The CPU tests every triangle, with the same operations: the nearest is the same to the bit. Boxes are a little
 * larger than they must be, so that rounding never hides a triangle. */
#include "workloads/workload.h"

#include <math.h>
#include <string.h>

enum { LEAF = 4, WARP = 32 };
#define FAR 1e30f

struct vec {
    float x, y, z, w;
};
struct triangle {
    struct vec a, e, f; /* a corner and two edges; a.w: the last of its leaf */
};
struct node {
    struct vec low[2], high[2];
};
struct box {
    float low[3], high[3];
};
struct tree {
    struct triangle *triangles;
    struct node *nodes;
    uint32_t used;
};

static struct vec random_vec(struct work *w, float reach) {
    const float x = work_uniform(w, -reach, reach), y = work_uniform(w, -reach, reach);
    return (struct vec){x, y, work_uniform(w, -reach, reach), 0};
}

/* ---- the tree ---- */

static struct box box_of(const struct triangle *t, uint32_t n) {
    struct box b = {{FAR, FAR, FAR}, {-FAR, -FAR, -FAR}};
    for (uint32_t i = 0; i < n; i++) {
        const float a[3] = {t[i].a.x, t[i].a.y, t[i].a.z}, e[3] = {t[i].e.x, t[i].e.y, t[i].e.z},
                    f[3] = {t[i].f.x, t[i].f.y, t[i].f.z};
        for (int k = 0; k < 3; k++) {
            b.low[k] = fminf(b.low[k], fminf(a[k], fminf(a[k] + e[k], a[k] + f[k])) - 1e-3f);
            b.high[k] = fmaxf(b.high[k], fmaxf(a[k], fmaxf(a[k] + e[k], a[k] + f[k])) + 1e-3f);
        }
    }
    return b;
}

static float middle(const struct triangle *t, int axis) {
    const struct vec a = t->a, e = t->e, f = t->f;
    return axis == 0 ? 3 * a.x + e.x + f.x : axis == 1 ? 3 * a.y + e.y + f.y : 3 * a.z + e.z + f.z;
}

/* Orders the triangles by their middles: simple, and n is small. */
static void sort(struct triangle *t, uint32_t n, int axis) {
    for (uint32_t gap = n / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < n; i++) {
            const struct triangle moved = t[i];
            uint32_t at = i;
            for (; at >= gap && middle(&t[at - gap], axis) > middle(&moved, axis); at -= gap)
                t[at] = t[at - gap];
            t[at] = moved;
        }
}

static int longest(const struct box *b) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (b->high[k] - b->low[k] > b->high[axis] - b->low[axis]) axis = k;
    return axis;
}

static int32_t build(struct tree *t, uint32_t first, uint32_t n);

static void build_child(struct tree *t, uint32_t parent, int side, uint32_t first, uint32_t n) {
    const struct box b = box_of(t->triangles + first, n);
    const int32_t child = build(t, first, n);
    struct node *p = &t->nodes[parent];
    p->low[side] = (struct vec){b.low[0], b.low[1], b.low[2], 0};
    memcpy(&p->low[side].w, &child, sizeof child);
    p->high[side] = (struct vec){b.high[0], b.high[1], b.high[2], 0};
}

/* What stands for the triangles in their parent: a node, or a leaf as ~first. */
static int32_t build(struct tree *t, uint32_t first, uint32_t n) {
    if (n <= LEAF) {
        t->triangles[first + n - 1].a.w = 1;
        return (int32_t)~first;
    }
    const struct box b = box_of(t->triangles + first, n);
    const uint32_t at = t->used++;
    sort(t->triangles + first, n, longest(&b));
    build_child(t, at, 0, first, n / 2);
    build_child(t, at, 1, first + n / 2, n - n / 2);
    return (int32_t)at;
}

static struct tree make_tree(struct work *w, uint32_t n) {
    struct tree t = {.triangles = work_host(w, n, sizeof *t.triangles),
                     .nodes = work_host(w, n, sizeof *t.nodes)};
    for (uint32_t i = 0; i < n; i++) {
        const float size = work_below(w, 8) ? 0.6f : 2.5f;
        t.triangles[i] = (struct triangle){random_vec(w, 10), random_vec(w, size), random_vec(w, size)};
    }
    build(&t, 0, n);
    return t;
}

/* ---- the reference ---- */

static struct vec cross(struct vec a, struct vec b) {
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}
static float dot(struct vec a, struct vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static float meet(struct vec from, struct vec way, const struct triangle *t) {
    const struct vec p = cross(way, t->f), s = {from.x - t->a.x, from.y - t->a.y, from.z - t->a.z, 0};
    const float det = dot(t->e, p), u = dot(s, p) / det, v = dot(way, cross(s, t->e)) / det;
    const float far = dot(t->f, cross(s, t->e)) / det;
    return fabsf(det) < 1e-8f || u < 0 || u > 1 || v < 0 || u + v > 1 || far <= 0 ? FAR : far;
}

static uint32_t nearest(const struct tree *t, uint32_t n, const struct vec ray[2]) {
    float best = FAR;
    uint32_t hit = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const float d = meet(ray[0], ray[1], &t->triangles[i]);
        if (d < best) best = d, hit = i;
    }
    return hit;
}

static void make_rays(struct work *w, struct vec *rays, uint32_t n) {
    const uint32_t width = 64;
    for (uint32_t i = 0; i < n; i++) {
        const float x = (float)(i % width) / (float)width - 0.5f,
                    y = (float)(i / width) / (float)(n / width) - 0.5f;
        rays[2 * i] = (struct vec){0, 0, -24, 0};
        rays[2 * i + 1] = (struct vec){x + 1e-3f, y + 1e-3f, 1, 0};
        if (i / WARP % 2) {
            rays[2 * i] = random_vec(w, 8);
            rays[2 * i + 1] = random_vec(w, 1);
        }
    }
}

void work_bvh(struct work *w) {
    const uint32_t n = work_pick(w, 128, 7680, 30720), triangles = work_pick(w, 200, 2000, 8000), block = 128;
    const struct tree t = make_tree(w, triangles);
    struct vec *rays = work_host(w, 2 * (size_t)n, sizeof *rays);
    uint32_t *want = work_host(w, n, sizeof *want);
    make_rays(w, rays, n);
    for (uint32_t i = 0; i < n; i++) want[i] = nearest(&t, triangles, rays + 2 * i);
    uint64_t hits = work_buffer(w, "hits", n * sizeof *want);
    uint64_t nodes = work_input(w, "nodes", t.nodes, t.used * sizeof *t.nodes),
             dt = work_input(w, "triangles", t.triangles, triangles * sizeof *t.triangles),
             dr = work_input(w, "rays", rays, 2 * (uint64_t)n * sizeof *rays);
    WORK_LAUNCH(w, "bvh", WORK_SHAPE(.grid = {n / block}, .block = {block}), hd_arg_ptr(hits),
                hd_arg_ptr(nodes), hd_arg_ptr(dt), hd_arg_ptr(dr), hd_arg_u32(n));
    work_check_u32(w, "hits", hits, want, n);
}

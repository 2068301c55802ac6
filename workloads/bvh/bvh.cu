// Rays through a tree of boxes: each thread looks for the nearest triangle on its ray. Inner nodes and leaves are the two sides of
// one loop, boxes and triangles are left early in several places, and paths down the tree have any length.
#include "cuda.h"

#define STACK 32
#define FAR   1e30f

// An inner node has both children's boxes; a child below 0 is a leaf, ~first triangle. The last of a leaf has its w set.
struct node {
    float4 low[2], high[2]; // w of low[i]: child i, as bits
};

DEVICE float min_f(float a, float b) {
    return a < b ? a : b;
}
DEVICE float max_f(float a, float b) {
    return a > b ? a : b;
}

struct ray {
    float4 from, way, inverse;
};

// Where the ray enters the box; FAR: not before `limit`.
DEVICE float enter(const ray &r, const float4 &low, const float4 &high, float limit) {
    const float x0 = (low.x - r.from.x) * r.inverse.x, x1 = (high.x - r.from.x) * r.inverse.x;
    const float y0 = (low.y - r.from.y) * r.inverse.y, y1 = (high.y - r.from.y) * r.inverse.y;
    const float z0 = (low.z - r.from.z) * r.inverse.z, z1 = (high.z - r.from.z) * r.inverse.z;
    const float in = max_f(max_f(min_f(x0, x1), min_f(y0, y1)), max_f(min_f(z0, z1), 0.0f));
    const float out = min_f(min_f(max_f(x0, x1), max_f(y0, y1)), min_f(max_f(z0, z1), limit));
    return in <= out ? in : FAR;
}

DEVICE float4 cross(const float4 &a, const float4 &b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}
DEVICE float dot(const float4 &a, const float4 &b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
DEVICE float4 minus(const float4 &a, const float4 &b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z, 0};
}

// Distance along the ray; FAR: it passes (Moeller and Trumbore). A corner and two edges.
DEVICE float meet(const ray &r, const float4 *t) {
    const float4 a = t[0], e = t[1], f = t[2], p = cross(r.way, f);
    const float det = dot(e, p);
    if (abs_f(det) < 1e-8f) return FAR;
    const float4 s = minus(r.from, a);
    const float u = dot(s, p) / det;
    if (u < 0 || u > 1) return FAR;
    const float4 q = cross(s, e);
    const float v = dot(r.way, q) / det;
    if (v < 0 || u + v > 1) return FAR;
    const float far = dot(f, q) / det;
    return far > 0 ? far : FAR;
}

KERNEL bvh(uint *hits, const node *nodes, const float4 *triangles, const float4 *rays, uint n) {
    const uint id = global_id();
    if (id >= n) return;
    ray r = {rays[2 * id], rays[2 * id + 1], {}};
    r.inverse = {1 / r.way.x, 1 / r.way.y, 1 / r.way.z, 0};
    int waiting[STACK];
    uint top = 0, hit = ~0u;
    float nearest = FAR;
    int at = 0;
    for (;;) {
        if (at >= 0) {
            const node &b = nodes[at];
            const float4 l0 = b.low[0], l1 = b.low[1];
            const float d0 = enter(r, l0, b.high[0], nearest), d1 = enter(r, l1, b.high[1], nearest);
            const int c0 = __builtin_bit_cast(int, l0.w), c1 = __builtin_bit_cast(int, l1.w);
            if (d0 < FAR && d1 < FAR) {
                waiting[top++] = d0 <= d1 ? c1 : c0;
                at = d0 <= d1 ? c0 : c1;
                continue;
            }
            if (d0 < FAR) {
                BRANCH;
                at = c0;
                continue;
            }
            if (d1 < FAR) {
                BRANCH;
                at = c1;
                continue;
            }
        } else {
            const float4 *t = triangles + 3 * ~at;
            for (;; t += 3) {
                const float d = meet(r, t);
                if (d < nearest) {
                    BRANCH;
                    nearest = d;
                    hit = (uint)(t - triangles) / 3;
                }
                if (t[0].w != 0) break;
            }
        }
        if (top == 0) break;
        at = waiting[--top];
    }
    hits[id] = hit;
}

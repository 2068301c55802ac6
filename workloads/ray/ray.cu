// Ray tracer: spheres in bounding spheres over a chequered plane, one lamp, shadows and mirrors; a pixel a thread (HARP Table 5).
// regen: -mllvm -disable-block-placement
#include "cuda.h"

#define GROUPS  4 // bounding spheres
#define MEMBERS 3 // spheres in each
#define BOUNCES 5
#define FAR     1e6f // the horizon
#define NEAR    1e-3f // what a ray that starts on a surface does not see

__constant__ float4 bound[GROUPS];           // middle, radius squared
__constant__ float4 ball[GROUPS * MEMBERS];  // the same
__constant__ float4 paint[GROUPS * MEMBERS]; // colour, share reflected
__constant__ float4 lamp;

struct vec {
    float x, y, z;
};
DEVICE vec operator+(vec a, vec b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
DEVICE vec operator-(vec a, vec b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
DEVICE vec operator*(vec a, float s) {
    return {a.x * s, a.y * s, a.z * s};
}
DEVICE float dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
DEVICE vec unit(vec a) {
    return a * (1 / sqrt_rn(dot(a, a)));
}
DEVICE vec middle(float4 s) {
    return {s.x, s.y, s.z};
}

struct ray {
    vec from, way; // way: of length 1
};

// Whether any point ahead on the ray lies in the sphere.
DEVICE bool may_hit(ray r, float4 s) {
    vec to = middle(s) - r.from;
    float along = dot(to, r.way), outside = dot(to, to) - s.w;
    return outside <= 0 || (along > 0 && along * along >= outside);
}

// The distance to the sphere's surface, FAR if the ray does not meet it.
DEVICE float hit(ray r, float4 s) {
    vec to = middle(s) - r.from;
    float along = dot(to, r.way), square = along * along - (dot(to, to) - s.w);
    if (square < 0) return FAR;
    float half = sqrt_rn(square);
    float t = along - half;
    if (t < NEAR) t = along + half;
    return t < NEAR ? FAR : t;
}

// The nearest sphere ahead and its distance; -1: none.
DEVICE int nearest(ray r, float &best) {
    int found = -1;
    best = FAR;
    for (int g = 0; g < GROUPS; g++) {
        if (!may_hit(r, bound[g])) continue;
        for (int i = g * MEMBERS; i < (g + 1) * MEMBERS; i++) {
            float t = hit(r, ball[i]);
            if (t < best) best = t, found = i;
        }
    }
    return found;
}

DEVICE bool in_shadow(ray r, float distance) {
    for (int g = 0; g < GROUPS; g++) {
        if (!may_hit(r, bound[g])) continue;
        for (int i = g * MEMBERS; i < (g + 1) * MEMBERS; i++)
            if (hit(r, ball[i]) < distance) return true;
    }
    return false;
}

struct surface {
    vec at, normal, colour;
    float mirror;
};

// What the ray meets, false: the sky.
DEVICE bool meet(ray r, surface &s) {
    float t;
    int i = nearest(r, t);
    if (r.way.y < 0 && -r.from.y / r.way.y < t) {
        s.at = r.from + r.way * (-r.from.y / r.way.y);
        s.normal = {0, 1, 0};
        int square = (int)__builtin_floorf(s.at.x) + (int)__builtin_floorf(s.at.z);
        s.colour = square & 1 ? vec{0.9f, 0.9f, 0.9f} : vec{0.2f, 0.2f, 0.2f};
        s.mirror = 0;
        return true;
    }
    if (i < 0) return false;
    float4 p = paint[i];
    s.at = r.from + r.way * t;
    s.normal = unit(s.at - middle(ball[i]));
    s.colour = {p.x, p.y, p.z};
    s.mirror = p.w;
    return true;
}

// The lamp's light from that point, as far as nothing is between, and its glare towards the ray's origin.
DEVICE vec lit(surface s, vec way) {
    vec to = middle(lamp) - s.at, colour = s.colour * 0.15f;
    float distance = sqrt_rn(dot(to, to));
    vec light = to * (1 / distance);
    float cosine = dot(s.normal, light);
    if (cosine <= 0 || in_shadow({s.at, light}, distance)) return colour;
    colour = colour + s.colour * (cosine * lamp.w);
    float glare = dot(s.normal, unit(light - way));
    if (glare > 0.9f) {
        for (int i = 0; i < 5; i++) glare *= glare;
        colour = colour + vec{glare, glare, glare};
    }
    return colour;
}

DEVICE vec sky(vec way) {
    float high = 0.5f + 0.5f * way.y;
    return {0.3f * high, 0.5f * high, 0.4f + 0.6f * high};
}

KERNEL trace(float4 *image, uint width, uint height, float pitch) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    vec to = {((float)x - 0.5f * (float)width) * pitch, (0.5f * (float)height - (float)y) * pitch - 0.17f, 1};
    ray r = {{0, 2.2f, -7}, unit(to)};
    vec sum = {0, 0, 0};
    float weight = 1;
    for (int i = 0; i < BOUNCES; i++) {
        surface s;
        if (!meet(r, s)) {
            sum = sum + sky(r.way) * weight;
            break;
        }
        sum = sum + lit(s, r.way) * (weight * (1 - s.mirror));
        weight *= s.mirror;
        if (weight < 0.02f) break;
        r = {s.at, r.way - s.normal * (2 * dot(s.normal, r.way))};
    }
    image[y * width + x] = {sum.x, sum.y, sum.z, weight};
}

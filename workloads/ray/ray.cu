// Ray tracer: three spheres on a chequered plane, one lamp, shadows and mirrors; a pixel a thread (HARP Table 5).
// Addresses of constants, shared and local memory have 32 bits, as they had on the machines of the paper: fewer registers.
// regen: -fcuda-short-ptr -mllvm --nvptx-short-ptr
#include "cuda.h"

#define OBJECTS 4 // a plane and three spheres
#define BOUNCES 5
#define FAR     1e6f // the horizon
#define NEAR    1e-3f // what a ray that starts on a surface does not see

struct object {
    float4 shape; // a plane: its normal and the negative distance of the origin; a sphere: its middle, radius squared
    float4 paint; // colour, share reflected
    uint kind, unused[3];
};
enum { PLANE, SPHERE };
__constant__ object objects[OBJECTS];
__constant__ float4 lamp;             // where, how bright

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
DEVICE vec first3(float4 s) {
    return {s.x, s.y, s.z};
}

struct ray {
    vec from, way; // way: of length 1
};

// Distances along the ray, FAR if it does not meet the thing.
DEVICE float hit_plane(ray r, float4 s) {
    float slope = dot(first3(s), r.way);
    if (slope >= 0) return FAR;
    float t = -(dot(first3(s), r.from) + s.w) / slope;
    return t < NEAR ? FAR : t;
}
DEVICE float hit_sphere(ray r, float4 s) {
    vec to = first3(s) - r.from;
    float along = dot(to, r.way), square = along * along - (dot(to, to) - s.w);
    if (square < 0) return FAR;
    float half = sqrt_rn(square), t = along - half;
    if (t < NEAR) t = along + half;
    return t < NEAR ? FAR : t;
}
DEVICE float hit(ray r, int i) {
    if (objects[i].kind == PLANE) return hit_plane(r, objects[i].shape);
    return hit_sphere(r, objects[i].shape);
}

// The nearest thing ahead and its distance; -1: the sky.
DEVICE int nearest(ray r, float &best) {
    int found = -1;
    best = FAR;
#pragma unroll 1
    for (int i = 0; i < OBJECTS; i++) {
        float t = hit(r, i);
        if (t < best) best = t, found = i;
    }
    return found;
}

DEVICE bool in_shadow(ray r, float distance) {
#pragma unroll 1
    for (int i = 0; i < OBJECTS; i++)
        if (hit(r, i) < distance) return true;
    return false;
}

DEVICE vec normal_of(int i, vec at) {
    vec shape = first3(objects[i].shape);
    return objects[i].kind == PLANE ? shape : unit(at - shape);
}

DEVICE vec colour_of(int i, vec at) {
    vec paint = first3(objects[i].paint);
    if (objects[i].kind != PLANE) return paint;
    int square = (int)__builtin_floorf(at.x) + (int)__builtin_floorf(at.z);
    return square & 1 ? paint * 0.25f : paint;
}

// The light at the ray's beginning, the lamp's as far as nothing is between, and its glare on the way back.
DEVICE float lit(ray r, vec normal, float &glare) {
    vec to = first3(lamp) - r.from;
    float distance = sqrt_rn(dot(to, to));
    vec light = to * (1 / distance);
    float cosine = dot(normal, light);
    glare = 0;
    if (cosine <= 0 || in_shadow({r.from, light}, distance)) return 0.15f;
    float shine = dot(normal, unit(light - r.way));
    if (shine > 0.9f) {
        for (int i = 0; i < 5; i++) shine *= shine;
        glare = shine;
    }
    return 0.15f + cosine * lamp.w;
}

DEVICE vec sky(vec way) {
    float high = 0.5f + 0.5f * way.y;
    return {0.3f * high, 0.5f * high, 0.4f + 0.6f * high};
}

// What the ray meets goes on a stack, in local memory; what is behind the last mirror is mixed in from there back.
DEVICE vec follow(ray r) {
    float4 stack[BOUNCES]; // colour, share reflected
    int depth = 0;
#pragma unroll 1
    while (depth < BOUNCES) {
        float t, glare;
        int i = nearest(r, t);
        if (i < 0) break;
        r.from = r.from + r.way * t;
        vec normal = normal_of(i, r.from);
        float light = lit(r, normal, glare);
        vec colour = colour_of(i, r.from) * light + vec{glare, glare, glare};
        stack[depth++] = {colour.x, colour.y, colour.z, objects[i].paint.w};
        r.way = r.way - normal * (2 * dot(normal, r.way));
    }
    vec behind = {0, 0, 0};
    if (depth < BOUNCES) behind = sky(r.way);
#pragma unroll 1
    while (depth > 0) {
        float4 top = stack[--depth];
        behind = first3(top) * (1 - top.w) + behind * top.w;
    }
    return behind;
}

// The image is part of a picture of 256x256: every `step`-th column, and bands of as many rows as a block has, `apart` rows from one
// another.
KERNEL trace(float4 *image, uint columns, uint rows, uint step, uint apart) {
    uint column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    uint x = column * step, y = blockIdx.y * apart + threadIdx.y;
    float across = ((float)x - 128) * (1.0f / 256), up = (128 - (float)y) * (1.0f / 256);
    vec colour = follow({{0, 2.2f, -7}, unit({across, up - 0.35f, 1})});
    image[row * columns + column] = {colour.x, colour.y, colour.z, 1};
}

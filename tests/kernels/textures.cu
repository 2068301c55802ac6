/* Texture objects through inline PTX: one thread per coordinate, every geometry. */
#include "cuda.h"

KERNEL tex_1d(float4 *out, u64 t, const float *x, uint n) {
    uint i = global_id();
    if (i >= n) return;
    float4 v;
    asm("tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x[i]));
    out[i] = v;
}
KERNEL tex_1d_int(uint4 *out, u64 t, const int *x, uint n) {
    uint i = global_id();
    if (i >= n) return;
    uint4 v;
    asm("tex.1d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5}];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(t), "r"(x[i]));
    out[i] = v;
}
KERNEL tex_2d(float4 *out, u64 t, const float2 *x, uint n) {
    uint i = global_id();
    if (i >= n) return;
    float4 v;
    asm("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x[i].x), "f"(x[i].y));
    out[i] = v;
}
KERNEL tex_2d_level(float4 *out, u64 t, const float2 *x, uint n) {
    uint i = global_id();
    if (i >= n) return;
    float4 v;
    asm("tex.level.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], %7;"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x[i].x), "f"(x[i].y), "f"(0.0f));
    out[i] = v;
}
KERNEL tex_a2d(float4 *out, u64 t, const float4 *x, uint n) {
    uint i = global_id();
    if (i >= n) return;
    float4 v;
    asm("tex.a2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "r"((int)x[i].z), "f"(x[i].x), "f"(x[i].y));
    out[i] = v;
}
KERNEL tex_3d(float4 *out, u64 t, const float4 *x, uint n) {
    uint i = global_id();
    if (i >= n) return;
    float4 v;
    asm("tex.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x[i].x), "f"(x[i].y), "f"(x[i].z));
    out[i] = v;
}
KERNEL tex_cube(float4 *out, u64 t, const float4 *x, uint n) {
    uint i = global_id();
    if (i >= n) return;
    float4 v;
    asm("tex.cube.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x[i].x), "f"(x[i].y), "f"(x[i].z));
    out[i] = v;
}

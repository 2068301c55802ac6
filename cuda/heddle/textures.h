/* Functions of texture and surface objects, each one PTX instruction. A texel is read as four floats, ints or unsigneds and cut to
 * what the caller asks for; a surface moves bytes. */
#ifndef HEDDLE_CUDA_TEXTURES_H
#define HEDDLE_CUDA_TEXTURES_H

namespace heddle {
/* Which of the three a type is read as, and how it is made of it. */
template <class T> struct texel;
#define HEDDLE_TEXEL(T, R, ...)                                         \
    template <> struct texel<T> {                                       \
        typedef R read;                                                 \
        static __device__ T of(R v) { return __VA_ARGS__; }             \
    };
#define HEDDLE_TEXELS(T, name, R)                                                       \
    HEDDLE_TEXEL(T, R, (T)v.x)                                                          \
    HEDDLE_TEXEL(name##1, R, name##1{(T)v.x})                                           \
    HEDDLE_TEXEL(name##2, R, name##2{(T)v.x, (T)v.y})                                   \
    HEDDLE_TEXEL(name##4, R, name##4{(T)v.x, (T)v.y, (T)v.z, (T)v.w})
HEDDLE_TEXELS(signed char, char, int4)
HEDDLE_TEXELS(unsigned char, uchar, uint4)
HEDDLE_TEXELS(short, short, int4)
HEDDLE_TEXELS(unsigned short, ushort, uint4)
HEDDLE_TEXELS(int, int, int4)
HEDDLE_TEXELS(unsigned, uint, uint4)
HEDDLE_TEXELS(float, float, float4)
HEDDLE_TEXEL(char, int4, (char)v.x)
HEDDLE_TEXEL(long, int4, (long)v.x)
HEDDLE_TEXEL(unsigned long, uint4, (unsigned long)v.x)
#undef HEDDLE_TEXELS
#undef HEDDLE_TEXEL
} // namespace heddle

#define HEDDLE_PARENS(...) __VA_ARGS__
/* name, parameters, their names, the instruction from its geometry on with ADDRESS after the object, the operands */
#define HEDDLE_TEX1(name, R, letter, type, params, op, rest, address, ...)                                          \
    static __device__ inline void heddle_##name(R *r, cudaTextureObject_t t, HEDDLE_PARENS params) {                \
        asm(op ".v4." type rest " {%0, %1, %2, %3}, [%4, " address                                                  \
            : "=" letter(r->x), "=" letter(r->y), "=" letter(r->z), "=" letter(r->w)                                \
            : "l"(t), __VA_ARGS__);                                                                                 \
    }
#define HEDDLE_TEX(name, params, args, op, rest, address, ...)                                                      \
    HEDDLE_TEX1(name, float4, "f", "f32", params, op, rest, address, __VA_ARGS__)                                   \
    HEDDLE_TEX1(name, int4, "r", "s32", params, op, rest, address, __VA_ARGS__)                                     \
    HEDDLE_TEX1(name, uint4, "r", "u32", params, op, rest, address, __VA_ARGS__)                                    \
    template <class T> static __device__ inline T name(cudaTextureObject_t t, HEDDLE_PARENS params) {               \
        typename heddle::texel<T>::read r;                                                                          \
        heddle_##name(&r, t, HEDDLE_PARENS args);                                                                   \
        return heddle::texel<T>::of(r);                                                                             \
    }                                                                                                               \
    template <class T> static __device__ inline void name(T *to, cudaTextureObject_t t, HEDDLE_PARENS params) {     \
        *to = name<T>(t, HEDDLE_PARENS args);                                                                       \
    }
HEDDLE_TEX(tex1Dfetch, (int x), (x), "tex.1d", ".s32", "{%5}];", "r"(x))
HEDDLE_TEX(tex1D, (float x), (x), "tex.1d", ".f32", "{%5}];", "f"(x))
HEDDLE_TEX(tex2D, (float x, float y), (x, y), "tex.2d", ".f32", "{%5, %6}];", "f"(x), "f"(y))
HEDDLE_TEX(tex3D, (float x, float y, float z), (x, y, z), "tex.3d", ".f32", "{%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
HEDDLE_TEX(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d", ".f32", "{%6, %5}];", "f"(x), "r"(layer))
HEDDLE_TEX(tex2DLayered, (float x, float y, int layer), (x, y, layer), "tex.a2d", ".f32", "{%7, %5, %6, %6}];", "f"(x),
           "f"(y), "r"(layer))
HEDDLE_TEX(texCubemap, (float x, float y, float z), (x, y, z), "tex.cube", ".f32", "{%5, %6, %7, %7}];", "f"(x), "f"(y),
           "f"(z))
HEDDLE_TEX(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer), "tex.acube", ".f32",
           "{%8, %5, %6, %7}];", "f"(x), "f"(y), "f"(z), "r"(layer))
HEDDLE_TEX(tex1DLod, (float x, float level), (x, level), "tex.level.1d", ".f32", "{%5}], %6;", "f"(x), "f"(level))
HEDDLE_TEX(tex2DLod, (float x, float y, float level), (x, y, level), "tex.level.2d", ".f32", "{%5, %6}], %7;", "f"(x),
           "f"(y), "f"(level))
HEDDLE_TEX(tex3DLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.3d", ".f32",
           "{%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z), "f"(level))
HEDDLE_TEX(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level), "tex.level.a1d", ".f32",
           "{%6, %5}], %7;", "f"(x), "r"(layer), "f"(level))
HEDDLE_TEX(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level), "tex.level.a2d", ".f32",
           "{%7, %5, %6, %6}], %8;", "f"(x), "f"(y), "r"(layer), "f"(level))
HEDDLE_TEX(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.cube", ".f32",
           "{%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z), "f"(level))
HEDDLE_TEX(tex1DGrad, (float x, float dx, float dy), (x, dx, dy), "tex.grad.1d", ".f32", "{%5}], {%6}, {%7};", "f"(x),
           "f"(dx), "f"(dy))
HEDDLE_TEX(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "tex.grad.2d", ".f32",
           "{%5, %6}], {%7, %8}, {%9, %10};", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
HEDDLE_TEX(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "tex.grad.3d", ".f32",
           "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};", "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y),
           "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
HEDDLE_TEX(heddle_gather_r, (float x, float y), (x, y), "tld4.r.2d", ".f32", "{%5, %6}];", "f"(x), "f"(y))
HEDDLE_TEX(heddle_gather_g, (float x, float y), (x, y), "tld4.g.2d", ".f32", "{%5, %6}];", "f"(x), "f"(y))
HEDDLE_TEX(heddle_gather_b, (float x, float y), (x, y), "tld4.b.2d", ".f32", "{%5, %6}];", "f"(x), "f"(y))
HEDDLE_TEX(heddle_gather_a, (float x, float y), (x, y), "tld4.a.2d", ".f32", "{%5, %6}];", "f"(x), "f"(y))
template <class T> static __device__ inline T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
    return component == 1   ? heddle_gather_g<T>(t, x, y)
           : component == 2 ? heddle_gather_b<T>(t, x, y)
           : component == 3 ? heddle_gather_a<T>(t, x, y)
                            : heddle_gather_r<T>(t, x, y);
}
template <class T> static __device__ inline void tex2Dgather(T *to, cudaTextureObject_t t, float x, float y, int c = 0) {
    *to = tex2Dgather<T>(t, x, y, c);
}
#undef HEDDLE_TEX
#undef HEDDLE_TEX1

/* ---- surfaces: x counts bytes, and what is beyond the border traps unless the mode says otherwise ---- */
/* In all modes. */
#define HEDDLE_MODES(DO, ...)                                              \
    switch (mode) {                                                        \
    case cudaBoundaryModeZero: DO(".zero", __VA_ARGS__); break;            \
    case cudaBoundaryModeClamp: DO(".clamp", __VA_ARGS__); break;          \
    default: DO(".trap", __VA_ARGS__); break;                              \
    }
#define HEDDLE_READ1(mode, op, at, ...) \
    asm volatile("suld.b." op ".b8" mode " %0, [%1, " at : "=h"(r[0]) : "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_READ2(mode, op, at, ...) \
    asm volatile("suld.b." op ".b16" mode " %0, [%1, " at : "=h"(r[0]) : "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_READ4(mode, op, at, ...) \
    asm volatile("suld.b." op ".b32" mode " %0, [%1, " at : "=r"(r[0]) : "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_READ8(mode, op, at, ...) \
    asm volatile("suld.b." op ".b64" mode " %0, [%1, " at : "=l"(r[0]) : "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_READ16(mode, op, at, ...) \
    asm volatile("suld.b." op ".v2.b64" mode " {%0, %1}, [%2, " at : "=l"(r[0]), "=l"(r[1]) : "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_WRITE1(mode, op, at, ...) \
    asm volatile("sust.b." op ".b8" mode " [%1, " at ", %0;" ::"h"(r[0]), "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_WRITE2(mode, op, at, ...) \
    asm volatile("sust.b." op ".b16" mode " [%1, " at ", %0;" ::"h"(r[0]), "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_WRITE4(mode, op, at, ...) \
    asm volatile("sust.b." op ".b32" mode " [%1, " at ", %0;" ::"r"(r[0]), "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_WRITE8(mode, op, at, ...) \
    asm volatile("sust.b." op ".b64" mode " [%1, " at ", %0;" ::"l"(r[0]), "l"(s), __VA_ARGS__ : "memory")
#define HEDDLE_WRITE16(mode, op, at, ...) \
    asm volatile("sust.b." op ".v2.b64" mode " [%2, " at ", {%0, %1};" ::"l"(r[0]), "l"(r[1]), "l"(s), __VA_ARGS__ : "memory")
namespace heddle {
/* The registers that an instruction takes for so many bytes. */
template <size_t Bytes> struct pixel;
template <> struct pixel<1> { typedef unsigned short of; };
template <> struct pixel<2> { typedef unsigned short of; };
template <> struct pixel<4> { typedef unsigned of; };
template <> struct pixel<8> { typedef unsigned long of; };
template <> struct pixel<16> { typedef unsigned long of; };
} // namespace heddle
/* at: the coordinates when one register comes before the object's; at16: when two do */
#define HEDDLE_SURF(name, params, args, op, at, at16, ...)                                                            \
    template <class T>                                                                                                \
    static __device__ inline T name##read(cudaSurfaceObject_t s, HEDDLE_PARENS params,                                \
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
        typename heddle::pixel<sizeof(T)>::of r[2];                                                                   \
        if constexpr (sizeof(T) == 1) { HEDDLE_MODES(HEDDLE_READ1, op, at ";", __VA_ARGS__) }                         \
        if constexpr (sizeof(T) == 2) { HEDDLE_MODES(HEDDLE_READ2, op, at ";", __VA_ARGS__) }                         \
        if constexpr (sizeof(T) == 4) { HEDDLE_MODES(HEDDLE_READ4, op, at ";", __VA_ARGS__) }                         \
        if constexpr (sizeof(T) == 8) { HEDDLE_MODES(HEDDLE_READ8, op, at ";", __VA_ARGS__) }                         \
        if constexpr (sizeof(T) == 16) { HEDDLE_MODES(HEDDLE_READ16, op, at16 ";", __VA_ARGS__) }                     \
        T v;                                                                                                          \
        memcpy(&v, r, sizeof v);                                                                                      \
        return v;                                                                                                     \
    }                                                                                                                 \
    template <class T>                                                                                                \
    static __device__ inline void name##read(T *to, cudaSurfaceObject_t s, HEDDLE_PARENS params,                      \
                                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
        *to = name##read<T>(s, HEDDLE_PARENS args, mode);                                                             \
    }                                                                                                                 \
    template <class T>                                                                                                \
    static __device__ inline void name##write(T v, cudaSurfaceObject_t s, HEDDLE_PARENS params,                       \
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
        typename heddle::pixel<sizeof(T)>::of r[2] = {0, 0};                                                          \
        memcpy(r, &v, sizeof v);                                                                                      \
        if constexpr (sizeof(T) == 1) { HEDDLE_MODES(HEDDLE_WRITE1, op, at, __VA_ARGS__) }                            \
        if constexpr (sizeof(T) == 2) { HEDDLE_MODES(HEDDLE_WRITE2, op, at, __VA_ARGS__) }                            \
        if constexpr (sizeof(T) == 4) { HEDDLE_MODES(HEDDLE_WRITE4, op, at, __VA_ARGS__) }                            \
        if constexpr (sizeof(T) == 8) { HEDDLE_MODES(HEDDLE_WRITE8, op, at, __VA_ARGS__) }                            \
        if constexpr (sizeof(T) == 16) { HEDDLE_MODES(HEDDLE_WRITE16, op, at16, __VA_ARGS__) }                        \
    }
HEDDLE_SURF(surf1D, (int x), (x), "1d", "{%2}]", "{%3}]", "r"(x))
HEDDLE_SURF(surf2D, (int x, int y), (x, y), "2d", "{%2, %3}]", "{%3, %4}]", "r"(x), "r"(y))
HEDDLE_SURF(surf3D, (int x, int y, int z), (x, y, z), "3d", "{%2, %3, %4, %4}]", "{%3, %4, %5, %5}]", "r"(x), "r"(y), "r"(z))
HEDDLE_SURF(surf1DLayered, (int x, int layer), (x, layer), "a1d", "{%3, %2}]", "{%4, %3}]", "r"(x), "r"(layer))
HEDDLE_SURF(surf2DLayered, (int x, int y, int layer), (x, y, layer), "a2d", "{%4, %2, %3, %3}]", "{%5, %3, %4, %4}]",
            "r"(x), "r"(y), "r"(layer))
HEDDLE_SURF(surfCubemap, (int x, int y, int face), (x, y, face), "a2d", "{%4, %2, %3, %3}]", "{%5, %3, %4, %4}]", "r"(x),
            "r"(y), "r"(face))
HEDDLE_SURF(surfCubemapLayered, (int x, int y, int layer_face), (x, y, layer_face), "a2d", "{%4, %2, %3, %3}]",
            "{%5, %3, %4, %4}]", "r"(x), "r"(y), "r"(layer_face))
#undef HEDDLE_SURF
#undef HEDDLE_MODES
#undef HEDDLE_READ1
#undef HEDDLE_READ2
#undef HEDDLE_READ4
#undef HEDDLE_READ8
#undef HEDDLE_READ16
#undef HEDDLE_WRITE1
#undef HEDDLE_WRITE2
#undef HEDDLE_WRITE4
#undef HEDDLE_WRITE8
#undef HEDDLE_WRITE16
#undef HEDDLE_PARENS

#endif

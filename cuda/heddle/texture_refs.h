/* Texture references, which CUDA had until version 11: a global variable of type texture<T, dimensions, mode> that the host binds to
 * memory and kernels name in a fetch. clang turns the variable into a .texref and, passed to a function, into its handle. */
#ifndef HEDDLE_CUDA_TEXTURE_REFS_H
#define HEDDLE_CUDA_TEXTURE_REFS_H

#define cudaTextureType1D             0x01
#define cudaTextureType2D             0x02
#define cudaTextureType3D             0x03
#define cudaTextureTypeCubemap        0x0C
#define cudaTextureType1DLayered      0xF1
#define cudaTextureType2DLayered      0xF2
#define cudaTextureTypeCubemapLayered 0xFC

struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, __cudaReserved[14];
};

template <class T, int kind = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(norm, filter, address, cudaCreateChannelDesc<T>()) {}
    texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc)
        : textureReference() {
        normalized = norm;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = desc;
    }
};

/* ---- fetches: those of the object that the reference stands for ---- */

namespace heddle {
template <class T> struct as_floats { typedef float type; };
#define HEDDLE_FLOATS(name)                                     \
    template <> struct as_floats<name##1> { typedef float1 type; }; \
    template <> struct as_floats<name##2> { typedef float2 type; }; \
    template <> struct as_floats<name##4> { typedef float4 type; };
HEDDLE_FLOATS(char)
HEDDLE_FLOATS(uchar)
HEDDLE_FLOATS(short)
HEDDLE_FLOATS(ushort)
#undef HEDDLE_FLOATS
/* What a fetch gives. */
template <class T, cudaTextureReadMode mode> struct fetched { typedef T type; };
template <class T> struct fetched<T, cudaReadModeNormalizedFloat> { typedef typename as_floats<T>::type type; };

template <class R> static __device__ inline cudaTextureObject_t object_of(R reference) {
    cudaTextureObject_t t;
    asm("mov.b64 %0, %1;" : "=l"(t) : "l"(reference));
    return t;
}
} // namespace heddle

#define HEDDLE_PARENS(...) __VA_ARGS__
#define HEDDLE_TEXREF(name, params, args)                                                                      \
    template <class T, int kind, cudaTextureReadMode mode>                                                     \
    static __device__ inline typename heddle::fetched<T, mode>::type name(texture<T, kind, mode> t, HEDDLE_PARENS params) { \
        return name<typename heddle::fetched<T, mode>::type>(heddle::object_of(t), HEDDLE_PARENS args);        \
    }
HEDDLE_TEXREF(tex1Dfetch, (int x), (x))
HEDDLE_TEXREF(tex1D, (float x), (x))
HEDDLE_TEXREF(tex2D, (float x, float y), (x, y))
HEDDLE_TEXREF(tex3D, (float x, float y, float z), (x, y, z))
HEDDLE_TEXREF(tex1DLayered, (float x, int layer), (x, layer))
HEDDLE_TEXREF(tex2DLayered, (float x, float y, int layer), (x, y, layer))
HEDDLE_TEXREF(texCubemap, (float x, float y, float z), (x, y, z))
HEDDLE_TEXREF(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer))
#undef HEDDLE_TEXREF
#undef HEDDLE_PARENS

/* ---- binding ---- */

extern "C" {
cudaError_t cudaBindTexture(size_t *, const struct textureReference *, const void *, const struct cudaChannelFormatDesc *,
                            size_t);
cudaError_t cudaBindTexture2D(size_t *, const struct textureReference *, const void *,
                              const struct cudaChannelFormatDesc *, size_t, size_t, size_t);
cudaError_t cudaBindTextureToArray(const struct textureReference *, cudaArray_const_t,
                                   const struct cudaChannelFormatDesc *);
cudaError_t cudaUnbindTexture(const struct textureReference *);
cudaError_t cudaGetTextureAlignmentOffset(size_t *, const struct textureReference *);
cudaError_t cudaGetTextureReference(const struct textureReference **, const void *);
}

#define HEDDLE_TEXREF template <class T, int kind, cudaTextureReadMode mode> static inline cudaError_t
HEDDLE_TEXREF cudaBindTexture(size_t *offset, const texture<T, kind, mode> &t, const void *at,
                              const cudaChannelFormatDesc &desc, size_t bytes = 0xffffffffu) {
    return cudaBindTexture(offset, (const textureReference *)&t, at, &desc, bytes);
}
HEDDLE_TEXREF cudaBindTexture(size_t *offset, const texture<T, kind, mode> &t, const void *at,
                              size_t bytes = 0xffffffffu) {
    return cudaBindTexture(offset, (const textureReference *)&t, at, &t.channelDesc, bytes);
}
HEDDLE_TEXREF cudaBindTexture2D(size_t *offset, const texture<T, kind, mode> &t, const void *at,
                                const cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, (const textureReference *)&t, at, &desc, width, height, pitch);
}
HEDDLE_TEXREF cudaBindTexture2D(size_t *offset, const texture<T, kind, mode> &t, const void *at, size_t width,
                                size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, (const textureReference *)&t, at, &t.channelDesc, width, height, pitch);
}
HEDDLE_TEXREF cudaBindTextureToArray(const texture<T, kind, mode> &t, cudaArray_const_t array,
                                     const cudaChannelFormatDesc &desc) {
    return cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
HEDDLE_TEXREF cudaBindTextureToArray(const texture<T, kind, mode> &t, cudaArray_const_t array) {
    return cudaBindTextureToArray((const textureReference *)&t, array, &t.channelDesc);
}
HEDDLE_TEXREF cudaUnbindTexture(const texture<T, kind, mode> &t) {
    return cudaUnbindTexture((const textureReference *)&t);
}
HEDDLE_TEXREF cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, kind, mode> &t) {
    return cudaGetTextureAlignmentOffset(offset, (const textureReference *)&t);
}
HEDDLE_TEXREF cudaGetTextureReference(const textureReference **reference, const texture<T, kind, mode> &t) {
    return cudaGetTextureReference(reference, (const void *)&t);
}
#undef HEDDLE_TEXREF

#endif

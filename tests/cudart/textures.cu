// Texture and surface objects: resources, address and filter and read modes at exact values, layers, cubes.
#include "check.h"
#include <math.h>
#include <string.h>

__global__ void fetch_1d(cudaTextureObject_t t, float *out, const float *x, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex1D<float>(t, x[i]);
}
__global__ void fetch_2d(cudaTextureObject_t t, float *out, const float *x, const float *y, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, x[i], y[i]);
}
__global__ void fetch_linear(cudaTextureObject_t t, int *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<int>(t, i);
}
__global__ void fetch_uchar4(cudaTextureObject_t t, float4 *out) {
    out[threadIdx.x] = tex2D<float4>(t, threadIdx.x % 2 + 0.5f, threadIdx.x / 2 + 0.5f);
}
__global__ void fetch_layers(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex2DLayered<float>(t, 0.5f, 1.5f, threadIdx.x);
}
__global__ void fetch_1d_layers(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex1DLayered<float>(t, 2.5f, threadIdx.x);
}
__global__ void fetch_3d(cudaTextureObject_t t, float *out, float x, float y, float z) { *out = tex3D<float>(t, x, y, z); }
__global__ void fetch_cube(cudaTextureObject_t t, float *out) {
    const float d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    int i = threadIdx.x;
    out[i] = texCubemap<float>(t, d[i][0], d[i][1], d[i][2]);
}
__global__ void through_surface(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w) {
    int x = threadIdx.x, y = blockIdx.x;
    float v = surf2Dread<float>(in, x * 4, y);
    surf2Dwrite(v * 2, out, (w - 1 - x) * 4, y);
}

enum { N = 4 };
static float *device(const float *v, int n) {
    float *d;
    CALL(cudaMalloc(&d, n * sizeof *d));
    CALL(cudaMemcpy(d, v, n * sizeof *d, cudaMemcpyHostToDevice));
    return d;
}

static cudaArray_t array_of(const float *v, size_t w, size_t h) {
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CALL(cudaMallocArray(&a, &f, w, h));
    CALL(cudaMemcpy2DToArray(a, 0, 0, v, w * 4, w * 4, h ? h : 1, cudaMemcpyHostToDevice));
    return a;
}

static cudaTextureObject_t make_texture(cudaArray_t a, cudaTextureAddressMode mode, cudaTextureFilterMode filter, int normalized) {
    cudaResourceDesc r;
    cudaTextureDesc d;
    cudaTextureObject_t t;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    for (int i = 0; i < 3; i++) d.addressMode[i] = mode;
    d.filterMode = filter;
    d.readMode = cudaReadModeElementType;
    d.normalizedCoords = normalized;
    d.borderColor[0] = -1;
    CALL(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

// Fetches at n places of a texture of one dimension with texels 10, 20, 30, 40.
static void expect_1d(cudaTextureAddressMode mode, cudaTextureFilterMode filter, int normalized, int n, const float *x,
                      const float *want, const char *name) {
    const float texels[N] = {10, 20, 30, 40};
    float got[16], *dx = device(x, n), *out = device(want, n);
    cudaArray_t a = array_of(texels, N, 0);
    cudaTextureObject_t t = make_texture(a, mode, filter, normalized);
    fetch_1d<<<1, 32>>>(t, out, dx, n);
    CALL(cudaMemcpy(got, out, n * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        if (got[i] != want[i]) printf("%s: at %g: %g, not %g\n", name, x[i], got[i], want[i]);
        CHECK(got[i] == want[i]);
    }
    CALL(cudaDestroyTextureObject(t));
    CALL(cudaFreeArray(a));
    CALL(cudaFree(dx));
    CALL(cudaFree(out));
    ok(name);
}

static void address_modes() {
    const float x[] = {-1, 0.5f, 1.99f, 3.5f, 4, 100};
    const float clamp[] = {10, 10, 20, 40, 40, 40}, border[] = {-1, 10, 20, 40, -1, -1};
    expect_1d(cudaAddressModeClamp, cudaFilterModePoint, 0, 6, x, clamp, "clamp");
    expect_1d(cudaAddressModeBorder, cudaFilterModePoint, 0, 6, x, border, "border");
    expect_1d(cudaAddressModeWrap, cudaFilterModePoint, 0, 6, x, clamp, "wrap without normalized coordinates clamps");
    const float u[] = {-0.125f, 0.125f, 0.875f, 1.125f, 2.375f, -1.125f};
    const float wrap[] = {40, 10, 40, 10, 20, 40}, mirror[] = {10, 10, 40, 40, 20, 40};
    expect_1d(cudaAddressModeWrap, cudaFilterModePoint, 1, 6, u, wrap, "wrap");
    expect_1d(cudaAddressModeMirror, cudaFilterModePoint, 1, 6, u, mirror, "mirror");
    const float l[] = {0.5f, 1, 1.25f, 3.5f, 0, 4}; // weights of 8 bits
    const float linear[] = {10, 15, 17.5f, 40, 10, 40}, faded[] = {10, 15, 17.5f, 40, 4.5f, 19.5f};
    expect_1d(cudaAddressModeClamp, cudaFilterModeLinear, 0, 6, l, linear, "linear");
    expect_1d(cudaAddressModeBorder, cudaFilterModeLinear, 0, 6, l, faded, "linear with border");
    const float around[] = {0, 1}, joined[] = {25, 25};
    expect_1d(cudaAddressModeWrap, cudaFilterModeLinear, 1, 2, around, joined, "linear wraps around");
}

static void two_dimensions() {
    const float texels[6] = {0, 1, 2, 10, 11, 12}, x[] = {1, 0.5f, 2.5f, 1}, y[] = {1, 0.5f, 1.5f, 0.5f};
    const float want[] = {5.5f, 0, 12, 0.5f};
    float got[4], *dx = device(x, 4), *dy = device(y, 4), *out = device(x, 4), *pitched;
    cudaArray_t a = array_of(texels, 3, 2);
    cudaTextureObject_t t = make_texture(a, cudaAddressModeClamp, cudaFilterModeLinear, 0), p;
    fetch_2d<<<1, 32>>>(t, out, dx, dy, 4);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) CHECK(got[i] == want[i]);
    size_t pitch;
    CALL(cudaMallocPitch((void **)&pitched, &pitch, 12, 2));
    CALL(cudaMemcpy2D(pitched, pitch, texels, 12, 12, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc r, back;
    cudaTextureDesc d;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = pitched;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 3;
    r.res.pitch2D.height = 2;
    r.res.pitch2D.pitchInBytes = pitch;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    CALL(cudaCreateTextureObject(&p, &r, &d, NULL));
    fetch_2d<<<1, 32>>>(p, out, dx, dy, 4);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) CHECK(got[i] == want[i]);
    CALL(cudaGetTextureObjectResourceDesc(&back, p));
    CHECK(back.resType == cudaResourceTypePitch2D && back.res.pitch2D.devPtr == pitched);
    cudaTextureDesc told;
    CALL(cudaGetTextureObjectTextureDesc(&told, p));
    CHECK(told.filterMode == cudaFilterModeLinear);
    CALL(cudaDestroyTextureObject(p));
    CALL(cudaDestroyTextureObject(t));
    CALL(cudaFreeArray(a));
    CALL(cudaFree(pitched));
    CALL(cudaFree(dx));
    CALL(cudaFree(dy));
    CALL(cudaFree(out));
    ok("textures of two dimensions");
}

static void read_modes() {
    int ints[5] = {1, -2, 3, -4, 5}, got[5], *v, *out;
    unsigned char bytes[16];
    float4 read[4], *out4;
    cudaResourceDesc r;
    cudaTextureDesc d;
    cudaTextureObject_t t;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    CALL(cudaMalloc(&v, sizeof ints));
    CALL(cudaMalloc(&out, sizeof ints));
    CALL(cudaMalloc(&out4, sizeof read));
    CALL(cudaMemcpy(v, ints, sizeof ints, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = v;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = sizeof ints;
    CALL(cudaCreateTextureObject(&t, &r, &d, NULL));
    fetch_linear<<<1, 32>>>(t, out, 5);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(got, ints, sizeof got));
    CALL(cudaDestroyTextureObject(t));
    d.readMode = cudaReadModeNormalizedFloat;
    FAILS(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&t, &r, &d, NULL));
    // four channels of bytes read as floats
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<uchar4>();
    for (int i = 0; i < 16; i++) bytes[i] = (unsigned char)(i * 17);
    CALL(cudaMallocArray(&a, &f, 2, 2));
    CALL(cudaMemcpy2DToArray(a, 0, 0, bytes, 8, 8, 2, cudaMemcpyHostToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CALL(cudaCreateTextureObject(&t, &r, &d, NULL));
    fetch_uchar4<<<1, 4>>>(t, out4);
    CALL(cudaMemcpy(read, out4, sizeof read, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) {
        CHECK(read[i].x == (float)(4 * i) * 17 / 255 && read[i].y == (float)(4 * i + 1) * 17 / 255);
        CHECK(read[i].z == (float)(4 * i + 2) * 17 / 255 && read[i].w == (float)(4 * i + 3) * 17 / 255);
    }
    CALL(cudaDestroyTextureObject(t));
    d.readMode = cudaReadModeElementType;
    d.filterMode = cudaFilterModeLinear;
    FAILS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&t, &r, &d, NULL));
    CALL(cudaFreeArray(a));
    CALL(cudaFree(v));
    CALL(cudaFree(out));
    CALL(cudaFree(out4));
    ok("read modes");
}

static cudaArray_t volume(size_t w, size_t h, size_t depth, unsigned flags) {
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    float v[512];
    const size_t rows = h ? h : 1, planes = depth ? depth : 1;
    for (size_t i = 0; i < w * rows * planes; i++) v[i] = (float)i;
    CALL(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, depth), flags));
    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(v, w * sizeof *v, w, rows);
    m.dstArray = a;
    m.extent = make_cudaExtent(w, rows, planes);
    m.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&m));
    return a;
}

static void layers_and_cubes() {
    float got[6], *out = device(got, 6);
    cudaArray_t a = volume(3, 2, 5, cudaArrayLayered);
    cudaTextureObject_t t = make_texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0);
    fetch_layers<<<1, 5>>>(t, out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 5; i++) CHECK(got[i] == (float)(6 * i + 3));
    CALL(cudaDestroyTextureObject(t));
    CALL(cudaFreeArray(a));
    a = volume(4, 0, 3, cudaArrayLayered);
    t = make_texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0);
    fetch_1d_layers<<<1, 3>>>(t, out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; i++) CHECK(got[i] == (float)(4 * i + 2));
    CALL(cudaDestroyTextureObject(t));
    CALL(cudaFreeArray(a));
    a = volume(1, 1, 6, cudaArrayCubemap);
    t = make_texture(a, cudaAddressModeClamp, cudaFilterModePoint, 1);
    fetch_cube<<<1, 6>>>(t, out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++) CHECK(got[i] == (float)i);
    CALL(cudaDestroyTextureObject(t));
    CALL(cudaFreeArray(a));
    a = volume(2, 2, 2, 0);
    t = make_texture(a, cudaAddressModeClamp, cudaFilterModeLinear, 0);
    fetch_3d<<<1, 1>>>(t, out, 1, 1, 1); // the middle of 0 to 7
    CALL(cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 3.5f);
    CALL(cudaDestroyTextureObject(t));
    CALL(cudaFreeArray(a));
    CALL(cudaFree(out));
    ok("layers, cubes, volumes");
}

static void surfaces() {
    cudaArray_t in = volume(5, 3, 0, cudaArraySurfaceLoadStore), out = volume(5, 3, 0, cudaArraySurfaceLoadStore);
    cudaResourceDesc r, back;
    cudaSurfaceObject_t s, d;
    float got[3][5];
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = in;
    CALL(cudaCreateSurfaceObject(&s, &r));
    CALL(cudaGetSurfaceObjectResourceDesc(&back, s));
    CHECK(back.res.array.array == in);
    r.res.array.array = out;
    CALL(cudaCreateSurfaceObject(&d, &r));
    CALL(cudaMemcpy2DToArray(in, 0, 0, "\0\0\x80\x3f", 4, 4, 1, cudaMemcpyHostToDevice)); // 1.0f
    through_surface<<<3, 5>>>(s, d, 5);
    CALL(cudaMemcpy2DFromArray(got, 20, out, 0, 0, 20, 3, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++) CHECK(got[y][4 - x] == (x || y ? 2.0f * (float)(5 * y + x) : 2.0f));
    CALL(cudaDestroySurfaceObject(s));
    CALL(cudaDestroySurfaceObject(d));
    cudaArray_t plain = array_of(got[0], 5, 1);
    r.res.array.array = plain;
    FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &r)); // not made for it
    CALL(cudaFreeArray(plain));
    CALL(cudaFreeArray(in));
    CALL(cudaFreeArray(out));
    ok("surfaces");
}

int main() {
    address_modes();
    two_dimensions();
    read_modes();
    layers_and_cubes();
    surfaces();
    return 0;
}

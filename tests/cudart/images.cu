// Texture and surface objects: every function of theirs, on arrays and on linear memory.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { W = 16, H = 8, D = 4 };

__global__ void read2d(cudaTextureObject_t t, float *out) {
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, i = y * W + x;
    out[i] = tex2D<float>(t, (float)x + 0.5f, (float)y + 0.5f);
    out[W * H + i] = tex2D<float>(t, (float)x + 1.0f, (float)y + 0.5f); /* between two texels */
    out[2 * W * H + i] = tex2DLod<float>(t, (float)x + 0.5f, (float)y + 0.5f, 0);
    float4 four = tex2Dgather<float4>(t, (float)x + 1, (float)y + 1, 0);
    out[3 * W * H + i] = four.x + 10 * four.y + 100 * four.z + 1000 * four.w;
}
__global__ void read3d(cudaTextureObject_t t, int *out) {
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)blockIdx.x;
    out[(z * H + y) * W + x] = tex3D<int>(t, (float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f);
}
__global__ void read_layers(cudaTextureObject_t t, int *out) {
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)blockIdx.x;
    uchar4 v = tex2DLayered<uchar4>(t, (float)x + 0.5f, (float)y + 0.5f, z);
    out[(z * H + y) * W + x] = v.x + 256 * v.y + 65536 * v.z;
}
__global__ void fetch(cudaTextureObject_t t, float *out) {
    const int i = (int)threadIdx.x;
    float2 v = tex1Dfetch<float2>(t, i);
    out[i] = v.x * 100 + v.y;
}
template <class T> __global__ void bump(cudaSurfaceObject_t s, T by) {
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    T v = surf2Dread<T>(s, x * (int)sizeof(T), y);
    v.x += by.x;
    surf2Dwrite(v, s, x * (int)sizeof(T), y);
    surf2Dwrite(v, s, (W + x) * (int)sizeof(T), y, cudaBoundaryModeZero); /* beyond the border: nothing */
}

static int failures;
static void check(const char *name, bool fine) {
    printf("%s %s\n", fine ? "ok" : "not ok", name);
    failures += !fine;
}

static cudaTextureObject_t make_texture(cudaArray_t array, cudaTextureFilterMode filter) {
    cudaResourceDesc what;
    cudaTextureDesc how;
    memset(&what, 0, sizeof what);
    memset(&how, 0, sizeof how);
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    how.filterMode = filter;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &what, &how, NULL);
    return t;
}

static void plane() {
    static float host[W * H], out[4 * W * H];
    float *device;
    bool exact = true, linear = true, gather = true;
    for (int i = 0; i < W * H; i++) host[i] = (float)(i * 7 % 31);
    cudaChannelFormatDesc kind = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &kind, W, H, cudaArrayTextureGather);
    cudaMemcpy2DToArray(array, 0, 0, host, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice);
    cudaMalloc(&device, sizeof out);
    cudaTextureObject_t t = make_texture(array, cudaFilterModeLinear);
    read2d<<<1, dim3(W, H)>>>(t, device);
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const int i = y * W + x, right = x + 1 < W ? 1 : 0, under = y + 1 < H ? W : 0;
            exact &= out[i] == host[i] && out[2 * W * H + i] == host[i];
            linear &= out[W * H + i] == (host[i] + host[i + right]) / 2;
            gather &= out[3 * W * H + i] == host[i + under] + 10 * host[i + under + right] + 100 * host[i + right] + 1000 * host[i];
        }
    check("tex2D and tex2DLod at texels", exact);
    check("tex2D between texels", linear);
    check("tex2Dgather", gather);
    cudaDestroyTextureObject(t);
    cudaFreeArray(array);
    cudaFree(device);
}

template <class T> static void box(const char *name, unsigned flags, void (*kernel)(cudaTextureObject_t, int *), T (*make)(int)) {
    static T host[W * H * D];
    static int out[W * H * D];
    int *device, fine = 1;
    for (int i = 0; i < W * H * D; i++) host[i] = make(i);
    cudaChannelFormatDesc kind = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    cudaMalloc3DArray(&array, &kind, make_cudaExtent(W, H, D), flags);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, W * sizeof(T), W, H);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaMalloc(&device, sizeof out);
    cudaTextureObject_t t = make_texture(array, cudaFilterModePoint);
    kernel<<<D, dim3(W, H)>>>(t, device);
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < W * H * D; i++) fine &= out[i] == i * 3;
    check(name, fine);
    cudaDestroyTextureObject(t);
    cudaFreeArray(array);
    cudaFree(device);
}

static void linear_memory() {
    float host[128], out[64], *from, *to;
    bool fine = true;
    for (int i = 0; i < 128; i++) host[i] = (float)i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    cudaResourceDesc what;
    cudaTextureDesc how;
    memset(&what, 0, sizeof what);
    memset(&how, 0, sizeof how);
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = from;
    what.res.linear.desc = cudaCreateChannelDesc<float2>();
    what.res.linear.sizeInBytes = sizeof host;
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &what, &how, NULL);
    fetch<<<1, 64>>>(t, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) fine &= out[i] == host[2 * i] * 100 + host[2 * i + 1];
    check("tex1Dfetch of linear memory", fine);
    cudaDestroyTextureObject(t);
    cudaFree(from);
    cudaFree(to);
}

template <class T> static void test_surface(const char *name, T by) {
    static T host[W * H], out[W * H];
    bool fine = true;
    memset(host, 0, sizeof host);
    for (int i = 0; i < W * H; i++) host[i].x = (decltype(by.x))(i % 100);
    cudaChannelFormatDesc kind = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    cudaMallocArray(&array, &kind, W, H, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, host, W * sizeof(T), W * sizeof(T), H, cudaMemcpyHostToDevice);
    cudaResourceDesc what;
    memset(&what, 0, sizeof what);
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaSurfaceObject_t s = 0;
    cudaCreateSurfaceObject(&s, &what);
    bump<<<1, dim3(W, H)>>>(s, by);
    cudaMemcpy2DFromArray(out, W * sizeof(T), array, 0, 0, W * sizeof(T), H, cudaMemcpyDeviceToHost);
    for (int i = 0; i < W * H; i++) fine &= out[i].x == host[i].x + by.x;
    check(name, fine);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(array);
}

int main() {
    plane();
    box<int>("tex3D", 0, read3d, [](int i) { return i * 3; });
    box<uchar4>("tex2DLayered of bytes", cudaArrayLayered, read_layers, [](int i) {
        return make_uchar4((unsigned char)(i * 3), (unsigned char)(i * 3 >> 8), (unsigned char)(i * 3 >> 16), 9);
    });
    linear_memory();
    test_surface("a surface of bytes", make_uchar1(5));
    test_surface("of shorts", make_short2(300, 0));
    test_surface("of ints", make_int2(70000, 0));
    test_surface("of float4", make_float4(0.5f, 0, 0, 0));
    return failures != 0;
}

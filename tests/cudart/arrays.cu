// Pitched memory, arrays, and copies and sets of every shape between them, at odd sizes.
#include "check.h"
#include <string.h>
#include <vector>

static unsigned char pattern(size_t x, size_t y, size_t z) { return (unsigned char)(x * 7 + y * 13 + z * 29 + 1); }

static void pitched() {
    const size_t widths[] = {1, 3, 17, 511, 512, 513, 1000};
    for (size_t w : widths) {
        const size_t h = 7;
        unsigned char *d;
        size_t pitch = 0;
        CALL(cudaMallocPitch((void **)&d, &pitch, w, h));
        CHECK(pitch >= w && pitch % 512 == 0);
        std::vector<unsigned char> in(w * h), out(h * (w + 5), 0xEE);
        for (size_t i = 0; i < w * h; i++) in[i] = pattern(i % w, i / w, 0);
        CALL(cudaMemset2D(d, pitch, 0x55, w, h));
        CALL(cudaMemcpy2D(d, pitch, in.data(), w, w, h - 1, cudaMemcpyHostToDevice)); // the last row stays
        CALL(cudaMemcpy2D(out.data(), w + 5, d, pitch, w, h, cudaMemcpyDeviceToHost));
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w + 5; x++)
                CHECK(out[y * (w + 5) + x] == (x >= w ? 0xEE : y == h - 1 ? 0x55 : pattern(x, y, 0)));
        FAILS(cudaErrorInvalidPitchValue,
              cudaMemcpy2D(d, pitch, in.data(), w - 1, w, h, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue, cudaMemcpy2D(d, pitch, in.data(), w, w, h + 9, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy2D(d, pitch, in.data(), w, w, h, (cudaMemcpyKind)9));
        CALL(cudaMemcpy2D(d, pitch, in.data(), w, w, 0, cudaMemcpyHostToDevice));
        CALL(cudaFree(d));
    }
    ok("pitched copies");
}

static void boxes() {
    const size_t w = 19, h = 5, depth = 3;
    cudaPitchedPtr d;
    CALL(cudaMalloc3D(&d, make_cudaExtent(w, h, depth)));
    CHECK(d.xsize == w && d.ysize == h && d.pitch >= w);
    CALL(cudaMemset3D(d, 0x11, make_cudaExtent(w, h, depth)));
    CALL(cudaMemset3D(d, 0x22, make_cudaExtent(w - 1, h - 1, depth - 1)));
    std::vector<unsigned char> in(w * h * depth), out(w * h * depth, 0);
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w; x++) in[(z * h + y) * w + x] = pattern(x, y, z);
    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(in.data(), w, w, h);
    m.srcPos = make_cudaPos(2, 1, 1);
    m.dstPtr = d;
    m.dstPos = make_cudaPos(4, 2, 0);
    m.extent = make_cudaExtent(5, 2, 2);
    m.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&m));
    cudaMemcpy3DParms back = {};
    back.srcPtr = d;
    back.dstPtr = make_cudaPitchedPtr(out.data(), w, w, h);
    back.extent = make_cudaExtent(w, h, depth);
    back.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3D(&back));
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w; x++) {
                const bool copied = x >= 4 && x < 9 && y >= 2 && y < 4 && z < 2;
                const bool inner = x < w - 1 && y < h - 1 && z < depth - 1;
                const unsigned char want = copied ? pattern(x - 2, y - 1, z + 1) : inner ? 0x22 : 0x11;
                CHECK(out[(z * h + y) * w + x] == want);
            }
    m.srcArray = (cudaArray_t)1; // both an array and a pointer
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&m));
    CALL(cudaFree(d.ptr));
    ok("boxes");
}

static void arrays_2d() {
    const size_t w = 13, h = 9;
    cudaArray_t a, b;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), got;
    cudaExtent extent;
    unsigned flags = 9;
    CALL(cudaMallocArray(&a, &f, w, h));
    CALL(cudaMallocArray(&b, &f, w, h, cudaArraySurfaceLoadStore));
    CALL(cudaArrayGetInfo(&got, &extent, &flags, b));
    CHECK(got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindFloat);
    CHECK(extent.width == w && extent.height == h && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
    float in[9][16], out[9][13];
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < 16; x++) in[y][x] = (float)(100 * y + x);
    CALL(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], w * 4, h, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DArrayToArray(b, 4, 0, a, 0, 0, (w - 1) * 4, h, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy2DFromArray(out, sizeof out[0], b, 4, 2, (w - 1) * 4, 3, cudaMemcpyDeviceToHost));
    for (size_t y = 0; y < 3; y++)
        for (size_t x = 0; x < w - 1; x++) CHECK(out[y][x] == (float)(100 * (y + 2) + x));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 4, 0, in, sizeof in[0], w * 4, h, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 1, in, sizeof in[0], w * 4, h, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], w * 4, h, cudaMemcpyDeviceToHost));
    CALL(cudaFreeArray(a));
    FAILS(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(&got, &extent, &flags, a));
    CALL(cudaFreeArray(b));
    CALL(cudaFreeArray(NULL));
    ok("arrays");
}

static void arrays_3d() {
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<short2>();
    const size_t w = 6, h = 5, depth = 4;
    CALL(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, depth)));
    std::vector<short2> in(w * h * depth), out(2 * 2 * 2);
    for (size_t i = 0; i < in.size(); i++) in[i] = make_short2((short)i, (short)-i);
    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(in.data(), w * sizeof(short2), w, h);
    m.dstArray = a;
    m.extent = make_cudaExtent(w, h, depth); // in texels
    m.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&m));
    cudaMemcpy3DParms back = {};
    back.srcArray = a;
    back.srcPos = make_cudaPos(3, 2, 1);
    back.dstPtr = make_cudaPitchedPtr(out.data(), 2 * sizeof(short2), 2, 2);
    back.extent = make_cudaExtent(2, 2, 2);
    back.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3DAsync(&back, 0));
    CALL(cudaStreamSynchronize(0));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++) {
                const int i = ((z + 1) * 5 + y + 2) * 6 + x + 3;
                CHECK(out[(z * 2 + y) * 2 + x].x == i && out[(z * 2 + y) * 2 + x].y == -i);
            }
    m.extent.width = w + 1;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&m));
    CALL(cudaFreeArray(a));
    ok("arrays of three dimensions");
}

static void array_errors() {
    cudaArray_t a;
    cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    cudaChannelFormatDesc mixed = {8, 16, 0, 0, cudaChannelFormatKindUnsigned};
    cudaChannelFormatDesc small = {8, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaChannelFormatDesc good = cudaCreateChannelDesc<uchar4>();
    FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &three, 4, 4));
    FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &mixed, 4, 4));
    FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &small, 4, 4));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &good, 0, 4));
    FAILS(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &good, make_cudaExtent(8, 9, 6), cudaArrayCubemap));
    FAILS(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &good, make_cudaExtent(8, 8, 5), cudaArrayCubemap));
    CALL(cudaMalloc3DArray(&a, &good, make_cudaExtent(8, 8, 6), cudaArrayCubemap));
    CALL(cudaFreeArray(a));
    cudaMipmappedArray_t m;
    FAILS(cudaErrorNotSupported, cudaMallocMipmappedArray(&m, &good, make_cudaExtent(8, 8, 0), 2));
    ok("array errors");
}

int main() {
    pitched();
    boxes();
    arrays_2d();
    arrays_3d();
    array_errors();
    return 0;
}

// only clang
// Texture references of programs older than CUDA 12, bound in every form.
#include "check.h"

texture<float, 1, cudaReadModeElementType> line;
texture<int> whole;
texture<float, 2> plane;
texture<uchar4, 2, cudaReadModeNormalizedFloat> pixels;
static texture<float4, 1> quads;

__global__ void read_line(float *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }
__global__ void read_whole(int *out) { out[threadIdx.x] = tex1Dfetch(whole, threadIdx.x); }
__global__ void read_plane(float *out, int w) {
    out[threadIdx.x] = tex2D(plane, threadIdx.x % w + 0.5f, threadIdx.x / w + 0.5f);
}
__global__ void read_pixels(float *out) {
    float4 v = tex2D(pixels, threadIdx.x + 0.5f, 0.5f);
    out[threadIdx.x] = v.x + v.w;
}
__global__ void read_quads(float *out) {
    float4 v = tex1Dfetch(quads, threadIdx.x);
    out[threadIdx.x] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
}

enum { N = 12 };

int main() {
    float in[4 * N], got[N], *v, *out;
    for (int i = 0; i < 4 * N; i++) in[i] = (float)i;
    CALL(cudaMalloc(&v, sizeof in));
    CALL(cudaMalloc(&out, sizeof got));
    CALL(cudaMemcpy(v, in, sizeof in, cudaMemcpyHostToDevice));
    size_t offset = 7;
    CALL(cudaBindTexture(&offset, line, v + 4, N * sizeof(float)));
    CHECK(offset == 0);
    read_line<<<1, N>>>(out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(got[i] == in[i + 4]);
    CALL(cudaBindTexture(NULL, line, v)); // another place, and all of it
    read_line<<<1, N>>>(out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(got[i] == in[i]);
    CALL(cudaUnbindTexture(line));
    CALL(cudaGetTextureAlignmentOffset(&offset, whole) == cudaErrorInvalidTextureBinding ? cudaSuccess : cudaErrorUnknown);
    (void)cudaGetLastError();
    CALL(cudaBindTexture(NULL, whole, v, cudaCreateChannelDesc<int>(), sizeof in));
    read_whole<<<1, N>>>((int *)out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(got[i] == in[i]); // equal to the last bit
    ok("linear texture references");
    CALL(cudaBindTexture(NULL, quads, v, sizeof in));
    read_quads<<<1, N>>>(out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(got[i] == in[4 * i] + 10 * in[4 * i + 1] + 100 * in[4 * i + 2] + 1000 * in[4 * i + 3]);
    ok("texture references of four channels");
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CALL(cudaMallocArray(&a, &f, 4, 3));
    CALL(cudaMemcpyToArray(a, 0, 0, in, N * sizeof(float), cudaMemcpyHostToDevice));
    plane.addressMode[0] = cudaAddressModeClamp;
    plane.filterMode = cudaFilterModePoint;
    CALL(cudaBindTextureToArray(plane, a, f));
    read_plane<<<1, N>>>(out, 4);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(got[i] == in[i]);
    CALL(cudaUnbindTexture(plane));
    CALL(cudaBindTexture2D(NULL, plane, v, 8, 6, 8 * sizeof(float))); // pitched memory, rows of eight
    read_plane<<<1, N>>>(out, 4);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(got[i] == in[i / 4 * 8 + i % 4]);
    CALL(cudaFreeArray(a));
    ok("texture references of two dimensions");
    unsigned char bytes[4 * 4];
    for (int i = 0; i < 16; i++) bytes[i] = (unsigned char)(i * 17);
    cudaChannelFormatDesc c = cudaCreateChannelDesc<uchar4>();
    CALL(cudaMallocArray(&a, &c, 4, 1));
    CALL(cudaMemcpyToArray(a, 0, 0, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    CALL(cudaBindTextureToArray(pixels, a));
    read_pixels<<<1, 4>>>(out);
    CALL(cudaMemcpy(got, out, 4 * sizeof *got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) CHECK(got[i] == (float)bytes[4 * i] / 255 + (float)bytes[4 * i + 3] / 255);
    CALL(cudaFreeArray(a));
    CALL(cudaFree(v));
    CALL(cudaFree(out));
    ok("texture references that read as floats");
    return 0;
}

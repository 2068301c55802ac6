// Memory of all kinds: where each may be used, copies in every direction, and what is refused.
// all mechanisms
#include <string.h>

#include <vector>

#include "check.h"

__global__ void add(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
}

enum { N = 1000, BYTES = N * sizeof(int) };

static void run(int *p, int by) {
    add<<<(N + 127) / 128, 128>>>(p, N, by);
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
}
static bool all(const int *p, int value) {
    for (int i = 0; i < N; i++)
        if (p[i] != value + i) return false;
    return true;
}
static std::vector<int> numbers() {
    std::vector<int> v(N);
    for (int i = 0; i < N; i++) v[i] = i;
    return v;
}

static void device() {
    std::vector<int> h = numbers(), back(N);
    int *a, *b;
    CALL(cudaMalloc(&a, BYTES));
    CALL(cudaMalloc((void **)&b, BYTES));
    CHECK((size_t)a % 256 == 0);
    CALL(cudaMemcpy(a, h.data(), BYTES, cudaMemcpyHostToDevice));
    run(a, 5);
    CALL(cudaMemcpy(b, a, BYTES, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(back.data(), b, BYTES, cudaMemcpyDeviceToHost));
    CHECK(all(back.data(), 5));
    CALL(cudaMemcpy(b, h.data(), BYTES, cudaMemcpyDefault));
    CALL(cudaMemcpy(back.data(), b, BYTES, cudaMemcpyDefault));
    CHECK(all(back.data(), 0));
    CALL(cudaMemset(b, 0x11, 8));
    CALL(cudaMemcpy(back.data(), b, 12, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 0x11111111 && back[1] == 0x11111111 && back[2] == 2);
    CALL(cudaMemcpyPeer(b, 0, a, 0, BYTES));
    CALL(cudaMemcpyAsync(back.data(), b, BYTES, cudaMemcpyDeviceToHost, 0));
    CALL(cudaStreamSynchronize(0));
    CHECK(all(back.data(), 5));
    CALL(cudaFree(a));
    CALL(cudaFree(b));
    CALL(cudaFree(0));
    ok("device memory");
}

static void shared() {
    int *pinned, *mapped, *managed, *alias;
    std::vector<int> h = numbers();
    CALL(cudaMallocHost(&pinned, BYTES));
    CALL(cudaHostAlloc(&mapped, BYTES, cudaHostAllocMapped));
    CALL(cudaMallocManaged(&managed, BYTES));
    memcpy(pinned, h.data(), BYTES);
    memcpy(managed, h.data(), BYTES);
    CALL(cudaHostGetDevicePointer(&alias, mapped, 0));
    CALL(cudaMemcpy(alias, managed, BYTES, cudaMemcpyDefault));
    run(pinned, 1);
    run(alias, 2);
    run(managed, 3);
    CHECK(all(pinned, 1) && all(mapped, 2) && all(managed, 3));
    CALL(cudaMemset(managed, 0, BYTES));
    CALL(cudaDeviceSynchronize());
    CHECK(managed[0] == 0 && managed[N - 1] == 0);
    CALL(cudaFreeHost(pinned));
    CALL(cudaFreeHost(mapped));
    CALL(cudaFree(managed));
    ok("page-locked and managed memory");
}

static void registered() {
    std::vector<int> h = numbers();
    int *alias;
    CALL(cudaHostRegister(h.data(), BYTES, cudaHostRegisterMapped));
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(h.data(), BYTES, 0));
    CALL(cudaHostGetDevicePointer(&alias, h.data(), 0));
    run(alias, 4);
    CHECK(all(h.data(), 4));
    CALL(cudaHostUnregister(h.data()));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(h.data()));
    ok("registered memory");
}

static int type_of(const void *p) {
    cudaPointerAttributes a;
    CALL(cudaPointerGetAttributes(&a, p));
    return a.type;
}

static void attributes() {
    int *d, *h, *m, local;
    size_t before, after, total;
    CALL(cudaMemGetInfo(&before, &total));
    CALL(cudaMalloc(&d, 1 << 20));
    CALL(cudaMemGetInfo(&after, &total));
    CHECK(before - after == 1 << 20 && total >= before);
    CALL(cudaMallocHost(&h, 64));
    CALL(cudaMallocManaged(&m, 64));
    CHECK(type_of(d) == cudaMemoryTypeDevice && type_of(d + 100) == cudaMemoryTypeDevice);
    CHECK(type_of(h) == cudaMemoryTypeHost && type_of(m) == cudaMemoryTypeManaged);
    CHECK(type_of(&local) == cudaMemoryTypeUnregistered);
    CALL(cudaFree(d));
    CALL(cudaFree(m));
    CALL(cudaFreeHost(h));
    ok("attributes of addresses");
}

static void refused() {
    std::vector<int> h = numbers();
    int *d;
    CALL(cudaMalloc(&d, BYTES));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(d, h.data(), BYTES + 1, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(d + 1, h.data(), BYTES, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(h.data(), d, BYTES, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(nullptr, d, BYTES, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d, h.data(), 4, (cudaMemcpyKind)7));
    FAILS(cudaErrorInvalidValue, cudaMemset(d, 0, BYTES + 1));
    FAILS(cudaErrorInvalidValue, cudaMemset(h.data(), 0, 4));
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&d, (size_t)1 << 50));
    FAILS(cudaErrorInvalidValue, cudaFree(d + 1));
    FAILS(cudaErrorInvalidValue, cudaFree(h.data()));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(d));
    CALL(cudaFree(d));
    FAILS(cudaErrorInvalidValue, cudaFree(d));
    CALL(cudaMemcpy(d, h.data(), 0, cudaMemcpyHostToDevice));
    ok("what is refused");
}

int main() {
    device();
    shared();
    registered();
    attributes();
    refused();
    return 0;
}

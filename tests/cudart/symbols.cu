// Variables of kernels: device, constant, managed, by symbol and by address.
// all mechanisms
#include "check.h"

__device__ int counter = 3;
__device__ float table[16];
__constant__ int weights[4] = {1, 2, 3, 4};
__managed__ int shared_count = 10;
__managed__ int shared_table[8] = {7};

__global__ void step() {
    counter += weights[2];
    shared_count += 1;
    shared_table[threadIdx.x] += (int)table[threadIdx.x];
}
__global__ void read_at(const int *p, int n, int *out) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    *out = sum;
}

static int value_of_counter() {
    int v;
    CALL(cudaMemcpyFromSymbol(&v, counter, sizeof v));
    return v;
}

static void copies() {
    int w[2] = {30, 40};
    float f[16];
    CHECK(value_of_counter() == 3);
    for (int i = 0; i < 16; i++) f[i] = (float)i;
    CALL(cudaMemcpyToSymbol(table, f, sizeof f));
    CALL(cudaMemcpyToSymbol(weights, w, sizeof w, 2 * sizeof(int), cudaMemcpyHostToDevice));
    step<<<1, 1>>>();
    CHECK(value_of_counter() == 33);
    CALL(cudaMemcpyToSymbolAsync(weights, w, sizeof(int), 2 * sizeof(int), cudaMemcpyHostToDevice, 0));
    step<<<1, 1>>>();
    CHECK(value_of_counter() == 63);
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(weights, f, sizeof f));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(weights, w, 4, 0, cudaMemcpyDeviceToHost));
    ok("copies by symbol");
}

static void addresses() {
    int *at, *out, sum;
    size_t bytes;
    CALL(cudaMalloc(&out, 4));
    CALL(cudaGetSymbolAddress((void **)&at, weights));
    CALL(cudaGetSymbolSize(&bytes, weights));
    CHECK(bytes == sizeof(int[4]));
    read_at<<<1, 1>>>(at, 4, out);
    CALL(cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost));
    CHECK(sum == 1 + 2 + 30 + 40);
    CALL(cudaGetSymbolAddress((void **)&at, counter));
    CALL(cudaMemset(at, 0, sizeof(int)));
    CHECK(value_of_counter() == 0);
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress((void **)&at, &sum));
    CALL(cudaFree(out));
    ok("addresses of variables");
}

static void managed() {
    int *out, before = shared_count;
    CALL(cudaMallocManaged(&out, 4));
    CHECK(shared_table[0] == 7);
    shared_table[3] = 100;
    step<<<1, 8>>>();
    CALL(cudaDeviceSynchronize());
    CHECK(shared_count > before && shared_table[0] == 7 && shared_table[3] == 103 && shared_table[7] == 7);
    read_at<<<1, 1>>>(shared_table, 8, out); // its address in the host is the device's too
    CALL(cudaDeviceSynchronize());
    CHECK(*out == 7 + 1 + 2 + 103 + 4 + 5 + 6 + 7);
    FAILS(cudaErrorInvalidValue, cudaFree(shared_table));
    CALL(cudaFree(out));
    ok("managed variables");
}

int main() {
    copies();
    addresses();
    managed();
    return 0;
}

// A complete CUDA program, host code and all: random walks from the origin of a plane until they leave a circle. In every step a
// walker either goes on or stumbles, which takes longer, and every walk has another number of steps: the threads of a warp part in
// the loop and at its end. What a divergence mechanism makes of that is what `heddle cuda` shows.
//
//   heddle nvcc -O2 examples/walks.cu -o walks
//   heddle cuda ./walks
//   heddle cuda --mech pdom,dwf,volta ./walks 8192
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t code, const char *what) {
    if (code == cudaSuccess) return;
    fprintf(stderr, "walks: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

__host__ __device__ static unsigned next_random(unsigned x) {
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

// A walker that stumbles finds its balance after some more random numbers.
__host__ __device__ static unsigned walk(unsigned seed, int radius) {
    int x = 0, y = 0;
    unsigned steps = 0;
    while (x * x + y * y < radius * radius) {
        seed = next_random(seed);
        if (seed >> 8 & 1) {
            unsigned balance = seed;
            for (unsigned i = 0; i < 8 + (seed >> 16 & 15); i++) balance = next_random(balance);
            x += balance & 1 ? 1 : -1;
        } else {
            y += seed & 2 ? 1 : -1;
        }
        steps++;
    }
    return steps;
}

__global__ void walks(unsigned *steps, unsigned n, int radius) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) steps[i] = walk(next_random(i + 1), radius);
}

__global__ void longest(const unsigned *steps, unsigned n, unsigned *most) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicMax(most, steps[i]);
}

int main(int argc, char **argv) {
    const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 4096, block = 128;
    const int radius = 8;
    unsigned *steps, *most, answer = 0, expected = 0;
    check(cudaMalloc(&steps, n * sizeof *steps), "cudaMalloc");
    check(cudaMalloc(&most, sizeof *most), "cudaMalloc");
    check(cudaMemset(most, 0, sizeof *most), "cudaMemset");
    walks<<<(n + block - 1) / block, block>>>(steps, n, radius);
    check(cudaGetLastError(), "walks");
    longest<<<2, block>>>(steps, n, most);
    check(cudaGetLastError(), "longest");
    check(cudaMemcpy(&answer, most, sizeof answer, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (unsigned i = 0; i < n; i++) {
        const unsigned one = walk(next_random(i + 1), radius);
        if (one > expected) expected = one;
    }
    printf("the longest of %u walks takes %u steps\n", n, answer);
    if (answer != expected) printf("the host counts %u: WRONG\n", expected);
    cudaFree(steps);
    cudaFree(most);
    return answer != expected;
}

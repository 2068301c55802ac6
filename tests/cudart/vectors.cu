// A first program: memory, copies, a launch, what a kernel's arguments may be, errors of launches.
// all mechanisms
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct pair {
    float scale;
    int add;
    double pad;
};

__global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
template <class T> __global__ void apply(T *data, pair how, char small, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = (T)(data[i] * how.scale + how.add + small);
}

static bool check(const char *name, const std::vector<float> &got, float (*want)(int)) {
    for (size_t i = 0; i < got.size(); i++)
        if (got[i] != want((int)i)) return printf("not ok %s: %g at %zu\n", name, got[i], i), false;
    return printf("ok %s\n", name), true;
}

int main() {
    const int n = 1000;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = (float)i, y[i] = 1;
    float *dx, *dy;
    if (cudaMalloc(&dx, n * sizeof *dx) || cudaMalloc(&dy, n * sizeof *dy)) return puts("not ok cudaMalloc"), 1;
    cudaMemcpy(dx, x.data(), n * sizeof *dx, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof *dy, cudaMemcpyHostToDevice);
    saxpy<<<(n + 127) / 128, 128>>>(2, dx, dy, n);
    cudaMemcpy(y.data(), dy, n * sizeof *dy, cudaMemcpyDeviceToHost);
    bool fine = check("saxpy", y, [](int i) { return 2.0f * (float)i + 1; });
    apply<<<dim3(2, 1), dim3(64)>>>(dy, pair{0.5f, 3, 0}, (char)-1, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return puts("not ok cudaDeviceSynchronize"), 1;
    cudaMemcpy(y.data(), dy, n * sizeof *dy, cudaMemcpyDeviceToHost);
    fine = check("a template with a struct", y, [](int i) { return (2.0f * (float)i + 1) * 0.5f + 2; }) && fine;
    saxpy<<<1, 2048>>>(2, dx, dy, n);
    fine = cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess && fine;
    printf("%s a block of 2048 threads\n", fine ? "ok" : "not ok");
    if (cudaFree(dx) || cudaFree(dy)) return puts("not ok cudaFree"), 1;
    return !fine;
}

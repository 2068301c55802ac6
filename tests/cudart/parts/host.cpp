// Host code for g++: the runtime without kernels.
#include <cuda_runtime.h>

#include <numeric>
#include <vector>

float from_host(float *device, int n) {
    std::vector<float> host((size_t)n);
    cudaMemcpy(host.data(), device, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost);
    return std::accumulate(host.begin(), host.end(), 0.0f);
}

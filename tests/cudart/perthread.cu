// flags: --default-stream per-thread
// A default stream for each thread: NULL is a stream of the thread's own, and the calls have names of their own (_ptsz, _ptds).
#include "check.h"
#include <thread>

__global__ void add(int *v, int by) { v[threadIdx.x] += by; }

static void work(int by) {
    int *v, host[64];
    unsigned long long mine = 0, legacy = 0;
    CALL(cudaMalloc(&v, sizeof host));
    CALL(cudaMemset(v, 0, sizeof host));
    for (int i = 0; i < 3; i++) add<<<1, 64>>>(v, by);
    CALL(cudaMemcpy(host, v, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) CHECK(host[i] == 3 * by);
    CALL(cudaStreamGetId(0, &mine));
    CALL(cudaStreamGetId(cudaStreamLegacy, &legacy));
    CHECK(mine != legacy);
    CALL(cudaFree(v));
}

int main() {
    std::thread a(work, 1), b(work, 2);
    work(3);
    a.join();
    b.join();
    cudaStreamCaptureStatus status;
    cudaGraph_t g;
    size_t n = 0;
    CALL(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed)); // the legacy stream could not
    add<<<1, 64>>>(NULL, 1);
    CALL(cudaStreamIsCapturing(0, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    CALL(cudaStreamEndCapture(0, &g));
    CALL(cudaGraphGetNodes(g, NULL, &n));
    CHECK(n == 1);
    CALL(cudaGraphDestroy(g));
    ok("a default stream for each thread");
    return 0;
}

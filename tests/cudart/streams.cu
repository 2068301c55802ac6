// Streams and events: creation, order, waits, callbacks, simulated time, and the errors of each.
#include "check.h"

__global__ void add(int *v, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += by;
}

__global__ void spin(int *out, int rounds) {
    int x = threadIdx.x;
    for (int i = 0; i < rounds; i++) x = x * 1664525 + 1013904223;
    out[threadIdx.x] = x;
}

static void handles() {
    cudaStream_t s, t;
    unsigned flags = 7;
    int least = 1, greatest = 1, priority = 9;
    unsigned long long first = 0, second = 0;
    CALL(cudaStreamCreate(&s));
    CALL(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CALL(cudaStreamGetFlags(s, &flags));
    CHECK(flags == cudaStreamDefault);
    CALL(cudaStreamGetFlags(t, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    CALL(cudaStreamGetId(s, &first));
    CALL(cudaStreamGetId(t, &second));
    CHECK(first != second);
    CALL(cudaStreamDestroy(t));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&t, 0x80));
    CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);
    CALL(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, greatest - 10));
    CALL(cudaStreamGetPriority(t, &priority));
    CHECK(priority == greatest);
    CALL(cudaStreamDestroy(t));
    CALL(cudaStreamDestroy(s));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
    CALL(cudaStreamQuery(0));
    CALL(cudaStreamSynchronize(cudaStreamLegacy));
    CALL(cudaStreamSynchronize(cudaStreamPerThread));
    ok("stream handles");
}

static void destroyed_with_work() {
    int *v, host[64];
    cudaStream_t s;
    CALL(cudaMalloc(&v, sizeof host));
    CALL(cudaMemset(v, 0, sizeof host));
    CALL(cudaStreamCreate(&s));
    for (int i = 0; i < 5; i++) add<<<1, 64, 0, s>>>(v, 64, i);
    CALL(cudaStreamDestroy(s)); // what it holds still runs
    CALL(cudaMemcpy(host, v, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) CHECK(host[i] == 10);
    add<<<1, 64, 0, s>>>(v, 64, 1);
    FAILS(cudaErrorInvalidResourceHandle, cudaGetLastError());
    CALL(cudaFree(v));
    ok("stream destroyed with work");
}

static void order_by_events() {
    const int n = 1000;
    int *v, *host;
    cudaStream_t s[3];
    cudaEvent_t e[3];
    CALL(cudaMalloc(&v, n * sizeof *v));
    CALL(cudaMallocHost(&host, n * sizeof *host));
    for (int i = 0; i < 3; i++) {
        CALL(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        CALL(cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming));
    }
    for (int i = 0; i < n; i++) host[i] = i;
    CALL(cudaMemcpyAsync(v, host, n * sizeof *v, cudaMemcpyHostToDevice, s[0]));
    CALL(cudaEventRecord(e[0], s[0]));
    CALL(cudaStreamWaitEvent(s[1], e[0], 0));
    add<<<4, 256, 0, s[1]>>>(v, n, 1000);
    CALL(cudaEventRecord(e[1], s[1]));
    CALL(cudaStreamWaitEvent(s[2], e[1], 0));
    CALL(cudaMemcpyAsync(host, v, n * sizeof *v, cudaMemcpyDeviceToHost, s[2]));
    CALL(cudaStreamSynchronize(s[2]));
    for (int i = 0; i < n; i++) CHECK(host[i] == i + 1000);
    for (int i = 0; i < 3; i++) {
        CALL(cudaEventDestroy(e[i]));
        CALL(cudaStreamDestroy(s[i]));
    }
    CALL(cudaFreeHost(host));
    CALL(cudaFree(v));
    ok("streams ordered by events");
}

static void event_errors() {
    cudaEvent_t a, b, untimed;
    float ms = -1;
    CALL(cudaEventCreate(&a));
    CALL(cudaEventCreate(&b));
    CALL(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&b, 0x40));
    FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&b, cudaEventInterprocess));
    CALL(cudaEventQuery(a)); // never recorded: nothing to wait for
    CALL(cudaEventSynchronize(a));
    CALL(cudaStreamWaitEvent(0, a, 0));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventRecord(a, 0));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventRecord(untimed, 0));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, untimed));
    CALL(cudaEventElapsedTime(&ms, a, a));
    CHECK(ms == 0);
    FAILS(cudaErrorInvalidValue, cudaEventElapsedTime(NULL, a, a));
    CALL(cudaEventDestroy(a));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(a));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(a, 0));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(0, 0));
    CALL(cudaEventDestroy(b));
    CALL(cudaEventDestroy(untimed));
    ok("event errors");
}

static float elapsed(cudaEvent_t a, cudaEvent_t b) {
    float ms = -1;
    CALL(cudaEventElapsedTime(&ms, a, b));
    return ms;
}

// One stream's operations follow each other; those of another stream do not count.
static void time_of_streams() {
    int *out;
    cudaStream_t s, t;
    cudaEvent_t e[5];
    CALL(cudaMalloc(&out, 4096));
    CALL(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    for (int i = 0; i < 5; i++) CALL(cudaEventCreate(&e[i]));
    CALL(cudaEventRecord(e[0], s));
    spin<<<1, 32, 0, s>>>(out, 1000);
    CALL(cudaEventRecord(e[1], s));
    spin<<<1, 32, 0, s>>>(out, 1000);
    spin<<<1, 32, 0, s>>>(out, 1000);
    CALL(cudaEventRecord(e[2], s));
    CALL(cudaEventRecord(e[3], t));
    spin<<<1, 32, 0, t>>>(out + 64, 1000);
    CALL(cudaEventRecord(e[4], t));
    CALL(cudaDeviceSynchronize());
    float one = elapsed(e[0], e[1]), two = elapsed(e[1], e[2]), other = elapsed(e[3], e[4]);
    CHECK(one > 0 && other > 0);
    CHECK(two > 1.5f * one && two < 2.5f * one);
    CHECK(elapsed(e[0], e[2]) > 2.5f * one);
    int sms = 0;
    CALL(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(sms > 1 ? elapsed(e[0], e[4]) < 1.5f * one : elapsed(e[0], e[4]) > 2.5f * one); // a block needs an SM
    CHECK(elapsed(e[4], e[0]) < 0);
    for (int i = 0; i < 5; i++) CALL(cudaEventDestroy(e[i]));
    CALL(cudaStreamDestroy(s));
    CALL(cudaStreamDestroy(t));
    CALL(cudaFree(out));
    ok("elapsed times");
}

// The legacy default stream waits for blocking streams and they for it.
static void legacy_order() {
    int *out;
    cudaStream_t blocking, free_one;
    cudaEvent_t before, after, apart;
    CALL(cudaMalloc(&out, 4096));
    CALL(cudaStreamCreate(&blocking));
    CALL(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
    CALL(cudaEventCreate(&before));
    CALL(cudaEventCreate(&after));
    CALL(cudaEventCreate(&apart));
    CALL(cudaDeviceSynchronize());
    CALL(cudaEventRecord(before, blocking));
    spin<<<1, 32, 0, blocking>>>(out, 1000);
    CALL(cudaEventRecord(after, 0));
    CALL(cudaEventRecord(apart, free_one));
    CHECK(elapsed(before, after) > 0);
    CHECK(elapsed(before, apart) == 0);
    CALL(cudaStreamDestroy(blocking));
    CALL(cudaStreamDestroy(free_one));
    CALL(cudaEventDestroy(before));
    CALL(cudaEventDestroy(after));
    CALL(cudaEventDestroy(apart));
    CALL(cudaFree(out));
    ok("legacy default stream");
}

static int calls[4];
static void note(void *user) { calls[0] = *(int *)user; }
static void called(cudaStream_t s, cudaError_t code, void *user) {
    calls[1] = code == cudaSuccess && s ? *(int *)user : -1;
}

static void host_functions() {
    int *v, *host, given = 42;
    cudaStream_t s;
    CALL(cudaStreamCreate(&s));
    CALL(cudaMalloc(&v, 64 * sizeof *v));
    CALL(cudaMallocHost(&host, 64 * sizeof *host));
    CALL(cudaMemsetAsync(v, 0, 64 * sizeof *v, s));
    add<<<1, 64, 0, s>>>(v, 64, 7);
    CALL(cudaMemcpyAsync(host, v, 64 * sizeof *v, cudaMemcpyDeviceToHost, s));
    CALL(cudaLaunchHostFunc(s, note, &host[3]));
    CALL(cudaStreamAddCallback(s, called, &given, 0));
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(s, called, &given, 1));
    FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(s, NULL, NULL));
    CALL(cudaStreamSynchronize(s));
    CHECK(calls[0] == 7 && calls[1] == 42);
    CALL(cudaStreamDestroy(s));
    CALL(cudaFreeHost(host));
    CALL(cudaFree(v));
    ok("host functions");
}

int main() {
    handles();
    destroyed_with_work();
    order_by_events();
    event_errors();
    time_of_streams();
    legacy_order();
    host_functions();
    CALL(cudaDeviceReset());
    return 0;
}

// Faults of kernels: the code each gives, that it stays until the device is reset, and that the process goes on after that.
#include <assert.h>

#include "check.h"

__global__ void null_pointer(int *p) { p[threadIdx.x] = 1; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
// By a generic address, which may be in any window; the compiler knows that an argument is global.
__global__ void generic(char *p) { asm volatile("st.u32 [%0], 1;" ::"l"(p) : "memory"); }
__global__ void asserts(int x) { assert(x == 1); }
__global__ void traps() { asm volatile("trap;"); }
__global__ void waits_forever(volatile int *flag) {
    while (*flag == 0) {}
}
__global__ void fine(int *p) { *p = 42; }

static void usable() {
    int *p, v;
    CALL(cudaMalloc(&p, 4));
    fine<<<1, 1>>>(p);
    CALL(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    CHECK(v == 42);
}

static void stays(cudaError_t code) {
    int *p;
    CHECK(cudaDeviceSynchronize() == code);
    CHECK(cudaGetLastError() == code);
    CHECK(cudaMalloc(&p, 4) == code);
    CHECK(cudaPeekAtLastError() == code);
    CALL(cudaDeviceReset());
    (void)cudaGetLastError();
    CALL(cudaGetLastError());
    usable();
}

static void addresses() {
    char *p;
    null_pointer<<<1, 32>>>(nullptr);
    stays(cudaErrorIllegalAddress);
    CALL(cudaMalloc(&p, 64));
    misaligned<<<1, 1>>>(p);
    stays(cudaErrorMisalignedAddress);
    CALL(cudaMalloc(&p, 64));
    null_pointer<<<1, 17>>>((int *)p); // one past the end
    stays(cudaErrorIllegalAddress);
    for (size_t mb = 16; mb <= 176; mb += 16) {
        generic<<<1, 32>>>((char *)(mb << 20)); // windows of shared, local, constant memory and behind
        stays(cudaErrorIllegalAddress);
    }
    ok("bad addresses");
}

static void others() {
    int *flag;
    asserts<<<1, 1>>>(1);
    CALL(cudaDeviceSynchronize());
    asserts<<<2, 32>>>(0);
    stays(cudaErrorAssert);
    traps<<<1, 1>>>();
    stays(cudaErrorLaunchFailure);
    CALL(cudaMalloc(&flag, 4));
    CALL(cudaMemset(flag, 0, 4));
    waits_forever<<<1, 1>>>(flag);
    stays(cudaErrorLaunchTimeout);
    ok("assertions, traps, launches without end");
}

int main() {
    usable();
    addresses();
    others();
    return 0;
}

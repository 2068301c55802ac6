// The host program as a process: threads that launch at once, children of fork, and an end with output still on its way.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "check.h"

__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void says(int i) { printf("device %d\n", i); }

static int counted(int launches) {
    int *p, v;
    CALL(cudaMalloc(&p, 4));
    CALL(cudaMemset(p, 0, 4));
    for (int i = 0; i < launches; i++) count<<<1, 32>>>(p);
    CALL(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    CALL(cudaFree(p));
    return v;
}

static int status_of_child(int (*body)()) {
    fflush(stdout);
    pid_t child = fork();
    int status = -1;
    if (!child) _exit(body());
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A child of a process that has not used the device yet has one of its own.
static int own_device() { return counted(1) == 32 ? 0 : 1; }
// One of a process that has cannot use it, as with real hardware.
static int parents_device() {
    int *p;
    return cudaMalloc(&p, 4) == cudaErrorInitializationError ? 0 : 1;
}

static void threads() {
    std::vector<std::thread> all;
    std::vector<int> sums(6);
    for (int t = 0; t < 6; t++)
        all.emplace_back([t, &sums] {
            int *p;
            sums[t] = counted(5);
            FAILS(cudaErrorInvalidValue, cudaFree(&sums[t]));
            if (t == 0) (void)cudaMalloc(&p, (size_t)1 << 60); // its error is the thread's own
        });
    for (auto &t : all) t.join();
    for (int s : sums) CHECK(s == 5 * 32);
    CALL(cudaGetLastError());
    ok("threads");
}

int main() {
    CHECK(status_of_child(own_device) == 0);
    CHECK(counted(2) == 64);
    CHECK(status_of_child(parents_device) == 0);
    CHECK(counted(3) == 96);
    ok("children");
    threads();
    ok("the end");
    says<<<1, 1>>>(7); // it is not waited for, and not lost
    return 0;
}

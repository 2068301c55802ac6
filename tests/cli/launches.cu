// A CUDA program for tests of heddle cuda: what its argument asks for, over memory that has pointers in it, and variables of the module.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

struct node {
    node *next;
    int value;
};
__device__ int counter = 5;
__device__ node *head;
__constant__ int factor[2] = {1, 1};

__global__ void chain(node *nodes, int n) {
    for (int i = 0; i < n; i++) {
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : nullptr;
        nodes[i].value = i + 1;
    }
    head = nodes;
}

// Each call multiplies what the last one left.
__global__ void total(int *out, int **where) {
    int sum = 0;
    for (node *p = head; p; p = p->next) sum += p->value * factor[1];
    *where = &counter;
    **where += sum;
    out[threadIdx.x] = counter + threadIdx.x;
}

__global__ void store(int *p, int at) { p[at] = 1; }

__global__ void race(int *p) { p[threadIdx.x / 2] = threadIdx.x; }

static int races() {
    int *p;
    cudaMalloc(&p, 256);
    race<<<1, 64>>>(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}

static int run(int launches) {
    node *nodes;
    int *out, **where, host[4], three[2] = {1, 3};
    cudaMalloc(&nodes, 8 * sizeof *nodes);
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&where, sizeof *where);
    cudaMemcpyToSymbol(factor, three, sizeof three);
    chain<<<1, 1>>>(nodes, 8);
    for (int i = 0; i < launches; i++) total<<<1, 1>>>(out, where);
    cudaError_t code = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s, %d\n", cudaGetErrorString(code), host[0]);
    fflush(stdout);
    cudaFree(nodes);
    cudaFree(out);
    cudaFree(where);
    return code ? 1 : host[0] != 5 + 108 * launches;
}

static int fault() {
    int *p;
    cudaMalloc(&p, 64);
    store<<<1, 1>>>(p, 1000);
    cudaError_t code = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(code));
    return code == cudaErrorIllegalAddress ? 0 : 1;
}

static int forks(char **argv) {
    for (int i = 0; i < 3; i++)
        if (!fork()) execl(argv[0], argv[0], "2", (char *)nullptr);
    int worst = 0, status;
    while (wait(&status) > 0) worst |= status;
    return worst != 0;
}

static void *work(void *p) {
    for (int i = 0; i < 20; i++) store<<<1, 1>>>((int *)p, i);
    return nullptr;
}

static int threads() {
    pthread_t t[4];
    int *p[4], host[20], wrong = 0;
    for (int i = 0; i < 4; i++) {
        cudaMalloc(&p[i], sizeof host);
        pthread_create(&t[i], nullptr, work, p[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], nullptr);
        cudaMemcpy(host, p[i], sizeof host, cudaMemcpyDeviceToHost);
        for (int k = 0; k < 20; k++) wrong += host[k] != 1;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "2";
    if (!strcmp(what, "fault")) return fault();
    if (!strcmp(what, "race")) return races();
    if (!strcmp(what, "fork")) return forks(argv);
    if (!strcmp(what, "threads")) return threads();
    if (!strcmp(what, "crash")) return run(1), fflush(stdout), abort(), 0;
    if (!strcmp(what, "wait")) return run(1), puts("waiting"), fflush(stdout), sleep(60), 0;
    return run(atoi(what));
}

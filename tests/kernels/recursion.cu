/* Calls: recursion of each thread to its own depth, mutual recursion, function pointers, frames in local memory. */
#include "cuda.h"

__device__ __noinline uint fib(uint n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
KERNEL fibonacci(uint *out) { out[global_id()] = fib(threadIdx.x % 13); }

__device__ __noinline uint ackermann(uint m, uint n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
KERNEL ackermann_kernel(uint *out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3); }

__device__ uint is_odd(uint n, uint *steps);
__device__ __noinline uint is_even(uint n, uint *steps) {
    ++*steps;
    return n == 0 ? 1 : is_odd(n - 1, steps) & 1;
}
__device__ __noinline uint is_odd(uint n, uint *steps) {
    ++*steps;
    return n == 0 ? 0 : is_even(n - 1, steps) & 1;
}
/* the counter lives in the kernel's frame and is reached through a generic pointer */
KERNEL mutual(uint *out) {
    uint steps = 0, even = is_even(threadIdx.x, &steps);
    out[threadIdx.x] = steps << 1 | even;
}

struct node {
    int left, right, value;
};
__device__ __noinline int tree_sum(const node *t, int i, int depth) {
    if (i < 0) return 0;
    return t[i].value * depth + tree_sum(t, t[i].left, depth + 1) + tree_sum(t, t[i].right, depth + 1);
}
KERNEL tree(int *out, const node *nodes, const int *roots) {
    out[threadIdx.x] = tree_sum(nodes, roots[threadIdx.x], 1);
}

__device__ __noinline int op_add(int a, int b) { return a + b; }
__device__ __noinline int op_sub(int a, int b) { return a - b; }
__device__ __noinline int op_mul(int a, int b) { return a * b; }
__device__ __noinline int op_fib(int a, int b) { return (int)fib((uint)a % 8) + b; }
typedef int (*binary)(int, int);
__device__ binary table[4] = {op_add, op_sub, op_mul, op_fib};

/* a different function in each lane */
KERNEL indirect(int *out, const int *choice) {
    uint i = global_id();
    out[i] = table[choice[i] & 3]((int)i, 7);
}

/* a struct of 40 bytes by value in, another out */
struct big {
    int v[9];
    float f;
};
__device__ __noinline big rotate(big b, int by) {
    big r;
    for (int k = 0; k < 9; k++) r.v[k] = b.v[(k + by) % 9];
    r.f = b.f * 2;
    return r;
}
KERNEL struct_calls(int *out, big b) {
    big r = rotate(b, (int)threadIdx.x);
    int s = 0;
    for (int k = 0; k < 9; k++) s = s * 10 + r.v[k];
    out[threadIdx.x] = s + (int)r.f;
}

/* one frame after another until the thread's stack is full */
__device__ __noinline int endless(int n, volatile int *sink) {
    volatile int frame[64];
    frame[n & 63] = n;
    *sink = frame[n & 63];
    return *sink < 0 ? 0 : endless(n + 1, sink) + frame[n & 63];
}
KERNEL overflow(int *out) { out[0] = endless(0, out); }

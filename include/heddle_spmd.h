/* Functions of a RISC-V program that heddle runs on the GPU it models.
 *
 *     #include <heddle_spmd.h>
 *     SPMD_KERNEL void add(float *a, const float *b, long n) {
 *         long i = spmd_global_x();
 *         if (i < n) a[i] += b[i];
 *     }
 *     int main(void) { ... spmd_launch(add, n / 256, 256, a, b, n); ... }
 *
 * Compile with riscv64-linux-gnu-gcc -static, or with clang --target=riscv64-linux-gnu -static, and run with
 * 'heddle run program [ARGUMENTS]'. main runs on a scalar core; a launch runs the function once for every thread of a grid of
 * blocks, on the same memory, and returns when all of them have. Every thread has a stack of its own of 16 KiB: the address of
 * a variable on it means nothing to other threads. A function that is launched must be declared SPMD_KERNEL; it gets up to
 * eight arguments, integers or pointers, and may call others, by name or by pointer. Threads cannot call the system: no
 * printf, no malloc. Atomics are those of C (<stdatomic.h>, __atomic_fetch_add). */
#ifndef HEDDLE_SPMD_H
#define HEDDLE_SPMD_H

#if !defined(__riscv) || __riscv_xlen != 64
#error "heddle_spmd.h is for programs that are compiled for riscv64"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Before a function that is launched. */
#define SPMD_KERNEL __attribute__((noinline, used, section("spmd_text")))

/* ---- within a launch ---- */

/* Not volatile: a thread is the same one all its life, so that what is read once can be kept. */
#define SPMD_CSR(name, number)                  \
    static inline unsigned spmd_##name(void) {  \
        unsigned long v;                        \
        __asm__("csrr %0, " #number : "=r"(v)); \
        return (unsigned)v;                     \
    }
SPMD_CSR(thread_x, 0xcc0) /* number of the thread in its block */
SPMD_CSR(thread_y, 0xcc1)
SPMD_CSR(thread_z, 0xcc2)
SPMD_CSR(threads_x, 0xcc3) /* threads of a block */
SPMD_CSR(threads_y, 0xcc4)
SPMD_CSR(threads_z, 0xcc5)
SPMD_CSR(block_x, 0xcc6) /* number of the block in its grid */
SPMD_CSR(block_y, 0xcc7)
SPMD_CSR(block_z, 0xcc8)
SPMD_CSR(blocks_x, 0xcc9) /* blocks of the grid */
SPMD_CSR(blocks_y, 0xcca)
SPMD_CSR(blocks_z, 0xccb)
#undef SPMD_CSR
static inline unsigned spmd_thread(void) {
    return spmd_thread_x();
}
static inline unsigned spmd_block(void) {
    return spmd_block_x();
}
/* The number of the thread in its grid, along x. */
static inline unsigned long spmd_global_x(void) {
    return (unsigned long)spmd_block_x() * spmd_threads_x() + spmd_thread_x();
}
/* Waits for all threads of the block; what they wrote before is seen behind it. */
static inline void spmd_barrier(void) {
    __asm__ volatile(".insn i 0x0b, 0, x0, x0, 0" ::: "memory");
}
/* The memory that the threads of the block share, of as many bytes as the launch says. */
static inline void *spmd_shared(void) {
    void *p;
    __asm__ volatile("csrr %0, 0xccf" : "=r"(p));
    return p;
}

/* ---- launching ---- */

struct spmd_request {
    void *function;
    unsigned grid[3], block[3];
    unsigned long shared;
    unsigned long args[8];
};
/* 0. What goes wrong in a launch ends the program. */
static inline int spmd_launch_request(const struct spmd_request *r) {
    long result;
    __asm__ volatile(".insn i 0x0b, 1, %0, %1, 0" : "=r"(result) : "r"(r) : "memory");
    return (int)result;
}
#define SPMD_ARG(v)                                 ((unsigned long)(v))
#define SPMD_NTH(a, b, c, d, e, f, g, h, name, ...) name
#define SPMD_ARGS1(a)                               SPMD_ARG(a)
#define SPMD_ARGS2(a, b)                            SPMD_ARG(a), SPMD_ARG(b)
#define SPMD_ARGS3(a, b, c)                         SPMD_ARGS2(a, b), SPMD_ARG(c)
#define SPMD_ARGS4(a, b, c, d)                      SPMD_ARGS3(a, b, c), SPMD_ARG(d)
#define SPMD_ARGS5(a, b, c, d, e)                   SPMD_ARGS4(a, b, c, d), SPMD_ARG(e)
#define SPMD_ARGS6(a, b, c, d, e, f)                SPMD_ARGS5(a, b, c, d, e), SPMD_ARG(f)
#define SPMD_ARGS7(a, b, c, d, e, f, g)             SPMD_ARGS6(a, b, c, d, e, f), SPMD_ARG(g)
#define SPMD_ARGS8(a, b, c, d, e, f, g, h)          SPMD_ARGS7(a, b, c, d, e, f, g), SPMD_ARG(h)
#define SPMD_LIST(...)                                                                            \
    SPMD_NTH(__VA_ARGS__, SPMD_ARGS8, SPMD_ARGS7, SPMD_ARGS6, SPMD_ARGS5, SPMD_ARGS4, SPMD_ARGS3, \
             SPMD_ARGS2, SPMD_ARGS1, )                                                            \
    (__VA_ARGS__)
/* grid blocks of block threads, in one dimension; at least one argument, 0 if the function has none. */
#define spmd_launch(function, grid, block, ...) spmd_launch_shared(function, grid, block, 0, __VA_ARGS__)
/* As spmd_launch, with `bytes` of shared memory for each block. */
#define spmd_launch_shared(function_, grid_, block_, bytes, ...)                 \
    spmd_launch_request(&(const struct spmd_request){(void *)(function_),        \
                                                     {(unsigned)(grid_), 1, 1},  \
                                                     {(unsigned)(block_), 1, 1}, \
                                                     (bytes),                    \
                                                     {SPMD_LIST(__VA_ARGS__)}})

#ifdef __cplusplus
}
#endif
#endif

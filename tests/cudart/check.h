/* What the programs of this folder check themselves with: a line "ok NAME" for every part that is right, and the first wrong thing
 * by file and line. */
#ifndef CUDART_CHECK_H
#define CUDART_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* The call must succeed. */
#define CALL(call) call_gives((int)(call), 0, #call, __FILE__, __LINE__)
/* The call must fail with this code, which is no longer the last error then. */
#define FAILS(code, call) \
    (call_gives((int)(call), (int)(code), #call, __FILE__, __LINE__), (void)cudaGetLastError())
#define CHECK(condition) holds((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

static inline void call_gives(int got, int want, const char *call, const char *file, int line) {
    if (got == want) return;
    printf("%s:%d: %s gives %d (%s), not %d (%s)\n", file, line, call, got,
           cudaGetErrorName((cudaError_t)got), want, cudaGetErrorName((cudaError_t)want));
    exit(1);
}

static inline void holds(int good, const char *condition, const char *file, int line) {
    if (good) return;
    printf("%s:%d: not so: %s\n", file, line, condition);
    exit(1);
}

static inline void ok(const char *name) {
    printf("ok %s\n", name);
}

#endif

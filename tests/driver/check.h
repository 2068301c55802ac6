/* For programs of the driver interface: each check prints "ok NAME" or says what was wrong and counts. */
#ifndef CHECK_H
#define CHECK_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define NEED(call)                                                                           \
    do {                                                                                     \
        CUresult need_code = (call);                                                         \
        if (need_code != CUDA_SUCCESS) {                                                     \
            printf("not ok %s:%d: %s gave %d\n", __FILE__, __LINE__, #call, (int)need_code); \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)
#define GIVES(code, call)                                                                                    \
    do {                                                                                                     \
        CUresult gives_code = (call);                                                                        \
        if (gives_code != (code)) {                                                                          \
            printf("not ok %s:%d: %s gave %d, not %s\n", __FILE__, __LINE__, #call, (int)gives_code, #code); \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)
#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            printf("not ok %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                   \
        }                                                                 \
    } while (0)
/* Runs a function and says its name. */
#define RUN(test)                                         \
    do {                                                  \
        int before = failures;                            \
        test();                                           \
        if (failures == before) printf("ok %s\n", #test); \
    } while (0)
#endif

/* How an entry point of the CUDA interface is written. Its arguments and results are those of the ABI; what a code is called
 * is in errors.def.
 *
 *     CUDA_API int cudaFree(void *ptr) { CUDA_CALL(cu_free(p, ptr)); }
 *
 * An entry point whose ABI differs between the major versions of the runtime is written once for each, and CUDA_VERSION
 * ties each to its version; all others serve every version (versions.map). */
#ifndef CUDA_API_H
#define CUDA_API_H

#include "cuda/error.h"
#include "cuda/process.h"

#define CUDA_API __attribute__((visibility("default"), used))
/* FUNCTION is what programs linked with libcudart.so.VERSION get as NAME; the last of CUDA_DEFAULT is what new programs get. */
#define CUDA_VERSION(function, name, version) \
    __asm__(".symver " #function "," #name "@libcudart.so." version ",remove");
#define CUDA_DEFAULT(function, name) __asm__(".symver " #function "," #name "@@libcudart.so.13,remove");
/* The usual case: one for 11 and 12, another since 13. */
#define CUDA_BEFORE_13(function, name) CUDA_VERSION(function, name, "12") CUDA_VERSION(function, name, "11.0")
#define CUDA_SINCE_13(function, name)  CUDA_DEFAULT(function, name)

/* Another name of an entry point. */
#define CUDA_ALIAS(name, function) \
    extern __typeof__(function) name __attribute__((alias(#function), visibility("default")));

/* The body of an entry point that needs the device: `p` is the process, locked. A process that cannot go on (its settings
 * are wrong, a kernel has faulted) answers every call with the same code. */
#define CUDA_CALL(expression)          \
    struct cu_process *p = cu_enter(); \
    return cu_leave(p, p->failed ? p->failed : (expression))
#endif

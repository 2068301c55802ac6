/* How an entry point of the CUDA interface is written. Its arguments and results are those of the ABI; what a code is called
 * is in errors.def.
 *
 *     CUDA_API int cudaFree(void *ptr) { CUDA_CALL(cu_free(p, ptr)); }
 *
 * An entry point whose ABI differs between the major versions of the runtime is written once for each, and CUDA_VERSION
 * ties each to its version; all others serve every version (versions.map). */
#ifndef CUDA_API_H
#define CUDA_API_H

#include "runtime/runtime/error.h"
#include "runtime/runtime/process.h"

#define CUDA_API __attribute__((visibility("default"), used))
/* FUNCTION is what programs linked with libcudart.so.VERSION get as NAME, what new programs get is CUDA_DEFAULT's. One symbol
 * carries one version, for clang's assembler at least: a second name for each, and FUNCTION itself stays inside. */
#define CUDA_SYMBOL(function, version, name)                                                       \
    __asm__(".hidden " #function "\n.globl " #function "." version "\n.set " #function "." version \
            "," #function "\n.symver " #function "." version "," name "libcudart.so." version ",remove");
#define CUDA_VERSION(function, name, version) CUDA_SYMBOL(function, version, #name "@")
#define CUDA_DEFAULT(function, name)          CUDA_SYMBOL(function, "13", #name "@@")
/* The usual case: one for 11 and 12, CUDA_DEFAULT's since 13. */
#define CUDA_BEFORE_13(function, name) CUDA_VERSION(function, name, "12") CUDA_VERSION(function, name, "11.0")

/* Another name of an entry point. */
#define CUDA_ALIAS(name, function) \
    extern __typeof__(function) name __attribute__((alias(#function), visibility("default")));

/* The body of an entry point that needs the device: `p` is the process, locked. A process that cannot go on (its settings
 * are wrong, a kernel has faulted) answers every call with the same code. */
#define CUDA_CALL(expression)          \
    struct cu_process *p = cu_enter(); \
    return cu_leave(p, p->failed ? p->failed : (expression))
#endif

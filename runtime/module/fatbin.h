/* Fat binaries: what nvcc and clang put into a program for each architecture it was compiled for. */
#ifndef CUDA_FATBIN_H
#define CUDA_FATBIN_H

#include <stddef.h>
#include <stdint.h>

struct cu_ptx {
    char *text; /* ends in NUL; to be freed */
    size_t bytes;
    uint32_t arch; /* 75: sm_75 */
};

/* What a program registers: a magic number, a version, a fat binary; since version 2 (nvcc -rdc) also a list of those that
 * were linked, which ends in NULL. */
struct cu_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *linked;
};
#define CU_WRAPPER_MAGIC 0x466243b1u
#define CU_FATBIN_MAGIC  0xba55ed50u

/* The PTX of a fat binary to run on a machine of that compute capability (75): the newest that is not newer, else the oldest.
 * `bytes` limits what is read; SIZE_MAX: the binary's own size does. CU_Success; CU_NoKernelImageForDevice: there is machine
 * code only, or nothing; CU_InvalidKernelImage: damaged; CU_MemoryAllocation. */
int cu_fatbin_ptx(const void *image, size_t bytes, uint32_t capability, struct cu_ptx *ptx);
/* Whether there is machine code: the reason to give when there is no PTX. */
int cu_fatbin_has_code(const void *image, size_t bytes);
#endif

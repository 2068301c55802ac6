/* Fuzzes the fat binary parser: any bytes either give a text that ends where it says, or a code that programs know. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/error.h"
#include "cuda/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cu_ptx ptx;
    uint8_t *copy = malloc(size ? size : 1); /* of just that size: reading past it is seen */
    CHECK(copy);
    memcpy(copy, data, size);
    int code = cu_fatbin_ptx(copy, size, size ? data[size - 1] : 75, &ptx);
    if (!code) {
        CHECK(strlen(ptx.text) == ptx.bytes);
        free(ptx.text);
    } else {
        CHECK(code == CU_InvalidKernelImage || code == CU_NoKernelImageForDevice ||
              code == CU_MemoryAllocation);
    }
    (void)cu_fatbin_has_code(copy, size);
    free(copy);
    return 0;
}

/* Error codes, the same numbers for the runtime and the driver, and each thread's last error. */
#ifndef CUDA_ERROR_H
#define CUDA_ERROR_H

#include <stddef.h>

enum cu_code {
#define ERROR(number, name, driver, text) CU_##name = number,
#include "runtime/runtime/errors.def"
#undef ERROR
};

struct cu_error {
    int code;
    const char *name;   /* the runtime's: "cudaErrorInvalidValue" */
    const char *driver; /* NULL: the driver has none */
    const char *text;
};
/* NULL: no such code. cu_error_at gives them in the order of the table, NULL past the last. */
const struct cu_error *cu_error_of(int code);
const struct cu_error *cu_error_at(size_t index);

/* The calling thread's last error of the runtime interface. Setting 0 keeps what is there. */
void cu_set_last_error(int code);
int cu_last_error(int clear);
#endif

/* The table of errors and each thread's last one. A thread starts with none; a call that succeeds leaves it alone, as the
 * runtime does. It is kept by the loader's thread-local storage, so threads that never fail cost nothing. */
#include "runtime/runtime/error.h"

#include "runtime/runtime/api.h"

static const struct cu_error errors[] = {
#define ERROR(number, name, driver, text) {number, number ? "cudaError" #name : "cudaSuccess", driver, text},
#include "runtime/runtime/errors.def"
#undef ERROR
};
enum { ERRORS = sizeof errors / sizeof *errors };

static _Thread_local int last_error;

const struct cu_error *cu_error_at(size_t index) {
    return index < ERRORS ? &errors[index] : NULL;
}

const struct cu_error *cu_error_of(int code) {
    size_t low = 0, high = ERRORS;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (errors[mid].code == code) return &errors[mid];
        if (errors[mid].code < code)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

void cu_set_last_error(int code) {
    if (code) last_error = code;
}

int cu_last_error(int clear) {
    int code = last_error;
    if (clear) last_error = 0;
    return code;
}

CUDA_API const char *cudaGetErrorName(int code) {
    const struct cu_error *e = cu_error_of(code);
    return e ? e->name : "unrecognized error code";
}

CUDA_API const char *cudaGetErrorString(int code) {
    const struct cu_error *e = cu_error_of(code);
    return e ? e->text : "unrecognized error code";
}

/* A fault of a kernel remains what these return until the device is reset. */
static int error_peek(int clear) {
    int code = cu_last_error(clear);
    struct cu_process *p = cu_lock();
    int failed = p->failed;
    cu_unlock(p);
    return failed ? failed : code;
}

CUDA_API int cudaGetLastError(void) {
    return error_peek(1);
}
CUDA_API int cudaPeekAtLastError(void) {
    return error_peek(0);
}

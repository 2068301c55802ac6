/* Relocatable device code (-rdc=true) is linked when the program starts. Each object calls __heddle_register_linked with its fat
 * binary; all of a program, or of a shared library, go in one list, which the runtime loads as one module at first use. `heddle
 * nvcc` has put this function's name in place of the one that clang expects of nvcc's device linker. The objects have it all;
 * the linker keeps one. */
#ifndef HEDDLE_CUDA_LINKED_H
#define HEDDLE_CUDA_LINKED_H

#if defined(__CLANG_RDC__) && !defined(__CUDA_ARCH__)
struct __heddle_wrapper { /* of a fat binary: version 1 has one, version 2 a list that ends with NULL */
    unsigned magic, version;
    const void *data;
    const void *const *linked;
};

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);

#define HEDDLE_ONE __attribute__((weak, visibility("hidden")))
HEDDLE_ONE struct __heddle_wrapper __heddle_linked_all __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 2, 0, 0};
HEDDLE_ONE void **__heddle_linked_handle = 0;
HEDDLE_ONE unsigned long __heddle_linked_count = 0;

HEDDLE_ONE void __heddle_unregister_linked(void) { __cudaUnregisterFatBinary(__heddle_linked_handle); }

HEDDLE_ONE void __heddle_register_linked(void (*globals)(void **), const struct __heddle_wrapper *own, const char *,
                                         void (*)(void *)) {
    const unsigned long n = __heddle_linked_count++;
    const void **all = (const void **)realloc((void *)__heddle_linked_all.linked, (n + 2) * sizeof *all);
    if (!all) abort();
    all[n] = own->data;
    all[n + 1] = 0;
    __heddle_linked_all.linked = all;
    if (!n) {
        __heddle_linked_handle = __cudaRegisterFatBinary(&__heddle_linked_all);
        atexit(__heddle_unregister_linked);
    }
    if (globals) globals(__heddle_linked_handle);
    __cudaRegisterFatBinaryEnd(__heddle_linked_handle);
}
#undef HEDDLE_ONE
}
#endif

#endif

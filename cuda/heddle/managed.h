/* Managed variables. Clang knows none outside of HIP: it makes a variable on each side. Those of the host are in a section of their
 * own here, of which the runtime is told; it then lets kernels use the host's. */
#ifndef HEDDLE_CUDA_MANAGED_H
#define HEDDLE_CUDA_MANAGED_H

#ifndef __CUDA_ARCH__
extern "C" {
extern char __start_heddle_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_heddle_managed[] __attribute__((weak, visibility("hidden")));
void __heddleManaged(void *start, void *stop) __attribute__((weak));
}
__attribute__((constructor)) static void __heddle_tell_managed(void) {
    if (__start_heddle_managed && __heddleManaged) __heddleManaged(__start_heddle_managed, __stop_heddle_managed);
}
#endif

#endif

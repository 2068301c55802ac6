/* Entry points that are not supported. They are weak symbols, so that one that is written elsewhere takes its place. What a
 * caller passes does not matter: nothing is read. */
#include "runtime/runtime/api.h"

static int unsupported(const char *name) {
    struct cu_process *p = cu_lock();
    if (!cu_map_get(&p->told, name)) {
        (void)cu_map_put(&p->told, name, p);
        cu_warn("%s is not supported", name);
    }
    return cu_leave(p, CU_NotSupported);
}

#define UNSUPPORTED(name)                           \
    CUDA_API __attribute__((weak)) int name(void) { \
        return unsupported(#name);                  \
    }
#include "runtime/module/unsupported.def"
#undef UNSUPPORTED

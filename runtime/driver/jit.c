/* Options of the just-in-time compiler. Registers, levels of optimisation and targets are of machine code and mean nothing
 * here; they are accepted. */
#include "runtime/driver/jit.h"

#include <stdint.h>
#include <string.h>

#include "runtime/driver/drv.h"

int drv_jit_read(struct drv_jit *jit, unsigned n, const void *options, void **values) {
    const CUjit_option *option = options;
    *jit = (struct drv_jit){{NULL, NULL}, {NULL, NULL}, NULL};
    if (n && (!option || !values)) return CU_InvalidValue;
    for (unsigned i = 0; i < n; i++) switch ((int)option[i]) {
        case CU_JIT_WALL_TIME: jit->wall_time = &values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER: jit->info.text = values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: jit->info.size = &values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER: jit->error.text = values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: jit->error.size = &values[i]; break;
        default:
            if ((unsigned)option[i] >= CU_JIT_NUM_OPTIONS) return CU_InvalidValue;
        }
    return CU_Success;
}

/* As much as there is room for, always with a NUL; the size becomes the number of bytes written. */
static void drv_jit_fill(struct drv_buffer *b, const char *text) {
    size_t room = b->size ? (size_t)(uint32_t)(uintptr_t)*b->size : 0;
    size_t n = strlen(text);
    if (!b->text || !room)
        n = 0;
    else {
        if (n >= room) n = room - 1;
        memcpy(b->text, text, n);
        b->text[n] = 0;
    }
    if (b->size) *b->size = (void *)(uintptr_t)n;
}

void drv_jit_write(struct drv_jit *jit, const char *errors) {
    drv_jit_fill(&jit->error, errors);
    drv_jit_fill(&jit->info, "");
    float none = 0;
    if (jit->wall_time) memcpy(jit->wall_time, &none, sizeof none);
}

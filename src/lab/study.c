/* What the studies share: a row for each kernel. */
#include "lab/study.h"

#include <stdlib.h>
#include <string.h>

size_t study_kernel(struct study_kernels *s, hd_kernel *k) {
    hd_kernel_info info = {0};
    hd_kernel_get_info(k, &info);
    size_t i = 0;
    while (i < s->names.n && strcmp(s->names.v[i], info.name) != 0) i++;
    if (i == s->names.n) VEC_PUSH(&s->names, arena_strdup(&s->mem, info.name));
    return i;
}

void study_kernels_free(struct study_kernels *s) {
    VEC_FREE(&s->names);
    arena_free(&s->mem);
}

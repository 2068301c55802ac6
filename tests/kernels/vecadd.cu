/* c = a + b, one element a thread: nothing but memory. */
#include "cuda.h"

KERNEL vecadd(float *c, const float *a, const float *b, uint n) {
    uint i = global_id();
    if (i < n) c[i] = a[i] + b[i];
}

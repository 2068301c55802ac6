// Naive matrix multiply, one element of the product a thread (DWF 5.4).
#include "cuda.h"

KERNEL matrix(float *c, const float *a, const float *b, uint rows, uint columns, uint depth) {
    uint i = global_id(), row = i / columns, column = i % columns;
    if (row >= rows) return;
    float sum = 0;
    for (uint k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * columns + column];
    c[i] = sum;
}

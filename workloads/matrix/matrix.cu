// Naive matrix multiply, one element of the product a thread (DWF 5.3), in double precision.
#include "cuda.h"

KERNEL matrix(double *c, const double *a, const double *b, uint rows, uint columns, uint depth) {
    uint i = global_id(), row = i % rows, column = i / rows;
    if (column >= columns) return;
    double sum = 0;
    ROLLED // as the thesis's compiler, GCC 2.7.2, leaves it
    for (uint k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}

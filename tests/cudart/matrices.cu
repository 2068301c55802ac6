// Matrix fragments (nvcuda::wmma): every type, shapes, layouts and strides, elements by index.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

enum { STRIDE = 48, ROOM = 48 * 48 };

/* D = 2 (A B + C), the 2 by a loop over the elements of the fragment. */
template <int m, int n, int k, typename T, typename LA, typename LB, typename P, typename Acc>
__global__ void multiply(const P *a, const P *b, const Acc *c, Acc *d, wmma::layout_t layout) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
    wmma::fragment<wmma::accumulator, m, n, k, Acc> fc;
    wmma::load_matrix_sync(fa, a, STRIDE);
    wmma::load_matrix_sync(fb, b, STRIDE);
    wmma::load_matrix_sync(fc, c, STRIDE, layout);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] + fc.x[i];
    wmma::store_matrix_sync(d, fc, STRIDE, layout);
}

template <typename L> struct is_row;
template <> struct is_row<wmma::row_major> {
    enum { value = 1 };
};
template <> struct is_row<wmma::col_major> {
    enum { value = 0 };
};
static int at(bool row, int i, int j) { return row ? i * STRIDE + j : j * STRIDE + i; }
static int small(int i) { return i * 7 % 11 - 5; } /* sums of these are exact in every type */

template <int m, int n, int k, typename T, typename LA, typename LB, typename P, typename Acc>
void try_one(wmma::layout_t layout, int shift) {
    P *a, *b;
    Acc *c, *d;
    CALL(cudaMallocManaged(&a, ROOM * sizeof *a));
    CALL(cudaMallocManaged(&b, ROOM * sizeof *b));
    CALL(cudaMallocManaged(&c, ROOM * sizeof *c));
    CALL(cudaMallocManaged(&d, ROOM * sizeof *d));
    for (int i = 0; i < ROOM; i++) {
        a[i] = (P)(float)(small(i) + shift);
        b[i] = (P)(float)(small(i + 3) + shift);
        c[i] = (Acc)(float)(small(i + 5));
    }
    multiply<m, n, k, T, LA, LB><<<1, 32>>>(a, b, c, d, layout);
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            const int to = at(layout == wmma::mem_row_major, i, j);
            double sum = (double)(float)c[to];
            for (int l = 0; l < k; l++)
                sum += (double)(float)a[at(is_row<LA>::value, i, l)] * (double)(float)b[at(is_row<LB>::value, l, j)];
            CHECK((double)(float)d[to] == 2 * sum);
        }
    CALL(cudaFree(a));
    CALL(cudaFree(b));
    CALL(cudaFree(c));
    CALL(cudaFree(d));
}

template <int m, int n, int k, typename T, typename P, typename Acc> void try_layouts(int shift) {
    try_one<m, n, k, T, wmma::row_major, wmma::col_major, P, Acc>(wmma::mem_row_major, shift);
    try_one<m, n, k, T, wmma::col_major, wmma::row_major, P, Acc>(wmma::mem_col_major, shift);
    try_one<m, n, k, T, wmma::row_major, wmma::row_major, P, Acc>(wmma::mem_row_major, shift);
}
template <typename T, typename P, typename Acc> void try_shapes(const char *name, int shift) {
    try_layouts<16, 16, 16, T, P, Acc>(shift);
    try_layouts<32, 8, 16, T, P, Acc>(shift);
    try_layouts<8, 32, 16, T, P, Acc>(shift);
    ok(name);
}

int main() {
    try_shapes<__half, __half, float>("f16 in f32", 0);
    try_shapes<__half, __half, __half>("f16", 0);
    try_shapes<signed char, signed char, int>("s8", 0);
    try_shapes<unsigned char, unsigned char, int>("u8", 9);
    CHECK((wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>::num_elements) == 16);
    CHECK((wmma::fragment<wmma::accumulator, 32, 8, 16, float>::num_elements) == 8);
    ok("sizes");
#ifdef __clang__ /* nvcc has them from compute capability 8.0 on */
    try_layouts<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>(0);
    try_layouts<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>(0);
    try_layouts<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>(0);
    try_layouts<16, 16, 8, wmma::precision::tf32, float, float>(0);
    try_layouts<8, 8, 4, double, double, double>(0);
#endif
    ok("wide types, where they are");
    return 0;
}

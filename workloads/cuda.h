/* CUDA C for clang alone: the attributes, built-in variables and intrinsics our kernels use, without the CUDA SDK.
 * Compiled by tools/regen-ptx; never by the host build. Only what maps to one PTX instruction is here. */
#ifndef HEDDLE_WORKLOADS_CUDA_H
#define HEDDLE_WORKLOADS_CUDA_H

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef long long s64;
typedef unsigned long long u64;

#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __host__               __attribute__((host))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __noinline             __attribute__((noinline))
#define DEVICE                 __device__ static inline __attribute__((always_inline))
#define KERNEL                 extern "C" __global__ void
#define FULL                   0xffffffffu

/* ---- built-in variables ---- */
#define BUILTIN(T, reg)                                                            \
    struct T {                                                                     \
        __declspec(property(get = get_x)) uint x;                                  \
        __declspec(property(get = get_y)) uint y;                                  \
        __declspec(property(get = get_z)) uint z;                                  \
        __device__ uint get_x() const { return __nvvm_read_ptx_sreg_##reg##_x(); } \
        __device__ uint get_y() const { return __nvvm_read_ptx_sreg_##reg##_y(); } \
        __device__ uint get_z() const { return __nvvm_read_ptx_sreg_##reg##_z(); } \
    }
BUILTIN(cuda_tid, tid);
BUILTIN(cuda_ntid, ntid);
BUILTIN(cuda_ctaid, ctaid);
BUILTIN(cuda_nctaid, nctaid);
#undef BUILTIN
#define threadIdx (cuda_tid())
#define blockDim  (cuda_ntid())
#define blockIdx  (cuda_ctaid())
#define gridDim   (cuda_nctaid())
DEVICE uint global_id() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}
DEVICE uint lane_id() {
    return __nvvm_read_ptx_sreg_laneid();
}

/* ---- vectors: loaded and stored in one instruction ---- */
struct __attribute__((aligned(8))) float2 {
    float x, y;
};
struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};
struct __attribute__((aligned(16))) uint4 {
    uint x, y, z, w;
};
struct __attribute__((aligned(16))) double2 {
    double x, y;
};

/* ---- warp ---- */
DEVICE int shfl_down(uint m, int v, int d) {
    return __nvvm_shfl_sync_down_i32(m, v, d, 31);
}
DEVICE float shfl_down(uint m, float v, int d) {
    return __nvvm_shfl_sync_down_f32(m, v, d, 31);
}
DEVICE int shfl_up(uint m, int v, int d) {
    return __nvvm_shfl_sync_up_i32(m, v, d, 0);
}
DEVICE int shfl_xor(uint m, int v, int d) {
    return __nvvm_shfl_sync_bfly_i32(m, v, d, 31);
}
DEVICE int shfl(uint m, int v, int lane) {
    return __nvvm_shfl_sync_idx_i32(m, v, lane, 31);
}
DEVICE uint ballot(uint m, bool p) {
    return __nvvm_vote_ballot_sync(m, p);
}
DEVICE bool all(uint m, bool p) {
    return __nvvm_vote_all_sync(m, p);
}
DEVICE bool any(uint m, bool p) {
    return __nvvm_vote_any_sync(m, p);
}
DEVICE uint match_any(uint m, uint v) {
    return __nvvm_match_any_sync_i32(m, v);
}
DEVICE void warp_sync(uint m) {
    __nvvm_bar_warp_sync(m);
}
DEVICE uint activemask() {
    return __nvvm_activemask();
}
DEVICE int popc(uint v) {
    return __builtin_popcount(v);
}
DEVICE int ffs(uint v) {
    return __builtin_ffs((int)v);
}

/* ---- atomics: generic pointers; the compiler finds the space where it can ---- */
DEVICE int atomic_add(int *p, int v) {
    return __nvvm_atom_add_gen_i(p, v);
}
DEVICE uint atomic_add(uint *p, uint v) {
    return (uint)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
DEVICE u64 atomic_add(u64 *p, u64 v) {
    return (u64)__nvvm_atom_add_gen_ll((s64 *)p, (s64)v);
}
DEVICE float atomic_add(float *p, float v) {
    return __nvvm_atom_add_gen_f(p, v);
}
DEVICE double atomic_add(double *p, double v) {
    return __nvvm_atom_add_gen_d(p, v);
}
DEVICE int atomic_min(int *p, int v) {
    return __nvvm_atom_min_gen_i(p, v);
}
DEVICE int atomic_max(int *p, int v) {
    return __nvvm_atom_max_gen_i(p, v);
}
DEVICE uint atomic_min(uint *p, uint v) {
    return __nvvm_atom_min_gen_ui(p, v);
}
DEVICE uint atomic_max(uint *p, uint v) {
    return __nvvm_atom_max_gen_ui(p, v);
}
DEVICE s64 atomic_min(s64 *p, s64 v) {
    return __nvvm_atom_min_gen_ll(p, v);
}
DEVICE u64 atomic_max(u64 *p, u64 v) {
    return __nvvm_atom_max_gen_ull(p, v);
}
DEVICE uint atomic_and(uint *p, uint v) {
    return (uint)__nvvm_atom_and_gen_i((int *)p, (int)v);
}
DEVICE uint atomic_or(uint *p, uint v) {
    return (uint)__nvvm_atom_or_gen_i((int *)p, (int)v);
}
DEVICE uint atomic_xor(uint *p, uint v) {
    return (uint)__nvvm_atom_xor_gen_i((int *)p, (int)v);
}
DEVICE uint atomic_inc(uint *p, uint v) {
    return __nvvm_atom_inc_gen_ui(p, v);
}
DEVICE uint atomic_dec(uint *p, uint v) {
    return __nvvm_atom_dec_gen_ui(p, v);
}
DEVICE int atomic_exch(int *p, int v) {
    return __nvvm_atom_xchg_gen_i(p, v);
}
DEVICE int atomic_cas(int *p, int cmp, int v) {
    return __nvvm_atom_cas_gen_i(p, cmp, v);
}
DEVICE u64 atomic_cas(u64 *p, u64 cmp, u64 v) {
    return (u64)__nvvm_atom_cas_gen_ll((s64 *)p, (s64)cmp, (s64)v);
}

DEVICE void fence() {
    __nvvm_membar_gl();
}
DEVICE void fence_block() {
    __nvvm_membar_cta();
}

/* ---- math: the hardware's approximations, and IEEE operations ---- */
DEVICE float exp2_approx(float x) {
    return __nvvm_ex2_approx_f(x);
}
DEVICE float log2_approx(float x) {
    return __nvvm_lg2_approx_f(x);
}
DEVICE float sin_approx(float x) {
    return __nvvm_sin_approx_f(x);
}
DEVICE float cos_approx(float x) {
    return __nvvm_cos_approx_f(x);
}
DEVICE float rsqrt_approx(float x) {
    return __nvvm_rsqrt_approx_f(x);
}
DEVICE float sqrt_rn(float x) {
    return __nvvm_sqrt_rn_f(x);
}
DEVICE double sqrt_rn(double x) {
    return __nvvm_sqrt_rn_d(x);
}
DEVICE float abs_f(float x) {
    return __builtin_fabsf(x);
}

/* ---- served by the simulator ---- */
extern "C" __device__ int vprintf(const char *format, const char *args);
extern "C" __device__ void *malloc(unsigned long bytes);
extern "C" __device__ void free(void *p);
extern "C" __device__ void __assertfail(const char *what, const char *file, uint line, const char *function,
                                        unsigned long char_bytes);

/* ---- control flow ---- */
/* Inside a block: it stays one, reached by a branch, where the compiler would make selects of short sides. */
#define BRANCH asm volatile("")
/* In front of a loop: all of its rounds one after the other, or a loop whatever the compiler would gain. */
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("clang loop unroll(disable)")

#endif

// What the kernel intrinsics.cu and the host that checks it share: the inputs of a thread, and results as 64 bits.
enum { THREADS = 256, BLOCK = 64 };
typedef long long ll;
typedef unsigned long long ull;

#ifndef __CUDACC__
#define __device__
#endif

struct thread {
    unsigned u, v;
    int s, t;
    ull a, b;
    ll p, q;
    float f, g, h; // g is positive; all well inside of what an int holds
    double d, e;   // e is positive
    __device__ static unsigned mix(unsigned x) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        return x ^ x >> 16;
    }
    __device__ thread(int i) {
        u = i < 4 ? (unsigned)i - 2 : mix((unsigned)i);
        v = mix(u + 99);
        s = (int)u, t = (int)v;
        a = (ull)u << 32 | mix(v), b = (ull)v << 32 | mix(u);
        p = (ll)a, q = (ll)b;
        f = (float)(int)(u & 0xffffff) / 8192 - 1024;
        g = (float)(int)(v & 0xffffff) / 8192 + 0.125f;
        h = (float)(int)(mix(v) & 0xffffff) / 1048576 - 8;
        d = (double)(a >> 11) / 1099511627776.0 - 4096;
        e = (double)(b >> 11) / 1099511627776.0 + 0.125;
    }
};

__device__ static inline ull bits(bool x) {
    return x;
}
__device__ static inline ull bits(char x) {
    return (unsigned char)x;
}
__device__ static inline ull bits(signed char x) {
    return (unsigned char)x;
}
__device__ static inline ull bits(unsigned char x) {
    return x;
}
__device__ static inline ull bits(short x) {
    return (unsigned short)x;
}
__device__ static inline ull bits(int x) {
    return (unsigned)x;
}
__device__ static inline ull bits(unsigned x) {
    return x;
}
__device__ static inline ull bits(unsigned short x) {
    return x;
}
__device__ static inline ull bits(long x) {
    return (ull)x;
}
__device__ static inline ull bits(unsigned long x) {
    return x;
}
__device__ static inline ull bits(ll x) {
    return (ull)x;
}
__device__ static inline ull bits(ull x) {
    return x;
}
__device__ static inline ull bits(float x) {
    unsigned b;
    memcpy(&b, &x, sizeof b);
    return b;
}
__device__ static inline ull bits(double x) {
    ull b;
    memcpy(&b, &x, sizeof b);
    return b;
}

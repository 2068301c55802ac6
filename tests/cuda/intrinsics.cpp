// Checks what intrinsics.cu wrote: `intrinsics FILE FILE`, the buffers of its two kernels. Prints the rows that are wrong.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "intrinsics.h"

template <class To, class From> static To bits_of(From x) {
    To r;
    static_assert(sizeof r == sizeof x, "as many bits");
    memcpy(&r, &x, sizeof r);
    return r;
}
static ull reverse_bits(ull x, int n) {
    ull r = 0;
    for (int k = 0; k < n; k++) r |= (x >> k & 1) << (n - 1 - k);
    return r;
}
#define reverse(x, n) ((decltype(x))reverse_bits(x, n))
static unsigned byte_perm(unsigned x, unsigned y, unsigned how) {
    ull both = (ull)y << 32 | x;
    unsigned r = 0;
    for (int k = 0; k < 4; k++) r |= (unsigned)(both >> 8 * (how >> 4 * k & 7) & 255) << 8 * k;
    return r;
}
static int dp4a(int x, int y, int sum) {
    for (int k = 0; k < 4; k++) sum += (signed char)(x >> 8 * k) * (signed char)(y >> 8 * k);
    return sum;
}
static unsigned dp4a(unsigned x, unsigned y, unsigned sum) {
    for (int k = 0; k < 4; k++) sum += (x >> 8 * k & 255) * (y >> 8 * k & 255);
    return sum;
}
template <class F> static unsigned ballot(int i, F holds) {
    unsigned r = 0;
    for (int k = 0; k < 32; k++) r |= (unsigned)holds(thread((i & ~31) + k)) << k;
    return r;
}
template <class F> static int block_count(int i, F holds) {
    int n = 0;
    for (int k = 0; k < BLOCK; k++) n += holds(thread(i / BLOCK * BLOCK + k));
    return n;
}
template <class F> static auto rounded(int direction, F value) {
    fesetround(direction);
    auto r = value();
    fesetround(FE_TONEAREST);
    return r;
}
#define ROUND(R, x) rounded(R, [=] { return x; })
#define LANE(k, x) other(thread((i & ~31) + (int)(k)), [=](unsigned u, int s, ull a, ll p, float f, double d) { \
        (void)u, (void)s, (void)a, (void)p, (void)f, (void)d;                                                   \
        return x;                                                                                               \
    })
template <class F> static auto other(const thread &x, F value) { return value(x.u, x.s, x.a, x.p, x.f, x.d); }

static int wrong;
static void check(const char *row, int i, ull have, ull want) {
    if (have == want) return;
    if (wrong++ < 40) printf("%s of thread %d: 0x%llx, not 0x%llx\n", row, i, have, want);
}

static std::vector<ull> read(const char *path) {
    std::vector<ull> all(1 << 16);
    FILE *file = fopen(path, "rb");
    all.resize(file ? fread(all.data(), sizeof(ull), all.size(), file) : 0);
    if (file) fclose(file);
    return all;
}

static void check_intrinsics(const std::vector<ull> &have) {
    for (int i = 0; i < THREADS; i++) {
        const thread mine(i);
        const unsigned u = mine.u, v = mine.v, lane = (unsigned)i & 31;
        const int s = mine.s, t = mine.t;
        const ull a = mine.a, b = mine.b;
        const ll p = mine.p, q = mine.q;
        const float f = mine.f, g = mine.g, h = mine.h;
        const double d = mine.d, e = mine.e;
        int n = 0;
        float x = 0;
        double y = 0;
        size_t row = 0;
#define I(device, host)                                                \
    if (row * THREADS + i >= have.size()) wrong++;                     \
    else check(#device, i, have[row * THREADS + i], bits(host));       \
    row++;
#include "intrinsics.def"
        (void)lane, (void)t, (void)b, (void)q;
    }
}

static void check_atomics(const std::vector<ull> &have) {
    size_t row = 0;
#define A(T, call, before, after)                                                              \
    {                                                                                          \
        T was = before, is = after;                                                            \
        ull mask = sizeof(T) < 8 ? (1ull << 8 * sizeof(T) % 64) - 1 : ~0ull;                   \
        if (2 * row + 1 >= have.size()) wrong++;                                               \
        else check(#call ": the value", 0, have[2 * row] & mask, bits(is)), check(#call, 0, have[2 * row + 1], bits(was)); \
        row++;                                                                                 \
    }
#include "atomics.def"
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    check_intrinsics(read(argv[1]));
    check_atomics(read(argv[2]));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

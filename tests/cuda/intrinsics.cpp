// Checks what intrinsics.cu wrote: `intrinsics FILE FILE`, the buffers of its two kernels. Prints the rows that are wrong.
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "host.h"

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

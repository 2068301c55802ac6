// Checks what header.cu wrote, compiled with -DARCH=... for the architecture it was compiled for: `header CELLS RESULTS`, its first
// buffer and its last. Prints the rows that are wrong.
#include <cstdlib>

#include "host.h"

static unsigned nth_set(unsigned mask, unsigned base, int n) {
    if (!n) return mask >> base & 1 ? base : ~0u;
    for (int k = (int)base, step = n > 0 ? 1 : -1, left = abs(n); k >= 0 && k < 32; k += step)
        if (mask >> k & 1 && !--left) return (unsigned)k;
    return ~0u;
}
[[maybe_unused]] static ull both(unsigned low, unsigned high) { return (ull)high << 32 | low; }
template <class T> static T one(const unsigned char *from) {
    T x;
    memcpy(&x, from, sizeof x);
    return x;
}
template <class T> static ull two(const unsigned char *from) {
    return bits(one<T>(from)) + 3 * bits(one<T>(from + sizeof(T)));
}
template <class T> static ull four(const unsigned char *from) {
    return two<T>(from) + 5 * bits(one<T>(from + 2 * sizeof(T))) + 7 * bits(one<T>(from + 3 * sizeof(T)));
}
// The word that a copy of n bytes, of which so many are read, leaves where there was zero.
[[maybe_unused]] static ull copied(const unsigned char *from, int n, int read) {
    ull x = 0;
    for (int k = 0; k < 8 && k < n && k < read; k++) x |= (ull)from[k] << 8 * k;
    return x;
}
template <class T, class V, class F> static T reduced(int i, unsigned mask, V value, F join) {
    const int first = __builtin_ctz(mask);
    T all = value(thread((i & ~31) + first));
    for (int k = first + 1; k < 32; k++)
        if (mask >> k & 1) all = join(all, value(thread((i & ~31) + k)));
    return all;
}
#define LIKE(o, x) o.x

static void check_header(const std::vector<ull> &cells, const std::vector<ull> &have) {
    for (int i = 0; i < THREADS; i++) {
        const thread mine(i);
        const unsigned u = mine.u, v = mine.v, lane = (unsigned)i & 31, part = 0x49249249u << lane % 3;
        const int s = mine.s;
        const ull a = mine.a;
        const ll p = mine.p;
        const float f = mine.f, g = mine.g, h = mine.h;
        const double d = mine.d;
        const unsigned char *cell = (const unsigned char *)&cells[(size_t)i * 8];
        size_t row = 0;
#include "header.def"
        (void)part, (void)s, (void)a, (void)p, (void)f, (void)g, (void)h, (void)d, (void)cell;
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const std::vector<ull> cells = read(argv[1]);
    if (cells.size() != 8 * THREADS) return 2;
    check_header(cells, read(argv[2]));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

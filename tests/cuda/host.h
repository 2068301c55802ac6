// What the programs that check results on the host share: what other threads of the warp have, and the comparison with the rows of a
// table.
#include <cstdio>
#include <cstring>
#include <vector>

#include "intrinsics.h"

template <class F> static unsigned ballot(int i, F holds) {
    unsigned r = 0;
    for (int k = 0; k < 32; k++) r |= (unsigned)holds(thread((i & ~31) + k)) << k;
    return r;
}
#define LANE(k, x)                                                                               \
    other(thread((i & ~31) + (int)(k)), [=](unsigned u, int s, ull a, ll p, float f, double d) { \
        (void)u, (void)s, (void)a, (void)p, (void)f, (void)d;                                    \
        return x;                                                                                \
    })
template <class F> static auto other(const thread &x, F value) {
    return value(x.u, x.s, x.a, x.p, x.f, x.d);
}

static int wrong;
static void check(const char *row, int i, ull have, ull want) {
    if (have == want) return;
    if (wrong++ < 40) printf("%s of thread %d: 0x%llx, not 0x%llx\n", row, i, have, want);
}

static std::vector<ull> read(const char *path) {
    std::vector<ull> all(1 << 17);
    FILE *file = fopen(path, "rb");
    all.resize(file ? fread(all.data(), sizeof(ull), all.size(), file) : 0);
    if (file) fclose(file);
    return all;
}

// For rows within a loop over i, the thread.
#define I(device, host)                                         \
    if (row * THREADS + i >= have.size())                       \
        wrong++;                                                \
    else                                                        \
        check(#device, i, have[row * THREADS + i], bits(host)); \
    row++;

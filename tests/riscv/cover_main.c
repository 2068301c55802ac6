/* Runs the sites of cover.c on operands and prints a digest for each: cover [device] [SITE]. With device, the cases of a site are
 * threads of the GPU, 32 to a warp; otherwise main does them one by one. With the number of a site, every case of it is
 * printed: operands, fcsr before, result, mark, fcsr after, memory after. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle_spmd.h>

struct in {
    uint64_t operand[3], fcsr, old, data[4], save[11];
};
struct out {
    uint64_t result, mark, fcsr;
};
struct site {
    void (*run)(struct in *in, struct out *out);
    const char *name, *kinds;
    uint64_t calls; /* the system, which threads cannot */
};
extern const struct site __start_sites[] __asm__("sites_begin"), __stop_sites[] __asm__("sites_end");

enum { CASES = 38 * 64, EDGE_CASES = CASES - CASES / 4 };
static struct in in[CASES];
static struct out out[CASES];
static uint64_t state;

static uint64_t draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t high = state >> 32;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return high << 32 | state >> 32;
}

/* ---- operands ---- */

static const uint64_t integers[] = {0,
                                    1,
                                    2,
                                    UINT64_MAX,
                                    UINT64_MAX - 1,
                                    INT64_MAX,
                                    1ull << 63,
                                    (1ull << 63) + 1,
                                    INT32_MAX,
                                    1ull << 31,
                                    0xffffffff,
                                    1ull << 32,
                                    0xffffffff80000000,
                                    0xffffffff7fffffff,
                                    63,
                                    64,
                                    0x5555555555555555,
                                    0xaaaaaaaaaaaaaaaa,
                                    31,
                                    32,
                                    0x7fffff,
                                    0x1000001,
                                    0x20000000000001,
                                    0x7fffffffffffffc0};
/* Zeros, ones, the least and the greatest of subnormals and normals, infinities, NaN of both kinds, the ends of integers and
 * what lies beside them, halves, and neighbours of one. */
static const uint32_t singles[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 1,          0x80000001,
                                   0x7fffff,   0x807fffff, 0x800000,   0x80800000, 0x7f7fffff, 0xff7fffff,
                                   0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffa00000,
                                   0x3f000000, 0xbf000000, 0x3fc00000, 0x3f7fffff, 0x4f000000, 0xcf000000,
                                   0x4effffff, 0xcf000001, 0x4f800000, 0x4f7fffff, 0x5f000000, 0xdf000000,
                                   0x5effffff, 0x5f7fffff, 0x5f800000, 0x4b000001, 0x33800000, 0x00ffffff};
static const uint64_t doubles[] = {0,
                                   0x8000000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   1,
                                   0x8000000000000001,
                                   0xfffffffffffff,
                                   0x800fffffffffffff,
                                   0x10000000000000,
                                   0x8010000000000000,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0xfff8123456789abc,
                                   0x7ff0000000000001,
                                   0xfff4000000000000,
                                   0x3fe0000000000000,
                                   0xbfe0000000000000,
                                   0x3ff8000000000000,
                                   0x3fefffffffffffff,
                                   0x41e0000000000000,
                                   0xc1e0000000000000,
                                   0x41dfffffffc00000,
                                   0xc1e0000000200000,
                                   0x41dfffffffe00000,
                                   0xc1e00000001fffff,
                                   0x41f0000000000000,
                                   0x41efffffffe00000,
                                   0x43e0000000000000,
                                   0xc3e0000000000000,
                                   0x43dfffffffffffff,
                                   0x43efffffffffffff,
                                   0x43f0000000000000,
                                   0x47efffffe0000000,
                                   0x47effffff0000000,
                                   0x3690000000000000,
                                   0x36a0000000000000,
                                   0x380fffffe0000000,
                                   0x3810000000000000,
                                   0x380fffffffffffff};
#define COUNT(list) (sizeof(list) / sizeof *(list))
_Static_assert(COUNT(doubles) * COUNT(doubles) <= EDGE_CASES, "every edge meets every other");

static uint64_t boxed(uint32_t bits) {
    return 0xffffffff00000000 | bits;
}

/* The n-th edge of a kind, around and around. */
static uint64_t edge(char kind, uint64_t n) {
    return kind == 's'   ? boxed(singles[n % COUNT(singles)])
           : kind == 'd' ? doubles[n % COUNT(doubles)]
                         : integers[n % COUNT(integers)];
}

/* Random bits; of floats also those with exponents near each other, which add and cancel, and of 32 bits some that are not boxed. */
static uint64_t any(char kind) {
    const uint64_t bits = draw(), how = draw() % 8;
    if (how < 2) return edge(kind, draw() % 1024);
    if (kind == 's')
        return how == 2   ? bits
               : how == 3 ? (bits & 0xffffffff) | 0xfffffffe00000000
               : how < 6  ? boxed((uint32_t)((bits & 0x807fffff) | (120 + (bits >> 32) % 16) << 23))
                          : boxed((uint32_t)bits);
    if (kind == 'd')
        return how == 2  ? boxed((uint32_t)bits)
               : how < 5 ? (bits & 0x800fffffffffffff) | (1015 + draw() % 16) << 52
               : how < 6 ? (bits & 0x800fffffffffffff) | (1015 + draw() % 80) << 52
                         : bits;
    return how == 2 ? 1ull << bits % 64 : how == 3 ? bits >> 32 : how == 4 ? (uint64_t)(int32_t)bits : bits;
}

/* Pairs of edges first, every one with every other; then what is random. Half of the cases begin without flags. */
static void prepare(const struct site *s, uint64_t seed) {
    uint64_t counts[3];
    state = seed;
    for (int k = 0; k < 3; k++)
        counts[k] = s->kinds[k] == 's'   ? COUNT(singles)
                    : s->kinds[k] == 'd' ? COUNT(doubles)
                                         : COUNT(integers);
    const uint64_t first = counts[0] * (s->kinds[1] == '-' ? 5 : counts[1]);
    for (uint64_t n = 0; n < CASES; n++) {
        const int edges = n < first && n < EDGE_CASES;
        for (int k = 0; k < 3; k++) in[n].operand[k] = any(s->kinds[k]);
        if (edges) in[n].operand[0] = edge(s->kinds[0], n);
        if (edges && s->kinds[1] != '-') in[n].operand[1] = edge(s->kinds[1], n / counts[0] + seed);
        if (s->kinds[0] == 'x' && s->kinds[1] == 'x' && draw() % 8 == 0) in[n].operand[1] = in[n].operand[0];
        in[n].fcsr = draw() % 5 << 5 | (draw() & 1 ? draw() & 31 : 0);
        in[n].old = draw();
        for (int k = 0; k < 4; k++) in[n].data[k] = draw();
        for (int k = 0; k < 11; k++) in[n].save[k] = 0;
        out[n] = (struct out){0};
    }
}

/* ---- running ---- */

SPMD_KERNEL void run_case(void (*run)(struct in *, struct out *)) {
    const long n = spmd_global_x();
    if (n < CASES) run(&in[n], &out[n]);
}

static void run(const struct site *s, int device) {
    if (device)
        spmd_launch(run_case, CASES / 64, 64, s->run);
    else
        for (int n = 0; n < CASES; n++) s->run(&in[n], &out[n]);
}

static uint64_t digest(void) {
    uint64_t h = 14695981039346656037u;
    for (int n = 0; n < CASES; n++) {
        const uint64_t seen[] = {out[n].result, out[n].mark,   out[n].fcsr,  in[n].data[0],
                                 in[n].data[1], in[n].data[2], in[n].data[3]};
        for (unsigned k = 0; k < COUNT(seen); k++) h = (h ^ seen[k]) * 1099511628211u, h ^= h >> 29;
    }
    return h;
}

static void show(void) {
    for (int n = 0; n < CASES; n++) {
        printf("%016lx %016lx %016lx fcsr %02lx:", in[n].operand[0], in[n].operand[1], in[n].operand[2],
               in[n].fcsr);
        printf(" %016lx %lx fcsr %02lx data", out[n].result, out[n].mark, out[n].fcsr);
        for (int k = 0; k < 4; k++) printf(" %016lx", in[n].data[k]);
        putchar('\n');
    }
}

int main(int argc, char **argv) {
    const int device = argc > 1 && !strcmp(argv[1], "device");
    const long only = argc > 1 + device ? atol(argv[1 + device]) : -1;
    const long sites = __stop_sites - __start_sites;
    for (long n = 0; n < sites; n++) {
        const struct site *s = &__start_sites[n];
        if (only >= 0 && only != n) continue;
        prepare(s, (uint64_t)n + 1);
        run(s, device && !s->calls);
        printf("%ld %s %016lx\n", n, s->name, digest());
        if (only >= 0) show();
    }
    return 0;
}

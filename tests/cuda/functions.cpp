// What functions.cu should have computed: reads the buffer, prints a line for each function with its largest error in units of
// the last place, and "wrong" where that is more than the table allows.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 512 };
typedef long double L;
static const L PI = 3.14159265358979323846264338327950288L;

static L exp10_(L x) { return powl(10, x); }
// Exact reduction: x is far from the end of the 64-bit significand.
static L sinpi_(L x) { return sinl(PI * (x - 2 * rintl(x / 2))); }
static L cospi_(L x) { return sinpi_(x + 0.5L); }
static L rsqrt_(L x) { return 1 / sqrtl(x); }
static L rcbrt_(L x) { return 1 / cbrtl(x); }
static L normcdf_(L x) { return 0.5L * erfcl(-x / sqrtl(2)); }
// By bisection of the function that the host has.
static L inverse(L (*f)(L), L from, L to, L y) {
    bool rises = f(to) > f(from);
    for (int i = 0; i < 200; i++) {
        L middle = (from + to) / 2;
        (f(middle) < y) == rises ? from = middle : to = middle;
    }
    return (from + to) / 2;
}
static L erf_(L x) { return erfl(x); }
static L erfc_(L x) { return erfcl(x); }
static L erfinv_(L x) { return inverse(erf_, -10, 10, x); }
static L erfcinv_(L x) { return inverse(erfc_, -10, 10, x); }
static L normcdfinv_(L x) { return inverse(normcdf_, -20, 20, x); }
#define exp10l exp10_
#define sinpil sinpi_
#define cospil cospi_
#define rsqrtl rsqrt_
#define rcbrtl rcbrt_
#define normcdfl normcdf_
#define erfinvl erfinv_
#define erfcinvl erfcinv_
#define normcdfinvl normcdfinv_

static double point(int i, double from, double to) { return from + (to - from) * (i + 0.5) / N; }

static L ulp(L value, int digits) {
    int e;
    frexpl(value, &e);
    int smallest = digits == 24 ? -125 : -1021;
    return ldexpl(1, (value == 0 || e < smallest ? smallest : e) - digits);
}

static int bad;
struct worst {
    L error = 0, at = 0;
    void look(L have, L want, int digits, L x) {
        L error = have == want || (have != have && want != want) ? 0 : fabsl(have - want) / ulp(want, digits);
        if (!(error <= this->error)) this->error = error, at = x;
    }
};
static void say(const char *name, const worst &s, const worst &d, double single, double two) {
    bool wrong = !(s.error <= single && d.error <= two);
    printf("%-11s %8.2f %8.2f%s\n", name, (double)s.error, (double)d.error, wrong ? "  wrong" : "");
    if (wrong) printf("  at %.9Lg, %.17Lg\n", s.at, d.at);
    bad += wrong;
}

int main(int argc, char **argv) {
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : nullptr;
    std::vector<double> all(1 << 20);
    size_t have = f ? fread(all.data(), sizeof(double), all.size(), f) : 0;
    const double *p = all.data();
#define F1(name, from, to, single, two)                                     \
    {                                                                       \
        worst s, d;                                                         \
        for (int i = 0; i < N; i++) {                                       \
            L x = (float)point(i, from, to), y = point(i, from, to);        \
            s.look(p[i], (L)name##l(x), 24, x), d.look(p[N + i], (L)name##l(y), 53, y); \
        }                                                                   \
        say(#name, s, d, single, two), p += 2 * N;                          \
    }
#define F2(name, from, to, single, two)                                                       \
    {                                                                                         \
        worst s, d;                                                                           \
        for (int i = 0; i < N; i++) {                                                         \
            int k = i * 5 % N;                                                                \
            L x = (float)point(i, from, to), y = (float)point(k, from, to);                   \
            s.look(p[i], (L)name##l(x, y), 24, x);                                            \
            x = point(i, from, to), y = point(k, from, to);                                   \
            d.look(p[N + i], (L)name##l(x, y), 53, x);                                        \
        }                                                                                     \
        say(#name, s, d, single, two), p += 2 * N;                                            \
    }
#include "math.def"
    if (have != (size_t)(p - all.data())) printf("%zu results, %zu functions\n", have, (size_t)(p - all.data()));
    return bad || have != (size_t)(p - all.data());
}

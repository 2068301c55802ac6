/* How fast each mechanism is simulated: the same kernels on the same machine, beside pdom. In thread instructions, and in the
 * last column, the geometric mean of the kernels, also in warp instructions: what an issue costs, however few threads it has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mech/mech.h"
#include "timed.h"

#define MACHINE "harp-fermi"

static const struct {
    const char *job;
    uint32_t full, quick; /* scale */
} kinds[] = {
    {"bitonic sort", 16, 1},     {"Mandelbrot", 128, 32},  {"BFS", 8, 1},
    {"matrix multiply", 96, 32}, {"Black-Scholes", 32, 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct speed { /* per second */
    double threads, warps;
};

/* One row: a mechanism, or one with an option of its own. `base` is filled by pdom, the first. */
static bool row(struct bench *b, const char *name, const char *mech, hd_option option, struct speed *base) {
    double threads = 0, warps = 0; /* sums of logarithms of ratios */
    int n = 0;
    bool all = true;
    printf("%-16s", name);
    for (int k = 0; k < KINDS; k++) {
        struct timed_case c = {kinds[k].job, b->quick ? kinds[k].quick : kinds[k].full, MACHINE, mech,
                               option};
        struct timed t;
        if (!bench_wants(b, kinds[k].job)) continue;
        bool ok = timed_measure(b, &c, &t);
        all &= ok;
        if (!ok) continue;
        const struct speed s = {t.insts / t.seconds, t.warp_insts / t.seconds};
        if (base[k].threads == 0) base[k] = s;
        double ratio = s.threads / base[k].threads;
        printf(" %9.2f %5.2f", s.threads / 1e6, ratio);
        threads += log(ratio);
        warps += log(s.warps / base[k].warps);
        n++;
        json_array_append_new(b->mechs,
                              json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "mechanism", name, "name",
                                        kinds[k].job, "config", MACHINE, "thread_insts", t.insts,
                                        "warp_insts", t.warp_insts, "cycles", t.cycles, "seconds", t.seconds,
                                        "speed_over_pdom", ratio));
    }
    printf(" %8.2f %8.2f\n", n ? exp(threads / n) : 0, n ? exp(warps / n) : 0);
    return all;
}

static bool policies(struct bench *b, struct speed *base) {
    static const char *const names[] = {"dmaj", "dmin", "dtime", "dpc", "dpdpri"};
    bool ok = true;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char name[32];
        snprintf(name, sizeof name, "dwf:%s", names[k]);
        ok &= row(b, name, "dwf", (hd_option){"dwf.policy", names[k]}, base);
    }
    return ok;
}

bool mechs_run(struct bench *b) {
    struct speed base[KINDS] = {{0}};
    printf("\n%-16s", MACHINE);
    for (int k = 0; k < KINDS; k++)
        if (bench_wants(b, kinds[k].job)) printf(" %15s", kinds[k].job);
    printf(" %17s\n%-16s", "x pdom, mean of", "mechanism");
    for (int k = 0; k < KINDS; k++)
        if (bench_wants(b, kinds[k].job)) printf(" %15s", "M insts/s  x");
    printf(" %8s %8s\n", "threads", "issues");
    bool ok = row(b, "pdom", "pdom", (hd_option){0}, base);
    for (size_t m = 0; mech_list[m]; m++) {
        const char *mech = mech_list[m]->name;
        if (!strcmp(mech, "pdom")) continue;
        ok &= strcmp(mech, "dwf") ? row(b, mech, mech, (hd_option){0}, base) : policies(b, base);
    }
    return ok;
}

/* How fast each mechanism is simulated: the same kernels on the same machine, beside pdom. */
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

static double speed(const struct timed *t) {
    return t->insts / t->seconds;
}

/* One row: a mechanism, or one with an option of its own. `base` is filled by pdom, the first. */
static bool row(struct bench *b, const char *name, const char *mech, hd_option option, double *base) {
    double logs = 0;
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
        if (base[k] == 0) base[k] = speed(&t);
        double ratio = speed(&t) / base[k];
        printf(" %9.2f %5.2f", speed(&t) / 1e6, ratio);
        logs += log(ratio);
        n++;
        json_array_append_new(b->mechs,
                              json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f}", "mechanism", name, "name",
                                        kinds[k].job, "config", MACHINE, "thread_insts", t.insts, "cycles",
                                        t.cycles, "seconds", t.seconds, "speed_over_pdom", ratio));
    }
    printf(" %8.2f\n", n ? exp(logs / n) : 0);
    return all;
}

static bool policies(struct bench *b, double *base) {
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
    double base[KINDS] = {0};
    printf("\n%-16s", MACHINE);
    for (int k = 0; k < KINDS; k++)
        if (bench_wants(b, kinds[k].job)) printf(" %15s", kinds[k].job);
    printf(" %8s\n%-16s", "x pdom", "mechanism");
    for (int k = 0; k < KINDS; k++)
        if (bench_wants(b, kinds[k].job)) printf(" %15s", "M insts/s  x");
    printf("\n");
    bool ok = row(b, "pdom", "pdom", (hd_option){0}, base);
    for (size_t m = 0; mech_list[m]; m++) {
        const char *mech = mech_list[m]->name;
        if (!strcmp(mech, "pdom")) continue;
        ok &= strcmp(mech, "dwf") ? row(b, mech, mech, (hd_option){0}, base) : policies(b, base);
    }
    return ok;
}

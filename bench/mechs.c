/* How fast each mechanism is simulated: the same kernels on the same machine, beside pdom. In thread instructions, and at
 * the end, as a geometric mean over the kernels, also in warp instructions: what an issue costs, however few threads it has.
 * Other work on the machine shows, so all is measured in two rounds and the faster one counts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
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

enum { ROWS = 32, ROUNDS = 2 };

/* A mechanism, or one with an option of its own. */
struct row {
    char name[32];
    const char *mech;
    hd_option option;
    struct timed best[KINDS]; /* seconds 0: not measured, or it failed */
};

static void add(struct row *rows, size_t *n, const char *name, const char *mech, hd_option option) {
    if (*n == ROWS) PANIC("more than %d mechanisms", ROWS);
    struct row *r = &rows[(*n)++];
    *r = (struct row){.mech = mech, .option = option};
    snprintf(r->name, sizeof r->name, "%s", name);
}

/* pdom first; dwf once for each of its policies. */
static size_t make_rows(struct row *rows) {
    static const char *const policies[] = {"dmaj", "dmin", "dtime", "dpc", "dpdpri"};
    size_t n = 0;
    add(rows, &n, "pdom", "pdom", (hd_option){0});
    for (size_t m = 0; mech_list[m]; m++) {
        const char *mech = mech_list[m]->name;
        const bool dwf = !strcmp(mech, "dwf");
        if (!dwf && strcmp(mech, "pdom") != 0) add(rows, &n, mech, mech, (hd_option){0});
        for (size_t k = 0; dwf && k < sizeof policies / sizeof *policies; k++) {
            char name[32];
            snprintf(name, sizeof name, "dwf:%s", policies[k]);
            add(rows, &n, name, "dwf", (hd_option){"dwf.policy", policies[k]});
        }
    }
    return n;
}

static bool measure(struct bench *b, struct row *r) {
    bool all = true;
    for (int k = 0; k < KINDS; k++) {
        struct timed_case c = {kinds[k].job, b->quick ? kinds[k].quick : kinds[k].full, MACHINE, r->mech,
                               r->option};
        struct timed t;
        if (!bench_wants(b, kinds[k].job)) continue;
        bool ok = timed_measure(b, &c, &t);
        if (ok && (r->best[k].seconds == 0 || t.seconds < r->best[k].seconds)) r->best[k] = t;
        all &= ok;
    }
    return all;
}

static void show(struct bench *b, const struct row *r, const struct row *pdom) {
    double threads = 0, issues = 0; /* sums of logarithms of ratios */
    int n = 0;
    printf("%-16s", r->name);
    for (int k = 0; k < KINDS; k++) {
        const struct timed *t = &r->best[k], *base = &pdom->best[k];
        if (t->seconds == 0 || base->seconds == 0) continue;
        const double slower = t->seconds / base->seconds, ratio = t->insts / base->insts / slower;
        printf(" %9.2f %5.2f", t->insts / t->seconds / 1e6, ratio);
        threads += log(ratio);
        issues += log(t->warp_insts / base->warp_insts / slower);
        n++;
        json_array_append_new(b->mechs,
                              json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "mechanism", r->name,
                                        "name", kinds[k].job, "config", MACHINE, "thread_insts", t->insts,
                                        "warp_insts", t->warp_insts, "cycles", t->cycles, "seconds",
                                        t->seconds, "speed_over_pdom", ratio));
    }
    printf(" %8.2f %8.2f\n", n ? exp(threads / n) : 0, n ? exp(issues / n) : 0);
}

static void heading(const struct bench *b) {
    printf("\n%-16s", MACHINE);
    for (int k = 0; k < KINDS; k++)
        if (bench_wants(b, kinds[k].job)) printf(" %15s", kinds[k].job);
    printf(" %17s\n%-16s", "x pdom, mean of", "mechanism");
    for (int k = 0; k < KINDS; k++)
        if (bench_wants(b, kinds[k].job)) printf(" %15s", "M insts/s  x");
    printf(" %8s %8s\n", "threads", "issues");
}

bool mechs_run(struct bench *b) {
    struct row rows[ROWS];
    const size_t n = make_rows(rows);
    bool ok = true;
    for (int round = 0; round < (b->quick ? 1 : ROUNDS); round++)
        for (size_t k = 0; k < n; k++) ok &= measure(b, &rows[k]);
    heading(b);
    for (size_t k = 0; k < n; k++) show(b, &rows[k], &rows[0]);
    return ok;
}

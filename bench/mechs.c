/* How fast each mechanism is simulated: the same kernels on the same machine, beside pdom, by three measures of what is done
 * in a host second. Thread instructions are the work of the kernel, the same for every mechanism: who issues more often
 * for it is slower. Issues (warp instructions) show what one of them costs, however few threads it has; those of lwm, with up
 * to 128 threads, count as the warps of 32 they could be. Cycles show what a cycle of the machine does. Other work on the host shows, so all is measured in four rounds and the fastest one counts. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "mech/mech.h"
#include "mechs.h"

#define MACHINE MECHS_MACHINE

const struct mechs_kind mechs_kinds[] = {
    {"bitonic sort", 16, 1},     {"Mandelbrot", 128, 32},  {"BFS", 8, 1},
    {"matrix multiply", 96, 32}, {"Black-Scholes", 32, 2},
};
static const struct mechs_kind *const kinds = mechs_kinds;
enum { KINDS = MECHS_KINDS };
_Static_assert(sizeof mechs_kinds / sizeof *mechs_kinds == MECHS_KINDS,
               "as many kernels as a row has room for");

enum { ROWS = MECHS_ROWS, ROUNDS = 4 };

static void add(struct mechs_row *rows, size_t *n, const char *name, const char *mech, hd_option option) {
    if (*n == ROWS) PANIC("more than %d mechanisms", ROWS);
    struct mechs_row *r = &rows[(*n)++];
    *r = (struct mechs_row){.mech = mech, .option = option};
    snprintf(r->name, sizeof r->name, "%s", name);
}

/* pdom first; dwf once for each of its policies. */
size_t mechs_rows(struct mechs_row *rows) {
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

static bool measure(struct bench *b, struct mechs_row *r) {
    bool all = true;
    for (int k = 0; k < KINDS; k++) {
        struct timed_case c = {
            kinds[k].job, b->quick ? kinds[k].quick : kinds[k].full, MACHINE, r->mech, r->option, 1,
            b->quick};
        struct timed t;
        if (!bench_wants(b, kinds[k].job)) continue;
        bool ok = timed_measure(b, NULL, &c, &t);
        if (ok && (r->best[k].seconds == 0 || t.seconds < r->best[k].seconds)) r->best[k] = t;
        all &= ok;
    }
    return all;
}

/* What the tables compare, as an amount of a run. */
static const struct measure {
    const char *title, *key;
    size_t at; /* in struct timed */
} measures[] = {
    {"thread instructions", "speed_over_pdom", offsetof(struct timed, insts)},
    {"issues", "issues_over_pdom", offsetof(struct timed, issues)},
    {"cycles", "cycles_over_pdom", offsetof(struct timed, cycles)},
};
enum { MEASURES = sizeof measures / sizeof *measures };

static double amount(const struct timed *t, const struct measure *m) {
    return *(const double *)((const char *)t + m->at);
}

/* Its speed over that of pdom; 0: one of them was not measured. */
static double over(const struct mechs_row *r, const struct mechs_row *pdom, int kind,
                   const struct measure *m) {
    const struct timed *t = &r->best[kind], *base = &pdom->best[kind];
    if (t->seconds == 0 || base->seconds == 0) return 0;
    return amount(t, m) / amount(base, m) * base->seconds / t->seconds;
}

static void heading(const struct bench *b, const struct measure *m) {
    printf("\n%s: %s per second, in millions, and over those of pdom\n%-16s", MACHINE, m->title, "mechanism");
    for (int k = 0; k < KINDS; k++)
        if (bench_wants(b, kinds[k].job)) printf(" %15s", kinds[k].job);
    printf(" %8s\n", "mean");
}

static void show(const struct mechs_row *r, const struct mechs_row *pdom, const struct measure *m) {
    double logs = 0;
    int n = 0;
    printf("%-16s", r->name);
    for (int k = 0; k < KINDS; k++) {
        const double x = over(r, pdom, k, m);
        if (x == 0) continue;
        printf(" %9.3f %5.2f", amount(&r->best[k], m) / r->best[k].seconds / 1e6, x);
        logs += log(x);
        n++;
    }
    printf(" %8.2f\n", n ? exp(logs / n) : 0);
}

/* The cells in which a mechanism is slower than a third of pdom, on one line. */
static void name_slow(const struct mechs_row *rows, size_t n, const struct measure *m) {
    const double least = 1.0 / 3;
    bool any = false;
    printf("%sbelow a third of pdom's %s per second:", m == measures ? "\n" : "", m->title);
    for (size_t r = 0; r < n; r++)
        for (int k = 0; k < KINDS; k++) {
            const double x = over(&rows[r], rows, k, m);
            if (x == 0 || x >= least) continue;
            printf("%s %s on %s (%.2f)", any ? "," : "", rows[r].name, kinds[k].job, x);
            any = true;
        }
    printf("%s\n", any ? "" : " none");
}

static void keep(struct bench *b, const struct mechs_row *r, const struct mechs_row *pdom) {
    for (int k = 0; k < KINDS; k++) {
        const struct timed *t = &r->best[k];
        if (t->seconds == 0) continue;
        json_t *cell =
            json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "mechanism", r->name, "name", kinds[k].job,
                      "config", MACHINE, "thread_insts", t->insts, "warp_insts", t->warp_insts, "issues",
                      t->issues, "cycles", t->cycles, "seconds", t->seconds);
        for (int m = 0; m < MEASURES; m++)
            json_object_set_new(cell, measures[m].key, json_real(over(r, pdom, k, &measures[m])));
        json_array_append_new(b->mechs, cell);
    }
}

bool mechs_run(struct bench *b) {
    struct mechs_row rows[ROWS];
    const size_t n = mechs_rows(rows);
    bool ok = true;
    for (int round = 0; round < (b->quick ? 1 : ROUNDS); round++)
        for (size_t k = 0; k < n; k++) ok &= measure(b, &rows[k]);
    for (int m = 0; m < MEASURES; m++) {
        heading(b, &measures[m]);
        for (size_t k = 0; k < n; k++) show(&rows[k], &rows[0], &measures[m]);
    }
    for (int m = 0; m < MEASURES; m++) name_slow(rows, n, &measures[m]);
    for (size_t k = 0; k < n; k++) keep(b, &rows[k], &rows[0]);
    return ok;
}

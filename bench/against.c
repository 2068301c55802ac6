/* Beside another build of this program, of the tree before say: times in turns, the best of three rounds of each, and
 * instructions of the host. Ratios are new over old: below 1 is better. */
#include <math.h>
#include <stdio.h>

#include "mechs.h"
#include "timed.h"

/* Figures of one case, by this program and by the other. 0: not measured. */
struct both {
    double ms[2], host[2];
};
struct ratios {
    struct mean ms, host;
};

static bool measure(struct bench *b, const struct timed_case *full, const struct timed_case *counted,
                    struct both *x) {
    const char *const programs[2] = {NULL, b->against};
    bool ok = true;
    struct timed t;
    *x = (struct both){0};
    for (int round = 0; round < (b->instructions ? 0 : b->quick ? 1 : 3); round++)
        for (int p = 0; ok && p < 2; p++) {
            ok = timed_measure(b, programs[p], full, &t);
            if (ok) x->ms[p] = round ? fmin(x->ms[p], t.seconds * 1e3) : t.seconds * 1e3;
        }
    for (int p = 0; ok && p < 2; p++) {
        ok = timed_count(b, programs[p], counted, &t);
        x->host[p] = ok && t.host > 0 ? t.host / t.insts : 0;
    }
    return ok;
}

static double ratio(const double pair[2]) {
    return pair[0] > 0 && pair[1] > 0 ? pair[0] / pair[1] : 0;
}

static void show_pair(const double pair[2], double quotient) {
    if (quotient > 0)
        printf(" %9.2f %9.2f %6.3f", pair[1], pair[0], quotient);
    else
        printf(" %9s %9s %6s", "-", "-", "-");
}

static void show(const char *name, const struct both *x, struct ratios *all) {
    printf("%-22s", name);
    show_pair(x->ms, ratio(x->ms));
    show_pair(x->host, ratio(x->host));
    printf("\n");
    fflush(stdout);
    mean_add(&all->ms, ratio(x->ms));
    mean_add(&all->host, ratio(x->host));
}

/* One of the means: a dash where nothing was measured. */
static void show_mean(double x) {
    if (x > 0)
        printf(" %19s %6.3f", "", x);
    else
        printf(" %19s %6s", "", "-");
}

static void show_means(const struct ratios *all) {
    printf("%-22s", "geometric mean");
    show_mean(mean_of(&all->ms));
    show_mean(mean_of(&all->host));
    printf("\n%-22s", "worst");
    show_mean(all->ms.most);
    show_mean(all->host.most);
    printf("\n");
}

static void heading(const char *machine) {
    printf("%-22s %9s %9s %6s %9s %9s %6s\n", machine, "old ms", "new ms", "ratio", "old h/i", "new h/i",
           "ratio");
}

bool against_timed(struct bench *b) {
    struct ratios all = {0};
    bool ok = true;
    heading(TIMED_MACHINE);
    for (size_t k = 0; k < timed_nkinds; k++) {
        const struct timed_kind *kind = &timed_kinds[k];
        struct timed_case full = {kind->name, kind->full, TIMED_MACHINE, "pdom", {0}, 1, b->quick ? 1 : 2},
                          counted = full;
        struct both x;
        if (!bench_wants(b, kind->name)) continue;
        counted.scale = kind->counted;
        if (b->quick) full.scale = counted.scale = kind->quick;
        const bool fine = measure(b, &full, &counted, &x);
        ok &= fine;
        if (fine) show(kind->name, &x, &all);
    }
    show_means(&all);
    return ok;
}

/* Every mechanism, small: that none of them loses. */
bool against_mechs(struct bench *b) {
    struct mechs_row rows[MECHS_ROWS];
    const size_t n = mechs_rows(rows);
    struct ratios all = {0};
    bool ok = true;
    heading(MECHS_MACHINE);
    for (size_t r = 0; r < n; r++)
        for (int k = 0; k < MECHS_KINDS; k++) {
            struct timed_case full = {mechs_kinds[k].job,
                                      mechs_kinds[k].full,
                                      MECHS_MACHINE,
                                      rows[r].mech,
                                      rows[r].option,
                                      1,
                                      0},
                              counted = full;
            char name[64];
            struct both x;
            if (!bench_wants(b, mechs_kinds[k].job)) continue;
            counted.scale = mechs_kinds[k].quick;
            if (b->quick) full.scale = mechs_kinds[k].quick;
            snprintf(name, sizeof name, "%.31s, %s", rows[r].name, mechs_kinds[k].job);
            const bool fine = measure(b, &full, &counted, &x);
            ok &= fine;
            if (fine) show(name, &x, &all);
        }
    show_means(&all);
    return ok;
}

/* The speed of the timed machine, beside that of GPGPU-Sim; what the second thread of the host gains, and what more SMs cost.
 *
 * GPGPU-Sim's numbers (peer) are million thread instructions per host second on a 30-SM Turing configuration, measured on
 * this class of machine. What becomes a ratio is measured in turns, several rounds of each: other work on the host must not
 * decide it. Instructions of the host are counted at a smaller scale, since callgrind takes 50 times as long. */
#include "timed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct timed_kind timed_kinds[] = {
    {"vector add", 1024, 16, 128, 0.33},
    {"matrix multiply", 192, 32, 96, 0.68},
    {"Mandelbrot", 256, 32, 128, 0.92},
    {"bitonic sort", 64, 2, 8, 0.42},
    {"Black-Scholes", 128, 4, 32, 0.37},
    {"reduction + histogram", 512, 16, 64, 0.59},
    {"BFS", 32, 2, 8, 0.16},
    {"hotspot", 256, 32, 96, 0.36},
    {"Needleman-Wunsch", 512, 64, 192, 0.03},
};
const size_t timed_nkinds = sizeof timed_kinds / sizeof *timed_kinds;

static const char *const machines[] = {TIMED_MACHINE, "harp-fermi"};

/* ---- means ---- */

void mean_add(struct mean *m, double ratio) {
    if (!(ratio > 0)) return;
    m->least = m->n ? fmin(m->least, ratio) : ratio;
    m->most = fmax(m->most, ratio);
    m->logs += log(ratio);
    m->n++;
}
double mean_of(const struct mean *m) {
    return m->n ? exp(m->logs / m->n) : 0;
}

/* A number that was not measured is a dash. */
static void cell(int width, int digits, double x) {
    if (x > 0)
        printf(" %*.*f", width, digits, x);
    else
        printf(" %*s", width, "-");
}

/* ---- measurements ---- */

static struct timed_case pdom_case(const struct timed_kind *kind, uint32_t scale, const char *machine) {
    return (struct timed_case){
        .job = kind->name, .scale = scale, .machine = machine, .mech = "pdom", .threads = 1};
}

/* The best of several rounds of each case, in turns. */
static bool in_turns(const struct bench *b, struct timed_case *cases, int n, struct timed *best) {
    bool ok = true;
    for (int k = 0; k < n; k++) cases[k].runs = b->quick ? 1 : 2;
    for (int round = 0; ok && round < (b->quick ? 1 : 3); round++)
        for (int k = 0; ok && k < n; k++) {
            struct timed t;
            ok = timed_measure(b, NULL, &cases[k], &t);
            if (!ok) break;
            const struct timed last = best[k];
            if (!round || t.seconds < last.seconds) best[k] = t;
            if (round) best[k].wall = fmin(t.wall, last.wall);
        }
    return ok;
}

/* Instructions of the host for a thread instruction of the simulated machine; 0: not counted. */
static bool per_inst(struct bench *b, const struct timed_kind *kind, const char *machine, double *host) {
    struct timed_case c = pdom_case(kind, b->quick ? kind->quick : kind->counted, machine);
    struct timed t;
    if (!timed_count(b, NULL, &c, &t)) return false;
    *host = t.host > 0 ? t.host / t.insts : 0;
    return true;
}

/* ---- the table ---- */

struct row {
    struct timed one, two; /* with one and with two threads; two.wall 0: there are none */
    double host;
};
struct means {
    struct mean speed, host, gain, peer, peer_two;
};

static bool measure_row(struct bench *b, const struct timed_kind *kind, const char *machine, bool threads,
                        struct row *r) {
    struct timed_case cases[2];
    cases[0] = cases[1] = pdom_case(kind, b->quick ? kind->quick : kind->full, machine);
    cases[1].threads = 2;
    struct timed best[2] = {0};
    *r = (struct row){0};
    if (!in_turns(b, cases, threads ? 2 : 1, best)) return false;
    r->one = best[0];
    r->two = best[1];
    return per_inst(b, kind, machine, &r->host);
}

static void show(struct bench *b, const struct timed_kind *kind, const char *machine, const struct row *r,
                 struct means *m) {
    const struct timed *t = &r->one;
    const double speed = t->insts / t->seconds / 1e6, gain = r->two.wall > 0 ? t->wall / r->two.wall : 0,
                 peer = speed / kind->peer,
                 peer_two = gain > 0 ? t->insts / r->two.wall / 1e6 / kind->peer : 0;
    printf("%-22s %9.2f %9.1f %7.1f %9.1f %9.2f %9.1f %5.0f", kind->name, t->insts / 1e6, t->cycles / 1e3,
           t->insts / t->cycles, t->seconds * 1e3, speed, t->cycles / t->seconds / 1e3, t->peak_mb);
    cell(9, 1, r->host);
    cell(9, 1, r->two.wall * 1e3);
    cell(6, 2, gain);
    cell(6, 2, kind->peer);
    cell(7, 0, peer);
    cell(7, 0, peer_two);
    printf("\n");
    mean_add(&m->speed, speed);
    mean_add(&m->host, r->host);
    mean_add(&m->gain, gain);
    mean_add(&m->peer, peer);
    mean_add(&m->peer_two, peer_two);
    json_t *row = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "name", kind->name, "config", machine,
                            "thread_insts", t->insts, "cycles", t->cycles, "seconds", t->seconds,
                            "peak_memory_mb", t->peak_mb, "peer_thread_insts_per_s", kind->peer * 1e6);
    if (r->host > 0) json_object_set_new(row, "host_insts_per_thread_inst", json_real(r->host));
    if (gain > 0) json_object_set_new(row, "two_threads_seconds", json_real(r->two.wall));
    if (gain > 0) json_object_set_new(row, "two_threads_gain", json_real(gain));
    json_array_append_new(b->timed, row);
}

static void show_means(const struct means *m) {
    if (m->speed.n < 2) return;
    printf("%-22s %37s %9.2f %9s %5s", "geometric mean", "", mean_of(&m->speed), "", "");
    cell(9, 1, mean_of(&m->host));
    cell(9, 1, 0);
    cell(6, 2, mean_of(&m->gain));
    printf(" %6s", "");
    cell(7, 0, mean_of(&m->peer));
    cell(7, 0, mean_of(&m->peer_two));
    printf("\n%-22s %37s %9.2f %9s %5s %9s %9s", "least", "", m->speed.least, "", "", "", "");
    cell(6, 2, m->gain.least);
    printf(" %6s", "");
    cell(7, 0, m->peer.least);
    cell(7, 0, m->peer_two.least);
    printf("\n");
}

static bool table(struct bench *b, const char *machine) {
    struct means means = {0};
    const bool threads = timed_threads();
    bool all = true;
    printf("\n%-22s %9s %9s %7s %9s %9s %9s %5s %9s %9s %6s %6s %7s %7s\n", machine, "M insts", "k cycles",
           "IPC", "ms", "M insts/s", "k cyc/s", "MB", "host/inst", "2 thr ms", "gain", "peer", "x peer",
           "2 thr");
    for (size_t k = 0; k < timed_nkinds; k++) {
        struct row r;
        if (!bench_wants(b, timed_kinds[k].name)) continue;
        const bool ok = measure_row(b, &timed_kinds[k], machine, threads, &r);
        all &= ok;
        if (ok) show(b, &timed_kinds[k], machine, &r, &means);
    }
    show_means(&means);
    return all;
}

/* ---- more SMs ---- */

/* Measures what an SM costs that has nothing to do, or less: the work of one launch on 30, 60 and 512 SMs. */
static bool more_sms(struct bench *b) {
    static const char *const sms[] = {"30", "60", "512"};
    struct mean means[3] = {0};
    bool all = true;
    printf("\n%-22s %9s %9s %9s %9s %9s\n", TIMED_MACHINE, "30 SMs ms", "60 SMs ms", "cost", "512 SMs",
           "cost");
    for (size_t k = 0; k < timed_nkinds; k++) {
        struct timed_case cases[3];
        struct timed best[3] = {0};
        if (!bench_wants(b, timed_kinds[k].name)) continue;
        for (int n = 0; n < 3; n++) {
            cases[n] = pdom_case(&timed_kinds[k], timed_kinds[k].full, TIMED_MACHINE);
            cases[n].option = (hd_option){"gpu.sms", sms[n]};
        }
        const bool ok = in_turns(b, cases, 3, best);
        all &= ok;
        if (!ok) continue;
        printf("%-22s %9.1f", timed_kinds[k].name, best[0].seconds * 1e3);
        for (int n = 1; n < 3; n++) {
            const double cost = best[n].seconds / best[0].seconds;
            printf(" %9.1f %+8.0f%%", best[n].seconds * 1e3, 100 * (cost - 1));
            mean_add(&means[n], cost);
        }
        printf("\n");
    }
    if (means[1].n > 1)
        printf("%-22s %19s %+8.0f%% %9s %+8.0f%%\n", "geometric mean", "", 100 * (mean_of(&means[1]) - 1), "",
               100 * (mean_of(&means[2]) - 1));
    return all;
}

/* ---- instructions alone ---- */

static bool instructions(struct bench *b) {
    struct mean means = {0};
    bool all = true;
    printf("%-22s %9s   host instructions for a thread instruction\n", TIMED_MACHINE, "host/inst");
    for (size_t k = 0; k < timed_nkinds; k++) {
        double host = 0;
        if (!bench_wants(b, timed_kinds[k].name)) continue;
        const bool ok = per_inst(b, &timed_kinds[k], TIMED_MACHINE, &host);
        all &= ok;
        if (!ok) continue;
        printf("%-22s", timed_kinds[k].name);
        cell(9, 2, host);
        printf("\n");
        mean_add(&means, host);
    }
    if (means.n > 1) printf("%-22s %9.2f\n", "geometric mean", mean_of(&means));
    return all;
}

bool timed_run(struct bench *b) {
    bool ok = true;
    if (b->instructions) return instructions(b);
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) ok &= table(b, machines[m]);
    if (!b->quick) ok &= more_sms(b);
    return ok;
}

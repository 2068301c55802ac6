/* The speed of the timed machine, beside that of GPGPU-Sim.
 *
 * GPGPU-Sim's numbers (peer) are million thread instructions per host second on a 30-SM Turing configuration, measured on
 * this class of machine. Each measurement is a process of its own, so that its peak memory is its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "job.h"
#include "timed.h"

struct timed_kind {
    const char *name;
    uint32_t full, quick; /* scale */
    double peer;          /* million thread instructions per second */
};
static const struct timed_kind kinds[] = {
    {"vector add", 1024, 16, 0.33},
    {"matrix multiply", 192, 32, 0.68},
    {"Mandelbrot", 256, 32, 0.92},
    {"bitonic sort", 64, 2, 0.42},
    {"Black-Scholes", 128, 4, 0.37},
    {"reduction + histogram", 512, 16, 0.59},
    {"BFS", 32, 2, 0.16},
    {"hotspot", 256, 32, 0.36},
    {"Needleman-Wunsch", 512, 64, 0.03},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const machines[] = {"turing-rtx2060", "harp-fermi"};

static bool measure(const struct bench *b, const struct timed_case *c, struct timed *t) {
    const struct job_kind *job = job_find(c->job);
    char file[512];
    snprintf(file, sizeof file, "%s/%s.ini", b->configs, c->machine);
    hd_option options[3] = {{"run.mode", "timed"}, {"run.mech", c->mech}, c->option};
    hd_config config = {.options = options, .noptions = c->option.key ? 3 : 2, .file = file};
    struct job j;
    *t = (struct timed){.seconds = INFINITY};
    bool ok = job_open(&j, job, c->scale, b->dir, &config);
    int runs = 0;
    for (double spent = 0; ok && (runs < 1 || (!b->quick && runs < 3 && spent < 3)); runs++) {
        double start = bench_now();
        ok = job_refresh(&j) && !job->device(&j);
        double took = bench_now() - start;
        t->seconds = fmin(t->seconds, took);
        spent += took;
    }
    t->insts = job_stat(&j, "sm.thread_insts") / runs;
    t->warp_insts = job_stat(&j, "sm.warp_insts") / runs;
    t->cycles = job_stat(&j, "gpu.cycles") / runs;
    t->issues = fmax(t->warp_insts, job_stat(&j, "sm.lane_slots") / runs / 32);
    if (!ok)
        fprintf(stderr, "%s under %s on %s: %s\n", c->job, c->mech, c->machine,
                j.dev ? hd_error(j.dev) : "no device");
    if (ok) {
        job->cpu(&j);
        ok = job_verify(&j);
        if (!ok)
            fprintf(stderr, "%s under %s on %s: the device and the CPU disagree\n", c->job, c->mech,
                    c->machine);
    }
    job_close(&j);
    return ok;
}

bool timed_measure(const struct bench *b, const struct timed_case *c, struct timed *t) {
    int ends[2], status = 0;
    struct rusage use;
    fflush(NULL);
    if (pipe(ends)) return false;
    pid_t child = fork();
    if (child == 0) {
        bool ok = measure(b, c, t) && write(ends[1], t, sizeof *t) == (ssize_t)sizeof *t;
        _exit(!ok);
    }
    close(ends[1]);
    bool ok = child > 0 && read(ends[0], t, sizeof *t) == (ssize_t)sizeof *t;
    close(ends[0]);
    if (child > 0) {
        wait4(child, &status, 0, &use);
        t->peak_mb = (double)use.ru_maxrss / 1024;
        if (WIFSIGNALED(status))
            fprintf(stderr, "%s under %s on %s: died of signal %d\n", c->job, c->mech, c->machine,
                    WTERMSIG(status));
    }
    return ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool measure_pdom(const struct bench *b, const struct timed_kind *kind, const char *machine,
                         const char *sms, struct timed *t) {
    struct timed_case c = {kind->name, b->quick ? kind->quick : kind->full, machine, "pdom", {0}};
    if (sms) c.option = (hd_option){"gpu.sms", sms};
    return timed_measure(b, &c, t);
}

static void show(struct bench *b, const struct timed_kind *kind, const char *machine, const struct timed *t) {
    double speed = t->insts / t->seconds;
    printf("%-22s %9.2f %10.1f %8.1f %9.1f %9.2f %10.1f %7.0f %7.2f %8.0f\n", kind->name, t->insts / 1e6,
           t->cycles / 1e3, t->insts / t->cycles, t->seconds * 1e3, speed / 1e6, t->cycles / t->seconds / 1e3,
           t->peak_mb, kind->peer, speed / 1e6 / kind->peer);
    json_array_append_new(b->timed, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "name", kind->name,
                                              "config", machine, "thread_insts", t->insts, "cycles",
                                              t->cycles, "seconds", t->seconds, "peak_memory_mb", t->peak_mb,
                                              "peer_thread_insts_per_s", kind->peer * 1e6));
}

static bool table(struct bench *b, const char *machine) {
    double logs = 0, ratio = 0;
    int n = 0;
    bool all = true;
    printf("\n%-22s %9s %10s %8s %9s %9s %10s %7s %7s %8s\n", machine, "M insts", "k cycles", "IPC", "ms",
           "M insts/s", "k cycles/s", "MB", "peer", "x peer");
    for (int k = 0; k < KINDS; k++) {
        struct timed t;
        if (!bench_wants(b, kinds[k].name)) continue;
        bool ok = measure_pdom(b, &kinds[k], machine, NULL, &t);
        all &= ok;
        if (!ok) continue;
        show(b, &kinds[k], machine, &t);
        logs += log(t.insts / t.seconds / 1e6);
        ratio += log(t.insts / t.seconds / 1e6 / kinds[k].peer);
        n++;
    }
    if (n > 1)
        printf("%-22s %49s %9.2f %27s %8.0f\n", "geometric mean", "", exp(logs / n), "", exp(ratio / n));
    return all;
}

/* The best of several rounds on each, in turns: other work on the host must not decide the ratio. */
static bool measure_both(const struct bench *b, const struct timed_kind *kind, struct timed *once,
                         struct timed *twice) {
    const int rounds = b->quick ? 1 : 3;
    bool ok = true;
    for (int r = 0; ok && r < rounds; r++) {
        struct timed small, large;
        ok = measure_pdom(b, kind, machines[0], "30", &small) &&
             measure_pdom(b, kind, machines[0], "60", &large);
        if (ok && (!r || small.seconds < once->seconds)) *once = small;
        if (ok && (!r || large.seconds < twice->seconds)) *twice = large;
    }
    return ok;
}

/* The same work on 30 and on 60 SMs: what an SM costs that has nothing to do, or less. */
static bool doubling(struct bench *b) {
    double logs = 0;
    int n = 0;
    bool all = true;
    printf("\n%-22s %9s %9s %9s\n", "turing-rtx2060", "30 SMs ms", "60 SMs ms", "cost");
    for (int k = 0; k < KINDS; k++) {
        struct timed once, twice;
        if (!bench_wants(b, kinds[k].name)) continue;
        bool ok = measure_both(b, &kinds[k], &once, &twice);
        all &= ok;
        if (!ok) continue;
        double cost = twice.seconds / once.seconds;
        printf("%-22s %9.1f %9.1f %+8.0f%%\n", kinds[k].name, once.seconds * 1e3, twice.seconds * 1e3,
               100 * (cost - 1));
        logs += log(cost);
        n++;
    }
    if (n > 1) printf("%-22s %19s %+8.0f%%\n", "geometric mean", "", 100 * (exp(logs / n) - 1));
    return all;
}

bool timed_run(struct bench *b) {
    bool ok = true;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) ok &= table(b, machines[m]);
    if (!b->quick) ok &= doubling(b);
    return ok;
}

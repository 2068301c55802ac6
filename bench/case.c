/* One measurement in a process of its own: its peak memory is its own, it can be a bench program of another tree, and it can run
 * under callgrind. The parent describes the case on the command line (bench --case JOB ...); the child prints one line of
 * numbers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "counter.h"
#include "job.h"
#include "timed.h"

/* ---- the child ---- */

/* All launches of a run. Callgrind counts what happens in here, so it has a name and is not inlined. */
__attribute__((noinline)) hd_status bench_launches(const struct job_kind *kind, struct job *j) {
    return kind->device(j);
}

static double wall_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Repeats the launches. Long ones once or twice, short ones up to three times: the fastest counts. */
static bool repeat(const struct job_kind *kind, struct job *j, uint32_t most, struct timed *t) {
    const int counter = counter_open();
    uint32_t runs = 0;
    bool ok = true;
    double spent = 0;
    for (; ok && (runs < 1 || (runs < most && spent < 3)); runs++) {
        ok = job_refresh(j);
        counter_start(counter);
        const double start = bench_now(), start_wall = wall_now();
        ok = ok && !bench_launches(kind, j);
        const double took = bench_now() - start, wall = wall_now() - start_wall;
        t->host = counter_stop(counter);
        t->seconds = fmin(t->seconds, took);
        t->wall = fmin(t->wall, wall);
        spent += wall;
    }
    t->insts = job_stat(j, "sm.thread_insts") / runs;
    t->warp_insts = job_stat(j, "sm.warp_insts") / runs;
    t->cycles = job_stat(j, "gpu.cycles") / runs;
    t->issues = fmax(t->warp_insts, job_stat(j, "sm.lane_slots") / runs / 32);
    counter_close(counter);
    return ok;
}

bool timed_threads(void) {
    const hd_option one = {"run.threads", "1"};
    hd_device *dev = NULL;
    const bool known = !hd_device_open(&(hd_config){.options = &one, .noptions = 1}, &dev);
    hd_device_close(dev);
    return known;
}

static bool measure(const struct bench *b, const struct timed_case *c, struct timed *t) {
    const struct job_kind *kind = job_find(c->job);
    char file[512], threads[16];
    snprintf(file, sizeof file, "%s/%s.ini", b->configs, c->machine);
    snprintf(threads, sizeof threads, "%u", c->threads);
    hd_option options[4] = {{"run.mode", "timed"}, {"run.mech", c->mech}};
    hd_config config = {.options = options, .noptions = 2, .file = file};
    if (c->option.key) options[config.noptions++] = c->option;
    if (c->threads > 1 || timed_threads()) options[config.noptions++] = (hd_option){"run.threads", threads};
    struct job j = {0};
    *t = (struct timed){.seconds = INFINITY, .wall = INFINITY};
    bool ok =
        kind && job_open(&j, kind, c->scale, b->dir, &config) && repeat(kind, &j, c->runs ? c->runs : 3, t);
    const char *why = !kind ? "no such kernel" : !j.dev ? "no device" : hd_error(j.dev);
    if (ok) {
        kind->cpu(&j);
        ok = job_verify(&j);
        why = "the device and the CPU disagree";
    }
    if (!ok) fprintf(stderr, "%s under %s on %s: %s\n", c->job, c->mech, c->machine, why);
    if (kind) job_close(&j);
    return ok;
}

/* JOB SCALE MACHINE MECH THREADS RUNS [KEY VALUE] */
int case_main(const struct bench *b, int argc, char **argv) {
    if (argc != 6 && argc != 8) return 2;
    struct timed_case c = {
        .job = argv[0], .scale = (uint32_t)atoi(argv[1]), .machine = argv[2], .mech = argv[3]};
    c.threads = (uint32_t)atoi(argv[4]);
    c.runs = (uint32_t)atoi(argv[5]);
    if (argc == 8) c.option = (hd_option){argv[6], argv[7]};
    struct timed t;
    if (!measure(b, &c, &t)) return 1;
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", t.seconds, t.wall, t.insts, t.warp_insts, t.cycles,
           t.issues, t.host);
    return 0;
}

/* ---- the parent ---- */

enum { ARGS = 32 };

/* Another tree's program (TREE/build/bench/bench) reads that tree's configurations: ours may have options it does not know. */
static const char *configs_of(const struct bench *b, const char *program, char path[512]) {
    if (!program) return b->configs;
    size_t n = strlen(program);
    for (int up = 0; up < 3; up++)
        while (n && program[--n] != '/') continue;
    snprintf(path, 512, "%.*s/configs", (int)n, program);
    return n && access(path, R_OK) == 0 ? path : b->configs;
}

/* Room for the words of a command line that are made for it. */
struct words {
    char numbers[3][16], configs[512];
};

static int add_case(char **argv, int n, const struct bench *b, const char *program,
                    const struct timed_case *c, struct words *w) {
    snprintf(w->numbers[0], sizeof w->numbers[0], "%u", c->scale);
    snprintf(w->numbers[1], sizeof w->numbers[1], "%u", c->threads);
    snprintf(w->numbers[2], sizeof w->numbers[2], "%u", c->runs);
    const char *const configs = configs_of(b, program, w->configs);
    const char *const args[] = {program ? program : b->self,
                                "--kernels",
                                b->dir,
                                "--configs",
                                configs,
                                "--case",
                                c->job,
                                w->numbers[0],
                                c->machine,
                                c->mech,
                                w->numbers[1],
                                w->numbers[2],
                                c->option.key,
                                c->option.value,
                                NULL};
    for (int k = 0; args[k]; k++) argv[n++] = (char *)args[k];
    argv[n] = NULL;
    return n;
}

static bool read_line(int fd, struct timed *t) {
    FILE *f = fdopen(fd, "r");
    const bool ok = f && fscanf(f, "%lf %lf %lf %lf %lf %lf %lf", &t->seconds, &t->wall, &t->insts,
                                &t->warp_insts, &t->cycles, &t->issues, &t->host) == 7;
    if (f) fclose(f);
    return ok;
}

static bool run(char **argv, const struct timed_case *c, struct timed *t) {
    int ends[2], status = 0;
    struct rusage use;
    *t = (struct timed){0};
    fflush(NULL);
    if (pipe(ends)) return false;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    const bool ok = read_line(ends[0], t);
    if (child < 0) return false;
    wait4(child, &status, 0, &use);
    t->peak_mb = (double)use.ru_maxrss / 1024;
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s under %s on %s: died of signal %d\n", c->job, c->mech, c->machine,
                WTERMSIG(status));
    return ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool timed_measure(const struct bench *b, const char *program, const struct timed_case *c, struct timed *t) {
    char *argv[ARGS];
    struct words w;
    add_case(argv, 0, b, program, c, &w);
    return run(argv, c, t);
}

/* ---- counting ---- */

/* The line "totals: N" of callgrind's file; 0: it has none. */
static double read_totals(const char *file) {
    FILE *f = fopen(file, "r");
    char line[256];
    double n = 0;
    while (f && n == 0 && fgets(line, sizeof line, f)) sscanf(line, "totals: %lf", &n);
    if (f) fclose(f);
    return n;
}

static bool under_callgrind(struct bench *b, const char *program, const struct timed_case *c,
                            struct timed *t) {
    struct words w;
    char *argv[ARGS], out[64], at[] = "/tmp/heddle-bench.XXXXXX";
    if (!mkdtemp(at)) return false;
    snprintf(out, sizeof out, "--callgrind-out-file=%s/out", at);
    const char *const valgrind[] = {"valgrind", "-q", "--tool=callgrind", "--toggle-collect=bench_launches",
                                    out};
    int n = 0;
    for (; n < 5; n++) argv[n] = (char *)valgrind[n];
    add_case(argv, n, b, program, c, &w);
    const bool ok = run(argv, c, t);
    char *file = strchr(out, '=') + 1;
    t->host = read_totals(file);
    unlink(file);
    rmdir(at);
    return ok;
}

static bool have_valgrind(void) {
    return system("valgrind --version >/dev/null 2>&1") == 0;
}

bool timed_count(struct bench *b, const char *program, const struct timed_case *c, struct timed *t) {
    struct timed_case once = *c;
    once.runs = 1;
    if (b->counts == COUNT_UNKNOWN) {
        b->counts = counter_works() ? COUNT_COUNTER : have_valgrind() ? COUNT_CALLGRIND : COUNT_NOT;
        if (b->counts == COUNT_NOT)
            fprintf(stderr,
                    "bench: no instructions of the host: the processor's counter cannot be read, and there "
                    "is no valgrind\n");
    }
    if (b->counts == COUNT_NOT) return *t = (struct timed){0}, true;
    if (b->counts == COUNT_COUNTER) return timed_measure(b, program, &once, t);
    if (under_callgrind(b, program, &once, t)) return true;
    /* A program that valgrind cannot run, as one with a sanitizer: that it runs without is seen elsewhere. */
    fprintf(stderr, "bench: no instructions of the host: callgrind failed\n");
    b->counts = COUNT_NOT;
    return *t = (struct timed){0}, true;
}

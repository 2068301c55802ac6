/* make bench: how fast heddle executes functionally, beside the same kernels compiled for this CPU, how fast it
 * loads, how fast the timed machine is (timed.c), and each mechanism on it (mechs.c); or all that beside another build
 * (against.c). Every time is processor time, the best of several runs of one thread, so that other work on the machine shows
 * little; only several threads are measured by the clock on the wall. Every result is compared with the CPU's before it is
 * shown. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "bench.h"
#include "front/ptx/ptx.h"
#include "job.h"
#include "timed.h"

/* ---- the functional table ---- */

struct functional {
    double device, cpu, insts, warp_insts; /* seconds; of one run */
};

/* Best of at least three runs, more while they are short. false: the launch failed. */
static bool best_times(const struct job_kind *kind, struct job *j, bool quick, struct functional *f) {
    *f = (struct functional){INFINITY, INFINITY, 0, 0};
    double spent = 0;
    int runs = 0;
    for (; runs < (quick ? 1 : 3) || (!quick && spent < 0.6 && runs < 20); runs++) {
        if (!job_refresh(j)) return false;
        double t0 = bench_now();
        if (kind->device(j)) return false;
        double t1 = bench_now();
        kind->cpu(j);
        double t2 = bench_now();
        f->device = fmin(f->device, t1 - t0);
        f->cpu = fmin(f->cpu, t2 - t1);
        spent += t2 - t0;
    }
    f->insts = job_stat(j, "exec.thread_insts") / runs;
    f->warp_insts = job_stat(j, "exec.warp_insts") / runs;
    return true;
}

static void show(struct bench *b, const struct job_kind *kind, const struct functional *f) {
    double lanes = f->warp_insts > 0 ? f->insts / f->warp_insts / 32 : 0;
    printf("%-22s %9.1f %10.1f %9.1f %7.0f%% %9.2f %9.3f %8.1f\n", kind->name, f->insts / 1e6,
           f->insts / f->device / 1e6, f->warp_insts / f->device / 1e6, 100 * lanes, f->device * 1e3,
           f->cpu * 1e3, f->device / f->cpu);
    json_array_append_new(b->rows, json_pack("{s:s, s:b, s:f, s:f, s:f, s:f, s:f}", "name", kind->name,
                                             "uniform", kind->uniform, "thread_insts", f->insts,
                                             "thread_insts_per_s", f->insts / f->device, "lane_activity",
                                             lanes, "seconds", f->device, "cpu_seconds", f->cpu));
}

static bool run_job(struct bench *b, const struct job_kind *kind) {
    struct job j;
    struct functional f;
    bool ok = job_open(&j, kind, b->quick ? kind->quick : kind->full, b->dir, NULL) &&
              best_times(kind, &j, b->quick, &f);
    if (!ok) {
        fprintf(stderr, "%s: %s\n", kind->name, j.dev ? hd_error(j.dev) : "no device");
    } else if (!job_verify(&j)) {
        fprintf(stderr, "%s: the device and the CPU disagree\n", kind->name);
        ok = false;
    } else {
        show(b, kind, &f);
    }
    job_close(&j);
    return ok;
}

static bool run_functional(struct bench *b) {
    bool ok = true;
    printf("%-22s %9s %10s %9s %8s %9s %9s %8s\n", "functional", "M insts", "M insts/s", "M warp/s", "lanes",
           "ms", "CPU ms", "x CPU");
    for (size_t k = 0; k < job_nkinds; k++)
        if (job_kinds[k].full && bench_wants(b, job_kinds[k].name)) ok &= run_job(b, &job_kinds[k]);
    return ok;
}

/* ---- the loader ---- */

static char *read_file(const char *dir, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    struct sb text = {0};
    char part[4096];
    for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;) sb_addn(&text, part, n);
    if (f) fclose(f);
    return text.text;
}

/* Adds everything after the header with the kernels renamed: ".entry name" gains a number. */
static void add_copy(struct sb *out, const char *text, unsigned number) {
    static const char entry[] = ".entry ";
    const char *p = strstr(text, ".address_size");
    p = p ? strchr(p, '\n') : NULL;
    for (const char *e; p && (e = strstr(p, entry)); p = e) {
        e += strlen(entry);
        sb_addn(out, p, (size_t)(e - p));
        sb_add(out, "k%u_", number);
    }
    if (p) sb_add(out, "%s", p);
}

static bool make_large(const struct bench *b, struct sb *out, size_t want) {
    static const char *const files[] = {"blackscholes.ptx", "mandelbrot.ptx", "bfs.ptx", "arith.ptx"};
    sb_add(out, ".version 7.0\n.target sm_70\n.address_size 64\n");
    char *text[4];
    bool ok = true;
    for (int k = 0; k < 4; k++) ok &= (text[k] = read_file(b->dir, files[k])) != NULL;
    for (unsigned n = 0; ok && out->len < want; n++) add_copy(out, text[n % 4], n);
    for (int k = 0; k < 4; k++) free(text[k]);
    return ok;
}

/* Parsing and lowering alone, and the whole of hd_module_load: with analysis, colouring and placement. */
static bool run_loader(struct bench *b) {
    struct sb text = {0};
    struct err e = {0};
    double parse = INFINITY, load = INFINITY;
    bool ok = make_large(b, &text, b->quick ? 1 << 20 : 10 << 20);
    for (int run = 0; ok && run < (b->quick ? 1 : 3); run++) {
        double t0 = bench_now();
        struct ir_module *m = ptx_load("large.ptx", text.text, text.len, &e);
        parse = fmin(parse, bench_now() - t0);
        ok = m != NULL;
        if (m) ir_module_free(m);
        hd_device *dev = NULL;
        hd_module *mod = NULL;
        ok = ok && !hd_device_open(NULL, &dev);
        t0 = bench_now();
        ok = ok && !hd_module_load(dev, "large.ptx", text.text, text.len, &mod);
        load = fmin(load, bench_now() - t0);
        hd_device_close(dev);
    }
    if (ok) {
        double mb = (double)text.len / 1e6;
        printf("\n%.1f MB of PTX: parsed at %.0f MB/s, loaded and analysed at %.0f MB/s\n", mb, mb / parse,
               mb / load);
        json_array_append_new(b->rows, json_pack("{s:s, s:f, s:f, s:f}", "name", "loader", "bytes", mb * 1e6,
                                                 "parse_bytes_per_s", mb * 1e6 / parse, "load_bytes_per_s",
                                                 mb * 1e6 / load));
    } else {
        fprintf(stderr, "loader: %s\n", e.code ? err_text(&e) : "cannot load the large PTX text");
    }
    err_free(&e);
    sb_free(&text);
    return ok;
}

/* ---- the whole ---- */

static int usage(FILE *to, int status) {
    fprintf(
        to,
        "usage: bench [OPTION]...\n"
        "  --quick         small inputs, one run each: checks results rather than speed\n"
        "  --only NAME     one kernel, by the name the tables show\n"
        "  --part PART     functional, loader, timed or mechanisms alone\n"
        "  --instructions  of the timed machine, instructions of the host alone: other work on it shows "
        "little\n"
        "  --against FILE  the timed machine beside another build of this program (tools/bench-at makes one\n"
        "                  of a commit), in turns; with --part mechanisms, each mechanism\n"
        "  --json FILE     the numbers as JSON\n"
        "  --kernels DIR   where the PTX files are (default tests/kernels)\n"
        "  --configs DIR   where the configurations are (default configs)\n"
        "  --case JOB SCALE MACHINE MECH THREADS RUNS [KEY VALUE]\n"
        "                  one measurement, as a line of numbers; what the others start\n");
    return status;
}

/* Returns where the words of --case begin, argc if there are none; 0: something is wrong. */
static int read_options(struct bench *b, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char **value = !strcmp(argv[i], "--only")      ? &b->only
                             : !strcmp(argv[i], "--part")    ? &b->part
                             : !strcmp(argv[i], "--json")    ? &b->json
                             : !strcmp(argv[i], "--kernels") ? &b->dir
                             : !strcmp(argv[i], "--configs") ? &b->configs
                             : !strcmp(argv[i], "--against") ? &b->against
                                                             : NULL;
        if (!strcmp(argv[i], "--case")) return i + 1;
        if (!strcmp(argv[i], "--quick"))
            b->quick = true;
        else if (!strcmp(argv[i], "--instructions"))
            b->instructions = true;
        else if (value && i + 1 < argc)
            *value = argv[++i];
        else
            return 0;
    }
    return argc;
}

bool bench_wants(const struct bench *b, const char *name) {
    return !b->only || !strcmp(b->only, name);
}
static bool part(const struct bench *b, const char *name) {
    return b->part ? !strcmp(b->part, name) : !b->only || strcmp(name, "loader") != 0;
}

static bool write_json(struct bench *b) {
    json_t *all = json_pack("{s:O, s:O, s:O, s:f}", "results", b->rows, "timed", b->timed, "mechanisms",
                            b->mechs, "peak_memory_mb", bench_peak_mb());
    bool ok = !json_dump_file(all, b->json, JSON_INDENT(2));
    if (!ok) fprintf(stderr, "%s: cannot write\n", b->json);
    json_decref(all);
    return ok;
}

static bool run_parts(struct bench *b) {
    bool ok = true;
    if (b->against) return b->part && !strcmp(b->part, "mechanisms") ? against_mechs(b) : against_timed(b);
    if (b->instructions) return timed_run(b);
    if (part(b, "functional")) ok &= run_functional(b);
    if (part(b, "loader")) ok &= run_loader(b);
    printf("peak memory %.0f MB\n", bench_peak_mb());
    if (part(b, "timed")) ok &= timed_run(b);
    if (part(b, "mechanisms")) ok &= mechs_run(b);
    return ok;
}

int main(int argc, char **argv) {
    struct bench b = {.dir = "tests/kernels", .configs = "configs"};
    if (argc == 2 && !strcmp(argv[1], "--help")) return usage(stdout, 0);
    const int words = read_options(&b, argc, argv);
    if (!words) return usage(stderr, 2);
    if (words < argc) return case_main(&b, argc - words, argv + words);
    if (readlink("/proc/self/exe", b.self, sizeof b.self - 1) <= 0)
        snprintf(b.self, sizeof b.self, "%s", argv[0]);
    b.rows = json_array();
    b.timed = json_array();
    b.mechs = json_array();
    bool ok = run_parts(&b);
    if (b.json) ok &= write_json(&b);
    json_decref(b.rows);
    json_decref(b.timed);
    json_decref(b.mechs);
    return ok ? 0 : 1;
}

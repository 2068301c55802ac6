/* make bench: how fast heddle executes functionally, beside the same kernels compiled for this CPU, and how
 * fast it loads. Every time is processor time, the best of several runs of one thread, so that other work on
 * the machine shows little; every result is compared with the CPU's before it is shown. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/err.h"
#include "front/ptx/ptx.h"
#include "job.h"

struct bench {
    bool quick;
    const char *only, *json, *dir;
    json_t *rows;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double peak_mb(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

/* ---- one job ---- */

static bool refresh(struct job *j) {
    for (int k = 0; k < JOB_BUFFERS; k++) {
        struct job_buffer *b = &j->buf[k];
        if (!b->bytes) continue;
        memcpy(b->host, b->fresh, b->bytes);
        if (hd_copy_in(j->dev, b->dev, b->fresh, b->bytes)) return false;
    }
    return true;
}

/* Floats may differ by rounding: 1e-3 relative, or absolute below 1. */
static bool agree(const struct job_buffer *b, const void *got) {
    if (!b->real) return !memcmp(b->host, got, b->bytes);
    const float *want = b->host, *have = got;
    for (size_t i = 0; i < b->bytes / sizeof *want; i++)
        if (!(fabsf(want[i] - have[i]) <= 1e-3f * fmaxf(1, fabsf(want[i])))) return false;
    return true;
}
static bool verify(const struct job *j) {
    bool ok = true;
    for (int k = 0; k < JOB_BUFFERS && ok; k++) {
        const struct job_buffer *b = &j->buf[k];
        if (!b->result) continue;
        void *got = malloc(b->bytes);
        ok = got && !hd_copy_out(j->dev, got, b->dev, b->bytes) && agree(b, got);
        free(got);
    }
    return ok;
}

static double job_stat(const struct job *j, const char *name) {
    double v = 0;
    return hd_stat(j->dev, 0, name, &v) ? 0 : v;
}

/* Best of at least three runs, more while they are short. false: the launch failed. */
static bool best_times(const struct job_kind *kind, struct job *j, bool quick, double *device, double *cpu) {
    *device = *cpu = INFINITY;
    double spent = 0;
    for (int run = 0; run < (quick ? 1 : 3) || (!quick && spent < 0.6 && run < 20); run++) {
        if (!refresh(j)) return false;
        j->insts = j->warp_insts = 0;
        double t0 = now();
        if (kind->device(j)) return false;
        double t1 = now();
        kind->cpu(j);
        double t2 = now();
        *device = fmin(*device, t1 - t0);
        *cpu = fmin(*cpu, t2 - t1);
        spent += t2 - t0;
    }
    if (j->insts == 0) {
        j->insts = job_stat(j, "exec.thread_insts");
        j->warp_insts = job_stat(j, "exec.warp_insts");
    }
    return true;
}

static bool open_job(const struct bench *b, const struct job_kind *kind, struct job *j) {
    char path[512];
    hd_module *mod = NULL;
    snprintf(path, sizeof path, "%s/%s", b->dir, kind->file);
    *j = (struct job){.scale = b->quick ? kind->quick : kind->full};
    return !hd_device_open(NULL, &j->dev) && !hd_module_load_file(j->dev, path, &mod) &&
           !hd_module_kernel(mod, kind->kernel, &j->kernel) && kind->make(j);
}

static void close_job(struct job *j) {
    for (int k = 0; k < JOB_BUFFERS; k++) {
        free(j->buf[k].host);
        free(j->buf[k].fresh);
    }
    hd_device_close(j->dev);
}

static bool run_job(struct bench *b, const struct job_kind *kind) {
    struct job j;
    double device = 0, cpu = 0;
    bool ok = open_job(b, kind, &j) && best_times(kind, &j, b->quick, &device, &cpu);
    if (!ok) {
        fprintf(stderr, "%s: %s\n", kind->name, j.dev ? hd_error(j.dev) : "no device");
    } else if (!verify(&j)) {
        fprintf(stderr, "%s: the device and the CPU disagree\n", kind->name);
        ok = false;
    } else {
        double lanes = j.warp_insts > 0 ? j.insts / j.warp_insts / 32 : 0;
        printf("%-16s %9.1f %10.1f %9.1f %7.0f%% %9.2f %9.3f %8.1f\n", kind->name, j.insts / 1e6,
               j.insts / device / 1e6, j.warp_insts / device / 1e6, 100 * lanes, device * 1e3, cpu * 1e3,
               device / cpu);
        json_array_append_new(b->rows, json_pack("{s:s, s:b, s:f, s:f, s:f, s:f, s:f}", "name", kind->name,
                                                 "uniform", kind->uniform, "thread_insts", j.insts,
                                                 "thread_insts_per_s", j.insts / device, "lane_activity",
                                                 lanes, "seconds", device, "cpu_seconds", cpu));
    }
    close_job(&j);
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
        double t0 = now();
        struct ir_module *m = ptx_load("large.ptx", text.text, text.len, &e);
        parse = fmin(parse, now() - t0);
        ok = m != NULL;
        if (m) ir_module_free(m);
        hd_device *dev = NULL;
        hd_module *mod = NULL;
        ok = ok && !hd_device_open(NULL, &dev);
        t0 = now();
        ok = ok && !hd_module_load(dev, "large.ptx", text.text, text.len, &mod);
        load = fmin(load, now() - t0);
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
    fprintf(to, "usage: bench [--quick] [--only NAME] [--json FILE] [--kernels DIR]\n"
                "  --quick        small inputs, one run each: checks results rather than speed\n"
                "  --only NAME    one kernel, by the name the table shows, or loader\n"
                "  --json FILE    the numbers as JSON\n"
                "  --kernels DIR  where the PTX files are (default tests/kernels)\n");
    return status;
}

static bool read_options(struct bench *b, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char **value = !strcmp(argv[i], "--only")      ? &b->only
                             : !strcmp(argv[i], "--json")    ? &b->json
                             : !strcmp(argv[i], "--kernels") ? &b->dir
                                                             : NULL;
        if (!strcmp(argv[i], "--quick"))
            b->quick = true;
        else if (value && i + 1 < argc)
            *value = argv[++i];
        else
            return false;
    }
    return true;
}

static bool wanted(const struct bench *b, const char *name) {
    return !b->only || !strcmp(b->only, name);
}

int main(int argc, char **argv) {
    struct bench b = {.dir = "tests/kernels"};
    if (argc == 2 && !strcmp(argv[1], "--help")) return usage(stdout, 0);
    if (!read_options(&b, argc, argv)) return usage(stderr, 2);
    b.rows = json_array();
    bool ok = true;
    printf("%-16s %9s %10s %9s %8s %9s %9s %8s\n", "kernel", "M insts", "M insts/s", "M warp/s", "lanes",
           "ms", "CPU ms", "x CPU");
    for (size_t k = 0; k < job_nkinds; k++)
        if (wanted(&b, job_kinds[k].name)) ok &= run_job(&b, &job_kinds[k]);
    if (wanted(&b, "loader")) ok &= run_loader(&b);
    printf("peak memory %.0f MB\n", peak_mb());
    if (b.json) {
        json_t *all = json_pack("{s:o, s:f}", "results", b.rows, "peak_memory_mb", peak_mb());
        if (json_dump_file(all, b.json, JSON_INDENT(2))) {
            fprintf(stderr, "%s: cannot write\n", b.json);
            ok = false;
        }
        json_decref(all);
    } else {
        json_decref(b.rows);
    }
    return ok ? 0 : 1;
}

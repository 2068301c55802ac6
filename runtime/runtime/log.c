/* The log of launches. A line is built in memory and written by one write to a file opened for appending, so that lines of
 * forked or parallel processes do not mix. */
#include "runtime/runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/module/module.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/op.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/stream.h"

FILE *cu_log_begin(struct cu_process *p, struct cu_log_line *l, const char *event) {
    *l = (struct cu_log_line){NULL, 0, NULL};
    if (p->log >= 0) l->f = open_memstream(&l->text, &l->bytes);
    if (l->f) fprintf(l->f, "{\"event\":\"%s\",\"pid\":%d", event, (int)getpid());
    return l->f;
}

void cu_log_end(struct cu_process *p, struct cu_log_line *l) {
    fputs("}\n", l->f);
    if (!fclose(l->f))
        for (size_t at = 0; at < l->bytes;) {
            ssize_t n = write(p->log, l->text + at, l->bytes - at);
            if (n < 0 && errno != EINTR) break;
            if (n > 0) at += (size_t)n;
        }
    free(l->text);
}

void cu_log_string(FILE *f, const char *s) {
    fputc('"', f);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

/* Every one behind the first after a comma; those that are 0 are left out. */
static void put_stat(FILE *f, const char *prefix, const hd_stat_info *info, double value, int *n) {
    if (value == 0 || !isfinite(value)) return;
    fprintf(f, "%s\"%s%s%s\":", (*n)++ ? "," : "", prefix, *prefix ? "." : "", info->name);
    if (info->integral && value < 9e15) /* %.0f takes several times as long */
        fprintf(f, "%" PRIu64, (uint64_t)value);
    else
        fprintf(f, info->integral ? "%.0f" : "%.9g", value);
}

/* Writes the statistics of the table, then the mechanism's own. */
static void put_stats(struct cu_process *p, FILE *f, int total) {
    hd_device_info device = {.mech = ""};
    hd_stat_info info;
    double value;
    int n = 0;
    fputs(",\"stats\":{", f);
    for (size_t i = 0; !hd_stat_value(p->dev, total, i, &value); i++)
        if (value != 0 && !hd_stat_at(i, &info)) put_stat(f, "", &info, value, &n);
    (void)hd_device_get_info(p->dev, &device);
    for (size_t k = 0; !hd_stat_own(p->dev, total, k, &info, &value); k++)
        put_stat(f, device.mech, &info, value, &n);
    fputc('}', f);
}

static void put_program(FILE *f) {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    fputs(",\"program\":", f);
    cu_log_string(f, path);
}

int cu_log_open(struct cu_process *p) {
    struct cu_log_line l;
    if (!p->settings.log) return CU_Success;
    p->log = open(p->settings.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (p->log < 0) {
        cu_warn("HEDDLE_LOG=%s: %s", p->settings.log, strerror(errno));
        return CU_InitializationError;
    }
    if (!cu_log_begin(p, &l, "start")) return CU_MemoryAllocation;
    put_program(l.f);
    hd_device_info info = {.name = "", .mech = ""};
    (void)hd_device_get_info(p->dev, &info);
    fputs(",\"machine\":", l.f);
    cu_log_string(l.f, info.name);
    fputs(",\"mech\":", l.f);
    cu_log_string(l.f, p->machine.timed || p->settings.mech ? info.mech : "");
    cu_log_end(p, &l);
    return CU_Success;
}

static const char *status_of(int code) {
    if (!code) return "ok";
    return code >= CU_IllegalAddress && code <= CU_LaunchFailure ? "fault" : "refused";
}

void cu_log_launch(struct cu_process *p, const struct CUstream_st *s, const struct cu_kernel_op *op,
                   const struct cu_outcome *o) {
    struct cu_log_line l;
    if (!cu_log_begin(p, &l, "launch")) return;
    fprintf(l.f, ",\"n\":%" PRIu64 ",\"kernel\":", p->launches);
    cu_log_string(l.f, op->function->name);
    if (o->ran) fprintf(l.f, ",\"nth\":%" PRIu64, op->function->launches);
    fprintf(l.f, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%" PRIu64 ",\"stream\":%" PRIu64,
            op->grid[0], op->grid[1], op->grid[2], op->block[0], op->block[1], op->block[2], op->shared,
            s->id);
    fprintf(l.f, ",\"mode\":\"%s\",\"status\":\"%s\"", o->timed ? "timed" : "functional", status_of(o->code));
    if (o->code) {
        fputs(",\"error\":", l.f);
        cu_log_string(l.f, o->why && *o->why ? o->why : cu_error_of(o->code)->text);
        /* Only this tells that the mechanism refused a launch that began. */
        if (o->ran && o->code == CU_NotSupported) fputs(",\"by\":\"mechanism\"", l.f);
    }
    if (o->ran) put_stats(p, l.f, 0);
    cu_log_end(p, &l);
}

int cu_log_race(struct cu_process *p, const hd_race *race, const char *text) {
    struct cu_log_line l;
    if (!cu_log_begin(p, &l, "race")) return 0;
    fprintf(l.f, ",\"kind\":\"%s\",\"same_value\":%s,\"count\":%" PRIu64 ",\"kernel\":", race->kind,
            race->same_value ? "true" : "false", race->count);
    cu_log_string(l.f, race->kernel);
    fputs(",\"text\":", l.f);
    cu_log_string(l.f, text);
    cu_log_end(p, &l);
    return 1;
}

void cu_log_totals(struct cu_process *p, const char *event) {
    struct cu_log_line l;
    if (!p->dev || p->forked || !cu_log_begin(p, &l, event)) return;
    put_stats(p, l.f, 1);
    cu_log_end(p, &l);
}

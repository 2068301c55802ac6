/* The progress line: rewritten in place at most five times a second, and taken away when the launch ends. */
#include "runtime/runtime/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "runtime/module/module.h"
#include "runtime/module/names.h"
#include "runtime/runtime/op.h"
#include "runtime/runtime/process.h"

#define INTERVAL_NS 200000000

static int64_t cu_progress_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int cu_progress_show(void *user, uint64_t done, uint64_t blocks) {
    struct cu_progress *r = user;
    int64_t t = cu_progress_now();
    if (t < r->next) return 1;
    r->next = t + INTERVAL_NS;
    r->shown = 1;
    fprintf(stderr, "\r\033[Kheddle: launch %" PRIu64 ", %s: %" PRIu64 " of %" PRIu64 " blocks", r->launch,
            r->kernel, done, blocks);
    return 1;
}

void cu_progress_begin(struct cu_process *p, const struct cu_kernel_op *op) {
    struct cu_progress *r = &p->progress;
    if (!p->settings.progress || !isatty(STDERR_FILENO)) return;
    cu_plain_name(op->function->name, r->kernel, sizeof r->kernel);
    r->launch = p->launches;
    r->next = cu_progress_now() + INTERVAL_NS;
    hd_set_progress(p->dev, cu_progress_show, r);
}

void cu_progress_end(struct cu_process *p) {
    if (p->progress.shown) fputs("\r\033[K", stderr);
    p->progress.shown = 0;
}

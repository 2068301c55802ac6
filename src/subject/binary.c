/* A run of main. What it prints goes where a script's output goes, what it says on standard error to standard error, if
 * it is wanted; a digest of the output is the run's result. */
#include "subject/binary.h"

#include <stdio.h>

#include "base/bits.h"
#include "sim/riscv_host/main.h"

struct running {
    struct lab_stage *stage;
    struct err *err; /* error of a launch */
};

static bool binary_launch(void *user, hd_kernel *k, const hd_launch *l, const hd_arg *args, size_t nargs) {
    const struct running *r = user;
    const struct lab_hooks *hooks = r->stage->hooks;
    if (hooks->stop && hooks->stop(hooks->user)) return err_set(r->err, ERR_LIMIT, "stopped");
    return lab_stage_launch(r->stage, k, l, args, nargs, r->err);
}

static void put_out(void *user, int fd, const void *data, size_t n) {
    const struct lab_hooks *hooks = ((const struct running *)user)->stage->hooks;
    if (!hooks->print) return;
    if (fd == 1)
        hooks->print(hooks->user, data, n);
    else
        fwrite(data, 1, n, stderr);
}

static void binary_warn(void *user, const char *text) {
    const struct lab_hooks *hooks = ((const struct running *)user)->stage->hooks;
    if (hooks->print) fprintf(stderr, "heddle: warning: %s\n", text);
}

bool binary_run(const void *user, struct lab_stage *stage, struct err *e) {
    const struct binary_job *job = user;
    struct running r = {stage, e};
    struct sim_main m = {.argv = job->argv,
                         .argc = job->argc,
                         .files = job->files,
                         .launch = binary_launch,
                         .write = put_out,
                         .warn = binary_warn,
                         .user = &r};
    if (!lab_check(stage->dev, sim_main_run(stage->mod, &m), e) || m.stopped) return false;
    stage->out->digest = hash_words(m.output, &m.status, sizeof m.status);
    if (!m.status) return true;
    stage->out->wrong = true;
    return err_set(e, ERR_FAULT, "main ended with exit status %d", m.status);
}

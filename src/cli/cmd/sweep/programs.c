/* CUDA programs as points. Each runs in a process of its own, as `heddle cuda` starts it: the runtime library before any
 * other, the machine in its environment, what it launched in a log that is read when it has ended. What it prints is kept
 * until then; its digest is that of its standard output.
 *
 * The process has a group of its own, so that Ctrl-C goes to the sweep, which then ends what runs and stores nothing of it.
 * Programs run at the same time and in the same directory; one that writes files needs --jobs 1, or names of its own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/cuda/cuda.h"
#include "cli/cmd/sweep/programs.h"
#include "lab/run/pool.h"
#include "sim/file.h"
#include "value/demangle.h"
#include "value/words.h"

struct sweep_command {
    struct cuda cuda; /* program, words and library; runs have copies of it */
    struct lab_command lab;
};

/* ---- a run ---- */

struct run {
    struct cuda cuda;
    struct cuda_run one;
    struct machine machine;
    const char *output, *errors; /* files */
    const struct lab_hooks *hooks;
    bool stopped;
};

/* Every option in force. A run is one of many, and has one thread. */
static void set_machine(struct run *r, const hd_config *config) {
    for (size_t i = 0; i < config->noptions; i++) {
        machine_set(&r->machine, config->options[i].key, config->options[i].value);
        if (!strcmp(config->options[i].key, "run.mech")) r->one.mech = mech_find(config->options[i].value);
    }
    machine_set(&r->machine, "run.threads", "1");
}

static const char *file_in(struct run *r, const char *name) {
    struct sb path = {0};
    sb_add(&path, "%s/%s", r->cuda.dir, name);
    return sb_keep(&path, &r->cuda.mem);
}

static int make_file(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* In the child, between fork and exec of a process with threads: nothing but system calls. */
static _Noreturn void sweep_programs_become(const struct run *r, const int files[3], int failure) {
    const int now = personality(0xffffffff);
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (now >= 0) personality((unsigned long)now | ADDR_NO_RANDOMIZE);
    for (int i = 0; i < 3; i++) dup2(files[i], i);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(r->cuda.path, r->cuda.words.v, r->one.env.v);
    const int why = errno;
    if (write(failure, &why, sizeof why) < 0) _exit(126);
    _exit(127);
}

static bool sweep_programs_start(struct run *r, const int files[3], struct err *e) {
    int failure[2], why = 0;
    if (pipe2(failure, O_CLOEXEC)) return err_set(e, ERR_MEMORY, "cannot make a pipe: %s", strerror(errno));
    r->one.pid = fork();
    if (!r->one.pid) sweep_programs_become(r, files, failure[1]);
    bool fine = r->one.pid > 0 || err_set(e, ERR_MEMORY, "cannot start another process: %s", strerror(errno));
    close(failure[1]);
    if (fine && read(failure[0], &why, sizeof why) == (ssize_t)sizeof why) {
        waitpid(r->one.pid, &r->one.wait_status, 0);
        fine = err_set(e, ERR_MEMORY, "cannot start %.200s: %s", r->cuda.path, strerror(why));
    }
    close(failure[0]);
    return fine;
}

/* By polling: there are as many waiting threads as programs, and one signal of a child for the whole process. */
static void wait_for(struct run *r) {
    enum { SHORTEST = 1000 * 1000, LONGEST = 50 * 1000 * 1000 };
    struct timespec pause = {.tv_nsec = SHORTEST};
    while (waitpid(r->one.pid, &r->one.wait_status, WNOHANG) == 0) {
        if (!r->stopped && r->hooks->stop && r->hooks->stop(r->hooks->user)) {
            r->stopped = true;
            kill(-r->one.pid, SIGKILL);
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LONGEST) pause.tv_nsec *= 2;
    }
}

static bool sweep_programs_execute(struct run *r, struct err *e) {
    const int files[] = {open("/dev/null", O_RDONLY | O_CLOEXEC), make_file(r->output), make_file(r->errors),
                         make_file(r->one.log)};
    bool fine = true;
    for (int i = 0; i < 4; i++) fine &= files[i] >= 0;
    if (!fine) err_set(e, ERR_MEMORY, "cannot make files in %s: %s", r->cuda.dir, strerror(errno));
    const double began = lab_seconds();
    fine = fine && sweep_programs_start(r, files, e);
    for (int i = 0; i < 4; i++)
        if (files[i] >= 0) close(files[i]);
    if (!fine) return false;
    wait_for(r);
    r->one.over = true;
    r->one.seconds = lab_seconds() - began;
    return true;
}

/* ---- how it ended ---- */

/* The last line that is not empty. */
static void last_line(const char *path, struct sb *out) {
    struct sb text = {0};
    struct err none = {0};
    size_t end = file_read(path, &text, &none) ? text.len : 0;
    while (end && strchr(" \t\r\n", text.text[end - 1])) end--;
    size_t begin = end;
    while (begin && text.text[begin - 1] != '\n') begin--;
    if (end > begin) sb_add(out, ": %.*s", (int)(end - begin < 400 ? end - begin : 400), text.text + begin);
    sb_free(&text);
    err_free(&none);
}

static const struct cuda_kernel *failed_kernel(const struct cuda_run *r) {
    for (size_t i = 0; i < r->kernels.n; i++)
        if (r->kernels.v[i].failed) return &r->kernels.v[i];
    return NULL;
}

static void sweep_programs_judge(const struct run *r, struct err *e) {
    const struct cuda_kernel *k = failed_kernel(&r->one);
    const int status = r->one.wait_status;
    struct sb text = {0};
    if (r->stopped) {
        err_set(e, ERR_LIMIT, "stopped");
        return;
    }
    if (k && k->refused) {
        err_set(e, ERR_REFUSED, "%s", k->error);
        return;
    }
    if (k) {
        sb_add(&text, "kernel ");
        demangle_name(k->name, &text);
        sb_add(&text, " failed: %s", k->error);
    } else if (WIFSIGNALED(status)) {
        sb_add(&text, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status)) {
        sb_add(&text, "exit status %d", WEXITSTATUS(status));
        last_line(r->errors, &text);
    } else if (!r->one.nlaunches) {
        sb_add(&text, "it launched no kernel");
    } else if (r->one.broken) {
        sb_add(&text, "what it launched was not written down to the end");
    }
    if (text.len) err_set(e, ERR_FAULT, "%s", text.text);
    sb_free(&text);
}

static bool digest(const struct run *r, uint64_t *out, struct err *e) {
    struct sb text = {0};
    const bool fine = file_read(r->output, &text, e);
    *out = hash_words(HASH_START, text.text, text.len);
    sb_free(&text);
    return fine;
}

static void run_program(struct run *r, const hd_config *config, struct lab_outcome *out) {
    struct err *e = &out->err;
    set_machine(r, config);
    if (!cuda_make_directory(&r->cuda, e) || !cuda_environment(&r->cuda, &r->one, &r->machine, e)) {
        e->code = ERR_MEMORY; /* the host's fault, not the point's */
        return;
    }
    r->output = file_in(r, "output");
    r->errors = file_in(r, "errors");
    if (!sweep_programs_execute(r, e)) return;
    if (!cuda_read_log(&r->one, e) || !digest(r, &out->digest, e)) {
        e->code = ERR_MEMORY;
        return;
    }
    out->total = r->one.total;
    out->launches = r->one.nlaunches;
    out->seconds = r->one.seconds;
    sweep_programs_judge(r, e);
}

static void run_point(const void *user, const hd_config *config, const struct lab_hooks *hooks,
                      struct lab_outcome *out) {
    const struct sweep_command *k = user;
    struct run r = {.cuda = k->cuda, .one = {.in = -1, .out = -1, .err = -1}, .hooks = hooks};
    r.cuda.mem = (struct arena){0};
    r.one.cuda = &r.cuda;
    run_program(&r, config, out);
    cuda_remove_directory(&r.cuda);
    cuda_run_free(&r.one);
    machine_free(&r.machine);
    arena_free(&r.cuda.mem);
}

/* ---- what it is ---- */

static bool hash_file(const char *path, uint64_t *h, struct err *e) {
    struct sb text = {0};
    const bool fine = file_read(path, &text, e);
    *h = hash_words(*h, text.text, text.len);
    sb_free(&text);
    return fine;
}

/* The program, the library that runs its kernels, its words and the files it is said to read. */
static bool sweep_programs_identify(struct sweep *s, struct sweep_command *k, struct err *e) {
    uint64_t *h = &k->lab.identity;
    struct sb library = {0};
    *h = HASH_START;
    sb_add(&library, "%s/libheddle-cuda.so", k->cuda.library);
    bool fine = hash_file(k->cuda.path, h, e) && hash_file(library.text, h, e);
    sb_free(&library);
    for (size_t i = 1; i + 1 < k->cuda.words.n; i++)
        *h = hash_bytes(*h, k->cuda.words.v[i], strlen(k->cuda.words.v[i]) + 1);
    for (size_t i = 0; i < opts_count(s->opts, "input") && fine; i++)
        fine = hash_file(opts_nth(s->opts, "input", i), h, e);
    return fine;
}

static bool fill_words(struct sweep *s, const char *text, struct params *params, struct sweep_command *k,
                       struct err *e) {
    struct words words = {0};
    bool fine = words_read(text, strlen(text), &words, &s->mem, e);
    if (fine && !words.v.n) fine = err_set(e, ERR_INPUT, "a program is missing");
    for (size_t i = 0; i < words.v.n && fine; i++) {
        const char *word;
        fine = params_fill(params, words.v.v[i], &s->mem, &word, e);
        VEC_PUSH(&k->cuda.words, (char *)word);
    }
    VEC_PUSH(&k->cuda.words, NULL);
    VEC_FREE(&words.v);
    return fine;
}

bool sweep_add_program(struct sweep *s, const char *text, struct params *params, bool first,
                       struct sweep_variant *v, struct err *e) {
    struct sweep_command *k = ARENA_NEW(&s->mem, struct sweep_command, 1);
    k->cuda =
        (struct cuda){.cli = s->cli, .quiet = !first, .each = false, .opts = {.table = command_cuda.options}};
    v->command = k;
    if (!fill_words(s, text, params, k, e) || !cuda_find_program(&k->cuda, k->cuda.words.v[0], e) ||
        !cuda_find_library(&k->cuda, e) || !sweep_programs_identify(s, k, e))
        return false;
    k->lab.run = run_point;
    k->lab.user = k;
    v->lab = (struct lab_subject){.command = &k->lab};
    return true;
}

void sweep_free_program(struct sweep_command *k) {
    VEC_FREE(&k->cuda.words);
    arena_free(&k->cuda.mem);
}

/* See workdir.h. The child is waited for by polling: signals are blocked, and sigtimedwait is what looks for them. */
#include "toolchain/workdir.h"

#include <errno.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ledger.h"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_directory(const char *dir) {
    enum { OPEN_DIRECTORIES = 8 };
    if (dir) nftw(dir, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
}

static bool make_directory(struct workdir *w, struct err *e) {
    const char *parent = getenv("TMPDIR");
    struct sb name = {0};
    sb_add(&name, "%s/heddle-XXXXXX", parent && *parent ? parent : "/tmp");
    char *dir = sb_keep(&name, w->mem);
    if (!mkdtemp(dir)) return err_set(e, ERR_INPUT, "cannot make a directory %s: %s", dir, strerror(errno));
    w->path = dir;
    return true;
}

const char *workdir_file(const struct workdir *w, const char *name) {
    struct sb out = {0};
    sb_add(&out, "%s/%s", w->path, name);
    return sb_keep(&out, w->mem);
}

static void hold_signals(struct workdir *w) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&w->held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaddset(&w->held, ending[i]);
    }
    pthread_sigmask(SIG_BLOCK, &w->held, NULL);
}

static void release_signals(struct workdir *w) {
    pthread_sigmask(SIG_UNBLOCK, &w->held, NULL);
    if (w->signal) raise(w->signal);
}

static bool work_and_tidy(struct workdir *w, bool (*work)(void *user, struct err *e), void *user,
                          struct err *e) {
    struct ledger_point p;
    ledger_nest(&p);
    if (setjmp(p.at)) {
        remove_directory(w->path);
        ledger_fail(0);
    }
    const bool fine = make_directory(w, e) && work(user, e);
    ledger_leave(&p);
    remove_directory(w->path);
    return fine;
}

bool workdir_with(struct workdir *w, bool (*work)(void *user, struct err *e), void *user, struct err *e) {
    hold_signals(w);
    const bool fine = work_and_tidy(w, work, user, e);
    release_signals(w);
    return fine;
}

/* ---- programs ---- */

static char **child_environment(struct workdir *w) {
    VEC(char *) env = {0};
    for (char **v = environ; *v; v++)
        if (strncmp(*v, "TMPDIR=", 7) != 0) VEC_PUSH(&env, *v);
    struct sb own = {0};
    sb_add(&own, "TMPDIR=%s", w->path);
    VEC_PUSH(&env, sb_keep(&own, w->mem));
    VEC_PUSH(&env, NULL);
    return env.v;
}

static int workdir_spawn(struct workdir *w, const char *const *words, int output, pid_t *child) {
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&files, output == WORKDIR_TO_ERR ? STDERR_FILENO : output,
                                     STDOUT_FILENO);
    char **env = child_environment(w);
    fflush(w->err);
    const int failed = posix_spawn(child, words[0], &files, &how, (char *const *)words, env);
    free(env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return failed;
}

/* A signal that comes to us ends it, a second one in any case. */
static int wait_for(struct workdir *w, pid_t child) {
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const int got = sigtimedwait(&w->held, NULL, &pause);
        if (got <= 0) continue;
        kill(child, w->signal ? SIGKILL : SIGTERM);
        if (!w->signal) w->signal = got;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool workdir_run(struct workdir *w, const char *const *words, int output, int *status, struct err *e) {
    pid_t child;
    const int failed = workdir_spawn(w, words, output, &child);
    if (failed) return err_set(e, ERR_INPUT, "cannot run %s: %s", words[0], strerror(failed));
    *status = wait_for(w, child);
    return true;
}

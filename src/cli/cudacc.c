/* Runs the compiler as a child in a directory of its own, which also is its TMPDIR: whatever it leaves there goes with it.
 *
 * Signals that would end the process are held back meanwhile. One that comes ends the child, the directory is
 * removed, and then the process dies of the signal after all. */
#include "cli/cudacc.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ledger.h"
#include "cli/source.h"
#include "sim/file.h"

struct compilation {
    const struct cli *cli;
    const char *file; /* as the user calls it */
    struct cudacc cc;
    struct cudacc_words words; /* of the command line */
    const char *dir, *input, *output;
    sigset_t held; /* signals that would end the process, */
    int signal;    /* and the first of them that came; 0: none */
    struct arena mem;
};

void cudacc_options(struct cudacc_options *a, const struct opts *o) {
    a->compiler = opts_value(o, "cuda-compiler");
    a->flags = opts_value(o, "cuda-flags");
}

/* ---- the directory ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_directory(const char *dir) {
    enum { OPEN_DIRECTORIES = 8 };
    if (dir) nftw(dir, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
}

static const char *in_directory(struct compilation *k, const char *name) {
    struct sb out = {0};
    sb_add(&out, "%s/%s", k->dir, name);
    return sb_keep(&out, &k->mem);
}

static bool make_directory(struct compilation *k, struct err *e) {
    const char *parent = getenv("TMPDIR");
    struct sb name = {0};
    sb_add(&name, "%s/heddle-XXXXXX", parent && *parent ? parent : "/tmp");
    char *dir = sb_keep(&name, &k->mem);
    if (!mkdtemp(dir)) return err_set(e, ERR_INPUT, "cannot make a directory %s: %s", dir, strerror(errno));
    k->dir = dir;
    k->output = in_directory(k, "kernel.ptx");
    return true;
}

/* Standard input goes to a file, under its own name in messages. */
static bool make_input(struct compilation *k, const struct sb *text, struct err *e) {
    k->input = k->file;
    if (strcmp(k->file, source_name("-")) != 0) return true;
    k->input = in_directory(k, "stdin.cu");
    FILE *f = fopen(k->input, "wb");
    bool fine =
        f && fprintf(f, "#line 1 \"%s\"\n", k->file) > 0 && fwrite(text->text, 1, text->len, f) == text->len;
    if (f && fclose(f)) fine = false;
    return fine || err_set(e, ERR_INPUT, "cannot write %s: %s", k->input, strerror(errno));
}

/* ---- the command ---- */

static void add(struct compilation *k, const char *const *words) {
    while (*words) VEC_PUSH(&k->words.v, *words++);
}

static const char *concat(struct compilation *k, const char *a, const char *b) {
    struct sb out = {0};
    sb_add(&out, "%s%s", a, b);
    return sb_keep(&out, &k->mem);
}

/* Without the CUDA SDK: none of its headers, libdevice or ptxas. The version decides how kernels are launched in host code.
 * Multiplications and additions of the program become one instruction, as by nvcc; plain "fast" would do that to libclc too,
 * whose reduction of an angle counts on two roundings. */
static void add_clang(struct compilation *k) {
    static const char *const usual[] = {"-x",
                                        "cuda",
                                        "--cuda-device-only",
                                        "--cuda-path=/nonexistent",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "-Wno-unknown-cuda-version",
                                        "-Xclang",
                                        "-target-sdk-version=12.5",
                                        "-std=c++17",
                                        "-O2",
                                        "-gline-tables-only",
                                        "-ffp-contract=fast-honor-pragmas",
                                        "--cuda-feature=+ptx80",
                                        "-S",
                                        NULL};
    add(k, usual);
    add(k, (const char *const[]){concat(k, "-I", k->cc.headers), "-include", "heddle/prelude.h", NULL});
    if (k->cc.libclc)
        add(k, (const char *const[]){"-Wno-linker-warnings", "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                                     k->cc.libclc, NULL});
    else
        add(k, (const char *const[]){"-DHEDDLE_NO_LIBCLC", NULL});
}

static bool names_target(const struct cudacc_words *w) {
    static const char *const flags[] = {"--cuda-gpu-arch=", "-arch", "--gpu-architecture", "-gencode",
                                        "--generate-code"};
    for (size_t i = 0; i < w->v.n; i++)
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (!strncmp(w->v.v[i], flags[k], strlen(flags[k]))) return true;
    return false;
}

static bool make_command(struct compilation *k, const struct cudacc_options *a, struct err *e) {
    VEC_PUSH(&k->words.v, k->cc.path);
    if (k->cc.nvcc)
        add(k, (const char *const[]){"-x", "cu", "-ptx", "-lineinfo", NULL});
    else
        add_clang(k);
    if (!cudacc_flags(a->own_flags, true, k->cc.nvcc, &k->words, &k->mem, e) ||
        !cudacc_flags(a->flags, false, k->cc.nvcc, &k->words, &k->mem, e))
        return false;
    if (!names_target(&k->words)) VEC_PUSH(&k->words.v, k->cc.nvcc ? "-arch=sm_75" : "--cuda-gpu-arch=sm_75");
    if (k->input != k->file) VEC_PUSH(&k->words.v, "-I.");
    add(k, (const char *const[]){"-o", k->output, k->input, NULL});
    VEC_PUSH(&k->words.v, NULL);
    return true;
}

/* ---- the child ---- */

static char **child_environment(struct compilation *k) {
    VEC(char *) env = {0};
    for (char **v = environ; *v; v++)
        if (strncmp(*v, "TMPDIR=", 7) != 0) VEC_PUSH(&env, *v);
    VEC_PUSH(&env, (char *)concat(k, "TMPDIR=", k->dir));
    VEC_PUSH(&env, NULL);
    return env.v;
}

static int spawn(struct compilation *k, pid_t *child) {
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    char **env = child_environment(k);
    fflush(k->cli->term.err);
    const int failed = posix_spawn(child, k->cc.path, &files, &how, (char *const *)k->words.v.v, env);
    free(env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return failed;
}

/* Its exit status, or 128 and a signal. A signal that comes to us ends it, a second one in any case. */
static int wait_for(struct compilation *k, pid_t child) {
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const int got = sigtimedwait(&k->held, NULL, &pause);
        if (got <= 0) continue;
        kill(child, k->signal ? SIGKILL : SIGTERM);
        if (!k->signal) k->signal = got;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool run(struct compilation *k, struct err *e) {
    pid_t child;
    const int failed = spawn(k, &child);
    if (failed) return err_set(e, ERR_INPUT, "cannot run %s: %s", k->cc.path, strerror(failed));
    const int status = wait_for(k, child);
    if (!status) return true;
    return err_set(e, ERR_INPUT, "%s did not compile: %s ended with status %d", k->file, k->cc.path, status);
}

static bool compile(struct compilation *k, const struct cudacc_options *a, struct sb *text, struct err *e) {
    if (!make_directory(k, e) || !make_input(k, text, e) || !make_command(k, a, e) || !run(k, e))
        return false;
    text->len = 0;
    return file_read(k->output, text, e);
}

/* The directory goes too when there is no memory. */
static bool compile_and_tidy(struct compilation *k, const struct cudacc_options *a, struct sb *text,
                             struct err *e) {
    struct ledger_point p;
    ledger_nest(&p);
    if (setjmp(p.at)) {
        remove_directory(k->dir);
        ledger_fail(0);
    }
    const bool fine = compile(k, a, text, e);
    ledger_leave(&p);
    remove_directory(k->dir);
    return fine;
}

static void hold_signals(struct compilation *k) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&k->held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaddset(&k->held, ending[i]);
    }
    pthread_sigmask(SIG_BLOCK, &k->held, NULL);
}

static void release_signals(struct compilation *k) {
    pthread_sigmask(SIG_UNBLOCK, &k->held, NULL);
    if (k->signal) raise(k->signal);
}

bool cudacc_compile(const struct cli *c, const char *file, const struct cudacc_options *a, struct sb *text,
                    struct err *e) {
    struct compilation k = {.cli = c, .file = file};
    bool fine = cudacc_find(a->compiler, file, &k.cc, &k.mem, e);
    if (fine) {
        hold_signals(&k);
        fine = compile_and_tidy(&k, a, text, e);
        release_signals(&k);
    }
    if (fine) fprintf(c->term.err, "heddle %s: %s compiled by %s\n", c->command->name, file, k.cc.path);
    VEC_FREE(&k.words.v);
    arena_free(&k.mem);
    return fine;
}

/* Starting the program and waiting for it.
 *
 * One run has the terminal, or whatever standard input, output and error are, for itself: nothing stands between. Of
 * several runs at once each has pipes: the first one's output is passed on as it comes, the others' is kept and
 * compared, and what comes in goes to all. Everything happens in one loop over those pipes and a file of signals
 * (signalfd); no threads.
 *
 * A run is over when its own process is: what a background process of it still writes later is not waited for. Addresses
 * are the same in every run (ADDR_NO_RANDOMIZE). If heddle is killed outright, so is the program. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd/cuda/cuda.h"

enum { TICK = 200 /* milliseconds */ };

/* While runs go on. */
struct loop {
    struct cuda *cuda;
    int signals;     /* the file they are read from */
    struct sb input; /* standard input, as far as it was read */
    bool input_ended;
    VEC(struct pollfd) polled;
};

int cuda_exit_status(const struct cuda_run *r) {
    return WIFEXITED(r->wait_status) ? WEXITSTATUS(r->wait_status) : 128 + WTERMSIG(r->wait_status);
}

/* ---- start ---- */

/* In the child, between fork and exec: no memory is allocated. */
static _Noreturn void cuda_run_become(const struct cuda *c, const struct cuda_run *r, const int files[3],
                                      int failure) {
    const int now = personality(0xffffffff);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (now >= 0) personality((unsigned long)now | ADDR_NO_RANDOMIZE);
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0) dup2(files[i], i);
    signal(SIGPIPE, c->pipe_before);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
    execve(c->path, c->words.v, r->env.v);
    const int why = errno;
    if (write(failure, &why, sizeof why) < 0) _exit(126);
    _exit(127);
}

/* Ends of pipes for the child, and ours in r. */
static bool make_pipes(struct cuda_run *r, int files[3], struct err *e) {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    const bool fine = !pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC);
    r->in = in[1], r->out = out[0], r->err = err[0];
    files[0] = in[0], files[1] = out[1], files[2] = err[1];
    const int ours[] = {r->in, r->out, r->err};
    for (int i = 0; i < 3 && fine; i++) fcntl(ours[i], F_SETFL, O_NONBLOCK);
    return fine || err_set(e, ERR_INPUT, "cannot make a pipe: %s", strerror(errno));
}

static void close_one(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Standard input is the program's where it can begin anew. */
static bool hide(const struct cuda *c, int files[3], struct err *e) {
    for (int i = c->input_at >= 0; i < 3; i++) {
        files[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (files[i] < 0) return err_set(e, ERR_INPUT, "cannot open /dev/null: %s", strerror(errno));
    }
    return true;
}

static void add_progress(const struct cuda *c, struct cuda_run *r) {
    if (c->runs.n > 1 || c->quiet || !c->cli->term.err_tty) return;
    r->env.v[r->env.n - 1] = arena_strdup(&r->mem, "HEDDLE_PROGRESS=1");
    VEC_PUSH(&r->env, NULL);
}

static bool cuda_run_start(struct cuda *c, struct cuda_run *r, struct err *e) {
    int files[3] = {-1, -1, -1}, failure[2], why = 0;
    bool fine = c->hidden ? hide(c, files, e) : c->runs.n == 1 || make_pipes(r, files, e);
    if (fine && pipe2(failure, O_CLOEXEC))
        fine = err_set(e, ERR_INPUT, "cannot make a pipe: %s", strerror(errno));
    if (!fine) return false;
    add_progress(c, r);
    fflush(NULL);
    r->seconds = term_seconds();
    r->pid = fork();
    if (!r->pid) cuda_run_become(c, r, files, failure[1]);
    close(failure[1]);
    for (int i = 0; i < 3; i++) close_one(&files[i]);
    if (r->pid < 0)
        fine = err_set(e, ERR_INPUT, "cannot start another process: %s", strerror(errno));
    else if (read(failure[0], &why, sizeof why) == (ssize_t)sizeof why)
        fine = err_set(e, ERR_INPUT, "cannot start %.200s: %s", c->path, strerror(why));
    close(failure[0]);
    if (r->pid < 0) r->pid = 0;
    return fine;
}

/* ---- pipes ---- */

static void pass_on(int to, const char *text, size_t n) {
    while (n) {
        const ssize_t k = write(to, text, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return; /* the reader is gone: the runs go on, for their tables */
        text += k;
        n -= (size_t)k;
    }
}

/* All there is at the moment; at the end the pipe is closed. */
static void cuda_run_take(int *fd, struct sb *text, int to) {
    char piece[1 << 16];
    while (*fd >= 0) {
        const ssize_t n = read(*fd, piece, sizeof piece);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) {
            close_one(fd);
            return;
        }
        sb_addn(text, piece, (size_t)n);
        if (to >= 0) pass_on(to, piece, (size_t)n);
    }
}

static void take_output(struct cuda *c, struct cuda_run *r) {
    const bool first = r == &c->runs.v[0];
    cuda_run_take(&r->out, &r->out_text, first ? STDOUT_FILENO : -1);
    cuda_run_take(&r->err, &r->err_text, first ? STDERR_FILENO : -1);
}

static void cuda_run_feed(struct loop *l, struct cuda_run *r) {
    while (r->in >= 0 && r->fed < l->input.len) {
        const ssize_t n = write(r->in, l->input.text + r->fed, l->input.len - r->fed);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n < 0) {
            close_one(&r->in);
            return;
        }
        r->fed += (size_t)n;
    }
    if (l->input_ended && r->fed == l->input.len) close_one(&r->in);
}

static void read_input(struct loop *l) {
    char piece[1 << 16];
    const ssize_t n = read(STDIN_FILENO, piece, sizeof piece);
    if (n > 0) sb_addn(&l->input, piece, (size_t)n);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) l->input_ended = true;
}

/* ---- signals and ends ---- */

static void end_run(struct cuda *c, struct cuda_run *r, int status) {
    r->over = true;
    r->wait_status = status;
    r->seconds = term_seconds() - r->seconds;
    take_output(c, r);
    close_one(&r->in);
    close_one(&r->out);
    close_one(&r->err);
}

static void reap(struct cuda *c) {
    for (size_t i = 0; i < c->runs.n; i++) {
        struct cuda_run *r = &c->runs.v[i];
        int status;
        if (r->pid && !r->over && waitpid(r->pid, &status, WNOHANG) == r->pid) end_run(c, r, status);
    }
}

static void to_all(struct cuda *c, int sig) {
    for (size_t i = 0; i < c->runs.n; i++)
        if (c->runs.v[i].pid && !c->runs.v[i].over) kill(c->runs.v[i].pid, sig);
}

/* What the terminal sends, it sends to the program too, which is in the same group. Anything else is passed on; a
 * second signal leaves the program no choice. */
static void on_signal(struct loop *l, const struct signalfd_siginfo *s) {
    struct cuda *c = l->cuda;
    const int sig = (int)s->ssi_signo;
    if (sig == SIGCHLD) return;
    const bool again = c->signal == sig;
    c->signal = sig;
    if (s->ssi_code != SI_KERNEL) to_all(c, again && sig != SIGINT ? SIGKILL : sig);
}

static void read_signals(struct loop *l) {
    struct signalfd_siginfo s;
    while (read(l->signals, &s, sizeof s) == (ssize_t)sizeof s) on_signal(l, &s);
}

/* ---- the loop ---- */

static size_t cuda_run_running(const struct cuda *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->runs.n; i++) n += c->runs.v[i].pid && !c->runs.v[i].over;
    return n;
}

static void cuda_run_watch(struct loop *l, int fd, short events) {
    if (fd >= 0) VEC_PUSH(&l->polled, (struct pollfd){.fd = fd, .events = events});
}

/* Standard input is read only when a run has had all there was, so that a long pipe does not fill memory. */
static void gather_files(struct loop *l) {
    struct cuda *c = l->cuda;
    bool hungry = false;
    l->polled.n = 0;
    cuda_run_watch(l, l->signals, POLLIN);
    for (size_t i = 0; i < c->runs.n; i++) {
        struct cuda_run *r = &c->runs.v[i];
        cuda_run_watch(l, r->out, POLLIN);
        cuda_run_watch(l, r->err, POLLIN);
        if (r->fed < l->input.len) cuda_run_watch(l, r->in, POLLOUT);
        hungry |= r->in >= 0 && r->fed == l->input.len;
    }
    if (hungry && !l->input_ended) cuda_run_watch(l, STDIN_FILENO, POLLIN);
}

static void cuda_run_turn(struct loop *l) {
    struct cuda *c = l->cuda;
    gather_files(l);
    if (poll(l->polled.v, l->polled.n, TICK) < 0 && errno != EINTR) return;
    const struct pollfd *last = &l->polled.v[l->polled.n - 1];
    if (last->fd == STDIN_FILENO && last->revents) read_input(l);
    for (size_t i = 0; i < c->runs.n; i++) {
        struct cuda_run *r = &c->runs.v[i];
        if (r->pid && !r->over && c->runs.n > 1) take_output(c, r), cuda_run_feed(l, r);
    }
    read_signals(l);
    reap(c);
}

static void show_progress(struct loop *l) {
    char what[64];
    size_t over = 0;
    for (size_t i = 0; i < l->cuda->runs.n; i++) over += l->cuda->runs.v[i].over;
    snprintf(what, sizeof what, "%zu of %zu runs have ended", over, l->cuda->runs.n);
    if (l->cuda->runs.n > 1 && !l->cuda->quiet) progress_note(&l->cuda->progress, what);
}

static size_t jobs_of(const struct cuda *c) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return c->jobs ? c->jobs : cores > 0 ? (size_t)cores : 1;
}

/* After a signal no further run is begun. */
static bool cuda_run_all(struct loop *l, struct err *e) {
    struct cuda *c = l->cuda;
    size_t begun = 0;
    bool fine = true;
    for (;;) {
        while (fine && !c->signal && begun < c->runs.n && cuda_run_running(c) < jobs_of(c)) {
            fine = cuda_run_start(c, &c->runs.v[begun++], e);
            if (fine && c->runs.n > 1) cuda_run_feed(l, &c->runs.v[begun - 1]);
        }
        if (!fine) to_all(c, SIGTERM);
        if (!cuda_run_running(c)) return fine;
        cuda_run_turn(l);
        show_progress(l);
    }
}

static void hold_signals(struct cuda *c) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(&c->held);
    sigaddset(&c->held, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaddset(&c->held, ending[i]);
    }
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &c->held, &c->before);
    c->holding = true;
}

bool cuda_simulate(struct cuda *c, struct err *e) {
    struct loop l = {.cuda = c};
    if (!c->holding) hold_signals(c);
    c->pipe_before = signal(SIGPIPE, SIG_IGN);
    l.signals = signalfd(-1, &c->held, SFD_CLOEXEC | SFD_NONBLOCK);
    progress_start(&c->progress, &c->cli->term);
    const bool fine = l.signals >= 0 ? cuda_run_all(&l, e)
                                     : err_set(e, ERR_INPUT, "no file of signals: %s", strerror(errno));
    progress_end(&c->progress);
    close_one(&l.signals);
    VEC_FREE(&l.polled);
    sb_free(&l.input);
    signal(SIGPIPE, c->pipe_before);
    return fine;
}

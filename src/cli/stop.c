#include "cli/stop.h"

#include <time.h>

#include "cli/outfile.h"

/* What ends the waiting. Not pthread_cancel, which loads a library when it is first called, and aborts where there is no memory
 * for it. */
static int wake_signal(void) {
    return SIGRTMIN;
}

/* timeout(1) signals the process and then its group, the process again with it: what comes at once after the first signal is
 * the same request. Returns false when the waiting is to end. */
static bool same_request(const sigset_t *held) {
    enum { WINDOW_MS = 100 };
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += WINDOW_MS * 1000000L;
    for (;;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        long long left = (end.tv_sec - now.tv_sec) * 1000000000LL + end.tv_nsec - now.tv_nsec;
        if (left <= 0) return true;
        if (sigtimedwait(held, NULL, &(struct timespec){.tv_nsec = (long)left}) == wake_signal())
            return false;
    }
}

/* The first signal is noted. The second ends the process from here, whatever the other threads are at: files that are
 * under way are removed, and a database undoes what was not complete when it is next opened. */
static void *wait_for_signals(void *user) {
    struct stop *s = user;
    int got = 0;
    while (sigwait(&s->held, &got)) continue;
    if (got == wake_signal()) return NULL;
    atomic_store(&s->signal, got);
    if (!same_request(&s->held)) return NULL;
    while (sigwait(&s->held, &got)) continue;
    if (got == wake_signal()) return NULL;
    outfile_abandon(s->cli->writing);
    pthread_sigmask(SIG_UNBLOCK, &s->held, NULL);
    raise(got);
    return NULL;
}

void stop_hold(struct stop *s, const struct cli *c) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    s->cli = c;
    sigemptyset(&s->held);
    sigaddset(&s->held, wake_signal());
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaddset(&s->held, ending[i]);
    }
    pthread_sigmask(SIG_BLOCK, &s->held, NULL);
    s->waiting = !pthread_create(&s->waiter, NULL, wait_for_signals, s);
    if (!s->waiting) pthread_sigmask(SIG_UNBLOCK, &s->held, NULL);
}

bool stop_asked(const struct stop *s) {
    return atomic_load(&s->signal) != 0;
}

/* A signal that comes in between stays pending, and ends the process when it is released. */
static void end_waiting(struct stop *s) {
    if (!s->waiting) return;
    pthread_kill(s->waiter, wake_signal());
    pthread_join(s->waiter, NULL);
    s->waiting = false;
}

void stop_release(struct stop *s) {
    if (stop_asked(s)) return;
    end_waiting(s);
    if (!stop_asked(s)) pthread_sigmask(SIG_UNBLOCK, &s->held, NULL);
}

enum cli_exit stop_die(struct stop *s, const struct cli *c, enum cli_exit status) {
    if (!stop_asked(s)) return status;
    fflush(c->term.out);
    end_waiting(s);
    pthread_sigmask(SIG_UNBLOCK, &s->held, NULL);
    raise(atomic_load(&s->signal));
    return CLI_FAILED;
}

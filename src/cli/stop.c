#include "cli/stop.h"

#include <time.h>

void stop_hold(struct stop *s) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&s->held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaddset(&s->held, ending[i]);
    }
    pthread_sigmask(SIG_BLOCK, &s->held, NULL);
}

bool stop_asked(struct stop *s) {
    struct timespec at_once = {0};
    int got = sigtimedwait(&s->held, NULL, &at_once);
    if (got > 0 && !s->signal) s->signal = got;
    return s->signal != 0;
}

void stop_release(struct stop *s) {
    if (!stop_asked(s)) pthread_sigmask(SIG_UNBLOCK, &s->held, NULL);
}

enum cli_exit stop_die(struct stop *s, const struct cli *c, enum cli_exit status) {
    if (!s->signal) return status;
    fflush(c->term.out);
    pthread_sigmask(SIG_UNBLOCK, &s->held, NULL);
    raise(s->signal);
    return CLI_FAILED;
}

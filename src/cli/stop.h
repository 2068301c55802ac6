/* Being asked to end: signals that would end the process are taken by a thread of their own while simulations run, so that
 * what is under way can be abandoned, what is done be kept, and the user be told where it stood; then the process dies of the
 * signal after all. A second signal ends it at once. */
#ifndef HEDDLE_CLI_STOP_H
#define HEDDLE_CLI_STOP_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "cli/cli.h"

struct stop {
    sigset_t held;
    const struct cli *cli;
    pthread_t waiter;
    bool waiting;      /* there is such a thread */
    atomic_int signal; /* the signal that came; 0: none */
};

/* Before any other thread is started, s all zero. What is ignored, as by nohup, stays so. */
void stop_hold(struct stop *s, const struct cli *c);
/* Whether such a signal has come by now. */
bool stop_asked(const struct stop *s);
/* After the runs: signals end the process again, unless one has come already, which waits for stop_die. */
void stop_release(struct stop *s);
/* Dies of the signal that came, for the parent to see; status: when none did, or that does not end the process. */
enum cli_exit stop_die(struct stop *s, const struct cli *c, enum cli_exit status);

#endif

/* Being asked to end: signals that would end the process are held back while simulations run and asked for now and then, so that
 * what is under way can be abandoned, a database closed, and the user told how to go on; then the process dies of the signal
 * after all. */
#ifndef HEDDLE_CLI_STOP_H
#define HEDDLE_CLI_STOP_H

#include <signal.h>

#include "cli/cli.h"

struct stop {
    sigset_t held;
    int signal; /* that came; 0: none */
};

/* Before any thread is started. What is ignored, as by nohup, stays so. */
void stop_hold(struct stop *s);
/* Whether such a signal has come by now. */
bool stop_asked(struct stop *s);
/* After the runs: signals end the process again, unless one has come already, which waits for stop_die. */
void stop_release(struct stop *s);
/* Dies of the signal that came, for the parent to see; status: when none did, or that does not end the process. */
enum cli_exit stop_die(struct stop *s, const struct cli *c, enum cli_exit status);

#endif

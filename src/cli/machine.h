/* The machine a command line describes: --config, --set and --mech, shared by the commands that simulate. */
#ifndef HEDDLE_CLI_MACHINE_H
#define HEDDLE_CLI_MACHINE_H

#include <heddle.h>

#include "base/alloc.h"
#include "cli/opts.h"

struct machine {
    VEC(hd_option) settings;
    const char *config; /* name or file; NULL: the default machine */
    struct arena mem;   /* keys of settings */
};

bool machine_read(struct machine *m, const struct opts *o, struct err *e);
void machine_free(struct machine *m);

#endif

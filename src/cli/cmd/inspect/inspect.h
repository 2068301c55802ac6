/* What `heddle inspect` knows of a file, and its three ways of saying it. Shared by the files inspect*.c. */
#ifndef HEDDLE_CLI_CMD_INSPECT_INSPECT_H
#define HEDDLE_CLI_CMD_INSPECT_INSPECT_H

#include "cfg/regions.h"
#include "cfg/uniform.h"
#include "cli/cli.h"
#include "sim/sim.h"

struct inspect {
    const struct term *term;
    hd_device *dev;
    hd_module *mod;
    const struct ir_module *ir;
    const struct cfg *cfg;
    uint8_t *varies;             /* cfg_uniform */
    uint32_t *likely;            /* cfg_likely */
    struct cfg_regions *regions; /* regions of branches that may split a warp; NULL: too many marks to list */
    uint32_t only;               /* function to show; CFG_NONE: all */
    const char *form;            /* word of the form that the program is in; NULL: it is as it was written */
    bool code;
};

/* A place where threads of one warp can part: a conditional or indirect branch, or a conditional return or exit. */
struct inspect_branch {
    uint32_t pc, block;
    const char *kind; /* "bra", "brx.idx", "ret", "exit" */
};

/* Numbers of one function, calls included for a kernel. */
struct inspect_needs {
    uint32_t registers, compiled, shared_bytes, local_bytes;
};

bool inspect_wants(const struct inspect *in, uint32_t func);
struct inspect_needs inspect_needs(const struct inspect *in, uint32_t func);
/* The next such place at or after *pc in the function; *pc moves behind it. */
bool inspect_next_branch(const struct inspect *in, uint32_t func, uint32_t *pc, struct inspect_branch *b);
/* The next instruction at or after *pc that the form is made of: added, a branch that is a mark, or with a flag. *pc moves
 * behind it; *at is it. */
bool inspect_next_mark(const struct inspect *in, uint32_t func, uint32_t *pc, uint32_t *at);
/* How many instructions the function has in the program as it is. */
uint32_t inspect_original_insts(const struct inspect *in, uint32_t func);
void inspect_mix(const struct inspect *in, uint32_t func, uint32_t mix[IR_NCLASSES]);
/* The source line of an instruction; false where the compiler left none. */
bool inspect_source(const struct inspect *in, uint32_t pc, const char **file, uint32_t *line);

/* Among which threads a branch may diverge: those of a "warp"; of a "block", each warp going one way as a whole; NULL: none. */
const char *inspect_diverges(const struct inspect *in, uint32_t pc);

void inspect_text(const struct inspect *in, struct sb *out);
bool inspect_json(const struct inspect *in, struct sb *out, struct err *e);

#endif

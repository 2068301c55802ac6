/* A scalar core: one thread of a program that is machine code, instruction by instruction through the executors that launches
 * use, until it asks its host for something. */
#ifndef HEDDLE_EXEC_CORE_H
#define HEDDLE_EXEC_CORE_H

#include "exec/exec.h"

struct exec_core;
/* At the program's entry, all registers 0. NULL: an error. */
struct exec_core *exec_core_new(struct exec_image *im, struct err *e);
void exec_core_free(struct exec_core *c);
uint64_t *exec_core_register(struct exec_core *c, uint32_t row); /* IR_RV_* */
uint64_t exec_core_insts(const struct exec_core *c);             /* executed so far */

enum exec_core_stop { EXEC_CORE_CALL, EXEC_CORE_LAUNCH, EXEC_CORE_ENDED, EXEC_CORE_FAILED };
/* An instruction that the core has executed: its PC, that of the next (IR_NOPC: there is none), and what it accessed in memory; bytes
 * 0: nothing. */
struct exec_core_step {
    uint32_t pc, next, bytes;
    uint64_t addr;
};
/* From now on calls fn for each instruction executed; those that the core stops at are not. */
typedef void exec_core_fn(void *user, const struct exec_core_step *s);
void exec_core_observe(struct exec_core *c, exec_core_fn *fn, void *user);
/* Runs on; CALL and LAUNCH stop behind the instruction. FAILED: a fault, or more than `most` instructions in all; e says. */
enum exec_core_stop exec_core_run(struct exec_core *c, uint64_t most, struct err *e);
/* The register that the launch it stopped at has its description in, and the one for the result. */
uint64_t exec_core_launch(struct exec_core *c, uint64_t **result);
/* A failure found by the host, told with the place it happened at. Returns false. */
bool exec_core_fail(struct exec_core *c, struct err *e, const char *what);

#endif

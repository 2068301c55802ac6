/* What decides the way of every thread and what it accesses, apart from the values it computes: a launch can write that down
 * while it executes (record), or be given it and compute nothing (replay).
 *
 * A thread's tape is a sequence of numbers, in the order of its own program, whichever threads it runs together with.
 * Each number belongs to a column: one thing that one instruction of the program tells, an address, a register or a
 * predicate. Threads of a block have one tape each; how they are kept is the business of who gives struct exec_tape.
 *
 * What must be known is found by the plan (tape_plan.c). Registers whose values are needed again, guards first of all,
 * are given them when they are written. Barriers, calls, returns, votes and what a form of the program adds are
 * executed as ever, on such registers; everything else only takes its place in time. So whatever stands behind
 * exec/warp.h, the functional engine or an SM with any mechanism, runs a replay by the code that it runs programs
 * with. */
#ifndef HEDDLE_EXEC_TAPE_TAPE_H
#define HEDDLE_EXEC_TAPE_TAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ir/program.h"

struct exec_tape {
    bool replay;
    void *user;
    /* A block begins, in any order, several at a time: its tapes. NULL: they cannot be had. */
    void *(*start)(void *user, uint64_t block);
    /* The block has ended or, if not complete, is given up. */
    void (*end)(void *tapes, bool complete);
    /* thread: its number in the block. get: false when there is no such number; `why` says what is the matter, of tapes NULL
     * with the start. */
    void (*put)(void *tapes, uint32_t thread, uint32_t column, uint64_t value);
    bool (*get)(void *tapes, uint32_t thread, uint32_t column, uint64_t *value);
    const char *(*why)(void *user, void *tapes);
};

/* Finds the columns of the kernel `func` of a module, with all that it may call. NULL: the kernel cannot be replayed; e
 * has the reason. */
struct exec_plan;
struct exec_plan *exec_plan_new(const struct ir_module *m, uint32_t func, struct err *e);
void exec_plan_free(struct exec_plan *p); /* NULL is fine */
/* What an instruction tells: first of its access, none, an address, or an address and whether memory changed; then the
 * registers among o[0..nd) that have a bit in `written`. */
struct exec_told {
    uint32_t column, access, written;
};
struct exec_told exec_plan_at(const struct exec_plan *p, uint32_t pc);
/* How many columns, and of each whether it only has 0 and 1. */
uint32_t exec_plan_columns(const struct exec_plan *p, const bool **bits);
/* Why another machine or mechanism might have led threads another way than the run that was recorded; "" if nothing in the
 * program says so. Data races do that too, which a program does not say. */
const char *exec_plan_doubt(const struct exec_plan *p);

#endif

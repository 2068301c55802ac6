/* The form `structured`: a program as hardware runs it that knows no jumps but those of nested ifs and loops (CHAP, AMD,
 * POMP, GMA, Sandy Bridge: SL 2.1, 2.3). No code is duplicated; a function that is not reducible has no such form and
 * stays as it is.
 *
 * What the copy guarantees, of every function that has the form:
 *
 *   function  = body, then one `ret`, the only one (functions that return), or an exit, a trap or an ENDLOOP
 *   body      = { plain | if | loop | brk | cont | call }
 *   if        = IF body [ ELSE body ] ENDIF
 *   loop      = LOOP body ENDLOOP
 *   plain     = any instruction that is not a branch; exit and trap among them, guarded or not
 *   brk, cont = BRK, CONT: guarded or not, in a loop, directly or within ifs, and always of the innermost loop
 *   call      = a call, never guarded: IF call ENDIF where it was
 *
 * Branches that are marks: IF (guard: who skips the part; target: just behind its ELSE, or its ENDIF), ELSE (target: its
 * ENDIF), BRK (target: just behind the ENDLOOP), CONT (target: the ENDLOOP), ENDLOOP (target: just behind the LOOP). Plain
 * marks: ENDIF, and LOOP (target: its ENDLOOP). Threads part at IF, BRK, CONT and at a guarded exit or trap, nowhere else, whether
 * or not they can in the original: a branch that is uniform is an IF too. brx does not occur.
 *
 * Every instruction of the original that can be reached is there once and is executed by the same threads as often as in
 * the original, so that all mechanisms count the same work: a branch, jump or `ret` as the IF, ELSE, BRK, CONT or ENDLOOP that it
 * has become (a brx as the first of its tests), as `nop` where nothing is left of it to do, and a guarded `ret` as `nop` under
 * its guard. All others have IR_F_ADDED:
 * marks, and the guards:
 *
 *   mov p, pt      one who goes to a place that he reaches by running past others notes it in the guard of that place
 *   mov p, !pt     the note is cleared where all ways to the place begin; mov p, q: both at once
 *   IF             at the place, skipped by those who have not noted it
 *
 * Guards also lead out of several loops: BRK, and behind each inner loop a guarded BRK, or CONT if the way leads to the next
 * round. They are predicate rows of the function's own, behind its others, shared by places that are not open at once. */
#ifndef HEDDLE_CFG_STRUCTURISE_H
#define HEDDLE_CFG_STRUCTURISE_H

#include "cfg/rewrite.h"

/* refused of the copy: a function is irreducible (with the place, and the blocks), or would need too many predicates or
 * instructions: loops nested by the hundred, left from the innermost. */
struct rewrite *cfg_structurise(const struct ir_module *m, const struct cfg *c, struct err *e);

#endif

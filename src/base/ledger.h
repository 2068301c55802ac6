/* What to do when the host has no more memory, and whose the memory is.
 *
 * Allocation functions (alloc.h, pages.h) that cannot fail jump to the recovery point of their thread, which was set
 * where the program was called from outside: a call of the library on a device, or the command's main. A point may name
 * a ledger: then everything allocated meanwhile is written down there, so that its owner can give it all back without
 * asking the objects, which may be half made.
 *
 * Threads that work for one call may share its ledger, each with a point of its own.
 *
 * The points of a thread are the program's only state outside of arguments. They are what its call stack is in other
 * languages: a thread sees only its own, and a call leaves the stack of them as it found it. */
#ifndef HEDDLE_BASE_LEDGER_H
#define HEDDLE_BASE_LEDGER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ledger { /* all zero: empty */
    uintptr_t *slot;
    size_t n, cap;
    bool locked;
    uint64_t fail_at; /* for tests: the number of the first allocation to fail, of all from now on; 0: none */
};

struct ledger_point {
    jmp_buf at;            /* set by the owner right after ledger_enter, unless fatal is given */
    struct ledger *ledger; /* NULL: nothing is written down */
    void (*fatal)(void *user, size_t bytes); /* does not return; NULL: jump */
    void *user;
    struct ledger_point *outer;
};

/* if (ledger_enter(&p, ledger), setjmp(p.at)) out of memory, p is left; else ... ledger_leave(&p). */
void ledger_enter(struct ledger_point *p, struct ledger *h);
/* ledger_enter, with the ledger there is: to tidy up and fail again. */
void ledger_nest(struct ledger_point *p);
void ledger_leave(struct ledger_point *p);
/* Around what is not ours, a callback: what it allocates is not this call's, and if it fails, so does who called us. Gives
 * what ledger_adopt wants afterwards. */
struct ledger_point *ledger_step_out(void);
/* The point of this thread, and making it that of another one that works for it. */
struct ledger_point *ledger_now(void);
void ledger_adopt(struct ledger_point *p);
/* The host has no such memory. Does not return. */
_Noreturn void ledger_fail(size_t bytes);

/* For allocators: p, of malloc, is given out, or given back. False: no memory to write it down. */
bool ledger_add(void *p);
bool ledger_remove(void *p); /* was it written down? */
bool ledger_allows(void);    /* false: a test wants this allocation to fail */
/* The record of memory that is given back by munmap(map, bytes), kept at the front of it. */
struct ledger_map {
    void *map;
    size_t mapped;
};
bool ledger_add_map(struct ledger_map *m);
void ledger_remove_map(struct ledger_map *m);

/* Gives everything back that is written down. */
void ledger_free(struct ledger *h);

#endif

/* Data races: two threads access the same bytes, one of them writes, and nothing orders the two accesses.
 *
 * Findings outlive launches: a struct exec_races is named by one launch after another, which all add to it. */
#ifndef HEDDLE_EXEC_RACE_RACES_H
#define HEDDLE_EXEC_RACE_RACES_H

#include "base/err.h"
#include "base/option.h"
#include "ir/program.h"

/* What orders the lanes of a warp: only what the program says, or, as before Volta, each instruction. */
#define EXEC_RACES(CHOICE) \
    CHOICE(off, EXEC_RACES_OFF) CHOICE(on, EXEC_RACES_ON) CHOICE(lockstep, EXEC_RACES_LOCKSTEP)
enum exec_races_mode { EXEC_RACES(OPTION_ENUMERATOR) };

enum exec_race_access {
    EXEC_RACE_READ,
    EXEC_RACE_WRITE,
    EXEC_RACE_VOLATILE_READ,
    EXEC_RACE_VOLATILE_WRITE,
    EXEC_RACE_STRONG_READ, /* relaxed, acquire */
    EXEC_RACE_STRONG_WRITE,
    EXEC_RACE_ATOMIC
};
enum exec_race_kind { EXEC_RACE_WRITE_WRITE, EXEC_RACE_READ_WRITE, EXEC_RACE_ATOMIC_PLAIN };

struct exec_race_side {
    enum exec_race_access access;
    uint32_t pc, line;  /* line in the PTX text */
    const char *text;   /* of that line */
    const char *source; /* file, NULL: not known */
    uint32_t source_line;
    uint32_t block[3], thread[3], warp;
};

/* All conflicts of one pair of instructions. What is said of threads and place is of the first of them (in
 * which values differed, if any did). */
struct exec_race {
    enum exec_race_kind kind;
    bool same_value; /* in all of them both stored the same: no result depends on who came first */
    bool shared;     /* shared memory, else global */
    uint64_t count;  /* conflicting pairs of accesses, by word */
    uint64_t launch; /* the grid_id of the first */
    const char *file, *kernel;
    const char *object; /* buffer or variable, "" if the bytes are in none */
    uint64_t address, offset;
    struct exec_race_side side[2]; /* in the order they ran */
};

struct exec_races;
/* bytes: the most that is kept about accesses at one time. */
struct exec_races *exec_races_new(enum exec_races_mode mode, uint64_t bytes);
void exec_races_free(struct exec_races *r);
/* What was found so far, races first, those of the same value last, the most frequent first; the caller's to free. */
const struct exec_race **exec_races_found(const struct exec_races *r, size_t *n);
/* Pairs of instructions beyond the most that are kept, and accesses that were not looked at for want of memory. */
uint64_t exec_races_omitted(const struct exec_races *r);
uint64_t exec_races_unseen(const struct exec_races *r);

#endif

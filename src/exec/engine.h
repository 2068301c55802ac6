/* A launch of the functional engine under way: what engine.c, which runs it, and stuck.c, which finds out that it will never
 * end, share. */
#ifndef HEDDLE_EXEC_ENGINE_H
#define HEDDLE_EXEC_ENGINE_H

#include "exec/impl.h"
#include "exec/livelock/joint.h"

struct split {
    uint32_t pc, depth, mask;
    bool favoured;  /* has a turn */
    uint64_t stamp; /* when it last ran */
};

struct path { /* the splits of one warp */
    struct split s[EXEC_LANES];
    uint32_t n;
    uint64_t used; /* warp instructions since the last turn */
};

struct resident {
    struct exec_block block;
    struct path *paths;
    uint32_t idle; /* rounds without a sign of progress, in units where IDLE_PASSES is enough */
    bool circles;  /* its barriers complete, but were found to be part of a loop that it waits in */
    bool active;
};

struct tally { /* differences along the code: summed up, how often each instruction ran */
    int64_t warps, lanes;
};

struct engine {
    struct exec_grid grid;
    const struct exec_launch *launch;
    struct exec_stats *stats;
    struct err *err;
    struct tally *tally;
    struct resident **resident;
    size_t nresident, most_resident;
    uint64_t next_block, done;
    uint64_t quantum, stamp;
    uint64_t ask_at;   /* thread instructions: whether to go on */
    uint64_t patience; /* PATIENCE, or 1 since a block was found to poll that showed no sign of it */
    struct exec_looper *looper;
    struct exec_joint *joint;
    uint64_t look_at;             /* thread instructions before threads are looked at again (look) */
    uint64_t follow;              /* how far each is followed */
    uint64_t circle_at, circling; /* the same for circles() */
};

/* stuck.c. Those that return bool because a launch goes on: false, with the report in err, if it will not. */
void stuck_begin(struct engine *en);
void stuck_end(struct engine *en);
/* The block has threads, but every one of them is blocked. Returns false. */
bool stuck_deadlock(struct engine *en, const struct exec_block *b);
/* Does the block poll for something, though by none of the signs (spun)? */
bool stuck_polls(struct engine *en, struct resident *r);
/* Barriers complete, yet nothing may ever come of it: is the block in a loop of them? */
bool stuck_circles(struct engine *en, struct resident *r);
/* After a round in which no block has ended. */
bool stuck_look(struct engine *en);

#endif

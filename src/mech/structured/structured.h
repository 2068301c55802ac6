/* What the files of the walker for structured code share: walker.c (where a warp goes), masks.c, counters.c and pcs.c (how
 * it knows who is active), tables.c (what the kernel is made of), show.c (for people), structured.c (the five mechanisms). */
#ifndef HEDDLE_MECH_STRUCTURED_STRUCTURED_H
#define HEDDLE_MECH_STRUCTURED_STRUCTURED_H

#include "mech/lib/declare.h"
#include "mech/lib/mask.h"

/* A part without threads is jumped over by hardware whose instructions say where it ends, and walked by that without. */
#define STRUCTURED_SKIP(BOOL, default_)                                                                      \
    BOOL(                                                                                                    \
        skip, default_,                                                                                      \
        "Whether a part that no thread of the warp executes is jumped over; false: it is walked, and every " \
        "instruction of it issued without threads.")
#define STRUCTURED_DEPTH(INT)                                                                                \
    INT(depth, 64, 1, 65536,                                                                                 \
        "Levels of nesting that there is storage for: an if or a call takes one, a loop two. A kernel that " \
        "nests deeper is refused; recursion is not limited.")
struct structured_params { /* depth 0: activity is stored in constant space */
    uint32_t skip, depth;
};
static inline const struct structured_params *structured_params(const struct mech *m) {
    return (const struct structured_params *)m->params;
}

#define STRUCTURED_COUNTERS(SUM, MAX)                                                                        \
    SUM(marks, "issues", "Marks issued: if, else, endif, loop, brk, cont, endloop.")                         \
    SUM(guards, "issues", "Other instructions issued that the structured form added: guards, jumps.")        \
    SUM(skipped_parts, "times", "Parts without threads that were jumped over.")                              \
    SUM(empty_issues, "issues", "Instructions issued without threads, marks among them.")                    \
    MAX(depth_max, "levels", "Most levels open at once in a warp: an if or a call is one, a loop two.")      \
    MAX(kernel_depth, "levels",                                                                              \
        "Levels that the kernel can open: its nesting, with that of the functions it calls; a function "     \
        "that "                                                                                              \
        "calls itself counts once.")                                                                         \
    MAX(warp_bits, "bits", "Storage of one warp that just these levels ask for.")                            \
    MAX(kernel_insts, "instructions", "Instructions of the kernel and the functions it calls, as they run.") \
    MAX(added_insts, "instructions", "Those of them that the structured form added.")
MECH_COUNTS(structured, STRUCTURED_COUNTERS)

/* ---- the program ---- */

/* What a PC is to the walker. */
enum structured_what {
    STRUCTURED_PLAIN, /* all threads go on, and no thread joins them at the next instruction */
    STRUCTURED_STEP, /* they go on, but to a place where others may join, or by a jump, or by leaving a function */
    STRUCTURED_GUARD, /* added by the form */
    STRUCTURED_IF,
    STRUCTURED_ELSE,
    STRUCTURED_ENDIF,
    STRUCTURED_LOOP,
    STRUCTURED_BRK,
    STRUCTURED_CONT,
    STRUCTURED_ENDLOOP,
    STRUCTURED_CALL,
    STRUCTURED_RET /* of a function that was called */
};

/* By launch, of the functions that the kernel can reach. */
struct structured_tables {
    const uint8_t *what;           /* by PC */
    const uint32_t *other;         /* by PC of an if: its ELSE; IR_NOPC: it has none */
    uint32_t levels, insts, added; /* as the statistics have them */
};

/* `mech` is the name of the mechanism that asks. */
const void *structured_prepare(const struct mech_program *p, const char *mech, struct arena *mem,
                               struct err *e);

/* ---- activity ---- */

/* Where a thread waits or goes on: a PC, and how many functions the warp is deep there. */
static inline uint64_t structured_place(uint32_t depth, uint32_t pc) {
    return (uint64_t)depth << 32 | pc;
}

/* What happens to the activity of a warp. `off` are active threads. */
enum structured_event {
    STRUCTURED_OPENS,   /* IF, call: `off` do not take part in what follows, and wait at `at` */
    STRUCTURED_SWAPS,   /* ELSE: who is active waits at `at`, the other side goes on at `next` */
    STRUCTURED_CLOSES,  /* ENDIF, return: both sides go on at `next` */
    STRUCTURED_LOOPS,   /* LOOP */
    STRUCTURED_BREAKS,  /* BRK: `off` leave the loop */
    STRUCTURED_SKIPS,   /* CONT: `off` wait for the next round */
    STRUCTURED_RETURNS, /* `off` leave the function */
    STRUCTURED_GATHERS, /* before ENDLOOP: who waits for the next round is there */
    STRUCTURED_REPEATS, /* ENDLOOP: again */
    STRUCTURED_ENDS,    /* ENDLOOP: no thread goes round again; those that left the loop go on at `next` */
    STRUCTURED_EXITS    /* `off` are gone; not only active threads of the warp may be */
};
struct structured_change {
    enum structured_event what;
    struct mask off;
    uint64_t at, next;   /* places */
    uint32_t ifs, loops; /* BREAKS, SKIPS, RETURNS: open inside of what they leave; a call is an if */
};

struct structured_loop {
    struct mask entered, continued;
};
struct structured_masks {
    struct mask active, *conditional;
    struct structured_loop *loop;
    uint32_t nconditional, conditional_cap, nloop, loop_cap;
};
struct structured_counters {
    struct mask active;
    uint32_t *c; /* by thread, from the first slot on */
};
struct structured_pcs {
    struct mask active;
    uint64_t *at; /* by thread: a place. Of an active one it is the warp's at the last mark */
};

/* An open if, loop or call. */
enum structured_kind { LEVEL_IF, LEVEL_LOOP, LEVEL_CALL };
struct structured_meeting { /* threads that left to wait somewhere: for accounts of divergence only */
    uint32_t branch;        /* that first parted them from others; IR_NOPC: none did */
    uint32_t threads, last; /* that wait, and those of them who came last */
};
struct structured_level {
    uint8_t kind;
    bool second;                           /* IF: the else-part is walked */
    uint32_t pc;                           /* of the IF, LOOP or call */
    uint32_t other;                        /* IF: its ELSE, or IR_NOPC */
    uint32_t end;                          /* its ENDIF or ENDLOOP; call: the end of the function */
    uint32_t pending;                      /* IF: threads that wait for the else-part */
    struct structured_meeting meet, round; /* at its end; LOOP: at the next round */
};

enum { STRUCTURED_MASKS, STRUCTURED_COUNTS, STRUCTURED_PCS, STRUCTURED_WAYS };

/* State of a home warp. */
struct structured_home {
    struct mech_split *run;       /* NULL: no thread lives */
    uint32_t first, words;        /* architectural warp slots */
    uint32_t nlive, off, pending; /* threads; not active; waiting for an else-part */
    uint32_t height, calls;       /* levels open, as depth_max counts them; calls among them */
    struct mask live, active, waiting;
    struct structured_level *level; /* outermost first */
    uint32_t n, cap;
    /* The one that the mechanism has; with env.audit all three. */
    struct structured_masks masks;
    struct structured_counters counters;
    struct structured_pcs pcs;
    uint32_t *own_pc; /* env.audit: by thread, where its own branches took it */
};

struct structured {
    uint32_t way; /* in which activity is stored: STRUCTURED_MASKS ... */
    bool skip;
    const struct structured_tables *tables;
    struct structured_home *home;
    uint32_t off, pending; /* over all homes */
};

/* One way to store who is active. */
struct structured_activity {
    void (*start)(struct mech *m, struct structured_home *h, uint64_t place);
    void (*change)(struct mech *m, struct structured_home *h, const struct structured_change *c);
};
extern const struct structured_activity structured_by_masks, structured_by_counters, structured_by_pcs;

/* Calls `see` for threads that are not active, as this way of storing it has them: those that wait at `place`, to which
 * the warp comes when it has left so many levels. PCs do not know about levels: 0. */
typedef void structured_see_fn(void *user, const struct mask *who, uint64_t place, uint32_t levels);
void structured_waits(const struct structured_home *h, uint32_t way, structured_see_fn *see, void *user);

/* ---- the walker ---- */
enum { STRUCTURED_HOME }; /* split.own */
void structured_create(struct mech *m, uint32_t way);
void structured_start(struct mech *m, struct mech_split *s, uint32_t home);
bool structured_advance(struct mech *m, struct mech_split *s, uint32_t to);
void structured_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o);
void structured_release(struct mech *m, const struct mech_set *set, uint32_t pc);

/* ---- for people ---- */
void structured_census(const struct mech *m, struct mech_census *c);
void structured_places(const struct mech *m, mech_place_fn *put, void *user);
void structured_state(const struct mech *m, struct sb *out);
void structured_storage(const struct mech *m, struct mech_storage *out);
/* Bits that the structure takes for a warp, with so many levels. */
uint64_t structured_bits(const struct mech *m, uint32_t levels);
void structured_audit(const struct mech *m);

#endif

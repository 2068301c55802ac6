/* What `heddle explain` tells: the steps of some threads of one block and the mechanism's tables after them. */
#ifndef HEDDLE_CLI_CMD_EXPLAIN_EXPLAIN_H
#define HEDDLE_CLI_CMD_EXPLAIN_EXPLAIN_H

#include "base/alloc.h"
#include "cli/term.h"
#include "lab/run/program.h"
#include "sm/sm.h"

enum { EXPLAIN_WORDS = 32 }; /* architectural warps of a block: 1024 threads */

/* Threads of the block that is explained; only those that are explained, the others are counted. */
struct explain_lanes {
    uint32_t word[EXPLAIN_WORDS];
    uint32_t others;
};

/* Consecutive instructions of one block of code by the same threads, nothing having happened to them. */
struct explain_group {
    struct explain_lanes lanes;
    uint32_t first, last; /* PCs */
    uint32_t to;          /* where they go on */
    uint64_t issued, committed;
    struct explain_tables *after; /* as they were then, where the view keeps them */
};

/* A mechanism's tables: those of its lines that concern the threads explained. */
enum explain_token_kind { EXPLAIN_TEXT, EXPLAIN_SET, EXPLAIN_PC };
struct explain_token {
    enum explain_token_kind kind;
    const char *text; /* TEXT */
    size_t n;
    uint32_t index; /* SET: which of `sets`; PC: of the form that runs */
};
struct explain_line {
    size_t first, end; /* tokens */
    bool sets, mine;   /* it has sets of threads; one of them has a thread that is explained */
};
struct explain_tables {
    struct sb raw; /* as the mechanism prints them: tokens point into it */
    VEC(struct explain_token) tokens;
    VEC(struct explain_lanes) sets;
    VEC(struct explain_line) lines;
    VEC(uint64_t) key; /* who is together in each line, and nothing else; sorted */
};

/* A step as it is told. */
struct explain_step {
    const struct explain_group *group;   /* NULL: other threads changed the tables */
    const struct sm_commit *commit;      /* NULL: nothing happened to the group */
    const struct explain_tables *tables; /* NULL: who is together is as it was, and they are not kept */
    bool first;                          /* there were no tables before */
};

struct explain_view {
    const struct ir_module *ir;      /* the code that runs */
    const struct ir_module *program; /* as it was loaded */
    const struct rewrite *form;      /* the form of the program that runs; NULL: the program itself */
    uint64_t block;                  /* number of the block in the grid */
    uint32_t first, count;           /* threads of the block that are explained */
    uint32_t width;                  /* threads of a warp of the machine */
    bool every;                      /* no instructions are gathered */
    bool all_tables;                 /* shown after every step, not only when they changed */
    uint64_t most;                   /* steps */
    void (*show)(struct explain_view *v, const struct explain_step *s);
    const struct term *term; /* terminal that the text is for */
    struct sb out;           /* text that was not printed yet */
    /* Tables of all steps are kept, so that their PCs are always those of the step. */
    bool keep_tables;
    struct explain_record *record; /* the page's record */
    /* so far */
    uint64_t steps;
    bool more; /* than `most` */
    bool full; /* the page takes no more */
    bool done; /* all threads have exited */
    struct explain_lanes gone;
    uint32_t base;        /* architectural warp slot of the SM where the block begins */
    uint64_t fingerprint; /* hash of where these threads are in the mechanism */
    VEC(struct explain_group) groups;
    struct explain_tables tables, spare; /* as last looked at; those before */
};

/* steps.c: a listener to commits; then what is still to be told. */
void explain_commit(void *view, const struct sm_commit *c);
void explain_end(struct explain_view *v);
void explain_free(struct explain_view *v);
/* Something happened in it that has words: lanes part, exit, wait, or the mechanism says something. */
bool explain_eventful(const struct sm_commit *c);

/* text.c: a `show` that adds lines to v->out. */
void explain_show_text(struct explain_view *v, const struct explain_step *s);
/* "@p1 bra B3": with the program's labels; what it does not have with the place it speaks of. */
void explain_insn(const struct explain_view *v, uint32_t pc, struct sb *out);

/* lanes.c */
uint32_t lanes_chosen(const struct explain_view *v, uint32_t word); /* lanes of it that are explained */
void lanes_add(const struct explain_view *v, struct explain_lanes *l, uint32_t slot, uint32_t mask);
struct explain_lanes lanes_of(const struct explain_view *v, const struct mech_set *set);
bool lanes_any(const struct explain_lanes *l);
bool lanes_meet(const struct explain_lanes *a, const struct explain_lanes *b);
bool lanes_equal(const struct explain_lanes *a, const struct explain_lanes *b);
/* "##..": lane 0 first. Of several warps, those that have some, by number: "1:##.. 3:...#". */
void lanes_draw(const struct explain_view *v, const struct explain_lanes *l, struct sb *out);

/* The program's PC of an instruction that runs. */
static inline uint32_t explain_old_pc(const struct explain_view *v, uint32_t pc) {
    return v->form && pc < v->ir->code.n ? v->form->old_pc[pc] : pc;
}

/* tables.c: the tables as the mechanism prints them, of all its entries those that concern the threads explained. */
void explain_read_tables(const struct explain_view *v, const struct mech *m, struct explain_tables *t);
bool explain_same_key(const struct explain_tables *a, const struct explain_tables *b);
struct explain_tables *explain_tables_copy(const struct explain_tables *t);
void explain_tables_free(struct explain_tables *t);
/* Changes whenever the mechanism moves these threads, or threads that run with them, by a commit of others. */
uint64_t explain_fingerprint(const struct explain_view *v, struct sm *s);
/* "20 (B3)"; of a mark the place and the block of the instruction it stands before: "20 (B3) sync" */
void explain_pc(const struct explain_view *v, uint32_t pc, struct sb *out);

/* launch.c: what the file's own launch becomes where it is larger than needs be. */
struct explain_cut {
    /* The blocks, the threads of a block may be cut: the command line does not say them. */
    bool grid, threads;
    uint64_t block; /* the block that stays */
    uint64_t warp;  /* the warp of it that stays */
};
/* Cuts l. config: of the device and the mechanism. May be called again for other mechanisms with the launch as it was: the
 * largest does for all of them. */
bool explain_cut_launch(const struct lab_program *p, const hd_config *config, const struct explain_cut *c,
                        hd_launch *l, struct err *e);

#endif

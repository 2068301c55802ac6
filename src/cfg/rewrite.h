/* A copy of an analysed module with instructions inserted, and the maps between its PCs and the original's. The
 * copy borrows the names, parameters, variables and text of the original, which must outlive it. */
#ifndef HEDDLE_CFG_REWRITE_H
#define HEDDLE_CFG_REWRITE_H

#include "cfg/cfg.h"

/* Who passes an inserted instruction. */
enum rewrite_where {
    /* Before `pc`, for all threads that come there, by a jump, a fall-through, a return or a call of the function. */
    REWRITE_BEFORE,
    /* For threads that go from `pc` directly to `to`, whatever slots of a table or fall-through lead there; pc
     * IR_NOPC: for those that enter the function whose first instruction is `to`. */
    REWRITE_EDGE
};

struct rewrite_insert {
    uint32_t pc, to; /* PCs of the original; `to` with REWRITE_EDGE only */
    enum rewrite_where where;
    bool targets;        /* insn.target is a PC of the original, to be mapped (IR_BRA always is) */
    struct ir_insn insn; /* rows, not virtual registers; line 0: that of the place */
};

/* What new instructions that were not asked for by name are: see rewrite.insert. */
#define REWRITE_ORIGINAL 0xffffffffu /* an instruction of the original */
#define REWRITE_JUMP     0xfffffffeu /* a jump from instructions on an edge to where the edge leads */
#define REWRITE_ADDED    0xfffffffdu /* added by the maker of the layout (cfg_rewrite_lines) */

struct rewrite {
    struct ir_module *m;
    struct cfg *cfg;
    /* By new PC: the same instruction; of an inserted one the place: pc, or `to` on entering. */
    uint32_t *old_pc;
    uint32_t *insert; /* by new PC: which insertion, or REWRITE_* */
    uint32_t *new_pc; /* by old PC: the same instruction; IR_NOPC: the copy does not have it */
    /* By old PC: where who jumps to it arrives: the first inserted before it, or itself; or IR_NOPC. */
    uint32_t *landing;
    /* By function: why it has no such form and is in the copy as it was, or NULL: it has. NULL: all have. */
    const char **refused;
    struct arena mem;
};

/* Instructions inserted at one place stand in the order of the list; those on an edge come before those that all
 * arrivals pass. Targets, tables, entries, ends, lines and source locations follow; blocks and everything cfg derives
 * from them are computed anew, the registers stay as they are coloured. An edge that is not there is our own fault. NULL
 * on error: too many instructions, or an inserted branch or return that breaks a function. */
struct rewrite *cfg_rewrite(const struct ir_module *m, const struct cfg *c,
                            const struct rewrite_insert *inserts, size_t n, struct err *e);
/* A form has changed where branches of r->m lead: what cfg derives is computed anew. was: as c above. */
bool cfg_rewrite_turned(struct rewrite *r, const struct cfg *was, struct err *e);
void cfg_rewrite_free(struct rewrite *r);

/* A copy whose maker lays out the code himself, instruction by instruction in the order of their new PCs. */
struct rewrite_line {
    uint32_t old; /* the original's PC of the instruction; of an added one the place it speaks of */
    bool added;   /* an instruction of the original at most once is not, perhaps changed */
    /* target: a PC of the copy; the table of a brx, which is in ext, is mapped like a jump. */
    struct ir_insn insn;
};
struct rewrite_layout {
    VEC(struct rewrite_line) lines;
    VEC(uint32_t) k32; /* further 32-bit constants: indices after those of the module */
    /* By function, PCs of the copy; functions in the order they have in the original. */
    uint32_t *entry, *end;
    /* By function: how many predicate rows it needs on top of its own. The code names them by the rows that follow
     * the function's in the original, whatever these are there. */
    uint32_t *predicates;
};
/* The module is linked anew, so that the rows of callees follow their callers'. The lines may change. NULL on error. */
struct rewrite *cfg_rewrite_lines(const struct ir_module *m, const struct cfg *c, struct rewrite_layout *to,
                                  struct err *e);

/* What an inserted instruction is: "sync", "bra". NULL: it is one of the original, or r is NULL. */
const char *cfg_rewrite_added(const struct rewrite *r, uint32_t pc);
/* For those who read: "12", the PC that an instruction has in the original; of an inserted one "12 sync": what it is, and
 * the PC of the instruction that it stands before (or, on an edge, behind). r NULL: the PC as it is. */
void cfg_rewrite_print_pc(const struct rewrite *r, uint32_t pc, struct sb *out);
/* Prints the places in a mechanism's words as cfg_rewrite_print_pc does: a number after "pc", "rpc", "at", "from"
 * or "ahead of" is one. */
void cfg_rewrite_print_text(const struct rewrite *r, const char *text, struct sb *out);

#endif

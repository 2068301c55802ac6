/* A loaded program: functions, variables, constants, debug lines. Made by a front end, completed by cfg (blocks,
 * post-dominators, register rows) and ir_link (frames, rows and shared memory across calls), then never changed. */
#ifndef HEDDLE_IR_PROGRAM_H
#define HEDDLE_IR_PROGRAM_H

#include "base/alloc.h"
#include "base/err.h"
#include "ir/insn.h"

struct ir_param {
    const char *name;
    uint8_t type; /* enum ir_type of a scalar; NONE: an array of bytes (a struct by value) */
    /* kernels: offset in the parameter buffer; functions: in the callee's frame. */
    uint32_t bytes, align, offset;
    bool pointer; /* declared .ptr */
    bool bits;    /* declared .b8 to .b64: an integer or a float, which the type does not say */
};

enum ir_var_kind { IR_VAR_DATA, IR_VAR_TEXREF, IR_VAR_SAMPLERREF, IR_VAR_SURFREF };

/* A module-scope or function-scope variable that has an address (.global, .const, .shared). */
struct ir_var {
    const char *name;
    uint8_t kind;   /* enum ir_var_kind */
    uint8_t space;  /* IR_SP_GLOBAL, IR_SP_CONST, IR_SP_SHARED */
    uint8_t type;   /* element type */
    bool dynamic;   /* .extern .shared x[]: placed after the static shared variables */
    bool external;  /* .extern without definition */
    uint64_t fixed; /* the address it must have; 0: any */
    uint64_t bytes;
    uint32_t align;
    uint8_t *init;  /* bytes, or NULL for zeros */
    uint64_t ninit; /* how many of them; the rest is zero */
};

/* A value known only when the program is placed: written into a constant, or into a variable's initial bytes. */
enum ir_reloc_kind { IR_RELOC_VAR, IR_RELOC_FUNC };
struct ir_reloc {
    uint8_t kind;    /* enum ir_reloc_kind */
    uint8_t bytes;   /* 4 or 8 (in an initialiser also 1, 2: mask() of an address) */
    uint8_t shift;   /* initialiser: right shift before storing */
    bool generic;    /* generic(sym): converted to a generic address */
    uint32_t symbol; /* variable or function */
    int64_t addend;
    uint32_t constant; /* index of the constant (file by bytes), or IR_NOPC when in a variable */
    uint32_t var;      /* the variable whose initialiser holds it */
    uint64_t offset;   /* where in it */
};

struct ir_srcloc { /* from .loc; file 0: none */
    uint32_t file, line, col;
};

/* A kind of instruction that a function uses and heddle does not support; in its place the function has a trap. */
struct ir_refused {
    const char *form, *why; /* as written, with its modifiers; "" or a reason */
    const char *text;       /* the whole message: place, line and caret */
    uint32_t line, col;     /* where the first one begins */
    uint32_t count;
    bool call; /* form is a function that is called and not defined */
};

struct ir_func {
    const char *name;
    bool kernel, recursive; /* recursive: may be active twice in one thread (ir_link) */
    bool address_taken;
    bool defined;
    uint32_t line;       /* in the PTX text */
    uint32_t entry, end; /* PCs [entry, end) */
    struct ir_param *params, *rets;
    uint32_t nparams, nrets;
    uint32_t param_bytes; /* kernels: size of the parameter buffer */
    uint32_t frame_bytes; /* local memory of one activation, multiple of 16 */
    uint32_t nvirt[3]; /* virtual registers per file, as the front end numbers them; predicate 0 is IR_PT */
    /* cfg: rows are relative to base until ir_link adds it */
    /* Per file; predicate row 0 is IR_PT for all and never part of a base: predicates are rows base + 1 .. base +
     * nrow, the others base .. base + nrow - 1. */
    uint32_t nrow[3], base[3];
    uint32_t regs; /* 32-bit registers one thread needs, this function alone (rows used, 64-bit twice) */
    uint32_t compiled_regs; /* registers of machine code, estimated (cfg/pressure.c) */
    /* ir_link: over everything reachable. total_rows: how many rows of each file a warp needs, IR_PT's included */
    uint32_t total_rows[3], total_regs, total_compiled;
    uint32_t shared_bytes;   /* static shared memory of a kernel */
    uint32_t *shared_offset; /* kernels: offset of each variable (IR_NOPC: not used), by variable index */
    uint32_t *shared_used;   /* variables this function names itself; nshared_used of them (front end) */
    uint32_t nshared_used;
    const struct ir_refused *refused; /* nrefused of them (front end) */
    uint32_t nrefused;
    bool unsupported; /* it cannot run: it has such instructions, or may call a function that has (ir_link) */
    uint32_t maxntid[3], reqntid[3]; /* 0: not given */
    uint32_t minnctapersm, maxnctapersm, maxnreg;
};

/* One of the texts that a module was linked from. */
struct ir_part {
    const char *name;
    uint32_t before; /* lines of the texts in front of it */
};

/* The machine code of a module that has some: where its instructions are in memory. All its functions share one set
 * of registers, whose rows are fixed (IR_RV_*); a jump by a register names an address. */
struct ir_binary {
    uint64_t base, halves;           /* addresses from base on, in steps of two bytes */
    const uint32_t *pc_of;           /* by step: the instruction that begins there, or IR_NOPC */
    const uint64_t *addr;            /* by PC; of an instruction that was added, that of the one before it */
    const uint32_t *text;            /* by PC: where its line begins in the module's text */
    uint64_t entry;                  /* where the program begins */
    uint64_t global_pointer;         /* what gp holds in it; 0: the file does not say */
    uint64_t headers, nheaders, end; /* address and number of the program headers; behind the last segment */
    const void *file;                /* the file's bytes, for who writes the program down */
    size_t file_bytes;
};
/* The PC of the instruction at an address, or IR_NOPC. */
static inline uint32_t ir_binary_pc(const struct ir_binary *b, uint64_t addr) {
    const uint64_t step = (addr - b->base) / 2;
    return addr & 1 || addr < b->base || step >= b->halves ? IR_NOPC : b->pc_of[step];
}

struct ir_module {
    struct arena mem;
    const struct ir_binary *binary; /* NULL: it is not machine code */
    const char *name;               /* file name, for messages */
    VEC(struct ir_part) parts; /* in order; none: it is one text. Lines count through all of them: ir_place */
    uint32_t version_major, version_minor, sm, address_bits;
    VEC(struct ir_insn) code;
    VEC(struct ir_srcloc) src; /* parallel to code */
    VEC(struct ir_func) funcs;
    VEC(struct ir_var) vars;
    VEC(struct ir_reloc) relocs;
    VEC(uint32_t) k32;
    VEC(uint64_t) k64;
    VEC(uint32_t) ext;
    VEC(const char *) files; /* [0] unused; .file numbers index it, NULL where not given */
    const char *text;        /* the PTX text, kept for diagnostics (arena) */
    size_t text_len;
    const char *warnings;          /* the front end's warnings, whole lines; "" when none (arena) */
    bool replays_only;             /* it has no values (front/sass): only a tape can run it */
    uint32_t nblocks;              /* module-wide (cfg) */
    uint32_t *by_entry, nby_entry; /* functions that have code, in PC order (ir_link) */
};

/* A line of the module as its reader knows it. */
struct ir_place {
    const char *name;
    uint32_t line;
};
struct ir_place ir_place(const struct ir_module *m, uint32_t line);

struct ir_module *ir_module_new(const char *name);
void ir_module_free(struct ir_module *m);
int ir_find_func(const struct ir_module *m, const char *name); /* index or -1 */
int ir_find_var(const struct ir_module *m, const char *name);
const struct ir_func *ir_func_at(const struct ir_module *m, uint32_t pc); /* function holding pc */

/* The operands that an instruction reads beyond those in o, *n of them. */
static inline uint32_t *ir_more(const struct ir_module *m, const struct ir_insn *i, uint32_t *n) {
    *n = 0;
    if (!ir_has_more(i)) return NULL;
    uint32_t *words = m->ext.v + i->ext;
    *n = words[IR_MORE_COUNT];
    return words + IR_MORE;
}

/* Gives put every function that an instruction may call, or jump to in machine code: of an indirect call without a list, each
 * whose address is taken. */
void ir_callees(const struct ir_module *m, const struct ir_insn *i, void (*put)(void *user, uint32_t func),
                void *user);
/* Gives visit a function and every one that it may get to by calls, each once. visit says whether its calls are followed. */
void ir_follow(const struct ir_module *m, uint32_t func, bool (*visit)(void *user, uint32_t func),
               void *user);
/* Marks the functions that one can reach, itself included; seen has an element each, false at first. */
void ir_reach(const struct ir_module *m, uint32_t func, bool *seen);

/* After every function is coloured: call graph, recursion, row bases so that no caller's row is a callee's, frame
 * words of calls, shared-memory layout of each kernel, which functions are unsupported, totals. Fails on calls to
 * undefined functions. */
bool ir_link(struct ir_module *m, struct err *e);
/* Takes the row bases out of the code again, for a copy that is linked anew because its functions need other numbers
 * of rows: each instruction must be in the copy once at most, and in the function it was in. */
void ir_unlink(struct ir_module *m);

/* After ir_link: the functions with unsupported instructions that func may get to, itself first, then in the order of
 * the module; indices into m->funcs. The list is the caller's to free. */
uint32_t *ir_unsupported(const struct ir_module *m, uint32_t func, uint32_t *n);

/* Readable text of one instruction, e.g. "@!p1 setp.lt.s32 p2, r4, 17" (no newline). Branch targets are block labels
 * (B7) once cfg has numbered the blocks, PCs (@12) before. */
void ir_print_insn(struct sb *out, const struct ir_module *m, uint32_t pc);

#endif

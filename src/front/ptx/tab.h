/* The tables of a load: names in nested scopes, and small hash maps. */
#ifndef HEDDLE_FRONT_PTX_TAB_H
#define HEDDLE_FRONT_PTX_TAB_H

#include "base/alloc.h"
#include "front/ptx/lex.h"
#include "ir/insn.h"

/* 64-bit key to 32-bit value. */
struct map64 {
    struct map64_slot *slots;
    size_t n, cap;
};
#define MAP64_NONE 0xffffffffu
/* The value's place; *is_new says that the key is new (its value is MAP64_NONE then). Valid until the next call. */
uint32_t *map64_at(struct map64 *t, uint64_t key, bool *is_new);
void map64_free(struct map64 *t);

enum sym_kind {
    SYM_REG,    /* one register, or a vector of them */
    SYM_RANGE,  /* %r<n>: n registers (or vectors) of one kind */
    SYM_VAR,    /* .global .const .shared: index into the module's variables */
    SYM_FUNC,   /* index into the module's functions */
    SYM_KPARAM, /* a kernel's parameter: offset in the parameter buffer */
    SYM_FRAME,  /* .local variable, parameter of a function, .param variable of a call: offset in the frame */
    SYM_LABEL,  /* PC */
    SYM_TARGETS, /* .branchtargets, .calltargets: names */
    SYM_PROTO,   /* .callprototype */
    SYM_REFUSED /* its declaration was in error, which was reported: uses are not, and it may be declared again */
};

struct sym {
    const char *name; /* in the text */
    uint32_t len, hash;
    uint8_t kind;
    uint8_t file, bits, nvec; /* registers: enum ir_file, declared width (predicates 1), 1 or 2 or 4 */
    uint32_t depth;           /* depth of the scope it belongs to */
    uint32_t index;           /* variable, function, PC; registers: virtual number + 1, 0 when not used yet */
    uint32_t offset, bytes;   /* parameters and frame variables */
    uint32_t count;           /* ranges: how many; targets: how many */
    uint32_t id;              /* ranges: unique number; shared variables: function that named it last + 1 */
    uint32_t *map;            /* ranges: virtual number + 1 by element, or NULL when the map64 does it */
    struct tok *targets;
    struct proto *proto;
    /* Functions and variables: other texts see it; its definition so far yields to another. */
    bool linked, weak;
    const char *defined; /* where a function or variable is defined; NULL: nowhere so far */
    struct sym *shadowed, *scope_next;
};

struct names {
    struct arena *mem;
    struct names_slot *slots;
    size_t n, cap;
    VEC(struct sym *) scopes; /* most recent symbol of each open scope */
    bool digit_stems;         /* some range's name ends in a digit: %r1<5> */
};

void names_init(struct names *t, struct arena *mem);
void names_free(struct names *t);
void names_push(struct names *t);
void names_pop(struct names *t);
static inline uint32_t names_depth(const struct names *t) {
    return (uint32_t)t->scopes.n;
}
/* Unbinds the names of the innermost scope that are not linked. */
void names_drop_own(struct names *t);
/* Binds a name in the innermost scope (scope 1 is the module's). *is_new is false when that scope has it already. */
struct sym *names_add(struct names *t, const struct tok *name, bool range, bool *is_new);
/* The innermost binding, or NULL. An element of a range gives the range and *element. */
struct sym *names_find(const struct names *t, const struct tok *name, uint32_t *element);
/* Looks only at plain names in the innermost scope. */
struct sym *names_find_here(const struct names *t, const struct tok *name);
/* The visible register name nearest to a misspelt one; written to out. */
bool names_suggest(const struct names *t, const struct tok *name, char *out, size_t size);

#endif

/* The state of one load, and the syntactic half of the front end: expressions, declarations, statements. */
#ifndef HEDDLE_FRONT_PTX_PARSE_H
#define HEDDLE_FRONT_PTX_PARSE_H

#include "front/ptx/diag.h"
#include "front/ptx/lex.h"
#include "front/ptx/tab.h"
#include "ir/program.h"

/* Types that exist only in the text. */
enum {
    PT_TF32 = IR_NTYPES,
    PT_B128,
    PT_F32X2,
    PT_E4M3X2, /* narrow floats, in the order of enum ir_narrow */
    PT_E5M2X2,
    PT_E2M1X2,
    PT_E2M3X2,
    PT_E3M2X2,
    PT_OTHER
};

/* Classes of modifiers; a form lists those it takes. */
enum mod_class_bit {
    MCB_TYPE,
    MCB_RND,
    MCB_RNDI,
    MCB_RNA,
    MCB_FTZ,
    MCB_NOFTZ,
    MCB_SAT,
    MCB_SATFINITE,
    MCB_RELU,
    MCB_NAN,
    MCB_XSGN,
    MCB_ABS,
    MCB_APPROX,
    MCB_CC,
    MCB_PART,
    MCB_CMP,
    MCB_BOOL,
    MCB_ATOM,
    MCB_POPC,
    MCB_SPACE,
    MCB_VEC,
    MCB_COP,
    MCB_NC,
    MCB_SEM,
    MCB_MMIO,
    MCB_SCOPE,
    MCB_EVICT,
    MCB_HINT,
    MCB_LEVEL,
    MCB_SYNC,
    MCB_ALIGNED,
    MCB_BAR,
    MCB_VOTE,
    MCB_UNI,
    MCB_SHFL,
    MCB_IDX,
    MCB_WRAP,
    MCB_PRMT,
    MCB_TESTP,
    MCB_TO,
    MCB_SHIFTAMT,
    MCB_PACK,
    MCB_GEOM,
    MCB_LOD,
    MCB_QUERY,
    MCB_COMPONENT,
    MCB_BOUND,
    MCB_WORD,
    MCB_MASK,
    MCB_VMAD,
    MCB_PO,
    MCB_MATRIX,
    MCB_MAJOR,
    MCB_MATRICES,
    MCB_SHAPE,
    MCB_ANY
};
#define MC(x)        ((uint64_t)1 << MCB_##x)
#define MC_TYPE      MC(TYPE)
#define MC_RND       MC(RND)
#define MC_RNDI      MC(RNDI)
#define MC_RNA       MC(RNA)
#define MC_FTZ       MC(FTZ)
#define MC_NOFTZ     MC(NOFTZ)
#define MC_SAT       MC(SAT)
#define MC_SATFINITE MC(SATFINITE)
#define MC_RELU      MC(RELU)
#define MC_NAN       MC(NAN)
#define MC_XSGN      MC(XSGN)
#define MC_ABS       MC(ABS)
#define MC_APPROX    MC(APPROX)
#define MC_CC        MC(CC)
#define MC_PART      MC(PART)
#define MC_CMP       MC(CMP)
#define MC_BOOL      MC(BOOL)
#define MC_ATOM      MC(ATOM)
#define MC_POPC      MC(POPC)
#define MC_SPACE     MC(SPACE)
#define MC_VEC       MC(VEC)
#define MC_COP       MC(COP)
#define MC_NC        MC(NC)
#define MC_SEM       MC(SEM)
#define MC_MMIO      MC(MMIO)
#define MC_SCOPE     MC(SCOPE)
#define MC_EVICT     MC(EVICT)
#define MC_HINT      MC(HINT)
#define MC_LEVEL     MC(LEVEL)
#define MC_SYNC      MC(SYNC)
#define MC_ALIGNED   MC(ALIGNED)
#define MC_BAR       MC(BAR)
#define MC_VOTE      MC(VOTE)
#define MC_UNI       MC(UNI)
#define MC_SHFL      MC(SHFL)
#define MC_IDX       MC(IDX)
#define MC_WRAP      MC(WRAP)
#define MC_PRMT      MC(PRMT)
#define MC_TESTP     MC(TESTP)
#define MC_TO        MC(TO)
#define MC_SHIFTAMT  MC(SHIFTAMT)
#define MC_PACK      MC(PACK)
#define MC_GEOM      MC(GEOM)
#define MC_LOD       MC(LOD)
#define MC_QUERY     MC(QUERY)
#define MC_COMPONENT MC(COMPONENT)
#define MC_BOUND     MC(BOUND)
#define MC_WORD      MC(WORD)
#define MC_MASK      MC(MASK)
#define MC_VMAD      MC(VMAD)
#define MC_PO        MC(PO)
#define MC_MATRIX    MC(MATRIX)
#define MC_MAJOR     MC(MAJOR)
#define MC_MATRICES  MC(MATRICES)
#define MC_SHAPE     MC(SHAPE)
#define MC_ANY       MC(ANY)

enum mod_id {
#define MOD(text, id, classes, value) MOD_##id,
#include "front/ptx/mods.def"
    NMODS
};

struct mod {
    const char *text;
    uint16_t id;
    uint8_t value;
    uint64_t classes;
};
extern const struct mod ptx_mods[NMODS];

struct ptx;
struct stmt;
struct form {
    const char *name;
    bool (*lower)(struct ptx *p, struct stmt *s);
    uint8_t nsrc;
    uint64_t classes;
};

/* A value of a constant expression. */
struct value {
    enum { VAL_INT, VAL_F32, VAL_F64 } kind;
    bool uns;
    uint64_t u; /* the integer, or the bits */
};

enum opnd_kind {
    OPND_REG,
    OPND_IMM,  /* value */
    OPND_SYM,  /* sym + disp: an address */
    OPND_NAME, /* a name that is bound to nothing (yet): a label */
    OPND_SREG,
    OPND_VEC,  /* {elem...} */
    OPND_ADDR, /* [elem[0] + disp], tex: [elem[0], elem[1] ...] */
    OPND_LIST, /* (elem...) of a call */
    OPND_SINK  /* _ */
};

struct opnd {
    uint8_t kind;
    bool neg;     /* !p */
    bool minus;   /* -a of vmad */
    uint8_t bits; /* registers: declared width; special registers: 32 or 64 */
    uint8_t nvec; /* registers: elements when a whole vector is meant */
    uint8_t sreg; /* enum ir_sreg */
    uint8_t nelem;
    ir_opnd reg; /* a vector's elements follow each other */
    const char *at;
    uint32_t len;  /* length of the first token, for messages and labels */
    uint32_t hash; /* OPND_NAME */
    struct value v;
    int64_t disp;
    struct sym *sym;
    struct opnd *elem;   /* in the statement's pool */
    struct opnd *second; /* d|p */
    const char *sel;     /* video selector after the register, NULL: none */
    uint32_t sel_len;
};

enum { STMT_MODS = 20, STMT_OPNDS = 8, STMT_POOL = 160, MAX_PREDICATES = 1 << 23 };
#define GUARD_NEG 0x80000000u

/* One instruction as written. */
struct stmt {
    const struct form *form;
    const char *at;    /* the base name */
    uint32_t len;      /* with all modifiers, as written */
    uint32_t base_len; /* length of the base name */
    uint32_t line;
    uint32_t guard; /* virtual predicate; GUARD_NEG: negated */
    uint8_t nmods, ntypes, nops, npool;
    bool unknown_mod;
    uint8_t types[4]; /* enum ir_type or PT_* */
    uint64_t classes; /* classes of all modifiers */
    const struct mod *mods[STMT_MODS];
    struct opnd o[STMT_OPNDS];
    struct opnd pool[STMT_POOL];
};

/* A branch or jump table entry whose label is not known yet. */
struct fixup {
    struct tok name;
    uint32_t at; /* PC, or index into ext */
    bool in_ext;
};

struct scope { /* what '}' brings back */
    size_t fixups;
    uint32_t frame;
    bool keep_frame;
};

/* Parameters of a function or prototype. */
struct proto {
    struct ir_param *params, *rets;
    struct sym **param_syms, **ret_syms; /* not bound yet; NULL: the parameter has no name */
    uint32_t nparams, nrets;
    uint32_t frame; /* bytes of both */
};

/* What a function's body needs while it is read. */
struct body {
    uint32_t func; /* index */
    bool open, kernel;
    uint32_t nvirt[3];
    uint32_t frame, frame_max; /* bytes in use by the open scopes, and the most so far */
    bool keep_frame;           /* the innermost scope has .local variables: they stay */
    VEC(struct scope) scopes;
    uint32_t farthest; /* highest PC any branch goes to */
    uint32_t guard;    /* guard of the instruction being lowered */
    uint32_t line;
    struct ir_srcloc loc;
    VEC(struct fixup) fixups;
    VEC(uint32_t) frame_words;  /* indices into ext that want the final frame size */
    VEC(uint32_t) shared;       /* variables named */
    VEC(struct sym *) ret_regs; /* .reg return values: stored before ret */
    struct map64 elements;      /* registers of ranges too large for a map of their own */
};

struct callsite { /* direct calls, resolved when every function is known */
    uint32_t pc, func, caller;
    const char *at;
};
struct funcref { /* addresses of functions, checked when every function is known */
    uint32_t func;
    const char *at;
};

struct ptx {
    struct ir_module *m;
    struct diag diag;
    struct lexer lex;
    struct tok t; /* the token at hand */
    struct names names;
    struct arena tmp; /* dies with the load */
    struct body b;
    struct map64 k32, k64; /* constants: value to index */
    struct map64 krel;     /* symbol address constants: hash of symbol and addend to index, see lower.c */
    VEC(struct callsite) calls;
    VEC(struct funcref) funcrefs;
    VEC(uint32_t) alias; /* by function: the one it stands for + 1, or 0 */
    struct {             /* the text at hand, of those that are linked */
        size_t code, funcs, vars;
        uint32_t file; /* what its .file numbers are counted from */
    } part;
    bool unsure; /* a function's head was in error: one that seems undefined may be that one */
    uint32_t nranges;
    uint64_t map_budget;                         /* elements that ranges may still have maps for */
    uint64_t init_budget;                        /* bytes that initialisers may still take */
    uint16_t *mod_slots, *form_slots, *op_slots; /* hash tables of the static tables */
    int16_t cvt[IR_NTYPES][IR_NTYPES];
    struct stmt s;
};

/* ---- ptx.c: static tables ---- */
const struct mod *ptx_find_mod(const struct ptx *p, const struct tok *word);
const struct form *ptx_find_form(const struct ptx *p, const struct tok *name);
int ptx_find_op(const struct ptx *p, const char *name, enum ir_type t); /* -1: none */

/* ---- parse.c: tokens ---- */
static inline void ptx_next(struct ptx *p) {
    lex_next(&p->lex, &p->t);
}
bool ptx_accept(struct ptx *p, int kind);
bool ptx_is_word(const struct ptx *p, const char *word); /* the token is .word */
bool ptx_accept_word(struct ptx *p, const char *word);
bool ptx_expect(struct ptx *p, int kind, const char *where);      /* "after the ..." */
bool ptx_unexpected(struct ptx *p, const char *expected);         /* error: expected ..., found ... */
bool ptx_name(struct ptx *p, struct tok *name, const char *what); /* takes a TOK_ID */
void ptx_resync(struct ptx *p);      /* past the next ';', or to a '}' or label */
void ptx_resync_head(struct ptx *p); /* to a '{', ';' or the next declaration */
/* Refuses names in the text since `from`: see SYM_REFUSED. */
void ptx_refuse_names(struct ptx *p, const char *from);
bool ptx_skip_braces(struct ptx *p); /* at '{': past the matching '}' */
/* A constant expression in [0, max]. */
bool ptx_number(struct ptx *p, const char *what, uint64_t max, uint64_t *out);
void ptx_module(struct ptx *p);
bool ptx_loc(struct ptx *p);
bool ptx_file(struct ptx *p);
bool ptx_pragma(struct ptx *p);
bool ptx_section(struct ptx *p);

/* ---- expr.c ---- */
bool ptx_expr(struct ptx *p, struct value *v);

/* ---- decl.c ---- */
struct linkage {
    bool external, visible, weak, common;
};
static inline bool ptx_links(struct linkage l) {
    return l.external || l.visible || l.weak || l.common;
}
/* A definition of the symbol at that place, over the one there is, if any: whether it is the one that counts. Two of which
 * none yields are an error. */
enum definition { DEF_FIRST, DEF_REPLACES, DEF_YIELDS, DEF_ERROR };
enum definition ptx_define(struct ptx *p, struct sym *sym, const struct tok *name, struct linkage link);
bool ptx_reg_decl(struct ptx *p);
bool ptx_var_decl(struct ptx *p, struct linkage link); /* at .global .const .shared .local .param .tex ... */
bool ptx_params(struct ptx *p, bool kernel, uint32_t base, struct ir_param **list, struct sym ***syms,
                uint32_t *n, uint32_t *bytes);
uint32_t ptx_frame_alloc(struct ptx *p, uint32_t bytes, uint32_t align);

/* ---- init.c ---- */
/* At the token after '='. element: bytes of what the dimensions count (a vector counts as one). */
bool ptx_initialiser(struct ptx *p, uint32_t var, uint64_t element, const uint64_t *dims, unsigned ndims,
                     bool open);

/* ---- func.c ---- */
bool ptx_function(struct ptx *p, bool kernel, struct linkage link);
bool ptx_alias(struct ptx *p);
bool ptx_proto(struct ptx *p, struct proto *out, struct tok *name, bool kernel);
void ptx_finish(struct ptx *p);

/* ---- stmt.c ---- */
bool ptx_statement(struct ptx *p); /* an instruction, guard and ';' included */

#endif

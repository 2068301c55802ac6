/* ptx_link: sets up the tables, reads the text, checks what only the end can tell. The static tables (modifiers,
 * instructions, operations) are hashed once per load: some twenty microseconds, and no global state. */
#include "front/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

#include "front/ptx/lower.h"

const struct mod ptx_mods[NMODS] = {
#define MOD(text, id, classes, value) [MOD_##id] = {text, MOD_##id, value, classes},
#include "front/ptx/mods.def"
};

static const struct form forms[] = {
#define FORM(name, handler, nsrc, classes) {name, lower_##handler, nsrc, classes},
#include "front/ptx/forms.def"
};

enum { NFORMS = sizeof forms / sizeof *forms, MOD_SLOTS = 512, FORM_SLOTS = 512, OP_SLOTS = 2048 };
_Static_assert(NMODS * 2 < MOD_SLOTS && NFORMS * 2 < FORM_SLOTS && IR_NOPS * 2 < OP_SLOTS,
               "tables stay half empty");

static void ptx_put(uint16_t *slots, uint32_t nslots, uint32_t hash, unsigned index) {
    uint32_t i = hash & (nslots - 1);
    while (slots[i]) i = (i + 1) & (nslots - 1);
    slots[i] = (uint16_t)(index + 1);
}

static uint32_t op_hash(const char *name, unsigned type) {
    return (lex_hash_name(name, strlen(name)) ^ type) * 0x9e3779b1u >> 7;
}

static void build_tables(struct ptx *p) {
    p->mod_slots = xcalloc(MOD_SLOTS, sizeof *p->mod_slots);
    p->form_slots = xcalloc(FORM_SLOTS, sizeof *p->form_slots);
    p->op_slots = xcalloc(OP_SLOTS, sizeof *p->op_slots);
    for (unsigned i = 0; i < NMODS; i++)
        ptx_put(p->mod_slots, MOD_SLOTS, lex_hash_name(ptx_mods[i].text, strlen(ptx_mods[i].text)), i);
    for (unsigned i = 0; i < NFORMS; i++)
        ptx_put(p->form_slots, FORM_SLOTS, lex_hash_name(forms[i].name, strlen(forms[i].name)), i);
    for (unsigned i = 0; i < IR_NOPS; i++)
        ptx_put(p->op_slots, OP_SLOTS, op_hash(ir_ops[i].name, ir_ops[i].type), i);
    memset(p->cvt, -1, sizeof p->cvt);
    for (int op = IR_CVT_U8_U8; op <= IR_CVT_F64_F64; op++)
        p->cvt[ir_ops[op].dtype][ir_ops[op].type] = (int16_t)op;
}

static bool ptx_same(const struct tok *t, const char *text) {
    return !strncmp(t->s, text, t->len) && !text[t->len];
}

const struct mod *ptx_find_mod(const struct ptx *p, const struct tok *word) {
    for (uint32_t i = word->hash & (MOD_SLOTS - 1); p->mod_slots[i]; i = (i + 1) & (MOD_SLOTS - 1))
        if (ptx_same(word, ptx_mods[p->mod_slots[i] - 1].text)) return &ptx_mods[p->mod_slots[i] - 1];
    return NULL;
}

const struct form *ptx_find_form(const struct ptx *p, const struct tok *name) {
    for (uint32_t i = name->hash & (FORM_SLOTS - 1); p->form_slots[i]; i = (i + 1) & (FORM_SLOTS - 1))
        if (ptx_same(name, forms[p->form_slots[i] - 1].name)) return &forms[p->form_slots[i] - 1];
    return NULL;
}

static int find_exact(const struct ptx *p, const char *name, unsigned type) {
    for (uint32_t i = op_hash(name, type) & (OP_SLOTS - 1); p->op_slots[i]; i = (i + 1) & (OP_SLOTS - 1)) {
        int op = p->op_slots[i] - 1;
        if (ir_ops[op].type == type && !strcmp(ir_ops[op].name, name)) return op;
    }
    return -1;
}

int ptx_find_op(const struct ptx *p, const char *name, enum ir_type t) {
    int op = find_exact(p, name, t);
    /* Signed types follow their unsigned ones. */
    return op < 0 && ir_type_signed(t) ? find_exact(p, name, t - 1u) : op;
}

static void ptx_release(struct ptx *p) {
    xfree(p->mod_slots);
    xfree(p->form_slots);
    xfree(p->op_slots);
    map64_free(&p->k32);
    map64_free(&p->k64);
    map64_free(&p->krel);
    map64_free(&p->b.elements);
    VEC_FREE(&p->b.fixups);
    VEC_FREE(&p->b.frame_words);
    VEC_FREE(&p->b.shared);
    VEC_FREE(&p->b.ret_regs);
    VEC_FREE(&p->b.scopes);
    VEC_FREE(&p->calls);
    VEC_FREE(&p->funcrefs);
    VEC_FREE(&p->alias);
    names_free(&p->names);
    diag_free(&p->diag);
    arena_free(&p->tmp);
}

static struct ptx *ptx_begin(const char *name, size_t len) {
    struct ptx *p = xcalloc(1, sizeof *p);
    struct ir_module *m = p->m = ir_module_new(name);
    VEC_PUSH(&m->files, NULL);
    VEC_RESERVE(&m->code, len / 32); /* a line is seldom shorter: spares the copies of growing */
    VEC_RESERVE(&m->src, len / 32);
    build_tables(p);
    p->map_budget = len;
    p->init_budget = 64 * (uint64_t)len + 4096;
    names_init(&p->names, &p->tmp);
    return p;
}

/* The texts one behind the other, each ending in NUL, which the lexer relies on, and a new line. */
static char *ptx_join(struct ir_module *m, const struct ptx_text *texts, size_t n, size_t len) {
    char *all = arena_alloc(&m->mem, len + 2 * n), *to = all;
    for (size_t i = 0; i < n; i++) {
        memcpy(to, texts[i].text, texts[i].len);
        to += texts[i].len + 1;
        if (i + 1 < n) *to++ = '\n';
    }
    m->text = all;
    m->text_len = (size_t)(to - all) - 1;
    return all;
}

/* A text begins with nothing of the ones before but the names that are linked, and ends by forgetting its own. */
static void read_part(struct ptx *p, const char *text, size_t len, uint32_t lines) {
    struct ir_module *m = p->m;
    const uint32_t bits = m->address_bits;
    m->version_major = 0;
    m->address_bits = 32;
    p->part.code = m->code.n;
    p->part.funcs = m->funcs.n;
    p->part.vars = m->vars.n;
    p->part.file = (uint32_t)m->files.n - 1;
    lex_init(&p->lex, text, len);
    p->lex.line += lines;
    ptx_module(p);
    if (bits && bits != m->address_bits && !diag_failed(&p->diag))
        diag_add(&p->diag, text, "this text has %u-bit addresses, the ones before it %u", m->address_bits,
                 bits);
    names_drop_own(&p->names);
}

static uint32_t count_lines(const char *text, size_t len) {
    uint32_t n = 0;
    for (const char *end = text + len; (text = memchr(text, '\n', (size_t)(end - text))); text++) n++;
    return n;
}

static void read_parts(struct ptx *p, const struct ptx_text *texts, size_t n, const char *all) {
    uint32_t lines = 0;
    for (size_t i = 0; i < n; i++) {
        if (n > 1) VEC_PUSH(&p->m->parts, (struct ir_part){arena_strdup(&p->m->mem, texts[i].name), lines});
        lines += count_lines(texts[i].text, texts[i].len) + 1;
    }
    lines = 0;
    for (size_t i = 0; i < n && !diag_full(&p->diag); i++) {
        read_part(p, all, texts[i].len, lines);
        all += texts[i].len + 2;
        lines += count_lines(texts[i].text, texts[i].len) + 1;
    }
}

static struct ir_module *finish(struct ptx *p, struct err *e) {
    struct ir_module *m = p->m;
    if (!diag_full(&p->diag)) ptx_finish(p);
    if (diag_failed(&p->diag)) {
        diag_report(&p->diag, e);
        ir_module_free(m);
        m = NULL;
    } else
        diag_hand_over(&p->diag, m);
    ptx_release(p);
    xfree(p);
    return m;
}

struct ir_module *ptx_link(const char *name, const struct ptx_text *texts, size_t n, struct err *e) {
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        if (texts[i].len >= UINT32_MAX / 2 || (len += texts[i].len) >= UINT32_MAX / 2) {
            err_set(e, ERR_INPUT, "%s: error: the text is larger than 2 GB", name);
            return NULL;
        }
    struct ptx *p = ptx_begin(name, len);
    const char *all = ptx_join(p->m, texts, n, len);
    diag_init(&p->diag, p->m);
    read_parts(p, texts, n, all);
    return finish(p, e);
}

struct ir_module *ptx_load(const char *name, const char *text, size_t len, struct err *e) {
    return ptx_link(name, &(struct ptx_text){name, text, len}, 1, e);
}

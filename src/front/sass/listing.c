/* Listings: the text of a program, and back. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "front/sass/sass.h"

/* ---- out ---- */

static void list_pcs(const struct sass_program *p, const char *word, const uint32_t *v, size_t n,
                     struct sb *out) {
    if (!n) return;
    sb_add(out, " %s", word);
    for (size_t k = 0; k < n; k++) sb_add(out, " %04" PRIx64, p->code.v[v[k]].pc);
}

static void list_registers(const char *word, const uint8_t *v, uint32_t n, struct sb *out) {
    if (n) sb_add(out, " %s", word);
    for (uint32_t k = 0; k < n; k++) sb_add(out, " R%u", v[k]);
}

void sass_print(const struct sass_program *p, struct sb *out) {
    sb_add(out, ".sass %" PRIu32 " %" PRIu32 " %s\n", p->version, p->registers, p->kernel);
    for (size_t k = 0; k < p->code.n; k++) {
        const struct sass_insn *i = &p->code.v[k];
        sb_add(out, "%04" PRIx64 "%s %s", i->pc, i->guarded ? " @" : "", i->opcode);
        list_registers("d", i->dest, i->nd, out);
        list_registers("s", i->source, i->ns, out);
        if (i->bytes) sb_add(out, " bytes %" PRIu32, i->bytes);
        list_pcs(p, ">", i->targets.v, i->targets.n, out);
        list_pcs(p, "tells", i->tells.v, i->tells.n, out);
        list_pcs(p, "leads", i->leads.v, i->leads.n, out);
        sb_add(out, "\n");
    }
}

/* ---- in ---- */

bool sass_is(const char *text, size_t n) {
    return n >= 6 && !memcmp(text, ".sass ", 6);
}

struct listing {
    struct sass_program *p;
    const char *name;
    uint32_t line;
    struct err *e;
    char *at; /* what is left of the line */
};

static bool sass_listing_wrong(const struct listing *l, const char *what, const char *word) {
    return err_set(l->e, ERR_INPUT, "%s:%" PRIu32 ": %s%s%.60s%s", l->name, l->line, what, word ? " '" : "",
                   word ? word : "", word ? "'" : "");
}

static char *sass_listing_next_word(struct listing *l) {
    l->at += strspn(l->at, " ");
    if (!*l->at) return NULL;
    char *word = l->at;
    l->at += strcspn(l->at, " ");
    if (*l->at) *l->at++ = '\0';
    return word;
}

static bool sass_listing_number(const char *word, int base, uint64_t most, uint64_t *v) {
    char *end;
    if (!word || strchr("+- \t", *word)) return false;
    *v = strtoull(word, &end, base);
    return !*end && end > word && *v <= most;
}

static bool read_register(const struct listing *l, const char *word, uint8_t *v, uint8_t *n, uint32_t most) {
    uint64_t r;
    if (*word != 'R' || !sass_listing_number(word + 1, 10, SASS_RZ - 1, &r))
        return sass_listing_wrong(l, "no register:", word);
    if (*n == most) return sass_listing_wrong(l, "too many registers", NULL);
    v[(*n)++] = (uint8_t)r;
    return true;
}

/* PCs for now; numbers of instructions when all are known. */
static bool read_pc(const struct listing *l, struct sass_insn *i, const char *mode, const char *word) {
    uint64_t pc;
    if (!sass_listing_number(word, 16, UINT32_MAX, &pc)) return sass_listing_wrong(l, "no PC:", word);
    if (*mode == '>')
        VEC_PUSH(&i->targets, (uint32_t)pc);
    else if (*mode == 't')
        VEC_PUSH(&i->tells, (uint32_t)pc);
    else
        VEC_PUSH(&i->leads, (uint32_t)pc);
    return true;
}

static bool is_bytes(uint64_t v) {
    return v == 1 || v == 2 || v == 4 || v == 8 || v == 16;
}

static bool read_item(struct listing *l, struct sass_insn *i, const char *mode, const char *word) {
    uint64_t v;
    if (!strcmp(mode, "d")) return read_register(l, word, i->dest, &i->nd, SASS_DESTS);
    if (!strcmp(mode, "s")) return read_register(l, word, i->source, &i->ns, SASS_SOURCES);
    if (!strcmp(mode, ">") || !strcmp(mode, "tells") || !strcmp(mode, "leads"))
        return read_pc(l, i, mode, word);
    if (strcmp(mode, "bytes") != 0) return sass_listing_wrong(l, "unknown:", mode);
    if (!sass_listing_number(word, 10, 16, &v) || !is_bytes(v))
        return sass_listing_wrong(l, "no size of an access:", word);
    i->bytes = (uint32_t)v;
    return true;
}

static bool is_mode(const char *word) {
    static const char *const modes[] = {"d", "s", "bytes", ">", "tells", "leads"};
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (!strcmp(word, modes[k])) return true;
    return false;
}

static bool read_insn(struct listing *l) {
    struct sass_program *p = l->p;
    const char *pc = sass_listing_next_word(l), *opcode = sass_listing_next_word(l), *mode = "";
    const bool guarded = opcode && !strcmp(opcode, "@");
    if (guarded) opcode = sass_listing_next_word(l);
    if (!opcode || strlen(opcode) > SASS_LONGEST) return sass_listing_wrong(l, "no opcode", NULL);
    if (p->code.n == SASS_MOST) return sass_listing_wrong(l, "too many instructions", NULL);
    const struct sass_row *row = sass_find(opcode);
    VEC_PUSH(&p->code, (struct sass_insn){.opcode = arena_strdup(&p->mem, opcode),
                                          .row = row ? row : sass_find("MOV"),
                                          .known = row,
                                          .guarded = guarded});
    struct sass_insn *i = &p->code.v[p->code.n - 1];
    if (!sass_listing_number(pc, 16, UINT32_MAX, &i->pc)) return sass_listing_wrong(l, "no PC:", pc);
    if (p->code.n > 1 && i[-1].pc >= i->pc) return sass_listing_wrong(l, "PCs must ascend:", pc);
    for (const char *word; (word = sass_listing_next_word(l));) {
        if (is_mode(word))
            mode = word;
        else if (!read_item(l, i, mode, word))
            return false;
    }
    return true;
}

static bool read_head(struct listing *l) {
    const char *word = sass_listing_next_word(l), *version = sass_listing_next_word(l),
               *registers = sass_listing_next_word(l), *kernel = sass_listing_next_word(l);
    uint64_t v, r;
    if (!word || strcmp(word, ".sass") != 0 || !sass_listing_number(version, 10, 999, &v) ||
        !sass_listing_number(registers, 10, 255, &r) || !kernel || sass_listing_next_word(l))
        return sass_listing_wrong(l, "a listing begins with '.sass VERSION REGISTERS KERNEL'", NULL);
    l->p->version = (uint32_t)v;
    l->p->registers = (uint32_t)r;
    l->p->kernel = arena_strdup(&l->p->mem, kernel);
    return true;
}

/* ---- references ---- */

static int compare_pc(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = ((const struct sass_insn *)b)->pc;
    return x < y ? -1 : x > y;
}

static bool sass_listing_resolve(const struct sass_program *p, uint32_t *v, size_t n) {
    for (size_t k = 0; k < n; k++) {
        const uint64_t pc = v[k];
        const struct sass_insn *at = bsearch(&pc, p->code.v, p->code.n, sizeof *p->code.v, compare_pc);
        if (!at) return false;
        v[k] = (uint32_t)(at - p->code.v);
    }
    return true;
}

static bool is_whole(const struct sass_program *p, const struct sass_insn *i) {
    const bool jumps = i->row->kind == SASS_JUMP || i->row->kind == SASS_INDIRECT;
    if (sass_own(i) + i->ns + i->tells.n + i->leads.n > 8) return false;
    if ((i->tells.n || i->leads.n) && !sass_computes(i)) return false;
    for (size_t k = 0; k < i->tells.n; k++)
        if (!p->code.v[i->tells.v[k]].guarded) return false;
    for (size_t k = 0; k < i->leads.n; k++)
        if (p->code.v[i->leads.v[k]].targets.n < 2) return false;
    return jumps ? i->targets.n && (i->row->kind == SASS_INDIRECT || i->targets.n == 1) : !i->targets.n;
}

static bool resolve_all(struct listing *l) {
    struct sass_program *p = l->p;
    for (l->line = 2; l->line - 2 < p->code.n; l->line++) {
        struct sass_insn *i = &p->code.v[l->line - 2];
        if (!sass_listing_resolve(p, i->targets.v, i->targets.n) ||
            !sass_listing_resolve(p, i->tells.v, i->tells.n) ||
            !sass_listing_resolve(p, i->leads.v, i->leads.n))
            return sass_listing_wrong(l, "a PC that no instruction has", NULL);
    }
    for (l->line = 2; l->line - 2 < p->code.n; l->line++)
        if (!is_whole(p, &p->code.v[l->line - 2]))
            return sass_listing_wrong(l, "what it has does not go with its opcode", NULL);
    return p->code.n || sass_listing_wrong(l, "there are no instructions", NULL);
}

bool sass_parse(struct sass_program *p, const char *name, const char *text, size_t n, struct err *e) {
    struct listing l = {.p = p, .name = name, .e = e};
    char *copy = arena_strndup(&p->mem, text, n), *line = copy;
    bool good = true;
    while (good && line && *line) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        l.at = line;
        good = l.line++ ? read_insn(&l) : read_head(&l);
        line = end ? end + 1 : NULL;
    }
    return good && resolve_all(&l);
}

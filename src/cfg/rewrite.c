/* Inserting instructions. Between two instructions of the original there is a *place*, named by the second; what is
 * put there stands in four sections:
 *
 *   END    code of edges that has no better home, after the last instruction of the function that ends here
 *   ENTER  for those who fall through from the instruction before, or enter the function
 *   JUMP   for those who jump here from one particular branch; only where no thread falls through
 *   BEFORE for all
 *
 * then the instruction itself. A jump's code goes into JUMP of its target's place if the instruction before does not
 * fall through, so that the last of them needs no jump on; else to the end of the function, which no thread runs past.
 * That place is far in PC order: a scheduler that goes by PC should be given forms without code on such edges.
 *
 * A form that moves code lays it out itself (cfg_rewrite_lines); the module around it, the maps and the analysis are the
 * same. */
#include "cfg/rewrite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/graph.h"

enum section { END, ENTER, JUMP, BEFORE, NSECTIONS };

struct item {
    uint32_t place, section;
    uint32_t from; /* END, JUMP: the branch; instructions of one (from, to) form a group */
    uint32_t to;
    uint32_t index; /* in the caller's list */
};

struct copier {
    const struct ir_module *old;
    const struct rewrite_insert *insert;
    struct rewrite *r;
    struct item *item;
    size_t nitems, next; /* sorted; the next to be placed */
    uint32_t *func;      /* old PC to function, plus one */
    VEC(struct item) groups;
    VEC(uint32_t) group_pc; /* where each group begins */
    VEC(uint32_t) old_pc, from;
};

/* ---- where everything goes ---- */

static bool rewrite_leads(const struct ir_module *m, const struct ir_insn *i, uint32_t to) {
    uint32_t n;
    const uint32_t *target = branch_targets(m, i, &n);
    for (uint32_t k = 0; k < n; k++)
        if (target[k] == to) return true;
    return false;
}

static struct item edge_item(const struct copier *k, const struct rewrite_insert *x) {
    const struct ir_module *m = k->old;
    CHECK(x->to < m->code.n && k->func[x->to]);
    const struct ir_func *fn = &m->funcs.v[k->func[x->to] - 1];
    struct item at = {.place = x->to, .section = ENTER, .from = x->pc, .to = x->to};
    if (x->pc == IR_NOPC) {
        CHECK(x->to == fn->entry);
        return at;
    }
    CHECK(x->pc >= fn->entry && x->pc < fn->end);
    const struct ir_insn *i = &m->code.v[x->pc];
    if (x->pc + 1 == x->to && insn_falls_through(i)) return at;
    CHECK(rewrite_leads(m, i, x->to));
    at.section = JUMP;
    if (x->to > fn->entry && !insn_falls_through(&m->code.v[x->to - 1])) return at;
    at.section = END;
    at.place = fn->end;
    return at;
}

static int rewrite_by_place(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    const uint32_t p[] = {x->place, x->section, x->from, x->to, x->index};
    const uint32_t q[] = {y->place, y->section, y->from, y->to, y->index};
    for (int k = 0; k < 5; k++)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
}

static void sort_items(struct copier *k) {
    for (uint32_t f = 0; f < k->old->funcs.n; f++)
        for (uint32_t pc = k->old->funcs.v[f].entry; pc < k->old->funcs.v[f].end; pc++) k->func[pc] = f + 1;
    for (uint32_t x = 0; x < k->nitems; x++) {
        const struct rewrite_insert *in = &k->insert[x];
        CHECK(in->where == REWRITE_EDGE || in->pc < k->old->code.n);
        k->item[x] = in->where == REWRITE_EDGE
                         ? edge_item(k, in)
                         : (struct item){.place = in->pc, .section = BEFORE, .to = in->pc};
        k->item[x].index = x;
    }
    if (k->nitems > 1) qsort(k->item, k->nitems, sizeof *k->item, rewrite_by_place);
}

/* ---- the code ---- */

static void rewrite_put(struct copier *k, struct ir_insn i, uint32_t place, uint32_t from) {
    struct ir_module *m = k->r->m;
    if (!i.line) i.line = k->old->code.v[place].line;
    if (from != REWRITE_ORIGINAL) i.flags |= IR_F_ADDED;
    VEC_PUSH(&m->code, i);
    VEC_PUSH(&m->src, k->old->src.v[place]);
    VEC_PUSH(&k->old_pc, place);
    VEC_PUSH(&k->from, from);
}

static bool same_group(const struct item *a, const struct item *b) {
    return a->place == b->place && a->section == b->section && a->from == b->from && a->to == b->to;
}

/* The items of one section of a place. */
static void put_section(struct copier *k, uint32_t place, enum section section) {
    bool jumped = section == END || section == JUMP;
    for (const struct item *x; (x = k->item + k->next) < k->item + k->nitems && x->place == place &&
                               x->section == (uint32_t)section;
         k->next++) {
        const struct rewrite_insert *in = &k->insert[x->index];
        bool first = !k->next || !same_group(x, x - 1), more = k->next + 1 < k->nitems;
        if (section != BEFORE && first) {
            VEC_PUSH(&k->groups, *x);
            VEC_PUSH(&k->group_pc, (uint32_t)k->r->m->code.n);
        }
        rewrite_put(k, in->insn, in->pc == IR_NOPC ? in->to : in->pc, x->index);
        bool last = !more || !same_group(x, x + 1);
        bool on = section == JUMP && !(more && x[1].place == place && x[1].section == JUMP);
        if (jumped && last && !on)
            rewrite_put(k, (struct ir_insn){.op = IR_BRA, .target = x->to}, in->pc, REWRITE_JUMP);
    }
}

/* All code in the order of the original; end: old PC to where a function that ends there ends now, and where one
 * that begins there begins. */
static void put_code(struct copier *k, uint32_t *end) {
    struct rewrite *r = k->r;
    uint32_t n = (uint32_t)k->old->code.n;
    for (uint32_t pc = 0; pc <= n; pc++) {
        put_section(k, pc, END);
        end[pc] = (uint32_t)r->m->code.n;
        if (pc == n) break;
        put_section(k, pc, ENTER);
        put_section(k, pc, JUMP);
        r->landing[pc] = (uint32_t)r->m->code.n;
        put_section(k, pc, BEFORE);
        r->new_pc[pc] = (uint32_t)r->m->code.n;
        rewrite_put(k, k->old->code.v[pc], pc, REWRITE_ORIGINAL);
    }
}

/* ---- maps ---- */

static void map_targets(struct copier *k) {
    struct ir_module *m = k->r->m;
    for (size_t pc = 0; pc < m->code.n; pc++) {
        struct ir_insn *i = &m->code.v[pc];
        i->flags &= (uint8_t) ~(IR_F_LEADER | IR_F_ENDS);
        uint32_t from = k->from.v[pc];
        bool marked = from < REWRITE_ADDED && k->insert[from].targets;
        if (i->op == IR_BRA || marked) {
            CHECK(i->target < k->old->code.n);
            i->target = k->r->landing[i->target];
        }
        if (i->op != IR_BRX) continue;
        const uint32_t *was = k->old->ext.v + i->ext;
        for (uint32_t t = 1; t <= was[0]; t++) m->ext.v[i->ext + t] = k->r->landing[was[t]];
    }
}

/* Branches whose edge has code of its own go there. A branch to what it also falls through to has its code in ENTER.
 * Every brx has a table of its own. */
static void aim_at_groups(struct copier *k) {
    struct ir_module *m = k->r->m;
    for (size_t g = 0; g < k->groups.n; g++) {
        const struct item *x = &k->groups.v[g];
        if (x->from == IR_NOPC) continue;
        struct ir_insn *i = &m->code.v[k->r->new_pc[x->from]];
        const struct ir_insn *was = &k->old->code.v[x->from];
        if (i->op == IR_BRA && was->target == x->to) i->target = k->group_pc.v[g];
        if (i->op != IR_BRX) continue;
        const uint32_t *table = k->old->ext.v + was->ext;
        for (uint32_t t = 1; t <= table[0]; t++)
            if (table[t] == x->to) m->ext.v[i->ext + t] = k->group_pc.v[g];
    }
}

static void place_functions(struct copier *k, const uint32_t *end) {
    struct ir_module *m = k->r->m;
    for (size_t f = 0; f < m->funcs.n; f++) {
        m->funcs.v[f].entry = end[m->funcs.v[f].entry];
        m->funcs.v[f].end = end[m->funcs.v[f].end];
    }
}

/* ---- the module around it ---- */

#define COPY(field)                                                                            \
    do {                                                                                       \
        VEC_RESERVE(&m->field, old->field.n);                                                  \
        if (old->field.n) memcpy(m->field.v, old->field.v, old->field.n * sizeof *m->field.v); \
        m->field.n = old->field.n;                                                             \
    } while (0)

static struct ir_module *copy_module(const struct ir_module *old) {
    struct ir_module *m = ir_module_new(old->name);
    m->version_major = old->version_major, m->version_minor = old->version_minor;
    m->sm = old->sm, m->address_bits = old->address_bits;
    m->replays_only = old->replays_only;
    m->text = old->text, m->text_len = old->text_len, m->warnings = old->warnings;
    m->nby_entry = old->nby_entry;
    m->by_entry = ARENA_NEW(&m->mem, uint32_t, old->nby_entry);
    if (old->nby_entry) memcpy(m->by_entry, old->by_entry, old->nby_entry * sizeof *m->by_entry);
    COPY(funcs);
    COPY(vars);
    COPY(relocs);
    COPY(k32);
    COPY(k64);
    COPY(ext);
    COPY(files);
    COPY(parts);
    return m;
}

static uint32_t *rewrite_keep(struct rewrite *r, const uint32_t *v, size_t n) {
    uint32_t *to = ARENA_NEW(&r->mem, uint32_t, n);
    if (n) memcpy(to, v, n * sizeof *v);
    return to;
}

static void copy_code(struct copier *k) {
    struct rewrite *r = k->r;
    size_t n = k->old->code.n;
    struct arena mem = {0};
    uint32_t *end = ARENA_NEW(&mem, uint32_t, n + 1);
    k->func = ARENA_NEW(&mem, uint32_t, n);
    k->item = ARENA_NEW(&mem, struct item, k->nitems);
    r->new_pc = ARENA_NEW(&r->mem, uint32_t, n);
    r->landing = ARENA_NEW(&r->mem, uint32_t, n);
    sort_items(k);
    put_code(k, end);
    map_targets(k);
    aim_at_groups(k);
    place_functions(k, end);
    arena_free(&mem);
}

/* Machine code: addresses of the instructions where they are now. Who calls a function by its address enters it. */
static const struct ir_binary *move_binary(const struct copier *k) {
    const struct ir_binary *old = k->old->binary;
    const struct rewrite *r = k->r;
    struct ir_module *m = r->m;
    if (!old) return NULL;
    struct ir_binary *b = ARENA_NEW(&m->mem, struct ir_binary, 1);
    uint32_t *pc_of = ARENA_NEW(&m->mem, uint32_t, old->halves),
             *text = ARENA_NEW(&m->mem, uint32_t, m->code.n);
    uint64_t *addr = ARENA_NEW(&m->mem, uint64_t, m->code.n);
    for (uint64_t h = 0; h < old->halves; h++)
        pc_of[h] = old->pc_of[h] == IR_NOPC ? IR_NOPC : r->landing[old->pc_of[h]];
    for (size_t f = 0; f < m->funcs.n; f++)
        pc_of[(old->addr[k->old->funcs.v[f].entry] - old->base) / 2] = m->funcs.v[f].entry;
    for (size_t pc = 0; pc < m->code.n; pc++) {
        addr[pc] = old->addr[r->old_pc[pc]];
        text[pc] = old->text[r->old_pc[pc]];
    }
    *b = *old;
    b->pc_of = pc_of;
    b->addr = addr;
    b->text = text;
    return b;
}

/* What both ways to make a copy have in common: the maps by new PC, and the analysis; `good` so far. */
static struct rewrite *rewrite_finish(struct copier *k, const struct cfg *c, bool good, struct err *e) {
    struct rewrite *r = k->r;
    r->old_pc = rewrite_keep(r, k->old_pc.v, k->old_pc.n);
    r->insert = rewrite_keep(r, k->from.v, k->from.n);
    r->m->binary = move_binary(k);
    VEC_FREE(&k->groups);
    VEC_FREE(&k->group_pc);
    VEC_FREE(&k->old_pc);
    VEC_FREE(&k->from);
    if (good) r->cfg = cfg_analyse_again(r->m, c, e);
    if (r->cfg) return r;
    cfg_rewrite_free(r);
    return NULL;
}

struct rewrite *cfg_rewrite(const struct ir_module *m, const struct cfg *c,
                            const struct rewrite_insert *inserts, size_t n, struct err *e) {
    struct rewrite *r = xcalloc(1, sizeof *r);
    struct copier k = {.old = m, .insert = inserts, .nitems = n, .r = r};
    CHECK(n < REWRITE_ADDED && m->src.n == m->code.n);
    r->m = copy_module(m);
    copy_code(&k);
    return rewrite_finish(&k, c, true, e);
}

/* ---- a layout made elsewhere ---- */

static void copy_lines(struct copier *k, const struct rewrite_layout *to) {
    struct rewrite *r = k->r;
    for (size_t pc = 0; pc < to->lines.n; pc++) {
        const struct rewrite_line *x = &to->lines.v[pc];
        rewrite_put(k, x->insn, x->old, x->added ? REWRITE_ADDED : REWRITE_ORIGINAL);
        r->m->code.v[pc].flags &= (uint8_t) ~(IR_F_LEADER | IR_F_ENDS);
        if (r->landing[x->old] == IR_NOPC) r->landing[x->old] = (uint32_t)pc;
        if (!x->added) r->new_pc[x->old] = (uint32_t)pc;
    }
    for (size_t n = 0; n < to->k32.n; n++) VEC_PUSH(&r->m->k32, to->k32.v[n]);
}

static void map_tables(struct copier *k) {
    struct ir_module *m = k->r->m;
    for (size_t pc = 0; pc < m->code.n; pc++) {
        if (m->code.v[pc].op != IR_BRX) continue;
        uint32_t *table = m->ext.v + m->code.v[pc].ext;
        for (uint32_t t = 1; t <= table[0]; t++) table[t] = k->r->landing[table[t]];
    }
}

struct rewrite *cfg_rewrite_lines(const struct ir_module *m, const struct cfg *c, struct rewrite_layout *to,
                                  struct err *e) {
    struct rewrite *r = xcalloc(1, sizeof *r);
    struct copier k = {.old = m, .r = r};
    r->m = copy_module(m);
    r->new_pc = ARENA_NEW(&r->mem, uint32_t, m->code.n);
    r->landing = ARENA_NEW(&r->mem, uint32_t, m->code.n);
    for (size_t pc = 0; pc < m->code.n; pc++) r->new_pc[pc] = r->landing[pc] = IR_NOPC;
    copy_lines(&k, to);
    map_tables(&k);
    for (size_t f = 0; f < m->funcs.n; f++) {
        r->m->funcs.v[f].entry = to->entry[f];
        r->m->funcs.v[f].end = to->end[f];
    }
    ir_unlink(r->m);
    for (size_t f = 0; f < m->funcs.n; f++) r->m->funcs.v[f].nrow[IR_FILE_P] += to->predicates[f];
    return rewrite_finish(&k, c, ir_link(r->m, e), e);
}

bool cfg_rewrite_turned(struct rewrite *r, const struct cfg *was, struct err *e) {
    for (size_t pc = 0; pc < r->m->code.n; pc++)
        r->m->code.v[pc].flags &= (uint8_t) ~(IR_F_LEADER | IR_F_ENDS);
    cfg_free(r->cfg);
    r->cfg = cfg_analyse_again(r->m, was, e);
    return r->cfg != NULL;
}

void cfg_rewrite_free(struct rewrite *r) {
    if (!r) return;
    cfg_free(r->cfg);
    ir_module_free(r->m);
    arena_free(&r->mem);
    xfree(r);
}

/* ---- for those who read ---- */

const char *cfg_rewrite_added(const struct rewrite *r, uint32_t pc) {
    if (!r || pc >= r->m->code.n || r->insert[pc] == REWRITE_ORIGINAL) return NULL;
    return ir_insn_name(&r->m->code.v[pc]);
}

void cfg_rewrite_print_pc(const struct rewrite *r, uint32_t pc, struct sb *out) {
    const char *added = cfg_rewrite_added(r, pc);
    sb_add(out, "%" PRIu32, r && pc < r->m->code.n ? r->old_pc[pc] : pc);
    if (added) sb_add(out, " %s", added);
}

static bool rewrite_ends_with(const struct sb *text, const char *word) {
    const size_t n = strlen(word);
    return text->len >= n && !memcmp(text->text + text->len - n, word, n);
}

static bool place_follows(const struct sb *text) {
    static const char *const word[] = {"pc ", " at ", " from ", " ahead of "};
    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        if (rewrite_ends_with(text, word[k])) return true;
    return false;
}

void cfg_rewrite_print_text(const struct rewrite *r, const char *text, struct sb *out) {
    while (*text) {
        const size_t digits = strspn(text, "0123456789");
        if (!r || !digits || digits > 9 || !place_follows(out)) {
            const size_t n = digits ? digits : 1;
            sb_addn(out, text, n);
            text += n;
            continue;
        }
        cfg_rewrite_print_pc(r, (uint32_t)strtoul(text, NULL, 10), out);
        text += digits;
    }
}

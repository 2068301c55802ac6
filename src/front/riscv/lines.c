/* Source lines from .debug_line, DWARF versions 2 to 5: the line programs of all units are run, and each row they make tells of
 * the addresses up to the next one. A unit that does not keep to the format ends where it does not, the others are read. */
#include <string.h>

#include "front/riscv/lower.h"

/* Bytes that are read one after the other; beyond the end come zeros, and `bad` says so. */
struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t rv_lines_take(struct reader *r, uint32_t n) {
    uint64_t v = 0;
    if ((uint64_t)(r->end - r->at) < n || n > 8) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&v, r->at, n);
    r->at += n;
    return v;
}

static void skip(struct reader *r, uint64_t n) {
    if (n > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        n = (uint64_t)(r->end - r->at);
    }
    r->at += n;
}

static uint64_t take_uleb(struct reader *r) {
    uint64_t v = 0, byte = 0x80;
    for (uint32_t shift = 0; byte & 0x80 && !r->bad; shift += 7) {
        byte = rv_lines_take(r, 1);
        if (shift < 64) v |= (byte & 0x7f) << shift;
    }
    return v;
}

static int64_t take_sleb(struct reader *r) {
    uint64_t v = 0, byte = 0x80;
    uint32_t shift = 0;
    for (; byte & 0x80 && !r->bad; shift += 7) {
        byte = rv_lines_take(r, 1);
        if (shift < 64) v |= (byte & 0x7f) << shift;
    }
    return (int64_t)(shift < 64 && byte & 0x40 ? v | ~UINT64_C(0) << shift : v);
}

static const char *take_string(struct reader *r) {
    const uint8_t *zero = memchr(r->at, 0, (size_t)(r->end - r->at));
    const char *text = (const char *)r->at;
    if (!zero) {
        r->bad = true;
        r->at = r->end;
        return "";
    }
    r->at = zero + 1;
    return text;
}

/* ---- names of files ---- */

struct unit {
    const struct rv_elf *f;
    struct ir_module *m;
    struct reader r;
    uint32_t version, offset_bytes;
    VEC(const char *) dirs;
    VEC(uint32_t) files; /* by the unit's number: the module's */
};

static const char *string_in(struct rv_bytes s, uint64_t at) {
    return at < s.n && memchr(s.v + at, 0, s.n - at) ? (const char *)s.v + at : "";
}

/* The module's number of a file; the same name is the same file. */
static uint32_t file_number(struct unit *u, const char *dir, const char *name) {
    struct sb path = {0};
    if (*name != '/' && *dir) sb_add(&path, "%s/", dir);
    sb_add(&path, "%s", name);
    uint32_t k = 1;
    while (k < u->m->files.n && strcmp(u->m->files.v[k], path.text) != 0) k++;
    if (k == u->m->files.n) VEC_PUSH(&u->m->files, arena_strdup(&u->m->mem, path.text));
    sb_free(&path);
    return k;
}

static void rv_lines_add_file(struct unit *u, const char *name, uint64_t dir) {
    VEC_PUSH(&u->files, file_number(u, dir < u->dirs.n ? u->dirs.v[dir] : "", name));
}

static void read_names_4(struct unit *u) {
    VEC_PUSH(&u->dirs, "");
    VEC_PUSH(&u->files, 0);
    for (const char *dir; *(dir = take_string(&u->r)) && !u->r.bad;) VEC_PUSH(&u->dirs, dir);
    for (const char *name; *(name = take_string(&u->r)) && !u->r.bad;) {
        const uint64_t dir = take_uleb(&u->r);
        take_uleb(&u->r);
        take_uleb(&u->r);
        rv_lines_add_file(u, name, dir);
    }
}

/* A field of a table of version 5: text, or a number. */
static uint64_t take_form(struct unit *u, uint64_t form, const char **text) {
    switch (form) {
    case 0x08: *text = take_string(&u->r); return 0; /* string */
    case 0x1f:
        *text = string_in(u->f->debug_line_str, rv_lines_take(&u->r, u->offset_bytes));
        return 0; /* line_strp */
    case 0x0e: *text = string_in(u->f->debug_str, rv_lines_take(&u->r, u->offset_bytes)); return 0; /* strp */
    case 0x0b: return rv_lines_take(&u->r, 1); /* data1 */
    case 0x05: return rv_lines_take(&u->r, 2);
    case 0x06: return rv_lines_take(&u->r, 4);
    case 0x0f: return take_uleb(&u->r);
    case 0x1e: skip(&u->r, 16); return 0;               /* data16: a digest */
    case 0x09: skip(&u->r, take_uleb(&u->r)); return 0; /* block */
    default: u->r.bad = true; return 0;
    }
}

static void read_table_5(struct unit *u, bool files) {
    enum { PATH = 1, DIRECTORY = 2, MOST_FIELDS = 16 };
    uint64_t kind[MOST_FIELDS], form[MOST_FIELDS];
    const uint64_t fields = rv_lines_take(&u->r, 1);
    if (fields > MOST_FIELDS) u->r.bad = true;
    for (uint64_t k = 0; k < fields && !u->r.bad; k++) {
        kind[k] = take_uleb(&u->r);
        form[k] = take_uleb(&u->r);
    }
    for (uint64_t n = take_uleb(&u->r); n && !u->r.bad && fields; n--) {
        const char *name = "", *text = "";
        uint64_t dir = 0;
        for (uint64_t k = 0; k < fields; k++) {
            const uint64_t v = take_form(u, form[k], &text);
            if (kind[k] == PATH) name = text;
            if (kind[k] == DIRECTORY) dir = v;
        }
        if (files)
            rv_lines_add_file(u, name, dir);
        else
            VEC_PUSH(&u->dirs, name);
    }
}

/* ---- the line program ---- */

struct row {
    uint64_t addr, file, line, column;
    bool there; /* there was one before, in this sequence */
};

struct program {
    /* Bytes of the least instruction, lines of special opcodes, the first of them. */
    uint32_t least, range, first;
    int32_t base;
    uint8_t operands[256]; /* operands of the standard opcodes */
};

/* Instructions from one row's address up to the next. */
static void rv_lines_fill(struct unit *u, const struct row *from, uint64_t to) {
    const struct ir_binary *b = u->m->binary;
    if (!from->there || from->file >= u->files.n || to < from->addr || to - from->addr > b->halves * 2)
        return;
    const struct ir_srcloc at = {u->files.v[from->file], (uint32_t)from->line, (uint32_t)from->column};
    for (uint64_t addr = from->addr & ~UINT64_C(1); addr < to; addr += 2) {
        const uint32_t pc = ir_binary_pc(b, addr);
        if (pc != IR_NOPC) u->m->src.v[pc] = at;
    }
}

static void rv_lines_add_row(struct unit *u, struct row *last, const struct row *now) {
    rv_lines_fill(u, last, now->addr);
    *last = *now;
    last->there = true;
}

/* Opcodes that begin with 0; whether the sequence ends. */
static bool extended(struct unit *u, struct row *now) {
    const uint64_t n = take_uleb(&u->r);
    const uint8_t *after = u->r.at;
    if (n > (uint64_t)(u->r.end - u->r.at) || !n) {
        u->r.bad = true;
        return true;
    }
    after += n;
    const uint64_t op = rv_lines_take(&u->r, 1);
    if (op == 2 && n == 9) now->addr = rv_lines_take(&u->r, 8);
    u->r.at = after;
    return op == 1;
}

static void standard(struct unit *u, const struct program *p, uint64_t op, struct row *now,
                     struct row *last) {
    switch (op) {
    case 1: rv_lines_add_row(u, last, now); break;
    case 2: now->addr += take_uleb(&u->r) * p->least; break;
    case 3: now->line += (uint64_t)take_sleb(&u->r); break;
    case 4: now->file = take_uleb(&u->r); break;
    case 5: now->column = take_uleb(&u->r); break;
    case 8: now->addr += (uint64_t)((255 - p->first) / p->range) * p->least; break;
    case 9: now->addr += rv_lines_take(&u->r, 2); break;
    default:
        for (uint32_t k = 0; k < p->operands[op]; k++) take_uleb(&u->r);
    }
}

static void rv_lines_run(struct unit *u, const struct program *p) {
    const struct row begin = {.file = 1, .line = 1};
    struct row now = begin, last = {0};
    while (u->r.at < u->r.end && !u->r.bad) {
        const uint64_t op = rv_lines_take(&u->r, 1);
        if (op >= p->first) {
            now.addr += (uint64_t)((op - p->first) / p->range) * p->least;
            now.line += (uint64_t)(p->base + (int64_t)((op - p->first) % p->range));
            rv_lines_add_row(u, &last, &now);
        } else if (op) {
            standard(u, p, op, &now, &last);
        } else if (extended(u, &now)) {
            rv_lines_fill(u, &last, now.addr);
            now = begin;
            last.there = false;
        }
    }
}

/* ---- units ---- */

static void read_unit(struct unit *u) {
    struct program p = {0};
    u->version = (uint32_t)rv_lines_take(&u->r, 2);
    if (u->version < 2 || u->version > 5) return;
    if (u->version == 5) rv_lines_take(&u->r, 2); /* bytes of addresses and of segment selectors */
    const uint64_t header = rv_lines_take(&u->r, u->offset_bytes);
    const uint8_t *code = u->r.at;
    if (header > (uint64_t)(u->r.end - code)) return;
    p.least = (uint32_t)rv_lines_take(&u->r, 1);
    if (u->version >= 4) rv_lines_take(&u->r, 1); /* operations of an instruction: 1 */
    rv_lines_take(&u->r, 1);
    p.base = (int8_t)rv_lines_take(&u->r, 1);
    p.range = (uint32_t)rv_lines_take(&u->r, 1);
    p.first = (uint32_t)rv_lines_take(&u->r, 1);
    for (uint32_t k = 1; k < p.first; k++) p.operands[k] = (uint8_t)rv_lines_take(&u->r, 1);
    if (!p.range || !p.first) return;
    if (u->version < 5) {
        read_names_4(u);
    } else {
        read_table_5(u, false);
        read_table_5(u, true);
    }
    if (u->r.bad) return;
    u->r.at = code + header;
    rv_lines_run(u, &p);
}

void rv_lines(const struct rv_elf *f, struct ir_module *m) {
    struct reader all = {f->debug_line.v, f->debug_line.v ? f->debug_line.v + f->debug_line.n : NULL, false};
    while (all.at < all.end && !all.bad) {
        struct unit u = {.f = f, .m = m, .offset_bytes = 4};
        uint64_t n = rv_lines_take(&all, 4);
        if (n == 0xffffffff) {
            n = rv_lines_take(&all, 8);
            u.offset_bytes = 8;
        }
        u.r = (struct reader){all.at, all.at, false};
        skip(&all, n);
        u.r.end = all.at;
        if (!all.bad) read_unit(&u);
        VEC_FREE(&u.dirs);
        VEC_FREE(&u.files);
    }
}

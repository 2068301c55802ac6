/* Operands as text: rows r12, rd3, p1; constants by value, floats in the fewest digits that read back as the
 * same bits, large integers in hexadecimal, addresses by symbol. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "ir/print.h"

enum { LARGEST_DECIMAL = 65536 };

void ir_names_init(struct ir_names *n, const struct ir_module *m) {
    n->reloc[0] = xcalloc(m->k32.n, sizeof *n->reloc[0]);
    n->reloc[1] = xcalloc(m->k64.n, sizeof *n->reloc[1]);
    for (uint32_t r = 0; r < m->relocs.n; r++) {
        const struct ir_reloc *x = &m->relocs.v[r];
        bool wide = x->bytes == 8;
        if (x->constant != IR_NOPC && x->constant < (wide ? m->k64.n : m->k32.n))
            n->reloc[wide][x->constant] = r + 1;
    }
}

void ir_names_free(struct ir_names *n) {
    xfree(n->reloc[0]);
    xfree(n->reloc[1]);
    *n = (struct ir_names){{0}};
}

static const struct ir_reloc *relocation(const struct ir_module *m, const struct ir_names *names, ir_opnd o) {
    bool wide = ir_file(o) == IR_FILE_64;
    if (names) {
        uint32_t r = names->reloc[wide][ir_index(o)];
        return r ? &m->relocs.v[r - 1] : NULL;
    }
    for (size_t r = 0; r < m->relocs.n; r++)
        if (m->relocs.v[r].constant == ir_index(o) && (m->relocs.v[r].bytes == 8) == wide)
            return &m->relocs.v[r];
    return NULL;
}

static void print_symbol(struct sb *out, const struct ir_module *m, const struct ir_reloc *r) {
    const char *name = r->kind == IR_RELOC_FUNC ? m->funcs.v[r->symbol].name : m->vars.v[r->symbol].name;
    sb_add(out, r->generic ? "generic(%s)" : "%s", name ? name : "?");
    if (r->addend) sb_add(out, "%+" PRId64, r->addend);
}

static void print_float(struct sb *out, double v, bool wide) {
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        double back = strtod(text, NULL);
        if (wide ? back == v : (float)back == (float)v) break;
    }
    sb_add(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_integer(struct sb *out, uint64_t v, bool wide, bool is_signed) {
    int64_t s = wide ? (int64_t)v : (int32_t)v;
    if (v < LARGEST_DECIMAL)
        sb_add(out, "%" PRIu64, v);
    else if (is_signed && s < 0 && s > -LARGEST_DECIMAL)
        sb_add(out, "%" PRId64, s);
    else
        sb_add(out, "0x%" PRIx64, v);
}

static void print_constant(struct sb *out, const struct ir_module *m, const struct ir_names *names, ir_opnd o,
                           enum ir_type type) {
    bool wide = ir_file(o) == IR_FILE_64;
    uint32_t k = ir_index(o);
    if (ir_file(o) > IR_FILE_64 || k >= (wide ? m->k64.n : m->k32.n)) {
        sb_add(out, "?");
        return;
    }
    const struct ir_reloc *r = relocation(m, names, o);
    uint64_t v = wide ? m->k64.v[k] : m->k32.v[k];
    double f = wide ? f64_from(v) : (double)f32_from((uint32_t)v);
    if (r)
        print_symbol(out, m, r);
    else if (type == (wide ? IR_T_F64 : IR_T_F32) && isfinite(f))
        print_float(out, f, wide);
    else if (ir_type_float(type))
        sb_add(out, "0x%" PRIx64, v);
    else
        print_integer(out, v, wide, ir_type_signed(type));
}

void ir_print_opnd(struct sb *out, const struct ir_module *m, const struct ir_names *names, ir_opnd o,
                   enum ir_type type) {
    static const char *const prefix[] = {"r", "rd", "p"};
    enum ir_file f = ir_file(o);
    if (ir_is_const(o))
        print_constant(out, m, names, o, type);
    else if (f == IR_FILE_NONE)
        sb_add(out, "_");
    else if (f == IR_FILE_P && !ir_index(o))
        sb_add(out, "%spt", o & IR_O_NEG ? "!" : "");
    else
        sb_add(out, "%s%s%u", f == IR_FILE_P && o & IR_O_NEG ? "!" : "", prefix[f], ir_index(o));
}

/* No operand and the constant 0 stand for "the displacement is the address". */
static bool is_nothing(const struct ir_module *m, const struct ir_names *names, ir_opnd o) {
    if (!ir_is_const(o)) return ir_file(o) == IR_FILE_NONE;
    uint32_t k = ir_index(o);
    if (ir_file(o) == IR_FILE_32) return k < m->k32.n && !m->k32.v[k] && !relocation(m, names, o);
    return ir_file(o) == IR_FILE_64 && k < m->k64.n && !m->k64.v[k] && !relocation(m, names, o);
}

void ir_print_address(struct sb *out, const struct ir_module *m, const struct ir_names *names, ir_opnd o,
                      int32_t disp) {
    if (is_nothing(m, names, o)) {
        sb_add(out, "[%d]", disp);
        return;
    }
    sb_add(out, "[");
    ir_print_opnd(out, m, names, o, IR_T_NONE);
    if (disp) sb_add(out, "%+d", disp);
    sb_add(out, "]");
}

void ir_print_label(struct sb *out, const struct ir_module *m, uint32_t pc) {
    if (m->nblocks && pc < m->code.n)
        sb_add(out, "B%u", m->code.v[pc].block);
    else
        sb_add(out, "@%u", pc);
}

/* vprintf's formatting. The format string and the arguments come from the simulated program, so nothing of
 * them reaches the host's printf unchecked: each conversion is parsed here, its argument fetched at its
 * natural alignment from the packed buffer, and a host format of known shape is used for it. Widths and
 * precisions are cut at LONGEST; a conversion that is not known (%n among them) is printed as it stands and
 * takes no argument. */
#include <stdio.h>
#include <stdlib.h>

#include "exec/impl.h"

enum { LONGEST = 4095 };

struct spec {
    char flags[6];
    int width, precision; /* precision -1: none */
    int length;           /* -2 hh, -1 h, 0, 1 l, 2 ll and other 64-bit ones */
    char conv;
};

static uint64_t format_next(struct format_args *a, uint32_t bytes) {
    uint64_t at = (a->at + bytes - 1) & ~(uint64_t)(bytes - 1), v = 0;
    enum exec_fault_kind why;
    if (a->failed) return 0;
    const uint8_t *p = resolve_lane(a->w, IR_SP_GENERIC, at, bytes, a->lane, false, &why);
    if (!p) {
        a->failed = true;
        a->bad = at;
        return 0;
    }
    memcpy(&v, p, bytes);
    a->at = at + bytes;
    return v;
}

static int bounded(int64_t v) {
    return v > LONGEST ? LONGEST : v < -LONGEST ? -LONGEST : (int)v;
}

static const char *format_number(const char *f, struct format_args *a, int *v) {
    int64_t n = 0;
    if (*f == '*') {
        *v = bounded((int32_t)format_next(a, 4));
        return f + 1;
    }
    for (; *f >= '0' && *f <= '9'; f++)
        if (n <= LONGEST) n = n * 10 + (*f - '0');
    *v = bounded(n);
    return f;
}

static const char *length(const char *f, struct spec *s) {
    for (;; f++) {
        if (*f == 'h')
            s->length = s->length == -1 ? -2 : -1;
        else if (*f == 'l')
            s->length = s->length == 1 ? 2 : 1;
        else if (*f == 'j' || *f == 'z' || *f == 't' || *f == 'L' || *f == 'q')
            s->length = 2;
        else
            return f;
    }
}

/* f is behind the '%'. Returns what follows the conversion. */
static const char *format_parse(const char *f, struct spec *s, struct format_args *a) {
    size_t n = 0;
    *s = (struct spec){.precision = -1};
    for (; *f && strchr("-+ #0", *f); f++)
        if (n < sizeof s->flags - 1 && !strchr(s->flags, *f)) s->flags[n++] = *f;
    f = format_number(f, a, &s->width);
    if (*f == '.') f = format_number(f + 1, a, &s->precision);
    f = length(f, s);
    s->conv = *f;
    return *f ? f + 1 : f;
}

static void emit_signed(struct sb *out, const struct spec *s, struct format_args *a) {
    char f[24];
    bool wide = s->length == 2 || (s->length == 1 && a->w->block->grid->module->address_bits != 32);
    uint64_t raw = format_next(a, wide ? 8 : 4);
    long long v = wide ? (long long)raw : (int32_t)raw;
    if (s->length == -1) v = (int16_t)v;
    if (s->length == -2) v = (int8_t)v;
    snprintf(f, sizeof f, "%%%s*.*lld", s->flags);
    sb_add(out, f, s->width, s->precision, v);
}

static void emit_unsigned(struct sb *out, const struct spec *s, struct format_args *a) {
    char f[24];
    bool wide = s->length == 2 || (s->length == 1 && a->w->block->grid->module->address_bits != 32);
    unsigned long long v = format_next(a, wide ? 8 : 4);
    if (s->length == -1) v = (uint16_t)v;
    if (s->length == -2) v = (uint8_t)v;
    snprintf(f, sizeof f, "%%%s*.*ll%c", s->flags, s->conv);
    sb_add(out, f, s->width, s->precision, v);
}

static void emit_double(struct sb *out, const struct spec *s, struct format_args *a) {
    char f[24];
    snprintf(f, sizeof f, "%%%s*.*%c", s->flags, s->conv);
    sb_add(out, f, s->width, s->precision, f64_from(format_next(a, 8)));
}

static void emit_text(struct sb *out, const struct spec *s, const char *text, int precision) {
    sb_add(out, strchr(s->flags, '-') ? "%-*.*s" : "%*.*s", s->width, precision, text);
}

static void emit_string(struct sb *out, const struct spec *s, struct format_args *a) {
    uint64_t addr = format_next(a, a->w->block->grid->module->address_bits == 32 ? 4 : 8);
    if (a->failed) return;
    const char *text = addr ? lane_string(a->w, a->lane, addr) : "(null)";
    if (!text) {
        a->failed = true;
        a->bad = addr;
        return;
    }
    emit_text(out, s, text, s->precision);
}

static void emit_pointer(struct sb *out, const struct spec *s, struct format_args *a) {
    char text[24];
    uint64_t addr = format_next(a, a->w->block->grid->module->address_bits == 32 ? 4 : 8);
    snprintf(text, sizeof text, addr ? "0x%llx" : "(nil)", (unsigned long long)addr);
    emit_text(out, s, text, -1);
}

static void emit_char(struct sb *out, const struct spec *s, struct format_args *a) {
    char c = (char)format_next(a, 4);
    int pad = abs(s->width) - 1;
    bool left = strchr(s->flags, '-') || s->width < 0;
    if (!left && pad > 0) sb_add(out, "%*s", pad, "");
    sb_addn(out, &c, 1);
    if (left && pad > 0) sb_add(out, "%*s", pad, "");
}

/* One conversion; false when it is not known. */
static bool format_emit(struct sb *out, const struct spec *s, struct format_args *a) {
    switch (s->conv) {
    case 'd':
    case 'i': emit_signed(out, s, a); break;
    case 'u':
    case 'o':
    case 'x':
    case 'X': emit_unsigned(out, s, a); break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': emit_double(out, s, a); break;
    case 'c': emit_char(out, s, a); break;
    case 's': emit_string(out, s, a); break;
    case 'p': emit_pointer(out, s, a); break;
    default: return false;
    }
    a->count++;
    return true;
}

void format_print(struct sb *out, const char *fmt, struct format_args *a) {
    while (*fmt && !a->failed) {
        size_t plain = strcspn(fmt, "%");
        sb_addn(out, fmt, plain);
        fmt += plain;
        if (!*fmt) break;
        if (fmt[1] == '%') {
            sb_addn(out, "%", 1);
            fmt += 2;
            continue;
        }
        struct spec s;
        const char *end = format_parse(fmt + 1, &s, a);
        if (!format_emit(out, &s, a)) sb_addn(out, fmt, (size_t)(end - fmt));
        fmt = end;
    }
}

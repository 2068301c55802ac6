/* Scanning lines of a made-up language (control flow of the multi-path slides' kind: gotos, state machines). The kernel is a
 * label a state; the CPU scans by the definition of each token, with a function for each kind. Lines are of random tokens,
 * some without the end of a string or comment, 4 to 16 tokens long. */
#include "workloads/workload.h"

#include <string.h>

enum { SPACE, LETTER, DIGIT, QUOTE, SLASH, SIGN, END, LINE = 512 };

static void make_classes(uint8_t classes[256]) {
    memset(classes, SIGN, 256);
    for (int c = 0; c < 26; c++) classes['a' + c] = classes['A' + c] = LETTER;
    for (int c = '0'; c <= '9'; c++) classes[c] = DIGIT;
    classes['_'] = LETTER, classes[' '] = SPACE, classes['"'] = QUOTE, classes['/'] = SLASH, classes[0] = END;
}

/* ---- lines ---- */

static char *put(struct work *w, char *to, uint32_t n, const char *of) {
    const uint32_t letters = (uint32_t)strlen(of);
    while (n--) *to++ = of[work_below(w, letters)];
    return to;
}

static char *put_text(char *to, const char *text) {
    const size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

static char *put_token(struct work *w, char *to) {
    switch (work_below(w, 16)) {
    case 0:
    case 1: return put(w, to, 1 + work_below(w, 6), "0123456789");
    case 2: return put(w, put_text(to, "0x"), 1 + work_below(w, 7), "0123456789abcdefABCDEF");
    case 3: return put(w, put_text(put(w, to, 2, "123456789"), "."), 1 + work_below(w, 3), "0123456789");
    case 4: return put_text(put(w, put_text(to, "\""), work_below(w, 10), "ab c\\\"/*"), "\\n\"");
    case 5: return put_text(put(w, put_text(to, "/*"), work_below(w, 12), "ab */ "), "*/");
    case 6: return put(w, to, 1, "/\"");
    case 7:
    case 8:
    case 9: return put(w, to, 1 + work_below(w, 2), "+-*=<>(){};,.");
    default: return put(w, put(w, to, 1, "abcxyz_"), work_below(w, 9), "abcdefxyz_0189");
    }
}

static uint32_t put_line(struct work *w, char *to) {
    char *at = to;
    for (uint32_t left = 4 + work_below(w, 13); left; left--) {
        at = put_token(w, at);
        if (work_below(w, 4)) at = put(w, at, 1 + work_below(w, 3), " ");
    }
    *at++ = 0;
    return (uint32_t)(at - to);
}

/* ---- the reference: each function has the rest of the line, and leaves what comes behind its token ---- */

struct token {
    uint32_t kind, value; /* kind SPACE: no token */
    const uint8_t *rest;
};

static struct token word(const uint8_t *s, const uint8_t *classes) {
    uint32_t value = 0;
    for (; classes[*s] == LETTER || classes[*s] == DIGIT; s++) value = value * 31 + *s;
    return (struct token){LETTER, value, s};
}

static struct token hexadecimal(const uint8_t *s) {
    static const char digits[] = "0123456789abcdef";
    uint32_t value = 0;
    for (const char *d; *s && (d = strchr(digits, *s >= 'A' && *s <= 'F' ? *s + 32 : *s)); s++)
        value = value * 16 + (uint32_t)(d - digits);
    return (struct token){DIGIT, value, s};
}

static struct token number(const uint8_t *s, const uint8_t *classes) {
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) return hexadecimal(s + 2);
    uint32_t value = 0;
    for (; classes[*s] == DIGIT; s++) value = value * 10 + *s - '0';
    if (s[0] == '.' && classes[s[1]] == DIGIT)
        for (s++; classes[*s] == DIGIT; s++) value = value * 10 + *s - '0' + 1;
    return (struct token){DIGIT, value, s};
}

static struct token string(const uint8_t *s) {
    uint32_t value = 0;
    for (; *s != '"'; s++) {
        const bool escaped = *s == '\\' && s[1];
        if (*s == 0 || (*s == '\\' && !s[1])) return (struct token){END, 0, s};
        s += escaped;
        value = value * (escaped ? 137 : 131) + *s;
    }
    return (struct token){QUOTE, value, s + 1};
}

static struct token slash(const uint8_t *s) {
    if (*s == '/') return (struct token){END, 0, s};
    if (*s != '*') return (struct token){SIGN, '/', s};
    const char *end = strstr((const char *)s + 1, "*/");
    return (struct token){end ? SPACE : END, 0, end ? (const uint8_t *)end + 2 : s};
}

static struct token next_token(const uint8_t *s, const uint8_t *classes) {
    switch (classes[*s]) {
    case SPACE: return (struct token){SPACE, 0, s + 1};
    case LETTER: return word(s, classes);
    case DIGIT: return number(s, classes);
    case QUOTE: return string(s + 1);
    case SLASH: return slash(s + 1);
    case SIGN: return (struct token){SIGN, *s, s + 1};
    default: return (struct token){END, 0, s};
    }
}

static uint32_t scan(uint32_t *tokens, const uint8_t *line, const uint8_t *classes) {
    uint32_t mix = 2166136261u;
    *tokens = 0;
    for (struct token t = next_token(line, classes); t.kind != END; t = next_token(t.rest, classes))
        if (t.kind != SPACE) {
            mix = (mix ^ (t.value + t.kind)) * 16777619u;
            ++*tokens;
        }
    return mix;
}

void work_lexer(struct work *w) {
    const uint32_t n = work_pick(w, 64, 7680, 30720), block = work_pick(w, 64, 128, 128);
    uint8_t classes[256];
    make_classes(classes);
    char *text = work_host(w, n, LINE);
    uint32_t *lines = work_host(w, n, sizeof *lines), *mixes = work_host(w, n, sizeof *mixes),
             *counts = work_host(w, n, sizeof *counts), bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        lines[i] = bytes;
        bytes += put_line(w, text + bytes);
        mixes[i] = scan(&counts[i], (const uint8_t *)text + lines[i], classes);
    }
    uint64_t dmixes = work_buffer(w, "mixes", n * sizeof *mixes),
             dcounts = work_buffer(w, "counts", n * sizeof *counts);
    uint64_t dtext = work_input(w, "text", text, bytes + 8),
             dclasses = work_input(w, "classes", classes, sizeof classes),
             dlines = work_input(w, "lines", lines, n * sizeof *lines);
    WORK_LAUNCH(w, "lexer", WORK_SHAPE(.grid = {n / block}, .block = {block}), hd_arg_ptr(dmixes),
                hd_arg_ptr(dcounts), hd_arg_ptr(dtext), hd_arg_ptr(dclasses), hd_arg_ptr(dlines),
                hd_arg_u32(n));
    work_check_u32(w, "mixes", dmixes, mixes, n);
    work_check_u32(w, "counts", dcounts, counts, n);
}

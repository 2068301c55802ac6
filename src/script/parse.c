/* Statements of scripts, by recursive descent; one statement a line.
 *
 *     let NAME = EXPR
 *     buffer NAME TYPE[EXPR] [= CONTENTS]          variable NAME [TYPE] [= CONTENTS]
 *     set TARGET = CONTENTS                        swap BUFFER BUFFER
 *     launch KERNEL grid EXPR, ... [block EXPR, ...] [shared EXPR] [args ARG, ...]
 *     repeat EXPR [as NAME] [while EXPR] { ... }   if EXPR { ... } [else { ... }]
 *     print ITEM, ...                              write TARGET "PATH"
 *     check EXPR | check TARGET == CONTENTS [within EXPR] [relative EXPR] | check TARGET from EXPR to EXPR
 *
 * Names are declared before they are used, and buffers outside of loops: how much memory a script takes can be read off it. */
#include "script/parse.h"

#include <stdarg.h>
#include <stdlib.h>

bool script_error(const struct script *s, struct script_at at, struct err *e, const char *fmt, ...) {
    struct sb text = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&text, fmt, ap);
    va_end(ap);
    err_set(e, ERR_INPUT, "%s:%u:%u: %s", s->file, at.line, at.column, text.text);
    sb_free(&text);
    return false;
}

/* ---- the cursor ---- */

bool parse_wrong(struct parser *p, const char *expected) {
    const struct script_token *t = p->t;
    if (t->kind == TOKEN_END || t->kind == TOKEN_LINE)
        return script_error(p->s, t->at, p->e, "%s expected before the end of the %s", expected,
                            t->kind == TOKEN_END ? "script" : "line");
    return script_error(p->s, t->at, p->e, "%s expected, not '%.*s'", expected, t->n < 40 ? (int)t->n : 40,
                        t->text);
}

static bool parse_is(const struct script_token *t, enum script_token_kind kind, const char *text) {
    return t->kind == kind && t->n == strlen(text) && !memcmp(t->text, text, t->n);
}

bool parse_is_sign(const struct parser *p, const char *sign) {
    return parse_is(p->t, TOKEN_SIGN, sign);
}

bool parse_is_word(const struct parser *p, const char *word) {
    return parse_is(p->t, TOKEN_WORD, word);
}

bool parse_sign(struct parser *p, const char *sign) {
    return parse_is_sign(p, sign) && p->t++;
}

bool parse_word(struct parser *p, const char *word) {
    return parse_is_word(p, word) && p->t++;
}

bool parse_need(struct parser *p, const char *sign) {
    char expected[8] = "'";
    if (parse_sign(p, sign)) return true;
    strcat(strcat(expected, sign), "'");
    return parse_wrong(p, expected);
}

bool parse_ends(const struct parser *p) {
    return p->t->kind == TOKEN_LINE || p->t->kind == TOKEN_END || parse_is_sign(p, "}");
}

bool parse_find_buffer(const struct parser *p, size_t *buffer) {
    for (size_t i = 0; i < p->s->buffers.n; i++)
        if (parse_is_word(p, p->s->buffers.v[i].name)) return *buffer = i, true;
    return false;
}

bool parse_buffer_name(struct parser *p, size_t *buffer) {
    if (parse_find_buffer(p, buffer)) return p->t++, true;
    if (p->t->kind != TOKEN_WORD) return parse_wrong(p, "the name of a buffer");
    return script_error(p->s, p->t->at, p->e, "there is no buffer '%.*s'", p->t->n < 60 ? (int)p->t->n : 60,
                        p->t->text);
}

bool parse_type(struct parser *p, enum ir_type *type) {
    return p->t->kind == TOKEN_WORD && arg_type_by_name(p->t->text, p->t->n, type) && p->t++;
}

bool parse_string(struct parser *p, const char **text) {
    if (p->t->kind != TOKEN_TEXT) return parse_wrong(p, "a text in quotes");
    *text = arena_strndup(&p->s->mem, p->t->text, p->t->n);
    p->t++;
    return true;
}

/* ---- names ---- */

static const char *const reserved[] = {"index", "min",    "max",      "count", "zero",   "iota", "rand",
                                       "file",  "ptr",    "grid",     "block", "shared", "args", "while",
                                       "as",    "within", "relative", "from",  "to",     "else"};

/* A new name; *known: of a number that there is already, which let may change. */
static bool new_name(struct parser *p, const char **name, bool *known, size_t *number) {
    enum ir_type type;
    size_t buffer;
    *known = false;
    if (p->t->kind != TOKEN_WORD) return parse_wrong(p, "a name");
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (parse_is_word(p, reserved[i]))
            return script_error(p->s, p->t->at, p->e, "'%s' has a meaning of its own", reserved[i]);
    if (arg_type_by_name(p->t->text, p->t->n, &type))
        return script_error(p->s, p->t->at, p->e, "'%s' is a type", ir_type_name[type]);
    if (parse_find_buffer(p, &buffer))
        return script_error(p->s, p->t->at, p->e, "there is a buffer '%s' already",
                            p->s->buffers.v[buffer].name);
    for (size_t i = 0; i < p->s->numbers.n; i++)
        if (parse_is_word(p, p->s->numbers.v[i])) *known = true, *number = i;
    *name = arena_strndup(&p->s->mem, p->t->text, p->t->n);
    p->t++;
    return true;
}

static bool number_name(struct parser *p, size_t *number) {
    const char *name;
    bool known;
    if (!new_name(p, &name, &known, number)) return false;
    if (known) return true;
    *number = p->s->numbers.n;
    VEC_PUSH(&p->s->numbers, name);
    return true;
}

static bool buffer_name(struct parser *p, struct script_buffer b, size_t *number) {
    bool known;
    const struct script_at at = p->t->at;
    if (p->blocks)
        return script_error(p->s, at, p->e, "buffers are declared outside of loops and conditions");
    if (!new_name(p, &b.name, &known, number)) return false;
    if (known) return script_error(p->s, at, p->e, "there is a number '%s' already", b.name);
    *number = p->s->buffers.n;
    VEC_PUSH(&p->s->buffers, b);
    return true;
}

/* ---- statements ---- */

/* The name is new only behind its own expression. */
static bool parse_let(struct parser *p, struct script_statement *s) {
    const struct script_token *name = p->t, *end;
    if (name->kind != TOKEN_WORD) return parse_wrong(p, "a name");
    p->t++;
    if (!parse_need(p, "=") || !parse_expr(p, &s->expr)) return false;
    end = p->t;
    p->t = name;
    if (!number_name(p, &s->name)) return false;
    p->t = end;
    return true;
}

static bool parse_filling(struct parser *p, struct script_statement *s) {
    s->has_contents = parse_sign(p, "=");
    return !s->has_contents || parse_contents(p, &s->contents, parse_expr);
}

static bool parse_buffer(struct parser *p, struct script_statement *s) {
    struct script_buffer *b;
    if (!buffer_name(p, (struct script_buffer){.typed = true}, &s->name)) return false;
    b = &p->s->buffers.v[s->name];
    if (!parse_type(p, &b->type)) return parse_wrong(p, "a type");
    if (!parse_need(p, "[")) return false;
    if (!parse_is_sign(p, "]") && !parse_expr(p, &s->expr)) return false;
    if (!parse_need(p, "]") || !parse_filling(p, s)) return false;
    return s->expr || s->contents.kind == FILL_FILE || s->contents.kind == FILL_LIST ||
           script_error(p->s, s->at, p->e, "the count may be left out only with a file or a list");
}

static bool parse_variable(struct parser *p, struct script_statement *s) {
    if (!buffer_name(p, (struct script_buffer){.variable = true}, &s->name)) return false;
    struct script_buffer *b = &p->s->buffers.v[s->name];
    b->typed = parse_type(p, &b->type);
    return parse_filling(p, s);
}

static bool parse_set(struct parser *p, struct script_statement *s) {
    return parse_target(p, &s->target) && parse_need(p, "=") && parse_contents(p, &s->contents, parse_expr);
}

static bool parse_dimensions(struct parser *p, struct script_exprs *out) {
    const struct script_at at = p->t->at;
    if (!parse_exprs(p, out)) return false;
    return out->v.n <= 3 || script_error(p->s, at, p->e, "more than three dimensions");
}

static bool parse_launch(struct parser *p, struct script_statement *s) {
    if (p->t->kind != TOKEN_WORD && p->t->kind != TOKEN_TEXT) return parse_wrong(p, "the name of a kernel");
    s->text = arena_strndup(&p->s->mem, p->t->text, p->t->n);
    p->t++;
    if (!parse_word(p, "grid")) return parse_wrong(p, "'grid'");
    if (!parse_dimensions(p, &s->grid)) return false;
    if (parse_word(p, "block") && !parse_dimensions(p, &s->block)) return false;
    if (parse_word(p, "shared") && !parse_expr(p, &s->shared)) return false;
    return !parse_word(p, "args") || parse_args(p, &s->args);
}

static bool parse_block(struct parser *p, struct script_block *out, bool braces);

static bool parse_repeat(struct parser *p, struct script_statement *s) {
    if (!parse_expr(p, &s->expr)) return false;
    s->has_name = parse_word(p, "as");
    if (s->has_name && !number_name(p, &s->name)) return false;
    if (parse_word(p, "while") && !parse_expr(p, &s->when)) return false;
    return parse_block(p, &s->body, true);
}

static bool parse_if(struct parser *p, struct script_statement *s) {
    if (!parse_expr(p, &s->expr) || !parse_block(p, &s->body, true)) return false;
    return !parse_word(p, "else") || parse_block(p, &s->otherwise, true);
}

static bool parse_swap(struct parser *p, struct script_statement *s) {
    return parse_buffer_name(p, &s->name) && parse_buffer_name(p, &s->other);
}

/* A buffer or a part of one, not an expression that begins with an element: it is shown as its type has it. */
static bool is_item_target(struct parser *p) {
    const struct script_token *start = p->t;
    struct script_target target;
    struct err ignored = {0}, *e = p->e;
    size_t buffer;
    if (!parse_find_buffer(p, &buffer)) return false;
    p->e = &ignored;
    bool found = parse_target(p, &target) && (parse_ends(p) || parse_is_sign(p, ","));
    err_free(&ignored);
    p->e = e;
    p->depth = 0;
    p->t = start;
    return found;
}

static bool parse_item(struct parser *p, struct script_item *out) {
    *out = (struct script_item){0};
    if (p->t->kind == TOKEN_TEXT) return parse_string(p, &out->text);
    out->is_target = is_item_target(p);
    return out->is_target ? parse_target(p, &out->target) : parse_expr(p, &out->expr);
}

static bool parse_print(struct parser *p, struct script_statement *s) {
    bool fine = true;
    do {
        struct script_item item;
        fine = parse_item(p, &item);
        VEC_PUSH(&s->items.v, item);
    } while (fine && parse_sign(p, ","));
    PARSE_KEEP(p, &s->items.v);
    return fine;
}

static bool parse_write(struct parser *p, struct script_statement *s) {
    if (!parse_target(p, &s->target) || !parse_string(p, &s->text)) return false;
    return (*s->text && strcmp(s->text, "-") != 0) ||
           script_error(p->s, s->at, p->e, "write needs the name of a file");
}

/* Behind TARGET ==. */
static bool parse_expected(struct parser *p, struct script_statement *s) {
    s->has_contents = true;
    if (!parse_contents(p, &s->contents, parse_sum)) return false;
    if (parse_word(p, "within") && !parse_sum(p, &s->within)) return false;
    if (parse_word(p, "relative") && !parse_sum(p, &s->relative)) return false;
    return parse_ends(p) || parse_wrong(p, "the end of the line");
}

static bool parse_elements(struct parser *p, struct script_statement *s) {
    if (!parse_target(p, &s->target)) return false;
    if (parse_word(p, "from")) {
        s->range = true;
        if (!parse_sum(p, &s->lo)) return false;
        return (parse_word(p, "to") || parse_wrong(p, "'to'")) && parse_sum(p, &s->hi);
    }
    return parse_need(p, "==") && parse_expected(p, s);
}

/* Parses a check of elements where that is a whole statement, otherwise a condition; the message is that of the
 * reading that came further. */
static bool parse_check(struct parser *p, struct script_statement *s) {
    const struct script_token *start = p->t, *far;
    struct script_statement condition = *s;
    struct err first = {0}, *e = p->e;
    size_t buffer;
    if (!parse_find_buffer(p, &buffer)) return parse_expr(p, &s->expr);
    p->e = &first;
    bool fine = parse_elements(p, s);
    far = p->t;
    p->e = e;
    if (!fine) {
        *s = condition;
        p->t = start;
        p->depth = 0;
        fine = parse_expr(p, &s->expr) && (parse_ends(p) || parse_wrong(p, "the end of the line"));
        if (!fine && far > p->t) err_set(e, first.code, "%s", err_text(&first));
    }
    err_free(&first);
    return fine;
}

static const struct {
    const char *word;
    enum script_kind kind;
    bool (*parse)(struct parser *p, struct script_statement *s);
} statements[] = {
    {"let", DO_LET, parse_let},
    {"buffer", DO_BUFFER, parse_buffer},
    {"variable", DO_BUFFER, parse_variable},
    {"set", DO_SET, parse_set},
    {"launch", DO_LAUNCH, parse_launch},
    {"repeat", DO_REPEAT, parse_repeat},
    {"if", DO_IF, parse_if},
    {"swap", DO_SWAP, parse_swap},
    {"print", DO_PRINT, parse_print},
    {"write", DO_WRITE, parse_write},
    {"check", DO_CHECK, parse_check},
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static bool unknown_statement(struct parser *p) {
    const char *names[STATEMENTS + 1] = {0};
    char word[32] = "";
    if (p->t->kind != TOKEN_WORD) return parse_wrong(p, "a statement");
    for (size_t i = 0; i < STATEMENTS; i++) names[i] = statements[i].word;
    if (p->t->n < sizeof word) memcpy(word, p->t->text, p->t->n);
    const char *near = *word ? nearest_name(word, names) : NULL;
    return script_error(p->s, p->t->at, p->e, "there is no statement '%.*s'%s%s%s",
                        p->t->n < 40 ? (int)p->t->n : 40, p->t->text, near ? " (did you mean '" : "",
                        near ? near : "", near ? "'?)" : "");
}

static bool parse_statement(struct parser *p, struct script_block *out) {
    struct script_statement s = {.at = p->t->at};
    for (size_t i = 0; i < STATEMENTS; i++) {
        if (!parse_word(p, statements[i].word)) continue;
        s.kind = statements[i].kind;
        p->depth = 0;
        if (!statements[i].parse(p, &s)) return false;
        VEC_PUSH(&out->v, s);
        if (p->t->kind == TOKEN_LINE) return p->t++, true;
        return parse_is_sign(p, "}") || parse_wrong(p, "the end of the line");
    }
    return unknown_statement(p);
}

/* Up to the brace that closes it, or the end of the script. */
static bool parse_statements(struct parser *p, struct script_block *out, bool braces) {
    for (;;) {
        while (p->t->kind == TOKEN_LINE) p->t++;
        if (braces && parse_is_sign(p, "}")) return p->t++, true;
        if (p->t->kind == TOKEN_END) return !braces || parse_wrong(p, "'}'");
        if (!parse_statement(p, out)) return false;
    }
}

static bool parse_block(struct parser *p, struct script_block *out, bool braces) {
    if (braces && !parse_need(p, "{")) return false;
    if (braces && ++p->blocks > SCRIPT_DEEPEST)
        return script_error(p->s, p->t->at, p->e, "blocks are nested too deeply");
    bool fine = parse_statements(p, out, braces);
    if (braces) p->blocks--;
    PARSE_KEEP(p, &out->v);
    return fine;
}

bool script_parse(struct script *s, const char *file, const char *text, size_t n, struct err *e) {
    enum { LARGEST = 16 << 20 };
    struct script_tokens tokens = {0};
    *s = (struct script){.file = file};
    if (n > LARGEST) return err_set(e, ERR_INPUT, "%s: a script of more than 16 MiB", file);
    bool fine = script_lex(s, text, n, &tokens, e);
    struct parser p = {.s = s, .t = tokens.v.v, .e = e};
    fine = fine && parse_block(&p, &s->body, false);
    VEC_FREE(&tokens.v);
    return fine;
}

void script_free(struct script *s) {
    VEC_FREE(&s->numbers);
    VEC_FREE(&s->buffers);
    arena_free(&s->mem);
}

/* Scripts: what parses and to which statements, the place and reason of each way to get one wrong, bounds of the parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "script/script.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void parse(struct script *s, const char *text) {
    struct err e = {0};
    if (!script_parse(s, "s.hds", text, strlen(text), &e)) fail_msg("%s", err_text(&e));
    err_free(&e);
}

static void statements_keep_their_order_and_place(void **state) {
    (void)state;
    struct script s;
    parse(&s, "# a comment\n"
              "let n = 4 // another\n"
              "buffer a f32[n] = iota\n"
              "\n"
              "repeat n as i while i < 3 {\n"
              "  launch k grid 1,\n"
              "    2 block 32 shared 4 args a, i, f32:1.5\n"
              "}\n"
              "if n > 1 { swap a a } else { print \"no\" }\n"
              "check a == 2 * index within 0.5\n");
    static const enum script_kind kinds[] = {DO_LET, DO_BUFFER, DO_REPEAT, DO_IF, DO_CHECK};
    assert_int_equal(s.body.v.n, COUNT(kinds));
    for (size_t i = 0; i < COUNT(kinds); i++) assert_int_equal(s.body.v.v[i].kind, kinds[i]);
    const struct script_statement *loop = &s.body.v.v[2], *launch = &loop->body.v.v[0];
    assert_int_equal(loop->at.line, 5);
    assert_non_null(loop->when);
    assert_int_equal(launch->at.line, 6);
    assert_int_equal(launch->at.column, 3);
    assert_string_equal(launch->text, "k");
    assert_int_equal(launch->grid.v.n, 2); /* the line went on behind the comma */
    assert_int_equal(launch->args.v.n, 3);
    assert_int_equal(launch->args.v.v[0].kind, SARG_POINTER);
    assert_int_equal(launch->args.v.v[1].kind, SARG_EXPR);
    assert_int_equal(launch->args.v.v[2].kind, SARG_TYPED);
    assert_int_equal(s.body.v.v[3].otherwise.v.n, 1);
    assert_non_null(s.body.v.v[4].within);
    script_free(&s);
}

static void operators_bind_as_in_c(void **state) {
    (void)state;
    struct script s;
    parse(&s, "let a = 1 + 2 * 3 - 4 < 5 && !6 || -7 % 8\n");
    const struct script_expr *x = s.body.v.v[0].expr;
    assert_int_equal(x->op, OP_OR);
    assert_int_equal(x->a->op, OP_AND);
    assert_int_equal(x->a->a->op, OP_LT);
    assert_int_equal(x->a->a->a->op, OP_SUB); /* (1 + 2 * 3) - 4 */
    assert_int_equal(x->a->a->a->a->op, OP_ADD);
    assert_int_equal(x->a->a->a->a->b->op, OP_MUL);
    assert_int_equal(x->a->b->op, OP_NOT);
    assert_int_equal(x->b->op, OP_MOD);
    assert_int_equal(x->b->a->op, OP_NEG);
    script_free(&s);
}

/* A buffer's name alone is its address or a copy of it; with an operator behind it, a number. */
static void what_stands_behind_a_name_says_what_it_is(void **state) {
    (void)state;
    struct script s;
    parse(
        &s,
        "buffer a u32[1]\nbuffer b u32[1] = a\nset b = a[0] + 1\ncheck a == b\ncheck a[0] == 1 && b[0] == 2\n"
        "check a[0] == 1\ncheck a from 0 to 9\nlaunch k grid 1 args a, a[0], &a[0], a[0] + 1\n"
        "if 1 { set a = b }\n");
    assert_int_equal(s.body.v.v[1].contents.kind, FILL_BUFFER);
    assert_int_equal(s.body.v.v[2].contents.kind, FILL_EXPR);
    assert_int_equal(s.body.v.v[3].contents.kind, FILL_BUFFER);
    assert_non_null(s.body.v.v[4].expr);
    assert_null(s.body.v.v[5].expr);
    assert_true(s.body.v.v[6].range);
    static const enum script_arg_kind args[] = {SARG_POINTER, SARG_EXPR, SARG_POINTER, SARG_EXPR};
    for (size_t i = 0; i < COUNT(args); i++) assert_int_equal(s.body.v.v[7].args.v.v[i].kind, args[i]);
    assert_int_equal(s.body.v.v[8].body.v.v[0].contents.kind, FILL_BUFFER);
    script_free(&s);
}

static void structs_have_the_layout_of_c(void **state) {
    (void)state;
    struct {
        uint8_t a;
        struct {
            float *p;
            uint16_t v[3];
        } in;
        uint32_t last;
    } c;
    struct script s;
    parse(&s, "buffer x f32[4]\nlaunch k grid 1 args {u8:1, {ptr:x, u16[3]:{1,2,3}}, u32:7}\n");
    const struct script_arg *a = &s.body.v.v[1].args.v.v[0];
    assert_int_equal(a->kind, SARG_STRUCT);
    assert_int_equal(a->bytes, sizeof c);
    assert_int_equal(a->fields.n, 6);
    assert_int_equal(a->fields.v[1].offset, offsetof(__typeof__(c), in));
    assert_null(a->fields.v[1].expr);
    assert_int_equal(a->fields.v[4].offset, offsetof(__typeof__(c), in.v) + 4);
    assert_int_equal(a->fields.v[5].offset, offsetof(__typeof__(c), last));
    script_free(&s);
}

static void malformed_scripts_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"lte n = 1", "s.hds:1:1: there is no statement 'lte' (did you mean 'let'?)"},
        {"let", "s.hds:1:4: a name expected before the end of the line"},
        {"let n", "s.hds:1:6: '=' expected before the end of the line"},
        {"let n = ", "s.hds:1:9: a number, a name or '(' expected before the end of the line"},
        {"let n = 1 2", "s.hds:1:11: the end of the line expected, not '2'"},
        {"let n = n", "s.hds:1:9: there is no number or buffer 'n'"},
        {"let n = (1", "s.hds:1:11: ')' expected before the end of the line"},
        {"let n = 12x", "s.hds:1:9: '12x' is not a number"},
        {"let n = 99999999999999999999", "s.hds:1:9: the number 99999999999999999999 is too large"},
        {"let f32 = 1", "s.hds:1:5: 'f32' is a type"},
        {"let index = 1", "s.hds:1:5: 'index' has a meaning of its own"},
        {"let n = 1 @", "s.hds:1:11: '@' means nothing here"},
        {"print \"x", "s.hds:1:7: the text lacks its closing '\"'"},
        {"buffer a u32[4]\nbuffer a u32[4]", "s.hds:2:8: there is a buffer 'a' already"},
        {"let a = 1\nbuffer a u32[4]", "s.hds:2:8: there is a number 'a' already"},
        {"buffer a int[4]", "s.hds:1:10: a type expected, not 'int'"},
        {"buffer a u32[]", "s.hds:1:1: the count may be left out only with a file or a list"},
        {"buffer a u32[4] = rand(1, 2)", "s.hds:1:19: rand takes (SEED) or (SEED, LO, HI)"},
        {"repeat 2 {\n", "s.hds:2:1: '}' expected before the end of the script"},
        {"}", "s.hds:1:1: a statement expected, not '}'"},
        {"swap a b", "s.hds:1:6: there is no buffer 'a'"},
        {"launch k", "s.hds:1:9: 'grid' expected before the end of the line"},
        {"launch k grid 1,2,3,4", "s.hds:1:15: more than three dimensions"},
        {"launch k grid 1 args {u8[2]:{1}}", "s.hds:1:25: u8[2] has 1 values"},
        {"launch k grid 1 args {u8[40000]:1}", "s.hds:1:26: the size of an array expected, not '40000'"},
        {"launch k grid 1 args int:1", "s.hds:1:22: a type expected, not 'int'"},
        {"buffer a u8[1]\ncheck a from 1", "s.hds:2:15: 'to' expected before the end of the line"},
        {"buffer a u8[1]\ncheck a == {1", "s.hds:2:14: '}' expected before the end of the line"},
        {"buffer a u8[1]\nwrite a \"-\"", "s.hds:2:1: write needs the name of a file"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct script s;
        struct err e = {0};
        assert_false(script_parse(&s, "s.hds", cases[i].text, strlen(cases[i].text), &e));
        assert_string_equal(err_text(&e), cases[i].message);
        err_free(&e);
        script_free(&s);
    }
}

/* Deep and long texts are refused before they take the host's stack. */
static void depth_and_size_are_bounded(void **state) {
    (void)state;
    static const char *const parts[][2] = {
        {"(", "1"}, {"-", "1"}, {"1+", "1"}, {"if 1 {", ""}, {"min(1,", "1"}};
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct sb text = {0};
        struct script s;
        struct err e = {0};
        sb_add(&text, "%s", *parts[i][1] ? "let n = " : "");
        for (int k = 0; k < 100000; k++) sb_add(&text, "%s", parts[i][0]);
        sb_add(&text, "%s\n", parts[i][1]);
        assert_false(script_parse(&s, "s.hds", text.text, text.len, &e));
        assert_non_null(strstr(err_text(&e), "too"));
        err_free(&e);
        script_free(&s);
        sb_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_keep_their_order_and_place),
        cmocka_unit_test(operators_bind_as_in_c),
        cmocka_unit_test(what_stands_behind_a_name_says_what_it_is),
        cmocka_unit_test(structs_have_the_layout_of_c),
        cmocka_unit_test(malformed_scripts_are_explained),
        cmocka_unit_test(depth_and_size_are_bounded),
    };
    return cmocka_run_group_tests_name("cli/script", tests, NULL, NULL);
}

/* Local memory under call graphs: chains, recursion, listed and unlisted indirect calls, graphs of great depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/device/internal.h"

/* Adds a function with that frame; its calls follow with calls(). */
static uint32_t function(struct ir_module *m, uint32_t frame) {
    uint32_t at = (uint32_t)m->code.n;
    VEC_PUSH(&m->funcs,
             (struct ir_func){.name = "f", .defined = true, .entry = at, .end = at, .frame_bytes = frame});
    return (uint32_t)m->funcs.n - 1;
}

static void add(struct ir_module *m, uint16_t op) {
    VEC_PUSH(&m->code, (struct ir_insn){.op = op, .ext = (uint32_t)m->ext.n});
    m->funcs.v[m->funcs.n - 1].end++;
}

/* The newest function calls another, which may not exist yet. */
static void calls(struct ir_module *m, uint32_t callee) {
    add(m, IR_CALL);
    for (int i = 0; i < IR_CALL_COPIES; i++) VEC_PUSH(&m->ext, i == IR_CALL_FUNC ? callee : 0);
}

/* The newest function calls one of the targets through a pointer, with one argument and one result to copy. */
static void calls_one_of(struct ir_module *m, uint32_t n, const uint32_t *targets) {
    add(m, IR_CALL_IND);
    VEC_PUSH(&m->ext, n);
    VEC_PUSH(&m->ext, 0);
    VEC_PUSH(&m->ext, 1);
    VEC_PUSH(&m->ext, 1);
    for (int i = 0; i < 6; i++) VEC_PUSH(&m->ext, 7777);
    for (uint32_t i = 0; i < n; i++) VEC_PUSH(&m->ext, targets[i]);
}

static void expect(struct ir_module *m, const uint64_t *want) {
    uint64_t *got = xcalloc(m->funcs.n, sizeof *got);
    sim_local_bytes(m, got);
    for (size_t i = 0; i < m->funcs.n; i++) assert_int_equal(got[i], want[i]);
    free(got);
    ir_module_free(m);
}

static void the_deepest_chain_counts(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("t");
    function(m, 16), calls(m, 3), calls(m, 1), calls(m, 3);
    function(m, 32), add(m, IR_RET), calls(m, 2);
    function(m, 64), add(m, IR_RET);
    function(m, 48), add(m, IR_RET);
    expect(m, (uint64_t[]){112, 96, 64, 48});
}

static void a_recursion_counts_once(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("t");
    function(m, 16), calls(m, 1);
    function(m, 32), calls(m, 1), calls(m, 2);
    function(m, 64), calls(m, 1);
    expect(m, (uint64_t[]){112, 96, 64});
}

static void listed_targets_of_indirect_calls_count(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("t");
    function(m, 16), calls_one_of(m, 2, (uint32_t[]){1, 2});
    function(m, 32), add(m, IR_RET);
    function(m, 64), add(m, IR_RET);
    function(m, 1024), add(m, IR_RET);
    m->funcs.v[3].address_taken = true; /* not on the list */
    expect(m, (uint64_t[]){80, 32, 64, 1024});
}

static void unlisted_indirect_calls_reach_what_has_an_address(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("t");
    function(m, 16), calls_one_of(m, 0, NULL);
    function(m, 32), add(m, IR_RET);
    function(m, 64), calls_one_of(m, 0, NULL);
    function(m, 1024), add(m, IR_RET);
    m->funcs.v[1].address_taken = m->funcs.v[2].address_taken = true;
    expect(m, (uint64_t[]){80, 32, 64, 1024});
}

/* A call graph as deep as an input cares to make it needs no stack of ours. */
static void a_deep_graph_is_walked(void **state) {
    (void)state;
    enum { DEPTH = 200000 };
    struct ir_module *m = ir_module_new("t");
    uint64_t *want = xcalloc(DEPTH, sizeof *want);
    for (uint32_t i = 0; i < DEPTH; i++) {
        function(m, 16);
        if (i + 1 < DEPTH) calls(m, i + 1);
        want[i] = 16 * (uint64_t)(DEPTH - i);
    }
    expect(m, want);
    free(want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_deepest_chain_counts),
        cmocka_unit_test(a_recursion_counts_once),
        cmocka_unit_test(listed_targets_of_indirect_calls_count),
        cmocka_unit_test(unlisted_indirect_calls_reach_what_has_an_address),
        cmocka_unit_test(a_deep_graph_is_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Memory at an address of the caller's choice and of the caller's own bytes, and the look-up of addresses. */
#include "api.h"

#define HIGH UINT64_C(0x200000000000)

static uint64_t at(struct api *a, uint64_t addr, uint64_t bytes, void *host) {
    WORKS(a->dev, hd_alloc_at(a->dev, bytes, host, &addr));
    return addr;
}

static void kernels_work_in_the_callers_bytes(void **state) {
    struct api *a = *state;
    uint32_t host[33] = {0};
    const uint64_t where = (uint64_t)(uintptr_t)host;
    assert_int_equal(at(a, where, 128, host), where);
    hd_arg arg = hd_arg_ptr(where);
    WORKS(a->dev, hd_run(api_kernel(a, "lookup"), &(hd_launch){.block = {32, 1, 1}}, &arg, 1));
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(host[i], 10 * (i % 4 + 1) + 7);
    host[3] = 99; /* and the other way */
    uint32_t got;
    WORKS(a->dev, hd_copy_out(a->dev, &got, where + 12, 4));
    assert_int_equal(got, 99);
    assert_int_equal(hd_run(api_kernel(a, "lookup"), &(hd_launch){.block = {33, 1, 1}}, &arg, 1), HD_FAULT);
    assert_null(strstr(hd_error(a->dev), "run.slack")); /* which the caller's bytes do not have */
    assert_int_equal(host[32], 0);
    WORKS(a->dev, hd_free(a->dev, where));
    assert_int_equal(host[0], 17); /* the storage is still ours */
    assert_int_equal(hd_run(api_kernel(a, "lookup"), &(hd_launch){.block = {1}}, &arg, 1), HD_FAULT);
}

static void other_addresses_do_not_change(void **state) {
    struct api *a = *state;
    static char host[4096];
    uint64_t plain[8];
    for (int i = 0; i < 8; i++) plain[i] = api_alloc(a, 1000);
    hd_device *dev;
    hd_module *mod;
    assert_int_equal(hd_device_open(NULL, &dev), HD_OK);
    WORKS(dev, hd_module_load(dev, "api.ptx", API_PTX, 0, &mod));
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t addr = HIGH + i * 512, low = 0x400000 + i * 512, b;
        WORKS(dev, hd_alloc_at(dev, 512, host + i * 512, &addr)); /* touching the one before */
        WORKS(dev, hd_alloc_at(dev, 16, NULL, &low));
        WORKS(dev, hd_alloc(dev, 1000, &b));
        assert_int_equal(b, plain[i]);
        if (i % 2) WORKS(dev, hd_free(dev, addr));
    }
    hd_device_close(dev);
}

/* Where a fixed one lies in the way, buffers keep their distance. */
static void buffers_go_round_what_is_in_their_way(void **state) {
    struct api *a = *state;
    const uint64_t first = api_alloc(a, 256), wall = first + 2048;
    at(a, wall, 256, NULL);
    const uint64_t small = api_alloc(a, 256), large = api_alloc(a, 8192);
    assert_true(small > first && small + 256 + 256 <= wall);
    assert_true(large >= wall + 256 + 256);
}

static void no_place_is_given_twice_or_where_none_is(void **state) {
    struct api *a = *state;
    static char host[64];
    char text[160];
    uint64_t addr = HIGH;
    WORKS(a->dev, hd_alloc_at(a->dev, 64, host, &addr));
    snprintf(text, sizeof text,
             "buffer 2: 0x20000000003f, 1 bytes, overlaps buffer 1 (0x200000000000, 64 bytes)");
    addr = HIGH + 63;
    FAILS(a->dev, HD_INVALID, text, hd_alloc_at(a->dev, 1, host, &addr));
    addr = HIGH - 1;
    assert_int_equal(hd_alloc_at(a->dev, 2, host, &addr), HD_INVALID);
    static const uint64_t bad[] = {1,          0xffff,     0x00ffffff, 0x01000000,
                                   0x05000000, 0x0fffffff, UINT64_MAX, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        addr = bad[i];
        assert_int_equal(hd_alloc_at(a->dev, 2, host, &addr), HD_INVALID);
        assert_int_equal(addr, bad[i]);
    }
    FAILS(a->dev, HD_INVALID, "hd_alloc_at: addr must not be NULL", hd_alloc_at(a->dev, 1, host, NULL));
    FAILS(a->dev, HD_INVALID, "hd_alloc_at: a buffer has at least one byte",
          hd_alloc_at(a->dev, 0, host, &addr));
    assert_int_equal(hd_alloc_at(NULL, 1, host, &addr), HD_INVALID);
    WORKS(a->dev, hd_free(a->dev, HIGH));
    addr = HIGH - 8; /* over what was released */
    WORKS(a->dev, hd_alloc_at(a->dev, 32, host, &addr));
}

static void storage_of_the_host_counts_for_no_limit(void **state) {
    (void)state;
    hd_device *dev;
    static char host[1 << 16];
    uint64_t addr = 0;
    const hd_option limit = {"mem.global_bytes", "4K"};
    assert_int_equal(hd_device_open(&(hd_config){.options = &limit, .noptions = 1}, &dev), HD_OK);
    WORKS(dev, hd_alloc_at(dev, sizeof host, host, &addr)); /* anywhere: among the others */
    assert_int_equal(addr % 256, 0);
    assert_true(addr < UINT32_MAX);
    uint64_t b = HIGH;
    assert_int_equal(hd_alloc_at(dev, 8192, NULL, &b), HD_MEMORY);
    WORKS(dev, hd_alloc_at(dev, 4096, NULL, &b));
    assert_int_equal(hd_alloc(dev, 1, &b), HD_MEMORY);
    hd_device_close(dev);
}

static void addresses_are_looked_up(void **state) {
    struct api *a = *state;
    static char host[100];
    hd_memory m;
    const uint64_t b = api_alloc(a, 300);
    at(a, HIGH, 100, host);
    WORKS(a->dev, hd_label(a->dev, HIGH, "mapped"));
    assert_int_equal(hd_find(a->dev, b + 299, &m), HD_OK);
    assert_int_equal(m.addr, b);
    assert_int_equal(m.bytes, 300);
    assert_int_equal(m.kind, HD_MEMORY_BUFFER);
    assert_string_equal(m.label, "buffer 1");
    memcpy(m.host, "through", 8);
    char got[8];
    WORKS(a->dev, hd_copy_out(a->dev, got, b, 8));
    assert_string_equal(got, "through");
    assert_int_equal(hd_find(a->dev, HIGH + 50, &m), HD_OK);
    assert_int_equal(m.kind, HD_MEMORY_HOST);
    assert_ptr_equal(m.host, host);
    assert_string_equal(m.label, "mapped");
    uint64_t counter;
    WORKS(a->dev, hd_module_symbol(a->mod, "counter", &counter, NULL));
    assert_int_equal(hd_find(a->dev, counter, &m), HD_OK);
    assert_int_equal(m.kind, HD_MEMORY_VARIABLE);
    assert_string_equal(m.label, "symbol counter");
    FAILS(a->dev, HD_INVALID, "hd_alloc: addr must not be NULL", hd_alloc(a->dev, 1, NULL));
    FAILS(a->dev, HD_INVALID, "hd_alloc: addr must not be NULL", hd_find(a->dev, b + 300, &m));
    assert_int_equal(hd_find(a->dev, b, NULL), HD_INVALID);
    assert_int_equal(hd_find(NULL, b, &m), HD_INVALID);
}

static void all_memory_is_visited_in_order(void **state) {
    struct api *a = *state;
    hd_memory m;
    uint64_t want[6], next = 0;
    static char host[10];
    for (int i = 0; i < 4; i++) want[i] = api_alloc(a, 64);
    want[4] = at(a, HIGH, 5, host);
    want[5] = at(a, HIGH + 5, 5, host + 5);
    WORKS(a->dev, hd_free(a->dev, want[1]));
    int k = 0;
    for (uint64_t addr = 0; !hd_find_next(a->dev, addr, &m); addr = m.addr + m.bytes) {
        assert_true(m.addr >= next);
        next = m.addr + m.bytes;
        if (m.kind == HD_MEMORY_VARIABLE) continue;
        if (k == 1) k++;
        assert_int_equal(m.addr, want[k]);
        k++;
    }
    assert_int_equal(k, 6);
}

/* ---- variables ---- */

/* through: what a pointer to the variable gives, its address, and a word of it counted up. copies: word by word, generic. */
static const char VARS[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 8 .u32 shared_with_host[4] = {1, 2, 3, 4};\n"
    ".visible .global .align 8 .u64 pointer = generic(shared_with_host);\n"
    ".visible .entry through(.param .u64 out)\n{\n  .reg .b64 %d<4>; .reg .b32 %r<4>;\n"
    "  ld.param.u64 %d0, [out];\n  ld.global.u64 %d1, [pointer];\n  ld.u32 %r0, [%d1+4];\n  st.global.u32 "
    "[%d0], %r0;\n"
    "  mov.u64 %d2, shared_with_host;\n  st.global.u64 [%d0+8], %d2;\n  ld.global.u32 %r1, "
    "[shared_with_host+8];\n"
    "  add.u32 %r1, %r1, 10;\n  st.global.u32 [shared_with_host+8], %r1;\n  ret;\n}\n"
    ".visible .entry copies(.param .u64 to, .param .u64 from)\n{\n  .reg .b64 %d<8>; .reg .b32 %r<4>;\n"
    "  ld.param.u64 %d0, [to];\n  ld.param.u64 %d1, [from];\n  mov.u32 %r0, %tid.x;\n  mul.wide.u32 %d2, "
    "%r0, 4;\n"
    "  add.u64 %d3, %d0, %d2;\n  add.u64 %d4, %d1, %d2;\n  ld.u32 %r1, [%d4];\n  st.u32 [%d3], %r1;\n  "
    "ret;\n}\n";

static void a_variable_moves_to_the_host(void **state) {
    struct api *a = *state;
    static uint32_t host[4];
    hd_module *mod;
    hd_kernel *k;
    hd_memory m;
    uint64_t old, now, bytes, out = api_alloc(a, 16);
    struct {
        uint32_t word, unused;
        uint64_t addr;
    } got;
    WORKS(a->dev, hd_module_load(a->dev, "vars.ptx", VARS, 0, &mod));
    WORKS(a->dev, hd_module_symbol(mod, "shared_with_host", &old, NULL));
    WORKS(a->dev, hd_module_place(mod, "shared_with_host", host, HIGH));
    WORKS(a->dev, hd_module_symbol(mod, "shared_with_host", &now, &bytes));
    assert_int_equal(now, HIGH);
    assert_int_equal(bytes, 16);
    assert_int_equal(hd_find(a->dev, old, &m), HD_INVALID);
    assert_int_equal(hd_find(a->dev, HIGH + 15, &m), HD_OK);
    assert_int_equal(m.kind, HD_MEMORY_VARIABLE);
    assert_int_equal(host[3], 4); /* what it held came along */
    host[1] = 77;
    hd_arg arg = hd_arg_ptr(out);
    WORKS(a->dev, hd_module_kernel(mod, "through", &k));
    WORKS(a->dev, hd_run(k, &(hd_launch){.block = {1}}, &arg, 1));
    WORKS(a->dev, hd_copy_out(a->dev, &got, out, sizeof got));
    assert_int_equal(got.word, 77);
    assert_int_equal(got.addr, HIGH);
    assert_int_equal(host[2], 13);
    FAILS(a->dev, HD_INVALID, "vars.ptx has no variable \"nobody\"",
          hd_module_place(mod, "nobody", host, HIGH));
    FAILS(a->dev, HD_INVALID, "hd_module_place: name must not be NULL",
          hd_module_place(mod, NULL, host, HIGH));
    FAILS(a->dev, HD_INVALID, "api.ptx: table is not a .global variable that is defined here",
          hd_module_place(a->mod, "table", host, HIGH));
    assert_int_equal(hd_module_place(NULL, "x", host, HIGH), HD_INVALID);
    hd_module_unload(mod);
    assert_int_equal(host[2], 13);
    assert_int_equal(hd_find(a->dev, HIGH, &m), HD_INVALID);
}

/* A kernel of another module reaches constants by the address that hd_module_symbol gives. */
static void constants_are_memory_at_their_address(void **state) {
    struct api *a = *state;
    for (hd_mode mode = HD_MODE_FUNCTIONAL; mode <= HD_MODE_TIMED; mode++) {
        hd_module *mod;
        hd_kernel *k;
        hd_memory m;
        uint64_t table, out = api_alloc(a, 16);
        uint32_t got[4];
        WORKS(a->dev, hd_module_load(a->dev, "vars.ptx", VARS, 0, &mod));
        WORKS(a->dev, hd_module_kernel(mod, "copies", &k));
        WORKS(a->dev, hd_module_symbol(a->mod, "table", &table, NULL));
        hd_arg args[] = {hd_arg_ptr(out), hd_arg_ptr(table)};
        hd_launch l = {.block = {4, 1, 1}, .mode = mode};
        WORKS(a->dev, hd_run(k, &l, args, 2));
        WORKS(a->dev, hd_copy_out(a->dev, got, out, sizeof got));
        for (uint32_t i = 0; i < 4; i++) assert_int_equal(got[i], 10 * (i + 1));
        assert_int_equal(hd_find(a->dev, table + 15, &m), HD_OK);
        assert_int_equal(m.addr, table);
        assert_int_equal(m.bytes, 16);
        assert_int_equal(m.kind, HD_MEMORY_VARIABLE);
        assert_string_equal(m.label, "table");
        assert_int_equal(((uint32_t *)m.host)[2], 30);
        hd_module_unload(mod);
    }
}

/* ---- slack ---- */

static void slack_lets_programs_reach_past_their_ends(void **state) {
    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        hd_device *dev;
        hd_module *mod;
        hd_kernel *k;
        hd_memory m;
        uint64_t from, to, next;
        uint32_t got[8];
        const hd_option slack = {"run.slack", padded ? "16" : "0"};
        assert_int_equal(hd_device_open(&(hd_config){.options = &slack, .noptions = 1}, &dev), HD_OK);
        WORKS(dev, hd_module_load(dev, "vars.ptx", VARS, 0, &mod));
        WORKS(dev, hd_module_kernel(mod, "copies", &k));
        WORKS(dev, hd_alloc(dev, 16, &from));
        WORKS(dev, hd_alloc(dev, 32, &to));
        WORKS(dev, hd_alloc(dev, 32, &next));
        WORKS(dev, hd_set(dev, from, 0xff, 16));
        WORKS(dev, hd_set(dev, to, 0xee, 32));
        hd_arg args[] = {hd_arg_ptr(to), hd_arg_ptr(from)};
        hd_launch l = {.block = {8, 1, 1}};
        if (!padded) {
            assert_int_equal(hd_run(k, &l, args, 2), HD_FAULT);
            assert_non_null(strstr(hd_error(dev), "\n  (run.slack = 4 would let it pass"));
            hd_device_close(dev);
            continue;
        }
        WORKS(dev, hd_run(k, &l, args, 2));
        WORKS(dev, hd_copy_out(dev, got, to, sizeof got));
        assert_int_equal(got[3], UINT32_MAX);
        for (int i = 4; i < 8; i++) assert_int_equal(got[i], 0);
        l.block[0] = 9;
        assert_int_equal(hd_run(k, &l, args, 2), HD_FAULT);
        assert_non_null(strstr(hd_error(dev), "16 bytes past the end of buffer 1"));
        assert_int_equal(hd_find(dev, to, &m), HD_OK);
        assert_int_equal(m.bytes, 32); /* as asked for */
        assert_true(next >= to + 32 + 16 + 256);
        double used;
        WORKS(dev, hd_stat(dev, 0, "mem.used_bytes", &used));
        assert_int_equal(used, 16 + 32 + 32 + 16 + 8);
        hd_device_close(dev);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        API_TEST(kernels_work_in_the_callers_bytes),
        API_TEST(other_addresses_do_not_change),
        API_TEST(buffers_go_round_what_is_in_their_way),
        API_TEST(no_place_is_given_twice_or_where_none_is),
        cmocka_unit_test(storage_of_the_host_counts_for_no_limit),
        API_TEST(addresses_are_looked_up),
        API_TEST(all_memory_is_visited_in_order),
        API_TEST(a_variable_moves_to_the_host),
        API_TEST(constants_are_memory_at_their_address),
        cmocka_unit_test(slack_lets_programs_reach_past_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

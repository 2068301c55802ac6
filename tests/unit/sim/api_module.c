/* Modules: loading and its failures, kernels by name and place, what is known of them, symbols. */
#include "api.h"

static void a_module_that_does_not_load_says_where(void **state) {
    struct api *a = *state;
    hd_module *mod = a->mod;
    assert_int_equal(hd_module_load(a->dev, "bad.ptx", ".version 7.0\n.target sm_70\nnonsense\n", 0, &mod),
                     HD_INVALID);
    assert_null(mod);
    assert_int_equal(strncmp(hd_error(a->dev), "bad.ptx:3:1: error: ", 20), 0);
    assert_int_not_equal(hd_error(a->dev)[strlen(hd_error(a->dev)) - 1], '\n');
    FAILS(a->dev, HD_INVALID, "hd_module_load: text and mod must not be NULL",
          hd_module_load(a->dev, "x", NULL, 0, &mod));
    FAILS(a->dev, HD_INVALID, "hd_module_load: text and mod must not be NULL",
          hd_module_load(a->dev, "x", "", 0, NULL));
    FAILS(a->dev, HD_INVALID, "hd_module_load_file: path and mod must not be NULL",
          hd_module_load_file(a->dev, NULL, &mod));
    FAILS(a->dev, HD_INVALID, "cannot open /nonexistent/x.ptx: No such file or directory",
          hd_module_load_file(a->dev, "/nonexistent/x.ptx", &mod));
    FAILS(a->dev, HD_INVALID, "cannot read /tmp: Is a directory", hd_module_load_file(a->dev, "/tmp", &mod));
}

static void text_is_read_up_to_the_size_given(void **state) {
    struct api *a = *state;
    hd_module *mod = NULL;
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\nnonsense";
    WORKS(a->dev, hd_module_load(a->dev, "part.ptx", text, sizeof text - sizeof "nonsense", &mod));
    assert_int_equal(hd_module_kernel_count(mod), 0);
}

static void kernels_are_found_by_name_and_place(void **state) {
    struct api *a = *state;
    static const char *const names[] = {"lookup", "types", "exact", "most",   "uses_shared", "forever",
                                        "store",  "traps", "says",  "texels", "object",      "deep"};
    size_t n = sizeof names / sizeof *names;
    assert_int_equal(hd_module_kernel_count(a->mod), n);
    for (size_t i = 0; i < n; i++) assert_ptr_equal(hd_module_kernel_at(a->mod, i), api_kernel(a, names[i]));
    assert_null(hd_module_kernel_at(a->mod, n));
    hd_kernel *k = NULL;
    FAILS(a->dev, HD_INVALID, "api.ptx has no kernel \"lokup\"; did you mean lookup?",
          hd_module_kernel(a->mod, "lokup", &k));
    FAILS(a->dev, HD_INVALID, "api.ptx has no kernel \"leaf\"",
          hd_module_kernel(a->mod, "leaf", &k)); /* a .func */
    FAILS(a->dev, HD_INVALID, "hd_module_kernel: name and k must not be NULL",
          hd_module_kernel(a->mod, NULL, &k));
    FAILS(a->dev, HD_INVALID, "hd_module_kernel: name and k must not be NULL",
          hd_module_kernel(a->mod, "lookup", NULL));
}

static void parameters_are_described(void **state) {
    struct api *a = *state;
    hd_kernel_info info;
    WORKS(a->dev, hd_kernel_get_info(api_kernel(a, "types"), &info));
    static const hd_param_info want[] = {{"a", 1, 1, 0, "u8", 0},      {"b", 2, 2, 2, "s16", 0},
                                         {"c", 4, 4, 4, "u32", 0},     {"d", 8, 8, 8, "f64", 0},
                                         {"e", 12, 4, 16, "bytes", 0}, {"f", 4, 4, 28, "f32", 0},
                                         {"out", 8, 8, 32, "u64", 1}};
    assert_string_equal(info.name, "types");
    assert_int_equal(info.nparams, 7);
    assert_int_equal(info.param_bytes, 40);
    for (size_t i = 0; i < info.nparams; i++) {
        assert_string_equal(info.params[i].name, want[i].name);
        assert_string_equal(info.params[i].type, want[i].type);
        assert_int_equal(info.params[i].bytes, want[i].bytes);
        assert_int_equal(info.params[i].align, want[i].align);
        assert_int_equal(info.params[i].offset, want[i].offset);
        assert_int_equal(info.params[i].pointer, want[i].pointer);
    }
}

static void resources_are_described(void **state) {
    struct api *a = *state;
    hd_kernel_info info;
    WORKS(a->dev, hd_kernel_get_info(api_kernel(a, "uses_shared"), &info));
    assert_int_equal(info.shared_bytes, 1024);
    assert_int_equal(info.local_bytes, 0);
    assert_int_equal(info.instructions, 3);
    assert_int_equal(info.blocks, 1);
    assert_true(info.registers >= 1);
    WORKS(a->dev, hd_kernel_get_info(api_kernel(a, "exact"), &info));
    assert_int_equal(info.required_threads[0], 32);
    assert_int_equal(info.required_threads[1], 2);
    assert_int_equal(info.max_threads[0], 0);
    WORKS(a->dev, hd_kernel_get_info(api_kernel(a, "most"), &info));
    assert_int_equal(info.max_threads[0], 16);
    assert_int_equal(info.max_threads[1], 4);
    assert_int_equal(info.required_threads[0], 0);
    WORKS(a->dev, hd_kernel_get_info(api_kernel(a, "deep"), &info));
    assert_int_equal(info.local_bytes, 16 + 32 + 64); /* the deeper of its two chains of calls */
    FAILS(a->dev, HD_INVALID, "hd_kernel_get_info: info must not be NULL",
          hd_kernel_get_info(api_kernel(a, "deep"), NULL));
}

/* ---- symbols ---- */

static void global_variables_are_memory(void **state) {
    struct api *a = *state;
    uint64_t addr = 0, bytes = 0, out = api_alloc(a, 16);
    uint32_t value = 0, got[4];
    WORKS(a->dev, hd_module_symbol(a->mod, "counter", &addr, &bytes));
    assert_int_equal(bytes, 4);
    WORKS(a->dev, hd_copy_out(a->dev, &value, addr, 4));
    assert_int_equal(value, 7);
    value = 1000;
    WORKS(a->dev, hd_copy_in(a->dev, addr, &value, 4));
    WORKS(a->dev,
          hd_run(api_kernel(a, "lookup"), &(hd_launch){.block = {4}}, (hd_arg[]){hd_arg_ptr(out)}, 1));
    WORKS(a->dev, hd_copy_out(a->dev, got, out, sizeof got));
    assert_memory_equal(got, ((uint32_t[]){1010, 1020, 1030, 1040}), sizeof got);
    assert_int_equal(hd_free(a->dev, addr), HD_INVALID); /* it is the module's */
}

static void constant_variables_are_copied_by_address(void **state) {
    struct api *a = *state;
    uint64_t addr = 0, bytes = 0, out = api_alloc(a, 16), buf = api_alloc(a, 8);
    uint32_t got[4];
    WORKS(a->dev, hd_module_symbol(a->mod, "table", &addr, &bytes));
    assert_int_equal(bytes, 16);
    WORKS(a->dev, hd_copy_in(a->dev, addr + 4, (uint32_t[]){21, 31}, 8));
    WORKS(a->dev,
          hd_run(api_kernel(a, "lookup"), &(hd_launch){.block = {4}}, (hd_arg[]){hd_arg_ptr(out)}, 1));
    WORKS(a->dev, hd_copy_out(a->dev, got, out, sizeof got));
    assert_memory_equal(got, ((uint32_t[]){17, 28, 38, 47}), sizeof got);
    WORKS(a->dev, hd_copy_out(a->dev, got, addr, sizeof got));
    assert_memory_equal(got, ((uint32_t[]){10, 21, 31, 40}), sizeof got);
    double scale;
    WORKS(a->dev, hd_module_symbol(a->mod, "scale", &addr, NULL));
    WORKS(a->dev, hd_copy(a->dev, buf, addr, 8));
    WORKS(a->dev, hd_copy_out(a->dev, &scale, buf, 8));
    assert_true(scale == 2.0);
    assert_int_equal(hd_copy_out(a->dev, got, addr, 9), HD_INVALID); /* past the variable */
}

/* One text loaded twice: two sets of variables, and neither address reaches the other's. */
static void each_module_has_its_own_variables(void **state) {
    struct api *a = *state;
    hd_module *other = NULL;
    static const char *const names[] = {"table", "counter"};
    WORKS(a->dev, hd_module_load(a->dev, "api.ptx", API_PTX, 0, &other));
    for (int i = 0; i < 2; i++) {
        uint64_t one = 0, two = 0;
        uint32_t v = 99;
        WORKS(a->dev, hd_module_symbol(a->mod, names[i], &one, NULL));
        WORKS(a->dev, hd_module_symbol(other, names[i], &two, NULL));
        assert_int_not_equal(one, two);
        WORKS(a->dev, hd_copy_in(a->dev, one, &v, 4));
        WORKS(a->dev, hd_copy_out(a->dev, &v, two, 4));
        assert_int_not_equal(v, 99);
    }
    uint64_t gone = 0;
    uint32_t v;
    WORKS(a->dev, hd_module_symbol(other, "table", &gone, NULL));
    hd_module_unload(other);
    char text[128];
    snprintf(text, sizeof text,
             "hd_copy_out: 4 bytes at 0x%llx are not inside one allocation: no .const variable lies there",
             (unsigned long long)gone);
    FAILS(a->dev, HD_INVALID, text, hd_copy_out(a->dev, &v, gone, 4));
    WORKS(a->dev, hd_run(api_kernel(a, "exact"), &(hd_launch){.block = {32, 2}}, NULL, 0));
}

static void unloading_gives_the_memory_back(void **state) {
    (void)state;
    hd_device *dev;
    hd_module *mod;
    assert_int_equal(
        hd_device_open(&(hd_config){.options = (hd_option[]){{"mem.global_bytes", "1M"}}, .noptions = 1},
                       &dev),
        HD_OK);
    for (int i = 0; i < 20; i++) {
        WORKS(dev, hd_module_load(dev, "big.ptx",
                                  ".version 7.0\n.target sm_70\n.address_size 64\n.global .b8 big[900000];\n",
                                  0, &mod));
        hd_module_unload(mod);
    }
    assert_int_equal(
        hd_module_load(dev, "big.ptx",
                       ".version 7.0\n.target sm_70\n.address_size 64\n.global .b8 big[1100000];\n", 0, &mod),
        HD_MEMORY);
    hd_device_close(dev);
}

static void variables_are_listed_in_the_order_of_the_file(void **state) {
    struct api *a = *state;
    size_t n = hd_module_symbol_count(a->mod);
    hd_symbol_info info, last = {0};
    int table = 0;
    assert_true(n > 2);
    for (size_t i = 0; i < n; i++) {
        uint64_t addr, bytes;
        WORKS(a->dev, hd_module_symbol_at(a->mod, i, &info));
        WORKS(a->dev, hd_module_symbol(a->mod, info.name, &addr, &bytes));
        assert_int_equal(addr, info.addr);
        assert_int_equal(bytes, info.bytes);
        assert_true(!last.name || strcmp(last.name, info.name) != 0);
        last = info;
        if (strcmp(info.name, "table") != 0) continue;
        table = 1;
        assert_string_equal(info.type, "u32");
        assert_int_equal(info.constant, 1);
        assert_int_equal(info.bytes, 16);
        assert_int_equal(info.align, 4);
    }
    assert_true(table);
    FAILS(a->dev, HD_INVALID, "api.ptx has no more variables", hd_module_symbol_at(a->mod, n, &info));
    FAILS(a->dev, HD_INVALID, "hd_module_symbol_at: info must not be NULL",
          hd_module_symbol_at(a->mod, 0, NULL));
    assert_int_equal(hd_module_symbol_count(NULL), 0);
    assert_int_equal(hd_module_symbol_at(NULL, 0, &info), HD_INVALID);
}

static void symbols_without_an_address_are_refused(void **state) {
    struct api *a = *state;
    uint64_t addr = 0;
    FAILS(a->dev, HD_INVALID, "api.ptx has no variable \"tabel\"; did you mean table?",
          hd_module_symbol(a->mod, "tabel", &addr, NULL));
    FAILS(a->dev, HD_INVALID, "scratch is a .shared variable: it has no address outside a launch",
          hd_module_symbol(a->mod, "scratch", &addr, NULL));
    FAILS(a->dev, HD_INVALID, "image is a texture, sampler or surface reference",
          hd_module_symbol(a->mod, "image", &addr, NULL));
    FAILS(a->dev, HD_INVALID, "hd_module_symbol: name and addr must not be NULL",
          hd_module_symbol(a->mod, "table", NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        API_TEST(a_module_that_does_not_load_says_where),
        API_TEST(text_is_read_up_to_the_size_given),
        API_TEST(kernels_are_found_by_name_and_place),
        API_TEST(parameters_are_described),
        API_TEST(resources_are_described),
        API_TEST(global_variables_are_memory),
        API_TEST(constant_variables_are_copied_by_address),
        API_TEST(each_module_has_its_own_variables),
        cmocka_unit_test(unloading_gives_the_memory_back),
        API_TEST(variables_are_listed_in_the_order_of_the_file),
        API_TEST(symbols_without_an_address_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every instruction form that real compilers were seen to emit (tests/golden/ptx/forms.txt) loads, or is one of those
 * refused by name; the refused ones of a file are all reported by one load. */
#include "front.h"

/* How a base name's operands are written. Letters: d first type, s last type, w twice the last type, r %r, D %d, p %p,
 * B an address in shared memory, G in global, S surface and place, m member mask if .sync, v first type or a vector of it,
 * A address for the space, others as they are. */
static const struct {
    const char *base, *operands;
} patterns[] = {
    {"abs", "d,s"},
    {"activemask", "r"},
    {"add", "d,s,s"},
    {"addc", "d,s,s"},
    {"and", "d,s,s"},
    {"atom", "d,A,s?"},
    {"bar.red", "p,0,p"},
    {"bar.sync", "0"},
    {"bar.warp.sync", "-1"},
    {"barrier.sync", "0"},
    {"bfe", "d,s,r,r"},
    {"bfi", "d,s,s,r,r"},
    {"bfind", "r,s"},
    {"bmsk", "r,r,r"},
    {"bra", "L0"},
    {"brev", "d,s"},
    {"call", "f"},
    {"clz", "r,s"},
    {"copysign", "d,s,s"},
    {"cos", "d,s"},
    {"cp.async.bulk", "B,G,64,B"},
    {"cp.async.ca", "B,G,4"},
    {"cp.async.cg", "B,G,16"},
    {"cp.async.commit_group", ""},
    {"cp.async.mbarrier", "B"},
    {"cp.async.wait_group", "1"},
    {"cvt", "d,s"},
    {"cvta", "D,D"},
    {"div", "d,s,s"},
    {"dp4a", "r,r,r,r"},
    {"ex2", "d,s"},
    {"exit", ""},
    {"fence", ""},
    {"fma", "d,s,s,s"},
    {"griddepcontrol", ""},
    {"ld", "v,A"},
    {"lg2", "d,s"},
    {"lop3", "r,r,r,r,0x80"},
    {"mad.wide", "w,s,s,w"},
    {"mad", "d,s,s,s"},
    {"madc", "d,s,s,s"},
    {"match", "r,s,m"},
    {"max", "d,s,s"},
    {"mbarrier.arrive", "D,B"},
    {"mbarrier.expect_tx", "B,64"},
    {"mbarrier.init", "B,r"},
    {"mbarrier.inval", "B"},
    {"mbarrier.try_wait", "p,B,D"},
    {"mbarrier.try_wait.parity", "p,B,r"},
    {"membar", ""},
    {"min", "d,s,s"},
    {"mov", "d,s"},
    {"mul.wide", "w,s,s"},
    {"mul", "d,s,s"},
    {"nanosleep", "r"},
    {"neg", "d,s"},
    {"not", "d,s"},
    {"or", "d,s,s"},
    {"popc", "r,s"},
    {"prefetch", "A"},
    {"prmt", "r,r,r,r"},
    {"rcp", "d,s"},
    {"red", "A,s"},
    {"redux", "r,r,m"},
    {"rem", "d,s,s"},
    {"ret", ""},
    {"rsqrt", "d,s"},
    {"selp", "d,s,s,p"},
    {"set", "d,s,s"},
    {"setp", "p,s,s"},
    {"shf", "r,r,r,r"},
    {"shfl", "r|p,r,r,rm"},
    {"shl", "d,s,r"},
    {"shr", "d,s,r"},
    {"sin", "d,s"},
    {"sqrt", "d,s"},
    {"st", "A,v"},
    {"sub", "d,s,s"},
    {"suld", "v,S"},
    {"sust", "S,v"},
    {"subc", "d,s,s"},
    {"tanh", "d,s"},
    {"tex", "t"},
    {"trap", ""},
    {"vabsdiff2", "r,r,r,r"},
    {"vabsdiff4", "r,r,r,r"},
    {"vote.ballot", "r,pm"},
    {"vote.sync.ballot", "r,pm"},
    {"vote", "p,pm"},
    {"xor", "d,s,s"},
};

static const char *const refused[] = {"wgmma", "multimem", "tcgen05"};

static bool is_refused(const char *form) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t n = strlen(refused[i]);
        if (!strncmp(form, refused[i], n) && (form[n] == '.' || !form[n])) return true;
    }
    return false;
}

static const char *pattern_of(const char *form) {
    const char *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        size_t n = strlen(patterns[i].base);
        if (n >= longest && !strncmp(form, patterns[i].base, n) && (form[n] == '.' || !form[n])) {
            best = patterns[i].operands;
            longest = n;
        }
    }
    return best;
}

/* Width of the k-th type of a form (k < 0: the last), in bits; 1 for .pred. */
static unsigned type_bits(const char *form, int k) {
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"pred", 1},   {"b8", 8},    {"u8", 8},   {"s8", 8},   {"b16", 16}, {"u16", 16},
                 {"s16", 16},   {"f16", 16},  {"b32", 32}, {"u32", 32}, {"s32", 32}, {"f32", 32},
                 {"f16x2", 32}, {"tf32", 32}, {"b64", 64}, {"u64", 64}, {"s64", 64}, {"f64", 64}};
    unsigned found = 32;
    int seen = 0;
    for (const char *p = strchr(form, '.'); p; p = strchr(p + 1, '.')) {
        size_t n = strcspn(p + 1, ".");
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (strlen(types[i].name) == n && !strncmp(p + 1, types[i].name, n)) {
                found = types[i].bits;
                if (seen++ == k) return found;
            }
    }
    return found;
}

static void add_reg(struct sb *out, unsigned bits, unsigned *n) {
    sb_add(out, "%%%c%u", bits == 1 ? 'p' : bits <= 16 ? 'h' : bits == 32 ? 'r' : 'd', ++*n);
}

static void add_vector(struct sb *out, const char *form, unsigned *n) {
    unsigned count = strstr(form, ".v4") ? 4 : strstr(form, ".v2") ? 2 : 1;
    if (count > 1) sb_add(out, "{");
    for (unsigned i = 0; i < count; i++) {
        if (i) sb_add(out, ", ");
        add_reg(out, type_bits(form, -1), n);
    }
    if (count > 1) sb_add(out, "}");
}

static void add_tex(struct sb *out, const char *form) {
    const char *c =
        strstr(form, "f32.s32") || strstr(form, "s32.s32") || strstr(form, "u32.s32") ? "%r" : "%f";
    unsigned n = strstr(form, ".1d") ? 1 : strstr(form, ".2d") ? 2 : 4;
    sb_add(out, "{%%r10, %%r11, %%r12, %%r13}, [tex0, {");
    for (unsigned i = 0; i < n; i++)
        sb_add(out, "%s%s%u", i ? ", " : "", strstr(form, ".a2d") && !i ? "%r" : c, i);
    sb_add(out, "}]%s", strstr(form, ".level") ? ", %f7" : "");
}

static void add_surface(struct sb *out, const char *form) {
    sb_add(out, "[%%d0, {%s}]",
           strstr(form, ".1d")   ? "%r0"
           : strstr(form, ".2d") ? "%r0, %r1"
                                 : "%r0, %r1, %r2, %r3");
}

static void add_address(struct sb *out, const char *form) {
    const char *a = strstr(form, ".param") && !strncmp(form, "st", 2) ? "[po]"
                    : strstr(form, ".param")                          ? "[arg]"
                    : strstr(form, ".const")                          ? "[co+4]"
                    : strstr(form, ".shared")                         ? "[%r31+4]"
                    : strstr(form, ".local")                          ? "[lo]"
                                                                      : "[%d0+16]";
    sb_add(out, "%s", a);
}

static void add_fragment(struct sb *out, const char *type, unsigned n, unsigned *from) {
    const bool wide = !strcmp(type, "f64");
    sb_add(out, "{");
    for (unsigned k = 0; k < n; k++)
        sb_add(out, "%s%s%u", k ? ", " : "", wide ? "%d" : "%r", (*from)++ % (wide ? 16 : 32));
    sb_add(out, "}");
}

/* How many registers fragments have, by the table of the PTX manual (wmma, "Matrix Fragments for WMMA"). */
static unsigned fragment_size(const char *form, char which, const char *type) {
    const bool wide = strstr(form, which == 'a' ? "m32n8k16" : "m8n32k16");
    const bool narrow = strstr(form, which == 'a' ? "m8n32k16" : "m32n8k16");
    if (which == 'c') return !strcmp(type, "f64") ? 2 : !strcmp(type, "f16") ? 4 : 8;
    if (!strcmp(type, "f16")) return 8;
    if (!strcmp(type, "f64")) return 1;
    if (!strcmp(type, "tf32")) return 4;
    const unsigned square = !strcmp(type, "bf16") ? 4 : 2;
    return wide ? 2 * square : narrow ? square / 2 : square;
}

static void add_wmma(struct sb *out, const char *form) {
    const char *type = strrchr(form, '.') + 1;
    unsigned n = 0;
    if (!strcmp(type, "rn")) type = "f64";
    const char which = strstr(form, "load.a") ? 'a' : strstr(form, "load.b") ? 'b' : 'c';
    const char *address = strstr(form, ".shared") ? "[%r31]" : "[%d0]";
    sb_add(out, "%s ", form);
    if (strstr(form, "store")) {
        sb_add(out, "%s, ", address);
        add_fragment(out, type, fragment_size(form, 'c', type), &n);
        sb_add(out, ", %%r30;\n");
    } else if (strstr(form, "load")) {
        add_fragment(out, type, fragment_size(form, which, type), &n);
        sb_add(out, ", %s, 32;\n", address);
    } else {
        const char *of = strstr(form, "bf16")    ? "bf16"
                         : strstr(form, "tf32")  ? "tf32"
                         : strstr(form, "f64")   ? "f64"
                         : strstr(form, "8.s32") ? "u8"
                                                 : "f16";
        add_fragment(out, type, fragment_size(form, 'c', type), &n);
        sb_add(out, ", ");
        add_fragment(out, of, fragment_size(form, 'a', of), &n);
        sb_add(out, ", ");
        add_fragment(out, of, fragment_size(form, 'b', of), &n);
        sb_add(out, ", ");
        add_fragment(out, type, fragment_size(form, 'c', type), &n);
        sb_add(out, ";\n");
    }
}

static void add_line(struct sb *out, const char *form) {
    if (!strncmp(form, "wmma", 4)) {
        add_wmma(out, form);
        return;
    }
    const char *p = pattern_of(form);
    unsigned n = 0;
    bool sync = strstr(form, ".sync");
    if (!p) fail_msg("no pattern for %s", form);
    sb_add(out, "%s ", form);
    for (; *p; p++) {
        switch (*p) {
        case 'd': add_reg(out, type_bits(form, 0), &n); break;
        case 's': add_reg(out, type_bits(form, -1), &n); break;
        case 'w': add_reg(out, 2 * type_bits(form, -1), &n); break;
        case 'r': add_reg(out, 32, &n); break;
        case 'D': add_reg(out, 64, &n); break;
        case 'v': add_vector(out, form, &n); break;
        case 'A': add_address(out, form); break;
        case 't': add_tex(out, form); break;
        case 'B': sb_add(out, "[%%r31+16]"); break;
        case 'G': sb_add(out, "[%%d0+16]"); break;
        case 'S': add_surface(out, form); break;
        case '?':
            if (strstr(form, ".cas")) sb_add(out, ", "), add_reg(out, type_bits(form, -1), &n);
            break;
        case 'm':
            if (sync) sb_add(out, p[-1] == ',' ? "-1" : ", -1");
            break;
        case 'p': add_reg(out, 1, &n); break;
        default: sb_addn(out, p, 1);
        }
    }
    sb_add(out, ";\n");
}

static void load_forms(char *text, bool want_refused, struct sb *lines, struct sb *names) {
    for (char *form = strtok(text, "\n"); form; form = strtok(NULL, "\n")) {
        if (is_refused(form) != want_refused) continue;
        sb_add(names, "%s\n", form);
        if (want_refused)
            sb_add(lines, "%s %%r1, %%r2;\n", form);
        else
            add_line(lines, form);
    }
}

static void every_form_loads_by_itself(void **state) {
    (void)state;
    char *text = read_text("tests/golden/ptx/forms.txt", NULL);
    unsigned count = 0;
    for (char *form = strtok(text, "\n"); form; form = strtok(NULL, "\n")) {
        if (is_refused(form)) continue;
        struct sb line = {0}, module = {0};
        struct err e = {0};
        sb_add(&line, ".param .align 16 .b8 po[16];\n");
        add_line(&line, form);
        sb_add(&line, "L0: ret;");
        kernel_around(&module, line.text);
        struct ir_module *m = ptx_load("form.ptx", module.text, module.len, &e);
        if (!m) fail_msg("%s", err_text(&e));
        count++;
        ir_module_free(m);
        sb_free(&line);
        sb_free(&module);
        err_free(&e);
    }
    free(text);
    assert_int_equal(count, 822);
}

static void refused_forms_are_all_named_at_once(void **state) {
    (void)state;
    char text[] = "wgmma.fence.sync.aligned\nmultimem.red.global.add.u32\ntcgen05.wait::ld.sync.aligned\n";
    struct sb lines = {0}, names = {0}, module = {0};
    struct err e = {0};
    load_forms(text, true, &lines, &names);
    kernel_around(&module, lines.text);
    struct ir_module *m = ptx_load("refused.ptx", module.text, module.len, &e);
    assert_non_null(m);
    char *why = refusals(m, "k");
    unsigned count = 0;
    for (char *form = strtok(names.text, "\n"); form; form = strtok(NULL, "\n"), count++) {
        struct sb want = {0};
        sb_add(&want, "error: instruction %s is not supported\n", form);
        if (!strstr(why, want.text)) fail_msg("%s is not named in:\n%s", form, why);
        sb_free(&want);
    }
    assert_int_equal(count, 3);
    free(why);
    ir_module_free(m);
    sb_free(&lines);
    sb_free(&names);
    sb_free(&module);
    err_free(&e);
}

static void repeated_refusals_are_counted(void **state) {
    (void)state;
    struct sb module = {0};
    struct err e = {0};
    kernel_around(&module, "multimem.st.u32 [%r1], %r2;\nmultimem.st.u32 [%r1], %r2;\nfrob.u32 %r1, %r2;");
    struct ir_module *m = ptx_load("x.ptx", module.text, module.len, &e);
    assert_non_null(m);
    char *why = refusals(m, "k");
    assert_non_null(
        strstr(why, "error: instruction multimem.st.u32 is not supported (2 times in this function)\n"));
    assert_non_null(
        strstr(why, "error: instruction frob.u32 is not supported: there is no such instruction\n"));
    free(why);
    ir_module_free(m);
    sb_free(&module);
    err_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_loads_by_itself),
        cmocka_unit_test(refused_forms_are_all_named_at_once),
        cmocka_unit_test(repeated_refusals_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

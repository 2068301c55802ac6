/* Kernels that are machine code, launched by hd_run: arguments lie where RISC-V's psABI (LP64D) says. The file is made here,
 * byte by byte: its kernels write every register that may hold an argument, or what is on the stack, for each thread. */
#include "api.h"

#include <elf.h>

enum { TEXT = 0x10000, CODE = 0x100, SYMBOLS = 0x400, NAMES = 0x500, SECTIONS = 0x600, BYTES = 0x800 };
/* Numbers of integer registers; fa0 to fa7 are f10 to f17. */
enum { RA = 1, SP = 2, GP = 3, T0 = 5, T1 = 6, A0 = 10 };
enum { STACK_SEEN = 10, GLOBAL_POINTER = 0x12345, THREADS = 40 };

/* What a thread writes, 256 bytes from what the one before it does. */
struct seen {
    uint64_t a[8], fa[8], sp, gp, ra, stack[STACK_SEEN], unused[3];
};
_Static_assert(sizeof(struct seen) == 256, "as the kernels have it");

/* ---- the file ---- */

/* sd or fsd of a register to where t1 points. */
static uint32_t store(uint32_t opcode, uint32_t reg, size_t at) {
    const uint32_t offset = (uint32_t)at;
    return opcode | 3 << 12 | T1 << 15 | reg << 20 | (offset & 31) << 7 | (offset >> 5) << 25;
}

static uint32_t sd(uint32_t reg, size_t at) {
    return store(0x23, reg, at);
}

static uint32_t ld_sp(uint32_t reg, size_t at) {
    return 0x03 | reg << 7 | 3 << 12 | SP << 15 | (uint32_t)at << 20;
}

static uint32_t *begin(uint32_t *out) {
    *out++ = 0xcc002373; /* csrr t1,0xcc0: the thread */
    *out++ = 0x00831313; /* slli t1,t1,8 */
    *out++ = 0x00a30333; /* add t1,t1,a0 */
    return out;
}

static uint32_t *end(uint32_t *out) {
    *out++ = 0x00008067; /* jalr zero,0(ra) */
    return out;
}

static uint32_t *registers(uint32_t *out) {
    out = begin(out);
    for (uint32_t i = 0; i < 8; i++) *out++ = sd(A0 + i, offsetof(struct seen, a) + i * 8);
    for (uint32_t i = 0; i < 8; i++) *out++ = store(0x27, A0 + i, offsetof(struct seen, fa) + i * 8);
    *out++ = sd(SP, offsetof(struct seen, sp));
    *out++ = sd(GP, offsetof(struct seen, gp));
    *out++ = sd(RA, offsetof(struct seen, ra));
    return end(out);
}

static uint32_t *stacked(uint32_t *out) {
    out = begin(out);
    for (uint32_t i = 0; i < STACK_SEEN; i++) {
        *out++ = ld_sp(T0, i * 8);
        *out++ = sd(T0, offsetof(struct seen, stack) + i * 8);
    }
    return end(out);
}

static void make_file(uint8_t *file) {
    static const char names[] = "\0registers\0stacked\0__global_pointer$\0spmd_text";
    uint32_t code[(SYMBOLS - CODE) / 4], *second = registers(code), *last = stacked(second);
    const uint64_t at = TEXT + CODE, middle = at + (uint64_t)(second - code) * 4,
                   size = (uint64_t)(last - code) * 4;
    Elf64_Ehdr h = {.e_type = ET_EXEC, .e_machine = 243, .e_version = 1};
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64, h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ehsize = sizeof h, h.e_phoff = sizeof h, h.e_phentsize = sizeof(Elf64_Phdr), h.e_phnum = 1;
    h.e_shoff = SECTIONS, h.e_shentsize = sizeof(Elf64_Shdr), h.e_shnum = 4, h.e_shstrndx = 2;
    const Elf64_Phdr p = {
        .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = TEXT, .p_filesz = SYMBOLS, .p_memsz = SYMBOLS};
    const unsigned char function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    const Elf64_Sym sym[] = {
        {0},
        {.st_name = 1, .st_info = function, .st_shndx = 3, .st_value = at, .st_size = middle - at},
        {.st_name = 11,
         .st_info = function,
         .st_shndx = 3,
         .st_value = middle,
         .st_size = at + size - middle},
        {.st_name = 19, .st_shndx = SHN_ABS, .st_value = GLOBAL_POINTER}};
    const Elf64_Shdr s[] = {{0},
                            {.sh_type = SHT_SYMTAB,
                             .sh_offset = SYMBOLS,
                             .sh_size = sizeof sym,
                             .sh_link = 2,
                             .sh_entsize = sizeof *sym},
                            {.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof names},
                            {.sh_name = 37,
                             .sh_type = SHT_PROGBITS,
                             .sh_flags = SHF_EXECINSTR,
                             .sh_addr = at,
                             .sh_offset = CODE,
                             .sh_size = size}};
    memset(file, 0, BYTES);
    memcpy(file, &h, sizeof h);
    memcpy(file + h.e_phoff, &p, sizeof p);
    memcpy(file + CODE, code, size);
    memcpy(file + SYMBOLS, sym, sizeof sym);
    memcpy(file + NAMES, names, sizeof names);
    memcpy(file + SECTIONS, s, sizeof s);
}

static int setup(void **state) {
    struct api *a = calloc(1, sizeof *a);
    uint8_t file[BYTES];
    make_file(file);
    *state = a;
    if (hd_device_open(NULL, &a->dev)) return -1;
    if (!hd_module_load(a->dev, "abi", (const char *)file, sizeof file, &a->mod)) return 0;
    fprintf(stderr, "%s\n", hd_error(a->dev));
    return -1;
}

/* ---- where arguments are ---- */

/* The first of them is where threads write; all must have found the same. */
static struct seen run(struct api *a, const char *kernel, hd_arg *args, size_t n) {
    static struct seen all[THREADS];
    args[0] = hd_arg_ptr(api_alloc(a, sizeof all));
    WORKS(a->dev, hd_run(api_kernel(a, kernel), &(hd_launch){.block = {THREADS}}, args, n));
    WORKS(a->dev, hd_copy_out(a->dev, all, args[0].v.u, sizeof all));
    for (size_t t = 1; t < THREADS; t++) assert_memory_equal(&all[t], all, sizeof *all);
    assert_int_equal(all->a[0], strcmp(kernel, "registers") ? 0 : args[0].v.u);
    return *all;
}

static uint64_t bits(double v) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static void integers_are_widened_as_their_types_say(void **state) {
    hd_arg args[] = {{0},
                     hd_arg_u32(0x80000001u), /* by the sign, though it has none */
                     hd_arg_s32(-2),
                     hd_arg_u32(7),
                     {.type = HD_ARG_U8, .v.u = 200},
                     {.type = HD_ARG_S8, .v.s = -3},
                     {.type = HD_ARG_U16, .v.u = 60000},
                     hd_arg_u64(UINT64_MAX - 1)};
    const struct seen s = run(*state, "registers", args, 8);
    assert_int_equal(s.a[1], 0xffffffff80000001u);
    assert_int_equal(s.a[2], (uint64_t)-2);
    assert_int_equal(s.a[3], 7);
    assert_int_equal(s.a[4], 200);
    assert_int_equal(s.a[5], (uint64_t)-3);
    assert_int_equal(s.a[6], 60000);
    assert_int_equal(s.a[7], UINT64_MAX - 1);
}

static void a_thread_starts_with_its_stack_and_the_files_gp(void **state) {
    hd_arg args[1];
    const struct seen s = run(*state, "registers", args, 1);
    assert_int_equal(s.sp % 16, 0);
    assert_int_equal(s.gp, GLOBAL_POINTER);
    assert_int_equal(s.ra, 0);
}

static void floats_have_registers_of_their_own_and_then_those_of_integers(void **state) {
    hd_arg args[13] = {{0}, hd_arg_f32(1.5f), hd_arg_u32(5), hd_arg_f64(-0.25)};
    for (size_t i = 4; i < 10; i++) args[i] = hd_arg_f64((double)i);
    args[10] = hd_arg_f64(10.5);
    args[11] = hd_arg_f32(2.0f);
    args[12] = hd_arg_u32(9);
    const struct seen s = run(*state, "registers", args, 13);
    assert_int_equal(s.fa[0], 0xffffffff3fc00000u); /* NaN-boxed */
    assert_int_equal(s.fa[1], bits(-0.25));
    for (size_t i = 4; i < 10; i++) assert_int_equal(s.fa[i - 2], bits((double)i));
    assert_int_equal(s.a[1], 5);
    assert_int_equal(s.a[2], bits(10.5));
    assert_int_equal((uint32_t)s.a[3], 0x40000000u);
    assert_int_equal(s.a[4], 9);
}

static void the_rest_is_on_the_stack(void **state) {
    hd_arg args[8 + STACK_SEEN] = {{0}};
    for (uint32_t i = 1; i < 8 + STACK_SEEN; i++) args[i] = hd_arg_u64(100 + i);
    args[9] = hd_arg_u32(0xfffffff0u);
    args[10] = hd_arg_ptr(0x123456789a);
    const struct seen s = run(*state, "stacked", args, 8 + STACK_SEEN);
    assert_int_equal(s.stack[0], 108);
    assert_int_equal(s.stack[1], 0xfffffffffffffff0u);
    assert_int_equal(s.stack[2], 0x123456789a);
    for (uint32_t i = 3; i < STACK_SEEN; i++) assert_int_equal(s.stack[i], 108 + i);
}

/* An odd number of words on it leaves sp at a multiple of 16 all the same. */
static void the_stack_is_aligned(void **state) {
    hd_arg args[11] = {{0}};
    for (uint32_t i = 1; i < 11; i++) args[i] = hd_arg_u64(i);
    const struct seen none = run(*state, "registers", args, 8), three = run(*state, "registers", args, 11);
    assert_int_equal(none.sp - three.sp, 32);
}

static void every_block_finds_the_stack_filled(void **state) {
    struct api *a = *state;
    hd_arg args[8 + STACK_SEEN] = {{0}};
    struct seen s;
    for (uint32_t i = 1; i < 8 + STACK_SEEN; i++) args[i] = hd_arg_u64(i);
    args[0] = hd_arg_ptr(api_alloc(a, sizeof s));
    for (int timed = 0; timed < 2; timed++) {
        const hd_launch l = {.grid = {400}, .block = {1}, .mode = timed ? HD_MODE_TIMED : HD_MODE_FUNCTIONAL};
        WORKS(a->dev, hd_run(api_kernel(a, "stacked"), &l, args, 8 + STACK_SEEN));
        WORKS(a->dev, hd_copy_out(a->dev, &s, args[0].v.u, sizeof s));
        for (uint32_t i = 0; i < STACK_SEEN; i++) assert_int_equal(s.stack[i], 8 + i);
    }
}

/* ---- what cannot be passed ---- */

static void what_does_not_fit_is_refused(void **state) {
    struct api *a = *state;
    hd_arg args[80] = {{0}};
    hd_kernel *k = api_kernel(a, "registers");
    const hd_launch one = {.block = {1}};
    uint8_t room[1024 + 8] = {0};
    for (size_t i = 0; i < 80; i++) args[i] = hd_arg_u32(1);
    FAILS(a->dev, HD_INVALID,
          "kernel registers is machine code, which takes no more than 64 words of arguments on the stack",
          hd_run(k, &one, args, 73));
    args[1] = (hd_arg){.type = HD_ARG_U8, .v.u = 256};
    FAILS(a->dev, HD_INVALID, "argument 1: 256 does not fit u8", hd_run(k, &one, args, 2));
    args[1] = (hd_arg){.type = (hd_arg_type)40};
    FAILS(a->dev, HD_INVALID, "argument 1: 40 is not an hd_arg_type", hd_run(k, &one, args, 2));
    args[0] = hd_arg_bytes(room, sizeof room);
    FAILS(a->dev, HD_INVALID, "argument 0: kernel registers is machine code, which takes no structures here",
          hd_run(k, &one, args, 1));
    FAILS(a->dev, HD_INVALID, "hd_run: args must not be NULL", hd_run(k, &one, NULL, 1));
}

#define ABI_TEST(f) cmocka_unit_test_setup_teardown(f, setup, api_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        ABI_TEST(integers_are_widened_as_their_types_say),
        ABI_TEST(a_thread_starts_with_its_stack_and_the_files_gp),
        ABI_TEST(floats_have_registers_of_their_own_and_then_those_of_integers),
        ABI_TEST(the_rest_is_on_the_stack),
        ABI_TEST(the_stack_is_aligned),
        ABI_TEST(every_block_finds_the_stack_filled),
        ABI_TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

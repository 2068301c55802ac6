/* Programs for RISC-V: the decoder on words that are known and on all that are not, compressed instructions, and files that are
 * cut off or damaged anywhere. The files are made here, byte by byte. */
#include "front.h"

#include <elf.h>

#include "base/bits.h"
#include "cfg/cfg.h"
#include "front/riscv/decode.h"
#include "front/riscv/riscv.h"

/* ---- instructions ---- */

static void shows(uint32_t word, uint64_t address, const char *text) {
    struct rv_table t;
    struct rv_insn i;
    struct sb out = {0};
    rv_table_init(&t);
    rv_decode(&t, (const uint8_t *)&word, sizeof word, &i);
    rv_print(&out, &i, address);
    assert_string_equal(out.text, text);
    sb_free(&out);
}

static void words_are_shown_as_assembly(void **state) {
    (void)state;
    shows(0x00b50533, 0, "add a0,a0,a1");
    shows(0xfe010113, 0, "addi sp,sp,-32");
    shows(0x00a7eb63, 0x10e5c, "bltu a5,a0,10e72");
    shows(0x7e4090ef, 0x10e8a, "jal ra,1a66e");
    shows(0x43f55513, 0, "srai a0,a0,0x3f");
    shows(0x02b57553, 0, "fadd.d fa0,fa0,fa1");
    shows(0x02b50553, 0, "fadd.d fa0,fa0,fa1,rne");
    shows(0xc20515d3, 0, "fcvt.w.d a1,fa0,rtz");
    shows(0x04c5a52f, 0, "amoadd.w.aq a0,a2,(a1)");
    shows(0x1005a52f, 0, "lr.w a0,(a1)");
    shows(0x0ff0000f, 0, "fence iorw,iorw");
    shows(0x003025f3, 0, "csrrs a1,0x3,zero");
    shows(0x0000000b, 0, "spmd.barrier");
    shows(0x02b55553, 0, ".word 0x2b55553"); /* rounding mode 5 */
    shows(0xffffffff, 0, ".word 0xffffffff");
}

static void compressed_ones_are_those_they_stand_for(void **state) {
    (void)state;
    shows(0x7179, 0, "addi sp,sp,-48");
    shows(0x4799, 0, "addi a5,zero,6");
    shows(0x953a, 0, "add a0,a0,a4");
    shows(0x411c, 0, "lw a5,0(a0)");
    shows(0x60a2, 0, "ld ra,8(sp)");
    shows(0xe406, 0, "sd ra,8(sp)");
    shows(0x8082, 0, "jalr zero,0(ra)");
    shows(0x9002, 0, "ebreak");
    shows(0x9d89, 0, "subw a1,a1,a0");
    shows(0x6505, 0, "lui a0,0x1");
    shows(0xbfd5, 0x100, "jal zero,f4");
    shows(0x0000, 0, ".half 0x0");
}

/* Whatever the bytes are, a row and its text; compressed ones never stand for what is no instruction. */
static void every_word_is_one_thing_or_none(void **state) {
    (void)state;
    struct rng g = {1};
    struct rv_table t;
    struct rv_insn i;
    struct sb out = {0};
    rv_table_init(&t);
    for (uint32_t half = 0; half < 0x10000; half++) {
        const uint32_t word = half | (uint32_t)rng_next(&g) << 16, wide = rv_expand((uint16_t)half);
        rv_decode(&t, (const uint8_t *)&word, 4, &i);
        assert_int_equal(i.length, (half & 3) == 3 ? 4 : 2);
        if (wide) assert_true(i.id < RV_NROWS);
        out.len = 0;
        rv_print(&out, &i, 0x1000);
        assert_true(out.len > 2);
    }
    sb_free(&out);
}

static void no_two_rows_overlap(void **state) {
    (void)state;
    for (int a = 0; a < RV_NROWS; a++) {
        assert_int_equal(rv_rows[a].match & ~rv_rows[a].mask, 0);
        for (int b = 0; b < a; b++) {
            const uint32_t both = rv_rows[a].mask & rv_rows[b].mask;
            if ((rv_rows[a].match & both) == (rv_rows[b].match & both))
                fail_msg("%s and %s have a word in common", rv_rows[a].name, rv_rows[b].name);
        }
    }
}

/* ---- files ---- */

enum { TEXT = 0x10000, CODE = 0x100, SYMBOLS = 0x400, NAMES = 0x500, SECTIONS = 0x600, BYTES = 0x800 };

/* main calls f by address and jumps by a table; f is a kernel. */
static const uint32_t code[] = {
    0x00000297, /* 10100 main: auipc t0,0x0 */
    0x01c280e7, /* 10104 jalr ra,28(t0): f */
    0x00a57463, /* 10108 bgeu a0,a0,10110 */
    0x00c0006f, /* 1010c jal zero,10118 */
    0x00050513, /* 10110 addi a0,a0,0 */
    0x00008067, /* 10114 jalr zero,0(ra) */
    0x00000013, /* 10118 addi zero,zero,0 */
    0xb5000553, /* 1011c f: no instruction */
    0x00008067, /* 10120 jalr zero,0(ra) */
};

static void make_file(uint8_t *file) {
    const char names[] = "\0main\0f\0.symtab\0.strtab\0.text\0spmd_text";
    Elf64_Ehdr h = {.e_type = ET_EXEC, .e_machine = 243, .e_version = 1, .e_entry = TEXT + CODE};
    memset(file, 0, BYTES);
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64, h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ehsize = sizeof h, h.e_phoff = sizeof h, h.e_phentsize = sizeof(Elf64_Phdr), h.e_phnum = 1;
    h.e_shoff = SECTIONS, h.e_shentsize = sizeof(Elf64_Shdr), h.e_shnum = 5, h.e_shstrndx = 2;
    const Elf64_Phdr p = {.p_type = PT_LOAD,
                          .p_flags = PF_R | PF_X,
                          .p_vaddr = TEXT,
                          .p_filesz = SYMBOLS,
                          .p_memsz = SYMBOLS + 64};
    const Elf64_Sym sym[3] = {{0},
                              {.st_name = 1,
                               .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                               .st_shndx = 3,
                               .st_value = TEXT + CODE,
                               .st_size = 28},
                              {.st_name = 6,
                               .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                               .st_shndx = 4,
                               .st_value = TEXT + CODE + 28,
                               .st_size = 8}};
    const Elf64_Shdr s[5] = {
        {0},
        {.sh_name = 8,
         .sh_type = SHT_SYMTAB,
         .sh_offset = SYMBOLS,
         .sh_size = sizeof sym,
         .sh_link = 2,
         .sh_entsize = sizeof *sym},
        {.sh_name = 16, .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof names},
        {.sh_name = 24,
         .sh_type = SHT_PROGBITS,
         .sh_flags = SHF_EXECINSTR,
         .sh_addr = TEXT + CODE,
         .sh_offset = CODE,
         .sh_size = 28},
        {.sh_name = 30,
         .sh_type = SHT_PROGBITS,
         .sh_flags = SHF_EXECINSTR,
         .sh_addr = TEXT + CODE + 28,
         .sh_offset = CODE + 28,
         .sh_size = 8}};
    memcpy(file, &h, sizeof h);
    memcpy(file + h.e_phoff, &p, sizeof p);
    memcpy(file + CODE, code, sizeof code);
    memcpy(file + SYMBOLS, sym, sizeof sym);
    memcpy(file + NAMES, names, sizeof names);
    memcpy(file + SECTIONS, s, sizeof s);
}

static void a_file_becomes_functions_blocks_and_segments(void **state) {
    (void)state;
    uint8_t file[BYTES];
    struct err e = {0};
    make_file(file);
    struct ir_module *m = riscv_load("p", file, sizeof file, &e);
    if (!m) fail_msg("%s", err_text(&e));
    assert_int_equal(m->funcs.n, 2);
    assert_string_equal(m->funcs.v[0].name, "main");
    assert_false(m->funcs.v[0].kernel);
    assert_true(m->funcs.v[1].kernel);
    assert_int_equal(m->vars.v[0].fixed, TEXT);
    assert_int_equal(m->vars.v[0].bytes, SYMBOLS + 64);
    const struct ir_insn *i = m->code.v;
    assert_int_equal(i[1].op, IR_CALL_IND); /* whose only target is found */
    assert_int_equal(m->ext.v[i[1].ext + IR_CALL_FUNC], 1);
    assert_int_equal(ir_call_list(m->ext.v + i[1].ext)[0], 1);
    assert_int_equal(i[2].op, IR_BRA);
    assert_int_equal(i[2].target, 4);
    assert_int_equal(i[5].op, IR_RET);
    assert_int_equal(i[7].op, IR_BRX); /* main falls into f: a jump that was added */
    assert_true(i[7].flags & IR_F_ADDED);
    assert_int_equal(i[8].op, IR_TRAP);
    assert_int_equal(ir_binary_pc(m->binary, TEXT + CODE + 28), 8);
    assert_int_equal(ir_binary_pc(m->binary, TEXT + CODE + 30), IR_NOPC);
    struct cfg *c = cfg_analyse(m, CFG_EXITS_MAIN, &e);
    assert_non_null(c);
    assert_int_equal(i[2].rpc, IR_NOPC); /* one way returns, the other leaves */
    cfg_free(c);
    ir_module_free(m);
    err_free(&e);
}

static void is_refused(const uint8_t *file, size_t n, const char *why) {
    struct err e = {0};
    struct ir_module *m = riscv_load("p", file, n, &e);
    assert_null(m);
    if (!strstr(err_text(&e), why)) fail_msg("\"%s\" does not say \"%s\"", err_text(&e), why);
    err_free(&e);
}

static void what_cannot_run_is_refused_with_the_reason(void **state) {
    (void)state;
    uint8_t file[BYTES];
    make_file(file);
    is_refused(file, 10, "not an ELF file for RISC-V");
    is_refused(file, 100, "program headers are not in the file");
    is_refused(file, SYMBOLS - 1, "goes beyond the file");
    file[EI_CLASS] = ELFCLASS32;
    is_refused(file, sizeof file, "not of RV64");
    make_file(file);
    file[16] = ET_DYN;
    is_refused(file, sizeof file, "-static");
    make_file(file);
    file[64 + 16 + 3] = 1; /* the segment's address, 0x01010000: where shared memory is seen */
    is_refused(file, sizeof file, "-Ttext-segment");
    make_file(file);
    file[64] = PT_DYNAMIC;
    is_refused(file, sizeof file, "-static");
}

/* Any byte may be wrong, and any end may be missing. */
static void damaged_files_are_refused_or_loaded(void **state) {
    (void)state;
    struct rng g = {5};
    uint8_t file[BYTES];
    for (int round = 0; round < 20000; round++) {
        struct err e = {0};
        make_file(file);
        for (uint64_t k = rng_below(&g, 4) + 1; k; k--) {
            const uint64_t at =
                rng_below(&g, 2) ? rng_below(&g, 0x140) : SYMBOLS + rng_below(&g, BYTES - SYMBOLS);
            file[at] = (uint8_t)rng_next(&g);
        }
        const size_t n = rng_below(&g, 8) ? sizeof file : rng_below(&g, sizeof file);
        struct ir_module *m = riscv_load("p", file, n, &e);
        struct cfg *c = m ? cfg_analyse(m, CFG_EXITS_MAIN, &e) : NULL;
        if (!m) assert_true(e.text.len > 0);
        if (c) cfg_free(c);
        ir_module_free(m);
        err_free(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_shown_as_assembly),
        cmocka_unit_test(compressed_ones_are_those_they_stand_for),
        cmocka_unit_test(every_word_is_one_thing_or_none),
        cmocka_unit_test(no_two_rows_overlap),
        cmocka_unit_test(a_file_becomes_functions_blocks_and_segments),
        cmocka_unit_test(what_cannot_run_is_refused_with_the_reason),
        cmocka_unit_test(damaged_files_are_refused_or_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

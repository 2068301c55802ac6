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
    assert_int_equal(i[1].op, IR_CALL_IND); /* the only target is found */
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
    file[64] = PT_INTERP;
    is_refused(file, sizeof file, "-static");
    file[64] = PT_NOTE;
    is_refused(file, sizeof file, "nothing to load");
    make_file(file);
    file[48] = 8; /* a flag */
    is_refused(file, sizeof file, "RV64E");
}

/* The file's program header, to be changed. */
static Elf64_Phdr *segment(uint8_t *file, uint32_t k) {
    return (Elf64_Phdr *)(void *)(file + sizeof(Elf64_Ehdr)) + k;
}

static void segments_lie_in_the_file_in_order_and_outside_the_windows(void **state) {
    (void)state;
    _Alignas(8) uint8_t file[BYTES];
    make_file(file);
    segment(file, 0)->p_filesz = SYMBOLS + 65;
    is_refused(file, sizeof file, "goes beyond the file"); /* more in the file than in memory */
    make_file(file);
    segment(file, 0)->p_offset = UINT64_MAX - 8;
    is_refused(file, sizeof file, "goes beyond the file");
    make_file(file);
    segment(file, 0)->p_memsz = UINT64_MAX;
    is_refused(file, sizeof file, "bytes");
    make_file(file);
    segment(file, 0)->p_vaddr = UINT64_MAX - 8;
    is_refused(file, sizeof file, "bytes");
    make_file(file);
    segment(file, 0)->p_memsz = 0x1000000; /* begins below the windows and ends in them */
    is_refused(file, sizeof file, "-Ttext-segment");
    make_file(file);
    segment(file, 0)->p_vaddr = 0x1000; /* a null pointer */
    is_refused(file, sizeof file, "-Ttext-segment");
    make_file(file);
    ((Elf64_Ehdr *)(void *)file)->e_phnum = 2;
    *segment(file, 1) = *segment(file, 0);
    segment(file, 1)->p_vaddr += SYMBOLS; /* in the first one's last bytes */
    is_refused(file, sizeof file, "segments overlap");
    segment(file, 1)->p_vaddr += 64;
    segment(file, 1)->p_filesz = 0;
    struct err e = {0};
    struct ir_module *m = riscv_load("p", file, sizeof file, &e);
    assert_non_null(m);
    ir_module_free(m);
}

static void code_is_within_reach(void **state) {
    (void)state;
    _Alignas(8) uint8_t file[BYTES];
    make_file(file);
    ((Elf64_Ehdr *)(void *)file)->e_shoff = UINT64_MAX; /* no sections: all of the segment is code */
    segment(file, 0)->p_filesz = 0;
    is_refused(file, sizeof file, "there are no instructions in it");
    make_file(file);
    ((Elf64_Ehdr *)(void *)file)->e_phnum = 2;
    *segment(file, 1) = *segment(file, 0);
    segment(file, 1)->p_vaddr = 0x50000000;
    ((Elf64_Shdr *)(void *)(file + SECTIONS))[4].sh_addr = 0x50000100;
    is_refused(file, sizeof file, "its code spans 1342111752 bytes, which is too many");
}

/* ---- source lines ---- */

struct bytes {
    uint8_t v[256];
    size_t n;
};

static void add(struct bytes *b, const void *data, size_t n) {
    memcpy(b->v + b->n, data, n);
    b->n += n;
}
#define ADD(b, ...) add(b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* From line 10 of the unit's first file at an address on, every opcode once. */
static void add_program(struct bytes *b, uint64_t from) {
    ADD(b, 0, 9, 2);
    add(b, &from, 8);
    ADD(b, 3, 9, 4, 1, 5, 7, 1);      /* line 10, file 1, column 7: a row */
    ADD(b, 2, 4, 3, 0x7f, 1);         /* 4 bytes on, a line back: 9 */
    ADD(b, 9, 4, 0, 12, 1, 10, 0x14); /* 4 bytes on, an unknown opcode of one operand, a special one: 11 */
    ADD(b, 8, 3, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1); /* a long number */
    ADD(b, 0, 9, 2);
    add(b, &from, 8);               /* back */
    ADD(b, 1, 0, 1, 0x80, 0, 1, 1); /* an unknown extended one; the end */
}

static size_t open_unit(struct bytes *b, uint8_t version) {
    ADD(b, 0, 0, 0, 0, version, 0);
    if (version == 5) ADD(b, 8, 0);
    ADD(b, 0, 0, 0, 0, 1);
    const size_t header = b->n - 1;
    if (version >= 4) ADD(b, 1);
    ADD(b, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1); /* is_stmt, base -5, range 14, operands */
    return header;
}

static void close_unit(struct bytes *b, size_t begin, size_t header, uint64_t from) {
    b->v[header - 4] = (uint8_t)(b->n - header);
    add_program(b, from);
    b->v[begin] = (uint8_t)(b->n - begin - 4);
}

/* A unit of version 4 for main, and one of version 5 for f. */
static void make_lines(struct bytes *b) {
    *b = (struct bytes){0};
    size_t header = open_unit(b, 4);
    ADD(b, 'd', 0, 0, 'a', '.', 'c', 0, 1, 0, 0, 0);
    close_unit(b, 0, header, TEXT + CODE);
    const size_t second = b->n;
    header = open_unit(b, 5);
    ADD(b, 1, 1, 0x1f, 1, 2, 0, 0, 0);                   /* a directory by its place in .debug_line_str */
    ADD(b, 4, 1, 0x08, 2, 0x0b, 5, 0x1e, 0x20, 0x09, 2); /* two files: name, directory, digest, a block */
    for (int k = 0; k < 2; k++) ADD(b, 'b', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0);
    close_unit(b, second, header, TEXT + CODE + 28);
}

enum { LINES = BYTES, WITH_LINES = BYTES + 0x400 };

/* The file with .debug_line and .debug_line_str behind it. */
static void make_file_with_lines(uint8_t *file, const struct bytes *lines) {
    static const char names[] = ".debug_line\0.debug_line_str";
    Elf64_Shdr s[7];
    make_file(file);
    memset(file + LINES, 0, WITH_LINES - LINES);
    memcpy(file + LINES, lines->v, lines->n);
    memcpy(file + LINES + 0x200, "x\0dir", 6);
    memcpy(file + NAMES + 0x40, names, sizeof names);
    memcpy(s, file + SECTIONS, 5 * sizeof *s);
    s[2].sh_size = 0x80;
    s[5] = (Elf64_Shdr){.sh_name = 0x40, .sh_type = SHT_PROGBITS, .sh_offset = LINES, .sh_size = lines->n};
    s[6] = (Elf64_Shdr){.sh_name = 0x4c, .sh_type = SHT_PROGBITS, .sh_offset = LINES + 0x200, .sh_size = 6};
    memcpy(file + LINES + 0x220, s, sizeof s);
    ((Elf64_Ehdr *)(void *)file)->e_shoff = LINES + 0x220;
    ((Elf64_Ehdr *)(void *)file)->e_shnum = 7;
}

/* change: what is done to the headers of .debug_line and .debug_line_str, or NULL. */
static struct ir_module *load_changed(const struct bytes *lines,
                                      void (*change)(Elf64_Shdr *line, Elf64_Shdr *str)) {
    _Alignas(8) uint8_t file[WITH_LINES];
    struct err e = {0};
    make_file_with_lines(file, lines);
    Elf64_Shdr *s = (Elf64_Shdr *)(void *)(file + LINES + 0x220);
    if (change) change(&s[5], &s[6]);
    struct ir_module *m = riscv_load("p", file, sizeof file, &e);
    if (!m) fail_msg("%s", err_text(&e));
    return m;
}

static struct ir_module *load_lines(const struct bytes *lines, size_t n) {
    struct bytes cut = *lines;
    cut.n = n;
    return load_changed(&cut, NULL);
}

static void beyond(Elf64_Shdr *line, Elf64_Shdr *str) {
    line->sh_offset = UINT64_MAX - 4;
    (void)str;
}
static void compressed(Elf64_Shdr *line, Elf64_Shdr *str) {
    line->sh_flags = SHF_COMPRESSED;
    (void)str;
}
static void without_end(Elf64_Shdr *line, Elf64_Shdr *str) {
    str->sh_size = 5;
    (void)line;
}

static void lines_that_are_not_in_the_file_are_left_out(void **state) {
    (void)state;
    struct bytes b;
    make_lines(&b);
    struct ir_module *m = load_changed(&b, beyond);
    assert_int_equal(m->src.v[0].line, 0);
    ir_module_free(m);
    m = load_changed(&b, compressed);
    assert_int_equal(m->src.v[0].line, 0);
    ir_module_free(m);
    m = load_changed(&b, without_end); /* a directory whose name has no end has none */
    assert_string_equal(m->files.v[m->src.v[8].file], "b");
    ir_module_free(m);
}

static void lines_of_every_version_are_read(void **state) {
    (void)state;
    struct bytes b;
    make_lines(&b);
    struct ir_module *m = load_lines(&b, b.n);
    const struct ir_srcloc *s = m->src.v;
    assert_int_equal(s[0].line, 10);
    assert_int_equal(s[1].line, 9);
    assert_string_equal(m->files.v[s[0].file], "d/a.c");
    assert_int_equal(s[8].line, 10); /* behind the jump that was added */
    assert_string_equal(m->files.v[s[8].file], "dir/b");
    ir_module_free(m);
}

/* What is not readable ends its unit, and nothing else is touched. */
static void damaged_lines_are_left_out(void **state) {
    (void)state;
    static const uint8_t values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    struct bytes b;
    make_lines(&b);
    for (size_t n = 0; n < b.n; n++) ir_module_free(load_lines(&b, n));
    for (size_t n = 0; n < b.n; n++) {
        const uint8_t was = b.v[n];
        for (size_t k = 0; k < sizeof values; k++) {
            b.v[n] = values[k];
            struct ir_module *m = load_lines(&b, b.n);
            assert_int_equal(m->funcs.n, 2);
            ir_module_free(m);
        }
        b.v[n] = was;
    }
    for (size_t n = b.n; n > 0; n--) { /* a unit of 64 bits, which says that it has everything */
        struct bytes wide = {{0xff, 0xff, 0xff, 0xff, (uint8_t)n}, 12};
        memset(wide.v + 5, n % 2 ? 0xff : 0, 7);
        add(&wide, b.v + 4, b.n - 12);
        ir_module_free(load_lines(&wide, wide.n));
    }
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
        cmocka_unit_test(segments_lie_in_the_file_in_order_and_outside_the_windows),
        cmocka_unit_test(code_is_within_reach),
        cmocka_unit_test(lines_of_every_version_are_read),
        cmocka_unit_test(lines_that_are_not_in_the_file_are_left_out),
        cmocka_unit_test(damaged_lines_are_left_out),
        cmocka_unit_test(damaged_files_are_refused_or_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The reader of CUDA programs' files: what it finds in them, and that no damage leads it out of them. The file here has a
 * program header for all of it, one for the dynamic section, two libraries and a path, and two fat binaries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolchain/cuda_elf.h"

enum { BASE = 0x400000, STRINGS = 1024, DYNAMIC = 1536, FATBINS = 2048, BYTES = 4096 };
static const char strings[] = "\0libcudart.so.13\0libc.so.6\0$ORIGIN/lib";

static void add_fatbin(uint8_t *at, uint16_t kind, uint32_t arch) {
    static const uint8_t magic[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    const uint64_t all = 64 + 32, stored = 32;
    const uint32_t header = 64;
    memcpy(at, magic, sizeof magic);
    memcpy(at + 8, &all, 8);
    memcpy(at + 16, &kind, 2);
    memcpy(at + 20, &header, 4);
    memcpy(at + 24, &stored, 8);
    memcpy(at + 16 + 28, &arch, 4);
}

static void make(uint8_t file[BYTES]) {
    const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                             .e_type = ET_DYN,
                             .e_machine = EM_X86_64,
                             .e_phoff = sizeof head,
                             .e_phentsize = sizeof(Elf64_Phdr),
                             .e_phnum = 3};
    const Elf64_Phdr parts[] = {{.p_type = PT_LOAD, .p_offset = 0, .p_vaddr = BASE, .p_filesz = BYTES},
                                {.p_type = PT_INTERP, .p_offset = STRINGS, .p_filesz = 1},
                                {.p_type = PT_DYNAMIC,
                                 .p_offset = DYNAMIC,
                                 .p_vaddr = BASE + DYNAMIC,
                                 .p_filesz = 6 * sizeof(Elf64_Dyn)}};
    const Elf64_Dyn dynamic[] = {{DT_NEEDED, {1}},   {DT_NEEDED, {17}}, {DT_STRTAB, {BASE + STRINGS}},
                                 {DT_RUNPATH, {27}}, {DT_NULL, {0}},    {DT_NEEDED, {1}}};
    memset(file, 0, BYTES);
    memcpy(file, &head, sizeof head);
    memcpy(file + sizeof head, parts, sizeof parts);
    memcpy(file + STRINGS, strings, sizeof strings);
    memcpy(file + DYNAMIC, dynamic, sizeof dynamic);
    add_fatbin(file + FATBINS, 1, 75);
    add_fatbin(file + FATBINS + 512, 2, 80);
}

static void finds_libraries_paths_and_gpu_code(void **state) {
    uint8_t file[BYTES];
    struct elf f;
    struct elf_gpu gpu;
    (void)state;
    make(file);
    assert_true(elf_read(&f, "a/b", file, sizeof file));
    assert_true(f.loader && f.dynamic && f.machine == EM_X86_64 && f.type == ELF_SHARED);
    assert_int_equal(f.needed.n, 2); /* the third is behind the end */
    assert_string_equal(f.needed.v[0], "libcudart.so.13");
    assert_string_equal(f.needed.v[1], "libc.so.6");
    assert_string_equal(f.runpath, "$ORIGIN/lib");
    assert_true(elf_needs(&f, "libcudart.so") && !elf_needs(&f, "libcuda.so"));
    elf_gpu(&f, &gpu);
    assert_int_equal(gpu.ptx, 1);
    assert_int_equal(gpu.sass, 1);
    assert_int_equal(gpu.arch, 80);
    elf_close(&f);
}

/* Each image holds the beginning of a fat binary that is said to have all images behind it. */
static void looks_at_no_image_twice(void **state) {
    enum { IMAGES = 12, APART = 128 };
    uint8_t file[BYTES];
    struct elf f;
    struct elf_gpu gpu;
    (void)state;
    make(file);
    for (size_t i = 0; i < IMAGES; i++) {
        const uint64_t all = APART * (IMAGES - i), stored = APART - 64;
        uint8_t *at = file + FATBINS + APART * i;
        add_fatbin(at, 1, 75);
        memcpy(at + 8, &all, 8);
        memcpy(at + 24, &stored, 8);
    }
    assert_true(elf_read(&f, "a/b", file, sizeof file));
    elf_gpu(&f, &gpu);
    assert_int_equal(gpu.ptx, IMAGES);
    elf_close(&f);
}

static void reads_one_dynamic_section(void **state) {
    uint8_t file[BYTES];
    struct elf f;
    (void)state;
    make(file);
    memcpy(file + sizeof(Elf64_Ehdr), file + sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
    memcpy(file + sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr),
           &(Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = BYTES}, sizeof(Elf64_Phdr));
    memcpy(file + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), file + sizeof(Elf64_Ehdr), sizeof(Elf64_Phdr));
    assert_true(elf_read(&f, "a/b", file, sizeof file));
    assert_int_equal(f.needed.n, 2);
    elf_close(&f);
}

/* A program may name anything as its library; this one is never written to. */
static void a_pipe_is_no_file_and_is_not_waited_for(void **state) {
    char dir[] = "/tmp/heddle-elf-XXXXXX", path[64];
    struct elf f;
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/pipe", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(20);
    assert_false(elf_open(&f, path));
    alarm(0);
    elf_close(&f);
    assert_false(elf_open(&f, dir));
    elf_close(&f);
    unlink(path);
    rmdir(dir);
}

/* ---- damage ---- */

static bool inside(const struct elf *f, const char *text) {
    const char *end = (const char *)f->data + f->bytes;
    return text >= (const char *)f->data && text < end && memchr(text, 0, (size_t)(end - text));
}

/* The file lies in memory of just its size. */
static void read_exact(const uint8_t *file, size_t n) {
    uint8_t *exact = malloc(n ? n : 1);
    struct elf f;
    struct elf_gpu gpu;
    assert_non_null(exact);
    memcpy(exact, file, n);
    if (elf_read(&f, "a/b", exact, n)) {
        elf_gpu(&f, &gpu);
        for (size_t i = 0; i < f.needed.n; i++) assert_true(inside(&f, f.needed.v[i]));
        assert_true((!f.runpath || inside(&f, f.runpath)) && (!f.rpath || inside(&f, f.rpath)));
        (void)elf_static_runtime(&f);
    }
    elf_close(&f);
    free(exact);
}

static void a_file_cut_short_anywhere_is_read_no_further(void **state) {
    uint8_t file[BYTES];
    (void)state;
    make(file);
    for (size_t n = 0; n <= BYTES; n++) read_exact(file, n);
}

/* The bytes that say something are the headers, the dynamic section and the fat binaries' headers. */
static void mutants_are_read_no_further_than_they_are(void **state) {
    static const size_t places[][2] = {
        {0, 256}, {STRINGS, 64}, {DYNAMIC, 96}, {FATBINS, 96}, {FATBINS + 512, 96}};
    static const uint64_t values[] = {
        0,          1,         BYTES,          BYTES - 1, BYTES + 1,    UINT32_MAX,
        UINT64_MAX, INT64_MAX, UINT64_MAX - 8, BASE,      BASE + BYTES, 0 - (uint64_t)BASE,
        DT_NEEDED,  DT_STRTAB};
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint8_t file[BYTES];
        uint64_t seed = i;
        make(file);
        for (uint64_t k = 0, n = 1 + i % 3; k < n; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const uint64_t r = seed >> 24;
            const size_t *place = places[r % 5], at = place[0] + (r >> 4) % place[1];
            const uint64_t value = r & 8 ? values[(r >> 16) % (sizeof values / sizeof *values)] : seed >> 20;
            memcpy(file + at, &value, (size_t)1 << (r >> 12) % 4);
        }
        read_exact(file, BYTES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_libraries_paths_and_gpu_code),
        cmocka_unit_test(looks_at_no_image_twice),
        cmocka_unit_test(reads_one_dynamic_section),
        cmocka_unit_test(a_pipe_is_no_file_and_is_not_waited_for),
        cmocka_unit_test(a_file_cut_short_anywhere_is_read_no_further),
        cmocka_unit_test(mutants_are_read_no_further_than_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Binary formats have magic numbers. Text is PTX unless it is named or looks otherwise: PTX begins with .version after its
 * comments, so that a file which has no such line but says __global__ is CUDA C++. */
#include "subject/source.h"

#include <ctype.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/outfile.h"
#include "front/riscv/riscv.h"
#include "sim/file.h"
#include "subject/capture.h"

/* ---- what cannot run ---- */

struct hint {
    const char *magic;
    size_t bytes;
    const char *what, *advice; /* %s: the file */
};
#define HINT(magic, what, advice) \
    { magic, sizeof magic - 1, what, advice }

#define EXTRACT                                                                                        \
    "heddle runs PTX: 'cuobjdump -ptx %s > kernel.ptx' extracts it where it was kept, or compile the " \
    "source "                                                                                          \
    "with 'nvcc -ptx'"
#define LOWER "make PTX of it: 'llc-19 -march=nvptx64 -mcpu=sm_75 %s -o kernel.ptx'"

static const struct hint magics[] = {
    HINT("\x50\xed\x55\xba", "a CUDA fat binary", EXTRACT),
    HINT("\xb1\x43\x62\x46", "a CUDA fat binary", EXTRACT),
    HINT("!<arch>\n", "an archive", EXTRACT),
    HINT("!<thin>\n", "an archive", EXTRACT),
    HINT("MZ", "a Windows program", EXTRACT),
    HINT("BC\xc0\xde", "LLVM bitcode", LOWER),
    HINT("\xde\xc0\x17\x0b", "LLVM bitcode", LOWER),
    HINT("\x03\x02\x23\x07", "a SPIR-V module",
         "heddle runs PTX; clang-19 makes it of OpenCL C and of CUDA C++"),
    HINT("\x1f\x8b", "compressed by gzip", "unpack it first: 'gunzip -c %s | heddle run -'"),
    HINT("PK\x03\x04", "a zip archive", "unpack it first"),
    HINT("HDTRACE", "a trace", "'heddle run %s' replays it, and so do compare and report"),
};

static bool source_refuse(const char *name, const char *what, const char *advice, struct err *e) {
    struct sb text = {0};
    const char *gap = strstr(advice, "%s");
    if (gap)
        sb_add(&text, "%.*s%s%s", (int)(gap - advice), advice, name, gap + 2);
    else
        sb_add(&text, "%s", advice);
    err_set(e, ERR_INPUT, "%s is %s, not PTX: %s", name, what, text.text);
    sb_free(&text);
    return false;
}

/* Offsets 16 and 18 of the header: the type of the file and the machine it is for. */
static bool refuse_elf(const char *name, const char *text, size_t n, struct err *e) {
    enum { RELOCATABLE = 1, MACHINE_CUDA = 190 };
    const unsigned char *header = (const unsigned char *)text;
    const unsigned type = n > 19 ? header[16] : 0, machine = n > 19 ? header[18] : 0;
    if (machine == MACHINE_CUDA)
        return source_refuse(
            name, "a cubin, machine code of one GPU",
            "it holds no PTX; compile the source with 'nvcc -ptx', or run 'heddle run kernel.cu'", e);
    if (!memmem(text, n, ".nv_fatbin", 10) && !memmem(text, n, "__nv_relfatbin", 14))
        return source_refuse(
            name, type == RELOCATABLE ? "an object file" : "a program or library",
            "it has no GPU code; compile the kernels with 'nvcc -ptx', or run 'heddle run kernel.cu'", e);
    if (type == RELOCATABLE) return source_refuse(name, "an object file with GPU code", EXTRACT, e);
    return source_refuse(name, "a program or library with GPU code",
                         "'heddle cuda %s' runs a program; 'cuobjdump -ptx' extracts its PTX", e);
}

static bool source_has(const char *text, const char *word) {
    return strstr(text, word) != NULL;
}

/* Whether a line begins with the word, blanks aside. */
static bool has_line(const char *text, const char *word) {
    for (const char *at = text; (at = strstr(at, word)); at++) {
        const char *before = at;
        while (before > text && strchr(" \t", before[-1])) before--;
        if (before == text || before[-1] == '\n') return true;
    }
    return false;
}

static bool refuse_text(const char *name, const char *text, struct err *e) {
    if (source_has(text, "/*0000*/") && (source_has(text, "Function :") || source_has(text, "code for sm_") ||
                                         source_has(text, ".headerflags")))
        return source_refuse(
            name, "SASS, machine code as text",
            "'cuobjdump -ptx' shows the PTX of the same program where it was kept, 'nvcc -ptx' makes it", e);
    if (has_line(text, "target triple") && has_line(text, "define "))
        return source_refuse(name, "LLVM's intermediate form", LOWER, e);
    if (source_has(text, "__kernel ") || source_has(text, "get_global_id("))
        return source_refuse(
            name, "OpenCL C",
            "'clang-19 --target=nvptx64--nvidiacl -Xclang -finclude-default-header -Xclang "
            "-mlink-builtin-bitcode -Xclang /usr/lib/clc/nvptx64--nvidiacl.bc -O2 -S %s -o kernel.ptx' "
            "makes PTX of it",
            e);
    return true;
}

/* ---- what it is ---- */

static bool source_ends_with(const char *name, const char *end) {
    size_t n = strlen(name), k = strlen(end);
    return n > k && !strcmp(name + n - k, end);
}

bool source_kind(const char *name, const char *text, size_t n, enum source_kind *kind, struct err *e) {
    if (n >= 4 && !memcmp(text,
                          "\x7f"
                          "ELF",
                          4))
        return riscv_is(text, n) ? (*kind = SOURCE_RISCV, true) : refuse_elf(name, text, n, e);
    if (capture_is(text, n)) return *kind = SOURCE_CAPTURE, true;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (n >= magics[i].bytes && !memcmp(text, magics[i].magic, magics[i].bytes))
            return source_refuse(name, magics[i].what, magics[i].advice, e);
    *kind = source_ends_with(name, ".cu") || source_ends_with(name, ".cuh") ? SOURCE_CUDA : SOURCE_PTX;
    if (*kind == SOURCE_CUDA || has_line(text, ".version")) return true;
    if (!refuse_text(name, text, e)) return false;
    if (source_has(text, "__global__")) *kind = SOURCE_CUDA;
    return true;
}

bool source_read(const char *name, struct sb *text, enum source_kind *kind, struct err *e) {
    const bool from_stdin = !strcmp(name, infile_name("-"));
    if (!file_read(from_stdin ? "/dev/stdin" : name, text, e)) return false;
    if (from_stdin && !text->len) return err_set(e, ERR_INPUT, "standard input is empty");
    return source_kind(name, text->text, text->len, kind, e);
}

/* ---- whole programs ---- */

/* Past a comment, or a text or character in quotes, that begins here; NULL: none does. */
static const char *skip_aside(const char *p) {
    const char quote = *p;
    if (p[0] == '/' && p[1] == '/') return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (quote != '"' && quote != '\'') return NULL;
    for (p++; *p && *p != quote && *p != '\n'; p++)
        if (*p == '\\' && p[1]) p++;
    return p + (*p == quote);
}

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool source_has_main(const char *text) {
    static const char blanks[] = " \t\r\n";
    bool after_int = false; /* the word before this one is "int" */
    for (const char *p = text, *aside; *p;) {
        if ((aside = skip_aside(p))) {
            p = aside;
            continue;
        }
        size_t n = 0;
        while (word_char(p[n])) n++;
        if (n == 4 && after_int && !memcmp(p, "main", 4) && p[4 + strspn(p + 4, blanks)] == '(') return true;
        if (n || !strchr(blanks, *p)) after_int = n == 3 && !memcmp(p, "int", 3);
        p += n ? n : 1;
    }
    return false;
}

void source_build_line(const char *file, struct sb *line, struct sb *program) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    struct sb output = {0};
    sb_add(&output, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
    sb_add(line, "heddle nvcc -O2");
    cli_add_word(line, file);
    sb_add(line, " -o");
    cli_add_word(line, output.text);
    sb_add(program, "./%s", output.text);
    sb_free(&output);
}

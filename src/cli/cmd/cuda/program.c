/* Before a program is started: which file that is, and whether its calls can reach the simulator's library. The loader
 * puts that library first, so a program must have a loader, be for this machine, and call the runtime by its shared
 * library; what it does otherwise is said here, where it can still be helped. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd/cuda/cuda.h"
#include "sim/file.h"
#include "subject/source.h"
#include "toolchain/cuda_elf.h"

#define RELINK                                                                                      \
    "link it with 'nvcc -cudart shared' (CMake: set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)), or build " \
    "it with 'heddle nvcc'"

/* ---- which file ---- */

static bool is_program(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

static const char *on_path(struct cuda *c, const char *word) {
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        const size_t n = strcspn(p, ":");
        struct sb name = {0};
        if (n) sb_addn(&name, p, n);
        sb_add(&name, "%s%s", n ? "/" : "./", word);
        const char *found = sb_keep(&name, &c->mem);
        if (is_program(found)) return found;
        p += n + (p[n] == ':');
    }
    return NULL;
}

static bool cannot_start(const char *word, struct err *e) {
    struct stat s;
    if (stat(word, &s)) return err_set(e, ERR_INPUT, "there is no program %.200s", word);
    if (S_ISDIR(s.st_mode)) return err_set(e, ERR_INPUT, "%.200s is a directory", word);
    return err_set(e, ERR_INPUT, "%.200s is not executable ('chmod +x' makes a program so)", word);
}

/* ---- what is in it ---- */

static bool ends_in(const char *name, const char *suffix) {
    const size_t n = strlen(name), m = strlen(suffix);
    return n >= m && !strcmp(name + n - m, suffix);
}

static const char *machine_name(unsigned machine) {
    switch (machine) {
    case 3: return "32-bit x86";
    case 21: return "64-bit POWER";
    case 40: return "32-bit ARM";
    case 62: return "x86-64";
    case 183: return "64-bit ARM";
    case 190: return "a GPU of NVIDIA";
    case 243: return "RISC-V";
    default: return "another processor";
    }
}

static bool kernels_only(const char *path, struct err *e) {
    return err_set(e, ERR_INPUT, "%.200s holds kernels and no program: 'heddle run %.200s' runs one", path,
                   path);
}

/* What was typed, with the program that the source file becomes in its place. */
static void add_rest(const struct cuda *c, const char *program, struct sb *out) {
    for (size_t i = 0; i < c->opts.given.n; i++) {
        const struct opt_given *g = &c->opts.given.v[i];
        sb_add(out, " --%s", g->opt->name);
        if (opts_optional(g->opt))
            sb_add(out, "%s%s", *g->value ? "=" : "", g->value);
        else if (g->value)
            cli_add_word(out, g->value);
    }
    cli_add_word(out, program);
    for (size_t i = 1; i < c->words.n && c->words.v[i]; i++) cli_add_word(out, c->words.v[i]);
}

/* A program in CUDA C++ is built first, and then started. */
static bool refuse_source(const struct cuda *c, const char *path, struct err *e) {
    struct sb text = {0}, build = {0}, program = {0}, run = {0};
    if (!file_read(path, &text, e)) return false;
    const bool whole = text.len && source_has_main(text.text);
    sb_free(&text);
    if (!whole) return kernels_only(path, e);
    source_build_line(path, &build, &program);
    add_rest(c, program.text, &run);
    err_set(e, ERR_INPUT,
            "%.200s is a source file: build it first, then run what was built:\n  %s\n  heddle cuda%s", path,
            build.text, run.text);
    sb_free(&build);
    sb_free(&program);
    sb_free(&run);
    return false;
}

/* No ELF file of 64 bits: a script, which its interpreter runs, or something else. */
static bool check_other(const char *path, struct err *e) {
    unsigned char head[20] = {0};
    FILE *f = fopen(path, "rb");
    if (!f) return err_set(e, ERR_INPUT, "cannot read %.200s: %s", path, strerror(errno));
    const size_t n = fread(head, 1, sizeof head, f);
    fclose(f);
    if (n > 2 && !memcmp(head, "#!", 2)) return true;
    if (n == sizeof head && !memcmp(head, "\177ELF", 4))
        return err_set(e, ERR_INPUT, "%.200s is a program for %s", path,
                       machine_name(head[5] == 1 ? head[18] : head[19]));
    return err_set(e, ERR_INPUT, "%.200s is neither a program nor a script that names its interpreter (#!)",
                   path);
}

static unsigned own_machine(void) {
    struct elf self;
    const unsigned machine = elf_open(&self, "/proc/self/exe") ? self.machine : 0;
    elf_close(&self);
    return machine;
}

static bool cuda_program_check_kind(const struct elf *f, struct err *e) {
    const unsigned own = own_machine();
    if (own && f->machine != own)
        return err_set(e, ERR_INPUT, "%.200s is a program for %s, and this machine is %s", f->path,
                       machine_name(f->machine), machine_name(own));
    if (f->type == ELF_RELOCATABLE)
        return err_set(e, ERR_INPUT, "%.200s is an object file: link it to a program first", f->path);
    if (!f->loader)
        return err_set(
            e, ERR_INPUT,
            "%.200s is linked statically: no library can be loaded before it; link it without -static, "
            "and its CUDA runtime with 'nvcc -cudart shared'",
            f->path);
    return true;
}

/* The loader ignores LD_PRELOAD where a program gets rights that its user does not have. */
static bool check_rights(const char *path, struct err *e) {
    struct stat s;
    if (stat(path, &s) ||
        !((s.st_mode & S_ISUID && s.st_uid != geteuid()) || (s.st_mode & S_ISGID && s.st_gid != getegid())))
        return true;
    return err_set(e, ERR_INPUT, "%.200s runs with the rights of its owner, and so loads no other libraries",
                   path);
}

static void cuda_program_warn(const struct cuda *c, const char *fmt, const char *a, const char *b) {
    struct sb text = {0};
    sb_add(&text, "%s%s%s", a, fmt, b);
    if (!c->quiet) term_warning(&c->cli->term, c->cli->command->name, text.text);
    sb_free(&text);
}

static void warn_sass(const struct cuda *c, const struct elf *f, const struct elf_gpu *gpu) {
    struct sb advice = {0};
    sb_add(&advice, "'-gencode arch=compute_%u,code=compute_%u' keeps PTX in it", gpu->arch, gpu->arch);
    cuda_program_warn(
        c, " holds machine code of a GPU and no PTX, which is what is simulated: its launches will fail; ",
        f->path, advice.text);
    sb_free(&advice);
}

/* ---- its libraries ---- */

struct libraries {
    VEC(const char *) seen; /* names */
    bool runtime, driver;   /* one of them needs these */
};

static bool is_seen(struct libraries *l, const char *name) {
    for (size_t i = 0; i < l->seen.n; i++)
        if (!strcmp(l->seen.v[i], name)) return true;
    return false;
}

static void look_at_libraries(struct cuda *c, const struct elf *f, struct libraries *l, int depth) {
    enum { DEEPEST = 16, LARGEST = 64 << 20 };
    l->runtime |= elf_needs(f, "libcudart.so");
    l->driver |= elf_needs(f, "libcuda.so");
    for (size_t i = 0; i < f->needed.n && depth < DEEPEST; i++) {
        const char *name = arena_strdup(&c->mem, f->needed.v[i]), *path;
        if (is_seen(l, name)) continue;
        VEC_PUSH(&l->seen, name);
        if (!strncmp(name, "libcuda", 7) || !(path = elf_library(f, name, &c->mem))) continue;
        struct elf lib;
        if (elf_open(&lib, path)) {
            if (lib.bytes < LARGEST && elf_static_runtime(&lib))
                cuda_program_warn(
                    c, " has a CUDA runtime of its own linked into it: what it launches is not simulated",
                    path, "");
            look_at_libraries(c, &lib, l, depth + 1);
        }
        elf_close(&lib);
    }
}

static bool check_gpu(struct cuda *c, const struct elf *f, struct err *e) {
    struct libraries l = {0};
    struct elf_gpu gpu;
    elf_gpu(f, &gpu);
    look_at_libraries(c, f, &l, 0);
    VEC_FREE(&l.seen);
    if (elf_static_runtime(f))
        return err_set(
            e, ERR_INPUT,
            "%.200s has the CUDA runtime linked into it, where its calls cannot be simulated: " RELINK,
            f->path);
    if ((gpu.ptx || gpu.sass) && !l.runtime && !l.driver)
        return err_set(e, ERR_INPUT, "%.200s has kernels but needs no libcudart.so: " RELINK, f->path);
    if (gpu.sass && !gpu.ptx) warn_sass(c, f, &gpu);
    return true;
}

bool cuda_find_program(struct cuda *c, const char *word, struct err *e) {
    struct elf f;
    if (ends_in(word, ".cu") && !access(word, R_OK)) return refuse_source(c, word, e);
    if (ends_in(word, ".ptx") && !access(word, R_OK)) return kernels_only(word, e);
    c->path = strchr(word, '/') ? (is_program(word) ? word : NULL) : on_path(c, word);
    if (!c->path && !strchr(word, '/') && is_program(word))
        return err_set(e, ERR_INPUT, "there is no program %.200s in PATH (the file here is ./%.200s)", word,
                       word);
    if (!c->path) return cannot_start(word, e);
    bool fine = elf_open(&f, c->path)
                    ? cuda_program_check_kind(&f, e) && check_rights(c->path, e) && check_gpu(c, &f, e)
                    : check_other(c->path, e);
    elf_close(&f);
    return fine;
}

/* ---- our library ---- */

static const char *library_in(struct cuda *c, const char *dir, size_t n, const char *place) {
    struct sb path = {0}, file = {0};
    char *real;
    sb_addn(&path, dir, n);
    sb_add(&path, "%s%s", *place ? "/" : "", place);
    sb_add(&file, "%s/libheddle-cuda.so", path.text);
    const char *found = NULL;
    if (!access(file.text, R_OK) && (real = realpath(path.text, NULL))) {
        found = arena_strdup(&c->mem, real);
        free(real);
    }
    sb_free(&path);
    sb_free(&file);
    return found;
}

/* In the build directory it is in cuda/lib, installed in lib/heddle/cuda or what the system calls lib. */
bool cuda_find_library(struct cuda *c, struct err *e) {
    static const char *const places[] = {"cuda/lib", "../lib/heddle/cuda", "../lib64/heddle/cuda",
                                         "../lib/x86_64-linux-gnu/heddle/cuda",
                                         "../lib/aarch64-linux-gnu/heddle/cuda"};
    const char *given = getenv("HEDDLE_CUDA_LIB");
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (given && *given) c->library = library_in(c, given, strlen(given), "");
    if (n > 0 && !(given && *given)) {
        self[n] = 0;
        const size_t dir = (size_t)(strrchr(self, '/') - self);
        for (size_t i = 0; i < sizeof places / sizeof *places && !c->library; i++)
            c->library = library_in(c, self, dir, places[i]);
    }
    return c->library || err_set(e, ERR_INPUT,
                                 "the CUDA runtime library libheddle-cuda.so is not %s%.200s; "
                                 "HEDDLE_CUDA_LIB names its directory",
                                 given && *given ? "in " : "where it is installed (lib/heddle/cuda)",
                                 given && *given ? given : "");
}

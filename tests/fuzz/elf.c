/* Fuzzes the readers of programs. Any bytes are taken for a CUDA program's file, of which the reader gives what lies in it; and for
 * one of RISC-V, which is either refused with a message or a module that can be analysed and whose kernels end, fault or
 * run into a bound. No main runs: it could call the host's system. */
#include <stdint.h>
#include <stdlib.h>

#include "cfg/cfg.h"
#include "front/riscv/riscv.h"
#include "launch.h"
#include "toolchain/cuda_elf.h"

enum { STEPS = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_riscv(const uint8_t *data, size_t size) {
    struct err e = {0};
    struct ir_module *m = riscv_load("fuzz", data, size, &e);
    struct cfg *c = m ? cfg_analyse(m, CFG_EXITS_MAIN, &e) : NULL;
    CHECK(c || e.text.len > 0);
    const bool whole = c;
    cfg_free(c);
    ir_module_free(m);
    err_free(&e);
    hd_option options[] = {{"mem.global_bytes", "16M"}, {"exec.stack_bytes", "16K"}};
    hd_config config = {.options = options, .noptions = sizeof options / sizeof *options};
    if (whole) fuzz_module(&config, STEPS, data, size);
}

static bool in_file(const struct elf *f, const char *text) {
    const unsigned char *p = (const unsigned char *)text, *end = f->data + f->bytes;
    return p >= f->data && p < end && memchr(p, 0, (size_t)(end - p));
}

static void as_host(const uint8_t *data, size_t size) {
    struct elf f;
    struct elf_gpu gpu;
    if (elf_read(&f, "/nowhere/fuzz", data, size)) {
        elf_gpu(&f, &gpu);
        CHECK(gpu.arch < 1000 && gpu.ptx + gpu.sass <= size / 64);
        for (size_t i = 0; i < f.needed.n; i++) CHECK(in_file(&f, f.needed.v[i]));
        CHECK((!f.rpath || in_file(&f, f.rpath)) && (!f.runpath || in_file(&f, f.runpath)));
        (void)elf_static_runtime(&f);
        (void)elf_needs(&f, "libcudart.so");
    }
    elf_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1); /* exactly that size, so that reading past it is seen */
    CHECK(copy);
    memcpy(copy, data, size);
    as_host(copy, size);
    as_riscv(copy, size);
    free(copy);
    return 0;
}

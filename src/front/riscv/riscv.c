/* riscv_load: file, instructions, functions, module; segments become variables that lie where the file says. */
#include "front/riscv/riscv.h"

#include <inttypes.h>
#include <string.h>

#include "front/riscv/lower.h"

/* Generic addresses in between name shared memory, stacks and other spaces (exec/warp.h). */
#define WINDOWS     UINT64_C(0x01000000)
#define WINDOWS_END UINT64_C(0x10000000)
#define LEAST       UINT64_C(0x10000)

bool riscv_is(const void *data, size_t n) {
    return rv_elf_is(data, n);
}

static bool riscv_add_segment(struct ir_module *m, const struct rv_segment *s, size_t k, struct err *e) {
    if (s->address < LEAST || (s->address < WINDOWS_END && s->address + s->bytes > WINDOWS))
        return err_set(
            e, ERR_INPUT,
            "%s: error: the segment at 0x%" PRIx64 " of %" PRIu64
            " bytes lies where shared memory and stacks are seen; link it with -Wl,-Ttext-segment=0x20000000",
            m->name, s->address, s->bytes);
    struct sb name = {0};
    sb_add(&name, "segment %zu", k);
    struct ir_var v = {.name = sb_keep(&name, &m->mem),
                       .space = IR_SP_GLOBAL,
                       .type = IR_T_U8,
                       .bytes = s->bytes,
                       .align = 1,
                       .fixed = s->address,
                       .ninit = s->filled};
    v.init = ARENA_NEW(&m->mem, uint8_t, s->filled + 1);
    memcpy(v.init, s->data, s->filled);
    VEC_PUSH(&m->vars, v);
    return true;
}

static bool riscv_build(struct ir_module *m, const void *data, size_t n, struct err *e) {
    struct rv_elf f;
    struct rv_code c = {0};
    bool good = rv_elf_read(&f, m->name, data, n, e);
    for (size_t k = 0; good && k < f.segments.n; k++) good = riscv_add_segment(m, &f.segments.v[k], k, e);
    if (good) good = rv_code_read(&c, &f, m->name, e);
    if (good) {
        struct lower l = {.c = &c, .m = m, .file = data, .file_bytes = n};
        rv_lower(&l);
        rv_lines(&f, m);
    }
    rv_code_free(&c);
    rv_elf_free(&f);
    return good;
}

struct ir_module *riscv_load(const char *name, const void *data, size_t n, struct err *e) {
    struct ir_module *m = ir_module_new(name);
    m->address_bits = 64;
    m->warnings = "";
    VEC_PUSH(&m->files, NULL);
    if (riscv_build(m, data, n, e)) return m;
    ir_module_free(m);
    return NULL;
}

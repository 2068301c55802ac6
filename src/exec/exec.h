/* Functional execution, as the rest of the program uses it: device memory, a module placed in it, a launch. */
#ifndef HEDDLE_EXEC_EXEC_H
#define HEDDLE_EXEC_EXEC_H

#include "base/err.h"
#include "base/option.h"
#include "exec/ctx.h"
#include "exec/stats.h"
#include "ir/program.h"

/* ---- device memory: separate allocations with gaps between, every access checked against them ---- */
struct exec_mem;
/* limit_bytes: most that may be allocated at once; slack: bytes that every allocation is padded with, not counted. */
struct exec_mem *exec_mem_new(uint64_t limit_bytes, uint64_t slack);
void exec_mem_free_all(struct exec_mem *m);
enum exec_memory { EXEC_MEM_BUFFER, EXEC_MEM_HOST, EXEC_MEM_VARIABLE, EXEC_MEM_HEAP };
/* label names the allocation in fault reports ("argument 2", "symbol table", ...); it is copied. */
bool exec_mem_alloc(struct exec_mem *m, uint64_t bytes, uint64_t align, const char *label, uint64_t *addr,
                    struct err *e);
/* One with something particular about it; exec_mem_alloc is the rest being 0. */
struct exec_place {
    uint64_t bytes, align;
    enum exec_memory kind;
    uint64_t fixed; /* where it shall lie, at any alignment; 0: wherever there is room */
    /* The caller's bytes, which stay the caller's and count for no limit; NULL: zeroed ones of ours. */
    void *host;
    const char *label;
};
bool exec_mem_place(struct exec_mem *m, const struct exec_place *p, uint64_t *addr, struct err *e);
bool exec_mem_release(struct exec_mem *m, uint64_t addr, struct err *e);
/* Renames the allocation that starts at addr in fault reports. */
bool exec_mem_label(struct exec_mem *m, uint64_t addr, const char *label, struct err *e);
/* Host view of [addr, addr+bytes), or NULL when that is not inside one allocation. */
void *exec_mem_at(struct exec_mem *m, uint64_t addr, uint64_t bytes);
/* The live allocation that holds addr (inside), or the first that begins there or behind it (next). */
struct exec_memory_info {
    uint64_t addr, bytes;
    enum exec_memory kind;
    const char *label;
    void *host;
};
bool exec_mem_inside(struct exec_mem *m, uint64_t addr, struct exec_memory_info *info);
bool exec_mem_next(const struct exec_mem *m, uint64_t addr, struct exec_memory_info *info);
/* Returns how many bytes the access reaches past the end of the allocation that it begins in or is nearest to. Returns
 * 0 if it does not, if no allocation is near, or if slack would not help because the bytes belong to another
 * allocation. */
uint64_t exec_mem_beyond(const struct exec_mem *m, uint64_t addr, uint64_t bytes);
/* "0x... is 12 bytes past the end of argument 2 (0x..., 4096 bytes)" */
void exec_mem_describe(const struct exec_mem *m, uint64_t addr, struct sb *out);
uint64_t exec_mem_used(const struct exec_mem *m);
/* What all allocations hold; NULL: no memory for that. put_back, once, while they are still the same ones; or forget. */
struct exec_mem_copy;
struct exec_mem_copy *exec_mem_keep(const struct exec_mem *m);
void exec_mem_put_back(struct exec_mem *m, struct exec_mem_copy *c);
void exec_mem_forget(struct exec_mem_copy *c);

/* ---- textures, and surfaces, which are described alike ---- */
enum exec_texel {
    EXEC_TEXEL_U8,
    EXEC_TEXEL_S8,
    EXEC_TEXEL_U16,
    EXEC_TEXEL_S16,
    EXEC_TEXEL_U32,
    EXEC_TEXEL_S32,
    EXEC_TEXEL_F16,
    EXEC_TEXEL_F32
};
enum exec_address_mode { EXEC_WRAP, EXEC_CLAMP, EXEC_MIRROR, EXEC_BORDER };
struct exec_texture {
    uint64_t addr; /* device memory */
    uint32_t width, height,
        depth; /* texels; height, depth 0 for fewer dimensions; depth: layers of an array, faces of a cube */
    uint64_t pitch; /* bytes from row to row; 0: width times texel size */
    enum exec_texel texel;
    uint32_t channels;    /* 1, 2, 4 */
    bool surface;         /* for sust and suld, not for tex */
    bool linear;          /* filter: point or linear */
    bool normalized;      /* coordinates in [0, 1) */
    bool normalized_read; /* 8- and 16-bit integers read as floats in [0, 1] or [-1, 1] */
    enum exec_address_mode mode[3];
    float border[4];
};
bool exec_texture_new(struct exec_mem *m, const struct exec_texture *t, uint64_t *handle, struct err *e);
bool exec_texture_release(struct exec_mem *m, uint64_t handle, bool surface, struct err *e);

/* ---- kept for another process (save.c) ---- */
/* Out of memory, or into one with the same limit: the table of allocations and, if wanted, what they hold. In, storage of
 * allocations that both have stays where it is; those that only the memory had are gone. */
struct transfer;
void exec_mem_transfer(struct exec_mem *m, bool contents, struct transfer *t);
uint64_t exec_mem_digest(const struct exec_mem *m); /* of the table: where what is allocated, or was */

/* ---- a module placed on a device ---- */
struct exec_image;
/* The builds of the arithmetic: one source, compiled for the plain machine and for AVX2. Both give the same bits. */
#define EXEC_ISAS(CHOICE) \
    CHOICE(auto, EXEC_ISA_AUTO) CHOICE(portable, EXEC_ISA_PORTABLE) CHOICE(avx2, EXEC_ISA_AVX2)
enum exec_isa { EXEC_ISAS(OPTION_ENUMERATOR) };
struct exec_image *exec_image_new(struct exec_mem *mem, const struct ir_module *m, enum exec_isa isa,
                                  struct err *e);
void exec_image_free(struct exec_image *im);
uint64_t exec_constant_bytes(void); /* most that the .const variables of a module may have */
/* Address (generic for .global; constant space for .const) and size of a variable. false when it has none (.shared). */
bool exec_image_symbol(const struct exec_image *im, uint32_t var, uint64_t *addr, uint64_t *bytes);
/* Host view of a .global or .const variable's bytes, for copies by symbol. */
void *exec_image_bytes(struct exec_image *im, uint32_t var, uint64_t *bytes);
/* Gives a .global variable another place: at `fixed`, of the bytes `host`, each as of exec_place. What it holds comes along, and
 * all that refers to it finds it there. */
bool exec_image_move(struct exec_image *im, uint32_t var, uint64_t fixed, void *host, struct err *e);
/* Makes the .const variables memory like any other too, at that address; not if there are none. Their module must be freed
 * before the memory is. */
bool exec_image_map_constants(struct exec_image *im, uint64_t addr, struct err *e);
/* Gives a .texref or .surfref variable the texture or surface it stands for. */
bool exec_image_bind(struct exec_image *im, uint32_t var, uint64_t handle, struct err *e);

/* ---- a launch ---- */
/* Adds an instruction that ran so many times, for so many lanes in all; not launches, barriers, divergence and turns. */
void exec_count(struct exec_stats *s, const struct ir_insn *i, uint64_t warps, uint64_t lanes);

/* What ends a launch before its time. */
enum exec_fault_kind {
    EXEC_OK,
    EXEC_F_BOUNDS,
    EXEC_F_NULL,
    EXEC_F_ALIGN,
    EXEC_F_READONLY,
    EXEC_F_STACK,
    EXEC_F_TRAP,
    EXEC_F_ASSERT,
    EXEC_F_CALL,     /* indirect call or branch to nowhere */
    EXEC_F_SYNC,     /* barrier or warp synchronisation that cannot be right */
    EXEC_F_TEXTURE,  /* no such texture */
    EXEC_F_HEAP,     /* free of what is not allocated */
    EXEC_F_MEMORY,   /* the host has none left: not the program's fault */
    EXEC_F_DEADLOCK, /* it would never end */
    EXEC_F_TAPE,     /* what a replay is given cannot be: not the program's fault */
    EXEC_FAULT_KINDS
};

/* The report of an ERR_FAULT as data. Texts belong to the module. */
struct exec_failure {
    enum exec_fault_kind kind; /* EXEC_OK: there was none */
    bool thread_known;         /* block to source_line are set */
    uint32_t block[3], thread[3];
    const char *file;   /* name of the PTX text */
    uint32_t line;      /* line of the PTX text */
    const char *source; /* NULL: not known */
    uint32_t source_line;
    const char *space; /* of the access that failed; NULL: it was none */
    uint64_t addr;     /* in that space */
    uint32_t bytes;
    bool store;
};

struct exec_races;
struct exec_tape;
struct exec_plan;
struct pages;

struct exec_launch {
    struct exec_image *image;
    /* A form of the image's module (cfg/form.h) to run instead of it, or NULL. */
    const struct ir_module *form;
    uint32_t func;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    const void *params; /* func->param_bytes of them */
    uint64_t max_insts; /* thread instructions; 0: no bound */
    uint64_t quantum;   /* warp instructions before another path, warp or block gets a turn; 0: 512 */
    /* Local memory of one thread, call frames included; 0: 256 KiB and twice the kernel's frame. */
    uint64_t stack_bytes;
    uint64_t local_bytes; /* what the kernel and its callees need of that; 0: its own frame */
    uint64_t heap_bytes;  /* what device-side malloc may hand out, over all launches; 0: 8 MiB */
    uint64_t grid_id;
    uint32_t sms;                 /* of the machine, %nsmid; 0 counts as 1 */
    bool core;                    /* the scalar core (core.h), at any function; pages: memory of its own */
    struct pages *pages;          /* NULL: the image's */
    bool cooperative;             /* its blocks may wait for one another: all of them are kept at once */
    uint64_t workspace;           /* address of what they meet by, %envreg1 and 2; 0: none */
    struct exec_failure *failure; /* receives what ended the launch; NULL: not wanted */
    struct exec_races *races;     /* looks for races (races.h); NULL: no check. exec_run only */
    const struct exec_tape *tape; /* writes down or says what threads do (tape.h); NULL: neither */
    const struct exec_plan *plan; /* of the kernel, with a tape */
    const uint32_t *old_pc;       /* with a tape, by PC of the form: the same instruction; NULL: no form */
    uint64_t *lanes;              /* by PC: threads that ran it are added; NULL: not wanted. exec_run only */
    void (*print)(void *user, const char *text, size_t n); /* vprintf output, in execution order */
    /* After every block, and now and then in between, with the thread instructions so far; false: stop. */
    bool (*progress)(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t insts);
    void *user;
};

/* Runs the whole grid. On a fault or limit: false, with the report in e; stats hold what ran until then. */
bool exec_run(const struct exec_launch *l, struct exec_stats *s, struct err *e);

#endif

/* heddle: run PTX kernels on a simulated GPU, from C or C++.
 *
 *     hd_device *dev;  hd_module *mod;  hd_kernel *k;  uint64_t buf;
 *     hd_device_open(NULL, &dev);
 *     hd_module_load(dev, "saxpy.ptx", text, 0, &mod);
 *     hd_module_kernel(mod, "saxpy", &k);
 *     hd_alloc(dev, 4096, &buf);
 *     hd_arg args[] = {hd_arg_ptr(buf), hd_arg_f32(2.0f), hd_arg_s32(1024)};
 *     hd_launch l = {.grid = {4, 1, 1}, .block = {256, 1, 1}};
 *     if (hd_run(k, &l, args, 3)) fprintf(stderr, "%s\n", hd_error(dev));
 *
 * Every call that can fail returns an hd_status; HD_OK is 0. After a failure hd_error(dev) gives the reason in words.
 * A device and all that belongs to it may be used by one thread at a time; devices are independent of each other.
 * Handles die with their owner: modules, kernels, memory and textures with the device. A call with a NULL handle does
 * nothing and returns HD_INVALID. A callback may call only functions that read: hd_error, hd_stat, hd_fault, hd_find,
 * hd_find_next and hd_device_get_info; while a launch runs, calls that could change the device are refused. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HD_API __attribute__((visibility("default")))
#else
#define HD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HD_VERSION_MAJOR 0
#define HD_VERSION_MINOR 3
#define HD_VERSION_PATCH 0

typedef enum hd_status {
    HD_OK = 0,
    HD_INVALID, /* a bad argument, option, file or PTX text, which the caller must fix */
    HD_FAULT,   /* the simulated program failed: out of bounds, misaligned, deadlock, trap, assertion ... */
    HD_MEMORY, /* out of memory, on the host or within the device's limit; hd_error says whether the device is lost */
    HD_LIMIT, /* the caller's bound max_insts was reached, or the progress callback stopped the launch */
    HD_INTERNAL,
    HD_REFUSED,  /* the chosen mechanism cannot run this kernel, and nothing was run; another mechanism may */
    HD_TOO_LARGE /* the blocks of a cooperative launch do not fit the machine all at once; nothing was run */
} hd_status;

typedef struct hd_device hd_device;
typedef struct hd_module hd_module;
typedef struct hd_kernel hd_kernel;

HD_API const char *hd_version(void);
HD_API const char *hd_status_name(hd_status s);

/* ---- device ---- */

/* Options as "section.key", "value" pairs, checked against the option table (docs/options.md). */
typedef struct hd_option {
    const char *key, *value;
} hd_option;

typedef struct hd_config {
    const hd_option *options;
    size_t noptions;
    /* The machine, which is read before the options: the name of a compiled-in configuration (hd_config_at,
     * docs/configurations.md), or the path of a file of "[section]" and "key = value" lines. NULL: none. */
    const char *file;
    /* Not 0: `file` is a default, as no machine was named. By itself it does not make the device a timed one. */
    int stand_in;
} hd_config;

/* The machine that CUDA programs run on unless another is chosen (docs/cuda-programs.md): real hardware, with its own
 * properties, which such programs may look up. */
#define HD_CONFIG_CUDA "turing-rtx2060"

/* The available configurations and control-flow mechanisms, by index from 0: a name and a title of one line. HD_INVALID
 * past the last. */
HD_API hd_status hd_config_at(size_t index, const char **name, const char **title);
HD_API hd_status hd_mech_at(size_t index, const char **name, const char **title);

/* Opens a device; config may be NULL for all defaults. If a machine is described, by a configuration or by an option
 * of any section but exec and mem (a mechanism, say), the device simulates kernels cycle by cycle; otherwise it only
 * computes results, and statistics of time are 0. The option run.mode (functional, timed) chooses explicitly. When
 * opening fails, *dev is still set, for hd_error, unless memory ran out; close it in either case. */
HD_API hd_status hd_device_open(const hd_config *config, hd_device **dev);
HD_API void hd_device_close(hd_device *dev); /* dev may be NULL */

typedef struct hd_device_info {
    const char *name; /* name of the configuration, or its file; "": none was read */
    const char *mech; /* mechanism of timed launches */
    int timed;        /* not 0: HD_MODE_DEVICE means HD_MODE_TIMED */
    uint32_t sms;
    uint32_t warp_size; /* warp size that programs see: 32 */
    uint32_t lanes;     /* 32-bit floating-point results of an SM per cycle */
    uint32_t max_threads_per_block, max_threads_per_sm, max_blocks_per_sm;
    uint32_t registers_per_sm;
    uint32_t shared_per_sm, shared_per_block; /* bytes; per block: for a launch in the mode of the device */
    uint64_t l2_bytes;
    uint64_t memory_bytes, memory_used; /* mem.global_bytes, and how much of it is allocated */
    uint64_t constant_bytes;            /* the most that a module may have */
    /* The heap of malloc in kernels; local memory of a thread, 0: as exec.stack_bytes says. */
    uint64_t heap_bytes, stack_bytes;
    double core_mhz, memory_mhz;
    uint32_t bus_bits; /* bits moved per memory cycle: the bandwidth is memory_mhz * bus_bits / 8 MB/s */
    uint32_t capability_major, capability_minor;
} hd_device_info;
HD_API hd_status hd_device_get_info(const hd_device *dev, hd_device_info *info);
/* Sets an option of section exec on an open device, for later launches (exec.isa: for modules loaded later). */
HD_API hd_status hd_device_set(hd_device *dev, const char *key, const char *value);

/* The text of the last failure on this device, or "" when there was none; valid until the next call on the device. It
 * may have several lines; the last does not end in a newline. */
HD_API const char *hd_error(const hd_device *dev);

typedef enum hd_log_level { HD_LOG_ERROR, HD_LOG_WARNING, HD_LOG_INFO } hd_log_level;
typedef void hd_log_fn(void *user, hd_log_level level, const char *text);
/* hd_print_fn gets what kernels print (vprintf); hd_progress_fn, how far a launch has come: it returns 0 to stop it. */
typedef void hd_print_fn(void *user, const char *text, size_t bytes);
typedef int hd_progress_fn(void *user, uint64_t blocks_done, uint64_t blocks);
HD_API void hd_set_log(hd_device *dev, hd_log_fn *fn, void *user);           /* default: silent */
HD_API void hd_set_print(hd_device *dev, hd_print_fn *fn, void *user);       /* default: standard output */
HD_API void hd_set_progress(hd_device *dev, hd_progress_fn *fn, void *user); /* default: none */

/* ---- modules ---- */

/* Loads PTX text; bytes 0 means that it ends in NUL. name appears in messages. A text with errors does not load. A text
 * that uses instructions that heddle does not support, or calls functions that are declared but not defined, does load;
 * kernels that may reach them cannot be run (hd_kernel_info.unsupported). */
HD_API hd_status hd_module_load(hd_device *dev, const char *name, const char *text, size_t bytes,
                                hd_module **mod);
HD_API hd_status hd_module_load_file(hd_device *dev, const char *path, hd_module **mod);
/* Makes one module of several texts, as a linker does of objects compiled separately (nvcc -rdc=true): what one text
 * declares .extern, another defines .visible, .weak or .common; all other names are private to their text. Two
 * definitions of one name are an error that names both places, unless one is .weak or .common, which yields. A message
 * names the text that it is about. */
typedef struct hd_text {
    const char *name, *text;
    size_t bytes; /* 0: it ends in NUL */
} hd_text;
HD_API hd_status hd_module_link(hd_device *dev, const char *name, const hd_text *texts, size_t n,
                                hd_module **mod);
HD_API void hd_module_unload(hd_module *mod);

HD_API size_t hd_module_kernel_count(const hd_module *mod);
/* Kernels in the order of the file; NULL past the end. */
HD_API hd_kernel *hd_module_kernel_at(hd_module *mod, size_t index);
/* Finds a kernel by name. HD_INVALID when there is none, or when it cannot run: the reason names every unsupported
 * instruction. */
HD_API hd_status hd_module_kernel(hd_module *mod, const char *name, hd_kernel **k);
/* Address and size (bytes may be NULL) of a .global or .const variable. A kernel that is given the address reads and
 * writes the variable there. */
HD_API hd_status hd_module_symbol(hd_module *mod, const char *name, uint64_t *addr, uint64_t *bytes);
/* Gives a .global variable another address, other storage, or both, as hd_alloc_at does. Its contents move with it,
 * and the module uses it there. For variables that the host reads and writes in place (__managed__). */
HD_API hd_status hd_module_place(hd_module *mod, const char *name, void *host, uint64_t addr);

/* Variables by index from 0, in the order of the file; HD_INVALID past the last. Names live as long as
 * the module. */
typedef struct hd_symbol_info {
    const char *name;
    uint64_t addr, bytes; /* as hd_module_symbol gives them */
    uint32_t align;
    const char *type; /* declared type of an element: "f32", ...; compilers declare most arrays .b8: "u8" */
    int constant;     /* .const; else .global */
} hd_symbol_info;
HD_API size_t hd_module_symbol_count(const hd_module *mod);
HD_API hd_status hd_module_symbol_at(hd_module *mod, size_t index, hd_symbol_info *info);

typedef struct hd_param_info {
    const char *name;
    uint32_t bytes, align, offset; /* offset in the packed argument block */
    const char *type;              /* "u64", "f32", ...; "bytes" for a struct by value */
    int pointer;                   /* declared as a pointer */
} hd_param_info;

typedef struct hd_kernel_info {
    const char *name;
    size_t nparams;
    const hd_param_info *params;
    uint32_t param_bytes;
    uint32_t registers;    /* 32-bit registers that a thread needs, calls included */
    uint32_t shared_bytes; /* static shared memory */
    uint32_t local_bytes;  /* local memory of one thread, without recursion */
    uint32_t instructions, blocks;
    uint32_t max_threads[3], required_threads[3]; /* .maxntid, .reqntid; 0: not given */
    /* NULL, or why the kernel cannot run: it may reach, through calls too, instructions that are not supported or
     * calls of functions that are not defined. It has lines as hd_error does. */
    const char *unsupported;
} hd_kernel_info;
HD_API hd_status hd_kernel_get_info(const hd_kernel *k, hd_kernel_info *info);
/* How many blocks with that many threads and bytes of dynamic shared memory an SM of the device's machine holds at
 * once, by the rules of a timed launch; 0: not even one fits. */
HD_API hd_status hd_occupancy(const hd_kernel *k, uint32_t threads, uint32_t shared_bytes, uint32_t *blocks);

/* ---- memory ---- */

/* Allocates zeroed memory, aligned to 256 bytes. Every access of a kernel is checked against the allocations; there
 * are gaps between them. HD_MEMORY when mem.global_bytes would be exceeded. */
HD_API hd_status hd_alloc(hd_device *dev, uint64_t bytes, uint64_t *addr);
HD_API hd_status hd_free(hd_device *dev, uint64_t addr);
/* Allocates memory at an address that the caller chooses, in storage that the caller owns, or both. *addr is the
 * address, with any alignment; 0: wherever there is room. host is the storage, which kernels read and write in place
 * until hd_free; it still belongs to the caller and counts towards no limit. NULL: zeroed storage of the device.
 * Device addresses are those from 64 KiB to 16 MiB and from 256 MiB to 2^62; HD_INVALID when some of the bytes lie
 * outside, or in another allocation. Such memory may be adjacent to other such memory; it changes no address that
 * hd_alloc returns unless it is in the way. */
HD_API hd_status hd_alloc_at(hd_device *dev, uint64_t bytes, void *host, uint64_t *addr);
/* A copy must stay within one allocation, or one variable of a module; the ranges of hd_copy may overlap. */
HD_API hd_status hd_copy_in(hd_device *dev, uint64_t dst, const void *src, uint64_t bytes);
HD_API hd_status hd_copy_out(hd_device *dev, void *dst, uint64_t src, uint64_t bytes);
HD_API hd_status hd_copy(hd_device *dev, uint64_t dst, uint64_t src, uint64_t bytes);
HD_API hd_status hd_set(hd_device *dev, uint64_t dst, uint8_t value, uint64_t bytes);
/* Names a buffer in fault reports. Without a name the first is "buffer 1", and so on. */
HD_API hd_status hd_label(hd_device *dev, uint64_t addr, const char *label);

typedef enum hd_memory_kind {
    HD_MEMORY_BUFFER,   /* from hd_alloc, or from hd_alloc_at with storage of the device */
    HD_MEMORY_HOST,     /* from hd_alloc_at with storage of the caller */
    HD_MEMORY_VARIABLE, /* a variable of a module */
    HD_MEMORY_HEAP      /* from malloc in a kernel */
} hd_memory_kind;
typedef struct hd_memory {
    uint64_t addr, bytes;
    hd_memory_kind kind;
    const char *label; /* as in reports; valid until the next call that changes memory */
    void *host;        /* the bytes themselves; valid until they are released */
} hd_memory;
/* hd_find finds the allocation that holds addr; hd_find_next, the first that begins at or after addr, so that
 *     for (uint64_t a = 0; !hd_find_next(dev, a, &m); a = m.addr + m.bytes)
 * visits all. HD_INVALID when there is none, which is not a failure: hd_error keeps its text. */
HD_API hd_status hd_find(const hd_device *dev, uint64_t addr, hd_memory *info);
HD_API hd_status hd_find_next(const hd_device *dev, uint64_t addr, hd_memory *info);

/* ---- textures ---- */

typedef enum hd_texel {
    HD_TEXEL_U8,
    HD_TEXEL_S8,
    HD_TEXEL_U16,
    HD_TEXEL_S16,
    HD_TEXEL_U32,
    HD_TEXEL_S32,
    HD_TEXEL_F16,
    HD_TEXEL_F32
} hd_texel;
typedef enum hd_address_mode { HD_WRAP, HD_CLAMP, HD_MIRROR, HD_BORDER } hd_address_mode;
typedef struct hd_texture {
    uint64_t addr; /* the texels, in device memory */
    /* 0 for a dimension that it does not have; depth: layers of an array, 6 for a cube */
    uint32_t width, height, depth;
    uint64_t pitch; /* bytes from row to row; 0: tightly packed */
    hd_texel texel;
    uint32_t channels; /* 1, 2 or 4 */
    int linear, normalized, normalized_read;
    hd_address_mode mode[3];
    float border[4];
} hd_texture;
/* The handle is what a kernel takes as a texture object. */
HD_API hd_status hd_texture_new(hd_device *dev, const hd_texture *t, uint64_t *handle);
HD_API hd_status hd_texture_free(hd_device *dev, uint64_t handle);
/* Binds a .texref symbol of an old program to a texture; handle 0: to none. */
HD_API hd_status hd_texture_bind(hd_module *mod, const char *texref, uint64_t handle);

/* ---- surfaces ---- */

typedef struct hd_surface {
    uint64_t addr; /* the texels, in device memory */
    /* 0 for a dimension that it does not have; depth: layers of an array */
    uint32_t width, height, depth;
    uint64_t pitch; /* bytes from row to row; 0: tightly packed */
    hd_texel texel;
    uint32_t channels; /* 1, 2 or 4 */
} hd_surface;
/* The handle is what a kernel takes as a surface object. */
HD_API hd_status hd_surface_new(hd_device *dev, const hd_surface *s, uint64_t *handle);
HD_API hd_status hd_surface_free(hd_device *dev, uint64_t handle);
/* Binds a .surfref symbol of an old program to a surface; handle 0: to none. */
HD_API hd_status hd_surface_bind(hd_module *mod, const char *surfref, uint64_t handle);

/* ---- launch ---- */

/* An argument must have the size of its parameter: a u32 may be passed for an s32 or an f32, but not for a u64. A
 * pointer may also be passed for a 32-bit parameter if it fits; HD_ARG_BYTES, for any parameter of that many bytes. */
typedef enum hd_arg_type {
    HD_ARG_U8,
    HD_ARG_S8,
    HD_ARG_U16,
    HD_ARG_S16,
    HD_ARG_U32,
    HD_ARG_S32,
    HD_ARG_U64,
    HD_ARG_S64,
    HD_ARG_F16,
    HD_ARG_F32,
    HD_ARG_F64,
    HD_ARG_PTR,
    HD_ARG_BYTES
} hd_arg_type;
typedef struct hd_arg {
    hd_arg_type type;
    union {
        uint64_t u; /* U8 to U64, PTR, F16 (the bits) */
        int64_t s;  /* S8 to S64 */
        float f32;
        double f64;
        const void *data; /* HD_ARG_BYTES: a struct by value */
    } v;
    uint32_t bytes; /* size of data */
} hd_arg;
static inline hd_arg hd_arg_u32(uint32_t v) {
    hd_arg a = {HD_ARG_U32, {0}, 0};
    a.v.u = v;
    return a;
}
static inline hd_arg hd_arg_s32(int32_t v) {
    hd_arg a = {HD_ARG_S32, {0}, 0};
    a.v.s = v;
    return a;
}
static inline hd_arg hd_arg_u64(uint64_t v) {
    hd_arg a = {HD_ARG_U64, {0}, 0};
    a.v.u = v;
    return a;
}
static inline hd_arg hd_arg_s64(int64_t v) {
    hd_arg a = {HD_ARG_S64, {0}, 0};
    a.v.s = v;
    return a;
}
static inline hd_arg hd_arg_f32(float v) {
    hd_arg a = {HD_ARG_F32, {0}, 0};
    a.v.f32 = v;
    return a;
}
static inline hd_arg hd_arg_f64(double v) {
    hd_arg a = {HD_ARG_F64, {0}, 0};
    a.v.f64 = v;
    return a;
}
static inline hd_arg hd_arg_ptr(uint64_t v) {
    hd_arg a = {HD_ARG_PTR, {0}, 0};
    a.v.u = v;
    return a;
}
static inline hd_arg hd_arg_bytes(const void *data, uint32_t bytes) {
    hd_arg a = {HD_ARG_BYTES, {0}, bytes};
    a.v.data = data;
    return a;
}

typedef enum hd_mode { HD_MODE_DEVICE = 0, HD_MODE_FUNCTIONAL, HD_MODE_TIMED } hd_mode;
typedef struct hd_launch {
    uint32_t grid[3], block[3]; /* 0 counts as 1 */
    uint32_t shared_bytes;      /* dynamic shared memory */
    uint64_t max_insts;         /* stop once more thread instructions have run; 0: the device's option */
    hd_mode mode;               /* HD_MODE_DEVICE: as the device runs (hd_device_open) */
    /* Not 0: blocks may wait for one another, as with CUDA's grid.sync(). HD_TOO_LARGE unless all of them fit the
     * device's machine at once (hd_occupancy). %envreg1 and %envreg2 are the high and low words of the address of a
     * workspace of 256 zeroed bytes; in other launches they are 0. */
    int cooperative;
} hd_launch;

/* Runs a kernel to its end: functionally, or timed (hd_device_open) on the machine that the device's options describe,
 * under the mechanism run.mech. For programs without races, memory afterwards is identical in both modes. A launch
 * that is found never to end (every thread loops, or waits for one that does) fails with HD_FAULT; a timed launch
 * fails when that has been so for gpu.watchdog cycles, and hd_error has the state of the machine. Limits: 1024 threads
 * per block, 64 in z; grids of 2^31-1, 65535 and 65535 blocks; .maxntid and .reqntid of the kernel; shared memory up
 * to sm.shared_bytes. After a fault the device remains usable, and its memory holds what the kernel left. A kernel of
 * a RISC-V program (section spmd_text) gets its arguments as C passes them, up to 64 words of them on the stack; their
 * number and types are not known and not checked. */
HD_API hd_status hd_run(hd_kernel *k, const hd_launch *l, const hd_arg *args, size_t nargs);
/* Runs a kernel as hd_run does, with an argument block that is packed already (hd_kernel_info gives the offsets). */
HD_API hd_status hd_run_packed(hd_kernel *k, const hd_launch *l, const void *params, size_t bytes);

/* ---- faults ---- */

typedef enum hd_fault_kind {
    HD_FAULT_NONE = 0,
    HD_FAULT_ADDRESS,   /* a null pointer, out of bounds, released memory */
    HD_FAULT_ALIGNMENT, /* an address that is no multiple of the size of the access */
    HD_FAULT_READONLY,  /* a store to constants or parameters */
    HD_FAULT_STACK,     /* calls too deep for exec.stack_bytes */
    HD_FAULT_TRAP,
    HD_FAULT_ASSERT,
    HD_FAULT_CALL,    /* an indirect call or branch to an address without a target */
    HD_FAULT_BARRIER, /* an invalid barrier or warp synchronisation */
    HD_FAULT_TEXTURE, /* no such texture, or its memory was released */
    HD_FAULT_HEAP,    /* free, in a kernel, of memory that is not allocated */
    HD_FAULT_DEADLOCK /* the launch would never have ended */
} hd_fault_kind;
typedef struct hd_fault_info {
    hd_fault_kind kind;
    const char *kernel; /* NULL: its module has been unloaded */
    /* Whether the fault belongs to one thread, and which; for a deadlock, only if a single thread loops by itself. */
    int thread_known;
    uint32_t block[3], thread[3];
    const char *file;   /* name of the PTX text; NULL: its module has been unloaded */
    uint32_t line;      /* line of the PTX */
    const char *source; /* source file; NULL: not known, or its module has been unloaded */
    uint32_t source_line;
    const char *space; /* "global", "shared", "local", "const", "param"; NULL: not a memory access */
    uint64_t address;  /* in that space */
    uint32_t bytes;
    int store;
} hd_fault_info;
/* Describes the fault of the last launch that began, for which it returned HD_FAULT with its text in hd_error.
 * HD_FAULT_NONE: it had none. */
HD_API hd_status hd_fault(const hd_device *dev, hd_fault_info *info);
HD_API const char *hd_fault_name(hd_fault_kind kind); /* "HD_FAULT_ADDRESS", ... */

/* ---- statistics ---- */

/* A statistic of the last launch (total = 0) or of all since the device was opened (total = 1), by its name in
 * docs/statistics.md, or "mechanism.key" for a counter of the mechanism's own. */
HD_API hd_status hd_stat(const hd_device *dev, int total, const char *name, double *value);
HD_API size_t hd_stat_count(void);
typedef struct hd_stat_info {
    const char *name, *unit, *meaning;
    int integral; /* a count: exact in a double up to 2^53, and printed without a fraction */
} hd_stat_info;
HD_API hd_status hd_stat_at(size_t index, hd_stat_info *info);
/* The statistic with the index of hd_stat_at; much faster than by name. */
HD_API hd_status hd_stat_value(const hd_device *dev, int total, size_t index, double *value);
/* The mechanism's own counters by index from 0: info->name is "key" where hd_stat takes "mechanism.key", for the
 * mechanism of hd_device_info. HD_INVALID past the last, which is not a failure: hd_error keeps its text. There are
 * none before a timed launch. */
HD_API hd_status hd_stat_own(const hd_device *dev, int total, size_t index, hd_stat_info *info,
                             double *value);

/* ---- profile ---- */

/* With the option run.profile, timed launches charge every lane slot (one lane of a scheduler in one cycle) to a line
 * of the program (docs/profile.md). Without it rows still have their counts, except that reconvergences and all slots
 * are 0. */
typedef enum hd_profile_by {
    HD_PROFILE_BRANCHES, /* by branch; those that cause the most lost slots come first */
    HD_PROFILE_PTX,      /* by line of the PTX, in order; lines that never ran are left out */
    HD_PROFILE_SOURCE, /* by line of the source, where the PTX names it; line 0: instructions without a line */
    HD_PROFILE_FUNCTIONS
} hd_profile_by;
typedef struct hd_profile_cost { /* lane slots */
    uint64_t slots;              /* slots of its issues, and of cycles in which it was waited for */
    uint64_t suffers;            /* slots among these that had no active thread */
    uint64_t causes;             /* slots lost anywhere because threads diverged here */
} hd_profile_cost;
typedef struct hd_profile_row {
    const char *function;
    const char *file;   /* name of the PTX text */
    uint32_t line;      /* line of the PTX text: the first, if the row has several */
    const char *text;   /* points to the start of that line in the PTX text, which continues beyond it */
    const char *source; /* NULL: not known */
    uint32_t source_line;
    uint64_t executions, lanes;  /* issues, and threads in them */
    uint64_t divergences, sides; /* issues at which threads diverged, and how many ways they took in all */
    /* Divergences after which all threads ran together again, and the sum of the cycles that this took. */
    uint64_t reconvergences, reconvergence_cycles;
    hd_profile_cost own, with_calls; /* with_calls: including all functions that it calls */
} hd_profile_row;
/* The profile of all timed launches of the module so far. Texts live as long as the module. HD_INVALID past the
 * last. */
HD_API size_t hd_profile_count(hd_module *mod, hd_profile_by by);
HD_API hd_status hd_profile_at(hd_module *mod, hd_profile_by by, size_t index, hd_profile_row *row);
/* The number of all lane slots, of which the others are shares. */
HD_API hd_status hd_profile_slots(hd_module *mod, uint64_t *slots);
/* How the slots were spent: first the kinds of slots of issues, then those of cycles without an issue, by what was
 * waited for. */
typedef struct hd_profile_kind {
    const char *key, *name; /* a single word, as in JSON, and a phrase */
    int waits;              /* not 0: slots of cycles without an issue */
    uint64_t slots;
} hd_profile_kind;
/* HD_INVALID past the last. */
HD_API hd_status hd_profile_kind_at(hd_module *mod, size_t index, hd_profile_kind *kind);

/* ---- races ---- */

/* With the option run.races, functional launches look for data races: two threads access the same bytes of shared or
 * global memory, at least one of them writes, and no synchronisation orders the accesses (docs/races.md). A race fails
 * no call. */
typedef struct hd_race_access {
    const char *what;             /* "read", "write", "volatile read", "volatile write", "relaxed read",
                                     "relaxed write", "atomic" */
    uint32_t block[3], thread[3]; /* the thread that accessed */
    uint32_t warp;                /* number of the warp in the block */
    uint32_t line;                /* line of the PTX */
    const char *text;             /* text of that line */
    const char *source;           /* source file; NULL: not known */
    uint32_t source_line;
} hd_race_access;
/* All conflicts between two instructions, with the first of them in detail. */
typedef struct hd_race {
    const char *kind;          /* "write-write", "read-write" or "atomic-plain" */
    int same_value;            /* both always stored the same value: no result depends on the order */
    uint64_t count;            /* conflicts, by word */
    const char *file, *kernel; /* name of the module; kernel of the first conflict */
    uint64_t launch;           /* number of the launch on the device, from 0 */
    const char *space;         /* "shared" or "global" */
    const char *object;        /* buffer or variable; "": in none */
    uint64_t address, offset;  /* address in the space; offset in the object */
    hd_race_access access[2];  /* in the order in which they ran */
} hd_race;
/* The races of all launches of the device: the most frequent first, those that stored the same value last. Texts are
 * valid as long as the device is open, the order until the next launch. HD_INVALID past the last. */
HD_API size_t hd_race_count(const hd_device *dev);
HD_API hd_status hd_race_at(const hd_device *dev, size_t index, hd_race *race);

#ifdef __cplusplus
}
#endif
#endif

/* Arguments of a launch: against the kernel's parameters, or, where the kernel is machine code, by the convention that its
 * compiler calls by (RISC-V's psABI, LP64D), which is all that is known of it: a file does not say what a function takes. The
 * first eight integers and pointers go into a0 to a7, the first eight floating-point values into fa0 to fa7, further
 * floating-point values into what is left of a0 to a7, and the rest onto the stack, a word each. */
#include <inttypes.h>
#include <string.h>

#include "exec/warp.h"
#include "front/riscv/riscv.h"
#include "sim/device/internal.h"

enum arg_form { FORM_UNSIGNED, FORM_SIGNED, FORM_F32, FORM_F64, FORM_BYTES };

static const struct arg_kind {
    const char *name;
    uint32_t bytes;
    enum arg_form form;
} arg_kinds[] = {
    [HD_ARG_U8] = {"u8", 1, FORM_UNSIGNED},    [HD_ARG_S8] = {"s8", 1, FORM_SIGNED},
    [HD_ARG_U16] = {"u16", 2, FORM_UNSIGNED},  [HD_ARG_S16] = {"s16", 2, FORM_SIGNED},
    [HD_ARG_U32] = {"u32", 4, FORM_UNSIGNED},  [HD_ARG_S32] = {"s32", 4, FORM_SIGNED},
    [HD_ARG_U64] = {"u64", 8, FORM_UNSIGNED},  [HD_ARG_S64] = {"s64", 8, FORM_SIGNED},
    [HD_ARG_F16] = {"f16", 2, FORM_UNSIGNED},  [HD_ARG_F32] = {"f32", 4, FORM_F32},
    [HD_ARG_F64] = {"f64", 8, FORM_F64},       [HD_ARG_PTR] = {"pointer", 8, FORM_UNSIGNED},
    [HD_ARG_BYTES] = {"bytes", 0, FORM_BYTES},
};

static const unsigned narg_kinds = sizeof arg_kinds / sizeof *arg_kinds;

static bool fits_unsigned(uint64_t v, uint32_t bytes) {
    return bytes >= 8 || v >> (8 * bytes) == 0;
}

static bool fits_signed(int64_t v, uint32_t bytes) {
    int64_t top = bytes >= 8 ? INT64_MAX : ((int64_t)1 << (8 * bytes - 1)) - 1;
    return v >= -top - 1 && v <= top;
}

static const void *arg_data(const hd_arg *a, enum arg_form form) {
    switch (form) {
    case FORM_F32: return &a->v.f32;
    case FORM_F64: return &a->v.f64;
    case FORM_BYTES: return a->v.data;
    default: return &a->v.u; /* little-endian: the low bytes come first */
    }
}

/* What is wrong with the value itself or with its size, or an empty text. */
static void arg_fault(const hd_param_info *p, const hd_arg *a, struct sb *out) {
    const struct arg_kind *kind = &arg_kinds[a->type];
    if (kind->form == FORM_BYTES) {
        if (a->bytes != p->bytes)
            sb_add(out, "%" PRIu32 " bytes were given", a->bytes);
        else if (!a->v.data)
            sb_add(out, "data is NULL");
    } else if (a->type == HD_ARG_PTR && p->bytes == 4) {
        if (!fits_unsigned(a->v.u, 4)) sb_add(out, "the pointer 0x%" PRIx64 " does not fit", a->v.u);
    } else if (kind->bytes != p->bytes) {
        sb_add(out, "a %" PRIu32 "-bit value was given", kind->bytes * 8);
    } else if (kind->form == FORM_UNSIGNED && !fits_unsigned(a->v.u, kind->bytes)) {
        sb_add(out, "%" PRIu64 " does not fit %s", a->v.u, kind->name);
    } else if (kind->form == FORM_SIGNED && !fits_signed(a->v.s, kind->bytes)) {
        sb_add(out, "%" PRId64 " does not fit %s", a->v.s, kind->name);
    }
}

static bool is_kind(const hd_arg *a, size_t i, struct err *e) {
    return (unsigned)a->type < narg_kinds ||
           err_set(e, ERR_INPUT, "argument %zu: %d is not an hd_arg_type", i, (int)a->type);
}

static bool pack_arg(const hd_kernel_info *info, size_t i, const hd_arg *a, uint8_t *block, struct err *e) {
    const hd_param_info *p = &info->params[i];
    if (!is_kind(a, i, e)) return false;
    struct sb fault = {0};
    arg_fault(p, a, &fault);
    if (fault.len) {
        err_set(e, ERR_INPUT, "argument %zu (param %s, %s, %" PRIu32 " byte%s): %s", i, p->name, p->type,
                p->bytes, p->bytes == 1 ? "" : "s", fault.text);
        sb_free(&fault);
        return false;
    }
    if (p->bytes) memcpy(block + p->offset, arg_data(a, arg_kinds[a->type].form), p->bytes);
    return true;
}

static bool pack_params(const hd_kernel_info *info, const hd_arg *args, size_t nargs, uint8_t *block,
                        struct err *e) {
    if (nargs != info->nparams)
        return err_set(e, ERR_INPUT, "kernel %s takes %zu argument%s, %zu given", info->name, info->nparams,
                       info->nparams == 1 ? "" : "s", nargs);
    for (size_t i = 0; i < nargs; i++)
        if (!pack_arg(info, i, &args[i], block, e)) return false;
    return true;
}

/* ---- machine code ---- */

enum { SP = IR_RV_SP, GP = 3, A0 = 10, FA0 = IR_RV_F + 10, IN_REGISTERS = 8 };

struct call {
    uint64_t word[RISCV_PARAM_BYTES / 8];
    uint32_t integers, floats, stacked; /* so many of them */
};

/* Widens an argument as the calling convention says: 32-bit values by their sign whatever the type, smaller ones as
 * their type says. A float is in the low bits; the bits above it are undefined. */
static uint64_t widened(const hd_arg *a) {
    uint64_t v = 0;
    const struct arg_kind *kind = &arg_kinds[a->type];
    memcpy(&v, arg_data(a, kind->form), kind->bytes);
    return a->type == HD_ARG_U32 || a->type == HD_ARG_S32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)v
           : kind->form == FORM_SIGNED                    ? (uint64_t)a->v.s
                                                          : v;
}

/* In a register of 64 bits a narrower floating-point value has ones above it. */
static uint64_t boxed(uint64_t v, uint32_t bytes) {
    return bytes < 8 ? v | ~UINT64_C(0) << 8 * bytes : v;
}

static bool device_arguments_pass(struct call *c, const hd_arg *a) {
    const bool is_float = a->type == HD_ARG_F16 || a->type == HD_ARG_F32 || a->type == HD_ARG_F64;
    const uint64_t v = widened(a);
    if (is_float && c->floats < IN_REGISTERS)
        c->word[FA0 + c->floats++] = boxed(v, arg_kinds[a->type].bytes);
    else if (c->integers < IN_REGISTERS)
        c->word[A0 + c->integers++] = v;
    else if (c->stacked < RISCV_STACK_WORDS)
        c->word[RISCV_REGISTERS + c->stacked++] = v;
    else
        return false;
    return true;
}

/* The value alone can be checked. */
static bool call_arg(const hd_kernel_info *info, struct call *c, size_t i, const hd_arg *a, struct err *e) {
    struct sb fault = {0};
    if (!is_kind(a, i, e)) return false;
    if (a->type == HD_ARG_BYTES)
        return err_set(e, ERR_INPUT,
                       "argument %zu: kernel %s is machine code, which takes no structures here", i,
                       info->name);
    arg_fault(&(hd_param_info){.bytes = arg_kinds[a->type].bytes}, a, &fault);
    if (fault.len) err_set(e, ERR_INPUT, "argument %zu: %s", i, fault.text);
    const bool fits = !fault.len;
    sb_free(&fault);
    return fits && (device_arguments_pass(c, a) ||
                    err_set(e, ERR_INPUT,
                            "kernel %s is machine code, which takes no more than %d words of "
                            "arguments on the stack",
                            info->name, RISCV_STACK_WORDS));
}

/* ra and tp stay 0: a thread that returns ends, and has no storage of its own. */
static bool pack_call(const hd_kernel *k, const hd_arg *args, size_t nargs, uint8_t *block, struct err *e) {
    struct call c = {0};
    for (size_t i = 0; i < nargs; i++)
        if (!call_arg(&k->info, &c, i, &args[i], e)) return false;
    const uint64_t bytes = ((uint64_t)c.stacked * 8 + 15) & ~UINT64_C(15);
    c.word[SP] = EXEC_WIN_LOCAL + k->mod->ir->funcs.v[k->func].frame_bytes - bytes;
    c.word[GP] = k->mod->ir->binary->global_pointer;
    memcpy(block, c.word, sizeof c.word);
    return true;
}

bool sim_pack_args(const hd_kernel *k, const hd_arg *args, size_t nargs, uint8_t *block, struct err *e) {
    const bool whole = nargs == 1 && args->type == HD_ARG_BYTES && args->bytes == k->info.param_bytes;
    return k->mod->ir->binary && !whole ? pack_call(k, args, nargs, block, e)
                                        : pack_params(&k->info, args, nargs, block, e);
}

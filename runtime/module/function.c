/* Attributes of kernels. There is no machine code: its version is the machine's. */
#include "runtime/module/function.h"

#include "runtime/module/module.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/process.h"

enum { SHARED_DEFAULT = 48 << 10 };

int cu_function_threads(const struct cu_process *p, const struct CUfunc_st *f) {
    const struct cu_machine *m = &p->machine;
    const uint32_t *said = f->info.required_threads[0] ? f->info.required_threads : f->info.max_threads;
    uint64_t n = (uint64_t)said[0] * (said[1] ? said[1] : 1) * (said[2] ? said[2] : 1);
    uint64_t most = (uint64_t)m->threads_block;
    if (f->info.registers) {
        uint64_t fit = (uint64_t)m->registers_sm / f->info.registers / (uint64_t)m->warp * (uint64_t)m->warp;
        if (fit < most) most = fit;
    }
    return (int)(n && n < most ? n : most);
}

/* The most threads in a block that the kernel's registers allow, in whole warps. */
static int most_threads(const struct cu_process *p, const struct CUfunc_st *f) {
    int most = cu_function_threads(p, f), warp = p->machine.warp;
    int fit = f->info.registers ? p->machine.registers_sm / (int)f->info.registers / warp * warp : most;
    return fit < most ? fit : most;
}

static int constant_bytes(hd_module *hd) {
    uint64_t bytes = 0;
    hd_symbol_info s;
    for (size_t i = 0; !hd_module_symbol_at(hd, i, &s); i++)
        if (s.constant) bytes += s.bytes;
    return (int)bytes;
}

/* What a block may have by default; kernels with more than that ask for it. */
static int dynamic_shared(const struct CUfunc_st *f) {
    if (f->max_dynamic_shared >= 0) return f->max_dynamic_shared;
    return f->info.shared_bytes < SHARED_DEFAULT ? SHARED_DEFAULT - (int)f->info.shared_bytes : 0;
}

int cu_function_attribute(struct cu_process *p, struct CUfunc_st *f, int attribute, int *value) {
    int code = cu_function_ready(p, f);
    if (code) return code;
    switch (attribute) {
    case 0: *value = most_threads(p, f); break;
    case 1: *value = (int)f->info.shared_bytes; break;
    case 2: *value = constant_bytes(f->module->hd); break;
    case 3: *value = (int)f->info.local_bytes; break;
    case 4: *value = (int)f->info.registers; break;
    case 5: /* version of the PTX */
    case 6: *value = 10 * p->machine.major + p->machine.minor; break;
    case 7: *value = 0; break; /* compiled to cache all loads */
    case 8: *value = dynamic_shared(f); break;
    case 9: *value = f->carveout; break;
    case 10: /* clusters: none */
    case 11:
    case 12:
    case 13:
    case 14:
    case 15: *value = 0; break;
    default: return CU_InvalidValue;
    }
    return CU_Success;
}

int cu_function_set(struct cu_process *p, struct CUfunc_st *f, int attribute, int value) {
    int code = cu_function_ready(p, f);
    if (code) return code;
    if (attribute == 8) {
        if (value < 0 || value > p->machine.shared_optin - (int)f->info.shared_bytes) return CU_InvalidValue;
        f->max_dynamic_shared = value;
    } else if (attribute == 9) {
        if (value < -1 || value > 100) return CU_InvalidValue;
        f->carveout = value;
    } else if (attribute < 11 || attribute > 15)
        return CU_InvalidValue;
    return CU_Success;
}

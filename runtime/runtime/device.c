/* The machine as programs see it. Where a property has no counterpart in the configuration (how large a texture may be) it is
 * that of compute capability 7.5; properties.def says which. */
#include "runtime/runtime/device.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/module/module.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/process.h"

/* The sizes of the real structures. */
static_assert(sizeof(struct cu_properties_12) == 1032, "cudaDeviceProp of CUDA 12");
static_assert(sizeof(struct cu_properties_13) == 1008, "cudaDeviceProp of CUDA 13");

enum { SHARED_BLOCK = 48 << 10 }; /* what a block has unless its kernel asks for more */

static void name_machine(struct cu_machine *m, const char *configuration) {
    const char *slash = strrchr(configuration, '/');
    snprintf(m->name, sizeof m->name, "heddle %.48s", slash ? slash + 1 : configuration);
}

void cu_machine_read(struct cu_process *p) {
    struct cu_machine *m = &p->machine;
    hd_device_info i;
    if (hd_device_get_info(p->dev, &i)) return;
    *m = (struct cu_machine){
        .major = (int)i.capability_major, .minor = (int)i.capability_minor, .timed = i.timed};
    name_machine(m, i.name);
    m->sms = (int)i.sms;
    m->warp = (int)i.warp_size;
    m->lanes = (int)i.lanes;
    m->threads_block = (int)i.max_threads_per_block;
    m->threads_sm = (int)i.max_threads_per_sm;
    m->blocks_sm = (int)i.max_blocks_per_sm;
    m->registers_sm = (int)i.registers_per_sm;
    m->shared_sm = (int)i.shared_per_sm;
    m->shared_optin = (int)(i.shared_per_block < i.shared_per_sm ? i.shared_per_block : i.shared_per_sm);
    m->shared_block = m->shared_optin < SHARED_BLOCK ? m->shared_optin : SHARED_BLOCK;
    m->core_hz = (uint64_t)(i.core_mhz * 1e6);
    m->memory_hz = (uint64_t)(i.memory_mhz * 1e6);
    m->bus_bits = (int)i.bus_bits;
    m->l2_bytes = i.l2_bytes;
    m->global_bytes = i.memory_bytes;
    m->constant_bytes = i.constant_bytes;
}

#define INT(member, value)       v->member = value;
#define SIZE(member, value)      v->member = value;
#define INTS(member, count, ...) memcpy(v->member, (int[count]){__VA_ARGS__}, sizeof v->member);
#define END11()

#define INT12(member, value) v->member = value;
#define INT13(member, value)
void cu_properties_12(const struct cu_machine *m, struct cu_properties_12 *v) {
    memset(v, 0, sizeof *v);
    memcpy(v->name, m->name, sizeof m->name);
#include "runtime/runtime/properties.def"
}
#undef INT12
#undef INT13

#define INT12(member, value)
#define INT13(member, value) v->member = value;
void cu_properties_13(const struct cu_machine *m, struct cu_properties_13 *v) {
    memset(v, 0, sizeof *v);
    memcpy(v->name, m->name, sizeof m->name);
#include "runtime/runtime/properties.def"
}

int cu_attribute(const struct cu_machine *m, int number, int *value) {
    struct cu_properties_12 properties, *v = &properties;
    cu_properties_12(m, v);
    switch (number) {
#define ATTRIBUTE(n, expression)    \
    case n:                         \
        *value = (int)(expression); \
        return CU_Success;
#include "runtime/runtime/attributes.def"
#undef ATTRIBUTE
    default: return CU_InvalidValue;
    }
}

int cu_occupancy(struct cu_process *p, struct CUfunc_st *f, int threads, size_t shared, int *blocks) {
    uint32_t n = 0;
    int code = cu_function_ready(p, f);
    if (code) return code;
    if (threads <= 0) return CU_InvalidValue;
    if (threads <= p->machine.threads_block && shared <= UINT32_MAX)
        code = cu_status(hd_occupancy(f->kernel, (uint32_t)threads, (uint32_t)shared, &n));
    *blocks = (int)n;
    return code;
}

/* ---- limits ---- */

enum {
    LIMIT_STACK,
    LIMIT_FIFO,
    LIMIT_HEAP,
    LIMIT_SYNC_DEPTH,
    LIMIT_PENDING,
    LIMIT_GRANULARITY,
    LIMIT_PERSISTING,
    LIMITS
};

/* What the device runs with; the rest of the limits has no effect and is kept as it was set. */
static const char *option_of(int limit) {
    return limit == LIMIT_STACK ? "exec.stack_bytes" : limit == LIMIT_HEAP ? "exec.heap_bytes" : NULL;
}

int cu_get_limit(struct cu_process *p, int limit, size_t *value) {
    static const size_t defaults[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
    hd_device_info i;
    if (limit < 0 || limit >= LIMITS) return CU_UnsupportedLimit;
    *value = p->limits[limit] ? p->limits[limit] : defaults[limit];
    if (hd_device_get_info(p->dev, &i)) return CU_Success;
    if (limit == LIMIT_HEAP) *value = i.heap_bytes;
    if (limit == LIMIT_STACK && i.stack_bytes) *value = i.stack_bytes;
    return CU_Success;
}

int cu_set_limit(struct cu_process *p, int limit, size_t value) {
    char text[32];
    if (limit < 0 || limit >= LIMITS) return CU_UnsupportedLimit;
    p->limits[limit] = value;
    if (!option_of(limit)) return CU_Success;
    snprintf(text, sizeof text, "%zu", value);
    return hd_device_set(p->dev, option_of(limit), text) ? CU_InvalidValue : CU_Success;
}

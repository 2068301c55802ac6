/* Copies and sets: which ranges they may touch, what they do, and how long that takes.
 *
 * The simulated time of a transfer between host and device is a latency and the bytes at the rate of a PCIe 3.0 link of 16
 * lanes as programs see it; within the device it is a latency and twice the bytes (once for a set) at the peak rate of
 * its memory. Host to host costs the device nothing. */
#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/op.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/stream.h"

#define PS_PER_S          1000000000000ull
#define LINK_LATENCY_PS   8000000ull /* 8 us */
#define LINK_BYTES_PER_S  12000000000ull
#define DEVICE_LATENCY_PS 2000000ull /* 2 us */

static uint64_t time_of(uint64_t bytes, uint64_t rate, uint64_t latency) {
    return latency + (uint64_t)((double)bytes * (double)PS_PER_S / (double)rate);
}

/* Bytes a second; the memory's clock is that of its data. */
static uint64_t memory_rate(const struct cu_process *p) {
    uint64_t rate = p->machine.memory_hz / 8 * (uint64_t)p->machine.bus_bits;
    return rate ? rate : LINK_BYTES_PER_S;
}

/* NULL: device memory. Managed and page-locked memory is the host's. */
static void *host_side(struct cu_process *p, uint64_t addr) {
    struct cu_alloc *a = cu_alloc_find(p, addr);
    if (!a) return (void *)(uintptr_t)addr;
    return a->host ? (char *)a->host + (addr - a->addr) : NULL;
}

int cu_check_range(struct cu_process *p, uint64_t addr, uint64_t bytes, int device) {
    struct cu_alloc *a = cu_alloc_find(p, addr);
    if (!bytes) return CU_Success;
    if (!addr || addr + bytes < addr) return CU_InvalidValue;
    if (!a) return device == 1 ? CU_InvalidValue : CU_Success;
    if (!a->host && device == 0) return CU_InvalidValue;
    return bytes <= a->addr + a->bytes - addr ? CU_Success : CU_InvalidValue;
}

static int check_direction(struct cu_process *p, const struct cu_copy_op *c, int direction,
                           uint64_t dst_bytes, uint64_t src_bytes) {
    static const signed char sides[][2] = {
        {0, 0}, {1, 0}, {0, 1}, {1, 1}, {-1, -1}}; /* destination, source */
    if (direction < CU_HOST_TO_HOST || direction > CU_DEFAULT) return CU_InvalidMemcpyDirection;
    int code = cu_check_range(p, c->dst, dst_bytes, sides[direction][0]);
    return code ? code : cu_check_range(p, c->src, src_bytes, sides[direction][1]);
}

int cu_check_copy(struct cu_process *p, const struct cu_copy_op *c, int direction) {
    if (direction < CU_HOST_TO_HOST || direction > CU_DEFAULT) return CU_InvalidMemcpyDirection;
    if (!c->width || !c->height || !c->depth) return CU_Success;
    if (c->width > INT64_MAX || c->height > INT64_MAX || c->depth > INT64_MAX) return CU_InvalidValue;
    uint64_t dst = (c->depth - 1) * c->dst_slice + (c->height - 1) * c->dst_pitch + c->width;
    uint64_t src = (c->depth - 1) * c->src_slice + (c->height - 1) * c->src_pitch + c->width;
    return check_direction(p, c, direction, dst, src);
}

/* One row; which sides are the host's is known. */
static int copy_bytes(struct cu_process *p, void *dst_host, uint64_t dst, const void *src_host, uint64_t src,
                      uint64_t n) {
    if (dst_host && src_host) {
        memmove(dst_host, src_host, (size_t)n);
        return CU_Success;
    }
    if (dst_host) return cu_status(hd_copy_out(p->dev, dst_host, src, n));
    if (src_host) return cu_status(hd_copy_in(p->dev, dst, src_host, n));
    return cu_status(hd_copy(p->dev, dst, src, n));
}

int cu_copy_run(struct cu_process *p, const struct cu_copy_op *c, uint64_t *time) {
    int code = CU_Success;
    *time = 0;
    if (!c->width || !c->height || !c->depth) return code;
    char *dst = host_side(p, c->dst), *src = host_side(p, c->src);
    for (uint64_t z = 0; z < c->depth && !code; z++)
        for (uint64_t y = 0; y < c->height && !code; y++) {
            uint64_t to = z * c->dst_slice + y * c->dst_pitch, from = z * c->src_slice + y * c->src_pitch;
            code = copy_bytes(p, dst ? dst + to : NULL, c->dst + to, src ? src + from : NULL, c->src + from,
                              c->width);
        }
    uint64_t bytes = c->width * c->height * c->depth;
    if (!dst && !src)
        *time = time_of(2 * bytes, memory_rate(p), DEVICE_LATENCY_PS);
    else if (!dst || !src)
        *time = time_of(bytes, LINK_BYTES_PER_S, LINK_LATENCY_PS);
    return code;
}

/* A row of elements of two or four bytes goes in pieces of a pattern. */
static int set_row(struct cu_process *p, uint64_t dst, char *host, const struct cu_set_op *s) {
    enum { PIECE = 4096 };
    uint64_t bytes = s->width * s->element;
    if (host && s->element == 1) memset(host, (int)(s->value & 255), (size_t)bytes);
    if (s->element == 1) return host ? CU_Success : cu_status(hd_set(p->dev, dst, (uint8_t)s->value, bytes));
    char pattern[PIECE];
    for (size_t i = 0; i < PIECE; i += s->element) memcpy(pattern + i, &s->value, s->element);
    int code = CU_Success;
    for (uint64_t at = 0; at < bytes && !code; at += PIECE)
        code = copy_bytes(p, host ? host + at : NULL, dst + at, pattern, 0,
                          bytes - at < PIECE ? bytes - at : PIECE);
    return code;
}

int cu_set_run(struct cu_process *p, const struct cu_set_op *s, uint64_t *time) {
    char *host = host_side(p, s->dst);
    int code = CU_Success;
    *time = time_of(s->width * s->element * s->height * s->depth, memory_rate(p), DEVICE_LATENCY_PS);
    for (uint64_t z = 0; z < s->depth && !code; z++)
        for (uint64_t y = 0; y < s->height && !code; y++) {
            uint64_t at = z * s->slice + y * s->pitch;
            code = set_row(p, s->dst + at, host ? host + at : NULL, s);
        }
    return code;
}

int cu_copy_row(struct cu_process *p, struct CUstream_st *s, void *dst, const void *src, uint64_t bytes,
                int direction) {
    struct cu_op op = {.kind = CU_OP_COPY,
                       .u.copy = {.dst = (uint64_t)(uintptr_t)dst,
                                  .src = (uint64_t)(uintptr_t)src,
                                  .width = bytes,
                                  .height = 1,
                                  .depth = 1}};
    int code = cu_check_copy(p, &op.u.copy, direction);
    return code || !bytes ? code : cu_submit(p, s, &op);
}

int cu_set_row(struct cu_process *p, struct CUstream_st *s, uint64_t dst, uint32_t value, uint32_t element,
               uint64_t count) {
    struct cu_op op = {
        .kind = CU_OP_SET,
        .u.set = {.dst = dst, .value = value, .element = element, .width = count, .height = 1, .depth = 1}};
    if (count > INT64_MAX / 4) return CU_InvalidValue;
    int code = cu_check_range(p, dst, count * element, 1);
    return code || !count ? code : cu_submit(p, s, &op);
}

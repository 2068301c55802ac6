/* Fat binaries. The layout, by observation of what nvcc 11 to 13 and clang write:
 *
 *   container  u32 magic, u16 version 1, u16 header size 16, u64 size of the entries
 *   entry      +0 u16 kind (1 PTX, 2 ELF)  +4 u32 size of this header  +8 u64 stored size, padded  +16 u32 compressed size
 *              +28 u32 architecture  +40 u64 flags (0x2000 LZ4 block, 0x8000 zstd frame)  +56 u64 size when unpacked
 *
 * Nothing that is read is believed: every size is checked against what is left of the container, and what a size says
 * of unpacked data against what unpacking gives. */
#include "runtime/module/fatbin.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "runtime/runtime/error.h"

enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64, KIND_PTX = 1, KIND_ELF = 2 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
/* No text is larger: it keeps a damaged size from taking all memory. */
#define TEXT_LIMIT ((uint64_t)256 << 20)

struct entry {
    unsigned kind;
    uint32_t arch, compressed;
    uint64_t flags, unpacked, stored;
    const uint8_t *payload;
};

struct walk {
    const uint8_t *at;
    uint64_t left;
};

static uint64_t read_le(const uint8_t *p, size_t bytes) {
    uint64_t v = 0;
    for (size_t i = bytes; i--;) v = v << 8 | p[i];
    return v;
}

static int fatbin_start(struct walk *w, const void *image, size_t bytes) {
    const uint8_t *p = image;
    if (bytes < CONTAINER_HEADER || read_le(p, 4) != CU_FATBIN_MAGIC) return CU_InvalidKernelImage;
    uint64_t header = read_le(p + 6, 2), size = read_le(p + 8, 8);
    if (header < CONTAINER_HEADER || header > bytes || size > bytes - header) return CU_InvalidKernelImage;
    *w = (struct walk){p + header, size};
    return CU_Success;
}

/* 1: an entry; 0: no more; -1: damaged. */
static int fatbin_step(struct walk *w, struct entry *e) {
    if (!w->left) return 0;
    if (w->left < ENTRY_HEADER) return -1;
    uint64_t header = read_le(w->at + 4, 4), stored = read_le(w->at + 8, 8);
    if (header < ENTRY_HEADER || header > w->left || stored > w->left - header) return -1;
    *e = (struct entry){.kind = (unsigned)read_le(w->at, 2),
                        .arch = (uint32_t)read_le(w->at + 28, 4),
                        .compressed = (uint32_t)read_le(w->at + 16, 4),
                        .flags = read_le(w->at + 40, 8),
                        .unpacked = read_le(w->at + 56, 8),
                        .stored = stored,
                        .payload = w->at + header};
    w->at += header + stored;
    w->left -= header + stored;
    return 1;
}

/* Whether architecture a suits a machine better than b. */
static int fatbin_better(uint32_t a, uint32_t b, uint32_t capability) {
    if ((a <= capability) != (b <= capability)) return a <= capability;
    return a <= capability ? a > b : a < b;
}

static int fatbin_unpack(const struct entry *e, char *text, uint64_t bytes) {
    if (e->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(text, (size_t)bytes, e->payload, e->compressed);
        return ZSTD_isError(n) || n != bytes ? CU_InvalidKernelImage : CU_Success;
    }
    int n = LZ4_decompress_safe((const char *)e->payload, text, (int)e->compressed, (int)bytes);
    return n < 0 || (uint64_t)n != bytes ? CU_InvalidKernelImage : CU_Success;
}

static int fatbin_take(const struct entry *e, struct cu_ptx *ptx) {
    int packed = (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
    uint64_t bytes = packed ? e->unpacked : e->stored;
    if (bytes > TEXT_LIMIT || (packed && (e->compressed > e->stored || e->compressed > INT32_MAX)))
        return CU_InvalidKernelImage;
    char *text = malloc((size_t)bytes + 1);
    if (!text) return CU_MemoryAllocation;
    int code = CU_Success;
    if (packed)
        code = fatbin_unpack(e, text, bytes);
    else if (bytes)
        memcpy(text, e->payload, (size_t)bytes);
    if (code) {
        free(text);
        return code;
    }
    text[bytes] = 0;
    *ptx = (struct cu_ptx){text, strlen(text), e->arch};
    return CU_Success;
}

int cu_fatbin_ptx(const void *image, size_t bytes, uint32_t capability, struct cu_ptx *ptx) {
    struct walk w;
    struct entry e, best = {0};
    int more, code = fatbin_start(&w, image, bytes);
    if (code) return code;
    while ((more = fatbin_step(&w, &e)) > 0)
        if (e.kind == KIND_PTX && (!best.payload || fatbin_better(e.arch, best.arch, capability))) best = e;
    if (more < 0) return CU_InvalidKernelImage;
    return best.payload ? fatbin_take(&best, ptx) : CU_NoKernelImageForDevice;
}

int cu_fatbin_has_code(const void *image, size_t bytes) {
    struct walk w;
    struct entry e;
    if (fatbin_start(&w, image, bytes)) return 0;
    while (fatbin_step(&w, &e) > 0)
        if (e.kind == KIND_ELF) return 1;
    return 0;
}

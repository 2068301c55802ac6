/* Images of all kinds, told apart by their first bytes. Every reader below gets a length that it may believe: that of the file
 * or of the data that the program named, or how much can be read at that address before the process has nothing mapped.
 * So a damaged image ends in a code, whatever its headers say. */
#include "runtime/module/image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime/error.h"

/* ---- what can be read ---- */

/* How many bytes can be read there. Mappings that touch count as one. A process without /proc is not told: CU_UNSIZED. */
static size_t cu_image_readable(const void *at) {
    FILE *f = fopen("/proc/self/maps", "re");
    if (!f) return CU_UNSIZED;
    uintptr_t start, end, bound = (uintptr_t)at;
    char mode, line[512];
    int fresh = 1; /* `line` is the beginning of one */
    while (fgets(line, sizeof line, f)) {
        const int whole = strchr(line, '\n') != NULL;
        if (fresh && sscanf(line, "%zx-%zx %c", &start, &end, &mode) == 3 && end > bound) {
            if (start > bound || mode != 'r') break;
            bound = end;
        }
        fresh = whole;
    }
    fclose(f);
    return bound - (uintptr_t)at;
}

/* ---- texts ---- */

void cu_texts_free(struct cu_texts *t) {
    for (size_t i = 0; i < t->count; i++) free(t->list[i].text);
    free(t->list);
    *t = (struct cu_texts){NULL, 0};
}

static int cu_image_add_text(struct cu_texts *t, struct cu_ptx ptx) {
    struct cu_ptx *grown = realloc(t->list, (t->count + 1) * sizeof *grown);
    if (!grown) {
        free(ptx.text);
        return CU_MemoryAllocation;
    }
    t->list = grown;
    t->list[t->count++] = ptx;
    return CU_Success;
}

/* A text ends at its NUL or with the image. */
static int copy_text(struct cu_texts *t, const char *text, size_t bytes) {
    size_t n = strnlen(text, bytes);
    char *copy = malloc(n + 1);
    if (!copy) return CU_MemoryAllocation;
    memcpy(copy, text, n);
    copy[n] = 0;
    if (!strstr(copy, ".version")) { /* nothing that was ever PTX */
        free(copy);
        return CU_InvalidKernelImage;
    }
    return cu_image_add_text(t, (struct cu_ptx){copy, n, 0});
}

/* ---- fat binaries and their wrappers ---- */

static int add_fatbin(struct cu_texts *t, const void *image, size_t bytes, uint32_t capability) {
    struct cu_ptx ptx;
    int code = cu_fatbin_ptx(image, bytes, capability, &ptx);
    return code ? code : cu_image_add_text(t, ptx);
}

/* A fat binary at a pointer of a wrapper's, or in a wrapper of its own there. */
static int add_pointed(struct cu_texts *t, const void *image, uint32_t capability) {
    struct cu_wrapper w = {0};
    size_t bytes = cu_image_readable(image);
    if (bytes >= sizeof w) memcpy(&w, image, sizeof w);
    if (w.magic != CU_WRAPPER_MAGIC) return add_fatbin(t, image, bytes, capability);
    return add_fatbin(t, w.data, cu_image_readable(w.data), capability);
}

/* A wrapper of version 2 lists the binaries that were linked; its own holds machine code only. */
static int add_wrapper(struct cu_texts *t, const void *image, size_t bytes, uint32_t capability) {
    struct cu_wrapper w;
    if (bytes < sizeof w) return CU_InvalidKernelImage;
    memcpy(&w, image, sizeof w);
    int code = CU_Success;
    const void *each = NULL;
    size_t n = 0, most = w.version < 2 || !w.linked ? 0 : cu_image_readable(w.linked) / sizeof each;
    for (; !code && n < most; n++) {
        memcpy(&each, w.linked + n, sizeof each);
        if (!each) break;
        code = add_pointed(t, each, capability);
    }
    if (n && !code && each) code = CU_InvalidKernelImage; /* the list has no end */
    return n ? code : add_fatbin(t, w.data, cu_image_readable(w.data), capability);
}

/* ---- linked images ---- */

/* What cuLinkComplete makes is several texts in a row. LINKED and the size of all are first; then there is for each its length
 * and itself with a NUL. */
#define LINKED "\177PTXs\n"
enum { LINKED_HEADER = sizeof LINKED + sizeof(uint64_t) };

char *cu_texts_pack(const struct cu_texts *t, size_t *bytes) {
    uint64_t total = LINKED_HEADER;
    for (size_t i = 0; i < t->count; i++) total += sizeof(uint64_t) + t->list[i].bytes + 1;
    char *packed = calloc(1, (size_t)total), *at = packed;
    if (!packed) return NULL;
    at = (char *)memcpy(at, LINKED, sizeof LINKED) + sizeof LINKED;
    at = (char *)memcpy(at, &total, sizeof total) + sizeof total;
    for (size_t i = 0; i < t->count; i++) {
        uint64_t n = t->list[i].bytes;
        at = (char *)memcpy(at, &n, sizeof n) + sizeof n;
        at = (char *)memcpy(at, t->list[i].text, (size_t)n) + n + 1;
    }
    *bytes = (size_t)total;
    return packed;
}

static int add_linked(struct cu_texts *t, const char *at, size_t bytes) {
    uint64_t total, n;
    int code = CU_Success;
    if (bytes < LINKED_HEADER) return CU_InvalidKernelImage;
    memcpy(&total, at + sizeof LINKED, sizeof total);
    if (total < LINKED_HEADER + sizeof n || total > bytes) return CU_InvalidKernelImage;
    at += LINKED_HEADER;
    for (uint64_t left = total - LINKED_HEADER; left && !code; left -= n + 1, at += n + 1) {
        if (left < sizeof n) return CU_InvalidKernelImage;
        memcpy(&n, at, sizeof n);
        at += sizeof n;
        left -= sizeof n;
        if (n >= left || at[n]) return CU_InvalidKernelImage;
        code = copy_text(t, at, (size_t)n);
    }
    return code;
}

/* ---- all of them ---- */

/* Whether an image begins so. A byte is read only when those before it fit: a text may be shorter. */
static int cu_image_begins(const void *image, size_t bytes, const void *magic, size_t n) {
    const unsigned char *a = image, *b = magic;
    for (size_t i = 0; i < n; i++)
        if (i >= bytes || a[i] != b[i]) return 0;
    return 1;
}

int cu_image_texts(const void *image, size_t bytes, uint32_t capability, struct cu_texts *t) {
    static const uint32_t wrapper = CU_WRAPPER_MAGIC, fatbin = CU_FATBIN_MAGIC;
    if (!image) return CU_InvalidValue;
    const int in_memory = bytes == CU_UNSIZED;
    if (in_memory) bytes = cu_image_readable(image);
    if (cu_image_begins(image, bytes, &wrapper, sizeof wrapper))
        return in_memory ? add_wrapper(t, image, bytes, capability) : CU_InvalidKernelImage;
    if (cu_image_begins(image, bytes, &fatbin, sizeof fatbin)) return add_fatbin(t, image, bytes, capability);
    if (cu_image_begins(image, bytes, ELFMAG, SELFMAG))
        return bytes < sizeof(Elf64_Ehdr) ? CU_InvalidKernelImage : CU_NoKernelImageForDevice;
    if (cu_image_begins(image, bytes, LINKED, sizeof LINKED)) return add_linked(t, image, bytes);
    return copy_text(t, image, bytes);
}

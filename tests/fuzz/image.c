/* Fuzzes images of kernels. Any bytes give texts that end where they say, or a code that programs know: as a file, of which just
 * so many bytes are in memory, and as an image in memory without a length, behind which nothing can be read.
 *
 * A fat binary's texts are compressed, and damage rarely gets behind that. So bytes that begin with 'E' describe one instead:
 * for each entry a byte how it is compressed, its kind, its architecture, changes of three sizes of its header, the length
 * of its text, and the text. The text must come out as it went in when no size was changed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "runtime/module/image.h"
#include "runtime/runtime/error.h"
#include "tests/unit/runtime/fatbins.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 17, PAGE = 4096, CAPABILITY = 75 };

/* How many texts there are, -1: none, and a code why. */
static int read_image(const void *image, size_t bytes, struct cu_texts *t) {
    const int code = cu_image_texts(image, bytes, CAPABILITY, t);
    for (size_t i = 0; i < t->count; i++) CHECK(strlen(t->list[i].text) == t->list[i].bytes);
    CHECK(!code || code == CU_InvalidKernelImage || code == CU_NoKernelImageForDevice);
    CHECK(code || t->count);
    return code ? -1 : (int)t->count;
}

static int as_file(const uint8_t *data, size_t size, struct cu_texts *t) {
    uint8_t *copy = malloc(size ? size : 1); /* exactly that size, so that reading past it is seen */
    CHECK(copy);
    memcpy(copy, data, size);
    const int n = read_image(copy, size, t);
    (void)cu_fatbin_has_code(copy, size);
    free(copy);
    return n;
}

static int as_memory(const uint8_t *data, size_t size, struct cu_texts *t) {
    uint8_t *base = mmap(NULL, MOST + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(base != MAP_FAILED && !mprotect(base + MOST, PAGE, PROT_NONE));
    memcpy(base + MOST - size, data, size);
    const int n = read_image(base + MOST - size, CU_UNSIZED, t);
    munmap(base, MOST + PAGE);
    return n;
}

/* A wrapper's pointers are the program's: those of an input mean nothing here. */
static int is_wrapper(const uint8_t *data, size_t size) {
    const uint32_t magic = CU_WRAPPER_MAGIC;
    return size >= sizeof magic && !memcmp(data, &magic, sizeof magic);
}

/* ---- fat binaries that are described ---- */

struct description {
    uint8_t how, kind, arch, header, stored, unpacked, low, high; /* high, low: the length of the text */
};

static size_t describe(struct fatbin_image *im, const uint8_t *data, size_t size, const char **only) {
    static const int hows[] = {PLAIN, LZ4, ZSTD};
    struct description d;
    size_t entries = 0;
    begin(im);
    while (size >= sizeof d) {
        memcpy(&d, data, sizeof d);
        data += sizeof d, size -= sizeof d;
        size_t n = (size_t)d.high << 8 | d.low;
        if (n > size) n = size;
        const size_t room = sizeof im->bytes - im->n;
        if (room < 2 * n + 512) break;
        uint8_t *at = im->bytes + im->n;
        char *text = strndup((const char *)data, n);
        CHECK(text);
        add(im, d.kind % 3, d.arch, hows[d.how % 3], 64, text);
        put(at + 4, 64u + d.header, 4);
        put(at + 8, im->n - (size_t)(at - im->bytes) - 64 + (size_t)(int8_t)d.stored, 8);
        if (d.how % 3) put(at + 56, strlen(text) + 1 + (size_t)(int8_t)d.unpacked, 8);
        const int whole = d.kind % 3 == PTX && !d.header && !d.stored && !d.unpacked && !entries;
        free((void *)(uintptr_t)*only);
        *only = whole ? text : NULL;
        if (!whole) free(text);
        entries++;
        data += n, size -= n;
    }
    return entries;
}

static void as_description(const uint8_t *data, size_t size) {
    struct fatbin_image *im = malloc(sizeof *im);
    struct cu_texts t = {0};
    const char *only = NULL;
    CHECK(im);
    describe(im, data, size, &only);
    const int n = as_file(im->bytes, im->n, &t);
    if (only) CHECK(n == 1 && !strcmp(t.list[0].text, only));
    free((void *)(uintptr_t)only);
    cu_texts_free(&t);
    free(im);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cu_texts file = {0}, memory = {0};
    if (size > MOST) return 0;
    if (size && *data == 'E') as_description(data + 1, size - 1);
    const int n = as_file(data, size, &file);
    if (!is_wrapper(data, size)) CHECK(as_memory(data, size, &memory) == n);
    cu_texts_free(&file);
    cu_texts_free(&memory);
    return 0;
}

/* A fat binary with one PTX text, as nvcc's: a header of 16 bytes, then for each text or binary a header of 64 bytes and the thing
 * itself. heddle's own runtime and NVIDIA's driver both read it. And the assembly text of relocatable device code. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "sim/file.h"
#include "toolchain/nvcc.h"

struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* bytes of all that follows */
};
struct fatbin_entry {
    uint16_t kind, unknown;
    uint32_t header_bytes;
    uint64_t bytes; /* padded */
    uint32_t compressed_bytes, options_at;
    uint16_t minor, major;
    uint32_t arch, name_at, name_bytes;
    uint64_t flags, zero, uncompressed_bytes;
};
_Static_assert(sizeof(struct fatbin_header) == 16 && sizeof(struct fatbin_entry) == 64,
               "layout of fat binaries");

enum {
    FATBIN_MAGIC = (int)0xBA55ED50,
    FATBIN_PTX = 1,
    FATBIN_64_BIT_LINUX = 0x11,
    FATBIN_PADDING = 8 /* the text ends with at least one 0 */
};

bool nvcc_write(const char *path, const struct sb *text, struct err *e) {
    FILE *f = fopen(path, "wb");
    bool fine = f && fwrite(text->text, 1, text->len, f) == text->len;
    if (f && fclose(f)) fine = false;
    return fine || err_set(e, ERR_INPUT, "cannot write %s: %s", path, strerror(errno));
}

bool nvcc_wrap(const char *ptx, const char *fatbin, unsigned target, struct err *e) {
    struct sb text = {0}, out = {0};
    bool fine = file_read(ptx, &text, e);
    if (fine) {
        const size_t padded = (text.len / FATBIN_PADDING + 1) * FATBIN_PADDING;
        const struct fatbin_entry entry = {.kind = FATBIN_PTX,
                                           .unknown = 0x101,
                                           .header_bytes = sizeof entry,
                                           .bytes = padded,
                                           .major = 8,
                                           .arch = target,
                                           .flags = FATBIN_64_BIT_LINUX};
        const struct fatbin_header header = {(uint32_t)FATBIN_MAGIC, 1, sizeof header, sizeof entry + padded};
        static const char zeros[FATBIN_PADDING];
        sb_addn(&out, (const char *)&header, sizeof header);
        sb_addn(&out, (const char *)&entry, sizeof entry);
        sb_addn(&out, text.text, text.len);
        sb_addn(&out, zeros, padded - text.len);
        fine = nvcc_write(fatbin, &out, e);
    }
    sb_free(&text);
    sb_free(&out);
    return fine;
}

/* clang lets every object call a function of a name of its own, which nvcc's device linker would write, and gives the fat binary a
 * name from its file's for that linker: files of the same name would collide. */
bool nvcc_unify_registration(const char *assembly, struct err *e) {
    static const char call[] = "__cudaRegisterLinkedBinary__nv_", name[] = "\t.globl\t__fatbinwrap__nv_";
    struct sb text = {0}, out = {0};
    bool fine = file_read(assembly, &text, e);
    for (const char *p = fine ? text.text : ""; *p;) {
        const char *at = strstr(p, call), *global = strstr(p, name),
                   *next = global && (!at || global < at) ? global : at;
        sb_addn(&out, p, next ? (size_t)(next - p) : strlen(p));
        if (!next) break;
        if (next == at) sb_add(&out, "__heddle_register_linked");
        p = next == at ? at + strlen(call) + strspn(at + strlen(call), "0123456789abcdef")
                       : next + strcspn(next, "\n");
    }
    fine = fine && nvcc_write(assembly, &out, e);
    sb_free(&text);
    sb_free(&out);
    return fine;
}

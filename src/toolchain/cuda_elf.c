/* A reader of ELF files of 64 bits that trusts nothing in them: every offset is checked against the file. GPU code is
 * found by the magic number of a fat binary anywhere in the file, so that stripped files and those without sections are
 * read too. */
#include "toolchain/cuda_elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *at(const struct elf *f, uint64_t offset, uint64_t bytes) {
    return offset <= f->bytes && bytes <= f->bytes - offset ? f->data + offset : NULL;
}

/* A string that ends within the file. */
static const char *string_at(const struct elf *f, uint64_t offset) {
    const char *text = at(f, offset, 1);
    return text && memchr(text, 0, f->bytes - offset) ? text : NULL;
}

static const Elf64_Phdr *segment(const struct elf *f, size_t i, Elf64_Phdr *out) {
    Elf64_Ehdr head;
    memcpy(&head, f->data, sizeof head);
    if (i >= head.e_phnum || head.e_phentsize != sizeof *out) return NULL;
    const void *p = at(f, head.e_phoff + i * sizeof *out, sizeof *out);
    return p ? memcpy(out, p, sizeof *out) : NULL;
}

/* Where in the file the byte of that address is; UINT64_MAX: nowhere. */
static uint64_t file_offset(const struct elf *f, uint64_t address) {
    Elf64_Phdr p;
    for (size_t i = 0; segment(f, i, &p); i++)
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
            return address - p.p_vaddr + p.p_offset;
    return UINT64_MAX;
}

static uint64_t string_table(const struct elf *f, const Elf64_Phdr *dynamic) {
    Elf64_Dyn d;
    const void *p;
    for (uint64_t o = 0; o + sizeof d <= dynamic->p_filesz; o += sizeof d) {
        if (!(p = at(f, dynamic->p_offset + o, sizeof d))) break;
        memcpy(&d, p, sizeof d);
        if (d.d_tag == DT_STRTAB) return file_offset(f, d.d_un.d_ptr);
    }
    return UINT64_MAX;
}

static void read_dynamic(struct elf *f, const Elf64_Phdr *dynamic) {
    const uint64_t strings = string_table(f, dynamic);
    Elf64_Dyn d;
    const void *p;
    for (uint64_t o = 0; strings != UINT64_MAX && o + sizeof d <= dynamic->p_filesz; o += sizeof d) {
        if (!(p = at(f, dynamic->p_offset + o, sizeof d))) break;
        memcpy(&d, p, sizeof d);
        if (d.d_tag == DT_NULL) break;
        if (d.d_tag != DT_NEEDED && d.d_tag != DT_RPATH && d.d_tag != DT_RUNPATH) continue;
        const char *text = d.d_un.d_val < f->bytes ? string_at(f, strings + d.d_un.d_val) : NULL;
        if (!text) continue;
        if (d.d_tag == DT_NEEDED)
            VEC_PUSH(&f->needed, text);
        else
            *(d.d_tag == DT_RPATH ? &f->rpath : &f->runpath) = text;
    }
}

static bool read_header(struct elf *f) {
    Elf64_Ehdr head;
    Elf64_Phdr p;
    if (f->bytes < sizeof head) return false;
    memcpy(&head, f->data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    f->type = head.e_type;
    f->machine = head.e_machine;
    for (size_t i = 0; segment(f, i, &p); i++) {
        if (p.p_type == PT_INTERP) f->loader = true;
        if (p.p_type != PT_DYNAMIC || f->dynamic) continue; /* there is one, whatever the file says */
        f->dynamic = true;
        read_dynamic(f, &p);
    }
    return true;
}

bool elf_read(struct elf *f, const char *path, const void *data, size_t bytes) {
    *f = (struct elf){.path = path, .data = data, .bytes = bytes};
    return read_header(f);
}

/* What it names may be anything: opening a pipe must not wait for who writes to it. */
bool elf_open(struct elf *f, const char *path) {
    struct stat s;
    *f = (struct elf){.path = path};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > 0) {
        void *map = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            f->data = f->map = map;
            f->bytes = (size_t)s.st_size;
        }
    }
    close(fd);
    return f->data && read_header(f);
}

void elf_close(struct elf *f) {
    if (f->map) munmap(f->map, f->bytes);
    VEC_FREE(&f->needed);
    *f = (struct elf){0};
}

/* ---- GPU code ---- */

struct image {
    uint16_t kind, version;
    uint32_t header;
    uint64_t bytes;
};

/* The images of a fat binary; gives how many of its bytes they are. */
static uint64_t read_images(const struct elf *f, uint64_t from, uint64_t bytes, struct elf_gpu *gpu) {
    enum { PTX = 1, SASS = 2, ARCH = 28, SMALLEST = 64, LARGEST = 4096 };
    struct image image;
    uint64_t o = 0;
    for (; bytes - o >= SMALLEST; o += image.header + image.bytes) {
        const unsigned char *p = at(f, from + o, SMALLEST);
        if (!p) break;
        memcpy(&image, p, sizeof image);
        if (image.header < SMALLEST || image.header > LARGEST || image.header > bytes - o ||
            image.bytes > bytes - o - image.header)
            break;
        uint32_t arch;
        memcpy(&arch, p + ARCH, sizeof arch);
        gpu->ptx += image.kind == PTX;
        gpu->sass += image.kind == SASS;
        if (arch > gpu->arch && arch < 1000) gpu->arch = arch;
    }
    return o;
}

/* A fat binary begins with its magic number, version 1, the 16 bytes of its header and the size of what follows. The next is
 * looked for behind its images: a file of nothing but beginnings is read once. */
void elf_gpu(const struct elf *f, struct elf_gpu *gpu) {
    static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    *gpu = (struct elf_gpu){0};
    const unsigned char *p = f->data, *end = f->data + f->bytes;
    while ((p = memmem(p, (size_t)(end - p), magic, sizeof magic))) {
        const uint64_t offset = (uint64_t)(p - f->data);
        uint64_t bytes;
        p += sizeof magic;
        if (end - p < 8) return;
        memcpy(&bytes, p, sizeof bytes);
        if (at(f, offset + 16, bytes)) p += 8 + read_images(f, offset + 16, bytes, gpu);
    }
}

bool elf_static_runtime(const struct elf *f) {
    static const char words[] = "no CUDA-capable device is detected"; /* what cudaGetErrorString says */
    return memmem(f->data, f->bytes, words, sizeof words) && !elf_needs(f, "libcudart.so");
}

/* ---- libraries ---- */

bool elf_needs(const struct elf *f, const char *prefix) {
    for (size_t i = 0; i < f->needed.n; i++)
        if (!strncmp(f->needed.v[i], prefix, strlen(prefix))) return true;
    return false;
}

/* One directory of a list, $ORIGIN being that of the file. */
static const char *in_directory(const struct elf *f, const char *dir, size_t n, const char *name,
                                struct arena *mem) {
    struct sb path = {0};
    const char *slash = strrchr(f->path, '/');
    const size_t skip = n >= 7 && !strncmp(dir, "$ORIGIN", 7)     ? 7
                        : n >= 9 && !strncmp(dir, "${ORIGIN}", 9) ? 9
                                                                  : 0;
    if (skip && slash)
        sb_addn(&path, f->path, (size_t)(slash - f->path));
    else if (skip)
        sb_add(&path, ".");
    sb_addn(&path, dir + skip, n - skip);
    sb_add(&path, "/%s", name);
    const char *found = sb_keep(&path, mem);
    return access(found, R_OK) ? NULL : found;
}

static const char *in_list(const struct elf *f, const char *list, const char *name, struct arena *mem) {
    while (list && *list) {
        const size_t n = strcspn(list, ":;");
        const char *found = n ? in_directory(f, list, n, name, mem) : NULL;
        if (found) return found;
        list += n + (list[n] != 0);
    }
    return NULL;
}

const char *elf_library(const struct elf *f, const char *name, struct arena *mem) {
    const char *found = strchr(name, '/') ? (access(name, R_OK) ? NULL : name) : NULL;
    if (!found && !f->runpath) found = in_list(f, f->rpath, name, mem);
    if (!found) found = in_list(f, getenv("LD_LIBRARY_PATH"), name, mem);
    if (!found) found = in_list(f, f->runpath, name, mem);
    return found
               ? found
               : in_list(f,
                         "/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                         "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib",
                         name, mem);
}

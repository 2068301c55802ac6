/* The reader of ELF files: what lies where in memory comes from the program headers, names from the symbol table, and lines
 * from sections; a stripped file has only the first. */
#include "front/riscv/elf.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Debian 12's elf.h has them all; those of other systems may not. */
#ifndef EM_RISCV
#define EM_RISCV 243
#endif
enum { FLAG_RVE = 8 };
/* Memory that a program may be given besides: sizes in a file are not believed beyond this. */
#define MOST_BYTES (UINT64_C(1) << 36)

static const void *elf_within(const struct rv_elf *f, uint64_t offset, uint64_t n) {
    return offset <= f->bytes && n <= f->bytes - offset ? f->data + offset : NULL;
}

static const char *string_at(const struct rv_elf *f, const Elf64_Shdr *table, uint64_t offset) {
    if (offset >= table->sh_size || !elf_within(f, table->sh_offset, table->sh_size)) return "";
    const char *text = (const char *)f->data + table->sh_offset + offset;
    return memchr(text, 0, table->sh_size - offset) ? text : "";
}

bool rv_elf_is(const void *data, size_t n) {
    Elf64_Ehdr h;
    if (n < sizeof h) return false;
    memcpy(&h, data, sizeof h);
    return !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_machine == EM_RISCV;
}

/* ---- segments ---- */

static bool elf_add_segment(struct rv_elf *f, const char *name, const Elf64_Phdr *p, struct err *e) {
    if (!elf_within(f, p->p_offset, p->p_filesz) || p->p_filesz > p->p_memsz)
        return err_set(e, ERR_INPUT, "%s: error: the segment at 0x%" PRIx64 " goes beyond the file", name,
                       (uint64_t)p->p_vaddr);
    if (p->p_memsz > MOST_BYTES || p->p_vaddr > MOST_BYTES)
        return err_set(e, ERR_INPUT, "%s: error: the segment at 0x%" PRIx64 " has %" PRIu64 " bytes", name,
                       (uint64_t)p->p_vaddr, (uint64_t)p->p_memsz);
    if (f->segments.n &&
        p->p_vaddr < f->segments.v[f->segments.n - 1].address + f->segments.v[f->segments.n - 1].bytes)
        return err_set(e, ERR_INPUT, "%s: error: segments overlap, or are not in order, at 0x%" PRIx64, name,
                       (uint64_t)p->p_vaddr);
    VEC_PUSH(&f->segments, (struct rv_segment){.address = p->p_vaddr,
                                               .bytes = p->p_memsz,
                                               .data = f->data + p->p_offset,
                                               .filled = p->p_filesz,
                                               .code = p->p_flags & PF_X,
                                               .writable = p->p_flags & PF_W});
    return true;
}

static bool read_segments(struct rv_elf *f, const char *name, const Elf64_Ehdr *h, struct err *e) {
    if (h->e_phentsize != sizeof(Elf64_Phdr) ||
        !elf_within(f, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr)))
        return err_set(e, ERR_INPUT, "%s: error: its program headers are not in the file", name);
    for (uint32_t k = 0; k < h->e_phnum; k++) {
        Elf64_Phdr p;
        memcpy(&p, f->data + h->e_phoff + k * sizeof p, sizeof p);
        if (p.p_type == PT_INTERP || p.p_type == PT_DYNAMIC)
            return err_set(
                e, ERR_INPUT,
                "%s: error: it is linked to shared libraries, or to be moved; link it with -static", name);
        if (p.p_type != PT_LOAD || !p.p_memsz) continue;
        if (!elf_add_segment(f, name, &p, e)) return false;
        if (h->e_phoff >= p.p_offset && h->e_phoff - p.p_offset < p.p_filesz)
            f->headers = p.p_vaddr + (h->e_phoff - p.p_offset);
    }
    f->nheaders = h->e_phnum;
    return f->segments.n || err_set(e, ERR_INPUT, "%s: error: there is nothing to load in it", name);
}

/* ---- symbols and sections ---- */

static int by_address(const void *a, const void *b) {
    const struct rv_symbol *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->function != y->function) return x->function ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->global != y->global) return x->global ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The linker's own name, which has no type. */
static void note_symbol(struct rv_elf *f, const Elf64_Shdr *names, const Elf64_Sym *s) {
    if (s->st_shndx != SHN_UNDEF && !strcmp(string_at(f, names, s->st_name), "__global_pointer$"))
        f->global_pointer = s->st_value;
}

static void read_symbols(struct rv_elf *f, const Elf64_Shdr *table, const Elf64_Shdr *names) {
    if (table->sh_entsize != sizeof(Elf64_Sym) || !elf_within(f, table->sh_offset, table->sh_size)) return;
    for (uint64_t k = 0; k < table->sh_size / sizeof(Elf64_Sym); k++) {
        Elf64_Sym s;
        memcpy(&s, f->data + table->sh_offset + k * sizeof s, sizeof s);
        note_symbol(f, names, &s);
        const unsigned type = ELF64_ST_TYPE(s.st_info);
        const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
        if (s.st_shndx == SHN_UNDEF || s.st_shndx >= SHN_LORESERVE || (!function && type != STT_OBJECT))
            continue;
        VEC_PUSH(&f->symbols, (struct rv_symbol){.address = s.st_value,
                                                 .bytes = s.st_size,
                                                 .name = string_at(f, names, s.st_name),
                                                 .function = function,
                                                 .global = ELF64_ST_BIND(s.st_info) != STB_LOCAL});
    }
    if (f->symbols.n) qsort(f->symbols.v, f->symbols.n, sizeof *f->symbols.v, by_address);
}

static struct rv_bytes contents(const struct rv_elf *f, const Elf64_Shdr *s) {
    const uint8_t *v = s->sh_flags & SHF_COMPRESSED ? NULL : elf_within(f, s->sh_offset, s->sh_size);
    return (struct rv_bytes){v, v ? s->sh_size : 0};
}

static bool section(const struct rv_elf *f, const Elf64_Ehdr *h, uint32_t k, Elf64_Shdr *out) {
    const void *at = k < h->e_shnum ? elf_within(f, h->e_shoff + k * sizeof *out, sizeof *out) : NULL;
    if (at) memcpy(out, at, sizeof *out);
    return at;
}

static void note_section(struct rv_elf *f, const char *name, const Elf64_Shdr *s) {
    if (!strcmp(name, ".debug_line")) f->debug_line = contents(f, s);
    if (!strcmp(name, ".debug_line_str")) f->debug_line_str = contents(f, s);
    if (!strcmp(name, ".debug_str")) f->debug_str = contents(f, s);
    if (s->sh_flags & SHF_EXECINSTR && s->sh_type == SHT_PROGBITS && rv_elf_at(f, s->sh_addr, s->sh_size))
        VEC_PUSH(&f->code, (struct rv_range){s->sh_addr, s->sh_addr + s->sh_size});
    if (strcmp(name, "spmd_text") != 0) return;
    f->kernels[0] = s->sh_addr;
    f->kernels[1] = s->sh_addr + s->sh_size;
}

static void read_sections(struct rv_elf *f, const Elf64_Ehdr *h) {
    Elf64_Shdr s, names = {0}, strings = {0};
    if (h->e_shentsize != sizeof s || h->e_shoff > f->bytes) return;
    section(f, h, h->e_shstrndx, &names);
    for (uint32_t k = 0; section(f, h, k, &s); k++) {
        if (s.sh_type == SHT_SYMTAB && !f->symbols.n && section(f, h, s.sh_link, &strings))
            read_symbols(f, &s, &strings);
        note_section(f, string_at(f, &names, s.sh_name), &s);
    }
}

static int by_start(const void *a, const void *b) {
    const struct rv_range *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Without sections, all of an executable segment may be instructions. Sections that overlap are those of a file that lies. */
static void find_code(struct rv_elf *f) {
    if (f->code.n) qsort(f->code.v, f->code.n, sizeof *f->code.v, by_start);
    for (size_t k = 1; k < f->code.n; k++)
        if (f->code.v[k].from < f->code.v[k - 1].to) f->code.n = 0;
    for (size_t k = 0; !f->code.n && k < f->segments.n; k++) {
        const struct rv_segment *s = &f->segments.v[k];
        if (s->code && s->filled) VEC_PUSH(&f->code, (struct rv_range){s->address, s->address + s->filled});
    }
}

/* ---- the file ---- */

static bool check_header(const char *name, const Elf64_Ehdr *h, struct err *e) {
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
        return err_set(e, ERR_INPUT, "%s: error: an ELF file, but not of RV64, little-endian", name);
    if (h->e_type != ET_EXEC)
        return err_set(e, ERR_INPUT,
                       "%s: error: not an executable with addresses of its own; link it with -static -no-pie",
                       name);
    return !(h->e_flags & FLAG_RVE) || err_set(e, ERR_INPUT, "%s: error: it is for RV64E", name);
}

bool rv_elf_read(struct rv_elf *f, const char *name, const void *data, size_t n, struct err *e) {
    Elf64_Ehdr h;
    *f = (struct rv_elf){.data = data, .bytes = n};
    if (!rv_elf_is(data, n)) return err_set(e, ERR_INPUT, "%s: error: not an ELF file for RISC-V", name);
    memcpy(&h, data, sizeof h);
    if (!check_header(name, &h, e) || !read_segments(f, name, &h, e)) return false;
    f->entry = h.e_entry;
    read_sections(f, &h);
    find_code(f);
    return true;
}

void rv_elf_free(struct rv_elf *f) {
    VEC_FREE(&f->segments);
    VEC_FREE(&f->symbols);
    VEC_FREE(&f->code);
}

const uint8_t *rv_elf_at(const struct rv_elf *f, uint64_t address, uint64_t n) {
    for (size_t k = 0; k < f->segments.n; k++) {
        const struct rv_segment *s = &f->segments.v[k];
        if (address >= s->address && address - s->address <= s->filled &&
            n <= s->filled - (address - s->address))
            return s->data + (address - s->address);
    }
    return NULL;
}

/* Modules. A registered module keeps a list of the functions and variables that the program registered for it, and loads its
 * text when one of them is first used: programs register thousands of kernels of which they run three. A module that
 * does not load keeps its code and has said why once. */
#include "runtime/module/module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/module/image.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/profile.h"
#include "runtime/runtime/snapshot.h"

/* ---- the text ---- */

static int texts_of(struct cu_process *p, const void *image, size_t bytes, struct cu_texts *t) {
    return cu_image_texts(image, bytes, (uint32_t)(10 * p->machine.major + p->machine.minor), t);
}

/* What reports call the texts: by the program's name, with a number when there are several. */
static void name_text(char *name, size_t bytes, size_t index, size_t count) {
    const char *program = program_invocation_short_name;
    if (count == 1)
        snprintf(name, bytes, "%.40s.ptx", program);
    else
        snprintf(name, bytes, "%.40s.%zu.ptx", program, index + 1);
}

static hd_status link_texts(struct cu_process *p, const struct cu_texts *t, hd_module **hd) {
    enum { NAME = 80 };
    char(*names)[NAME] = calloc(t->count + 1, sizeof *names);
    hd_text *texts = calloc(t->count + 1, sizeof *texts);
    hd_status s = HD_MEMORY;
    if (names && texts) {
        for (size_t i = 0; i < t->count; i++) {
            name_text(names[i], NAME, i, t->count);
            texts[i] = (hd_text){names[i], t->list[i].text, t->list[i].bytes};
        }
        s = hd_module_link(p->dev, program_invocation_short_name, texts, t->count, hd);
    }
    free(names);
    free(texts);
    return s;
}

/* `why`: where a text's errors go, to be freed; NULL: to standard error. */
static int load_texts(struct cu_process *p, const struct cu_texts *t, char **why, hd_module **hd) {
    hd_status s = link_texts(p, t, hd);
    if (!s) cu_snapshot_keep(p, *hd, t->list, t->count);
    if (s && why) *why = strdup(hd_error(p->dev));
    if (s && !why) cu_warn("%s", hd_error(p->dev));
    return s == HD_INVALID ? CU_InvalidPtx : cu_status(s);
}

static void cu_module_advise(int code) {
    if (code == CU_NoKernelImageForDevice)
        cu_warn("the program has machine code for its kernels and no PTX: compile it with -gencode "
                "arch=compute_75,code=compute_75 "
                "(or -arch=sm_75 alone, which keeps both)");
    if (code == CU_InvalidKernelImage)
        cu_warn("the program's kernels (its fat binary, or what it loads) are damaged");
}

static int load_image(struct cu_process *p, const void *image, size_t bytes, char **why, hd_module **hd) {
    struct cu_texts t = {NULL, 0};
    int code = texts_of(p, image, bytes, &t);
    cu_module_advise(code);
    if (!code) code = load_texts(p, &t, why, hd);
    cu_texts_free(&t);
    return code;
}

/* ---- modules ---- */

static void link_module(struct cu_process *p, struct CUmod_st *m) {
    m->next = p->modules;
    m->prev = &p->modules;
    if (m->next) m->next->prev = &m->next;
    p->modules = m;
}

struct CUmod_st *cu_module_register(struct cu_process *p, const void *wrapper) {
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->image = wrapper;
    link_module(p, m);
    return m;
}

int cu_images_link(struct cu_process *p, const struct cu_image *images, size_t n, char **linked,
                   size_t *bytes) {
    struct cu_texts t = {NULL, 0};
    int code = CU_Success;
    for (size_t i = 0; i < n && !code; i++) code = texts_of(p, images[i].data, images[i].bytes, &t);
    cu_module_advise(code);
    *linked = code ? NULL : cu_texts_pack(&t, bytes);
    cu_texts_free(&t);
    return code ? code : *linked ? CU_Success : CU_MemoryAllocation;
}

int cu_module_load(struct cu_process *p, const void *image, size_t bytes, struct CUmod_st **mod) {
    return cu_module_load_told(p, image, bytes, NULL, mod);
}

int cu_module_load_told(struct cu_process *p, const void *image, size_t bytes, char **why,
                        struct CUmod_st **mod) {
    hd_module *hd;
    int code = load_image(p, image, bytes, why, &hd);
    if (code) return code;
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (!m) {
        hd_module_unload(hd);
        return CU_MemoryAllocation;
    }
    m->hd = hd;
    link_module(p, m);
    *mod = m;
    return CU_Success;
}

/* A managed variable is memory that host and device find at one address. nvcc's code takes that address out of a pointer. */
static int manage(struct cu_process *p, struct cu_variable *v) {
    struct cu_alloc a = {.bytes = v->bytes, .kind = CU_MEMORY_MANAGED, .flags = 1, .owner = v};
    a.host = cu_shared_map(p, v->bytes, &a.mapped);
    if (!a.host) return CU_MemoryAllocation;
    a.addr = v->addr = (uint64_t)(uintptr_t)a.host;
    int code = cu_status(hd_module_place(v->module->hd, v->name, a.host, a.addr));
    if (!code) code = cu_alloc_note(p, &a);
    if (!code) *v->managed = a.host;
    return code;
}

/* Clang's code has a variable, all zero to begin with: it gets its initial value here, unless the host was there first. */
static int manage_in_place(struct cu_process *p, struct cu_variable *v) {
    char *host = (char *)(uintptr_t)v->host, *kept = malloc((size_t)v->bytes);
    struct cu_alloc a = {.bytes = v->bytes, .kind = CU_MEMORY_MANAGED, .flags = 1, .host = host, .owner = v};
    if (!kept) return CU_MemoryAllocation;
    memcpy(kept, host, (size_t)v->bytes);
    a.addr = v->addr = (uint64_t)(uintptr_t)host;
    int code = cu_status(hd_module_place(v->module->hd, v->name, host, a.addr));
    if (kept[0] || memcmp(kept, kept + 1, (size_t)v->bytes - 1)) memcpy(host, kept, (size_t)v->bytes);
    free(kept);
    return code ? code : cu_alloc_note(p, &a);
}

/* The text of a damaged module may give a managed variable another size than the host's code does: what is behind the smaller
 * one belongs to neither. */
static int fits_host(struct cu_variable *v) {
    if ((!v->in_place && !v->managed) || v->bytes == v->host_bytes) return 1;
    cu_warn("the managed variable %s has %zu bytes in the program and %" PRIu64 " in its kernels", v->name,
            v->host_bytes, v->bytes);
    v->addr = 0; /* it is not there */
    return 0;
}

/* Variables are memory that copies and kernels reach by address. */
static int note_variable(struct cu_process *p, struct cu_variable *v) {
    if (v->addr) return CU_Success;
    if (hd_module_symbol(v->module->hd, v->name, &v->addr, &v->bytes)) return CU_SymbolNotFound;
    struct cu_alloc a = {.addr = v->addr, .bytes = v->bytes, .kind = CU_MEMORY_VARIABLE, .owner = v};
    if (!fits_host(v)) return CU_InvalidKernelImage;
    if (!v->bytes) return CU_Success;
    if (v->in_place) return manage_in_place(p, v);
    return v->managed ? manage(p, v) : cu_alloc_note(p, &a);
}

static void forget_variables(struct cu_process *p, struct CUmod_st *m) {
    for (struct cu_variable *v = m->variables; v; v = v->next) {
        if (v->addr) cu_alloc_forget(p, v->addr);
        v->addr = 0;
    }
}

void cu_module_unload(struct cu_process *p, struct CUmod_st *m) {
    cu_profile_module(p, m);
    drv_module_end(p, m);
    forget_variables(p, m);
    for (struct CUfunc_st *f = m->functions, *next; f; f = next) {
        next = f->next;
        (void)cu_map_put(&p->handles, f, NULL);
        if (f->host) (void)cu_map_put(&p->functions, f->host, NULL);
        free(f->copied_name);
        free(f);
    }
    for (struct cu_variable *v = m->variables, *next; v; v = next) {
        next = v->next;
        if (v->host) (void)cu_map_put(&p->variables, v->host, NULL);
        free(v->copied_name);
        free(v);
    }
    if (p->dev) hd_module_unload(m->hd);
    *m->prev = m->next;
    if (m->next) m->next->prev = m->prev;
    free(m);
}

int cu_module_ready(struct cu_process *p, struct CUmod_st *m) {
    if (m->hd || m->failed) return m->failed;
    m->failed = load_image(p, m->image, CU_UNSIZED, NULL, &m->hd);
    if (m->failed) m->hd = NULL;
    for (struct cu_variable *v = m->variables; v && !m->failed; v = v->next)
        if (v->managed || v->in_place) m->failed = note_variable(p, v);
    return m->failed;
}

void cu_modules_reset(struct cu_process *p) {
    for (struct CUmod_st *m = p->modules, *next; m; m = next) {
        next = m->next;
        if (!m->image) {
            cu_module_unload(p, m);
            continue;
        }
        cu_profile_module(p, m);
        forget_variables(p, m);
        for (struct CUfunc_st *f = m->functions; f; f = f->next) f->kernel = NULL;
        m->hd = NULL; /* goes with the device */
        m->failed = 0;
    }
}

int cu_module_valid(struct cu_process *p, const struct CUmod_st *mod) {
    for (const struct CUmod_st *m = p->modules; m; m = m->next)
        if (m == mod) return 1;
    return 0;
}

/* ---- functions ---- */

struct CUfunc_st *cu_function_add(struct cu_process *p, struct CUmod_st *m, const char *name) {
    struct CUfunc_st *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->name = name;
    f->module = m;
    f->max_dynamic_shared = f->carveout = -1;
    f->next = m->functions;
    m->functions = f;
    (void)cu_map_put(&p->handles, f, f);
    return f;
}

int cu_function_valid(struct cu_process *p, const struct CUfunc_st *f) {
    return f && cu_map_get(&p->handles, f) == f;
}

int cu_function_of(struct cu_process *p, const void *host, struct CUfunc_st **f) {
    *f = cu_map_get(&p->functions, host);
    if (!*f) *f = cu_map_get(&p->handles, host);
    return *f ? CU_Success : CU_InvalidDeviceFunction;
}

static hd_kernel *cu_module_find_kernel(hd_module *hd, const char *name, hd_kernel_info *info) {
    for (size_t i = 0; i < hd_module_kernel_count(hd); i++) {
        hd_kernel *k = hd_module_kernel_at(hd, i);
        if (!hd_kernel_get_info(k, info) && !strcmp(info->name, name)) return k;
    }
    return NULL;
}

/* The simulator's reason names the kernel in its first line and each instruction in one of its own: the first is told, once. */
static int cu_module_refuse(struct CUfunc_st *f) {
    const char *why = f->info.unsupported, *next = strchr(why, '\n');
    if (next) why = next + 1;
    if (!f->told) cu_warn("%s cannot run: %.*s", f->name, (int)strcspn(why, "\n"), why);
    f->told = 1;
    return CU_InvalidPtx;
}

int cu_function_ready(struct cu_process *p, struct CUfunc_st *f) {
    if (f->kernel) return f->info.unsupported ? cu_module_refuse(f) : CU_Success;
    int code = cu_module_ready(p, f->module);
    if (code) return code;
    f->kernel = cu_module_find_kernel(f->module->hd, f->name, &f->info);
    if (!f->kernel) return CU_InvalidDeviceFunction;
    return f->info.unsupported ? cu_module_refuse(f) : CU_Success;
}

int cu_module_function(struct cu_process *p, struct CUmod_st *m, const char *name, struct CUfunc_st **f) {
    int code = cu_module_ready(p, m);
    if (code) return code;
    for (*f = m->functions; *f; *f = (*f)->next)
        if (!strcmp((*f)->name, name)) return CU_Success;
    hd_kernel_info info;
    if (!cu_module_find_kernel(m->hd, name, &info)) return CU_SymbolNotFound;
    char *copy = strdup(name);
    *f = copy ? cu_function_add(p, m, copy) : NULL;
    if (!*f) {
        free(copy);
        return CU_MemoryAllocation;
    }
    (*f)->copied_name = copy;
    return CU_Success;
}

/* ---- variables ---- */

struct cu_variable *cu_variable_add(struct CUmod_st *m, const char *name) {
    struct cu_variable *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->name = name;
    v->module = m;
    v->next = m->variables;
    m->variables = v;
    return v;
}

int cu_variable_of(struct cu_process *p, const void *host, struct cu_variable **v) {
    *v = cu_map_get(&p->variables, host);
    if (!*v) return CU_InvalidSymbol;
    int code = cu_module_ready(p, (*v)->module);
    return code ? code : note_variable(p, *v) ? CU_InvalidSymbol : CU_Success;
}

int cu_module_variable(struct cu_process *p, struct CUmod_st *m, const char *name, struct cu_variable **v) {
    int code = cu_module_ready(p, m);
    if (code) return code;
    for (*v = m->variables; *v; *v = (*v)->next)
        if (!strcmp((*v)->name, name)) return note_variable(p, *v);
    uint64_t addr, bytes;
    if (hd_module_symbol(m->hd, name, &addr, &bytes)) return CU_SymbolNotFound;
    char *copy = strdup(name);
    *v = copy ? cu_variable_add(m, copy) : NULL;
    if (!*v) {
        free(copy);
        return CU_MemoryAllocation;
    }
    (*v)->copied_name = copy;
    return note_variable(p, *v);
}

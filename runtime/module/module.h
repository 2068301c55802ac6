/* Modules, their functions and variables. A module comes from a registered fat binary (loaded when one of its functions or
 * variables is first used) or from an image that a program loads itself (driver interface, cudaLibrary). */
#ifndef CUDA_MODULE_H
#define CUDA_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "heddle.h"
#include "runtime/module/image.h"

struct cu_process;
struct CUmod_st;

/* A kernel. cudaFunction_t, cudaKernel_t, CUfunction and CUkernel all are this. */
struct CUfunc_st {
    const char *name; /* mangled */
    struct CUmod_st *module;
    hd_kernel *kernel; /* NULL: not loaded yet, or not there */
    hd_kernel_info info;
    int max_dynamic_shared; /* cudaFuncAttributeMaxDynamicSharedMemorySize, -1: not set */
    int carveout, cache_config;
    uint64_t launches;
    int told;               /* why it cannot run */
    const void *host;       /* the stub it was registered for, or NULL */
    char *copied_name;      /* the name, when it is ours */
    struct CUfunc_st *next; /* next function of the module */
};

struct cu_variable {
    const char *name;
    struct CUmod_st *module;
    uint64_t addr, bytes; /* 0: not loaded yet */
    int constant;
    const void *host;         /* the symbol it was registered for, or NULL */
    char *copied_name;        /* the name, when it is ours */
    void **managed;           /* where the host expects a managed variable's address, NULL: not managed */
    int in_place;             /* managed, and the host's bytes are those at `host` (cuda/heddle/managed.h) */
    size_t host_bytes;        /* bytes of the host's variable, as it was registered */
    struct cu_variable *next; /* next variable of the module */
};

struct CUmod_st {
    struct CUctx_st *context; /* it ends with it; NULL: it belongs to none */
    hd_module *hd;            /* NULL: not loaded yet */
    int failed;               /* loading it gave this code */
    const void *image;        /* registered: the wrapper in the program */
    struct CUfunc_st *functions;
    struct cu_variable *variables;
    struct CUmod_st *next, **prev; /* p->modules */
};

/* What a program registers before main; nothing is loaded. NULL when memory ran out. Names stay the program's. */
struct CUmod_st *cu_module_register(struct cu_process *p, const void *wrapper);
struct CUfunc_st *cu_function_add(struct cu_process *p, struct CUmod_st *m, const char *name);
struct cu_variable *cu_variable_add(struct CUmod_st *m, const char *name);

/* A module from an image (runtime/module/image.h) of that many bytes; CU_UNSIZED: the program did not say. */
int cu_module_load(struct cu_process *p, const void *image, size_t bytes, struct CUmod_st **mod);
/* As cu_module_load; when `why` is not NULL, what is wrong with the text goes there, to be freed, and not to
 * standard error. */
int cu_module_load_told(struct cu_process *p, const void *image, size_t bytes, char **why,
                        struct CUmod_st **mod);
struct cu_image {
    char *data;
    size_t bytes;
};
/* An image of several, to be freed: cu_module_load makes one module of it. */
int cu_images_link(struct cu_process *p, const struct cu_image *images, size_t n, char **linked,
                   size_t *bytes);
void cu_module_unload(struct cu_process *p, struct CUmod_st *mod);
/* Loads a registered module if it is not yet. CU_InvalidKernelImage, CU_NoKernelImageForDevice, CU_InvalidPtx ... */
int cu_module_ready(struct cu_process *p, struct CUmod_st *mod);
/* By name; made when first asked for, so that the same name gives the same handle. CU_SymbolNotFound. A kernel that uses
 * unsupported instructions is found; cu_function_ready says that it cannot run, and on standard error why. */
int cu_module_function(struct cu_process *p, struct CUmod_st *mod, const char *name, struct CUfunc_st **f);
int cu_module_variable(struct cu_process *p, struct CUmod_st *mod, const char *name, struct cu_variable **v);
/* The function of a kernel's address in the program, or of a handle. CU_InvalidDeviceFunction. */
int cu_function_of(struct cu_process *p, const void *host, struct CUfunc_st **f);
/* Loaded and fit to run; f->info is set then. */
int cu_function_ready(struct cu_process *p, struct CUfunc_st *f);
/* The variable of a host symbol, loaded. CU_InvalidSymbol. */
int cu_variable_of(struct cu_process *p, const void *host, struct cu_variable **v);
/* A handle of a function or module that a program gave is one of ours. */
int cu_function_valid(struct cu_process *p, const struct CUfunc_st *f);
int cu_module_valid(struct cu_process *p, const struct CUmod_st *m);
/* Forgets what was loaded (cudaDeviceReset); registered modules stay registered. */
void cu_modules_reset(struct cu_process *p);
#endif

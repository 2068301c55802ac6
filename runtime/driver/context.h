/* Contexts of the driver interface. The device has one address space, so a context is a name for what was made under it:
 * destroying one unloads its modules and frees its memory. The primary context is the runtime's. */
#ifndef CUDA_DRV_CONTEXT_H
#define CUDA_DRV_CONTEXT_H

#include <stdint.h>

struct cu_process;
struct CUmod_st;

struct CUctx_st {
    struct CUctx_st *next; /* next of the contexts made by cuCtxCreate */
    uint64_t id;
    unsigned flags, api_version;
    /* How often it is retained, if primary; otherwise how often it is attached, counting its creation. */
    int users;
    int cache_config, shared_config;
};

/* A part of struct cu_process. */
struct cu_driver {
    int ready;       /* cuInit was called */
    int told_static; /* how often it was said that the program has a runtime of its own */
    struct CUctx_st primary;
    struct CUctx_st *contexts;
    uint64_t ids;                   /* given to contexts */
    struct drv_old_launch *old;     /* old.c */
    struct CUtexref_st *references; /* texref.c */
    struct drv_physical *physical;  /* virtual.c */
    struct drv_reserved *reserved;
};

/* The calling thread's context; NULL: none. A thread that has none has the primary one as soon as the runtime interface was
 * used. */
struct CUctx_st *drv_current(struct cu_process *p);
/* The context of a handle, NULL being the current one. CU_DeviceUninitialized (the driver's "invalid context"). */
int drv_context_of(struct cu_process *p, struct CUctx_st *handle, struct CUctx_st **c);
/* The device is reset: mapped memory is gone with it. */
void drv_reset(struct cu_process *p);
/* A module ends: so does what the driver interface knows of it. */
void drv_module_end(struct cu_process *p, const struct CUmod_st *m);
/* 0, or why a call that needs a context cannot go on. */
int drv_unfit(struct cu_process *p);
#endif

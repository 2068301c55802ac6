/* The state of the process: the one simulated device, what was registered, allocated and created on it. It is the one mutable
 * global of heddle (the CUDA interface has no handle to carry it) and has one lock: every entry point takes it by cu_enter
 * and gives it back by cu_leave; callbacks into the program run without it (cu_unlocked).
 *
 * Registration happens before main and loads nothing. The device is opened by the first cu_enter. */
#ifndef CUDA_PROCESS_H
#define CUDA_PROCESS_H

#include <pthread.h>
#include <stdint.h>

#include "heddle.h"
#include "runtime/driver/context.h"
#include "runtime/memory/map.h"
#include "runtime/module/objects.h"
#include "runtime/runtime/device.h"
#include "runtime/runtime/settings.h"

struct cu_text {
    char *data;
    size_t bytes, capacity;
};

/* From start up to end. */
struct cu_range {
    const char *start, *end;
};

struct cu_progress {
    char kernel[128];
    uint64_t launch;
    int64_t next; /* nanoseconds: when to write the line again */
    int shown;
};

struct cu_process {
    pthread_mutex_t lock;
    hd_device *dev;
    int opened; /* tried to; dev is NULL when it failed */
    int failed; /* 0, or what every call returns: a bad setting, or a fault of a kernel until cudaDeviceReset */
    int forked;  /* the device belongs to the parent */
    int runtime; /* the runtime interface was used: threads without a context have the primary one */
    /* Context of the driver's call under way, NULL otherwise; what is made belongs to it. */
    struct CUctx_st *context;
    struct cu_driver driver;
    struct cu_settings settings;
    struct cu_machine machine; /* device.h */

    struct CUmod_st *modules; /* module.h; newest first */
    struct cu_map functions;  /* address of the host's stub -> struct CUfunc_st */
    struct cu_map handles;    /* struct CUfunc_st -> itself */
    struct cu_map variables;  /* address of the host's variable -> struct cu_variable */

    struct cu_range *managed; /* sections of managed variables (register.c) */
    size_t nmanaged;

    struct cu_alloc *allocs; /* memory.h; by address */
    size_t nallocs, allocs_capacity;
    uint64_t device_bytes; /* allocated on the device */
    uint64_t allocations;  /* so far */
    uint64_t shared_next;  /* where the next page-locked or managed memory is tried */

    struct CUstream_st *streams; /* stream.h; the first is the default stream */
    uint64_t clock;              /* simulated time of the host, picoseconds */
    uint64_t launches;
    struct cu_map texts; /* hd_module -> its PTX, where a launch is to be taken out */
    int captured;        /* HEDDLE_CAPTURE has had its launch */

    struct cu_objects objects; /* objects.h */

    struct cu_map told;    /* unsupported entry points that were named */
    struct cu_text prints; /* what kernels printed since the last synchronisation */
    struct cu_progress progress;
    int log;               /* file descriptor, -1: none */
    unsigned device_flags; /* cudaSetDeviceFlags */
    int cache_config;      /* cudaDeviceSetCacheConfig: no effect */
    size_t limits[8];      /* limits of cudaDeviceSetLimit; 0: not set */
};

/* Takes the lock and, the first time, opens the device. Never NULL; p->failed says whether it can be used. */
struct cu_process *cu_enter(void);
/* Gives the lock back; the runtime's remembers the code as the thread's last error. Both return the code. */
int cu_leave(struct cu_process *p, int code);
int cu_leave_driver(struct cu_process *p, int code);
/* The lock alone, for registration and for calls that need no device. */
struct cu_process *cu_lock(void);
/* Takes the lock for an ending process: NULL when another thread, or this one before a signal, keeps it for a
 * second. */
struct cu_process *cu_lock_soon(void);
void cu_unlock(struct cu_process *p);

/* Calls back into the program without the lock. */
void cu_unlocked(struct cu_process *p, void (*fn)(void *), void *user);

/* What kernels printed reaches standard output when the host synchronises with the device, starts a kernel or copies. */
void cu_flush_prints(struct cu_process *p);

/* When the process ends. */
void cu_end(void);

/* Ends the device and opens it again as cudaDeviceReset does: memory, streams and loaded modules are gone, registered ones load
 * again when they are used. */
int cu_reset(struct cu_process *p);

/* One line on standard error, "heddle: ...". */
void cu_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The code of a call of heddle.h that failed; the text of hd_error goes to standard error when it is told to. */
int cu_status(hd_status s);
int cu_status_told(struct cu_process *p, hd_status s, const char *what);
#endif

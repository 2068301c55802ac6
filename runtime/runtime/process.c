/* The state of the process, its lock, and its device from opening to the end.
 *
 * fork: the child has the parent's device only as a copy that real hardware would not have, so its calls fail with
 * cudaErrorInitializationError as they do there; a child of a parent that had not used the device yet opens its own. The lock
 * is held over fork, so that the child never finds it taken by a thread it does not have.
 *
 * Signals: a handler that interrupts a call and makes another, or exits, finds the lock its own thread's. It gets a process
 * that is busy, every call of which fails, instead of waiting for itself for ever. */
#include "runtime/runtime/process.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/memory/memory.h"
#include "runtime/module/module.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/log.h"
#include "runtime/runtime/profile.h"
#include "runtime/runtime/races.h"
#include "runtime/runtime/stream.h"

static struct cu_process process = {.lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, .log = -1};
static struct cu_process busy = {.opened = 1, .failed = CU_NotPermitted, .log = -1};

void cu_warn(const char *format, ...) {
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    /* One write: stderr is not buffered between calls. */
    fprintf(stderr, "heddle: %s\n", n < 0 ? "out of memory" : text);
    if (n >= 0) free(text);
}

/* What fork took: nothing, when a handler of a signal that came in a call forks. */
static int fork_locked;

static void before_fork(void) {
    fork_locked = !pthread_mutex_lock(&process.lock);
}
static void after_fork(void) {
    if (fork_locked) pthread_mutex_unlock(&process.lock);
}
static void in_child(void) {
    process.prints.bytes = 0; /* the parent prints them */
    if (process.opened) {
        process.forked = 1;
        process.failed = CU_InitializationError;
    }
    /* It is held by a thread of the parent's. */
    process.lock = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, in_child);
}

struct cu_process *cu_lock(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return pthread_mutex_lock(&process.lock) ? &busy : &process;
}

struct cu_process *cu_lock_soon(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_mutex_timedlock(&process.lock, &until) ? NULL : &process;
}

void cu_unlock(struct cu_process *p) {
    if (p == &process) pthread_mutex_unlock(&p->lock);
}

void cu_unlocked(struct cu_process *p, void (*fn)(void *), void *user) {
    pthread_mutex_unlock(&p->lock);
    fn(user);
    pthread_mutex_lock(&p->lock);
}

static void take_print(void *user, const char *text, size_t bytes) {
    struct cu_text *t = &((struct cu_process *)user)->prints;
    if (t->bytes + bytes > t->capacity) {
        size_t capacity = 2 * (t->bytes + bytes) + 4096;
        char *grown = realloc(t->data, capacity);
        if (!grown) return;
        t->data = grown;
        t->capacity = capacity;
    }
    memcpy(t->data + t->bytes, text, bytes);
    t->bytes += bytes;
}

void cu_flush_prints(struct cu_process *p) {
    if (!p->prints.bytes) return;
    fwrite(p->prints.data, 1, p->prints.bytes, stdout);
    p->prints.bytes = 0;
}

/* The options of the settings, behind those of HEDDLE_SET; room for four more. */
static size_t options_of(const struct cu_settings *s, hd_option *options) {
    size_t n = 0;
    for (size_t i = 0; i < s->noptions; i++) options[n++] = s->options[i];
    if (s->mech) options[n++] = (hd_option){"run.mech", s->mech};
    if (s->races) options[n++] = (hd_option){"run.races", "on"};
    if (s->profile) options[n++] = (hd_option){"run.profile", "true"};
    if (s->timed >= 0) options[n++] = (hd_option){"run.mode", s->timed ? "timed" : "functional"};
    return n;
}

static int open_device(struct cu_process *p) {
    hd_option *options = calloc(p->settings.noptions + 4, sizeof *options);
    if (!options) return CU_MemoryAllocation;
    const struct cu_settings *s = &p->settings;
    hd_config config = {.options = options,
                        .noptions = options_of(s, options),
                        .file = s->config ? s->config : HD_CONFIG_CUDA,
                        .stand_in = !s->config};
    hd_status status = hd_device_open(&config, &p->dev);
    free(options);
    if (status) {
        cu_warn("%s", p->dev ? hd_error(p->dev) : "out of memory");
        hd_device_close(p->dev);
        p->dev = NULL;
        return CU_InitializationError;
    }
    hd_set_print(p->dev, take_print, p);
    cu_machine_read(p);
    return CU_Success;
}

static void open_process(struct cu_process *p) {
    char why[512];
    p->opened = 1;
    if (cu_settings_read(&p->settings, why, sizeof why)) {
        cu_warn("%s", why);
        p->failed = CU_InitializationError;
        return;
    }
    p->failed = open_device(p);
    if (!p->failed) p->failed = cu_log_open(p);
}

struct cu_process *cu_enter(void) {
    struct cu_process *p = cu_lock();
    if (!p->opened) open_process(p);
    return p;
}

int cu_leave(struct cu_process *p, int code) {
    p->runtime = 1;
    cu_set_last_error(code);
    cu_unlock(p);
    return code;
}

int cu_leave_driver(struct cu_process *p, int code) {
    cu_unlock(p);
    return code;
}

int cu_reset(struct cu_process *p) {
    cu_flush_prints(p);
    if (p->forked || !p->dev) return p->failed;
    cu_races_report(p);
    cu_log_totals(p, "reset");
    cu_objects_reset(p);
    cu_modules_reset(p);
    drv_reset(p);
    cu_alloc_free_all(p);
    hd_device_close(p->dev);
    p->dev = NULL;
    p->failed = open_device(p);
    return p->failed;
}

void cu_end(void) {
    if (pthread_mutex_trylock(&process.lock)) return;
    cu_flush_prints(&process);
    cu_races_report(&process);
    cu_profile_end(&process);
    cu_log_totals(&process, "end");
    pthread_mutex_unlock(&process.lock);
}

int cu_status(hd_status s) {
    switch (s) {
    case HD_OK: return CU_Success;
    case HD_MEMORY: return CU_MemoryAllocation;
    case HD_INVALID: return CU_InvalidValue;
    case HD_FAULT: return CU_LaunchFailure;
    case HD_LIMIT: return CU_LaunchTimeout;
    case HD_REFUSED: return CU_NotSupported;
    default: return CU_Unknown;
    }
}

int cu_status_told(struct cu_process *p, hd_status s, const char *what) {
    if (s) cu_warn("%s: %s", what, hd_error(p->dev));
    return cu_status(s);
}

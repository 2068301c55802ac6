/* Processes, memory and time. The clock is the number of instructions that the core has executed, in nanoseconds, and random
 * bytes come from a generator with a fixed seed: a program does the same every time. The break cannot be moved, so that C
 * libraries take all memory by mmap, every piece an allocation of the device. */
#include "sim/riscv_host/linux.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"

enum { PAGE = 4096, STACK = 8 << 20, SIGABRT_STATUS = 128 };
#define STACK_TOP UINT64_C(0x4000000000)
#define EPOCH     UINT64_C(1000000000) /* seconds: when programs begin */

void *linux_bytes(const struct linux *k, uint64_t addr, uint64_t n) {
    return exec_mem_at(k->mem, addr, n ? n : 1);
}

const char *linux_string(const struct linux *k, uint64_t addr) {
    struct exec_memory_info info;
    if (!exec_mem_inside(k->mem, addr, &info)) return NULL;
    const uint64_t at = addr - info.addr; /* may be behind info.bytes: slack is inside, and not counted */
    const char *text = (const char *)info.host + at;
    return at < info.bytes && memchr(text, 0, info.bytes - at) ? text : NULL;
}

/* ---- the beginning ---- */

struct stack {
    uint8_t *host; /* of STACK bytes */
    uint64_t at;   /* offset of what was pushed last */
};

static uint64_t linux_push(struct stack *s, const void *data, size_t n) {
    s->at -= n;
    memcpy(s->host + s->at, data, n);
    return STACK_TOP - STACK + s->at;
}

/* argc, argv, environment and auxiliary vector, as the psABI has them. */
static bool fill_stack(struct linux *k, struct stack *s, struct err *e) {
    static const uint8_t seed[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    VEC(uint64_t) words = {0};
    size_t total = 0;
    for (size_t n = 0; n < k->main->argc; n++) total += strlen(k->main->argv[n]) + 9;
    if (total > STACK / 4) return err_set(e, ERR_INPUT, "the arguments of the program are too long");
    const uint64_t random = linux_push(s, seed, sizeof seed);
    VEC_PUSH(&words, k->main->argc);
    for (size_t n = 0; n < k->main->argc; n++)
        VEC_PUSH(&words, linux_push(s, k->main->argv[n], strlen(k->main->argv[n]) + 1));
    VEC_PUSH(&words, 0); /* end of argv */
    VEC_PUSH(&words, 0); /* an empty environment */
    const uint64_t aux[][2] = {{AT_PHDR, k->binary->headers},
                               {AT_PHENT, sizeof(Elf64_Phdr)},
                               {AT_PHNUM, k->binary->nheaders},
                               {AT_PAGESZ, PAGE},
                               {AT_ENTRY, k->binary->entry},
                               {AT_RANDOM, random},
                               {AT_HWCAP, 0x112d}, /* I, M, A, F, D, C */
                               {AT_CLKTCK, 100},
                               {AT_SECURE, 0},
                               {AT_NULL, 0}};
    for (size_t n = 0; n < sizeof aux / sizeof *aux; n++) {
        VEC_PUSH(&words, aux[n][0]);
        VEC_PUSH(&words, aux[n][1]);
    }
    s->at = (s->at - words.n * 8) & ~UINT64_C(15);
    memcpy(s->host + s->at, words.v, words.n * 8);
    *exec_core_register(k->core, 2) = STACK_TOP - STACK + s->at;
    VEC_FREE(&words);
    return true;
}

bool linux_begin(struct linux *k, struct err *e) {
    const struct exec_place p = {
        .bytes = STACK, .align = 16, .fixed = STACK_TOP - STACK, .label = "main's stack"};
    uint64_t at;
    if (!linux_rule_open(&k->rule, k->main->files, e)) return false;
    for (int n = 0; n < 3; n++) VEC_PUSH(&k->files, n);
    if (!exec_mem_place(k->mem, &p, &at, e)) return false;
    struct stack s = {exec_mem_at(k->mem, at, STACK), STACK};
    return fill_stack(k, &s, e);
}

void linux_end(struct linux *k) {
    struct err e = {0};
    for (size_t n = 3; n < k->files.n; n++)
        if (k->files.v[n] > 2) close(k->files.v[n]); /* others are standard streams, or closed */
    VEC_FREE(&k->files);
    linux_rule_close(&k->rule);
    if (exec_mem_at(k->mem, STACK_TOP - STACK, 1)) exec_mem_release(k->mem, STACK_TOP - STACK, &e);
    err_free(&e);
}

/* ---- processes ---- */

int64_t call_exit(struct linux *k, const uint64_t *a) {
    k->ended = true;
    k->status = (int)(a[0] & 0xff);
    return 0;
}

int64_t call_exit_group(struct linux *k, const uint64_t *a) {
    return call_exit(k, a);
}

int64_t call_gettid(struct linux *k, const uint64_t *a) {
    (void)k, (void)a;
    return 1;
}

/* abort, and failed assertions: it ends as its parent would see it. */
static int64_t end_by_signal(struct linux *k, uint64_t signal) {
    if (!signal) return 0;
    k->ended = true;
    k->status = SIGABRT_STATUS + (int)(signal & 0x7f);
    return 0;
}

int64_t call_kill(struct linux *k, const uint64_t *a) {
    return end_by_signal(k, a[1]);
}

int64_t call_tgkill(struct linux *k, const uint64_t *a) {
    return end_by_signal(k, a[2]);
}

int64_t call_uname(struct linux *k, const uint64_t *a) {
    static const char *const field[6] = {"Linux", "heddle", "6.1.0", "#1", "riscv64", "(none)"};
    char *to = linux_bytes(k, a[0], 6 * 65);
    if (!to) return -EFAULT;
    memset(to, 0, 6 * 65);
    for (int n = 0; n < 6; n++) memcpy(to + n * 65, field[n], strlen(field[n]));
    return 0;
}

int64_t call_prlimit64(struct linux *k, const uint64_t *a) {
    const uint64_t limit[2] = {a[1] == 3 ? STACK : UINT64_MAX, UINT64_MAX}; /* 3: the stack */
    if (!a[3]) return 0;
    void *to = linux_bytes(k, a[3], sizeof limit);
    if (!to) return -EFAULT;
    memcpy(to, limit, sizeof limit);
    return 0;
}

int64_t call_getrandom(struct linux *k, const uint64_t *a) {
    uint8_t *to = linux_bytes(k, a[0], a[1]);
    if (!to) return -EFAULT;
    for (uint64_t n = 0; n < a[1]; n++) {
        k->random = k->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        to[n] = (uint8_t)(k->random >> 56);
    }
    return (int64_t)a[1];
}

/* ---- time ---- */

static int64_t put_time(struct linux *k, uint64_t addr, uint64_t unit) {
    const uint64_t now = exec_core_insts(k->core), t[2] = {EPOCH + now / 1000000000, now % 1000000000 / unit};
    void *to = linux_bytes(k, addr, sizeof t);
    if (!to) return -EFAULT;
    memcpy(to, t, sizeof t);
    return 0;
}

int64_t call_clock_gettime(struct linux *k, const uint64_t *a) {
    return put_time(k, a[1], 1);
}

int64_t call_gettimeofday(struct linux *k, const uint64_t *a) {
    return a[0] ? put_time(k, a[0], 1000) : 0;
}

int64_t call_clock_getres(struct linux *k, const uint64_t *a) {
    const uint64_t t[2] = {0, 1};
    void *to = a[1] ? linux_bytes(k, a[1], sizeof t) : NULL;
    if (a[1] && !to) return -EFAULT;
    if (to) memcpy(to, t, sizeof t);
    return 0;
}

int64_t call_times(struct linux *k, const uint64_t *a) {
    const uint64_t ticks = exec_core_insts(k->core) / 10000000, t[4] = {ticks};
    void *to = a[0] ? linux_bytes(k, a[0], sizeof t) : NULL;
    if (a[0] && !to) return -EFAULT;
    if (to) memcpy(to, t, sizeof t);
    return (int64_t)ticks;
}

int64_t call_getrusage(struct linux *k, const uint64_t *a) {
    const uint64_t now = exec_core_insts(k->core);
    uint64_t usage[18] = {now / 1000000000, now % 1000000000 / 1000};
    void *to = linux_bytes(k, a[1], sizeof usage);
    if (!to) return -EFAULT;
    memcpy(to, usage, sizeof usage);
    return 0;
}

/* ---- memory ---- */

int64_t call_brk(struct linux *k, const uint64_t *a) {
    (void)a;
    return (int64_t)((k->binary->end + PAGE - 1) & ~(uint64_t)(PAGE - 1));
}

static uint64_t pages_of(uint64_t n) {
    return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* A piece of memory; 0: there is none. */
static uint64_t linux_map(struct linux *k, uint64_t bytes) {
    struct err e = {0};
    uint64_t at = 0;
    if (!bytes || bytes > STACK_TOP ||
        !exec_mem_alloc(k->mem, pages_of(bytes), PAGE, "main's memory", &at, &e))
        at = 0;
    err_free(&e);
    return at;
}

int64_t call_mmap(struct linux *k, const uint64_t *a) {
    enum { FIXED = 0x10, ANONYMOUS = 0x20 };
    if (a[3] & FIXED) return -ENOMEM;
    const uint64_t at = linux_map(k, a[1]);
    if (!at) return -ENOMEM;
    const int64_t status =
        a[3] & ANONYMOUS ? 0 : linux_file_at(k, a[4], linux_bytes(k, at, a[1]), a[1], a[5]);
    if (status) call_munmap(k, (const uint64_t[]){at, a[1]});
    return status ? status : (int64_t)at;
}

/* Parts of a piece stay: only a whole one goes back. */
int64_t call_munmap(struct linux *k, const uint64_t *a) {
    struct exec_memory_info info;
    struct err e = {0};
    if (exec_mem_inside(k->mem, a[0], &info) && info.addr == a[0] && pages_of(a[1]) >= info.bytes)
        exec_mem_release(k->mem, a[0], &e);
    err_free(&e);
    return 0;
}

int64_t call_mremap(struct linux *k, const uint64_t *a) {
    enum { MAYMOVE = 1 };
    const uint64_t keep = a[1] < a[2] ? a[1] : a[2];
    const void *old = linux_bytes(k, a[0], keep);
    if (!old) return -EFAULT;
    if (a[2] <= a[1]) return (int64_t)a[0];
    if (!(a[3] & MAYMOVE)) return -ENOMEM;
    const uint64_t at = linux_map(k, a[2]);
    if (!at) return -ENOMEM;
    memcpy(linux_bytes(k, at, keep), linux_bytes(k, a[0], keep), keep);
    call_munmap(k, a);
    return (int64_t)at;
}

/* ---- the call ---- */

static int64_t call_nothing(struct linux *k, const uint64_t *a) {
    (void)k, (void)a;
    return 0;
}

static const struct {
    uint64_t number;
    linux_fn *fn;
} calls[] = {
#define CALL(number, name)    {number, call_##name},
#define NOTHING(number, name) {number, call_nothing},
#include "sim/riscv_host/linux.def"
};

void linux_call(struct linux *k) {
    const uint64_t number = *exec_core_register(k->core, 17);
    uint64_t a[6], *result = exec_core_register(k->core, 10);
    size_t n = 0;
    for (uint32_t r = 0; r < 6; r++) a[r] = *exec_core_register(k->core, 10 + r);
    while (n < sizeof calls / sizeof *calls && calls[n].number != number) n++;
    *result = (uint64_t)(n < sizeof calls / sizeof *calls ? calls[n].fn(k, a) : -ENOSYS);
}

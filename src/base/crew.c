/* One word says which call it is, whether more may join it, and how many are at it. A thread that has no core when it is
 * called does not hold up the others: by the time it wakes the call is closed, the work having been done by those who came.
 * Who waits for a call looks at the word for a while, then sleeps. */
#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ledger.h"

enum { LOOKS = 2000 }; /* before sleeping: some tens of microseconds */

/* The word: */
#define OPEN  UINT64_C(1)
#define ONE   UINT64_C(2) /* member at work, besides the caller */
#define CALL  (UINT64_C(1) << 16)
#define BUSY  (CALL - ONE)
#define CALLS (~(CALL - 1))

struct member {
    struct crew *crew;
    uint32_t number;
    pthread_t thread;
};

struct crew {
    void (*work)(void *user, uint32_t member);
    void *user;
    struct ledger *ledger; /* the caller's ledger */
    uint32_t size;         /* with the caller */
    bool over;
    _Alignas(64) uint64_t word;
    _Alignas(64) uint32_t asleep; /* members */
    uint32_t failed;              /* a member had no memory */
    pthread_mutex_t lock;
    pthread_cond_t called;
    struct member *member;
};

static void pause_host(uint32_t looks) {
#if defined(__x86_64__)
    if (looks < LOOKS) {
        __builtin_ia32_pause();
        return;
    }
#endif
    (void)looks;
    sched_yield();
}

static uint64_t word(const struct crew *c) {
    return __atomic_load_n(&c->word, __ATOMIC_SEQ_CST);
}

/* Another call than the last one. */
static uint64_t await_call(struct crew *c, uint64_t last) {
    uint64_t w;
    for (uint32_t n = 0; n < LOOKS; n++) {
        if (((w = word(c)) & CALLS) != last) return w;
        pause_host(n);
    }
    pthread_mutex_lock(&c->lock);
    __atomic_add_fetch(&c->asleep, 1, __ATOMIC_SEQ_CST);
    while (((w = word(c)) & CALLS) == last) pthread_cond_wait(&c->called, &c->lock);
    __atomic_sub_fetch(&c->asleep, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&c->lock);
    return w;
}

/* One member's part; out of memory ends it there. */
static void take_part(struct crew *c, uint32_t number) {
    struct ledger_point p = {0};
    if (ledger_enter(&p, c->ledger), setjmp(p.at)) {
        __atomic_store_n(&c->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    c->work(c->user, number);
    ledger_leave(&p);
}

static bool join_call(struct crew *c, uint64_t w) {
    while (w & OPEN)
        if (__atomic_compare_exchange_n(&c->word, &w, w + ONE, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
    return false;
}

static void *serve(void *user) {
    const struct member *m = user;
    struct crew *c = m->crew;
    for (uint64_t last = 0;;) {
        const uint64_t w = await_call(c, last);
        last = w & CALLS;
        if (!join_call(c, w)) continue;
        const bool over = c->over;
        if (!over) take_part(c, m->number);
        __atomic_sub_fetch(&c->word, ONE, __ATOMIC_SEQ_CST);
        if (over) return NULL;
    }
}

struct crew *crew_new(uint32_t n) {
    struct crew *c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
    struct member *member = calloc(n, sizeof *member);
    if (!c || !member) {
        free(c);
        free(member);
        return NULL;
    }
    memset(c, 0, sizeof *c);
    c->member = member;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->called, NULL);
    for (c->size = 1; c->size < n; c->size++) {
        struct member *m = &c->member[c->size];
        *m = (struct member){.crew = c, .number = c->size};
        if (pthread_create(&m->thread, NULL, serve, m)) break;
    }
    return c;
}

/* Open to all. What the call is about has been written. */
static void call(struct crew *c) {
    __atomic_store_n(&c->word, (word(c) & CALLS) + CALL + OPEN, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&c->asleep, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->called);
    pthread_mutex_unlock(&c->lock);
}

void crew_free(struct crew *c) {
    if (!c) return;
    c->over = true;
    call(c);
    for (uint32_t k = 1; k < c->size; k++) pthread_join(c->member[k].thread, NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->called);
    free(c->member);
    free(c);
}

uint32_t crew_size(const struct crew *c) {
    return c ? c->size : 1;
}

void crew_run(struct crew *c, void (*work)(void *user, uint32_t member), void *user) {
    const struct ledger_point *point = ledger_now();
    c->work = work;
    c->user = user;
    c->ledger = point ? point->ledger : NULL;
    call(c);
    take_part(c, 0);
    __atomic_and_fetch(&c->word, ~OPEN, __ATOMIC_SEQ_CST);
    for (uint32_t n = 0; word(c) & BUSY; n++) pause_host(n);
    if (!__atomic_exchange_n(&c->failed, 0, __ATOMIC_RELAXED)) return;
    ledger_fail(1);
}

uint32_t crew_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    const int n = CPU_COUNT(&set);
    return n > 0 ? (uint32_t)n : 1;
}

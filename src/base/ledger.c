/* Recovery points, and ledgers: sets of addresses, open addressing with linear probing. An address of malloc is even; that of a
 * mapping is written down with its lowest bit set. */
#include "base/ledger.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/guard.h"

enum { FIRST = 64, MAPPED = 1 };

static _Thread_local struct ledger_point *point; /* innermost; see ledger.h */

void ledger_enter(struct ledger_point *p, struct ledger *h) {
    p->ledger = h;
    p->fatal = NULL;
    p->user = NULL;
    p->outer = point;
    point = p;
}

void ledger_nest(struct ledger_point *p) {
    ledger_enter(p, point ? point->ledger : NULL);
}

void ledger_leave(struct ledger_point *p) {
    point = p->outer;
}

struct ledger_point *ledger_step_out(void) {
    struct ledger_point *p = point;
    if (p) point = p->outer;
    return p;
}

struct ledger_point *ledger_now(void) {
    return point;
}

void ledger_adopt(struct ledger_point *p) {
    point = p;
}

void ledger_fail(size_t bytes) {
    struct ledger_point *p = point;
    if (!p) {
        fprintf(stderr, "heddle: out of memory (%zu bytes)\n", bytes);
        abort();
    }
    if (p->fatal) p->fatal(p->user, bytes);
    point = p->outer;
    longjmp(p->at, 1);
}

/* ---- the set ---- */

static size_t home(const struct ledger *h, uintptr_t key) {
    return (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (h->cap - 1);
}

static void ledger_put(struct ledger *h, uintptr_t key) {
    size_t at = home(h, key);
    while (h->slot[at]) at = (at + 1) & (h->cap - 1);
    h->slot[at] = key;
}

static bool ledger_grow(struct ledger *h) {
    const struct ledger old = *h;
    h->cap = old.cap ? 2 * old.cap : FIRST;
    h->slot = calloc(h->cap, sizeof *h->slot);
    if (!h->slot) {
        *h = old;
        return false;
    }
    for (size_t k = 0; k < old.cap; k++)
        if (old.slot[k]) ledger_put(h, old.slot[k]);
    free(old.slot);
    return true;
}

/* What is done under the lock is short, and allocating is rare where several threads work. */
static struct ledger *lock(void) {
    struct ledger *h = point ? point->ledger : NULL;
    while (h && __atomic_test_and_set(&h->locked, __ATOMIC_ACQUIRE)) sched_yield();
    return h;
}

static void unlock(struct ledger *h) {
    __atomic_clear(&h->locked, __ATOMIC_RELEASE);
}

static bool base_ledger_add(uintptr_t key) {
    struct ledger *h = lock();
    if (!h) return true;
    const bool room = 4 * (h->n + 1) <= 3 * h->cap || ledger_grow(h);
    if (room) {
        ledger_put(h, key);
        h->n++;
    }
    unlock(h);
    return room;
}

/* Empties slot `at`. Keys behind it that would not be found any more move up. */
static void ledger_take(struct ledger *h, size_t at) {
    const size_t mask = h->cap - 1;
    for (size_t next = (at + 1) & mask; h->slot[next]; next = (next + 1) & mask) {
        const size_t from = home(h, h->slot[next]);
        if (((next - from) & mask) < ((next - at) & mask)) continue;
        h->slot[at] = h->slot[next];
        at = next;
    }
    h->slot[at] = 0;
    h->n--;
}

static bool ledger_find(const struct ledger *h, uintptr_t key, size_t *at) {
    if (!h->cap) return false;
    for (*at = home(h, key); h->slot[*at]; *at = (*at + 1) & (h->cap - 1))
        if (h->slot[*at] == key) return true;
    return false;
}

static bool remove_key(uintptr_t key) {
    struct ledger *h = lock();
    if (!h) return false;
    size_t at;
    const bool found = ledger_find(h, key, &at);
    if (found) ledger_take(h, at);
    unlock(h);
    return found;
}

bool ledger_allows(void) {
    struct ledger *h = lock();
    if (!h) return true;
    const bool allowed = h->fail_at != 1; /* once an allocation has failed, all later ones fail too */
    if (h->fail_at > 1) h->fail_at--;
    unlock(h);
    return allowed;
}

bool ledger_add(void *p) {
    return base_ledger_add((uintptr_t)p);
}

bool ledger_remove(void *p) {
    return remove_key((uintptr_t)p);
}

bool ledger_add_map(struct ledger_map *m) {
    return base_ledger_add((uintptr_t)m | MAPPED);
}

void ledger_remove_map(struct ledger_map *m) {
    remove_key((uintptr_t)m | MAPPED);
}

void ledger_free(struct ledger *h) {
    for (size_t k = 0; k < h->cap; k++) {
        if (!h->slot[k]) continue;
        if (h->slot[k] & MAPPED) {
            const struct ledger_map m = *(struct ledger_map *)(h->slot[k] & ~(uintptr_t)MAPPED);
            ASAN_UNPOISON_MEMORY_REGION(m.map, m.mapped);
            munmap(m.map, m.mapped);
        } else {
            free((void *)h->slot[k]);
        }
    }
    free(h->slot);
    *h = (struct ledger){0};
}

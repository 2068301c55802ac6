/* Places are found by hash, open addressing, and never go. */
#include "sm/account.h"

#include <stdlib.h>

#include "base/bits.h"

enum { FIRST_SLOTS = 256 };

struct sm_account *account_new(uint32_t insts) {
    struct sm_account *a = xcalloc(1, sizeof *a);
    a->insts = insts;
    for (uint32_t pc = 0; pc < insts; pc++) {
        VEC_PUSH(&a->places, (struct sm_place){pc, ACCOUNT_NONE, ACCOUNT_NONE});
        VEC_PUSH(&a->costs, (struct sm_cost){0});
    }
    a->slots = FIRST_SLOTS;
    a->index = xcalloc(a->slots, sizeof *a->index);
    return a;
}

void account_free(struct sm_account *a) {
    if (!a) return;
    VEC_FREE(&a->places);
    VEC_FREE(&a->costs);
    xfree(a->index);
    xfree(a);
}

/* Where the place is in the index, or would be. */
static uint32_t *account_slot_of(const struct sm_account *a, uint32_t pc, uint32_t up) {
    const uint32_t key[] = {pc, up};
    uint32_t k = (uint32_t)hash_bytes(HASH_START, key, sizeof key) & (a->slots - 1);
    for (; a->index[k]; k = (k + 1) & (a->slots - 1)) {
        const struct sm_place *p = &a->places.v[a->index[k] - 1];
        if (p->pc == pc && p->up == up) break;
    }
    return &a->index[k];
}

static void account_grow(struct sm_account *a) {
    xfree(a->index);
    a->slots *= 2;
    a->index = xcalloc(a->slots, sizeof *a->index);
    for (uint32_t k = a->insts; k < a->places.n; k++)
        *account_slot_of(a, a->places.v[k].pc, a->places.v[k].up) = k + 1;
}

uint32_t account_place(struct sm_account *a, uint32_t pc, uint32_t up, uint32_t func) {
    if (up == ACCOUNT_NONE) return pc;
    uint32_t *at = account_slot_of(a, pc, up);
    if (*at) return *at - 1;
    VEC_PUSH(&a->places, (struct sm_place){pc, up, func});
    VEC_PUSH(&a->costs, (struct sm_cost){0});
    *at = (uint32_t)a->places.n;
    if (2 * (a->places.n - a->insts) > a->slots) account_grow(a);
    return (uint32_t)a->places.n - 1;
}

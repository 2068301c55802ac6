/* Activity as masks: Pixar's Chap (Levinthal & Porter, SIGGRAPH 1984, [14] of SL) and AMD's GPUs (SL 2.1). A mask of the
 * active threads, a stack of masks for conditionals and one for loops.
 *
 * IF pushes the active mask; ELSE runs those of the top who are not active now; ENDIF pops. LOOP pushes who entered, and
 * an empty mask for who has continued; ENDLOOP takes these back, and restores those that entered when none is left.
 *
 * Ours, since SL has the two stacks and no more: a thread that breaks or continues is cleared from the masks that were
 * pushed inside of its loop. So ELSE and ENDIF need not know who left, and a loop takes two masks. A call is an IF whose
 * ENDIF is the return; threads that return from within are cleared from what was pushed inside of the function. */
#include "mech/structured/structured.h"

static void structured_masks_start(struct mech *m, struct structured_home *h, uint64_t place) {
    (void)m, (void)place;
    h->masks.active = h->live;
    h->masks.nconditional = h->masks.nloop = 0;
}

static void push_conditional(struct mech *m, struct structured_masks *k) {
    PAGES_GROW(m->env.pages, k->conditional, k->nconditional, k->conditional_cap);
    k->conditional[k->nconditional++] = k->active;
}

static void push_loop(struct mech *m, struct structured_masks *k) {
    PAGES_GROW(m->env.pages, k->loop, k->nloop, k->loop_cap);
    k->loop[k->nloop++] = (struct structured_loop){.entered = k->active};
}

/* Switches off threads that leave. They are not active again before what was pushed last, so many masks, is gone. */
static void structured_masks_leave(struct structured_masks *k, const struct mask *off, uint32_t ifs,
                                   uint32_t loops) {
    mask_minus(&k->active, off);
    for (uint32_t i = 0; i < ifs; i++) mask_minus(&k->conditional[k->nconditional - 1 - i], off);
    for (uint32_t i = 0; i < loops; i++) {
        mask_minus(&k->loop[k->nloop - 1 - i].entered, off);
        mask_minus(&k->loop[k->nloop - 1 - i].continued, off);
    }
}

static void structured_masks_swap(struct structured_masks *k) {
    struct mask other = k->conditional[k->nconditional - 1];
    mask_minus(&other, &k->active);
    k->active = other;
}

static void structured_masks_change(struct mech *m, struct structured_home *h,
                                    const struct structured_change *c) {
    struct structured_masks *k = &h->masks;
    switch (c->what) {
    case STRUCTURED_OPENS:
        push_conditional(m, k);
        mask_minus(&k->active, &c->off);
        break;
    case STRUCTURED_SWAPS: structured_masks_swap(k); break;
    case STRUCTURED_CLOSES: k->active = k->conditional[--k->nconditional]; break;
    case STRUCTURED_LOOPS: push_loop(m, k); break;
    case STRUCTURED_SKIPS:
        structured_masks_leave(k, &c->off, c->ifs, 0);
        mask_plus(&k->loop[k->nloop - 1].continued, &c->off);
        break;
    case STRUCTURED_BREAKS:
    case STRUCTURED_RETURNS: structured_masks_leave(k, &c->off, c->ifs, c->loops); break;
    case STRUCTURED_GATHERS:
        mask_plus(&k->active, &k->loop[k->nloop - 1].continued);
        k->loop[k->nloop - 1].continued = (struct mask){0};
        break;
    case STRUCTURED_REPEATS: break;
    case STRUCTURED_ENDS: k->active = k->loop[--k->nloop].entered; break;
    case STRUCTURED_EXITS: structured_masks_leave(k, &c->off, k->nconditional, k->nloop); break;
    }
}

const struct structured_activity structured_by_masks = {structured_masks_start, structured_masks_change};

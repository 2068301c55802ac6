/* Launches of the functional engine that will never end.
 *
 * Where no thread can run that is plain. Otherwise threads are followed from where they are, each alone (loop.h) and, if one
 * of them meets others or writes memory, all of a block together (joint.h). One thread that loops whatever the others do is
 * enough; so is a block. Else every thread has to poll or to be blocked. That is tried when no block has ended in a
 * round, and for blocks that seem to get on because their barriers complete: such a block is set aside if it is in a
 * loop, so that those it may wait for get their turn.
 *
 * Following threads takes much longer than running them: each attempt puts off the next one by so many instructions that
 * it costs only a small part of the time. */
#include <inttypes.h>

#include "base/alloc.h"
#include "exec/engine.h"
#include "exec/tape/tape.h"

enum {
    LOOK_SHARE = 64, /* thread instructions for each step of a thread that is followed alone, */
    JOINT_SHARE =
        1
        << 14, /* and of one followed with its block, which takes the host some hundred times as long as running */
    CIRCLE_FIRST = 1 << 26, /* thread instructions before the first look at a block whose barriers complete */
    LISTED = 16             /* groups of threads in a report */
};

void stuck_begin(struct engine *en) {
    en->looper = exec_looper_new(&en->grid);
    en->joint = exec_joint_new(&en->grid);
    en->follow = en->circling = EXEC_FOLLOW_FIRST;
    en->circle_at = CIRCLE_FIRST;
    if (!en->launch->tape || !en->launch->tape->replay) return;
    en->look_at = en->circle_at =
        UINT64_MAX; /* where a replay goes is written: registers say nothing of it */
}

void stuck_end(struct engine *en) {
    exec_looper_free(en->looper);
    exec_joint_free(en->joint);
}

/* ---- no thread can run ---- */

static void list_waiting(const struct exec_block *b, uint32_t *shown, struct sb *out) {
    const struct ir_module *m = b->grid->module;
    for (uint32_t k = 0; k < b->nwarps; k++) {
        const struct exec_warp *w = &b->warps[k];
        for (uint32_t left = w->blocked; left;) {
            uint32_t first = (uint32_t)__builtin_ctz(left), pc = w->wait_pc[first], here = 0;
            FOR_LANES(l, left) here |= (uint32_t)(w->wait_pc[l] == pc) << l;
            left &= ~here;
            if ((*shown)++ >= LISTED) continue;
            sb_add(out,
                   "\n  warp %" PRIu32 ", %d thread%s from (%" PRIu32 ",%" PRIu32 ",%" PRIu32
                   ") on, lanes 0x%08" PRIx32 ": wait%s ",
                   k, __builtin_popcount(here), here & (here - 1) ? "s" : "", w->tid[0][first],
                   w->tid[1][first], w->tid[2][first], here, here & (here - 1) ? "" : "s");
            if (w->bar_wait >> first & 1 && w->bar_id[first] == EXEC_CLUSTER)
                sb_add(out, "in the cluster's barrier at ");
            else if (w->bar_wait >> first & 1)
                sb_add(out, "in barrier %u at ", w->bar_id[first]);
            else
                sb_add(out, "for lanes 0x%08" PRIx32 " at ", w->xchg.member[first] & w->live & ~here);
            exec_describe_pc(m, pc, out);
        }
    }
}

bool stuck_deadlock(struct engine *en, const struct exec_block *b) {
    struct sb text = {0};
    uint32_t shown = 0;
    list_waiting(b, &shown, &text);
    if (shown > LISTED) sb_add(&text, "\n  ... and %" PRIu32 " more", shown - LISTED);
    exec_failed(&en->grid, EXEC_F_DEADLOCK, NULL, 0, 0);
    err_set(en->err, ERR_FAULT,
            "deadlock: no thread of the block can go on\n  kernel %s, block (%" PRIu32 ",%" PRIu32 ",%" PRIu32
            "): %" PRIu32 " threads wait, %" PRIu32 " have exited%s",
            en->grid.func->name, b->ctaid[0], b->ctaid[1], b->ctaid[2], b->live, en->grid.threads - b->live,
            text.text);
    sb_free(&text);
    return false;
}

/* ---- threads that run for ever ---- */

/* Following threads is allowed a small part of the time, and farther the longer a launch takes. */
static bool may_look(const struct engine *en) {
    return en->grid.insts >= en->look_at;
}

/* What following threads has cost so far, in thread instructions. */
static uint64_t spent(const struct engine *en) {
    return LOOK_SHARE * exec_loop_steps(en->looper) + JOINT_SHARE * exec_joint_steps(en->joint);
}

static void looked(struct engine *en, uint64_t before) {
    en->look_at = en->grid.insts + spent(en) - before;
    if (en->follow < EXEC_FOLLOW_MOST) en->follow *= 2;
}

struct place {
    const struct exec_warp *w;
    uint32_t lane, pc;
};

/* What the threads of a block do that are not blocked, each alone: the first that does not poll says it for all. */
static enum exec_loop block_loops(struct engine *en, struct resident *r, struct place *at) {
    for (uint32_t k = 0; k < r->block.nwarps; k++) {
        struct exec_warp *w = &r->block.warps[k];
        const struct path *p = &r->paths[k];
        if (w->released) return EXEC_MEETS;
        for (uint32_t n = 0; n < p->n; n++) FOR_LANES(l, p->s[n].mask) {
                const enum exec_loop does = exec_loops(en->looper, w, l, p->s[n].pc, en->follow);
                *at = (struct place){w, l, p->s[n].pc};
                if (does != EXEC_POLLS) return does;
            }
    }
    return EXEC_POLLS;
}

/* Follows all running threads of a block together, for as many steps as the length of the launch allows. */
static enum exec_loop joint_loops(struct engine *en, struct resident *r, uint64_t follow) {
    const uint64_t wanted = follow / EXEC_FOLLOW_TOGETHER * en->grid.threads,
                   allowed = en->grid.insts / JOINT_SHARE;
    struct exec_stand *at = xcalloc(r->block.nwarps, sizeof *at);
    for (uint32_t k = 0; k < r->block.nwarps; k++) {
        const struct path *p = &r->paths[k];
        for (uint32_t n = 0; n < p->n; n++) {
            at[k].run |= p->s[n].mask;
            FOR_LANES(l, p->s[n].mask) at[k].pc[l] = p->s[n].pc;
        }
    }
    const enum exec_loop does =
        exec_joint_loops(en->joint, &r->block, at, wanted < allowed ? wanted : allowed);
    xfree(at);
    return does;
}

bool stuck_polls(struct engine *en, struct resident *r) {
    struct place at;
    if (!may_look(en)) return false;
    const uint64_t before = spent(en);
    enum exec_loop does = block_loops(en, r, &at);
    if (does == EXEC_MEETS) {
        exec_joint_begin(en->joint);
        does = joint_loops(en, r, en->follow);
    }
    if (does == EXEC_LEAVES)
        looked(en, before);
    else
        en->patience = 1;
    return does != EXEC_LEAVES;
}

bool stuck_circles(struct engine *en, struct resident *r) {
    if (r->circles || en->grid.insts < en->circle_at) return r->circles;
    const uint64_t before = spent(en);
    exec_joint_begin(en->joint);
    r->circles = joint_loops(en, r, en->circling) != EXEC_LEAVES;
    en->circle_at = en->grid.insts + spent(en) - before;
    if (!r->circles && en->circling < EXEC_FOLLOW_MOST) en->circling *= 2;
    return r->circles;
}

static bool endless(struct engine *en, const struct place *p) {
    const struct exec_block *b = p->w->block;
    struct sb where = {0};
    exec_describe_pc(en->grid.module, p->pc, &where);
    exec_failed(&en->grid, EXEC_F_DEADLOCK, p->w, p->lane, p->pc);
    err_set(en->err, ERR_FAULT,
            "endless loop: no other thread can end it\n  kernel %s, block (%" PRIu32 ",%" PRIu32 ",%" PRIu32
            "), thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n  at %s",
            en->grid.func->name, b->ctaid[0], b->ctaid[1], b->ctaid[2], p->w->tid[0][p->lane],
            p->w->tid[1][p->lane], p->w->tid[2][p->lane], where.text);
    sb_free(&where);
    return false;
}

static void list_polling(const struct engine *en, const struct resident *r, uint32_t *shown, struct sb *out) {
    const struct exec_block *b = &r->block;
    for (uint32_t k = 0; k < b->nwarps; k++)
        for (uint32_t n = 0; n < r->paths[k].n; n++) {
            const struct split *s = &r->paths[k].s[n];
            if ((*shown)++ >= LISTED) continue;
            sb_add(out,
                   "\n  block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), warp %" PRIu32 ", lanes 0x%08" PRIx32
                   ": loop%s at ",
                   b->ctaid[0], b->ctaid[1], b->ctaid[2], k, s->mask, s->mask & (s->mask - 1) ? "" : "s");
            exec_describe_pc(en->grid.module, s->pc, out);
        }
}

static bool stuck_give_up(struct engine *en, const char *why, bool others) {
    struct sb text = {0};
    uint32_t shown = 0;
    const uint64_t left = en->grid.blocks - en->next_block;
    for (size_t k = 0; k < en->nresident; k++) {
        if (!en->resident[k]->active) continue;
        list_polling(en, en->resident[k], &shown, &text);
        list_waiting(&en->resident[k]->block, &shown, &text);
    }
    if (shown > LISTED) sb_add(&text, "\n  ... and %" PRIu32 " more", shown - LISTED);
    exec_failed(&en->grid, EXEC_F_DEADLOCK, NULL, 0, 0);
    err_set(en->err, ERR_FAULT,
            "%s%s\n  kernel %s: %" PRIu64 " of %" PRIu64 " blocks have ended, %" PRIu64 " not begun%s%s",
            left && others ? "" : "program ", why, en->grid.func->name, en->done, en->grid.blocks, left,
            left && others
                ? ": if it is one of those that they wait for, too few blocks fit in the host's memory"
                : "",
            text.text);
    sb_free(&text);
    return false;
}

static enum exec_loop all_together(struct engine *en) {
    exec_joint_begin(en->joint);
    for (size_t k = 0; k < en->nresident; k++) {
        if (!en->resident[k]->active) continue;
        const enum exec_loop does = joint_loops(en, en->resident[k], en->follow);
        if (does != EXEC_POLLS) return does;
    }
    return EXEC_POLLS;
}

bool stuck_look(struct engine *en) {
    static const char polling[] =
        "deadlock: every thread polls memory that no thread will change, or waits for one that does";
    static const char circling[] =
        "livelock: every thread goes round a loop that no thread will ever let it leave";
    enum exec_loop does = EXEC_POLLS;
    struct place at = {0};
    if (!may_look(en)) return true;
    const uint64_t before = spent(en);
    for (size_t k = 0; k < en->nresident && does == EXEC_POLLS; k++)
        if (en->resident[k]->active) does = block_loops(en, en->resident[k], &at);
    if (does == EXEC_ENDLESS) return endless(en, &at);
    const bool together = does == EXEC_MEETS;
    if (together) does = all_together(en);
    if (does == EXEC_ENDLESS) return stuck_give_up(en, circling, false);
    if (does == EXEC_LEAVES) looked(en, before);
    const bool more = en->next_block < en->grid.blocks && en->nresident < en->most_resident;
    return does != EXEC_POLLS || more || stuck_give_up(en, together ? circling : polling, true);
}

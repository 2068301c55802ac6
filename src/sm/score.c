/* The scoreboard of issue = scoreboard. Each warp keeps the instructions whose results are under way as {lanes, PC of the
 * instruction, cycle of write-back}; the rows are those the instruction writes. A split waits for an entry only when they
 * have both a lane and a row in common, so splits of one warp never wait for each other's registers, however many there
 * are: with a cycle per row they would. The list of a warp is short, so looking through it costs less than a table of
 * rows would; rows are bits of a word (code.c).
 *
 * A warp with SM_SCORES entries is held back until one of them is done. Entries that are done are dropped when the list
 * is looked through for another reason; one of SM_FEW_SCORES at most is looked through only for a row that is in it. */
#include "mech/lib/split.h"
#include "sm/impl.h"

static void drop_written(struct sm_warp *w, uint64_t now) {
    w->rows = 0;
    for (uint32_t k = 0; k < w->nscore;)
        if (score_done(&w->score[k], now))
            w->score[k] = w->score[--w->nscore];
        else
            w->rows |= w->score[k++].written;
}

static __attribute__((noinline)) void score_make_room(const struct sm *s, struct sm_warp *w) {
    const uint32_t most = SM_SCORES + SM_LANES, cap = 2u * w->score_cap < most ? 2u * w->score_cap : most;
    CHECK(w->nscore < cap);
    w->score = pages_more(s->env.grid->pages, w->score, w->nscore * sizeof *w->score, cap * sizeof *w->score);
    w->score_cap = (uint8_t)cap;
}

void score_room(const struct sm *s, struct sm_warp *w) {
    drop_written(w, s->now);
    if (w->nscore == w->score_cap) score_make_room(s, w);
}

void score_clear(struct sm *s, uint32_t warp, uint32_t mask, uint32_t op) {
    struct sm_warp *w = &s->warps[warp];
    const bool full = w->nscore >= SM_SCORES; /* then other lanes may wait for this too */
    for (uint32_t k = 0; k < w->nscore; k++)
        if (w->score[k].op == op) w->score[k].mask &= ~mask;
    mech_wake(s->mech, warp, full ? ~0u : mask);
    const struct mech_split *next =
        mask ? split_of(s->mech->pool, warp, (uint32_t)__builtin_ctz(mask)) : NULL;
    if (next) sm_look_ahead(s, warp, sm_code(s, next->pc));
}

void score_clear_op(struct sm *s, uint32_t op) {
    for (uint32_t warp = 0; warp < s->nwarps; warp++) {
        const struct sm_warp *w = &s->warps[warp];
        for (uint32_t k = 0; k < w->nscore; k++)
            if (w->score[k].op == op) score_clear(s, warp, w->score[k].mask, op);
    }
}

uint64_t score_first_end(const struct sm_warp *w) {
    uint64_t first = SM_NEVER;
    for (uint32_t k = 0; k < w->nscore; k++)
        if (w->score[k].ready < first) first = w->score[k].ready;
    return first;
}

uint64_t score_pieces_when(struct sm *s, const struct mech_split *split, const struct sm_code *c) {
    uint64_t when = 0;
    for (uint32_t k = 0; k < split->set.n; k++) {
        const uint64_t t = score_piece(s, split->set.p[k], split->pc, c->used);
        if (t > when) when = t;
    }
    return when;
}

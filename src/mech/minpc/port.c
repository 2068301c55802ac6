/* What min(SP:PC) does between the order's pick and the issue: speculative arbitration (SL 6) and replay (SL 4.2).
 *
 * Arbitration takes `arbitration` cycles at jumps, and whenever threads come back or go; a step takes none (4.1). "A
 * speculative policy could hide the latency of PC arbitration. In this case, the control unit becomes a branch predictor."
 * Which one is not said; that it predicts conditional jumps, and when it is right: "the PC comparison unit inside each PE
 * becomes the commit unit". So a branch goes on at once where the predictor says, the arbitration runs beside it, and if it
 * chooses that PC no cycle is lost. If it does not, whatever issued in the meantime found no thread at its PC and writes
 * nothing back: an issue without threads. Such an issue that has not been made by the end of the arbitration is not made.
 *
 * "In case of divergence in a conditional jump, the outcome of the branch predictor is always correct, and only affects the
 * order in which paths are visited." The predictor here is static: a branch back is taken, one ahead is not. So where threads
 * part it says what min(PC) chooses, and the order stays as it is. A predictor that learns would visit paths in another order,
 * which is a policy of its own that the paper leaves open.
 *
 * Replay. An access issues for the threads that its port serves at once: "the arbiter selects one of these addresses, using for
 * instance a priority coder", that of the lowest lane. "Threads which encounter a port conflict keep the same PC value,
 * causing them to request a replay of the memory operation on the next scheduling phase." Those that got through are late while
 * their access is under way, as in run-ahead: those that lost have the lowest PC and run next. */
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/minpc/minpc.h"

bool minpc_selects(const void *params) {
    const struct minpc_params *p = params;
    return p->replay || (p->arbitration && p->speculate);
}

/* ---- speculation ---- */

void minpc_forget_guess(struct mech *m, struct minpc_home *h) {
    if (!h->guess || h->guess->in_flight) return;
    split_free(m, h->guess);
    h->guess = NULL;
}

static uint32_t predict(const struct mech_outcome *o) {
    return o->insn->target <= o->pc ? o->insn->target : o->pc + 1;
}

/* There is a split to spare, and none of the warp's is under way. */
static void minpc_port_guess(struct mech *m, struct minpc_home *h, uint32_t pc) {
    if (h->guess || m->pool->alive == m->pool->cap) return;
    h->guess = split_new(m, h->run->sched, pc);
    h->guess->own[MINPC_HOME] = h->run->own[MINPC_HOME];
    h->guess->own[MINPC_LATE] = MINPC_GUESSED;
    order_add(m->order, h->guess);
}

void minpc_arbitrated(struct mech *m, struct minpc_home *h, const struct mech_outcome *o) {
    const struct minpc *f = m->self;
    if (!f->arbitration) return;
    h->from = *m->env.now + f->arbitration;
    if (!o || !f->speculate || !h->run->threads) return;
    if (o->insn->op != IR_BRA || !ir_is_conditional(o->insn)) return;
    const uint32_t pc = predict(o);
    if (pc == h->run->pc) {
        minpc_counts(m)->predicted++;
        h->from = 0;
        return;
    }
    minpc_counts(m)->mispredicted++;
    minpc_port_guess(m, h, pc);
}

/* s is a guess whose arbitration is over: it does not issue. */
static bool comes_too_late(struct mech *m, struct mech_split *s) {
    struct minpc_home *h = minpc_home_of(m, s);
    if (s->own[MINPC_LATE] != MINPC_GUESSED || h->from > *m->env.now) return false;
    split_free(m, s);
    h->guess = NULL;
    return true;
}

/* ---- replay ---- */

/* Threads of s, which is about to issue, that the port does not serve stay where they are. */
static void minpc_port_lose(struct mech *m, struct mech_split *s) {
    struct minpc_home *h = minpc_home_of(m, s);
    struct mech_set served, lost;
    m->env.served(m->env.sm, s, &served);
    if (set_equal(&served, &s->set)) return;
    set_copy(&lost, &s->set);
    set_remove(&lost, &served);
    struct mech_split *t = split_divide(m, s, &lost);
    t->age = s->age;
    minpc_counts(m)->replays++;
    minpc_counts(m)->replayed += t->threads;
    mech_event(m, "replay at pc %u", s->pc);
    h->from = *m->env.now + m->env.refusal;
    minpc_leave(m, h, s, t);
}

bool minpc_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct mech_split *s;
    do {
        s = order_pick(m->order, sched, *m->env.now);
        if (!s) return false;
    } while (comes_too_late(m, s));
    if (minpc_params(m)->replay && s->threads) minpc_port_lose(m, s);
    split_issue(m, p, s);
    return true;
}

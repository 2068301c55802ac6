/* Local memory of a thread: the deepest chain of call frames under each function. A depth-first walk of the
 * call graph with a stack of its own, since the depth of the graph is up to the input. A call back into a
 * function that is still open adds nothing, so with recursion the figure is a lower bound: how deep it goes
 * is known only when it runs.
 *
 * Calls through pointers without a target list go to one more node, ANY, which calls every function whose
 * address is taken; so the walk stays linear in instructions and functions. */
#include <stdlib.h>

#include "sim/device/internal.h"

enum state { UNSEEN, OPEN, DONE };

struct place {
    uint32_t node, at; /* next PC of a function, next function of ANY */
    uint32_t target;   /* next listed target of the indirect call at "at" */
    uint64_t deepest;  /* of the callees closed so far */
};

struct walk {
    const struct ir_module *m;
    uint64_t *bytes; /* per node, once DONE */
    uint8_t *state;  /* per node: enum state */
    uint32_t any;    /* the node of all address-taken functions: number of functions */
    VEC(struct place) stack;
};

static void frames_enter(struct walk *w, uint32_t node) {
    w->state[node] = OPEN;
    VEC_PUSH(&w->stack, (struct place){.node = node, .at = node == w->any ? 0 : w->m->funcs.v[node].entry});
}

/* The function that instruction i calls as its n-th, or -1 past the last. */
static int64_t frames_callee(const struct walk *w, const struct ir_insn *i, uint32_t n) {
    if (i->op != IR_CALL && i->op != IR_CALL_IND) return -1;
    const uint32_t *words = w->m->ext.v + i->ext;
    if (i->op == IR_CALL) return n == 0 ? (int64_t)words[IR_CALL_FUNC] : -1;
    uint32_t listed = words[IR_CALL_FUNC];
    if (listed == 0) return n == 0 ? (int64_t)w->any : -1;
    return n < listed ? (int64_t)ir_call_list(words)[n] : -1;
}

/* The next node called from the top of the stack, or -1 when it has no more. */
static int64_t next_callee(struct walk *w, struct place *p) {
    if (p->node == w->any) {
        while (p->at < w->any)
            if (w->m->funcs.v[p->at++].address_taken) return p->at - 1;
        return -1;
    }
    for (; p->at < w->m->funcs.v[p->node].end; p->at++, p->target = 0) {
        int64_t to = frames_callee(w, &w->m->code.v[p->at], p->target);
        if (to >= 0) return p->target++, to;
    }
    return -1;
}

static void frames_step(struct walk *w) {
    struct place *p = &w->stack.v[w->stack.n - 1];
    int64_t to = next_callee(w, p);
    if (to >= 0) {
        if (w->state[to] == UNSEEN)
            frames_enter(w, (uint32_t)to);
        else if (w->state[to] == DONE && w->bytes[to] > p->deepest)
            p->deepest = w->bytes[to];
        return;
    }
    uint64_t depth = p->deepest + (p->node == w->any ? 0 : w->m->funcs.v[p->node].frame_bytes);
    w->bytes[p->node] = depth;
    w->state[p->node] = DONE;
    w->stack.n--;
    if (w->stack.n && depth > p[-1].deepest) p[-1].deepest = depth;
}

void sim_local_bytes(const struct ir_module *m, uint64_t *bytes) {
    size_t n = m->funcs.n + 1;
    struct walk w = {
        .m = m, .bytes = xcalloc(n, sizeof *w.bytes), .state = xcalloc(n, 1), .any = (uint32_t)m->funcs.n};
    for (uint32_t f = 0; f < w.any; f++) {
        if (w.state[f] == UNSEEN) frames_enter(&w, f);
        while (w.stack.n) frames_step(&w);
        bytes[f] = w.bytes[f];
    }
    VEC_FREE(&w.stack);
    xfree(w.bytes);
    xfree(w.state);
}

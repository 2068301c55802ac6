/* The table of opcodes, and who tells guards and indices.
 *
 * A guard is told by an instruction of the program that always runs before it. Best is what sets predicates, in the same
 * stretch of code: there the guard waits for it as on the GPU. Otherwise it is the nearest arithmetic on every way that leads
 * there. An instruction that lies between and is not always executed, or has no register of its own, cannot. */
#include "front/sass/sass.h"

#include <string.h>

static const struct sass_row rows[] = {
#define SASS(name, op, kind, space) {name, IR_##op, SASS_##kind, IR_SP_##space},
#include "front/sass/sass.def"
};

const struct sass_row *sass_find(const char *opcode) {
    const size_t n = strcspn(opcode, ".");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strlen(rows[k].name) == n && !memcmp(rows[k].name, opcode, n)) return &rows[k];
    return NULL;
}

void sass_free(struct sass_program *p) {
    for (size_t k = 0; k < p->code.n; k++) {
        VEC_FREE(&p->code.v[k].targets);
        VEC_FREE(&p->code.v[k].tells);
        VEC_FREE(&p->code.v[k].leads);
    }
    VEC_FREE(&p->code);
    arena_free(&p->mem);
}

static uint32_t sass_elements(const struct sass_insn *i) {
    return i->bytes >= 16 ? 4 : i->bytes == 8 ? 2 : 1;
}

uint32_t sass_own(const struct sass_insn *i) {
    switch (i->row->kind) {
    case SASS_LOAD: return i->bytes ? sass_elements(i) : 1;
    case SASS_SHFL: return 2;
    case SASS_VOTE:
    case SASS_MATCH: return 1;
    default: return i->nd;
    }
}

bool sass_has_room(const struct sass_insn *i) {
    return sass_own(i) + i->ns + i->tells.n + i->leads.n < 8;
}

/* ---- who tells ---- */

static bool eligible(const struct sass_insn *i) {
    return sass_computes(i) && !i->guarded && sass_has_room(i);
}

static bool falls_through(const struct sass_insn *i) {
    return i->guarded || i->row->kind < SASS_JUMP;
}

static void sass_tell(struct sass_program *p, uint32_t by, uint32_t what, bool index) {
    struct sass_insn *i = &p->code.v[by];
    if (index)
        VEC_PUSH(&i->leads, what);
    else
        VEC_PUSH(&i->tells, what);
}

struct jump {
    uint32_t from, next; /* next that leads to the same place, plus one; 0: none */
};

struct search {
    struct sass_program *p;
    uint32_t *landed; /* by instruction: the first jump that leads there, plus one; 0: none does */
    VEC(struct jump) jumps;
    uint32_t *seen, round;
    VEC(uint32_t) todo;
};

/* The last instruction of the stretch before `what` that sets predicates. */
static bool tell_near(struct search *s, uint32_t what) {
    const struct sass_insn *code = s->p->code.v;
    for (uint32_t k = what; k > 0 && !s->landed[k] && falls_through(&code[k - 1]); k--)
        if (code[k - 1].row->kind == SASS_SETP && eligible(&code[k - 1]))
            return sass_tell(s->p, k - 1, what, false), true;
    return false;
}

static void sass_visit(struct search *s, uint32_t from) {
    if (s->seen[from] == s->round) return;
    s->seen[from] = s->round;
    VEC_PUSH(&s->todo, from);
}

static void visit_before(struct search *s, uint32_t at) {
    if (at && falls_through(&s->p->code.v[at - 1])) sass_visit(s, at - 1);
    for (uint32_t k = s->landed[at]; k; k = s->jumps.v[k - 1].next) sass_visit(s, s->jumps.v[k - 1].from);
}

static void tell_all(struct search *s, uint32_t what, bool index) {
    s->round++;
    s->todo.n = 0;
    visit_before(s, what);
    while (s->todo.n) {
        const uint32_t at = s->todo.v[--s->todo.n];
        if (eligible(&s->p->code.v[at]))
            sass_tell(s->p, at, what, index);
        else
            visit_before(s, at);
    }
}

static void add_jumps(struct search *s, uint32_t from) {
    const struct sass_insn *i = &s->p->code.v[from];
    for (size_t t = 0; t < i->targets.n; t++) {
        uint32_t *first = &s->landed[i->targets.v[t]];
        VEC_PUSH(&s->jumps, (struct jump){from, *first});
        *first = (uint32_t)s->jumps.n;
    }
}

void sass_connect(struct sass_program *p) {
    const uint32_t n = (uint32_t)p->code.n;
    struct search s = {.p = p,
                       .landed = xcalloc((size_t)n + 1, sizeof *s.landed),
                       .seen = xcalloc((size_t)n + 1, sizeof *s.seen)};
    for (uint32_t k = 0; k < n; k++) add_jumps(&s, k);
    for (uint32_t k = 0; k < n; k++) {
        const struct sass_insn *i = &p->code.v[k];
        if (i->guarded && !tell_near(&s, k)) tell_all(&s, k, false);
        if (i->row->kind == SASS_INDIRECT && i->targets.n > 1) tell_all(&s, k, true);
    }
    xfree(s.landed);
    xfree(s.seen);
    VEC_FREE(&s.jumps);
    VEC_FREE(&s.todo);
}

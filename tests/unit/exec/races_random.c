/* The race check against the definition: random programs, the order of their accesses written down in full.
 *
 * A program is a list of steps that every thread of two blocks of three warps takes: accesses of one word by one or two of the
 * threads, barriers of the block, of two of its warps, of a warp or of some of its lanes, and fences with a flag. The
 * reference keeps for each thread the whole vector of what it knows and every access that was ever made. A program races if
 * two conflicting accesses are not ordered; the check must then report a pair, and only pairs that do race. Neither the
 * epochs nor the shared clocks nor the groups of lanes of the check are here. */
#include "exec/race/races.h"

#include "base/bits.h"
#include "rig.h"

enum {
    WARPS = 3,
    BLOCK = 32 * WARPS,
    BLOCKS = 2,
    THREADS = BLOCK * BLOCKS,
    STEPS = 14,
    PROGRAMS = 3000,
    MOST = 2 * STEPS
};
enum step_kind {
    LOAD,
    STORE,
    ATOMIC,
    BLOCK_BARRIER,
    WARP_BARRIER,
    LANES_BARRIER,
    TWO_WARPS,
    RELEASE,
    ACQUIRE
};

struct step {
    enum step_kind kind;
    uint32_t who[2]; /* threads of the grid that access, release or acquire; lane mask; the warp left out */
    uint32_t flag;   /* ACQUIRE: of which step; no thread may have set it */
    uint32_t line;
};
struct program {
    struct step step[STEPS];
    struct sb text;
};

/* ---- programs ---- */

static uint32_t line_of(const struct sb *s) {
    uint32_t n = 1;
    for (size_t k = 0; k < s->len; k++) n += s->text[k] == '\n';
    return n;
}

static void emit_access(struct program *p, struct step *s, const char *insn) {
    sb_add(&p->text, "setp.eq.u32 %%p1, %%g, %u;\nsetp.eq.or.u32 %%p1, %%g, %u, %%p1;\n", s->who[0],
           s->who[1]);
    s->line = line_of(&p->text);
    sb_add(&p->text, "@%%p1 %s\n", insn);
}

/* Each release has a flag of its own, set by block 0 and read by block 1, which runs after it. */
static void emit(struct program *p, struct step *s, uint32_t k) {
    char load[64];
    switch (s->kind) {
    case LOAD: emit_access(p, s, "ld.global.u32 %r1, [%rd1];"); break;
    case STORE: emit_access(p, s, "st.global.u32 [%rd1], %g;"); break;
    case ATOMIC: emit_access(p, s, "red.global.add.u32 [%rd1], 1;"); break;
    case BLOCK_BARRIER: sb_add(&p->text, "bar.sync 0;\n"); break;
    case WARP_BARRIER: sb_add(&p->text, "bar.warp.sync 0xffffffff;\n"); break;
    case LANES_BARRIER:
        sb_add(&p->text,
               "shr.u32 %%r2, %u, %%l;\nand.b32 %%r2, %%r2, 1;\nsetp.ne.u32 %%p1, %%r2, 0;\n@%%p1 "
               "bar.warp.sync %u;\n",
               s->who[0], s->who[0]);
        break;
    case TWO_WARPS:
        sb_add(&p->text, "setp.ne.u32 %%p1, %%w, %u;\n@%%p1 bar.sync %u, 64;\n", s->who[0], 1 + k);
        break;
    case RELEASE:
        s->who[1] = s->who[0];
        emit_access(p, s, "membar.gl;");
        sb_add(&p->text, "@%%p1 st.volatile.global.u32 [%%rd2+%u], 1;\n", 4 * k);
        break;
    default:
        s->who[1] = s->who[0];
        snprintf(load, sizeof load, "ld.volatile.global.u32 %%r3, [%%rd2+%u];", 4 * s->flag);
        emit_access(p, s, load);
    }
}

/* Few, so that they meet: of all warps, and neighbours; of the other block where there are flags. */
static uint32_t some_thread(struct rng *r, bool flags) {
    const uint32_t in = (uint32_t)(rng_next(r) % WARPS * 32 + rng_next(r) % 2 * 2);
    return flags && rng_next(r) % 4 == 0 ? BLOCK + in : in;
}

static void choose(struct step *s, struct rng *r, bool flags) {
    static const enum step_kind common[] = {
        LOAD,          LOAD,      STORE,   ATOMIC,  BLOCK_BARRIER, BLOCK_BARRIER, WARP_BARRIER,
        LANES_BARRIER, TWO_WARPS, RELEASE, RELEASE, ACQUIRE,       ACQUIRE};
    enum { ALL = sizeof common / sizeof *common, WITHOUT_FLAGS = ALL - 4 };
    s->kind = common[rng_next(r) % (flags ? ALL : WITHOUT_FLAGS)];
    for (int n = 0; n < 2; n++) s->who[n] = some_thread(r, flags);
    if (s->kind == LANES_BARRIER) s->who[0] = (uint32_t)rng_next(r) | 5;
    if (s->kind == TWO_WARPS) s->who[0] = (uint32_t)(rng_next(r) % WARPS);
    if (s->kind <= ATOMIC && (flags || rng_next(r) % 4)) s->who[1] = s->who[0];
    if (s->kind == RELEASE) s->who[0] %= BLOCK;
    if (s->kind == ACQUIRE) s->who[0] = BLOCK + s->who[0] % BLOCK;
}

/* Two of three programs have flags, and those fewer accesses. */
static void make(struct program *p, uint64_t seed) {
    struct rng r = {seed};
    *p = (struct program){0};
    sb_add(&p->text,
           HEAD
           ".visible .entry k(.param .u64 word, .param .u64 flag) {\n.reg .u64 %%rd<3>; .reg .pred %%p<2>;\n"
           ".reg .u32 %%g, %%l, %%w, %%r<9>;\nld.param.u64 %%rd1, [word];\nld.param.u64 %%rd2, [flag];\n"
           "mov.u32 %%r4, %%tid.x;\nmov.u32 %%r5, %%ctaid.x;\nmad.lo.u32 %%g, %%r5, %d, %%r4;\n"
           "and.b32 %%l, %%r4, 31;\nshr.u32 %%w, %%r4, 5;\n",
           BLOCK);
    for (uint32_t k = 0; k < STEPS; k++) choose(&p->step[k], &r, seed % 3);
    for (uint32_t k = 0; k < STEPS; k++) {
        struct step *s = &p->step[k];
        for (int n = 0; n < 8 && p->step[s->flag].kind != RELEASE; n++)
            s->flag = (uint32_t)(rng_next(&r) % STEPS);
        emit(p, s, k);
    }
    sb_add(&p->text, "ret;\n}\n");
}

/* ---- the definition ---- */

struct thread {
    uint8_t knows[THREADS]; /* how many of each thread's steps are before now; of its own, all */
};
struct accessed {
    uint32_t thread, step, line;
    bool write, atomic;
    bool before[MOST]; /* which of those made earlier are */
};
struct truth {
    struct thread t[THREADS];
    struct thread flag[STEPS]; /* what a reader learns */
    struct accessed a[MOST];
    size_t n;
    bool races;
};

static void learn(struct thread *t, const struct thread *from) {
    for (int k = 0; k < THREADS; k++)
        if (t->knows[k] < from->knows[k]) t->knows[k] = from->knows[k];
}

static bool member(const struct step *s, uint32_t thread, uint32_t leader) {
    const bool same_warp = thread / 32 == leader / 32;
    switch (s->kind) {
    case BLOCK_BARRIER: return true;
    case TWO_WARPS: return thread / 32 != s->who[0] && leader / 32 != s->who[0];
    case WARP_BARRIER: return same_warp;
    default: return same_warp && s->who[0] >> thread % 32 & 1 && s->who[0] >> leader % 32 & 1;
    }
}

/* Threads that meet a leader; who is in no barrier is its own member at most. */
static void barrier(struct truth *u, const struct step *s, uint32_t block) {
    bool done[BLOCK] = {false};
    struct thread *t = &u->t[block * BLOCK];
    for (uint32_t k = 0; k < BLOCK; k++) {
        struct thread all = t[k];
        if (done[k] || !member(s, k, k)) continue;
        for (uint32_t n = k; n < BLOCK; n++)
            if (member(s, n, k)) learn(&all, &t[n]);
        for (uint32_t n = k; n < BLOCK; n++)
            if (member(s, n, k)) t[n] = all, done[n] = true;
    }
}

static bool conflict(const struct accessed *a, const struct accessed *b) {
    return a->thread != b->thread && (a->write || b->write) && !(a->atomic && b->atomic);
}

static void take(struct truth *u, const struct step *s, uint32_t k, uint32_t thread) {
    struct thread *t = &u->t[thread];
    if (s->kind <= ATOMIC) {
        struct accessed now = {thread, k, s->line, s->kind != LOAD, s->kind == ATOMIC, {0}};
        for (size_t n = 0; n < u->n; n++) {
            now.before[n] = t->knows[u->a[n].thread] > u->a[n].step;
            u->races |= conflict(&u->a[n], &now) && !now.before[n];
        }
        u->a[u->n++] = now;
    } else if (s->kind == RELEASE) {
        u->flag[k] = *t;
    } else {
        learn(t, &u->flag[s->flag]);
    }
}

/* Block after block, each of them step by step, as they run. */
static void know(struct truth *u, const struct program *p) {
    memset(u, 0, sizeof *u);
    for (uint32_t block = 0; block < BLOCKS; block++)
        for (uint32_t k = 0; k < STEPS; k++) {
            const struct step *s = &p->step[k];
            for (uint32_t t = block * BLOCK; t < (block + 1) * BLOCK; t++) {
                u->t[t].knows[t] = (uint8_t)(k + 1);
                if ((s->kind <= ATOMIC || s->kind >= RELEASE) && (t == s->who[0] || t == s->who[1]))
                    take(u, s, k, t);
            }
            if (s->kind >= BLOCK_BARRIER && s->kind <= TWO_WARPS) barrier(u, s, block);
        }
}

static bool is_race(const struct truth *u, const struct exec_race *race) {
    const struct accessed *side[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++)
        for (size_t n = 0; n < u->n; n++)
            if (u->a[n].thread == race->side[k].block[0] * BLOCK + race->side[k].thread[0] &&
                u->a[n].line == race->side[k].line)
                side[k] = &u->a[n];
    if (!side[0] || !side[1]) return false;
    const struct accessed *later = side[0] > side[1] ? side[0] : side[1];
    return conflict(side[0], side[1]) && !later->before[(side[0] > side[1] ? side[1] : side[0]) - u->a];
}

/* ---- both ---- */

static size_t look(struct program *p, const struct truth *u, uint64_t seed) {
    struct rig r = rig_load(p->text.text);
    const uint64_t params[] = {rig_buf(&r, 4, "word"), rig_buf(&r, 4 * STEPS, "flags")};
    r.launch.races = exec_races_new(EXEC_RACES_ON, 1 << 20);
    rig_ok(&r, "k", BLOCKS, BLOCK, params);
    size_t n;
    const struct exec_race **found = exec_races_found(r.launch.races, &n);
    for (size_t k = 0; k < n; k++)
        if (!is_race(u, found[k]))
            fail_msg("seed %llu: lines %u and %u do not race\n%s", (unsigned long long)seed,
                     found[k]->side[0].line, found[k]->side[1].line, p->text.text);
    free(found);
    exec_races_free(r.launch.races);
    rig_free(&r);
    return n;
}

static void what_races_is_found_and_nothing_else(void **state) {
    (void)state;
    struct truth *u = calloc(1, sizeof *u);
    unsigned races = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct program p;
        make(&p, seed);
        know(u, &p);
        const size_t found = look(&p, u, seed);
        if (u->races != (found > 0))
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed,
                     found ? "a race too many" : "no race is found", p.text.text);
        races += u->races;
        sb_free(&p.text);
    }
    assert_in_range(races, PROGRAMS / 10, PROGRAMS * 9 / 10); /* programs of both kinds */
    free(u);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_races_is_found_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* oracle-reconvergence (DWF 3.3, Figure 3.4): would points beyond the immediate post-dominator be better ones to reconverge at?
 * The traces of the first 128 threads of each launch are cut into warps of four by thread number; the best alignment of the
 * four, found by pairwise alignment over all pairings, is a schedule that an oracle could have followed. Compared are issues,
 * which with ideal memory and enough warps are cycles. Threads that meet at a block barrier meet there in any schedule, so each
 * stretch between barriers is aligned by itself.
 *
 * Two runs: one under pdom, whose traces serve the oracle too since what a thread executes does not depend on the mechanism,
 * and one under nrec. Traces are kept by stretches within basic blocks, which threads enter at the top. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lab/study.h"

struct thread_trace {
    VEC(struct align_text) parts; /* between barriers */
    bool cut;                     /* the next instruction begins a part */
};

struct tracer {
    struct study_reconvergence *out;
    const atomic_bool *stop;
    bool oracle; /* traces are wanted: the run under pdom */
    const struct ir_insn *code;
    uint64_t per_block; /* threads of a block */
    uint64_t issue;     /* the last one counted */
    uint64_t issues[STUDY_THREADS / STUDY_WARP], insts, threads;
    struct thread_trace thread[STUDY_THREADS];
    size_t launch;         /* the run's */
    VEC(uint64_t) counted; /* issues by launch, of nrec */
};

/* ---- traces ---- */

static void add_step(struct tracer *t, struct thread_trace *x, uint32_t pc) {
    if (!x->parts.n || x->cut) VEC_PUSH(&x->parts, (struct align_text){0});
    struct align_text *part = &x->parts.v[x->parts.n - 1];
    struct align_token *last = part->tokens.n ? &part->tokens.v[part->tokens.n - 1] : NULL;
    bool goes_on = last && pc == last->pc + last->n && t->code[pc].block == t->code[last->pc].block;
    if (goes_on)
        last->n++;
    else
        VEC_PUSH(&part->tokens, (struct align_token){pc, 1});
    x->cut = ir_ops[t->code[pc].op].cls == IR_C_BAR;
}

static void on_step(void *user, const struct watch_step *s) {
    struct tracer *t = user;
    FOR_LANES(l, s->mask) {
        uint64_t thread = s->block * t->per_block + s->first + l;
        if (thread >= STUDY_THREADS) continue;
        t->insts++;
        if (thread >= t->threads) t->threads = thread + 1;
        if (t->issue != s->issue) t->issues[thread / STUDY_WARP]++;
        t->issue = s->issue;
        if (t->oracle) add_step(t, &t->thread[thread], s->pc);
    }
}

static void study_reconvergence_clear(struct tracer *t) {
    for (size_t i = 0; i < STUDY_THREADS; i++) {
        struct thread_trace *x = &t->thread[i];
        for (size_t k = 0; k < x->parts.n; k++) VEC_FREE(&x->parts.v[k].tokens);
        VEC_FREE(&x->parts);
        x->cut = false;
    }
    memset(t->issues, 0, sizeof t->issues);
    t->insts = t->threads = 0;
}

static uint64_t all_issues(const struct tracer *t) {
    uint64_t sum = 0;
    for (size_t i = 0; i < STUDY_THREADS / STUDY_WARP; i++) sum += t->issues[i];
    return sum;
}

/* Issues of one warp under the oracle. What pdom did is an alignment too: pairings are not all there is. */
static uint64_t align_warp(const struct thread_trace *x, uint64_t pdom) {
    uint64_t issues = 0;
    size_t parts = 0;
    for (int i = 0; i < STUDY_WARP; i++)
        if (x[i].parts.n > parts) parts = x[i].parts.n;
    for (size_t k = 0; k < parts; k++) {
        struct align_text text[STUDY_WARP] = {0};
        for (int i = 0; i < STUDY_WARP; i++)
            if (k < x[i].parts.n) text[i] = x[i].parts.v[k];
        issues += align_four(text);
    }
    return issues < pdom ? issues : pdom;
}

/* ---- launches ---- */

static int study_reconvergence_on_progress(void *user, uint64_t done, uint64_t all) {
    const struct tracer *t = user;
    (void)done, (void)all;
    return !atomic_load(t->stop);
}

static void study_reconvergence_on_opened(void *user, hd_device *dev) {
    const struct tracer *t = user;
    sim_watch(dev, &(struct watch){.steps = {.step = on_step, .user = user}});
    if (t->stop) hd_set_progress(dev, study_reconvergence_on_progress, user);
}

static void on_before(void *user, hd_kernel *k, const hd_launch *l) {
    struct tracer *t = user;
    t->per_block = 1;
    for (int d = 0; d < 3; d++) t->per_block *= l->block[d] ? l->block[d] : 1;
    t->code = sim_module_ir(sim_kernel_module(k))->code.v;
    study_reconvergence_clear(t);
}

static struct reconvergence_row *study_reconvergence_row_of(struct study_reconvergence *s, hd_kernel *k) {
    size_t i = study_kernel(&s->kernels, k);
    if (i == s->rows.n) VEC_PUSH(&s->rows, (struct reconvergence_row){.kernel = s->kernels.names.v[i]});
    return &s->rows.v[i];
}

static void study_reconvergence_add(struct reconvergence_row *r, const struct tracer *t, uint64_t nrec,
                                    uint64_t oracle) {
    r->launches++;
    r->threads += t->threads;
    r->insts += t->insts;
    r->nrec += nrec;
    r->pdom += all_issues(t);
    r->oracle += oracle;
}

static void on_after(void *user, hd_kernel *k, const hd_launch *l) {
    struct tracer *t = user;
    (void)l;
    if (!t->oracle) {
        VEC_PUSH(&t->counted, all_issues(t));
        return;
    }
    uint64_t oracle = 0, nrec = t->launch < t->counted.n ? t->counted.v[t->launch] : 0;
    t->launch++;
    for (size_t i = 0; i < STUDY_THREADS; i += STUDY_WARP)
        oracle += align_warp(&t->thread[i], t->issues[i / STUDY_WARP]);
    study_reconvergence_add(study_reconvergence_row_of(t->out, k), t, nrec, oracle);
    study_reconvergence_add(&t->out->total, t, nrec, oracle);
}

/* ---- the two runs ---- */

static bool study_reconvergence_run(struct tracer *t, const struct lab_subject *s, const hd_config *machine,
                                    const char *mech, struct err *e) {
    const hd_option own[] = {{"run.mode", "timed"},
                             {"run.mech", mech},
                             {"sm.warp_size", "4"},
                             {"sm.simd_width", "4"},
                             {"memory.ideal", "true"}};
    enum { OWN = sizeof own / sizeof *own };
    hd_option *all = xmalloc((machine->noptions + OWN) * sizeof *all);
    for (size_t i = 0; i < machine->noptions; i++) all[i] = machine->options[i];
    for (size_t i = 0; i < OWN; i++) all[machine->noptions + i] = own[i];
    const hd_config config = {.options = all, .noptions = machine->noptions + OWN, .file = machine->file};
    const struct lab_hooks hooks = {
        .opened = study_reconvergence_on_opened, .before = on_before, .after = on_after, .user = t};
    struct lab_outcome o;
    lab_run(s, &config, &hooks, &o);
    bool fine = !o.err.code || err_set(e, o.err.code, "under %s: %s", mech, err_text(&o.err));
    lab_outcome_free(&o);
    free(all);
    return fine;
}

bool study_reconvergence(const struct lab_subject *s, const hd_config *machine, const atomic_bool *stop,
                         struct study_reconvergence *out, struct err *e) {
    *out = (struct study_reconvergence){.total.kernel = "total"};
    struct tracer *t = xcalloc(1, sizeof *t);
    t->out = out;
    t->stop = stop;
    bool fine = study_reconvergence_run(t, s, machine, "nrec", e);
    t->oracle = true;
    t->issue = 0;
    fine = fine && study_reconvergence_run(t, s, machine, "pdom", e);
    study_reconvergence_clear(t);
    VEC_FREE(&t->counted);
    free(t);
    return fine;
}

void study_reconvergence_free(struct study_reconvergence *s) {
    VEC_FREE(&s->rows);
    study_kernels_free(&s->kernels);
}

/* Runs of subjects. A workload makes its own buffers and launches; a program is one launch with the buffers of its arguments.
 * Either way the result of a run is its statistics and a digest of what it computed. */
#include "lab/run/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lab/run/pool.h"
#include "sim/device/checkpoint.h"
#include "sim/observe/tape.h"

struct run {
    const struct lab_hooks *hooks;
    struct lab_outcome *out;
    hd_device *dev;
    double started;
};

static void no_print(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

static void lab_subject_before(struct run *r, hd_kernel *k, const hd_launch *l) {
    if (r->hooks->before) r->hooks->before(r->hooks->user, k, l);
    r->started = lab_seconds();
}

static void lab_subject_after(struct run *r, hd_kernel *k, const hd_launch *l) {
    double seconds = lab_seconds() - r->started;
    sim_note(r->dev, &seconds, sizeof seconds);
    r->out->seconds += seconds;
    r->out->launches++;
    if (r->hooks->after) r->hooks->after(r->hooks->user, k, l);
}

static void ended(struct run *r, hd_module *mod, const hd_arg *args) {
    if (r->hooks->ended) r->hooks->ended(r->hooks->user, r->dev, mod, args);
}

/* ---- workloads ---- */

static void work_before(struct work *w, hd_kernel *k, const hd_launch *l) {
    lab_subject_before(w->user, k, l);
}

static void work_after(struct work *w, hd_kernel *k, const hd_launch *l) {
    lab_subject_after(w->user, k, l);
}

static bool run_workload(struct run *r, const struct lab_subject *s) {
    struct work w = {.workload = s->workload,
                     .size = s->size,
                     .seed = (uint64_t)sim_options(r->dev)->run.seed,
                     .dev = r->dev,
                     .before = work_before,
                     .after = work_after,
                     .user = r};
    bool fine = work_run(&w);
    r->out->digest = w.digest;
    r->out->checked = w.checked;
    r->out->wrong = work_ok(&w) && w.wrong;
    if (fine) return ended(r, w.mod, NULL), true;
    if (!r->out->wrong) return lab_check(r->dev, w.status, &r->out->err);
    return err_set(&r->out->err, ERR_FAULT, "the result is wrong: %s", w.why);
}

/* ---- programs ---- */

/* Piece by piece: a buffer may be as large as the device's memory. */
static bool digest_buffer(struct run *r, uint64_t addr, uint64_t bytes) {
    uint8_t piece[1 << 16];
    for (uint64_t at = 0; at < bytes; at += sizeof piece) {
        uint64_t n = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        if (!lab_check(r->dev, hd_copy_out(r->dev, piece, addr + at, n), &r->out->err)) return false;
        r->out->digest = hash_words(r->out->digest, piece, n);
    }
    return true;
}

static bool digest_buffers(struct run *r, const struct lab_program *p, const hd_arg *args) {
    r->out->digest = HASH_START;
    for (size_t i = 0; i < p->nargs + p->nbuffers; i++)
        if (!digest_buffer(r, args[i].v.u, p->args[i].bytes)) return false;
    return true;
}

static bool lab_subject_fill(struct run *r, const struct lab_subject *s, hd_module *mod, const hd_arg *args) {
    struct err *e = &r->out->err;
    if (s->hold && !s->hold(s->holder, true, e)) return false;
    const bool fine = lab_fill(r->dev, mod, s->program, args, e);
    if (s->hold) s->hold(s->holder, false, e);
    return fine;
}

static bool run_program(struct run *r, const struct lab_subject *s) {
    const struct lab_program *p = s->program;
    struct err *e = &r->out->err;
    hd_module *mod;
    hd_kernel *k;
    hd_arg *args = xcalloc(p->nargs + p->nbuffers + 1, sizeof *args);
    bool fine = lab_load(r->dev, p, &mod, &k, e) && lab_bind(r->dev, mod, p, args, e) &&
                lab_subject_fill(r, s, mod, args);
    if (fine) {
        lab_subject_before(r, k, &p->launch);
        fine = lab_check(r->dev, hd_run(k, &p->launch, args, p->nargs), e);
        if (fine) lab_subject_after(r, k, &p->launch);
    }
    fine = fine && (r->hooks->no_digest || digest_buffers(r, p, args));
    if (fine) ended(r, mod, args);
    lab_unbind(p, args);
    free(args);
    return fine;
}

/* ---- scripts ---- */

bool lab_stage_launch(struct lab_stage *s, hd_kernel *k, const hd_launch *l, const hd_arg *args, size_t nargs,
                      struct err *e) {
    lab_subject_before(s->run, k, l);
    if (!lab_check(s->dev, hd_run(k, l, args, nargs), e)) return false;
    lab_subject_after(s->run, k, l);
    return true;
}

bool lab_stage_follow(struct lab_stage *s, hd_kernel *k, const hd_launch *l, const struct sim_followed *f,
                      struct err *e) {
    lab_subject_before(s->run, k, l);
    if (!lab_check(s->dev, sim_follow(k, l, f), e)) return false;
    lab_subject_after(s->run, k, l);
    return true;
}

static bool run_script(struct run *r, const struct lab_script *s) {
    struct err *e = &r->out->err;
    struct lab_stage stage = {.dev = r->dev, .hooks = r->hooks, .out = r->out, .run = r};
    if (s->text && !lab_check(r->dev, hd_module_load(r->dev, s->file, s->text, s->text_bytes, &stage.mod), e))
        return false;
    if (!s->run(s->user, &stage, e)) return false;
    ended(r, stage.mod, NULL);
    return true;
}

/* ---- all ---- */

void lab_run(const struct lab_subject *s, const hd_config *config, const struct lab_hooks *hooks,
             struct lab_outcome *out) {
    static const struct lab_hooks none;
    struct run r = {.hooks = hooks ? hooks : &none, .out = out};
    *out = (struct lab_outcome){0};
    if (s->command) {
        s->command->run(s->command->user, config, r.hooks, out);
        return;
    }
    if (lab_open(config, &r.dev, &out->err)) {
        hd_set_print(r.dev, no_print, NULL);
        if (r.hooks->opened) r.hooks->opened(r.hooks->user, r.dev);
        if (s->workload)
            run_workload(&r, s);
        else if (s->script)
            run_script(&r, s->script);
        else
            run_program(&r, s);
        out->total = *sim_stats(r.dev, true);
        if (r.hooks->closing) r.hooks->closing(r.hooks->user, r.dev);
    }
    hd_device_close(r.dev);
}

void lab_outcome_free(struct lab_outcome *o) {
    err_free(&o->err);
}

/* ---- names ---- */

/* The workloads that have such a build. */
static void list_built(enum work_isa isa, struct sb *out) {
    for (const struct workload *w = workload_builds; w->name; w++)
        if (w->isa == isa) sb_add(out, "%s%.*s", out->len ? ", " : "", (int)strcspn(w->name, ":"), w->name);
}

bool lab_isa(const char *name, enum work_isa *isa, struct err *e) {
    for (*isa = WORK_PTX; *isa < WORK_ISAS; (*isa)++)
        if (!strcmp(work_isa_names[*isa], name)) return true;
    return err_set(e, ERR_INPUT, "there is no instruction set '%.60s': ptx, riscv or riscv-O1", name);
}

const struct workload *lab_build(const struct workload *w, enum work_isa isa, struct err *e) {
    const struct workload *found = workload_build(w, isa);
    struct sb built = {0};
    if (w->isa != WORK_PTX && w->isa != isa)
        return err_set(e, ERR_INPUT, "@%s is the build for %s, not for %s", w->name, work_isa_names[w->isa],
                       work_isa_names[isa]),
               NULL;
    if (found) return found;
    list_built(isa, &built);
    err_set(e, ERR_INPUT, "@%s is not compiled for %s; these are: %s", w->name, work_isa_names[isa],
            built.text);
    sb_free(&built);
    return NULL;
}

/* The workload in front of the colon; NULL: there is none, or no colon. */
static const struct workload *before_colon(const char *name) {
    const size_t n = strcspn(name, ":");
    const struct workload *w = workload_list;
    while (w->name && (strncmp(w->name, name, n) != 0 || w->name[n])) w++;
    return name[n] && w->name ? w : NULL;
}

const struct workload *lab_workload(const char *name, struct err *e) {
    const struct workload *found = workload_find(name), *program = before_colon(name);
    enum work_isa isa;
    if (found) return found;
    if (program) return lab_isa(strchr(name, ':') + 1, &isa, e) ? lab_build(program, isa, e) : NULL;
    VEC(const char *) names = {0};
    for (const struct workload *w = workload_list; w->name; w++) VEC_PUSH(&names, w->name);
    VEC_PUSH(&names, NULL);
    const char *near = nearest_name(name, names.v);
    VEC_FREE(&names);
    if (near)
        err_set(e, ERR_INPUT, "there is no workload '%.60s' (did you mean @%s?)", name, near);
    else
        err_set(e, ERR_INPUT, "there is no workload '%.60s'; 'heddle list workloads' shows them", name);
    return NULL;
}

bool lab_size(const char *text, enum work_size *size, struct err *e) {
    for (int i = 0; i < WORK_SIZES; i++)
        if (!strcmp(text, work_size_names[i])) return *size = (enum work_size)i, true;
    return err_set(e, ERR_INPUT, "there is no size '%.60s': tiny, small or paper", text);
}

void lab_subject_name(const struct lab_subject *s, struct sb *out) {
    if (s->name)
        sb_add(out, "%s", s->name);
    else if (s->workload)
        sb_add(out, "@%s", s->workload->name);
    else if (s->script)
        sb_add(out, "%s:%s", s->script->file, s->script->name);
    else
        sb_add(out, "%s:%s", s->program->file, s->program->kernel);
}

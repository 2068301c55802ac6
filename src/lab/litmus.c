/* Runs of litmus kernels. That a run ended is not enough: what each thread saw and what all of them counted is compared with
 * what the kernel must leave, which litmus.def says and no run of ours decides. Why one did not end is told by the error's code
 * and, of faults, by the first words of the watchdog's report (docs/watchdog.md). */
#include "lab/litmus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/subject.h"

const char *const litmus_end_names[] = {
    [LITMUS_ENDS] = "ends",       [LITMUS_DEADLOCK] = "deadlock", [LITMUS_REFUSED] = "refused",
    [LITMUS_GOES_ON] = "goes on", [LITMUS_NO_END] = "no end",     [LITMUS_WRONG] = "WRONG",
    [LITMUS_FAILED] = "failed"};

const struct litmus *litmus_find(const char *name, struct err *e) {
    VEC(const char *) names = {0};
    const struct litmus *l = litmus_list;
    for (; l->name && strcmp(l->name, name) != 0; l++) VEC_PUSH(&names, l->name);
    VEC_PUSH(&names, NULL);
    if (!l->name) err_no_such(e, "litmus kernel", name, names.v);
    VEC_FREE(&names);
    return l->name ? l : NULL;
}

/* ---- what it must leave ---- */

struct check {
    const struct litmus *litmus;
    struct litmus_cell *cell;
};

static bool right(const struct litmus *l, const uint32_t *out, struct err *e) {
    if (out[0] != l->count)
        return err_set(e, ERR_FAULT, "out[0] is %" PRIu32 ", not %" PRIu32, out[0], l->count);
    for (uint32_t t = 0; t < l->grid * l->block; t++)
        if (out[1 + t] != 1)
            return err_set(e, ERR_FAULT, "out[%" PRIu32 "] of thread %" PRIu32 " is %" PRIu32 ", not 1",
                           1 + t, t, out[1 + t]);
    return true;
}

static void litmus_on_ended(void *user, hd_device *dev, hd_module *mod, const hd_arg *args) {
    struct check *c = user;
    const size_t words = 1 + (size_t)c->litmus->grid * c->litmus->block;
    uint32_t *out = xcalloc(words, sizeof *out);
    (void)mod;
    if (!lab_check(dev, hd_copy_out(dev, out, args[1].v.u, words * sizeof *out), &c->cell->err))
        c->cell->end = LITMUS_FAILED;
    else if (!right(c->litmus, out, &c->cell->err))
        c->cell->end = LITMUS_WRONG;
    free(out);
}

/* ---- the run ---- */

static enum litmus_end why(const struct err *e) {
    const char *text = err_text(e);
    if (e->code == ERR_REFUSED) return LITMUS_REFUSED;
    if (e->code == ERR_LIMIT) return LITMUS_GOES_ON;
    if (e->code != ERR_FAULT) return LITMUS_FAILED;
    if (!strncmp(text, "SIMT-induced deadlock", 21)) return LITMUS_DEADLOCK;
    return !strncmp(text, "program deadlock", 16) || !strncmp(text, "deadlock", 8) ? LITMUS_NO_END
                                                                                   : LITMUS_FAILED;
}

void litmus_run(const struct litmus *l, const hd_config *machine, struct litmus_cell *out) {
    const struct lab_arg args[] = {{.text = "state", .bytes = LITMUS_STATE * sizeof(uint32_t)},
                                   {.text = "out", .bytes = (1 + l->grid * l->block) * sizeof(uint32_t)}};
    const struct lab_program program = {.file = l->name,
                                        .text = l->ptx,
                                        .text_bytes = l->ptx_bytes,
                                        .kernel = "litmus",
                                        .launch = {.grid = {l->grid, 1, 1}, .block = {l->block, 1, 1}},
                                        .args = args,
                                        .nargs = 2};
    struct check check = {.litmus = l, .cell = out};
    const struct lab_hooks hooks = {.ended = litmus_on_ended, .user = &check, .no_digest = true};
    struct lab_outcome run;
    *out = (struct litmus_cell){.end = LITMUS_ENDS};
    lab_run(&(struct lab_subject){.program = &program}, machine, &hooks, &run);
    out->cycles = run.total.gpu.cycles;
    if (run.err.code) {
        out->end = why(&run.err);
        out->err = run.err;
        run.err = (struct err){0};
    }
    lab_outcome_free(&run);
}

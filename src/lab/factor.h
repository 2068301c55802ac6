/* Factors: an option, or several that go together, and the levels at which an experiment sets it. */
#ifndef HEDDLE_LAB_FACTOR_H
#define HEDDLE_LAB_FACTOR_H

#include "lab/experiment.h"

struct factor_option {
    const char *key;
    const char **value; /* by level */
};
struct factor {
    const char *name;
    struct factor_option *options;
    size_t noptions, levels;
};

/* Reads "[NAME:]KEY=VALUE,VALUE,...[:KEY=VALUE,VALUE,...]..."; without a name the keys are it. All options have as many values, two
 * at least. Text is put into mem. */
bool factor_read(const char *text, struct arena *mem, struct factor *out, struct err *e);
/* Whether such options exist, take such values, have others at each level, occur once, and say something about the experiment, of
 * which response, config and settings are filled: no parameter of a mechanism that does not run, nothing that the experiment
 * sets itself. Values become the options' own text of them ("32K" of "32768"). */
bool factors_check(struct factor *list, size_t n, const struct experiment *x, struct arena *mem,
                   struct err *e);
/* The machine with each factor at its level. */
struct experiment_machine factors_machine(const struct factor *list, size_t n, const size_t *level,
                                          struct arena *mem);
/* "8", or "1536, 32768, 32K" */
void factor_level(const struct factor *f, size_t level, struct sb *out);

#endif

/* A run of a script, as its files share it. */
#ifndef HEDDLE_SCRIPT_STATE_H
#define HEDDLE_SCRIPT_STATE_H

#include "script/script.h"
#include "value/arrays.h"

struct script_value {
    bool known, real;
    int64_t i;
    double d;
};

/* What a name stands for now: swap exchanges two of them. */
struct script_memory {
    enum ir_type type;
    uint64_t addr, count; /* addr 0: not yet declared */
    bool constant;        /* .const: a kernel cannot take its address */
};

struct script_state {
    const struct script *s;
    const struct script_job *job;
    struct lab_stage *stage;
    struct script_value *numbers;
    struct script_memory *buffers;
    bool has_index;
    uint64_t index, steps;
    struct err *e;
};

/* eval.c */
bool eval(struct script_state *st, const struct script_expr *x, struct script_value *out);
bool eval_int(struct script_state *st, const struct script_expr *x, const char *what, int64_t least,
              int64_t most, int64_t *out);
bool eval_true(struct script_state *st, const struct script_expr *x, bool *out);
bool eval_real(struct script_state *st, const struct script_expr *x, double *out);
/* As an element of a type, range-checked. */
bool eval_bits(struct script_state *st, const struct script_expr *x, enum ir_type type, uint64_t *bits);
double script_real(enum ir_type type, uint64_t bits); /* an element as a double */
void script_value_text(const struct script_value *v, struct sb *out);
/* Called every so often. False: the run was asked to stop. */
bool script_go_on(struct script_state *st, struct script_at at);
/* A device's failure with the place in the script. */
bool script_device(struct script_state *st, struct script_at at, hd_status status);

/* data.c: a part of a buffer, and what contents make of it. */
struct script_part {
    struct script_memory *m;
    uint64_t first, count;
};
bool target_part(struct script_state *st, const struct script_target *t, struct script_part *out);
uint8_t *part_read(struct script_state *st, const struct script_part *p, struct script_at at);
bool part_write(struct script_state *st, const struct script_part *p, const uint8_t *data,
                struct script_at at);
/* count 0: as many as there are, which is then said. NULL on error; for the caller to free. */
uint8_t *contents_make(struct script_state *st, const struct script_contents *c, enum ir_type type,
                       uint64_t first, uint64_t *count);

/* check.c */
bool run_check(struct script_state *st, const struct script_statement *s);
/* launch.c */
bool run_launch(struct script_state *st, const struct script_statement *s);
/* Kernel and arguments as far as they are known without a run. */
bool launch_match(const struct script *s, const struct script_statement *l, hd_device *dev, hd_module *mod,
                  hd_kernel **k, hd_kernel_info *info, struct err *e);
/* output.c */
bool run_print(struct script_state *st, const struct script_statement *s);
bool run_write(struct script_state *st, const struct script_statement *s);

#endif

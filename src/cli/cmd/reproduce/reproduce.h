/* One `heddle reproduce`, shared by the files reproduce*.c. */
#ifndef HEDDLE_CLI_CMD_REPRODUCE_REPRODUCE_H
#define HEDDLE_CLI_CMD_REPRODUCE_REPRODUCE_H

#include <jansson.h>

#include "cli/stop.h"
#include "lab/claims.h"

struct reproduce {
    struct cli *cli;
    const struct opts *opts;
    const char *json, *csv, *html, *db;
    bool list, quiet, markdown, data_on_stdout;
    VEC(const struct claim *) chosen;
    size_t left_out; /* claims asked for that are left out: they are not about programs of --isa */
    struct claims claims;
    struct progress progress;
    struct stop stop;
};

/* cells.c: what stands in the cells of all forms of output. */
/* The paper's number, the mean of its values by workload; false: it has only words. */
bool reproduce_paper_number(const struct claim_result *r, double *paper);
void reproduce_paper(const struct claim_result *r, struct sb *out); /* the paper's number or words */
void reproduce_ours(const struct claim_result *r, struct sb *out);
void reproduce_verdict(const struct claim_result *r, struct sb *out);
void reproduce_value_paper(const struct claim_result *r, const struct claim_value *v, struct sb *out);
void reproduce_value_ours(const struct claim_result *r, const struct claim_value *v, struct sb *out);
const char *reproduce_unit(const struct claim *c);               /* "%", "points" or "" */
void reproduce_part(const struct claim_part *p, struct sb *out); /* "12.5 of 20 (63 %)" */
/* A heading; the scores of all and of each paper, of predictions and of what was chosen, where there are any. */
struct table;
void reproduce_score(const struct reproduce *r, struct table *t);

/* report.c */
void reproduce_list(const struct reproduce *r, struct sb *out);
void reproduce_report(const struct reproduce *r, struct sb *out);
void reproduce_markdown(const struct reproduce *r, struct sb *out);
/* data.c */
json_t *reproduce_tree(const struct reproduce *r); /* everything: size, build, score, claims */
bool reproduce_json(const struct reproduce *r, struct sb *out, struct err *e);
void reproduce_csv(const struct reproduce *r, struct sb *out);

/* html.c */
void reproduce_html(const struct reproduce *r, struct sb *out);

#endif

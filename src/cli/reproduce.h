/* One `heddle reproduce`, shared by reproduce.c and reproduce_report.c. */
#ifndef HEDDLE_CLI_REPRODUCE_H
#define HEDDLE_CLI_REPRODUCE_H

#include "cli/stop.h"
#include "lab/claims.h"

struct reproduce {
    struct cli *cli;
    const char *json, *csv, *db;
    bool list, quiet, markdown, data_on_stdout;
    VEC(const struct claim *) chosen;
    struct claims claims;
    struct progress progress;
    struct stop stop;
};

/* reproduce_report.c */
void reproduce_list(const struct reproduce *r, struct sb *out);
void reproduce_report(const struct reproduce *r, struct sb *out);
void reproduce_markdown(const struct reproduce *r, struct sb *out);
bool reproduce_json(const struct reproduce *r, struct sb *out, struct err *e);
void reproduce_csv(const struct reproduce *r, struct sb *out);

#endif

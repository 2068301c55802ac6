/* One `heddle area`, shared by area.c and report.c. */
#ifndef HEDDLE_CLI_CMD_AREA_AREA_H
#define HEDDLE_CLI_CMD_AREA_AREA_H

#include "cli/cli.h"
#include "lab/area.h"
#include "subject/machines.h"

struct area_one {
    const char *mech;
    struct area area;
    bool fine;
    struct err err;
};
struct area_command {
    struct cli *cli;
    const char *json, *csv, *config;
    bool fit, totals, markdown, quiet, data_on_stdout;
    struct area_model model;
    struct machines machines;
    VEC(struct area_one) one; /* by machine */
    double pdom;              /* mm2 of an SM with pdom; 0: it has none there */
};

/* report.c; of: a struct area_command */
void area_report(const void *of, struct sb *out);
bool area_json(const void *of, struct sb *out, struct err *e);
void area_csv(const void *of, struct sb *out);

#endif

/* One 'heddle study factors', shared by study_factors*.c. */
#ifndef HEDDLE_CLI_CMD_STUDY_FACTORS_H
#define HEDDLE_CLI_CMD_STUDY_FACTORS_H

#include "cli/cmd/study/experiment.h"

struct study_factors {
    struct study_experiment common;
    struct factors lab;
};

/* factors_report.c; of: a struct study_factors */
void study_factors_report(const void *of, struct sb *out);
/* factors_files.c */
bool study_factors_json(const void *of, struct sb *out, struct err *e);
void study_factors_csv(const void *of, struct sb *out);

#endif

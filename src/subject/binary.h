/* Programs for RISC-V as subjects: main is the script that launches. */
#ifndef HEDDLE_SUBJECT_BINARY_H
#define HEDDLE_SUBJECT_BINARY_H

#include "lab/run/subject.h"

struct binary_job {
    const char *const *argv; /* argc of them */
    size_t argc;
    const char *files; /* --files; NULL: not given */
};
/* struct lab_script's run; user: a binary_job. An exit status that is not 0 is a wrong result. */
bool binary_run(const void *user, struct lab_stage *stage, struct err *e);

#endif

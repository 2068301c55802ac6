/* A profile (docs/profile.md) for people: where all lane slots went, then branches, lines and functions. What is shown may
 * come from a module that is still there, or from what a process wrote down about its own. */
#ifndef HEDDLE_CLI_PROFILE_TABLES_H
#define HEDDLE_CLI_PROFILE_TABLES_H

#include "cli/term.h"
#include "heddle.h"
#include "sim/kinds.h"

struct profile_rows_shown {
    hd_profile_row *v;
    size_t n, cap;
};
struct profile_shown {
    uint64_t slots;                /* all */
    uint64_t lanes[SM_LANE_KINDS]; /* slots of issues; with waits, they add up to `slots` */
    uint64_t waits[SM_WAITS];
    struct profile_rows_shown by[4]; /* as of hd_profile_by, and in that order */
};

void profile_tables(const struct term *t, const struct profile_shown *p, struct sb *out);
void profile_shown_free(struct profile_shown *p);

#endif

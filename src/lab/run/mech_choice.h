/* A choice of mechanism as users write it: its name, and parameters of its own. */
#ifndef HEDDLE_LAB_RUN_MECH_CHOICE_H
#define HEDDLE_LAB_RUN_MECH_CHOICE_H

#include <heddle.h>

#include "base/alloc.h"
#include "base/err.h"

struct mech_choice {
    hd_option *setting; /* run.mech, then NAME.KEY of each parameter */
    size_t nsettings;
};

/* The choice with NAME as mech.def has it, where upper and lower case are all that differs ("PDOM"); else the text itself. */
const char *mech_choice_spelling(const char *text, struct arena *mem);

/* Reads "NAME" or "NAME:KEY=VALUE:...". Text is put into mem. False: there is no such mechanism, or something that is not
 * KEY=VALUE follows it; whether there are such parameters is for who sets them to find. */
bool mech_choice_read(const char *text, struct arena *mem, struct mech_choice *out, struct err *e);

#endif

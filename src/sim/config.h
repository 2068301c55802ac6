/* Configurations: the machines of configs/, compiled in, and files of the same form. */
#ifndef HEDDLE_SIM_CONFIG_H
#define HEDDLE_SIM_CONFIG_H

#include "sim/options.h"

struct config {
    const char *name;  /* "harp-fermi" */
    const char *title; /* the first comment line of the file */
    const char *text;  /* all of it */
};
extern const struct config config_list[]; /* in order of name; ends with a NULL name */

#define CONFIG_DEFAULT "harp-fermi" /* what the defaults of the option tables are */

const struct config *config_find(const char *name); /* NULL: none is compiled in by that name */
/* Reads the configuration of that name, or else the file of that path (a word without '/' and '.' is never a path). */
bool config_read(struct options *o, const char *name, struct err *e);
/* Every key as an INI file that reads back the same, each with where its value comes from: "default", the configuration,
 * "given". */
void config_show(const struct options *o, struct sb *out);

#endif

/* Options: the values of options.def's rows, how they are read and checked, and where each came from. */
#ifndef HEDDLE_SIM_OPTIONS_H
#define HEDDLE_SIM_OPTIONS_H

#include "base/option.h"
#include "cpu/options.h"
#include "exec/race/races.h"
#include "mech/mech.h"
#include "mem/options.h"
#include "sm/options.h"

enum option_id {
#define BEGIN(section, title)
#define OPT(section, name, ...) OPT_##section##_##name,
#define END(section)
#include "sim/options.def"
    OPTION_COUNT, /* rows of the tables; those of mechanisms follow */
    OPTION_PARAMS = 256,
    OPTION_MOST = OPTION_COUNT + OPTION_PARAMS
};

enum option_origin { OPTION_DEFAULT, OPTION_FILE, OPTION_GIVEN }; /* later ones win */
#define RUN_MODE(CHOICE) CHOICE(auto, RUN_AUTO) CHOICE(functional, RUN_FUNCTIONAL) CHOICE(timed, RUN_TIMED)
enum run_mode { RUN_MODE(OPTION_ENUMERATOR) };
/* An enum cfg_form, or what the mechanism asks for. */
enum { RUN_FORM_AUTO = CFG_FORMS };
#define RUN_FORM(CHOICE)     CHOICE(auto, RUN_FORM_AUTO) CFG_FORM_CHOICES(CHOICE)
#define GPU_DISPATCH(CHOICE) CHOICE(as_freed, GPU_AS_FREED) CHOICE(one_at_a_time, GPU_ONE_AT_A_TIME)
enum gpu_dispatch { GPU_DISPATCH(OPTION_ENUMERATOR) };

struct options {
#define OPTIONS_OWN
#define BEGIN(section, title)         struct opt_##section {
#define OPT(section, name, kind, ...) option_##kind name;
#define END(section) \
    }                \
    section;
#include "sim/options.def"
#undef OPTIONS_OWN
    struct sm_options machine;
    struct mem_options memory;
    struct cpu_options host;
    int64_t param[OPTION_PARAMS]; /* of the mechanisms of mech_list, in order */
    uint8_t origin[OPTION_MOST];  /* enum option_origin */
    size_t nrows;
    const struct option_row *rows; /* OPTION_COUNT of the tables, then the parameters of all mechanisms */
    const char *file;              /* the configuration read, "" when there was none */
    struct arena text;             /* holds TEXT values, and the rows of mechanisms */
};

struct option_section {
    const char *name, *title;
};

extern const struct option_row option_rows[OPTION_COUNT];
extern const struct option_section option_sections[]; /* ends with a NULL name */
extern const char *const option_origin_name[];

void options_init(struct options *o); /* all defaults */
void options_free(struct options *o);
/* The place of that key among o->rows, or o->nrows with the nearest key in the message. */
size_t options_find(const struct options *o, const char *key, struct err *e);
/* Sets one key. A value from a file does not replace one that was given. */
bool options_set(struct options *o, const char *key, const char *value, enum option_origin from,
                 struct err *e);
/* Sets the row at index `row` of o->rows. */
bool options_set_row(struct options *o, size_t row, const char *value, enum option_origin from,
                     struct err *e);
/* Reads "[section]" and "name = value" lines; messages begin with the file and line. */
bool options_read_file(struct options *o, const char *path, struct err *e);
/* Reads text (ends in NUL) as options_read_file reads a file; messages call it `name`. */
bool options_read_text(struct options *o, const char *name, const char *text, struct err *e);
/* What no row alone can say: widths that must divide each other, the mechanism's name. */
bool options_check(const struct options *o, struct err *e);
/* Makes run.mode = auto one of the others: timed when a key was set that only a timed run asks for, given or in a file that does not
 * merely stand in, and races are not looked for. */
void options_settle(struct options *o, bool stand_in);
/* The mechanism chosen, and its parameters in the order of its table. */
const struct mech_ops *options_mech(const struct options *o, const int64_t **param);
/* True for options that say how the host computes, not what: no result depends on them, and none names them. */
bool options_of_host(const struct option_row *r);
/* "default", the configuration's name, or "given". */
const char *options_origin(const struct options *o, size_t row);
/* Title of a section: of the tables, or "Mechanism NAME: title". */
void options_section_title(const char *section, struct sb *out);

#endif

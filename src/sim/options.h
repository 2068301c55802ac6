/* Options: the values of options.def's rows, how they are read and checked, and where each came from. */
#ifndef HEDDLE_SIM_OPTIONS_H
#define HEDDLE_SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"
#include "mech/mech.h"
#include "mem/options.h"
#include "sm/options.h"

enum option_kind { OPTION_INT, OPTION_SIZE, OPTION_REAL, OPTION_BOOL, OPTION_ENUM, OPTION_TEXT };
typedef int64_t option_INT;
typedef uint64_t option_SIZE;
typedef double option_REAL;
typedef bool option_BOOL;
typedef int option_ENUM;
typedef const char *option_TEXT;

/* One row: of the tables, or made from a mechanism's parameter. */
struct option_row {
    const char *key;     /* "section.name" */
    const char *section; /* "section" */
    enum option_kind kind;
    const char *initial; /* the default, as text */
    int64_t low, high;   /* INT, SIZE */
    double rlow, rhigh;  /* REAL */
    const char *choices; /* ENUM: "a|b|c" */
    const char *unit;    /* "" when it has none */
    const char *help;    /* whole sentences */
    size_t offset;       /* of the value in the struct it belongs to */
    bool wide;           /* BOOL and ENUM too are held in an int64_t: parameters of mechanisms */
};

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
enum { RUN_FUNCTIONAL, RUN_TIMED };

struct options {
#define OPTIONS_OWN
#define BEGIN(section, title)         struct {
#define OPT(section, name, kind, ...) option_##kind name;
#define END(section) \
    }                \
    section;
#include "sim/options.def"
#undef OPTIONS_OWN
    struct sm_options machine;
    struct mem_options memory;
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

/* ---- any table of rows ---- */

/* Reads text into the field of base that row describes. On false the message says what is accepted. TEXT is
 * copied to mem. */
bool option_read(const struct option_row *row, const char *text, void *base, struct arena *mem,
                 struct err *e);
/* "a whole number from 1 to 64", "auto, portable or avx2", ... */
void option_accepts(const struct option_row *row, struct sb *out);
/* The value of a row that is a whole number, a size, a flag (0, 1) or a word (its place in the list). */
int64_t option_whole(const struct option_row *row, const void *base);
/* The current value as text that option_read takes; sizes with a suffix where that is exact. */
void option_print(const struct option_row *row, const void *base, struct sb *out);

/* ---- the machine's options ---- */

void options_init(struct options *o); /* all defaults */
void options_free(struct options *o);
/* The place of that key among o->rows, or o->nrows with the nearest key in the message. */
size_t options_find(const struct options *o, const char *key, struct err *e);
/* Sets one key. A value from a file does not replace one that was given. */
bool options_set(struct options *o, const char *key, const char *value, enum option_origin from,
                 struct err *e);
/* Reads "[section]" and "name = value" lines; messages begin with the file and line. */
bool options_read_file(struct options *o, const char *path, struct err *e);
/* The same from text (ends in NUL) that goes by that name. */
bool options_read_text(struct options *o, const char *name, const char *text, struct err *e);
/* What no row alone can say: widths that must divide each other, the mechanism's name. */
bool options_check(const struct options *o, struct err *e);
/* The mechanism chosen, and its parameters in the order of its table. */
const struct mech_ops *options_mech(const struct options *o, const int64_t **param);
/* "default", the configuration's name, or "given". */
const char *options_origin(const struct options *o, size_t row);
/* Title of a section: of the tables, or "Mechanism NAME: title". */
void options_section_title(const char *section, struct sb *out);

#endif

/* Options: the values of options.def's rows, how they are read and checked, and where each came from. */
#ifndef HEDDLE_SIM_OPTIONS_H
#define HEDDLE_SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"

enum option_kind { OPTION_INT, OPTION_SIZE, OPTION_REAL, OPTION_BOOL, OPTION_ENUM, OPTION_TEXT };
typedef int64_t option_INT;
typedef uint64_t option_SIZE;
typedef double option_REAL;
typedef bool option_BOOL;
typedef int option_ENUM;
typedef const char *option_TEXT;

/* One row. Also the form in which a part with keys of its own (a mechanism) declares them. */
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
};

enum option_id {
#define BEGIN(section, title)
#define OPT(section, name, ...) OPT_##section##_##name,
#define END(section)
#include "sim/options.def"
    OPTION_COUNT
};

enum option_origin { OPTION_DEFAULT, OPTION_FILE, OPTION_GIVEN }; /* later ones win */

struct options {
#define BEGIN(section, title)         struct {
#define OPT(section, name, kind, ...) option_##kind name;
#define END(section) \
    }                \
    section;
#include "sim/options.def"
    uint8_t origin[OPTION_COUNT]; /* enum option_origin */
    struct arena text;            /* holds TEXT values */
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
/* The current value as text that option_read takes; sizes with a suffix where that is exact. */
void option_print(const struct option_row *row, const void *base, struct sb *out);

/* ---- the machine's options ---- */

void options_init(struct options *o); /* all defaults */
void options_free(struct options *o);
/* The row of that key, or OPTION_COUNT with the nearest key in the message. */
enum option_id options_find(const char *key, struct err *e);
/* Sets one key. A value from a file does not replace one that was given. */
bool options_set(struct options *o, const char *key, const char *value, enum option_origin from,
                 struct err *e);
/* Reads "[section]" and "name = value" lines; messages begin with the file and line. */
bool options_read_file(struct options *o, const char *path, struct err *e);
/* Every key with its default, what it accepts and its help, as --help shows it. */
void options_help(struct sb *out);

#endif

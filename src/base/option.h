/* Options of any part of the program: a row says what a key accepts and where its value lies; one reader and one
 * printer serve all rows. The rooms' tables (options.def) are made of such rows; sim/options.def says how they are
 * written. */
#ifndef HEDDLE_BASE_OPTION_H
#define HEDDLE_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"

enum option_kind { OPTION_INT, OPTION_SIZE, OPTION_REAL, OPTION_BOOL, OPTION_ENUM, OPTION_TEXT };
/* What holds a value of each kind. */
typedef int64_t option_INT;
typedef uint64_t option_SIZE;
typedef double option_REAL;
typedef bool option_BOOL;
typedef int option_ENUM;
typedef const char *option_TEXT;

/* The words of an ENUM, each with its value. They are listed once, by a macro that pairs them:
 *
 *     #define MEM_WRITE(CHOICE) CHOICE(through, MEM_WRITE_THROUGH) CHOICE(back, MEM_WRITE_BACK)
 *     enum mem_write { MEM_WRITE(OPTION_ENUMERATOR) };
 *
 * and a row of an options.def names the list: CHOICES(MEM_WRITE). */
struct option_choice {
    const char *name; /* NULL: the end of the list */
    int value;
};
#define OPTION_ENUMERATOR(name_, value_) value_,
#define OPTION_CHOICE(name_, value_)     {#name_, value_},
#define OPTION_CHOICES(LIST)             ((const struct option_choice[]){LIST(OPTION_CHOICE){NULL, 0}})

struct option_row {
    const char *key;     /* "section.name" */
    const char *section; /* "section" */
    enum option_kind kind;
    const char *initial;                 /* the default, as text */
    int64_t low, high;                   /* INT, SIZE */
    double rlow, rhigh;                  /* REAL */
    const struct option_choice *choices; /* ENUM */
    const char *unit;                    /* "" when it has none */
    const char *help;                    /* whole sentences */
    size_t offset;                       /* place of the value in the struct it belongs to */
    bool wide; /* BOOL and ENUM too are held in an int64_t: parameters of mechanisms */
};

/* Reads text into the field of base that row describes. On false the message says what is accepted. TEXT is
 * copied to mem. */
bool option_read(const struct option_row *row, const char *text, void *base, struct arena *mem,
                 struct err *e);
/* "a whole number from 1 to 64", "auto, portable or avx2", ... */
void option_accepts(const struct option_row *row, struct sb *out);
/* The value of a row that is a whole number, a size, a flag (0, 1) or a word (its value). */
int64_t option_whole(const struct option_row *row, const void *base);
/* The current value as text that option_read takes; sizes with a suffix where that is exact. */
void option_print(const struct option_row *row, const void *base, struct sb *out);
/* The word that has this value; NULL: none. */
const char *option_word(const struct option_choice *choices, int64_t value);

#endif

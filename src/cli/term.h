/* Where text goes: standard output and error, whether a person is watching, colour, width, and a progress line. */
#ifndef HEDDLE_CLI_TERM_H
#define HEDDLE_CLI_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum term_style { TERM_PLAIN, TERM_BOLD, TERM_DIM, TERM_RED, TERM_YELLOW, TERM_CYAN };

struct term {
    FILE *out, *err;
    bool out_tty, err_tty;
    bool out_colour, err_colour; /* a terminal, and NO_COLOR is not set */
    bool utf8;                   /* the locale's characters are UTF-8 */
    int out_errno;               /* why the first term_print that failed did */
    int width;                   /* columns of standard output; 80 when it is not a terminal */
};

void term_init(struct term *t, FILE *out, FILE *err);

/* The sequence that begins a style on standard output, or "" without colour. TERM_PLAIN ends any style. */
const char *term_on(const struct term *t, enum term_style s);

/* Text for standard output. That it did not arrive is for main to say, at the end. */
void term_print(struct term *t, const struct sb *text);

/* "heddle run: error: text" on standard error, and a newline. The where part may be NULL. */
void term_error(const struct term *t, const char *where, const char *text);
void term_warning(const struct term *t, const char *where, const char *text);

/* Seconds of a clock that never goes back. */
double term_seconds(void);

/* A line on standard error that is redrawn in place: only on a terminal, only once a run has taken a second,
 * and at most ten times a second after. */
struct progress {
    const struct term *term;
    double start, shown; /* seconds; shown 0: nothing on the screen */
};
void progress_start(struct progress *p, const struct term *t);
void progress_update(struct progress *p, uint64_t done, uint64_t all); /* blocks */
void progress_part(struct progress *p, double part, const char *what);
/* Seconds; < 0: not known. */
void progress_left(struct progress *p, double part, double left, const char *what);
void progress_note(struct progress *p, const char *what); /* how much is to come is not known */
void progress_end(struct progress *p);                    /* wipes the line */

#endif

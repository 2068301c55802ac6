/* One page of HTML that needs nothing beside itself: no script, no file, no network. Light or dark as the reader's system is,
 * and fit for paper. Text is escaped; charts are inline SVG with their numbers as titles. */
#ifndef HEDDLE_REPORT_HTML_H
#define HEDDLE_REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "report/table.h"

/* Text between tags or in a quoted attribute. What no page may have (control characters) becomes '?'. */
void html_text(struct sb *out, const char *text);
void html_add(struct sb *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* From the doctype to the start of the body, with the style; and the end. */
void html_begin(struct sb *out, const char *title);
void html_end(struct sb *out);

/* As <table>; a first row that is a heading stays one. */
void html_table(struct sb *out, const struct table *t);

/* How a thing came out: a colour, and a sign for those who do not see it. */
enum html_mark { HTML_NONE, HTML_GOOD, HTML_FAIR, HTML_BAD };
/* <span> with the mark's sign, and the text after it; NULL: the sign alone. */
void html_mark(struct sb *out, enum html_mark mark, const char *text);

/* A value beside the one it is compared with. */
struct html_bar {
    const char *label;  /* what it is of, for the title; NULL: none */
    const char *theirs; /* both as text, for the title */
    const char *ours;
    double their, our;
    bool has_their, has_our;
    enum html_mark mark;
};
/* The two as horizontal bars, theirs above; the scale is that of all bars, n of them. */
void html_pair(struct sb *out, const struct html_bar *bar, const struct html_bar *all, size_t n);
/* All as upright bars, side by side in pairs. */
void html_columns(struct sb *out, const struct html_bar *all, size_t n);

#endif

/* What `heddle explain --html` hands to the page src/page/js/explain.js, which says what it is. */
#ifndef HEDDLE_CLI_CMD_EXPLAIN_PAGE_H
#define HEDDLE_CLI_CMD_EXPLAIN_PAGE_H

#include <jansson.h>

#include "cli/cmd/explain/explain.h"

/* What all mechanisms share. */
struct explain_page {
    json_t *mechs;    /* a tree for each, in order */
    json_t *code;     /* blocks of code, instructions, source */
    bool *seen;       /* by block of code: a thread came to it, under any mechanism */
    size_t most;      /* bytes of a mechanism's steps, about */
    const char *file; /* the program's file; NULL: a workload's. Sources are also looked for beside it */
};
void explain_page_free(struct explain_page *p);

/* Steps of one mechanism. */
struct explain_record {
    struct explain_page *page;
    json_t *steps, *lines;
    json_t *numbers; /* numbers of lines, by their text */
    size_t bytes;
};
/* A `show` that adds to v->record; sets v->full once that is large. */
void explain_show_page(struct explain_view *v, const struct explain_step *s);
/* Adds a mechanism: what it is and what was recorded, which goes to the page. error: "" if it ran to the end of what is shown. */
void explain_page_add(struct explain_page *p, const struct explain_view *v, const struct mech_ops *mech,
                      const char *name, struct explain_record *r, const char *error);
/* code.c: makes p->code anew from what was seen so far. */
void explain_page_code(struct explain_page *p, const struct ir_module *m, const struct cfg *c);
/* Text of any bytes: what is not UTF-8 becomes "?". */
json_t *explain_string(const char *text, size_t n);

#endif

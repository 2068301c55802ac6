/* One HTML file that needs nothing beside itself: no other file, no network. The caller gives the data as a JSON tree; the
 * page's own script, src/page/js/APP.js, draws it with the pieces of src/page/js (pieces.js says which there are). */
#ifndef HEDDLE_PAGE_PAGE_H
#define HEDDLE_PAGE_PAGE_H

#include <jansson.h>

#include "base/err.h"

/* What of the libraries and of the pieces over them a page embeds. */
enum { PAGE_CHARTS = 1, PAGE_GRAPHS = 2, PAGE_CODE = 4, PAGE_LANES = 8 };

struct page {
    const char *title;  /* the document's title; shown by the browser */
    const char *app;    /* which page: src/page/js/APP.js defines heddlePages.APP(data, root) */
    unsigned use;       /* PAGE_*: what it draws with */
    const json_t *data; /* still the caller's */
};

/* Adds the whole page. The same data give the same bytes. An app that is not there is our own fault. */
void page_write(struct sb *out, const struct page *p);

#endif

/* The scripts, styles and libraries that pages are put together from; tools/embed-page writes the table. */
#ifndef HEDDLE_PAGE_FILES_H
#define HEDDLE_PAGE_FILES_H

#include <stddef.h>

struct page_file {
    const char *name; /* "pieces.js"; NULL ends the table */
    const char *text; /* not terminated */
    size_t bytes;
};
extern const struct page_file page_files[];

#endif

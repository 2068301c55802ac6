/* Pages. What a page needs is inside it: style, libraries with their licences, pieces, the app's script, and the data as JSON
 * in an element of its own. The policy in the head forbids the browser to load anything else, so that a page that tried to
 * would show it. Data may hold any text: "<" is written \u003c, which means the same in JSON and cannot end the element. */
#include "page/page.h"

#include <string.h>

#include "base/alloc.h"
#include "page/files.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

static const char body[] =
    "</head>\n<body>\n<noscript><p>This page draws its tables and charts by a script, which is inside "
    "this file. Allow it to run.</p></noscript>\n<div id=\"root\"></div>\n";

/* Characters that mean something in HTML; control characters have no place in a page. */
static void add_escaped(struct sb *out, const char *text) {
    for (const char *c = text; *c; c++) switch (*c) {
        case '&': sb_add(out, "&amp;"); break;
        case '<': sb_add(out, "&lt;"); break;
        case '>': sb_add(out, "&gt;"); break;
        case '"': sb_add(out, "&quot;"); break;
        default: sb_addn(out, (unsigned char)*c < ' ' ? "?" : c, 1);
        }
}

static void page_add_file(struct sb *out, const char *name) {
    for (const struct page_file *f = page_files; f->name; f++)
        if (!strcmp(f->name, name)) {
            sb_addn(out, f->text, f->bytes);
            return;
        }
    PANIC("there is no %s among the pages' files", name);
}

static void add_script(struct sb *out, const char *name) {
    sb_add(out, "<script>\n");
    page_add_file(out, name);
    sb_add(out, "\n</script>\n");
}

/* The licence stands before the library, as a comment: its text has no comment's end. */
static void page_add_library(struct sb *out, const char *script, const char *licence) {
    sb_add(out, "<script>\n/*\n");
    page_add_file(out, licence);
    sb_add(out, "*/\n");
    page_add_file(out, script);
    sb_add(out, "\n</script>\n");
}

static int page_add_json(const char *text, size_t n, void *to) {
    struct sb *out = to;
    for (const char *end = text + n; text < end;) {
        const char *stop = memchr(text, '<', (size_t)(end - text));
        sb_addn(out, text, (size_t)((stop ? stop : end) - text));
        if (!stop) break;
        sb_add(out, "\\u003c");
        text = stop + 1;
    }
    return 0;
}

static void page_add_data(struct sb *out, const json_t *data) {
    sb_add(out, "<script type=\"application/json\" id=\"data\">\n");
    /* Ten digits are more than a picture shows, and half of what a double's shortest text can need. */
    if (json_dump_callback(data, page_add_json, out,
                           JSON_COMPACT | JSON_REAL_PRECISION(10) | JSON_ENCODE_ANY))
        PANIC("a page's data cannot be written as JSON");
    sb_add(out, "\n</script>\n");
}

/* APP.js, and before it what it is made of: APP-*.js. */
static void add_app(struct sb *out, const char *app) {
    struct sb name = {0};
    sb_add(&name, "%s-", app);
    for (const struct page_file *f = page_files; f->name; f++)
        if (!strncmp(f->name, name.text, name.len)) add_script(out, f->name);
    name.len = 0;
    sb_add(&name, "%s.js", app);
    add_script(out, name.text);
    sb_free(&name);
    sb_add(out, "<script>\npieces.start(\"%s\");\n</script>\n", app);
}

void page_write(struct sb *out, const struct page *p) {
    sb_add(out, "%s<title>", head);
    add_escaped(out, p->title);
    sb_add(out, "</title>\n<style>\n");
    page_add_file(out, "style.css");
    if (p->use & (PAGE_CODE | PAGE_LANES)) page_add_file(out, "code.css");
    sb_add(out, "</style>\n%s", body);
    page_add_data(out, p->data);
    if (p->use & PAGE_CHARTS) page_add_library(out, "chart.min.js", "chart.copyright");
    if (p->use & PAGE_GRAPHS) page_add_library(out, "dagre.min.js", "dagre.copyright");
    add_script(out, "pieces.js");
    if (p->use & PAGE_CHARTS) {
        add_script(out, "charts.js");
        add_script(out, "slots.js");
    }
    if (p->use & PAGE_GRAPHS) add_script(out, "graph.js");
    if (p->use & PAGE_CODE) add_script(out, "code.js");
    if (p->use & PAGE_LANES) add_script(out, "lanes.js");
    add_app(out, p->app);
    sb_add(out, "</body>\n</html>\n");
}

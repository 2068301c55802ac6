/* A row begins where the text is empty or ends in a newline: no state beside the text itself. An empty first
 * cell is written "" so that it too leaves something behind. */
#include "report/csv.h"

#include <string.h>

void csv_text(struct sb *out, const char *text) {
    const bool first = !out->len || out->text[out->len - 1] == '\n';
    const size_t n = strlen(text);
    if (!first) sb_addn(out, ",", 1);
    if (!(first && !n) && !strpbrk(text, ",\"\r\n")) {
        sb_addn(out, text, n);
        return;
    }
    sb_addn(out, "\"", 1);
    for (const char *c = text; *c; c++) sb_addn(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    sb_addn(out, "\"", 1);
}

void csv_cell(struct sb *out, const char *fmt, ...) {
    struct sb cell = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&cell, fmt, ap);
    va_end(ap);
    csv_text(out, cell.text ? cell.text : "");
    sb_free(&cell);
}

void csv_end_row(struct sb *out) {
    sb_addn(out, "\n", 1);
}

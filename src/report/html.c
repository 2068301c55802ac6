/* Pages of HTML: text, marks and charts; the style is in html_style.c.
 *
 * A chart's scale always has zero in it, so that lengths can be compared, and every bar is drawn at least a hair wide, so that
 * a zero is seen to be there. The value compared with is an outline and ours is filled: they differ without colour too. */
#include "report/html.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

void html_text(struct sb *out, const char *text) {
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '&': sb_add(out, "&amp;"); break;
        case '<': sb_add(out, "&lt;"); break;
        case '>': sb_add(out, "&gt;"); break;
        case '"': sb_add(out, "&quot;"); break;
        case '\'': sb_add(out, "&#39;"); break;
        default: sb_addn(out, (unsigned char)*c < ' ' && !strchr("\t\n", *c) ? "?" : c, 1); break;
        }
    }
}

void html_add(struct sb *out, const char *fmt, ...) {
    struct sb text = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&text, fmt, ap);
    va_end(ap);
    if (text.len) html_text(out, text.text);
    sb_free(&text);
}

void html_table(struct sb *out, const struct table *t) {
    const size_t n = strlen(t->align);
    sb_add(out, "<table>");
    for (size_t i = 0; i < t->cells.n; i++) {
        const char *tag = t->heading && i < n ? "th" : "td";
        sb_add(out, "%s<%s%s>", i % n ? "" : "\n<tr>", tag, t->align[i % n] == 'r' ? " class=\"n\"" : "");
        html_text(out, t->cells.v[i]);
        sb_add(out, "</%s>%s", tag, (i + 1) % n ? "" : "</tr>");
    }
    sb_add(out, "\n</table>\n");
}

static const char *const classes[] = {
    [HTML_NONE] = "none", [HTML_GOOD] = "good", [HTML_FAIR] = "fair", [HTML_BAD] = "bad"};
/* check mark, almost equal, ballot x, en dash */
static const char *const signs[] = {
    [HTML_NONE] = "&#8211;", [HTML_GOOD] = "&#10003;", [HTML_FAIR] = "&#8776;", [HTML_BAD] = "&#10007;"};

void html_mark(struct sb *out, enum html_mark mark, const char *text) {
    sb_add(out, "<span class=\"%s\">%s", classes[mark], signs[mark]);
    if (text) html_add(out, " %s", text);
    sb_add(out, "</span>");
}

/* ---- charts ---- */

struct scale {
    double low, high; /* values; low <= 0 <= high */
};

static void stretch(struct scale *s, bool there, double v) {
    if (!there || !isfinite(v)) return;
    s->low = fmin(s->low, v);
    s->high = fmax(s->high, v);
}

static struct scale scale_of(const struct html_bar *all, size_t n) {
    struct scale s = {0};
    for (size_t i = 0; i < n; i++) {
        stretch(&s, all[i].has_their, all[i].their);
        stretch(&s, all[i].has_our, all[i].our);
    }
    if (!(s.high > s.low)) s.high = 1;
    return s;
}

/* Where a value is, of `length`. */
static double at(const struct scale *s, double v, double length) {
    return length * (v - s->low) / (s->high - s->low);
}

static void title(struct sb *out, const struct html_bar *b) {
    sb_add(out, "<title>");
    if (b->label) html_add(out, "%s: ", b->label);
    html_add(out, "paper %s, ours %s", b->theirs && *b->theirs ? b->theirs : "none",
             b->ours ? b->ours : "none");
    sb_add(out, "</title>");
}

enum { PAIR_WIDTH = 220, PAIR_BAR = 9, PAIR_GAP = 3, EDGE = 2 };

static void lying(struct sb *out, const struct scale *s, const char *class, double v, int y) {
    if (!isfinite(v)) return;
    const double zero = at(s, 0, PAIR_WIDTH - 2 * EDGE), end = at(s, v, PAIR_WIDTH - 2 * EDGE);
    sb_add(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", class,
           EDGE + fmin(zero, end), y, fmax(fabs(end - zero), 1), PAIR_BAR);
}

void html_pair(struct sb *out, const struct html_bar *bar, const struct html_bar *all, size_t n) {
    const struct scale s = scale_of(all, n);
    const int height = 2 * PAIR_BAR + 3 * PAIR_GAP;
    const double zero = EDGE + at(&s, 0, PAIR_WIDTH - 2 * EDGE);
    sb_add(out, "<svg role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">", PAIR_WIDTH, height,
           PAIR_WIDTH, height);
    title(out, bar);
    if (bar->has_their) lying(out, &s, "theirs", bar->their, PAIR_GAP);
    if (bar->has_our) lying(out, &s, classes[bar->mark], bar->our, PAIR_BAR + 2 * PAIR_GAP);
    sb_add(out, "<path class=\"axis\" d=\"M%.1f 0V%d\"/></svg>", zero, height);
}

enum { COLUMNS_HEIGHT = 46 };

static void upright(struct sb *out, const struct scale *s, const char *class, double v, double x,
                    double width) {
    if (!isfinite(v)) return;
    const double length = COLUMNS_HEIGHT - 2 * EDGE;
    const double zero = length - at(s, 0, length), end = length - at(s, v, length);
    sb_add(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", class, x,
           EDGE + fmin(zero, end), width, fmax(fabs(end - zero), 1));
}

void html_columns(struct sb *out, const struct html_bar *all, size_t n) {
    const struct scale s = scale_of(all, n);
    const double step = (double)(PAIR_WIDTH - 2 * EDGE) / (double)(n ? n : 1);
    const double width = fmin(step * 0.4, 12), length = COLUMNS_HEIGHT - 2 * EDGE;
    sb_add(out, "<svg role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">", PAIR_WIDTH,
           COLUMNS_HEIGHT, PAIR_WIDTH, COLUMNS_HEIGHT);
    for (size_t i = 0; i < n; i++) {
        const double x = EDGE + step * (double)i;
        sb_add(out, "<g>");
        title(out, &all[i]);
        if (all[i].has_their) upright(out, &s, "theirs", all[i].their, x, width);
        if (all[i].has_our) upright(out, &s, classes[all[i].mark], all[i].our, x + width + 1, width);
        sb_add(out, "</g>");
    }
    sb_add(out, "<path class=\"axis\" d=\"M0 %.1fH%d\"/></svg>", EDGE + length - at(&s, 0, length),
           PAIR_WIDTH);
}

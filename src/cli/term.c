/* Terminal output. Colour only for people: both streams are asked on their own, and NO_COLOR (any non-empty
 * value) turns it off, as does TERM=dumb. */
#include "cli/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "value/demangle.h"

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 40, WIDTH_MAX = 200, BAR = 30 };

static bool wants_colour(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && !(term && !strcmp(term, "dumb"));
}

/* As the C library chooses it, without changing the program's locale: numbers stay in C's form. */
static bool wants_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *v = getenv(names[i]);
        if (v && *v) return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
    }
    return false;
}

static int stream_width(FILE *f) {
    struct winsize w;
    if (ioctl(fileno(f), TIOCGWINSZ, &w) || !w.ws_col) return WIDTH_DEFAULT;
    return w.ws_col < WIDTH_MIN ? WIDTH_MIN : w.ws_col > WIDTH_MAX ? WIDTH_MAX : w.ws_col;
}

void term_init(struct term *t, FILE *out, FILE *err) {
    bool out_tty = isatty(fileno(out)), err_tty = isatty(fileno(err)), colour = wants_colour();
    *t = (struct term){.out = out,
                       .err = err,
                       .out_tty = out_tty,
                       .err_tty = err_tty,
                       .out_colour = out_tty && colour,
                       .err_colour = err_tty && colour,
                       .utf8 = wants_utf8(),
                       .width = out_tty ? stream_width(out) : WIDTH_DEFAULT};
}

static const char *style(enum term_style s) {
    switch (s) {
    case TERM_PLAIN: return "\033[0m";
    case TERM_BOLD: return "\033[1m";
    case TERM_DIM: return "\033[2m";
    case TERM_RED: return "\033[1;31m";
    case TERM_YELLOW: return "\033[1;33m";
    case TERM_CYAN: return "\033[36m";
    }
    return "";
}

const char *term_on(const struct term *t, enum term_style s) {
    return t->out_colour ? style(s) : "";
}

void term_print(struct term *t, const struct sb *text) {
    errno = 0;
    if (text->len && fwrite(text->text, 1, text->len, t->out) != text->len && !t->out_errno)
        t->out_errno = errno;
}

static void term_say(const struct term *t, const char *where, const char *kind, enum term_style s,
                     const char *text) {
    struct sb readable = {0};
    if (strstr(text, "_Z"))
        demangle_text(text, &readable); /* else without memory, of which there may be none */
    fflush(t->out);                     /* so that a log of both reads in order */
    fprintf(t->err, "heddle%s%s: %s%s:%s %s\n", where ? " " : "", where ? where : "",
            t->err_colour ? style(s) : "", kind, t->err_colour ? style(TERM_PLAIN) : "",
            readable.text ? readable.text : text);
    sb_free(&readable);
}

void term_error(const struct term *t, const char *where, const char *text) {
    term_say(t, where, "error", TERM_RED, text);
}

void term_warning(const struct term *t, const char *where, const char *text) {
    term_say(t, where, "warning", TERM_YELLOW, text);
}

double term_seconds(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* ---- progress ---- */

void progress_start(struct progress *p, const struct term *t) {
    *p = (struct progress){.term = t, .start = term_seconds()};
}

static void term_draw(const struct progress *p, double part, double left, const char *what) {
    int filled = (int)(part * BAR);
    fprintf(p->term->err, "\r\033[K[%.*s%.*s] %3.0f %%  %s", filled, "##############################",
            BAR - filled, "..............................", 100 * part, what);
    if (left >= 0) fprintf(p->term->err, ", %.0f s left", left);
    fflush(p->term->err);
}

static bool term_due(struct progress *p) {
    if (!p->term->err_tty) return false;
    double now = term_seconds();
    if (now - p->start < 1 || now - p->shown < 0.1) return false;
    p->shown = now;
    return true;
}

void progress_part(struct progress *p, double part, const char *what) {
    if (!term_due(p)) return;
    double elapsed = p->shown - p->start;
    term_draw(p, part < 1 ? part : 1,
              part > 0 && part < 1 ? elapsed / part - elapsed
              : part > 0           ? 0
                                   : -1,
              what);
}

void progress_left(struct progress *p, double part, double left, const char *what) {
    if (term_due(p)) term_draw(p, part, left, what);
}

void progress_note(struct progress *p, const char *what) {
    if (!term_due(p)) return;
    fprintf(p->term->err, "\r\033[K%s, %.0f s", what, p->shown - p->start);
    fflush(p->term->err);
}

void progress_update(struct progress *p, uint64_t done, uint64_t all) {
    char what[64];
    snprintf(what, sizeof what, "%llu of %llu blocks", (unsigned long long)done, (unsigned long long)all);
    progress_part(p, all ? (double)done / (double)all : 0, what);
}

void progress_end(struct progress *p) {
    if (p->shown > 0) fputs("\r\033[K", p->term->err);
    p->shown = 0;
}

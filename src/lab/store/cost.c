/* Times that are stored are sorted by a text of all that a point is: program, size, arguments, mechanism, configuration, other
 * options. What has a part of that in common with a point begins with the same letters, so that every degree of likeness is a
 * stretch of one array, whose mean two binary searches find.
 *
 * Where a program has no times with these arguments, those with others are scaled. Time is taken for a power of the product of
 * the arguments that are numbers: its exponent is fitted where there are two products, and 1 where there is one. Between
 * sizes of workloads the factor is the geometric mean over workloads that have times at both. */
#include "lab/store/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bound.h"
#include "lab/store/impl.h"

/* A letter that no part has, below all that they have: a part ends before a longer one with the same beginning. */
#define END "\1"

struct record {
    const char *text;     /* all parts */
    const char *workload; /* what scaling asks for */
    const char *size;
    double seconds, product;
};

struct book {
    VEC(struct record) records; /* sorted */
    double *sum;                /* sums of the seconds of all records before */
    struct arena mem;
};

/* What scaling came to for a program with its size and arguments. */
struct scaled {
    const char *text;
    double seconds; /* 0: nothing is known */
};
struct cache {
    VEC(struct scaled) v;
};

/* ---- texts ---- */

/* Arguments have no point in their names, options have. */
static bool is_argument(const char *word) {
    return strcspn(word, ".") > strcspn(word, "=");
}

/* Adds those words of options that are arguments, or the others. Seeds do not matter. */
static void store_cost_add_words(struct sb *out, const char *options, bool arguments) {
    for (const char *w = options; *w;) {
        const size_t n = strcspn(w, " ");
        if (is_argument(w) == arguments && strncmp(w, "seed=", 5) != 0) sb_add(out, "%.*s ", (int)n, w);
        w += n + (w[n] == ' ');
    }
}

/* The number behind the sign of a word of n letters that is an argument; 1 where there is none. */
static double factor_of(const char *word, size_t n) {
    const size_t key = strcspn(word, "=");
    char *end;
    if (!is_argument(word) || key >= n || !strncmp(word, "seed=", 5)) return 1;
    const double v = strtod(word + key + 1, &end);
    return end == word + n && v > 0 && isfinite(v) ? v : 1;
}

static double product_of(const char *options) {
    double product = 1;
    for (const char *w = options; *w;) {
        const size_t n = strcspn(w, " ");
        product *= factor_of(w, n);
        w += n + (w[n] == ' ');
    }
    return product;
}

enum { PARTS = 6 };
/* The text of a point, and where each of its parts ends. */
static void store_cost_describe(const struct store_id *id, struct sb *out, size_t end[PARTS]) {
    int part = 0;
    sb_add(out, "%s" END, id->workload), end[part++] = out->len;
    sb_add(out, "%s" END, id->size), end[part++] = out->len;
    store_cost_add_words(out, id->options, true), sb_add(out, END), end[part++] = out->len;
    sb_add(out, "%s" END, id->mech), end[part++] = out->len;
    sb_add(out, "%s" END, id->config), end[part++] = out->len;
    store_cost_add_words(out, id->options, false), sb_add(out, END), end[part++] = out->len;
}

/* ---- what is stored ---- */

static const char *store_cost_column(sqlite3_stmt *q, int i) {
    const char *text = (const char *)sqlite3_column_text(q, i);
    return text ? text : "";
}

static void add_record(struct book *b, sqlite3_stmt *q) {
    struct sb text = {0};
    size_t end[PARTS];
    const struct store_id id = {.workload = store_cost_column(q, 0),
                                .size = store_cost_column(q, 1),
                                .config = store_cost_column(q, 2),
                                .mech = store_cost_column(q, 3),
                                .options = store_cost_column(q, 4)};
    store_cost_describe(&id, &text, end);
    VEC_PUSH(&b->records, (struct record){.text = sb_keep(&text, &b->mem),
                                          .workload = arena_strdup(&b->mem, id.workload),
                                          .size = arena_strdup(&b->mem, id.size),
                                          .seconds = sqlite3_column_double(q, 5),
                                          .product = product_of(id.options)});
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct record *)a)->text, ((const struct record *)b)->text);
}

/* A point that did not run to its end says nothing about those that do. */
static bool read_book(struct store *s, struct book *b, struct err *e) {
    sqlite3_stmt *q = NULL;
    bool more = false;
    pthread_mutex_lock(&s->lock);
    bool fine =
        store_prepare(s,
                      "SELECT workload, size, config, mech, options, seconds FROM point JOIN host USING "
                      "(key) WHERE state IN ('ok', 'wrong')",
                      &q, e);
    while (fine && (fine = store_step(s, q, &more, e)) && more) add_record(b, q);
    sqlite3_finalize(q);
    pthread_mutex_unlock(&s->lock);
    if (b->records.n) qsort(b->records.v, b->records.n, sizeof *b->records.v, by_text);
    b->sum = ARENA_NEW(&b->mem, double, b->records.n + 1);
    for (size_t i = 0; i < b->records.n; i++) b->sum[i + 1] = b->sum[i] + b->records.v[i].seconds;
    return fine;
}

/* ---- stretches ---- */

struct stretch {
    size_t from, to;
};

/* The first record whose first n letters are not before those of the text; with after, that are behind them. */
static size_t bound(const struct book *b, const char *text, size_t n, bool after) {
    size_t at;
    BOUND(at, 0, b->records.n, strncmp(b->records.v[at].text, text, n) < (after ? 1 : 0));
    return at;
}

static struct stretch stretch(const struct book *b, const char *text, size_t n) {
    return (struct stretch){bound(b, text, n, false), bound(b, text, n, true)};
}

static double mean(const struct book *b, struct stretch s) {
    return (b->sum[s.to] - b->sum[s.from]) / (double)(s.to - s.from);
}

/* ---- other sizes ---- */

/* The mean time of a workload at a size; 0: there is none. */
static double time_at(const struct book *b, const char *workload, const char *size) {
    struct sb text = {0};
    sb_add(&text, "%s" END "%s" END, workload, size);
    const struct stretch s = stretch(b, text.text, text.len);
    sb_free(&text);
    return s.to > s.from ? mean(b, s) : 0;
}

/* How much longer workloads take at one size than at another; 0: none has run at both. */
static double size_factor(const struct book *b, const char *from, const char *to) {
    double sum = 0;
    size_t n = 0;
    for (const struct workload *w = workload_list; w->name; w++) {
        const double x = time_at(b, w->name, from), y = time_at(b, w->name, to);
        if (x > 0 && y > 0) sum += log(y / x), n++;
    }
    return n ? exp(sum / (double)n) : 0;
}

static double from_sizes(const struct book *b, const struct store_id *id) {
    double sum = 0;
    size_t n = 0;
    for (int i = 0; i < WORK_SIZES; i++) {
        const double t = time_at(b, id->workload, work_size_names[i]),
                     factor = t > 0 ? size_factor(b, work_size_names[i], id->size) : 0;
        if (factor > 0) sum += log(t * factor), n++;
    }
    return n ? exp(sum / (double)n) : 0;
}

/* ---- other arguments ---- */

/* Log of seconds over log of the product, by least squares. */
static double from_arguments(const struct book *b, const struct store_id *id) {
    struct sb text = {0};
    sb_add(&text, "%s" END, id->workload);
    const struct stretch s = stretch(b, text.text, text.len);
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    sb_free(&text);
    for (size_t i = s.from; i < s.to; i++) {
        const struct record *r = &b->records.v[i];
        if (!(r->seconds > 0)) continue;
        const double lx = log(r->product), ly = log(r->seconds);
        n++, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    if (n == 0) return 0;
    const double spread = xx - x * x / n;
    double power = spread > 1e-9 ? (xy - x * y / n) / spread : 1;
    power = power < 0 ? 0 : power > 3 ? 3 : power;
    return exp(y / n + power * (log(product_of(id->options)) - x / n));
}

/* text: with its size and arguments, n letters. */
static double scaled(const struct book *b, struct cache *c, const struct store_id *id, const char *text,
                     size_t n, struct arena *mem) {
    for (size_t i = c->v.n; i-- > 0;)
        if (!strncmp(c->v.v[i].text, text, n) && !c->v.v[i].text[n]) return c->v.v[i].seconds;
    const double seconds = strcmp(id->size, "-") != 0 ? from_sizes(b, id) : from_arguments(b, id);
    VEC_PUSH(&c->v, (struct scaled){arena_strndup(mem, text, n), seconds});
    return seconds;
}

/* ---- all ---- */

static struct lab_cost cost_of(struct book *b, struct cache *c, const struct store_id *id) {
    struct lab_cost out = {.basis = COST_UNKNOWN};
    struct sb text = {0};
    size_t end[PARTS];
    store_cost_describe(id, &text, end);
    for (int part = PARTS - 1; part >= 2 && out.basis == COST_UNKNOWN; part--) {
        const struct stretch s = stretch(b, text.text, end[part]);
        if (s.to > s.from) out = (struct lab_cost){mean(b, s), part == PARTS - 1 ? COST_SAME : COST_LIKE};
    }
    if (out.basis == COST_UNKNOWN) out.seconds = scaled(b, c, id, text.text, end[2], &b->mem);
    if (out.basis == COST_UNKNOWN && out.seconds > 0) out.basis = COST_SCALED;
    sb_free(&text);
    return out;
}

bool lab_costs(struct store *s, const struct store_id *ids, size_t n, struct lab_cost *out, struct err *e) {
    struct book b = {0};
    struct cache c = {0};
    const bool fine = read_book(s, &b, e);
    for (size_t i = 0; i < n && fine; i++) out[i] = cost_of(&b, &c, &ids[i]);
    VEC_FREE(&c.v);
    VEC_FREE(&b.records);
    arena_free(&b.mem);
    return fine;
}

double lab_cost_wall(const struct lab_cost *costs, size_t n, unsigned jobs) {
    double *until = xcalloc(jobs, sizeof *until), last = 0;
    for (size_t i = 0; i < n; i++) {
        size_t first = 0;
        for (size_t k = 1; k < jobs; k++)
            if (until[k] < until[first]) first = k;
        until[first] += costs[i].basis == COST_UNKNOWN ? 0 : costs[i].seconds;
        if (until[first] > last) last = until[first];
    }
    free(until);
    return last;
}

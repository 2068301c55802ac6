/* Time in a report: the series as columns, and lanes over time as text that is as short as a picture needs. A cell of the
 * picture is four or five letters, so that two thousand bins of fifty warps are less than half a megabyte; logarithms are
 * taken by halves, which every host computes alike. */
#include <math.h>
#include <string.h>

#include "cli/cmd/report/report.h"

static const char letters64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- series ---- */

enum { COLUMNS = 8 };

static void sample_values(const struct series_sample *s, uint64_t v[COLUMNS]) {
    const uint64_t all[COLUMNS] = {s->cycles,           s->sm.sm.thread_insts, s->sm.sm.warp_insts,
                                   s->sm.sm.lane_slots, s->sm.sm.l1d_accesses, s->sm.sm.l1d_waits,

                                   s->sm.sm.cycles,     s->unfinished};
    memcpy(v, all, sizeof all);
}

json_t *report_series(const hd_device *dev) {
    static const char *const names[COLUMNS] = {"cycles",       "thread_insts", "warp_insts", "lane_slots",
                                               "l1d_accesses", "l1d_waits",    "sm_cycles",  "unfinished"};
    const struct series *s = sim_series(dev);
    json_t *o = json_object(), *column[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) json_object_set_new(o, names[k], column[k] = json_array());
    for (size_t i = 0; i < s->samples.n; i++) {
        uint64_t v[COLUMNS];
        sample_values(&s->samples.v[i], v);
        for (int k = 0; k < COLUMNS; k++) json_array_append_new(column[k], json_integer((json_int_t)v[k]));
    }
    return o;
}

/* ---- lanes over time ---- */

/* 63 + 4 log2(share), straight lines between the powers of two; at least 1. */
static unsigned level(uint64_t issues, uint64_t peak) {
    int exponent;
    const double m = frexp((double)issues / (double)peak, &exponent); /* 0.5 <= m < 1 */
    const double v = 63 + 4 * (exponent - 1 + (2 * m - 1));
    return v < 1 ? 1 : v > 63 ? 63 : (unsigned)(v + 0.5);
}

void report_cell(const struct density_cell *c, uint64_t full, uint64_t peak, int letters, struct sb *out) {
    char text[8] = "AAAAAAA";
    if (c->issues) {
        const uint64_t most = c->issues * full, threads = c->threads < most ? c->threads : most;
        const uint32_t last = (1u << 6 * letters) - 1, pc = c->pc < last ? c->pc : last;
        text[0] = letters64[(63 * threads + most / 2) / most];
        text[1] = letters64[level(c->issues, peak)];
        for (int k = 0; k < letters; k++) text[2 + k] = letters64[pc >> 6 * (letters - 1 - k) & 63];
    }
    sb_addn(out, text, 2 + (size_t)letters);
}

static json_t *tracks(const struct density *d, const struct density_track *v, size_t n, uint64_t full,
                      uint64_t peak, int letters) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        struct sb text = {0};
        for (uint32_t k = 0; v[i].cells && k < density_used(d); k++)
            report_cell(&v[i].cells[k], full, peak, letters, &text);
        json_array_append_new(all, json_string(text.text ? text.text : ""));
        sb_free(&text);
    }
    return all;
}

/* Cycle since the one before, warp, mask, PC; in turn. */
static json_t *issues(const struct density_window *w, uint64_t begin) {
    json_t *all = json_array();
    for (size_t i = 0; i < w->issues.n; i++) {
        const struct density_issue *x = &w->issues.v[i];
        json_array_append_new(all, json_integer((json_int_t)(x->cycle - begin)));
        json_array_append_new(all, json_integer(x->warp));
        json_array_append_new(all, json_integer(x->mask));
        json_array_append_new(all, json_integer(x->pc));
        begin = x->cycle;
    }
    return all;
}

static json_t *windows(const struct density *d) {
    const uint64_t stride = density_stride(d);
    json_t *all = json_array();
    for (size_t k = 0; k < d->windows.n && k * stride < d->end; k++) {
        const struct density_window *w = &d->windows.v[k];
        const uint64_t begin = k * stride, end = w->full ? w->end : begin + stride;
        json_array_append_new(all, json_pack("{s:I, s:I, s:o}", "begin", (json_int_t)begin, "end",
                                             (json_int_t)(end < d->end ? end : d->end), "issues",
                                             issues(w, begin)));
    }
    return all;
}

json_t *report_density(const struct density *d, uint32_t width, uint32_t warp, uint32_t schedulers,
                       size_t insts) {
    const int letters = insts < 4095 ? 2 : 3;
    const uint64_t bin = (uint64_t)1 << d->shift;
    json_t *o = json_object();
    json_object_set_new(o, "sm", json_integer(d->o.sm));
    json_object_set_new(o, "end", json_integer((json_int_t)d->end));
    json_object_set_new(o, "issues", json_integer((json_int_t)d->issues));
    json_object_set_new(o, "bin", json_integer((json_int_t)bin));
    json_object_set_new(o, "bins", json_integer(density_used(d)));
    json_object_set_new(o, "letters", json_integer(letters));
    json_object_set_new(o, "width", json_integer(width));
    json_object_set_new(o, "warp", json_integer(warp));
    json_object_set_new(o, "schedulers", json_integer(schedulers));
    json_object_set_new(o, "sms", tracks(d, d->sms.v, d->sms.n, warp, bin * schedulers, letters));
    json_object_set_new(o, "warps", tracks(d, d->warps.v, d->warps.n, width, bin, letters));
    json_object_set_new(o, "windows", windows(d));
    return o;
}

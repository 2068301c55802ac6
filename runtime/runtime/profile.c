/* Profiles as lines of the log, one for each module: what its branches, lines and functions cost over all timed launches.
 * Texts of lines are in it, since the PTX is gone when the program has ended. */
#include "runtime/runtime/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/module/module.h"
#include "runtime/runtime/log.h"
#include "runtime/runtime/process.h"

/* A line of PTX up to its semicolon, without the blanks around it and with one for each tab in it. */
static void put_code(FILE *f, const char *text) {
    char code[128];
    size_t n = 0;
    text += strspn(text, " \t");
    for (const char *end = text + strcspn(text, ";\n\r"); text < end && n + 1 < sizeof code; text++)
        if (*text != '\t' || (n && code[n - 1] != ' ')) code[n++] = *text == '\t' ? ' ' : *text;
    code[n] = 0;
    cu_log_string(f, code);
}

static void put_cost(FILE *f, const char *name, const hd_profile_cost *c) {
    fprintf(f, ",\"%s\":{\"slots\":%" PRIu64 ",\"suffers\":%" PRIu64 ",\"causes\":%" PRIu64 "}", name,
            c->slots, c->suffers, c->causes);
}

static void put_row(FILE *f, const hd_profile_row *r) {
    fputs("{\"function\":", f);
    cu_log_string(f, r->function);
    fputs(",\"file\":", f);
    cu_log_string(f, r->file);
    fprintf(f, ",\"line\":%u,\"text\":", r->line);
    put_code(f, r->text);
    if (r->source) {
        fputs(",\"source\":", f);
        cu_log_string(f, r->source);
        fprintf(f, ",\"source_line\":%u", r->source_line);
    }
    fprintf(
        f, ",\"executions\":%" PRIu64 ",\"lanes\":%" PRIu64 ",\"divergences\":%" PRIu64 ",\"sides\":%" PRIu64,
        r->executions, r->lanes, r->divergences, r->sides);
    fprintf(f, ",\"reconvergences\":%" PRIu64 ",\"reconvergence_cycles\":%" PRIu64, r->reconvergences,
            r->reconvergence_cycles);
    put_cost(f, "own", &r->own);
    put_cost(f, "with_calls", &r->with_calls);
    fputc('}', f);
}

static void put_rows(FILE *f, hd_module *mod, const char *name, hd_profile_by by) {
    hd_profile_row row;
    fprintf(f, ",\"%s\":[", name);
    for (size_t i = 0, n = hd_profile_count(mod, by); i < n && !hd_profile_at(mod, by, i, &row); i++) {
        if (i) fputc(',', f);
        put_row(f, &row);
    }
    fputc(']', f);
}

static void put_kinds(FILE *f, hd_module *mod, const char *name, int waits) {
    hd_profile_kind kind;
    const char *comma = "";
    fprintf(f, ",\"%s\":{", name);
    for (size_t i = 0; !hd_profile_kind_at(mod, i, &kind); i++) {
        if (kind.waits != waits) continue;
        fprintf(f, "%s\"%s\":%" PRIu64, comma, kind.key, kind.slots);
        comma = ",";
    }
    fputc('}', f);
}

void cu_profile_module(struct cu_process *p, const struct CUmod_st *m) {
    struct cu_log_line l;
    uint64_t slots = 0;
    if (!p->settings.profile || !p->dev || p->forked || !m->hd) return;
    if (hd_profile_slots(m->hd, &slots) || !slots || !cu_log_begin(p, &l, "profile")) return;
    fprintf(l.f, ",\"slots\":%" PRIu64, slots);
    put_kinds(l.f, m->hd, "lanes", 0);
    put_kinds(l.f, m->hd, "waits", 1);
    put_rows(l.f, m->hd, "branches", HD_PROFILE_BRANCHES);
    put_rows(l.f, m->hd, "ptx", HD_PROFILE_PTX);
    put_rows(l.f, m->hd, "source", HD_PROFILE_SOURCE);
    put_rows(l.f, m->hd, "functions", HD_PROFILE_FUNCTIONS);
    cu_log_end(p, &l);
}

void cu_profile_end(struct cu_process *p) {
    for (const struct CUmod_st *m = p->modules; m; m = m->next) cu_profile_module(p, m);
    p->settings.profile = 0;
}

/* Data races in words: two lines that say who did what where, without anything ordering them. */
#include "runtime/runtime/races.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/runtime/log.h"
#include "runtime/runtime/process.h"

static void put_access(FILE *f, const hd_race *r, const hd_race_access *a) {
    fprintf(f, "\n    %s by block (%u,%u,%u), thread (%u,%u,%u) at ", a->what, a->block[0], a->block[1],
            a->block[2], a->thread[0], a->thread[1], a->thread[2]);
    if (a->source)
        fprintf(f, "%s:%u", a->source, a->source_line);
    else
        fprintf(f, "%s:%u: %s", r->file, a->line, a->text);
}

static void put_race(FILE *f, const hd_race *r) {
    fprintf(f, "data race%s: %s of %s memory", r->same_value ? " (of the same value)" : "", r->kind,
            r->space);
    if (*r->object)
        fprintf(f, ", byte %" PRIu64 " of %s", r->offset, r->object);
    else
        fprintf(f, " at 0x%" PRIx64, r->address);
    fprintf(f, ", %" PRIu64 " time%s, first in kernel %s", r->count, r->count == 1 ? "" : "s", r->kernel);
    put_access(f, r, &r->access[0]);
    put_access(f, r, &r->access[1]);
}

void cu_races_report(struct cu_process *p) {
    hd_race race;
    if (!p->dev || p->forked) return;
    for (size_t i = 0; !hd_race_at(p->dev, i, &race); i++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        if (!f) return;
        put_race(f, &race);
        if (!fclose(f) && !cu_log_race(p, &race, text)) cu_warn("%s", text);
        free(text);
    }
}

/* References and reads for mp and mu. Both programs match short reads of a sequencer against a bacterial genome. Ours:
 * a random reference in which stretches come back with mutations, as in genomes, so that suffixes share prefixes of any length;
 * one read in four is a stretch of it with a wrong base now and then, the others are from another organism. Those leave the
 * index after a few bases while others follow it to their end. Their share is fitted: with it mp has the instructions of HARP's
 * Table 5, and mu the lane activity of the real program. */
#include "workloads/dna.h"

#include <string.h>

static uint8_t base(struct work *w) {
    return (uint8_t)work_below(w, 4);
}

static void make_text(struct work *w, struct dna *d) {
    d->text = work_host(w, d->bases, 1);
    for (uint32_t i = 0; i < d->bases;) {
        uint32_t run = 20 + work_below(w, 200);
        bool repeat = i > 400 && work_below(w, 3) == 0;
        uint32_t from = repeat ? work_below(w, i - 250) : 0;
        for (uint32_t k = 0; k < run && i < d->bases; k++, i++)
            d->text[i] = repeat && work_below(w, 16) ? d->text[from + k] : base(w);
    }
}

static void make_read(struct work *w, const struct dna *d, uint8_t *read, uint32_t length) {
    uint32_t from = work_below(w, d->bases - length);
    bool foreign = work_below(w, 4) > 0;
    for (uint32_t k = 0; k < length; k++)
        read[k] = foreign || work_below(w, 32) == 0 ? base(w) : d->text[from + k];
}

struct dna dna_make(struct work *w, uint32_t bases, uint32_t count, uint32_t shortest, uint32_t longest,
                    uint32_t match) {
    struct dna d = {.bases = bases, .count = count, .match = match};
    make_text(w, &d);
    d.offsets = work_host(w, count + 1, sizeof *d.offsets);
    d.reads = work_host(w, count * longest, 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = shortest + work_below(w, longest - shortest + 1);
        make_read(w, &d, d.reads + d.offsets[i], length);
        d.offsets[i + 1] = d.offsets[i] + length;
    }
    return d;
}

static uint32_t longest_match(const struct dna *d, const uint8_t *read, uint32_t length) {
    uint32_t best = 0;
    for (uint32_t at = 0; at < d->bases; at++) {
        uint32_t k = 0;
        while (k < length && at + k < d->bases && d->text[at + k] == read[k]) k++;
        if (k > best) best = k;
    }
    return best;
}

/* Several places may hold the same prefix: any will do. */
static void check(struct work *w, const struct dna *d, uint64_t lengths, uint64_t places) {
    uint32_t n = d->offsets[d->count];
    uint32_t *want = work_host(w, n, sizeof *want), *place = work_host(w, n, sizeof *place);
    work_read(w, place, places, n * sizeof *place);
    for (uint32_t r = 0; r < d->count; r++)
        for (uint32_t i = d->offsets[r], end = d->offsets[r + 1]; i + d->match <= end; i++)
            if ((want[i] = longest_match(d, d->reads + i, end - i)) < d->recorded) want[i] = 0;
    work_check_u32(w, "lengths", lengths, want, n);
    for (uint32_t i = 0; i < n; i++)
        work_expect(w, place[i] <= d->bases - want[i] && !memcmp(d->text + place[i], d->reads + i, want[i]),
                    &place[i], sizeof place[i], "places[%u] is %u, where the reference has something else", i,
                    place[i]);
}

void dna_match(struct work *w, const char *kernel, const struct dna *d, const void *index, uint32_t bytes) {
    uint32_t n = d->offsets[d->count];
    uint64_t reads = work_input(w, "reads", d->reads, n);
    uint64_t offsets = work_input(w, "offsets", d->offsets, (d->count + 1) * sizeof *d->offsets);
    uint64_t lengths = work_buffer(w, "lengths", n * sizeof(uint32_t));
    uint64_t places = work_buffer(w, "places", n * sizeof(uint32_t));
    WORK_LAUNCH(w, kernel, WORK_SHAPE(.grid = {1}, .block = {d->count}), hd_arg_ptr(lengths),
                hd_arg_ptr(places), hd_arg_bytes(index, bytes), hd_arg_ptr(reads), hd_arg_ptr(offsets),
                hd_arg_u32(d->count), hd_arg_u32(d->match));
    check(w, d, lengths, places);
}

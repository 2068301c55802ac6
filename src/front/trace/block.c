/* The tapes of a block that runs. Its tables are read when it starts; of the tapes themselves, each thread has the part that
 * it is in. Threads of a group share the memory of a part, which goes when none of them is in it; a thread that comes
 * later reads it again. So a warp has as many parts in memory as its threads are apart, HDT_GROUP at most, each of at
 * most HDT_GROUP * HDT_PART bytes before packing: however long the tapes are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "front/trace/read.h"

struct part {
    uint64_t at;     /* place in the file */
    uint32_t packed; /* bytes in the file */
    uint32_t raw;    /* bytes once unpacked */
    uint32_t users;  /* threads that are in it */
    uint8_t *data;   /* NULL: not in memory */
};

struct reader {              /* a thread */
    uint64_t bytes;          /* bytes of its tape */
    uint64_t taken;          /* bytes of its tape that have been read */
    const uint8_t *at, *end; /* what is left of the part it is in */
    struct part *part;       /* NULL: none */
    uint64_t right;          /* numbers that the prediction is right for */
};

struct reading {
    struct hdt *t;
    uint64_t index;
    uint32_t threads, groups;
    struct part *parts; /* the part of the whole block, then those of each group */
    uint32_t *first;    /* by group: number of its first */
    struct reader *thread;
    struct track *track; /* [column][thread] */
    const char *why;
};

static const char lacking[] = "the trace has no more of this thread";

/* ---- parts ---- */

/* Bytes of a tape in part k. */
static uint32_t hdt_block_share(uint64_t bytes, uint64_t k) {
    if (bytes <= k * HDT_PART) return 0;
    const uint64_t left = bytes - k * HDT_PART;
    return left < HDT_PART ? (uint32_t)left : HDT_PART;
}

static uint32_t group_end(const struct reading *b, uint32_t group) {
    const uint32_t end = (group + 1) * HDT_GROUP;
    return end < b->threads ? end : b->threads;
}

/* Moves a thread to its next part; false: there is none, or it cannot be had. */
static bool next_part(struct reading *b, uint32_t thread) {
    struct reader *r = &b->thread[thread];
    const uint64_t k = r->taken / HDT_PART;
    const uint32_t group = thread / HDT_GROUP;
    if (r->part && !--r->part->users) {
        xfree(r->part->data);
        r->part->data = NULL;
    }
    r->part = NULL;
    if (r->taken >= r->bytes) return b->why = lacking, false;
    struct part *p = k ? &b->parts[b->first[group] + k - 1] : &b->parts[0];
    if (!p->data && !(p->data = read_packed(b->t, p->at, p->packed, p->raw, &b->why))) return false;
    uint32_t at = 0;
    for (uint32_t t = k ? group * HDT_GROUP : 0; t < thread; t++)
        at += hdt_block_share(b->thread[t].bytes, k);
    r->at = p->data + at;
    r->end = r->at + hdt_block_share(r->bytes, k);
    r->taken += hdt_block_share(r->bytes, k);
    r->part = p;
    p->users++;
    return true;
}

static bool hdt_block_number(struct reading *b, uint32_t thread, uint64_t *v) {
    struct reader *r = &b->thread[thread];
    *v = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end && !next_part(b, thread)) return false;
        const uint8_t byte = *r->at++;
        *v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return true;
    }
    b->why = "the trace is damaged: a number has no end";
    return false;
}

/* ---- a block ---- */

static void reading_free(struct reading *b) {
    for (uint32_t t = 0; b->thread && t < b->threads; t++) {
        struct part *p = b->thread[t].part;
        if (!p || --p->users) continue;
        xfree(p->data);
        p->data = NULL;
    }
    xfree(b->parts);
    xfree(b->first);
    xfree(b->thread);
    xfree(b->track);
    xfree(b);
}

/* Columns of code that no thread came to have zeros: their memory is not touched, and the host need not have it. */
static void unpack_tables(struct reading *b, struct unpack *u) {
    const struct hdt_launch *l = &b->t->launch;
    uint64_t first[1024], second[1024];
    for (uint32_t c = 0; c < l->columns && !u->bad; c++) {
        table_unpack(u, l->block, first);
        table_unpack(u, l->block, second);
        struct track *t = b->track + (size_t)c * b->threads;
        for (uint32_t k = 0; k < b->threads; k++) {
            if (!first[k] && !second[k]) continue;
            t[k].last = b->t->bits[c] ? first[k] & 1 : first[k];
            if (b->t->bits[c] && t[k].last)
                t[k].jump = second[k];
            else
                t[k].stride = second[k];
        }
    }
}

/* Lengths of tapes; returns how many parts they make, 0 if that cannot be. */
static uint64_t unpack_lengths(struct reading *b, struct unpack *u) {
    uint64_t before = 0, parts = 1;
    for (uint32_t g = 0; g < b->groups; g++) {
        uint64_t longest = 0;
        for (uint32_t t = g * HDT_GROUP; t < group_end(b, g); t++) {
            before += unzigzag(unpack_number(u));
            b->thread[t].bytes = before;
            if (before > longest) longest = before;
        }
        b->first[g] = (uint32_t)parts;
        if (longest > b->t->source.bytes * (1u << 17)) u->bad = true;
        if (longest) parts += (longest - 1) / HDT_PART;
        if (parts > (uint64_t)(u->end - u->at) + 1) u->bad = true; /* each has a size among what follows */
        if (u->bad) return 0;
    }
    return parts;
}

static void place_part(struct reading *b, struct unpack *u, struct part *p, uint64_t *at) {
    p->packed = (uint32_t)unpack_most(u, PIECE_MOST);
    p->at = *at;
    *at += p->packed;
    if (p->raw > (1u << 17) * (uint64_t)p->packed || *at > b->t->source.bytes) u->bad = true;
}

static void unpack_parts(struct reading *b, struct unpack *u, uint64_t parts, uint64_t at) {
    b->parts = xcalloc((size_t)parts, sizeof *b->parts);
    for (uint32_t t = 0; t < b->threads; t++) b->parts[0].raw += hdt_block_share(b->thread[t].bytes, 0);
    if (b->parts[0].raw) place_part(b, u, &b->parts[0], &at);
    for (uint32_t g = 0; g < b->groups && !u->bad; g++) {
        const uint64_t end = g + 1 < b->groups ? b->first[g + 1] : parts;
        for (uint64_t p = b->first[g]; p < end && !u->bad; p++) {
            for (uint32_t t = g * HDT_GROUP; t < group_end(b, g); t++)
                b->parts[p].raw += hdt_block_share(b->thread[t].bytes, p - b->first[g] + 1);
            place_part(b, u, &b->parts[p], &at);
        }
    }
}

static bool unpack_block(struct reading *b, struct unpack *u, uint64_t at) {
    if (unpack_number(u) != b->t->number || unpack_number(u) != b->index) u->bad = true;
    if (!u->bad) unpack_tables(b, u);
    const uint64_t parts = u->bad ? 0 : unpack_lengths(b, u);
    if (parts) unpack_parts(b, u, parts, at);
    for (uint32_t t = 0; t < b->threads && !u->bad; t++)
        if (!hdt_block_number(b, t, &b->thread[t].right)) u->bad = true;
    return !u->bad;
}

static struct reading *reading_new(struct hdt *t, uint64_t block) {
    struct reading *b = xcalloc(1, sizeof *b);
    const uint32_t *dim = t->launch.block;
    b->t = t;
    b->index = block;
    b->threads = dim[0] * dim[1] * dim[2];
    b->groups = (b->threads + HDT_GROUP - 1) / HDT_GROUP;
    b->first = xcalloc(b->groups, sizeof *b->first);
    b->thread = xcalloc(b->threads, sizeof *b->thread);
    b->track = xcalloc((size_t)t->launch.columns * b->threads + 1, sizeof *b->track);
    return b;
}

static const char *hdt_block_load(struct hdt *t, struct reading *b) {
    const char *why = NULL;
    struct unpack u;
    uint64_t at, place, next;
    if (__builtin_mul_overflow(b->index, sizeof at, &place) ||
        __builtin_add_overflow(place, t->blocks_at, &place) || t->source.bytes < sizeof at ||
        place > t->source.bytes - sizeof at)
        return "the file ends before what should be there";
    if (!t->source.read(t->source.user, place, &at, sizeof at)) return "it cannot be read";
    uint8_t *data = read_piece(t, at, PIECE_BLOCK, &u, &next, &why);
    if (data && !unpack_block(b, &u, next)) why = "the data of the block is damaged";
    xfree(data);
    return why;
}

void *hdt_get_start(void *user, uint64_t block) {
    struct hdt *t = user;
    struct reading *b = reading_new(t, block);
    const char *why = hdt_block_load(t, b);
    if (!why) return b;
    reading_free(b);
    pthread_mutex_lock(&t->lock);
    if (!*t->why)
        snprintf(t->why, sizeof t->why, "launch %" PRIu32 ", block %" PRIu64 " of the trace: %s", t->number,
                 block, why);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

void hdt_get_end(void *tapes, bool complete) {
    (void)complete;
    reading_free(tapes);
}

/* The prediction was wrong: by how much, and for how many it will be right. */
static bool correct(struct reading *b, uint32_t thread, bool bit, uint64_t *v) {
    struct reader *r = &b->thread[thread];
    uint64_t apart = 0;
    if (r->at == r->end && r->taken >= r->bytes) return b->why = lacking, false;
    if (!bit && !hdt_block_number(b, thread, &apart)) return false;
    *v = bit ? !*v : *v + unzigzag(apart);
    return hdt_block_number(b, thread, &r->right);
}

bool hdt_get(void *tapes, uint32_t thread, uint32_t column, uint64_t *value) {
    struct reading *b = tapes;
    struct track *t = &b->track[(size_t)column * b->threads + thread];
    const bool bit = b->t->bits[column];
    uint64_t v = bit ? track_predict_bit(t) : track_predict(t);
    if (b->thread[thread].right)
        b->thread[thread].right--;
    else if (!correct(b, thread, bit, &v))
        return false;
    if (bit)
        track_bit(t, v);
    else
        track_value(t, v);
    *value = v;
    return true;
}

const char *hdt_get_why(void *user, void *tapes) {
    const struct hdt *t = user;
    const struct reading *b = tapes;
    return b ? b->why : *t->why ? t->why : "the host has no memory for the tapes of a block";
}

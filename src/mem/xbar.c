/* The crossbar of DWF 5.1.2.
 *
 * An input has `speedup` buffers; buffer b serves the outputs o with o % speedup == b, and inside it messages queue by
 * output. Every cycle the allocator matches buffers with outputs: a buffer bids for one random output it has something
 * for, an output takes one random bid, and `iterations` passes repeat this among those still unmatched. A match moves one
 * flit. Flits of messages from different inputs may interleave at an output, which puts messages together by input; one
 * message's flits, and the messages from one input to one output, stay in order. The whole message is there `latency`
 * cycles after its last flit left.
 *
 * Deviations, to keep credits from locking up:
 * - An output's credits are taken for the whole message with its first flit, not flit by flit: otherwise parts of many
 *   messages could fill an output buffer in which none is whole. A message larger than a buffer takes all of it.
 * - An output that was matched with a message it has no room for starts no other message before that one, and takes it as
 *   soon as there is room: otherwise short messages would starve long ones at a full output. Meanwhile it goes on with
 *   messages that have begun, so that waiting for room does not delay what makes room.
 *
 * An ideal crossbar delivers every message `latency` cycles after the push; only a receiver that leaves output_buffer flits
 * unpopped holds its senders back.
 *
 * Outputs are kept in slots ordered by the buffer that serves them, so that what a buffer may bid for is a run of whole
 * bitmap words. A cycle costs a scan of the bitmaps plus work for occupied buffers; nothing is allocated once the pool has
 * grown to the largest number of messages inside. The n-th draw depends on n alone, so every bid makes one and works its
 * value out only where that decides: with several outputs to choose from, or several bids for one. */
#include "mem/xbar.h"

#include "base/alloc.h"
#include "base/bitmap.h"
#include "base/bits.h"
#include "base/queue.h"
#include "base/transfer.h"
#include "mem/options.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct message {
    uint64_t ready;       /* on the wire: the cycle it arrives */
    uint32_t flits, left; /* all; still to cross */
    uint32_t number;      /* the caller's */
    uint32_t slot;        /* its output */
    uint32_t next;
};

/* 32 bytes, as outputs are: a cycle looks at many of them. */
struct buffer {
    uint64_t wants; /* outputs it has messages for */
    /* Outputs whose first message has crossed in part: its place at the output is kept. Where outputs do not fit a
     * word, xbar.wants and xbar.begun hold them. */
    uint64_t begun;
    uint32_t credits;
    uint16_t input;
    uint16_t queues; /* how many of its outputs' queues have messages */
    uint32_t queue;  /* the first of its outputs' queues */
    uint32_t part;   /* which of its input's buffers it is: where its outputs' slots begin */
};

/* Where an output is found; a table spares every push and pop the divisions by the speed-up. */
struct route {
    _Alignas(16) uint32_t part; /* the buffer of an input that serves it */
    uint32_t local, slot;       /* its number there and among all outputs */
};

struct output {
    _Alignas(16) uint32_t credits; /* 32 bytes in all */
    uint32_t unpopped;             /* flits of messages that have arrived */
    struct queue arrived;
    uint32_t number;
    uint32_t held; /* the buffer whose message it must take next, or NONE */
};

/* What an output is offered in the pass under way. */
struct bids {
    uint32_t n, winner;
    uint32_t begun, other; /* n and winner among bids with a message that has begun to cross */
};

struct xbar {
    bool ideal;
    uint32_t inputs, outputs, speedup, passes;
    uint64_t latency, flit;
    uint64_t over; /* header and all but one byte of a flit: what is rounded down is rounded up with it */
    uint32_t input_room, output_room;
    uint32_t flit_shift;   /* log2 of flit; 0: it has none, or it is 0 */
    uint32_t per_buffer;   /* outputs a buffer serves, at most */
    uint32_t words;        /* bitmap words for them */
    uint32_t buffer_words; /* bitmap words for all buffers */
    uint32_t input_words;  /* bitmap words for the inputs */
    uint32_t crossed;      /* flits of the cycle under way */
    uint64_t ready;        /* when messages arrive that leave in it */
    uint64_t now;
    struct rng rng;
    POOL(struct message) messages;
    struct buffer *buffer; /* [inputs * speedup] */
    struct route *route;   /* [outputs] */
    struct queue *queue;   /* [buffer][per_buffer] */
    uint64_t *wants;       /* words > 1: [buffer][words], as in struct buffer */
    uint64_t *begun;       /* [buffer][words], as in struct buffer */
    uint64_t *occupied;    /* buffers with messages */
    uint64_t *matched_in;  /* buffers matched in this cycle */
    uint64_t *more; /* buffers that had a choice when they bid last: others have nothing to bid for again */
    struct output *output; /* by slot: [speedup][words * 64] */
    struct bids *bids;     /* bids by slot */
    uint64_t *matched_out; /* slots matched in this cycle */
    uint32_t *bid_for;     /* slots with bids in this pass, in no order */
    uint32_t nbid_for;     /* entries of bid_for */
    bool last;             /* no pass will follow: who is matched need not be known */
    uint64_t *holding;     /* slots whose held is set */
    uint32_t held;         /* number of slots whose held is set */
    uint64_t *landed;      /* outputs, by number, with messages that have arrived */
    uint64_t *freed;       /* inputs that got credits back in the last cycle */
    struct queue wire;     /* messages on their way, in order of arrival */
    uint64_t waiting;      /* messages in input buffers */
    uint32_t way;          /* the direction whose counters these are */
    struct xbar_stats stats;
    uint8_t ones[256], nth[256][8]; /* bits that are set in a byte: how many, and where the n-th is */
};

static uint32_t xbar_least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t buffer_of(const struct xbar *x, uint32_t input, uint32_t output) {
    return input * x->speedup + x->route[output].part;
}
static uint32_t flits_of(const struct xbar *x, uint32_t bytes) {
    uint64_t n = bytes + x->over;
    n = x->flit_shift ? n >> x->flit_shift : n / x->flit;
    return n ? (uint32_t)n : 1;
}

static void make_buffers(struct xbar *x) {
    uint32_t buffers = x->inputs * x->speedup;
    size_t queues = (size_t)buffers * x->per_buffer;
    x->buffer_words = bitmap_words(buffers);
    x->buffer = xcalloc(buffers, sizeof *x->buffer);
    for (uint32_t b = 0; b < buffers; b++)
        x->buffer[b] = (struct buffer){.credits = x->input_room,
                                       .input = (uint16_t)(b / x->speedup),
                                       .queue = b * x->per_buffer,
                                       .part = b % x->speedup};
    x->queue = xcalloc(queues, sizeof *x->queue);
    x->wants = xcalloc((size_t)buffers * x->words, sizeof *x->wants);
    x->begun = xcalloc((size_t)buffers * x->words, sizeof *x->begun);
    x->occupied = xcalloc(x->buffer_words, sizeof *x->occupied);
    x->matched_in = xcalloc(x->buffer_words, sizeof *x->matched_in);
    x->more = xcalloc(x->buffer_words, sizeof *x->more);
    x->input_words = bitmap_words(x->inputs);
    x->freed = xcalloc(x->input_words, sizeof *x->freed);
}

static void make_outputs(struct xbar *x) {
    uint32_t words = x->speedup * x->words;
    x->output = xcalloc((size_t)words * 64, sizeof *x->output);
    x->bids = xcalloc((size_t)words * 64, sizeof *x->bids);
    for (uint32_t s = 0; s < words * 64; s++)
        x->output[s] = (struct output){.credits = x->output_room, .held = NONE};
    x->route = xcalloc(x->outputs, sizeof *x->route);
    for (uint32_t o = 0; o < x->outputs; o++) {
        uint32_t part = o % x->speedup, local = o / x->speedup;
        x->route[o] = (struct route){part, local, part * x->words * 64 + local};
        x->output[x->route[o].slot].number = o;
    }
    x->matched_out = xcalloc(words, sizeof *x->matched_out);
    x->bid_for = xcalloc((size_t)words * 64, sizeof *x->bid_for);
    x->holding = xcalloc(words, sizeof *x->holding);
    x->landed = xcalloc(bitmap_words(x->outputs), sizeof *x->landed);
}

static void make_bytes(struct xbar *x) {
    for (uint32_t v = 0; v < 256; v++)
        for (uint8_t bit = 0; bit < 8; bit++)
            if (v >> bit & 1) x->nth[v][x->ones[v]++] = bit;
}

struct xbar *xbar_new(const struct opt_noc *o, uint32_t way, uint32_t inputs, uint32_t outputs,
                      uint64_t seed) {
    CHECK(inputs && outputs);
    struct xbar *x = xcalloc(1, sizeof *x);
    x->ideal = o->ideal;
    x->way = way;
    x->inputs = inputs;
    x->outputs = outputs;
    x->speedup = (uint32_t)o->speedup;
    x->passes = (uint32_t)o->iterations;
    x->latency = (uint64_t)o->latency;
    x->flit = (uint64_t)o->flit;
    x->flit_shift = is_pow2(x->flit) ? (uint32_t)__builtin_ctzll(x->flit) : 0;
    x->over = (uint64_t)o->header + x->flit - 1;
    x->input_room = (uint32_t)o->input_buffer;
    x->output_room = (uint32_t)o->output_buffer;
    x->rng.state = seed;
    x->per_buffer = (outputs + x->speedup - 1) / x->speedup;
    x->words = bitmap_words(x->per_buffer);
    make_bytes(x);
    make_buffers(x);
    make_outputs(x);
    return x;
}

void xbar_free(struct xbar *x) {
    if (!x) return;
    POOL_FREE(&x->messages);
    xfree(x->buffer);
    xfree(x->queue);
    xfree(x->route);
    xfree(x->wants);
    xfree(x->begun);
    xfree(x->occupied);
    xfree(x->matched_in);
    xfree(x->output);
    xfree(x->bids);
    xfree(x->more);
    xfree(x->matched_out);
    xfree(x->bid_for);
    xfree(x->holding);
    xfree(x->landed);
    xfree(x->freed);
    xfree(x);
}

/* What follows is compiled twice: for buffers whose outputs fit a word of bits (words is 1, a constant), as those of nearly
 * all machines do, and for any. */
#define TWICE static inline __attribute__((always_inline))

/* The sets of a buffer's outputs. */
TWICE uint64_t *wants_of(const struct xbar *x, uint32_t buf, const uint32_t words) {
    return words == 1 ? &x->buffer[buf].wants : x->wants + (size_t)buf * words;
}
TWICE uint64_t *begun_of(const struct xbar *x, uint32_t buf, const uint32_t words) {
    return words == 1 ? &x->buffer[buf].begun : x->begun + (size_t)buf * words;
}

/* ---- messages ---- */

static void xbar_append(struct xbar *x, struct queue *q, uint32_t at) {
    QUEUE_PUT(q, x->messages.v, at);
}

static uint32_t xbar_take(struct xbar *x, struct queue *q) {
    return QUEUE_TAKE(q, x->messages.v);
}

/* Puts it behind all others on the wire: latency is one for all, so the wire is in order of arrival. */
static void xbar_send(struct xbar *x, uint32_t at, uint64_t ready) {
    x->messages.v[at].ready = ready;
    xbar_append(x, &x->wire, at);
}

static void xbar_arrive(struct xbar *x) {
    while (x->wire.n && x->messages.v[x->wire.head].ready <= x->now) {
        uint32_t at = xbar_take(x, &x->wire);
        struct output *out = &x->output[x->messages.v[at].slot];
        out->unpopped += x->messages.v[at].flits;
        xbar_append(x, &out->arrived, at);
        bitmap_set(x->landed, out->number);
    }
}

/* ---- the ends ---- */

bool xbar_room(const struct xbar *x, uint32_t input, uint32_t output, uint32_t bytes) {
    CHECK(input < x->inputs && output < x->outputs);
    if (x->ideal) return x->output[x->route[output].slot].unpopped < x->output_room;
    return x->buffer[buffer_of(x, input, output)].credits >= xbar_least(flits_of(x, bytes), x->input_room);
}

/* Sends a message through an ideal crossbar: it is there `latency` cycles later, or at once. */
static __attribute__((noinline)) bool push_ideal(struct xbar *x, const struct route *to, uint32_t flits,
                                                 uint32_t message) {
    if (x->output[to->slot].unpopped >= x->output_room) return false;
    const uint32_t at = POOL_TAKE(&x->messages);
    x->messages.v[at] = (struct message){.flits = flits, .number = message, .slot = to->slot};
    x->stats.flits[x->way] += flits;
    x->stats.messages[x->way]++;
    xbar_send(x, at, x->now + x->latency);
    xbar_arrive(x);
    return true;
}

static __attribute__((noinline)) bool push_grown(struct xbar *x, uint32_t input, uint32_t output,
                                                 uint32_t bytes, uint32_t message) {
    pool_grow(&x->messages.pool, sizeof *x->messages.v);
    return xbar_push(x, input, output, bytes, message);
}

bool xbar_push(struct xbar *x, uint32_t input, uint32_t output, uint32_t bytes, uint32_t message) {
    const uint32_t flits = flits_of(x, bytes), need = xbar_least(flits, x->input_room);
    const struct route *to = &x->route[output];
    if (x->ideal) return push_ideal(x, to, flits, message);
    const uint32_t buf = input * x->speedup + to->part;
    struct buffer *b = &x->buffer[buf];
    if (b->credits < need) return false;
    if (!x->messages.pool.left) return push_grown(x, input, output, bytes, message);
    const uint32_t at = POOL_TAKE_SIZED(&x->messages);
    struct message *m = &x->messages.v[at];
    m->flits = m->left = flits;
    m->number = message;
    m->slot = to->slot;
    struct queue *q = &x->queue[b->queue + to->local];
    b->credits -= need;
    if (!q->n) {
        if (!b->queues++) bitmap_set(x->occupied, buf);
        if (x->words == 1)
            b->wants |= UINT64_C(1) << to->local;
        else
            bitmap_set(wants_of(x, buf, x->words), to->local);
    }
    xbar_append(x, q, at);
    x->waiting++;
    return true;
}

bool xbar_peek(const struct xbar *x, uint32_t output, uint32_t *message) {
    CHECK(output < x->outputs);
    const struct queue *arrived = &x->output[x->route[output].slot].arrived;
    if (!arrived->n) return false;
    *message = x->messages.v[arrived->head].number;
    return true;
}

bool xbar_pop(struct xbar *x, uint32_t output, uint32_t *message) {
    CHECK(output < x->outputs);
    struct output *out = &x->output[x->route[output].slot];
    if (!out->arrived.n) return false;
    const uint32_t at = xbar_take(x, &out->arrived);
    const struct message *m = &x->messages.v[at];
    *message = m->number;
    if (!out->arrived.n) bitmap_clear(x->landed, output);
    out->unpopped -= m->flits;
    if (!x->ideal) out->credits += xbar_least(m->flits, x->output_room);
    POOL_GIVE(&x->messages, at);
    return true;
}

const uint64_t *xbar_landed(const struct xbar *x) {
    return x->landed;
}

const uint64_t *xbar_freed(const struct xbar *x) {
    return x->freed;
}

bool xbar_busy(const struct xbar *x) {
    return x->waiting || x->wire.n;
}

uint64_t xbar_quiet(const struct xbar *x) {
    if (x->waiting) return 0;
    if (!x->wire.n) return UINT64_MAX;
    uint64_t ready = x->messages.v[x->wire.head].ready;
    return ready > x->now + 1 ? ready - x->now - 1 : 0;
}

void xbar_skip(struct xbar *x, uint64_t cycles) {
    x->now += cycles;
}

void xbar_get_stats(const struct xbar *x, struct xbar_stats *s) {
    *s = x->stats;
    s->cycles = x->now;
    s->port_cycles[x->way] = x->now * x->outputs;
}

void xbar_transfer(struct xbar *x, struct transfer *t) {
    CHECK(!xbar_busy(x));
    TRANSFER(t, x->now);
    TRANSFER(t, x->rng.state);
    TRANSFER(t, x->stats);
}

/* ---- one cycle ---- */

/* Mostly one word or two. */
static void xbar_clear(uint64_t *map, uint32_t words) {
    map[0] = 0;
    if (words == 2) map[1] = 0;
    if (words > 2) memset(map, 0, words * sizeof *map);
}

static void xbar_hold(struct xbar *x, uint32_t slot, uint32_t buf) {
    x->held += x->output[slot].held == NONE;
    x->output[slot].held = buf;
    bitmap_set(x->holding, slot);
}

static void xbar_release(struct xbar *x, uint32_t slot) {
    x->held--;
    x->output[slot].held = NONE;
    bitmap_clear(x->holding, slot);
}

/* A buffer and one of its outputs. */
struct pair {
    struct buffer *b;
    struct queue *q;         /* messages from b to that output */
    uint64_t *wants, *begun; /* words of the buffer's sets in which the output is */
    uint64_t bit;            /* bit of the output in these words */
    uint32_t buf, slot;
};

TWICE struct pair pair_of(const struct xbar *x, uint32_t buf, uint32_t slot, const uint32_t words) {
    struct buffer *b = &x->buffer[buf];
    const uint32_t local = words == 1 ? slot % 64 : slot - b->part * words * 64;
    return (struct pair){.b = b,
                         .q = &x->queue[b->queue + local],
                         .wants = words == 1 ? &b->wants : wants_of(x, buf, words) + local / 64,
                         .begun = words == 1 ? &b->begun : begun_of(x, buf, words) + local / 64,
                         .bit = UINT64_C(1) << local % 64,
                         .buf = buf,
                         .slot = slot};
}

/* True when a flit of the first message may go: its place in the output buffer is kept. A message that finds no place is the
 * next to get one. */
TWICE bool xbar_admit(struct xbar *x, const struct pair *p) {
    struct output *out = &x->output[p->slot];
    if (*p->begun & p->bit) return true;
    if (out->held != NONE && out->held != p->buf) return false;
    const uint32_t need = xbar_least(x->messages.v[p->q->head].flits, x->output_room);
    if (out->credits < need) {
        xbar_hold(x, p->slot, p->buf);
        return false;
    }
    out->credits -= need;
    if (out->held != NONE) xbar_release(x, p->slot);
    return true;
}

TWICE void match(struct xbar *x, const struct pair *p) {
    if (x->last) return;
    bitmap_set(x->matched_in, p->buf);
    x->matched_out[p->slot / 64] |= p->bit;
}

TWICE void xbar_leave(struct xbar *x, const struct pair *p) {
    const uint32_t at = xbar_take(x, p->q);
    *p->begun &= ~p->bit;
    if (!p->q->n) {
        *p->wants &= ~p->bit;
        if (!--p->b->queues) bitmap_clear(x->occupied, p->buf);
    }
    x->waiting--;
    xbar_send(x, at, x->ready);
}

/* Moves a flit of an admitted message. */
TWICE void cross(struct xbar *x, const struct pair *p) {
    struct message *m = &x->messages.v[p->q->head];
    match(x, p);
    /* The first flits of a message larger than the buffer never took any room. */
    if (m->left-- <= x->input_room) {
        p->b->credits++;
        bitmap_set(x->freed, p->b->input);
    }
    x->crossed++;
    if (m->left)
        *p->begun |= p->bit;
    else
        xbar_leave(x, p);
}

/* The output takes its winner; when a full output buffer holds that back, another bid whose place is kept already. */
TWICE void grant(struct xbar *x, uint32_t slot, const uint32_t words) {
    struct bids *bids = &x->bids[slot];
    const struct pair p = pair_of(x, bids->winner, slot, words);
    const uint32_t begun = bids->begun;
    bids->n = bids->begun = 0;
    if (xbar_admit(x, &p)) {
        cross(x, &p);
        return;
    }
    x->stats.stalls[x->way]++;
    if (begun) {
        const struct pair other = pair_of(x, bids->other, slot, words);
        cross(x, &other);
    } else {
        match(x, &p);
    }
}

/* Outputs that owe a message its turn and now have room for it. */
static void serve_held(struct xbar *x) {
    FOR_BITMAP(slot, x->holding, x->speedup * x->words) {
        const struct pair p = pair_of(x, x->output[slot].held, slot, x->words);
        if (!bitmap_has(x->matched_in, p.buf) && xbar_admit(x, &p)) cross(x, &p);
    }
}

/* Random in [0, n) from 32 random bits. */
static uint32_t xbar_scale(uint32_t random, uint32_t n) {
    return (uint32_t)((uint64_t)random * n >> 32);
}

/* The n-th of the bits that are set. */
static uint32_t nth_bit(uint64_t bits, uint32_t n) {
    for (; n; n--) bits &= bits - 1;
    return (uint32_t)__builtin_ctzll(bits);
}

static bool is_one(uint64_t bits) {
    return !(bits & (bits - 1));
}

/* What a buffer bids for: the local number of an output, at random among those of its outputs that are not matched, by a draw
 * that is made when there is one at all; NONE: there is none. more: there were several. random: what was drawn, if it has
 * been worked out, else 0. */
struct choice {
    uint32_t local;
    bool more;
    uint64_t random;
};

static struct choice xbar_choose(const struct xbar *x, struct rng *rng, uint32_t buf) {
    const uint64_t *wants = x->wants + (size_t)buf * x->words,
                   *matched = x->matched_out + x->buffer[buf].part * x->words;
    uint32_t total = 0, w = 0;
    for (w = 0; w < x->words; w++) total += bits_count64(wants[w] & ~matched[w]);
    if (!total) return (struct choice){.local = NONE};
    const uint64_t random = rng_next(rng);
    uint32_t n = xbar_scale((uint32_t)random, total);
    w = 0;
    for (uint32_t here; n >= (here = bits_count64(wants[w] & ~matched[w])); w++) n -= here;
    return (struct choice){w * 64 + nth_bit(wants[w] & ~matched[w], n), total > 1, random};
}

/* Chooses from a word of outputs. Where there is no choice what was drawn does not matter. */
TWICE struct choice choose_narrow(const struct xbar *x, const struct buffer *b, uint64_t open,
                                  struct rng *rng) {
    const uint64_t step = rng_step(rng);
    if (is_one(open)) return (struct choice){.local = (uint32_t)__builtin_ctzll(open)};
    const uint64_t random = rng_value(step);
    if (open < 256)
        return (struct choice){x->nth[open][xbar_scale((uint32_t)random, x->ones[open])], true, random};
    const uint32_t n = open == b->wants ? b->queues : bits_count64(open);
    return (struct choice){nth_bit(open, xbar_scale((uint32_t)random, n)), true, random};
}

/* The bids of an output come one by one: the k-th replaces the winner with probability 1/k, so that each wins alike, by the
 * upper half of the draw that chose the output. True: it is the first. */
TWICE bool place_bid(struct bids *bids, uint32_t buf, uint64_t random, const struct rng *rng) {
    if (!bids->n) {
        bids->n = 1;
        bids->winner = buf;
        return true;
    }
    if (!random) random = rng_value(rng->state);
    if (!xbar_scale((uint32_t)(random >> 32), ++bids->n)) bids->winner = buf;
    return false;
}

/* Every unmatched buffer with messages bids for an output, of those in `may`. Those that will have something to bid for when
 * this output is matched are in x->more then. */
TWICE void bid(struct xbar *x, const uint64_t *may, const uint32_t words) {
    const uint64_t *const matched = x->matched_out;
    const struct buffer *const buffers = x->buffer;
    struct bids *const all = x->bids;
    uint32_t *const bid_for = x->bid_for, n = 0;
    struct rng rng = x->rng;
    for (uint32_t w = 0; w < x->buffer_words; w++) {
        uint64_t more = 0;
        for (uint64_t left = may[w] & ~x->matched_in[w]; left; left &= left - 1) {
            const uint32_t buf = w * 64 + (uint32_t)__builtin_ctzll(left);
            const struct buffer *b = &buffers[buf];
            const uint64_t open = words == 1 ? b->wants & ~matched[b->part] : 1;
            if (!open) continue;
            const struct choice c = words == 1 ? choose_narrow(x, b, open, &rng) : xbar_choose(x, &rng, buf);
            if (words > 1 && c.local == NONE) continue;
            if (c.more) more |= left & -left;
            const uint32_t slot = b->part * words * 64 + c.local;
            struct bids *bids = &all[slot];
            if (place_bid(bids, buf, c.random, &rng)) bid_for[n++] = slot;
            if (!(words == 1 ? b->begun >> c.local & 1 : bitmap_has(begun_of(x, buf, words), c.local)))
                continue;
            const uint64_t step = rng_step(&rng);
            if (!bids->begun++ || !rng_scale(rng_value(step), bids->begun)) bids->other = buf;
        }
        x->more[w] = more;
    }
    x->nbid_for = n;
    x->rng = rng;
}

TWICE void xbar_move(struct xbar *x, const uint32_t words) {
    xbar_clear(x->matched_in, x->buffer_words);
    xbar_clear(x->matched_out, x->speedup * words);
    const uint64_t before = x->waiting, *may = x->occupied;
    x->crossed = 0;
    x->last = false;
    x->ready = x->now + x->latency;
    if (x->held) serve_held(x);
    x->nbid_for = 1;
    for (uint32_t p = 1; p <= x->passes && x->nbid_for; p++, may = x->more) {
        x->last = p == x->passes;
        bid(x, may, words);
        for (uint32_t k = 0; k < x->nbid_for; k++) grant(x, x->bid_for[k], words);
    }
    x->stats.messages[x->way] += before - x->waiting;
    x->stats.flits[x->way] += x->crossed;
    x->stats.occupied[x->way] += x->crossed;
}

static __attribute__((noinline)) void move_narrow(struct xbar *x) {
    xbar_move(x, 1);
}

static __attribute__((noinline)) void move_wide(struct xbar *x) {
    xbar_move(x, x->words);
}

void xbar_cycle(struct xbar *x) {
    x->now++;
    xbar_clear(x->freed, x->input_words);
    if (x->waiting) (x->words == 1 ? move_narrow : move_wide)(x);
    if (x->wire.n) xbar_arrive(x);
}

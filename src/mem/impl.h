/* What the files of the memory system share: its parts, and who calls whom. mem.c makes it and runs its clocks, l1.c is an
 * SM's side (first-level caches), l15.c its second level for constants, port.c where SMs and crossbars meet, slice.c the
 * memory's side (an L2 slice and its DRAM channel).
 *
 * An SM's side and the memory's side share nothing but two lists: requests that leave the SM's caches, and what comes back to
 * it, each with its cycle. A request leaves `latency` cycles after the ask, so the memory's side can run that far ahead of the SMs,
 * and SMs can run as far one after the other, or at the same time: what each finds in a cycle is the same. */
#ifndef HEDDLE_MEM_IMPL_H
#define HEDDLE_MEM_IMPL_H

#include "mem/clock.h"
#include "mem/dram.h"
#include "mem/level.h"
#include "mem/xbar.h"

enum { PORT_WORDS = 16 }; /* words of a set of ports or SMs: gpu.sms is at most 1024 */

struct l1 {
    struct level level;
    uint32_t queued; /* requests that have not left for the crossbar, as of the SM's cycle */
    uint32_t below;  /* bytes of the next level's line: a request crosses none */
    /* The last request that was refused, if calls.refused has the path. Until something is filled, leaves or is taken, the
     * answer to it is the same: an SM that tries again every cycle costs next to nothing. */
    struct mem_request refused;
};

/* An SM's second-level constant cache. Its own misses go through l1c's queue to the crossbar. */
struct l15 {
    struct level level;
    struct queue in;   /* what l1c misses; msg.when in core cycles, as in */
    struct queue hits; /* the answers to it */
};

/* What the memory's side sends to an SM: responses to misses, and a credit for each request that has left a queue of its
 * caches. A credit wakes the SM only if the queue was full; otherwise the next request to that queue takes note of it. */
struct response {
    uint64_t cycle, addr;
    uint32_t bytes, id;
    uint8_t path;
};
struct credit {
    uint64_t cycle;
    uint8_t path;
};
struct inbox {
    VEC(struct response) responses;
    VEC(struct credit) credits;
};

/* An SM's side. Only its SM touches it between mem_run and mem_collect. */
struct sm_port {
    _Alignas(64) const struct mem *mem; /* the memory system it belongs to */
    uint32_t sm;                        /* number of the SM */
    struct l1 *at[MEM_NPATHS];          /* where each of these is, without a product: */
    struct l1 l1[MEM_NPATHS];
    struct l15 l15;       /* if there is one */
    struct msg_pool pool; /* messages that wait at its miss registers, and what goes from l1c to l15 */
    struct queue done;    /* what mem_done gives out */
    struct mem_calls calls;
    struct inbox inbox;
    size_t read, noticed; /* entries of the lists in `inbox` that the SM has dealt with */
    VEC(struct msg) out;  /* requests, in the order of asking */
    struct mem_load_stats load;
    _Alignas(64) struct inbox undelivered; /* the memory's side: what mem_deliver will add to `inbox` */
};

enum { MOST_SLICES = 64 };              /* upper bound of dram.channels */
enum { PORT_QUEUES = 64 * MEM_NPATHS }; /* at most: the caches of 64 SMs */

/* A port of both crossbars, for noc.sms_per_port SMs from `first` on. */
struct port {
    uint32_t first;
    uint32_t turn;                      /* queue that is asked first, counted over the port's caches */
    uint32_t queues;                    /* number of queues that hold requests */
    uint64_t holding[PORT_QUEUES / 64]; /* the queues that hold requests */
    bool blocked;                       /* a request could leave, but for the crossbar's room: port_freed */
};

/* L2 slice and DRAM channel. */
struct slice {
    uint32_t number;
    struct level level;
    struct queue hits;     /* answers from the cache; msg.when in L2 cycles, as in the other queues */
    uint64_t hit_at;       /* msg.when of the first of hits; CLOCK_ASLEEP: there is none */
    struct queue answers;  /* answers to those that waited for DRAM */
    struct queue below;    /* requests for DRAM */
    uint64_t below_at;     /* as hit_at */
    struct queue returned; /* from DRAM */
    uint64_t ran;          /* the last L2 cycle it ran in */
    bool refused; /* then the request at its door was refused, and would have been in every cycle since */
    bool blocked; /* an answer could leave, but for the crossbar's room: slice_freed */
    struct dram *dram;
    uint32_t in_dram; /* requests */
    uint64_t dram_at; /* cycles the channel has run */
};

struct mem {
    /* What SMs read while they run. */
    struct mem_options o;
    uint32_t sms, ports, slices;
    uint32_t used;           /* SMs that this launch uses: the others are empty */
    struct mem_stats unused; /* counters of the SMs that are not used, together */
    struct sm_port *sm_port; /* [sms] */
    void *tags;              /* room for the tags of the SMs' caches */
    struct dram_map *map;
    uint64_t chip_bits;          /* with masks: address bits that choose the channel; else 0 */
    uint64_t from;               /* first cycle of the window that the SMs are in */
    uint64_t now;                /* the core cycle everything has been advanced to */
    uint64_t unread[PORT_WORDS]; /* SMs that have some unread */
    /* What the memory's side writes, beside them: in other lines of the host's caches. */
    _Alignas(64) struct clocks clock;
    struct msg_pool pool; /* what is on the memory's side */
    struct queue *out;    /* [sms][MEM_NPATHS]: requests for the crossbar; msg.when in core cycles */
    struct port *port;
    struct slice *slice;
    /* Cycles of L2 and DRAM at which each slice and channel is to run; together, for all are looked at in every cycle. */
    uint64_t slice_due[MOST_SLICES], dram_due[MOST_SLICES];
    struct xbar *xbar[2];
    const uint64_t *arrived[2];       /* by crossbar: its outputs with messages */
    const uint64_t *freed[2];         /* by crossbar: the inputs that got credits back in its last cycle */
    uint64_t xbar_at[2], xbar_due[2]; /* crossbar cycles it has run; the next that is to run */
    uint64_t waiting;                 /* slices that know of a request at their door */
    uint32_t queue_words;             /* words of port.holding */
    uint32_t port_words;              /* words of sending and landed */
    uint64_t sending[PORT_WORDS];     /* ports with requests queued */
    uint64_t *port_due;               /* by port: the core cycle at which one of its requests may leave */
    uint64_t landed[PORT_WORDS];      /* ports with answers at the crossbar's output, as of its last cycle */
    bool sms_running;                 /* SMs run at the same time */
    uint64_t undelivered[PORT_WORDS]; /* SMs that mem_deliver has something for */
    uint64_t soonest;                 /* the first cycle that this is about */
    uint64_t quiet;                   /* core cycle by which the pool was empty, if it is */
};

/* A crossbar has run so many cycles, in those that it slept through as well. */
static inline void mem_noc_catch_up(struct mem *m, int way, uint64_t cycles) {
    if (m->xbar_at[way] < cycles) xbar_skip(m->xbar[way], cycles - m->xbar_at[way]);
    m->xbar_at[way] = cycles;
}
/* Into a crossbar, at the current cycle of clock `by`; false: it has no room. */
static inline bool mem_push(struct mem *m, int way, uint32_t input, uint32_t output, uint32_t bytes,
                            uint32_t message, enum clock_id by) {
    const uint64_t next = clock_soonest(&m->clock, CLOCK_NOC, by);
    mem_noc_catch_up(m, way, next - 1);
    if (!xbar_push(m->xbar[way], input, output, bytes, message)) return false;
    clock_at(&m->clock, CLOCK_NOC, next);
    if (next < m->xbar_due[way]) m->xbar_due[way] = next;
    return true;
}
/* l1.c. Where a request comes from. */
struct source {
    struct sm_port *sm_port;
    struct l1 *cache;
    uint8_t path;
    uint64_t ready; /* core cycle at which the request leaves the cache's pipeline */
};
/* For the crossbar, through the queue of the source's cache; the answer is for miss register `entry`. */
void l1_send(const struct source *from, enum mem_kind kind, uint64_t addr, uint32_t bytes, uint32_t entry);
/* The answer to a miss of a first-level cache: it is filled and those who wait are done. */
struct answer {
    uint64_t addr;
    uint32_t bytes, entry;
    uint8_t path;
};
void l1_fill(const struct mem *m, struct sm_port *f, const struct answer *a, uint64_t cycle);
/* What refused the path's last request may be gone: its SM has to ask again. */
void l1_lift(struct sm_port *f, uint8_t path);
/* Requests that have left before that cycle are in the queues no more. */
void l1_notice(struct sm_port *f, uint64_t before);
void l1_flush(struct mem *m, uint32_t sm, uint8_t path);
/* l15.c. A read that l1c misses, leaving it at from->ready; the answer is for its miss register `entry`. */
void l15_send(const struct source *from, uint64_t addr, uint32_t bytes, uint32_t entry);
/* The answer to a miss of it. */
void l15_fill(const struct mem *m, struct sm_port *f, const struct answer *a, uint64_t cycle);
void l15_cycle(const struct mem *m, uint32_t sm, uint64_t cycle);
void l15_flush(struct l15 *c);
/* port.c */
void port_collect(struct mem *m, uint32_t sm); /* what the SM has sent goes to its port */
/* Takes answers, sends requests, sets the core clock's due cycle. */
void port_cycle(struct mem *m, uint64_t cycle);
void port_landed(struct mem *m); /* after a crossbar cycle back: looks for answers at the outputs */
void port_freed(struct mem *m);  /* after one to memory: ports may have got room */
/* slice.c */
void slice_cycle(struct mem *m, struct slice *s, uint64_t cycle); /* one L2 cycle; sets slice_due */
void slice_landed(struct mem *m); /* after a crossbar cycle to memory: looks for requests at the outputs */
void slice_freed(struct mem *m);  /* after one back: slices may have got room */
/* Refusals that are not in its counters yet. */
uint64_t slice_refusals(const struct mem *m, const struct slice *s);
void slice_dram_cycle(struct mem *m, struct slice *s, uint64_t cycle);          /* sets dram_due */
void slice_warm(struct mem *m, struct slice *s, uint64_t addr, uint32_t bytes); /* within a line */
void slice_flush(struct mem *m, struct slice *s);

/* Room of a queue behind a cache: what its pipeline holds comes on top. One request may bring several messages (an eviction
 * and a fetch); a queue takes them all when it had room for one, which bounds it and cannot lock up. */
static inline void mem_queue_size(const struct mem *m, struct level *l) {
    l->room = (uint64_t)m->o.memory.queue + (uint64_t)l->shape.latency * l->shape.ports;
}
static inline bool mem_queue_room(const struct level *l, uint32_t queued) {
    return queued < l->room;
}

#endif

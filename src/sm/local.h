/* Where local memory lies for the caches. A word of the 32 threads of a warp is 128 bytes side by side, and the warp's next
 * word follows, as on hardware: a warp that reads one variable asks for one line of 128 bytes, and an array of a thread
 * covers all sets of a cache. Whatever warps a mechanism makes, these are the 32 threads of an architectural warp. With
 * sm.local = threads, each thread has its bytes in one piece instead, and the 32 pieces of a warp follow one another.
 *
 * A warp's area goes by its slot: the next block in the slot has the lines of the one before. There are two areas for each.
 * Frames hold as much as the kernel and the functions it calls are known to need, one warp's behind the other's. Stacks hold
 * what lies beyond: frames of recursive calls, and all of the stacks of machine code, of which nothing is known. A stack has
 * room for the most that a thread may have, mostly a power of two, of which few words are used, at the same place by all.
 * A cache takes its set from the line's number alone, so stacks are LOCAL_SKEW lines further apart: the used words of up to 64
 * warps begin on different ones of 64 sets, and neighbouring warps' far from each other. Pieces are as many times 16 bytes
 * further apart, the largest alignment there is. */
#ifndef HEDDLE_SM_LOCAL_H
#define HEDDLE_SM_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#define SM_LOCAL_SEGMENT (UINT64_C(1) << 44) /* more than a host has to allocate global memory in */

enum {
    LOCAL_WORD = 4, /* bytes that lie side by side; an access is cut into them */
    LOCAL_LANES = 32,
    LOCAL_LINE = LOCAL_LANES * LOCAL_WORD, /* a word of all threads of a warp */
    LOCAL_ALIGN = 16,
    LOCAL_SKEW = 39 /* odd, and about 0.6 of the sets that caches mostly have */
};

struct local_shape {
    uint64_t known, most; /* bytes that a thread uses as far as is known, and that it may use */
    uint32_t sm, sms;     /* which of how many */
    uint32_t warps;       /* slots of an SM */
    bool pieces;          /* sm.local = threads */
};

struct local_layout {
    uint64_t known;                    /* bytes of a thread that lie in frames */
    uint64_t frames, stacks;           /* addresses of the SM's first warp's */
    uint64_t frame_bytes, stack_bytes; /* of a warp */
    bool pieces;
};

static inline struct local_layout local_layout(const struct local_shape *s) {
    const uint64_t first = (uint64_t)s->sm * s->warps, all = (uint64_t)s->sms * s->warps;
    const uint64_t align = s->pieces ? LOCAL_ALIGN : LOCAL_WORD;
    struct local_layout l = {.known = (s->known + align - 1) / align * align, .pieces = s->pieces};
    l.frame_bytes = l.known * LOCAL_LANES;
    l.stack_bytes = ((s->most + align - 1) / align + LOCAL_SKEW) * align * LOCAL_LANES;
    l.frames = SM_LOCAL_SEGMENT + first * l.frame_bytes;
    l.stacks = SM_LOCAL_SEGMENT + all * l.frame_bytes + first * l.stack_bytes;
    return l;
}

/* Where byte `at` of a thread's local memory lies. */
static inline uint64_t local_address(const struct local_layout *l, uint32_t warp, uint32_t lane,
                                     uint64_t at) {
    const bool framed = at < l->known;
    const uint64_t bytes = framed ? l->frame_bytes : l->stack_bytes;
    const uint64_t area = (framed ? l->frames : l->stacks) + warp * bytes;
    if (l->pieces) return area + bytes / LOCAL_LANES * lane + at;
    return area + at / LOCAL_WORD * LOCAL_LINE + (uint64_t)lane * LOCAL_WORD + at % LOCAL_WORD;
}

#endif

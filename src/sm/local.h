/* Where local memory lies for the caches. A word of the 32 threads of a warp is 128 bytes side by side, and the warp's next
 * word follows, as on hardware: a warp that reads one variable asks for one line of 128 bytes, and an array of a thread
 * covers all sets of a cache. Whatever warps a mechanism makes, these are the 32 threads of an architectural warp. With
 * sm.local = threads, each thread has its bytes in one piece instead.
 *
 * A warp's memory goes by its slot: the next block in the slot has the lines of the one before. There are two areas. Frames
 * hold as much as the kernel and the functions it calls are known to need, one warp's behind the other's. Stacks hold what lies
 * beyond: frames of recursive calls, and all of the stacks of machine code, of which nothing is known. A stack has room for
 * the most that a thread may have.
 *
 * Sizes are often powers of two, and all warps mostly use the same few words. A cache of this machine takes its set from
 * the line's number alone, where hardware hashes; so after every 64 lines of frames, and after each frame or stack that is
 * larger, LOCAL_SKEW lines stay empty. Frames that are used in full still have as many lines in each of 64 sets. Pieces of
 * threads are laid out alike, in units of 16 bytes, the largest alignment there is. */
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
    LOCAL_RUN =
        64, /* units after which some are left out: the sets that caches mostly have, or a part of them */
    LOCAL_SKEW = 39 /* units left out: odd, and about 0.6 of a run */
};

struct local_shape {
    uint64_t known, most; /* bytes that a thread uses as far as is known, and that it may use */
    uint32_t sm, sms;     /* which of how many */
    uint32_t warps;       /* slots of an SM */
    bool pieces;          /* sm.local = threads */
};

/* Room for each warp, or each thread where it has a piece, of the whole machine. */
struct local_area {
    uint64_t start; /* its address */
    uint64_t units; /* of a warp, lines; of a piece, LOCAL_ALIGN bytes each */
};

struct local_layout {
    struct local_area frames, stacks;
    uint64_t known; /* bytes of a thread that lie in frames */
    uint64_t first; /* number of the SM's first warp */
    bool pieces;
};

static inline uint64_t local_start(const struct local_area *a, uint64_t index, uint32_t unit) {
    const uint64_t dense = a->units < LOCAL_RUN ? a->units : LOCAL_RUN;
    return a->start + (index * a->units + index * dense / LOCAL_RUN * LOCAL_SKEW) * unit;
}

static inline struct local_layout local_layout(const struct local_shape *s) {
    const uint64_t all = (uint64_t)s->sms * s->warps, word = s->pieces ? LOCAL_ALIGN : LOCAL_WORD;
    struct local_layout l = {.frames = {SM_LOCAL_SEGMENT, (s->known + word - 1) / word},
                             .stacks.units = (s->most + word - 1) / word,
                             .first = (uint64_t)s->sm * s->warps,
                             .pieces = s->pieces};
    l.known = l.frames.units * word;
    l.stacks.start = s->pieces ? local_start(&l.frames, all * LOCAL_LANES, LOCAL_ALIGN)
                               : local_start(&l.frames, all, LOCAL_LINE);
    return l;
}

/* Where byte `at` of a thread's local memory lies. */
static inline uint64_t local_address(const struct local_layout *l, uint32_t warp, uint32_t lane,
                                     uint64_t at) {
    const struct local_area *a = at < l->known ? &l->frames : &l->stacks;
    const uint64_t index = l->first + warp;
    if (l->pieces) return local_start(a, index * LOCAL_LANES + lane, LOCAL_ALIGN) + at;
    return local_start(a, index, LOCAL_LINE) + at / LOCAL_WORD * LOCAL_LINE + (uint64_t)lane * LOCAL_WORD +
           at % LOCAL_WORD;
}

#endif

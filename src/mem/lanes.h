/* Lane addresses of one warp to requests and to conflicts of banks, for the accesses that nearly all are: the lanes of a
 * mask, addr[lane] each, aligned, none longer than a sector or a bank. coalesce.c has the general form. */
#ifndef HEDDLE_MEM_LANES_H
#define HEDDLE_MEM_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum { MEM_LANES = 32 };

/* A request, and the lanes whose accesses are in it. */
struct mem_served {
    uint64_t addr; /* as in struct mem_line */
    uint32_t bytes, lanes;
};

struct mem_lanes {
    /* As mem_coalesce; out has room for a request of each lane. 0: some access is not aligned. bytes is a power of two, mask
     * not 0, line and sector (0: the line) are powers of two. */
    uint32_t (*coalesce)(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t line, uint32_t sector,
                         struct mem_served *out);
    /* Cycles that shared memory needs: the most different words that one bank has to give. Words have 1 << shift bytes, banks
     * are a power of two, 64 at most, addresses have 32 bits. */
    uint32_t (*bank_cycles)(const uint64_t *addr, uint32_t mask, uint32_t banks, uint32_t shift);
};
extern const struct mem_lanes mem_lanes_portable;
#if defined(__x86_64__)
extern const struct mem_lanes mem_lanes_avx2;
#endif
/* The one for this host; both give the same. */
const struct mem_lanes *mem_lanes_here(void);

#endif

/* Strongly connected components of a directed graph in compressed rows: successors of v are to[first[v] ..
 * first[v+1]). For call graphs here and control-flow graphs in cfg. */
#ifndef HEDDLE_IR_SCC_H
#define HEDDLE_IR_SCC_H

#include <stdint.h>

/* comp[v] for v in [0, n): components are numbered so that an edge between two goes from the higher to the
 * lower number. Returns how many there are. Linear, and iterative: depth costs heap, not stack. */
uint32_t ir_scc(uint32_t n, const uint32_t *first, const uint32_t *to, uint32_t *comp);

#endif

/* A map from addresses to pointers: open addressing, grows by doubling. Zero-initialised is empty. */
#ifndef CUDA_MAP_H
#define CUDA_MAP_H

#include <stddef.h>

struct cu_map {
    struct cu_map_entry {
        const void *key;
        void *value;
    } * entries;
    size_t count, capacity;
};
/* NULL: not there. */
void *cu_map_get(const struct cu_map *m, const void *key);
/* A later value replaces an earlier; NULL takes it away. 0, or -1 when memory ran out. */
int cu_map_put(struct cu_map *m, const void *key, void *value);
void cu_map_free(struct cu_map *m);
#endif

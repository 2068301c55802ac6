/* A map from addresses to pointers: linear probing in a table at most half full. An entry whose value is NULL was taken away
 * and still ends no search. */
#include "runtime/memory/map.h"

#include <stdint.h>
#include <stdlib.h>

static size_t map_slot_of(const struct cu_map *m, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(hash >> 32) & (m->capacity - 1);
    while (m->entries[i].key && m->entries[i].key != key) i = (i + 1) & (m->capacity - 1);
    return i;
}

void *cu_map_get(const struct cu_map *m, const void *key) {
    return m->capacity && key ? m->entries[map_slot_of(m, key)].value : NULL;
}

static int map_grow(struct cu_map *m) {
    struct cu_map bigger = {NULL, 0, m->capacity ? 2 * m->capacity : 64};
    bigger.entries = calloc(bigger.capacity, sizeof *bigger.entries);
    if (!bigger.entries) return -1;
    for (size_t i = 0; i < m->capacity; i++)
        if (m->entries[i].value) {
            bigger.entries[map_slot_of(&bigger, m->entries[i].key)] = m->entries[i];
            bigger.count++;
        }
    free(m->entries);
    *m = bigger;
    return 0;
}

int cu_map_put(struct cu_map *m, const void *key, void *value) {
    if (!key) return 0;
    if (2 * (m->count + 1) > m->capacity && map_grow(m)) return -1;
    struct cu_map_entry *e = &m->entries[map_slot_of(m, key)];
    if (!e->key) m->count++;
    *e = (struct cu_map_entry){key, value};
    return 0;
}

void cu_map_free(struct cu_map *m) {
    free(m->entries);
    *m = (struct cu_map){NULL, 0, 0};
}

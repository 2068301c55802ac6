/* heddle sweep --shard I/N: which of the points are this part's, and the file they go to.
 *
 * Parts are cut from the points as such, whatever a database has of them: the hosts that run them may see different states of
 * it, and must agree on who runs what. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/store/shard.h"
#include "lab/sweep/sweep.h"

static int sweep_shard_by_key(const void *a, const void *b, void *ids) {
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    uint64_t x = ((const struct store_id *)ids)[i].key, y = ((const struct store_id *)ids)[k].key;
    return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

static int sweep_shard_by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

size_t *sweep_unique(const struct lab_sweep *lab, size_t *n) {
    size_t *order = xcalloc(lab->npoints + 1, sizeof *order);
    *n = 0;
    for (size_t i = 0; i < lab->npoints; i++) order[i] = i;
    if (lab->npoints) qsort_r(order, lab->npoints, sizeof *order, sweep_shard_by_key, lab->ids);
    for (size_t i = 0; i < lab->npoints; i++)
        if (!*n || lab->ids[order[i]].key != lab->ids[order[*n - 1]].key) order[(*n)++] = order[i];
    if (*n) qsort(order, *n, sizeof *order, sweep_shard_by_number);
    return order;
}

uint64_t sweep_hash(const struct lab_sweep *lab, const size_t *points, size_t n) {
    uint64_t *keys = xcalloc(n + 1, sizeof *keys);
    for (size_t i = 0; i < n; i++) keys[i] = lab->ids[points[i]].key;
    uint64_t hash = shard_sweep(keys, n);
    free(keys);
    return hash;
}

void sweep_choose(struct sweep *s, const size_t *points, size_t n) {
    for (size_t i = 0; i < n; i++) {
        s->points.v[i] = s->points.v[points[i]];
        s->number.v[i] = s->number.v[points[i]];
        if (s->lab.ids) s->lab.ids[i] = s->lab.ids[points[i]];
    }
    s->points.n = s->number.n = n;
    s->lab.points = s->points.v;
    s->lab.npoints = n;
}

const char *sweep_host(struct arena *mem) {
    char name[256] = "";
    struct sb text = {0};
    if (gethostname(name, sizeof name - 1)) strcpy(name, "?");
    sb_add(&text, "%s", name);
    return sb_keep(&text, mem);
}

/* "results.sqlite.2-of-8" */
static const char *shard_name(struct sweep *s) {
    struct sb name = {0};
    sb_add(&name, "%s.%u-of-%u", s->db, s->part, s->parts);
    return sb_keep(&name, &s->mem);
}

/* Every N-th of the points that differ. */
static void choose_part(struct sweep *s, struct shard_about *about) {
    size_t n, mine = 0, *points = sweep_unique(&s->lab, &n);
    *about = (struct shard_about){.sweep = sweep_hash(&s->lab, points, n),
                                  .part = s->part,
                                  .parts = s->parts,
                                  .version = n ? s->lab.ids[0].version : "",
                                  .host = sweep_host(&s->mem)};
    for (size_t i = 0; i < n; i++)
        if (shard_has(i, s->part, s->parts)) points[mine++] = points[i];
    sweep_choose(s, points, mine);
    about->points = mine;
    free(points);
}

bool sweep_open_shard(struct sweep *s, struct err *e) {
    struct shard_about about;
    choose_part(s, &about);
    s->db = shard_name(s);
    if (!s->dry_run) return store_open_shard(s->db, &about, &s->lab.store, e);
    bool there = !access(s->db, F_OK);
    return store_open(there ? s->db : NULL, there ? STORE_READ : STORE_WRITE, &s->lab.store, e);
}

/* Signatures of the lines that a log touches: one of what it loads and one of what it stores, with a bit for each line.
 * Two lines may share a bit, so a conflict may be reported where there is none, but no conflict is missed.
 *
 * Lines are those of the host's memory, since two buffers may be the same bytes there. The lowest bits of a line's number
 * are its place, moved by a hash of the others: what lies side by side never shares a bit, and arrays that are walked
 * together share some only by chance. */
#include "exec/deferred/impl.h"

enum { LG_LINE = 7, LG_BITS = 12 };
_Static_assert(1 << LG_BITS == 64 * DEFERRED_SIGNATURE, "a signature has a bit for each place");

static void set_line(uint64_t *signature, uint64_t line) {
    const uint64_t region = line >> LG_BITS, moved = region * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LG_BITS);
    const uint64_t bit = (line + moved) & ((1u << LG_BITS) - 1);
    signature[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void set_bytes(uint64_t *signature, uint64_t at, uint64_t bytes) {
    const uint64_t first = at >> LG_LINE, last = (at + bytes - 1) >> LG_LINE;
    for (uint64_t line = first; line <= last; line++) set_line(signature, line);
}

static void sign_entry(uint64_t *signature, const struct deferred_entry *e) {
    const uint32_t bytes = deferred_bytes(e->insn), n = e->places;
    if (e->span != SPAN_LANES) {
        set_bytes(signature, e->at, e->span == SPAN_DENSE ? (uint64_t)bytes * EXEC_LANES : bytes);
    } else if (n < EXEC_LANES) {
        for (uint32_t k = 0; k < n; k++) set_bytes(signature, e->place[k] + e->at, bytes);
    } else {
        FOR_LANES(l, e->mask) set_bytes(signature, e->place[l] + e->at, bytes);
    }
}

void exec_deferred_sign(struct exec_deferred *log) {
    if (log->signed_all) return;
    memset(log->loaded, 0, sizeof log->loaded);
    memset(log->stored, 0, sizeof log->stored);
    for (size_t at = log->done; at < log->n;) {
        const struct deferred_entry *e = (const struct deferred_entry *)&log->v[at];
        sign_entry(deferred_is_load(e->insn) ? log->loaded : log->stored, e);
        at += e->words;
    }
    log->signed_all = true;
}

/* Is a bit of a in b or in c? */
static bool meets(const uint64_t *a, const uint64_t *b, const uint64_t *c) {
    uint64_t both = 0;
    for (int k = 0; k < DEFERRED_SIGNATURE; k++) both |= a[k] & (b[k] | c[k]);
    return both;
}

static void signature_add(uint64_t *to, const uint64_t *from) {
    for (int k = 0; k < DEFERRED_SIGNATURE; k++) to[k] |= from[k];
}

bool exec_deferred_conflict(struct exec_deferred *const *logs, uint32_t n) {
    uint64_t loaded[DEFERRED_SIGNATURE] = {0}, stored[DEFERRED_SIGNATURE] = {0};
    bool stores = false;
    for (uint32_t k = 0; k < n; k++) stores |= exec_deferred_waiting(logs[k]) && logs[k]->stores;
    for (uint32_t k = 0; stores && k < n; k++) {
        struct exec_deferred *log = logs[k];
        if (!exec_deferred_waiting(log)) continue;
        exec_deferred_sign(log);
        if (meets(log->loaded, stored, stored)) return true;
        if (log->stores && meets(log->stored, loaded, stored)) return true;
        signature_add(loaded, log->loaded);
        if (log->stores) signature_add(stored, log->stored);
    }
    return false;
}

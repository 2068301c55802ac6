/* Name tables. One open-addressing table holds every distinct name once, with its innermost binding; a binding knows
 * the one it shadows, so leaving a scope walks the scope's own symbols only. Names of ranges are a name space of their
 * own: "%r" of %r<10> is no register. Names point into the text. */
#include "front/ptx/tab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

struct map64_slot {
    uint64_t key;
    uint32_t value;
    bool used;
};

static size_t map64_hash(uint64_t key) {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return (size_t)(key >> 20);
}

static void map64_grow(struct map64 *t) {
    struct map64 bigger = {.cap = t->cap ? t->cap * 2 : 64, .n = t->n};
    bigger.slots = xcalloc(bigger.cap, sizeof *bigger.slots);
    for (size_t k = 0; k < t->cap; k++) {
        if (!t->slots[k].used) continue;
        size_t i = map64_hash(t->slots[k].key) & (bigger.cap - 1);
        while (bigger.slots[i].used) i = (i + 1) & (bigger.cap - 1);
        bigger.slots[i] = t->slots[k];
    }
    xfree(t->slots);
    *t = bigger;
}

uint32_t *map64_at(struct map64 *t, uint64_t key, bool *is_new) {
    if (t->n * 2 >= t->cap) map64_grow(t);
    size_t i = map64_hash(key) & (t->cap - 1);
    while (t->slots[i].used && t->slots[i].key != key) i = (i + 1) & (t->cap - 1);
    *is_new = !t->slots[i].used;
    if (*is_new) {
        t->slots[i] = (struct map64_slot){key, MAP64_NONE, true};
        t->n++;
    }
    return &t->slots[i].value;
}

void map64_free(struct map64 *t) {
    xfree(t->slots);
    *t = (struct map64){0};
}

struct names_slot {
    const char *name; /* NULL: empty */
    uint32_t len, hash;
    struct sym *sym; /* NULL: the name is not bound at present */
};

#define RANGE_SALT 0x5bd1e995u

void names_init(struct names *t, struct arena *mem) {
    *t = (struct names){.mem = mem};
    names_push(t);
}

void names_free(struct names *t) {
    xfree(t->slots);
    VEC_FREE(&t->scopes);
}

static struct names_slot *tab_slot_of(const struct names *t, const char *name, uint32_t len, uint32_t hash) {
    size_t i = hash & (t->cap - 1);
    for (;; i = (i + 1) & (t->cap - 1)) {
        struct names_slot *s = &t->slots[i];
        if (!s->name || (s->hash == hash && s->len == len && !memcmp(s->name, name, len))) return s;
    }
}

static void names_grow(struct names *t) {
    struct names_slot *old = t->slots;
    size_t n = t->cap;
    t->cap = n ? n * 2 : 1024;
    t->slots = xcalloc(t->cap, sizeof *t->slots);
    for (size_t k = 0; k < n; k++)
        if (old[k].name) *tab_slot_of(t, old[k].name, old[k].len, old[k].hash) = old[k];
    xfree(old);
}

void names_push(struct names *t) {
    VEC_PUSH(&t->scopes, NULL);
}

void names_pop(struct names *t) {
    for (struct sym *s = t->scopes.v[--t->scopes.n]; s; s = s->scope_next)
        tab_slot_of(t, s->name, s->len, s->hash)->sym = s->shadowed;
}

void names_drop_own(struct names *t) {
    struct sym **at = &t->scopes.v[t->scopes.n - 1];
    while (*at) {
        struct sym *s = *at;
        if (s->linked) {
            at = &s->scope_next;
            continue;
        }
        tab_slot_of(t, s->name, s->len, s->hash)->sym = s->shadowed;
        *at = s->scope_next;
    }
}

struct sym *names_add(struct names *t, const struct tok *name, bool range, bool *is_new) {
    if (t->n * 2 >= t->cap) names_grow(t);
    uint32_t hash = range ? name->hash ^ RANGE_SALT : name->hash;
    struct names_slot *slot = tab_slot_of(t, name->s, name->len, hash);
    if (!slot->name) {
        *slot = (struct names_slot){name->s, name->len, hash, NULL};
        t->n++;
    }
    *is_new = !slot->sym || slot->sym->depth != names_depth(t);
    if (!*is_new) {
        *is_new = slot->sym->kind == SYM_REFUSED;
        return slot->sym;
    }
    struct sym *s = ARENA_NEW(t->mem, struct sym, 1);
    *s = (struct sym){.name = name->s, .len = name->len, .hash = hash, .depth = names_depth(t)};
    s->shadowed = slot->sym;
    s->scope_next = t->scopes.v[t->scopes.n - 1];
    t->scopes.v[t->scopes.n - 1] = s;
    slot->sym = s;
    if (range && name->len && name->s[name->len - 1] >= '0' && name->s[name->len - 1] <= '9')
        t->digit_stems = true;
    return s;
}

/* The range the name belongs to when its last digits, from stem on, are the element; NULL when there is none. */
static struct sym *find_element(const struct names *t, const struct tok *name, uint32_t stem, uint32_t hash,
                                uint32_t *element) {
    uint32_t digits = name->len - stem;
    if (!digits || digits > 9 || (digits > 1 && name->s[stem] == '0')) return NULL;
    struct sym *s = tab_slot_of(t, name->s, stem, hash ^ RANGE_SALT)->sym;
    if (!s) return NULL;
    uint32_t n = 0;
    for (uint32_t i = stem; i < name->len; i++) n = n * 10 + (uint32_t)(name->s[i] - '0');
    if (n >= s->count) return NULL;
    *element = n;
    return s;
}

struct sym *names_find(const struct names *t, const struct tok *name, uint32_t *element) {
    if (!t->cap) return NULL;
    struct sym *best = tab_slot_of(t, name->s, name->len, name->hash)->sym;
    if (name->stem == name->len) return best;
    uint32_t hash = name->stem_hash, n = 0;
    for (uint32_t stem = name->stem; stem < name->len; stem++) {
        struct sym *s = find_element(t, name, stem, hash, &n);
        if (s && (!best || s->depth > best->depth)) best = s, *element = n;
        if (!t->digit_stems) break;
        hash = lex_hash(hash, name->s[stem]);
    }
    return best;
}

struct sym *names_find_here(const struct names *t, const struct tok *name) {
    if (!t->cap) return NULL;
    struct sym *s = tab_slot_of(t, name->s, name->len, name->hash)->sym;
    return s && s->depth == names_depth(t) ? s : NULL;
}

/* Candidates are the plain names and, of a range, its last element: the usual mistake is one past the end. */
bool names_suggest(const struct names *t, const struct tok *name, char *out, size_t size) {
    enum { MOST = 512 };
    const char *list[MOST + 1];
    struct arena mem = {0};
    size_t n = 0;
    for (size_t i = 0; i < t->cap && n < MOST; i++) {
        const struct sym *s = t->slots[i].sym;
        if (!s || s->kind > SYM_RANGE || s->len > 48) continue;
        char *text = arena_alloc(&mem, 64);
        if (s->kind == SYM_REG)
            snprintf(text, 64, "%.*s", (int)s->len, s->name);
        else
            snprintf(text, 64, "%.*s%u", (int)s->len, s->name, s->count ? s->count - 1 : 0);
        list[n++] = text;
    }
    list[n] = NULL;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)name->len, name->s);
    const char *best = name->len < sizeof word ? nearest_name(word, list) : NULL;
    if (best) snprintf(out, size, "%s", best);
    arena_free(&mem);
    return best;
}

/* What a run depends on apart from the machine, as a hash: kernels, launch, arguments and the contents of inputs. */
#include <string.h>

#include "base/bits.h"
#include "lab/run/subject.h"

/* With its end, so that "ab" "c" is not "a" "bc". */
static uint64_t hash_text(uint64_t h, const char *text) {
    return hash_bytes(h, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t h, uint64_t v) {
    return hash_bytes(h, &v, sizeof v);
}

static uint64_t hash_links(uint64_t h, const struct lab_link *l, size_t n) {
    for (size_t i = 0; i < n; i++) {
        h = hash_number(h, l[i].offset);
        h = l[i].symbol ? hash_text(h, l[i].symbol) : hash_number(h, l[i].buffer);
    }
    return h;
}

static uint64_t hash_var(uint64_t h, const struct lab_var *v) {
    h = hash_number(hash_text(h, v->symbol), v->offset);
    return hash_links(hash_bytes(h, v->data, v->bytes), v->links, v->nlinks);
}

/* What an argument gives the kernel, a buffer's contents included. */
static uint64_t hash_arg(uint64_t h, const struct lab_arg *a) {
    h = hash_text(h, a->text ? a->text : "");
    h = hash_number(hash_number(h, (uint64_t)a->value.type), a->bytes);
    if (a->addr) h = hash_number(h, a->addr);
    if (a->symbol) h = hash_text(h, a->symbol);
    if (a->bytes && a->initial) h = hash_bytes(h, a->initial, a->bytes);
    h = hash_links(h, a->links, a->nlinks);
    if (a->value.type == HD_ARG_BYTES)
        return a->value.v.data ? hash_bytes(h, a->value.v.data, a->value.bytes) : h;
    return hash_number(h, a->value.v.u);
}

static uint64_t hash_program(const struct lab_program *p) {
    if (p->identity) return p->identity;
    uint64_t h = hash_text(hash_bytes(HASH_START, p->text, p->text_bytes), p->kernel);
    for (int d = 0; d < 3; d++) h = hash_number(hash_number(h, p->launch.grid[d]), p->launch.block[d]);
    h = hash_number(hash_number(h, p->launch.shared_bytes), p->launch.max_insts);
    for (size_t i = 0; i < p->nargs + p->nbuffers; i++) h = hash_arg(h, &p->args[i]);
    for (size_t i = 0; i < p->nvars; i++) h = hash_var(h, &p->vars[i]);
    return h;
}

uint64_t lab_subject_hash(const struct lab_subject *s) {
    if (s->command) return s->command->identity;
    if (s->script)
        return hash_number(hash_bytes(HASH_START, s->script->text, s->script->text_bytes),
                           s->script->identity);
    return s->workload ? hash_bytes(HASH_START, s->workload->code, s->workload->code_bytes)
                       : hash_program(s->program);
}

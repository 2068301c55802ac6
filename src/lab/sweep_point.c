/* What a point is: the options that are in force once configuration, settings and mechanism have had their say, in canonical
 * text and as hashes. Two ways to ask for the same machine give the same point: the default configuration by name or not at
 * all, an option set to what it is anyway, a parameter of a mechanism that does not run. And what may give another result is
 * another point: other PTX, another option, other sources of heddle itself. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lab/mech_choice.h"
#include "lab/sweep.h"

/* ---- hashes ---- */

/* With its end, so that "ab" "c" is not "a" "bc". */
static uint64_t hash_text(uint64_t h, const char *text) {
    return hash_bytes(h, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t h, uint64_t v) {
    return hash_bytes(h, &v, sizeof v);
}

static uint64_t below_2_63(uint64_t h) {
    return h >> 1;
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
    uint64_t h = hash_text(hash_bytes(HASH_START, p->text, p->text_bytes), p->kernel);
    for (int d = 0; d < 3; d++) h = hash_number(hash_number(h, p->launch.grid[d]), p->launch.block[d]);
    h = hash_number(hash_number(h, p->launch.shared_bytes), p->launch.max_insts);
    for (size_t i = 0; i < p->nargs + p->nbuffers; i++) h = hash_arg(h, &p->args[i]);
    for (size_t i = 0; i < p->nvars; i++) h = hash_var(h, &p->vars[i]);
    return h;
}

static uint64_t hash_subject(const struct lab_subject *s) {
    CHECK(!s->script); /* what one does is not written down anywhere but in its run */
    return s->workload ? hash_bytes(HASH_START, s->workload->ptx, s->workload->ptx_bytes)
                       : hash_program(s->program);
}

/* ---- the machine ---- */

static bool set_mechanism(struct options *o, const char *text, struct arena *mem, struct err *e) {
    struct mech_choice choice;
    if (!mech_choice_read(text, mem, &choice, e)) return false;
    for (size_t i = 0; i < choice.nsettings; i++)
        if (!options_set(o, choice.setting[i].key, choice.setting[i].value, OPTION_GIVEN, e)) return false;
    return true;
}

static bool apply_settings(struct options *o, const struct lab_point *p, struct err *e) {
    for (size_t i = 0; i < p->nsettings; i++) {
        const hd_option *s = &p->settings[i];
        if (!strcmp(s->key, "run.mech") || !strcmp(s->key, "run.mode"))
            return err_set(e, ERR_INPUT,
                           "%s cannot be set: the mechanism is chosen by --mech, and runs are timed", s->key);
        if (!options_set(o, s->key, s->value, OPTION_GIVEN, e)) return false;
    }
    return true;
}

/* What the configuration alone makes of it. */
static bool read_base(struct options *o, const char *config, struct err *e) {
    return config_read(o, config, e) && options_set(o, "run.mode", "timed", OPTION_GIVEN, e);
}

static bool read_all(struct options *o, const char *config, const struct lab_point *p, struct arena *mem,
                     struct err *e) {
    return read_base(o, config, e) && apply_settings(o, p, e) &&
           (!p->mech || set_mechanism(o, p->mech, mem, e)) && options_check(o, e);
}

/* ---- canonical text ---- */

static bool own_parameter(const struct options *o, size_t row) {
    return row >= OPTION_COUNT && !strcmp(o->rows[row].section, o->run.mech);
}

static const char *print(const struct options *o, size_t row, struct arena *mem) {
    struct sb text = {0};
    option_print(&o->rows[row], o, &text);
    return sb_keep(&text, mem);
}

/* Fills option, mech, options and machine of id. */
static void describe(const struct options *o, const struct options *base, struct arena *mem,
                     struct store_id *id) {
    hd_option *list = ARENA_NEW(mem, hd_option, o->nrows);
    struct sb mech = {0}, options = {0};
    uint64_t h = HASH_START;
    sb_add(&mech, "%s", o->run.mech);
    for (size_t i = 0; i < o->nrows; i++) {
        const struct option_row *row = &o->rows[i];
        bool own = own_parameter(o, i);
        if ((i >= OPTION_COUNT && !own) || options_of_host(row)) continue;
        const char *value = print(o, i, mem);
        /* a key of the tables is there for ever, a mechanism's goes with its options */
        const char *key = own ? arena_strdup(mem, row->key) : row->key;
        list[id->noptions++] = (hd_option){key, value};
        h = hash_text(hash_text(h, row->key), value);
        if (!strcmp(row->section, "run") || !strcmp(value, print(base, i, mem))) continue;
        if (own)
            sb_add(&mech, ":%s=%s", row->key + strlen(row->section) + 1, value);
        else
            sb_add(&options, "%s%s=%s", options.len ? " " : "", row->key, value);
    }
    id->option = list;
    id->machine = below_2_63(h);
    id->mech = sb_keep(&mech, mem);
    id->options = sb_keep(&options, mem);
}

static void name_subject(const struct lab_subject *s, struct arena *mem, struct store_id *id) {
    struct sb name = {0};
    id->size = s->workload ? work_size_names[s->size] : "-";
    if (!s->workload) lab_subject_name(s, &name);
    id->workload = s->workload ? s->workload->name : sb_keep(&name, mem);
}

static uint64_t key_of(const struct store_id *id) {
    const char *const text[] = {id->workload, id->size, id->config, id->mech, id->options, id->version};
    uint64_t h = HASH_START;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) h = hash_text(h, text[i]);
    return below_2_63(hash_number(hash_number(h, id->machine), id->program));
}

static const char *version(struct arena *mem) {
    struct sb text = {0};
    sb_add(&text, "%s+%s", hd_version(), lab_sources);
    return sb_keep(&text, mem);
}

bool lab_point_id(const struct lab_point *p, struct arena *mem, struct store_id *id, struct err *e) {
    struct options o, base;
    const char *config = p->config ? p->config : CONFIG_DEFAULT;
    *id = (struct store_id){.version = version(mem), .config = arena_strdup(mem, config)};
    options_init(&o);
    options_init(&base);
    bool fine = read_base(&base, config, e) && read_all(&o, config, p, mem, e);
    if (fine) {
        describe(&o, &base, mem, id);
        name_subject(&p->subject, mem, id);
        id->program = hash_subject(&p->subject);
        id->key = key_of(id);
    }
    options_free(&o);
    options_free(&base);
    return fine;
}

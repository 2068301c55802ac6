/* What a point is: the options that are in force once configuration, settings and mechanism have had their say, in canonical
 * text and as hashes. Two ways to ask for the same machine give the same point: the default configuration by name or not at
 * all, an option set to what it is anyway, a parameter of a mechanism that does not run. And what may give another result is
 * another point: other PTX, another option, other sources of heddle itself.
 *
 * A sweep asks about many points of few configurations, machines and programs. What was worked out for one is kept for the
 * others (struct lab_known): reading a configuration again for each took two milliseconds a point. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lab/run/mech_choice.h"
#include "lab/sweep/run.h"

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

/* ---- what is known ---- */

/* A configuration: its options, and each of them as text. */
struct base {
    const char *config;
    struct options o;
    const char **text;
};
/* A machine as it was asked for, and what that came to: the part of an id that says so. */
struct machine {
    const char *asked;
    struct store_id id;
};
/* A program, and how it is called. */
struct program {
    struct lab_subject of;
    uint64_t hash;
    const char *name;
};

struct lab_known {
    VEC(struct base *) bases;
    VEC(struct machine) machines;
    /* Machines by their hashes, 1 more than the index; 0: free. At most half are taken. */
    size_t *place, nplaces;
    VEC(struct program) programs;
    const char *version;
    struct arena *mem;
};

struct lab_known *lab_known_new(struct arena *mem) {
    struct lab_known *k = xcalloc(1, sizeof *k);
    struct sb text = {0};
    sb_add(&text, "%s+%s", hd_version(), lab_sources);
    k->version = sb_keep(&text, mem);
    k->mem = mem;
    return k;
}

void lab_known_free(struct lab_known *k) {
    for (size_t i = 0; i < k->bases.n; i++) {
        options_free(&k->bases.v[i]->o);
        free(k->bases.v[i]);
    }
    VEC_FREE(&k->bases);
    VEC_FREE(&k->machines);
    VEC_FREE(&k->programs);
    free(k->place);
    free(k);
}

static const char *sweep_point_print(const struct options *o, size_t row, struct arena *mem) {
    struct sb text = {0};
    option_print(&o->rows[row], o, &text);
    return sb_keep(&text, mem);
}

/* What the configuration alone makes of it; NULL: it is not there or not right. */
static const struct base *base_of(struct lab_known *k, const char *config, struct err *e) {
    for (size_t i = 0; i < k->bases.n; i++)
        if (!strcmp(k->bases.v[i]->config, config)) return k->bases.v[i];
    struct base *b = xcalloc(1, sizeof *b);
    options_init(&b->o);
    if (!config_read(&b->o, config, e) || !options_set(&b->o, "run.mode", "timed", OPTION_GIVEN, e)) {
        options_free(&b->o);
        free(b);
        return NULL;
    }
    b->config = arena_strdup(k->mem, config);
    b->text = ARENA_NEW(k->mem, const char *, b->o.nrows);
    for (size_t i = 0; i < b->o.nrows; i++) b->text[i] = sweep_point_print(&b->o, i, k->mem);
    VEC_PUSH(&k->bases, b);
    return b;
}

/* Keeps programs, since each is asked about for every machine and its inputs may be large. */
static const struct program *program_of(struct lab_known *k, const struct lab_subject *s) {
    for (size_t i = k->programs.n; i-- > 0;) {
        const struct lab_subject *o = &k->programs.v[i].of;
        if (o->name == s->name && o->workload == s->workload && o->command == s->command &&
            o->script == s->script && o->program == s->program)
            return &k->programs.v[i];
    }
    struct sb name = {0};
    if (s->name || !s->workload)
        lab_subject_name(s, &name);
    else
        sb_add(&name, "%s", s->workload->name);
    VEC_PUSH(&k->programs, (struct program){*s, lab_subject_hash(s), sb_keep(&name, k->mem)});
    return &k->programs.v[k->programs.n - 1];
}

/* ---- machines ---- */

static void describe_request(const struct lab_point *p, const char *config, struct sb *out) {
    sb_add(out, "%s\1%s", config, p->mech ? p->mech : "");
    for (size_t i = 0; i < p->nsettings; i++)
        sb_add(out, "\1%s=%s", p->settings[i].key, p->settings[i].value);
}

/* Where a machine is among the places, or where it would be. */
static size_t *find_place(struct lab_known *k, const char *asked) {
    size_t at = (size_t)hash_text(HASH_START, asked) & (k->nplaces - 1);
    while (k->place[at] && strcmp(k->machines.v[k->place[at] - 1].asked, asked) != 0)
        at = (at + 1) & (k->nplaces - 1);
    return &k->place[at];
}

static void sweep_point_make_room(struct lab_known *k) {
    enum { FEWEST = 64 };
    if (2 * k->machines.n < k->nplaces) return;
    free(k->place);
    k->nplaces = k->nplaces ? 2 * k->nplaces : FEWEST;
    k->place = xcalloc(k->nplaces, sizeof *k->place);
    for (size_t i = 0; i < k->machines.n; i++) *find_place(k, k->machines.v[i].asked) = i + 1;
}

/* ---- canonical text ---- */

static bool own_parameter(const struct options *o, size_t row) {
    return row >= OPTION_COUNT && !strcmp(o->rows[row].section, o->run.mech);
}

static size_t field_bytes(const struct option_row *row) {
    if (row->wide) return sizeof(int64_t);
    switch (row->kind) {
    case OPTION_BOOL: return sizeof(option_BOOL);
    case OPTION_ENUM: return sizeof(option_ENUM);
    default: return sizeof(int64_t); /* the address of a text: another one may still have equal words */
    }
}

/* The option as text: that of the configuration where it is what the configuration says. */
static const char *value_text(const struct options *o, const struct base *b, size_t row, struct arena *mem) {
    const size_t at = o->rows[row].offset;
    if (!memcmp((const char *)o + at, (const char *)&b->o + at, field_bytes(&o->rows[row])))
        return b->text[row];
    const char *text = sweep_point_print(o, row, mem);
    return strcmp(text, b->text[row]) ? text : b->text[row];
}

/* Whether a row is part of what a machine is. */
static bool sweep_point_counts(const struct options *o, size_t row) {
    return (row < OPTION_COUNT || own_parameter(o, row)) && !options_of_host(&o->rows[row]);
}

/* Fills option, mech, options and machine of id. */
static void sweep_point_describe(const struct options *o, const struct base *b, struct arena *mem,
                                 struct store_id *id) {
    size_t n = 0;
    for (size_t i = 0; i < o->nrows; i++) n += sweep_point_counts(o, i);
    hd_option *list = ARENA_NEW(mem, hd_option, n + 1);
    struct sb mech = {0}, options = {0};
    uint64_t h = HASH_START;
    sb_add(&mech, "%s", o->run.mech);
    for (size_t i = 0; i < o->nrows; i++) {
        const struct option_row *row = &o->rows[i];
        bool own = i >= OPTION_COUNT;
        if (!sweep_point_counts(o, i)) continue;
        const char *value = value_text(o, b, i, mem);
        /* a key of the tables is there for ever, a mechanism's goes with its options */
        const char *key = own ? arena_strdup(mem, row->key) : row->key;
        list[id->noptions++] = (hd_option){key, value};
        h = hash_text(hash_text(h, row->key), value);
        if (!strcmp(row->section, "run") || value == b->text[i]) continue;
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

static bool sweep_point_work_out(struct lab_known *k, const struct base *b, const struct lab_point *p,
                                 struct store_id *id, struct err *e) {
    struct options o = b->o; /* texts stay where those of b are */
    o.text = (struct arena){0};
    const bool fine = apply_settings(&o, p, e) && (!p->mech || set_mechanism(&o, p->mech, k->mem, e)) &&
                      options_check(&o, e);
    *id = (struct store_id){.version = k->version, .config = b->config};
    if (fine) sweep_point_describe(&o, b, k->mem, id);
    options_free(&o);
    return fine;
}

/* As work_out, unless that has been done. */
static bool machine_of(struct lab_known *k, const struct lab_point *p, struct store_id *id, struct err *e) {
    const char *config = p->config ? p->config : CONFIG_DEFAULT;
    struct sb asked = {0};
    sweep_point_make_room(k);
    describe_request(p, config, &asked);
    size_t *place = find_place(k, asked.text);
    bool fine = true;
    if (*place) {
        *id = k->machines.v[*place - 1].id;
    } else {
        const struct base *b = base_of(k, config, e);
        fine = b && sweep_point_work_out(k, b, p, id, e);
        if (fine) {
            VEC_PUSH(&k->machines, (struct machine){arena_strdup(k->mem, asked.text), *id});
            *place = k->machines.n;
        }
    }
    sb_free(&asked);
    return fine;
}

/* What is an axis of the program comes first among options. */
static void add_arguments(const struct lab_point *p, struct arena *mem, struct store_id *id) {
    struct sb options = {0};
    if (!p->narguments) return;
    for (size_t i = 0; i < p->narguments; i++)
        sb_add(&options, "%s%s=%s", i ? " " : "", p->arguments[i].key, p->arguments[i].value);
    if (*id->options) sb_add(&options, " %s", id->options);
    id->options = sb_keep(&options, mem);
}

static uint64_t key_of(const struct store_id *id) {
    const char *const text[] = {id->workload, id->size, id->config, id->mech, id->options, id->version};
    uint64_t h = HASH_START;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) h = hash_text(h, text[i]);
    return below_2_63(hash_number(hash_number(h, id->machine), id->program));
}

bool lab_known_id(struct lab_known *k, const struct lab_point *p, struct store_id *id, struct err *e) {
    *id = (struct store_id){0};
    if (!machine_of(k, p, id, e)) return false;
    const struct program *program = program_of(k, &p->subject);
    id->workload = program->name;
    id->size = p->subject.workload ? work_size_names[p->subject.size] : "-";
    id->program = program->hash;
    add_arguments(p, k->mem, id);
    id->key = key_of(id);
    return true;
}

bool lab_point_id(const struct lab_point *p, struct arena *mem, struct store_id *id, struct err *e) {
    struct lab_known *k = lab_known_new(mem);
    const bool fine = lab_known_id(k, p, id, e);
    lab_known_free(k);
    return fine;
}

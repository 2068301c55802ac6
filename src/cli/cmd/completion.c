/* heddle completion: scripts for shells, which ask heddle itself how a word may go on.
 *
 * What fits an operand is found by the word that stands for it in the synopsis (MECH, @NAME, TOPIC), what fits the value of an
 * option by its name (--mech, --config), or by its row where it names a file. Values that are lists are completed behind
 * their last comma. */
#include "cli/cmd/completion.h"

#include <string.h>

#include "cfg/form.h"
#include "lab/claims.h"
#include "lab/probe.h"
#include "lab/results/results.h"
#include "sim/sim.h"
#include "workloads/workload.h"

/* The word under the cursor: what is kept as it is, and what is completed. */
struct at {
    const char *kept;
    size_t nkept;
    const char *part;
    const struct command *command;
    struct sb *out;
    bool files;
};

static void offer(struct at *a, const char *before, const char *word, const char *after) {
    struct sb whole = {0};
    sb_add(&whole, "%s%s%s", before, word, after);
    if (!strncmp(whole.text, a->part, strlen(a->part)))
        sb_add(a->out, "%.*s%s\n", (int)a->nkept, a->kept, whole.text);
    sb_free(&whole);
}

/* ---- what there is ---- */

static void add_commands(struct at *a) {
    for (const struct command *const *c = commands; *c; c++) offer(a, "", (*c)->name, "");
}

static void add_configs(struct at *a) {
    for (const struct config *c = config_list; c->name; c++) offer(a, "", c->name, "");
    a->files = true;
}

static void add_workloads(struct at *a) {
    for (const struct workload *w = workload_list; w->name; w++) offer(a, "", w->name, "");
}

static void add_at_workloads(struct at *a) {
    for (const struct workload *w = workload_list; w->name; w++) offer(a, "@", w->name, "");
}

static void add_sizes(struct at *a) {
    for (int i = 0; i < WORK_SIZES; i++) offer(a, "", work_size_names[i], "");
}

static void add_isas(struct at *a) {
    for (int i = 0; i < WORK_ISAS; i++) offer(a, "", work_isa_names[i], "");
}

static void add_claims(struct at *a) {
    for (const struct claim *c = claim_list; c->id; c++) offer(a, "", c->id, "");
}

static void add_probes(struct at *a) {
    for (const struct probe *p = probe_list; p->name; p++) offer(a, "", p->name, "");
}

static void add_forms(struct at *a) {
    static const char *const forms[] = {
#define FORM_NAME(word, value) #word,
        CFG_FORM_CHOICES(FORM_NAME)};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) offer(a, "", forms[i], "");
}

/* NAME, and behind its colon NAME:KEY= */
static void add_mechanisms(struct at *a) {
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct sb before = {0};
        sb_add(&before, "%s:", (*m)->name);
        if (!strchr(a->part, ':')) offer(a, "", (*m)->name, "");
        for (const struct mech_param *p = (*m)->params; strchr(a->part, ':') && p && p->key; p++)
            offer(a, before.text, p->key, "=");
        sb_free(&before);
    }
}

/* KEY=, and behind the sign the words that the key takes, if they are few */
static void add_keys(struct at *a) {
    struct options o;
    const bool value = strchr(a->part, '=') != NULL;
    options_init(&o);
    for (size_t i = 0; i < o.nrows; i++) {
        const struct option_row *r = &o.rows[i];
        struct sb before = {0};
        sb_add(&before, "%s=", r->key);
        if (!value) offer(a, "", before.text, "");
        for (const struct option_choice *c = r->choices; value && c && c->name; c++)
            offer(a, before.text, c->name, "");
        if (value && r->kind == OPTION_BOOL)
            offer(a, before.text, "true", ""), offer(a, before.text, "false", "");
        sb_free(&before);
    }
    options_free(&o);
}

/* The first words of the terms of a section of the command's help. */
static void add_terms(struct at *a, const char *title) {
    for (const struct help_section *s = a->command->sections; s->title; s++)
        for (const struct help_entry *h = s->entries; !strcmp(s->title, title) && h->term; h++) {
            struct sb word = {0};
            sb_addn(&word, h->term, strcspn(h->term, " "));
            offer(a, "", word.text, "");
            sb_free(&word);
        }
}

static void add_races(struct at *a) {
    offer(a, "", "lockstep", "");
}

static void add_names(struct at *a, const char *const *names) {
    for (; *names; names++) offer(a, "", *names, "");
}

static void add_plots(struct at *a) {
    add_names(a, plot_names);
}

static void add_spreads(struct at *a) {
    add_names(a, spread_names);
}

static void add_means(struct at *a) {
    for (int kind = PIVOT_ARITHMETIC; kind <= PIVOT_HARMONIC; kind++)
        offer(a, "", pivot_mean_names[kind], "");
}

static void add_statistics(struct at *a) {
    for (int i = 0; i < STAT_COUNT; i++) offer(a, "", stat_rows[i].name, "");
}

static void add_axes(struct at *a) {
    struct options o;
    add_names(a, store_axes);
    options_init(&o);
    for (size_t i = 0; i < o.nrows; i++) offer(a, "", o.rows[i].key, "");
    options_free(&o);
}

/* Adds what --over takes: of results an axis, of a study an option and its values. */
static void add_over(struct at *a) {
    (strcmp(a->command->name, "results") != 0 ? add_keys : add_axes)(a);
}

/* ---- what fits where ---- */

static const struct {
    const char *option;
    void (*add)(struct at *a);
} values[] = {{"cols", add_axes},        {"config", add_configs},
              {"form", add_forms},       {"isa", add_isas},
              {"mean", add_means},       {"mech", add_mechanisms},
              {"over", add_over},        {"plot", add_plots},
              {"races", add_races},      {"response", add_statistics},
              {"rows", add_axes},        {"set", add_keys},
              {"size", add_sizes},       {"spread", add_spreads},
              {"value", add_statistics}, {"workloads", add_workloads},
              {"x", add_statistics},     {"y", add_statistics}};

static const struct {
    const char *word;
    void (*add)(struct at *a);
    const char *section; /* title of the section that lists them, where `add` is NULL */
} operands[] = {{"@NAME", add_at_workloads, NULL}, {"ACTION", NULL, "Actions"},
                {"CLAIM", add_claims, NULL},       {"COMMAND", add_commands, NULL},
                {"MECH", add_mechanisms, NULL},    {"NAME", add_configs, NULL},
                {"PROBE", add_probes, NULL},       {"SHELL", NULL, "Shells"},
                {"STUDY", NULL, "Studies"},        {"TOPIC", NULL, "Topics"}};

/* A list goes on behind its last comma. */
static void skip_list(struct at *a) {
    const char *comma = strrchr(a->part, ',');
    if (!comma) return;
    a->nkept += (size_t)(comma + 1 - a->part);
    a->part = comma + 1;
}

/* a->part is the value, or what there is of it. */
static void complete_value(struct at *a, const struct opt *o) {
    if (strstr(o->value, ",...")) skip_list(a);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].option, o->name)) values[i].add(a);
    if (!strncmp(o->value, "FILE", 4)) a->files = true;
}

/* One alternative of an operand, as "FILE[:KERNEL]" or "[COMMAND]". */
static void complete_alternative(struct at *a, const char *text, size_t n) {
    while (n && *text == '[') text++, n--;
    n = n < strcspn(text, "[].,:") ? n : strcspn(text, "[].,:");
    if ((n == 4 && !strncmp(text, "FILE", 4)) || (n == 7 && !strncmp(text, "PROGRAM", 7))) a->files = true;
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        if (strlen(operands[i].word) != n || strncmp(operands[i].word, text, n) != 0) continue;
        if (operands[i].add)
            operands[i].add(a);
        else
            add_terms(a, operands[i].section);
    }
}

/* The operand of that number: the last word of the synopsis stands for all that follow. */
static void complete_operand(struct at *a, size_t number) {
    const char *text = a->command->operands, *next;
    while (number-- && (next = strchr(text, ' '))) text = next + 1;
    size_t n = strcspn(text, " ");
    if (strstr(text, ",MECH") && strchr(a->part, ',')) skip_list(a);
    for (size_t at = 0; at < n;) {
        size_t one = strcspn(text + at, "| ");
        complete_alternative(a, text + at, one);
        at += one + 1;
    }
}

/* ---- a command line ---- */

static const struct opt *find_option(const struct command *c, const char *word, size_t n) {
    for (const struct opt *o = c->options; o->name; o++) {
        const bool letter = n == 2 && o->letter && word[1] == o->letter;
        if (letter || (n == strlen(o->name) + 2 && !strncmp(word + 2, o->name, n - 2))) return o;
    }
    return NULL;
}

static bool is_option(const char *word) {
    return word[0] == '-' && word[1];
}

/* Operands among the words before the last; *value: the option whose value the last word is, or NULL. */
static size_t completion_read_words(const struct command *c, const char *const *words, size_t n,
                                    const struct opt **value) {
    size_t operands_before = 0;
    *value = NULL;
    for (size_t i = 1; i + 1 < n; i++) {
        const struct opt *o = is_option(words[i]) ? find_option(c, words[i], strlen(words[i])) : NULL;
        operands_before += !*value && !is_option(words[i]);
        *value = !*value && o && o->value && !opts_optional(o) ? o : NULL;
    }
    return operands_before;
}

static void complete_option(struct at *a) {
    for (const struct opt *o = a->command->options; o->name; o++) offer(a, "--", o->name, "");
    offer(a, "--", opts_help.name, "");
}

static void complete_in(struct at *a, const char *const *words, size_t n) {
    const struct opt *value;
    const size_t number = completion_read_words(a->command, words, n, &value);
    const char *equals = is_option(a->part) ? strchr(a->part, '=') : NULL;
    if (equals && !value) {
        value = find_option(a->command, a->part, (size_t)(equals - a->part));
        if (!value || !value->value) return;
        a->nkept = (size_t)(equals + 1 - a->part);
        a->part = equals + 1;
    }
    if (number && a->command->runs_program)
        a->files = true; /* words of the program */
    else if (value)
        complete_value(a, value);
    else if (*a->part == '-')
        complete_option(a);
    else
        complete_operand(a, number);
}

void completion_words(const char *const *words, size_t n, struct sb *out) {
    struct at a = {.kept = words[n - 1], .part = words[n - 1], .out = out};
    if (n == 1)
        add_commands(&a);
    else if ((a.command = command_find(words[0])))
        complete_in(&a, words, n);
    if (a.files) sb_add(out, ":files\n");
}

/* Rows of SL's Table 1 by experiment. Whether a scheme has recursion and indirect branches is whether it runs such workloads or
 * refuses them. Sync or Div is told by a kernel in which half of a warp comes to the same instructions of a function one call
 * deeper than the other: with stack pointers kept in step they run twice, with half of the lanes.
 *
 * Traversal and reconvergence cannot be measured. They are put together from two facts: whether the mechanism runs a form of the
 * program with instructions of its own ("ISA"), and the structures that it keeps (table1.def). Who has no structure that says
 * where to go next, goes by the program's marks, or else by PC. */
#include "lab/table1.h"

#include <string.h>

#include "lab/run/mech_choice.h"
#include "sim/sim.h"

#define SCHEME(name, mech, traversal, reconvergence, recursion, indirect) \
    {name, mech, {traversal, reconvergence, recursion, indirect}},
const struct table1_scheme table1_schemes[] = {
#include "lab/table1.def"
    {0}};

#define STORE(structure, traversal, reconvergence) {structure, {traversal, reconvergence}},
static const struct {
    const char *structure, *word[2]; /* words of TABLE1_TRAVERSAL and TABLE1_RECONVERGENCE */
} stores[] = {
#include "lab/table1.def"
};

const char *const table1_column_names[] = {"traversal", "reconvergence", "recursion", "indirect"};

/* Odd threads come to the work at the end of a function through one call more than the even ones, which wait there since the call
 * lies at lower addresses and deeper. */
#define WORK4  "add.u32 %r1, %r1, 3; xor.b32 %r1, %r1, 5; add.u32 %r1, %r1, 7; xor.b32 %r1, %r1, 9;\n"
#define WORK32 WORK4 WORK4 WORK4 WORK4 WORK4 WORK4 WORK4 WORK4
static const char two_depths[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".func (.param .b32 result) down(.param .b32 levels) {\n"
    ".reg .b32 %r<3>; .reg .pred %p;\n"
    "ld.param.u32 %r1, [levels]; setp.eq.u32 %p, %r1, 0; @%p bra WORK; sub.u32 %r1, %r1, 1;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), down, (a); ld.param.b32 %r1, [b]; "
    "}\n"
    "st.param.b32 [result], %r1; ret;\n"
    "WORK:\n" WORK32 WORK32 WORK32 WORK32 "st.param.b32 [result], %r1; ret; }\n"
    ".visible .entry two_depths(.param .u64 out) {\n"
    ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
    "and.b32 %r1, %r1, 1;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), down, (a); ld.param.b32 %r3, [b]; "
    "}\n"
    "st.global.u32 [%rd1], %r3; ret; }\n";

/* ---- runs ---- */

struct trial {
    const hd_config *config;
    struct table1_row *row;
};

static bool table1_runs(const struct trial *t, const struct lab_subject *s, const struct lab_hooks *hooks,
                        struct lab_outcome *o) {
    lab_run(s, t->config, hooks, o);
    if (!o->err.code) return true;
    struct sb name = {0};
    lab_subject_name(s, &name);
    if (o->err.code != ERR_REFUSED && !t->row->err.code)
        err_set(&t->row->err, o->err.code, "%s under %s: %s", name.text, t->row->scheme->mech,
                err_text(&o->err));
    sb_free(&name);
    return false;
}

/* "Yes" if it runs them all, "No" if it refuses them all. */
static const char *table1_answer(const struct trial *t, const char *const *workloads) {
    size_t n = 0, ran = 0;
    for (; workloads[n]; n++) {
        struct lab_outcome o;
        ran += table1_runs(t, &(struct lab_subject){.workload = workload_find(workloads[n])}, NULL, &o);
        lab_outcome_free(&o);
    }
    return ran == n ? "Yes" : ran ? "some" : "No";
}

static const char *recursion(const struct trial *t) {
    static const char *const workloads[] = {"recursion", NULL};
    const struct lab_arg arg = {.text = "out", .bytes = 128};
    const struct lab_program p = {.file = "two-depths",
                                  .text = two_depths,
                                  .text_bytes = sizeof two_depths - 1,
                                  .kernel = "two_depths",
                                  .launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}},
                                  .args = &arg,
                                  .nargs = 1};
    struct lab_outcome o;
    if (strcmp(table1_answer(t, workloads), "Yes") != 0) return "No";
    bool ran = table1_runs(t, &(struct lab_subject){.program = &p}, NULL, &o);
    double lanes = stats_value(&o.total, STAT_sm_lane_activity);
    lab_outcome_free(&o);
    return !ran ? "No" : lanes > 0.75 ? "Div" : "Sync";
}

/* ---- what it goes by ---- */

struct facts {
    bool marks;
    struct sb word[2]; /* words for its structures, " + " between them */
};

static void table1_add_words(struct facts *f, const char *structure) {
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        if (strcmp(stores[i].structure, structure) != 0) continue;
        for (int k = 0; k < 2; k++)
            if (*stores[i].word[k])
                sb_add(&f->word[k], "%s%s", f->word[k].len ? " + " : "", stores[i].word[k]);
    }
}

/* Where threads have block numbers, those are compared, and a PC only says where a thread goes on. */
static bool compares_numbers(const struct storage *s) {
    for (size_t i = 0; i < s->parts.n; i++)
        if (!strcmp(s->parts.v[i].name, "thread_block_number")) return true;
    return false;
}

static void table1_on_ended(void *user, hd_device *dev, hd_module *mod, const hd_arg *args) {
    struct facts *f = user;
    const struct rewrite *form = NULL;
    const struct storage *storage = sim_storage(dev);
    struct err none = {0};
    (void)args;
    f->marks = sim_form(mod, CFG_NONE, &form, &none) && form;
    for (size_t i = 0; i < storage->parts.n; i++) {
        const char *name = storage->parts.v[i].name;
        if (strcmp(name, "thread_pc") != 0 || !compares_numbers(storage)) table1_add_words(f, name);
    }
    err_free(&none);
}

/* Block numbers are an order by themselves, in the paper's word as the first of a cell. */
static void name_facts(struct table1_row *row, struct facts *f) {
    const char *stored[2] = {f->word[0].len ? f->word[0].text : "", f->word[1].len ? f->word[1].text : ""};
    struct sb traversal = {0}, reconvergence = {0};
    if (!strcmp(stored[0], "priorities"))
        sb_add(&traversal, "Priorities");
    else
        sb_add(&traversal, "%s%s%s", f->marks ? "ISA" : "PC", *stored[0] ? " + " : "", stored[0]);
    sb_add(&reconvergence, "%s%s", f->marks ? "ISA + " : "", stored[1]);
    row->ours[TABLE1_TRAVERSAL] = sb_keep(&traversal, &row->mem);
    row->ours[TABLE1_RECONVERGENCE] = sb_keep(&reconvergence, &row->mem);
}

/* ---- rows ---- */

bool table1_there(const struct table1_scheme *s) {
    const char *name, *title;
    const size_t n = strcspn(s->mech, ":");
    for (size_t i = 0; hd_mech_at(i, &name, &title) == HD_OK; i++)
        if (strlen(name) == n && !strncmp(name, s->mech, n)) return true;
    return false;
}

static void table1_run_all(const struct trial *t) {
    static const char *const indirect[] = {"function-pointer", "switch-indirect", NULL};
    static const char *const unstructured[] = {"goto-join", "short-circuit", "multi-level-break", NULL};
    static const char *const irreducible[] = {"irreducible", NULL};
    struct table1_row *row = t->row;
    struct facts facts = {0};
    const struct lab_hooks hooks = {.ended = table1_on_ended, .user = &facts};
    struct lab_outcome o;
    table1_runs(t, &(struct lab_subject){.workload = workload_find("loop-break")}, &hooks, &o);
    lab_outcome_free(&o);
    name_facts(row, &facts);
    for (int k = 0; k < 2; k++) sb_free(&facts.word[k]);
    row->ours[TABLE1_RECURSION] = recursion(t);
    row->ours[TABLE1_INDIRECT] = table1_answer(t, indirect);
    row->unstructured = table1_answer(t, unstructured);
    row->irreducible = table1_answer(t, irreducible);
}

void table1_run(const struct table1_scheme *s, struct table1_row *out) {
    struct mech_choice choice;
    *out = (struct table1_row){.scheme = s};
    if (!mech_choice_read(s->mech, &out->mem, &choice, &out->err)) return;
    hd_option *options = ARENA_NEW(&out->mem, hd_option, choice.nsettings + 1);
    options[0] = (hd_option){"run.mode", "timed"};
    for (size_t i = 0; i < choice.nsettings; i++) options[1 + i] = choice.setting[i];
    const hd_config config = {.file = "sl-tesla", .options = options, .noptions = choice.nsettings + 1};
    table1_run_all(&(struct trial){.config = &config, .row = out});
}

void table1_free(struct table1_row *row) {
    err_free(&row->err);
    arena_free(&row->mem);
}

unsigned table1_agrees(const struct table1_row *row) {
    unsigned n = 0;
    for (int c = 0; c < TABLE1_COLUMNS; c++)
        n += row->ours[c] && !strcmp(row->ours[c], row->scheme->paper[c]);
    return n;
}

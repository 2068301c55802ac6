/* Where a page comes from. Its command leaves out what does not change the results (where files go, how many at a time), so
 * that the same run gives the same page whatever its name is. */
#include "cli/page_about.h"

#include <string.h>

#include "sim/config.h"

static bool page_about_decides(const struct opt *row) {
    return !(row->how & (OPT_WRITES | OPT_UPDATES)) && strcmp(row->name, "jobs") &&
           strcmp(row->name, "quiet");
}

static void add_command(const struct cli *c, const struct opts *o, struct sb *out) {
    sb_add(out, "heddle %s", c->command->name);
    for (size_t i = 0; i < o->operands.n; i++) cli_add_word(out, o->operands.v[i]);
    for (size_t i = 0; i < o->given.n; i++) {
        const struct opt_given *g = &o->given.v[i];
        if (!page_about_decides(g->opt)) continue;
        sb_add(out, " --%s", g->opt->name);
        if (g->value) cli_add_word(out, g->value);
    }
}

json_t *page_about(const struct cli *c, const struct opts *o, const char *title) {
    struct sb command = {0};
    add_command(c, o, &command);
    json_t *about =
        json_pack("{s:s, s:s, s:s+}", "version", hd_version(), "title", title, "command", command.text, "");
    sb_free(&command);
    return about;
}

void page_machine(const char *config, const struct opts *o, struct sb *out) {
    const struct config *known = config_find(config ? config : CONFIG_DEFAULT);
    sb_add(out, "%s", config ? config : CONFIG_DEFAULT);
    if (known) sb_add(out, ": %s", known->title);
    for (size_t i = 0; i < opts_count(o, "set"); i++)
        sb_add(out, "%s%s", i ? ", " : "; ", opts_nth(o, "set", i));
}

json_t *page_stat_names(void) {
    json_t *all = json_array();
    for (int i = 0; i < STAT_COUNT; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "name", stat_rows[i].name, "unit",
                                             stat_rows[i].unit, "meaning", stat_rows[i].meaning));
    return all;
}

json_t *page_stat_values(const struct stats *s) {
    json_t *all = json_array();
    for (int i = 0; i < STAT_COUNT; i++) {
        const enum stat_id id = (enum stat_id)i;
        json_array_append_new(all, stat_is_counter(id) ? json_integer((json_int_t)stats_exact(s, id))
                                                       : json_real(stats_value(s, id)));
    }
    return all;
}

json_t *page_own_counters(const struct stats *s) {
    json_t *own = json_object();
    const struct mech_counter *counter;
    uint64_t value;
    for (size_t k = 0; (counter = stats_counter(s, k, &value)); k++) {
        struct sb name = {0};
        sb_add(&name, "%s.%s", s->mech->name, counter->key);
        json_object_set_new(own, name.text, json_integer((json_int_t)value));
        sb_free(&name);
    }
    return own;
}

/* After a launch: the report for people, statistics as JSON, elements of buffers. Host times are the only
 * numbers that differ from run to run, so they stay out of JSON, and of a report that is not read on a
 * terminal, unless asked for. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "report/table.h"
#include "sim/sim.h"

/* ---- the report ---- */

/* 12,345,678 */
static void grouped(struct sb *out, uint64_t v) {
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
    for (int i = 0; i < n; i++) sb_add(out, "%s%c", i && (n - i) % 3 == 0 ? "," : "", digits[i]);
}

static void label(const struct run *r, struct sb *out, const char *name) {
    sb_add(out, "%s%-20s%s", term_on(&r->cli->term, TERM_DIM), name, term_on(&r->cli->term, TERM_PLAIN));
}

static void count_line(const struct run *r, struct sb *out, const char *name, uint64_t v) {
    label(r, out, name);
    grouped(out, v);
    sb_add(out, "\n");
}

static void host_lines(const struct run *r, struct sb *out, uint64_t insts) {
    label(r, out, "host");
    sb_add(out, "%.3f s", r->seconds);
    if (r->seconds > 0) sb_add(out, ", %.1f million thread instructions/s", (double)insts / r->seconds / 1e6);
    sb_add(out, "\n");
}

void run_report(const struct run *r, struct sb *out) {
    const struct stats *s = sim_stats(r->dev, false);
    label(r, out, "kernel");
    sb_add(out, "%s%s%s\n", term_on(&r->cli->term, TERM_BOLD), r->program.info.name,
           term_on(&r->cli->term, TERM_PLAIN));
    label(r, out, "launch");
    program_shape(&r->program.launch, out);
    sb_add(out, "\n");
    count_line(r, out, "thread instructions", s->exec.thread_insts);
    count_line(r, out, "warp instructions", s->exec.warp_insts);
    label(r, out, "lane activity");
    sb_add(out, "%.1f %%\n", 100 * stats_value(s, STAT_exec_lane_activity));
    label(r, out, "divergent branches");
    grouped(out, s->exec.divergent_branches);
    sb_add(out, " of ");
    grouped(out, s->exec.branches);
    if (s->exec.branches) sb_add(out, " (%.1f %%)", 100 * stats_value(s, STAT_exec_divergence));
    sb_add(out, "\n");
    if (r->host || r->cli->term.out_tty) host_lines(r, out, s->exec.thread_insts);
}

/* ---- JSON ---- */

static json_t *option_value(const struct option_row *row, const struct options *o) {
    struct sb text = {0};
    const void *at = (const char *)o + row->offset;
    json_t *v = NULL;
    switch (row->kind) {
    case OPTION_INT: return json_integer(*(const option_INT *)at);
    case OPTION_SIZE: return json_integer((json_int_t) * (const option_SIZE *)at);
    case OPTION_REAL: return json_real(*(const option_REAL *)at);
    case OPTION_BOOL: return json_boolean(*(const option_BOOL *)at);
    case OPTION_ENUM:
    case OPTION_TEXT:
        option_print(row, o, &text);
        v = json_string(text.text ? text.text : "");
        sb_free(&text);
        break;
    }
    return v;
}

static json_t *options_json(const struct run *r) {
    json_t *o = json_object();
    for (int i = 0; i < OPTION_COUNT; i++)
        json_object_set_new(o, option_rows[i].key, option_value(&option_rows[i], sim_options(r->dev)));
    return o;
}

static void stats_json(const struct run *r, bool total, json_t *o) {
    const struct stats *s = sim_stats(r->dev, total);
    for (int i = 0; i < STAT_COUNT; i++) {
        enum stat_id id = (enum stat_id)i;
        json_t *v = stat_rows[i].how == STAT_FORMULA ? json_real(stats_value(s, id))
                                                     : json_integer((json_int_t)stats_exact(s, id));
        json_object_set_new(o, stat_rows[i].name, v);
    }
    if (!r->host) return;
    json_object_set_new(o, "host.seconds", json_real(r->seconds));
    json_object_set_new(o, "host.thread_insts_per_second",
                        json_real(r->seconds > 0 ? (double)s->exec.thread_insts / r->seconds : 0));
}

static json_t *kernel_json(const struct run *r) {
    const uint32_t *g = r->program.launch.grid, *b = r->program.launch.block;
    json_t *k =
        json_pack("{s:s, s:[I,I,I], s:[I,I,I], s:I}", "kernel", r->program.info.name, "grid",
                  (json_int_t)g[0], (json_int_t)g[1], (json_int_t)g[2], "block", (json_int_t)b[0],
                  (json_int_t)b[1], (json_int_t)b[2], "shared", (json_int_t)r->program.launch.shared_bytes);
    stats_json(r, false, k);
    return k;
}

bool run_json(const struct run *r, struct sb *out, struct err *e) {
    json_t *root = json_object(), *kernels = json_array(), *total = json_object();
    json_array_append_new(kernels, kernel_json(r));
    stats_json(r, true, total);
    json_object_set_new(root, "options", options_json(r));
    json_object_set_new(root, "kernels", kernels);
    json_object_set_new(root, "total", total);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (!text) return err_set(e, ERR_MEMORY, "no memory for the JSON text");
    sb_add(out, "%s\n", text);
    free(text);
    return true;
}

/* ---- elements ---- */

static uint64_t element(const uint8_t *data, uint64_t i, size_t bytes) {
    uint64_t v = 0;
    for (size_t b = 0; b < bytes; b++) v |= (uint64_t)data[i * bytes + b] << (8 * b);
    return v;
}

/* As many columns as fit, a power of two, so that indices are easy to add to. */
static uint64_t columns(size_t width, size_t cell, size_t index) {
    uint64_t n = 32;
    while (n > 1 && index + n * (cell + 2) > width) n /= 2;
    return n;
}

void run_elements(const struct program_arg *a, size_t number, uint64_t count, const uint8_t *data, int width,
                  struct sb *out) {
    size_t bytes = ir_type_bytes[a->spec.type], widest = 0,
           index = (size_t)snprintf(NULL, 0, "%" PRIu64, count - 1) + 3;
    struct sb cell = {0};
    for (uint64_t i = 0; i < count; i++, cell.len = 0) {
        arg_format(&cell, a->spec.type, element(data, i, bytes));
        if (cell.len > widest) widest = cell.len;
    }
    sb_add(out, "argument %zu: %s[%" PRIu64 "]\n", number, ir_type_name[a->spec.type], a->spec.count);
    uint64_t per_row = columns((size_t)width, widest, index);
    for (uint64_t i = 0; i < count; i++, cell.len = 0) {
        arg_format(&cell, a->spec.type, element(data, i, bytes));
        if (i % per_row == 0) sb_add(out, "%*" PRIu64 ":", (int)index - 1, i);
        sb_add(out, "  %*s", (int)widest, cell.text);
        if (i % per_row == per_row - 1 || i == count - 1) sb_add(out, "\n");
    }
    if (count < a->spec.count) sb_add(out, "  ... %" PRIu64 " more\n", a->spec.count - count);
    sb_free(&cell);
}

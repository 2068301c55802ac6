/* Devices: opening from options, the last error, callbacks, statistics. A device owns everything made through
 * it and there is no state outside of devices, so any number of them may run in as many threads. */
#include <stdlib.h>

#include "sim/device/internal.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *hd_version(void) {
    return TEXT(HD_VERSION_MAJOR) "." TEXT(HD_VERSION_MINOR) "." TEXT(HD_VERSION_PATCH);
}

const char *hd_status_name(hd_status s) {
    switch (s) {
    case HD_OK: return "HD_OK";
    case HD_INVALID: return "HD_INVALID";
    case HD_FAULT: return "HD_FAULT";
    case HD_MEMORY: return "HD_MEMORY";
    case HD_LIMIT: return "HD_LIMIT";
    case HD_INTERNAL: return "HD_INTERNAL";
    case HD_REFUSED: return "HD_REFUSED";
    case HD_TOO_LARGE: return "HD_TOO_LARGE";
    }
    return "unknown status";
}

/* ---- the host's memory ---- */

static const char LOST[] = "out of memory on the host; the device can only be closed";

bool sim_enter(const hd_device *dev, struct ledger_point *p) {
    if (!dev || dev->life->lost) return false;
    ledger_enter(p, &dev->life->ledger);
    return true;
}

hd_status sim_no_entry(const hd_device *dev) {
    return dev ? HD_MEMORY : HD_INVALID;
}

hd_status sim_lose(const hd_device *dev) {
    dev->life->lost = true;
    if (dev->log) dev->log(dev->log_user, HD_LOG_ERROR, LOST);
    return HD_MEMORY;
}

bool sim_lost(const hd_device *dev) {
    return dev->life->lost;
}

/* ---- errors and log ---- */

hd_status sim_ready(const hd_device *dev) {
    if (!dev || !dev->mem) return HD_INVALID;
    if (dev->running) return sim_refuse(dev, "not from a callback: a launch is under way");
    return HD_OK;
}

hd_status sim_fail(const hd_device *dev, struct err *e) {
    static const hd_status status[] = {
        [ERR_OK] = HD_INTERNAL,   [ERR_INPUT] = HD_INVALID, [ERR_FAULT] = HD_FAULT,
        [ERR_MEMORY] = HD_MEMORY, [ERR_LIMIT] = HD_LIMIT,   [ERR_REFUSED] = HD_REFUSED};
    err_free(dev->err);
    *dev->err = *e;
    *e = (struct err){0};
    struct sb *text = &dev->err->text;
    while (text->len && text->text[text->len - 1] == '\n')
        text->text[--text->len] = '\0'; /* diagnostics are whole lines */
    hd_status code = status[dev->err->code];
    sim_log(dev, HD_LOG_ERROR, "%s", err_text(dev->err));
    return code;
}

hd_status sim_refuse(const hd_device *dev, const char *fmt, ...) {
    struct err e = {.code = ERR_INPUT};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&e.text, fmt, ap);
    va_end(ap);
    return sim_fail(dev, &e);
}

void sim_log(const hd_device *dev, hd_log_level level, const char *fmt, ...) {
    if (!dev->log) return;
    struct sb text = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&text, fmt, ap);
    va_end(ap);
    if (level == HD_LOG_WARNING) sim_warned(dev, text.text);
    struct ledger_point *p = ledger_step_out();
    dev->log(dev->log_user, level, text.text);
    ledger_adopt(p);
    sb_free(&text);
}

const char *hd_error(const hd_device *dev) {
    return !dev ? "" : dev->life->lost ? LOST : err_text(dev->err);
}

/* ---- opening and closing ---- */

static void drop_watch(hd_device *dev) {
    trace_free(dev->trace);
    series_free(&dev->series);
    dev->trace = NULL;
}

static bool device_read_options(hd_device *dev, const hd_config *config, struct err *e) {
    if (!config) return true;
    if (config->noptions && !config->options)
        return err_set(e, ERR_INPUT, "hd_device_open: options is NULL, noptions is not 0");
    if (config->file && !config_read(&dev->options, config->file, e)) return false;
    for (size_t i = 0; i < config->noptions; i++) {
        const hd_option *o = &config->options[i];
        if (!o->key || !o->value)
            return err_set(e, ERR_INPUT, "hd_device_open: option %zu has no key or no value", i);
        if (!options_set(&dev->options, o->key, o->value, OPTION_GIVEN, e)) return false;
    }
    return true;
}

/* Nothing but what every device has: none of its memory is in the ledger. */
static hd_device *empty_device(void) {
    hd_device *dev = calloc(1, sizeof *dev);
    struct err *last = calloc(1, sizeof *last);
    struct sim_life *life = calloc(1, sizeof *life);
    if (dev && last && life) {
        dev->err = last;
        dev->life = life;
        dev->const_end = SIM_CONST_WINDOW;
        return dev;
    }
    free(dev);
    free(last);
    free(life);
    return NULL;
}

static hd_status open_device(hd_device *dev, const hd_config *config) {
    struct err e = {0};
    options_init(&dev->options);
    if (!device_read_options(dev, config, &e)) return sim_fail(dev, &e);
    options_settle(&dev->options, config && config->stand_in);
    if (!options_check(&dev->options, &e)) return sim_fail(dev, &e);
    dev->mem = exec_mem_new(dev->options.mem.global_bytes, dev->options.run.slack);
    dev->watch.profile = dev->options.run.profile;
    if (dev->options.run.races)
        dev->races =
            exec_races_new((enum exec_races_mode)dev->options.run.races, dev->options.run.races_bytes);
    return HD_OK;
}

hd_status sim_open(const hd_config *config, uint64_t fail_at, hd_device **out) {
    hd_device *dev = empty_device();
    *out = dev;
    if (!dev) return HD_MEMORY;
    dev->life->ledger.fail_at = fail_at;
    SIM_CALL(dev, open_device(dev, config));
}

hd_status hd_device_open(const hd_config *config, hd_device **out) {
    return out ? sim_open(config, 0, out) : HD_INVALID;
}

static hd_status close_device(hd_device *dev) {
    while (dev->modules) sim_unload(dev->modules);
    if (dev->mem) exec_mem_free_all(dev->mem);
    VEC_FREE(&dev->buffers);
    VEC_FREE(&dev->warm);
    drop_watch(dev);
    sim_races_free(dev);
    sim_journal_free(dev);
    gpu_free(dev->gpu);
    storage_free(&dev->storage);
    options_free(&dev->options);
    err_free(dev->err);
    return HD_OK;
}

/* In a function of its own: a jump leaves no local of the caller undefined. */
static hd_status try_close(hd_device *dev) {
    SIM_CALL(dev, close_device(dev));
}

/* Closes a device. A lost device is not asked for its parts: its ledger lists all memory. */
void hd_device_close(hd_device *dev) {
    if (!dev || (dev->running && !dev->life->lost)) return;
    try_close(dev);
    if (!dev->life->lost) CHECK(!dev->life->ledger.n);
    workers_free(dev->life->workers);
    ledger_free(&dev->life->ledger);
    free(dev->life);
    free(dev->err);
    free(dev);
}

/* ---- what there is ---- */

static hd_status device_give(const char *name, const char *title, const char **out, const char **out_title) {
    if (out) *out = name;
    if (out_title) *out_title = title;
    return HD_OK;
}

hd_status hd_config_at(size_t index, const char **name, const char **title) {
    for (size_t i = 0; config_list[i].name; i++)
        if (i == index) return device_give(config_list[i].name, config_list[i].title, name, title);
    return HD_INVALID;
}

hd_status hd_mech_at(size_t index, const char **name, const char **title) {
    for (size_t i = 0; mech_list[i]; i++)
        if (i == index) return device_give(mech_list[i]->name, mech_list[i]->title, name, title);
    return HD_INVALID;
}

/* ---- callbacks ---- */

void hd_set_log(hd_device *dev, hd_log_fn *fn, void *user) {
    if (!dev) return;
    dev->log = fn;
    dev->log_user = user;
}

void hd_set_print(hd_device *dev, hd_print_fn *fn, void *user) {
    if (!dev) return;
    dev->print = fn;
    dev->print_user = user;
}

void hd_set_progress(hd_device *dev, hd_progress_fn *fn, void *user) {
    if (!dev) return;
    dev->progress = fn;
    dev->progress_user = user;
}

/* ---- statistics ---- */

static hd_status read_stat(const hd_device *dev, int total, const char *name, double *value) {
    if (!dev) return HD_INVALID;
    if (!name || !value) return sim_refuse(dev, "hd_stat: name and value must not be NULL");
    struct err e = {0};
    if (stats_named(sim_stats(dev, total), name, value, &e)) return HD_OK;
    return sim_fail(dev, &e);
}

hd_status hd_stat(const hd_device *dev, int total, const char *name, double *value) {
    SIM_CALL(dev, read_stat(dev, total, name, value));
}

size_t hd_stat_count(void) {
    return STAT_COUNT;
}

hd_status hd_stat_at(size_t index, hd_stat_info *info) {
    if (index >= STAT_COUNT || !info) return HD_INVALID;
    const struct stat_row *row = &stat_rows[index];
    *info = (hd_stat_info){row->name, row->unit, row->meaning, stat_is_counter((enum stat_id)index)};
    return HD_OK;
}

static bool device_readable(const hd_device *dev) {
    return dev && dev->mem && !dev->life->lost;
}

hd_status hd_stat_value(const hd_device *dev, int total, size_t index, double *value) {
    if (!device_readable(dev) || index >= STAT_COUNT || !value) return HD_INVALID;
    *value = stats_value(sim_stats(dev, total), (enum stat_id)index);
    return HD_OK;
}

hd_status hd_stat_own(const hd_device *dev, int total, size_t index, hd_stat_info *info, double *value) {
    uint64_t v;
    if (!device_readable(dev) || !info || !value) return HD_INVALID;
    const struct stats *s = sim_stats(dev, total);
    const struct mech_counter *c = stats_counter(s, index, &v);
    if (!c) return HD_INVALID;
    *info = (hd_stat_info){c->key, c->unit, c->meaning, 1};
    *value = (double)v;
    return HD_OK;
}

/* ---- for the folders above ---- */

const struct options *sim_options(const hd_device *dev) {
    return &dev->options;
}

const struct storage *sim_storage(const hd_device *dev) {
    return &dev->storage;
}

const struct stats *sim_stats(const hd_device *dev, bool total) {
    return total ? &dev->total : &dev->last;
}

static hd_status device_watch(hd_device *dev, const struct watch *w) {
    drop_watch(dev);
    dev->watch = w ? *w : (struct watch){0};
    dev->watch.profile |= dev->options.run.profile;
    dev->series = (struct series){
        .interval = dev->watch.interval, .most = dev->watch.samples, .threads = dev->watch.threads};
    dev->trace = trace_new(&dev->watch);
    return HD_OK;
}

static hd_status try_watch(hd_device *dev, const struct watch *w) {
    SIM_CALL(dev, device_watch(dev, w));
}

void sim_watch(hd_device *dev, const struct watch *w) {
    try_watch(dev, w);
}

const struct density *sim_density(const hd_device *dev) {
    return dev->trace ? trace_density(dev->trace) : NULL;
}

const struct series *sim_series(const hd_device *dev) {
    return &dev->series;
}

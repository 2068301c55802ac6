/* NAME:KEY=VALUE as settings. The name is checked here, before any parameter: who mistyped it is not told that its parameters
 * do not exist. */
#include "lab/run/mech_choice.h"

#include <string.h>
#include <strings.h>

#include "sim/options.h"

static bool mech_choice_unknown(const char *name, struct err *e) {
    const char *near = mech_near(name);
    if (near) return err_set(e, ERR_INPUT, "there is no mechanism '%.60s' (did you mean '%s'?)", name, near);
    return err_set(e, ERR_INPUT, "there is no mechanism '%.60s'; 'heddle list mechanisms' shows them", name);
}

const char *mech_choice_spelling(const char *text, struct arena *mem) {
    const size_t n = strcspn(text, ":");
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct sb out = {0};
        if (strlen((*m)->name) != n || strncasecmp((*m)->name, text, n) != 0) continue;
        sb_add(&out, "%s%s", (*m)->name, text + n);
        return sb_keep(&out, mem);
    }
    return text;
}

/* One KEY=VALUE of n characters. */
static bool read_parameter(const char *mech, const char *text, size_t n, struct arena *mem, hd_option *out,
                           struct err *e) {
    const char *equals = memchr(text, '=', n);
    if (!equals || equals == text)
        return err_set(e, ERR_INPUT, "mechanism %s: '%.*s' is not KEY=VALUE", mech, (int)(n < 60 ? n : 60),
                       text);
    struct sb key = {0};
    sb_add(&key, "%s.", mech);
    sb_addn(&key, text, (size_t)(equals - text));
    *out = (hd_option){sb_keep(&key, mem), arena_strndup(mem, equals + 1, (size_t)(text + n - equals - 1))};
    return true;
}

bool mech_choice_read(const char *text, struct arena *mem, struct mech_choice *out, struct err *e) {
    text = mech_choice_spelling(text, mem);
    size_t n = strcspn(text, ":"), most = 1;
    const char *name = arena_strndup(mem, text, n);
    if (!mech_find(name)) return mech_choice_unknown(name, e);
    for (const char *p = text; (p = strchr(p, ':')); p++) most++;
    *out = (struct mech_choice){.setting = ARENA_NEW(mem, hd_option, most)};
    out->setting[out->nsettings++] = (hd_option){"run.mech", name};
    for (text += n; *text == ':'; text += n) {
        n = strcspn(++text, ":");
        if (!read_parameter(name, text, n, mem, &out->setting[out->nsettings++], e)) return false;
    }
    return true;
}

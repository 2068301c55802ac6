/* What a compiler's --maxrregcount and -v say of registers is not in the PTX text: run.registers is the place for it. It
 * changes how many blocks fit on an SM, and nothing else: no value is ever spilled here. */
#include "sim/device/registers.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 1024 };

struct item {
    const char *name; /* NULL: for all */
    size_t length;
    uint32_t number; /* 0: there is none between 1 and MOST */
};

static const char *skip_spaces(const char *t) {
    while (isspace((unsigned char)*t)) t++;
    return t;
}

/* Reads the item that begins there; returns where it ends: at a comma, at the end, or where it makes no sense. */
static const char *read_item(const char *t, struct item *x) {
    *x = (struct item){0};
    t = skip_spaces(t);
    const size_t length = strcspn(t, ":,");
    if (t[length] == ':') {
        x->name = t;
        x->length = length;
        while (x->length && isspace((unsigned char)t[x->length - 1])) x->length--;
        t = skip_spaces(t + length + 1);
    }
    while (isdigit((unsigned char)*t) && x->number <= MOST)
        x->number = x->number * 10 + (uint32_t)(*t++ - '0');
    if (x->number > MOST || (x->name && !x->length)) x->number = 0;
    return skip_spaces(t);
}

bool registers_check(const char *text, struct err *e) {
    const char *t = skip_spaces(text);
    while (*t) {
        struct item x;
        const char *end = read_item(t, &x);
        if (!x.number || (*end && *end != ',') || (*end && !*skip_spaces(end + 1)))
            return err_set(
                e, ERR_INPUT,
                "run.registers: \"%s\" is no list of numbers from 1 to %d and KERNEL:NUMBER, as in "
                "\"40,bfs:32\"",
                text, MOST);
        t = *end ? end + 1 : end;
    }
    return true;
}

struct registers_given registers_given(const char *text, const char *kernel) {
    struct registers_given given = {0};
    for (const char *t = skip_spaces(text); *t;) {
        struct item x;
        const char *end = read_item(t, &x);
        if (!x.name)
            given.most = x.number;
        else if (strlen(kernel) == x.length && !memcmp(kernel, x.name, x.length))
            given.exact = x.number;
        t = *end ? end + 1 : end;
    }
    return given;
}

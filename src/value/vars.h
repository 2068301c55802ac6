/* NAME[INDEX]=[TYPE:]VALUES: bytes for a .const or .global variable of a module. The text is split without the module; what the
 * values mean depends on the variable's type and size. */
#ifndef HEDDLE_VALUE_VARS_H
#define HEDDLE_VALUE_VARS_H

#include <heddle.h>

#include "value/args.h"

struct var_given {
    const char *text, *name, *values; /* text: all of it; values: what follows the '=' */
    bool indexed;
    uint64_t index;
    const char *beside; /* paths in it are relative to this file; NULL: to the current directory */
};

bool var_split(const char *text, struct arena *mem, struct var_given *out, struct err *e);

/* The bytes, which are for the caller to free, and where they go in the variable. */
struct var_bytes {
    uint8_t *data;
    uint64_t offset, bytes;
    struct arg_links links;
};
bool var_decode(const struct var_given *v, const hd_symbol_info *info, struct var_bytes *out, struct err *e);
void var_free(struct var_bytes *b);

/* A variable by name; the message lists those there are. */
bool var_find(hd_module *mod, const char *name, hd_symbol_info *info, struct err *e);

#endif

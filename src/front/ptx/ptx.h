/* PTX text to a program. */
#ifndef HEDDLE_FRONT_PTX_PTX_H
#define HEDDLE_FRONT_PTX_PTX_H

#include "ir/program.h"

/* Parses and lowers. name is used in messages. The text need not end in NUL. On error NULL, and e holds one diagnostic
 * after another: "file:line:col: error: what was expected", the line, a caret; every unsupported instruction of the
 * file is among them. An unsupported instruction alone is no error of the text: the function that has it says so in
 * ir_func.refused, and the others can run. The module still has virtual registers: cfg_analyse comes next. */
struct ir_module *ptx_load(const char *name, const char *text, size_t len, struct err *e);

/* One of several texts that refer to each other by .extern, .visible, .weak and .common names. ptx_link loads them
 * together; one text is ptx_load. */
struct ptx_text {
    const char *name, *text;
    size_t len;
};
struct ir_module *ptx_link(const char *name, const struct ptx_text *texts, size_t n, struct err *e);

#endif

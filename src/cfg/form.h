/* Forms of a program: copies with marks (ir/marks.def) that a mechanism asks for, made before the launch. */
#ifndef HEDDLE_CFG_FORM_H
#define HEDDLE_CFG_FORM_H

#include "cfg/rewrite.h"

enum cfg_form {
    CFG_FORM_NONE,  /* the program as it is */
    CFG_FORM_JOINS, /* SYNC at the start of each block that threads can come to in more than one way */
    CFG_FORM_REGIONS /* SYNC at the start of each block where a reconvergence region ends; target: where it begins */
};
enum { CFG_FORMS = CFG_FORM_REGIONS + 1 };

/* The copy, with its maps to and from the PCs of the original, which must outlive it; not for NONE. NULL: it has no such
 * form, and e has the place and the reason. */
struct rewrite *cfg_make_form(const struct ir_module *m, const struct cfg *c, enum cfg_form form,
                              struct err *e);

#endif

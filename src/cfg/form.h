/* Forms of a program: copies with marks (ir/marks.def) that a mechanism asks for, made before the launch. */
#ifndef HEDDLE_CFG_FORM_H
#define HEDDLE_CFG_FORM_H

#include "base/option.h"
#include "cfg/rewrite.h"

/* Every form, by the word that run.form and `inspect --form` know it by. form.c has who makes it.
 *   none     the program as it is
 *   joins    SYNC at the start of each block where threads may stand when others come: on another way, or in another round
 *   regions  SYNC at the start of each block where a reconvergence region ends; target: where it begins
 *   tesla    SSY and PBK where regions begin, flags, JOIN and BRK where they end: Tesla's
 *   tesla_ssy  the same without PBK and BRK: loops are regions like others
 *   volta    BSSY, BSYNC, BREAK, YIELD, BMOV: convergence barriers at immediate post-dominators
 *   volta_merge  the same where compilers place them: at the ends of ifs and loops
 *   structured  nested IF ... ENDIF, LOOP ... ENDLOOP, with guards (structurise.h) */
#define CFG_FORM_CHOICES(CHOICE)          \
    CHOICE(none, CFG_FORM_NONE)           \
    CHOICE(joins, CFG_FORM_JOINS)         \
    CHOICE(regions, CFG_FORM_REGIONS)     \
    CHOICE(tesla, CFG_FORM_TESLA)         \
    CHOICE(tesla_ssy, CFG_FORM_TESLA_SSY) \
    CHOICE(volta, CFG_FORM_VOLTA)         \
    CHOICE(volta_merge, CFG_FORM_VOLTA_MERGE) CHOICE(structured, CFG_FORM_STRUCTURED)
enum cfg_form { CFG_FORM_CHOICES(OPTION_ENUMERATOR) CFG_FORMS };

/* The copy, with its maps to and from the PCs of the original, which must outlive it; not for NONE. NULL: it has no such
 * form, and e has the place and the reason. */
struct rewrite *cfg_make_form(const struct ir_module *m, const struct cfg *c, enum cfg_form form,
                              struct err *e);
/* Makes the form for the functions that have one; the others are in the copy as they are, and it says why
 * (refused). */
struct rewrite *cfg_make_partial_form(const struct ir_module *m, const struct cfg *c, enum cfg_form form,
                                      struct err *e);

#endif

/* Who makes which form: what form.c and the files of single forms share. */
#ifndef HEDDLE_CFG_FORM_IMPL_H
#define HEDDLE_CFG_FORM_IMPL_H

#include "cfg/form.h"

enum { FORM_MOST_MARKS = 1 << 20 };
typedef VEC(struct rewrite_insert) form_inserts;

/* As cfg_make_form. */
typedef struct rewrite *form_make_fn(const struct ir_module *m, const struct cfg *c, struct err *e);
form_make_fn form_joins;                   /* form_joins.c */
form_make_fn form_tesla, form_tesla_ssy;   /* form_tesla.c */
form_make_fn form_volta, form_volta_merge; /* form_volta.c */

/* A SYNC before pc; target IR_NOPC: it names no other place. */
void form_put_sync(form_inserts *marks, uint32_t pc, uint32_t target);

#endif

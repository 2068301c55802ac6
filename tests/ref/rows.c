/* The table of references, and the proof that it is complete: every arithmetic row of ops.def must be an
 * enumerator that rows.def made. A row without a reference is an undeclared REF_HAS_... here; so is a
 * reference without a row (IR_... is then undeclared). */
#include "ref.h"

enum {
#define ROW(id, ...) REF_HAS_##id,
#include "rows.def"
    REF_NROWS
};

enum {
#define U(id, ...) REF_TESTS_##id = REF_HAS_##id,
#define B(id, ...) REF_TESTS_##id = REF_HAS_##id,
#define T(id, ...) REF_TESTS_##id = REF_HAS_##id,
#define A(id, ...) REF_TESTS_##id = REF_HAS_##id,
#define M(id, ...)
#include "ir/ops.def"
};

const struct ref_row ref_rows[] = {
#define ROW(id, fn, forms, dsts, srcs) [REF_HAS_##id] = {#id, IR_##id, ref_##fn, forms_##forms, dsts, srcs},
#include "rows.def"
};
const size_t ref_nrows = REF_NROWS;

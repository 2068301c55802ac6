/* Area of what a mechanism adds to an SM: a model of arrays with few constants, and their fit to what the papers publish
 * (area.def). */
#ifndef HEDDLE_LAB_AREA_H
#define HEDDLE_LAB_AREA_H

#include <heddle.h>

#include "sim/device/storage.h"

#define CONSTANT(name, what, unit) AREA_##name,
enum area_constant {
#include "lab/area.def"
    AREA_CONSTANTS
};
struct area_constant_name {
    const char *what, *unit; /* um2 "a bit" */
};
extern const struct area_constant_name area_constant_names[AREA_CONSTANTS];

struct area_node {
    int nm;
    const char *chip; /* the chip that areas are a share of */
    double mm2;
    int sms;            /* SMs of the chip */
    const char *config; /* the machine with that chip */
};
extern const struct area_node area_nodes[];     /* the last has nm 0 */
const struct area_node *area_node_find(int nm); /* NULL: none */
/* The node of the machine's chip; the last one where none is, and for NULL. */
const struct area_node *area_node_of(const char *config);

enum { AREA_ROW_ARRAYS = 2 };
/* A published area. */
struct area_row {
    int nm;
    const char *structure, *source;
    double mm2;
    struct mech_array array[AREA_ROW_ARRAYS]; /* arrays 0: not there */
};
extern const struct area_row area_rows[]; /* the last has nm 0 */

/* How much of each constant an array is made of. */
void area_amounts(const struct mech_array *a, double amount[AREA_CONSTANTS]);

struct area_fit {
    double um2[AREA_CONSTANTS];  /* never negative */
    bool fitted[AREA_CONSTANTS]; /* some row has it */
    size_t rows, constants;      /* fitted ones; their difference is the degrees of freedom */
};
/* The constants that give the least sum of squared relative errors of rows; row `without` is left out (SIZE_MAX: none). */
void area_fit(const struct area_row *rows, size_t n, size_t without, struct area_fit *out);
/* What a fit makes of a row, in mm2; NAN: it has no constant for it. */
double area_row_mm2(const struct area_fit *f, const struct area_row *row);

struct area_error {
    const struct area_row *row;
    double mm2, error; /* error: relative */
    double alone;      /* error of the fit to all other rows; NAN: they do not have its constant */
};
struct area_model {
    const struct area_node *node;
    double um2[AREA_CONSTANTS];
    /* Nm of the node that a constant comes from, its area scaled with the square; 0: this one. */
    int scaled[AREA_CONSTANTS];
    struct area_fit fit;
    /* Bounds of the constants over the fits that leave a row out; both 0: no such fit has it. */
    double least[AREA_CONSTANTS], most[AREA_CONSTANTS];
    VEC(struct area_error) errors; /* by row of the node */
    double rms;                    /* root mean square of errors */
};
void area_model_make(const struct area_node *node, struct area_model *out);
void area_model_free(struct area_model *m);
double area_array_mm2(const struct area_model *m, const struct mech_array *a);

struct area {
    struct storage storage;
    VEC(double) mm2;                  /* by array of storage */
    uint32_t decoders;                /* decoders of register banks, beyond one for each scheduler */
    double tables, register_decoders; /* mm2 of an SM */
};
/* What the mechanism of a machine takes. False: there is no such machine, or it is none for its mechanism. Free with area_free in
 * either case. */
bool area_find(const struct area_model *m, const hd_config *config, struct area *out, struct err *e);
void area_free(struct area *a);
/* The share of the node's chip, in per cent, if each of its SMs has so much. */
double area_share(const struct area_model *m, double mm2);

#endif

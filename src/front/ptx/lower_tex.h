/* What the handlers of textures and of surfaces share. */
#ifndef HEDDLE_FRONT_PTX_LOWER_TEX_H
#define HEDDLE_FRONT_PTX_LOWER_TEX_H

#include "front/ptx/lower.h"

struct geometry {
    uint8_t given; /* elements the coordinate vector is written with */
    uint8_t used;  /* how many of these mean something, the array index included */
    bool array;
};
extern const struct geometry lower_geometries[]; /* by enum ir_tex */

/* A register with a handle, or the name of a reference. */
bool lower_handle(struct ptx *p, const struct opnd *o, enum ir_var_kind kind, ir_opnd *out);
/* Coordinates as the operation wants them: {x} or x, the vector's padding left out. */
bool lower_coordinates(struct ptx *p, const struct opnd *o, const struct geometry *g, enum ir_type t,
                       ir_opnd *out);
/* The instruction's words (ir/insn.h). */
void lower_coord_words(struct ptx *p, unsigned kind, enum ir_type coord, ir_opnd tex, unsigned n,
                       const ir_opnd *c);

#endif

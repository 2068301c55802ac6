/* Surfaces: suld, sust and sured, and what txq and suq say of a texture or surface.
 *
 * As the PTX manual has them. The forms .b count x in bytes and move bits as they are; .p counts texels and converts from
 * 32-bit registers to the surface's own format: integers saturate, floats are rounded to nearest even. Coordinates outside
 * are a fault (.trap), the nearest place inside (.clamp), or nothing: loads give 0, stores are dropped (.zero). y, z and the
 * layer of an array count texels in either form. There is no texture cache in between: what is stored is there for the next
 * load of any kind. */
#include <inttypes.h>
#include <math.h>

#include "exec/half.h"
#include "exec/impl.h"

struct spot { /* where an access of one lane goes */
    const struct exec_texture *t;
    uint8_t *base;
    uint64_t offset;
};

enum place { OUTSIDE, INSIDE, FAULT };

/* An index along one axis of n places. There is none where a row is shorter than the access: nothing is nearest then. */
static bool clamp_to(int64_t *v, int64_t n, uint8_t mode) {
    if (*v >= 0 && *v < n) return true;
    if (!n) return false;
    if (mode == IR_CLAMP_CLAMP) *v = *v < 0 ? 0 : n - 1;
    return mode == IR_CLAMP_CLAMP;
}

static enum place surf_trap(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, const int64_t c[3]) {
    exec_note(x->warp, i, lane, EXEC_F_TEXTURE,
              "coordinates (%" PRId64 ", %" PRId64 ", %" PRId64 ") are outside the surface", c[0], c[1],
              c[2]);
    return FAULT;
}

/* x, y, z or layer of a lane, as the surface lies in memory. */
static void read_coordinates(const struct exec_ctx *x, const uint32_t *words, uint32_t lane, int64_t c[3]) {
    const uint32_t kind = words[IR_TEX_KIND] & IR_TEX_GEOM;
    const bool layered = kind == IR_TEX_A1D || kind == IR_TEX_A2D;
    uint32_t k = 0, n = words[IR_MORE_COUNT] - 1;
    c[0] = c[1] = c[2] = 0;
    if (layered && n) c[2] = (int32_t)opnd_get(x, words[IR_TEX_COORDS + k++], lane);
    for (uint32_t d = 0; d < 3 && k < n; d++, k++)
        c[d] = (int32_t)opnd_get(x, words[IR_TEX_COORDS + k], lane);
}

/* bytes: of the access, which x is a multiple of where it counts bytes. */
static enum place surf_find(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, uint32_t bytes,
                            struct spot *s) {
    const struct exec_texture *t = s->t;
    const uint32_t *words = x->warp->block->grid->module->ext.v + i->ext;
    const uint32_t size = texel_bytes[t->texel] * t->channels;
    const bool texels = words[IR_TEX_KIND] & IR_TEX_FORMATTED;
    const int64_t row = (int64_t)t->width * size, height = t->height ? t->height : 1,
                  depth = t->depth ? t->depth : 1;
    int64_t c[3], at[3];
    read_coordinates(x, words, lane, c);
    if (!texels && c[0] & (bytes - 1)) {
        exec_note(x->warp, i, lane, EXEC_F_TEXTURE,
                  "x is %" PRId64 ", which an access of %" PRIu32 " bytes is not aligned to", c[0], bytes);
        return FAULT;
    }
    at[0] = texels ? c[0] : c[0] < 0 ? -1 : c[0] / bytes;
    at[1] = c[1];
    at[2] = c[2];
    bool in = clamp_to(&at[0], texels ? t->width : row / bytes, i->cop);
    in &= clamp_to(&at[1], height, i->cop);
    in &= clamp_to(&at[2], depth, i->cop);
    if (!in && i->cop == IR_CLAMP_TRAP) return surf_trap(x, i, lane, c);
    s->offset = (uint64_t)(at[2] * height + at[1]) * t->pitch + (uint64_t)at[0] * (texels ? size : bytes);
    return in ? INSIDE : OUTSIDE;
}

/* The surface of a lane, which mostly is that of the lane before. */
static bool surf_surface(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, uint64_t *last,
                         struct spot *s) {
    const uint32_t *words = x->warp->block->grid->module->ext.v + i->ext;
    const uint64_t handle = opnd_get(x, words[IR_TEX_HANDLE], lane);
    if (s->t && handle == *last) return true;
    *last = handle;
    s->t = tex_of_lane(x, i, handle, lane, true);
    s->base = s->t ? tex_bytes(x, i, s->t, handle, lane) : NULL;
    return s->base;
}

typedef void move_fn(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, const struct spot *s,
                     enum place at);

static uint32_t access_bytes(const struct exec_ctx *x, const struct ir_insn *i, const struct spot *s) {
    const uint32_t *words = x->warp->block->grid->module->ext.v + i->ext;
    if (words[IR_TEX_KIND] & IR_TEX_FORMATTED) return texel_bytes[s->t->texel] * s->t->channels;
    return ir_type_bytes[i->dtype] * i->vec;
}

static void each_lane(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, bool store, move_fn *move) {
    struct exec_out *o = x->out;
    struct spot s = {0};
    uint64_t last = 0;
    o->access.mask = 0;
    o->access.space = IR_SP_GLOBAL;
    o->access.store = store;
    FOR_LANES(l, mask) {
        if (!surf_surface(x, i, l, &last, &s)) return;
        const uint32_t bytes = access_bytes(x, i, &s);
        const enum place at = surf_find(x, i, l, bytes, &s);
        if (at == FAULT) return;
        move(x, i, l, &s, at);
        if (at == OUTSIDE) continue;
        o->access.mask |= 1u << l;
        o->access.bytes = bytes;
        o->access.addr[l] = s.t->addr + s.offset;
    }
}

/* ---- suld ---- */

static void surf_load(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, const struct spot *s,
                      enum place at) {
    const uint32_t size = ir_type_bytes[i->dtype];
    for (uint32_t k = 0; k < i->vec; k++) {
        uint64_t v = 0;
        if (at == INSIDE) memcpy(&v, s->base + s->offset + (size_t)k * size, size);
        opnd_put(x, i->o[k], lane, v);
    }
}

void suld_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    each_lane(x, i, mask, false, surf_load);
}

/* ---- sust ---- */

static uint32_t saturate(int64_t v, int64_t lo, int64_t hi) {
    return (uint32_t)(v < lo ? lo : v > hi ? hi : v);
}

/* A 32-bit register as a channel of the surface: the register has the kind of the format. */
static uint32_t to_channel(enum exec_texel texel, uint32_t v) {
    switch (texel) {
    case EXEC_TEXEL_U8: return saturate(v, 0, UINT8_MAX);
    case EXEC_TEXEL_S8: return saturate((int32_t)v, INT8_MIN, INT8_MAX);
    case EXEC_TEXEL_U16: return saturate(v, 0, UINT16_MAX);
    case EXEC_TEXEL_S16: return saturate((int32_t)v, INT16_MIN, INT16_MAX);
    case EXEC_TEXEL_F16: return f16_from_float(f32_from(v));
    default: return v;
    }
}

static void store_bits(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, const struct spot *s,
                       enum place at) {
    const uint32_t size = ir_type_bytes[i->dtype];
    for (uint32_t k = 0; k < i->vec && at == INSIDE; k++) {
        const uint64_t v = opnd_get(x, i->o[k], lane);
        memcpy(s->base + s->offset + (size_t)k * size, &v, size);
    }
}

/* Channels that the surface has and the instruction does not give become 0. */
static void store_texel(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, const struct spot *s,
                        enum place at) {
    const uint32_t size = texel_bytes[s->t->texel];
    for (uint32_t k = 0; k < s->t->channels && at == INSIDE; k++) {
        const uint32_t v = k < i->vec ? to_channel(s->t->texel, (uint32_t)opnd_get(x, i->o[k], lane)) : 0;
        memcpy(s->base + s->offset + (size_t)k * size, &v, size);
    }
}

static bool formatted(const struct exec_ctx *x, const struct ir_insn *i) {
    return x->warp->block->grid->module->ext.v[i->ext + IR_TEX_KIND] & IR_TEX_FORMATTED;
}

void sust_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    each_lane(x, i, mask, true, formatted(x, i) ? store_texel : store_bits);
}

/* ---- sured ---- */

static void surf_reduce(struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, const struct spot *s,
                        enum place at) {
    const uint16_t row = i->dtype == IR_T_U64   ? IR_ATOM_U64
                         : i->dtype == IR_T_S64 ? IR_ATOM_S64
                         : i->dtype == IR_T_S32 ? IR_ATOM_S32
                                                : IR_ATOM_U32;
    const uint32_t most = texel_bytes[s->t->texel] * s->t->channels, bytes = ir_type_bytes[i->dtype];
    uint64_t old = 0;
    if (at != INSIDE) return;
    if (formatted(x, i) && most < bytes) return; /* a texel too small for the operation stays as it is */
    memcpy(&old, s->base + s->offset, bytes);
    const uint64_t new = atom_result(row, i->sub, old, opnd_get(x, i->o[0], lane), 0, false);
    memcpy(s->base + s->offset, &new, bytes);
}

void sured_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    each_lane(x, i, mask, true, surf_reduce);
}

/* ---- queries ---- */

/* The numbers of OpenCL 1.0, which the PTX manual refers to: CL_SIGNED_INT8 ... and CL_R, CL_RG, CL_RGBA. */
static uint32_t channel_type(const struct exec_texture *t) {
    static const uint16_t plain[] = {0x10da, 0x10d7, 0x10db, 0x10d8, 0x10dc, 0x10d9, 0x10dd, 0x10de};
    static const uint16_t norm[] = {0x10d2, 0x10d0, 0x10d3, 0x10d1};
    return t->normalized_read && t->texel <= EXEC_TEXEL_S16 ? norm[t->texel] : plain[t->texel];
}

static uint32_t address_mode(enum exec_address_mode m) {
    static const uint8_t number[] = {0, 3, 1, 4}; /* wrap, clamp to edge, mirror, clamp to border */
    return number[m];
}

static uint32_t surf_answer(const struct exec_texture *t, uint8_t query) {
    switch (query) {
    case IR_Q_WIDTH: return t->width;
    case IR_Q_HEIGHT: return t->height;
    case IR_Q_DEPTH:
    case IR_Q_ARRAY_SIZE: return t->depth;
    case IR_Q_CHANNEL_TYPE: return channel_type(t);
    case IR_Q_CHANNEL_ORDER: return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case IR_Q_NORMALIZED: return t->normalized;
    case IR_Q_LEVELS:
    case IR_Q_SAMPLES: return 1;
    case IR_Q_UNNORMALIZED: return !t->normalized;
    case IR_Q_FILTER: return t->linear;
    case IR_Q_ADDRESS_0:
    case IR_Q_ADDRESS_1:
    case IR_Q_ADDRESS_2: return address_mode(t->mode[query - IR_Q_ADDRESS_0]);
    default: return 0; /* IR_Q_LAYOUT: rows one behind the other */
    }
}

void txq_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    FOR_LANES(l, mask) {
        const struct exec_texture *t = tex_of_lane(x, i, opnd_get(x, i->o[1], l), l, i->cop);
        if (!t) return;
        opnd_put(x, i->o[0], l, surf_answer(t, i->sub));
    }
}

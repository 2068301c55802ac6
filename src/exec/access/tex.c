/* Texture fetches: 1D, 2D, 3D, arrays and cubes, point and linear filtering.
 *
 * As the CUDA programming guide describes them. Linear filtering weighs the two, four or eight texels around
 * x - 0.5 with fractions rounded to 8 bits (1.0 is representable), sums in double and rounds once. Wrap and
 * mirror exist for normalised coordinates only; otherwise they clamp. Integer coordinates name a texel;
 * outside the texture they read zeros. Channels a texture does not have read as 0. What a fetch returns is
 * decided by the texture (integers widened to 32 bits, or floats), not by the instruction's type. There is
 * one level of detail, so that a given level or gradients change nothing. Cube faces are filtered each for itself, clamped at the edges. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/half.h"
#include "exec/impl.h"

const uint8_t texel_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4}; /* by enum exec_texel */

const struct exec_texture *tex_get(const struct exec_mem *m, uint64_t handle) {
    uint64_t k = handle - TEX_HANDLE;
    return k < m->ntex ? m->tex[k] : NULL;
}

static uint64_t rows_of(const struct exec_texture *t) {
    return (uint64_t)(t->height ? t->height : 1) * (t->depth ? t->depth : 1);
}

uint64_t tex_size(const struct exec_texture *t) {
    uint64_t rows = rows_of(t), row = (uint64_t)t->width * texel_bytes[t->texel] * t->channels;
    if (t->pitch > UINT64_C(1) << 40 || rows > (UINT64_C(1) << 46) / (t->pitch ? t->pitch : 1)) return 0;
    return (rows - 1) * t->pitch + row;
}

bool exec_texture_new(struct exec_mem *m, const struct exec_texture *t, uint64_t *handle, struct err *e) {
    if ((unsigned)t->texel > EXEC_TEXEL_F32 || (t->channels != 1 && t->channels != 2 && t->channels != 4))
        return err_set(e, ERR_INPUT, "texture: a texel has 1, 2 or 4 channels of a known type");
    const uint32_t most = 1u << 28;
    if (!t->width || t->width > most || t->height > most || t->depth > most)
        return err_set(e, ERR_INPUT, "texture: %" PRIu32 " x %" PRIu32 " x %" PRIu32 " texels", t->width,
                       t->height, t->depth);
    for (int d = 0; d < 3; d++)
        if ((unsigned)t->mode[d] > EXEC_BORDER) return err_set(e, ERR_INPUT, "texture: unknown address mode");
    struct exec_texture copy = *t;
    uint64_t row = (uint64_t)t->width * texel_bytes[t->texel] * t->channels;
    if (!copy.pitch) copy.pitch = row;
    if (copy.pitch < row)
        return err_set(e, ERR_INPUT, "texture: a pitch of %" PRIu64 " bytes for rows of %" PRIu64, t->pitch,
                       row);
    uint64_t bytes = tex_size(&copy);
    if (!bytes || !exec_mem_find(m, t->addr, bytes))
        return err_set(e, ERR_INPUT, "texture: its texels are not inside one allocation");
    if (m->ntex == TEX_MAX) return err_set(e, ERR_MEMORY, "texture: %d were made already", TEX_MAX);
    if (m->ntex == m->texcap) {
        m->texcap = m->texcap * 2 + 8;
        m->tex = xrealloc(m->tex, m->texcap * sizeof *m->tex);
    }
    m->tex[m->ntex] = xmalloc(sizeof copy);
    *m->tex[m->ntex] = copy;
    *handle = TEX_HANDLE + m->ntex++;
    return true;
}

bool exec_texture_release(struct exec_mem *m, uint64_t handle, bool surface, struct err *e) {
    const struct exec_texture *t = tex_get(m, handle);
    if (!t || t->surface != surface)
        return err_set(e, ERR_INPUT, "0x%" PRIx64 " is not a %s handle", handle,
                       surface ? "surface" : "texture");
    xfree(m->tex[handle - TEX_HANDLE]);
    m->tex[handle - TEX_HANDLE] = NULL;
    return true;
}

/* ---- one texel ---- */

static bool reads_float(const struct exec_texture *t) {
    return t->texel >= EXEC_TEXEL_F16 || (t->normalized_read && t->texel <= EXEC_TEXEL_S16);
}

/* Bits of one channel as the kernel receives them. */
static uint32_t channel(const struct exec_texture *t, const uint8_t *p) {
    uint32_t v = 0;
    memcpy(&v, p, texel_bytes[t->texel]);
    const bool norm = t->normalized_read;
    switch (t->texel) {
    case EXEC_TEXEL_U8: return norm ? f32_bits((float)v / 255.0f) : v;
    case EXEC_TEXEL_S8: return norm ? f32_bits(fmaxf((float)(int8_t)v / 127.0f, -1.0f)) : (uint32_t)(int8_t)v;
    case EXEC_TEXEL_U16: return norm ? f32_bits((float)v / 65535.0f) : v;
    case EXEC_TEXEL_S16:
        return norm ? f32_bits(fmaxf((float)(int16_t)v / 32767.0f, -1.0f)) : (uint32_t)(int16_t)v;
    case EXEC_TEXEL_F16: return f32_bits(f16_to_float(v));
    default: return v;
    }
}

static uint32_t border_bits(const struct exec_texture *t, uint32_t c) {
    if (reads_float(t)) return f32_bits(t->border[c]);
    double b = isnan(t->border[c]) ? 0 : t->border[c];
    return (uint32_t)(int64_t)fmin(fmax(b, INT32_MIN), UINT32_MAX);
}

struct where { /* a texel; inside: not in the border */
    int64_t x, y, z;
    bool inside;
};

#define NOWHERE UINT64_MAX /* offset of a texel that no memory was read for */

/* Reads a texel. Returns its offset, so that the access can be reported. */
static uint64_t texel(const struct exec_texture *t, const uint8_t *base, struct where at, uint32_t out[4]) {
    const uint64_t size = texel_bytes[t->texel], height = t->height ? t->height : 1;
    const uint64_t offset =
        ((uint64_t)at.z * height + (uint64_t)at.y) * t->pitch + (uint64_t)at.x * t->channels * size;
    for (uint32_t c = 0; c < 4; c++) {
        if (c >= t->channels)
            out[c] = 0;
        else if (!at.inside)
            out[c] = border_bits(t, c);
        else
            out[c] = channel(t, base + offset + c * size);
    }
    return at.inside ? offset : NOWHERE;
}

/* ---- coordinates ---- */

struct axis { /* the two texels along one axis and the weight of the second, in 256ths */
    int64_t i[2];
    bool inside[2];
    int weight;
};

static int64_t clamp64(int64_t v, int64_t hi) {
    return v < 0 ? 0 : v > hi ? hi : v;
}

static double into_range(const struct exec_texture *t, enum exec_address_mode mode, double c, double n) {
    const double far = 1 << 30;
    if (isnan(c)) c = 0;
    if (t->normalized && isfinite(c)) {
        if (mode == EXEC_WRAP) c -= floor(c);
        if (mode == EXEC_MIRROR) {
            c -= 2 * floor(c / 2);
            if (c > 1) c = 2 - c;
        }
    }
    if (t->normalized) c *= n;
    return c < -far ? -far : c > far ? far : c;
}

static struct axis axis_of(const struct exec_texture *t, int d, double c, uint32_t n, bool linear) {
    enum exec_address_mode mode = t->mode[d];
    struct axis a = {.weight = 0};
    if (!t->normalized && mode != EXEC_BORDER) mode = EXEC_CLAMP;
    c = into_range(t, mode, c, n);
    if (linear) c -= 0.5;
    double whole = floor(c);
    if (linear) a.weight = (int)floor((c - whole) * 256 + 0.5);
    for (int k = 0; k < 2; k++) {
        int64_t i = (int64_t)whole + k;
        a.inside[k] = mode != EXEC_BORDER || (i >= 0 && i < n);
        a.i[k] = mode == EXEC_WRAP ? ((i % n) + n) % n : clamp64(i, (int64_t)n - 1);
    }
    return a;
}

/* Weighs the corners of up to three axes; weights of 0 are not read. The texture unit reads them together: the first
 * stands for all. */
static uint64_t tex_filter(const struct exec_texture *t, const uint8_t *base, const struct axis a[3],
                           uint32_t out[4]) {
    uint64_t first = NOWHERE;
    double sum[4] = {0};
    for (int corner = 0; corner < 8; corner++) {
        struct where at = {.inside = true};
        int64_t *const index[3] = {&at.x, &at.y, &at.z};
        double weight = 1;
        for (int d = 0; d < 3; d++) {
            int k = corner >> d & 1;
            *index[d] = a[d].i[k];
            at.inside &= a[d].inside[k];
            weight *= (k ? a[d].weight : 256 - a[d].weight) / 256.0;
        }
        if (weight == 0) continue;
        uint32_t v[4];
        const uint64_t offset = texel(t, base, at, v);
        if (offset < first) first = offset;
        for (int c = 0; c < 4; c++) sum[c] += weight * (double)f32_from(v[c]);
    }
    for (int c = 0; c < 4; c++) out[c] = f32_bits((float)sum[c]);
    return first;
}

static uint64_t tex_sample(const struct exec_texture *t, const uint8_t *base, const struct axis a[3],
                           bool linear, uint32_t out[4]) {
    if (linear) return tex_filter(t, base, a, out);
    const bool inside = a[0].inside[0] && a[1].inside[0] && a[2].inside[0];
    return texel(t, base, (struct where){a[0].i[0], a[1].i[0], a[2].i[0], inside}, out);
}

/* tld4: one component of the four texels that linear filtering would weigh, counter-clockwise from the lower left. */
static uint64_t tex_gather(const struct exec_texture *t, const uint8_t *base, const struct axis a[3],
                           uint32_t c, uint32_t out[4]) {
    static const uint8_t right[4] = {0, 1, 1, 0}, lower[4] = {1, 1, 0, 0};
    uint64_t first = NOWHERE;
    for (int k = 0; k < 4; k++) {
        const uint8_t x = right[k], y = lower[k];
        uint32_t v[4];
        const struct where at = {a[0].i[x], a[1].i[y], a[2].i[0],
                                 a[0].inside[x] && a[1].inside[y] && a[2].inside[0]};
        const uint64_t offset = texel(t, base, at, v);
        if (offset < first) first = offset;
        out[k] = v[c];
    }
    return first;
}

/* A direction to a face (+x -x +y -y +z -z) and a place on it in [0, 1]. */
static int cube_face(const double v[3], double uv[2]) {
    static const struct {
        int s, t;
        double ss, st;
    } side[6] = {{2, 1, -1, -1}, {2, 1, 1, -1}, {0, 2, 1, 1}, {0, 2, 1, -1}, {0, 1, 1, -1}, {0, 1, -1, -1}};
    int major = 0;
    for (int d = 1; d < 3; d++)
        if (fabs(v[d]) > fabs(v[major])) major = d;
    int face = 2 * major + (v[major] < 0);
    double length = fabs(v[major]);
    bool usable = length > 0 && isfinite(length);
    uv[0] = usable ? (side[face].ss * v[side[face].s] / length + 1) / 2 : 0.5;
    uv[1] = usable ? (side[face].st * v[side[face].t] / length + 1) / 2 : 0.5;
    return face;
}

/* ---- the instruction ---- */

struct fetch {
    const struct exec_texture *t;
    const uint8_t *base;
    uint32_t kind, layer;
    uint32_t component; /* of tld4, from 1; 0: tex */
    bool integer;
    double c[3];
};

static uint32_t dims_of(uint32_t kind) {
    switch (kind) {
    case IR_TEX_1D:
    case IR_TEX_A1D: return 1;
    case IR_TEX_2D:
    case IR_TEX_A2D: return 2;
    default: return 3;
    }
}

static struct axis layer_axis(int64_t layer, uint32_t layers) {
    struct axis a = {.inside = {true, true}};
    a.i[0] = a.i[1] = clamp64(layer, (int64_t)(layers ? layers : 1) - 1);
    return a;
}

static uint64_t fetch_integer(const struct fetch *f, uint32_t dims, bool array, uint32_t out[4]) {
    const struct exec_texture *t = f->t;
    const uint32_t n[3] = {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1};
    struct where at = {.inside = true};
    int64_t *const index[3] = {&at.x, &at.y, &at.z};
    memset(out, 0, 4 * sizeof *out);
    for (uint32_t d = 0; d < dims; d++) {
        if (f->c[d] < 0 || f->c[d] >= n[d]) return NOWHERE;
        *index[d] = (int64_t)f->c[d];
    }
    if (array) at.z = clamp64(f->layer, (int64_t)n[2] - 1);
    return texel(t, f->base, at, out);
}

static uint64_t fetch_lane(const struct fetch *f, uint32_t out[4]) {
    const struct exec_texture *t = f->t;
    const bool linear = f->component || (t->linear && reads_float(t));
    const uint32_t dims = dims_of(f->kind);
    const bool cube = f->kind == IR_TEX_CUBE || f->kind == IR_TEX_ACUBE;
    const bool array = f->kind == IR_TEX_A1D || f->kind == IR_TEX_A2D;
    if (f->integer && !cube) return fetch_integer(f, dims, array, out);
    struct axis a[3] = {layer_axis(0, 1), layer_axis(0, 1), layer_axis(0, 1)};
    if (cube) {
        struct exec_texture face = *t;
        double uv[2];
        int64_t z = cube_face(f->c, uv);
        if (f->kind == IR_TEX_ACUBE) z += 6 * clamp64(f->layer, t->depth / 6 ? t->depth / 6 - 1 : 0);
        face.normalized = true;
        face.mode[0] = face.mode[1] = EXEC_CLAMP;
        a[0] = axis_of(&face, 0, uv[0], t->width, linear);
        a[1] = axis_of(&face, 1, uv[1], t->height ? t->height : 1, linear);
        a[2] = layer_axis(z, t->depth);
    } else {
        const uint32_t n[3] = {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1};
        for (uint32_t d = 0; d < dims; d++) a[d] = axis_of(t, (int)d, f->c[d], n[d], linear);
        if (array) a[2] = layer_axis(f->layer, t->depth);
    }
    return f->component ? tex_gather(t, f->base, a, f->component - 1, out)
                        : tex_sample(t, f->base, a, linear, out);
}

static void tex_coordinates(const struct exec_ctx *x, const uint32_t *words, uint32_t lane, struct fetch *f) {
    const bool layered = f->kind >= IR_TEX_A1D;
    uint32_t k = 0, n = words[IR_MORE_COUNT] - 1;
    f->layer = 0;
    f->c[0] = f->c[1] = f->c[2] = 0;
    if (layered && n) f->layer = (uint32_t)opnd_get(x, words[IR_TEX_COORDS + k++], lane);
    for (uint32_t d = 0; d < dims_of(f->kind) && k < n; d++, k++) {
        uint32_t bits = (uint32_t)opnd_get(x, words[IR_TEX_COORDS + k], lane);
        f->c[d] = f->integer ? (double)(int32_t)bits : (double)f32_from(bits);
    }
}

const struct exec_texture *tex_of_lane(struct exec_ctx *x, const struct ir_insn *i, uint64_t handle,
                                       uint32_t lane, bool surface) {
    const struct exec_grid *g = x->warp->block->grid;
    const uint64_t ref = handle - TEXREF_HANDLE;
    const char *what = surface ? "surface" : "texture";
    if (ref < g->module->vars.n) {
        handle = g->image->texref[ref];
        if (!handle) {
            exec_note(x->warp, i, lane, EXEC_F_TEXTURE, "%s reference %s has no %s bound to it", what,
                      g->module->vars.v[ref].name, what);
            return NULL;
        }
    }
    const struct exec_texture *t = tex_get(g->mem, handle);
    if (t && t->surface == surface) return t;
    exec_note(x->warp, i, lane, EXEC_F_TEXTURE, "0x%" PRIx64 " is not a %s handle", handle, what);
    return NULL;
}

/* The first of its texels in the host's memory; NULL: reported. */
uint8_t *tex_bytes(struct exec_ctx *x, const struct ir_insn *i, const struct exec_texture *t, uint64_t handle,
                   uint32_t lane) {
    uint8_t *base = exec_mem_at(x->warp->block->grid->mem, t->addr, tex_size(t));
    if (!base)
        exec_note(x->warp, i, lane, EXEC_F_TEXTURE, "the memory of %s 0x%" PRIx64 " was released",
                  t->surface ? "surface" : "texture", handle);
    return base;
}

void tex_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const struct exec_grid *g = x->warp->block->grid;
    const uint32_t *words = g->module->ext.v + i->ext;
    struct fetch f = {.kind = words[IR_TEX_KIND] & IR_TEX_GEOM,
                      .component = i->sub,
                      .integer = words[IR_TEX_COORD] != IR_T_F32};
    struct exec_out *o = x->out;
    uint64_t last = 0;
    o->access.mask = 0;
    o->access.space = IR_SP_GLOBAL;
    o->access.store = false;
    FOR_LANES(l, mask) {
        uint64_t handle = opnd_get(x, words[IR_TEX_HANDLE], l);
        if (!f.t || handle != last) {
            f.t = tex_of_lane(x, i, handle, l, false);
            if (!f.t) return;
            f.base = tex_bytes(x, i, f.t, handle, l);
            if (!f.base) return;
            last = handle;
        }
        uint32_t out[4];
        tex_coordinates(x, words, l, &f);
        const uint64_t offset = fetch_lane(&f, out);
        if (offset != NOWHERE) {
            o->access.mask |= 1u << l;
            o->access.bytes = texel_bytes[f.t->texel] * f.t->channels;
            o->access.addr[l] = f.t->addr + offset;
        }
        for (uint32_t c = 0; c < i->nd && c < 4; c++) opnd_put(x, i->o[c], l, out[c]);
    }
}

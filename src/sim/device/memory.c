/* Device memory and textures through the public API. The executor's memory holds the bytes; here are the
 * checks, the names of buffers, and the list of what hd_alloc gave out, so that hd_free cannot take a
 * module's variables away. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bound.h"
#include "sim/device/internal.h"

/* ---- buffers ---- */

/* Where addr is in the ascending list, or would go. */
static size_t buffer_place(const hd_device *dev, uint64_t addr) {
    size_t at;
    BOUND(at, 0, dev->buffers.n, dev->buffers.v[at] < addr);
    return at;
}

static bool buffer_at(const hd_device *dev, uint64_t addr, size_t *place) {
    *place = buffer_place(dev, addr);
    return *place < dev->buffers.n && dev->buffers.v[*place] == addr;
}

static void buffer_insert(hd_device *dev, uint64_t addr) {
    size_t at = buffer_place(dev, addr), after = dev->buffers.n - at;
    VEC_PUSH(&dev->buffers, addr);
    memmove(dev->buffers.v + at + 1, dev->buffers.v + at, after * sizeof addr);
    dev->buffers.v[at] = addr;
}

static hd_status not_a_buffer(hd_device *dev, const char *call, uint64_t addr) {
    struct sb where = {0};
    exec_mem_describe(dev->mem, addr, &where);
    hd_status s =
        sim_refuse(dev, "%s: no buffer of hd_alloc begins there: %s", call, where.text ? where.text : "");
    sb_free(&where);
    return s;
}

/* The rest is the executor's to check. */
hd_status sim_check_place(const hd_device *dev, uint64_t bytes, uint64_t addr) {
    if (!addr || (addr < SIM_CONST_WINDOW && bytes <= SIM_CONST_WINDOW - addr)) return HD_OK;
    return sim_refuse(dev,
                      "no memory can lie at 0x%" PRIx64 ", %" PRIu64 " bytes: addresses end at 0x%" PRIx64,
                      addr, bytes, (uint64_t)SIM_CONST_WINDOW);
}

static hd_status device_memory_allocate(hd_device *dev, const char *call, struct exec_place p,
                                        uint64_t *addr) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!addr) return sim_refuse(dev, "%s: addr must not be NULL", call);
    if (!p.bytes) return sim_refuse(dev, "%s: a buffer has at least one byte", call);
    if ((s = sim_check_place(dev, p.bytes, p.fixed))) return s;
    char label[40];
    snprintf(label, sizeof label, "buffer %" PRIu64, dev->allocations + 1);
    struct err e = {0};
    p.label = label;
    if (!exec_mem_place(dev->mem, &p, addr, &e)) return sim_fail(dev, &e);
    dev->allocations++;
    buffer_insert(dev, *addr);
    return HD_OK;
}

hd_status hd_alloc(hd_device *dev, uint64_t bytes, uint64_t *addr) {
    SIM_CALL(dev, device_memory_allocate(dev, "hd_alloc", (struct exec_place){.bytes = bytes}, addr));
}

hd_status hd_alloc_at(hd_device *dev, uint64_t bytes, void *host, uint64_t *addr) {
    const struct exec_place p = {.bytes = bytes,
                                 .kind = host ? EXEC_MEM_HOST : EXEC_MEM_BUFFER,
                                 .host = host,
                                 .fixed = addr ? *addr : 0};
    SIM_CALL(dev, device_memory_allocate(dev, "hd_alloc_at", p, addr));
}

static hd_status device_memory_release(hd_device *dev, uint64_t addr) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    size_t at;
    if (!buffer_at(dev, addr, &at)) return not_a_buffer(dev, "hd_free", addr);
    struct err e = {0};
    if (!exec_mem_release(dev->mem, addr, &e)) return sim_fail(dev, &e);
    dev->buffers.n--;
    memmove(dev->buffers.v + at, dev->buffers.v + at + 1, (dev->buffers.n - at) * sizeof addr);
    return HD_OK;
}

hd_status hd_free(hd_device *dev, uint64_t addr) {
    SIM_CALL(dev, device_memory_release(dev, addr));
}

static hd_status label_buffer(hd_device *dev, uint64_t addr, const char *label) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!label) return sim_refuse(dev, "hd_label: label must not be NULL");
    size_t at;
    if (!buffer_at(dev, addr, &at)) return not_a_buffer(dev, "hd_label", addr);
    struct err e = {0};
    return exec_mem_label(dev->mem, addr, label, &e) ? HD_OK : sim_fail(dev, &e);
}

hd_status hd_label(hd_device *dev, uint64_t addr, const char *label) {
    SIM_CALL(dev, label_buffer(dev, addr, label));
}

/* ---- look-up ---- */

_Static_assert((int)HD_MEMORY_HOST == (int)EXEC_MEM_HOST && (int)HD_MEMORY_HEAP == (int)EXEC_MEM_HEAP,
               "kinds of memory agree");

static hd_status device_memory_give(const struct exec_memory_info *m, hd_memory *info) {
    *info = (hd_memory){m->addr, m->bytes, (hd_memory_kind)m->kind, m->label, m->host};
    return HD_OK;
}

/* Narrows the memory of a module's constants to the one variable at the address, labelled by its bare name. */
static bool device_memory_narrow(const hd_device *dev, uint64_t addr, struct exec_memory_info *m) {
    uint64_t base;
    if (addr < SIM_CONST_WINDOW) return true;
    const struct ir_var *v = sim_const_find(dev, addr, &base);
    if (v)
        *m = (struct exec_memory_info){base, v->bytes, m->kind, v->name, (char *)m->host + (base - m->addr)};
    return v;
}

/* Looks only, so that it may be called during a launch. */
hd_status hd_find(const hd_device *dev, uint64_t addr, hd_memory *info) {
    struct exec_memory_info m;
    if (!dev || !dev->mem || dev->life->lost || !info || !exec_mem_inside(dev->mem, addr, &m) ||
        !device_memory_narrow(dev, addr, &m))
        return HD_INVALID;
    return device_memory_give(&m, info);
}

hd_status hd_find_next(const hd_device *dev, uint64_t addr, hd_memory *info) {
    struct exec_memory_info m;
    if (!dev || !dev->mem || dev->life->lost || !info || !exec_mem_next(dev->mem, addr, &m))
        return HD_INVALID;
    return device_memory_give(&m, info);
}

/* ---- copies ---- */

/* Host view of a range for the call of that name; on failure NULL and the reason is the device's last error. */
static void *view(hd_device *dev, const char *call, uint64_t addr, uint64_t bytes) {
    bool constant = addr >= SIM_CONST_WINDOW;
    uint64_t base;
    const struct ir_var *v = constant ? sim_const_find(dev, addr, &base) : NULL;
    const bool within = !constant || (v && bytes <= v->bytes - (addr - base));
    void *p = within ? exec_mem_at(dev->mem, addr, bytes) : NULL;
    if (p) return p;
    struct sb where = {0};
    if (constant)
        sb_add(&where, "no .const variable lies there");
    else
        exec_mem_describe(dev->mem, addr, &where);
    sim_refuse(dev, "%s: %" PRIu64 " bytes at 0x%" PRIx64 " are not inside one allocation: %s", call, bytes,
               addr, where.text ? where.text : "");
    sb_free(&where);
    return NULL;
}

/* Copies of the host in the order they are made; one that goes on where the last ended is part of it. */
static void warm(hd_device *dev, uint64_t addr, uint64_t bytes) {
    if (!dev->options.memory.memory.warm_l2 || addr >= SIM_CONST_WINDOW) return;
    struct gpu_range *last = dev->warm.n ? &dev->warm.v[dev->warm.n - 1] : NULL;
    if (last && last->addr + last->bytes == addr)
        last->bytes += bytes;
    else
        VEC_PUSH(&dev->warm, (struct gpu_range){addr, bytes});
}

static hd_status copy_in(hd_device *dev, uint64_t dst, const void *src, uint64_t bytes) {
    hd_status s = sim_ready(dev);
    if (s || !bytes) return s;
    if (!src) return sim_refuse(dev, "hd_copy_in: src must not be NULL");
    void *to = view(dev, "hd_copy_in", dst, bytes);
    if (!to) return HD_INVALID;
    memcpy(to, src, bytes);
    if (dev->journal) {
        sim_journal_input(dev, &dst, sizeof dst);
        sim_journal_input(dev, src, bytes);
    }
    warm(dev, dst, bytes);
    return HD_OK;
}

hd_status hd_copy_in(hd_device *dev, uint64_t dst, const void *src, uint64_t bytes) {
    SIM_CALL(dev, copy_in(dev, dst, src, bytes));
}

static hd_status copy_out(hd_device *dev, void *dst, uint64_t src, uint64_t bytes) {
    hd_status s = sim_ready(dev);
    if (s || !bytes) return s;
    if (!dst) return sim_refuse(dev, "hd_copy_out: dst must not be NULL");
    const void *from = view(dev, "hd_copy_out", src, bytes);
    if (!from) return HD_INVALID;
    struct err e = {0};
    return sim_copied(dev, dst, from, bytes, &e) ? HD_OK : sim_fail(dev, &e);
}

hd_status hd_copy_out(hd_device *dev, void *dst, uint64_t src, uint64_t bytes) {
    SIM_CALL(dev, copy_out(dev, dst, src, bytes));
}

static hd_status device_memory_copy(hd_device *dev, uint64_t dst, uint64_t src, uint64_t bytes) {
    hd_status s = sim_ready(dev);
    if (s || !bytes) return s;
    const void *from = view(dev, "hd_copy", src, bytes);
    if (!from) return HD_INVALID;
    void *to = view(dev, "hd_copy", dst, bytes);
    if (!to) return HD_INVALID;
    memmove(to, from, bytes);
    if (dev->journal) sim_journal_input(dev, (uint64_t[]){dst, src, bytes}, 3 * sizeof dst);
    return HD_OK;
}

hd_status hd_copy(hd_device *dev, uint64_t dst, uint64_t src, uint64_t bytes) {
    SIM_CALL(dev, device_memory_copy(dev, dst, src, bytes));
}

static hd_status device_memory_set(hd_device *dev, uint64_t dst, uint8_t value, uint64_t bytes) {
    hd_status s = sim_ready(dev);
    if (s || !bytes) return s;
    void *to = view(dev, "hd_set", dst, bytes);
    if (!to) return HD_INVALID;
    memset(to, value, bytes);
    if (dev->journal) sim_journal_input(dev, (uint64_t[]){dst, value, bytes}, 3 * sizeof dst);
    return HD_OK;
}

hd_status hd_set(hd_device *dev, uint64_t dst, uint8_t value, uint64_t bytes) {
    SIM_CALL(dev, device_memory_set(dev, dst, value, bytes));
}

/* ---- textures ---- */

_Static_assert((int)HD_TEXEL_U8 == (int)EXEC_TEXEL_U8 && (int)HD_TEXEL_F32 == (int)EXEC_TEXEL_F32,
               "texels agree");
_Static_assert((int)HD_WRAP == (int)EXEC_WRAP && (int)HD_BORDER == (int)EXEC_BORDER, "address modes agree");

/* What is wrong with the fields that only this interface can get wrong, or NULL. */
static const char *texture_fault(const hd_texture *t) {
    if ((unsigned)t->texel > HD_TEXEL_F32) return "texel is not an hd_texel";
    if (t->channels != 1 && t->channels != 2 && t->channels != 4) return "channels must be 1, 2 or 4";
    for (int i = 0; i < 3; i++)
        if ((unsigned)t->mode[i] > HD_BORDER) return "mode is not an hd_address_mode";
    if (!t->width) return "width must not be 0";
    return NULL;
}

static hd_status new_texture(hd_device *dev, const hd_texture *t, uint64_t *handle) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!t || !handle) return sim_refuse(dev, "hd_texture_new: t and handle must not be NULL");
    const char *fault = texture_fault(t);
    if (fault) return sim_refuse(dev, "hd_texture_new: %s", fault);
    struct exec_texture x = {.addr = t->addr,
                             .width = t->width,
                             .height = t->height,
                             .depth = t->depth,
                             .pitch = t->pitch,
                             .texel = (enum exec_texel)t->texel,
                             .channels = t->channels,
                             .linear = t->linear,
                             .normalized = t->normalized,
                             .normalized_read = t->normalized_read};
    for (int i = 0; i < 3; i++) x.mode[i] = (enum exec_address_mode)t->mode[i];
    memcpy(x.border, t->border, sizeof x.border);
    struct err e = {0};
    return exec_texture_new(dev->mem, &x, handle, &e) ? HD_OK : sim_fail(dev, &e);
}

hd_status hd_texture_new(hd_device *dev, const hd_texture *t, uint64_t *handle) {
    SIM_CALL(dev, new_texture(dev, t, handle));
}

static hd_status new_surface(hd_device *dev, const hd_surface *u, uint64_t *handle) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    if (!u || !handle) return sim_refuse(dev, "hd_surface_new: s and handle must not be NULL");
    const hd_texture t = {.width = u->width, .texel = u->texel, .channels = u->channels};
    const char *fault = texture_fault(&t);
    if (fault) return sim_refuse(dev, "hd_surface_new: %s", fault);
    const struct exec_texture x = {.addr = u->addr,
                                   .width = u->width,
                                   .height = u->height,
                                   .depth = u->depth,
                                   .pitch = u->pitch,
                                   .texel = (enum exec_texel)u->texel,
                                   .channels = u->channels,
                                   .surface = true};
    struct err e = {0};
    return exec_texture_new(dev->mem, &x, handle, &e) ? HD_OK : sim_fail(dev, &e);
}

hd_status hd_surface_new(hd_device *dev, const hd_surface *s, uint64_t *handle) {
    SIM_CALL(dev, new_surface(dev, s, handle));
}

static hd_status free_texture(hd_device *dev, uint64_t handle, bool surface) {
    hd_status s = sim_ready(dev);
    if (s) return s;
    struct err e = {0};
    return exec_texture_release(dev->mem, handle, surface, &e) ? HD_OK : sim_fail(dev, &e);
}

hd_status hd_texture_free(hd_device *dev, uint64_t handle) {
    SIM_CALL(dev, free_texture(dev, handle, false));
}

hd_status hd_surface_free(hd_device *dev, uint64_t handle) {
    SIM_CALL(dev, free_texture(dev, handle, true));
}

static hd_status bind_texture(hd_module *mod, const char *name, uint64_t handle, bool surface) {
    const char *call = surface ? "hd_surface_bind" : "hd_texture_bind",
               *kind = surface ? "surfref" : "texref";
    hd_status s = sim_ready(mod ? mod->dev : NULL);
    if (s) return s;
    if (!name) return sim_refuse(mod->dev, "%s: %s must not be NULL", call, kind);
    int var = ir_find_var(mod->ir, name);
    if (var < 0 || mod->ir->vars.v[var].kind != (surface ? IR_VAR_SURFREF : IR_VAR_TEXREF))
        return sim_refuse(mod->dev, "%s: %s has no .%s \"%s\"", call, mod->ir->name, kind, name);
    struct err e = {0};
    return exec_image_bind(mod->image, (uint32_t)var, handle, &e) ? HD_OK : sim_fail(mod->dev, &e);
}

hd_status hd_texture_bind(hd_module *mod, const char *texref, uint64_t handle) {
    SIM_CALL(mod ? mod->dev : NULL, bind_texture(mod, texref, handle, false));
}

hd_status hd_surface_bind(hd_module *mod, const char *surfref, uint64_t handle) {
    SIM_CALL(mod ? mod->dev : NULL, bind_texture(mod, surfref, handle, true));
}

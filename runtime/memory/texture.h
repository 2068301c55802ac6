/* Texture and surface objects, and the references of older programs. */
#ifndef CUDA_TEXTURE_H
#define CUDA_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"

#include "runtime/memory/array.h"

struct cu_process;

/* One object: what was asked for, and the simulator's handle, which is the program's too. */
struct cu_texture {
    uint64_t handle;
    bool surface;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    bool has_view;
};

int cu_texture_new(struct cu_process *p, const struct cudaResourceDesc *resource,
                   const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view,
                   struct cu_texture **t);
int cu_surface_new(struct cu_process *p, const struct cudaResourceDesc *resource, struct cu_texture **t);
void cu_texture_free(struct cu_process *p, struct cu_texture *t);
/* NULL: there is none. */
struct cu_texture *cu_texture_find(struct cu_process *p, uint64_t handle, bool surface);
void cu_textures_free(struct cu_process *p);

#endif

/* A captured launch as a program: its arguments are bytes, its memory is buffers at the addresses they had. What the
 * command line says of shape and arguments wins, so that a launch can be tried in another shape. */
#include <inttypes.h>
#include <string.h>

#include "subject/program.h"

/* As --arg bytes:HEX would have made it. */
static bool add_argument(struct program *p, const hd_arg *a, struct err *e) {
    const uint8_t *data = a->v.data;
    struct sb text = {0};
    struct program_arg arg = {0};
    sb_add(&text, "bytes:");
    for (uint32_t i = 0; i < a->bytes; i++) sb_add(&text, "%02x", data[i]);
    arg.text = sb_keep(&text, &p->mem);
    if (!arg_parse(arg.text, &arg.spec, e))
        return err_set(e, ERR_INPUT, "%s: argument %zu: %s", p->file, p->args.n, err_text(e));
    VEC_PUSH(&p->args, arg);
    return true;
}

static void add_buffer(struct program *p, const struct capture_buffer *b) {
    const enum ir_type type = b->bytes % 4 ? IR_T_U8 : IR_T_U32;
    struct sb text = {0};
    sb_add(&text, "%s[%" PRIu64 "] at 0x%" PRIx64, ir_type_name[type], b->bytes / ir_type_bytes[type],
           b->addr);
    VEC_PUSH(&p->buffers, (struct program_arg){.name = b->name,
                                               .text = sb_keep(&text, &p->mem),
                                               .spec = {.kind = ARG_BUFFER,
                                                        .type = type,
                                                        .count = b->bytes / ir_type_bytes[type],
                                                        .fill = ARG_ZERO,
                                                        .text = ""},
                                               .addr = b->addr,
                                               .captured = b->data});
}

bool program_captured(struct program *p, struct err *e) {
    struct capture *k = &p->capture;
    if (!capture_read(k, p->file, &p->text, &p->mem, e)) return false;
    p->module = k->module;
    if (!p->kernel_name) p->kernel_name = k->kernel;
    if (!p->has_grid) memcpy(p->launch.grid, k->launch.grid, sizeof p->launch.grid);
    if (!p->has_block) memcpy(p->launch.block, k->launch.block, sizeof p->launch.block);
    if (!p->has_shared) p->launch.shared_bytes = k->launch.shared_bytes;
    p->launch.cooperative = k->launch.cooperative;
    p->has_grid = p->has_block = p->has_shared = true;
    if (!p->args.n)
        for (size_t i = 0; i < k->params.n; i++)
            if (!add_argument(p, &k->params.v[i], e)) return false;
    for (size_t i = 0; i < k->buffers.n; i++) add_buffer(p, &k->buffers.v[i]);
    return true;
}

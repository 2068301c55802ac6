/* Textures: every geometry, filter and address mode against a reference written from the CUDA programming
 * guide's formulas (texture fetching): point takes floor(x); linear weighs the texels around x - 0.5, with
 * weights the hardware holds in 8 fraction bits, hence the tolerance of 1/256 for each dimension of texels in
 * [0, 1]. */
#include <math.h>
#include <stdbool.h>

#include "base/bits.h"
#include "kernels/timed.h"

enum { W = 13, H = 9, D = 6, N = 400 };

struct image {
    hd_texture t;
    float texel[D * H * W][4];
};

/* The index an address mode makes of i, or -1 for the border. */
static int place(int i, int n, hd_address_mode m) {
    if (m == HD_CLAMP) return i < 0 ? 0 : i >= n ? n - 1 : i;
    if (m == HD_BORDER) return i < 0 || i >= n ? -1 : i;
    int period = m == HD_WRAP ? n : 2 * n, k = (i % period + period) % period;
    return k < n ? k : 2 * n - 1 - k;
}

static double texel_at(const struct image *m, int x, int y, int z, int c) {
    int w = (int)m->t.width, h = m->t.height ? (int)m->t.height : 1, d = m->t.depth ? (int)m->t.depth : 1;
    x = place(x, w, m->t.mode[0]);
    y = place(y, h, m->t.mode[1]);
    z = place(z, d, m->t.mode[2]);
    if (x < 0 || y < 0 || z < 0) return (double)m->t.border[c];
    return (double)m->texel[(z * h + y) * w + x][c];
}

/* Splits a coordinate into the lower texel and the weight of the upper one. */
static int split(double x, bool linear, double *weight) {
    double base = floor(linear ? x - 0.5 : x);
    *weight = linear ? x - 0.5 - base : 0;
    return (int)base;
}

/* dims: how many coordinates are filtered; layer: index of the others. */
static double sample(const struct image *m, const float *at, int dims, int layer, int c) {
    uint32_t size[3] = {m->t.width, m->t.height, m->t.depth};
    int i[3] = {0, 0, layer};
    double f[3] = {0}, sum = 0;
    for (int k = 0; k < dims; k++) {
        double x = (double)at[k] * (m->t.normalized ? (double)size[k] : 1);
        i[k] = split(x, m->t.linear, &f[k]);
    }
    for (int corner = 0; corner < 1 << (m->t.linear ? dims : 0); corner++) {
        double w = 1;
        int at_[3];
        for (int k = 0; k < 3; k++) {
            int up = corner >> k & 1;
            w *= k < dims && m->t.linear ? (up ? f[k] : 1 - f[k]) : 1;
            at_[k] = i[k] + up;
        }
        sum += w * texel_at(m, at_[0], at_[1], at_[2], c);
    }
    return sum;
}

static void image_init(struct image *m, uint32_t w, uint32_t h, uint32_t d, uint64_t seed) {
    struct rng rng = {seed};
    memset(m, 0, sizeof *m);
    m->t = (hd_texture){.width = w,
                        .height = h,
                        .depth = d,
                        .texel = HD_TEXEL_F32,
                        .channels = 4,
                        .border = {0.25f, 0.5f, 0.75f, 1.0f}};
    for (int i = 0; i < D * H * W; i++)
        for (int c = 0; c < 4; c++) m->texel[i][c] = (float)rng_below(&rng, 1 << 20) * 0x1p-20f;
}

static void set_modes(struct image *m, hd_address_mode mode) {
    for (int k = 0; k < 3; k++) m->t.mode[k] = mode;
}

/* Coordinates inside and around the texture, none within 1/1000 of a texel's edge so that rounding decides nothing. */
static void coordinates(float *at, int per, int used, const hd_texture *t, struct rng *rng) {
    const uint32_t size[3] = {t->width, t->height, t->depth};
    for (int i = 0; i < N * per; i++) {
        int k = i % per, n = k < used && k < 3 && size[k] ? (int)size[k] : 1;
        int texel = (int)rng_below(rng, (uint64_t)(3 * n)) - n;
        double x = texel + ((double)rng_below(rng, 499) + 0.5) / 500 + 0.0003;
        at[i] = (float)(t->normalized ? x / n : x);
    }
}

/* Runs a kernel of textures.ptx over the coordinates and compares all four channels. */
static void compare(struct image *m, const char *kernel, const float *at, int per, int dims, int layered) {
    static float got[N][4];
    struct rig r;
    rig_open(&r, "textures.ptx");
    uint64_t handle = 0, dat = rig_in(&r, at, sizeof(float) * (size_t)(N * per)),
             d = rig_zero(&r, sizeof got);
    m->t.addr = rig_in(&r, m->texel, sizeof m->texel);
    MUST(&r, hd_texture_new(r.dev, &m->t, &handle));
    RUN(&r, kernel, LAUNCH(.grid = {4}, .block = {100}), PTR(d), hd_arg_u64(handle), PTR(dat), hd_arg_u32(N));
    rig_out(&r, d, got, sizeof got);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 4; c++) {
            double want = sample(m, at + i * per, dims, layered ? (int)at[i * per + 2] : 0, c);
            if (fabs((double)got[i][c] - want) > (m->t.linear ? dims / 256.0 : 0))
                fail_msg("%s, linear %d, mode %d: at %g %g channel %d: got %g, want %g", kernel, m->t.linear,
                         (int)m->t.mode[0], (double)at[i * per], (double)at[i * per + 1], c,
                         (double)got[i][c], want);
        }
    MUST(&r, hd_texture_free(r.dev, handle));
    rig_close(&r);
}

/* Both filters under every address mode; wrap and mirror exist for normalised coordinates only. */
static void sweep(const char *kernel, uint32_t h, uint32_t d, int per, int dims) {
    static float at[N * 4];
    struct rng rng = {17};
    struct image *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int linear = 0; linear < 2; linear++)
        for (hd_address_mode mode = HD_WRAP; mode <= HD_BORDER; mode++)
            for (int normalized = mode == HD_WRAP || mode == HD_MIRROR; normalized < 2; normalized++) {
                image_init(m, W, h, d, 23);
                set_modes(m, mode);
                m->t.linear = linear;
                m->t.normalized = normalized;
                coordinates(at, per, dims, &m->t, &rng);
                compare(m, kernel, at, per, dims, 0);
            }
    free(m);
}

static void one_dimension(void **state) {
    (void)state;
    sweep("tex_1d", 0, 0, 1, 1);
}
static void two_dimensions(void **state) {
    (void)state;
    sweep("tex_2d", H, 0, 2, 2);
    sweep("tex_2d_level", H, 0, 2, 2);
}
static void three_dimensions(void **state) {
    (void)state;
    sweep("tex_3d", H, D, 4, 3);
}

static void layers_are_not_filtered_across(void **state) {
    (void)state;
    static float at[N * 4];
    struct rng rng = {29};
    struct image *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int linear = 0; linear < 2; linear++) {
        image_init(m, W, H, D, 31);
        set_modes(m, HD_CLAMP);
        m->t.linear = linear;
        coordinates(at, 4, 2, &m->t, &rng);
        for (int i = 0; i < N; i++) at[4 * i + 2] = (float)(i % D);
        compare(m, "tex_a2d", at, 4, 2, 1);
    }
    free(m);
}

/* The guide's table: face, and its s and t, by the major axis. */
static int cube_face(const float *v, double *s, double *t) {
    double x = (double)v[0], y = (double)v[1], z = (double)v[2], ax = fabs(x), ay = fabs(y), az = fabs(z), m;
    int face;
    if (ax > ay && ax > az) {
        face = x < 0, m = ax, *s = x < 0 ? z : -z, *t = -y;
    } else if (ay > az) {
        face = 2 + (y < 0), m = ay, *s = x, *t = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0), m = az, *s = z < 0 ? -x : x, *t = -y;
    }
    *s = (*s / m + 1) / 2;
    *t = (*t / m + 1) / 2;
    return face;
}

static void cube_maps_pick_the_face_of_the_major_axis(void **state) {
    (void)state;
    enum { SIDE = 9 };
    static float at[N][4], got[N][4];
    struct rig r;
    struct rng rng = {37};
    struct image *m = malloc(sizeof *m);
    assert_non_null(m);
    image_init(m, SIDE, SIDE, 6, 41);
    set_modes(m, HD_CLAMP);
    m->t.normalized = 1;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) at[i][k] = (float)((double)rng_below(&rng, 20001) / 7321.7 - 1.3657);
    rig_open(&r, "textures.ptx");
    uint64_t handle = 0, dat = rig_in(&r, at, sizeof at), d = rig_zero(&r, sizeof got);
    m->t.addr = rig_in(&r, m->texel, sizeof m->texel);
    MUST(&r, hd_texture_new(r.dev, &m->t, &handle));
    RUN(&r, "tex_cube", LAUNCH(.grid = {4}, .block = {100}), PTR(d), hd_arg_u64(handle), PTR(dat),
        hd_arg_u32(N));
    rig_out(&r, d, got, sizeof got);
    for (int i = 0; i < N; i++) {
        double s, t;
        int face = cube_face(at[i], &s, &t);
        double fs = s * SIDE - floor(s * SIDE), ft = t * SIDE - floor(t * SIDE);
        if (fs < 0.001 || fs > 0.999 || ft < 0.001 || ft > 0.999) continue; /* rounding may decide */
        const float *want = m->texel[(face * SIDE + (int)(t * SIDE)) * SIDE + (int)(s * SIDE)];
        same_u32("texel", got[i], want, 4);
    }
    rig_close(&r);
    free(m);
}

/* Integer texels: as they are, sign-extended, or normalised to [0, 1] and [-1, 1]; rows apart by a pitch. */
static void integer_texels(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, "textures.ptx");
    const uint8_t bytes[16] = {0, 1, 127, 128, 200, 255, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25};
    int32_t x[4] = {0, 1, 2, 3};
    float fx[4] = {0.5f, 1.5f, 2.5f, 3.5f}, gotf[4][4];
    uint32_t got[4][4];
    uint64_t texels = rig_in(&r, bytes, sizeof bytes), dx = rig_in(&r, x, sizeof x),
             dfx = rig_in(&r, fx, sizeof fx);
    uint64_t d = rig_zero(&r, sizeof got), handle = 0;
    hd_texture t = {.addr = texels, .width = 4, .texel = HD_TEXEL_U8, .channels = 4, .mode = {HD_CLAMP}};
    for (int signedness = 0; signedness < 2; signedness++) {
        t.texel = signedness ? HD_TEXEL_S8 : HD_TEXEL_U8;
        t.normalized_read = 0;
        MUST(&r, hd_texture_new(r.dev, &t, &handle));
        RUN(&r, "tex_1d_int", LAUNCH(.block = {4}), PTR(d), hd_arg_u64(handle), PTR(dx), hd_arg_u32(4));
        rig_out(&r, d, got, sizeof got);
        for (int i = 0; i < 16; i++)
            assert_int_equal(got[i / 4][i % 4], signedness ? (uint32_t)(int8_t)bytes[i] : bytes[i]);
        t.normalized_read = 1;
        MUST(&r, hd_texture_new(r.dev, &t, &handle));
        RUN(&r, "tex_1d", LAUNCH(.block = {4}), PTR(d), hd_arg_u64(handle), PTR(dfx), hd_arg_u32(4));
        rig_out(&r, d, gotf, sizeof gotf);
        for (int i = 0; i < 16; i++) {
            double want = signedness ? fmax((int8_t)bytes[i] / 127.0, -1) : bytes[i] / 255.0;
            assert_true(fabs((double)gotf[i / 4][i % 4] - want) < 1e-6);
        }
    }
    rig_close(&r);
}

/* On the timed machine texels come through the texture cache: 32 threads read two lines of 64 bytes. */
static void texels_go_through_their_cache(void **state) {
    (void)state;
    enum { TEXELS = 32 };
    const struct timed_machine machine = {"harp-fermi", NULL, {"gpu.sms", "1", NULL}};
    struct rig r;
    timed_open(&r, &machine, "textures.ptx");
    int32_t x[TEXELS];
    for (int i = 0; i < TEXELS; i++) x[i] = i;
    uint64_t texels = rig_zero(&r, TEXELS * 4), dx = rig_in(&r, x, sizeof x), handle = 0,
             d = rig_zero(&r, TEXELS * 16);
    const hd_texture t = {
        .addr = texels, .width = TEXELS, .texel = HD_TEXEL_U8, .channels = 4, .mode = {HD_CLAMP}};
    MUST(&r, hd_texture_new(r.dev, &t, &handle));
    RUN(&r, "tex_1d_int", LAUNCH(.block = {TEXELS}), PTR(d), hd_arg_u64(handle), PTR(dx), hd_arg_u32(TEXELS));
    assert_true(rig_stat(&r, "l1t.accesses") == 2);
    assert_true(rig_stat(&r, "l1t.misses") == 2);
    assert_true(rig_stat(&r, "l1d.reads") == 2); /* the coordinates */
    rig_close(&r);
}

static void rows_may_be_padded(void **state) {
    (void)state;
    enum { PITCH = 64 };
    struct rig r;
    rig_open(&r, "textures.ptx");
    float texel[3][PITCH / 4], at[6][2], got[6][4];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < PITCH / 4; x++) texel[y][x] = (float)(100 * y + x);
    for (int i = 0; i < 6; i++) {
        at[i][0] = (float)(i % 2) + 0.5f;
        at[i][1] = (float)(i / 2) + 0.5f;
    }
    hd_texture t = {.addr = rig_in(&r, texel, sizeof texel),
                    .width = 2,
                    .height = 3,
                    .pitch = PITCH,
                    .texel = HD_TEXEL_F32,
                    .channels = 1,
                    .mode = {HD_CLAMP, HD_CLAMP}};
    uint64_t handle = 0, dat = rig_in(&r, at, sizeof at), d = rig_zero(&r, sizeof got);
    MUST(&r, hd_texture_new(r.dev, &t, &handle));
    RUN(&r, "tex_2d", LAUNCH(.block = {6}), PTR(d), hd_arg_u64(handle), PTR(dat), hd_arg_u32(6));
    rig_out(&r, d, got, sizeof got);
    for (int i = 0; i < 6; i++) assert_true(got[i][0] == texel[i / 2][i % 2]);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dimension),
        cmocka_unit_test(two_dimensions),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(layers_are_not_filtered_across),
        cmocka_unit_test(cube_maps_pick_the_face_of_the_major_axis),
        cmocka_unit_test(integer_texels),
        cmocka_unit_test(texels_go_through_their_cache),
        cmocka_unit_test(rows_may_be_padded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

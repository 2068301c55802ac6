/* Photons through layers of tissue (control flow of the multi-path slides' kind: photon transport). The layers' figures are of
 * the order of skin's. The CPU follows the photons one after the other by the same operations in single precision, in a loop over
 * events, where the kernel has loops in each other; both round alike, so that every photon takes the same way and the sums,
 * whole numbers, are equal. What was put in must come out: no weight is lost but in the roulette and by rounding down. */
#include "workloads/workload.h"

#include <math.h>
#include <string.h>

enum { LAYERS = 4, ABOVE = LAYERS, BELOW, TALLIES };

struct layer {
    float from, to, absorb, scatter, index, forward;
};
static const struct layer layers[LAYERS] = {
    {0.0f, 0.1f, 0.3f, 20.0f, 1.37f, 0.8f},
    {0.1f, 0.4f, 2.0f, 12.0f, 1.40f, 0.7f},
    {0.4f, 0.6f, 5.0f, 6.0f, 1.40f, 0.0f},
    {0.6f, 1.2f, 0.5f, 25.0f, 1.44f, 0.9f},
};

struct photon {
    float z, ux, uy, uz, weight, hop; /* hop: what is left of it, in mean free paths */
    uint32_t layer, seed;
};
enum event { HOP, EDGE, TURN, GONE };

static float chance(struct photon *p) {
    p->seed ^= p->seed << 13;
    p->seed ^= p->seed >> 17;
    p->seed ^= p->seed << 5;
    return ((float)(p->seed >> 9) + 0.5f) * 0x1p-23f;
}

static float minus_log(float x) {
    uint32_t bits;
    float m;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t fraction = (bits & 0x7fffffu) | 0x3f800000u;
    memcpy(&m, &fraction, sizeof m);
    const float s = (m - 1) / (m + 1), q = s * s;
    const float log_m = 2 * s * (1 + q * (0.333333333f + q * (0.2f + q * (0.142857143f + q * 0.111111111f))));
    return (float)(127 - (int)(bits >> 23)) * 0.693147181f - log_m;
}

static float reflected(float n, float m, float cosine, float *behind) {
    const float sine = n / m * sqrtf(1 - cosine * cosine);
    if (sine >= 1) return 1;
    *behind = sqrtf(1 - sine * sine);
    const float s = (n * cosine - m * *behind) / (n * cosine + m * *behind);
    const float t = (n * *behind - m * cosine) / (n * *behind + m * cosine);
    return 0.5f * (s * s + t * t);
}

static float scattering_cosine(struct photon *p, float forward) {
    const float even = 2 * chance(p) - 1;
    if (forward == 0) return even;
    const float t = (1 - forward * forward) / (1 + forward * even);
    return fminf(fmaxf((1 + forward * forward - t * t) / (2 * forward), -1), 1);
}

static enum event turn(struct photon *p) {
    const float cosine = scattering_cosine(p, layers[p->layer].forward);
    float a, b, r;
    do {
        a = 2 * chance(p) - 1;
        b = 2 * chance(p) - 1;
        r = a * a + b * b;
    } while (r > 1 || r < 1e-6f);
    const float scale = sqrtf(1 - cosine * cosine) / sqrtf(r), c = a * scale, s = b * scale;
    const float w = sqrtf(1 - p->uz * p->uz), x = p->ux, y = p->uy, z = p->uz;
    if (fabsf(z) > 0.99999f) {
        p->ux = c, p->uy = s, p->uz = z > 0 ? cosine : -cosine;
    } else {
        p->ux = (x * z * c - y * s) / w + x * cosine;
        p->uy = (y * z * c + x * s) / w + y * cosine;
        p->uz = -c * w + z * cosine;
    }
    p->hop = minus_log(chance(p));
    return HOP;
}

static void deposit(uint64_t *to, float weight) {
    *to += (uint64_t)(weight * 1048576.0f);
}

/* To where it is scattered, or to the edge of its layer. */
static enum event hop(struct photon *p, uint64_t tallies[TALLIES]) {
    const struct layer *l = &layers[p->layer];
    const float all = l->absorb + l->scatter;
    const float edge = p->uz > 0 ? (l->to - p->z) / p->uz : p->uz < 0 ? (l->from - p->z) / p->uz : 1e30f;
    if (p->hop > edge * all) {
        p->hop -= edge * all;
        p->z = p->uz > 0 ? l->to : l->from;
        return EDGE;
    }
    p->z += p->hop / all * p->uz;
    const float taken = p->weight * (l->absorb / all);
    p->weight -= taken;
    deposit(&tallies[p->layer], taken);
    if (p->weight < 0.05f) {
        if (chance(p) > 0.1f) return GONE;
        p->weight *= 10;
    }
    return TURN;
}

static enum event cross(struct photon *p, uint64_t tallies[TALLIES]) {
    const bool down = p->uz > 0, out = down ? p->layer == LAYERS - 1 : p->layer == 0;
    const float here = layers[p->layer].index;
    const float next = out ? 1.0f : layers[down ? p->layer + 1 : p->layer - 1].index;
    float behind = fabsf(p->uz);
    if (next != here && chance(p) < reflected(here, next, fabsf(p->uz), &behind)) {
        p->uz = -p->uz;
        return HOP;
    }
    if (out) {
        deposit(&tallies[down ? BELOW : ABOVE], p->weight);
        return GONE;
    }
    p->ux *= here / next;
    p->uy *= here / next;
    p->layer = down ? p->layer + 1 : p->layer - 1;
    p->uz = down ? behind : -behind;
    return HOP;
}

static uint32_t follow(uint32_t seed, uint64_t tallies[TALLIES]) {
    struct photon p = {.uz = 1, .weight = 1, .seed = seed};
    p.hop = minus_log(chance(&p));
    for (enum event e = HOP; e != GONE;)
        e = e == HOP ? hop(&p, tallies) : e == EDGE ? cross(&p, tallies) : turn(&p);
    return p.seed;
}

void work_photon(struct work *w) {
    const uint32_t n = work_pick(w, 64, 3840, 15360), each = work_pick(w, 1, 2, 8),
                   block = work_pick(w, 64, 128, 128);
    uint32_t *seeds = work_host(w, n, sizeof *seeds);
    uint64_t want[TALLIES] = {0}, got[TALLIES];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t seed = seeds[i] = work_random(w) | 1;
        for (uint32_t k = 0; k < each; k++) seed = follow(seed, want);
    }
    work_write(w, work_symbol(w, "layers"), layers, sizeof layers);
    uint64_t tallies = work_buffer(w, "tallies", sizeof want),
             ds = work_input(w, "seeds", seeds, n * sizeof *seeds);
    WORK_LAUNCH(w, "photon_walk", WORK_SHAPE(.grid = {n / block}, .block = {block}), hd_arg_ptr(tallies),
                hd_arg_ptr(ds), hd_arg_u32(each));
    work_read(w, got, tallies, sizeof got);
    work_expect(w, memcmp(got, want, sizeof got) == 0, got, sizeof got, "tallies differ from the CPU's");
}

// Photons through layers of tissue: each thread follows some, from one scattering to the next, until they leave or are too
// weak. A hop may cross layers, where the photon is reflected or passes; the roulette lets few of the weak ones live. Threads part
// at every one of these, and the loop has four ways out.
#include "cuda.h"

#define LAYERS 4

struct layer {
    float from, to, absorb, scatter, index, forward; // depths; per unit of length; of refraction; mean cosine
};
__constant__ layer layers[LAYERS];

struct photon {
    float z, ux, uy, uz, weight;
    uint layer, seed;
};

DEVICE float chance(photon &p) { // xorshift; never 0
    p.seed ^= p.seed << 13;
    p.seed ^= p.seed >> 17;
    p.seed ^= p.seed << 5;
    return ((float)(p.seed >> 9) + 0.5f) * 0x1p-23f;
}

// -log(x) for 0 < x < 1: the exponent, and the series of the logarithm in (m - 1) / (m + 1).
DEVICE float minus_log(float x) {
    const uint bits = __builtin_bit_cast(uint, x);
    const float m = __builtin_bit_cast(float, (bits & 0x7fffffu) | 0x3f800000u), s = (m - 1) / (m + 1), q = s * s;
    const float log_m = 2 * s * (1 + q * (0.333333333f + q * (0.2f + q * (0.142857143f + q * 0.111111111f))));
    return (float)(127 - (int)(bits >> 23)) * 0.693147181f - log_m;
}

// The share reflected where the index goes from n to m (Fresnel), and the cosine behind it.
DEVICE float reflected(float n, float m, float cosine, float &behind) {
    const float sine = n / m * sqrt_rn(1 - cosine * cosine);
    if (sine >= 1) return 1;
    behind = sqrt_rn(1 - sine * sine);
    const float s = (n * cosine - m * behind) / (n * cosine + m * behind),
                t = (n * behind - m * cosine) / (n * behind + m * cosine);
    return 0.5f * (s * s + t * t);
}

// A new direction, by Henyey and Greenstein's cosine and an even angle around it.
DEVICE void turn(photon &p, float forward) {
    float cosine = 2 * chance(p) - 1;
    if (forward != 0) {
        const float t = (1 - forward * forward) / (1 + forward * cosine);
        cosine = (1 + forward * forward - t * t) / (2 * forward);
        cosine = cosine < -1 ? -1 : cosine > 1 ? 1 : cosine;
    }
    float a, b, r;
    do {
        a = 2 * chance(p) - 1;
        b = 2 * chance(p) - 1;
        r = a * a + b * b;
    } while (r > 1 || r < 1e-6f);
    const float sine = sqrt_rn(1 - cosine * cosine), scale = sine / sqrt_rn(r), c = a * scale, s = b * scale;
    if (abs_f(p.uz) > 0.99999f) { // straight up or down
        BRANCH;
        p.ux = c;
        p.uy = s;
        p.uz = p.uz > 0 ? cosine : -cosine;
        return;
    }
    const float w = sqrt_rn(1 - p.uz * p.uz), x = p.ux, y = p.uy, z = p.uz;
    p.ux = (x * z * c - y * s) / w + x * cosine;
    p.uy = (y * z * c + x * s) / w + y * cosine;
    p.uz = -c * w + z * cosine;
}

// In units of 2^-20, so that sums do not depend on their order.
DEVICE void deposit(u64 *to, float weight) {
    atomic_add(to, (u64)(weight * 1048576.0f));
}

// tallies: what each layer absorbed, what left above, what left below.
KERNEL photon_walk(u64 *tallies, const uint *seeds, uint per_thread) {
    photon p;
    p.seed = seeds[global_id()];
    for (uint left = per_thread; left; left--) {
        p.z = 0, p.ux = 0, p.uy = 0, p.uz = 1, p.weight = 1, p.layer = 0;
        for (;;) {
            float hop = minus_log(chance(p)); // in mean free paths
            for (;;) {
                const layer &l = layers[p.layer];
                const float all = l.absorb + l.scatter;
                float edge = 1e30f;
                if (p.uz > 0) edge = (l.to - p.z) / p.uz;
                else if (p.uz < 0) edge = (l.from - p.z) / p.uz;
                if (hop <= edge * all) {
                    p.z += hop / all * p.uz;
                    break;
                }
                hop -= edge * all;
                p.z = p.uz > 0 ? l.to : l.from;
                const bool out = p.uz > 0 ? p.layer == LAYERS - 1 : p.layer == 0;
                const float next = out ? 1.0f : layers[p.uz > 0 ? p.layer + 1 : p.layer - 1].index;
                float behind = abs_f(p.uz);
                if (next != l.index && chance(p) < reflected(l.index, next, abs_f(p.uz), behind)) {
                    p.uz = -p.uz;
                    continue;
                }
                if (out) {
                    deposit(&tallies[p.uz > 0 ? LAYERS + 1 : LAYERS], p.weight);
                    goto gone;
                }
                const float bend = l.index / next;
                p.ux *= bend;
                p.uy *= bend;
                p.layer += p.uz > 0 ? 1u : ~0u;
                p.uz = p.uz > 0 ? behind : -behind;
            }
            const layer &l = layers[p.layer];
            const float taken = p.weight * (l.absorb / (l.absorb + l.scatter));
            p.weight -= taken;
            deposit(&tallies[p.layer], taken);
            if (p.weight < 0.05f) {
                if (chance(p) > 0.1f) break;
                p.weight *= 10;
            }
            turn(p, l.forward);
        }
    gone:;
    }
}

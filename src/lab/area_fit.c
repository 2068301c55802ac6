/* The fit. Rows are few and differ by three orders of magnitude, so errors are relative; a negative area is no answer, so the
 * best of all fits that leave some constants at 0 is taken, of which there are few enough to try each. */
#include <math.h>
#include <string.h>

#include "lab/area.h"

enum { N = AREA_CONSTANTS };

void area_amounts(const struct mech_array *a, double amount[AREA_CONSTANTS]) {
    const double n = (double)a->arrays, entries = (double)a->entries, bits = (double)a->bits;
    const double ports = a->reads + a->writes, tag = a->entries ? a->tag : 0;
    /* A table may be cut down to nothing. */
    const double ways = a->ways < a->entries ? (double)a->ways : entries;
    memset(amount, 0, sizeof(double[AREA_CONSTANTS]));
    if (a->cell == MECH_REGISTERS) {
        amount[AREA_REGISTER] = n * entries * bits;
        return;
    }
    const bool cam = a->cell == MECH_CAM;
    amount[AREA_CELL] = n * entries * (bits + (cam ? 0 : tag)) * ports * ports;
    amount[AREA_CAM] = n * entries * (cam ? tag : 0) * ports * ports;
    amount[AREA_READ] = n * (ways * bits + (cam ? 1 : ways) * tag) * ports;
}

static void row_amounts(const struct area_row *row, double amount[N]) {
    memset(amount, 0, sizeof(double[N]));
    for (int k = 0; k < AREA_ROW_ARRAYS; k++) {
        double one[N];
        area_amounts(&row->array[k], one);
        for (int i = 0; i < N; i++) amount[i] += one[i];
    }
}

/* ---- least squares ---- */

struct normal { /* equations of all constants */
    double a[N][N], b[N];
    double square; /* sum of squares of what is to be reached */
};

static void area_fit_add_row(struct normal *q, const struct area_row *row) {
    double x[N];
    row_amounts(row, x);
    for (int i = 0; i < N; i++) {
        q->b[i] += x[i] / (1e6 * row->mm2);
        for (int j = 0; j < N; j++) q->a[i][j] += x[i] * x[j] / (1e12 * row->mm2 * row->mm2);
    }
    q->square += 1;
}

/* Gauss and Jordan, of the constants in `which`; false: they do not follow from the rows. */
static bool solve(const struct normal *q, uint32_t which, double x[N]) {
    double m[N][N + 1];
    int at[N], n = 0;
    for (int i = 0; i < N; i++)
        if (which >> i & 1) at[n++] = i;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) m[i][j] = q->a[at[i]][at[j]];
        m[i][n] = q->b[at[i]];
    }
    for (int i = 0; i < n; i++) {
        if (m[i][i] < 1e-9 * q->a[at[i]][at[i]]) return false;
        for (int k = 0; k < n; k++) {
            const double f = k == i ? 0 : m[k][i] / m[i][i];
            for (int j = i; f != 0 && j <= n; j++) m[k][j] -= f * m[i][j];
        }
    }
    memset(x, 0, sizeof(double[N]));
    for (int i = 0; i < n; i++) x[at[i]] = m[i][n] / m[i][i];
    return true;
}

static double squared_error(const struct normal *q, const double x[N]) {
    double e = q->square;
    for (int i = 0; i < N; i++) {
        e -= 2 * x[i] * q->b[i];
        for (int j = 0; j < N; j++) e += x[i] * x[j] * q->a[i][j];
    }
    return e;
}

static bool is_positive(const double x[N], uint32_t which) {
    for (int i = 0; i < N; i++)
        if (which >> i & 1 && !(x[i] > 0)) return false;
    return true;
}

void area_fit(const struct area_row *rows, size_t n, size_t without, struct area_fit *out) {
    struct normal q = {0};
    uint32_t known = 0;
    double least = INFINITY;
    *out = (struct area_fit){0};
    for (size_t i = 0; i < n; i++)
        if (i != without) area_fit_add_row(&q, &rows[i]), out->rows++;
    for (int i = 0; i < N; i++) {
        out->fitted[i] = q.a[i][i] > 0;
        known |= (uint32_t)out->fitted[i] << i;
        out->constants += out->fitted[i];
    }
    for (uint32_t which = 1; which < 1u << N; which++) {
        double x[N];
        if (which & ~known || !solve(&q, which, x) || !is_positive(x, which)) continue;
        const double e = squared_error(&q, x);
        if (e >= least) continue;
        least = e;
        memcpy(out->um2, x, sizeof x);
    }
}

double area_row_mm2(const struct area_fit *f, const struct area_row *row) {
    double amount[N], um2 = 0;
    row_amounts(row, amount);
    for (int i = 0; i < N; i++) {
        if (amount[i] > 0 && !f->fitted[i]) return NAN;
        um2 += amount[i] * f->um2[i];
    }
    return um2 / 1e6;
}

/* Area of arrays: bits, times what a cell of that kind takes, times the square of the ports, since each port brings a word line
 * and bit lines of its own and so widens a cell both ways; and, for every bit that an access reads (all ways of a set), what
 * stands at the end of its column: precharge, sense amplifier, comparator, driver, once for each port. Flip-flops take their bits
 * and nothing else. A decoder for each lane is as much as the published difference of two register files says.
 *
 * The constants of a node follow from its published rows (area_fit.c). A kind of cell that the node has no row for is taken from
 * another node, scaled with the square of the feature size.
 *
 * Not modelled: wires between arrays, multiplexers and swizzles of lanes, comparators and selection logic outside of arrays,
 * instruction buffers, power and delay. CACTI, which made the rows, folds arrays to suit delay: two arrays of nearly the same
 * size and ports differ by more than two in DWF's Table 7.1 (a bank of the warp pool, the warp allocator), which no smooth
 * function of their sizes can follow. */
#include "lab/area.h"

#include <math.h>
#include <string.h>

#include "lab/run/subject.h"
#include "sim/sim.h"

#define CONSTANT(name, what, unit) {what, unit},
const struct area_constant_name area_constant_names[AREA_CONSTANTS] = {
#include "lab/area.def"
};

#define NODE(nm, chip, mm2, sms, config) {nm, chip, mm2, sms, config},
const struct area_node area_nodes[] = {
#include "lab/area.def"
    {0}};

#define ROW(nm, structure, source, mm2, ...) {nm, structure, source, mm2, {__VA_ARGS__}},
const struct area_row area_rows[] = {
#include "lab/area.def"
    {0}};

#define DECODERS(nm, source, mm2, decoders) {nm, mm2, decoders},
static const struct {
    int nm;
    double mm2, decoders;
} published_decoders[] = {
#include "lab/area.def"
};

const struct area_node *area_node_find(int nm) {
    for (const struct area_node *n = area_nodes; n->nm; n++)
        if (n->nm == nm) return n;
    return NULL;
}

const struct area_node *area_node_of(const char *config) {
    const struct area_node *n = area_nodes;
    while (n[1].nm && (!config || strcmp(n->config, config) != 0)) n++;
    return n;
}

/* ---- the model of a node ---- */

/* Rows of a node are together. */
static const struct area_row *rows_of(int nm, size_t *n) {
    const struct area_row *first = area_rows;
    while (first->nm && first->nm != nm) first++;
    for (*n = 0; first[*n].nm == nm;) ++*n;
    return first;
}

static double decoder_um2(int nm) {
    for (size_t i = 0; i < sizeof published_decoders / sizeof *published_decoders; i++)
        if (published_decoders[i].nm == nm)
            return 1e6 * published_decoders[i].mm2 / published_decoders[i].decoders;
    return 0;
}

/* Everything that follows from the node's own rows. */
static void fit_node(int nm, struct area_fit *fit) {
    size_t n;
    const struct area_row *rows = rows_of(nm, &n);
    area_fit(rows, n, SIZE_MAX, fit);
    fit->um2[AREA_DECODER] = decoder_um2(nm);
    fit->fitted[AREA_DECODER] = fit->um2[AREA_DECODER] > 0;
}

static void borrow(struct area_model *m, int constant) {
    for (const struct area_node *other = area_nodes; other->nm; other++) {
        struct area_fit fit;
        const double ratio = (double)m->node->nm / other->nm;
        fit_node(other->nm, &fit);
        if (!fit.fitted[constant]) continue;
        m->um2[constant] = fit.um2[constant] * ratio * ratio;
        m->scaled[constant] = other->nm;
        return;
    }
}

/* What a constant of the fit without some row does to its range. */
static void area_widen(struct area_model *m, const struct area_fit *rest) {
    for (int i = 0; i < AREA_CONSTANTS; i++) {
        const double um2 = rest->um2[i];
        if (!rest->fitted[i]) continue;
        if (m->most[i] == 0 || um2 < m->least[i]) m->least[i] = um2;
        if (um2 > m->most[i]) m->most[i] = um2;
    }
}

static void find_errors(struct area_model *m) {
    size_t n;
    const struct area_row *rows = rows_of(m->node->nm, &n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        struct area_fit rest;
        area_fit(rows, n, i, &rest);
        area_widen(m, &rest);
        const double mm2 = area_row_mm2(&m->fit, &rows[i]);
        VEC_PUSH(&m->errors, (struct area_error){.row = &rows[i],
                                                 .mm2 = mm2,
                                                 .error = mm2 / rows[i].mm2 - 1,
                                                 .alone = area_row_mm2(&rest, &rows[i]) / rows[i].mm2 - 1});
        sum += m->errors.v[i].error * m->errors.v[i].error;
    }
    m->rms = sqrt(sum / (double)n);
}

void area_model_make(const struct area_node *node, struct area_model *out) {
    *out = (struct area_model){.node = node};
    fit_node(node->nm, &out->fit);
    memcpy(out->um2, out->fit.um2, sizeof out->um2);
    for (int i = 0; i < AREA_CONSTANTS; i++)
        if (!out->fit.fitted[i]) borrow(out, i);
    find_errors(out);
}

void area_model_free(struct area_model *m) {
    VEC_FREE(&m->errors);
}

double area_array_mm2(const struct area_model *m, const struct mech_array *a) {
    double amount[AREA_CONSTANTS], um2 = 0;
    area_amounts(a, amount);
    for (int i = 0; i < AREA_CONSTANTS; i++) um2 += amount[i] * m->um2[i];
    return um2 / 1e6;
}

/* ---- of a mechanism ---- */

bool area_find(const struct area_model *m, const hd_config *config, struct area *out, struct err *e) {
    hd_device *dev = NULL;
    *out = (struct area){0};
    bool fine = lab_open(config, &dev, e) && storage_find(sim_options(dev), &out->storage, e);
    for (uint32_t i = 0; fine && i < out->storage.arrays.n; i++) {
        VEC_PUSH(&out->mm2, area_array_mm2(m, &out->storage.arrays.v[i]));
        out->tables += out->mm2.v[i];
    }
    if (fine && out->storage.arrays.lane_decoders) {
        const struct opt_sm *sm = &sim_options(dev)->machine.sm;
        out->decoders = (uint32_t)(sm->schedulers * (sm->simd_width - 1));
        out->register_decoders = out->decoders * m->um2[AREA_DECODER] / 1e6;
    }
    hd_device_close(dev);
    return fine;
}

void area_free(struct area *a) {
    storage_free(&a->storage);
    VEC_FREE(&a->mm2);
}

double area_share(const struct area_model *m, double mm2) {
    return 100 * mm2 * m->node->sms / m->node->mm2;
}

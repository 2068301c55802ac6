/* How each mechanism can be run: its policies, and every table it has cut down to one entry, alone and with all others. A
 * mechanism without rows here is run as it is by default; a row without options says how that is. */
#include "sweep.h"

#include <string.h>

static const struct diff_variant variants[] = {
    {"pdom", true, {"pdom.side", "fallthrough"}},
    {"pdom", true, {"pdom.side", "most"}},
    {"pdom", true, {"run.form", "joins"}},
    {"pdom", true, {"run.form", "tesla"}},
    {"pdom", true, {"run.form", "tesla_ssy"}},
    {"pdom", true, {"run.form", "volta_merge"}},

    {"lwm", true, {"lwm.side", "fallthrough"}},
    {"lwm", true, {"lwm.side", "most", "lwm.size", "256"}},
    {"lwm", true, {"run.form", "joins", "lwm.size", "64"}},
    {"lwm", false, {"lwm.size", "256", "lwm.sync", "all"}},
    {"lwm", false, {"lwm.size", "64", "lwm.jump", "all"}},
    {"lwm", false, {"lwm.size", "16", "lwm.sync", "all", "lwm.jump", "all"}},
    {"lwm", false, {"lwm.size", "4"}},

    {"dwf", false, {"dwf.policy", "dmin"}},
    {"dwf", false, {"dwf.policy", "dtime"}},
    {"dwf", false, {"dwf.policy", "dpc"}},
    {"dwf", false, {"dwf.policy", "dpdpri"}},
    {"dwf", false, {"dwf.majority", "ideal"}},
    {"dwf", false, {"run.form", "joins", "dwf.policy", "dpc"}},
    {"dwf", false, {"dwf.lanes", "free"}},
    {"dwf", false, {"dwf.lanes", "conflict", "dwf.policy", "dpdpri"}},
    {"dwf", false, {"dwf.swizzle", "none", "dwf.policy", "dtime"}},
    {"dwf", false, {"dwf.swizzle", "rotate"}},
    {"dwf", false, {"dwf.lanes", "bank"}},
    {"dwf", false, {"dwf.lanes", "bank", "dwf.swizzle", "rotate", "dwf.memory", "thread"}},
    {"dwf", false, {"dwf.lanes", "bank_conflict", "dwf.barrier", "first"}},
    {"dwf",
     false,
     {"dwf.policy", "dpdpri", "dwf.rank", "most", "dwf.ties", "fuller", "dwf.barrier", "first"}},
    {"dwf", false, {"dwf.memory", "thread", "dwf.policy", "dpc"}},
    {"dwf", false, {"dwf.update", "1"}},
    {"dwf", false, {"dwf.lut_entries", "1"}},
    {"dwf", false, {"dwf.pool", "0", "dwf.lut_entries", "2", "dwf.lut_ways", "1"}},
    {"dwf", false, {"dwf.pool", "1", "dwf.spill_cycles", "3"}},
    {"dwf", false, {"dwf.heap", "1", "dwf.spill_cycles", "3"}},
    {"dwf", false, {"dwf.heap_lut", "1", "dwf.heap_ports", "1"}},
    {"dwf", false, {"dwf.pool", "1", "dwf.spill_cycles", "2000"}},
    {"dwf",
     false,
     {"dwf.lut_entries", "1", "dwf.pool", "1", "dwf.heap", "1", "dwf.heap_lut", "1", "dwf.heap_ports", "1",
      "dwf.spill_cycles", "0"}},
    {"dwf",
     false,
     {"dwf.policy", "dpdpri", "dwf.pool", "2", "dwf.lut_entries", "2", "dwf.memory", "thread",
      "dwf.spill_cycles", "9"}},

    {"harp", false, {"harp.first", "1"}},
    {"harp", false, {"harp.second", "1", "harp.spill", "5"}},
    {"harp", false, {"harp.ready_lookup", "1"}},
    {"harp", false, {"harp.waiting_lookup", "1"}},
    {"harp", false, {"harp.barriers", "1"}},
    {"harp", false, {"harp.count", "second"}},
    {"harp", false, {"harp.waiting", "thread"}},
    {"harp", false, {"harp.count", "second", "harp.waiting", "thread", "harp.first", "1"}},
    {"harp",
     false,
     {"harp.first", "1", "harp.second", "1", "harp.ready_lookup", "1", "harp.waiting_lookup", "1",
      "harp.barriers", "1", "harp.spill", "1"}},
    {"harp", false, {"harp.ready_lookup", "0", "harp.waiting_lookup", "0"}},
    {"harp", false, {"harp.barriers", "4", "harp.barrier_ways", "1", "harp.barrier_latency", "2"}},
    {"harp", false, {"harp.barrier_latency", "4", "harp.few", "100"}},

    {"mp", false, {"mp.max_splits", "1", "mp.spill_cycles", "3"}},
    {"mp", false, {"mp.max_splits", "1", "mp.max_rt", "1", "mp.spill_cycles", "2000"}},
    {"mp", false, {"mp.max_rt", "1"}},
    {"mp", false, {"mp.max_splits", "1", "mp.max_rt", "1", "mp.spill_cycles", "0"}},
    {"mp", false, {"mp.patience", "1"}},
    {"mp", false, {"mp.patience", "0"}},
    {"mp", false, {"mp.opportunistic", "false"}},

    {"mp-basic", false, {"mp-basic.max_splits", "1", "mp-basic.spill_cycles", "3"}},
    {"mp-basic", false, {"mp-basic.max_rt", "1"}},
    {"mp-basic", false, {"mp-basic.max_splits", "1", "mp-basic.max_rt", "1", "mp-basic.spill_cycles", "0"}},
    {"mp-basic", false, {"mp-basic.patience", "1"}},
    {"mp-basic", false, {"mp-basic.patience", "0"}},

    {"dpe", true, {NULL}},
    {"dpe", true, {"dpe.entries", "1", "dpe.spill_cycles", "3"}},
    {"dpe", true, {"dpe.entries", "1", "dpe.spill_cycles", "0"}},
    {"dpe", true, {"dpe.entries", "1", "dpe.spill_cycles", "2000"}},
    {"dpe", true, {"dpe.entries", "2"}},

    {"dws", true, {NULL}},
    {"dws", true, {"dws.branch", "stack"}},
    {"dws", true, {"dws.branch", "off", "dws.memory", "aggress"}},
    {"dws", true, {"dws.branch", "stack", "dws.memory", "aggress", "dws.limit", "true"}},
    {"dws", true, {"dws.memory", "lazy", "dws.limit", "true", "dws.wst", "1"}},
    {"dws", true, {"dws.memory", "lazy", "dws.max_block", "3"}},
    {"dws", true, {"dws.memory", "aggress", "dws.wst", "4096", "dws.max_block", "1000"}},
    {"dws", true, {"dws.memory", "off", "dws.wst", "2"}},
    {"dws", true, {"dws.limit", "true", "dws.wst", "4096"}},
    {"dws", true, {"dws.branch", "off", "dws.memory", "aggress", "dws.limit", "true", "dws.wst", "2"}},
    {"dws", true, {"dws.branch", "stack", "dws.limit", "true", "dws.wst", "0"}},
    {"dws", true, {"dws.wst", "1"}},
    {"dws", true, {"dws.wst", "0"}},

    {"minpc", false, {"minpc.sp", "false"}},
    {"minpc", false, {"minpc.memory", "true"}},
    {"minpc", false, {"minpc.memory", "true", "minpc.sp", "false"}},
    {"minpc", false, {"minpc.stack", "sync"}},
    {"minpc", false, {"minpc.stack", "sync", "minpc.memory", "true"}},

    {"tesla", true, {NULL}},
    {"tesla", true, {"tesla.loops", "brk"}},
    {"tesla", true, {"tesla.loops", "brk", "tesla.cached", "1", "tesla.spill_cycles", "3"}},
    {"tesla", true, {"tesla.cached", "1", "tesla.spill_cycles", "0"}},
    {"tesla", true, {"tesla.cached", "1", "tesla.spill_cycles", "2000"}},

    {"chap", true, {NULL}},
    {"chap", true, {"chap.skip", "true"}},
    {"amd", true, {NULL}},
    {"amd", true, {"amd.skip", "false"}},
    {"pomp", true, {NULL}},
    {"pomp", true, {"pomp.skip", "true"}},
    {"gma", true, {NULL}},
    {"gma", true, {"gma.skip", "false"}},
    {"sandybridge", true, {NULL}},
    {"sandybridge", true, {"sandybridge.skip", "false"}},

    {"tf", false, {"tf.kind", "sandybridge"}},
    {"tf", false, {"tf.kind", "sandybridge", "tf.skip", "true"}},
    {"tf", false, {"tf.kind", "sandybridge", "tf.together", "true"}},

    {"lorie-strong", false, {"run.form", "none"}},

    {"takahashi", false, {"takahashi.dup", "true"}},
    {"takahashi", false, {"run.form", "joins"}},

    {"sbi", false, {"sbi.constraint", "false"}},
    {"sbi", false, {"sbi.constraint", "false", "run.form", "none"}},
    {"sbi", false, {"sbi.alone", "true"}},
    {"sbi", false, {"sbi.alone", "true", "sbi.constraint", "false"}},

    {"swi", false, {"swi.lanes", "identity"}},
    {"swi", false, {"swi.lanes", "mirror_odd", "swi.cascade", "false"}},
    {"swi", false, {"swi.lanes", "mirror_half", "swi.ways", "1"}},
    {"swi", false, {"swi.lanes", "xor", "swi.ways", "2"}},
    {"swi", false, {"swi.cascade", "false"}},
    {"swi", false, {"swi.ways", "1", "swi.cascade", "false", "run.form", "joins"}},

    {"sbi+swi", false, {"sbi+swi.alone", "true", "sbi+swi.ways", "1"}},
    {"sbi+swi", false, {"sbi+swi.constraint", "false", "sbi+swi.lanes", "xor", "sbi+swi.cascade", "false"}},
    {"sbi+swi", false, {"sbi+swi.alone", "true", "sbi+swi.constraint", "false", "sbi+swi.lanes", "identity"}},
    {"sbi+swi", false, {"sbi+swi.cascade", "false", "sbi+swi.lanes", "mirror_odd"}},
    {"sbi+swi", false, {"sbi+swi.lanes", "mirror_half", "sbi+swi.ways", "2", "run.form", "none"}},

    {"tbc", true, {"tbc.side", "fallthrough"}},
    {"tbc", true, {"tbc.side", "most"}},
    {"tbc", false, {"tbc.likely", "false"}},
    {"tbc", false, {"tbc.compact_cycles", "0"}},
    {"tbc", false, {"tbc.compact_cycles", "9"}},
    {"tbc", true, {"tbc.likely", "false", "tbc.side", "fallthrough", "tbc.compact_cycles", "3"}},

    {"capri", false, {"capri.predict", "adequate"}},
    {"capri", false, {"capri.predict", "inadequate"}},
    {"capri", false, {"capri.uniform", "wait"}},
    {"capri", false, {"capri.uniform", "wait", "capri.predict", "inadequate"}},
    {"capri", false, {"capri.entries", "1"}},
    {"capri", false, {"capri.entries", "1", "capri.first", "false", "capri.history", "3"}},
    {"capri", false, {"capri.first", "false", "capri.likely", "false"}},
    {"capri", true, {"capri.side", "fallthrough", "capri.compact_cycles", "0"}},
    {"capri", true, {"capri.side", "most", "capri.predict", "inadequate", "capri.likely", "false"}},

    {"volta", false, {"volta.place", "merge"}},
    {"volta", false, {"volta.interleave", "stall", "volta.first", "fallthrough"}},
    {"volta", false, {"volta.interleave", "any", "volta.fair", "0"}},
    {"volta", false, {"volta.merge", "pc", "volta.fair", "1", "volta.first", "most"}},
    {"volta",
     false,
     {"volta.interleave", "stall", "volta.place", "merge", "volta.merge", "pc", "volta.fair", "7"}},
    {"volta", false, {"run.form", "none"}},
};

static bool has_options(const struct diff_variant *v) {
    return v->option[0];
}

const struct diff_variant *diff_variant(const char *mech, size_t n) {
    static const struct diff_variant plain = {0};
    const size_t wanted = n;
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        if (strcmp(variants[k].mech, mech) || has_options(&variants[k]) != (wanted != 0)) continue;
        if (!wanted || !--n) return &variants[k];
    }
    return wanted ? NULL : &plain;
}

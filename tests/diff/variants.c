/* How each mechanism can be run: its policies, and every table it has cut down to one entry, alone and with all others. A
 * mechanism without rows here is run as it is by default, and with options drawn at random (sweep.c). */
#include "sweep.h"

#include <string.h>

static const struct diff_variant variants[] = {
    {"pdom", {"pdom.side", "fallthrough"}},
    {"pdom", {"pdom.side", "most"}},
    {"pdom", {"run.form", "joins"}},
    {"pdom", {"run.form", "tesla"}},
    {"pdom", {"run.form", "tesla_ssy"}},
    {"pdom", {"run.form", "volta_merge"}},

    {"lwm", {"lwm.side", "fallthrough"}},
    {"lwm", {"lwm.side", "most", "lwm.size", "256"}},
    {"lwm", {"run.form", "joins", "lwm.size", "64"}},
    {"lwm", {"lwm.size", "256", "lwm.sync", "all"}},
    {"lwm", {"lwm.size", "64", "lwm.jump", "all"}},
    {"lwm", {"lwm.size", "16", "lwm.sync", "all", "lwm.jump", "all"}},
    {"lwm", {"lwm.size", "4"}},

    {"dwf", {"dwf.policy", "dmin"}},
    {"dwf", {"dwf.policy", "dtime"}},
    {"dwf", {"dwf.policy", "dpc"}},
    {"dwf", {"dwf.policy", "dpdpri"}},
    {"dwf", {"dwf.majority", "ideal"}},
    {"dwf", {"run.form", "joins", "dwf.policy", "dpc"}},
    {"dwf", {"dwf.lanes", "free"}},
    {"dwf", {"dwf.lanes", "conflict", "dwf.policy", "dpdpri"}},
    {"dwf", {"dwf.swizzle", "none", "dwf.policy", "dtime"}},
    {"dwf", {"dwf.swizzle", "rotate"}},
    {"dwf", {"dwf.lanes", "bank"}},
    {"dwf", {"dwf.lanes", "bank", "dwf.swizzle", "rotate", "dwf.memory", "thread"}},
    {"dwf", {"dwf.lanes", "bank_conflict", "dwf.barrier", "first"}},
    {"dwf", {"dwf.policy", "dpdpri", "dwf.rank", "most", "dwf.ties", "fuller", "dwf.barrier", "first"}},
    {"dwf", {"dwf.memory", "thread", "dwf.policy", "dpc"}},
    {"dwf", {"dwf.update", "1"}},
    {"dwf", {"dwf.lut_entries", "1"}},
    {"dwf", {"dwf.pool", "0", "dwf.lut_entries", "2", "dwf.lut_ways", "1"}},
    {"dwf", {"dwf.pool", "1", "dwf.spill_cycles", "3"}},
    {"dwf", {"dwf.heap", "1", "dwf.spill_cycles", "3"}},
    {"dwf", {"dwf.heap_lut", "1", "dwf.heap_ports", "1"}},
    {"dwf", {"dwf.pool", "1", "dwf.spill_cycles", "2000"}},
    {"dwf", {"dwf.pool", "3", "dwf.spill", "last", "dwf.spill_cycles", "3", "dwf.pool_layout", "array"}},
    {"dwf", {"dwf.majority", "pipelined", "dwf.pool_layout", "array"}},
    {"dwf",
     {"dwf.lut_entries", "1", "dwf.pool", "1", "dwf.heap", "1", "dwf.heap_lut", "1", "dwf.heap_ports", "1",
      "dwf.spill_cycles", "0"}},
    {"dwf",
     {"dwf.policy", "dpdpri", "dwf.pool", "2", "dwf.lut_entries", "2", "dwf.memory", "thread",
      "dwf.spill_cycles", "9"}},

    {"harp", {"harp.first", "1"}},
    {"harp", {"harp.second", "1", "harp.spill", "5"}},
    {"harp", {"harp.ready_lookup", "1"}},
    {"harp", {"harp.waiting_lookup", "1"}},
    {"harp", {"harp.barriers", "1"}},
    {"harp", {"harp.count", "second"}},
    {"harp", {"harp.waiting", "thread"}},
    {"harp", {"harp.depart", "few"}},
    {"harp", {"harp.depart", "few", "harp.waiting", "thread", "harp.barrier_latency", "2"}},
    {"harp", {"harp.count", "second", "harp.waiting", "thread", "harp.first", "1"}},
    {"harp",
     {"harp.first", "1", "harp.second", "1", "harp.ready_lookup", "1", "harp.waiting_lookup", "1",
      "harp.barriers", "1", "harp.spill", "1"}},
    {"harp", {"harp.ready_lookup", "0", "harp.waiting_lookup", "0"}},
    {"harp", {"harp.barriers", "4", "harp.barrier_ways", "1", "harp.barrier_latency", "2"}},
    {"harp", {"harp.barrier_latency", "4", "harp.few", "100"}},

    {"mp", {"mp.max_splits", "1", "mp.spill_cycles", "3"}},
    {"mp", {"mp.max_splits", "1", "mp.max_rt", "1", "mp.spill_cycles", "2000"}},
    {"mp", {"mp.max_rt", "1"}},
    {"mp", {"mp.max_splits", "1", "mp.max_rt", "1", "mp.spill_cycles", "0"}},
    {"mp", {"mp.patience", "1"}},
    {"mp", {"mp.patience", "0"}},
    {"mp", {"mp.opportunistic", "false"}},

    {"mp-basic", {"mp-basic.max_splits", "1", "mp-basic.spill_cycles", "3"}},
    {"mp-basic", {"mp-basic.max_rt", "1"}},
    {"mp-basic", {"mp-basic.max_splits", "1", "mp-basic.max_rt", "1", "mp-basic.spill_cycles", "0"}},
    {"mp-basic", {"mp-basic.patience", "1"}},
    {"mp-basic", {"mp-basic.patience", "0"}},

    {"dpe", {"dpe.entries", "1", "dpe.spill_cycles", "3"}},
    {"dpe", {"dpe.entries", "1", "dpe.spill_cycles", "0"}},
    {"dpe", {"dpe.entries", "1", "dpe.spill_cycles", "2000"}},
    {"dpe", {"dpe.entries", "2"}},

    {"dws", {"dws.branch", "stack"}},
    {"dws", {"dws.branch", "off", "dws.memory", "aggress"}},
    {"dws", {"dws.branch", "stack", "dws.memory", "aggress", "dws.limit", "true"}},
    {"dws", {"dws.memory", "lazy", "dws.limit", "true", "dws.wst", "1"}},
    {"dws", {"dws.memory", "lazy", "dws.max_block", "3"}},
    {"dws", {"dws.memory", "aggress", "dws.wst", "4096", "dws.max_block", "1000"}},
    {"dws", {"dws.memory", "off", "dws.wst", "2"}},
    {"dws", {"dws.limit", "true", "dws.wst", "4096"}},
    {"dws", {"dws.branch", "off", "dws.memory", "aggress", "dws.limit", "true", "dws.wst", "2"}},
    {"dws", {"dws.branch", "stack", "dws.limit", "true", "dws.wst", "0"}},
    {"dws", {"dws.wst", "1"}},
    {"dws", {"dws.wst", "0"}},

    {"minpc", {"minpc.sp", "false"}},
    {"minpc", {"minpc.memory", "true"}},
    {"minpc", {"minpc.memory", "true", "minpc.sp", "false"}},
    {"minpc", {"minpc.stack", "sync"}},
    {"minpc", {"minpc.stack", "sync", "minpc.memory", "true"}},

    {"tesla", {"tesla.loops", "brk"}},
    {"tesla", {"tesla.loops", "brk", "tesla.cached", "1", "tesla.spill_cycles", "3"}},
    {"tesla", {"tesla.cached", "1", "tesla.spill_cycles", "0"}},
    {"tesla", {"tesla.cached", "1", "tesla.spill_cycles", "2000"}},

    {"chap", {"chap.skip", "true"}},
    {"amd", {"amd.skip", "false"}},
    {"pomp", {"pomp.skip", "true"}},
    {"gma", {"gma.skip", "false"}},
    {"sandybridge", {"sandybridge.skip", "false"}},

    {"tf", {"tf.kind", "sandybridge"}},
    {"tf", {"tf.kind", "sandybridge", "tf.skip", "true"}},
    {"tf", {"tf.kind", "sandybridge", "tf.together", "true"}},

    {"lorie-strong", {"run.form", "none"}},

    {"takahashi", {"takahashi.dup", "true"}},
    {"takahashi", {"run.form", "joins"}},

    {"sbi", {"sbi.constraint", "false"}},
    {"sbi", {"sbi.constraint", "false", "run.form", "none"}},
    {"sbi", {"sbi.alone", "true"}},
    {"sbi", {"sbi.alone", "true", "sbi.constraint", "false"}},

    {"swi", {"swi.lanes", "identity"}},
    {"swi", {"swi.lanes", "mirror_odd", "swi.cascade", "false"}},
    {"swi", {"swi.lanes", "mirror_half", "swi.ways", "1"}},
    {"swi", {"swi.lanes", "xor", "swi.ways", "2"}},
    {"swi", {"swi.cascade", "false"}},
    {"swi", {"swi.ways", "1", "swi.cascade", "false", "run.form", "joins"}},

    {"sbi+swi", {"sbi+swi.alone", "true", "sbi+swi.ways", "1"}},
    {"sbi+swi", {"sbi+swi.constraint", "false", "sbi+swi.lanes", "xor", "sbi+swi.cascade", "false"}},
    {"sbi+swi", {"sbi+swi.alone", "true", "sbi+swi.constraint", "false", "sbi+swi.lanes", "identity"}},
    {"sbi+swi", {"sbi+swi.cascade", "false", "sbi+swi.lanes", "mirror_odd"}},
    {"sbi+swi", {"sbi+swi.lanes", "mirror_half", "sbi+swi.ways", "2", "run.form", "none"}},

    {"tbc", {"tbc.side", "fallthrough"}},
    {"tbc", {"tbc.side", "most"}},
    {"tbc", {"tbc.likely", "false"}},
    {"tbc", {"tbc.compact_cycles", "0"}},
    {"tbc", {"tbc.compact_cycles", "9"}},
    {"tbc", {"tbc.likely", "false", "tbc.side", "fallthrough", "tbc.compact_cycles", "3"}},

    {"capri", {"capri.predict", "adequate"}},
    {"capri", {"capri.predict", "inadequate"}},
    {"capri", {"capri.uniform", "wait"}},
    {"capri", {"capri.uniform", "wait", "capri.predict", "inadequate"}},
    {"capri", {"capri.entries", "1"}},
    {"capri", {"capri.entries", "1", "capri.first", "false", "capri.history", "3"}},
    {"capri", {"capri.first", "false", "capri.likely", "false"}},
    {"capri", {"capri.side", "fallthrough", "capri.compact_cycles", "0"}},
    {"capri", {"capri.side", "most", "capri.predict", "inadequate", "capri.likely", "false"}},

    {"volta", {"volta.place", "merge"}},
    {"volta", {"volta.interleave", "stall", "volta.first", "fallthrough"}},
    {"volta", {"volta.interleave", "any", "volta.fair", "0"}},
    {"volta", {"volta.merge", "pc", "volta.fair", "1", "volta.first", "most"}},
    {"volta", {"volta.interleave", "stall", "volta.place", "merge", "volta.merge", "pc", "volta.fair", "7"}},
    {"volta", {"run.form", "none"}},
};

const struct diff_variant *diff_variant(const char *mech, size_t n) {
    static const struct diff_variant plain = {0};
    if (!n) return &plain;
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        if (!strcmp(variants[k].mech, mech) && !--n) return &variants[k];
    return NULL;
}

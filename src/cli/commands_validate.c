/* The command that measures machines, as data: validate. */
#include <stdint.h>

#include "cli/commands.h"

static const struct opt validate_options[] = {
    MACHINE_ROWS,
    {"jobs", 'j', false, "N", "Probes at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each machine and probe to FILE."},
    {"markdown", 0, false, NULL, "Print the tables as Markdown."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry validate_probes[] = {
    {"latency.NAME",
     "Cycles from an operation, or a load from a level of memory, to one that needs its result."},
    {"rate.NAME", "Operations of threads that an SM full of threads completes in a cycle."},
    {"banks.N", "Cycles of a warp's load from shared memory with N threads at each bank it uses."},
    {"bandwidth.NAME",
     "Bytes read in a cycle from shared memory or L1 by an SM, from L2 by all; from DRAM, GB/s."},
    {"resident", "Threads that fit on an SM."},
    {0},
};
static const struct help_section validate_sections[] = {
    {"Probes",
     "Names choose among them; without one, all are measured. 'holds' and 'OFF' say whether ours is as near "
     "to the "
     "published figure as docs/validation.md asks; 'OFF' makes the exit status 1.",
     validate_probes},
    {0},
};
static const struct help_entry validate_examples[] = {
    {"heddle validate", "Every configuration of which figures were published."},
    {"heddle validate latency.l1 latency.l2 --config turing-rtx2060", "Two probes of one machine."},
    {"heddle validate bandwidth.dram --config harp-fermi --set dram.channels=8",
     "What does a wider memory give?"},
    {0},
};

const struct command command_validate = {
    .name = "validate",
    .operands = "[PROBE]...",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "measure a machine by micro-benchmarks, beside published figures of the hardware",
    .text = "Runs pointer chases, chains of dependent operations, streams, bank conflicts and atomics on a "
            "machine, as "
            "micro-benchmarks do on hardware, and prints what each takes beside what was published of the "
            "hardware that "
            "the configuration models.",
    .options = validate_options,
    .sections = validate_sections,
    .examples = validate_examples,
    .run = validate_main,
};

/* The command that makes a page of a run, as data: report. */
#include "cli/cmd/commands.h"

static const struct opt report_options[] = {
    {"html", 'o', OPT_WRITES, "FILE", "Where the page goes (default report.html); - is standard output."},
    {"mech", 'M', OPT_LIST, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms, a run each; the first is the one that the page opens with and that the others are measured "
     "by. Written as of 'heddle compare'. Without the option, run.mech of the configuration."},
    MACHINE_ROWS,
    CUDA_COMPILER_ROW,
    LAUNCH_ROWS,
    SCRIPT_ROW,
    SIZE_ROW,
    ISA_ROW,
    {"sm", 0, false, "N",
     "The SM whose warps are shown over time, counted from 0 (default 0); all others have a row each."},
    {"jobs", 'j', false, "N", "Simulations at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE", "Also write what the page draws to FILE as JSON; - is standard output."},
    MAX_INSTS_ROW,
    {"quiet", 'q', false, NULL, "Do not say where the page is, and no progress."},
    {0},
};
static const struct help_entry report_shows[] = {
    {"summary",
     "Machine, command, cycles, instructions per cycle, lane activity, and where all lane slots went."},
    {"source and PTX",
     "Side by side, with what each line loses and causes; a line of one shows its lines of the "
     "other. Sources are found by the names in .file, from here or beside the PTX file."},
    {"branches", "The table of 'heddle run --profile', linked to the lines."},
    {"control flow", "The graph of each function, coloured by how many lanes are active in a block."},
    {"mechanisms", "Speed-ups, lane slots by reason, threads of an issue, costs of each branch."},
    {"lanes over time",
     "Warps of one SM over cycles: density where many issues fall on a point, single issues in close-ups."},
    {"series, occupancy, statistics",
     "IPC, active lanes and hits over time; blocks and warps on an SM and what limits them; every number."},
    {0},
};
static const struct help_section report_sections[] = {
    {"Arguments", "Program and launch as of 'heddle run'.", no_entries},
    {"What the page shows", "", report_shows},
    {"The file",
     "One HTML file that needs no network and no other file. The same run gives the same bytes. What is "
     "recorded of time is bounded, so that a long run gives no larger page than a short one.",
     no_entries},
    {0},
};
static const struct help_entry report_examples[] = {
    {"heddle report examples/photons.ptx",
     "Where do the photons lose their lanes? The answer is in report.html."},
    {"heddle report @mandelbrot --mech pdom,dwf,volta --html mandelbrot.html",
     "A workload under three mechanisms, side by side."},
    {0},
};

const struct command command_report = {
    .name = "report",
    .operands = "FILE|@NAME",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "write a page that shows what control flow costs, and where",
    .text =
        "Runs a kernel or a workload under one mechanism or several and writes one HTML page: the source "
        "with what each line costs, its branches and its control-flow graph, the mechanisms side by side, "
        "and the lanes of an SM over time.",
    .options = report_options,
    .sections = report_sections,
    .examples = report_examples,
    .run = report_main,
};

/* The command line of `heddle explain`, as data. */
#include "cli/cmd/commands.h"

static const struct opt explain_options[] = {
    {"warp", 'w', false, "[BLOCK:]N|all",
     "Which warp of the machine, counted from 0 in its block; all: every warp of the block. Without it, warp "
     "0 of block 0."},
    {"steps", 'n', false, "N", "Stop after N instructions of it (default 200; of a page 2000)."},
    {"html", 0, OPT_WRITES, "FILE",
     "Write a page to FILE instead: the mechanisms side by side, to step through forward and back. It needs "
     "a browser and nothing else."},
    {"lanes", 'l', false, NULL, "Every instruction on a line of its own."},
    {"all", 0, false, NULL, "The same, and the tables after each."},
    {"config", 'c', OPT_READS, "NAME|FILE",
     "The machine: one of 'heddle list configs', or a file (default tiny: one small SM with warps of 8)."},
    {"set", 'S', true, "KEY=VALUE", "Set an option of the machine, as in --set sm.depth=1."},
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    {"size", 0, false, "SIZE", "Of a workload: tiny (what it is without this option), small or paper."},
    ISA_ROW,
    {"launch", 0, false, "N",
     "Of a workload: which launch, counted from 0; with --kernel, which of that kernel. Without it, the "
     "first."},
    MAX_INSTS_ROW,
    {0},
};
static const struct help_entry explain_shows[] = {
    {"cycles", "From issue to commit."},
    {"PCs, block of code", "As 'heddle inspect --code' numbers them."},
    {"lanes", "# runs it, . does not, lane 0 first. Of several warps, each with its number. +N: so many "
              "threads of other warps run with them."},
    {"instructions", "With the line of the PTX and of the source. Consecutive ones of a block of code that "
                     "do nothing but go on are counted, not shown; -> where they go on, if not at the next."},
    {"go to, exit, wait", "What became of which lanes, where they did not all go on together."},
    {"tables", "What the mechanism keeps for these threads, whenever other threads are together in it than "
               "before, and what it says itself. Its page in docs/mechanisms says how to read them."},
    {0},
};
static const struct help_section explain_sections[] = {
    {"Arguments",
     "MECH is one of 'heddle list mechanisms', with parameters of its own as in pdom:side=most; of several "
     "each is told in turn. Launch options are those of 'heddle run', and a file may carry them. What a file "
     "carries is cut to a few warps of one block, and the output says so; --grid and --block are kept. Of a "
     "workload (@NAME, one of 'heddle list workloads') the first launch is told, or the one that --launch "
     "and --kernel choose.",
     no_entries},
    {"What it shows", "", explain_shows},
    {0},
};
static const struct help_entry explain_examples[] = {
    {"heddle explain pdom examples/diamond.ptx",
     "The stack of a warp, as two nested branches part its four threads and join them."},
    {"heddle explain nrec examples/collatz.ptx --warp 2:1 --steps 50",
     "The first fifty instructions of the second warp of the third block."},
    {"heddle explain pdom,dwf,volta examples/collatz.ptx --html collatz.html",
     "A page to step through three mechanisms side by side."},
    {0},
};

const struct command command_explain = {
    .name = "explain",
    .operands = "MECH[,MECH]... FILE[:KERNEL]|@NAME",
    .min_operands = 1,
    .max_operands = 2,
    .summary = "show step by step what a mechanism does with a warp",
    .text = "Runs a kernel and shows one warp, or all of a block: every instruction with the lanes that run "
            "it, where they part, meet, wait and exit, and the mechanism's tables after each change.",
    .options = explain_options,
    .sections = explain_sections,
    .examples = explain_examples,
    .run = explain_main,
};

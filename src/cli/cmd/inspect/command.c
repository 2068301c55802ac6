/* The command line of `heddle inspect`, as data. */
#include "cfg/form.h"
#include "cli/cmd/commands.h"

#define FORM_WORD(word, value) " " #word
static const struct opt inspect_options[] = {
    {"kernel", 'k', false, "NAME", "Only this kernel or function."},
    {"code", 'c', false, NULL, "List the instructions instead, as heddle runs them, block by block."},
    {"dot", 0, false, NULL,
     "Print the control-flow graph of one kernel for Graphviz instead; with --code, every instruction in "
     "it."},
    {"form", 0, false, "FORM",
     "Show that form of the program, as hardware that needs it would get it, with the instructions it adds: "
     "one of" CFG_FORM_CHOICES(FORM_WORD) "."},
    {"json", 0, false, NULL, "Print everything as JSON instead."},
    ISA_ROW,
    CUDA_FLAGS_ROW,
    CUDA_COMPILER_ROW,
    {0},
};
static const struct help_entry inspect_shows[] = {
    {"parameters", "Number, name, type, bytes and offset of each: what --arg of 'heddle run' has to supply."},
    {"registers",
     "32-bit registers a thread needs, calls included: what limits how many threads fit on an SM. As rows "
     "that its values take here, and an estimate of what compiled code has (sm.register_count)."},
    {"structure",
     "Whether the graph is nested if, else, while and switch; structured but for loops with breaks; "
     "unstructured; or irreducible (a loop with two entries): with the block that shows it and why."},
    {"branches", "Every conditional or indirect branch with its targets and its immediate post-dominator "
                 "(IPDOM), the earliest block where all its threads meet again; PTX lines, and source lines "
                 "where the compiler left them."},
    {"loops",
     "Header, depth, blocks, ways out; breaks: left from more than one block or to more than one place."},
    {"marks",
     "With --form: every instruction that the form added or made a mark of, with its block and line."},
    {"mix", "Instructions by the class of the unit that runs them, as they stand in the code."},
    {0},
};
static const struct help_section inspect_sections[] = {
    {"What it shows", "For each kernel and device function:", inspect_shows},
    {0},
};
static const struct help_entry inspect_examples[] = {
    {"heddle inspect examples/collatz.ptx", "Where does it branch, and where do the branches meet again?"},
    {"heddle inspect examples/collatz.ptx --dot | dot -Tsvg > collatz.svg", "A picture of it."},
    {"heddle inspect examples/collatz.ptx --form volta --code",
     "What a machine with convergence barriers would get; + marks what was added."},
    {0},
};

const struct command command_inspect = {
    .name = "inspect",
    .operands = "FILE|@NAME",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "show kernels, their parameters, control flow and resources",
    .text = "Loads FILE, or the kernels of the workload NAME, and shows what is known before they run.",
    .options = inspect_options,
    .sections = inspect_sections,
    .examples = inspect_examples,
    .run = inspect_main,
};

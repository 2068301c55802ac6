/* The command line of `heddle reproduce`, as data. */
#include <stdint.h>

#include "cli/cmd/commands.h"

static const struct opt reproduce_options[] = {
    {"list", 'l', false, NULL,
     "Show the claims, what the papers say, what each rests on, and what those that cannot be checked wait "
     "for."},
    SIZE_ROW,
    {"isa", 0, false, "ptx|riscv|riscv-O1",
     "Which builds of the programs run (docs/riscv.md). Claims about programs that are not compiled for it "
     "are left "
     "out: all but those of Fung's thesis."},
    {"db", 0, OPT_UPDATES, "FILE",
     "Keep every run in this SQLite file, as 'heddle sweep' does: what is there does not run again."},
    {"jobs", 'j', false, "N", "Simulations at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each claim and each workload of it to FILE."},
    {"html", 0, OPT_WRITES, "FILE",
     "Write a page to FILE: the score, and every claim with the paper's value and ours as bars, to sort and "
     "filter. It needs a browser and nothing else."},
    {"markdown", 0, false, NULL, "Print the result as Markdown."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry reproduce_shows[] = {
    {"The score",
     "Of the predictions, and of the chosen claims, that could be checked, those with the right sign and "
     "those within a third "
     "of the paper's number: counted by value, where each program's value of a table counts one, "
     "and by claim, where a table counts one; signs also without those of which the paper says that nothing "
     "changes ('even', 'stays'). docs/reproduction.md has the rules."},
    {"paper, ours", "What the paper says, and what comes out here, by the paper's own mean."},
    {"verdict", "'within a third' of the paper's number; 'off': the sign is right, the size is not; 'sign "
                "differs'; 'no effect': 0.0 here; 'agrees' with a direction or bound, which have no size."},
    {"basis", "'predicted': nothing was fitted to the number. 'chosen': neither, but an option or program "
              "was settled after its effect had been seen. 'fitted': a program or model was. 'derived': "
              "computed from the paper's numbers, or following from other claims. 'definition': a check of "
              "the implementation or a property of the program. The score counts predictions and, apart from "
              "them, what is chosen."},
    {"By workload", "What the number is made of; in parentheses the paper's value where it gives one."},
    {"The sign differs", "Where ours is a loss and the paper's a gain, or the other way round: the workload "
                         "that decides it, and which statistics changed there."},
    {"NAME has no value", "A run that failed or whose results are wrong counts for no claim. Wrong results "
                          "make the exit status 1."},
    {0},
};
static const struct help_section reproduce_sections[] = {
    {"What it shows", "", reproduce_shows},
    {0},
};
static const struct help_entry reproduce_examples[] = {
    {"heddle reproduce --list", "What there is to reproduce."},
    {"heddle reproduce dwf.pdom dwf.oracle-contrived --size tiny",
     "Two claims, quickly: at this size the figures only show that it works."},
    {"heddle reproduce --db results.sqlite", "All of them; a second run takes everything from the file."},
    {"heddle reproduce --db results.sqlite --html claims.html", "The same as a page for a browser."},
    {"heddle reproduce --isa riscv --db results.sqlite",
     "Claims about the programs of Fung's thesis, compiled for RISC-V; others are left out."},
    {0},
};

const struct command command_reproduce = {
    .name = "reproduce",
    .operands = "[CLAIM...]",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "the papers' claims, with our figures beside them",
    .text =
        "Runs what each claim needs, on the paper's machine and workloads, and prints the score, claim, the "
        "paper's value, ours, a verdict, and the values by workload. At size small the thesis's machine has "
        "a quarter of "
        "its cores and memory, so that the launches fill it. CLAIM is one of --list, or a paper: dwf, "
        "harp, mp, sl. Without one, all of them.",
    .options = reproduce_options,
    .sections = reproduce_sections,
    .examples = reproduce_examples,
    .run = reproduce_main,
};

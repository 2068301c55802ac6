/* The command line of `heddle study`, as data. */
#include <stdint.h>

#include "cli/cmd/commands.h"

static const struct opt study_options[] = {
    MACHINE_ROWS,
    {"mech", 'M', OPT_LIST, "NAME[:KEY=VALUE]...,...|all",
     "Of progress: mechanisms, as of 'heddle compare' (default all). Of oracle-lanes: the one whose issues "
     "are compared with the bound; of factors and sensitivity: the one whose statistic is the response "
     "(default pdom)."},
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    SIZE_ROW,
    ISA_ROW,
    {"factor", 'f', true, "[NAME:]KEY=LOW,HIGH[:KEY=LOW,HIGH]...",
     "Of factors: an option of the machine or a parameter of the mechanism (harp.first) and its two levels; "
     "options that go together make one factor."},
    {"runs", 'r', false, "N",
     "Of factors: 8, 12, 16, 20 or 24; the smallest that has a column for each factor unless given."},
    {"foldover", 0, false, NULL,
     "Of factors: as many runs again with all levels reversed, which takes interactions of two factors out "
     "of the effects."},
    {"preset", 'p', false, "NAME",
     "Of factors: a paper's design, its values beside ours: harp (HARP 7.2.1, Table 6). Without programs, "
     "with the paper's."},
    {"over", 'o', true, "KEY=VALUE,VALUE,...",
     "Of sensitivity: an option and the values it takes; several are varied one at a time. Written as "
     "--factor, with as many values as one likes."},
    {"response", 'R', false, "STAT",
     "Of factors and sensitivity: the statistic that is looked at, of 'heddle list stats' (default "
     "gpu.ipc)."},
    {"relative-to", 0, false, "MECH", "Of these: the response is the statistic over that of this mechanism."},
    {"mean", 0, false, "KIND",
     "Of these: over programs, harmonic, geometric or arithmetic (default: geometric with --relative-to, "
     "arithmetic without)."},
    {"db", 'd', OPT_UPDATES, "FILE",
     "Of these: keep every run in this SQLite file, as 'heddle sweep' does: what is there does not run "
     "again."},
    {"jobs", 'j', false, "N", "Programs at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each cell, effect or value to FILE; not of bounds."},
    {"markdown", 0, false, NULL, "Print the tables as Markdown; not of bounds."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry study_kinds[] = {
    {"oracle-lanes", "For each block and each PC, the lane that executes it most often decides how many "
                     "issues it takes at least, if threads may be regrouped at will within their block but "
                     "keep their lanes. The sum bounds lane activity under any regrouping (HARP 3.2)."},
    {"oracle-reconvergence",
     "The traces of the first 128 threads of every launch, in warps of four, aligned as well as can be: what "
     "reconvergence at the best points would save over that at post-dominators (DWF 3.3). The machine, "
     "dwf-8800gtx unless --config says another, gets ideal memory."},
    {"progress",
     "Which of a set of small kernels that wait for other threads (spin locks, flags, barriers) end under "
     "which mechanisms: ends, deadlock (proved, and the mechanism's doing), refused. Names of kernels after "
     "it choose among them."},
    {"table1",
     "The ten schemes of divergence control that SL compares in its Table 1, the paper's words beside what "
     "comes out here: traversal order, reconvergence, recursion, indirect branches."},
    {"factors",
     "Which options move a response most: every factor is low in half of the runs of a Plackett-Burman "
     "design and high in the others, and its effect is the difference of the means (HARP 7.2.1). Columns "
     "without a factor tell how large an effect must be to mean something."},
    {"sensitivity",
     "A response at each value of an option, all others left as they are: its mean, smallest, largest and "
     "standard deviation."},
    {0},
};
static const struct help_section study_sections[] = {
    {"Studies", "", study_kinds},
    {"Programs", "As of 'heddle compare'.", no_entries},
    {0},
};
static const struct help_entry study_examples[] = {
    {"heddle study oracle-reconvergence @odd-even @mandelbrot --size tiny",
     "The thesis's contrived loop, and an ordinary one."},
    {"heddle study oracle-lanes examples/photons.ptx @bfs --size tiny", "How full could their warps be?"},
    {"heddle study progress lock-warp lock-inside --mech pdom,minpc,mimd",
     "Which lock ends under a stack, and which without one?"},
    {"heddle study factors @mu @ray --size tiny --mech harp --relative-to pdom --factor sm.depth=8,16 "
     "--factor "
     "sm.simd_width=16,32 --factor harp.first=4,8",
     "What HARP's lead over a stack depends on."},
    {"heddle study factors --preset harp", "HARP's Table 6, ours beside it."},
    {"heddle study sensitivity @hspt @mp --mech harp --relative-to pdom --over harp.first=4,8,16",
     "How much depends on a size that the paper does not give."},
    {0},
};

const struct command command_study = {
    .name = "study",
    .operands = "STUDY [FILE[:KERNEL]|@NAME|LITMUS]...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .summary = "bounds that no mechanism can beat; which kernels end; which options matter",
    .text = "Runs every program and computes, from what its threads executed, a limit on what scheduling can "
            "reach; or runs litmus kernels under every mechanism and shows which of them end; or varies "
            "options of the machine and shows what they do to a statistic.",
    .options = study_options,
    .sections = study_sections,
    .examples = study_examples,
    .run = study_main,
};

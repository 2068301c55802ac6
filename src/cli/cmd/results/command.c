/* The command line of `heddle results`, as data. */
#include <stdint.h>

#include "cli/cmd/commands.h"

static const struct opt results_options[] = {
    {"db", 'd', OPT_READS, "FILE", "The database of a sweep. It is not changed."},
    {"only", 'o', true, "AXIS=VALUE,...",
     "Only points that have one of these values there; several --only must all hold."},
    {"value", 'v', OPT_REPEAT | OPT_LIST, "NAME,...",
     "Statistics to show, of 'heddle list stats', or host.seconds. The section may be left out: ipc is "
     "gpu.ipc."},
    {"rows", 'r', OPT_LIST, "AXIS,...", "A table of one statistic: what its rows are."},
    {"cols", 'C', OPT_LIST, "AXIS,...", "And its columns."},
    {"over", 0, OPT_REPEAT | OPT_LIST, "AXIS,...[:KIND]",
     "Points that differ in nothing else share a cell of the table, which has their mean and spread: --over "
     "memory.seed. KIND is arithmetic (the default), geometric or harmonic: --over workload:geometric."},
    {"spread", 0, false, "KIND",
     "Of these: range, from the smallest to the largest (the default), or deviation, their standard "
     "deviation."},
    {"relative-to", 0, false, "COLUMN",
     "Every value over that of this column in its row; with --over point by point, seed 3 over seed 3."},
    {"mean", 0, false, "KIND",
     "A last row with the mean of each column, of its values as shown: harmonic, geometric or arithmetic."},
    {"csv", 0, OPT_WRITES, "FILE", "Write it to FILE as comma-separated values; - is standard output."},
    {"json", 0, OPT_WRITES, "FILE",
     "Write it to FILE as JSON, the list with every option of every machine; - is standard output."},
    {"long", 0, false, NULL,
     "Of --csv and --parquet: a row for each point and statistic, with a column for each option that points "
     "differ in."},
    {"parquet", 0, OPT_WRITES, "FILE",
     "Write the list to FILE as Parquet: a column of its own for each option that points differ in, numbers "
     "as numbers."},
    {"html", 0, OPT_WRITES, "FILE",
     "Write a page to FILE that draws it: bars, lines, a heat map or dots, whose axes the reader can change. "
     "It needs a browser and nothing else."},
    {"svg", 0, OPT_WRITES, "FILE",
     "Draw the table to FILE as SVG. Without --rows and --cols they come from what the points differ in, and "
     "seeds are averaged. It needs gnuplot."},
    {"plot", 'p', false, "KIND",
     "Of these: bars (a group for each row, a bar for each column), lines (one for each column, over rows "
     "that are numbers), heat (the table, its cells coloured) or scatter (a dot for each cell). Without it, "
     "what fits the table."},
    {"x", 0, false, "NAME", "Of a scatter plot: the statistic to the right."},
    {"y", 0, false, "NAME", "And the one upwards, which --relative-to divides."},
    {"log", 0, false, "x|y|x,y|none",
     "Of lines and scatter plots: which axes are logarithmic. Without it, those that show it better so."},
    {"host", 0, false, NULL,
     "Also host seconds, which are left out of lists by default since they differ from run to run."},
    {0},
};
static const struct help_entry results_axes[] = {
    {"workload, size, config", "What ran, and on which machine."},
    {"mech", "The mechanism, with those of its parameters that are not the configuration's."},
    {"options", "Options that are not the configuration's, as one text; - where there are none."},
    {"version, state", "heddle's version, after its + a hash of the sources of that build; ok, wrong, "
                       "failed, refused or killed."},
    {"KEY", "Any key of 'heddle list options': its value at that point, wherever it came from; and whatever "
            "else stands as KEY=VALUE in a point's options."},
    {0},
};
static const struct help_entry results_joins[] = {
    {"OUT", "The database: made when it is not there, else added to."},
    {"IN",
     "Shards ('heddle sweep --shard') of one sweep, and databases. A shard that was killed or cut gives "
     "what it has, and is named. Another program's file, shards of different sweeps, or different "
     "results for one point are refused. Joining the same files again changes nothing."},
    {0},
};
static const struct help_section results_sections[] = {
    {"merge OUT IN...", "", results_joins},
    {"Axes", "What --only, --rows, --cols and --over take:", results_axes},
    {0},
};
static const struct help_entry results_examples[] = {
    {"heddle results --db results.sqlite --rows workload --cols mech --value ipc --relative-to pdom --mean "
     "geometric",
     "Speed-ups over a stack."},
    {"heddle results --db results.sqlite --only workload=bfs --rows sm.warp_size --cols mech --value "
     "sm.lane_activity",
     "What wider warps cost."},
    {"heddle results --db results.sqlite --rows workload --cols mech --value ipc --relative-to pdom --plot "
     "heat --svg speedups.svg",
     "Speed-ups as a picture for a paper."},
    {"heddle results --db results.sqlite --rows sm.warp_size --cols mech --over memory.seed --value ipc "
     "--svg warps.svg",
     "Lines with a band from the worst seed to the best."},
    {"heddle results --db results.sqlite --x sm.lane_activity --y ipc --svg dots.svg",
     "Does IPC follow lane activity?"},
    {"heddle results --db results.sqlite --csv all.csv", "Every statistic of every point."},
    {"heddle results --db results.sqlite --value ipc,cycles --long --csv -", "For a notebook."},
    {"heddle results merge results.sqlite results.sqlite.*-of-4", "Four shards become one database."},
    {0},
};

const struct command command_results = {
    .name = "results",
    .operands = "[merge OUT IN...]",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "show, tabulate, draw, export and join what sweeps stored",
    .text = "Lists the points of a database, lays one statistic out as a table, or draws it. With merge, "
            "joins files: "
            "shards and databases IN to the database OUT, all of them or, where one does not belong there, "
            "none.",
    .options = results_options,
    .sections = results_sections,
    .examples = results_examples,
    .run = results_main,
};

#!/bin/bash
# @NAME: workloads under run, compare, explain and inspect; their list; which options do not go with them.
. tests/cli/lib.inc
small="--size tiny --config tiny"

run list workloads
expect_status 0 "list workloads succeeds"
[ "$(awk '{ print $1 }' "$out")" = "$(sed -n 's/^WORKLOAD([a-z0-9_]*, "\([^"]*\)".*/\1/p' workloads/workloads.def)" ]
verdict $? "and has a line for each row of the table, the name first"
expect_in_out "12288 threads" "with the paper's launch"
run list workloads --json
at=$(($(sed -n 's/^WORKLOAD([a-z0-9_]*, "\([^"]*\)".*/\1/p' workloads/workloads.def | grep -nx matrix | cut -d: -f1) - 1))
expect_json "$out" $at/name '"matrix"' "list workloads --json has the name"
expect_json "$out" $at/divergence '"none"' "and the class"
run list workloads --markdown
grep -q '^| matrix | DWF | none | ptx, riscv, riscv-O1 | 12288 threads | naive ' "$out"
verdict $? "--markdown is a table"
refused "--json and --markdown are two forms" "one form at a time" list workloads --json --markdown

run run @matrix $small --mech pdom --json "$work/matrix.json"
expect_status 0 "run @NAME succeeds"
for text in "workload            @matrix (DWF), tiny" "check               512 values verified against the CPU" "kernel              matrix" \
    "launch              8 blocks of 64 threads" "machine             tiny, 1 SM, pdom" "IPC"; do
    expect_in_out "$text" "the report shows: $text"
done
expect_json "$work/matrix.json" workload/name '"matrix"' "JSON says what ran"
expect_json "$work/matrix.json" workload/size '"tiny"' "at which size"
expect_json "$work/matrix.json" workload/checked 512 "and how many values were checked"
expect_json "$work/matrix.json" kernels/0/kernel '"matrix"' "JSON has the launch"
expect_json "$work/matrix.json" kernels/0/grid/1 1 "whose dimensions are at least 1"
run run @matrix --functional
expect_in_out "@matrix (DWF), small" "the size is small unless said"
expect_in_out "divergent branches" "without time too"
! grep -q cycles "$out"
verdict $? "and then there are no cycles"
run run @matrix $small --quiet
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"
run run @matrix $small --max-insts 1000
expect_status 1 "--max-insts bounds each launch"
expect_err "the limit is 1000" "and says so"
run run @mandelbrot --size tiny --max-insts 1000
expect_err "stopped after 1024 thread instructions (the limit is 1000)" "counted over all SMs"

run run @nw $small --mech pdom --interval 20000 --profile --json "$work/nw.json" --trace "$work/nw.txt" --timeline "$work/nw.tl"
expect_in_out "launches            7 of 2 kernels" "several launches are counted"
[ "$(grep -cE '^ +[0-6]  nw_(upper_left|lower_right) +[0-9,]+ +[0-9.]+ +[0-9.]+ %  [1-4] blocks? of 16 threads$' "$out")" -eq 7 ]
verdict $? "and listed one by one"
expect_in_out "  launch  cycle   IPC" "the time series has a column for the launch"
expect_in_out "Branches" "the profile is of all launches"
expect_json "$work/nw.json" kernels/6/kernel '"nw_lower_right"' "JSON has every launch"
"${work}/json" "$work/nw.json" kernels/7/kernel >/dev/null 2>&1
[ $? -ne 0 ]
verdict $? "and no more"
sum=0
for i in 0 1 2 3 4 5 6; do sum=$((sum + $("$work/json" "$work/nw.json" kernels/$i/gpu.cycles))); done
expect_json "$work/nw.json" total/gpu.cycles $sum "the total is their sum"
expect_json "$work/nw.json" total/exec.launches 7 "over all launches"
expect_json "$work/nw.json" kernels/3/exec.launches 1 "each having its own statistics"
[ -n "$("$work/json" "$work/nw.json" kernels/3/series/0/cycle)" ]
verdict $? "and its own time series"
[ -n "$("$work/json" "$work/nw.json" total/profile/branches/0/line)" ]
verdict $? "the profile belongs to the total"
[ "$(grep -c '^# kernel nw_' "$work/nw.txt")" -eq 7 ]
verdict $? "the trace goes over all launches"
expect_json "$work/nw.tl" displayTimeUnit '"ns"' "the timeline is JSON"
[ "$(grep -c '"name":"block 0".*"ph":"b"' "$work/nw.tl")" -eq 7 ]
verdict $? "and goes over all launches too"
run run @nw --functional
grep -qE '^ +16  nw_upper_left .* 1 to 16 blocks of 16 threads$' "$out"
verdict $? "many launches are grouped by kernel"
[ "$(grep -c nw_ "$out")" -eq 2 ]
verdict $? "one line each"
run run @nw $small --mech pdom --json "$work/again.json" --quiet --interval 20000 --profile
unwatched() { grep -vE '"gpu\.(windows|lockstep_)' "$1"; } # a trace is written in lockstep, and that is counted
cmp -s <(unwatched "$work/nw.json") <(unwatched "$work/again.json")
verdict $? "a trace changes no other byte"
run run @nw $small --mech pdom --json "$work/third.json" --quiet --interval 20000 --profile
cmp -s "$work/again.json" "$work/third.json"
verdict $? "two runs write the same bytes"
run run @spin-lock $small --mech pdom --set gpu.watchdog=5000 --trace "$work/lock.txt"
expect_status 1 "a workload that deadlocks ends with status 1"
expect_err "SIMT-induced deadlock" "and says why"
[ -s "$work/lock.txt" ] && [ ! -s "$out" ]
verdict $? "its trace is kept, and nothing else is shown"

run compare @matrix @nw tests/cli/timed.ptx:diverge $small --mech pdom,mimd --json "$work/c.json" --csv "$work/c.csv"
expect_status 0 "compare takes workloads and files"
expect_in_out "@nw  tiny, 7 launches" "a workload's table says size and launches"
expect_in_out "diverge  tests/cli/timed.ptx, 4 blocks of 64 threads" "beside a file's"
expect_in_out "all 3 programs" "and one mean of all"
expect_json "$work/c.json" kernels/2/workload '"nw"' "JSON names the workload"
expect_json "$work/c.json" kernels/2/launches 7 "its launches"
expect_json "$work/c.json" kernels/2/gpu.cycles $sum "the same cycles as run"
expect_json "$work/c.json" kernels/4/kernel '"diverge"' "and the file's kernel"
grep -q '^@nw,,tiny,mimd,ok,' "$work/c.csv"
verdict $? "CSV has the size"
run compare @matrix tests/cli/timed.ptx:diverge $small --mech pdom --grid 1
expect_in_out "1 block of 64 threads" "a launch option is for the files of a mixture"
run compare @spin-lock @matrix $small --mech mimd,pdom --set gpu.watchdog=5000
expect_status 1 "a workload that fails under one mechanism ends with status 1"
expect_err "@spin-lock under pdom: SIMT-induced deadlock" "naming both"
expect_in_out "@matrix  tiny, 1 launch" "the others stay"
for j in 1 3; do run compare @matrix @nw @mu $small --mech pdom,dwf --jobs $j --json "$work/j$j.json" --quiet; done
cmp -s "$work/j1.json" "$work/j3.json"
verdict $? "--jobs does not change a byte"

run inspect @nw
expect_in_out "@nw  PTX 7.0" "inspect takes a workload"
[ "$(grep -c '^kernel nw_' "$out")" -eq 2 ]
verdict $? "and shows all its kernels"
run inspect @nw --kernel nw_lower_right --dot
expect_in_out "digraph" "or one of them"

run explain pdom @nw --steps 20
expect_in_out "nw_upper_left under pdom (Post-dominator stack) on tiny, @nw tiny, launch 0, block 0, warp 0" "explain tells the first launch"
expect_in_out "... stopped after 20 steps" "up to --steps"
run explain pdom @nw --steps 20 --launch 4
expect_in_out "nw_lower_right under pdom (Post-dominator stack) on tiny, @nw tiny, launch 4," "--launch chooses"
run explain pdom @nw --steps 20 --kernel nw_lower_right --launch 1 --warp 1:0
expect_in_out "launch 5, block 1, warp 0" "--launch counts those of --kernel"
run explain pdom @matrix --steps 100000
expect_status 0 "a launch that is told to its end is fine"
run explain pdom @nw --launch 3 --steps 100000
expect_status 0 "also where others would follow"
refused "--launch: there is no launch 7 (@nw has 7, counted from 0)" "a launch there is not" explain pdom @nw --launch 7
refused "--launch: there is no launch 3 of nw_lower_right (@nw has 3, counted from 0)" "nor of that kernel" explain pdom @nw --kernel nw_lower_right --launch 3
refused "@nw launches no kernel nw_upper; 'heddle inspect @nw' shows them" "a kernel there is not" explain pdom @nw --kernel nw_upper
refused "--warp: there is no block 1 (the grid has 1, counted from 0)" "a block that launch has not" explain pdom @nw --warp 1:0
refused "--launch is for workloads (@NAME), not for files" "--launch of a file" explain pdom examples/diamond.ptx --launch 0

for c in run compare "explain pdom" inspect; do
    refused "there is no workload 'matirx' (did you mean @matrix?)" "$c: a mistyped workload is suggested" $c @matirx
done
refused "there is no workload 'bsf' (did you mean @bfs?)" "two swapped letters are one mistake" run @bsf
refused "there is no workload ''; 'heddle list workloads' shows them" "no name at all" run @
refused "(the workload is @matrix)" "a workload without its @" run matrix
refused "--size: there is no size 'huge': tiny, small or paper" "a size there is not" run @matrix --size huge
refused "--size is for workloads (@NAME), not for files" "--size of a file" run examples/collatz.ptx --size tiny
refused "--size is for workloads (@NAME), not for files" "--size of files" compare examples/collatz.ptx --size tiny
for o in "--grid 4" "--block 64" "--shared 8" "--arg u32:1" "--print 0" "--dump 0:f" "--kernel matrix"; do
    refused "${o% *} does not go with @matrix: a workload brings its own kernels, launches and inputs" "$o with a workload" run @matrix $o
done
refused "--grid does not go with @matrix" "nor in compare" compare @matrix @nw --grid 4
refused "--arg does not go with @matrix" "nor in explain" explain pdom @matrix --arg u32:1
refused "--interval needs a timed run" "what needs time does not go with --functional" run @matrix --functional --interval 10
refused "did you mean tiny?" "a mistyped configuration is suggested" run @matrix --config tniy

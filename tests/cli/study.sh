#!/bin/bash
# heddle study: bounds on files and workloads, as tables and JSON; what it refuses.
. tests/cli/lib.inc
file=tests/cli/timed.ptx

# ---- oracle-lanes ----
run study oracle-lanes $file:diverge @mu --size tiny --json "$work/lanes.json"
expect_status 0 "oracle-lanes succeeds on a file and a workload"
grep -qE "^$file:diverge +diverge +1 " "$out" && grep -qE '^@mu +mu +1 +[0-9,]+ +[0-9,]+ +[0-9,]+ +[0-9.]+ % +[0-9.]+ %$' "$out"
verdict $? "a row for each kernel"
[ ! -s "$err" ]
verdict $? "without a word on standard error"
expect_json "$work/lanes.json" study '"oracle-lanes"' "JSON names the study"
expect_json "$work/lanes.json" programs/1/program '"@mu"' "its programs in order"
expect_json "$work/lanes.json" programs/0/kernels/0/kernel '"diverge"' "their kernels"
expect_json "$work/lanes.json" programs/1/warp_size 32 "the width of a warp"
part() { "$work/json" "$work/lanes.json" "programs/$1/total/$2"; }
[ "$(part 1 fewest)" -lt "$(part 1 issues)" ] && [ $(($(part 1 fewest) * 32)) -ge "$(part 1 thread_insts)" ]
verdict $? "the bound is below the run and above what all lanes at work would take"
run study oracle-lanes @matrix --size tiny --json -
"$work/json" "$out" programs/0/total/bound >"$work/bound" && [ "$(cat "$work/bound")" = 1.0 ]
verdict $? "JSON on standard output is all there is; nothing is lost where nothing diverges"
run study oracle-lanes @mu --size tiny --set sm.warp_size=8 --set sm.simd_width=8 --mech dwf --json "$work/dwf.json"
expect_json "$work/dwf.json" programs/0/warp_size 8 "another machine and mechanism"
expect_json "$work/dwf.json" programs/0/total/thread_insts "$(part 1 thread_insts)" "execute the same"

# ---- oracle-reconvergence ----
pair="$file:diverge @loop-break @bitonic --size tiny"
for j in 1 2; do
    run study oracle-reconvergence $pair --jobs $j --json "$work/rec$j.json"
    cp "$out" "$work/rec$j.txt"
done
expect_status 0 "oracle-reconvergence succeeds on a file and workloads"
cmp -s "$work/rec1.json" "$work/rec2.json" && cmp -s "$work/rec1.txt" "$work/rec2.txt"
verdict $? "--jobs 2 gives the same bytes as --jobs 1"
expect_json "$work/rec1.json" programs/2/total/kernel '"total"' "a total over kernels"
expect_json "$work/rec1.json" programs/2/kernels/1/kernel '"step"' "and each of them"
grep -qE '^ +total ' "$out"
verdict $? "in the table too"
rec() { "$work/json" "$work/rec1.json" "programs/$1/total/$2"; }
for k in 0 1 2; do
    [ "$(rec $k oracle)" -le "$(rec $k pdom)" ] && [ "$(rec $k pdom)" -le "$(rec $k nrec)" ]
    verdict $? "the oracle is at least as good as pdom, and that as nrec (program $k)"
done
run study oracle-reconvergence $pair --quiet
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"

# ---- programs that do not end ----
run study oracle-reconvergence @spin-lock @loop-break --size tiny --json "$work/some.json"
expect_status 1 "a program that deadlocks makes the status 1"
expect_err "@spin-lock: under pdom: SIMT-induced deadlock" "says so"
grep -q '^@loop-break' "$out"
verdict $? "and leaves the others"
"$work/json" "$work/some.json" programs/0/error | grep -q "SIMT-induced deadlock"
verdict $? "JSON has the reason"
run study oracle-reconvergence @spin-lock --size tiny
[ "$status" -eq 1 ] && [ ! -s "$out" ]
verdict $? "no table without a result"

# ---- progress ----
for j in 1 2; do
    run study progress --mech pdom,pdom:side=fallthrough,minpc,mimd --jobs $j --json "$work/progress$j.json" --csv "$work/progress$j.csv"
    cp "$out" "$work/progress$j.txt"
done
expect_status 0 "a grid with deadlocks is a result"
[ ! -s "$err" ]
verdict $? "without a word on standard error"
cmp -s "$work/progress1.json" "$work/progress2.json" && cmp -s "$work/progress1.csv" "$work/progress2.csv" && cmp -s "$work/progress1.txt" "$work/progress2.txt"
verdict $? "--jobs 2 gives the same bytes as --jobs 1"
grep -qE '^  pdom +deadlock +ends +ends +ends +ends +ends +goes on$' "$out" && grep -qE '^  pdom:side=fallthrough +ends +deadlock +deadlock +ends +deadlock$' "$out" &&
    grep -qE '^  mimd +ends +ends +ends$' "$out"
verdict $? "a row for each mechanism in each group"
grep -qx 'goes on: in 1,000,000 cycles it neither ended nor was proved never to' "$out"
verdict $? "says what its words mean"
expect_json "$work/progress1.json" study '"progress"' "JSON names the study"
expect_json "$work/progress1.json" kernels/0/kernel '"lock-warp"' "its kernels"
expect_json "$work/progress1.json" cells/0/outcome '"deadlock"' "and the outcomes"
"$work/json" "$work/progress1.json" cells/0/reason | grep -q "SIMT-induced deadlock.*go round a loop"
verdict $? "with the watchdog's report"
grep -qE '^pdom,lock-warp,deadlock,[0-9]+,"SIMT-induced deadlock: with every thread on its own, as under mimd, they finish"$' "$work/progress1.csv" &&
    grep -qE '^mimd,lock-warp,ends,[0-9]+,$' "$work/progress1.csv"
verdict $? "CSV has its first line"
run study progress relay handshake --mech pdom --markdown
expect_out "Waiting for the other side

| mechanism | relay | handshake |
|---|---|---|
| pdom | deadlock | deadlock |

ends: every thread ended and memory is right
deadlock: proved never to end, and to end if every thread runs on its own" "chosen kernels, in Markdown"
run study progress --mech all --quiet
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "every mechanism has an outcome that is nobody's fault; --quiet prints nothing"
run study progress two-locks --mech pdom --set gpu.max_cycles=5000
expect_in_out "goes on: in 5,000 cycles" "the bound is an option of the machine"
run study progress lock-warps --mech pdom --set sm.threads=64
expect_status 2 "a machine that a kernel does not fit on is an error"
expect_err "lock-warps under pdom: " "which names both"

# ---- table1 ----
for j in 1 2; do
    run study table1 --jobs $j --json "$work/table$j.json" --csv "$work/table$j.csv"
    cp "$out" "$work/table$j.txt"
done
expect_status 0 "SL's Table 1"
cmp -s "$work/table1.json" "$work/table2.json" && cmp -s "$work/table1.csv" "$work/table2.csv" && cmp -s "$work/table1.txt" "$work/table2.txt"
verdict $? "--jobs 2 gives the same bytes as --jobs 1"
grep -qE '^This paper +minpc:stack=div +PC +PC +PC +PC$' "$out" && grep -qE '^This paper +minpc:stack=div +Div +Div +Yes +Yes +Yes +Yes$' "$out"
verdict $? "the paper's words and ours, side by side"
expect_in_out "40 of 40 cells of SL's Table 1 are as in the paper." "all cells are as in the paper"
expect_json "$work/table1.json" schemes/9/recursion/ours '"Div"' "JSON has them"
grep -qx 'This paper,minpc:stack=div,recursion,Div,Div' "$work/table1.csv"
verdict $? "and CSV"
run study table1 --markdown
grep -qx '| This paper | minpc:stack=div | Div | Div | Yes | Yes | Yes | Yes |' "$out"
verdict $? "and Markdown"

# ---- what is refused ----
refused "--mech: the table has its own mechanisms" "another mechanism for table1" study table1 --mech pdom
refused "table1 takes no program" "a program for table1" study table1 @mu
refused "there is no litmus kernel 'lock-wrap' (did you mean 'lock-warp'?)" "a mistyped litmus kernel" study progress lock-wrap
refused "--grid: litmus kernels bring their launches and inputs" "a launch for litmus kernels" study progress --grid 4
refused "--csv is for grids" "a CSV of bounds" study oracle-lanes @mu --csv x.csv
refused "--mech names pdom twice" "a mechanism twice" study progress --mech pdom,pdom
refused "there is no study 'oracle-lane': did you mean 'oracle-lanes'?" "a mistyped study" study oracle-lane @mu
refused "there is no study 'xyz': oracle-lanes, oracle-reconvergence, progress, table1, factors, sensitivity" "an unknown study" study xyz @mu
refused "there is no workload 'mandelbrto' (did you mean @mandelbrot?)" "a mistyped workload" study oracle-lanes @mandelbrto
refused "there is no size 'huge'" "an unknown size" study oracle-lanes @mu --size huge
refused "cannot open nosuch.ptx" "a file that is not there" study oracle-lanes nosuch.ptx
refused "--mech: oracle-reconvergence is measured by nrec and pdom" "a mechanism for oracle-reconvergence" study oracle-reconvergence @mu --mech dwf
refused "did you mean 'pdom'?" "a mistyped mechanism" study oracle-lanes @mu --mech pdmo
refused "--jobs: N is at least 1" "no threads" study oracle-lanes @mu --jobs 0
refused "heddle study" "no program" study oracle-lanes
refused "No such file or directory" "a folder that is not there" study oracle-lanes @matrix --size tiny --json nowhere/x.json

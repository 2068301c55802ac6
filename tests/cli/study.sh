# heddle study: bounds on files and workloads, as tables and JSON; what it refuses.
. tests/cli/lib.sh
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
expect_json "$work/rec1.json" programs/2/kernels/1/kernel '"merge_far"' "and each of them"
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

# ---- what is refused ----
refused "there is no study 'oracle-lane': did you mean 'oracle-lanes'?" "a mistyped study" study oracle-lane @mu
refused "there is no study 'xyz': oracle-lanes, oracle-reconvergence" "an unknown study" study xyz @mu
refused "there is no workload 'mandelbrto' (did you mean @mandelbrot?)" "a mistyped workload" study oracle-lanes @mandelbrto
refused "there is no size 'huge'" "an unknown size" study oracle-lanes @mu --size huge
refused "cannot open nosuch.ptx" "a file that is not there" study oracle-lanes nosuch.ptx
refused "--mech: oracle-reconvergence is measured by nrec and pdom" "a mechanism for oracle-reconvergence" study oracle-reconvergence @mu --mech dwf
refused "did you mean 'pdom'?" "a mistyped mechanism" study oracle-lanes @mu --mech pdmo
refused "--jobs: N is at least 1" "no threads" study oracle-lanes @mu --jobs 0
refused "heddle study" "no program" study oracle-lanes
refused "No such file or directory" "a folder that is not there" study oracle-lanes @matrix --size tiny --json nowhere/x.json

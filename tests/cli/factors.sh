#!/bin/bash
# heddle study factors and heddle study sensitivity: effects, ranks, noise; files; what they refuse.
. tests/cli/lib.inc
pair="@loop-break @mandelbrot --size tiny --mech harp"
four="--factor sm.simd_width=16,32 --factor pipeline:sm.depth=8,32 --factor harp.first=4,8 --factor l1t.sets=64,128"

# ---- factors ----
for j in 1 2; do
    run study factors $pair --response cycles $four --runs 12 --jobs $j --json "$work/f$j.json" --csv "$work/f$j.csv"
    cp "$out" "$work/f$j.txt"
done
expect_status 0 "factors succeeds"
[ ! -s "$err" ]
verdict $? "without a word on standard error"
cmp -s "$work/f1.json" "$work/f2.json" && cmp -s "$work/f1.csv" "$work/f2.csv" && cmp -s "$work/f1.txt" "$work/f2.txt"
verdict $? "--jobs 2 gives the same bytes as --jobs 1"
expect_in_out "Response: gpu.cycles of harp on harp-fermi, arithmetic mean over 2 programs." "says what is measured, and which mean"
grep -qE '^ +1 +F2 +pipeline +8 +32 +\+[0-9.]+ +[0-9.]+ % +#+$' "$out"
verdict $? "the largest effect comes first, with a bar"
grep -qE '^ +noise line +[0-9.]+' "$out" && grep -q 'the root mean square of 7 columns without a factor' "$out"
verdict $? "columns without a factor make the noise line"
grep -A9 'noise line' "$out" | grep -qE '^ +[234] +F4 +l1t.sets '
verdict $? "a cache that no program uses is below it"
[ "$(grep -cE '^ +[0-9]+( +[-+]){4} +[0-9]+$' "$out")" -eq 12 ]
verdict $? "a row for each run"
grep -qE '^F2 +pipeline +1 +1 +2$' "$out"
verdict $? "ranks by program and their sum"
expect_json "$work/f1.json" study '"factors"' "JSON names the study"
expect_json "$work/f1.json" factors/0/factor '"pipeline"' "factors by rank"
expect_json "$work/f1.json" factors/0/options/0/high '"32"' "with their levels"
expect_json "$work/f1.json" factors/0/programs/1/rank 1 "and ranks by program"
expect_json "$work/f1.json" design/11/levels/2 -1 "the design"
[ "$("$work/json" "$work/f1.json" unassigned/6)" != "" ] && ! "$work/json" "$work/f1.json" unassigned/7 >/dev/null 2>&1
verdict $? "effects of columns without a factor"
grep -qE '^mean,pipeline,8,32,[0-9.]+,1$' "$work/f1.csv" && grep -qE '^@mandelbrot,l1t.sets,64,128,-?[0-9.e-]+,[234]$' "$work/f1.csv"
verdict $? "CSV: a row for each factor on the mean and on each program"

run study factors $pair --relative-to pdom $four --foldover --json "$work/fold.json"
expect_in_out "Response: gpu.ipc of harp over that of pdom on harp-fermi, geometric mean over 2 programs." "a ratio of two mechanisms"
expect_in_out "Plackett-Burman design of 16 runs with foldover, 4 factors." "foldover doubles the runs of the smallest design"
expect_json "$work/fold.json" design/0/levels/0 1 "a run"
expect_json "$work/fold.json" design/8/levels/0 -1 "and its reverse"
run study factors @mu --size tiny --factor sm.depth=8,16 --response sm.lane_activity --mean harmonic --markdown
expect_in_out "| rank | | factor | low | high | effect | share |" "Markdown"
expect_in_out "Response: sm.lane_activity of pdom on harp-fermi, @mu." "one program, a statistic of one mechanism"
run study factors $pair $four --quiet
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"
run study factors tests/cli/timed.ptx:diverge --factor sm.depth=8,16 --response cycles
expect_in_out "gpu.cycles of pdom on harp-fermi, tests/cli/timed.ptx:diverge." "a kernel of a file"
run study factors @mu @spin-lock --size tiny --factor sm.depth=8,16
[ "$status" -eq 0 ] && grep -q "warning: @spin-lock is left out: spin-lock under pdom failed: SIMT-induced deadlock" "$err" && grep -q ", @mu\.$" "$out"
verdict $? "a program that fails is left out of the mean, and named"
run study factors @spin-lock --size tiny --factor sm.depth=8,16
expect_status 1 "without a program that ends there is no result"

# ---- HARP's Table 6 ----
run study factors --preset harp @mu @ray --size tiny --json "$work/harp.json"
expect_in_out "(HARP 7.2.1, Table 6)" "the paper's design"
grep -qE '^ +[0-9] +F6 +SIMD width +16 +32 +[-+]0\.[0-9]+ +[0-9.]+ % +-0\.1031 +1 ' "$out"
verdict $? "the paper's effects and ranks beside ours"
grep -qE '^ +8 +- +- +- +- +- +- +- +[0-9.]+ +1\.10$' "$out"
verdict $? "and its responses"
grep -qE '^Signs as in the paper: [0-7] of 7\. Rank correlation with it \(Spearman\): [-+][01]\.[0-9]{2}\.$' "$out"
verdict $? "and how far they agree"
expect_in_out "no estimate of the error of an effect (--runs 12 leaves 4)" "seven factors leave no column of eight runs"
expect_json "$work/harp.json" preset '"harp"' "JSON has the preset"

# ---- sensitivity ----
for j in 1 2; do
    run study sensitivity $pair --relative-to pdom --over harp.first=2,8 --over 'room:sm.threads=768,1536,3072:sm.registers=16384,32768,65536' --jobs $j \
        --json "$work/s$j.json" --csv "$work/s$j.csv" --db "$work/s.sqlite"
    cp "$out" "$work/s$j.txt"
done
expect_status 0 "sensitivity succeeds"
cmp -s "$work/s1.json" "$work/s2.json" && cmp -s "$work/s1.csv" "$work/s2.csv" && cmp -s "$work/s1.txt" "$work/s2.txt"
verdict $? "what --db has is what the runs gave"
grep -qE '^harp.first +2 +8 +mean +min +max +std dev$' "$out" && grep -qE '^@mandelbrot( +[0-9.]+){6}$' "$out" && grep -qE '^geometric mean( +[0-9.]+){7}$' "$out"
verdict $? "the response at each value, its mean and spread, by program and for all"
expect_json "$work/s1.json" options/1/levels/2 '"3072, 65536"' "options that go together"
grep -qE '^harp.first,8,@loop-break,[0-9.]+$' "$work/s1.csv" && grep -qE '^room,"768, 16384",mean,[0-9.]+$' "$work/s1.csv"
verdict $? "CSV: a row for each value"
run results --db "$work/s.sqlite" --csv -
[ "$(wc -l <"$out")" -eq 15 ]
verdict $? "the default machine, which is a level of both, and parameters of the other mechanism run once"

# ---- what is refused ----
f="study factors @mu --size tiny"
refused "there is no option \"sm.dpth\"; did you mean sm.depth?" "an option that does not exist" $f --factor sm.dpth=8,16 --db "$work/none.sqlite"
refused "expected a whole number from 1 to 64" "a value out of range" $f --factor sm.depth=8,1600 --db "$work/none.sqlite"
refused "there is no statistic \"ipx\"; did you mean ipc?" "a response that does not exist" $f --factor sm.depth=8,16 --response ipx --db "$work/none.sqlite"
refused "with sm.warp_size=32 sm.simd_width=64: sm.simd_width is 64" "levels that do not go together" $f --factor sm.warp_size=32,64 --factor sm.simd_width=16,64 --db "$work/none.sqlite"
[ ! -e "$work/none.sqlite" ]
verdict $? "before there is a database"
refused "8 factors are too many for 8 runs; 12 runs hold them" "more factors than columns" $f --runs 8 $(printf -- '--factor l1d.x%d=1,2 ' 1 2 3 4 5 6 7 8)
refused "24 factors are too many: the largest design, of 24 runs, holds 23" "more factors than any design has columns" $f $(printf -- '--factor l1d.x%d=1,2 ' $(seq 24))
refused "--runs 10: there are designs of 8, 12, 16, 20 and 24 runs" "a size without a design" $f --factor sm.depth=8,16 --runs 10
refused "sm.depth has 3 values; a factor has two, LOW,HIGH" "three levels" $f --factor sm.depth=8,16,24
refused "--factor: sm.depth has one value" "one level" $f --factor sm.depth=8
refused "sm.depth is 8 twice" "equal levels" $f --factor sm.depth=8,8
refused "harp.first is a parameter of harp, which does not run" "a parameter of another mechanism" $f --factor harp.first=4,8
refused "sm.depth is set for the whole experiment" "a factor that --set sets" $f --factor sm.depth=8,16 --set sm.depth=4
refused "--factor is missing" "no factor" $f
refused "factors needs a program" "no program" study factors --factor sm.depth=8,16
refused "--mech takes one mechanism" "two mechanisms" $f --factor sm.depth=8,16 --mech harp,pdom
refused "there is no preset 'hrp'; there is harp" "an unknown preset" study factors --preset hrp
refused "--mech does not go with --preset" "a preset under another mechanism" study factors --preset harp --mech dwf
refused "--mean 'median': expected harmonic, geometric or arithmetic" "an unknown mean" $f --factor sm.depth=8,16 --mean median
refused "here it is --factor" "--over for factors" $f --over sm.depth=8,16
refused "here it is --over" "--factor for sensitivity" study sensitivity @mu --factor sm.depth=8,16
refused "sm.depth has 2 values and sm.threads has 3" "options that go together with different numbers of values" study sensitivity @mu --over sm.depth=8,16:sm.threads=256,512,1024
refused "--over: not of a bound" "--over for a bound" study oracle-lanes @mu --over sm.depth=8,16
refused "cannot open" "a database that cannot be" $f --factor sm.depth=8,16 --db "$work/nowhere/x.sqlite"

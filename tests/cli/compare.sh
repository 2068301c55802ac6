#!/bin/bash
# heddle compare: side by side, in parallel, the same bytes whatever --jobs, and the memory of every run checked.
. tests/cli/lib.inc
file=tests/cli/timed.ptx
small="--config tiny"

run compare $file:diverge $file:uniform $small --mech nrec,pdom,mimd
expect_status 0 "compare succeeds"
cp "$out" "$work/table"
for text in "diverge  $file, 4 blocks of 64 threads" "uniform  $file, 2 blocks of 32 threads, 64 bytes of shared memory each" \
    "mechanism" "cycles" "IPC" "lanes" "depth" "L1D hits" "DRAM" "speed-up" "all 2 programs  speed-ups over nrec and their geometric mean"; do
    expect_in_out "$text" "the table shows: $text"
done
[ "$(grep -cE '^  nrec .* 1\.000  #+$' "$out")" -eq 3 ]
verdict $? "the first mechanism has a speed-up of 1"
! grep -q ' $' "$out"
verdict $? "without trailing blanks"
! grep -q "host time" "$out" && [ ! -s "$err" ]
verdict $? "nor host time, nor progress without a terminal"
run compare $file:diverge $small
for m in $("$HEDDLE" list mechanisms | awk 'NR > 0 { print $1 }'); do
    grep -q "^  $m " "$out"
    verdict $? "without --mech, all of them: $m"
done
cp "$out" "$work/all.txt"
run compare $file:diverge $small --mech all
cmp -s "$out" "$work/all.txt"
verdict $? "--mech all says the same"
run compare $file:diverge $small --mech mp,all
[ "$(awk '$2 ~ /^[0-9]/ { print $1 }' "$out" | head -2 | paste -sd,)" = mp,nrec ] && [ "$(grep -c "^  mp " "$out")" -eq 1 ]
verdict $? "behind a name, all stands for the others"

for j in 1 2 7; do
    run compare $file:diverge $file:uniform examples/collatz.ptx $small --mech nrec,pdom,pdom:side=most,mimd --jobs $j --json "$work/$j.json" --csv "$work/$j.csv"
    cp "$out" "$work/$j.txt"
done
for j in 2 7; do
    for ext in json csv txt; do
        cmp -s "$work/1.$ext" "$work/$j.$ext"
        verdict $? "--jobs $j gives the same bytes of $ext as --jobs 1"
    done
done
expect_json "$work/1.json" kernels/0/mechanism '"nrec"' "JSON has a kernel for each program and mechanism"
expect_json "$work/1.json" kernels/4/kernel '"uniform"' "program by program"
expect_json "$work/1.json" kernels/2/mechanism '"pdom:side=most"' "with parameters"
expect_json "$work/1.json" kernels/3/status '"ok"' "its status"
expect_json "$work/1.json" kernels/0/speedup 1.0 "its speed-up"
expect_json "$work/1.json" total/0/programs 3 "and a total for each mechanism"
expect_json "$work/1.json" options/gpu.sms 1 "and the options"
! grep -q '"host\.' "$work/1.json"
verdict $? "no host time"
awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR != 13 }' "$work/1.csv"
verdict $? "CSV has a row for each, all as long"
head -1 "$work/1.csv" | grep -q '^file,kernel,size,mechanism,status,speedup,exec.launches,'
verdict $? "and begins with the names"
run compare $file:diverge $small --mech pdom --json -
expect_json "$out" kernels/0/kernel '"diverge"' "--json - is standard output alone"
run compare $file:diverge $small --mech pdom --quiet
[ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"
run compare $file:diverge $small --mech pdom --host
expect_in_out "s of host time" "--host asks for the time"
run run $file:diverge $small --mech pdom --json "$work/run.json" --quiet
run compare $file:diverge $small --mech nrec,pdom --json "$work/compare.json" --quiet
expect_json "$work/compare.json" kernels/1/gpu.cycles "$("$work/json" "$work/run.json" total/gpu.cycles)" "run and compare take the same cycles"

run compare $file $small --kernel race --grid 1 --block 64 --arg 'buf:u32[4]' --mech pdom
expect_status 1 "memory that differs ends with status 1"
expect_err "race under pdom: argument 0 (buf:u32[4]), element 1: 1 where the functional run has 2" "naming the element"
expect_in_out "OTHER RESULT: data race" "and the table shows it"
expect_err "write-write of global memory, byte 4 of argument 0" "with the race that is behind it"
run compare $file $small --kernel race --grid 1 --block 64 --arg 'buf:f64[2]' --mech pdom
expect_err "element 0: " "elements are those of the buffer's type"
run compare $file:race_variable $small --grid 1 --block 64 --mech pdom --json "$work/wrong.json"
expect_err "race_variable under pdom: variable winner, byte 8: 0x01 where the functional run has 0x02" "variables are compared too"
expect_json "$work/wrong.json" kernels/0/status '"wrong"' "JSON says so"

run compare $file:lock $small --grid 1 --block 32 --arg 'buf:u32[2]' --mech mimd,pdom --set gpu.watchdog=5000 --json "$work/lock.json" --csv "$work/lock.csv"
expect_status 1 "a mechanism that deadlocks ends with status 1"
expect_in_out "failed" "leaves a gap in the table"
expect_err "lock under pdom: " "and its reason"
grep -qE '^  mimd .* 1\.000  #' "$out"
verdict $? "beside the one that does not"
expect_json "$work/lock.json" kernels/1/status '"failed"' "JSON has the failure"
sed 's/"[^"]*"//g' "$work/lock.csv" | awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR != 3 }'
verdict $? "CSV has empty cells"
grep -qE '^.*,lock,,pdom,failed,,.*,"SIMT-induced deadlock: [^"]*"$' "$work/lock.csv"
verdict $? "and the reason, its first line"
run compare $file:lock $file:diverge $small --grid 1 --block 32 --arg 'buf:u32[256]' --mech mimd,pdom --set gpu.watchdog=5000
grep -qE '^  mechanism +lock +diverge +mean +over$' "$out" && grep -qE '^  pdom +- +[0-9.]+ +[0-9.]+ +1  #+$' "$out" &&
    grep -q '^all 2 programs  speed-ups over mimd and their geometric mean over those that ran$' "$out"
verdict $? "a mean says over how many programs it is"

# A kernel that one mechanism refuses: its thread frontiers are too large for tf's tables.
awk 'BEGIN { n = 3000; print "// heddle: --grid 1 --block 32 --arg buf:u32[1]\n.version 7.0\n.target sm_70\n.address_size 64"
    print ".visible .entry crossing(.param .u64 a) { .reg .b32 %r<3>; .reg .pred %p; mov.u32 %r1, %tid.x; setp.gt.u32 %p, %r1, 99;"
    for (k = 0; k < n; k++) print "@%p bra X" n - 1 - k ";"
    for (k = 0; k < n; k++) print "X" k ": add.u32 %r1, %r1, 1;"
    print "exit; }" }' >"$work/crossing.ptx"
walk=tf:kind=sandybridge
run compare "$work/crossing.ptx" $file:diverge $small --mech pdom,$walk --json "$work/refused.json" --csv "$work/refused.csv"
expect_status 0 "a mechanism that refuses a kernel is no failure"
[ ! -s "$err" ]
verdict $? "without a word on standard error"
grep -qE "^  $walk +- +- .* -  refused$" "$out" && grep -qE "^  $walk +refused +1\.0[0-9]+ +1\.0[0-9]+ +1" "$out"
verdict $? "its table says refused, and so does that of all programs"
grep -A1 -E "^  $walk .* refused$" "$out" | grep -q "^  $walk: .*crossing.ptx:5: mechanism tf with tf.kind = sandybridge cannot run crossing: "
verdict $? "the reason is below the table"
expect_json "$work/refused.json" kernels/1/status '"refused"' "JSON has the refusal"
"$work/json" "$work/refused.json" kernels/1/error | grep -q "cannot run crossing"
verdict $? "with its reason"
expect_json "$work/refused.json" total/1/programs 1 "counts what the mean is over"
expect_json "$work/refused.json" total/1/refused 1 "and what was refused"
grep -qE ',crossing,,tf:kind=sandybridge,refused,,.*cannot run crossing' "$work/refused.csv"
verdict $? "CSV has both"
run compare "$work/crossing.ptx" $small --mech $walk,pdom --markdown
grep -qx "| $walk | - | - | - | - | - | - | - | refused |" "$out" && grep -q "^- $walk: .* cannot run crossing" "$out"
verdict $? "Markdown too"
expect_status 0 "also where it is the one that others are measured by"
run run "$work/crossing.ptx" $small --mech $walk
expect_status 2 "a run that asks for such a mechanism has no result"
expect_err "cannot run crossing" "and says why"

run compare $file:outside $small --grid 1 --block 1 --arg 'buf:u32[1]' --mech pdom
expect_status 1 "a program that fails anyway ends with status 1"
expect_err "out-of-bounds" "and its fault"

refused "there is no mechanism 'pdmo' (did you mean 'pdom'?)" "a mistyped mechanism is suggested" compare $file --mech nrec,pdmo
refused "--mech names pdom twice" "a mechanism named twice" compare $file --mech pdom,nrec,pdom
refused "--mech 'pdom,' lacks a name" "a missing name" compare $file --mech pdom,
refused "did you mean pdom.side?" "a mistyped parameter is suggested" compare $file --mech pdom:sied=most
refused "did you mean tiny?" "a mistyped configuration is suggested" compare $file --config tniy
refused "nosuch.ptx" "a missing file is named" compare $file nosuch.ptx
refused "FILE[:KERNEL]|@NAME... is missing" "no file at all" compare
refused "--jobs: N is at least 1" "no threads" compare $file --jobs 0
refused "--json and --csv cannot both go to -" "two outputs in one place" compare $file --json - --csv -
refused "--block is missing" "a kernel without a launch" compare $file:lock
refused "tests/cli/broken.ptx:7:2: error:" "bad PTX is refused with its place" compare tests/cli/broken.ptx
printf '// heddle: --gird 4\n' >"$work/bad.ptx"
refused "$work/bad.ptx:1: launch options: unknown option --gird (did you mean --grid?)" "bad options in a file, with their place" compare "$work/bad.ptx"
printf '// heddle: --grid 0\n' >"$work/bad.ptx"
refused "$work/bad.ptx: launch options: --grid '0'" "and bad values" compare "$work/bad.ptx"

# The page. What it draws is tested in a browser.
for j in 1 2; do
    run compare $file:diverge $file:uniform $small --mech nrec,pdom,mimd --jobs $j --html "$work/$j.html"
done
expect_status 0 "--html writes a page"
cmp -s "$work/1.html" "$work/2.html"
verdict $? "the same bytes whatever --jobs and its name are"
sed -n '/id="data"/{n;p}' "$work/1.html" >"$work/data.json"
expect_json "$work/data.json" command "\"heddle compare $file:diverge $file:uniform --config tiny --mech nrec,pdom,mimd\"" "it says what command made it"
expect_json "$work/data.json" programs/0/cells/0/speedup 1.0 "and has the speed-ups"
expect_json "$work/data.json" means/1/programs 2 "and their means"
run compare $file:diverge $small --mech pdom --html -
[ "$status" -eq 0 ] && [ "$(head -1 "$out")" = "<!DOCTYPE html>" ] && [ "$(tail -1 "$out")" = "</html>" ]
verdict $? "--html - is standard output alone"

# ---- before and after ----
sed 's/%r1\b/%first/g; s/^\t\.loc.*//; /^\/\/ heddle/!s,^//.*,// another comment,; s/\.reg \.b32.*/&\n\t.reg .b32 %first;/' examples/diamond.ptx >$work/same.ptx
awk '{ print } /%tid.x/ && !n++ { print "\tadd.s32 %r2, %r1, 0;\n\tadd.s32 %r1, %r1, 0;" }' examples/diamond.ptx >$work/slower.ptx
run compare examples/diamond.ptx $work/same.ptx $work/slower.ptx --mech pdom,minpc
expect_status 0 "three files with one kernel's name"
expect_in_out "examples/diamond.ptx over the others  the ratio of their cycles" "end with what the first takes for each other one's cycles"
expect_in_out "examples/diamond.ptx and $work/same.ptx are the same code" "names of registers, comments and lines make no other code"
[ "$(grep -c 'same code' $out)" -eq 1 ]
verdict $? "another instruction does"
tail -3 $out | awk '/^  pdom/ { exit !($2 == "1.000" && $3 < 1) }'
verdict $? "the ratio is that of the cycles"
run compare examples/diamond.ptx @odd-even --size tiny --mech pdom
! grep -q "the ratio of their cycles" $out
verdict $? "a workload is no other version of a file"

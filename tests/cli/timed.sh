#!/bin/bash
# heddle run with time: the report, statistics, time series, profile, trace, timeline, and what does not go together.
. tests/cli/lib.inc
file=tests/cli/timed.ptx
small="--config tiny"

run run $file $small
expect_status 0 "a file that says how it is launched needs no options"
for text in "kernel              diverge" "launch              4 blocks of 64 threads" "machine             tiny, 1 SM, pdom (" "cycles  " "IPC  " \
    "lane activity  " "depth utilisation  " "divergence          96 times, 2.00 sides; 32 reconvergences" "residency  " \
    "issue slots  " "thread instructions 5,248" "splits alive        31.5 on an SM, at most 32"; do
    expect_in_out "$text" "the report shows: $text"
done
grep -qE '^  8 +[0-9.]+ %  #+$' "$out"
verdict $? "and a bar for each warp size"
! grep -q ' $' "$out"
verdict $? "without trailing blanks"
grep -A1 '^storage  ' "$out" | tr -s ' \n' ' ' | grep -q '^storage 147,456 bits on an SM: stack 147,456 $'
verdict $? "and what the mechanism would cost, by structure"
cp "$out" "$work/first"
run run $file $small
cmp -s "$out" "$work/first"
verdict $? "two runs print the same bytes"
run run $file $small --set sm.depth=64
for text in "idle threads  " "  dependency  " "  barrier             0.0 %" "  other path  " "  reconvergence  "; do
    expect_in_out "$text" "the report shows what threads wait for: $text"
done
run run $file:uniform $small
for text in "kernel              uniform" "2 blocks of 32 threads, 64 bytes of shared memory each" "divergence          0 times" "lane activity       100.0 %"; do
    expect_in_out "$text" "FILE:KERNEL takes the line of that kernel: $text"
done
run run $file $small --kernel uniform --grid 1 --print 0:3 --quiet
expect_in_out "0:  1  2  3" "what the command line gives wins, the rest comes from the file"
run run $file $small --arg 'buf:u32[300]=value(9)' --print 0:1 --quiet
expect_in_out "argument 0: u32[300]" "an --arg replaces those of the file"
cp $file "$work/a:uniform"
run run "$work/a:uniform" $small
expect_in_out "kernel              diverge" "a file whose name has a colon is a file"
refused "tests/cli/timed.ptx:uniform names one kernel and --kernel diverge another" "two kernels" run $file:uniform --kernel diverge
refused "has no kernel" "a kernel that is not there" run $file:nosuch --grid 1 --block 1

run run $file $small --functional
expect_in_out "divergent branches  " "--functional has the report of a run without time"
! grep -q cycles "$out"
verdict $? "and no cycles"
for o in --profile --annotate "--interval 10" "--trace $work/t" "--timeline $work/t" "--mech pdom"; do
    refused "does not go with --functional" "${o%% *} needs time" run $file --functional $o
done
refused "--series needs --interval N" "a series needs its interval" run $file --series "$work/s"
refused "--interval: N is at least 1" "an interval of nothing" run $file --interval 0
refused "--set run.mode: runs are timed unless --functional is given" "the mode has its own option" run $file --set run.mode=timed
refused "--set run.mech: the mechanism is chosen with --mech" "so has the mechanism" run $file --set run.mech=pdom

for m in nrec pdom mimd pdom:side=most; do
    run run $file $small --mech $m --json "$work/m.json" --dump 0:"$work/$m.bin"
    expect_json "$work/m.json" options/run.mech "\"${m%%:*}\"" "--mech $m runs that mechanism"
    cmp -s "$work/$m.bin" "$work/nrec.bin"
    verdict $? "and computes the same"
done
expect_json "$work/m.json" options/pdom.side '"most"' "parameters of a mechanism reach it"
refused "there is no mechanism 'pdmo' (did you mean 'pdom'?)" "a mistyped mechanism is suggested" run $file --mech pdmo
refused "there is no mechanism 'xyzzyplugh'; 'heddle list mechanisms' shows them" "a strange one is refused" run $file --mech xyzzyplugh
refused "mechanism pdom: 'side' is not KEY=VALUE" "a parameter without value" run $file --mech pdom:side
refused "did you mean pdom.side?" "a mistyped parameter is suggested" run $file --mech pdom:sied=most
refused "did you mean tiny?" "a mistyped configuration is suggested" run $file --config tniy
refused "did you mean sm.warp_size?" "a mistyped key is suggested" run $file --set sm.warp_sise=8
refused "sm.warp_size is 24: it must be a power of two" "a warp of 24 is refused" run $file --set sm.warp_size=24

run run $file $small --set gpu.sms=2 --json "$work/a.json" --quiet
run run $file $small --set gpu.sms=2 --json "$work/b.json" --quiet
cmp -s "$work/a.json" "$work/b.json"
verdict $? "two timed runs write the same JSON"
expect_json "$work/a.json" options/gpu.sms 2 "--set wins over --config"
expect_json "$work/a.json" storage/stack "$("$work/json" "$work/a.json" total/div.storage_bits)" "storage is there by structure, and adds up to the statistic"
expect_json "$work/a.json" kernels/0/sm.thread_insts "$("$work/json" "$work/a.json" kernels/0/exec.thread_insts)" "issued and executed instructions agree"
run run $file $small --mech dwf --json "$work/dwf.json" --quiet
statistics dwf | while read -r name; do
    grep -qF "\"$name\":" "$work/dwf.json" || echo "$name"
done >"$work/missing"
[ ! -s "$work/missing" ] && ! grep -q '"host\.' "$work/dwf.json"
verdict $? "every statistic of all runs and of the mechanism's own is there, and no host time"
! sed -n '/"kernels"/,$p' "$work/dwf.json" | grep -q '"harp\.'
verdict $? "but none of another mechanism's"

run run $file $small --interval 50 --series "$work/s.csv" --json "$work/s.json"
expect_in_out "Every 50 cycles" "--interval shows a table"
head -1 "$work/s.csv" | grep -q '^launch,cycle,cycles,ipc,'
verdict $? "--series begins with the names of its columns"
awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 3 }' "$work/s.csv"
verdict $? "and all its rows are as long"
awk -F, 'NR > 1 { sum += $5 } END { print sum }' "$work/s.csv" >"$work/sum"
expect_json "$work/s.json" total/sm.thread_insts "$(cat "$work/sum")" "its instructions add up to the statistic"
awk -F, 'NR > 1 { sum += $3 } END { print sum }' "$work/s.csv" >"$work/sum"
expect_json "$work/s.json" total/gpu.cycles "$(cat "$work/sum")" "and so do its cycles"
expect_json "$work/s.json" kernels/0/series/0/cycle 50 "JSON has it too"
for key in w4 w32 wider w0_mem stall; do
    sum=$(grep "\"$key\":" "$work/s.json" | tr -dc '0-9\n' | sed "s/^${key//[!0-9]/}//" | awk '{ s += $1 } END { print s + 0 }')
    expect_json "$work/s.json" total/warp.$key "$sum" "its cycles of class $key add up to the statistic"
done
run run $file $small --interval 50:3 --series -
head -1 "$out" | grep -q ',thread_0,thread_1,thread_2$'
verdict $? "N:THREADS adds a column for each thread, --series - is standard output alone"

run run examples/collatz.ptx $small --grid 2 --block 64 --profile --json "$work/p.json"
expect_in_out "Branches, by the lane slots lost to their divergence" "--profile shows branches"
grep -qE 'causes +executed +divergent +sides +reconverge +line +PTX +source' "$out"
verdict $? "with a heading"
expect_in_out "Lines, by the lane slots they lose" "and lines"
awk '/^Lane slots/ { on = 1; next } /^$/ { on = 0 } on { for (i = 1; i < NF; i++) if ($(i + 1) == "%") sum += $i } END { exit !(sum > 99 && sum < 101) }' "$out"
verdict $? "and where all lane slots went"
grep -qE '@%p[0-9] bra .*collatz\.cu:1[01]$' "$out"
verdict $? "the instruction and the source line"
grep '"executions"' "$work/p.json" | grep -q '[1-9]'
verdict $? "JSON has the profile"
expect_json "$work/p.json" total/profile/branches/0/source/file '"./examples/collatz.cu"' "with the source"
run run examples/collatz.ptx $small --grid 2 --block 64 --annotate
grep -qE '^ +[0-9.]+ % +[0-9.]+ % +[0-9.]+ % \| +[0-9]+ .*while' "$out"
verdict $? "--annotate prints the source, a loop with what it suffers and causes"
! grep -q ' $' "$out"
verdict $? "without trailing blanks"
run run $file $small --annotate
expect_in_out "bra" "the PTX where there is no source"

run run $file $small --trace "$work/t.txt" --timeline "$work/t.json"
head -1 "$work/t.txt" | grep -q '^# kernel diverge: '
verdict $? "the trace begins with the kernel"
grep -v '^#' "$work/t.txt" | grep -v ' - block ' | grep -vqE '^[0-9]+ [0-9]+ [0-9]+ [0-9]+ w[0-9]+:[0-9a-f]{8} [0-9]+  [@a-z].*$'
[ $? -eq 1 ]
verdict $? "each line of it is an issue"
awk '/^[0-9]/ && $3 != "-" { n++; t += $6 } END { print n, t }' "$work/t.txt" >"$work/count"
grep -q "^[1-9][0-9]* 5248$" "$work/count"
verdict $? "whose threads add up to the thread instructions"
awk '/^[0-9]/ { if ($1 < last) bad = 1; last = $1 } END { exit bad }' "$work/t.txt"
verdict $? "in order of time"
[ "$(grep -c 'block [0-9]* begins' "$work/t.txt")" -eq 4 ] && [ "$(grep -c 'block [0-9]* ends' "$work/t.txt")" -eq 4 ]
verdict $? "every block begins and ends"
"$work/json" "$work/t.json" >"$out" 2>"$err"
verdict $? "the timeline is valid JSON"
grep -q '"ph": *"[XBM]"' "$work/t.json"
verdict $? "with events"
for counter in IPC 'active lanes' 'L1D hit rate (%)' 'resident warps'; do
    grep -qF "\"name\":\"$counter\",\"ph\":\"C\",\"ts\":" "$work/t.json"
    verdict $? "and the counter $counter"
done
run run $file $small --trace -
expect_in_out "# kernel diverge: " "--trace - is standard output"
! grep -q "^kernel " "$out"
verdict $? "alone"
[ "$(ls "$work" | grep -c tmp)" -eq 0 ]
verdict $? "no temporary file is left"
refused "cannot both go to" "two outputs in one place" run $file --trace "$work/x" --timeline "$work/x"
refused "--trace and --json cannot both go to -" "two outputs on standard output" run $file --trace - --json -

run run $file $small --kernel outside --grid 1 --block 1 --arg 'buf:u32[1]' --trace "$work/fault.txt" --json "$work/never.json"
[ "$status" -eq 1 ] && [ -s "$work/fault.txt" ] && [ ! -e "$work/never.json" ]
verdict $? "a fault keeps the trace and writes no other file"
expect_err "kernel outside, block (0,0,0), thread (0,0,0)" "and is reported as without time"
run run $file $small --kernel lock --grid 1 --block 32 --arg 'buf:u32[2]' --mech pdom --set gpu.watchdog=5000
expect_status 1 "a deadlock ends with status 1"
expect_err "lock" "and names the kernel"
run run $file $small --kernel lock --grid 1 --block 32 --arg 'buf:u32[2]' --mech mimd --set gpu.watchdog=5000 --print 0 --quiet
expect_in_out "0:   0  32" "under another mechanism it ends, and is right"
run run $file $small --set gpu.max_cycles=20
expect_status 1 "gpu.max_cycles bounds a timed run"

run run $file $small --trace /dev/null --quiet
[ "$status" -eq 0 ] && [ -c /dev/null ]
verdict $? "a trace may go to a device"
refused "cannot write $work: Is a directory" "a directory cannot be a trace" run $file $small --trace "$work"
refused "cannot write $work/none/t: No such file or directory" "nor a file in a directory that is not there" run $file $small --timeline "$work/none/t"
if [ -w /dev/full ]; then
    run run $file $small --trace /dev/full --quiet
    expect_status 2 "a trace that does not fit on the disk is an error"
    expect_err "cannot write /dev/full: No space left on device" "with its name and the reason"
fi
mkdir "$work/ended"
timeout -s TERM 3 "$HEDDLE" run $file:lock $small --grid 1 --block 32 --arg 'buf:u32[2]' --mech pdom --set gpu.watchdog=1000000000 --trace "$work/ended/t.txt" --timeline "$work/ended/t.json" --quiet 2>"$err"
[ "$(ls "$work/ended")" = "t.json
t.txt" ] && tail -n 1 "$work/ended/t.txt" | grep -q '^[0-9]* 0 0 [0-9]* w0:' && expect_json "$work/ended/t.json" displayTimeUnit '"ns"' "the timeline of a run that is interrupted is JSON"
verdict $? "traces of a run that is interrupted are whole up to there, and nothing else is left"
run run $file:diverge --config tiny --set gpu.max_cycles=128 --timeline "$work/ended/window.json" --quiet
expect_json "$work/ended/window.json" displayTimeUnit '"ns"' "so is that of one stopped in the first cycle of a window"
for name in mandelbrot collatz photons; do
    run run examples/$name.ptx --functional
    expect_in_out "kernel              $name" "examples/$name.ptx says how it is launched"
done

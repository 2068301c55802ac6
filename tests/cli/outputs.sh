#!/bin/bash
# heddle run: reports, dumps, JSON; whole files or none, and the same bytes every time.
. tests/cli/lib.inc
file=tests/cli/kernels.ptx
add() { run run $file --kernel add --grid 2 --block 32 --arg 'buf:u32[64]=iota' --arg u32:1 "$@"; }

add
expect_in_out "kernel              add" "the report names the kernel"
expect_in_out "2 blocks of 32 threads" "and its shape"
expect_in_out "thread instructions 768" "counts thread instructions"
expect_in_out "warp instructions   24" "and warp instructions"
expect_in_out "lane activity       100.0 %" "lane activity"
expect_in_out "divergence          0 times" "divergence"
! grep -q "million\|\. s" "$out"
verdict $? "host time is not for files"
! grep -q "$(printf '\033')" "$out" "$err"
verdict $? "no colour without a terminal"
cp "$out" "$work/first"
add
cmp -s "$out" "$work/first"
verdict $? "two runs print the same bytes"
add --host
expect_in_out "million thread instructions/s" "--host asks for it"
add --quiet
[ ! -s "$out" ] && [ ! -s "$err" ]
verdict $? "--quiet prints nothing"

add --json "$work/a.json" --dump "0:$work/a.bin"
cp "$out" "$work/first"
add --json "$work/b.json" --dump "0:$work/b.bin"
cmp -s "$work/a.json" "$work/b.json"
verdict $? "two runs write the same JSON"
cmp -s "$work/a.bin" "$work/b.bin"
verdict $? "and the same dump"
expect_json "$work/a.json" kernels/0/kernel '"add"' "JSON names the kernel"
expect_json "$work/a.json" kernels/0/grid '[2,1,1]' "its grid"
expect_json "$work/a.json" kernels/0/block '[32,1,1]' "its block"
expect_json "$work/a.json" kernels/0/exec.thread_insts 768 "its statistics by name"
expect_json "$work/a.json" total/exec.warp_insts 24 "the total"
expect_json "$work/a.json" total/exec.lane_activity 1.0 "ratios as fractions"
expect_json "$work/a.json" options/exec.isa '"auto"' "and the options"
statistics | while read -r name; do
    grep -qF "\"$name\":" "$work/a.json" || echo "$name"
done >"$work/missing"
[ ! -s "$work/missing" ] && ! grep -q host "$work/a.json"
verdict $? "every statistic of all runs is there, and no host time"
add --json - --host
expect_json "$out" total/host.seconds "$("$work/json" "$out" total/host.seconds)" "--json - is standard output alone"

od -An -v -tu4 -w4 "$work/a.bin" | awk '$1 != NR { bad = 1 } END { exit bad || NR != 64 }'
verdict $? "the dump holds every element"
add --dump 0:-
cmp -s "$out" "$work/a.bin"
verdict $? "--dump N:- is standard output alone"
[ "$(cd "$work" && ls | grep -c tmp)" -eq 0 ]
verdict $? "no temporary file is left"

mkdir "$work/locked"
echo old >"$work/locked/old"
ln -s old "$work/locked/link"
add --dump "0:$work/locked/link" --quiet
[ -L "$work/locked/link" ] && cmp -s "$work/locked/old" "$work/a.bin"
verdict $? "a symbolic link is followed"
add --dump 0:/dev/null --quiet
[ -c /dev/null ]
verdict $? "/dev/null stays what it is"
add --dump "0:$work/none/x" --json "$work/never.json"
expect_status 2 "a file that cannot be written is an error"
expect_err "cannot write $work/none/x: No such file or directory" "with the reason"
[ ! -e "$work/never.json" ] && [ ! -s "$out" ]
verdict $? "and then no other file appears"
add --dump "0:$work/never.bin" --json "$work/locked"
expect_err "cannot write $work/locked: Is a directory" "nor can a directory be written"
[ ! -e "$work/never.bin" ]
verdict $? "with the same consequence"

# A run that began would end with status 1: it may execute one instruction only.
for output in --json --series --trace --timeline; do
    add --max-insts 1 --interval 10 $output "$work/none/x"
    expect_status 2 "$output is tried before the run"
    expect_err "cannot write $work/none/x: No such file or directory" "and says what is wrong with it"
done
add --max-insts 1 --dump "0:$work/none/x"
expect_status 2 "so is --dump"
unwritable() { refused "cannot write $work/none/x: No such file or directory" "of heddle $1 too" "$@" "$work/none/x"; }
unwritable compare $file:add --max-insts 1 --csv
unwritable study lanes @bfs --size paper --json
unwritable study table1 --csv
unwritable reproduce --size paper --html
unwritable validate --json
unwritable area --csv
echo old >"$work/kept"
add --max-insts 1 --json "$work/kept"
expect_status 1 "a run that fails"
[ "$(cat "$work/kept")" = old ]
verdict $? "leaves the file that was there as it was"
add --json "$work/new.json" --max-insts 1
[ ! -e "$work/new.json" ]
verdict $? "and makes none"
chmod 444 "$work/kept"
if [ ! -w "$work/kept" ]; then # not as root
    refused "cannot write $work/kept: Permission denied" "a file that may not be written is not replaced" run $file --kernel add --grid 1 \
        --block 1 --arg 'buf:u32[4]' --arg u32:1 --json "$work/kept"
fi
mkfifo "$work/fifo"
timeout 60 cat "$work/fifo" >"$work/through" &
add --json "$work/fifo"
wait $!
cmp -s "$work/through" "$work/a.json" && [ -p "$work/fifo" ]
verdict $? "a named pipe is written to"
"$HEDDLE" run $file --kernel add --grid 2 --block 32 --arg 'buf:u32[64]=iota' --arg u32:1 --json /dev/stdout | cmp -s - "$work/a.json"
verdict $? "/dev/stdout is - when it is a pipe"
add --json /dev/stdout
cmp -s "$out" "$work/a.json" && [ -L /dev/stdout ]
verdict $? "and when it is a file"
"$HEDDLE" run $file --kernel add --grid 2 --block 32 --arg 'buf:u32[64]=iota' --arg u32:1 --quiet --json >(cat >"$work/substituted")
for try in $(seq 300); do cmp -s "$work/substituted" "$work/a.json" && break; sleep 0.1; done
cmp -s "$work/substituted" "$work/a.json"
verdict $? "a command of the shell can be written to"
[ -z "$(find "$work" -name '*.tmp')" ]
verdict $? "no attempt leaves a file"
if [ -w /dev/full ]; then
    "$HEDDLE" list stats >/dev/full 2>"$err"
    status=$?
    expect_status 2 "a full disk is an error"
    expect_err "No space left on device" "that is named"
fi

run run $file --kernel add --grid 1 --block 1 --arg 'buf:f32[40]=rand(1)' --arg u32:0 --print 0:20 --quiet
! grep -qE '^.{81}' "$out"
verdict $? "elements keep to 80 columns"
expect_in_out "  ... 20 more" "and say how many are left"
cp "$out" "$work/first"
run run $file --kernel add --grid 1 --block 1 --arg 'buf:f32[40]=rand(1)' --arg u32:0 --print 0:20 --quiet
cmp -s "$out" "$work/first"
verdict $? "random contents are the same every time"
run run $file --kernel add --grid 1 --block 1 --arg 'buf:f32[4]=value(0.1)' --arg u32:0 --print 0 --quiet
expect_out "argument 0: f32[4]
  0:  0.1  0.1  0.1  0.1" "floats print as the shortest text"

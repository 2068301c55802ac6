#!/bin/bash
# --checkpoint and --resume: a run that goes on after any of its launches ends with the bytes of one that was never stopped.
. tests/cli/lib.inc
${CC:-cc} -shared -fPIC -o "$work/keep.so" tests/cli/keep.c -ldl
preload() { # [NAME=VALUE]...: runs heddle, as `run` has it in $words, with keep.so before the C library
    { # bash would say that it was killed
        ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 env "$@" LD_PRELOAD="$work/keep.so" \
            timeout 300 "$HEDDLE" "${words[@]}" >"$out" 2>"$err" </dev/null
        status=$?
    } 2>/dev/null
    command_line="heddle ${words[*]}, with $*"
}
copies() { # NAME: what the run left, under that name
    cp "$out" "$work/$1.out"
    cp "$err" "$work/$1.err"
    for f in json csv bin; do [ ! -f "$work/now.$f" ] || mv "$work/now.$f" "$work/$1.$f"; done
}
same() { # LAUNCHES NAME ARGUMENT...: goes on after each of so many launches, to the same bytes
    local all=$1 name=$2 k bad=0
    shift 2
    rm -f "$work"/*.ckpt* "$work"/plain.* "$work"/now.*
    run "$@"
    [ "$status" -eq 0 ] || bad=1
    copies plain
    words=("$@" --checkpoint "$work/run.ckpt:1")
    preload KEEP=1
    copies saved
    for k in $(seq "$all"); do
        run "$@" --resume "$work/run.ckpt.$k"
        [ "$status" -eq 0 ] || bad=1
        copies resumed
        for f in "$work"/plain.*; do
            cmp -s "$f" "$work/saved.${f##*.}" && cmp -s "$f" "$work/resumed.${f##*.}" || bad=1
        done
        [ $bad -eq 0 ] || break
    done
    [ $bad -eq 0 ] && [ -f "$work/run.ckpt.$all" ] && [ ! -f "$work/run.ckpt.$((all + 1))" ]
    verdict $? "$name: goes on after each of $all launches to the same bytes"
}

# ---- workloads, under several mechanisms and machines ----
json="--json $work/now.json"
same 14 "@bfs, pdom on tiny" run @bfs --size tiny --config tiny $json
same 14 "@bfs, volta on turing-rtx2060" run @bfs --size tiny --config turing-rtx2060 --mech volta $json
same 14 "@bfs, dwf on harp-fermi, with a profile and a series" run @bfs --size tiny --config harp-fermi --mech dwf --profile \
    --interval 500:4 --series "$work/now.csv" $json
same 14 "@bfs, functional" run @bfs --size tiny --functional $json
same 7 "@nw, L2 kept warm by copies, random replacement" run @nw --size tiny --config turing-rtx2060 \
    --set memory.warm_l2=true --set l2.replace=random $json
same 14 "@bfs, launches estimated" run @bfs --size tiny --config tiny --sample=1 --set run.sample_timed=1 $json
grep -q '"gpu.estimated": [1-9]' "$work/resumed.json" && [ -s "$work/resumed.err" ]
verdict $? "some of which are, with a warning"

# ---- a script that reads, prints and writes between launches, and a kernel that prints ----
cat >"$work/s.hds" <<HDS
buffer x u32[16] = index
buffer sums u32[4]
print "begin", x
repeat 4 as i {
    launch add grid 1 block 16 args x, i + 1
    launch talk grid 1 block 1
    set sums[i] = x[3]
    print "round", i, x[0], sums
}
write x "$work/now.bin"
check x[0] == 10
HDS
same 8 "a script" run tests/cli/kernels.ptx --script "$work/s.hds" --config tiny $json
cp tests/cli/kernels.ptx "$work/k.ptx"
same 1 "one launch" run "$work/k.ptx" -k add -g 2 -b 32 -a 'buf:u32[64]=iota' -a u32:3 --print 0:4 --dump "0:$work/now.bin" $json

# ---- a launch behind the checkpoint fails: the report is the same ----
printf 'buffer x u32[16]\nlaunch add grid 1 block 16 args x, 1\nlaunch add grid 1 block 32 args x, 1\n' >"$work/fault.hds"
fault=(run tests/cli/kernels.ptx --script "$work/fault.hds" --config tiny)
run "${fault[@]}" --checkpoint "$work/fault.ckpt:1"
copies plain
run "${fault[@]}" --resume "$work/fault.ckpt"
expect_status 1 "a launch behind the checkpoint fails"
expect_err "just past the end of x" "with the buffer's name"
cmp -s "$err" "$work/plain.err" && cmp -s "$out" "$work/plain.out"
verdict $? "and the same report"

# ---- killed ----
words=(run @bfs --size tiny --config tiny --json "$work/now.json" --checkpoint "$work/run.ckpt:1")
rm -f "$work"/*.ckpt* "$work"/now.*
run "${words[@]:0:8}"
copies plain
preload KILL_AFTER=3
[ "$status" -eq 137 ] && [ ! -f "$work/now.json" ]
verdict $? "killed after a checkpoint, nothing but that is left"
preload KILL_BEFORE=1
cp "$work/run.ckpt" "$work/third.ckpt"
words+=(--resume "$work/run.ckpt")
preload KILL_AFTER=2
! cmp -s "$work/run.ckpt" "$work/third.ckpt"
verdict $? "a run that goes on saves itself too"
cp "$work/run.ckpt" "$work/fifth.ckpt"
preload KILL_BEFORE=1
cmp -s "$work/run.ckpt" "$work/fifth.ckpt"
verdict $? "killed before the new file has its name, the old one is whole"
rm -f "$work"/run.ckpt.*.tmp
preload KEEP=1
copies resumed
[ "$status" -eq 0 ] && cmp -s "$work/plain.json" "$work/resumed.json" && cmp -s "$work/plain.out" "$work/resumed.out"
verdict $? "killed three times, it ends with the same bytes"
[ "$(ls "$work"/run.ckpt.* | wc -l)" -eq 9 ]
verdict $? "and saved what was left of 14 launches, one by one"

# ---- stopped: the file stays, and is named ----
hours | cat tests/cli/kernels.ptx - >"$work/hours.ptx"
printf 'buffer x u32[4]\nlaunch add grid 1 block 4 args x, 1\nlaunch hours grid 1 block 64\n' >"$work/hours.hds"
command_line="heddle run hours.ptx, SIGTERM"
"$HEDDLE" run "$work/hours.ptx" --script "$work/hours.hds" -f --checkpoint "$work/hours.ckpt:1" >"$out" 2>"$err" &
pid=$!
for k in $(seq 600); do [ -s "$work/hours.ckpt" ] && break; sleep 0.05; done
kill -TERM $pid
wait $pid 2>/dev/null
status=$?
expect_status 143 "SIGTERM ends a run at once"
expect_err "$work/hours.ckpt has the first 1 launch; --resume $work/hours.ckpt goes on from there" "and its checkpoint is named"

# ---- after a time ----
printf 'buffer x u32[4]\nrepeat 1000000000 { launch add grid 1 block 4 args x, 1 }\n' >"$work/long.hds"
long=(run tests/cli/kernels.ptx --script "$work/long.hds" -f)
"$HEDDLE" "${long[@]}" --checkpoint "$work/second.ckpt:1s" >"$out" 2>&1 &
first=$!
"$HEDDLE" "${long[@]}" --checkpoint "$work/hour.ckpt:1h" >"$out" 2>&1 &
second=$!
for k in $(seq 600); do [ -s "$work/second.ckpt" ] && break; sleep 0.05; done
kill -KILL $first $second
wait $first $second 2>/dev/null
[ -s "$work/second.ckpt" ] && [ ! -e "$work/hour.ckpt" ]
verdict $? "a checkpoint every second, and none before an hour"

# ---- refused ----
ckpt=$work/third.ckpt
bfs=(run @bfs --size tiny --config tiny)
refused "$ckpt is of another run:" "another machine" "${bfs[@]}" --set sm.depth=3 --resume "$ckpt"
expect_err "  sm.depth is 3 here and was 4" "which is named"
refused "--size is small here and was tiny" "another size" run @bfs --size small --config tiny --resume "$ckpt"
refused "run.mech is volta here and was pdom" "another mechanism" "${bfs[@]}" --mech volta --resume "$ckpt"
refused "--profile is given here and was not given" "other things that are recorded" "${bfs[@]}" --profile --resume "$ckpt"
refused "the program is @nw here and was @bfs" "another program" run @nw --size tiny --config tiny --resume "$ckpt"
refused "--interval is 100 here and was not given" "a series that is new" "${bfs[@]}" --interval 100 --resume "$ckpt"
size=$(stat -c %s "$ckpt")
bad=0
for at in 0 10 $(seq 20 $((size / 23)) "$((size - 1))"); do
    head -c "$at" "$ckpt" >"$work/cut"
    run "${bfs[@]}" --resume "$work/cut"
    [ "$status" -eq 2 ] && [ ! -s "$out" ] && grep -qE 'is not a checkpoint$|is damaged at byte [0-9]+: ' "$err" || bad=1
    cp "$ckpt" "$work/changed"
    printf '\377\125' | dd of="$work/changed" bs=1 seek="$at" conv=notrunc 2>/dev/null
    run "${bfs[@]}" --resume "$work/changed"
    [ "$status" -eq 2 ] && [ ! -s "$out" ] && grep -qE 'is not a checkpoint|another format|is damaged at byte [0-9]+: ' "$err" || bad=1
done
verdict $bad "files that are cut or changed, with the place"
refused "cannot read $work/none: No such file" "no file" "${bfs[@]}" --resume "$work/none"
refused "--checkpoint does not go with --trace: what was traced before a checkpoint is not in it" "a trace" \
    "${bfs[@]}" --checkpoint "$work/a" --trace "$work/t"
refused "--resume does not go with --races" "races" "${bfs[@]}" --resume "$ckpt" --races
refused "what the race check knows is not in a checkpoint" "races by --set" "${bfs[@]}" -f --set run.races=on --checkpoint "$work/a"
refused "':0' is neither a number of launches" "every 0 launches" "${bfs[@]}" --checkpoint "$work/a:0"
refused "':5x' is neither a number of launches" "a unit that is none" "${bfs[@]}" --checkpoint "$work/a:5x"
refused "cannot write $work/none/a" "a directory that is not there" "${bfs[@]}" --checkpoint "$work/none/a"
refused "it needs a file of its own" "standard output" "${bfs[@]}" --checkpoint -
refused "a CUDA program is a process of its own" "a compiled CUDA program" cuda --checkpoint "$work/a" ./none

# An input is not on the command line: what the program copies to the device tells.
printf '1\n2\n3\n' >"$work/in.txt"
add=(run tests/cli/kernels.ptx -k add -g 1 -b 3 -f -q -a "buf:u32[]=file:$work/in.txt" -a u32:1)
run "${add[@]}" --checkpoint "$work/in.ckpt:1"
printf '1\n2\n4\n' >"$work/in.txt"
refused "up to launch 0 the program copied other data to the device, or launched otherwise; an input may have changed" \
    "an input that has changed" "${add[@]}" --resume "$work/in.ckpt"

# ---- the disk is full: the run goes on ----
run "${bfs[@]}" --checkpoint /dev/full:5
expect_status 0 "a checkpoint that cannot be written does not end the run"
expect_err "no checkpoint after launch 4: cannot write /dev/full: No space left on device; the run goes on" "which is said"

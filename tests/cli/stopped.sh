#!/bin/bash
# Ctrl-C and SIGTERM: where the run stood is said, what was counted is shown as partial, and the process dies of the signal.
. tests/cli/lib.inc
json=$work/stopped.json

stopped() { # SIGNAL FILE PATTERN ARGUMENT...: the signal comes when PATTERN is in FILE, or a second after it is handled if FILE is -
    local signal=$1 file=$2 pattern=$3 pid k
    shift 3
    command_line="heddle $*, signal $signal"
    # SIGINT is ignored by what a script starts in the background; env sets that right
    env --default-signal=INT "$HEDDLE" "$@" >"$out" 2>"$err" &
    pid=$!
    if [ "$file" = - ]; then
        handles $pid "$signal"
        sleep 1
    else
        for k in $(seq 600); do grep -qs "$pattern" $file && break; sleep 0.05; done
    fi
    kill -"$signal" $pid
    wait $pid 2>/dev/null
    status=$?
}

# ---- run ---- a launch of which some blocks have ended and many have not; the trace says how far it is. So late, SMs are at
# different lines, of which some have a source line.
long="run @mandelbrot --size paper --config harp-fermi"
stopped INT "$work/*stream*.tmp" 'block 60 ends' $long --trace "$work/t" --json "$json"
expect_status 130 "Ctrl-C ends a run"
grep -qE 'launch 0, the first being 0: stopped on request after [0-9]+ of 1024 blocks of kernel mandelbrot, [0-9]+ cycles, [0-9]+ thread instructions$' "$err"
verdict $? "which says how far it came"
[ "$(grep -cE '^  SM [0-9]+: [0-9]+ blocks, [0-9]+ warps, [0-9]+ at @mandelbrot:[0-9]+: ' "$err")" -eq 16 ]
verdict $? "and what each SM was at"
grep -q 'mandelbrot.cu:' "$err"
verdict $? "with source lines"
expect_in_out "PARTIAL             stopped before its end" "the statistics are marked as partial"
! grep -q "verified" "$out"
verdict $? "nothing is said to be verified"
cycles=$(sed -n 's/.*mandelbrot, \([0-9]*\) cycles.*/\1/p' "$err")
expect_json "$json" partial true "JSON is marked too"
expect_json "$json" kernels/0/partial true "at the launch that was stopped"
expect_json "$json" total/gpu.cycles "$cycles" "and has the cycles until then"
[ -s "$work/t" ] && [ -z "$(find "$work" -name '*.tmp')" ]
verdict $? "the trace is kept, and no temporary file"

{ printf '%s\n' '// heddle: --grid 64 --block 64' '.version 7.0' '.target sm_70' '.address_size 64' && hours; } >"$work/hours.ptx"
stopped TERM - - run "$work/hours.ptx" --functional --quiet
expect_status 143 "SIGTERM ends a functional run"
grep -qE 'stopped on request after 0 of 64 blocks of kernel hours, [0-9]+ thread instructions$' "$err" && [ ! -s "$out" ]
verdict $? "and --quiet leaves the place"

# The first signal is answered, but no process reads the pipe that JSON goes to.
mkfifo "$work/unread"
env --default-signal=INT "$HEDDLE" run "$work/hours.ptx" --json "$work/unread" >"$out" 2>"$err" &
pid=$!
handles $pid INT
sleep 1
kill -INT $pid
for k in $(seq 600); do grep -q stopped "$err" && break; sleep 0.05; done
kill -0 $pid
verdict $? "a run that cannot write goes on after the first signal"
sleep 0.3
kill -INT $pid
wait $pid 2>/dev/null
status=$?
expect_status 130 "and ends at once at the second"
[ -z "$(find "$work" -name '*.tmp')" ]
verdict $? "without temporary files"

# ---- compare ---- the first program ends at once, the other takes long; how long its reference takes depends on the host
for delay in 1 2 4 8 16; do
    env --default-signal=INT "$HEDDLE" compare examples/diamond.ptx @mandelbrot --mech pdom,mimd,dwf --size paper --jobs 1 \
        --json "$json" >"$out" 2>"$err" &
    pid=$!
    handles $pid INT
    sleep $delay
    kill -INT $pid
    wait $pid 2>/dev/null
    status=$?
    grep -q 'stopped; [3-6] of 6' "$err" && break
done
command_line="heddle compare, signal INT"
expect_status 130 "Ctrl-C ends a comparison"
grep -qE 'stopped; [3-5] of 6 runs have ended, the others have no figures' "$err"
verdict $? "which says how many runs have ended"
expect_json "$json" kernels/0/status '"ok"' "and keeps them"
expect_json "$json" kernels/5/status '"stopped"' "the others are marked"
grep -qE '^  dwf +- +- .* stopped$' "$out"
verdict $? "in the table too"

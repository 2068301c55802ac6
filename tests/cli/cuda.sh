#!/bin/bash
# heddle cuda: what is refused before a program starts; its output, exit status and signals; tables and files; several mechanisms side
# by side. The first part uses a stand-in for the runtime library (tests/cli/runtime.c), which writes logs and nothing else.
. tests/cli/lib.inc
unset HEDDLE_CONFIG HEDDLE_MECH HEDDLE_SET HEDDLE_MODE HEDDLE_TIMED HEDDLE_LOG HEDDLE_FILE HEDDLE_RACES HEDDLE_PROFILE LD_PRELOAD
mkdir "$work/tmp" "$work/stand in"
export TMPDIR=$work/tmp
${CC:-cc} -shared -fPIC -o "$work/stand in/libheddle-cuda.so" tests/cli/runtime.c
for n in libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libcuda.so.1; do ln -s libheddle-cuda.so "$work/stand in/$n"; done
export HEDDLE_CUDA_LIB="$work/stand in"
left() { # NAME: nothing is left in the directory for temporary files
    [ -z "$(ls "$work/tmp")" ]
    verdict $? "$1"
}

# ---- what is refused ----
printf 'int main(void) { return 0; }\n' >"$work/plain.c"
${CC:-cc} -static -o "$work/static" "$work/plain.c" 2>/dev/null && refused "is linked statically" "a static program" cuda "$work/static"
${CC:-cc} -c -o "$work/object" "$work/plain.c" && chmod +x "$work/object"
refused "is an object file" "an object file" cuda "$work/object"
printf 'int main(void) { return 0; } const char s[] = "no CUDA-capable device is detected";\n' >"$work/own.c"
${CC:-cc} -o "$work/own" "$work/own.c"
refused "has the CUDA runtime linked into it" "a program with a runtime of its own" cuda "$work/own"
expect_err "-cudart shared" "with the way out"
printf 'int main(void) { return 0; } __attribute__((aligned(8))) const unsigned f[22] = {0xba55ed50, 0x100001, 72, 0, 0x1010001, 64, 8};\n' >"$work/fat.c"
${CC:-cc} -o "$work/fat" "$work/fat.c"
refused "has kernels but needs no libcudart.so" "kernels without a runtime" cuda "$work/fat"
head -c 100 "$work/fat" >"$work/cut" && chmod +x "$work/cut"
refused "is linked statically" "a file that is cut off" cuda "$work/cut"
refused "there is no program $work/none" "a program that is not there" cuda "$work/none"
refused "there is no program no-such-program" "nor in PATH" cuda no-such-program
refused "is a directory" "a directory" cuda "$work"
refused "is not executable" "a file that is not executable" cuda "$work/plain.c"
printf 'hello\n' >"$work/text" && chmod +x "$work/text"
refused "is neither a program nor a script" "a text" cuda "$work/text"
printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\050\000' >"$work/arm" && chmod +x "$work/arm"
refused "is a program for 32-bit ARM" "a program for another processor" cuda "$work/arm"
refused "  heddle nvcc -O2 examples/walks.cu -o walks
  heddle cuda --mech pdom,dwf --set gpu.sms=2 ./walks 100" "a source file: how it is built, and this command with what is built" cuda --mech pdom,dwf --set gpu.sms=2 examples/walks.cu 100
refused "'heddle run examples/collatz.cu' runs one" "a source file with kernels alone" cuda examples/collatz.cu
refused "'heddle run examples/collatz.ptx' runs one" "PTX" cuda examples/collatz.ptx
refused "PROGRAM [ARG]... is missing" "no program at all" cuda --quiet
refused "--json cannot go to standard output" "standard output is the program's" cuda --json - true
refused "--mech needs timed runs" "mechanisms without time" cuda -f --mech pdom true
refused "there is no mechanism 'pdmo'" "an unknown mechanism" cuda --mech pdmo true
refused "there is no configuration" "an unknown machine" cuda --config nowhere true
refused 'there is no option "a.b"' "an unknown option of the machine" cuda --set a.b=c true
refused "--profile needs timed runs" "a profile without time" cuda -f --profile true
refused "--threads: N is at least 1" "no threads" cuda --threads 0 true
refused "--threads needs timed runs" "threads of a run that is not timed" cuda -f --threads 2 true
refused "--report needs timed runs" "a page without time" cuda --races --report "$work/page.html" true
refused "--report cannot go to standard output" "nor is standard output for a page" cuda --report - true
refused "a page is of one machine" "a page of several machines" cuda -c tiny,harp-fermi --report "$work/page.html" true
refused "--timed ':3' is not KERNEL or KERNEL:N" "a kernel without a name" cuda --timed :3 true
HEDDLE_MODE=fast refused "HEDDLE_MODE: mode = fast: it is functional, timed or auto" "a variable that is wrong" cuda true
printf 'mech = pdom\nspeed = high\n' >"$work/options"
refused "options:2: there is no option 'speed'" "a line of an options file that is wrong" cuda --options "$work/options" true
HEDDLE_CUDA_LIB=$work/none refused "libheddle-cuda.so is not in" "a library that is not there" cuda true
left "nothing is left of what was refused"

# ---- the program's own output and end ----
run cuda sh -c 'echo out; echo err >&2; exit 7'
expect_status 7 "the exit status is the program's"
expect_out out "its standard output is left alone"
expect_err "it called nothing of CUDA" "and what there is to say goes to standard error"
run cuda -q -- echo --help -x
expect_out "--help -x" "words behind the program are its own"
[ ! -s "$err" ]
verdict $? "--quiet says nothing"
run cuda -q sh -c 'kill -SEGV $$'
expect_status 139 "a program that dies of a signal"
printf '#!/bin/sh\necho script\n' >"$work/script" && chmod +x "$work/script"
run cuda -q "$work/script"
expect_out script "a script"
run cuda -q --threads 3 sh -c 'echo $HEDDLE_CONFIG $HEDDLE_MECH $HEDDLE_MODE $HEDDLE_SET' --config
expect_out "turing-rtx2060 pdom timed run.threads=3" "the default machine, timed"
run cuda -q sh -c 'echo $HEDDLE_SET'
expect_out "run.threads=$(nproc)" "all cores for one run"
run cuda -q --mech pdom,dwf sh -c 'echo $HEDDLE_SET.'
expect_out "." "one for each of several"
run cuda -q -S run.threads=2 sh -c 'echo $HEDDLE_SET'
expect_out "run.threads=2" "or what is set"
run cuda -q -c tiny --mech pdom:side=most --set gpu.sms=2 -m 99 --threads 1 sh -c 'echo $HEDDLE_CONFIG $HEDDLE_MECH $HEDDLE_MODE $HEDDLE_SET'
expect_out "tiny pdom timed gpu.sms=2;pdom.side=most;exec.max_insts=99;run.threads=1" "what the library finds in its environment"
run cuda -q -f --timed x true
expect_status 2 "--timed without time is refused"
run cuda -q --timed 'reduce:3' --timed ns::scan sh -c 'echo $HEDDLE_TIMED'
expect_out "reduce:3;ns::scan" "kernels to time"
printf '# machine\nHEDDLE_CONFIG = tiny\nset = gpu.sms=2;sm.depth=1\nquiet = 1\n' >"$work/options"
HEDDLE_CONFIG=harp-fermi HEDDLE_SET=gpu.sms=3 run cuda --options "$work/options" --set sm.depth=2 --threads 1 sh -c 'echo $HEDDLE_CONFIG $HEDDLE_SET'
expect_out "tiny gpu.sms=3;gpu.sms=2;sm.depth=1;sm.depth=2;run.threads=1" "variables, then the file, then the command line"
[ ! -s "$err" ]
verdict $? "a flag in the file"
run cuda -q readlink /proc/self/fd/1
expect_out "$out" "no pipe stands between one program and its output"
[ "$(setarch -R true 2>&1; $HEDDLE cuda -q sh -c 'cat /proc/$$/personality')" = 00040000 ]
verdict $? "addresses are not randomised"

# ---- the table and the files ----
export LAUNCHES=6
run cuda --json "$work/a.json" --csv "$work/a.csv" --html "$work/a.html" --log "$work/a.log" true
expect_err "true  6 launches of 2 kernels, turing-rtx2060 under pdom" "the table's title"
grep -qE '^ +3  reduce +12,000  57.1 %' "$err" && grep -qE '^ +6  all +21,000' "$err"
verdict $? "kernels by their names, those that took most first, and all"
expect_json "$work/a.json" runs/0/launches/5/gpu.cycles 6000 "every launch is in the JSON"
expect_json "$work/a.json" runs/0/kernels/1/launches 3 "kernels are"
expect_json "$work/a.json" runs/0/kernels/0/kernel '"_Z4heatPfi"' "by the names the PTX has"
expect_json "$work/a.json" runs/0/total/exec.thread_insts 30000 "totals are"
[ "$(wc -l <"$work/a.csv")" -eq 7 ] && [ "$(wc -l <"$work/a.log")" -eq 8 ] && grep -q 'whole program' "$work/a.html"
verdict $? "CSV, log and page"
run cuda -q --json "$work/b.json" true
cmp -s "$work/a.json" "$work/b.json"
verdict $? "the same bytes again"
run cuda --launches -o - true
grep -qE '^ +6  reduce  4 blocks of 64 threads, 16 bytes' "$out" || grep -qE '^ +6  reduce  4 blocks of 64 threads' "$out"
verdict $? "a row for each launch, to standard output"
FAULT=4 run cuda true
expect_err "reduce: 1 of 3 launches failed, the first: out of bounds" "a launch that failed is named"
expect_status 0 "and leaves the exit status to the program"
run cuda --functional true
expect_err "6 launches of 2 kernels, functional" "functional"
! grep -q cycles "$err"
verdict $? "has no cycles"
run cuda sh -c 'true; /bin/true; kill -KILL $$'
expect_status 137 "a shell that is killed"
expect_err "2 processes used CUDA" "all processes are counted"
expect_err "1 of them did not end by themselves" "and the one that did not end is named"
printf '{"event":"launch","pi' >"$work/half"
run cuda sh -c "cat '$work/half' >>\$HEDDLE_LOG"
expect_err "1 line of the log cannot be read" "a line cut short is left out"

# ---- several mechanisms ----
run cuda --mech pdom,dwf --json "$work/a.json" --html "$work/a.html" sh -c 'cat; echo done; exit 3'
expect_out done "the output is shown once"
expect_status 3 "the exit status is theirs"
grep -qE '^ +dwf +[0-9,]+ .* 2.000' "$err" && grep -qE '^ +geometric mean +1.000  2.000' "$err"
verdict $? "speed-ups of the program and of kernels"
expect_json "$work/a.json" runs/1/kernels/0/speedup 2.0 "which JSON has"
! grep -q DIFFERENT "$err"
verdict $? "nothing differs"
run cuda --mech pdom,dwf sh -c 'echo same; echo $HEDDLE_MECH; [ $HEDDLE_MECH = pdom ] || { echo why >&2; exit 4; }'
expect_status 4 "the first exit status that is not 0"
expect_err "DIFFERENT: standard output of dwf differs from line 2 on: 'dwf' where pdom has 'pdom'" "output that differs is reported"
expect_err "DIFFERENT: exit status 0 under pdom, and 4 under dwf" "and so is an end that does"
expect_err "why" "with what it said"
expect_err "ended otherwise" "and it is not compared"
run cuda --config tiny,harp-fermi --mech pdom,dwf --jobs 2 true
grep -qE '^ +tiny pdom ' "$err" && grep -qE '^ +harp-fermi dwf ' "$err"
verdict $? "machines and mechanisms"
command_line="heddle cuda --mech pdom,dwf cat, from a pipe"
{ echo one; sleep 0.2; echo two; } | $HEDDLE cuda -q --mech pdom,dwf --json "$work/a.json" cat >"$out" 2>"$err"
status=$?
expect_out "one
two" "standard input goes to all"
head -c 2000000 /dev/zero | $HEDDLE cuda -q --mech pdom,dwf,volta --jobs 3 cat 2>"$err" | cmp -s - <(head -c 2000000 /dev/zero)
verdict $? "much of it, too"
command_line="heddle cuda with a process that stays behind"
timeout 5 "$HEDDLE" cuda -q --mech pdom,dwf sh -c 'sleep 8 & echo gone' >"$out" 2>"$err" </dev/zero
expect_out gone "a process that stays behind is not waited for, nor is standard input that has no end"
unset LAUNCHES
left "nothing is left behind"

# ---- signals ----
stopped() { # SIGNAL STATUS NAME OPTION...: the program gets it, the tables are shown
    local sig=$1 want=$2 name=$3
    shift 3
    command_line="heddle cuda $*, $sig"
    rm -f "$out"
    LAUNCHES=2 "$HEDDLE" cuda "$@" sh -c 'echo begun; exec sleep 30' >"$out" 2>"$err" &
    local child=$!
    for i in $(seq 600); do [ -s "$out" ] && break || sleep 0.1; done
    kill -"$sig" $child
    wait $child 2>/dev/null
    status=$?
    [ $status -eq "$want" ] && grep -q "PARTIAL" "$err" && grep -q "heat" "$err"
    verdict $? "$name"
}
stopped TERM 143 "SIGTERM is passed on, and what had ended is shown"
stopped TERM 143 "to several runs" --mech pdom,dwf
stopped HUP 129 "SIGHUP"
left "nothing is left of stopped runs"

# ---- the library itself ----
unset HEDDLE_CUDA_LIB
# A program that was not built with the sanitizers gets a library that was: their runtimes come first.
case $BUILD in *asan*) export LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 ;; esac
"$HEDDLE" nvcc -O2 -o "$work/launches" tests/cli/launches.cu -lpthread >"$out" 2>"$err"
command_line="heddle nvcc tests/cli/launches.cu" status=$?
expect_status 0 "a program is built"
launches=$work/launches
run cuda "$launches" 2
expect_out "no error, 221" "a program computes what it should"
expect_status 0 "and says so"
grep -qE '^ +2  total +[0-9,]+ ' "$err" && grep -qE '^ +1  chain +[0-9,]+ ' "$err"
verdict $? "its launches are in the table"
run cuda -c tiny --mech pdom,dwf,volta,mimd --json "$work/a.json" "$launches" 2
expect_out "no error, 221" "under several mechanisms"
! grep -q DIFFERENT "$err"
verdict $? "it is the same"
expect_json "$work/a.json" runs/3/launches/2/status '"ok"' "every launch of each is in the JSON"
cp "$work/a.json" "$work/b.json"
run cuda -q -c tiny --mech pdom,dwf,volta,mimd --jobs 1 --json "$work/a.json" "$launches" 2
cmp -s "$work/a.json" "$work/b.json"
verdict $? "whose bytes do not depend on how many run at a time"
run cuda -q --threads 1 --json "$work/a.json" "$launches" 2
run cuda -q --threads 3 --json "$work/b.json" "$launches" 2
cmp -s "$work/a.json" "$work/b.json"
verdict $? "nor on how many threads simulate a launch"
run cuda --functional "$launches" 2
expect_out "no error, 221" "functional"
run cuda --timed total:2 --json "$work/a.json" "$launches" 3
expect_json "$work/a.json" runs/0/launches/2/timed true "one launch is timed"
expect_json "$work/a.json" runs/0/launches/3/timed false "and no other"
run cuda --sample --json "$work/a.json" "$launches" 8
expect_out "no error, 869" "a sampled program computes the same"
grep -qE '^ +8  total +~[0-9,]+ ' "$err" && grep -qF 'SAMPLED: 5 of 9 launches were estimated' "$err"
verdict $? "and what was estimated is marked"
expect_json "$work/a.json" runs/0/launches/8/gpu.estimated 1 "in the JSON too"
run cuda --sample --profile "$launches" 8
expect_status 2 "--sample does not go with --profile"
run cuda "$launches" fault
expect_out cudaErrorIllegalAddress "a fault is an error code for the program"
expect_err "launches.cu:35" "standard error has the line"
expect_err "store: 1 of 1 launches failed, the first: out-of-bounds 4-byte store" "and the table the reason"
run cuda --json "$work/a.json" "$launches" fork
expect_out "no error, 221
no error, 221
no error, 221" "a program that starts others"
expect_err "3 processes used CUDA" "whose launches are all there"
expect_json "$work/a.json" runs/0/launches/8/process 3 "each with its process"
run cuda --races "$launches" race
expect_status 1 "a data race"
expect_err "data race: write-write of global memory, byte 0 of buffer 1, 32 times, first in kernel race" "is told"
run cuda --races "$launches" 2
expect_err "no data races" "and so is that there is none"
expect_status 0 "which is fine"
run cuda "$launches" threads
expect_out "0 wrong" "several threads of the host"
grep -qE '^ +80  store' "$err"
verdict $? "and all their launches"
run cuda "$launches" crash
expect_status 134 "a program that aborts"
grep -qE '^ +1  total' "$err"
verdict $? "keeps what it had done"
rm -f "$out"
"$HEDDLE" cuda "$launches" wait >"$out" 2>"$err" &
child=$!
for i in $(seq 600); do grep -q waiting "$out" 2>/dev/null && break || sleep 0.1; done
kill -TERM $child
wait $child 2>/dev/null
status=$?
expect_status 143 "one that is stopped"
grep -q PARTIAL "$err" && grep -qE '^ +1  total' "$err"
verdict $? "too"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    env -u LD_PRELOAD "$nvcc" -o "$work/own-runtime" tests/cli/launches.cu
    refused "has the CUDA runtime linked into it" "nvcc's default" cuda "$work/own-runtime"
    env -u LD_PRELOAD "$nvcc" -cudart shared -gencode arch=compute_75,code=sm_75 -o "$work/sass" tests/cli/launches.cu
    run cuda "$work/sass" 1
    expect_err "holds machine code of a GPU and no PTX" "machine code alone"
    env -u LD_PRELOAD "$nvcc" -cudart shared -o "$work/nvcc" tests/cli/launches.cu
    run cuda "$work/nvcc" 2
    expect_out "no error, 221" "nvcc's programs"
fi

# ---- a launch taken out ----
run cuda -q -f --capture total:2="$work/total.hdl" "$launches" 3
expect_out "no error, 329" "a launch is taken out of a program"
run run "$work/total.hdl" -q --print m2:1
expect_in_out "0:  221" "and computes the same again: memory, variables and constants are as they were"
run compare "$work/total.hdl" --mech pdom,dwf,volta
expect_status 0 "compare takes it"
expect_in_out "total.hdl, 1 block of 1 thread" "with its shape"
run cuda -q -c tiny --capture chain="$work/chain.hdl" "$launches" 1
run run "$work/chain.hdl" -c tiny --json "$work/b.json"
"$HEDDLE" cuda -q -c tiny --json "$work/a.json" "$launches" 1 >/dev/null
expect_json "$work/b.json" total/gpu.cycles "$("$work/json" "$work/a.json" runs/0/launches/0/gpu.cycles)" "the first launch takes the same cycles alone"
run explain pdom "$work/total.hdl"
expect_in_out "total under pdom" "explain takes it"
run report "$work/total.hdl" -c tiny -q --html "$work/report.html"
expect_status 0 "report does"
run study oracle-lanes "$work/total.hdl"
expect_status 0 "study does"
run inspect "$work/total.hdl"
expect_in_out "kernel total(int*, int**)" "inspect does"
refused "there was no such launch" "a launch that is not there" cuda -q --capture total:9="$work/none.hdl" true
refused "is not KERNEL[:N]=FILE" "a capture without a file" cuda --capture total true

# ---- where the time goes ----
run cuda -c tiny --profile --timed total:2 --json "$work/a.json" "$launches" 2
grep -q "^Lane slots" "$err" && grep -qE " bra .* launches.cu:29" "$err"
verdict $? "a profile, by lines of the source"
run run "$work/total.hdl" -q -c tiny --profile --json "$work/b.json"
expect_json "$work/a.json" runs/0/profile/slots/all "$("$work/json" "$work/b.json" total/profile/slots/all)" "its slots are those of the launch alone"
for key in line executions own/causes own/suffers with_calls/slots; do
    expect_json "$work/a.json" runs/0/profile/branches/0/$key "$("$work/json" "$work/b.json" total/profile/branches/0/$key)" "and so is the first branch: $key"
done
run cuda -q -c tiny --profile --json "$work/b.json" "$launches" 2
run cuda -c tiny --profile --mech pdom,dwf --json "$work/a.json" "$launches" fork
expect_json "$work/a.json" runs/0/profile/slots/all $((3 * $("$work/json" "$work/b.json" runs/0/profile/slots/all))) "processes are added up"
expect_json "$work/a.json" runs/0/profile/functions/1/own/slots $((3 * $("$work/json" "$work/b.json" runs/0/profile/functions/1/own/slots))) "function by function"
grep -q "^Profile: pdom" "$err" && grep -q "^Profile: dwf" "$err"
verdict $? "a profile for each mechanism"
run cuda -c tiny --mech pdom,dwf --report "$work/page.html" "$launches" 2
expect_status 0 "a page of the heaviest launch"
expect_out "no error, 221" "the second run's output is not shown"
grep -qE "The report in .*/page.html is of (total|chain)[^,]*, launch [12]: [0-9.]+ % of all cycles under pdom" "$err" &&
    grep -qE '"title":"(total|chain)[^"]*, launch' "$work/page.html" && ! grep -q "$TMPDIR/heddle" "$work/page.html"
verdict $? "says which launch that is"
cp "$work/page.html" "$work/page2.html"
run cuda -q -c tiny --mech pdom,dwf --report "$work/page.html" "$launches" 2
cmp -s "$work/page.html" "$work/page2.html"
verdict $? "and the same bytes again"
echo 2 >"$work/in"
command_line="heddle cuda --report, from a file"
"$HEDDLE" cuda -q -c tiny --report "$work/page.html" sh -c 'read n; exec "$0" "$n"' "$launches" <"$work/in" >"$out" 2>"$err"
status=$?
expect_status 0 "standard input comes again from a file"
printf '#!/bin/sh\nmkdir "%s" 2>/dev/null && exec "%s" 2\n' "$work/ran" "$launches" >"$work/once" && chmod +x "$work/once"
rm "$work/page.html"
run cuda -q -c tiny --report "$work/page.html" "$work/once"
expect_status 2 "a program that does something else the next time"
expect_err "when the program was run again it did not get to launch" "has no page"
refused "no launch was timed" "no launch to show" cuda -q --report "$work/page.html" true
run cuda -q -c tiny --report "$work/page.html" "$launches" fork
expect_err "several processes or modules have a launch" "which of several processes?"
[ ! -e "$work/page.html" ]
verdict $? "no page is left of them"
left "and no file of theirs"
head -c 600 "$work/total.hdl" >"$work/cut.hdl"
refused "is a captured launch, but damaged" "a file that is cut off" run "$work/cut.hdl"
{ head -c 25 "$work/total.hdl"; echo '{"kernel":"k","params":[8],"ptx":5}' | zstd -q; } >"$work/short.hdl" 2>/dev/null &&
    refused "its parts do not fit its description" "parts that are missing" run "$work/short.hdl"
unset TMPDIR

#!/bin/bash
# heddle explain: a warp step by step under every mechanism, which threads and how many steps, and what it refuses.
. tests/cli/lib.inc
four="--set sm.warp_size=4 --set sm.simd_width=4"

# The stack of DWF Figure 3.1, A B C D E F G being B0 B3 B6 B4 B5 B1 B2: (c) follows the branch at PC 5, (d) that at PC 12,
# (e) the end of D at PC 13.
run explain pdom examples/diamond.ptx $four
expect_status 0 "a file that says how it is launched needs no options"
cat >"$work/want" <<'END'
diamond under pdom (Post-dominator stack) on tiny, block 0, warp 0, threads 0-3
cycles      PCs      lanes, block of code, instructions
0-4         0        ####  B0  ld.param.u64 rd0, [0]               line 23, diamond.cu:8
            warp 0: split 0 sched 0 pc 1 (B0) ready ####
              pc 1 (B0) rpc - #### <- top
4-20        1-4      ####  B0  4 instructions                      lines 24-35, diamond.cu:11
20-24       5        ####  B0  @p1 bra B3                          line 37, diamond.cu:11
                     ...#  go to 6 (B1)
                     ###.  go to 11 (B3)
            pdom: diverge 2 ways
            warp 0: split 0 sched 0 pc 11 (B3) ready ###.
              pc 7 (B2) rpc - ####
              pc 6 (B1) rpc 7 (B2) ...#
              pc 11 (B3) rpc 7 (B2) ###. <- top
24-28       11       ###.  B3  setp.eq.s32 p1, r1, 0               line 62, diamond.cu:15
28-32       12       ###.  B3  @p1 bra B6                          line 64, diamond.cu:15
                     .##.  go to 13 (B4)
                     #...  go to 15 (B6)
            pdom: diverge 2 ways
            warp 0: split 0 sched 0 pc 15 (B6) ready #...
              pc 7 (B2) rpc - ####
              pc 6 (B1) rpc 7 (B2) ...#
              pc 14 (B5) rpc 7 (B2) ###.
              pc 13 (B4) rpc 14 (B5) .##.
              pc 15 (B6) rpc 14 (B5) #... <- top
32-36       15       #...  B6  mov.u32 r1, 43982                   line 82, diamond.cu:18
36-40       16       #...  B6  bra.uni B5                          line 83, diamond.cu:18  -> 14 (B5)
            warp 0: split 0 sched 0 pc 13 (B4) ready .##.
              pc 7 (B2) rpc - ####
              pc 6 (B1) rpc 7 (B2) ...#
              pc 14 (B5) rpc 7 (B2) ###.
              pc 13 (B4) rpc 14 (B5) .##. <- top
40-44       13       .##.  B4  mov.u32 r1, 43998                   line 70, diamond.cu:16
            pdom: reconverge at 14
            warp 0: split 0 sched 0 pc 14 (B5) ready ###.
              pc 7 (B2) rpc - ####
              pc 6 (B1) rpc 7 (B2) ...#
              pc 14 (B5) rpc 7 (B2) ###. <- top
44-48       14       ###.  B5  bra.uni B2                          line 76, diamond.cu:20  -> 7 (B2)
            warp 0: split 0 sched 0 pc 6 (B1) ready ...#
              pc 7 (B2) rpc - ####
              pc 6 (B1) rpc 7 (B2) ...# <- top
48-52       6        ...#  B1  mov.u32 r1, 175                     line 43, diamond.cu:12
            pdom: reconverge at 7
            warp 0: split 0 sched 0 pc 7 (B2) ready ####
              pc 7 (B2) rpc - #### <- top
52-64       7-9      ####  B2  3 instructions                      lines 50-53, diamond.cu:23
64-68       10       ####  B2  exit                                line 55, diamond.cu:24
                     ####  exit
END
cmp -s "$out" "$work/want"
verdict $? "pdom: the stack goes through the states of Figure 3.1 (c), (d), (e)"
! grep -q ' $' "$out"
verdict $? "without trailing blanks"
run explain pdom examples/diamond.ptx $four
cmp -s "$out" "$work/want"
verdict $? "two runs print the same bytes"

state() { # ENTRY...: the tables that follow a step, joined; fails unless this sequence of lines is in the output
    printf '%s\n' "$@" >"$work/state"
    awk 'NR == FNR { want[n++] = $0; next } { line = $0; sub(/^ +/, "", line); k = line == want[k] ? k + 1 : line == want[0]; if (k == n) found = 1 }
         END { exit !found }' "$work/state" "$out"
}
run explain pdom:side=fallthrough examples/diamond.ptx $four
state "pc 7 (B2) rpc - ####" "pc 11 (B3) rpc 7 (B2) ###." "pc 6 (B1) rpc 7 (B2) ...# <- top"
verdict $? "a mechanism takes parameters: the other side first"

# A form of the program: PCs and labels are those of the program, marks have the PC of the instruction they stand before.
run explain pdom examples/diamond.ptx $four --set run.form=joins
grep -qE '^              pc 13 \(B4\) rpc 14 \(B5\) sync \.##\.$' "$out" &&
    grep -qE '^            pdom: reconverge at 14 sync$' "$out" &&
    grep -qE '^44-48 +14 +###\.  B5  sync  ' "$out" && grep -qE '^48-52 +14 +###\.  B5  bra.uni B2 .* -> 7 \(B2\) sync$' "$out"
verdict $? "PCs under a form are the program's"
[ "$(grep -oE 'pc [0-9]+' "$out" | sort -u | awk '$2 > 16' | wc -l)" -eq 0 ]
verdict $? "and none is beyond its end"
run explain pdom examples/loopbreak.ptx --grid 1 --block 8 --steps 2000 --set run.form=structured
grep -q ' 18  *########  B2  mov.pred p2, !pt  ' "$out" && grep -q ' 18  *########  B2  loop 32 (B5)  ' "$out" &&
    grep -q ' @!p2 if [0-9]* (B[0-9]*) endif  ' "$out"
verdict $? "guards of the structured form are shown as they are, marks with their guard and place"

# Every mechanism there is: all lanes run, and every one of them exits once.
for mech in $("$HEDDLE" list mechanisms --json | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p'); do
    run explain "$mech" examples/diamond.ptx $four
    grep -qE '^[01]-[0-9]+ +0 +####  B0  ld\.param' "$out"
    verdict $? "$mech: begins with all lanes"
    lanes=$(sed -n 's/^ \{21\}\([#.]*\)  exit$/\1/p' "$out" | tr -dc '#' | wc -c)
    [ "$status" -eq 0 ] && [ "$lanes" -eq 4 ]
    verdict $? "$mech: every lane exits once"
    run explain "$mech" examples/collatz.ptx --grid 1 --block 40 --warp all --steps 3000
    cp "$out" "$work/first"
    run explain "$mech" examples/collatz.ptx --grid 1 --block 40 --warp all --steps 3000
    [ "$status" -eq 0 ] && cmp -s "$out" "$work/first"
    verdict $? "$mech: two runs print the same bytes"
done
[ -n "$lanes" ]
verdict $? "there are mechanisms"
run explain nrec examples/diamond.ptx $four
[ "$(grep -cE '^[0-9-]+ +10 +[#.]{4}  B2  exit' "$out")" -eq 3 ]
verdict $? "nrec: the last block runs three times"
expect_in_out "split 2 sched 0 pc 15 (B6) ready #..." "nrec: each side is a split"
run explain lwm:size=8 examples/diamond.ptx $four
state "lwm: diverge 2 ways" "warp 0: split 0 sched 0 pc 15 (B6) ready #..." "pc 7 (B2) rpc - ####" "pc 6 (B1) rpc 7 (B2) ...#" \
    "pc 14 (B5) rpc 7 (B2) ###." "pc 13 (B4) rpc 14 (B5) .##." "pc 15 (B6) rpc 14 (B5) #... <- top"
verdict $? "lwm: the stack of a large warp"
run explain mimd examples/diamond.ptx $four
expect_in_out ".##.  go to 13 (B4)" "mimd: what became of the lanes is told where the mechanism says nothing"
run explain dwf examples/diamond.ptx $four
state "dwf: diverge 2 ways" "scheduler 0: pool 2 of 128" "lut[24] pc 6 (B1) warp 0 occ 8" "lut[44] pc 11 (B3) warp 1 occ 7" \
    "majority pc 5 (B0) threads 0 warps" "heap[0] pc 11 (B3) threads 3 warps 1" "heap[1] pc 6 (B1) threads 1 warps 0" \
    "warp 0 pc 6 (B1) ready ...#" "warp 1 pc 11 (B3) ready ###."
verdict $? "dwf: a LUT entry, a heap entry and a warp for each side"
run explain harp examples/diamond.ptx $four
state "harp: diverge 2 ways" "ready-lookup pc 13 (B4) .##." "ready-lookup pc 15 (B6) #..." \
    "barrier 0.0 rpc 7 (B2) #### reached ...#" "barrier 0.1 rpc 14 (B5) ###. reached -" &&
    state "harp: reconverge at 14" "revived pc 14 (B5) ###." "barrier 0.0 rpc 7 (B2) #### reached ...#"
verdict $? "harp: the lookup's warps, a barrier inside another, the warp it revives"
for mech in mp mp-basic; do
    run explain $mech examples/diamond.ptx $four
    state "$mech: diverge 2 ways" "warp 0" "st pc 13 (B4) rpc 14 (B5) .##. ready" "st pc 15 (B6) rpc 14 (B5) #... ready" \
        "rt pc 7 (B2) rpc - #### pending ###." "rt pc 14 (B5) rpc 7 (B2) ###. pending ###." &&
        state "$mech: reconverge at 7" "warp 0" "st pc 7 (B2) rpc - #### ready"
    verdict $? "$mech: splits table and reconvergence table"
done
run explain dpe examples/diamond.ptx $four
state "dpe: diverge 2 ways" "warp 0" "rpc - | left pc 7 (B2) #### join" "rpc 7 (B2) | left pc 14 (B5) ###. join" \
    "rpc 14 (B5) | left pc 15 (B6) #... ready | right pc 13 (B4) .##. ready <- top" &&
    state "dpe: reconverge at 14" "warp 0" "rpc - | left pc 7 (B2) #### join" "rpc 7 (B2) | left pc 14 (B5) ###. ready <- top"
verdict $? "dpe: a stack whose top has two paths"
run explain dws examples/diamond.ptx $four --set dws.branch=stack
state "dws: diverge 2 ways" "warp 0" "split pc 13 (B4) rpc 14 (B5) .##. ready" "split pc 15 (B6) rpc 14 (B5) #... ready" \
    "join pc 7 (B2) rpc - #### pending ###." "join pc 14 (B5) rpc 7 (B2) ###. pending ###."
verdict $? "dws: splits and the joins they lead to"
run explain volta examples/diamond.ptx $four
state "volta: diverge 2 ways" "warp 0" "path pc 6 (B1) ...# could run" "path pc 13 (B4) .##. could run" \
    "path pc 15 (B6) #... ready" "b0 rpc 7 (B2) bsync ####" "b1 rpc 14 (B5) bsync ###."
verdict $? "volta: paths and the barriers they have set"
run explain minpc examples/diamond.ptx $four
state "warp 0: depth 0 pc 13 (B4) running, ready .##." "warp 0: depth 0 pc 15 (B6) standing #..."
verdict $? "minpc: who runs and who stands"
run explain tesla examples/diamond.ptx $four
state "tesla: diverge 2 ways" "warp 0: split 0 sched 0 pc 15 (B6) ready #..." "sync pc 7 (B2) ####" "div pc 6 (B1) ...#" \
    "sync pc 14 (B5) join ###." "div pc 13 (B4) .##."
verdict $? "tesla: tokens"
run explain sympa13 examples/diamond.ptx $four
state "sympa13: diverge 2 ways" "warp 0: split 0 sched 0 pc 6 (B1) ready ...#" "join pc 11 (B3) ####"
verdict $? "sympa13: masks and joins"
run explain sbi examples/diamond.ptx $four
state "sbi: diverge 2 ways" "warp 0: depth 0 pc 7 (B2) first, ready ...#" "warp 0: depth 0 pc 13 (B4) second, parked .##." \
    "warp 0: depth 0 pc 15 (B6) cold #..."
verdict $? "sbi: two hot contexts and a cold one"
run explain swi examples/diamond.ptx $four
state "warp 0: depth 0 pc 13 (B4) first, ready .##." "warp 0: depth 0 pc 15 (B6) cold #..."
verdict $? "swi: one hot context, the rest is cold"
run explain tf examples/diamond.ptx $four
state "warp 0: depth 0 pc 13 (B4) running, ready .##." "warp 0: depth 0 pc 15 (B6) standing #..."
verdict $? "tf: who runs and who stands"
run explain tf:kind=sandybridge examples/diamond.ptx $four
state "warp 0: depth 0 pc 13 (B4) running, ready .##." "warp 0: depth 0 pc 15 (B6) standing #..."
verdict $? "tf: the same with a PC for each thread"
run explain lorie-strong examples/diamond.ptx $four
state "warp 0: depth - pc 13 (B4) running, ready .##." "warp 0: depth - pc 15 (B6) standing #..."
verdict $? "lorie-strong: the same at the original's PCs"
run explain takahashi examples/diamond.ptx $four
state "warp 0: depth - pc 11 (B3) passed without threads, ready -"
verdict $? "takahashi: code that nobody executes"
run explain tbc examples/oddeven.ptx -g 1 -b 8 $four
state "tbc: diverge 2 ways; compacted 2 warps into 2" "block at warp 0 sched 0:" "pc 17 (B3) rpc - #### +4 join" \
    "pc 26 (B5) rpc 17 (B3) .#.# +2" "pc 27 (B6) rpc 17 (B3) #.#. +2 runs, 2 warps" "warp 0 pc 27 (B6) ready #.#."
verdict $? "tbc: the stack of a block, with its warps"
run explain capri examples/oddeven.ptx -g 1 -b 8 $four
state "warp 0 pc 27 (B6) ready #.#." "branch 25 inadequate"
verdict $? "capri: the same, and what is predicted"

# The answer comes at once: of every example under every mechanism, no more is simulated than what is shown. The bounds are
# on work: thread instructions of the launch (a whole collatz has 4 million), and processor time, which a busy machine does
# not stretch; a run takes some 20 ms of it.
mechs=$("$HEDDLE" list mechanisms --json | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p')
at_once() { # INSTRUCTIONS NAME ARGUMENT...: within the bounds, unless the mechanism cannot run the program
    local most=$1 name=$2
    shift 2
    run_limited "$@" --max-insts $most
    [ "$status" -eq 0 ] && [ "$(wc -l <"$out")" -gt 3 ] || grep -qE "cannot (run|be)|does not run" "$err"
    verdict $? "$name"
}
run_limited() { # ARGUMENT...: run, with a second of processor time
    command_line="heddle $*"
    (ulimit -t 1; exec "$HEDDLE" "$@") >"$out" 2>"$err" </dev/null
    status=$?
}
for file in examples/*.ptx; do
    launch=
    [ $file != examples/saxpy.ptx ] || launch="--grid 4 --block 256 --arg buf:f32[1024] --arg buf:f32[1024] --arg f32:2 --arg u32:1000"
    for mech in $mechs; do at_once 50000 "at once: $mech, $file" explain "$mech" $file $launch; done
done
set -- $mechs # a mechanism for each workload, in turn
for name in $("$HEDDLE" list workloads --json | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p'); do
    [ $# -gt 0 ] || set -- $mechs
    at_once 400000 "at once: $1, @$name" explain "$1" "@$name"
    shift
done

# The launch of a file is cut, and the output says so; what the command line says is kept.
said="the file's own launch has 32 blocks of 256 threads (--grid and --block choose)"
run explain pdom examples/collatz.ptx --steps 20
[ "$(sed -n 2p "$out")" = "1 block of 32 threads here; $said" ]
verdict $? "a launch larger than needs be is cut"
run explain pdom examples/collatz.ptx --steps 20 --warp 3:5
[ "$(sed -n 2p "$out")" = "4 blocks of 48 threads here; $said" ] && grep -q "block 3, warp 5, threads 40-47" "$out"
verdict $? "but not what is asked for"
run explain pdom examples/collatz.ptx --steps 20 --grid 32 --block 256
! grep -q "own launch" "$out" && [ "$status" -eq 0 ]
verdict $? "nor what the command line gives"
run explain pdom examples/mandelbrot.ptx --steps 20
expect_in_out "1 block of 16 x 2 threads here; the file's own launch has 8 x 16 blocks of 16 x 8 threads" "rows are whole"
sed 's/--grid 1 --block 8/--grid 40 --block 64/' tests/cli/barrier.ptx >"$work/barrier.ptx"
run explain pdom "$work/barrier.ptx"
expect_in_out "1 block of 64 threads here; the file's own launch has 40 blocks" "a block with a barrier stays whole"
run explain pdom,dwf examples/diamond.ptx
[ "$(grep -c '^diamond under' "$out")" -eq 2 ] && grep -q '^diamond under dwf' "$out" && [ "$status" -eq 0 ]
verdict $? "of several mechanisms each is told in turn"
run explain lwm:size=64,pdom examples/collatz.ptx --steps 20
[ "$(grep -c "^1 block of 64 threads here" "$out")" -eq 2 ]
verdict $? "with the same launch"

# The page: what a browser makes of it is tests/browser/explain.py's.
data() { sed -n '/id="data"/{n;p}' "$1"; } # FILE: the tree it draws
run explain pdom,dwf,volta examples/collatz.ptx --html "$work/page.html"
[ "$status" -eq 0 ] && [ ! -s "$out" ] && [ "$(data "$work/page.html" | grep -o '"title":"[^"]*","source"' | wc -l)" -eq 3 ]
verdict $? "--html writes a page instead, with all mechanisms"
run explain pdom,dwf,volta examples/collatz.ptx --html "$work/again.html"
cmp -s "$work/page.html" "$work/again.html"
verdict $? "of the same bytes"
run explain "$(echo $mechs | tr ' ' ,)" examples/photons.ptx --steps 100000 --html "$work/page.html"
[ "$status" -eq 0 ] && [ "$(stat -c %s "$work/page.html")" -lt 2000000 ] && data "$work/page.html" | grep -q '"full":true'
verdict $? "with every mechanism and to the end it stays below 2 MB, and says where it was cut"
run explain pdom,takahashi @recursion --html "$work/page.html"
[ "$status" -ne 0 ] && grep -q "under takahashi: .*recursion" "$err" && data "$work/page.html" | grep -q '"error":".*recursion'
verdict $? "a mechanism that refuses the program has its place on the page, and the status says so"
refused "cannot" "a page that cannot be written, before anything runs" explain pdom examples/diamond.ptx --html "$work/none/page.html"

run explain pdom tests/cli/barrier.ptx $four
state "####  wait" "warp 0: split 0 sched 0 pc 7 (B2) parked ####" "pc 7 (B2) rpc - #### <- top" "waiting at a barrier ####"
verdict $? "threads wait at a barrier"
grep -qE '^[0-9]+ +other threads change this:$' "$out"
verdict $? "until another warp arrives there"
run explain pdom tests/cli/barrier.ptx $four --warp 1
expect_in_out "meet under pdom (Post-dominator stack) on tiny, block 0, warp 1, threads 4-7" "--warp N is another warp"
expect_in_out "####  B1  3 instructions                      lines 13-15" "consecutive instructions are counted"
! grep -q "warp 0:" "$out"
verdict $? "and the tables are its own"
run explain pdom tests/cli/barrier.ptx $four --warp all
grep -qE '  0:####  wait$' "$out" && grep -qE ' 1:####  B1  3 instructions' "$out"
verdict $? "--warp all draws each warp with its number"
run explain pdom tests/cli/barrier.ptx --block 6 --warp 0:0
expect_in_out "######  B2  exit" "a warp that is not full has fewer lanes"
run explain pdom tests/cli/barrier.ptx $four --grid 9 --warp 7:1
[ "$status" -eq 0 ] && grep -qF "block 7, warp 1, threads 4-7" "$out" && grep -qF "####  exit" "$out"
verdict $? "--warp BLOCK:N is one of another block"
run explain pdom tests/cli/barrier.ptx --set sm.warp_size=64 --set sm.simd_width=32 --block 80 --warp 1
expect_in_out "threads 64-79" "warps may be wider than 32"
expect_in_out "######## ########  exit" "and long ones are drawn in eights"

run explain pdom tests/cli/barrier.ptx $four --warp 1 --lanes
grep -qE '####  B1  add\.u32 .* line 14$' "$out"
verdict $? "--lanes shows every instruction"
few=$(grep -c 'top$' "$out")
run explain pdom tests/cli/barrier.ptx $four --warp 1 --all
[ "$(grep -c 'top$' "$out")" -gt "$few" ]
verdict $? "--all the tables after each"
run explain pdom tests/cli/kernels.ptx:forever --grid 1 --block 1 --steps 3
expect_status 0 "a kernel that never ends is given up"
[ "$(grep -c 'bra.uni B' "$out")" -eq 3 ]
verdict $? "after --steps instructions"
expect_in_out "... stopped after 3 steps: --steps N shows more" "and says so"
run explain pdom tests/cli/timed.ptx:outside --grid 1 --block 1 --arg 'buf:u32[1]'
[ "$status" -eq 1 ] && grep -qE '^4-8 +64 ' "$out" && grep -qF "out-of-bounds 4-byte store" "$err"
verdict $? "a program that fails is explained up to there"
run explain pdom tests/cli/timed.ptx:lock --grid 1 --block 32 --arg 'buf:u32[2]' --set gpu.watchdog=5000 --steps 50000
[ "$status" -eq 1 ] && grep -qF ".#######" "$out" && grep -qF "deadlock" "$err"
verdict $? "and so is a deadlock"
run explain pdom tests/cli/kernels.ptx:talk --grid 1 --block 1
[ "$status" -eq 0 ] && [ -s "$err" ]
verdict $? "what a kernel prints does not get into the explanation"

d=examples/diamond.ptx
refused "did you mean 'pdom'?" "an unknown mechanism" explain pdmo $d
refused "there is no mechanism ''" "a comma with nothing after it" explain pdom, $d
refused "the mechanism comes first" "operands in the wrong order" explain $d pdom
refused "a program is missing, FILE or @NAME" "too few operands" explain pdom
refused "did you mean pdom.side?" "an unknown parameter" explain pdom:sied=most $d
refused "did you mean tiny?" "an unknown machine" explain pdom $d --config tniy
refused "did you mean --steps?" "an unknown option" explain pdom $d --stpes 1
refused "there is no warp 1 (a block has 1 of 8 threads, counted from 0)" "a warp the block has not" explain pdom $d --warp 1
refused "there is no block 1 (the grid has 1, counted from 0)" "a block the grid has not" explain pdom $d --warp 1:0
refused "--warp 'x' is not a whole number" "a warp that is no number" explain pdom $d --warp x
refused "--warp: BLOCK is missing" "a block that is no number" explain pdom $d --warp :0
refused "--steps: N is at least 1" "no steps" explain pdom $d --steps 0
refused "heddle explain pdom tests/cli/kernels.ptx --kernel add" "missing arguments, with a command line to paste" explain pdom tests/cli/kernels.ptx:add --grid 1 --block 1
refused "cannot open" "a file that is not there" explain pdom "$work/none.ptx"
refused "at most 1024 is possible" "a block that is too large" explain pdom $d --block 2000
refused "at most" "a launch beyond all numbers" explain pdom $d --grid 4294967295,4294967295,4294967295 --block 4294967295,4294967295,4294967295

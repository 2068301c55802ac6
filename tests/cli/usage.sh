#!/bin/bash
# Help, versions, and command lines that are wrong: the message, a suggestion where one is near, exit status 2.
. tests/cli/lib.inc
kernel=examples/collatz.ptx

run --version
expect_out "heddle $(sed -n 's/^#define HD_VERSION_[A-Z]* //p' include/heddle.h | paste -sd.)" "--version prints the version of the header"
run version
expect_status 0 "version is a command too"
run --help
expect_status 0 "--help succeeds"
for c in run compare explain config inspect list help version; do
    grep -q "^  $c " "$out"
    verdict $? "--help lists $c"
done
run
expect_status 2 "no command at all is an error"
expect_err "Usage: heddle COMMAND" "no command shows the usage"
for c in run compare explain config inspect list help version; do
    run $c --help
    expect_in_out "Usage: heddle $c" "$c --help shows its usage"
    cp "$out" "$work/first"
    run help $c
    cmp -s "$out" "$work/first"
    verdict $? "help $c shows the same"
done
run run --help
for o in kernel grid block shared arg print dump json host functional mech config set interval series profile annotate trace timeline max-insts quiet help; do
    grep -q -- "--$o" "$out"
    verdict $? "run --help explains --$o"
done
for s in 'TYPE:VALUE' 'rand(SEED,LO,HI)' 'file:PATH' 'sym:NAME' 'bytes:HEX'; do expect_in_out "$s" "run --help explains $s"; done
! grep -qE "^.{81}" "$out"
verdict $? "help keeps to 80 columns"
! grep -n ' $' "$out"
verdict $? "help has no trailing blanks"

refused "unknown command 'rnu' (did you mean 'run'?)" "a mistyped command is suggested" rnu
refused "unknown command 'frobnicate'" "a strange command is refused" frobnicate
refused "unknown option --frob: a command comes first" "an option before the command is refused" --frob
refused "unknown option --gird (did you mean --grid?)" "a mistyped option is suggested" run $kernel --gird 4
refused "unknown option --gird (did you mean --grid?)" "also when a value is attached" run $kernel --gird=4
refused "unknown option --xyzzyplugh" "a strange option is refused" run $kernel --xyzzyplugh
refused "unknown option -Z" "a strange letter is refused" run $kernel -Z
refused "option --grid needs a value: --grid X[,Y[,Z]]" "a missing value is named" run $kernel --grid
refused "option --quiet takes no value" "a flag takes no value" run $kernel --quiet=1
refused "option --grid is given twice" "an option given twice is refused" run $kernel --grid 1 --grid 2
refused "FILE|@NAME [ARG]... is missing" "a missing file is named" run
refused "unexpected 'b.ptx'" "a second file is refused" run a.ptx b.ptx
refused "'heddle run --help' shows what it takes" "the help is pointed at" run
refused "unknown command 'rum' (did you mean 'run'?)" "help on a mistyped command suggests" help rum
refused "unknown topic 'stat' (did you mean 'stats'?)" "a mistyped topic is suggested" list stat
refused "--man stands alone" "--man and a command do not mix" help --man run
refused "--markdown needs a command" "--markdown alone is refused" help --markdown

shape() { # MESSAGE NAME ARGUMENT...
    local message=$1 name=$2
    shift 2
    refused "$message" "$name" run $kernel "$@"
}
shape "--grid '0': a dimension is at least 1" "a grid of nothing" --grid 0 --block 1
shape "--grid '1,2,3,4' has more than three dimensions" "a grid of four dimensions" --grid 1,2,3,4 --block 1
shape "--grid '4x' lacks a dimension" "a grid that ends too early" --grid 4x --block 1
shape "--grid '1,,2' lacks a dimension" "a grid with a hole" --grid 1,,2 --block 1
shape "--block 'many' is not a whole number" "a block that is no number" --grid 1 --block many
shape "--block 4294967296 is out of range of u32" "a block beyond 32 bits" --grid 1 --block 4294967296
shape "--shared 4294967296 is more than 4294967295" "too much shared memory to say" --grid 1 --block 1 --shared 4294967296
shape "--max-insts: N is at least 1" "a bound of nothing" --grid 1 --block 1 --max-insts 0
refused "--print 0: there is no argument 0 (0 given, counted from 0)" "a print of no argument" run tests/cli/kernels.ptx --print 0
shape "--print 0:4: argument 0 (u32:5) is not a buffer" "a print of a scalar" --arg u32:5 --print 0:4
shape "--print: COUNT is at least 1" "a print of nothing" --arg 'buf:u32[4]' --print 0:0
shape "--print: COUNT 'x' is not a whole number" "a print of x" --arg 'buf:u32[4]' --print 0:x
shape "--dump ':f': the number of an argument is missing" "a dump of nothing" --arg 'buf:u32[4]' --dump :f
shape "--dump 0: a file is missing, as in --dump 0:out.bin" "a dump to nowhere" --arg 'buf:u32[4]' --dump 0
shape "--dump cannot go to f twice" "two dumps to one file" --arg 'buf:u32[4]' --dump 0:f --dump 0:f
shape "--dump and --json cannot both go to f" "a dump and JSON to one file" --arg 'buf:u32[4]' --dump 0:f --json f
shape "--dump and --json cannot both go to -" "two users of standard output" --arg 'buf:u32[4]' --dump 0:- --json -
shape "--print and an output that goes to - cannot both have standard output" "a print into JSON" --arg 'buf:u32[4]' --print 0 --json -
shape "--arg u33:5 (argument 0): unknown type 'u33'" "a wrong argument says which and why" --arg u33:5
shape "--set exec.isa: '=' and a value are missing" "a setting without a value" --set exec.isa
shape "exec.max_insts" "a mistyped key is suggested" --grid 1 --block 1 --set exec.max_inst=5
shape "exec.isa" "a wrong value names the key" --grid 1 --block 1 --set exec.isa=mips

run list stats
expect_in_out "exec.thread_insts" "list stats has the names"
run list stats --markdown
awk -F'|' '{ gsub(/ /, "") } NR > 2 && $4 != "" && index($2, $4 ".") == 1 { print $2 }' "$out" | sort >"$work/own"
sed -n 's/^| `\([a-z0-9+-]*\.[a-z0-9_]*\)` | [a-z -]* | \(sum\|maximum\) | .*/\1/p' docs/mechanisms/*.md | sort | cmp -s - "$work/own" && [ -s "$work/own" ]
verdict $? "and those that the pages of mechanisms tell, with the mechanism beside"
run list options
expect_in_out "mem.global_bytes" "list options has the keys"
run list instructions
expect_in_out "ADD_U32" "list instructions has the operations"

# ---- as people type it ----
small="--config tiny --set run.seed=1"
run run $kernel $small
cp "$out" "$work/first"
run $kernel $small
expect_status 0 "a file without a command runs"
cmp -s "$out" "$work/first"
verdict $? "as run does"
run @matrix --size tiny --quiet
expect_status 0 "and so does a workload"
refused "heddle run: error: cannot open nowhere.ptx" "a file that is not there is named" nowhere.ptx
refused "unknown command 'examples'" "a folder is no program" examples
refused "unknown command 'collatz'" "nor is a word" collatz
refused "unknown option -mech (did you mean --mech?)" "a long option with one dash is suggested" run $kernel -mech pdom
refused "unknown option -set (did you mean --set?)" "also where a letter begins so" run $kernel -set sm.depth=1
run run $kernel -g4 -b256 $small --quiet
expect_status 0 "a letter and its value in one word stay what they are"

refused "  heddle compare @bfs --mech pdom,dwf --size tiny --set gpu.sms=2
" "several mechanisms: the line to paste" run @bfs --mech pdom,dwf --size tiny --threads 1 --set gpu.sms=2
line=$(sed -n 's/^  heddle //p' "$err")
eval "run $line"
expect_status 0 "which works as it stands"
expect_in_out " dwf " "and compares"
refused "  heddle compare examples/collatz.ptx --mech all --grid 4 --block 256 --arg 'buf:u32[1024]=iota'" "in quotes where a shell needs them" run $kernel --mech all --grid 4 --block 256 --arg 'buf:u32[1024]=iota' --arg 'buf:u32[1024]' --arg u32:1024

run run @matrix --size tiny --mech pdom --json "$work/lower"
run run @matrix --size tiny --mech PDOM --json "$work/upper"
cmp -s "$work/lower" "$work/upper"
verdict $? "mechanisms in upper case are the same"
run run @matrix --size tiny --mech Pdom:side=most --quiet
expect_status 0 "with parameters too"
refused "--mech names pdom twice" "and the same in a list" compare @matrix --mech pdom,PDOM
run explain PDOM examples/diamond.ptx
expect_in_out "pdom" "explain has them too"

refused "  heddle explain pdom examples/diamond.ptx" "explain without a program says what is missing" explain pdom
refused "a mechanism is missing, as in
  heddle explain pdom @bfs" "explain without a mechanism likewise" explain @bfs
refused "there is no mechanism 'pdmo' (did you mean 'pdom'?)" "a mistyped mechanism alone" explain pdmo
refused "the mechanism comes first:
  heddle explain dwf @bfs" "both in the other order" explain @bfs dwf

refused 'there is no option "sm.sched"; did you mean sm.schedulers?' "the beginning of a key is enough for a suggestion" run @matrix --set sm.sched=gto
refused 'did you mean one of sm.registers, sm.register_count, sm.register_unit' "of several keys all are listed" run @matrix --set sm.reg=1
refused 'there is no option "warp.timeout"; did you mean sm.order_timeout?' "another section may have it" run @matrix --set warp.timeout=1
refused 'there is no option "sm.xyzzy"' "what is like nothing is only refused" run @matrix --set sm.xyzzy=1

run run @matrix --size tiny --mech pdom --set dwf.policy=dpc --quiet
expect_status 0 "a parameter of another mechanism is no error"
expect_err "warning: --set dwf.policy=dpc has no effect under pdom: it is a parameter of dwf" "but a warning"
run run @matrix --size tiny --functional --set dwf.policy=dpc --quiet
expect_err "warning: --set dwf.policy=dpc has no effect without time" "and without time"
run compare @matrix --size tiny --mech pdom,mimd --set dwf.policy=dpc --quiet
expect_err "has no effect under pdom,mimd" "of several none has it"
run compare @matrix --size tiny --mech pdom,DWF --set dwf.policy=dpc --quiet
[ ! -s "$err" ]
verdict $? "one of several does"
run run @matrix --size tiny --mech dwf --set dwf.policy=dpc --quiet
[ ! -s "$err" ]
verdict $? "nor is there a word under the mechanism itself"

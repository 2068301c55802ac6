#!/bin/bash
# Traces of Accel-Sim's tracer: tests/cli/accel has a kernel of two blocks with a guarded exit, a loop of other lengths in each
# lane, an if, a guarded instruction, a barrier and an indirect branch, in all formats of addresses.
. tests/cli/lib.inc
list=tests/cli/accel/kernelslist.g trace=tests/cli/accel/kernel-1.traceg

run record $list -o "$work/walk.hdt"
expect_status 0 "a list of kernels is converted"
expect_in_out "2 launches, 8068 thread instructions" "with all its lanes' instructions"
for mech in pdom dwf harp tbc volta tesla minpc mimd sbi+swi; do
    run run "$work/walk.hdt" --mech $mech -q --json "$work/$mech.json"
    expect_status 0 "it replays under $mech"
    # a branch counts for lanes that do not take it, which the trace does not have in its mask
    expect_json "$work/$mech.json" total/exec.thread_insts 8688 "and executes what the trace has, and branches not taken"
    expect_json "$work/$mech.json" total/exec.atomics 0 "and nothing else"
done
expect_json "$work/pdom.json" total/exec.loads 988 "loads are those of the trace"
expect_json "$work/pdom.json" total/exec.stores 496 "and so are stores"
run run $list --mech harp
expect_in_out "kernelslist.g, replayed" "a list runs without being recorded"
run run $trace --profile
expect_in_out "00e0 @ BRA > 0050" "a profile shows the machine code"
run compare $trace --mech pdom,harp
expect_status 0 "a comparison takes it"
refused "cannot run walk: an indirect branch" "what a mechanism cannot do it says" run $trace --mech amd

# FIND REPLACEMENT MESSAGE NAME
damaged() {
    sed "0,/$1/s/$1/$2/" $trace >"$work/bad.traceg"
    refused "$3" "$4" run "$work/bad.traceg"
}
damaged "#BEGIN_TB" "#BEGIN" "a thread block begins with #BEGIN_TB" "a block without its beginning"
damaged "insts = " "insts = 9" "this is no instruction of a trace" "a warp with fewer instructions than it says"
damaged "insts = [0-9]*" "insts = 3" "more instructions than the warp has" "a warp with more"
damaged "warp = 1" "warp = 9" "there is no such warp in a block" "a warp that the block has not"
damaged "thread block = 1" "thread block = 7" "there is no such thread block in the grid" "a block that the grid has not"
damaged "thread block = 1" "thread block = 4294967297" "there is no such thread block in the grid" "a block whose number has more than 32 bits"
damaged "dim = (2" "dim = (4294967298" "4294967298" "a grid whose size has more than 32 bits"
damaged "thread block = 1" "thread block = 0" "the thread block is there twice" "a block that is there twice"
damaged "dim = (2" "dim = (3" "thread block 2,0,0 of the grid is missing" "a block that is missing"
damaged "ffffffff" "fffffffg" ":26: this is no instruction" "a mask that is none"
damaged "version = 4" "version = 2" "version 2 of the tracer is not supported" "an old tracer"
damaged "0x7f0000000000" "0x7f0000000001" "is not a multiple of 4 bytes" "an address that is not aligned"
damaged "0 BRA 0 0" "0 NOP 0 0" "where " "an opcode that changes"
sed 's/EXIT/NOP/' $trace >"$work/bad.traceg"
refused "does not end in EXIT" "threads that do not end" run "$work/bad.traceg"
sed 's/MUFU/MUFFLE/' $trace >"$work/odd.traceg"
run run "$work/odd.traceg" -q
expect_err "opcode MUFFLE.RSQ is not known and taken for integer arithmetic" "an opcode that is not known is named"
for bytes in 300 2000 9000; do
    head -c $bytes $trace >"$work/bad.traceg"
    run run "$work/bad.traceg" -q
    expect_status 2 "a file of $bytes bytes is refused"
done
printf 'kernel-2.traceg\n' >"$work/kernelslist.g"
refused "No such file" "a kernel that is not there" run "$work/kernelslist.g"
printf 'kernel-2.traceg.xz\n' >"$work/kernelslist.g"
refused "unpack it first" "a kernel that is compressed" run "$work/kernelslist.g"
printf 'Memset,3\n' >"$work/kernelslist.g"
refused ":1: neither a kernel nor a copy" "a line that is neither" run "$work/kernelslist.g"

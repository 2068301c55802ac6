#!/bin/bash
# heddle run: when the simulated program fails, exit status 1, a message, and no output files.
. tests/cli/lib.inc
file=tests/cli/kernels.ptx

failed() { # MESSAGE NAME ARGUMENT...
    local message=$1 name=$2
    shift 2
    run run $file --grid 1 "$@" --json "$work/never.json"
    [ "$status" -eq 1 ] && [ ! -s "$out" ] && [ ! -e "$work/never.json" ] && grep -qF -- "$message" "$err"
    verdict $? "$name"
}
failed "argument 0" "an access out of bounds names the nearest buffer" --kernel add --block 8 --arg 'buf:u32[4]' --arg u32:1
for what in "kernel add" "block (0,0,0)" "thread (4,0,0)" "kernels.ptx:23"; do expect_err "$what" "and says where: $what"; done
[ "$(grep -c error: "$err")" -eq 1 ]
verdict $? "once"
failed "trap" "a trap" --kernel trapped --block 1
failed "1000" "a bound on instructions" --kernel forever --block 1 --max-insts 1000
failed "1000" "the same as an option" --kernel forever --block 1 --set exec.max_insts=1000
failed "" "a null pointer" --kernel fixed_shape --arg u64:0
cat >"$work/generic.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry null_plus(.param .u64 n) {
    .reg .b64 %n;
    .reg .b32 %r;
    ld.param.u64 %n, [n];
    ld.u32 %r, [%n];
    st.u32 [%n], %r;
    ret;
}
END
for mb in 32 48 64 96 128 144; do
    for mode in --functional --mech=pdom; do
        run run "$work/generic.ptx" --grid 1 --block 64 --arg u64:$((mb << 20)) $mode
        [ "$status" -eq 1 ] && grep -qF "out-of-bounds 4-byte load from local memory" "$err" &&
            grep -qF "thread (0,0,0)" "$err" && grep -qF "generic.ptx:8" "$err"
        verdict $? "a null pointer and $mb MB, in a kernel that has no local memory, $mode"
    done
done
failed "misaligned" "a misaligned pointer" --kernel add --block 1 --arg u64:1 --arg u32:1

refused "tests/cli/broken.ptx:7:2: error:" "bad PTX is refused with its place" run tests/cli/broken.ptx --grid 1 --block 1
expect_err "frobnicate" "and the word"
refused "" "a file that is no PTX" run "$HEDDLE" --grid 1 --block 1
refused "" "a directory" run tests --grid 1 --block 1

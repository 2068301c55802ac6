#!/bin/bash
# heddle inspect: what is known before a run, for people, for programs, for Graphviz.
. tests/cli/lib.inc
collatz=examples/collatz.ptx

run inspect $collatz
expect_status 0 "inspect succeeds"
for text in "PTX 7.0, sm_70, 64-bit addresses" "kernel collatz" "registers   " "no, breaks" "collatz_param_2" "u32" "Branches" "IPDOM" \
    "collatz.cu:8" "collatz.cu:10" "collatz.cu:18" "diverges" "Reconvergence regions" "Loops" "breaks" "Instruction mix" "LDST"; do
    expect_in_out "$text" "it shows $text"
done
! grep -q ' $' "$out"
verdict $? "without trailing blanks"
run inspect $collatz --code
for text in "B0:" "B5:" "setp"; do expect_in_out "$text" "--code shows $text"; done

run inspect $collatz --json
cp "$out" "$work/first"
expect_json "$out" functions/0/name '"collatz"' "JSON has the kernel"
expect_json "$out" functions/0/parameters/2/type '"u32"' "its parameters"
expect_json "$out" functions/0/branches/0/ipdom null "the guard leaves: its IPDOM is the exit"
expect_json "$out" functions/0/branches/0/source/line 8 "its source line"
expect_json "$out" functions/0/branches/2/ipdom 5 "the IPDOM of the break"
expect_json "$out" functions/0/branches/3/targets '[5,3]' "targets of the loop's branch"
expect_json "$out" functions/0/branches/3/diverges '"warp"' "that it can split a warp"
expect_json "$out" functions/0/branches/3/likely null "no better place to meet"
expect_json "$out" functions/0/regions/0/join 5 "where the region of its branches ends"
expect_json "$out" functions/0/regions/0/marks/0/pc 17 "where it begins"
expect_json "$out" functions/0/regions/0/branches '[17,22,31]' "its branches"
expect_json "$out" functions/0/blocks/5/joins true "that threads come there in several ways"
expect_json "$out" functions/0/priority_is_pc_order true "that priorities follow the code"
expect_json "$out" functions/0/loops/0/exits 2 "the loop and its exits"
expect_json "$out" functions/0/loops/0/breaks true "that it breaks"
expect_json "$out" functions/0/blocks/5/ipdom null "the last block's IPDOM is the exit"
run inspect $collatz --json
cmp -s "$out" "$work/first"
verdict $? "two runs give the same bytes"

run inspect @loop-break
grep -q "B7 .* no .* B6" "$out"
verdict $? "a branch that depends on a loop's counter alone does not diverge"
grep -q "R0 *B6 *B0>B1" "$out"
verdict $? "a region around a loop begins on the way to it"
run inspect $collatz --dot
head -1 "$out" | grep -q '^digraph' && tail -1 "$out" | grep -q '^}'
verdict $? "--dot is a digraph"
run inspect tests/cli/kernels.ptx --kernel add
expect_in_out "kernel add" "--kernel shows one kernel"
! grep -q "kernel scalars" "$out"
verdict $? "and no other"
refused "has no kernel or function ad (did you mean add?)" "a mistyped kernel is suggested" inspect tests/cli/kernels.ptx -k ad
refused "--dot draws one: --kernel NAME" "--dot wants one kernel" inspect tests/cli/kernels.ptx --dot
refused "--json stands alone" "--json and --dot do not mix" inspect $collatz --json --dot
refused "tests/cli/broken.ptx:7:2: error:" "bad PTX is refused with its place" inspect tests/cli/broken.ptx

# Instructions that are not supported: which kernels cannot run, and why; the others can.
some=tests/cli/unsupported.ptx
run inspect $some
expect_status 0 "a file with unsupported instructions can be inspected"
expect_err "warning: PTX version 9.1 is newer than 9.0, the latest known" "a newer minor version is a warning"
[ "$(grep -c "cannot run" "$out")" -eq 2 ]
verdict $? "the kernel and the function that cannot run are marked"
grep -q "multimem.ld_reduce.global.add.u32 *tensor *26 *1" "$out"
verdict $? "the kernel's own instruction is listed with its line"
grep -q "tcgen05.fence::before_thread_sync *helper *8 *1" "$out"
verdict $? "and that of the function it calls"
run inspect $some --json
expect_json "$out" functions/1/unsupported '[]' "JSON: nothing stops the plain kernel"
expect_json "$out" functions/2/unsupported/1/function '"helper"' "JSON: what stops the other"
run run $some --kernel plain -g 1 -b 1 --arg 'buf:u32[1]' --print 0
expect_status 0 "the plain kernel runs"
[ "$(grep -c "warning: PTX version" "$err")" -eq 1 ]
verdict $? "with one warning"
refused "unsupported.ptx:22: error: kernel tensor cannot run" "the other is refused by name" run $some --kernel tensor -g 1 -b 1
refused "unsupported.ptx:26:2: error: instruction multimem.ld_reduce.global.add.u32 is not supported" \
    "with place and reason" compare $some:tensor -g 1 -b 1
refused "tensor()  (cannot run: heddle inspect says why)" "the choice of kernels says which cannot run" run $some -g 1 -b 1

# Forms of a program: what a mechanism that asks for marks would run.
run inspect $collatz --code
! grep -q "  sync$" "$out"
verdict $? "the program as it is has no marks"
run inspect $collatz --code --form joins
[ "$(grep -c "  sync$" "$out")" -eq 2 ]
verdict $? "--form joins shows a mark at the loop's head and one where its exits meet"
run inspect $collatz --code --form regions
[ "$(grep -c "  sync B" "$out")" -eq 1 ]
verdict $? "--form regions shows where those who leave the loop meet, and where the region begins"
run inspect $collatz --code --form tesla
[ "$(grep -c "  pbk B" "$out")" -eq 1 ] && grep -q "  brk B\|brk B" "$out"
verdict $? "--form tesla shows where the loop's token is pushed, and its exit"
run inspect $collatz --code --form volta
[ "$(grep -c "  bssy b0, B" "$out")" -eq 1 ] && [ "$(grep -c "  bsync b0" "$out")" -eq 1 ]
verdict $? "--form volta shows the loop's barrier, where it is set and where threads meet"
run inspect $collatz --code --form structured
[ "$(grep -c "  loop B" "$out")" -eq 1 ] && [ "$(grep -c " brk B" "$out")" -eq 2 ] && grep -q "  endif" "$out"
verdict $? "--form structured shows the loop, its two breaks and the if around it"
run inspect $collatz --form structured
grep -q "39 instructions in 7 blocks, 3 of them added by the form structured: 1.08 times the 36 of the original" "$out"
verdict $? "and how much longer the code has become"
forms=$("$HEDDLE" list options | sed -n 's/^run.form = [a-z]*  *//p' | tr -d , | sed 's/ or / /; s/auto//; s/none//')
[ "$(echo $forms | wc -w)" -ge 4 ]
verdict $? "there are forms"
for form in $forms; do
    run inspect $collatz --form $form
    [ "$status" -eq 0 ] && grep -qE "instructions in [0-9]+ blocks, [1-9][0-9]* of them added by the form $form: [1-9]\.[0-9][0-9] times the [0-9]+ of the original$" "$out" && grep -q "^  Marks$" "$out"
    verdict $? "--form $form counts and lists its marks"
    run inspect $collatz --form $form --code
    added=$(grep -c '^+ ' "$out")
    run inspect $collatz --form $form --json
    [ "$added" -gt 0 ] && [ "$(grep -c '"added": true' "$out")" -eq "$added" ] && grep -q "^  \"form\": \"$form\",$" "$out"
    verdict $? "JSON has as many added instructions as --code marks with +"
    run inspect $collatz --form $form --dot
    [ "$(grep -o '[|l]+ ' "$out" | wc -l)" -eq "$added" ] && [ "$(tail -1 "$out")" = "}" ]
    verdict $? "and so does the graph"
done
run inspect $collatz --form tesla --dot
grep -q 'B1 -> B6 .*color=darkgreen.*label="ssy"' "$out" && grep -q 'label="{B6 .*|shl.u64 rd0, rd0, 2 .s' "$out"
verdict $? "a graph shows what a mark names, and flags"
refused 'run.form: "jons" is not a value of this option: expected auto, none, joins, regions' "a form there is not" inspect $collatz --form jons

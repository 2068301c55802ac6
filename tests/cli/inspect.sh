# heddle inspect: what is known before a run, for people, for programs, for Graphviz.
. tests/cli/lib.sh
collatz=examples/collatz.ptx

run inspect $collatz
expect_status 0 "inspect succeeds"
for text in "PTX 7.0, sm_70, 64-bit addresses" "kernel collatz" "registers   " "no, breaks" "collatz_param_2" "u32" "Branches" "IPDOM" \
    "collatz.cu:8" "collatz.cu:10" "collatz.cu:18" "Loops" "breaks" "Instruction mix" "LDST"; do
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
expect_json "$out" functions/0/loops/0/exits 2 "the loop and its exits"
expect_json "$out" functions/0/loops/0/breaks true "that it breaks"
expect_json "$out" functions/0/blocks/5/ipdom null "the last block's IPDOM is the exit"
run inspect $collatz --json
cmp -s "$out" "$work/first"
verdict $? "two runs give the same bytes"

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

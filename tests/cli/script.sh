#!/bin/bash
# Arrays in files, variables of the module, structs by field, and scripts of several launches.
. tests/cli/lib.inc
file=tests/cli/kernels.ptx

# ---- arrays ----
add() { run run $file --kernel add --grid 1 --block 3 --functional --quiet "$@"; }
printf '# three numbers\n1, 2\n300\n' >$work/in.txt
printf 'value\n10\n20\n30\n' >$work/in.csv
printf '\223NUMPY\001\000\166\000{%s}%60s\n\001\000\000\000\002\000\000\000\003\000\000\000' \
    "'descr': '<u4', 'fortran_order': False, 'shape': (3,), " "" >$work/in.npy
add --arg "buf:u32[]=file:$work/in.txt" --arg u32:1 --print 0
expect_out "argument 0: u32[3]
  0:    2    3  301" "a buffer from numbers as text"
add --arg "buf:u32[3]=file:$work/in.csv" --arg u32:1 --print 0
expect_in_out "11  21  31" "from CSV with a heading"
add --arg "buf:u32[3]=file:$work/in.npy" --arg u32:0 --print 0 --dump 0:$work/same.npy
expect_in_out "1  2  3" "from an array of NumPy"
cmp -s $work/in.npy $work/same.npy
verdict $? "--dump to .npy writes what NumPy writes"
add --arg "buf:f32[3]=value(0.5)" --arg u32:0 --dump 0:$work/out.csv
[ "$(cat $work/out.csv)" = $'0.5\n0.5\n0.5' ]
verdict $? "--dump to .csv writes an element a line"
refused "argument 0 (buf:u8[]=file:$work/in.txt): $work/in.txt: line 3: number 300 is out of range of u8 (0 to 255)" \
    "a number the type cannot hold is named by line" run $file -k add -g 1 -b 1 -a "buf:u8[]=file:$work/in.txt" -a u32:1
refused "its elements are of NumPy's type '<u4', those of the buffer f32 ('<f4')" "another type of NumPy is refused" \
    run $file -k add -g 1 -b 1 -a "buf:f32[]=file:$work/in.npy" -a u32:1
refused "it holds 3 elements, not 4" "another number of elements too" \
    run $file -k add -g 1 -b 1 -a "buf:u32[4]=file:$work/in.npy" -a u32:1

# ---- variables ----
vars=tests/cli/script.ptx
look() { run run $vars --kernel look --grid 1 --block 4 --arg 'buf:u32[4]' --functional --quiet --print 0 "$@"; }
look
expect_in_out "1  2  3  4" "a variable holds what the file says"
look --set-var table=u32:5,6,7,8
expect_in_out "5  6  7  8" "or what --set-var says"
look --set-var table=u32:iota --set-var 'table[2]=u32:9'
expect_in_out "0  1  9  3" "an element of it, after the rest"
look --set-var 'table[1]=u32:8,9'
expect_in_out "1  8  9  4" "several elements from one on"
look --set-var "table={u32:4, u32[3]:{3,2,1}}"
expect_in_out "4  3  2  1" "by field"
printf '7\n8\n9\n10\n' >$work/table.txt
look --set-var "table=u32:file:$work/table.txt"
expect_in_out "7   8   9  10" "from a file"
run run $vars -k store_factor -g 1 -b 1 -f -q --buffer x=f32[2] --set-var where=ptr:x --set-var factor=2.5 --print x
expect_out "buffer x: f32[2]
  0:  2.5    0" "an address of a buffer that has a name; the type of a scalar is known"
one() { refused "$1" "$2" run $vars -k look -g 1 -b 4 -a 'buf:u32[4]' --set-var "$3"; }
one "there is no variable 'tabel'; there are: factor (.const, 4 bytes), table (.const, 16 bytes), total (.global, 4 bytes), where (.global, 8 bytes)" \
    "an unknown variable: all are listed" tabel=1
one "it is declared as 16 bytes: say the type of its elements, as in table=f32:1,2" "bytes need a type" table=1,2
one "3 values for 4 elements of u32" "all elements are given" table=u32:1,2,3
one "there is no element 4: it has 4" "an index too large" 'table[4]=u32:1'
one "2 values for 1 element of u32" "values beyond the end" 'table[3]=u32:1,2'
one "8 bytes for a variable of 16" "a struct of another size" 'table={u64:1}'
one "value -1 is out of range of u32" "a value out of range" total=-1
one "'table' is not NAME=VALUES" "no values" table
one "there is no buffer 'x': --buffer NAME=TYPE[COUNT] makes one" "an unknown buffer" where=ptr:x

# ---- structs ----
axpb() { run run $vars --kernel axpb --grid 1 --block 4 --functional --quiet "$@"; }
axpb --buffer x=f32[4]=iota --arg '{f32:2, s32:3, ptr:x, s16[2]:{10,-1}}' --print x --dump x:$work/x.npy
expect_in_out "10   1  14   3" "a struct by field, with an address in it"
[ "$(tail -c 16 $work/x.npy | od -An -tx4 | tr -d ' \n')" = 412000003f8000004160000040400000 ]
verdict $? "a buffer is dumped by name"
refused "has 16 bytes, parameter s (bytes) takes 24" "a struct of another size" run $vars -k axpb -g 1 -b 1 -a '{f32:2,s32:3,u64:0}'
refused "there is no buffer 'y'; there are: x" "an unknown name" run $vars -k axpb -g 1 -b 1 --buffer x=f32[4] \
    -a '{f32:2, s32:3, ptr:y, s16[2]:0}'
refused "--buffer x: it is not NAME=TYPE[COUNT]" "a buffer without contents" run $vars -k axpb -g 1 -b 1 --buffer x
run compare $vars --mech pdom,minpc --kernel axpb --grid 1 --block 4 --buffer x=f32[4]=iota \
    --arg '{f32:2, s32:3, ptr:x, s16[2]:{10,-1}}' --set-var total=3
expect_status 0 "compare takes them too"
{
    echo '// heddle: --kernel axpb --grid 1 --block 4 --buffer x=f32[]=file:x.txt --arg "{f32:2, s32:3, ptr:x, s16[2]:0}"'
    cat $vars
} >$work/own.ptx
printf '1 2 3' >$work/x.txt
run run $work/own.ptx -f -q --print x
expect_in_out "2  4  6" "a file's own options have them, with paths beside the file"

# ---- scripts ----
script() { # TEXT...: the lines of a script, which is run
    printf '%s\n' "$@" >$work/s.hds
    run run $vars --script $work/s.hds --functional --quiet
}
cat >$work/pascal.hds <<'END'
let n = 8                       # Pascal's triangle by sums of neighbours
buffer a u32[n] = index == n - 1
buffer b u32[n]
repeat n - 1 as row {
    launch step grid (n + 3) / 4 block 4 args a, b, n
    swap a b
    if row < 2 { print "row", row, a[n-4:n] } else { let last = row }
}
print a
print last, a[1], a[1] * 0.5, count(a), max(last, 3) % 4
check a == {1, 7, 21, 35, 35, 21, 7, 1}
write a "OUT/row-{last}.csv"
write a[2:4] "OUT/part.npy"
END
sed -i "s|OUT|$work|" $work/pascal.hds
run run $vars --script $work/pascal.hds --functional --quiet
expect_out "row 0 0 0 1 1
row 1 0 1 2 1
a: u32[8]
  0:   1   7  21  35  35  21   7   1
6 7 3.5 8 2" "buffers, launches, a loop, swap, print and check"
[ "$(paste -sd, $work/row-6.csv)" = 1,7,21,35,35,21,7,1 ]
verdict $? "a file with a number in its name"
[ "$(tail -c 8 $work/part.npy | od -An -tu4 | tr -s ' ')" = " 21 35" ]
verdict $? "a part of a buffer as an array of NumPy"
run run $vars --script $work/pascal.hds --json $work/s.json
expect_in_out "script              $work/pascal.hds on $vars" "the report names the script"
expect_in_out "check               8 values as the script expects" "says what was checked"
expect_in_out "launches            7 of 1 kernel" "and has a row for each launch"
expect_json $work/s.json script/checked 8 "JSON too"
cycles=$("$work/json" $work/s.json total/gpu.cycles)
sum=0
for i in 0 1 2 3 4 5 6; do sum=$((sum + $("$work/json" $work/s.json kernels/$i/gpu.cycles))); done
[ "$cycles" = $sum ]
verdict $? "cycles of the launches add up to the total"
[ "$("$work/json" $work/s.json kernels/0/l2.hits)" -lt "$("$work/json" $work/s.json kernels/4/l2.hits)" ]
verdict $? "a launch finds what the last one left in the cache"
run run $vars --script $work/pascal.hds --profile --quiet --json $work/p.json
sum=0
for i in 0 1 2 3 4 5 6; do sum=$((sum + $("$work/json" $work/p.json kernels/$i/slots/all))); done
[ "$sum" -gt 0 ] && [ "$("$work/json" $work/p.json total/profile/slots/all)" = $sum ]
verdict $? "lane slots of the launches add up to the profile's"
run run $vars --script - --functional --quiet
expect_status 0 "- is standard input, which may be empty"
run compare $vars --script $work/pascal.hds --mech pdom,minpc
expect_in_out "script.ptx  pascal.hds, 7 launches" "compare runs it under every mechanism"
run compare $vars --script $work/pascal.hds --mech pdom,minpc --json -
expect_json $out kernels/1/launches 7 "and counts its launches"

script 'variable table u32 = {4,3,2,1}' 'variable total' 'variable factor = 0.1' 'buffer b u32[8]' 'launch look grid 1 block 8 args b' 'check total == 20' \
    'check b == table[index % 4]' 'set table[1] = 9' 'launch "look" grid 1 block 4 args &b[4]' 'print b[4:8], total, factor[0]'
expect_out "4 9 2 1 36 0.1" "variables of the module are buffers"
script 'buffer x f32[4] = iota' 'launch axpb grid 1 block 4 args {f32:2, s32:count(x) - 1, ptr:x, s16[2]:{10,-1}}' 'print "x", x[0:4]' \
    'check x == index * 4 within 10.5' 'check x == {10, 1, 14, 3.0001} relative 1e-4'
expect_out "x 10 1 14 3" "a struct by field; tolerances"
script 'buffer x f32[3] = file "x.txt"' 'buffer y f32[] = {1,2,3}' 'check x == y' 'set x = rand(7, -1, 1)' 'check x from -1 to 1' \
    'set y = x' 'check y == x' 'check y == file "x.txt"'
expect_status 1 "a check that fails: status 1"
expect_err "s.hds:8:1: check failed: y[0] is " "with its place and the element"
expect_err "(3 of 3 elements are wrong)" "and how many are wrong"

sed 's/entry step(/entry _Z4stepPjS_j(/' $vars >$work/mangled.ptx
printf '%s\n' 'buffer a u32[2] = {1, 2}' 'launch step grid 1 block 2 args a, a, 2' 'launch "step(unsigned int*, unsigned int*, unsigned int)" grid 1 block 2 args a, a, 2' \
    'print a[0], a[1]' >$work/s.hds
run run $work/mangled.ptx --script $work/s.hds --functional --quiet
expect_out "5 2" "kernels of C++ by the names in their source"
printf '%s\n' 'variable table u32' 'print "table", table' >$work/s.hds
run run $vars --script $work/s.hds --set-var table=u32:9,8,7,6 --functional --quiet
expect_out "table 9 8 7 6" "--set-var comes before the first statement"

bad() { # MESSAGE NAME TEXT...
    printf '%s\n' "${@:3}" >$work/s.hds
    refused "$work/s.hds:$1" "$2" run $vars --script $work/s.hds
}
bad "1:1: there is no statement 'lunch' (did you mean 'launch'?)" "a statement that is not there" 'lunch x'
bad "2:9: there is no number or buffer 'm'" "an unknown name" 'let n = 1' 'let k = m'
bad "1:12: a type expected, not '4'" "a buffer without a type" 'buffer a   4'
bad "2:1: '}' expected before the end of the script" "a block that does not end" 'if 1 {'
bad "1:1: tests/cli/script.ptx has no kernel \"stepp\"; did you mean step?" "an unknown kernel" 'launch stepp grid 1 block 1'
bad "2:1: 1 argument for step(u64, u64, u32)" "a missing argument" 'buffer a u32[1]' 'launch step grid 1 block 1 args a'
bad "2:37: 8 bytes for parameter n (u32), which takes 4" "an argument of another size" 'buffer a u32[1]' \
    'launch step grid 1 block 1 args a,a,u64:1'
bad "1:1: 'block' is missing" "no block" 'launch store_factor grid 1'
bad "1:1: there is no variable 'tabel'; there are: factor (.const, 4 bytes)" "an unknown variable" 'variable tabel'
bad "1:1: table is declared as 16 bytes: say the type of its elements" "a variable of bytes" 'variable table'
bad "1:18: $work/none.npy: No such file or directory" "a file that is not there" 'buffer a u32[] = file "none.npy"'
bad "2:10: buffers are declared outside of loops and conditions" "a buffer in a loop" 'repeat 2 {' '  buffer a u32[1]' '}'
bad "1:29: a whole number of more than 64 bits" "an overflow" 'let n = 9223372036854775807 + 1'
bad "1:11: a division by zero" "a division by zero" 'let n = 1 / 0'
bad "2:13: value 256 is out of range of u8 (0 to 255)" "an element out of range" 'buffer a u8[2]' 'set a = 255 + index'
bad "2:7: index 2 is not from 0 to 1" "an index out of range" 'buffer a u8[2]' 'set a[2] = 1'
bad "3:1: a is u8[2] and b is u8[3]" "a swap of unequal buffers" 'buffer a u8[2]' 'buffer b u8[3]' 'swap a b'
bad "2:1: cannot write $work/none/x" "a file that cannot be written, before anything runs" 'buffer a u8[2]' "write a \"$work/none/x\""
[ -z "$(find $work -name '*.tmp')" ]
verdict $? "nothing half-written is left"
refused "--grid does not go with --script" "launch options are the script's" run $vars --script $work/s.hds --grid 1
refused "--script does not go with @bfs" "a workload has none" run @bfs --script $work/s.hds
refused "cannot open $work/none.hds" "a missing script" run $vars --script $work/none.hds

# a loop of 10^18 steps ends when it is interrupted, with files under way and without
printf '%s\n' 'let k = 0' 'repeat 1000000000000000000 as i { let k = i }' >$work/long.hds
for option in "" "--trace $work/trace"; do
    timeout -s INT 1 "$HEDDLE" run $vars --script $work/long.hds $option >$out 2>$err &
    wait $!
    status=$?
    [ $status -eq 124 ]
    verdict $? "an endless loop is interrupted${option:+ with --trace}"
done

# Arrays in files, variables of the module, structs by field, and scripts of several launches.
. tests/cli/lib.sh
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

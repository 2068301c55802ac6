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

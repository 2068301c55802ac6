#!/bin/bash
# heddle run: kernels are found, arguments arrive, results come back.
. tests/cli/lib.inc
file=tests/cli/kernels.ptx
collatz=examples/collatz.ptx

run run $collatz --grid 1 --block 16 --arg 'buf:u32[16]=iota' --arg 'buf:u32[16]' --arg u32:16 --print 1 --quiet
expect_out "argument 1: u32[16]
   0:   0   0   1   7   2   5   8  16   3  19   6  14   9   9  17  17" "the only kernel of a file needs no name"
run run $collatz -g1 -b16 '-abuf:u32[16]=iota' '-abuf:u32[16]' -a u32:16 --print=1:4 -q --functional
expect_out "argument 1: u32[16]
  0:  0  0  1  7
  ... 12 more" "short options, attached values, a count"
run run --quiet --print 0 --block 4 --grid 2 --arg 'buf:s32[8]=value(-3)' --arg u32:5 --kernel add -- $file
expect_out "argument 0: s32[8]
  0:  2  2  2  2  2  2  2  2" "options may come first, -- ends them"

run run $file --grid 1 --block 1
expect_status 2 "several kernels and no --kernel: status 2"
expect_err "tests/cli/kernels.ptx has 9 kernels; choose one with --kernel NAME:" "several kernels are counted"
expect_err "  add(pointer, u32)" "and listed with their parameters"
expect_err "  scalars(u64, u8, s8, u16, u16, u32, f32, s64, f64)" "of every type"
expect_err "  struct_and_symbol(u64, bytes[12], u64)" "structs with their size"
expect_err "  no_arguments()" "or none"
refused "add" "a mistyped kernel is suggested" run $file --kernel ad --grid 1 --block 1
refused "nothing.ptx" "a missing file is named" run nothing.ptx --grid 1 --block 1

grep -v '^// heddle:' $collatz >$work/collatz.ptx
refused "kernel collatz takes 3 arguments, 2 given: missing 2: collatz_param_2 (u32)" "a missing argument is named" \
    run $collatz --grid 1 --block 16 --arg 'buf:u32[16]' --arg 'buf:u32[16]'
expect_err "  heddle run examples/collatz.ptx --grid 1 --block 16 --arg 'buf:u32[16]' --arg 'buf:u32[16]' --arg u32:1024" \
    "with a command line to paste"
refused "kernel collatz takes 3 arguments, 0 given: missing 0: collatz_param_0 (u64), 1: collatz_param_1 (u64), 2: collatz_param_2 (u32)" \
    "all of them" run $work/collatz.ptx --grid 1 --block 1
refused "kernel no_arguments takes 0 arguments, 1 given" "one too many" run $file -k no_arguments -g 1 -b 1 -a u32:1
refused "argument 2 (u64:16) has 8 bytes, parameter collatz_param_2 (u32) takes 4" "a size that does not fit" \
    run $collatz -g 1 -b 1 -a 'buf:u32[16]' -a 'buf:u32[16]' -a u64:16
refused "argument 1 (bytes:00) has 1 byte, parameter s (bytes) takes 12" "a struct that does not fit" \
    run $file -k struct_and_symbol -g 1 -b 1 -a 'buf:u32[2]' -a bytes:00 -a sym:counter
refused "nosuch" "a symbol that is not there" \
    run $file -k struct_and_symbol -g 1 -b 1 -a 'buf:u32[2]' -a bytes:000000000000000000000000 -a sym:nosuch
refused "argument 0 (buf:u32[4]=file:nosuch): nosuch: No such file or directory" "a file that is not there" \
    run $file -k add -g 1 -b 1 -a 'buf:u32[4]=file:nosuch' -a u32:1
refused "argument 0 (buf:u8[1099511627776])" "a buffer beyond the device's memory" \
    run $file -k add -g 1 -b 1 -a 'buf:u8[1099511627776]' -a u32:1
refused "--grid is missing" "no grid" run $file -k add --block 4 -a 'buf:u32[4]' -a u32:1
refused "--block is missing" "no block" run $file -k add --grid 4 -a 'buf:u32[4]' -a u32:1

run run $file --kernel scalars --grid 1 --block 1 --arg 'buf:u64[8]' --arg u8:0xfe --arg s8:-2 --arg u16:65535 \
    --arg f16:-1.5 --arg u32:4000000000 --arg f32:0.1 --arg s64:-2 --arg f64:0.1 --dump 0:$work/scalars --quiet
expect_bytes $work/scalars "fe00000000000000fe00000000000000ffff00000000000000be00000000000000286bee00000000cdcccc3d00000000feffffffffffffff9a9999999999b93f" \
    "scalars of every type arrive bit for bit"
[ ! -s "$err" ]
verdict $? "without a warning: a parameter of 16 bits without a type takes floats and integers"
run run $file --kernel scalars --grid 1 --block 1 --arg 'buf:u64[8]' --arg u8:1 --arg s8:1 --arg u16:1 --arg u16:1 \
    --arg u32:1 --arg u32:1 --arg s64:1 --arg f64:1 --quiet
expect_err "warning: argument 6 (u32:1) is an integer, parameter f is declared f32" "an integer for a float is a warning"
expect_status 0 "and no error"
run run $file --kernel scalars --grid 1 --block 1 --arg 'buf:u64[8]' --arg u8:1 --arg s8:1 --arg u16:1 --arg u16:1 \
    --arg f32:1.5 --arg f32:1 --arg s64:1 --arg f64:1 --quiet
expect_err "warning: argument 5 (f32:1.5) is a float, parameter e is declared u32: it gets the bits of the float" "a float for an integer is one too"
[ "$(grep -c warning "$err")" -eq 1 ]
verdict $? "and the only one"
run run $file --kernel struct_and_symbol --grid 1 --block 1 --arg 'buf:u32[2]' --arg bytes:0000000000000000efbeadde \
    --arg sym:counter --dump 0:- 
expect_bytes $out "efbeadde29000000" "a struct by value and a symbol"
run run $file --kernel fixed_shape --grid 1 --arg 'buf:u32[1]' --print 0 --quiet
expect_in_out "0:  2" "a kernel that fixes its block needs no --block"
run run $file --kernel shared_size --grid 1 --block 1 --shared 512 --arg 'buf:u32[1]' --print 0 --quiet
expect_in_out "0:  512" "--shared reaches the kernel"
run run $file --kernel talk --grid 1 --block 1 --quiet
expect_out "hi 7" "what a kernel prints goes to standard output"
run run $file --kernel talk --grid 1 --block 1 --json -
expect_err "hi 7" "or to standard error when data has the former"
printf '\001\000\000\000\002\000\000\000' >$work/in
run run $file --kernel add --grid 1 --block 2 --arg "buf:u32[2]=file:$work/in" --arg u32:1 --print 0 --quiet
expect_in_out "0:  2  3" "a buffer from a file"
run run $file --kernel add --grid 1 --block 2 --arg "buf:u32[]=file:$work/in" --arg u32:1 --print 0 --quiet
expect_in_out "argument 0: u32[2]" "whose size gives the count"
mkdir $work/there
cp $work/in $work/there/numbers
{ echo "// heddle: --kernel add --grid 1 --block 2 --arg 'buf:u32[]=file:numbers' --arg u32:1"; cat $file; } >$work/there/own.ptx
run run $work/there/own.ptx --print 0 --quiet
expect_in_out "0:  2  3" "a path in a file's own options is relative to the file"
refused "numbers: No such file" "one of the command line is not" \
    run $work/there/own.ptx --arg 'buf:u32[]=file:numbers' --arg u32:1
run run $file --kernel no_arguments --grid 2,3,4 --block 5,6 
expect_in_out "2 x 3 x 4 blocks of 5 x 6 threads" "shapes in three dimensions"
run run $file --kernel no_arguments --grid 2x3x4 --block 0x5x6
expect_in_out "2 x 3 x 4 blocks of 5 x 6 threads" "or with an x between them, also of hexadecimal ones"
run run $file --kernel no_arguments --grid 1 --block 1
expect_in_out "1 block of 1 thread" "and in none"
run run $file --kernel no_arguments --grid 1 --block 1 --set exec.isa=portable --quiet
expect_status 0 "--set is accepted"
printf '[exec]\nisa = portable\n' >$work/config
run run $file --kernel no_arguments --grid 1 --block 1 --config $work/config --json -
expect_json $out options/exec.isa '"portable"' "--config is read"
refused "nosuch.ini" "a missing configuration is named" run $file --kernel no_arguments --grid 1 --block 1 --config nosuch.ini
refused 'tests/cli/kernels.ptx has no kernel "s"; these begin so:
  scalars(' "the beginning of a name lists the kernels that begin so" run $file --kernel s --grid 1 --block 1
[ "$(grep -c '^  s[a-z_]*(' "$err")" -eq 3 ]
verdict $? "all three of them"

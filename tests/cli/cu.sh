#!/bin/bash
# Kernels in CUDA C++: by clang-19 with our headers, and by nvcc where there is one; what goes wrong on the way; files that hold
# GPU code which is not PTX.
. tests/cli/lib.inc
mkdir "$work/tmp" "$work/empty"
export TMPDIR=$work/tmp
unset HEDDLE_CUDACC CUDA_HOME CUDA_PATH
compilers=clang
{ command -v nvcc || [ -x /usr/local/cuda/bin/nvcc ]; } >/dev/null && compilers="clang nvcc"

# ---- the examples give what their PTX gives ----
for how in $compilers; do
    for example in collatz:1 mandelbrot:0 photons:1; do
        name=${example%:*} arg=${example#*:}
        "$HEDDLE" run examples/$name.ptx --functional -q --dump "$arg:$work/ptx"
        run run examples/$name.cu --functional -q --dump "$arg:$work/cu" --cuda-compiler $how
        cmp -s "$work/ptx" "$work/cu"
        verdict $? "$name.cu by $how computes what $name.ptx does"
    done
    grep -q "heddle run: examples/photons.cu compiled by .*$how" "$err"
    verdict $? "$how is named"
    run run examples/diamond.cu --profile --cuda-compiler $how
    expect_in_out "diamond.cu:15" "the profile shows lines of the source ($how)"
    ! grep -q '\.h:[0-9]' "$out"
    verdict $? "and of no header: what is inlined belongs to the line that calls it ($how)"
done
for how in $compilers; do
    run inspect examples/diamond.cu --cuda-compiler $how
    expect_in_out ", sm_75, 64-bit addresses" "the target is the same whoever compiles ($how)"
done
run explain pdom examples/diamond.cu --cuda-compiler clang
expect_in_out "diamond under pdom" "explain takes CUDA C++"
run compare examples/diamond.cu --mech pdom,minpc --cuda-compiler clang
expect_in_out "examples/diamond.cu, 1 block of 4 threads" "compare does"
run inspect examples/diamond.cu --cuda-compiler clang
expect_in_out "diamond" "inspect does"

# ---- every function of the headers, against what the host computes ----
g++ -std=c++17 -O1 -o "$work/functions" tests/cuda/functions.cpp
g++ -std=c++17 -O1 -frounding-math -ffp-contract=off -o "$work/intrinsics" tests/cuda/intrinsics.cpp
for how in $compilers; do
    for kernel in math:0 intrinsics:1 atomics:0; do
        file=tests/cuda/intrinsics.cu name=${kernel%:*}
        [ $name != math ] || file=tests/cuda/functions.cu
        run run $file --kernel $name --functional -q --dump "${kernel#*:}:$work/$name.bin" --cuda-compiler $how
        expect_status 0 "$name runs ($how)"
    done
    "$work/functions" "$work/math.bin" >"$out"
    verdict $? "elementary functions are as accurate as docs/cuda.md says ($how)"
    "$work/intrinsics" "$work/intrinsics.bin" "$work/atomics.bin" >"$out"
    verdict $? "intrinsics and atomics give what the host computes ($how)"
    run run tests/cuda/program.cu --kernel "talk(int*, int)" --grid 1 --block 2 --arg 'buf:s32[2]' --arg s32:7 --print 0 -q --cuda-compiler $how
    expect_out "7 of 2, 0.50 words
argument 0: s32[2]
  0:  7  7" "a file with host code; printf, malloc and assert ($how)"
done

# ---- what clang's own header declares, for the architectures that add to it ----
run inspect tests/cuda/header.cu --cuda-compiler clang
header=$("$(sed -n 's/.*compiled by //p' "$err")" -print-resource-dir)/include/__clang_cuda_intrinsics.h
declared() { # functions of the header, as often as they are overloaded
    g++ -E -P -x c++ -D__CUDA__ -DCUDA_VERSION=12050 -Icuda "$header" | tr '\n' ' ' |
        grep -oP '__device__ (static )?(inline )?[\w *]*?\K\w+(?=\()'
}
rows() { for arch in 620 900; do g++ -E -P -x c++ -DARCH=$arch tests/cuda/header.def; done | sed 's/ I(/\nI(/g' | sort -u; }
rows >"$work/rows"
declared | sort | uniq -c | while read -r n name; do
    tested=$(grep -c "\b$name(" "$work/rows")
    [ "$tested" -ge "$n" ] || echo "$name: $n overloads, $tested rows of tests/cuda/header.def"
done >"$out"
[ "$(declared | wc -l)" -ge 150 ] && [ ! -s "$out" ]
verdict $? "every function that $header declares is tested"
header_gives() { # COMPILER ARCHITECTURE OPTION...
    g++ -std=c++17 -O1 -ffp-contract=off -DARCH=${2}0 -o "$work/header" tests/cuda/header.cpp
    rm -f "$work/results.bin"
    run run tests/cuda/header.cu -q --cuda-compiler $1 --cuda-flags -arch=sm_$2 --dump "0:$work/cells.bin" \
        --dump "2:$work/results.bin" "${@:3}"
    [ $status -eq 0 ] && "$work/header" "$work/cells.bin" "$work/results.bin" >"$out"
    verdict $? "its functions for sm_$2 give what the host computes ($1, ${3#--})"
}
for arch in 30 32 62 70 80 90; do header_gives clang $arch --functional; done
header_gives clang 80 --config turing-rtx2060
for arch in 75 80 90; do [ "$compilers" = clang ] || header_gives nvcc $arch --functional; done
run nvcc -arch=sm_80 -c tests/cuda/header.cu -o "$work/header.o"
expect_status 0 "and host code beside them compiles"
printf '__global__ void k(int *p) { *p = __shfl(*p, 1); }\n' >"$work/shfl.cu"
refused "from sm_70 on a shuffle has a mask: __shfl_sync" "a shuffle without a mask on sm_75 says what to do" \
    run "$work/shfl.cu" --cuda-compiler clang

# ---- choosing and flags ----
cat >"$work/size.cu" <<'END'
// heddle: --grid 1 --block 1 --arg 'buf:f32[1]' --cuda-flags -DSIZE=7
extern "C" __global__ void size(float *out) { *out = SIZE; }
END
run run "$work/size.cu" -q --print 0 --cuda-compiler clang
expect_in_out "0:  7" "a file brings flags of its own"
run run "$work/size.cu" -q --print 0 --cuda-compiler clang --cuda-flags '-USIZE -D SIZE=8 -arch=compute_80 -lineinfo'
expect_in_out "0:  8" "the command line's come after them, and nvcc's are understood by clang"
HEDDLE_CUDACC=clang-19 run run "$work/size.cu" -q
expect_err "compiled by /usr/bin/clang-19" "HEDDLE_CUDACC names the compiler"
HEDDLE_CUDACC=nvcc run run "$work/size.cu" -q --cuda-compiler /usr/bin/clang-19
expect_err "compiled by /usr/bin/clang-19" "the option wins"
refused "neither nvcc nor clang" "another program is no CUDA compiler" run "$work/size.cu" --cuda-compiler gcc
refused "there is no CUDA compiler clang-9999" "one that is not there" run "$work/size.cu" --cuda-compiler clang-9999
refused "does not go with @bfs" "a workload is not compiled" run @bfs --cuda-compiler clang
sed 's/-DSIZE=7/-Xclang/' "$work/size.cu" >"$work/load.cu"
refused "a file may not ask for '-Xclang' itself" "a file cannot have its compiler load anything" \
    run "$work/load.cu" --cuda-compiler clang
without_programs() { # MESSAGE NAME ARGUMENT...
    command_line="heddle ${*:3}, with an empty PATH"
    PATH=$work/empty "$HEDDLE" "${@:3}" >"$out" 2>"$err"
    status=$?
    [ "$status" -eq 2 ] && grep -qF -- "$1" "$err"
    verdict $? "$2"
}
[ -x /usr/local/cuda/bin/nvcc ] ||
    without_programs "apt-get install clang-19 libclc-19" "no compiler: what to install is named" run "$work/size.cu"
without_programs "clang-19 and libclc-19" "no clang: the packages are named" run "$work/size.cu" --cuda-compiler clang

# ---- kernels by the names their author gave them ----
program="tests/cuda/program.cu --grid 1 --block 4 --cuda-compiler clang"
run run tests/cuda/program.cu:outer::fill'<float>' --grid 1 --block 4 --cuda-compiler clang --arg 'buf:f32[4]' --arg f32:2 --print 0
expect_in_out "0:  2  2  2  2" "a template by its name, behind the file's"
expect_in_out "kernel              outer::fill<float>" "which the report shows"
refused "tests/cuda/program.cu has several that fill may mean:" "a name that two have" run $program --kernel fill
[ "$(grep -c '^  outer::fill<' $err)" -eq 2 ]
verdict $? "lists both"
refused "  outer::scale(float*, float)" "all are listed by their signature" run $program
refused "kernel outer::scale takes 2 arguments, 0 given: missing 0: outer::scale_param_0" "messages have the name" run $program -k outer::scale
refused "--kernel 'outer::scale' --grid 1 --block 4 --arg" "which the command to paste quotes" run $program -k outer::scale
run inspect tests/cuda/program.cu --kernel 'outer::fill<int>' --cuda-compiler clang
expect_in_out "kernel outer::fill<int>(int*, int)" "inspect finds and shows it"
run run $program --kernel talk --arg 'buf:s32[4]' --arg s32:0
expect_status 1 "a fault of a C++ kernel"
expect_err "  kernel talk, block (0,0,0)" "names it"
expect_err "at PTX of tests/cuda/program.cu:" "and says that the line is one of the PTX that was made of the file"
run run $program --kernel talk --arg 'buf:s32[4]' --arg s32:1 --json -
expect_json $out kernels/0/kernel '"_Z4talkPii"' "data keeps the name that the PTX has"

# ---- whole programs ----
whole="  heddle nvcc -O2 examples/walks.cu -o walks
  heddle cuda ./walks"
refused "$whole" "run says how a source file with a main is built and run" run examples/walks.cu
refused "$whole" "so do other commands" compare examples/walks.cu --mech pdom
run run examples/walks.cu --kernel longest --grid 1 --block 32 --arg 'buf:u32[32]=iota' --arg u32:32 --arg 'buf:u32[1]' --print 2 --quiet
expect_in_out "31" "a kernel of it runs where the launch is said"
run inspect examples/walks.cu
expect_in_out "kernel walks" "inspect shows all of its kernels"
"$HEDDLE" nvcc -ptx tests/cuda/program.cu -o "$work/program.ptx"
names() { # NAME COMMAND...: what people read of a C++ kernel is its name in the source
    local name=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] && ! grep -qE '(^|[^_$])_Z' "$out"
    verdict $? "$name shows no mangled name"
}
scale="$work/program.ptx --kernel outer::scale --grid 1 --block 4 --arg buf:f32[4] --arg f32:1"
names "run --profile" run $scale --profile --annotate
names compare compare $scale --mech pdom,dwf
names inspect inspect "$work/program.ptx"
names "inspect --code" inspect "$work/program.ptx" --code
names study study oracle-lanes $scale
names explain explain pdom $scale
run report $scale --json "$work/report.json" --html "$work/report.html" --quiet
expect_json "$work/report.json" subject/title '"outer::scale"' "a report has the readable name as title"
expect_json "$work/report.json" subject/kernel '"_ZN5outer5scaleEPff"' "and that of the PTX as name"
expect_json "$work/report.json" code/functions/0/title '"outer::scale"' "of functions too"

# ---- errors ----
printf '__global__ void broken(int *p) {\n    *p = nothing;\n}\n' >"$work/broken.cu"
refused "broken.cu:2:10: error: use of undeclared identifier 'nothing'" "the compiler's errors are shown" \
    run "$work/broken.cu" --cuda-compiler clang
expect_err "broken.cu did not compile" "and that there are some is said"
printf '__global__ void bessel(float *p) { *p = j0f(*p); }\n' >"$work/bessel.cu"
refused "j0f is in no library that comes with clang" "what libclc lacks is an error at the call" \
    run "$work/bessel.cu" --cuda-compiler clang
printf '__global__ void s(float *p) { *p = sinf(*p); }\n' >"$work/sin.cu"
HEDDLE_LIBCLC=$work/none refused "none" "a libclc that is not there" run "$work/sin.cu" --cuda-compiler clang
HEDDLE_CUDA_DIR=$work/empty refused "prelude.h' file not found" "headers that are not there" \
    run "$work/sin.cu" --cuda-compiler clang

# ---- standard input ----
run_stdin() { # FILE ARGUMENT...
    local file=$1
    shift
    command_line="heddle $* <$file"
    timeout 300 "$HEDDLE" "$@" >"$out" 2>"$err" <"$file"
    status=$?
}
run_stdin "$work/size.cu" run - -q --print 0 --cuda-compiler clang
expect_in_out "0:  7" "CUDA C++ from standard input"
run_stdin "$work/broken.cu" run - --cuda-compiler clang
expect_err "<stdin>:2:10: error: use of undeclared identifier" "whose errors say so"
run_stdin examples/diamond.ptx run - -q --print 0
expect_in_out "argument 0: u32[4]" "PTX from standard input"
run_stdin examples/diamond.ptx inspect -
expect_in_out "diamond" "which inspect takes too"
refused "standard input is empty" "nothing there" run -

# ---- temporary files ----
[ -z "$(ls "$work/tmp")" ]
verdict $? "nothing is left in TMPDIR"
printf '#!/bin/sh\nmkdir "$TMPDIR/more" && touch "$TMPDIR/more/file" && exec sleep 60\n' >"$work/clang-slow"
chmod +x "$work/clang-slow"
for signal in INT:130 TERM:143; do
    command_line="heddle run size.cu, and a signal ${signal%:*} while the compiler runs"
    # a background job of a shell ignores INT unless it is asked not to
    timeout --preserve-status --foreground -s ${signal%:*} 0.5 env --default-signal=INT "$HEDDLE" run "$work/size.cu" \
        --cuda-compiler "$work/clang-slow" >"$out" 2>"$err"
    status=$?
    expect_status ${signal#*:} "a signal ${signal%:*} ends it while the compiler runs"
    [ -z "$(ls "$work/tmp")" ]
    verdict $? "and leaves nothing in TMPDIR"
done

# ---- what is not PTX ----
looks_like() { # NAME BYTES MESSAGE
    printf "$2" >"$work/$1"
    refused "$3" "$1: $3" run "$work/$1" --grid 1 --block 1
}
looks_like kernel.fatbin 'P\355U\272\001\000\020\000' "is a CUDA fat binary, not PTX: heddle runs PTX: 'cuobjdump -ptx"
looks_like lib.a '!<arch>\nkernel.o/' "is an archive"
looks_like kernel.bc 'BC\300\336' "is LLVM bitcode, not PTX: make PTX of it: 'llc-19"
looks_like kernel.cubin '\177ELF\002\001\001\101\013\000\000\000\000\000\000\000\002\000\276\000' "is a cubin"
looks_like kernel.sass '\tcode for sm_80\n\t\tFunction : k\n        /*0000*/  MOV R1, c[0x0][0x28] ;\n' "is SASS"
looks_like kernel.ll 'target triple = "nvptx64"\ndefine void @k() { ret void }\n' "is LLVM's intermediate form"
looks_like kernel.cl '__kernel void k(__global int *p) { p[get_global_id(0)] = 1; }\n' "is OpenCL C"
refused "is a program or library, not PTX: it has no GPU code" "a program" run "$(command -v bash)" --grid 1 --block 1
refused "is a program or library" "inspect says so too" inspect "$(command -v bash)"

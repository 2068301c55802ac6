#!/bin/bash
# heddle nvcc: what its flags make, what it refuses, what it says when a file does not compile.
. tests/cli/lib.inc
mkdir "$work/tmp" "$work/src" "$work/src/inc"
export TMPDIR=$work/tmp
root=$PWD
preload=$(ldd "$(dirname "$HEDDLE")/cuda/lib/libheddle-cuda.so" | awk '/lib(asan|ubsan)/ {print $3}' | paste -sd:)
says() { [ "$(env ${preload:+LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0} "$1")" = "$2" ]; } # PROGRAM TEXT
cd "$work/src" || exit 1
cat >one.cu <<'CUDA'
#include "value.h"
#include <cstdio>
int two();
__global__ void set(int *p) { *p = VALUE; }
int main() {
    int *p, v = 0;
    cudaMalloc(&p, sizeof v);
    set<<<1, 1>>>(p);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    printf("%d %d\n", v, two());
}
CUDA
echo '#define VALUE NUMBER' >inc/value.h
echo 'int two() { return 2; }' >two.cpp
printf '__global__ void bad() {\n    int x = undeclared;\n}\n' >bad.cu

# ---- programs ----
run nvcc -O3 -Iinc -DNUMBER=41 -arch=sm_60 -Xcompiler -Wall,-Wextra -Xptxas -v one.cu two.cpp -o all
expect_status 0 "two files at once"
says ./all "41 2"
verdict $? "run as they should"
run nvcc -c -Iinc --define-macro NUMBER=42 -MD -MF one.dep one.cu
expect_status 0 "-c"
grep -q '^one.o:.*one.cu' one.dep && grep -q 'inc/value.h' one.dep
verdict $? "-MD writes a rule"
run nvcc -c two.cpp -o second.o
run nvcc -lib second.o -o libsecond.a
echo '-L. one.o -lsecond -o "parts"' >link.rsp
run nvcc @link.rsp
says ./parts "42 2"
verdict $? "objects, archives and files of options"
run nvcc -shared -Xcompiler -fPIC -Iinc -DNUMBER=1 one.cu two.cpp -o libone.so
[ -s libone.so ]
verdict $? "-shared"
"$(dirname "$HEDDLE")/heddle-nvcc" -ptx -Iinc -DNUMBER=7 one.cu && grep -q 'entry _Z3setPi' one.ptx
verdict $? "heddle-nvcc -ptx"
run nvcc -Iinc -DNUMBER=7 -ptx one.cu -o -
expect_in_out ".target sm_75" "-o - and the default target"
run nvcc -fatbin -Iinc -DNUMBER=7 one.cu
[ "$(head -c 4 one.fatbin | od -An -tx4 | tr -d ' ')" = ba55ed50 ]
verdict $? "-fatbin"
run nvcc -E -Iinc -DNUMBER=1234567 one.cu
expect_in_out "*p = 1234567" "-E"
run nvcc -MM -Iinc one.cu
expect_in_out "inc/value.h" "-MM"
mkdir kept
run nvcc -keep -keep-dir kept -Iinc -DNUMBER=5 -c one.cu -o kept/x.o
[ -s kept/one.ptx ] && [ -s kept/one.fatbin ]
verdict $? "-keep"
run nvcc -dryrun -Iinc -DNUMBER=5 one.cu two.cpp -o never
[ ! -e never ] && grep -q '^#\$ .*clang.*cuda-device-only' "$err"
verdict $? "-dryrun shows commands and runs none"
run nvcc --version
expect_in_out "release 12.5, V12.5" "--version is one that build systems read"
run nvcc --help
expect_in_out "Usage: heddle nvcc" "--help"
printf 'all: prog\nprog: one.cu two.o\n\t$(NVCC) $(FLAGS) $^ -o $@\ntwo.o: two.cpp\n\t$(NVCC) -c $< -o $@\n' >Makefile
make -s NVCC="$HEDDLE nvcc" FLAGS='-Iinc -DNUMBER=9 -gencode arch=compute_70,code=sm_70 -std=c++14 --expt-relaxed-constexpr' >/dev/null 2>"$err"
says ./prog "9 2"
verdict $? "a Makefile for nvcc"

# ---- what goes wrong ----
run nvcc bad.cu -o bad
expect_status 2 "a file that does not compile"
expect_err "bad.cu:2:13: error: use of undeclared identifier 'undeclared'" "has its own name and line in the message"
[ ! -e bad ] && [ -z "$(ls "$TMPDIR")" ]
verdict $? "and leaves nothing"
run nvcc missing.cu
expect_status 2 "no such file"
expect_err "cannot read missing.cu" "is named"
for flag in -cubin -m32 -dlto '-cudart static' -lcublas -nosuchflag; do
    run nvcc $flag one.cu
    expect_status 2 "$flag"
    expect_err "${flag%% *}" "is refused by name"
done
run nvcc -c -ptx one.cu
expect_err "-c and -ptx: one of them" "two steps at once"
run nvcc -c one.cu two.cpp -o x
expect_err "-c with -o takes one file" "one output for two objects"
run nvcc one.cu -o one.cu
expect_err "would overwrite an input" "an output that is an input"
[ -s one.cu ]
verdict $? "which is still there"
run nvcc -o
expect_err "-o needs a value" "a flag without its value"
echo '@loop.rsp' >loop.rsp
run nvcc @loop.rsp
expect_status 2 "files of options that include each other"
cd "$root" || exit 1

#!/bin/bash
# Objects depend on the flags they were built with, and on nothing else that make is told; the compiler says for which machine.
echo 1..7
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
unset MAKEFLAGS MAKELEVEL MFLAGS # of the make that runs the tests
object=$d/obj/src/base/alloc.o
plan() { make --no-print-directory BUILD="$d" "$@"; }

check "an object is built" plan "$object" OPT=-O0
check "and then up to date" plan -q "$object" OPT=-O0
check "another level makes it anew" eval '! plan -q "$object" OPT=-O1'
check "which asking does not change" plan -q "$object" OPT=-O0
check "nor does -Werror" plan -q "$object" OPT=-O0 WERROR=-Werror
other() { printf '#!/bin/sh\n%s\n' 'echo aarch64-unknown-linux-gnu' >"$d/cc" && chmod +x "$d/cc" && plan -n "$d/libheddle.a" CC="$d/cc" >"$d/out"; }
check "a compiler for another machine is asked" other
check "and gets no code for x86" eval '! grep -q "avx2\.o" "$d/out" && grep -q "portable\.o" "$d/out"'

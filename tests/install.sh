#!/bin/bash
# make install puts everything in place: a program built against the installed header and shared library runs.
echo 1..3
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
check() { if "${@:3}" >&2; then echo "ok $1 - $2"; else echo "not ok $1 - $2"; fi; }
san=
case $BUILD in *asan*) san="-fsanitize=address,undefined" ;; esac
check 1 "make install works" make -s --no-print-directory BUILD="$BUILD" SAN="$san" PREFIX="$d" install
check 2 "the installed command runs" "$d/bin/heddle" --version
build_and_run() {
    cc -I"$d/include" $san -o "$d/saxpy" examples/saxpy.c -L"$d/lib" -lheddle -Wl,-rpath,"$d/lib" && "$d/saxpy"
}
check 3 "a program links against the installed library" build_and_run

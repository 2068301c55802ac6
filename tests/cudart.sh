#!/bin/bash
# CUDA programs, host code and all: tests/cudart/*.cu, each built by `heddle nvcc` and run functional, timed and under several
# mechanisms. A program checks itself, prints "ok NAME" lines and ends with 0; what it prints must be the same each time. Where
# nvcc is on the machine, it builds them too, for the shared runtime. Lines at the top of a program may say
#   // flags: FLAG...      for the compiler, e.g. -rdc=true; $HERE is tests/cudart
#   // only clang          nvcc does not build it
#   // only functional     it is not timed: too long, or it prints what time it took
#   // all mechanisms      it runs under each of them, not three; with HEDDLE_DIFF_ALL=1 every program does
#   // with calls          mechanisms that have no calls refuse it
# One program alone: tests/cudart.sh NAME.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
HEDDLE=$(realpath "${HEDDLE:-$BUILD/heddle}") || exit 2
work=$(realpath "$BUILD")/tests/cudart
mkdir -p "$work"
export HEDDLE work LC_ALL=C HERE=tests/cudart
unset HEDDLE_CONFIG HEDDLE_MECH HEDDLE_SET HEDDLE_MODE HEDDLE_TIMED HEDDLE_LOG HEDDLE_FILE HEDDLE_RACES HEDDLE_PROGRESS
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
export nvcc
# A program that was not built with the sanitizers loads a library that was.
case $BUILD in *asan*) export SAN_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 ;; esac
if ! command -v clang-19 >/dev/null; then
    echo "1..0 # SKIP there is no clang-19"
    exit 0
fi

flags_of() { eval "printf '%s\n' $(sed -n 's|^// flags: ||p' "$1" | head -1)"; }
same() { # NAME VARIANT PROGRAM [VARIABLE=VALUE]...: runs it; its output is that of the first run
    local out="$work/$1.$2.out" status
    env ${SAN_PRELOAD:+LD_PRELOAD="$SAN_PRELOAD"} "${@:4}" timeout 120 "$3" >"$out" 2>"$work/$1.$2.err" </dev/null
    status=$?
    if grep -q '^// with calls' "tests/cudart/$1.cu" && grep -q "mechanism $2 cannot run .*: a call of a function" "$work/$1.$2.err"; then
        echo "ok $1: $2 refuses it"
    elif [ $status -eq 0 ] && grep -q '^ok ' "$out" && ! grep -q '^not ok' "$out" && { [ ! -f "$work/$1.expected" ] || cmp -s "$out" "$work/$1.expected"; }; then
        [ -f "$work/$1.expected" ] || cp "$out" "$work/$1.expected"
        echo "ok $1: $2"
    else
        echo "not ok $1: $2 (status $status)"
        { echo "# $1, $2, status $status:"; tail -5 "$out"; tail -5 "$work/$1.$2.err"; [ ! -f "$work/$1.expected" ] || diff "$work/$1.expected" "$out" | head -5; } >&2
    fi
}
program() { # FILE
    local name file=$1 flags f mech mechs
    name=$(basename "$file" .cu)
    rm -f "$work/$name".*
    mapfile -t flags < <(flags_of "$file")
    [ "${flags[*]}" = "" ] && flags=()
    if ! "$HEDDLE" nvcc "$file" "${flags[@]}" -o "$work/$name.clang" >"$work/$name.build" 2>&1; then
        echo "not ok $name: built by heddle nvcc"
        tail -20 "$work/$name.build" >&2
        return
    fi
    echo "ok $name: built by heddle nvcc"
    same "$name" functional "$work/$name.clang" HEDDLE_MODE=functional
    if ! grep -q '^// only functional' "$file"; then
        mechs="pdom dwf volta"
        { [ -n "${HEDDLE_DIFF_ALL:-}" ] || grep -q '^// all mechanisms' "$file"; } && mechs=$("$HEDDLE" list mechanisms --json | sed -n 's/.*"name": "\([^"]*\)".*/\1/p')
        for mech in $mechs; do
            same "$name" "$mech" "$work/$name.clang" HEDDLE_MODE=timed HEDDLE_CONFIG=tiny HEDDLE_MECH=$mech
        done
    fi
    [ -n "$nvcc" ] && ! grep -q '^// only clang' "$file" || return
    # PTX alone: ptxas would take most of the time. One of the programs is not compressed.
    [ "$name" = vectors ] && f=--no-compress || f=-lineinfo
    if "$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 -std=c++17 "$f" "$file" "${flags[@]}" -o "$work/$name.nvcc" >"$work/$name.build" 2>&1; then
        same "$name" nvcc "$work/$name.nvcc" HEDDLE_MODE=functional LD_LIBRARY_PATH="$(dirname "$HEDDLE")/cuda/lib"
    else
        echo "not ok $name: built by nvcc"
        tail -20 "$work/$name.build" >&2
    fi
}
export -f flags_of same program

files=("${@/#/tests/cudart/}")
[ $# -gt 0 ] && files=("${files[@]/%/.cu}") || files=(tests/cudart/*.cu)
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -I{} bash -c 'program {}' |
    awk '/^(not )?ok / { n++; sub(/ok /, "ok " n " - ") } /^not ok/ { bad++ } { print } END { print "1.." n; exit bad > 0 }'

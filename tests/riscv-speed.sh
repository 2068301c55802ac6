#!/bin/bash
# What a thread instruction of RISC-V costs the host beside one of PTX, of the same kernels (tests/riscv/speed.c), in timed
# launches: instructions of the host, counted by valgrind, so that a busy host changes nothing. docs/riscv.md has the figures.
. tests/tap.inc
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
heddle=$(realpath "${HEDDLE:-build/heddle}")
gcc=riscv64-linux-gnu-gcc
skip() { # WHY
    printf '1..1\nok 1 - what instructions cost # SKIP skipped: %s\n' "$1"
    exit 0
}
[ -n "${HEDDLE_DIFF_ALL:-}" ] || skip "HEDDLE_DIFF_ALL is not set, as it is by .ci/run"
for tool in $gcc clang-19 valgrind; do
    command -v $tool >/dev/null || skip "there is no $tool"
done
valgrind --tool=none -q "$heddle" --version >/dev/null 2>&1 || skip "valgrind cannot run heddle here"
echo 1..2

counted() { # FILE COMMAND...: instructions of the host, and of threads, to FILE
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "${@:2}" --config turing-rtx2060 --set gpu.sms=4 -M pdom \
        --threads 1 -q --json "$d/json" 2>&1 >/dev/null | sed -n 's/.*Collected : *//p' >"$1"
    sed -n 's/.*"sm.thread_insts": \([0-9]*\).*/\1/p' "$d/json" | tail -1 >>"$1"
}
cost() { # FEW MANY: of one thread instruction of the launches that the second has more
    paste "$1" "$2" | awk '{ more[NR] = $2 - $1 } END { printf "%.1f\n", more[1] / more[2] }'
}
script() { # KERNEL ARGS TIMES
    printf 'buffer %s\n' 'words u32[16384]' 'fa f32[16384]' 'fb f32[16384]' 'da f64[2048]' 'db f64[2048]'
    echo "launch fill grid 128 block 128 args fa, fb, db"
    echo "repeat $3 { launch $1 grid 16 block 128 args $2 }"
}
compare() { # KERNEL ARGS: a line of the table
    local times
    for times in 1 2; do
        script "$1" "$2" $times >"$d/hds"
        counted "$d/ptx.$times" "$heddle" run "$d/speed.ptx" --script "$d/hds"
        $gcc -O2 -ffp-contract=off -nostdlib -static -Iinclude -DLAUNCH="$1" "-DARGS=$2" -DTIMES=$times tests/riscv/speed.c \
            -o "$d/program"
        counted "$d/riscv.$times" "$heddle" run "$d/program"
    done
    echo "$1 $(cost "$d/ptx.1" "$d/ptx.2") $(cost "$d/riscv.1" "$d/riscv.2")"
}
# As tools/regen-ptx compiles workloads.
clang-19 -x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-feature=+ptx70 -nocudainc \
    -nocudalib -fdeclspec -std=c++17 -Wno-unknown-cuda-version -ffp-contract=off -O2 -Iworkloads -S -o "$d/speed.ptx" \
    tests/riscv/speed.c
{
    compare mandelbrot words
    compare saxpy 'fa, fb'
    compare collatz words
    compare sort words
    compare stencil 'da, db'
} >"$d/table"
awk '{ printf "%-12s %6.1f %6.1f %5.2f\n", $1, $2, $3, $3 / $2 }' "$d/table" >&2
mean() { awk '{ sum += log($3 / $2) } END { print exp(sum / NR); exit !(NR == 5 && exp(sum / NR) < 1.2) }' "$d/table"; }
check "an instruction of RISC-V costs at most 20 % more than one of PTX, in the mean of five kernels" mean
each() { awk '$3 / $2 >= 1.5 { print; bad = 1 } END { exit bad || NR != 5 }' "$d/table"; }
check "and at most 50 % more in each" each

#!/bin/bash
# main of a RISC-V program on the modelled host core (cpu.model): what loops of machine code take a round, and that the core
# changes nothing else.
heddle=${HEDDLE:-build/heddle}
gcc=riscv64-linux-gnu-gcc
if ! command -v $gcc >/dev/null; then
    echo "1..1"
    echo "ok 1 - the host core # SKIP skipped: there is no $gcc"
    exit 0
fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc

$gcc -O2 -static -o "$d/host" tests/riscv/host.c || exit 1
$gcc -O2 -static -Iinclude -o "$d/mandelbrot" examples/riscv/mandelbrot.c || exit 1
cycles() { # KIND ROUNDS [OPTION...]
    local kind=$1 rounds=$2
    shift 2
    "$heddle" run --set cpu.model=outorder "$@" --json "$d/stats.json" -q "$d/host" -- "$kind" "$rounds" &&
        grep -o '"cpu.cycles": *[0-9]*' "$d/stats.json" | tail -n 1 | grep -o '[0-9]*$'
}
takes() { # CYCLES-A-ROUND KIND [OPTION...]: between runs of 10000 and 20000 rounds
    local each=$1 kind=$2 few many
    shift 2
    few=$(cycles "$kind" 10000 "$@") && many=$(cycles "$kind" 20000 "$@") || return 1
    echo "$kind: $((many - few)) cycles of 10000 rounds"
    [ $((many - few)) -eq $((each * 10000)) ]
}
check "eight dependent adds take eight cycles" takes 8 chain
check "eight dependent multiplications take 24" takes 24 mults
check "ten independent instructions take three cycles of fetch" takes 3 apart
check "with a fetch width of 2 they take five" takes 5 apart --set cpu.fetch_width=2
check "eight loads, each of the next one's address, take 16" takes 16 chase
check "with a cache that takes 4 cycles they take 40" takes 40 chase --set cpu.l1_latency=4

changes_nothing() {
    "$heddle" run "$d/mandelbrot" >"$d/without" && "$heddle" run --set cpu.model=outorder "$d/mandelbrot" >"$d/with" || return 1
    diff "$d/without" "$d/with" >"$d/diff"
    cat "$d/diff"
    ! grep -q '^<' "$d/diff" && [ "$(grep -c '^> ' "$d/diff")" -eq 3 ] && grep -q "^> program .*main .*kernels " "$d/diff"
}
check "a run with the core shows main's time and is else the same" changes_nothing

# The cycles of the program are those of main and of the kernels, and its speed-up follows from both (Amdahl's law).
law() {
    "$heddle" compare -M pdom,dwf --set cpu.model=outorder "$d/mandelbrot" >"$d/compare" || return 1
    cat "$d/compare"
    tr -d ',%' <"$d/compare" | awk '
        /whole program/ { whole = 1 }
        !whole && ($1 == "pdom" || $1 == "dwf") { kernels[$1] = $2 }
        whole && $1 == "pdom" { all = $2; main = $2 - kernels["pdom"]; share = $3 }
        whole && $1 == "dwf" { own = $2; program = $5; seen = 1 }
        END {
            h = main / all
            s = kernels["pdom"] / kernels["dwf"]
            off = program - 1 / (h + (1 - h) / s)
            exit !(seen && own == main + kernels["dwf"] && off < 0.0006 && off > -0.0006 && share - 100 * h < 0.06)
        }'
}
check "a comparison shows what Amdahl's law leaves of a gain" law
twice_the_clock() {
    local slow fast
    "$heddle" run -q --set cpu.model=outorder --json "$d/a.json" "$d/mandelbrot" >"$d/out" &&
        "$heddle" run -q --set cpu.model=outorder --set cpu.clock=2300 --json "$d/b.json" "$d/mandelbrot" >"$d/out" || return 1
    slow=$(grep -o '"cpu.core_cycles": *[0-9]*' "$d/a.json" | tail -n 1 | grep -o '[0-9]*$')
    fast=$(grep -o '"cpu.core_cycles": *[0-9]*' "$d/b.json" | tail -n 1 | grep -o '[0-9]*$')
    echo "$slow $fast"
    [ "$fast" -eq $(((slow + 1) / 2)) ]
}
check "twice the clock is half the time" twice_the_clock
refused() {
    "$heddle" run --set cpu.model=outorder --set cpu.l1_line=128 "$d/mandelbrot" 2>&1 | grep -q "cpu.l1_line = 128 is more than"
}
check "lines that do not fit are refused" refused
echo "1..$n"

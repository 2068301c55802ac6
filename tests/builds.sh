#!/bin/sh
# Committed builds of workloads for RISC-V are what g++ makes of the CUDA C beside them; nothing is checked where there is none
# of that version.
if [ "$(riscv64-linux-gnu-g++ -dumpfullversion 2>/dev/null)" != "$(sed -n 's/^version=\([0-9.]*\).*/\1/p' tools/regen-riscv)" ]; then
    echo "1..0 # skip: no riscv64-linux-gnu-g++ of that version"
    exit 0
fi
n=0
for build in $(find workloads -name '*.riscv' | LC_ALL=C sort); do
    n=$((n + 1)) cu=${build%.riscv}.cu
    if tools/regen-riscv --check "$cu" >&2; then echo "ok $n - RISC-V of $cu"; else echo "not ok $n - RISC-V of $cu"; fi
done
echo "1..$n"

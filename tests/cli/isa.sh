#!/bin/bash
# --isa: builds of workloads for other instruction sets, by option and by name, in all commands that take a workload.
. tests/cli/lib.inc
small="--size tiny --config tiny"
built="hmmer, lbm, black, bitonic, fft, lu, matrix"

run list workloads --markdown
grep -q '^| hmmer | DWF | high | ptx, riscv, riscv-O1 | ' "$out" && grep -q '^| mp | HARP | high | ptx | ' "$out"
verdict $? "list workloads says which builds there are"

run run @hmmer $small --isa riscv --json "$work/hmmer.json"
expect_status 0 "run --isa riscv succeeds"
expect_in_out "workload            @hmmer:riscv (DWF), tiny" "and says what ran"
expect_in_out "check               192 values verified against the CPU" "its result is checked"
expect_json "$work/hmmer.json" workload/name '"hmmer:riscv"' "JSON has the build in the name"
cp "$out" "$work/by_option"
run run @hmmer:riscv $small
cmp -s "$work/by_option" "$out"
verdict $? "@NAME:ISA is the same"
run run @hmmer:ptx $small
expect_in_out "workload            @hmmer (DWF), tiny" "@NAME:ptx is the workload as it is"
run run @hmmer $small --isa ptx
expect_in_out "workload            @hmmer (DWF), tiny" "and so is --isa ptx"

run compare @bitonic @lu --isa riscv-O1 $small --mech pdom,minpc
[ "$status" -eq 0 ] && grep -q '@bitonic:riscv-O1' "$out" && grep -q '@lu:riscv-O1' "$out"
verdict $? "compare takes it for all workloads"
run compare @lu @lu:riscv @lu:riscv-O1 $small --mech pdom
[ "$status" -eq 0 ] && [ "$(grep -c '@lu' "$out")" -ge 3 ]
verdict $? "and names of builds beside each other"
run inspect @lu --isa riscv
expect_in_out "@lu:riscv  RISC-V (RV64GC), kernels without a main" "inspect shows the build"
expect_in_out "lu.cu:" "with source lines"
run explain pdom @lu --isa riscv --steps 20
expect_in_out "@lu:riscv tiny, launch 0" "explain takes it"
run study oracle-reconvergence @lu --isa riscv --size tiny
expect_in_out "@lu:riscv" "study takes it"
run report @lu --isa riscv $small --mech pdom -o "$work/report.html"
expect_status 0 "report takes it"

run sweep --workloads hmmer,lu --isa ptx,riscv-O1 $small --mech pdom --db "$work/isa.db"
expect_status 0 "a sweep has every workload in every build"
run results --db "$work/isa.db"
[ "$(awk 'NR > 1 { print $1 }' "$out" | tr '\n' ' ')" = "hmmer hmmer:riscv-O1 lu lu:riscv-O1 " ]
verdict $? "whose results are apart, builds behind their program"
run sweep @lu:riscv-O1 $small --mech pdom --db "$work/isa.db"
expect_in_out "1 stored before" "a build by its name is the same point"

for c in run compare "explain pdom" inspect; do
    refused "@mp is not compiled for riscv; these are: $built" "$c: a workload without such a build" $c @mp --isa riscv
done
refused "@mp is not compiled for riscv-O1; these are: $built" "the same by name" run @mp:riscv-O1
refused "@mp is not compiled for riscv; these are: $built" "and in a sweep" sweep -w hmmer,mp --isa riscv --db "$work/no.db"
refused "--isa: there is no instruction set 'mips': ptx, riscv or riscv-O1" "an instruction set there is not" run @lu --isa mips
refused "there is no instruction set 'mips': ptx, riscv or riscv-O1" "nor by name" run @lu:mips
refused "@lu:riscv is the build for riscv, not for riscv-O1" "two that do not agree" run @lu:riscv --isa riscv-O1
refused "--isa is for workloads (@NAME), not for files" "--isa of a file" run examples/collatz.ptx --isa riscv
refused "--isa is for workloads (@NAME), not for files" "or inspected" inspect examples/collatz.ptx --isa riscv
refused "--isa is for workloads that the command line names, and there is none" "a sweep without workloads" \
    sweep examples/collatz.ptx --isa riscv --db "$work/no.db"
refused "there is no instruction at its entry" "a build has no main to run" run workloads/lu/lu.riscv

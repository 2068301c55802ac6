#!/bin/bash
# Every instruction of riscv.def and of the C extension, on edge and random operands, against qemu (make test-long): results, fcsr,
# memory and where jumps go, byte for byte, of main on the scalar core and of threads on the device. cover.c draws the
# encodings, cover_main.c the operands. SEEDS says how many programs are drawn (default 2).
#
# Nothing that both execute may differ. What is left out because the manual leaves it open, or because only one of them has it:
# misaligned accesses (a fault in heddle, done by qemu), the counters cycle, time and instret (which count what each of them
# counts), and heddle's own two instructions.
heddle=${HEDDLE:-build/heddle} BUILD=${BUILD:-build}
gcc=riscv64-linux-gnu-gcc
for tool in $gcc qemu-riscv64; do
    command -v $tool >/dev/null && continue
    echo "1..1"
    echo "ok 1 - instructions of RISC-V against qemu # SKIP skipped: there is no $tool"
    exit 0
done
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc

generate() { # SEED: fails if a row of riscv.def has no case
    "$BUILD/riscv-cover" "$1" >"$d/sites.s" && $gcc -O1 -static -Iinclude tests/riscv/cover_main.c "$d/sites.s" -o "$d/cover"
}
by_qemu() { qemu-riscv64 "$d/cover" >"$d/theirs" && [ "$(wc -l <"$d/theirs")" -gt 2000 ]; }
same() { # NAME OPTION... [-- device]: digests of all sites; of the first that differs, its first cases that do
    "$heddle" run -q -f "$d/cover" "$@" >"$d/ours"
    cmp "$d/theirs" "$d/ours" && return 0
    local site
    diff "$d/theirs" "$d/ours" | grep '^[<>]' | head -40
    for site in $(diff "$d/theirs" "$d/ours" | sed -n 's/^> \([0-9]*\) .*/\1/p' | head -5); do
        diff <(qemu-riscv64 "$d/cover" "$site") <("$heddle" run -q -f "$d/cover" "${@:-"--"}" "$site") | head -12
    done
    return 1
}
for seed in $(seq "${SEEDS:-2}"); do
    check "every instruction has a case, program $seed" generate "$seed"
    check "qemu runs them all" by_qemu
    check "main computes what it computes under qemu" same
    check "so do threads of the device" same -- device
done
check "and with portable arithmetic" same --set exec.isa=portable -- device

ends() { # STATUS TEXT REASON: an instruction that ends main; qemu dies of a signal, heddle says why with exit status 1
    local theirs ours
    printf 'int main(void) { __asm__ volatile("%s"); return 0; }\n' "$2" >"$d/ends.c"
    $gcc -static "$d/ends.c" -o "$d/ends" || return 1
    (ulimit -c 0 && exec qemu-riscv64 "$d/ends") 2>/dev/null
    theirs=$?
    "$heddle" run -q -f "$d/ends" 2>"$d/err"
    ours=$?
    cat "$d/err"
    [ $theirs -eq "$1" ] && [ $ours -eq 1 ] && grep -q "$3" "$d/err"
}
check "ebreak ends main" ends 133 ".4byte 0x100073" breakpoint
check "so does c.ebreak" ends 133 ".2byte 0x9002" breakpoint
check "a halfword of zeros is no instruction" ends 132 ".2byte 0" trap
check "rounding mode 5 is none" ends 132 ".4byte 0x00005053" trap # fadd.s
check "a dynamic rounding mode that fcsr does not have is none" ends 132 "csrwi frm, 6; fadd.s fa0, fa0, fa0" "no rounding mode 6"
check "an access of a CSR that there is not is none" ends 132 "csrr a0, 0x7c0" trap
echo "1..$n"

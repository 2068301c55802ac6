#!/bin/bash
# tests/riscv/disassembly.sh HEDDLE ELF: all instructions of 32 bits as heddle shows them, against objdump's. Left out are accesses
# of CSRs, whose names objdump writes, and words that are no instruction. A rounding mode that changes nothing is not compared.
heddle=$1 elf=$2
theirs() { # ADDRESS: TEXT
    riscv64-linux-gnu-objdump -d -M no-aliases "$elf" |
        sed -nE 's/^ *([0-9a-f]+:)\t[0-9a-f]{8} +\t/\1 /p' | sed -E 's/ *(<|#).*//; s/\t/ /; s/ +$//' |
        grep -vE '^[0-9a-f]+: (csr|unimp|\.|0x)'
}
ours() {
    "$heddle" inspect --code "$elf" | sed -nE 's/^  +[0-9]+ +([0-9a-f]+:)  /\1 /p'
}
plain() { sed -E 's/(fcvt\.d\.(w|wu|s) [^,]*,[^,]*),rne$/\1/'; }
awk 'NR == FNR { at = $1; sub(/^[^ ]+ /, ""); t[at] = $0; n++; next }
     { at = $1; sub(/^[^ ]+ /, ""); if (!(at in t)) next; seen++
       if (t[at] != $0 && bad++ < 10) print at, "objdump:", t[at] "; heddle:", $0 }
     END { print n, "instructions,", seen + 0, "seen,", bad + 0, "differ"; exit !(seen >= n && !bad && n > 1000) }' \
    <(theirs | plain) <(ours | plain)

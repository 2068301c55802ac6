#!/bin/bash
# heddle run --threads N: the same bytes for every N, of statistics, memory, messages and traces, also where blocks race, fault,
# print, spin or never end. Writes TAP.
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
. tests/tap.inc
heddle=$(realpath "${HEDDLE:-build/heddle}")

# NAME STATUS ARGUMENT...: standard output, errors, JSON and what {} in an argument names, with 1, 2 and 5 threads
same() {
    local name=$1 want=$2 t
    shift 2
    for t in 1 2 5; do
        rm -rf "$d/$t" && mkdir "$d/$t"
        "$heddle" run "${@/\{\}/$d/$t}" --threads $t --json "$d/$t/json" >"$d/$t/out" 2>"$d/$t/err"
        echo "status $?" >"$d/$t/status"
    done
    check "$name: exit status $want" grep -qx "status $want" "$d/1/status"
    check "$name: two threads, the same bytes" diff -r "$d/1" "$d/2"
    check "$name: five threads, the same bytes" diff -r "$d/1" "$d/5"
}

for run in "bfs pdom turing-rtx2060" "nw dwf turing-rtx2060" "reduction volta volta-v100" "hash-join tbc harp-fermi" \
    "spin-lock mimd turing-rtx2060" "spin-lock mp turing-rtx2060" "bitonic dws mp-fermi" "mandelbrot harp sl-tesla"; do
    set -- $run
    same "$1 under $2 on $3" 0 "@$1" --size tiny --mech "$2" --config "$3"
done
same "spin-lock under pdom, which never ends" 1 @spin-lock --size tiny --mech pdom --config turing-rtx2060
same "a bound on instructions" 1 @mandelbrot --size tiny --config turing-rtx2060 --max-insts 100000
same "a bound on cycles" 1 @mandelbrot --size tiny --config turing-rtx2060 --set gpu.max_cycles=1500
same "a time series" 0 @bfs --size tiny --config turing-rtx2060 --interval 100

cat >"$d/k.ptx" <<'PTX'
.version 7.0
.target sm_75
.address_size 64
.visible .entry race(.param .u64 out) {
    .reg .u64 %a<4>; .reg .u32 %r<9>; .reg .pred %p<2>;
    ld.param.u64 %a1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, 0;
LOOP:
    and.b32 %r4, %r2, 7;
    mul.wide.u32 %a2, %r4, 4;
    add.u64 %a3, %a1, %a2;
    ld.global.u32 %r5, [%a3];
    mad.lo.u32 %r5, %r5, 5, %r1;
    st.global.u32 [%a3], %r5;
    atom.global.add.u32 %r6, [%a1+32], %r5;
    xor.b32 %r2, %r2, %r6;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 20;
    @%p1 bra LOOP;
    mul.wide.u32 %a2, %r1, 4;
    add.u64 %a3, %a1, %a2;
    st.global.u32 [%a3+64], %r2;
    ret;
}
.visible .entry fault(.param .u64 out) {
    .reg .u64 %a<4>; .reg .u32 %r<9>; .reg .pred %p<2>;
    ld.param.u64 %a1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r3, 0;
LOOP:
    atom.global.add.u32 %r6, [%a1], 1;
    add.u32 %r3, %r3, 1;
    setp.le.u32 %p1, %r3, %r1;
    @%p1 bra LOOP;
    shr.u32 %r4, %r1, 2;
    setp.eq.u32 %p1, %r4, 1;
    mul.wide.u32 %a2, %r1, 4096;
    add.u64 %a3, %a1, %a2;
    @%p1 st.global.u32 [%a3], %r3;
    ret;
}
PTX
launch="--grid 60 --block 64 --config turing-rtx2060"
same "blocks that race" 0 "$d/k.ptx" --kernel race $launch --arg buf:u32[1024] --dump 0:{}/memory
same "blocks that fault" 1 "$d/k.ptx" --kernel fault $launch --arg buf:u32[1024]
same "a trace" 0 @bfs --size tiny --config turing-rtx2060 --trace {}/trace
echo "1..$n"

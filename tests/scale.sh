#!/bin/bash
# What a launch costs the host, in instructions: no more in a large module than in a small one, or on a machine of many idle
# SMs than on one of few; and equal work on many SMs not much more than on few. Counted by valgrind, so that a busy host
# changes nothing; compared by ratio.
. tests/tap.inc
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
heddle=$(realpath "${HEDDLE:-build/heddle}")

module() { # INSTRUCTIONS
    printf '.version 6.0\n.target sm_50\n.address_size 64\n.visible .entry other(.param .u64 a) {\n.reg .b32 %%r<8>;\n'
    printf 'mov.u32 %%r1, %%tid.x;\n'
    yes 'mad.lo.s32 %r2, %r1, %r2, 7;' | head -n "$1"
    printf 'ret;\n}\n.visible .entry tiny(.param .u64 a) {\n.reg .b32 %%r<8>; .reg .b64 %%d<4>;\nld.param.u64 %%d1, [a];\n'
    printf 'mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 4; add.s64 %%d1, %%d1, %%d2;\n'
    printf 'st.global.u32 [%%d1], %%r1; ret;\n}\n'
}
host() { # COMMAND...: instructions of the host
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : *//p'
}
launch() { # INSTRUCTIONS OPTION...: of one launch more
    module "$1" >"$d/module.ptx"
    local few many
    for count in 10 40; do
        printf 'buffer b u32[64]\nrepeat %d { launch tiny grid 1 block 32 args b }\n' $count >"$d/$count.hds"
    done
    few=$(host "$heddle" run "$d/module.ptx" --script "$d/10.hds" --config turing-rtx2060 "${@:2}")
    many=$(host "$heddle" run "$d/module.ptx" --script "$d/40.hds" --config turing-rtx2060 "${@:2}")
    echo $(((many - few) / 30))
}
within() { # PERCENT LARGE SMALL: LARGE is at most that many percent of SMALL
    echo "$2 and $3 instructions of the host"
    [ "$3" -gt 0 ] && [ $(($2 * 100)) -le $(($1 * $3)) ]
}

if ! valgrind --version >/dev/null 2>&1 || ! valgrind --tool=none -q "$heddle" --version >/dev/null 2>&1; then
    printf '1..1\nok 1 - what launches cost # SKIP skipped: valgrind cannot run heddle here\n'
    exit 0
fi
echo 1..4
small=$(launch 100)
check "a launch costs the same in a module of 10,000 instructions" within 120 "$(launch 10000)" "$small"
check "the same under a mechanism that prepares tables" \
    within 120 "$(launch 10000 --mech tbc)" "$(launch 100 --mech tbc)"
check "a launch costs the same on a machine of 1024 SMs" within 130 "$(launch 100 --set gpu.sms=1024)" "$small"
work="run @mandelbrot --size tiny --config turing-rtx2060"
# shellcheck disable=SC2086
check "equal work costs not twice as much on 512 SMs as on 8" \
    within 200 "$(host "$heddle" $work --set gpu.sms=512)" "$(host "$heddle" $work --set gpu.sms=8)"

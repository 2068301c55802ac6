#!/bin/bash
# Every example program builds (make did that) and runs to success from the repository root.
programs=("$BUILD"/examples/*)
n=0
for p in "${programs[@]}"; do [ -x "$p" ] && [ "${p%.d}" = "$p" ] && n=$((n + 1)); done
echo "1..$n"
i=0
for p in "${programs[@]}"; do
    [ -x "$p" ] && [ "${p%.d}" = "$p" ] || continue
    i=$((i + 1))
    if "$p" >&2; then echo "ok $i - example $(basename "$p")"; else echo "not ok $i - example $(basename "$p")"; fi
done

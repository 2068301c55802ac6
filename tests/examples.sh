#!/bin/bash
# Every example program builds (make did that), runs to success from the repository root and prints what examples/README.md
# says it does.
programs=("$BUILD"/examples/*)
n=0
for p in "${programs[@]}"; do [ -x "$p" ] && [ "${p%.d}" = "$p" ] && n=$((n + 1)); done
echo "1..$n"
i=0
for p in "${programs[@]}"; do
    [ -x "$p" ] && [ "${p%.d}" = "$p" ] || continue
    i=$((i + 1))
    if text=$("$p") && grep -qxF -- "$text" examples/README.md; then echo "ok $i - example $(basename "$p")"; else echo "not ok $i - example $(basename "$p")"; fi
done

#!/bin/bash
# Every example program builds (make did that), runs to success from the repository root and prints what examples/README.md
# says it does; every script of the folder runs with its kernels, and its checks hold.
programs=("$BUILD"/examples/*)
n=0
for p in "${programs[@]}"; do [ -x "$p" ] && [ "${p%.d}" = "$p" ] && n=$((n + 1)); done
scripts=(examples/*.hds)
echo "1..$((n + ${#scripts[@]}))"
i=0
for p in "${programs[@]}"; do
    [ -x "$p" ] && [ "${p%.d}" = "$p" ] || continue
    i=$((i + 1))
    if text=$("$p") && grep -qxF -- "$text" examples/README.md; then echo "ok $i - example $(basename "$p")"; else echo "not ok $i - example $(basename "$p")"; fi
done
for s in "${scripts[@]}"; do
    i=$((i + 1))
    if "$HEDDLE" run "${s%.hds}.ptx" --script "$s" | grep -q 'as the script expects$'; then echo "ok $i - script $s"; else echo "not ok $i - script $s"; fi
done

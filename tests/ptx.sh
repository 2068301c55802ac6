#!/bin/sh
# Committed PTX is what clang-19 makes of the CUDA C beside it, file by file (whole programs have none); nothing is checked where
# there is no clang-19.
if ! command -v clang-19 >/dev/null; then
    echo "1..0 # skip: no clang-19"
    exit 0
fi
n=0
for cu in $(find tests/kernels workloads examples -name '*.cu' -exec grep -L '^int main(' {} + | LC_ALL=C sort); do
    n=$((n + 1))
    if tools/regen-ptx --check "$cu" >&2; then echo "ok $n - PTX of $cu"; else echo "not ok $n - PTX of $cu"; fi
done
echo "1..$n"

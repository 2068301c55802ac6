#!/bin/bash
# The manual is what the tables say, and the examples in it print what it shows: tools/gen-cli-docs makes both anew.
. tests/cli/lib.inc

command_line="tools/gen-cli-docs" status=0
mkdir "$work/docs"
tools/gen-cli-docs "$HEDDLE" "$work/docs" >"$out" 2>"$err"
verdict $? "the documentation can be generated"
for page in heddle.1 cli.md profile.md report.md compare.md sweep.md studies.md progress.md area.md explain.md inspect.md races.md scripts.md checkpoints.md cuda-programs.md tutorial.md; do
    diff -u "docs/$page" "$work/docs/$page" >"$out"
    verdict $? "docs/$page is up to date"
done
n=$("$HEDDLE" list mechanisms | wc -l)
! grep -hoE '\b[0-9]{2,}\*{0,2} (branch-divergence )?mechanisms|all [0-9]+ of `heddle list mechanisms`|There are [0-9]+:' README.md docs/*.md | grep -v "$n" >"$out"
verdict $? "pages say how many mechanisms there are"
"$HEDDLE" list workloads --markdown >"$out"
! grep -vxFf docs/workloads.md "$out" >&2
verdict $? "docs/workloads.md has every workload"
for page in cli.md profile.md report.md compare.md sweep.md studies.md progress.md area.md explain.md inspect.md races.md scripts.md checkpoints.md tutorial.md; do
    grep -q '^```console' "docs/$page"
    verdict $? "docs/$page has examples"
done
if command -v groff >/dev/null && groff -man -Tascii </dev/null >/dev/null 2>&1; then
    groff -man -Tascii -ww docs/heddle.1 >/dev/null 2>"$err"
    [ ! -s "$err" ]
    verdict $? "groff has no warning about the man page"
fi

#!/bin/sh
# Lines of prose end by 120 characters, generated pages included; a planted long line is caught, long tables and code are not.
echo 1..3
if tools/check-prose >&2; then echo "ok 1 - prose ends by 120 characters"; else echo "not ok 1 - prose ends by 120 characters"; fi
d=$(mktemp -d)
words=$(printf 'word %.0s' $(seq 30))
printf '%s\n' "short" "$words" >"$d/bad.md"
if tools/check-prose "$d/bad.md" | grep -q 'bad.md:2: more than 120'; then echo "ok 2 - a long line is reported"; else echo "not ok 2 - a long line is reported"; fi
printf '%s\n' "| $words |" '```' "$words" '```' "<https://example.org/$(echo "$words" | tr ' ' '-')>" >"$d/good.md"
if tools/check-prose "$d/good.md" >&2; then echo "ok 3 - tables, code and addresses may be long"; else echo "not ok 3 - tables, code and addresses may be long"; fi
rm -rf "$d"

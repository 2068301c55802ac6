#!/bin/sh
# Lines of prose end by 120 characters, generated pages included, and comments name their subject; a planted fault of each kind
# is caught, long tables and code are not.
echo 1..9
if tools/check-prose >&2; then echo "ok 1 - pages and comments keep the rules"; else echo "not ok 1 - pages and comments keep the rules"; fi
d=$(mktemp -d)
words=$(printf 'word %.0s' $(seq 30))
printf '%s\n' "short" "$words" >"$d/bad.md"
if tools/check-prose "$d/bad.md" | grep -q 'bad.md:2: more than 120'; then echo "ok 2 - a long line is reported"; else echo "not ok 2 - a long line is reported"; fi
printf '%s\n' "| $words |" '```' "$words" '```' "<https://example.org/$(echo "$words" | tr ' ' '-')>" >"$d/good.md"
if tools/check-prose "$d/good.md" >&2; then echo "ok 3 - tables, code and addresses may be long"; else echo "not ok 3 - tables, code and addresses may be long"; fi

# reports N FAULT TEXT: the fault is reported, with file and line, when line 3 of a source has that text, and nothing else is.
reports() {
    printf '%s\n' '/* A source. */' 'int fine; /* its length */' "$3" >"$d/bad.c"
    if [ "$(tools/check-prose "$d/bad.c")" = "$d/bad.c:3: $2" ]; then echo "ok $1 - $2"; else echo "not ok $1 - $2"; fi
}
reports 4 'a comment begins with "the same"' '/* The same, for two. */'
reports 5 '"nobody"' 'int at; /* two lines: the lock that
         * nobody holds */'
reports 6 'a comment ends in mid-sentence' 'int at; /* the file it is in, */'
reports 7 "there is no file store_nothing.c" "/* See store_nothing.c and shard_impl.h. */"
cat >"$d/good.c" <<'EOF'
const char *text = "/* Of a string */ nobody's"; /* as the paper says: "whoever comes first" */
char quote = '"', slash = '/'; // office hours and thoseness are other words,
// the same comment goes on here, in mid-sentence
/* A comment of the file, and of two lines,
 * of which the second begins so. */
EOF
if tools/check-prose "$d/good.c" >&2; then echo "ok 8 - strings, quotations and later lines are not checked so"; else echo "not ok 8 - strings, quotations and later lines are not checked so"; fi
# shellcheck disable=SC2016
printf '%s\n' '`nobody` and "whoever" are quoted' 'a lock that nobody holds' >"$d/bad.md"
if [ "$(tools/check-prose "$d/bad.md")" = "$d/bad.md:2: \"nobody\"" ]; then echo "ok 9 - a word of the list is reported in pages"; else echo "not ok 9 - a word of the list is reported in pages"; fi
rm -rf "$d"

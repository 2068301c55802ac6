# The manual is what the tables say, and the examples in it do what they show.
. tests/cli/lib.sh

run help --man
cmp -s "$out" docs/heddle.1
verdict $? "docs/heddle.1 is what heddle help --man prints"
if command -v groff >/dev/null && groff -man -Tascii -ww </dev/null >/dev/null 2>&1; then
    groff -man -Tascii -ww docs/heddle.1 >/dev/null 2>"$err"
    [ ! -s "$err" ]
    verdict $? "groff has no warning about it"
fi
for c in run inspect list; do
    sed -n "/<!-- heddle help --markdown $c -->/,/<!-- end -->/p" docs/cli.md | sed '1d;$d' >"$work/have"
    run help --markdown $c
    [ -s "$work/have" ] && cmp -s "$out" "$work/have"
    verdict $? "docs/cli.md has the options of $c"
done

# each block ```console holds one command after "$ " (a backslash continues it) and exactly what it prints
PATH=$work:$PATH
ln -s "$HEDDLE" "$work/heddle"
for page in docs/cli.md docs/inspect.md; do
    rm -f "$work"/example.*
    awk -v base="$work/example" '
        /^```console$/ { n++; inside = 1; command = 1; next }
        /^```$/ { inside = 0; next }
        inside && command { line = $0; sub(/^\$ /, "", line); sub(/^> /, "", line); print line > (base "." n ".sh"); command = (line ~ /\\$/); next }
        inside { print > (base "." n ".want") }' "$page"
    examples=0
    for script in "$work"/example.*.sh; do
        [ -e "$script" ] || break
        examples=$((examples + 1))
        want=${script%.sh}.want
        touch "$want"
        command_line=$(cat "$script")
        bash "$script" >"$out" 2>&1 </dev/null
        status=$?
        diff -u "$want" "$out" >"$err"
        verdict $? "$page: $(head -c 70 "$script" | head -1)"
    done
    [ "$examples" -gt 0 ]
    verdict $? "$page has examples"
done

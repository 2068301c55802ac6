#!/bin/bash
# The pages that a newcomer meets first: the README's commands run, links lead somewhere, the index is complete, pages stay
# as short as they should be, and what several pages say is the same in all of them. tests/cli/docs.sh checks what pages print.
count=0
verdict() { # STATUS NAME
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
heddle=$(realpath "$HEDDLE")

# ---- the README ----
mkdir "$d/build" && ln -s "$heddle" "$d/build/heddle" && ln -s "$PWD/examples" "$d/examples"
[ -e "$(dirname "$heddle")/cuda" ] && ln -s "$(realpath "$(dirname "$heddle")/cuda")" "$d/build/cuda"
sed -n 's/^\(build\/heddle .*\)/\1/p' README.md >"$d/commands"
verdict "$([ "$(wc -l <"$d/commands")" -eq 3 ]; echo $?)" "the README has three commands"
while IFS= read -r command; do
    (cd "$d" && bash -c "$command" </dev/null >out 2>err) || cat "$d/err" >&2
    verdict "$([ -s "$d/out" ] && [ ! -s "$d/err" ]; echo $?)" "$command"
done <"$d/commands"
verdict "$([ -s "$d/report.html" ]; echo $?)" "the report of the README is where it says"
verdict "$([ "$(wc -w <README.md)" -le 900 ]; echo $?)" "the README has at most 900 words"
awk -F' *[|] *' '/^\| .* \| [+-][0-9.]+ % \| [+-][0-9.]+ % \|$/ { print $3 " " $4 }' README.md >"$d/said"
awk -F' *[|] *' '/^\| `/ { print $4 " " $5 }' docs/reproduction.md >"$d/headlines"
[ "$(wc -l <"$d/said")" -ge 5 ] && sed 's/ %//g; s/\.0 / /' "$d/headlines" | sort >"$d/have" && sed 's/ %//g; s/\.0 / /' "$d/said" | sort >"$d/want" &&
    [ -z "$(comm -23 "$d/want" "$d/have")" ]
verdict $? "the README's figures are those of docs/reproduction.md"

score() { # COLUMN: of the predictions and the chosen claims together, how many are right in that column of the score
    awk -F' *[|] *' -v c="$1" '/^\| (predicted|chosen), all/ { split($c, f, " "); of += f[3]; right += f[1] }
        END { print right " of " of }' docs/reproduction.md
}
grep -q "$(score 3) have the paper's sign" README.md && grep -q "$(score 7) are within a third" README.md
verdict $? "the README's score is that of docs/reproduction.md"

# ---- the summary of the reproduction ----
verdict "$([ "$(wc -w <docs/reproduction.md)" -le 1500 ]; echo $?)" "docs/reproduction.md has at most 1,500 words"
missing=0
while IFS='|' read -r _ claim what paper ours rest; do
    grep -F -- "|$claim|$what|" docs/reproduction/*.md | grep -qF -- "|$paper|$ours|" || { echo "no page of a paper has $claim as $ours" >&2; missing=1; }
done < <(grep '^| `' docs/reproduction.md)
verdict $missing "each headline is a row of its paper's page"

# ---- tools/gen-reproduction puts rows where they belong ----
cat >"$d/heddle" <<'FAKE'
#!/bin/sh
cat <<'RESULT'
| score | sign right |
|---|---|
| predicted, all | 2 of 3 |
| predicted, DWF | 1 of 1 |
| predicted, MP | 1 of 2 |

| claim | what | source | paper | ours | verdict | basis |
|---|---|---|---:|---:|---|---|
| `dwf.dwf` | a new figure | DWF 6 | +1.0 % | +2.0 % | off | predicted |
| `mp.other` | not a headline | MP | +3.0 % | +4.0 % | off | predicted |

By workload (size small):

- `dwf.dwf`, a mean: hmmer +1,
  lbm +2.
- `mp.other`, a mean: bvh +3,
  lexer +4.
RESULT
FAKE
chmod +x "$d/heddle"
mkdir "$d/pages"
mark='<!-- result: tools/gen-reproduction small -->'
for page in pages pages/dwf pages/mp pages/sl; do
    printf '%s\n' "before" "$mark" "old" "<!-- end of the result -->" "after" >"$d/$page.md"
done
tools/gen-reproduction "$d/heddle" --pages "$d/pages" >&2
verdict $? "tools/gen-reproduction fills the pages"
printf '%s\n' before "$mark" '| score | sign right |' '|---|---|' '| predicted, DWF | 1 of 1 |' '' \
    '| claim | what | source | paper | ours | verdict | basis |' '|---|---|---|---:|---:|---|---|' \
    '| `dwf.dwf` | a new figure | DWF 6 | +1.0 % | +2.0 % | off | predicted |' '' 'By workload (size small):' '' \
    '- `dwf.dwf`, a mean: hmmer +1,' '  lbm +2.' '<!-- end of the result -->' after | diff - "$d/pages/dwf.md" >&2
verdict $? "a paper's page gets its own rows"
grep -q 'mp.other' "$d/pages/mp.md" && grep -q 'lexer' "$d/pages/mp.md" && ! grep -q 'dwf\|lbm\|DWF' "$d/pages/mp.md"
verdict $? "and no others"
grep -q '^old$' "$d/pages/sl.md"
verdict $? "the page of a paper without results stays as it is"
printf '%s\n' before "$mark" '| score | sign right |' '|---|---|' '| predicted, all | 2 of 3 |' '| predicted, DWF | 1 of 1 |' \
    '| predicted, MP | 1 of 2 |' '' '| claim | what | paper | ours | verdict | basis |' '|---|---|---:|---:|---|---|' \
    '| `dwf.dwf` | a new figure | +1.0 % | +2.0 % | off | predicted |' '<!-- end of the result -->' after | diff - "$d/pages.md" >&2
verdict $? "the summary gets the whole score and the headlines"
printf '%s\n' "before" "$mark" "old" "<!-- end of the result -->" "after" >"$d/pages.md"
tools/gen-reproduction "$d/heddle" --pages "$d/pages" dwf.dwf >&2
grep -q '^old$' "$d/pages.md"
verdict $? "some claims alone leave the summary as it is"

# ---- all pages ----
tools/check-links >&2
verdict $? "links lead to files and headings"
printf '# Here\n[a](#here) [b](gone.md) [c](#gone) `[d](gone.md)`\n' >"$d/links.md"
tools/check-links "$d/links.md" >"$d/out"
grep -q 'link to gone.md leads nowhere' "$d/out" && grep -q 'link to #gone names no heading' "$d/out" && [ "$(wc -l <"$d/out")" -eq 2 ]
verdict $? "links that lead nowhere are reported"
for page in docs/*.md docs/reproduction/*.md; do
    [ "$page" = docs/README.md ] || grep -q "(${page#docs/}[)#]" docs/README.md || echo "docs/README.md does not name $page"
done >"$d/out"
cat "$d/out" >&2
verdict "$([ ! -s "$d/out" ]; echo $?)" "the index names every page"
verdict "$([ "$(grep '^| ' docs/glossary.md | grep -vc '^| word')" -eq 30 ]; echo $?)" "the glossary has thirty words"
{
    for file in src/sm/*.c; do grep -q "^| .*\`${file#src/sm/}\`.* |" docs/sm.md || echo "docs/sm.md lacks $file"; done
    sed -n '/^| file/,/^$/p' docs/sm.md | cut -d'|' -f2 | grep -o '[a-z_]*\.[ch]' | while read -r file; do
        [ -f "src/sm/$file" ] || echo "docs/sm.md has $file, which is not in src/sm"
    done
} >"$d/out"
cat "$d/out" >&2
verdict "$([ ! -s "$d/out" ]; echo $?)" "the table of docs/sm.md has the files of src/sm"
echo "1..$count"

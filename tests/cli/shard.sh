#!/bin/bash
# heddle sweep --shard and heddle results merge: parts of a sweep in files of their own, joined to what one host would have.
. tests/cli/lib.inc
. tests/cli/database.inc
cd "$work" || exit 2
points="--workloads matrix,mu --size tiny --config tiny --mech pdom,mimd,dwf --set gpu.sms=1,2"
run sweep $points --db local.sqlite
expect_out "12 points: 0 stored before, 12 run; 12 ok, 0 failed, 0 wrong" "what one host has"

# ---- shards ----
for i in 1 2 3; do run sweep $points --db r.sqlite --shard $i/3; done
expect_out "4 points: 0 stored before, 4 run; 4 ok, 0 failed, 0 wrong" "a shard runs its part"
[ "$(echo r.sqlite*)" = "r.sqlite.1-of-3 r.sqlite.2-of-3 r.sqlite.3-of-3" ]
verdict $? "into a file of its own, and touches no database"
run sweep $points --db r.sqlite --shard 3/3
expect_out "4 points: 4 stored before, 0 run; 4 ok, 0 failed, 0 wrong" "what it has does not run again"
run sweep $points --db r.sqlite --shard 3/3 --dry-run
expect_in_out "4 points, 4 stored, 0 to run" "--dry-run lists its points"
run results --db r.sqlite.3-of-3 --value cycles
[ "$status" -eq 0 ] && [ "$(wc -l <"$out")" -eq 5 ]
verdict $? "a shard can be looked at"
run results merge r.sqlite r.sqlite.*-of-3
expect_out "3 files: 12 new points, 0 there before; r.sqlite has 12" "merge joins them"
[ ! -s "$err" ]
verdict $? "without a word where all is well"
same r.sqlite local.sqlite "to what one host has"
for d in r local; do
    "$HEDDLE" results --db $d.sqlite --csv $d.csv --json $d.json
done
cmp -s r.csv local.csv && cmp -s r.json local.json
verdict $? "with the same exports, byte for byte"
run results merge r.sqlite r.sqlite.*-of-3 local.sqlite
expect_in_out "4 files: 0 new points, 24 there before; r.sqlite has 12" "a second time nothing changes, with a database among them"
expect_in_out "r.sqlite.2-of-3 has nothing new" "and who has nothing new is named"
same r.sqlite local.sqlite "and the database is the same"

# ---- what goes wrong ----
head -c $(($(stat -c %s r.sqlite.2-of-3) / 2)) r.sqlite.2-of-3 >cut
run results merge cut.sqlite r.sqlite.1-of-3 cut r.sqlite.3-of-3
[ "$status" -eq 0 ] && grep -qE "warning: cut: [0-9]+ bytes are no whole record: it was cut or damaged; [1-3] of its 4 points are there" "$err"
verdict $? "a shard that is cut gives what it has, and is named"
cp cut r.sqlite.2-of-3
run sweep $points --db r.sqlite --shard 2/3
[ "$status" -eq 0 ] && grep -qE "4 points: [1-3] stored before, [1-3] run; 4 ok" "$out"
verdict $? "and goes on where it was cut"
run results merge cut.sqlite r.sqlite.2-of-3
same cut.sqlite local.sqlite "then nothing is missing"
(trap '' XFSZ; ulimit -f 10; exec "$HEDDLE" sweep $points --db full.sqlite --shard 1/3) >"$out" 2>"$err"
status=$?
[ "$status" -eq 2 ] && grep -q "cannot write full.sqlite.1-of-3: File too large" "$err"
verdict $? "a disk without room is an error"
run results merge full.sqlite full.sqlite.1-of-3
expect_err "full.sqlite.1-of-3: its sweep was stopped: cannot write full.sqlite.1-of-3: File too large; " "and the shard says so, in spite of it"
"$HEDDLE" sweep --workloads matrix --config tiny --size paper --db k.sqlite --shard 1/1 >"$out" 2>"$err" &
pid=$!
for _ in $(seq 300); do [ -e k.sqlite.1-of-1 ] && break || sleep 0.1; done
sleep 0.3
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
run results merge k.sqlite k.sqlite.1-of-1
expect_err "k.sqlite.1-of-1: its sweep has not come to its end, or was killed; 0 of its 1 points are there" "a shard that was killed is named"
run sweep --workloads matrix --mech nrec --size tiny --config tiny --db other.sqlite --shard 1/1
refused "are shards of different sweeps; merge one sweep at a time" "a shard of another sweep" results merge x.sqlite r.sqlite.1-of-3 other.sqlite.1-of-1
run sweep $points --db two.sqlite --shard 1/2
refused "are shards of one sweep cut differently: 1/3 and 1/2" "a shard of another cut" results merge x.sqlite r.sqlite.1-of-3 two.sqlite.1-of-2
echo "not a shard" >text
refused "text is not a result store: it is no SQLite database" "a text file" results merge x.sqlite r.sqlite.1-of-3 text
refused "No such file" "a file that is not there" results merge x.sqlite nosuch
cp local.sqlite wrong.sqlite
sql wrong.sqlite "UPDATE point SET \"gpu.cycles\" = 1 WHERE key = (SELECT min(key) FROM point)"
refused "have different results for" "another result for the same point" results merge x.sqlite local.sqlite wrong.sqlite
cp local.sqlite newer.sqlite
sql newer.sqlite "PRAGMA user_version = 99"
refused "newer.sqlite has the tables of another version of heddle (99; this one knows 1)" "tables of another version" results merge x.sqlite local.sqlite newer.sqlite
[ ! -e x.sqlite ]
verdict $? "none of them makes a file"
cp local.sqlite copy.sqlite
refused "have different results for" "another result than the database has" results merge copy.sqlite wrong.sqlite
cmp -s local.sqlite copy.sqlite
verdict $? "and the database stays as it was"
refused "cannot be joined to itself" "a database into itself" results merge local.sqlite local.sqlite
refused "is a shard of a sweep: 'heddle results merge' makes a database of it" "a shard as the database" results merge r.sqlite.1-of-3 local.sqlite
refused "is a shard of a sweep" "a sweep into a shard" sweep $points --db r.sqlite.1-of-3
refused "merge takes OUT, the database, and files IN to join" "merge without files" results merge x.sqlite
refused "merge takes no options: --db" "merge with options" results merge x.sqlite local.sqlite --db y.sqlite
refused "unknown word 'mrege': expected merge OUT IN..." "a mistyped merge" results mrege x.sqlite local.sqlite
refused "--shard 3/2 is not I/N" "a part that is not there" sweep $points --db x.sqlite --shard 3/2
cp r.sqlite.1-of-3 s.sqlite.2-of-3
refused "s.sqlite.2-of-3 is another shard of this sweep: 1/3" "a shard under the name of another" sweep $points --db s.sqlite --shard 2/3

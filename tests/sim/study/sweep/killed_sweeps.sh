#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sweep that is killed or ended at random moments and restarted has the same points as an
# undisturbed sweep.
# usage: killed_sweeps.sh OKKSIM [KILLS]
set -u
okksim=$1
kills=${2:-6}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/s.toml" <<'SPEC'
name = "killed"
plan = "fixed"
[[workload]]
zoo = "mobilenet_v2"
size = 64
width = 0.5
[[axis]]
parameter = "bdc.clock_mhz"
range = { from = 300, to = 900, step = 1 }
[[axis]]
parameter = "dram.read_bytes_per_nanosecond"
values = [8, 16, 32, 64]
SPEC
"$okksim" sweep "$folder/s.toml" --store "$folder/whole.sqlite" > /dev/null || exit 1
for ((i = 0; i < kills; ++i)); do
    "$okksim" sweep "$folder/s.toml" --store "$folder/killed.sqlite" > /dev/null 2>&1 &
    sleep "$((RANDOM % 2)).$((RANDOM % 90 + 10))"
    signals=(KILL TERM INT)
    kill -${signals[i % 3]} $! 2> /dev/null
    wait $! 2> /dev/null
done
"$okksim" sweep "$folder/s.toml" --store "$folder/killed.sqlite" > "$folder/last.txt" || exit 1
head -1 "$folder/last.txt"
for store in whole killed; do
    "$okksim" sweep "$folder/$store.sqlite" --csv > "$folder/$store.csv" || exit 1
done
cmp "$folder/whole.csv" "$folder/killed.csv" || exit 1
[ "$(wc -l < "$folder/whole.csv")" = 2405 ] || { echo "expected 601 x 4 points"; exit 1; }
failed=$("$okksim" sweep "$folder/killed.sqlite" --sql "select count(*) from points where failure <> ''" | tail -1)
[ "$failed" = 0 ] || { echo "$failed points failed because they were stopped"; exit 1; }
# A merged store must exist and be another one; a signal ends an endless query.
"$okksim" sweep "$folder/killed.sqlite" --merge "$folder/typo.sqlite" 2> "$folder/err.txt" && { echo "a missing store is merged"; exit 1; }
[ -e "$folder/typo.sqlite" ] && { echo "a missing store is made"; exit 1; }
"$okksim" sweep "$folder/killed.sqlite" --merge "$folder/killed.sqlite" 2> "$folder/err.txt"
grep -q 'is the store itself' "$folder/err.txt" || { cat "$folder/err.txt"; exit 1; }
timeout -k 10 -s INT 2 "$okksim" sweep "$folder/killed.sqlite" \
    --sql "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c" > /dev/null 2>&1
[ $? -eq 124 ] || { echo "an endless query did not end with the signal"; exit 1; }
# Two writers of one store: points that one has finished before a round of the other begins are not
# repeated.
"$okksim" sweep "$folder/s.toml" --store "$folder/two.sqlite" -j 1 > "$folder/first.txt" 2>&1 &
"$okksim" sweep "$folder/s.toml" --store "$folder/two.sqlite" -j 1 > "$folder/second.txt" 2>&1 || exit 1
wait $! || exit 1
"$okksim" sweep "$folder/two.sqlite" --csv > "$folder/two.csv" || exit 1
cmp "$folder/whole.csv" "$folder/two.csv" || exit 1
computed=$(cat "$folder/first.txt" "$folder/second.txt" | grep -o '[0-9]* computed now' | awk '{sum += $1} END {print sum}')
echo "two writers: $computed computed of 2404"
[ "$computed" -ge 2404 ] && [ "$computed" -lt 4000 ] || { cat "$folder/first.txt" "$folder/second.txt"; exit 1; }
# A full disk: exit code 2, and an unchanged store.
points='select count(*) from points'
"$okksim" sweep "$folder/s.toml" --store "$folder/full.sqlite" --shard 1/40 > /dev/null || exit 1
before=$("$okksim" sweep "$folder/full.sqlite" --sql "$points" | tail -1)
(trap '' XFSZ; ulimit -f 40; "$okksim" sweep "$folder/s.toml" --store "$folder/full.sqlite" > /dev/null 2> "$folder/err.txt")
[ $? = 2 ] || { echo "a full disk: wrong exit code"; cat "$folder/err.txt"; exit 1; }
"$okksim" sweep "$folder/s.toml" --store "$folder/full.sqlite" > /dev/null || exit 1
"$okksim" sweep "$folder/full.sqlite" --sql "pragma integrity_check" | tail -1 | grep -q '^ok$' || exit 1
[ "$("$okksim" sweep "$folder/full.sqlite" --sql "$points" | tail -1)" = 2404 ] || exit 1
[ "$before" -ge 61 ] || exit 1
row=$("$okksim" sweep "$folder/full.sqlite" --sql "select null, 'a,b', 1" | tail -1)
[ "$row" = ',"a,b",1' ] || { echo "a row with nothing in front: $row"; exit 1; }
echo passed

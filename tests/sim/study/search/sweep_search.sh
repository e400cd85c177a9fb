#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mode = "search": with a tenth of the points of a grid of 5,005, the search finds 99 % of the
# Pareto front's hypervolume for every seed. It reuses points of the store and resumes after a kill.
# Any number of processes requests the same points.
# usage: sweep_search.sh OKKSIM [SEEDS]
set -u
okksim=$(realpath "$1")
seeds=${2:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
fail() { echo "$1"; exit 1; }
cat > workload.toml <<'SPEC'
plan = "fixed"
objectives = ["us", "energy_j", "area_mm2"]
[[workload]]
zoo = "mobilenet_v2"
size = 64
width = 0.5
[[axis]]
parameter = "bdc.clock_mhz"
range = { from = 300, to = 900, step = 50 }
[[axis]]
parameter = "gdma.clock_mhz"
range = { from = 300, to = 900, step = 100 }
[[axis]]
parameter = "dram.read_bytes_per_nanosecond"
log = { from = 8, to = 128, count = 11 }
[[axis]]
parameter = "dram.write_bytes_per_nanosecond"
log = { from = 8, to = 128, factor = 2 }
SPEC
# The other files' share of the first file's hypervolume. The reference point exceeds the Pareto
# front's worst values by a tenth of its extent.
cat > share.py <<'PYTHON'
import csv, sys

def points(name):
    with open(name) as file:
        return [tuple(float(row[o]) for o in ("us", "energy_j", "area_mm2")) for row in csv.DictReader(file) if not row["failure"]]

def front(all_points):
    kept = []
    for point in sorted(set(all_points)):
        if not any(all(x <= y for x, y in zip(other, point)) for other in kept):
            kept.append(point)
    return kept

def volume(part, reference):
    part = [point for point in part if all(x < r for x, r in zip(point, reference))]
    if len(reference) == 1:
        return reference[0] - min(part)[0] if part else 0
    levels = sorted({point[-1] for point in part}) + [reference[-1]]
    return sum(volume([point[:-1] for point in part if point[-1] <= low], reference[:-1]) * (high - low)
               for low, high in zip(levels, levels[1:]))

known = front(points(sys.argv[1]))
reference = [max(values) + (max(values) - min(values)) / 10 for values in zip(*known)]
whole = volume(known, reference)
for name in sys.argv[2:]:
    found = front(points(name))
    share = volume(found, reference) / whole
    print(f"{name}: {len(set(found) & set(known))} of the {len(known)} machines of the front, {share:.4%} of its hypervolume")
    if share < 0.99:
        sys.exit(1)
PYTHON
{ echo 'name = "grid"'; cat workload.toml; } > grid.toml
"$okksim" sweep grid.toml --csv=grid.csv > grid.txt || exit 1
head -1 grid.txt
[ "$(wc -l < grid.csv)" = 5006 ] || fail "expected 13 x 7 x 11 x 5 points"
for ((seed = 1; seed <= seeds; ++seed)); do
    { printf 'name = "search"\nmode = "search"\npoints = 500\nseed = %s\n' "$seed"; cat workload.toml; } > "s$seed.toml"
    cp grid.sqlite "s$seed.sqlite"
    "$okksim" sweep "s$seed.toml" --store "s$seed.sqlite" > out.txt || exit 1
    grep -q ', 0 computed now' out.txt || fail "all points were in the store: $(head -1 out.txt)"
    "$okksim" sweep "s$seed.sqlite" --csv="s$seed.csv" > /dev/null
    [ "$(wc -l < "s$seed.csv")" -le 501 ] || fail "more points than were granted"
done
python3 share.py grid.csv s[0-9]*.csv || fail "a search is short of 99 %"
# Without a store to reuse: one process or two, killed or not, request the same points.
"$okksim" sweep s1.toml --store one.sqlite -j1 > out.txt || exit 1
grep -q ' 0 were in' out.txt || fail "nothing was in the store: $(head -1 out.txt)"
"$okksim" sweep s1.toml --store two.sqlite -j2 > /dev/null || exit 1
for ((i = 0; i < 4; ++i)); do
    "$okksim" sweep s1.toml --store killed.sqlite -j2 > /dev/null 2>&1 &
    sleep "0.$((RANDOM % 60 + 20))"
    kill -9 $! 2> /dev/null
    wait $! 2> /dev/null
done
"$okksim" sweep s1.toml --store killed.sqlite > /dev/null || exit 1
for store in one two killed; do
    "$okksim" sweep "$store.sqlite" --csv="$store.csv" > /dev/null || exit 1
    cmp "$store.csv" s1.csv || fail "$store: other points"
done
"$okksim" sweep s1.toml --store one.sqlite | grep -q ', 0 computed now' || fail "computed again"
points=$(($(wc -l < s1.csv) - 1))
"$okksim" sweep one.sqlite --status | grep -q "^search: $points of $points points, 0 failed$" || fail "the status is wrong"
"$okksim" sweep one.sqlite --front front > /dev/null && "$okksim" machine --machine front/front-1.toml > /dev/null || fail "no machine of the Pareto front"
"$okksim" report one.sqlite -o page.html > /dev/null || fail "no page"
# A search without progress ends before its points are used up.
sed 's/^points = 500/points = 5000\nstall = 60/' s1.toml > still.toml
"$okksim" sweep still.toml --csv=still.csv > out.txt || exit 1
head -1 out.txt
[ "$(wc -l < still.csv)" -lt 2000 ] || fail "the Pareto front did not change for long"
# No point breaks the constraints. Failures are rows with reasons, and never on the Pareto front.
sed 's/^objectives.*/&\nconstraints = ["bdc.clock_mhz + gdma.clock_mhz <= 1000"]/; s/^points.*/points = 100/' s1.toml > bound.toml
printf '[[axis]]\nparameter = "chip.lanes"\nvalues = [64, 32]\n' >> bound.toml
"$okksim" sweep bound.toml --store bound.sqlite > out.txt || exit 1
"$okksim" sweep bound.sqlite --csv=bound.csv > /dev/null
python3 - <<'PYTHON' || fail "constraints or failures: $(head -3 out.txt)"
import csv
rows = list(csv.DictReader(open("bound.csv")))
assert len(rows) == 100
assert all(float(row["bdc.clock_mhz"]) + float(row["gdma.clock_mhz"]) <= 1000 for row in rows)
failed = [row for row in rows if row["failure"]]
assert all((row["chip.lanes"] == "32") == bool(row["failure"]) for row in rows)  # a fixed plan of 64 lanes
assert 0 < len(failed) < 60, len(failed)  # few, once it is known what fails
PYTHON
sed 's/<= 1000/<= 100/' bound.toml > none.toml
"$okksim" sweep none.toml > out.txt 2>&1 && fail "constraints that leave nothing"
grep -q 'fails most often' out.txt || fail "$(cat out.txt)"
# Without the library, a message says what to do.
mkdir -p without/bin without/lib
cp "$okksim" without/bin/
library=$(realpath "$(dirname "$okksim")/../lib")
ln -s "$library"/libokksim.so.0 "$library"/libokksim_graphs.so.0 "$library"/libokksim_study.so.0 without/lib/
mkdir without/lib/okksim
ln -s "$library/okksim/commands.so" without/lib/okksim/
without/bin/okksim sweep s1.toml --store without.sqlite > out.txt 2>&1
[ $? = 2 ] && grep -q 'needs okksim.s library search.so' out.txt || fail "without search.so: $(cat out.txt)"
# Meaningless options give an error.
"$okksim" sweep s1.toml --shard 1/2 2>&1 | grep -q -- '--shard: .* has no shards' || fail "--shard is taken"
printf '[slurm]\nshards = 2\n' >> s1.toml
"$okksim" sweep s1.toml --slurm 2>&1 | grep -q -- '--slurm: .* has no shards' || fail "--slurm is taken"
sed '/^points/d' still.toml > unbounded.toml
"$okksim" sweep unbounded.toml 2>&1 | grep -q 'points: is missing' || fail "a search without a bound"
{ echo 'stall = 5'; cat grid.toml; } > grid_stall.toml
"$okksim" sweep grid_stall.toml 2>&1 | grep -q 'stall: is only for mode = "search"' || fail "a grid with stall"
echo passed

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every point of a sweep with a fixed plan equals `okksim run --plan` on that machine, digit by
# digit. Machines that do not fit the plan are refused.
# usage: fixed_plan.sh OKKSIM
set -u
okksim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
"$okksim" zoo resnet50 --precision int8 --size 64 --width 0.25 -o net > /dev/null || exit 1
cat > fixed.toml <<'TOML'
name = "fixed"
machine = "bm1684"
set = ["mcu.issue=lists"]
plan = "fixed"
[[workload]]
graph = "net/model.tosa"
[[axis]]
parameter = "bdc.clock_mhz"
values = [300, 550, 1000]
[[axis]]
parameter = "dram.read_bytes_per_nanosecond"
values = [8, 64]
TOML
"$okksim" sweep fixed.toml --json=points.json > /dev/null || exit 1
"$okksim" plan net/model.tosa --set mcu.issue=lists --json=plan.json > /dev/null || exit 1
python3 - "$okksim" <<'PYTHON' || exit 1
import json, subprocess, sys
points = json.load(open("points.json"))["points"]
assert len(points) == 6, len(points)
for point in points:
    sets = [f"--set={name}={value}" for name, value in point["settings"].items()]
    run = subprocess.run([sys.argv[1], "run", "net/model.tosa", "--no-data", "--plan", "plan.json", "--json", *sets],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stderr == "", run.stderr
    report = json.loads(run.stdout)
    assert report["simulated_us"] == point["us"], (point["settings"], point["us"])
    limit = report["reachable_bound"]["us"]
    assert 0 < limit == point["reachable_bound_us"], (point["settings"], limit)
print(len(points), "points are runs")
PYTHON
for wrong in chip.lanes=32 chip.local_memory_bytes=262144 l2.bytes=2097152; do
    "$okksim" run net/model.tosa --no-data --plan plan.json --set "$wrong" > /dev/null 2> error.txt
    [ $? -eq 2 ] || { echo "$wrong is accepted"; exit 1; }
    grep -qi 'make it again for that machine' error.txt || { cat error.txt; exit 1; }
done
"$okksim" run net/model.tosa --no-data --plan plan.json -O0 > /dev/null 2> error.txt && { echo "-O0 of a plan is accepted"; exit 1; }
echo passed

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Integer networks give the same bits for every set of instruction groups: none, all, all but one,
# only one, and pairwise on and off. Sets include the groups that others depend on. Other runs
# change the machine's shape or use separate kernels instead of layer groups. Kernels issue a
# group's commands where the machine has it.
# usage: group_networks.sh OKKSIM
set -u
okksim=$1
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
"$okksim" zoo mobilenet_v2 --precision int8 --size 64 --width 0.35 -o mobile > /dev/null || exit 1
"$okksim" zoo resnet50 --precision int8 --size 64 --width 0.25 --batch 2 -o residual > /dev/null || exit 1
"$okksim" zoo yolov5s --precision int8 --size 64 -o detector > /dev/null || exit 1
python3 -B - "$okksim" "$tests" <<'PYTHON' || exit 1
import filecmp, glob, os, subprocess, sys

okksim = sys.argv[1]
sys.path.insert(0, sys.argv[2])
from group_sets import GROUPS, alone_and_left_out, options, pairwise, unique, without

sets = unique(alone_and_left_out() + pairwise())

def run(net, out, groups, more):
    flags = options(groups)
    made = subprocess.run([okksim, "run", f"{net}/model.tosa", "--machine", "okk-next", "-o", out, "--seed", "3", *flags,
                           *more], capture_output=True, text=True)
    assert made.returncode == 0, (net, groups, more, made.stderr)
    return {os.path.basename(name) for name in glob.glob(f"{out}/*.npy")}

count = 0
for net in ["mobile", "residual", "detector"]:
    base = subprocess.run([okksim, "run", f"{net}/model.tosa", "-o", f"{net}-base", "--seed", "3"], capture_output=True,
                          text=True)
    assert base.returncode == 0, base.stderr
    wanted = sorted(os.path.basename(name) for name in glob.glob(f"{net}-base/*.npy"))
    assert wanted
    cases = [(groups, []) for groups in sets]
    cases += [(set(GROUPS), ["-O0"]), (set(GROUPS), ["--no-fusion"]), (without({"fused_rescale"}), ["-O0"]),
              (set(GROUPS), ["--set=chip.lanes=8", "--set=chip.local_memory_bytes=32768"]),
              (set(GROUPS), ["--set=chip.lanes=128"]), *[(set(GROUPS), [f"--set=features.mac_packing={packing}"]) for packing in ["batch", "pixels"]]]
    for groups, more in cases:
        out = f"{net}-{count}"
        run(net, out, groups, more)
        for name in wanted:
            assert filecmp.cmp(f"{net}-base/{name}", f"{out}/{name}", shallow=False), (net, sorted(groups), more, name)
        count += 1
print(count, "runs, the same bits")
PYTHON

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# silent_networks.sh OKKSIM WORK_FOLDER: the full sanitizer reports nothing about the kernels of
# networks on three machines, and of the TOSA vectors if they are available.
set -euo pipefail
okksim=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work"
machines=("" "--set chip.lanes=8 --set chip.local_memory_bytes=65536" "--machine cv1835")
vectors=${OKKSIM_GOLDEN_DIR:-}/tosa
count=0
for machine in "${machines[@]}"; do
    while read -r network size; do
        for precision in fp32 int8; do
            "$okksim" zoo "$network" --precision $precision --width 0.25 ${size:+--size $size} -o net > out
            # shellcheck disable=SC2086
            "$okksim" run net/model.tosa --sanitize=full --strict $machine > out 2>&1 ||
                { echo "$network $precision on ${machine:-bm1684}"; cat out; exit 1; }
            count=$((count + 1))
        done
    done <<NETWORKS
mobilenet_v1 64
mobilenet_v2 64
resnet18 64
resnet50 64
vgg16 64
yolov5s 128
bert 16
lstm
NETWORKS
    [ -d "$vectors" ] || continue
    # shellcheck disable=SC2086
    "$okksim" conformance "$vectors" --sanitize=full $machine > out 2>&1 || { tail -5 out; exit 1; }
done
echo "$count runs"

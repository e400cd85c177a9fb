#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run_networks.sh BUILD_FOLDER OUT_FOLDER
# Runs MobileNetV2 in fp32 and int8, end to end. The zoo makes the graph and its inputs. The reference
# executor makes the golden outputs; it shares no code with the simulator's kernels. The run prints
# the time of every operator and the verdict on the outputs.
set -euo pipefail
build=$1 out=$2
okksim=$build/sim/cli/okksim
for precision in fp32 int8; do
    folder=$out/mobilenet_v2-$precision
    rm -rf "$folder"
    "$okksim" zoo mobilenet_v2 --precision "$precision" -o "$folder"
    "$build/tests/reference/tosa/okksim_reference_run" "$folder"
    "$okksim" run "$folder/model.tosa" --check "$folder" --timeline "$folder/timeline.json" \
        "--json=$folder/stats.json"
    echo "timeline for ui.perfetto.dev: $folder/timeline.json"
done

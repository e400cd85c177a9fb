#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_FOLDER [JOBS]
# Runs every example kernel on the reference machine and on a small one, then a whole network in two
# precisions. Builds the programs it needs, starting with those of the first example.
set -euo pipefail
here=$(dirname "$0") build=$1 jobs=${2:-$(nproc)}
names=()
for source in "$here"/host/*.cpp; do names+=("$(basename "$source" _host.cpp)"); done

build_targets() {
    cmake --build "$build" -j "$jobs" --target "$@"
}

run_example() {
    echo "-- ${1#example_} on the reference machine: bm1684, 64 lanes of 512 KiB"
    "$build/examples/$1"
    echo "   the same program on a smaller machine: 8 lanes of 64 KiB, so more and smaller tiles"
    OKKSIM_SET=chip.lanes=8,chip.local_memory_bytes=65536 "$build/examples/$1"
}

echo "== 1 of 3: example kernels compared with a CPU reference, each on two machines (${#names[@]} examples)"
build_targets "example_${names[0]}"
run_example "${names[0]}"
echo "== 2 of 3: the other $((${#names[@]} - 1)) examples"
build_targets "${names[@]/#/example_}"
for name in "${names[@]:1}"; do run_example "$name"; done
echo "== 3 of 3: MobileNetV2 from the zoo in fp32 and int8, checked against the reference executor"
build_targets okksim okksim_reference_run
"$here/run_networks.sh" "$build" "$build/networks"
if cmake --build "$build" --target help | grep '^okksim_python: ' > /dev/null; then
    build_targets okksim_python
    if /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
        echo "== the Python package"
        PYTHONPATH=$build/python /usr/bin/python3 -c 'import okksim; print(okksim.zoo("lstm", size=2, width=0.25).run("bm1684"))'
    fi
    echo "For Python: export PYTHONPATH=$(realpath "$build/python")"
fi

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_FOLDER [JOBS]: every example kernel, on the reference machine and on a small one; then a
# whole network in two precisions. Builds what it runs, first of all what the first example needs.
set -euo pipefail
here=$(dirname "$0") build=$1 jobs=${2:-$(nproc)}
names=()
for source in "$here"/host/*.cpp; do names+=("$(basename "$source" _host.cpp)"); done

build_targets() {
    cmake --build "$build" -j "$jobs" --target "$@"
}

run_example() {
    "$build/examples/$1"
    OKKSIM_SET=chip.lanes=8,chip.local_memory_bytes=65536 "$build/examples/$1"
}

build_targets "example_${names[0]}"
run_example "${names[0]}"
build_targets "${names[@]/#/example_}"
for name in "${names[@]:1}"; do run_example "$name"; done
build_targets okksim okksim_reference_run
"$here/run_networks.sh" "$build" "$build/networks"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_FOLDER: every example kernel, on the reference machine and on a small one; then a
# whole network in two precisions.
set -euo pipefail
examples=$1/examples
for source in "$(dirname "$0")"/host/*.cpp; do
    program=$examples/$(basename "$source" .cpp)
    "$program"
    OKKSIM_SET=chip.lanes=8,chip.local_memory_bytes=65536 "$program"
done
"$(dirname "$0")/run_networks.sh" "$1" "$1/networks"

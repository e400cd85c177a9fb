#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run_kernel.sh OKKSIM HOST_PROGRAM KERNEL_LIBRARY FOLDER
# Runs an example's case through `okksim kernel`. The host program first writes the inputs and the
# arguments into FOLDER. Afterwards it compares the result with its reference.
set -euo pipefail
okksim=$1 host=$2 library=$3 folder=$4
rm -rf "$folder"
mkdir -p "$folder"
"$host" --dump "$folder"
mapfile -t arguments < "$folder/arguments"
"$okksim" kernel "$library" "${arguments[@]}"
"$host" --check "$folder"

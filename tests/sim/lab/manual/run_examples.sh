#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run_examples.sh CC OKKSIM WORK_FOLDER: the manual's example of every function compiles without a
# warning and runs without a finding.
set -euo pipefail
cc=$1 okksim=$2 work=$3
source=$(cd "$(dirname "$0")/../../../.." && pwd)
mkdir -p "$work"
cd "$work"
"$okksim" manual --examples examples.c
$cc -std=c99 -Wall -Wextra -Werror -g -shared -fPIC -I"$source/firmware" examples.c -o examples.so
# A header of .npy and 64 x 32 zeros.
header="{'descr': '<f4', 'fortran_order': False, 'shape': (64, 32), }"
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header" > in.npy
head -c 8192 /dev/zero >> in.npy

failed=0 count=0
for kernel in $(sed -n 's/^OKKERNEL_FUNC_REGISTER(\(.*\));$/\1/p' examples.c); do
    count=$((count + 1))
    "$okksim" kernel examples.so --launch "$kernel" --strict --sanitize=full \
        --out "out.npy:f32[64,32]" --in in.npy > log 2>&1 && ! grep -q '^warning' log || {
        echo "$kernel"; cat log; failed=1; }
done
[ "$count" = 139 ] || { echo "$count examples instead of 139"; failed=1; }
echo "$count examples"
exit $failed

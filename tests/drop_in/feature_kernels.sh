#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# feature_kernels.sh CC OKKSIM WORK_FOLDER: a kernel that asks for an instruction group computes the
# same results with and without it, with different commands. For a kernel that does not ask, the
# message names the group that the machine lacks.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"

failed=0
wrong() { echo "$1: $2"; cat out; failed=1; }
$cc -std=c99 -O1 -g -Wall -Werror -shared -fPIC -I"$source/firmware" "$folder/feature_kernels.c" -o k.so
"$okksim" kernel k.so --launch counts --out x.npy:i32[4,16] > out
for machine in bm1684 okk-next; do
    "$okksim" kernel k.so --launch asks_first --out $machine.npy:i32[4,16] --in x.npy --machine $machine \
        --record $machine > out 2>&1 || wrong $machine "the kernel failed"
    "$okksim" trace show $machine --count 20 > $machine.txt
done
cmp bm1684.npy okk-next.npy || wrong asks_first "other results"
cp bm1684.txt out
grep -q 'bdc.32bit_arithmetic_shift_C' out || wrong bm1684 "does not shift by the API reference"
! grep -q 'bdc.int_' out || wrong bm1684 "uses a group that it has not"
cp okk-next.txt out
grep -q 'bdc.int_shift_right' out || wrong okk-next "does not use what it has"

"$okksim" kernel k.so --launch asks_nobody --out y.npy:i16[4,16] --in x.npy --machine okk-next > out 2>&1 ||
    wrong asks_nobody "fails on a machine with the extension"
status=0
"$okksim" kernel k.so --launch asks_nobody --out y.npy:i16[4,16] --in x.npy > out 2>&1 || status=$?
[ $status = 3 ] || wrong asks_nobody "ends with $status instead of a fault"
for text in okk_bdc_cast 'instruction group convert' 'features.convert = true'; do
    grep -q -- "$text" out || wrong asks_nobody "does not say: $text"
done
"$okksim" replay okk-next --set features.int_alu=false > out 2>&1 && wrong replay "continues without the extension"
grep -q 'features.int_alu' out || wrong replay "does not name the group"
exit $failed

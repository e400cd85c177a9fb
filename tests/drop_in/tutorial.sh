#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tutorial.sh CC OKKSIM WORK_FOLDER: the listings of docs/tutorials/first-kernel.md compile and run without a
# warning, and behave as the text describes.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 }
     inside && /^\/\* file: / { file = $3 } inside { print > file }' "$source/docs/tutorials/first-kernel.md"
fail() { echo "$1"; cat out; exit 1; }
for name in simple tuned; do
    $cc -std=c99 -O2 -g -Wall -Wextra -Werror -pedantic -shared -fPIC -I"$source/firmware" $name.c -o $name.so
done
# The input: its first bytes come from a test kernel, the others are zero.
$cc -std=gnu11 -O1 -g -shared -fPIC -I"$source/firmware" "$folder/wrong_results.c" -o kernels.so
"$okksim" kernel kernels.so --launch make_input --arg i32=1 --out small.npy:f32[4,16] > out
{ printf '\223NUMPY\001\000\166\000'; printf "%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 16384), }"
  tail -c 256 small.npy; head -c $((64 * 16384 * 4 - 256)) /dev/zero; } > x.npy
launch() {  # LIBRARY OUTPUT FLAGS...
    "$okksim" kernel "$1.so" --launch sigmoid_rows --arg i32=16384 --out "$2:f32[64,16384]" --in x.npy --strict "${@:3}" > out
}
launch simple y.npy --record run --record-data || fail "the simple kernel has a finding"
simple=$(sed -n 's/^sigmoid_rows: \([0-9]*\)\..*/\1/p' out)
"$okksim" why run 'y[0,7]' > out
grep -q '^computed by sigmoid_rows at .*simple.c:16$' out || fail "the line that computed is not named"
grep -q 'input: x.npy\[0,7\] = -0.25 ' out || fail "no way down to the input"
"$okksim" debug run -c 'step 2' -c 'print 0:0 f32[1,1,1,2]' > out
grep -q '^\[0,0,0\] -2 -1.75$' out || fail "no tensor"
launch simple y.npy --lines
grep -q 'other engine' out || fail "no stalls"
launch tuned tuned.npy --timeline t.json || fail "the tuned kernel has a finding"
tuned=$(sed -n 's/^sigmoid_rows: \([0-9]*\)\..*/\1/p' out)
cmp y.npy tuned.npy || fail "other results"
[ $((tuned * 100)) -lt $((simple * 90)) ] || fail "$tuned us instead of $simple us is not much faster"
sed 's/tile % 2/tile * 0/' tuned.c > one.c
$cc -std=c99 -O2 -g -shared -fPIC -I"$source/firmware" one.c -o one.so
! launch one one.npy || fail "one buffer is enough"
grep -q 'warning (hazard)' out || fail "the race is not reported"
echo "$simple us, tuned $tuned us"

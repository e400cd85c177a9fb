#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# own_stores.sh CC OKKSIM WORK_FOLDER: `okksim why` and `okksim debug` find the line of values that
# kernels store through pointers. Commands of parallel sections have separate times.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
$cc -std=gnu11 -O1 -g -shared -fPIC -I"$source/firmware" "$folder/own_stores.c" -o k.so
"$okksim" kernel k.so --launch makes_input --out x.npy:f32[4,16] > out

failed=0
wrong() { echo "$1: $2"; cat why; failed=1; }
# stores KERNEL FLAGS...: element 5 comes from the kernel's marked line at every optimisation level.
stores() {
    local name=$1 line
    line=$(grep -n "/\* $name \*/\$" "$folder/own_stores.c" | cut -d: -f1)
    for level in -O0 -O2 -O3; do
        $cc -std=gnu11 $level ${fortify-} -w -g -shared -fPIC -I"$source/firmware" "$folder/own_stores.c" -o k.so
        "$okksim" kernel k.so --launch "$name" --out y.npy:f32[4,16] --in x.npy --record run \
            --record-data "${@:2}" > out
        "$okksim" why run 'y[0,5]' > why
        grep -q '^y.npy\[0,5\] = 42 ' why || wrong "$name $level" "another value"
        grep -q "the control processor in $name.* at .*own_stores.c:$line = 42" why ||
            wrong "$name $level" "line $line is not named"
        grep -q 'between ' why || wrong "$name $level" "its commands are not named"
        ! grep -q warning why || wrong "$name $level" "commands cannot be carried out again"
    done
}
stores corrects_a_result
stores fills_a_table
stores fills_a_lane
stores moves_far_from_its_pointer
stores clears_and_adds --sanitize=full
stores clears_and_adds
# Code that the C library's headers inline into a function is attributed to the function's line.
fortify=-D_FORTIFY_SOURCE=2
stores clears_by_the_library
fortify=
stores corrects_a_result --sanitize=off
stores fills_a_table --sanitize=full
"$okksim" why run 'y[0,5]' --json > why
grep -q '"writer": "processor"' why || wrong json "has another writer"
printf 'goto 99\nwriter 0x2020014\n' > script
"$okksim" debug run --script script > why 2>&1 || true
grep -q 'written by the control processor in fills_a_table' why || wrong debug "says something else"

# 3.5 as an integer is 3, which is a float again.
"$okksim" kernel k.so --launch converts --out y.npy:f32[4,16] --in x.npy --record run --record-data > out
"$okksim" why run 'y[0,5]' > why
for value in 'result 3 (0x40400000)' 'src_addr 3 (0x00000003)' 'result 3 (0x00000003)' 'src_addr 3.5 (0x40600000)'; do
    grep -qF "$value at lane 0" why || wrong types "no $value"
done

# The times equal those in the list of commands.
"$okksim" kernel k.so --launch works_in_parallel --out y.npy:f32[4,16] --in x.npy --record run \
    --record-data --commands run.csv > out
"$okksim" why run 'y[0,5]' > why
count=0
while read -r id begin end; do
    count=$((count + 1))
    grep -q "BDC $id, $begin to $end us" why ||
        wrong parallel "BDC $id did not run from $begin to $end"
done < <(awk -F, '$4 == "BDC" { printf "%s %.3f %.3f\n", $5, $8, $9 }' run.csv)
[ $count = 3 ] || wrong parallel "$count commands instead of 3"
exit $failed

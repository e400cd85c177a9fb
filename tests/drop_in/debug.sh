#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# debug.sh CC OKKSIM WORK_FOLDER: scripts step forward and backward through a recording.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
$cc -std=gnu11 -O1 -g -shared -fPIC -I"$source/firmware" "$folder/wrong_results.c" -o kernels.so
"$okksim" kernel kernels.so --launch make_input --arg i32=1 --out x.npy:f32[4,16] > out
"$okksim" kernel kernels.so --launch clips_too_low --arg i32=1 --out y.npy:f32[4,16] --in x.npy \
    --record run --record-data > out
fail() { echo "$1"; cat out; exit 1; }
line=$(grep -n '/\* clips_too_low \*/' "$folder/wrong_results.c" | cut -d: -f1)

# The kernel's commands: load, set, add, min, store. x = -2, -1.75, ...; channel 2 begins with 6.
cat > script <<SCRIPT
# the clipping line, before and after
line wrong_results.c:$line
print 0:16384 x32[1]
step
print 0:16384 f32[1,4,1,2]
print 2:0 i32[1]
back
print 0:16384 x32[1]
writer 1:16384
goto 0
where
writer 0:0
lineback :$line
SCRIPT
code=0
"$okksim" debug run --script script > out 2> err || code=$?
[ $code = 2 ] && grep -q "script, line 13: .*has no command before this one" err || fail "an impossible step"
[ "$(grep -c "bdc.min_C" out)" = 2 ] || fail "the line is not found, or not gone back to"
grep -q '^\[0,0,0\] -2 -1.75$' out || fail "channel 0"
# x[2,0] = -2 + 32 * 0.25 = 6 equals the limit; x[3,0] = 10 is clipped.
grep -q '^\[0,3,0\] 6 6$' out || fail "channel 3"
# 6 as bits: 0x40c00000.
grep -q '^\[0,0,0\] 1086324736$' out || fail "bits"
[ "$(grep -c '^\[0,0,0\] cdcdcdcd$' out)" = 2 ] || fail "memory before the command, and again after going back"
grep -q '1:16384 is uninitialised before this command' out || fail "a writer that is yet to come"
"$okksim" debug run -c 'step 100' -c 'writer 3:0x4000' -c 'time 0' -c help > out
grep -q 'bdc.min_C' out || fail "the last writer"
grep -q 'print ADDRESS' out || fail "no help"
echo 'step 2' | "$okksim" debug run > out
grep -q 'bdc.add_C' out || fail "standard input"
for wrong in 'jump' 'step x' 'print 64:0' 'print 0:0 f32[99999]' 'writer 0x1' 'line'; do
    code=0
    "$okksim" debug run -c "$wrong" > out 2>&1 || code=$?
    [ $code = 2 ] || fail "$wrong is taken"
done
echo fine

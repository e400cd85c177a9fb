#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lines.sh CC OKKSIM WORK_FOLDER: the time of every line of a kernel by cause; the line of every
# command in the command files.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
$cc -std=gnu11 -O1 -g -shared -fPIC -I"$source/firmware" "$folder/wrong_results.c" -o kernels.so
"$okksim" kernel kernels.so --launch make_input --arg i32=1 --out x.npy:f32[4,16] > out
launch() {  # LIBRARY FLAGS...
    "$okksim" kernel "$1" --launch clips_too_low --arg i32=1 --out y.npy:f32[4,16] --in x.npy "${@:2}" > out
}
fail() { echo "$1"; cat out; exit 1; }
line=$(grep -n '/\* clips_too_low \*/' "$folder/wrong_results.c" | cut -d: -f1)

# Annotated source: the line shows its own command only.
launch kernels.so --lines
grep -q "^.* 1  *|  *$line  .*okk_bdc_min_C" out || fail "the line is not there with one command"
grep -q ' us in 1 launch, by line' out || fail "no heading"
# BEGIN makes three commands, of one line.
grep -q "^.* 3  *0.000 |  *$((line - 1))  *BEGIN" out || fail "three commands and 256 bytes of one line"

launch kernels.so --lines=lines.json --commands commands.csv --timeline timeline.json --record run
! grep -q 'by line' out || fail "a file was requested"
grep -q "\"line\": $line" lines.json || fail "no line in the JSON"
grep -q "wrong_results.c:$line < clips_too_low at .*wrong_results.c" commands.csv || fail "no stack in the commands"
grep -q "\"line\":\"clips_too_low_body at .*wrong_results.c:$line" timeline.json || fail "no line in the timeline"
"$okksim" trace show run > out
"$okksim" trace show run --count 100 | grep -q "in clips_too_low_body at .*wrong_results.c:$line" || fail "no line in the recording"
"$okksim" replay run > out || fail "the recording cannot be replayed"
launch kernels.so --lines --csv
# Commands of the line: 1; 4 channels of 16 elements: 64 operations.
grep -q "wrong_results.c,$line,clips_too_low_body,.*,1,64,0,0," out || fail "no line in the CSV"
launch kernels.so --lines --json
grep -q '"us_by_cause"' out || fail "no lines in the JSON report"

# Call stacks that differ in outer frames only.
cat > two.c <<SOURCE
#include "okk.h"
static void __attribute__((noinline)) leaf(void) {
    const dim4 shape = {1, 64, 1, 16};
    x32 one;
    one.fp32 = 1;
    okk_bdc_32bit_set_C(0, one, &shape, NULL);
    __asm__ volatile("");
}
static void __attribute__((noinline)) middle(int n) {
    for (int i = 0; i < n; ++i)
        leaf();
    leaf();
    __asm__ volatile("");
}
void two(const void* args) {
    (void)args;
    okk_initialize();
    middle(2);
    middle(1);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(two);
SOURCE
$cc -std=gnu11 -O1 -g -shared -fPIC -I"$source/firmware" two.c -o two.so
"$okksim" kernel two.so --launch two --lines --commands two.csv > out
stacks='s/.*leaf at [^<]*two\.c:\([0-9]*\) < middle at [^<]*two\.c:\([0-9]*\) < two at [^,]*two\.c:\([0-9]*\).*/\1\2\3/p'
[ "$(sed -n "$stacks" two.csv | tr '\n' ' ')" = \
    "61118 61118 61218 61119 61219 " ] || { cp two.csv out; fail "wrong stacks"; }

# Without line numbers: functions, and how to get lines.
cp kernels.so stripped.so
strip --strip-debug stripped.so
launch stripped.so --lines
grep -q 'clips_too_low.* in .*stripped.so+0x[0-9a-f]*' out || fail "no function and offset"
grep -q 'compile the kernels with -g' out || fail "the message does not say how to get lines"
echo fine

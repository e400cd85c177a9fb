#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wrong_results.sh CC OKKSIM WORK_FOLDER: given the right results, `okksim why` names the wrong line
# of every kernel of wrong_results.c first or second.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
$cc -std=gnu11 -O1 -g -shared -fPIC -I"$source/firmware" "$folder/wrong_results.c" -o kernels.so
"$okksim" kernel kernels.so --launch make_input --arg i32=1 --out x.npy:f32[4,16] > out

failed=0 count=0
wrong() { echo "$1: $2"; cat why; failed=1; }
launch() {  # KERNEL RIGHT OUTPUT FLAGS...
    "$okksim" kernel kernels.so --launch "$1" --arg "i32=$2" --out "$3:f32[4,16]" --in x.npy "${@:4}" > out
}
# differs NAME COMMAND...: the command ends with 1, because the value is not the expected one.
differs() {
    code=0
    "${@:2}" > why || code=$?
    [ $code = 1 ] || wrong "$1" "ends with $code instead of 1"
}
while read -r line name; do
    count=$((count + 1))
    launch "$name" 1 right.npy --record right --record-data
    launch "$name" 0 y.npy --record run --record-data
    differs "$name" "$okksim" why run y --expect right.npy
    grep -q '^y.npy\[' why || wrong "$name" "no element differs"
    grep -o 'wrong_results.c:[0-9]*' why | awk '!seen[$0]++' | head -2 | grep -q ":$line\$" ||
        wrong "$name" "line $line is not named first or second"
    differs "$name" "$okksim" why run y --expect right.npy --reference right
    grep 'differs from right: ' why | grep -q "wrong_results.c:$line\$" ||
        wrong "$name" "line $line is not where the recording parts from the right one"
    grep -q 'warning' why && wrong "$name" "the commands cannot be carried out again"
    "$okksim" why run y --expect y.npy > why
    grep -q 'is as expected' why || wrong "$name" "y.npy differs from itself"
done < <(grep -n '/\* [a-z_]* \*/$' "$folder/wrong_results.c" | sed 's|:.*/\* \([a-z_]*\) \*/$| \1|')
[ $count = 43 ] || wrong all "$count kernels instead of 43"

# `okksim why` suggests a correction: the value of a constant, the address of an operand.
launch scales_early_by_the_wrong_constant 1 right.npy
launch scales_early_by_the_wrong_constant 0 y.npy --record run --record-data
differs repair "$okksim" why run y --expect right.npy
grep -q '^probably wrong: .*: with C = 0.3 instead of 0.4 all values are as expected' why || wrong repair "is not told"
differs repair "$okksim" why run y --expect right.npy --json
grep -q '"change": "C = 0.3 instead of 0.4"' why || wrong repair "is not in JSON"
"$okksim" why run 'y[0,0]' > why
grep -q 'probably wrong' why && wrong repair "is told without knowing what is right"

# A recording without data, a missing element, a value instead of a file, an address.
launch clips_too_low 1 y.npy --record bare
code=0
"$okksim" why bare 'y[0,0]' > why 2>&1 || code=$?
[ $code = 2 ] && grep -q -- '--record-data' why || wrong bare "the flag that is missing is not named"
launch clips_too_low 1 y.npy --record run --record-data
code=0
"$okksim" why run 'y[4,0]' > why 2>&1 || code=$?
[ $code = 2 ] && grep -q 'is no element of y.npy, whose shape is \[4,16\]' why || wrong element "is taken"
differs expected "$okksim" why run 'y[3,15]' --expect 6.5
# x[3,15] = -2 + 0.25 * 63 = 13.75, cut to 6.
grep -q '^y.npy\[3,15\] = 6 ' why && grep -q 'input: x.npy\[3,15\] = 13.75 ' why || wrong values "are wrong"
grep -q 'expected 6.5' why || wrong expected "is not told"
address=$(sed -n 's/^y.npy.* at \(0x[0-9a-f]*\)$/\1/p' why)
"$okksim" why run "$address" --json > why 2> err
grep -q '"element": "y.npy\[3,15\]"' why || wrong address "is not known"
# Columns that a product computes beyond its own are attributed to it: 15 of 16 in the last channel.
launch multiplies_by_fewer_columns 1 y.npy --record columns --record-data
"$okksim" why columns 'y[3,15]' > why
grep -q 'bdc.matmul' why && ! grep -q 'uninitialised' why ||
    wrong columns "a value that does not depend on uninitialised columns is blamed on them"
# A result that is overwritten before anything has read it is named with the command that overwrites it.
cat > lost.c <<'SOURCE'
#include "okk.h"
typedef struct { unsigned long long out, in; } args_t;
void loses(const void* args) {
    const args_t* a = (const args_t*)args;
    const dim4 shape = {1, 4, 1, 16};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a->in, &shape, 0, 0);
    okk_bdc_neg(1024, 0, &shape, 0, 0);
    okk_bdc_mul_C(1024, 0, 2, &shape, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out, 1024, &shape, 0, 0);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(loses)
SOURCE
$cc -g -shared -fPIC -I"$source/firmware" lost.c -o lost.so
"$okksim" kernel lost.so --launch loses --out z.npy:f32[4,16] --in x.npy --record lost --record-data > out
"$okksim" why lost 'z[0,0]' > why
[ "$(grep -c 'overwrites a result of bdc.neg in loses at .*lost.c:8, which nothing has read' why)" = 1 ] ||
    wrong lost "is not told once"
# Another build of the kernels: lines refer to the recorded build, and a message says so.
[ -s err ] && wrong build "of the kernels is said to have changed"
printf x >> kernels.so
"$okksim" why run 'y[3,15]' > why 2> err
grep -q 'kernels.so is another build than the recorded one' err || wrong build "is not reported"
mv kernels.so moved.so
"$okksim" why run 'y[3,15]' > why 2> err
grep -q 'kernels.so cannot be read any more' err && ! grep -q 'another build' err ||
    wrong build "of the kernels that is gone is said to be another one"
mv moved.so kernels.so
# A recording that exceeds its limit is given up, and the message names the option for a larger one.
code=0
launch clips_too_low 1 y.npy --record run --record-data --record-limit 100 2> why || code=$?
[ $code = 2 ] && grep -q -- '--record-limit' why || wrong limit "of recordings does not hold"
# A timeline and a list of commands are cut at the limit, and a message says so.
for form in timeline:run.json commands:run.csv commands:commands.json; do
    code=0
    launch clips_too_low 1 y.npy --${form%%:*} ${form##*:} --record-limit 900 2> why || code=$?
    [ $code = 2 ] && grep -q "${form##*:}: .* is larger than 900 bytes .*--record-limit" why && [ -s ${form##*:} ] ||
        wrong limit "of --${form%%:*} does not hold"
done
for name in run.json commands.json; do
    python3 -c "import json, sys; json.load(open(sys.argv[1]))" $name || wrong limit "leaves $name broken"
done
# A run without recording still reports its result, including where it ended.
code=0
launch clips_too_low 1 y.npy --record run --record-limit 100 --command-budget 2 --json=report.json 2> why || code=$?
[ $code = 2 ] && grep -q '"code": "budget"' report.json || wrong limit "of recordings leaves no report"
echo "$count wrong results"
exit $failed

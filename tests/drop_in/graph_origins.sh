#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# graph_origins.sh OKKSIM WORK_FOLDER: `okksim why` explains values of a graph in terms of its
# operators. The full sanitizer reports nothing about the graph's kernels.
set -euo pipefail
okksim=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work"
fail() { echo "FAILED: $1"; cat why; exit 1; }
"$okksim" zoo lstm --size 2 --width 0.25 -o net > out
"$okksim" run net/model.tosa --input sequence=net/sequence.npy --out result --record run \
    --record-data --sanitize=full --strict > out

# The last step's hidden state: a product of two gates, through the loop and its copies.
"$okksim" why run 'hidden[0,0,0]' --depth 400 --most 20000 > why
grep -q '^stored by WHILE_LOOP ' why || fail "the operator that stored it is not named"
grep -q '^computed by .*MUL ' why || fail "the operator that computed it is not named"
grep -q 'input: sequence\[' why || fail "the graph's input is not reached"
grep -q '^warning' why && fail "the commands cannot be carried out again"
"$okksim" why run hidden --expect result/hidden.npy > why
grep -q 'is as expected' why || fail "the output is not what the run has written"
"$okksim" why run 'hidden[0,0,0]' --reference run > why
grep -q '^all results equal those of run' why || fail "a recording differs from itself"

# Packed constants are named by the operator that uses them and by the constants they are made from.
"$okksim" zoo mobilenet_v2 --size 32 --width 0.25 --precision int8 -o net > out
"$okksim" run net/model.tosa --input image=net/image.npy --out result --record run --record-data > out
"$okksim" why run 'logits[0,3]' --depth 40 > why
grep -q 'input: weights prepared for CONV2D t[0-9]* (t[0-9]*, .*)\[[0-9]*\] = ' why || fail "prepared weights are not named"
! grep -q 'input: 0x' why || fail "an input has no name"

# 16-bit floating-point values are printed as numbers, in system memory as well as in the lanes.
"$okksim" zoo mobilenet_v2 --size 32 --width 0.25 --precision fp16 -o half > out
"$okksim" run half/model.tosa --machine okk-next --input image=half/image.npy --out result --record run --record-data > out
"$okksim" why run 'logits[0,3]' --depth 40 > why
value=$(sed -n 's/^logits\[0,3\] = \(-\?[0-9]*\.[0-9e-]*\) (0x[0-9a-f]\{4\}), at .*/\1/p' why)
[ -n "$value" ] || fail "the element is no number of 16 bits"
[ "$(grep -c "^ *result $value (0x[0-9a-f]\{4\}) at lane " why)" -ge 1 ] || fail "the lane's element is another number"
grep -q '^ *result -\?[0-9.e-]* (0x[0-9a-f]\{8\}) at lane ' why || fail "sums are no fp32"
"$okksim" why run logits --expect result/logits.npy > why
grep -q 'is as expected' why || fail "numbers of 16 bits are not those of the file"

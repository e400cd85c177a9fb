#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# vendor_project.sh LIBRARY_FOLDER OKKSIM WORK_FOLDER: a project of the vendor's kit builds with its
# own strict makefile and computes correctly. Only paths change. Libraries in a build tree need one
# more flag (docs/how-to/drop-in-for-bmlib.md), with which programs find them.
set -euo pipefail
library=$1 okksim=$2 work=$3
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$work"
cp -r "$source/tests/drop_in/okkernel" "$work"
mkdir -p "$work/include/okksim"
cp "$source"/firmware/{okk.h,okk_types.h,bm_atomic.h} "$source"/firmware/host/{bmlib_runtime.h,okk_param.h} \
    "$work/include/okksim"
make -C "$work" OKK_INCLUDE="$work/include/okksim" OKK_LIB="$library" \
    LDFLAGS="-Wl,-rpath,$library" > "$work/make.log" 2>&1 || { cat "$work/make.log"; exit 1; }
unset LD_LIBRARY_PATH
for program in axpy product; do
    "$work/build/$program" 2> "$work/$program.err" | grep -q "$program: right"
done

# Typical contest kernels are correct and give no finding under full. Findings about their mistakes
# name functions and offsets, because the makefile requests no line numbers, and say how to get
# lines.
cd "$work/build"
mv contest_kernels contest
for kernel in conv2d softmax matmul packed argmax; do
    OKKSIM_STRICT=1 OKKSIM_SANITIZE=full ./contest $kernel > out 2> err && grep -q right out && [ ! -s err ] ||
        { echo "$kernel is not right, or has a finding"; cat out err; exit 1; }
done
mistake() {  # PROGRAM KERNEL NUMBER TEXT...
    local code=0 text
    OKKSIM_STRICT=1 OKKSIM_SANITIZE=full "./$1" "$2" "$3" > out 2> err || code=$?
    [ $code = 3 ] || { echo "$2 $3: exit code $code"; cat out err; exit 1; }
    for text in "${@:4}" 'compile it with -g'; do
        grep -q -- "$text" err || { echo "$2 $3: does not say $text"; cat err; exit 1; }
    done
}
mistake contest conv2d 1 'byte 0 depends on' 'in contest_conv2d in .*contest+0x' 'src_addr reads lane 0'
OKKSIM_SANITIZE=full ./contest conv2d 2 2>&1 | grep -q 'this byte is uninitialised: 16800'  # 2 of 3 images
mistake contest softmax 1 'elements are outside .-103, 88.' 'in contest_softmax in'
mistake contest matmul 1 'output_addr reads lane 0, byte 0x0, which is uninitialised'
mistake contest packed 1 'bdc.fixed_point_packed_max_C .* in contest_packed in'
mistake contest argmax 1 'is used to access memory that gdma.32bit_cpy_S2L .* writes'
mistake contest argmax 2 'is used to access memory that gdma.32bit_cpy_S2S .* reads'
cp contest bare
strip --strip-all bare
mistake bare packed 1 'in (a function without a name, of contest_packed or after it) in .*bare+0x'

# The origin of a value that a host program has read.
OKKSIM_RECORD=run OKKSIM_RECORD_DATA=1 ./contest softmax > out
"$okksim" why run 'read1[40]' > why
grep -q '^read1\[40\] = 0' why && grep -q 'gdma.32bit_cpy_L2S in contest_softmax in' why &&
    grep -q 'bdc.div\|bdc.mul' why || { echo "no origin of what the host has read"; cat why; exit 1; }
# One buffer is both input and output.
OKKSIM_RECORD=run OKKSIM_RECORD_DATA=1 ./axpy > out
"$okksim" why run 'read1[3]' > why
grep -q 'input: write1 (main in .*)\[3\] = ' why && grep -q 'input: write2 (main in .*)\[3\] = ' why ||
    { echo "what the host has written has no name"; cat why; exit 1; }

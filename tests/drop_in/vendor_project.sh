#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# vendor_project.sh LIBRARY_FOLDER WORK_FOLDER: a project of the vendor's kit with its own strict
# makefile builds and computes; of it only the paths change, and for libraries in a build tree one
# flag (README) that tells programs where they are.
set -euo pipefail
library=$1 work=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$work"
cp -r "$source/tests/drop_in/okkernel" "$work"
mkdir -p "$work/include/okksim"
cp "$source"/firmware/{okk.h,okk_types.h,bm_atomic.h} "$source/firmware/host/bmlib_runtime.h" \
    "$work/include/okksim"
make -C "$work" OKK_INCLUDE="$work/include/okksim" OKK_LIB="$library" \
    LDFLAGS="-Wl,-rpath,$library" > "$work/make.log" 2>&1 || { cat "$work/make.log"; exit 1; }
unset LD_LIBRARY_PATH
for program in axpy product; do
    "$work/build/$program" 2> "$work/$program.err" | grep -q "$program: right"
done

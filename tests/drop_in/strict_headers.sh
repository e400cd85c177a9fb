#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# strict_headers.sh CC CXX WORK_FOLDER: the headers compile without warnings in every language of
# kernels and host programs. They define only names of the vendor's headers or the API reference,
# and names with the prefix okksim_.
set -euo pipefail
cc=$1 cxx=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
mkdir -p "$work"
strict="-Wall -Wextra -Werror -pedantic -I$source/firmware -I$source/firmware/host"
definitions=("" "-DAS_THE_REFERENCE" "-DUSING_CMODEL" "-DUSING_CMODEL -DAS_THE_REFERENCE"
             "-DUSING_CMODEL -DAS_FORMATTED")
for defined in "${definitions[@]}"; do
    for standard in c99 gnu99 c11 gnu11 gnu17; do
        $cc -std=$standard $strict $defined -c "$folder/strict_headers.c" -o "$work/c.o"
    done
    for standard in c++11 gnu++11 c++14 c++17 c++20; do
        $cxx -x c++ -std=$standard $strict $defined -c "$folder/strict_headers.c" -o "$work/cc.o"
    done
done

macros() { sed 's/#define \([A-Za-z0-9_]*\).*/\1/' | sort -u; }
printf '#include <stdbool.h>\n#include <stddef.h>\n#include <stdarg.h>\n' | $cc -std=c99 -dM -E - | macros > "$work/known"
printf '#include "okk.h"\n#include "bm_atomic.h"\n#include "bmlib_runtime.h"\n#include "okk_param.h"\n' |
    $cc -std=c99 -I"$source/firmware" -I"$source/firmware/host" -dM -E - | macros > "$work/all"
beyond=$(comm -13 "$work/known" "$work/all" | grep -v '^okksim_' | tr '\n' ' ')
expected="BM_CHECK_RET BM_MEM_ADDR_NULL BM_MEM_NULL DIV_UP MUL_TYPE OKKERNEL_ASSERT "
expected+="OKKERNEL_FUNC_REGISTER OKKERNEL_LOG OP_TYPE "
[ "$beyond" = "$expected" ] || { echo "the headers define: $beyond"; exit 1; }

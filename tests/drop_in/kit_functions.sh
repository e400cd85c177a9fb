#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kit_functions.sh CC CXX LIBRARY_FOLDER WORK_FOLDER: functions of the vendor's kit work in C and in
# C++, and fail one beyond their limits.
set -euo pipefail
cc=$1 cxx=$2 library=$3 work=$4
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
flags="-O1 -g -Wall -Wextra -Werror -I$source/firmware -I$source/firmware/host"
link="-L$library -lbmlib -Wl,-rpath,$library"
sources=$(echo "$source"/tests/drop_in/kit_{functions,kernels,values}.c)
$cc -std=c99 $flags $sources -o in_c $link
$cxx -x c++ -std=c++11 $flags $sources -x none -o in_cpp $link
for program in in_c in_cpp; do
    for sanitize in fast full; do
        OKKSIM_SANITIZE=$sanitize ./$program > out 2> err || { echo "$program"; cat out err; exit 1; }
        grep -q right out && grep -q kit_double out && [ ! -s err ] ||
            { echo "$program, $sanitize: output"; cat out err; exit 1; }
    done
done

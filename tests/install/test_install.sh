#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_install.sh BUILD_FOLDER WORK_FOLDER: installs the build, and builds a user's project against
# it in the ways the README names: CMake package, pkg-config, `okksim kernel`, SystemC component.
set -euo pipefail
build=$1 work=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
project=$source/tests/install/project
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" > "$work/install.log"
library=$(dirname "$(find "$work/prefix" -name 'libokksim.so' | head -1)")
export LD_LIBRARY_PATH=$library

cmake -S "$project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/cmake.log"
cmake --build "$work/cmake" >> "$work/cmake.log"
"$work/cmake/double_it"

export PKG_CONFIG_PATH=$library/pkgconfig
cc -c -fPIC $(pkg-config --cflags okksim) "$project/double_it.c" -o "$work/double_it.o"
c++ $(pkg-config --cflags okksim) "$project/host.cpp" "$work/double_it.o" -o "$work/double_it" \
    $(pkg-config --libs okksim)
"$work/double_it"

cc -shared "$work/double_it.o" -o "$work/double_it.so"
"$work/prefix/bin/okksim" kernel "$work/double_it.so" --launch double_it --out "$work/y.npy:f32[8]" \
    --out "$work/x.npy:f32[8]" | grep -q "warning (unwritten_read)"

# The Python package, if built, finds the library without LD_LIBRARY_PATH.
package=$(find "$work/prefix/lib" -path '*/dist-packages/okksim' -type d)
if [ -n "$package" ] && /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
    env -u LD_LIBRARY_PATH PYTHONPATH="${package%/okksim}" /usr/bin/python3 -B -c '
import okksim
print(okksim.__file__, okksim.zoo("lstm", size=2, width=0.25).run())'
fi

# A user's SystemC platform with the chip in it.
cmake -S "$source/examples/platform" -B "$work/platform" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/platform.log"
cmake --build "$work/platform" >> "$work/platform.log"
"$source/examples/platform/run.sh" "$work/prefix/bin/okksim" "$work/platform/platform_example" \
    "$work/platform/scale.so" "$work/platform.files"
"$work/prefix/bin/okksim" --version

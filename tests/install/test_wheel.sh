#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_wheel.sh BUILD WORK: the wheel holds every library that it needs beyond those of each Linux. It and
# `pip install .` give a package that imports and runs. No step needs a Python registry or compiles.
set -u
build=$(realpath "$1") work=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
fail() { echo "FAILED: $1"; exit 1; }
# One program each: setuptools must not be imported after distutils.
for module in numpy pip setuptools wheel; do
    /usr/bin/python3 -c "import $module" 2> /dev/null || { echo "skipped: no python3-$module"; exit 77; }
done
command -v patchelf > /dev/null || { echo "skipped: no patchelf"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
run='import okksim, sys
assert okksim.__file__.startswith(sys.argv[1]), okksim.__file__
print(okksim.__version__, okksim.zoo("lstm", size=2, width=0.25).run("bm1684"))'
# check FOLDER: the package of the folder runs outside the checkout.
check() { (cd / && env -u LD_LIBRARY_PATH PYTHONPATH="$1" /usr/bin/python3 -B -c "$run" "$1"); }
install() { OKKSIM_BUILD=$build /usr/bin/python3 -m pip install -q --no-index --no-deps "$@" > "$work/log" 2>&1 || { cat "$work/log"; fail "pip install $*"; }; }

"$source/cmake/make_wheel.sh" "$build" "$work/dist" || fail "make_wheel.sh"
install --target "$work/packed" "$work"/dist/okksim-*.whl
check "$work/packed" || fail "the package of the wheel"
for file in "$work"/packed/okksim/_core*.so "$work"/packed/okksim/libraries/*.so*; do
    while read -r name; do
        case "$name" in
            ld-linux* | libc.so* | libm.so* | libstdc++.so* | libgcc_s.so* | libpthread.so* | libdl.so* | librt.so*) ;;
            *) [ -e "$work/packed/okksim/libraries/$name" ] || fail "$file needs $name, which the wheel lacks" ;;
        esac
    done < <(readelf -dW "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
done
cp -r "$source"/{CMakeLists.txt,LICENSE,pyproject.toml,setup.py,python} "$work"
install --no-build-isolation --target "$work/installed" "$work"
check "$work/installed" || fail "the package of pip install"

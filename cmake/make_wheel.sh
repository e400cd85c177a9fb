#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_wheel.sh BUILD FOLDER: makes the wheel of the Python package of a build, with Debian's Python and
# without a Python registry. Prints its path.
set -euo pipefail
OKKSIM_BUILD=$(realpath "$1") folder=$2
source=$(cd "$(dirname "$0")/.." && pwd)
export OKKSIM_BUILD OKKSIM_BUNDLE=1
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Python writes into the folder of the sources that it packs; a copy keeps the checkout unchanged.
mkdir "$work/source"
cp -r "$source"/{CMakeLists.txt,LICENSE,pyproject.toml,setup.py,python} "$work/source"
/usr/bin/python3 -m pip wheel --no-index --no-deps --no-build-isolation -w "$work/wheel" "$work/source" \
    > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rm -f "$folder"/okksim-*.whl
mv "$work"/wheel/okksim-*.whl "$folder"
ls "$folder"/okksim-*.whl

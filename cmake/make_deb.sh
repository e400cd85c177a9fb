#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_deb.sh BUILD FOLDER: makes the Debian package of a build, and prints its path.
set -euo pipefail
build=$1 folder=$2
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rm -f "$folder"/okksim_*.deb
mv "$work"/okksim_*.deb "$folder"
ls "$folder"/okksim_*.deb

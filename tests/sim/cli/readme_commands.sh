#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# readme_commands.sh OKKSIM FIRMWARE_HEADERS KERNEL.c WORK: the commands in the README of version
# 0.1.0 still run unchanged, although newer spellings exist. Flags in users' scripts must stay
# valid.
set -eu
okksim=$1 headers=$2 kernel=$3 work=$4/readme
rm -rf "$work"
mkdir -p "$work/firmware" "$work/bin"
cp -r "$headers"/. "$work/firmware/"
cp "$kernel" "$work/my_kernel.c"
ln -s "$okksim" "$work/bin/okksim"
PATH=$work/bin:$PATH
cd "$work"

# runs COMMAND: runs it as typed by a user.
runs() {
    echo "\$ $1"
    bash -e -c "$1" > out.txt 2>&1 || { echo "exit code $?"; tail -n 20 out.txt; exit 1; }
}
# says WORDS: checks that the last command printed them.
says() { grep -q -- "$1" out.txt || { echo "does not say: $1"; tail -n 20 out.txt; exit 1; }; }
# wrote FILE...: checks that the last command wrote them.
wrote() { for file in "$@"; do [ -s "$file" ] || { echo "not written: $file"; exit 1; }; done; }

runs 'okksim zoo mobilenet_v2 --precision int8 -o net'
wrote net/model.tosa net/image.npy
runs 'okksim inspect net/model.tosa --no-time'
runs 'okksim plan net/model.tosa'
runs 'okksim run net/model.tosa --input image=net/image.npy --out result --timeline t.json'
wrote t.json
says 'roof'
runs 'okksim run net/model.tosa --csv all.csv --stats all.json --no-fusion'
wrote all.csv all.json

runs 'cc -shared -fPIC -I firmware my_kernel.c -o my_kernel.so'
runs 'okksim zoo lstm --size 2 --width 0.25 -o small'
runs 'okksim run small/model.tosa --out values'
runs 'okksim kernel my_kernel.so --launch make_values --arg i32=64 --out a.npy:f32[64]'
cp a.npy b.npy
runs 'okksim kernel my_kernel.so --launch my_kernel --arg i32=64 --out y.npy:f32[64] --in a.npy --in b.npy'
wrote y.npy

runs 'okksim machine --dump'
says 'lanes'
printf 'base = "bm1684"\n[chip]\nlanes = 8\nlocal_memory_bytes = 32768\n' > small.toml
runs 'okksim run small/model.tosa --machine small.toml'
runs 'okksim run small/model.tosa --set bdc.clock_mhz=700'
runs 'okksim run net/model.tosa --record net.trace'
runs 'okksim replay net.trace --set gdma.clock_mhz=800'
says 'us'

runs 'okksim baseline -o old --filter add_fp32'
runs 'okksim baseline -o new --filter add_fp32 && okksim compare old new --threshold 2% --junit gate.xml'
wrote gate.xml
for command in run plan inspect conformance kernel replay compare machine isa; do
    runs "okksim $command --help"
done
runs 'okksim run small/model.tosa --json'
says '"simulated_us"'

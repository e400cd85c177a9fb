#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# last_calls.sh CC OKKSIM WORK_FOLDER: an optimiser may turn a kernel's last call into a jump, which
# loses its line. Findings, faults and files report such a call as the last call of its kernel.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"

failed=0
wrong() { echo "$1: $2"; cat out; failed=1; }
line_of() { grep -n "/\* $1 \*/\$" "$folder/last_calls.c" | cut -d: -f1; }
# tells KERNEL LEVEL TEXT FLAGS...: checks that the message names the mistake and its location.
tells() {
    "$okksim" kernel k.so --launch "$1" --out y.npy:f32[4,16] --in x.npy "${@:4}" > out 2>&1 || true
    grep -q -- "$3" out || wrong "$*" "does not say: $3"
    grep -q "$1 at .*last_calls.c:$(line_of "mistake $1")\( \|)\|;\|,\|$\)" out ||
        grep -q "$1 at .*last_calls.c:$(line_of "kernel $1"), its last call" out ||
        wrong "$*" "does not say where"
    ! grep -q 'libokksim\|invoke_kernel' out || wrong "$*" "names the simulator"
}
for level in -O0 -O2 -O3; do
    $cc -std=gnu11 $level -g -w -fno-stack-protector -shared -fPIC -I"$source/firmware" \
        "$folder/last_calls.c" -o k.so
    [ -e x.npy ] || "$okksim" kernel k.so --launch begins_a_section --out x.npy:f32[4,16] > out
    for sanitize in fast full; do
        tells stores_too_much $level 'warning (buffer)' --sanitize=$sanitize
        tells stores_late $level 'returned without okk_poll()' --sanitize=$sanitize
        tells polls_in_a_section $level 'fault (bad-state): okk_poll' --sanitize=$sanitize
        tells begins_a_section $level 'which begins in ' --sanitize=$sanitize
        tells clears_nothing $level 'fault (host-signal): NULL pointer' --sanitize=$sanitize
        tells calls_nothing $level 'a jump to address' --sanitize=$sanitize
    done
    tells returns_to_nowhere $level 'fault (host-signal)'
    tells stores_late $level ' us in 1 launch, by line' --lines
    tells stores_late $level 'okk_gdma_32bit_cpy_L2S\|stores_late' --record run --record-data
    "$okksim" why run 'y[2,5]' > out
    grep -q '^stored by stores_late at ' out || wrong "$level" "another line has stored"
    ! grep -q 'libokksim\|invoke_kernel' out || wrong "$level" "names the simulator"
done
# Without line numbers, too.
strip --strip-debug k.so
"$okksim" kernel k.so --launch stores_too_much --out y.npy:f32[4,16] --in x.npy > out 2>&1
grep -q 'stores_too_much in .*k.so+0x[0-9a-f]*, its last call' out || wrong stripped "no offset"
exit $failed

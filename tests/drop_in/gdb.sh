#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gdb.sh CC OKKSIM WORK_FOLDER: okksim-gdb.py under gdb, on a kernel launched by `okksim kernel`.
set -euo pipefail
cc=$1 okksim=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
command -v gdb > /dev/null || { echo "gdb is not installed"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cd "$work"
$cc -std=gnu11 -O1 -g -fno-inline -shared -fPIC -I"$source/firmware" "$folder/wrong_results.c" -o kernels.so
"$okksim" kernel kernels.so --launch make_input --arg i32=1 --out x.npy:f32[4,16] > out
flags="--launch clips_too_low --arg i32=1 --out y.npy:f32[4,16] --in x.npy"
# shellcheck disable=SC2086
"$okksim" kernel kernels.so $flags | grep simulated > timed
# shellcheck disable=SC2086
"$okksim" kernel kernels.so $flags --immediate | grep simulated > immediate
fail() { echo "$1"; cat out; exit 1; }
cmp -s timed immediate || fail "another time with --immediate"
line=$(grep -n '/\* clips_too_low \*/' "$folder/wrong_results.c" | cut -d: -f1)

# shellcheck disable=SC2086
"$okksim" kernel kernels.so $flags --record run --record-data > out
output=$("$okksim" why run 'y[0,0]' | sed -n 's/^y.npy.* at \(0x[0-9a-f]*\)$/\1/p')

cat > script <<SCRIPT
set pagination off
set confirm off
set disable-randomization off
okk-break 2
run
okk-watch 0:16384
continue
backtrace
okk-print 0:16384 f32[1,1,1,1]
okk-state
delete
okk-break bdc.min_C
kill
run
okk-print 0:0 f32[1,4,1,2]
backtrace
delete
okk-watch $output
continue
backtrace
okk-watch nowhere
SCRIPT
# shellcheck disable=SC2086
timeout 300 gdb -batch -nx -x "$source/sim/debugger/okksim-gdb.py" -x script --args "$okksim" kernel kernels.so $flags --immediate > out 2>&1 ||
    true
grep -q 'command 2: bdc_32bit_set_C' out || fail "no break on the second command"
grep -q '[Ww]atchpoint' out || fail "no watch"
[ "$(grep -c "clips_too_low_body .*wrong_results.c:$line" out)" = 2 ] || fail "no kernel frame with its line behind the watch and the break"
# x = -2 is below the limit of 6 and stays.
grep -q '^\[0,0,0\] -2$' out || fail "no tensor"
grep -q 'BDC: 3 commands issued' out || fail "no state"
grep -q 'bdc_min_C$' out || fail "no break on an operation"
grep -q '^\[0,3,0\] 10 10.25$' out || fail "no input"
grep -q 'okk_gdma_32bit_cpy_L2S ()' out || fail "no store behind the watch on global memory"
# The timer ticks every 0.05 s of CPU time, and the pointer closes pages to the simulator.
cat > burns.c <<'SOURCE'
#include <string.h>
#include <time.h>

#include "okk.h"
typedef struct { unsigned long long out; } args_t;
void burns(const void* args) {
    const dim4 row = {1, 1, 1, 16};
    okk_initialize();
    volatile float* const out = (volatile float*)okk_global_mem_addr(((const args_t*)args)->out);
    for (int i = 0; i < 16; ++i) out[i] = (float)i;
    while (clock() < CLOCKS_PER_SEC) {
    }
    okk_gdma_32bit_cpy_S2L(0, ((const args_t*)args)->out, &row, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(burns);
SOURCE
$cc -O1 -g -shared -fPIC -I"$source/firmware" burns.c -o burns.so
cp out commands
for flags in "" "--immediate" "--sanitize full"; do
    # shellcheck disable=SC2086
    timeout 300 gdb -batch -nx -x "$source/sim/debugger/okksim-gdb.py" -ex run --args \
        "$okksim" kernel burns.so --launch burns --out z.npy:f32[16] $flags > out 2>&1 || true
    grep -q 'exited normally' out || fail "the program does not end under gdb ($flags)"
    ! grep -q 'received signal' out || fail "gdb stops at a signal of the library ($flags)"
done
cp commands out
grep -q '"nowhere" is no address' out || fail "no message about a wrong address"
echo fine

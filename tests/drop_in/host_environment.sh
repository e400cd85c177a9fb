#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# host_environment.sh CXX LIBRARY_FOLDER OKKSIM WORK_FOLDER: effects of the environment variables on
# host programs, and what programs report without any variable.
set -euo pipefail
cxx=$1 library=$2 okksim=$3 work=$4
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
$cxx -std=c++11 -O1 -g -I"$source/firmware" -I"$source/firmware/host" \
    "$source/tests/drop_in/environment.cpp" -o program -L"$library" -lbmlib -Wl,-rpath,"$library"

fail() { echo "$1"; cat out err; exit 1; }
# run EXIT_CODE KERNEL...: the program's output in out, its messages in err.
run() {
    local expected=$1 code=0
    shift
    ./program "$@" > out 2> err || code=$?
    [ $code = "$expected" ] || fail "exit code $code instead of $expected: $*"
}

# Without variables: each finding appears once on standard error; a fault makes its launch fail.
run 0 right
[ ! -s err ] || fail "a finding about a correct kernel"
run 0 careless careless
[ "$(grep -c 'kernel careless (unwritten_read)' err)" = 1 ] || fail "the finding is not reported once"
run 1 faulty
grep -q 'kernel faulty ended with a fault: okk_bdc_sqrt: src_addr = 4' err || fail "no fault"

# Reports list each finding with its first launch and the number of launches.
for form in summary.json summary.txt; do
    OKKSIM_SUMMARY=$form run 0 careless right careless careless
    [ "$(grep -c unwritten_read $form)" = 1 ] || fail "$form reports a finding more than once"
done
grep -q '"launches": 3' summary.json && grep -q '3 x warning (unwritten_read)' summary.txt ||
    fail "the summary does not say of how many launches a finding is"

OKKSIM_ON_FAULT=continue run 0 faulty right
grep -q '^done' out || fail "the program did not continue"
grep -q 'kernel faulty ended with a fault' err || fail "the fault is not reported"

OKKSIM_STRICT=1 run 0 right
OKKSIM_STRICT=1 run 3 careless
grep -q '^done' out || fail "strict programs run to their end"
OKKSIM_STRICT=1 OKKSIM_ON_FAULT=continue run 3 faulty
# A closed handle, and launches that the program does not wait for.
OKKSIM_STRICT=1 run 3 right close
grep -q 'bm_dev_free: handle .* is not open' err || fail "a handle is closed twice"
OKKSIM_STRICT=1 run 3 anyway close right
grep -q 'okkernel_launch_sync: handle .* is not open' err || fail "a closed handle is used"
OKKSIM_STRICT=1 run 3 right leave
grep -q 'kernel right (order): the program ends without a sync after this launch (launches pending: 2)' err ||
    fail "launches without a sync are not reported"
# Unawaited launches still run, as on the chip.
OKKSIM_SUMMARY=left.txt run 0 leave
grep -q 'kernel faulty ended with a fault: okk_bdc_sqrt' err && grep -q '^     2  faulty' left.txt ||
    fail "launches without a sync do not run"
# Copies within the device propagate uninitialised bytes; only a read by the host is reported.
OKKSIM_STRICT=1 run 0 grow
[ ! -s err ] || fail "a finding about a copy of uninitialised bytes"
OKKSIM_STRICT=1 run 3 grow_too_far
grep -q 'the host reads 8193 bytes .* of which byte 8192 depends on uninitialised memory' err &&
    grep -q 'gdma.8bit_cpy_S2S' err && grep -q 'in grow.* at .*environment.cpp' err ||
    fail "the read of an uninitialised copied byte is not reported"
# Memory that is reused after a free counts as uninitialised, in recordings too.
for level in off fast full; do
    OKKSIM_SANITIZE=$level OKKSIM_QUARANTINE=0 OKKSIM_RECORD=run OKKSIM_RECORD_DATA=1 run 0 reuse right
    address=$(sed -n 's/^fresh memory at //p' out)
    [ -n "$address" ] || fail "$level: what a freed buffer held is still there"
    [ $level = off ] || grep -q 'of which this byte is uninitialised: 0' err || fail "$level: no such message"
    "$okksim" why run 'read1[7]' > out 2> err || fail "$level: why ends with $?"
    grep -q 'uninitialised' out && ! grep -q 'input: ' out || fail "$level: why names a writer"
    printf "step\nwriter $address\n" | "$okksim" debug run > out 2> err || fail "$level: debug ends with $?"
    grep -q 'reallocated by the host before and uninitialised since then' out || fail "$level: debug names a writer"
done
# An unknown kernel.
OKKSIM_STRICT=1 run 3 anyway unheard_of
grep -q 'okkernel_launch_sync: .*unheard_of' err || fail "an unknown kernel is not reported"
OKKSIM_STRICT=maybe run 1 careless
grep -q 'OKKSIM_STRICT: "maybe" is neither "0" nor "1"' err || fail "a wrong value is not refused"
for wrong in OKKSIM_STRICT=maybe OKKSIM_THREADS=0 OKKSIM_RECORD_DATA=2; do
    env $wrong ./program anyway right right > out 2> err || fail "$wrong ends the program"
    [ "$(grep -c error err)" = 1 ] || fail "$wrong is reported more than once"
done

# The exit code reports a full disk for every kind of file.
ln -sf /dev/full full
for name in SUMMARY TIMELINE RECORD COMMANDS LINES; do
    for place in full none/x /proc/none/x; do
        code=0
        env OKKSIM_$name=$place ./program right > out 2> err || code=$?
        # A file that cannot be opened makes bm_dev_request() fail, and the program ends.
        [ $code = 2 ] || [ $place != full -a $code = 1 ] || fail "OKKSIM_$name=$place: exit code $code"
        grep -q "cannot \(be written\|write\)" err || fail "OKKSIM_$name=$place: no reason"
    done
done
[ -z "$(ls -a | grep okksim-)" ] || fail "files are left aside"

# Times of source lines; the debugger's ordering of effects does not change them.
OKKSIM_LINES=1 run 0 right
grep -q ' 1  *|  *[0-9]*      *okk_bdc_32bit_set_C(0, one' err || fail "no lines"
for other in OKKSIM_RECORD=also.trace OKKSIM_COMMANDS=also.csv OKKSIM_TIMELINE=also.json; do
    env OKKSIM_LINES=1 $other ./program right > out 2> err && grep -q okk_bdc_32bit_set_C err ||
        fail "no lines together with $other"
done
OKKSIM_LINES=lines.csv run 0 right
grep -q 'environment.cpp,[0-9]*,' lines.csv || fail "no lines in the file"
OKKSIM_SUMMARY=timed.txt run 0 right
OKKSIM_SUMMARY=immediate.txt OKKSIM_IMMEDIATE=1 run 0 right
cmp timed.txt immediate.txt || fail "another time"
# Summaries name the machine and its changed parameters.
OKKSIM_SET=bdc.clock_mhz=700 OKKSIM_SUMMARY=changed.txt run 0 right
grep -q '^machine bm1684 with bdc.clock_mhz=700 (hash [0-9a-f]*), okksim ' changed.txt || fail "no machine"
OKKSIM_SET=bdc.clock_mhz=700 OKKSIM_SUMMARY=changed.json run 0 right
for key in machine machine_hash overrides okksim_version schema_version; do
    grep -q "\"$key\":" changed.json || fail "no $key"
done

OKKSIM_RECORD=run.trace OKKSIM_TIMELINE=run.json OKKSIM_COMMANDS=run.csv run 0 right right
"$okksim" trace show run.trace | grep -q '2 BDC commands' || fail "no commands in the trace"
grep -q '"traceEvents"' run.json || fail "no timeline"
grep -q 'bdc.32bit_set_C' run.csv || fail "no account of commands"

# Heap damage by a kernel, noticed in the kernel or later: a report and all files are written.
for kernel in overruns damages; do
    rm -f run.trace run.json sum.txt
    OKKSIM_RECORD=run.trace OKKSIM_TIMELINE=run.json OKKSIM_SUMMARY=sum.txt run 3 right $kernel
    grep -q 'ended with a fault: ' err || fail "$kernel: no report"
    "$okksim" trace show run.trace | grep -q '1 BDC command' || fail "$kernel: no recording"
    grep -q '"traceEvents"' run.json || fail "$kernel: no timeline"
    grep -q 'right' sum.txt || fail "$kernel: no summary"
done
OKKSIM_RECORD=run.trace run 3 right overruns
grep -q 'in overruns at .*environment.cpp:[0-9]*' err || fail "overruns: no line"

# A failure of the host program counts as no launch's fault, and all files are written.
for way in asserts throws crashes; do
    rm -f run.trace sum.txt
    code=0
    OKKSIM_STRICT=1 OKKSIM_RECORD=run.trace OKKSIM_SUMMARY=sum.txt ./program right $way > out 2> err || code=$?
    [ $code = $([ $way = crashes ] && echo 139 || echo 134) ] || fail "$way: exit code $code"
    [ "$(grep -c 'the host program has failed outside all launches' err)" = 1 ] || fail "$way: not reported once"
    grep -q "in fails_by_itself.* at .*environment.cpp:[0-9]" err || fail "$way: no line"
    ! grep -q 'ended with a fault' err || fail "$way: a kernel is blamed"
    grep -q '^ total .* 0 faults, 0 warnings' sum.txt && ! grep -q '^     2 ' sum.txt || fail "$way: wrong summary"
    "$okksim" trace show run.trace | grep -q '1 BDC command' || fail "$way: no recording"
done

# A copy past the end of the host's own buffer is the host's mistake.
place() { grep -n "// $1\$" "$source/tests/drop_in/environment.cpp" | cut -d: -f1; }
run 0 right fills_its_buffer fills_a_large_buffer
[ ! -s err ] || fail "a finding about a copy into a whole buffer"
run 1 right overflows_its_buffer
# The C library adds 16 bytes to each block, of which neighbours share 8: 1000 is 1016 - 16 + 8.
grep -q "bm_memcpy_d2s: dst: 4096 bytes pass the end of the host's block of 1000 bytes" err &&
    grep -q "in read_into.* at .*environment.cpp:$(place overflows_its_buffer)" err ||
    fail "a copy beyond a block of the heap is not reported"
OKKSIM_STRICT=1 run 3 anyway right overflows_its_buffer
code=0
./program right reads_to_nowhere > out 2> err || code=$?
[ $code = 139 ] && grep -q 'the host program has failed outside all launches' err &&
    grep -q "in read_to_nowhere.* at .*environment.cpp:$(place reads_to_nowhere)" err ||
    fail "a copy to nowhere is not the host's: exit code $code"

# Signals without a handler end the program after all files are written, in a launch and outside.
# stops SIGNAL EXIT_CODE WHAT...: waits for the program's message, sends SIGNAL, checks the exit
# code.
stops() {
    local signal=$1 expected=$2 code=0 i
    shift 2
    rm -f run.trace run.json sum.txt
    OKKSIM_RECORD=run.trace OKKSIM_TIMELINE=run.json OKKSIM_SUMMARY=sum.txt ./program "$@" > out 2> err &
    for i in $(seq 200); do grep -q there out && break; sleep 0.05; done
    [ $signal = none ] || kill -$signal $!
    wait $! || code=$?
    [ $code = $expected ] || fail "$* after SIG$signal: exit code $code"
    [ $expected = 9 ] || grep -q "$(kill -l $((expected - 128)))" err || fail "$* after SIG$signal: not reported"
    "$okksim" trace show run.trace | grep -q 'BDC command' || fail "$* after SIG$signal: no recording"
    grep -q '"traceEvents"' run.json && grep -q ' right' sum.txt || fail "$* after SIG$signal: not all files"
}
stops TERM 143 right goes_on_and_on
stops INT 130 interruptible right goes_on_and_on
stops TERM 143 right waits
stops INT 130 interruptible right waits
stops HUP 129 right waits
stops none 142 right alarm waits  # SIGALRM
stops TERM 9 right handles waits  # the program's own handler knows best
# Without files to write, a signal ends the program at once.
./program right waits > out 2> err &
for i in $(seq 200); do grep -q there out && break; sleep 0.05; done
kill $!
code=0
wait $! || code=$?
[ $code = 143 ] && [ ! -s err ] || fail "a program without files is held up by SIGTERM: exit code $code"

# Functions of the device outside of all kernels.
line=$(grep -n 'outside of all kernels' "$source/tests/drop_in/environment.cpp" | cut -d: -f1)
OKKSIM_RECORD=run.trace run 3 right outside
grep -q 'okk_initialize: a call outside of all kernels; rule: okk functions may be called only by a kernel while it runs; call it in a kernel' err &&
    grep -q "in main at .*environment.cpp:$line" err && ! grep -q 'terminate' err ||
    fail "a call outside of kernels is not reported"
"$okksim" trace show run.trace | grep -q '1 BDC command' || fail "a call outside of kernels: no recording"

# A child of the program reports nothing about its parent's launches.
OKKSIM_STRICT=1 OKKSIM_SUMMARY=1 OKKSIM_RECORD=run.trace run 3 careless fork
grep -q 'the child ended with 5' out || fail "the child has another exit code"
[ "$(grep -c '^ total ' err)" = 1 ] || fail "the summary is not written once"
"$okksim" trace show run.trace > /dev/null || fail "the recording is damaged"

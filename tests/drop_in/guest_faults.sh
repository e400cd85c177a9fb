#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# guest_faults.sh CXX OKKSIM WORK_FOLDER: whatever a kernel breaks, the run ends with exit code 3
# and reports the fault and its location.
set -euo pipefail
cxx=$1 okksim=$2 work=$3
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$work"
cd "$work"
$cxx -std=c++11 -O1 -g -fno-stack-protector -w -shared -fPIC -I"$source/firmware" \
    "$source/tests/drop_in/guest_faults.cpp" -o kernels.so -lpthread

# ends KERNEL TEXT FUNCTION: the fault's message has TEXT, its call stack FUNCTION (empty: any).
ends() {
    local code=0
    timeout 60 "$okksim" kernel ./kernels.so --launch "$1" --idle-seconds 0.5 \
        --command-budget 200000 "${@:4}" > out 2> err || code=$?
    [ $code = 3 ] || { echo "$1: exit code $code"; cat out err; exit 1; }
    grep -q -- "$2" out err || { echo "$1: does not say: $2"; cat out err; exit 1; }
    [ -z "$3" ] || grep -q "at .*$3.*guest_faults.cpp" out ||
        { echo "$1: does not name $3"; cat out; exit 1; }
}
ends endless_poll "no command for 0.5" endless_poll
ends endless_queries "no command for 0.5" endless_queries
ends endless_sections "no command for 0.5" endless_sections
ends endless_commands "at most 200000 commands" endless_commands
# Without a small budget, a loop of the same commands ends after 8 s of CPU time.
code=0
timeout 60 "$okksim" kernel ./kernels.so --launch endless_commands > out 2> err || code=$?
[ $code = 3 ] && grep -q 'the same commands for 8 s of CPU time' out ||
    { echo "endless_commands: exit code $code"; cat out err; exit 1; }
# The simulator traces uninitialised values for some seconds and then stops: tracing all would take
# minutes.
code=0
timeout 120 "$okksim" kernel ./kernels.so --launch endless_commands_with_nothing \
    --command-budget 40000 --record run > out 2> err || code=$?
[ $code = 3 ] && grep -q 'at most 40000 commands' out ||
    { echo "endless_commands_with_nothing: exit code $code"; cat out err; exit 1; }
ends endless_loop "no command for 0.5" endless_loop
ends calls_exit "exit: status = 0" calls_exit
ends calls_underscore_exit "_exit: status = 0" calls_underscore_exit
ends calls_c99_exit "_Exit: status = 0" calls_c99_exit
ends calls_quick_exit "quick_exit: status = 0" calls_quick_exit
ends calls_exit_group "syscall: status = 0" calls_exit_group
ends becomes_another "execl: path = \"/bin/true\"" becomes_another
ends becomes_another_by_name "execvp: path = \"true\"" becomes_another_by_name
ends leaves_aborts_alone "signal: signal = SIGABRT; rule: a kernel must not handle, block or send signals" leaves_aborts_alone
ends leaves_faults_alone "sigaction: signal = SIGSEGV; rule: a kernel must not handle, block or send signals" leaves_faults_alone
ends kills_itself "kill: signal = SIGKILL" kills_itself
ends sets_an_alarm "alarm.* a kernel must not set a timer" sets_an_alarm
ends sets_a_timer "setitimer.* a kernel must not set a timer" sets_a_timer
ends fails_in_f "NULL pointer" fails_in_f
grep -q "at f at .*guest_faults.cpp" out || { echo "fails_in_f: does not name f"; cat out; exit 1; }
ends throws "a C++ exception left the kernel: no catch on a device" throws
ends throws_a_number "a C++ exception left the kernel" throws_a_number
ends has_a_thread "okk_poll: a call from another thread" poll_elsewhere
ends has_a_cpp_thread "okk_npu_num: a call from another thread" ""
ends smashes_its_stack "out-of-bounds.*array" overwrite
ends smashes_all_of_its_stack "out-of-bounds.*array" overwrite
ends stops_itself "a breakpoint" stops_itself
ends jumps_wildly "longjmp: env = " jumps_wildly
ends calls_wildly "a jump to address 0x1234567" calls_wildly
ends frees_twice "double free detected" frees_twice
ends ends_its_thread "pthread_exit: called by the kernel's own thread" ends_its_thread
# Calls that spin or wait for ever have a time limit, too.
ends spins_in_a_call "no return for .* s, in which no command was completed" call_without_return --call-seconds 0.5
ends waits_in_a_call "no return for .* s, in which no command was completed" call_without_return --call-seconds 0.5
for kernel in spins_in_a_call waits_in_a_call; do
    code=0
    timeout --preserve-status -k 60 1 "$okksim" kernel ./kernels.so --launch $kernel --record run \
        > out 2> err || code=$?
    [ $code = 143 ] && grep -q 'fault (budget): SIGTERM' out && grep -q 'guest_faults.cpp:' out &&
        "$okksim" trace show run > /dev/null ||
        { echo "$kernel: exit code $code after SIGTERM"; cat out err; exit 1; }
done
# The limit also holds for waits of the kernel that use no CPU time.
for kernel in waits_for_its_own_lock pauses sleeps_and_polls; do
    ends $kernel "in which the kernel slept or waited" $kernel --call-seconds 2 --record run
    "$okksim" trace show run > /dev/null || { echo "$kernel: no recording"; exit 1; }
done
# The limit ignores a kernel that makes progress and the time for which a kernel is stopped. The
# kernel sleeps four times for 0.9 s and issues a command after each sleep.
"$okksim" kernel ./kernels.so --launch sleeps_between_commands --call-seconds 2 > out 2> err ||
    { echo "sleeps_between_commands: exit code $?"; cat out err; exit 1; }
"$okksim" kernel ./kernels.so --launch sleeps_between_commands --call-seconds 2 > out 2> err &
stopped=$!
sleep 0.5
kill -STOP $stopped
sleep 4
kill -CONT $stopped
wait $stopped || { echo "sleeps_between_commands, stopped: exit code $?"; cat out err; exit 1; }
# When a kernel damages the program, all data gathered so far is still written.
for level in -O0 -O1 -O3; do
    $cxx -std=c++11 $level -g -fno-stack-protector -w -shared -fPIC -I"$source/firmware" \
        "$source/tests/drop_in/guest_faults.cpp" -o kernels.so -lpthread
    for kernel in breaks_a_free_block recurses_with_calls \
        smashes_its_stack smashes_and_calls; do
        rm -f run run.json report.json
        ends $kernel "fault (" "" --record run --timeline run.json
        grep -q 'at .*guest_faults.cpp' out || { echo "$kernel $level: no line"; cat out; exit 1; }
        "$okksim" trace show run > /dev/null && grep -q traceEvents run.json ||
            { echo "$kernel $level: what was gathered is not written"; exit 1; }
    done
    ends jumps_into_the_past "longjmp: env = " jumps_into_the_past
done
$cxx -std=c++11 -O1 -g -fno-stack-protector -w -shared -fPIC -I"$source/firmware" \
    "$source/tests/drop_in/guest_faults.cpp" -o kernels.so -lpthread
ends recurses_with_calls "stack overflow" calls_itself
# Some damage is noticed only at exit, or makes a report impossible.
ends overruns_its_heap "overwritten\|written out of bounds" ""
ends overruns_its_heap_by_far "overwritten\|written out of bounds" ""
# The amount of damage does not matter: no data that the report needs is in the heap.
noticed=0
for size in 24 64 200 1000 5000; do
    for more in 8 64 128 1000 8000; do
        rm -f report.json
        code=0
        timeout 60 "$okksim" kernel ./kernels.so --launch overruns_a_block --arg i32=$size \
            --arg i32=$more --call-seconds 5 --record run --json=report.json > out 2> err || code=$?
        # Damage noticed after the report was written is reported on standard error.
        [ $code = 0 ] || { [ $code = 3 ] && grep -q '"kernel": "' report.json &&
            { grep -q '"fault": {' report.json || grep -q 'a kernel has written out of bounds' err; } &&
            noticed=$((noticed + 1)); } ||
            { echo "overruns_a_block $size $more: exit code $code, no report"; cat out err; exit 1; }
    done
done
[ $noticed -ge 5 ] && [ -z "$(ls -a | grep okksim-)" ] ||
    { echo "overruns_a_block: noticed $noticed times"; ls -a; exit 1; }
# Damage that the simulator notices in its own data is reported as a fault of the kernel.
ends writes_what_it_has_freed "fault (" ""
# The run ends in any case, either without a finding or with a fault of the kernel.
for seed in 1 2 3 4 5 6 7 8 9 10; do
    code=0
    timeout 60 "$okksim" kernel ./kernels.so --launch breaks_its_heap_by --arg u32=$seed \
        --call-seconds 2 --record run > out 2> err || code=$?
    [ $code = 0 ] || { [ $code = 3 ] && grep -q 'fault (\|okksim: ' out err; } ||
        { echo "breaks_its_heap_by $seed: exit code $code"; cat out err; exit 1; }
done
# Data gathered before the fault is written.
code=0
"$okksim" kernel ./kernels.so --launch endless_commands --command-budget 1000 --record run \
    --timeline run.json --commands run.csv --lines=lines.csv --csv=report.csv > out 2> err || code=$?
[ $code = 3 ] && "$okksim" trace show run | grep -q '1000 ' && grep -q traceEvents run.json &&
    [ "$(wc -l < run.csv)" -ge 1000 ] && grep -q 'guest_faults.cpp,[0-9]*,' lines.csv && [ -s report.csv ] ||
    { echo "endless_commands: what was gathered is not written"; cat out err; exit 1; }

# Child processes of a kernel report only their faults and write no files.
"$okksim" kernel ./kernels.so --launch forks --record run --timeline run.json > out 2> err ||
    { echo "forks: exit code $?"; cat out err; exit 1; }
[ "$(grep -c '^forks: ' out)" = 1 ] && "$okksim" trace show run > /dev/null &&
    [ "$(grep -c 'fork() ended with a fault' err)" = 2 ] && grep -q 'NULL pointer' err &&
    grep -q 'at f at .*guest_faults.cpp:' err && grep -q 'a C++ exception left' err ||
    { echo "forks: the report comes more than once"; cat out err; exit 1; }

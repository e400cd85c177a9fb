#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_faults.sh OKKSIM FAILING_CALLS.so KERNELS.so WORK [all]: the n-th allocation, write, open or
# mmap fails in over a dozen commands. n takes the first values, doubled values and samples from
# begin to end, until no call fails any more. With `all`, n covers each call of a single-threaded
# run that is reached by a new call path (innermost 6 frames), over all commands. These are
# thousands instead of millions of calls, and they run on all processors. Every run must end with
# code 0, 1, 2 or 3. A file that it leaves must be whole. It has the output of the undisturbed run,
# its former content, or all data seen by a run that could not continue. The number of calls depends
# on the threads, so a failing n need not fail again. All complaints are repeated at the end.
set -u
okksim=$1 shim=$2 kernels=$3 work=$4/faults every=${5:-}
jobs=1
if [ -n "$every" ]; then
    jobs=$(nproc)
    export OKKSIM_THREADS=1
fi
rm -rf "$work"
mkdir -p "$work/given"
cd "$work/given" || exit 1
"$okksim" zoo lstm --size 2 --width 0.25 -o net || exit 1
"$okksim" run net/model.tosa --record net.trace --out values > run.txt || exit 1
"$okksim" baseline -o base --filter add_fp32 > base.txt || exit 1
"$okksim" machine --dump --set bdc.clock_mhz=700 > small.toml || exit 1
cat > list << EOF
bdc.add_C dst_addr=0:0x80, src_addr=0:0x0, C=1.5, shape=(1, 3, 1, 2), dst_stride=(32, 32, 2, 1), src_stride=(32, 32, 2, 1) | id=1
EOF
cat > sums.mlir << EOF
func.func @main(%a: tensor<1x8x8x16xf32>, %b: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32> {
  %0 = tosa.add %a, %b : (tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  %1 = tosa.tanh %0 : (tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %1 : tensor<1x8x8x16xf32>
}
EOF
"$okksim" plan sums.mlir --json=plan.json > plan.txt || exit 1
"$okksim" run sums.mlir --record why.trace --record-data > run.txt || exit 1
cat > lanes.toml << EOF
name = "lanes"
[[workload]]
graph = "sums.mlir"
[[axis]]
parameter = "chip.lanes"
values = [16, 32]
EOF
"$okksim" sweep lanes.toml --store points.sqlite -j1 > sweep.txt || exit 1
"$okksim" sweep points.sqlite --csv > "$work/points.csv" || exit 1
echo old > "$work/old"
samples=14 # per kind of call, in addition to the first and the doubled numbers
all=$work  # shared by all commands; each command has its own folder `work` there
: > "$all/complaints"
for call in malloc write open mmap; do : > "$all/ways-$call"; done
complain() { echo "FAILED: $1" | tee -a "$all/complaints"; }

# goes_on CODE WHAT: checks the store of a failed run. It holds all points, or the run has reported
# an error. No point is wrong, and the next run adds the missing ones.
goes_on() {
    local code=$1
    shift
    "$okksim" sweep new.sqlite --csv > "$work/now.csv" 2> /dev/null
    [ "$code" -ne 0 ] || cmp -s "$work/now.csv" "$all/points.csv" || complain "$1: exit code 0 without all points"
    "$okksim" sweep lanes.toml --store new.sqlite -j1 > "$work/out" 2> "$work/err" &&
        "$okksim" sweep new.sqlite --csv > "$work/now.csv" 2>> "$work/err" &&
        cmp -s "$work/now.csv" "$all/points.csv" && return
    complain "$1: the store does not go on: $(head -c 200 "$work/err" | tr "\n" " ")"
}

# attempt NAME CALL N COMMAND...: returns 1 when no call failed.
attempt() {
    local name=$1 call=$2 n=$3 code file
    shift 3
    rm -rf "$work/now" "$work/mark"
    cp -r "$all/given" "$work/now"
    cd "$work/now" || exit 1
    cp "$all/old" report
    (LD_PRELOAD=$shim FAIL_CALL=$call FAIL_AT=$n FAIL_MARK=$work/mark timeout 60 "$okksim" "$@" \
        > "$work/out" 2> "$work/err" < /dev/null) 2> /dev/null
    code=$?
    runs=$((runs + 1))
    [ -e "$work/mark" ] || return 1
    case $code in
        0|1|2|3) ;;
        *) complain "$name: $call $n fails: exit code $code: $(head -c 200 "$work/err" | tr "\n" " ")" ;;
    esac
    [ -z "$(find . -name '.okksim-*' -print -quit)" ] || complain "$name: $call $n fails: a file is left aside"
    [ ! -e new.sqlite ] || goes_on $code "$name: $call $n fails"
    cmp -s report "$work/whole" && return 0
    [ "$code" -ne 0 ] || complain "$name: $call $n fails: exit code 0 and another report"
    cmp -s report "$all/old" && return 0
    # The data of a run that ended early is whole, too.
    case $(head -c 1 report | tr -d '\0') in
        '{') [ "$(tail -n 1 report | tail -c 2)" = "}" ] || complain "$name: $call $n fails: a damaged report" ;;
        '<') grep -q '^<!DOCTYPE' report || return 0 # a page, not JUnit
            [ "$(tail -n 1 report)" = "</html>" ] || complain "$name: $call $n fails: a damaged page" ;;
    esac
    return 0
}

# sampled NAME CALL COMMAND...: fails the first calls, doubled numbers and samples in between.
sampled() {
    local name=$1 call=$2 n=1 i
    shift 2
    while attempt "$name" $call $n "$@"; do
        if [ $n -lt 4 ]; then n=$((n + 1)); else n=$((n * 2)); fi
    done
    [ $n -gt $samples ] || return
    for ((i = 1; i < samples; ++i)); do attempt "$name" $call $((n * i / samples)) "$@"; done
}

# new_ways CALL FILE: prints the numbers of call paths in FILE that are new, and marks them as
# known.
new_ways() {
    (
        flock 9
        awk 'FILENAME == ARGV[1] {known[$1]; next} !($2 in known) {known[$2]; print}' "$all/ways-$1" "$2" > "$2.new"
        awk '{print $2}' "$2.new" >> "$all/ways-$1"
    ) 9> "$all/ways.lock"
    awk '{print $1}' "$2.new"
}

# every_way NAME CALL COMMAND...: fails each call that is reached by a new call path.
every_way() {
    local name=$1 call=$2 n
    shift 2
    rm -rf "$work/now"
    cp -r "$all/given" "$work/now"
    cd "$work/now" || exit 1
    LD_PRELOAD=$shim FAIL_CALL=$call FAIL_LIST=$work/ways "$okksim" "$@" > "$work/out" 2> "$work/err" < /dev/null
    new_ways $call "$work/ways" > "$work/new-ways"
    while read -r n; do attempt "$name" $call "$n" "$@"; done < "$work/new-ways"
    echo "$name: $(wc -l < "$work/new-ways") new ways to $call of $(wc -l < "$work/ways")"
}

# try_now NAME COMMAND...: runs in the folder `work`; its file `runs` holds the number of runs.
try_now() {
    local name=$1 call
    shift
    work=$all/$name runs=0
    mkdir -p "$work"
    rm -rf "$work/now"
    cp -r "$all/given" "$work/now"
    cd "$work/now" || exit 1
    "$okksim" "$@" > "$work/out" 2> "$work/err" < /dev/null
    # A command that is refused at once cannot test any failure.
    [ $? -lt 2 ] || complain "$name does not run undisturbed: $(head -c 200 "$work/err")"
    cp report "$work/whole" 2> /dev/null || echo old > "$work/whole"
    for call in malloc write open mmap; do
        if [ -n "$every" ]; then every_way "$name" $call "$@"; else sampled "$name" $call "$@"; fi
    done
    echo $runs > "$all/runs-$name"
}

# try NAME COMMAND...: starts a test; the command writes the file `report`, if any. $jobs tests run
# at a time.
try() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    try_now "$@" &
}

try run run net/model.tosa --timeline report
try run-out run net/model.tosa --out values
try record run net/model.tosa --record report
try commands run net/model.tosa --commands report
try vcd run net/model.tosa --vcd report.vcd
try kernel kernel "$kernels" --launch cli_computes --timeline report
try plan plan net/model.tosa
try inspect inspect net/model.tosa
try conformance conformance net --out values
try check check values values
try zoo zoo lstm --size 2 --width 0.25 -o other
try replay replay net.trace --timeline report
try show trace show net.trace --count 5
try diff trace diff net.trace net.trace
try compare compare base base --junit report
try machine machine small.toml --dump
try asm asm list --machine bm1684 -o report
try plan-json plan sums.mlir --json=report
try run-plan run sums.mlir --plan plan.json --csv=report
try page run sums.mlir --html report
try worth worth sums.mlir --groups lookup --json=report
try worth-page worth sums.mlir --groups lookup --html report
try sweep sweep lanes.toml --store new.sqlite -j1
try points sweep points.sqlite --json=report
try report report points.sqlite -o report
try why why why.trace 1[0,0,0,0] --json=report
try convert convert sums.mlir -o report.tosa
wait
failed=$(wc -l < "$all/complaints")
echo "$(awk '{n += $1} END {print n}' "$all"/runs-*) runs, $failed wrong"
cat "$all/complaints"
[ "$failed" -eq 0 ]

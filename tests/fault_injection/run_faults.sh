#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_faults.sh OKKSIM FAILING_CALLS.so KERNELS.so WORK [all]: over a dozen commands, the n-th allocation, write,
# open and mmap fails: the first ones, ever fewer of the others, and samples from begin to end, until nothing fails any
# more. With `all`, each of one thread, that is every call that another way leads to than to those before, in this
# command or another (the innermost 6 frames: thousands instead of millions), on all processors. Every run must end by
# itself with a code that tells (0, 1, 2 or 3), and a file that it leaves must be whole: what the undisturbed run
# writes, what was there before, or, of a run that could not go on, all that it has seen. How many calls a run makes
# depends on its threads: a number that fails need not fail again. All complaints are told once more at the end.
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
samples=14 # of a kind of call, besides the first and the doubled numbers
all=$work  # what the commands share; each has its own folder `work` beside
: > "$all/complaints"
for call in malloc write open mmap; do : > "$all/ways-$call"; done
complain() { echo "FAILED: $1" | tee -a "$all/complaints"; }

# goes_on CODE WHAT: a store that a run has left holds all points or the run has told, none that is not as it should
# be, and the next run finishes it.
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

# attempt NAME CALL N COMMAND...: 1 when nothing failed any more.
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
    # What a run that ended early has seen is whole, too.
    case $(head -c 1 report | tr -d '\0') in
        '{') [ "$(tail -n 1 report | tail -c 2)" = "}" ] || complain "$name: $call $n fails: a damaged report" ;;
        '<') grep -q '^<!DOCTYPE' report || return 0 # a page, not JUnit
            [ "$(tail -n 1 report)" = "</html>" ] || complain "$name: $call $n fails: a damaged page" ;;
    esac
    return 0
}

# sampled NAME CALL COMMAND...: the first calls, doubled numbers and samples between them.
sampled() {
    local name=$1 call=$2 n=1 i
    shift 2
    while attempt "$name" $call $n "$@"; do
        if [ $n -lt 4 ]; then n=$((n + 1)); else n=$((n * 2)); fi
    done
    [ $n -gt $samples ] || return
    for ((i = 1; i < samples; ++i)); do attempt "$name" $call $((n * i / samples)) "$@"; done
}

# new_ways CALL FILE: the numbers of the ways in FILE that no command has had; from now on one has.
new_ways() {
    (
        flock 9
        awk 'FILENAME == ARGV[1] {known[$1]; next} !($2 in known) {known[$2]; print}' "$all/ways-$1" "$2" > "$2.new"
        awk '{print $2}' "$2.new" >> "$all/ways-$1"
    ) 9> "$all/ways.lock"
    awk '{print $1}' "$2.new"
}

# every_way NAME CALL COMMAND...: each call that another way leads to.
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

# try_now NAME COMMAND...: in the folder `work`, the number of runs in its file `runs`.
try_now() {
    local name=$1 call
    shift
    work=$all/$name runs=0
    mkdir -p "$work"
    rm -rf "$work/now"
    cp -r "$all/given" "$work/now"
    cd "$work/now" || exit 1
    "$okksim" "$@" > "$work/out" 2> "$work/err" < /dev/null
    # What is refused at once has nothing to fail at.
    [ $? -lt 2 ] || complain "$name does not run undisturbed: $(head -c 200 "$work/err")"
    cp report "$work/whole" 2> /dev/null || echo old > "$work/whole"
    for call in malloc write open mmap; do
        if [ -n "$every" ]; then every_way "$name" $call "$@"; else sampled "$name" $call "$@"; fi
    done
    echo $runs > "$all/runs-$name"
}

# try NAME COMMAND...: `report` is the file that it writes, if any. As many at once as there are jobs.
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
try coverage coverage net/model.tosa
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

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_long.sh BUILD [JOBS]: runs the tests that take hours, one after the other. Every fuzz target
# runs for FUZZ_SECONDS (600) from a seed of the day (FUZZ_SEED), in one build per sanitizer
# (address, undefined behaviour). All golden vectors run in every form of their graphs, and six
# networks are planned on 200 machines. Packages are tested in clean roots of Debian 12 and 13. Over a dozen commands run with failing system calls, and
# every mutant is tested. The script continues after a failure and ends with "N passed, N failed".
# Each failure is printed with the command that repeats it.
set -u
build=$1 jobs=${2:-$(nproc)}
seconds=${FUZZ_SECONDS:-600} seed=${FUZZ_SEED:-$(date +%Y%m%d)}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 2
log=build/long
mkdir -p "$log"
passed=0 failed=0

step() {
    local name=$1
    shift
    echo "== $name: $*"
    if "$@" > "$log/$name.log" 2>&1; then
        passed=$((passed + 1)); tail -n 1 "$log/$name.log"
    else
        failed=$((failed + 1)); tail -n 20 "$log/$name.log"
    fi
}

# fuzz_with SANITIZER: a separate build per sanitizer, because a finding of one can hide findings of
# the other.
fuzz_with() {
    local tree=build/fuzz-$1 flags="-fsanitize=$1 -fno-sanitize-recover=all -fno-omit-frame-pointer" target
    cmake -G Ninja -S . -B "$tree" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOKKSIM_WERROR=OFF \
        -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" > "$log/configure-$1.log" || return
    step "build-$1" cmake --build "$tree" -j "$jobs" --target okksim_fuzz_files okksim_fuzz_tosa okksim_fuzz_readers
    for target in $("$tree/tests/sim/files/okksim_fuzz_files"); do
        step "$1-$target" "$tree/tests/sim/files/okksim_fuzz_files" "$target" "$seconds" "$seed"
    done
    step "$1-tosa" "$tree/tests/sim/graph/okksim_fuzz_tosa" "$seconds" "$seed"
    for target in mlir tosa090 xmodel onnx; do
        step "$1-$target" "$tree/tests/sim/graph/okksim_fuzz_readers" "$target" "$seconds" "$seed"
    done
}

fuzz_with address
fuzz_with undefined
golden=${OKKSIM_GOLDEN_DIR:-$root/../shared/golden}
for tree in tosa tosa090 mlir_programs oplib; do
    [ -d "$golden/$tree" ] || continue
    step "twins-$tree" "$build/sim/cli/okksim" conformance "$golden/$tree" --twins -j "$jobs"
done
[ -d "$golden/mlir" ] &&
    step twins-texts "$build/sim/cli/okksim" conformance "$golden/tosa" --graphs mlir --twins -j "$jobs"
step group-vectors tests/sim/features/group_vectors.sh "$root/$build/sim/cli/okksim" "$root" all
step monotony tests/sim/planning/monotony/check_monotony.py "$root/$build/sim/cli/okksim" --jobs "$jobs" \
    --store "$log/monotony.sqlite"
step random-networks "$build/tests/reference/tosa/okksim_duel_networks" 10000 "$seed"
step bounds "$build/tests/sim/bound/okksim_bound_duel" 5000 "$seed"
step small-graphs "$build/tests/sim/bound/okksim_small_graphs" 500 1
step killed-sweeps tests/sim/study/sweep/killed_sweeps.sh "$root/$build/sim/cli/okksim" 100
step faults tests/fault_injection/run_faults.sh "$root/$build/sim/cli/okksim" \
    "$root/$build/tests/fault_injection/failing_calls.so" "$root/$build/tests/sim/cli/cli_kernels.so" "$root/$log" all
step known-mutants tests/mutation/run_mutants.sh "$root/$build"
step mutants tests/mutation/hunt_mutants.py "$root/build/mutants"
step packages make deb wheel JOBS="$jobs" BUILD="$build"
step clean-bookworm tests/install/test_clean_root.sh bookworm "$root/build/dist" "$root/$log"
step clean-trixie tests/install/test_clean_root.sh trixie "" "$root/$log" "$jobs"
step image make image JOBS="$jobs" BUILD="$build"
step benchmarks "$build/sim/cli/okksim" bench --quick --strict
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

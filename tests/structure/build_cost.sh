#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: build_cost.sh [--headers] [COMMIT ...]
# Prints the cost of a build from a fresh clone, without ccache: CPU seconds, objects and the wall time to the
# first example. It builds the targets of `make run`, and the complete tree. Each COMMIT is measured in the same run;
# the default is HEAD. --headers also prints the ten headers that cost most to parse.
set -euo pipefail
cd "$(dirname "$0")/../.."
headers=no
if [ "${1:-}" = --headers ]; then headers=yes; shift; fi
[ $# -gt 0 ] || set -- HEAD
work=build/cost jobs=${JOBS:-$(nproc)} above=no
export CCACHE_DISABLE=1
mkdir -p "$work"

# CPU seconds of a command and of all that it starts.
cpu_seconds() {
    local TIMEFORMAT='%U %S' times
    times=$({ time "$@" >>"$work/log" 2>&1; } 2>&1) || { echo "failed: $* (see $work/log)" >&2; return 1; }
    echo "$times" | awk '{printf "%.0f", $1 + $2}'
}

# judge TEXT VALUE LIMIT UNIT
judge() {
    local verdict=met
    if [ "$2" -gt "$3" ]; then verdict="NOT met" above=yes; fi
    echo "$1: $2 $4 (limit $3): $verdict"
}

objects() { find "$1" -name '*.o' -path '*CMakeFiles*' | wc -l; }

measure() {
    local commit=$1 tree=$work/tree build=$work/build start
    rm -rf "$tree" "$build"
    mkdir -p "$tree"
    git archive "$commit" | tar xf - -C "$tree"
    start=$SECONDS
    cmake -G Ninja -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=Release >>"$work/log" 2>&1
    local first rest all examples
    examples=$(cmake --build "$build" --target help | grep -oE '^example_[a-z0-9_]+' | sort -u)
    first=$(cpu_seconds cmake --build "$build" -j "$jobs" --target example_avg_pool)
    echo "$commit: first example: $first CPU-seconds, $((SECONDS - start)) s on $jobs cores, $(objects "$build") objects"
    # shellcheck disable=SC2086
    rest=$(cpu_seconds cmake --build "$build" -j "$jobs" --target $examples okksim okksim_reference_run)
    judge "$commit: make run, $(objects "$build") objects" $((first + rest)) 900 CPU-seconds
    if [ "${OKKSIM_COST_ALL:-yes}" = yes ]; then
        all=$(cpu_seconds cmake --build "$build" -j "$jobs")
        echo "$commit: complete build with tests: $((first + rest + all)) CPU-seconds, $(objects "$build") objects"
    fi
}

# CPU seconds to parse each header, the ten most expensive first. A header that does not compile alone ends it.
header_costs() {
    local header TIMEFORMAT
    git ls-files 'isa/*.h' 'models/*.h' 'firmware/*.h' 'kernels/*.h' 'sim/*.h' | grep -v -e '-inl.h$' | while read -r header; do
        TIMEFORMAT="%U $header"
        { time g++ -std=c++20 -fsyntax-only -w -x c++ -DSC_DISABLE_API_VERSION_CHECK -DSC_INCLUDE_DYNAMIC_PROCESSES \
            -I. -Ifirmware -I"$work/build" "$header" >>"$work/log" 2>&1; } 2>&1 || echo "999 $header does not compile"
    done | sort -rn | head -10
}

for commit in "$@"; do measure "$commit"; done
if [ "$headers" = yes ]; then
    header_costs | tee "$work/headers"
    judge "most expensive header" "$(awk 'NR == 1 {printf "%.0f", $1 * 100}' "$work/headers")" 400 "hundredths of a second"
fi
[ "$above" = no ]

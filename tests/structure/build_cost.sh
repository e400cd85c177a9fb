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
work=build/cost jobs=${JOBS:-$(nproc)}
export CCACHE_DISABLE=1
mkdir -p "$work"

# CPU seconds of a command and of all that it started.
cpu_seconds() {
    local before after
    before=$(awk '{print $3 + $4}' <(times_of_children))
    "$@" >>"$work/log" 2>&1
    after=$(awk '{print $3 + $4}' <(times_of_children))
    echo "$before $after" | awk '{printf "%.0f", $2 - $1}'
}

# user and system seconds of finished children, in the third and fourth column.
times_of_children() {
    python3 - "$$" <<'PYTHON'
import os, sys
fields = open(f"/proc/{sys.argv[1]}/stat").read().rsplit(")", 1)[1].split()
tick = os.sysconf("SC_CLK_TCK")
print("0 0", int(fields[13]) / tick, int(fields[14]) / tick)
PYTHON
}

objects() { find "$1" -name '*.o' -path '*CMakeFiles*' | wc -l; }

measure() {
    local commit=$1 tree=$work/tree build=$work/build start
    rm -rf "$tree" "$build"
    mkdir -p "$tree"
    git archive "$commit" | tar xf - -C "$tree"
    start=$SECONDS
    cmake -G Ninja -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=Release >>"$work/log" 2>&1
    local first rest all
    first=$(cpu_seconds cmake --build "$build" -j "$jobs" --target example_avg_pool)
    echo "$commit: first example: $first CPU-seconds, $((SECONDS - start)) s on $jobs cores, $(objects "$build") objects"
    rest=$(cpu_seconds cmake --build "$build" -j "$jobs" --target examples okksim okksim_reference_run)
    echo "$commit: make run: $((first + rest)) CPU-seconds, $(objects "$build") objects (limit 900)"
    if [ "${OKKSIM_COST_ALL:-yes}" = yes ]; then
        all=$(cpu_seconds cmake --build "$build" -j "$jobs")
        echo "$commit: complete build with tests: $((first + rest + all)) CPU-seconds, $(objects "$build") objects"
    fi
}

# CPU seconds to parse each header, the ten most expensive first (limit: 4).
header_costs() {
    local header
    git ls-files 'isa/*.h' 'models/*.h' 'firmware/*.h' 'kernels/*.h' 'sim/*.h' | while read -r header; do
        TIMEFORMAT="%U $header"
        { time g++ -std=c++20 -fsyntax-only -w -x c++ -DSC_DISABLE_API_VERSION_CHECK -DSC_INCLUDE_DYNAMIC_PROCESSES \
            -I. "$header" >/dev/null 2>&1; } 2>&1 || true
    done | sort -rn | head -10
}

for commit in "$@"; do measure "$commit"; done
if [ "$headers" = yes ]; then header_costs; fi

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# start_up.sh OKKSIM EMPTY: what okksim without work costs beyond a program that does nothing with the same
# libraries loaded, in processor time. The bar is 0.6 of what that program costs itself: 5 ms where that takes 8 ms.
# A ratio, of the least of several rounds in turns: what else the machine does hits both alike.
set -eu
okksim=$1 empty=$2
libraries=$(ldd "$okksim" | awk '$3 ~ /^\// && $3 !~ /libokksim|libc\.so/ { printf "%s ", $3 }')
[ -n "$libraries" ] || { echo "ldd $okksim names no libraries"; exit 1; }

# milliseconds PRELOADED PROGRAM [ARGUMENT]: user and system time of 20 runs.
milliseconds() {
    local preloaded=$1 i TIMEFORMAT='%U %S'
    shift
    { time for i in {1..20}; do LD_PRELOAD=$preloaded "$@" > /dev/null; done; } 2>&1 |
        awk '{ printf "%d", 1000 * ($1 + $2) }'
}

least() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }

ours=999999 theirs=999999
for round in 1 2 3 4 5; do
    theirs=$(least "$theirs" "$(milliseconds "$libraries" "$empty")")
    ours=$(least "$ours" "$(milliseconds '' "$okksim" --version)")
done
echo "20 runs of okksim --version: $ours ms; of an empty program with its libraries: $theirs ms"
[ $((10 * (ours - theirs))) -le $((6 * theirs)) ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# start_up.sh OKKSIM EMPTY: processor time of okksim without work, compared with a program that only
# loads the same libraries. The limit for the excess is 0.6 of that program's time. Both run in
# turns, and the least of several rounds counts, so other load affects both equally.
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

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The TOSA vectors run on machines with all instruction groups, all but one, only one, and each pair
# on and off. They also run on a small and a wide machine. Each machine of a group set runs a third
# of the operators in turn; with `all`, it runs all of them.
# usage: group_vectors.sh OKKSIM SOURCE_TREE [all]
set -u
okksim=$1 every=${3:-}
vectors=${OKKSIM_GOLDEN_DIR:-$2/../shared/golden}/tosa
if [ ! -d "$vectors" ]; then
    echo "no vectors in $vectors: set OKKSIM_GOLDEN_DIR"
    exit 77
fi
sets=$(mktemp)
trap 'rm -f "$sets"' EXIT
check() {
    if ! result=$("$okksim" conformance "$vectors" --machine okk-next "$@" 2>&1); then
        echo "with $*:"
        echo "$result" | tail -n 20
        exit 1
    fi
    echo "$* $(echo "$result" | tail -n 1)"
}
check
check --set chip.lanes=8 --set chip.local_memory_bytes=32768
check --set chip.lanes=128
python3 "$(dirname "$0")/group_sets.py" > "$sets" || exit 1
thirds=('^[c-e]' '^[m-r]' '^[abf-ls-z]') # about the same number of vectors each
turn=0
while read -r options; do
    part=(--filter "${thirds[turn++ % 3]}")
    [ -z "$every" ] || part=()
    # shellcheck disable=SC2086
    check $options ${part[@]+"${part[@]}"}
done < "$sets"

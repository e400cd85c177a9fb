#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The vectors of TOSA on machines with all groups of instructions, all but one, and only one; and on small machines.
# usage: group_vectors.sh OKKSIM SOURCE_TREE
set -u
okksim=$1
vectors=${OKKSIM_GOLDEN_DIR:-$2/../shared/golden}/tosa
if [ ! -d "$vectors" ]; then
    echo "no vectors in $vectors: set OKKSIM_GOLDEN_DIR"
    exit 77
fi
groups="int8_mac requantise int_alu lookup convert dma_layout dma_index half_mac"
check() {
    if ! result=$("$okksim" conformance "$vectors" --machine okk-next "$@" 2>&1); then
        echo "with $*:"
        echo "$result" | tail -n 20
        exit 1
    fi
    echo "$* $(echo "$result" | tail -n 1)"
}
none=
for group in $groups fused_rescale int16_mac; do none="$none --set features.$group=false"; done
check
check --set chip.lanes=8 --set chip.local_memory_bytes=65536
check --set features.fused_rescale=false
check --set features.int16_mac=false
# shellcheck disable=SC2086
check $none --set features.int8_mac=true --set features.int16_mac=true
for group in $groups; do
    case $group in
        int8_mac) check --set features.int8_mac=false --set features.fused_rescale=false --set features.int16_mac=false ;;
        requantise) check --set features.requantise=false --set features.fused_rescale=false ;;
        *) check --set "features.$group=false" ;;
    esac
    # shellcheck disable=SC2086
    check $none --set "features.$group=true"
done

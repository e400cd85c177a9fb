#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the shards of a sweep under GNU parallel, one process per core. Each shard has a store next
# to the
# specification; at the end all stores are merged into one. An interrupted run can be started again and continues.
# For several computers that share the folder, set PARALLEL="--sshloginfile nodes --workdir $PWD".
# usage: parallel.sh SPEC.toml NAME [SHARDS]      NAME: the specification's name = "..."
set -eu
okksim=${OKKSIM:-okksim}
spec=$(realpath "$1") name=$2 shards=${3:-8}
folder=$(dirname "$spec")
seq "$shards" | parallel --halt soon,fail=1 --retries 2 "$okksim" sweep "$spec" -j1 --shard "{}/$shards" '>' /dev/null
merges=()
for ((shard = 1; shard <= shards; ++shard)); do
    merges+=(--merge "$folder/$name-$shard-of-$shards.sqlite")
done
"$okksim" sweep "$folder/$name.sqlite" "${merges[@]}"

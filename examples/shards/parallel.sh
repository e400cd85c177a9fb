#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shards of a sweep under GNU parallel: as many at once as there are cores, each in a store of its own beside the
# specification, then all in one. Ended by whatever and started again, every shard goes on where it was.
# On several computers that see the folder: PARALLEL="--sshloginfile nodes --workdir $PWD" in the environment.
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

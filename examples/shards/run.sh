#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the shards of lanes.toml under GNU parallel or Snakemake give the same points as one
# process, and that no point is computed again. Exits with 77 (skipped) if the tool is missing.
# usage: run.sh OKKSIM parallel|snakemake FOLDER
set -u
here=$(realpath "$(dirname "$0")")
OKKSIM=$(realpath "$1") tool=$2 folder=$3
export OKKSIM
command -v "$tool" > /dev/null || { echo "skipped: no $tool (Debian's package $tool)"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder/home"
export HOME=$folder/home  # both tools keep files there
cd "$folder" || exit 1
cp "$here/lanes.toml" .
shards() {
    if [ "$tool" = parallel ]; then
        "$here/parallel.sh" lanes.toml lanes 5
    else
        snakemake -c2 -s "$here/Snakefile" --directory . --config spec=lanes.toml shards=5 okksim="$OKKSIM"
    fi
}
"$OKKSIM" sweep lanes.toml --store whole.sqlite > whole.txt || exit 1
shards > first.txt 2>&1 || { cat first.txt; exit 1; }
"$OKKSIM" sweep whole.sqlite --csv > whole.csv
"$OKKSIM" sweep lanes.sqlite --csv > shards.csv
cmp whole.csv shards.csv || exit 1
[ "$(wc -l < shards.csv)" = 25 ] || { echo "expected 24 points"; exit 1; }
# Removes two shards, one of them only partly. The restart reuses the remaining points.
rm -f lanes-2-of-5.* lanes-4-of-5.done lanes.csv lanes.html
shards > second.txt 2>&1 || { cat second.txt; exit 1; }
"$OKKSIM" sweep lanes.sqlite --csv > again.csv
cmp whole.csv again.csv || exit 1
tail -3 whole.txt

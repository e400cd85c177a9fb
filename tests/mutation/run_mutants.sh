#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_mutants.sh BUILD_FOLDER [WORD]: for each mistake of mutants.txt (whose name contains WORD),
# makes the mistake and builds and runs the test that should detect it. Then it reverts the mistake.
# This developer's tool changes files of the tree while it runs, so use a separate tree without
# changes.
set -u
build=${1:?usage: run_mutants.sh BUILD_FOLDER [WORD]}
word=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root" || exit 2
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "commit or stash your changes first"; exit 2; }
trim() { sed -E 's/^ +| +$//g' <<< "$1"; }
killed=0; survived=0; broken=0; file=
trap '[ -z "$file" ] || git checkout -q -- "$file"' EXIT
while IFS= read -r line; do
    case "$line" in '#'*|'') continue ;; esac
    name=$(trim "${line%% | *}"); rest=${line#* | }
    next=$(trim "${rest%% | *}"); rest=${rest#* | }
    arguments=$(trim "${rest##* |}"); rest=${rest% |*}
    test=$(trim "${rest##* | }"); expression=$(trim "${rest% | *}")
    case "$name" in *"$word"*) ;; *) continue ;; esac
    file=$next
    sed -i -- "$expression" "$file"
    if git diff --quiet -- "$file"; then
        echo "STALE     $name: the expression changes nothing in $file"; broken=$((broken + 1)); file=; continue
    fi
    # Programs that read standard input would consume the remaining rows.
    if ! ninja -C "$build" "$test" > "$build/mutant.log" 2>&1 < /dev/null; then
        echo "STALE     $name: does not compile ($build/mutant.log)"; broken=$((broken + 1))
    else
        program=$(find "$build/tests" -type f -name "$test" | head -1)
        if eval "OKKSIM_SOURCE_DIR=$root timeout 300 '$program' $arguments" > "$build/mutant.log" 2>&1 < /dev/null; then
            echo "SURVIVED  $name"; survived=$((survived + 1))
        else
            echo "killed    $name"; killed=$((killed + 1))
        fi
    fi
    git checkout -q -- "$file"; file=
done < "$here/mutants.txt"
echo "$killed killed, $survived survived, $broken stale"
[ "$survived" -eq 0 ] && [ "$broken" -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_recipes.sh SOURCE WORK CMAKE COMPILER [--separately]
# Applies every recipe to a copy of SOURCE in WORK, builds its program and runs it.
set -eu
source_dir=$1 work=$2 cmake=$3 compiler=$4 separately=${5:-}
command -v patch >/dev/null || { echo "skipped: no patch command"; exit 77; }
recipes=$(cd "$source_dir/tests/recipes" && ls -d */ | tr -d /)
jobs=${OKKSIM_RECIPE_JOBS:-2}

fresh_copy() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree"
    (cd "$source_dir" && tar cf - --exclude=./build --exclude=./.git --exclude=./traces .) |
        tar xf - -C "$work/tree"
}

apply() {
    local file="$source_dir/tests/recipes/$1/$1.patch"
    # tests/documents_generated/document_names.sh compares these files with those that CONTRIBUTING.md names.
    echo "$1: $(grep -c '^+++ ' "$file") files"
    grep '^+++ ' "$file" | sed 's/^+++ b./  /; s/\t.*//'
    patch --quiet --forward -p1 -d "$work/tree" <"$file" ||
        { echo "FAILED: $1.patch does not apply; see tests/recipes/README.md"; exit 1; }
}

build_and_run() {
    "$cmake" -G Ninja -S "$work/tree" -B "$work/build" -DOKKSIM_RECIPES=ON \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O0" -DCMAKE_C_FLAGS_DEBUG="-O0" >"$work/configure.log" 2>&1 ||
        { tail -30 "$work/configure.log"; exit 1; }
    local name
    for name in "$@"; do
        "$cmake" --build "$work/build" --parallel "$jobs" --target "recipe_$name" \
            >"$work/$name.log" 2>&1 ||
            { echo "FAILED: $name does not build"; grep -E 'error|warning' "$work/$name.log" | head; exit 1; }
        "$work/build/tests/recipes/recipe_$name" || { echo "FAILED: $name does not work"; exit 1; }
        echo "$name: works"
    done
}

start=$SECONDS
if [ "$separately" = --separately ]; then
    for recipe in $recipes; do
        fresh_copy
        apply "$recipe"
        build_and_run "$recipe"
    done
else
    fresh_copy
    for recipe in $recipes; do apply "$recipe"; done
    # shellcheck disable=SC2086
    build_and_run $recipes
fi
echo "recipes: $((SECONDS - start)) s"

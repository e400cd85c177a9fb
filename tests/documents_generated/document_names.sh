#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fails if a link of a document leads to no file. Fails if the page of environment variables and the sources have
# different variables. Fails if a patch of tests/recipes touches a file that its recipe in CONTRIBUTING.md does not name.
set -euo pipefail
cd "$(dirname "$0")/../.."
failures=0
complain() {
    [ -z "$2" ] && return
    echo "FAILED: $1"
    sed 's/^/  /' <<<"$2"
    failures=$((failures + 1))
}

documents() {
    find CONTRIBUTING.md CHANGELOG.md docs isa models firmware kernels sim python tests traces examples \
        -name '*.md'
}

# Lines "DOCUMENT TARGET" of all links to files of the tree, without code and without the part after #.
links() {
    documents | while read -r document; do
        sed -e '/^```/,/^```/d' -e 's/`[^`]*`//g' "$document" | grep -oE '\]\([^)]+\)' | sed -e 's/^](//' -e 's/)$//' -e 's/#.*//' |
            grep -vE '^(https?:|$)' | sed "s|^|$document |" || true
    done
}

complain "a link leads to no file" "$(links | sort -u | while read -r document target; do
    [ -e "$(dirname "$document")/$target" ] || echo "$document: $target"
done)"

page=docs/reference/environment-variables.md
read_names() { grep -rhoE '"OKKSIM_[A-Z_]+"' firmware sim python --include='*.cpp' --include='*.h' | tr -d '"' | sort -u; }
written_names() { grep -oE '^\| `OKKSIM_[A-Z_]+`' "$page" | tr -d '|` ' | sort -u; }
complain "$page and the variables that the sources read differ (<: sources, >: page)" \
    "$(diff <(read_names) <(written_names) | grep '^[<>]' || true)"

# recipe FOLDER HEADING: the files of the patch that the section names neither themselves nor by their folder.
recipe() {
    local section file
    section=$(sed -n "/^### $2\$/,/^##/p" CONTRIBUTING.md)
    sed -n 's|^+++ b/||p' tests/recipes/"$1"/*.patch | while read -r file; do
        if ! grep -qF -e "\`$file\`" -e "\`$(dirname "$file")\`" <<<"${section//UNIT/bdc}"; then
            echo "$file of tests/recipes/$1 is not in the section '$2'"
        fi
    done
}
complain "a recipe of CONTRIBUTING.md does not name all files" "$(
    recipe instruction "Add an instruction"
    recipe timing_class "Add a timing class"
    recipe operator "Add a TOSA operator"
    recipe machine_parameter "Add a machine parameter")"

[ "$failures" -eq 0 ]

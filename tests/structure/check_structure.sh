#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_structure.sh SOURCE: fails when files of the tree share a name, when folders include
# each other, or when an include goes against `isa <- models <- sim`, `isa <- firmware <- kernels <- sim`.
set -euo pipefail
cd "$1"
folders=(isa models firmware kernels sim python)
failures=0
complain() {
    [ -z "$2" ] && return
    echo "FAILED: $1"
    sed 's/^/  /' <<<"$2"
    failures=$((failures + 1))
}

sources() { find "$@" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.def' \); }

complain "files share a name; name each after what it does" \
    "$(sources "${folders[@]}" tests examples | sed 's|.*/||' | sort | uniq -d |
        while read -r name; do sources "${folders[@]}" tests examples | grep "/$name\$" | paste -sd' '; done)"

# Lines "FILE FOLDER INCLUDED-FILE INCLUDED-FOLDER" of all includes that name a folder of the tree.
includes=$(sources "${folders[@]}" tests | xargs grep -HoE \
    '^ *# *include "(isa|models|firmware|kernels|sim|python|tests)/[^"]+"' |
    sed -E 's/^([^:]*): *# *include "([^"]*)"/\1 \2/' |
    awk '{ from = $1; to = $2; sub("/[^/]*$", "", from); sub("/[^/]*$", "", to); print $1, from, $2, to }')

complain "folders include each other; move what both need below them" "$(awk '
    $2 != $4 { edge[$2 " " $4] = edge[$2 " " $4] "\n    " $1 " includes " $3 }
    END {
        for (e in edge) {
            split(e, f, " ")
            if (f[1] < f[2] && (f[2] " " f[1]) in edge)
                print f[1] " <-> " f[2] ":" edge[e] edge[f[2] " " f[1]]
        }
    }' <<<"$includes")"

complain "folders include each other in a loop; move what they need below them" \
    "$(awk '$2 != $4 { print $2, $4 }' <<<"$includes" | tsort 2>&1 >/dev/null | sed 's/^tsort: //')"

complain "an include goes against the direction of the units" "$(awk '
    BEGIN {
        allowed["isa"] = " isa "
        allowed["models"] = " isa models "
        allowed["firmware"] = " isa firmware "
        allowed["kernels"] = " isa firmware kernels "
        allowed["sim"] = " isa models firmware kernels sim "
        allowed["python"] = " isa models firmware kernels sim python "
        allowed["tests"] = " isa models firmware kernels sim tests "
    }
    {
        from = $1; to = $3
        sub("/.*", "", from); sub("/.*", "", to)
        if (index(allowed[from], " " to " ") == 0) print $1 " includes " $3
    }' <<<"$includes")"

complain "a reader of graphs knows another one; put what both need into sim/graph" "$(awk '
    BEGIN { split("mlir tosa_v090 tosa_v1 xmodel", names); for (i in names) reader["sim/graph/" names[i]] }
    $2 in reader && $4 in reader && $2 != $4 { print $1 " includes " $3 }' <<<"$includes")"

[ "$failures" -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# built_files.sh FILE...: programs and libraries load nothing from the folder that they are run in.
set -u
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
failed=0
complain() { echo "$1"; failed=1; }
for file in "$@"; do
    while read -r path; do
        case ":$path:" in *::*) complain "$file: RUNPATH \"$path\" has an empty entry" ;; esac
        while read -r entry; do
            case "$entry" in
                /*|'$ORIGIN'*) ;;
                *) complain "$file: entry \"$entry\" of RUNPATH depends on the working folder" ;;
            esac
        done < <(tr ':' '\n' <<< "$path")
    done < <(readelf -dW "$file" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]/\2/p')
done
exit "$failed"

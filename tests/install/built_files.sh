#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# built_files.sh FILE...: programs and libraries load no file from the current folder. Their address
# tables are read-only at run time. No memory is both writable and executable. Code that reads files
# is compiled with guards.
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
    headers=$(readelf -lW "$file")
    dynamic=$(readelf -dW "$file")
    grep -q GNU_RELRO <<< "$headers" || complain "$file: no RELRO"
    grep -qE '\(BIND_NOW\)|NOW' <<< "$dynamic" || complain "$file: RELRO is not full (-z now)"
    grep -qE 'GNU_STACK.* RWE ' <<< "$headers" && complain "$file: an executable stack"
    grep -qE 'LOAD.* RWE ' <<< "$headers" && complain "$file: memory that is written and executed"
    grep -q TEXTREL <<< "$dynamic" && complain "$file: relocations in its code"
    # Code that reads files has stack protectors and calls that check the buffer size.
    symbols=$(readelf --dyn-syms -W "$file")
    grep -q __stack_chk_fail <<< "$symbols" || complain "$file: no stack protector"
    grep -qE '_chk@' <<< "$symbols" || complain "$file: no _FORTIFY_SOURCE"
    readelf -hW "$file" | grep -qE 'Type: +DYN' || complain "$file: is not position independent"
done
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: generated_documents.sh PROGRAM WORK: fails if docs/generate.sh writes other pages than the committed ones.
set -euo pipefail
docs=$(realpath "$(dirname "$0")/../../docs")
rm -rf "$2"
mkdir -p "$2"
"$docs/generate.sh" "$1" "$2"
failures=0
for page in commands.md machine-file.md; do
    diff -u "$docs/reference/$page" "$2/$page" || failures=$((failures + 1))
done
if [ "$failures" -ne 0 ]; then
    echo "FAILED: the program prints other texts: run docs/generate.sh PROGRAM and commit docs/reference"
    exit 1
fi

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: docs/pictures/run_page.sh [PROGRAM]: makes docs/pictures/run_page.png, the picture in README.md. It is the top of the
# page that `okksim run --html` writes. Chromium (Debian's package chromium) draws the page.
set -euo pipefail
program=$(realpath "${1:-build/release/sim/cli/okksim}")
picture=$(realpath "$(dirname "$0")")/run_page.png
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" zoo mobilenet_v2 --precision int8 -o mobilenet_v2_int8
"$program" run mobilenet_v2_int8/model.tosa --machine bm1684-int8 --set mcu.issue=lists \
    --input image=mobilenet_v2_int8/image.npy --html run.html > run.txt
# The size of the window is the size of the picture: the page up to the roofline.
chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync \
    --user-data-dir="$work/profile" --hide-scrollbars --window-size=1100,1250 --virtual-time-budget=5000 \
    --screenshot="$picture" "file://$work/run.html"

# SPDX-License-Identifier: Apache-2.0
# Functions for tests of pages, sourced by bash scripts.

# need_browser: ends the test as skipped (77) without /usr/bin/chromium.
need_browser() {
    command -v chromium > /dev/null || { echo "skipped: no chromium (Debian's package)"; exit 77; }
}

# see_page FOLDER PAGE SCRIPT EXPECTED: opens the page with the HTML of SCRIPT added. SCRIPT acts
# like a user and leaves "SEEN outcome" as the title. Ends the test unless the outcome is EXPECTED
# and the console is empty.
see_page() {
    local folder=$1 page=$2 script=$3 expected=$4 title
    python3 - "$page" "$script" "$folder/seen.html" <<'PYTHON'
import sys
page = open(sys.argv[1]).read()
assert page.count("</body>") == 1 and "http-equiv" not in page
open(sys.argv[3], "w").write(page.replace("</body>", open(sys.argv[2]).read() + "</body>"))
PYTHON
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$folder/profile" --enable-logging=stderr --window-size=1300,2000 \
        --virtual-time-budget=5000 --dump-dom "file://$folder/seen.html" > "$folder/dom.txt" 2> "$folder/console.txt"
    if grep -i 'CONSOLE' "$folder/console.txt"; then echo "$page: the console is not empty"; exit 1; fi
    title=$(grep -o '<title>SEEN [^<]*' "$folder/dom.txt")
    echo "$(basename "$page"): ${title#<title>SEEN }"
    [ "${title#<title>SEEN }" = "$expected" ] || { echo "expected $expected"; exit 1; }
}

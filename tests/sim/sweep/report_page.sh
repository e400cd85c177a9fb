#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of okksim report in headless Chromium: it loads without an error on the console, draws, sorts and
# filters, for one point, a thousand, and for failed ones alone. Skipped (77) without /usr/bin/chromium.
# usage: report_page.sh OKKSIM
set -u
okksim=$1
command -v chromium > /dev/null || { echo "skipped: no chromium (Debian's package)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
workload='[[workload]]
zoo = "mobilenet_v2"
size = 32
width = 0.25'
printf 'name = "one"\n%s\n' "$workload" > "$folder/one.toml"
printf 'name = "failed"\n%s\n[[axis]]\nparameter = "chip.lanes"\nvalues = [4, 5]\n[[axis]]\nparameter = "chip.local_memory_bytes"\nvalues = [1000, "<b>"]\n' "$workload" > "$folder/failed.toml"
printf 'name = "thousand"\nplan = "fixed"\nmode = "sobol"\npoints = 1000\n%s\n[[axis]]\nparameter = "bdc.clock_mhz"\nrange = { from = 300, to = 900 }\n[[axis]]\nparameter = "dram.read_bytes_per_nanosecond"\nrange = { from = 8, to = 64 }\n' "$workload" > "$folder/thousand.toml"
# What a user does, in the page; the outcome becomes its title.
cat > "$folder/test.js" <<'SCRIPT'
<script>
const seen = {};
seen.rows = document.querySelectorAll("#table tbody tr").length;
seen.charts = Object.keys(charts).length;
const pixels = id => { const c = byId(id); return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v !== 0); };
seen.drawn = ["scatter", "effects", "curve", "causes", "roof"].filter(pixels).length;
const head = [...document.querySelectorAll("#table th")].find(th => th.textContent.startsWith("us"));
if (head) { head.click(); const at = [...document.querySelectorAll("#table th")].findIndex(th => th.textContent.startsWith("us")); const cells = [...document.querySelectorAll("#table tbody tr")].map(tr => parseFloat(tr.cells[at].textContent)); seen.sorted = cells.every((v, i) => !i || !(v < cells[i - 1])); }
byId("filter").value = "no such thing"; byId("filter").oninput();
seen.filtered = document.querySelectorAll("#table tbody tr").length;
byId("filter").value = ""; byId("fronted").checked = true; byId("fronted").onchange();
seen.fronted = document.querySelectorAll("#table tbody tr").length > 0;
const chart = charts.scatter, meta = chart.getDatasetMeta(0).data[0];
if (meta) { chart.tooltip.setActiveElements([{ datasetIndex: 0, index: 0 }], { x: meta.x, y: meta.y }); chart.update(); seen.hover = chart.tooltip.body.length > 0 && chart.tooltip.body[0].lines.length > 1; }
seen.copy = ["scatter", "effects", "curve", "causes", "roof", "table"].every(id => copies[id]().length > 0);
document.title = "SEEN " + JSON.stringify(seen);
</script>
SCRIPT
check() {
    local name=$1 expected=$2 page=$folder/$1.html
    "$okksim" sweep "$folder/$name.toml" > /dev/null || exit 1
    "$okksim" report "$folder/$name.sqlite" -o "$page" > /dev/null || exit 1
    python3 - "$page" "$folder/test.js" <<'PYTHON'
import sys
page = open(sys.argv[1]).read()
assert page.count("</body>") == 1 and "http-equiv" not in page
open(sys.argv[1], "w").write(page.replace("</body>", open(sys.argv[2]).read() + "</body>"))
PYTHON
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$folder/profile" --enable-logging=stderr --window-size=1300,2000 \
        --virtual-time-budget=5000 --dump-dom "file://$page" > "$folder/dom.txt" 2> "$folder/console.txt"
    if grep -i 'CONSOLE' "$folder/console.txt"; then echo "$name: the console is not empty"; exit 1; fi
    local title
    title=$(grep -o '<title>SEEN [^<]*' "$folder/dom.txt")
    echo "$name: ${title#<title>SEEN }"
    [ "${title#<title>SEEN }" = "$expected" ] || { echo "expected $expected"; exit 1; }
}
check one '{"rows":1,"charts":5,"drawn":5,"sorted":true,"filtered":0,"fronted":true,"hover":true,"copy":true}'
check thousand '{"rows":500,"charts":5,"drawn":5,"sorted":true,"filtered":0,"fronted":true,"hover":true,"copy":true}'
check failed '{"rows":4,"charts":5,"drawn":5,"sorted":true,"filtered":0,"fronted":false,"copy":true}'
echo passed

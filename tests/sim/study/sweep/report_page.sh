#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of okksim report in headless Chromium: it loads without an error on the console, draws,
# sorts and filters. It is tested with one point, a thousand points, and failed points alone.
# Skipped (77) without /usr/bin/chromium.
# usage: report_page.sh OKKSIM
set -u
okksim=$1
. "$(dirname "$0")/../../../support/browser.sh"
need_browser
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
workload='[[workload]]
zoo = "mobilenet_v2"
size = 32
width = 0.25'
printf 'name = "one"\n%s\n' "$workload" > "$folder/one.toml"
printf 'name = "failed"\n%s\n[[axis]]\nparameter = "chip.lanes"\nvalues = [4, 5]\n[[axis]]\nparameter = "chip.local_memory_bytes"\nvalues = [1000, "<b>"]\n' "$workload" > "$folder/failed.toml"
printf 'name = "thousand"\nplan = "fixed"\nmode = "sobol"\npoints = 1000\n%s\n[[axis]]\nparameter = "bdc.clock_mhz"\nrange = { from = 300, to = 900 }\n[[axis]]\nparameter = "dram.read_bytes_per_nanosecond"\nrange = { from = 8, to = 64 }\n' "$workload" > "$folder/thousand.toml"
# Actions of a user in the page; the outcome becomes its title.
cat > "$folder/test.js" <<'SCRIPT'
<script>
const seen = {};
seen.rows = document.querySelectorAll("#table tbody tr").length;
seen.charts = Object.keys(charts).length;
const pixels = id => { const c = byId(id); return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v !== 0); };
seen.drawn = ["scatter", "effects", "curve", "causes", "roof"].filter(pixels).length;
const head = [...document.querySelectorAll("#table th")].find(th => th.textContent.startsWith("us"));
if (head) { head.click(); const at = [...document.querySelectorAll("#table th")].findIndex(th => th.textContent.startsWith("us")); const cells = [...document.querySelectorAll("#table tbody tr")].map(tr => parseFloat(tr.cells[at].textContent)); seen.sorted = cells.every((v, i) => !i || !(v < cells[i - 1])); }
const levels = Object.keys(data.levels);
if (levels.length) { byId("within").value = levels[0]; byId("within").onchange(); seen.dashed = charts.scatter.data.datasets.filter(d => d.borderDash && d.data.length).length === data.levels[levels[0]].length; byId("within").value = "(none)"; byId("within").onchange(); }
if (data.name === "bound") seen.effects = copies.effects().split("\n").slice(1).map(l => { const [name, ratio] = l.split("\t"); return (+ratio).toFixed(4) + "x " + name; }).join(" ");
byId("filter").value = "no such thing"; byId("filter").oninput();
seen.filtered = document.querySelectorAll("#table tbody tr").length;
byId("filter").value = ""; byId("fronted").checked = true; byId("fronted").onchange();
seen.fronted = document.querySelectorAll("#table tbody tr").length > 0;
const chart = charts.scatter, meta = chart.getDatasetMeta(0).data[0];
if (meta) { chart.tooltip.setActiveElements([{ datasetIndex: 0, index: 0 }], { x: meta.x, y: meta.y }); chart.update(); seen.hover = chart.tooltip.body.length > 0 && chart.tooltip.body[0].lines.length > 1; }
const bars = () => charts.two.data.datasets[0].data;
seen.same = data.rows.length > 1 || bars().length === 0;
if (ran.length > 1) { byId("from").value = "0"; byId("to").value = "1"; two(); const forth = bars().slice(); byId("from").value = "1"; byId("to").value = "0"; two(); seen.back = forth.length > 0 && bars().every((v, i) => v === -forth[i]); }
byId("from").value = "none"; two(); seen.none = bars().length === 0;
seen.copy = ["scatter", "effects", "curve", "causes", "roof", "two", "table"].every(id => copies[id]().length > 0);
document.title = "SEEN " + JSON.stringify(seen);
</script>
SCRIPT
check() {
    local name=$1 expected=$2 page=$folder/$1.html
    # The exit code reports a sweep in which every point failed; such a sweep also has a page.
    "$okksim" sweep "$folder/$name.toml" > /dev/null 2> "$folder/err" || [ "$name" = failed ] ||
        { cat "$folder/err"; exit 1; }
    "$okksim" report "$folder/$name.sqlite" -o "$page" > /dev/null || exit 1
    see_page "$folder" "$page" "$folder/test.js" "$expected"
}
check one '{"rows":1,"charts":6,"drawn":5,"sorted":true,"filtered":0,"fronted":true,"hover":true,"same":true,"none":true,"copy":true}'
check thousand '{"rows":500,"charts":6,"drawn":5,"sorted":true,"dashed":true,"filtered":0,"fronted":true,"hover":true,"same":true,"back":true,"none":true,"copy":true}'
# Effects of unbalanced points equal those that the program prints.
printf 'name = "bound"\nplan = "fixed"\nmode = "random"\npoints = 200\nconstraints = ["bdc.clock_mhz + 10 * dram.read_bytes_per_nanosecond <= 900"]\n%s\n[[axis]]\nparameter = "bdc.clock_mhz"\nrange = { from = 300, to = 900 }\n[[axis]]\nparameter = "dram.read_bytes_per_nanosecond"\nvalues = [8, 16, 32, 64]\n' "$workload" > "$folder/bound.toml"
effects=$("$okksim" sweep "$folder/bound.toml" | sed -n 's/^ *\([0-9.]*x\)  \([^:]*\): best.*/\1 \2/p' | paste -sd ' ')
check bound '{"rows":200,"charts":6,"drawn":5,"sorted":true,"dashed":true,"effects":"'"$effects"'","filtered":0,"fronted":true,"hover":true,"same":true,"back":true,"none":true,"copy":true}'
check failed '{"rows":4,"charts":6,"drawn":5,"sorted":true,"filtered":0,"fronted":false,"same":true,"none":true,"copy":true}'
echo passed

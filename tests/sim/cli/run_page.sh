#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_page.sh OKKSIM: the page of okksim run --html in headless Chromium. It loads without an error
# on the console, draws, zooms, describes the item under the pointer, sorts and filters. A run that
# ended with a fault is tested, too. Skipped (77) without chromium.
set -u
okksim=$1
. "$(dirname "$0")/../../support/browser.sh"
need_browser
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$okksim" zoo mobilenet_v2 --size 32 --width 0.25 -o "$folder/net" > /dev/null || exit 1
cat > "$folder/test.js" <<'SCRIPT'
<script>
const seen = {};
const pixels = id => { const c = byId(id); return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v !== 0); };
seen.drawn = ["gantt", "causes", "roof", "longest", "energy"].filter(pixels).length;
const rows = () => [...document.querySelectorAll("#table tbody tr")];
seen.operators = rows().length === ops.length;
const column = name => [...document.querySelectorAll("#table th")].findIndex(th => th.textContent.startsWith(name));
const cells = name => rows().map(tr => parseFloat(tr.cells[column(name)].textContent));
seen.longest_first = cells("us").every((v, i, all) => !i || v <= all[i - 1]);
document.querySelectorAll("#table th")[column("#")].click();
seen.in_order = cells("#").every((v, i) => v === i);
byId("filter").value = "no such thing"; byId("filter").oninput(); seen.filtered = rows().length;
const canvas = byId("gantt"), box = canvas.getBoundingClientRect();
// The pointer over the middle of the longest bar of an engine, then over what local memory holds longest.
const point = (t, y) => ({ clientX: box.left + left + (t - view[0]) / (view[1] - view[0]) * (box.width - left - 4), clientY: box.top + y });
const bar = data.bars.slice().sort((a, b) => b[3] - b[2] - a[3] + a[2])[0];
const told = bar && under(point((bar[2] + bar[3]) / 2, row_height * (bar[0] + .5)));
seen.engine = !!told && told[0] === data.engines[bar[0]] + ": " + label(bar[1]);
const held = data.local.slice().sort((a, b) => b[4] - b[3] - a[4] + a[3])[0];
const kept = held && under(point((held[3] + held[4]) / 2, layout().y((held[0] + held[1]) / 2)));
seen.memory = !!kept && kept[0].startsWith("made by ");
zoom((whole[0] + whole[1]) / 2, .5); seen.zoomed = view[1] - view[0] < whole[1];
byId("reset").click(); seen.whole = view[0] === whole[0] && view[1] === whole[1];
// Every moment of an engine is some operator's, but for start and end.
seen.within = data.bars.every(b => b[2] >= 0 && b[3] <= whole[1]) && data.local.every(b => b[0] >= 0 && b[1] <= data.local_bytes);
seen.copy = ["gantt", "causes", "roof", "longest", "energy", "table"].every(id => copies[id]().length > 0);
document.title = "SEEN " + JSON.stringify(seen);
</script>
SCRIPT
all='{"drawn":5,"operators":true,"longest_first":true,"in_order":true,"filtered":0,"engine":true,"memory":true,"zoomed":true,"whole":true,"within":true,"copy":true}'
"$okksim" run "$folder/net/model.tosa" --html "$folder/run.html" > /dev/null || exit 1
see_page "$folder" "$folder/run.html" "$folder/test.js" "$all"
"$okksim" run "$folder/net/model.tosa" --no-data --no-fusion --html "$folder/times.html" > /dev/null || exit 1
see_page "$folder" "$folder/times.html" "$folder/test.js" "$all"
"$okksim" run "$folder/net/model.tosa" --command-budget 40 --html "$folder/fault.html" > /dev/null 2>&1
[ $? -eq 3 ] || { echo "the fault has another exit code"; exit 1; }
grep -q 'ended by' "$folder/fault.html" || { echo "the page does not report the fault"; exit 1; }
echo passed

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# worth_page.sh OKKSIM: the page of `okksim worth` in headless Chromium. It loads without an error
# on the console, draws, changes model, metric and group, and sorts. Pages of a single model and of
# machines on which it does not run are tested, too. Skipped (77) without chromium.
set -u
okksim=$1
. "$(dirname "$0")/../../../support/browser.sh"
need_browser
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
"$okksim" zoo mobilenet_v2 --precision int8 --size 32 --width 0.25 -o net > /dev/null || exit 1
"$okksim" zoo mobilenet_v2 --size 32 --width 0.25 -o plain > /dev/null || exit 1
cat > test.js <<'SCRIPT'
<script>
const seen = {};
const pixels = id => { const c = byId(id); return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v !== 0); };
seen.drawn = ["points", "gains", "area", "curve"].filter(pixels).length;
const trs = id => [...document.querySelectorAll("#" + id + " tbody tr")];
seen.models = byId("network").options.length;
seen.points = trs("table").length === data.points.length;
seen.groups = trs("groups").length;
// The last one is a model, with operators; the mean has none.
byId("network").selectedIndex = seen.models - 1; byId("network").onchange();
seen.operators = trs("issued").length > 0;
seen.gains = charts.gains.data.labels.length > 0;
const lengths = () => charts.points.data.datasets[0].data.join();
const us = lengths(); byId("figure").value = "commands"; byId("figure").onchange(); seen.figure = lengths() !== us;
const gain = () => charts.gains.data.datasets[0].data.slice().sort().join();
const of_all = gain(); byId("without").selectedIndex = 1; byId("without").onchange(); seen.without = gain() !== of_all;
seen.curve = charts.curve.data.datasets[0].data.length;
const column = name => [...document.querySelectorAll("#table th")].findIndex(th => th.textContent.startsWith(name));
document.querySelectorAll("#table th")[column("commands")].click();
const cells = trs("table").map(tr => parseFloat(tr.cells[column("commands")].textContent)).filter(v => !isNaN(v));
seen.sorted = cells.every((v, i, all) => !i || v >= all[i - 1]);
seen.unused = byId("unused").textContent;
seen.copy = ["points", "gains", "area", "curve", "table"].every(id => copies[id]().length > 0);
document.title = "SEEN " + JSON.stringify(seen);
</script>
SCRIPT
"$okksim" worth plain/model.tosa net/model.tosa --groups requantise,convert --parameter features.rescale_multipliers=1,4 --html two.html > /dev/null || exit 1
see_page "$folder" "$folder/two.html" "$folder/test.js" '{"drawn":4,"models":3,"points":true,"groups":3,"operators":true,"gains":true,"figure":true,"without":true,"curve":2,"sorted":true,"unused":"","copy":true}'
# A model that does not use the group.
"$okksim" worth plain/model.tosa --groups lookup --html one.html > /dev/null || exit 1
see_page "$folder" "$folder/one.html" "$folder/test.js" '{"drawn":4,"models":1,"points":true,"groups":1,"operators":true,"gains":true,"figure":true,"without":false,"curve":0,"sorted":true,"unused":"lookup: no command of this group was issued.","copy":true}'
# No machine has enough memory for it.
"$okksim" worth plain/model.tosa --groups lookup --set global.bytes=81.25MiB --html none.html > /dev/null
[ $? -eq 3 ] || { echo "a model that does not run has another exit code"; exit 1; }
see_page "$folder" "$folder/none.html" "$folder/test.js" '{"drawn":4,"models":1,"points":true,"groups":1,"operators":false,"gains":false,"figure":false,"without":false,"curve":0,"sorted":true,"unused":"","copy":true}'
echo passed

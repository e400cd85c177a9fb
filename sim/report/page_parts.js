// Parts of all pages: colours, plots whose data can be copied.
const byId = id => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const ink = dark ? "#ccc" : "#333";
Chart.defaults.color = ink; Chart.defaults.borderColor = dark ? "#ffffff20" : "#00000018"; Chart.defaults.animation = false;
const palette = ["#0a7bd6", "#e8710a", "#0f9d58", "#b33cc9", "#d93025", "#7a6a00", "#00a3a3", "#8d6e63", "#5c6bc0", "#c2185b"];
const short = v => v === null || v === undefined ? "" : typeof v === "number" ? (Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(4) : String(+v.toPrecision(6))) : String(v);
const fill = (select, names, chosen) => { select.replaceChildren(...names.map(n => new Option(n, n, false, n === chosen))); };
const charts = {}, copies = {};
function draw(id, config, head, rows) {
    if (charts[id]) charts[id].destroy();
    charts[id] = new Chart(byId(id), config);
    copies[id] = () => [head, ...rows()].map(r => r.map(short).join("\t")).join("\n");
}
/// Returns a number with a prefix of its unit: 600 G.
const prefixed = v => { const power = Math.max(0, Math.min(5, Math.floor(Math.log10(Math.max(1, v)) / 3))); return short(v / 1000 ** power) + ["", " k", " M", " G", " T", " P"][power]; };
const axis = (name, log, text = short) => ({ type: log ? "logarithmic" : "linear", title: { display: true, text: name }, ticks: { callback: v => text(v), maxTicksLimit: 9 } });
const options = (x, y, tip) => ({ responsive: true, maintainAspectRatio: false, scales: { x, y }, plugins: { legend: { display: false }, tooltip: { callbacks: tip ? { label: tip } : {} } } });
function copy_buttons() {
    for (const button of document.querySelectorAll("button[data-copy]")) button.onclick = () => navigator.clipboard.writeText(copies[button.dataset.copy]()).then(() => { button.textContent = "copied"; }, () => { button.textContent = "cannot copy here"; });
}
/// Fills a table: rows of cells, sorted by a click on a column's name. `order` is [column, 1 or -1]; `again` draws anew.
function fill_table(table, names, rows, order, again, text = []) {
    const head = document.createElement("tr");
    for (const name of names) {
        const th = document.createElement("th");
        th.textContent = name + (order[0] === name ? (order[1] > 0 ? " \u2191" : " \u2193") : "");
        if (text.includes(name)) th.className = "text";
        th.onclick = () => again([name, order[0] === name ? -order[1] : 1]);
        head.append(th);
    }
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...rows.map(r => {
        const tr = document.createElement("tr");
        if (r.mark) tr.className = "front";
        r.cells.forEach((cell, i) => { const td = document.createElement("td"); td.textContent = short(cell); if (text.includes(names[i])) td.className = "text"; tr.append(td); });
        return tr;
    }));
}
/// Orders rows by the value of `of`. Rows without a value come last.
function sort_rows(rows, of, direction) {
    return rows.sort((a, b) => { const x = of(a), y = of(b); return direction * (x === y ? 0 : x === null ? 1 : y === null ? -1 : x < y ? -1 : 1); });
}

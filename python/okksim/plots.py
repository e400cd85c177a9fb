# SPDX-License-Identifier: Apache-2.0
"""Pictures of results, with matplotlib."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arguments import optional_module

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .results import Result
    from .sweeps import Table


def _axes(axes: Axes | None, caller: str, size: tuple[float, float]) -> Axes:
    pyplot = optional_module("matplotlib.pyplot", "matplotlib", caller)
    return axes if axes is not None else pyplot.subplots(figsize=size, layout="constrained")[1]


def timeline(result: Result, axes: Axes | None) -> Axes:
    """A row for operators, and one per engine, whose height is the engine's busy share of an operator."""
    axes = _axes(axes, "plot_timeline()", (10, 2.4))
    rows = ("BDC", "GDMA", "operator")
    shown = [operator for operator in result.operators if operator["us"] > 0]
    begin = min((operator["start_us"] for operator in shown), default=0.0)
    for number, operator in enumerate(shown):
        start, length = operator["start_us"] - begin, operator["end_us"] - operator["start_us"]
        axes.broken_barh([(start, length)], (1.6, 0.8), facecolors=f"C{number % 10}")
        for row, busy in enumerate((operator["bdc_busy_us"], operator["gdma_busy_us"])):
            share = min(1.0, busy / length) if length > 0 else 0.0
            axes.broken_barh([(start, length)], (row - 0.4, 0.8 * share), facecolors=f"C{number % 10}")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    axes.set_xlabel("time in us; the height is the busy share of the engine")
    return axes


def roofline(result: Result, axes: Axes | None) -> Axes:
    """Operators by operations per byte and operations per second, below the roof of the machine."""
    axes = _axes(axes, "plot_roofline()", (7, 5))
    shown = [operator for operator in result.operators
             if operator["roofline"]["operations_per_byte"] and operator["roofline"]["operations"] > 0]
    for bound in sorted({operator["roofline"]["bound"] for operator in shown}):
        of_bound = [operator["roofline"] for operator in shown if operator["roofline"]["bound"] == bound]
        axes.scatter([row["operations_per_byte"] for row in of_bound],
                     [row["achieved_operations_per_second"] / 1e9 for row in of_bound], label=f"bound: {bound}")
    roofs = sorted((operator["roofline"]["operations_per_byte"],
                    operator["roofline"]["roof_operations_per_second"] / 1e9)
                   for operator in shown if operator["roofline"]["roof_operations_per_second"])
    axes.plot([x for x, _ in roofs], [y for _, y in roofs], "k_", label="roof of the operator")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations per byte of DRAM")
    axes.set_ylabel("operations per second in Gop/s")
    if shown:
        axes.legend()
    return axes


def front(table: Table, x: str | None, y: str | None, axes: Axes | None) -> Axes:
    """All points of a sweep, and the Pareto front as a line."""
    row: dict[str, Any]
    objectives = table.objectives
    if x is None or y is None:
        if len(objectives) < 2:
            raise ValueError(f"plot_front(): the sweep has {len(objectives)} objective, and a picture needs two; "
                             'name two metrics: plot_front(x="area_mm2", y="us")')
        x, y = x or objectives[1], y or objectives[0]
    axes = _axes(axes, "plot_front()", (7, 5))
    points = [row for row in table.points if row.get(x) is not None and row.get(y) is not None]
    if not points:
        raise ValueError(f"plot_front(): no point has values of {x} and {y}; Table.points has the names of all values")
    axes.scatter([row[x] for row in points], [row[y] for row in points], color="0.7", label="points")
    best = sorted((row[x], row[y]) for row in table.front() if row.get(x) is not None and row.get(y) is not None)
    axes.plot([at for at, _ in best], [value for _, value in best], "o-", label="Pareto front")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend()
    return axes

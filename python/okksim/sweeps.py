# SPDX-License-Identifier: Apache-2.0
"""Workloads on many machines, and their stores."""
from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, plots
from .arguments import whole_number
from .tables import Rows, frame, html_table
from .wording import for_python

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Progress = Callable[[int, int], object]


def _number(text: str) -> Any:
    """A setting as a number if possible: 262144 for "256KiB"."""
    value = _core.number_of(text)
    if value is None:
        return text
    return int(value) if value.is_integer() else value


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    settings = {path: _number(text) for path, text in row.pop("settings").items()}
    return settings | row


class SweepError(RuntimeError):
    """Every point of a sweep failed. `table` has the points with their failures."""

    def __init__(self, message: str, table: Table):
        super().__init__(message)
        self.table = table


class Table:
    """The finished points of a sweep in a store."""

    def __init__(self, store: str, sweep: int, folder: str | None = None):
        self.store = store
        if folder:  # a temporary store, which is removed together with the table
            weakref.finalize(self, shutil.rmtree, folder, True)
        points, answers, text, damage = _core.read_sweep(store, sweep)
        self._text = for_python(text)
        for line in damage.splitlines():
            warnings.warn(f"{store}: {line}", stacklevel=3)
        self._points = json.loads(points)
        self._answers = json.loads(answers)

    @property
    def name(self) -> str:
        """The name of the sweep."""
        return self._points["sweep"]

    @cached_property
    def points(self) -> Rows:
        """A dict per point: number, workload, machine_hash, parameters by path, metrics of the
        run and of the specification, failure (None if it has run)."""
        return Rows({"number": point.pop("number"), "workload": point.pop("workload"),
                     "machine_hash": point.pop("machine_hash"),
                     "failure": for_python(point.pop("failure", None))} | _flat(point)
                    for point in self._points["points"])

    @property
    def objectives(self) -> list[str]:
        """The names of the objectives, in the order of the specification."""
        return self._answers["objectives"]

    def front(self) -> Rows:
        """The Pareto front: machines that no other machine dominates. Each has its parameters,
        objectives (over all workloads), numbers of their points."""
        return Rows(self._machine(row) for row in self._answers["front"])

    def knee(self) -> dict[str, Any] | None:
        """The knee of a Pareto front, or None."""
        row = self._answers["knee"]
        return row and self._machine(row)

    def levels(self) -> Rows:
        """The best machine (as in front()) among those whose `metric` is at most `most`, or None.
        Limits are those of [levels], or some areas and powers."""
        return Rows(level | {"best": level["best"] and self._machine(level["best"])}
                    for level in self._answers["levels"])

    def effects(self) -> Rows:
        """The effect of each parameter on the first objective, largest first."""
        return Rows(self._answers["effects"])

    @staticmethod
    def _machine(row: dict[str, Any]) -> dict[str, Any]:
        settings = {path: _number(text) for path, text in row["settings"].items()}
        return settings | row["objectives"] | {"points": row["points"]}

    def to_pandas(self) -> pandas.DataFrame:
        """The points as a DataFrame. Needs pandas."""
        return frame(self.points, "Table.to_pandas()")

    def plot_front(self, x: str | None = None, y: str | None = None, axes: Axes | None = None) -> Axes:
        """Draws the points and the Pareto front. `x` and `y` are metrics; by default the second and the first
        objective. Needs matplotlib; returns its axes."""
        return plots.front(self, x, y, axes)

    def _repr_html_(self) -> str:
        rows = self.front()
        caption = f"Pareto front of {self.name}: {len(rows)} machines of {len(self)} points"
        return html_table(rows or self.points, caption=caption)

    def __len__(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<okksim.Table {self.name}: {len(self)} points>"


def sweep(spec: str | os.PathLike[str], store: str | os.PathLike[str] | None = None, jobs: int = 1,
          progress: Progress | None = None, most_points: int = 20_000) -> Table:
    """Runs a sweep: a TOML file, or its text (then paths are relative to the working folder).

    Points that the store has are taken from it. Without `store`, points of a
    file are in NAME.sqlite next to it, as with `okksim sweep`. Points of a text are in a store that
    ends with the table. `jobs` processes compute; Ctrl-C ends them, and what they have finished stays in the
    store. More than `most_points` points to compute are refused.
    Raises ConfigError, and SweepError if every point failed.
    """
    whole_number("jobs", jobs, 1, 4096)
    whole_number("most_points", most_points, 1, 2**63)
    folder = None
    is_text = isinstance(spec, str) and "=" in spec and not os.path.exists(spec)
    if store is None and is_text:
        folder = tempfile.mkdtemp(prefix="okksim-")
        store = os.path.join(folder, "sweep.sqlite")
    if store is None:
        store = _core.store_path(os.fspath(spec))
    try:
        outcome = _core.run_sweep(os.fspath(spec), os.getcwd() if is_text else "",
                                  os.fspath(store), jobs, most_points, progress)
    except BaseException:
        if folder:
            shutil.rmtree(folder, True)
        raise
    table = Table(os.fspath(store), outcome["sweep"], folder)
    _check_some_ran(table, outcome)
    return table


def _check_some_ran(table: Table, outcome: dict[str, int]) -> None:
    """Raises SweepError with the reasons if no point of the sweep has run."""
    failures = [point["failure"] for point in table.points]
    if outcome["points"] == 0 or any(failure is None for failure in failures):
        return
    reasons = list(dict.fromkeys(failures)) or ["their processes ended without a result"]
    shown = "; ".join(reasons[:3]) + (f"; and {len(reasons) - 3} other reasons" if len(reasons) > 3 else "")
    raise SweepError(f"sweep {table.name}: all {outcome['points']} points failed: {shown}. "
                     "Repair the workload or the axes; the `table` of this exception has all points", table)


def open_store(path: str | os.PathLike[str], name: str | None = None) -> Table:
    """The last sweep of a store, or the last one of this name. Raises ConfigError."""
    sweep_id = -1
    if name is not None:
        ids = [known["id"] for known in _core.stored_sweeps(os.fspath(path))
               if known["name"] == name]
        if not ids:
            raise KeyError(f"{Path(path)} has no sweep {name!r}")
        sweep_id = ids[-1]
    return Table(os.fspath(path), sweep_id)

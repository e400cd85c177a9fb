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

from . import _core

if TYPE_CHECKING:
    import pandas

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


class Table:
    """The finished points of a sweep in a store."""

    def __init__(self, store: str, sweep: int, folder: str | None = None):
        self.store = store
        if folder:  # a temporary store, which is removed together with the table
            weakref.finalize(self, shutil.rmtree, folder, True)
        points, answers, self._text, damage = _core.read_sweep(store, sweep)
        for line in damage.splitlines():
            warnings.warn(f"{store}: {line}", stacklevel=3)
        self._points = json.loads(points)
        self._answers = json.loads(answers)

    @property
    def name(self) -> str:
        """The name of the sweep."""
        return self._points["sweep"]

    @cached_property
    def points(self) -> list[dict[str, Any]]:
        """A dict per point: number, workload, machine_hash, parameters by path, metrics of the
        run and of the specification, failure (None if it has run)."""
        return [{"number": point.pop("number"), "workload": point.pop("workload"),
                 "machine_hash": point.pop("machine_hash"),
                 "failure": point.pop("failure", None)} | _flat(point)
                for point in self._points["points"]]

    def front(self) -> list[dict[str, Any]]:
        """The Pareto front: machines that no other machine dominates. Each has its parameters,
        objectives (over all workloads), numbers of their points."""
        return [self._machine(row) for row in self._answers["front"]]

    def knee(self) -> dict[str, Any] | None:
        """The knee of a Pareto front, or None."""
        row = self._answers["knee"]
        return row and self._machine(row)

    def levels(self) -> list[dict[str, Any]]:
        """The best machine (as in front()) among those whose `metric` is at most `most`, or None.
        Limits are those of [levels], or some areas and powers."""
        return [level | {"best": level["best"] and self._machine(level["best"])}
                for level in self._answers["levels"]]

    def effects(self) -> list[dict[str, Any]]:
        """The effect of each parameter on the first objective, largest first."""
        return self._answers["effects"]

    @staticmethod
    def _machine(row: dict[str, Any]) -> dict[str, Any]:
        settings = {path: _number(text) for path, text in row["settings"].items()}
        return settings | row["objectives"] | {"points": row["points"]}

    def to_pandas(self) -> pandas.DataFrame:
        """The points as a DataFrame."""
        import pandas
        return pandas.DataFrame(self.points)

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
    store. More than `most_points` points to compute are refused. Raises ConfigError.
    """
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
    return Table(os.fspath(store), outcome["sweep"], folder)


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

# SPDX-License-Identifier: Apache-2.0
"""The result of a run."""
from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, plots
from .tables import Rows, html_table

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

# Columns of operators in a notebook; Result.to_pandas() has all.
_COLUMNS = ("operator", "output", "us", "gdma_busy_us", "bdc_busy_us", "bytes_moved", "most_time_lost")


class Result:
    """A run of a graph, with data (`outputs`) or without. Its metrics are those of `okksim run`."""

    def __init__(self, core: _core.Run):
        self._core = core

    @cached_property
    def figures(self) -> dict[str, float]:
        """All metrics by name, as in the store of a sweep (sim/study/sweep/README.md)."""
        return self._core.figures()

    @property
    def us(self) -> float:
        """Simulated time in microseconds, without the host's launch and sync."""
        return self.figures["us"]

    @property
    def launch_us(self) -> float:
        """Simulated time with the host's launch and sync."""
        return self.figures["launch_us"]

    @property
    def constant_file_bytes(self) -> float:
        """Bytes of constants, packed ones too, that the chip loads before the first run."""
        return self.figures["constant_file_bytes"]

    @property
    def floor_us(self) -> float:
        """The ideal time: all operations at peak, all inputs and outputs through DRAM once."""
        return self.figures["floor_us"]

    @property
    def reachable_bound_us(self) -> float:
        """The reachable bound: a lower bound of the time of every plan on this machine."""
        return self.figures["reachable_bound_us"]

    @property
    def energy_j(self) -> float:
        """Energy in joules, launch and sync included."""
        return self.figures["energy_j"]

    @property
    def area_mm2(self) -> float:
        """Area of the machine."""
        return self.figures["area_mm2"]

    @property
    def band_us(self) -> tuple[float, float] | None:
        """The likely band of the silicon time `launch_us`; None unless requested."""
        if "band_low_us" not in self.figures:
            return None
        return self.figures["band_low_us"], self.figures["band_high_us"]

    @cached_property
    def report(self) -> dict[str, Any]:
        """The report of `okksim run --json` as a dict."""
        return json.loads(self._core.report_json())

    @property
    def account(self) -> dict[str, Any]:
        """Time of every engine by cause."""
        return self.report["account"]

    @property
    def operators(self) -> Rows:
        """Operators in order of execution, with time, commands, roofline and energy."""
        return Rows(self.report["operators"], _COLUMNS)

    @property
    def causes(self) -> Rows:
        """Time of every engine by cause: rows of engine, cause, us, and share of the engine's time."""
        rows = Rows()
        for engine, account in self.account["engines"].items():
            all_us = sum(account["us_by_cause"].values())
            rows.extend({"engine": engine, "cause": cause, "us": us, "share": us / all_us if all_us else 0.0}
                        for cause, us in account["us_by_cause"].items())
        return rows

    def to_pandas(self) -> pandas.DataFrame:
        """The operators as a DataFrame; `causes.to_pandas()` has the causes. Needs pandas."""
        return self.operators.to_pandas()

    def plot_timeline(self, axes: Axes | None = None) -> Axes:
        """Draws operators and engines over time. Needs matplotlib; returns its axes."""
        return plots.timeline(self, axes)

    def plot_roofline(self, axes: Axes | None = None) -> Axes:
        """Draws operators below the roof of the machine. Needs matplotlib; returns its axes."""
        return plots.roofline(self, axes)

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """Probable mistakes."""
        return self.report["warnings"]

    @cached_property
    def outputs(self) -> dict[str, np.ndarray]:
        """Outputs by name; empty for a run without data. bf16 and fp8e4m3 are bit patterns."""
        return self._core.outputs()

    @cached_property
    def values(self) -> Sequence[bytes]:
        """The values that decide control flow, for `Plan.time`; only of runs with `keep_values`."""
        return self._core.values()

    def _repr_html_(self) -> str:
        return html_table(self.operators, _COLUMNS,
                          f"{self.us:.3f} us, {self.energy_j * 1e3:.3f} mJ, floor {self.floor_us:.3f} us")

    def __repr__(self) -> str:
        return f"<okksim.Result {self.us:.3f} us>"

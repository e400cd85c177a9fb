# SPDX-License-Identifier: Apache-2.0
"""Graphs and their plans."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .arguments import whole_number
from .machines import Machine, MachineLike, as_machine
from .results import Result
from .tables import Rows, html_table

if TYPE_CHECKING:
    import pandas

Progress = Callable[[int, int], object]

_PRECISIONS = ("fp32", "fp16", "int8")


class Value(NamedTuple):
    """An input or output of a graph."""

    name: str
    shape: tuple[int, ...]
    type: str
    """The TOSA name: "fp32_t", "i8_t", ..."""
    dtype: np.dtype
    """The dtype of its arrays; bit patterns (void) if NumPy lacks the type."""


def _values(infos: Sequence[tuple[str, list[int], str, str]]) -> list[Value]:
    return [Value(name, tuple(shape), type_, np.dtype(dtype)) for name, shape, type_, dtype in infos]


class Plan:
    """The schedule of a graph on a machine."""

    def __init__(self, graph: Graph, machine: Machine, effort: int, fuse: bool):
        whole_number("effort", effort, 0, 2)
        self.graph = graph
        self.machine = machine
        self.difference = ""
        self._core = _core.Plan(graph._core, machine._core, fuse, effort)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan as `okksim plan --json` does, for `Graph.load_plan` and `okksim run --plan`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._core.document())

    @cached_property
    def steps(self) -> Rows:
        """Steps: kernel, commands, bytes, isolated time, as in `okksim plan --json`."""
        return Rows(json.loads(self._core.steps_json()))

    def to_pandas(self) -> pandas.DataFrame:
        """The steps as a DataFrame. Needs pandas."""
        return self.steps.to_pandas()

    def _repr_html_(self) -> str:
        return html_table(self.steps, caption=f"Plan for {self.machine.label}")

    def time(self, machine: MachineLike | None = None, values: Sequence[bytes] | Result | None = None,
             bands: bool = False) -> Result:
        """The time of a run of this plan, also on another machine. Nothing is computed.

        `values` comes from a run with `keep_values`, for graphs whose control flow depends on
        values. Raises ConfigError if the plan cannot run on the machine, and ProgramFault if a
        value is missing.
        """
        if isinstance(values, Result):
            values = values.values
        chosen = self.machine if machine is None else as_machine(machine)
        return Result(self._core.time(chosen._core, list(values or []), bands))

    def run(self, inputs: Mapping[str, ArrayLike] | None = None, *, seed: int = 1, threads: int = 1,
            bands: bool = False, keep_values: bool = False,
            progress: Progress | None = None) -> Result:
        """Runs the plan with data; results are bit-exact.

        Inputs that are not given are random (`seed`). `progress(steps_done, steps)` is called in
        this thread, at most 20 times a second. Raises ProgramFault and ConfigError.
        """
        whole_number("seed", seed, 0, 2**64 - 1)
        whole_number("threads", threads, 1, 1024)
        arrays = {name: _array(value, self.graph, name) for name, value in (inputs or {}).items()}
        return Result(self._core.run(arrays, seed, threads, bands, keep_values, progress))


def _array(value: ArrayLike, graph: Graph, name: str) -> np.ndarray:
    """Row-major and little-endian; what is no array yet gets the input's type."""
    if not isinstance(value, np.ndarray):
        wanted = [known.dtype for known in graph.inputs if known.name == name]
        value = np.asarray(value, dtype=wanted[0] if wanted else None)
    if value.dtype.byteorder == ">" or (value.dtype.byteorder == "=" and sys.byteorder == "big"):
        value = value.astype(value.dtype.newbyteorder("<"))
    return np.asarray(value, order="C")


class Graph:
    """A graph that was read and validated."""

    def __init__(self, core: _core.Graph):
        self._core = core

    @cached_property
    def inputs(self) -> list[Value]:
        """Inputs in the graph's order."""
        return _values(self._core.inputs())

    @cached_property
    def outputs(self) -> list[Value]:
        """Outputs in the graph's order."""
        return _values(self._core.outputs())

    @property
    def warnings(self) -> list[str]:
        """Deviations from the file's format that the reader accepted."""
        return self._core.warnings()

    @property
    def examples(self) -> dict[str, np.ndarray]:
        """Inputs that come with the graph: those of networks of the zoo."""
        return self._core.examples()

    def plan(self, machine: MachineLike | None = None, effort: int = 1, fuse: bool = True) -> Plan:
        """Plans the graph for a machine: an okksim.Machine, a name, a file, or a dict of settings.

        `effort` from 0 to 2 is how long the planner searches. `fuse=False` plans every operator alone.
        """
        return Plan(self, as_machine(machine), effort, fuse)

    def load_plan(self, path: str | os.PathLike[str]) -> Plan:
        """A stored plan, for the machine of the document.

        `difference` of it says how its steps differ from those written down; empty: they do not.
        Raises ConfigError when the document is about another graph.
        """
        plan = Plan.__new__(Plan)
        plan._core, machine_core = _core.Plan.load(self._core, os.fspath(path))
        plan.graph, plan.machine = self, Machine(machine_core)
        plan.difference = plan._core.difference()
        return plan

    def run(self, machine: MachineLike | None = None, inputs: Mapping[str, ArrayLike] | None = None,
            effort: int = 1, **options: Any) -> Result:
        """Plans and runs with data: `plan(machine, effort).run(inputs, **options)`."""
        return self.plan(machine, effort).run(inputs, **options)

    def _repr_html_(self) -> str:
        rows = [{"": kind, "name": value.name, "shape": list(value.shape), "type": value.type}
                for kind, values in (("input", self.inputs), ("output", self.outputs)) for value in values]
        return html_table(rows, ("", "name", "shape", "type"), f"Graph with {self._core.operators()} operators")

    def __repr__(self) -> str:
        return f"<okksim.Graph with {self._core.operators()} operators>"


def load(path: str | os.PathLike[str], function: str = "",
         shapes: Mapping[str, Sequence[int]] | None = None, rounding: str = "double") -> Graph:
    """Reads and validates a graph: .onnx, .tflite, .tosa (1.0, 0.90), .mlir or .xmodel.

    `shapes` gives the shapes of inputs that the file leaves open, and the values of integer inputs that decide a shape.
    `rounding` is "double" or "single" for the integer operators of a .tflite file.
    Raises ConfigError and ProgramFault.
    """
    if rounding not in ("double", "single"):
        raise ValueError(f"rounding {rounding!r} is unknown; choose double or single")
    return Graph(_core.load_graph(os.fspath(path), function,
                                  {name: list(shape) for name, shape in (shapes or {}).items()},
                                  rounding == "single"))


def zoo(name: str, precision: str = "fp32", batch: int = 1, size: int = 0, width: float = 1.0,
        seed: int = 1) -> Graph:
    """A known network with seeded weights and inputs (`examples`), as `okksim zoo` writes it."""
    if precision not in _PRECISIONS:
        raise ValueError(f"precision {precision!r} is unknown; choose one of {', '.join(_PRECISIONS)}")
    whole_number("batch", batch, 1, 1024)
    whole_number("size", size, 0, 4096)
    whole_number("seed", seed, 0, 2**64 - 1)
    return Graph(_core.build_network(name, _PRECISIONS.index(precision), batch, size, width, seed))

# SPDX-License-Identifier: Apache-2.0
"""Kernels of shared libraries, and recordings."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from . import _core
from .arguments import whole_number
from .machines import MachineLike, as_machine
from .tables import html_table


class out(NamedTuple):  # a mark among arguments, named like the argument kind of `okksim sweep`
    """A result among a kernel's arguments: `out("f32", [64])`."""

    type: str
    shape: Sequence[int]


Argument = Union[str, np.ndarray, out]


class KernelResult(NamedTuple):
    """The result of a launch."""

    us: float
    """Simulated time with the host's launch and sync."""
    outputs: list[np.ndarray]
    """In the order of the arguments."""
    figures: dict[str, float]
    warnings: list[dict[str, Any]]

    def _repr_html_(self) -> str:
        return html_table([{"metric": name, "value": value} for name, value in self.figures.items()],
                          caption=f"Launch of {self.us:.3f} us")


class Replay(NamedTuple):
    """A recording on a machine."""

    us: float
    """Simulated time of all launches, with launch and sync."""
    launches: list[tuple[str, float, float | None]]
    """Name, simulated us, and recorded us if known."""
    figures: dict[str, float]

    def _repr_html_(self) -> str:
        return html_table([{"launch": name, "simulated us": us, "recorded us": recorded}
                           for name, us, recorded in self.launches], caption=f"Recording of {self.us:.3f} us")


def _argument(argument: Argument, position: int) -> tuple[str, Any]:
    if isinstance(argument, out):
        return "out", f"{argument.type}[{','.join(str(n) for n in argument.shape)}]"
    if isinstance(argument, np.ndarray):
        return "in", np.asarray(argument, order="C")
    if isinstance(argument, str) and argument:
        return "text", argument
    raise TypeError(f"args[{position}] = {argument!r}: must be an array, okksim.out(TYPE, SHAPE), "
                    'or a number with its type such as "i32=64"')


def kernel(library: str | os.PathLike[str], launch: str, args: Sequence[Argument] = (),
           machine: MachineLike | None = None, *, command_budget: int | None = None,
           call_budget: int | None = None, idle_seconds: float | None = None,
           call_seconds: float | None = None) -> KernelResult:
    """Launches a kernel. `args` are the fields of its argument struct in order. "i32=64" is a
    number, an array is the address of an input, and `out("f32", [64])` is that of a result.

    Four limits end a kernel that does not return. `command_budget` and `call_budget` count its commands and its
    okk calls. `idle_seconds` is CPU time without a command, and `call_seconds` is the duration of a call.
    Raises ConfigError and ProgramFault.
    """
    limits: dict[str, float] = {}
    for name, number in (("command_budget", command_budget), ("call_budget", call_budget)):
        if number is not None:
            limits[name] = whole_number(name, number, 1, 2**53)
    for name, seconds in (("idle_seconds", idle_seconds), ("call_seconds", call_seconds)):
        if seconds is not None and not seconds > 0:
            raise ValueError(f"{name} = {seconds}: must be more than 0")
        if seconds is not None:
            limits[name] = seconds
    figures, outputs, findings = _core.run_kernel(
        os.path.abspath(library), launch, [_argument(argument, n) for n, argument in enumerate(args)],
        as_machine(machine)._core, limits)
    return KernelResult(figures["us"], outputs, figures, json.loads(findings))


def load_library(path: str | os.PathLike[str]) -> None:
    """Loads a library with kernels of CUSTOM operators; it stays loaded."""
    _core.load_library(os.path.abspath(path))


def replay(path: str | os.PathLike[str], machine: MachineLike | None = None) -> Replay:
    """Times recorded commands on a machine; default: the machine of the recording."""
    figures, launches = _core.replay(os.fspath(path), None if machine is None else as_machine(machine)._core)
    return Replay(figures["us"], launches, figures)

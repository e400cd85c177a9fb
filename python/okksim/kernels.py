# SPDX-License-Identifier: Apache-2.0
"""Kernels of shared libraries, and recordings."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from . import _core
from .machines import Machine, machine as _machine


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


class Replay(NamedTuple):
    """A recording on a machine."""

    us: float
    """Simulated time of all launches, with launch and sync."""
    launches: list[tuple[str, float, float | None]]
    """Name, simulated us, and recorded us if known."""
    figures: dict[str, float]


def _argument(argument: Argument) -> tuple[str, Any]:
    if isinstance(argument, out):
        return "out", f"{argument.type}[{','.join(str(n) for n in argument.shape)}]"
    if isinstance(argument, np.ndarray):
        return "in", np.asarray(argument, order="C")
    return "text", argument


def kernel(library: str | os.PathLike[str], launch: str, args: Sequence[Argument] = (),
           machine: Machine | None = None) -> KernelResult:
    """Launches a kernel. `args` are the fields of its argument struct in order. "i32=64" is a
    number, an array is the address of an input, and `out("f32", [64])` is that of a result.

    Raises ConfigError and ProgramFault.
    """
    figures, outputs, findings = _core.run_kernel(
        os.path.abspath(library), launch, [_argument(argument) for argument in args],
        (machine or _machine())._core)
    return KernelResult(figures["us"], outputs, figures, json.loads(findings))


def load_library(path: str | os.PathLike[str]) -> None:
    """Loads a library with kernels of CUSTOM operators; it stays loaded."""
    _core.load_library(os.path.abspath(path))


def replay(path: str | os.PathLike[str], machine: Machine | None = None) -> Replay:
    """Times recorded commands on a machine; default: the machine of the recording."""
    figures, launches = _core.replay(os.fspath(path), machine and machine._core)
    return Replay(figures["us"], launches, figures)

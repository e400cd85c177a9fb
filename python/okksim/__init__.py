# SPDX-License-Identifier: Apache-2.0
"""okksim: a cycle-approximate, bit-exact simulator of an OKK-class NPU.

    import okksim
    net = okksim.load("net.tosa")
    small = okksim.machine("bm1684", {"chip.lanes": 32})
    print(net.run(small, {"image": image}).outputs["scores"])
    print(net.plan(small).time().us)

Other Python threads run while a simulation computes, and Ctrl-C ends it with KeyboardInterrupt.
Simulations of several threads come one after the other; use processes to have them side by side.
"""
from ._core import ConfigError, ProgramFault
from ._core import version as __version__
from .graphs import Graph, Plan, Value, load, zoo
from .kernels import KernelResult, Replay, kernel, load_library, out, replay
from .machines import Machine, machine
from .results import Result
from .sweeps import SweepError, Table, open_store, sweep
from .tables import Rows

__all__ = [
    "ConfigError", "Graph", "KernelResult", "Machine", "Plan", "ProgramFault", "Replay", "Result",
    "Rows", "SweepError", "Table", "Value", "kernel", "load", "load_library", "machine", "open_store", "out", "replay",
    "sweep", "zoo",
]

# SPDX-License-Identifier: Apache-2.0
"""Machine descriptions."""
from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _core
from .tables import html_table

Settings = Union[None, str, Iterable[str], Mapping[str, Any]]
MachineLike = Union["Machine", str, "os.PathLike[str]", Mapping[str, Any]]
"""A machine, its name or file, or the settings of a bm1684 as a dict."""


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_list(settings: Settings, more: Mapping[str, Any]) -> list[str]:
    """Settings as "section.key=value"."""
    if settings is None:
        settings = []
    if isinstance(settings, str):
        settings = [settings]
    if isinstance(settings, Mapping):
        settings = [f"{path}={_as_text(value)}" for path, value in settings.items()]
    return [*settings, *(f"{path}={_as_text(value)}" for path, value in more.items())]


class Machine:
    """A machine description. It does not change; `with_()` makes another one."""

    def __init__(self, core: _core.Machine):
        self._core = core

    @property
    def name(self) -> str:
        """The built-in name, or that of the file."""
        return self._core.name()

    @property
    def label(self) -> str:
        """The name with the changed values: "bm1684 with chip.lanes=32"."""
        return self._core.label()

    @property
    def hash(self) -> int:
        """Equal hashes mean equal machines."""
        return self._core.hash()

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters by path: {"chip.lanes": 64, ...}."""
        return {path: tomllib.loads("value = " + text)["value"]
                for path, text in self._core.parameters()}

    @property
    def area_mm2(self) -> float:
        """Area by the cost model of models/energy; `area` has its parts and bands."""
        return self.area["mm2"]

    @property
    def area(self) -> dict[str, Any]:
        """Area by component, as in the JSON of `okksim run`."""
        return json.loads(self._core.area_json())

    def with_(self, settings: Settings = None, /, **more: Any) -> Machine:
        """The machine with other values: `m.with_({"chip.lanes": 32})`, `m.with_("chip.lanes=32")`.

        Raises ConfigError for unknown keys and impossible values.
        """
        return Machine(self._core.changed(_as_list(settings, more)))

    def dump(self) -> str:
        """The description as a TOML file, each value with unit, meaning and source."""
        return self._core.dump()

    def _repr_html_(self) -> str:
        rows = [{"parameter": path, "value": value} for path, value in self.parameters.items()]
        return html_table(rows, caption=self.label)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        return f"<okksim.Machine {self.label}>"


def as_machine(value: MachineLike | None) -> Machine:
    """A machine from a machine, a name, a file or a dict of settings; None is the bm1684."""
    if isinstance(value, Machine):
        return value
    if value is None:
        return machine()
    if isinstance(value, (str, os.PathLike)):
        return machine(value)
    if isinstance(value, Mapping):
        return machine(settings=value)
    raise TypeError(f"machine = {value!r}: must be an okksim.Machine, a name such as \"bm1684\", a file, "
                    'or a dict such as {"chip.lanes": 32}')


def machine(name_or_file: str | os.PathLike[str] = "bm1684", settings: Settings = None,
            **more: Any) -> Machine:
    """A built-in machine or a machine file, with changed values.

    `settings` is "section.key=value", a list of such, or a dict {"chip.lanes": 32}; a dict can also
    be given as keywords: `machine("bm1684", **{"chip.lanes": 32})`. Raises ConfigError.
    """
    return Machine(_core.Machine(os.fspath(name_or_file), _as_list(settings, more)))

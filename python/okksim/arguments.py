# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, and optional packages."""
from __future__ import annotations

import importlib
import operator
from types import ModuleType
from typing import Any


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """The value as an int. TypeError and ValueError name the argument and its range."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: must be a whole number from {least} to {most}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: must be from {least} to {most}")
    return number


def optional_module(name: str, package: str, caller: str) -> ModuleType:
    """Imports a module that okksim does not require. ImportError says how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] != package:
            raise
        raise ModuleNotFoundError(
            f"{caller} needs the package {package}, which is not installed; install it with "
            f"`apt-get install python3-{package}` or `pip install {package}`", name=package) from None

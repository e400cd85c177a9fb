# SPDX-License-Identifier: Apache-2.0
"""Rows that a notebook shows as a table and that become a DataFrame in one call."""
from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .arguments import optional_module

if TYPE_CHECKING:
    import pandas

# Rows that a notebook shows; a longer table ends with the number of the others.
_MOST_ROWS = 60


def flat(row: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """One level of keys: {"roofline": {"bound": 1}} becomes {"roofline.bound": 1}."""
    cells: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            cells |= flat(value, f"{prefix}{key}.")
        else:
            cells[prefix + str(key)] = value
    return cells


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.4g}"
    return html.escape(str(value))


def html_table(rows: Sequence[dict[str, Any]], columns: Iterable[str] = (), caption: str = "") -> str:
    """A table of HTML; without `columns` it has every key whose value is no dict and no list."""
    names = list(columns) or list(dict.fromkeys(
        key for row in rows for key, value in row.items() if not isinstance(value, (dict, list))))
    text = f"<p>{html.escape(caption)}</p>" if caption else ""
    text += "<table><thead><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names)
    text += "</tr></thead><tbody>"
    for row in rows[:_MOST_ROWS]:
        text += "<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>"
    text += "</tbody></table>"
    if len(rows) > _MOST_ROWS:
        text += f"<p>{len(rows) - _MOST_ROWS} more rows</p>"
    return text


def frame(rows: Iterable[dict[str, Any]], caller: str) -> pandas.DataFrame:
    """The rows as a DataFrame with one column per value; ImportError without pandas."""
    pandas = optional_module("pandas", "pandas", caller)
    return pandas.DataFrame([flat(row) for row in rows])


class Rows(list):
    """A list of dicts that a notebook shows as a table."""

    def __init__(self, rows: Iterable[dict[str, Any]] = (), columns: Iterable[str] = ()):
        super().__init__(rows)
        self._columns = tuple(columns)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame. Nested values have columns such as "roofline.bound"."""
        return frame(self, "to_pandas()")

    def _repr_html_(self) -> str:
        return html_table(self, self._columns)

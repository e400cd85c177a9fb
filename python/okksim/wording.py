# SPDX-License-Identifier: Apache-2.0
"""Translates messages of the library from flags of the program to arguments of this package."""
from __future__ import annotations

import re
from typing import Any

# Commands of the program that Python cannot replace. Their flags stay, because a user runs them in a shell.
_COMMAND = r"`?okksim [a-z]+(?: [A-Z]+| --[a-z-]+(?:[= ][A-Z]+)?)+`?"

# Pattern and replacement. The first pattern that matches at a position applies.
_ROWS = (
    (r"`okksim machine --dump`", "`okksim.machine().dump()`"),
    (r"`okksim plan MODEL --json=FILE`", "`Plan.save(FILE)`"),
    (r"run the model once with data: okksim run MODEL --keep-values v\.json, then --no-data --values v\.json;"
     r" in a sweep: values = \"v\.json\"",
     "run the plan once with data: `run = plan.run(keep_values=True)`, then `plan.time(values=run)`"),
    (r"`okksim sweep` makes one", "`okksim.sweep` makes one"),
    (r"`--csv` lists the reason of every failure", "`Table.points` has the reason of every failure"),
    (r"`--csv` lists", "`Table.points` lists"),
    (r": --csv, --json\n", ": `Table.front()`\n"),
    (r"--yes computes all of them", "a larger `most_points` computes all of them"),
    (r"--yes\b", "most_points"),
    (r"shapes are known before the model runs: give --input (\S+)=FILE\.npy with its values as int64",
     r'shapes are known before the model runs: give shapes={"\1": [...]} with its values'),
    (r"--input (\S+)=SHAPE \(1x224x224x3\)", r'shapes={"\1": (1, 224, 224, 3)}'),
    (r"give --input (\S+)", r'give shapes={"\1": ...}'),
    (r"--shape (\S+)=SHAPE(?:, such as [0-9x]+| \(1x3x224x224\))?", r'shapes={"\1": [...]}'),
    (r"--shape\b", "shapes"),
    (r"--rounding single", 'rounding="single"'),
    (r"--input\b", "shapes"),
    (r"give --function NAME", 'give function="NAME"'),
    (r"--function\b", "function"),
    (r"--machine\b", "machine"),
    (r"(?:--arg )?--out result\.npy:", "out "),
    (r"--arg\b", "args:"),
    (r"--set\b", "settings"),
    (r"--jobs\b", "jobs"),
    (r"--sweep\b", "name"),
    (r"\((?:okksim kernel: )?--(\w+)-(\w+); host programs: \w+\)", r"(okksim.kernel: \1_\2)"),
)
_ANY = re.compile("|".join(f"(?P<row{n}>{pattern})" for n, (pattern, _) in enumerate(_ROWS))
                  + f"|(?P<command>{_COMMAND})")
_COMPILED = [(re.compile(pattern), new) for pattern, new in _ROWS]


def _replaced(match: re.Match[str]) -> str:
    for n, (pattern, new) in enumerate(_COMPILED):
        if match.group(f"row{n}") is not None:
            return pattern.sub(new, match.group(f"row{n}"))
    return match.group()


def for_python(value: Any) -> Any:
    """The text with Python's arguments instead of flags; also the texts of a list or dict."""
    if isinstance(value, str):
        return _ANY.sub(_replaced, value)
    if isinstance(value, list):
        return [for_python(item) for item in value]
    if isinstance(value, dict):
        return {key: for_python(item) for key, item in value.items()}
    return value

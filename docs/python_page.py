# SPDX-License-Identifier: Apache-2.0
"""usage: python_page.py [--check]: writes docs/reference/python.md from the docstrings of the package `okksim`.

PYTHONPATH must name the package, such as build/release/python. --check compares the page instead.
"""
import difflib
import inspect
import pathlib
import re
import sys

import okksim

PAGE = pathlib.Path(__file__).resolve().parent / "reference/python.md"
HEAD = """# Python

`docs/python_page.py` generates this page from the docstrings of the package `okksim`.
[How to use okksim from Python](../how-to/use-from-python.md) has the steps of common tasks.
"""


def signature(thing):
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"'([^']+)'", r"\1", text)
    return text.replace("_core.", "").replace("(self, ", "(").replace("(self)", "()")


def members(kind):
    """Public members in the order of the source: fields of tuples, properties, methods."""
    documented = []
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        function = getattr(member, "fget", None) or getattr(member, "func", None)
        if function is not None:
            documented.append((name, inspect.getdoc(function)))
        elif inspect.isfunction(member):
            documented.append((name + signature(member), inspect.getdoc(member)))
    return [(name, text) for name, text in documented if text]


def entry(name):
    thing = getattr(okksim, name)
    lines = [f"## {name}", ""]
    if inspect.isfunction(thing):
        lines += ["```python", f"okksim.{name}{signature(thing)}", "```", ""]
    lines += [inspect.getdoc(thing), ""]
    if inspect.isclass(thing):
        rows = members(thing)
        if rows:
            lines += ["| member | what it is |", "|---|---|"]
            lines += [f"| `{member.replace('|', 'or')}` | {' '.join(text.split()).replace('|', 'or')} |"
                      for member, text in rows]
            lines += [""]
    return "\n".join(lines)


def page():
    return "\n".join([HEAD, *(entry(name) for name in sorted(okksim.__all__, key=str.lower))]).rstrip() + "\n"


def main():
    text = page()
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(text)
        return
    old = PAGE.read_text()
    if old != text:
        print("".join(difflib.unified_diff(old.splitlines(True), text.splitlines(True), str(PAGE), "package")))
        sys.exit("docs/reference/python.md differs from the docstrings: run docs/python_page.py and commit the page")


main()

# SPDX-License-Identifier: Apache-2.0
"""run_notebook.py FILE: runs the code of a notebook's cells in order, without Jupyter.

A cell that ends with an expression shows it, as Jupyter does: with _repr_html_() if the value has one.
"""
import ast
import importlib.util
import json
import sys

import package  # noqa: F401

for needed in ("pandas", "matplotlib"):
    if importlib.util.find_spec(needed) is None:
        print(f"skipped: no python3-{needed}")
        sys.exit(77)
import matplotlib  # noqa: E402

matplotlib.use("Agg")


def show(value):
    if value is not None:
        text = value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)
        print(text[:200])


names = {"__name__": "__main__"}
with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
codes = [cell for cell in cells if cell["cell_type"] == "code"]
for number, cell in enumerate(codes):
    tree = ast.parse("".join(cell["source"]), f"cell {number}")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {number}", "exec"), names)
    if last is not None:
        show(eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names))
print(f"{len(codes)} cells ran")

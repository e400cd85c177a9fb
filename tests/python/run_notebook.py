# SPDX-License-Identifier: Apache-2.0
"""run_notebook.py FILE: runs the code of a notebook's cells in order, without Jupyter."""
import json
import sys

import package  # noqa: F401

names = {"__name__": "__main__"}
with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
for number, cell in enumerate(cells):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)

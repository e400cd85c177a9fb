# SPDX-License-Identifier: Apache-2.0
"""Folders of the product and their purposes, which the tables of the unit READMEs hold.

A table of purposes begins with the columns `folder` and `what it is for`. Its rows name each folder by its
path from the root of the tree, in backticks.
"""
import os
import re

import tree as trees

HEADER = re.compile(r"^\| *folder *\| *what it is for *\|")
ROW = re.compile(r"^\| *`([^`]+)` *\| *([^|]+?) *\|")
NO_CONTENT = ("README.md", "CMakeLists.txt")


def product_folders():
    """Folders of the product that hold files. README.md and CMakeLists.txt do not count."""
    names = trees.tracked_files(trees.PRODUCT)
    return sorted({os.path.dirname(name) for name in names if os.path.basename(name) not in NO_CONTENT})


def purposes():
    """{folder: (sentence, README)} in the order of the tables."""
    found = {}
    for unit in trees.PRODUCT:
        readme = f"{unit}/README.md"
        if not (trees.ROOT / readme).is_file():
            continue
        inside = False
        for line in (trees.ROOT / readme).read_text().split("\n"):
            inside = bool(HEADER.match(line)) or (inside and line.startswith("|"))
            row = ROW.match(line)
            if inside and row:
                found.setdefault(row.group(1), (row.group(2), readme))
    return found


def folders_without_purpose():
    """Product folders without a row, and rows without a folder."""
    rows, folders = purposes(), product_folders()
    missing = [f"{name}: no row in the table 'folder | what it is for' of {name.split('/')[0]}/README.md"
               for name in folders if name not in rows]
    stale = [f"{readme}: `{name}` is not a folder with files" for name, (_, readme) in rows.items() if name not in folders]
    return missing + stale

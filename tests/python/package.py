# SPDX-License-Identifier: Apache-2.0
"""Functions of the tests of the Python package. The tests count as skipped if NumPy is missing."""
import json
import os
import subprocess
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: no python3-numpy")
    sys.exit(77)


def okksim(*arguments):
    """Runs the program; what it prints."""
    done = subprocess.run([os.environ["OKKSIM"], *map(str, arguments)], check=True, text=True,
                          stdout=subprocess.PIPE)
    return done.stdout


def okksim_json(*arguments):
    return json.loads(okksim(*arguments, "--json"))


def same_report(mine, other):
    """The keys in which two reports of the same run differ, except for the file's name."""
    return [key for key in sorted((mine.keys() | other.keys()) - {"model"})
            if mine.get(key) != other.get(key)]

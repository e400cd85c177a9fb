#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An engineer in a notebook follows docs/how-to/use-from-python.md: numbers, tables and pictures."""
import subprocess
import sys

from journey import Journey

PYTHON = "/usr/bin/python3"
if subprocess.run([PYTHON, "-c", "import numpy, pandas, matplotlib"], capture_output=True).returncode != 0:
    print("skipped: no python3-numpy, python3-pandas or python3-matplotlib")
    sys.exit(77)

GUIDE = "docs/how-to/use-from-python.md"
PICTURES = """
import matplotlib
matplotlib.use("Agg")
"""
SHOWN = """
result.plot_timeline().figure.savefig("timeline.png")
table.plot_front().figure.savefig("front.png")
print("rows", len(result.to_pandas()), "table" in result._repr_html_())
try:
    net.run("no such machine")
except okksim.ConfigError as error:
    print("error:", error)
"""

journey = Journey()
journey.follow(GUIDE)
journey.save_files("docs/tutorials/first-kernel.md")
journey.save_files("docs/tutorials/first-sweep.md")
journey.run("cc -O2 -g -shared -fPIC -I firmware simple.c -o simple.so")
(journey.folder / "guide.py").write_text(PICTURES + journey.code(GUIDE, "python") + SHOWN)
journey.run("PYTHONPATH=$PWD/build/release/python " + PYTHON + " guide.py")
# This run takes 1069.0 us on the command line (README.md).
journey.sees("(1, 1000)", "True")
journey.sees_number(r"^([\d.]+) ", 1000, 1250)
journey.sees("error: ")
journey.must("--" not in journey.output.split("error: ")[-1], "an error names arguments of Python and no flag")
journey.sees_picture("timeline.png")
journey.sees_picture("front.png")
journey.end()

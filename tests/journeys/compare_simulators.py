#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An engineer who compares simulators reads README.md: a time, a page, and numbers to judge it by."""
from journey import ROOT, Journey

journey = Journey()
journey.follow("README.md")
# MobileNetV2 int8 on the machine whose int8 networks were compared with silicon. Published: 1.24 ms.
journey.sees_number(r"simulated ([\d.]+) us", 1000, 1250)
journey.sees_page("build/run.html", '"best any plan could reach"', "bm1684-int8")
readme = (ROOT / "README.md").read_text()
first_screen = readme[:readme.index("## Install")]
for tool in ("ONNXim", "SCALE-Sim", "Timeloop", "gem5", "Vela"):
    journey.must(tool in first_screen, f"README.md compares okksim with {tool}")
for kind in ("tutorials", "how-to", "reference", "explanation"):
    journey.must(f"(docs/{kind}" in readme, f"README.md has a link to docs/{kind}")
journey.must("Not modelled" in first_screen, "README.md says what is not modelled")
journey.end()

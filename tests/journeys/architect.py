#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An architect follows docs/tutorials/first-sweep.md: which machine is best, and what each parameter buys."""
from journey import Journey

TWO_NETWORKS = """
name = "two"
objectives = ["us", "energy_j", "area_mm2"]
[[workload]]
zoo = "mobilenet_v2"
size = 64
[[workload]]
zoo = "bert"
size = 16
[[axis]]
parameter = "chip.lanes"
values = [32, 64]
"""

journey = Journey()
journey.follow("docs/tutorials/first-sweep.md")
journey.sees("(knee)", "chip.lanes: best 64, worst 16")
pages = sorted((journey.folder / "build/first-sweep").glob("*.html"))
journey.must(len(pages) > 0, "the tutorial makes a page")
for page in pages:
    journey.sees_page(str(page.relative_to(journey.folder)), "chip.lanes")
# A language model, whose times depend on its input, is a workload like any other.
(journey.folder / "two.toml").write_text(TWO_NETWORKS)
journey.run("okksim sweep two.toml -j 2")
journey.sees("mobilenet_v2", "bert", "chip.lanes=32")
journey.must("no machine has a value" not in journey.output, "the answer covers both networks")
journey.end()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An ML engineer follows docs/tutorials/first-network.md: what a model needs, what it costs, and what would help."""
from journey import Journey

journey = Journey()
journey.follow("docs/tutorials/first-network.md")
# MobileNetV2 at 224 pixels has 300.8 million multiply-adds and 3.5 million parameters (Sandler et al., table 3: 300 M, 3.4 M).
journey.sees("300.77 M multiply-adds a run", "use --machine bm1684-int8 --set mcu.issue=lists")
journey.sees_number(r"([\d.]+) M parameters", 3.4, 3.6)
journey.sees("Changes that help, each alone with a new plan:", "native instructions for all types")
journey.run("okksim zoo mobilenet_v2 --precision int8 -o net")
journey.run("okksim run net/model.tosa --machine bm1684-int8 --set mcu.issue=lists --no-data --html page.html")
journey.sees_page("page.html", '"steps"', '"title":"net"')
journey.run("okksim inspect net/model.tosa --no-time --set chip.lanes=0", exit_code=2)
journey.sees("chip.lanes")
journey.end()

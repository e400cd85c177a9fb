#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An engineer who owns CI follows docs/how-to/gate-a-pull-request.md: a gate for a kernel and a network."""
import json
import xml.etree.ElementTree

from journey import Journey

journey = Journey()
journey.follow("docs/how-to/gate-a-pull-request.md")
journey.sees("2 passed, 0 failed (threshold 2.0 %)", "LIMIT", "at good.c:15, 10 -> 20 commands")
for name, failed in (("gate", 0), ("compare", 0)):
    report = journey.folder / f"{name}.xml"
    journey.must(report.exists(), f"{name}.xml exists")
    if report.exists():
        suite = xml.etree.ElementTree.parse(report).getroot()
        journey.must(len(list(suite.iter("testcase"))) >= 2, f"{name}.xml is a JUnit file with cases")
        journey.must(suite.get("failures") == str(failed), f"{name}.xml has {failed} failures")
    journey.must((journey.folder / f"{name}.md").exists(), f"{name}.md exists")
values = json.loads((journey.folder / "gate.json").read_text())["cases"][0]["metrics"]
journey.must(values["time_us"]["value"] <= values["time_us"]["limit"], "gate.json has the time and its limit")
# A machine with slower DRAM: the network fails, and the report names the cause.
journey.run("okksim gate gate.toml --filter net --set dram.read_bytes_per_nanosecond=16", exit_code=1)
journey.sees("SLOWER", "DRAM bandwidth")
# A limit below the measured value, a wrong key, and a kernel library that does not exist.
journey.run("sed 's/energy_uj = .*/energy_uj = 1/' gate.toml > strict.toml && okksim gate strict.toml --filter net", exit_code=1)
journey.sees("LIMIT", "energy_uj is", "more than its limit 1")
journey.run("sed 's/time_us/time_ms/' gate.toml > wrong.toml && okksim gate wrong.toml", exit_code=2)
journey.sees("wrong.toml:12:1: workload.limits.time_ms", 'did you mean "time_us"?')
journey.run("sed 's/good.so/none.so/' gate.toml > wrong.toml && okksim gate wrong.toml", exit_code=2)
journey.sees("none.so does not exist")
journey.end()

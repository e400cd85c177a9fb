#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An engineer who owns CI follows docs/how-to/gate-a-pull-request.md: a gate for a kernel and a network."""
import json
import xml.etree.ElementTree

from journey import Journey

journey = Journey()
journey.follow("docs/how-to/gate-a-pull-request.md")
journey.sees("slower: []", "passed, 0 failed (threshold 2.0 %)")
report = journey.folder / "gate.xml"
journey.must(report.exists() and xml.etree.ElementTree.parse(report).getroot().iter("testcase"),
             "gate.xml is a JUnit file with cases")
journey.must((journey.folder / "gate.md").exists(), "gate.md exists")
# A machine with slower DRAM: the cases fail, and the report names the cause.
journey.run("okksim baseline -o slow --filter network_mobilenet_v2_fp32 --set dram.read_bytes_per_nanosecond=16")
journey.run("okksim compare traces slow --threshold 2%", exit_code=1)
journey.sees("network_mobilenet_v2_fp32", "DRAM bandwidth")
# Expected times that are lower than the measured ones.
expected = json.loads((journey.folder / "expected.json").read_text())
journey.must(set(expected) == {"kernel", "net"}, "expected.json has the kernel and the network")
journey.run("okksim run net/model.tosa --machine no-such", exit_code=2)
journey.sees("no-such")
journey.end()

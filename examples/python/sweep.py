# SPDX-License-Identifier: Apache-2.0
"""Finds the lanes and the local memory that suit a small network, by one sweep."""
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: no python3-numpy")
    sys.exit(77)
import okksim

table = okksim.sweep("""
name = "lanes_and_memory"
objectives = ["us", "area_mm2"]
[[workload]]
zoo = "mobilenet_v2"
size = 64
width = 0.5
[[axis]]
parameter = "chip.lanes"
values = [16, 32, "x1"]
[[axis]]
parameter = "chip.local_memory_bytes"
values = ["128KiB", "256KiB", "x1"]
""", jobs=2)

print(table)
for machine in table.front():
    print(f"{machine['chip.lanes']:3} lanes, {machine['chip.local_memory_bytes'] >> 10} KiB each:"
          f" {machine['us']:.1f} us, {machine['area_mm2']:.1f} mm2")

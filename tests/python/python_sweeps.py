# SPDX-License-Identifier: Apache-2.0
"""Sweeps in Python are those of `okksim sweep`."""
import importlib.util
import pathlib
import tempfile
import unittest

import package

import okksim

SPEC = """
name = "lanes"
objectives = ["us", "area_mm2"]
[[workload]]
zoo = "mobilenet_v2"
size = 32
width = 0.25
[[axis]]
parameter = "chip.lanes"
values = [16, 32, 64, 48]
[[axis]]
parameter = "chip.local_memory_bytes"
values = ["256KiB", "512KiB"]
[metrics]
us_per_lane = "us / lanes"
"""


class Sweeps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.spec = pathlib.Path(self.folder.name) / "lanes.toml"
        self.spec.write_text(SPEC)

    def test_points_are_those_of_the_program_and_of_single_runs(self):
        table = okksim.sweep(self.spec, jobs=2)
        theirs = package.okksim_json("sweep", self.spec)["points"]
        self.assertEqual(len(table), len(theirs))
        network = okksim.zoo("mobilenet_v2", size=32, width=0.25)
        seen = 0
        for mine, other in zip(table.points, theirs):
            self.assertEqual(mine["chip.lanes"], int(other["settings"]["chip.lanes"]))
            self.assertEqual((mine.get("us"), mine["failure"]), (other.get("us"), other.get("failure")))
            if mine["failure"]:
                continue
            machine = okksim.machine(settings={
                path: other["settings"][path] for path in other["settings"]})
            self.assertEqual(network.plan(machine).time().us, mine["us"])
            self.assertEqual(mine["us_per_lane"], mine["us"] / mine["chip.lanes"])
            seen += 1
        self.assertGreaterEqual(seen, 6)

    def test_what_a_store_has_is_not_computed_again(self):
        store = pathlib.Path(self.folder.name) / "kept.sqlite"
        told = []
        first = okksim.sweep(self.spec, store, progress=lambda done, todo: told.append((done, todo)))
        self.assertEqual(told[-1], (len(first), len(first)))
        again = []
        okksim.sweep(self.spec, store, progress=lambda *now: again.append(now))
        self.assertEqual(again, [])
        opened = okksim.open_store(store)
        self.assertEqual(opened.points, first.points)
        self.assertEqual(okksim.open_store(store, "lanes").points, first.points)
        with self.assertRaises(KeyError):
            okksim.open_store(store, "cores")

    def test_a_search_of_all_points_finds_the_front_of_the_grid(self):
        text = SPEC.replace('name = "lanes"', 'name = "lanes"\nmode = "search"\npoints = 20')
        try:
            found = okksim.sweep(text, jobs=2)
        except okksim.ConfigError as error:
            if "libpagmo-dev" in str(error):
                self.skipTest("built without pagmo")
            raise
        self.assertEqual(len(found), 8)  # all that there are: 4 x 2

        def machines(table):
            return [{key: value for key, value in row.items() if key != "points"} for row in table.front()]
        self.assertEqual(machines(found), machines(okksim.sweep(SPEC)))

    def test_front_and_effects(self):
        table = okksim.sweep(SPEC)
        ran = [point for point in table.points if not point["failure"]]
        best = min(point["us"] for point in ran)
        front = table.front()
        # Sorted by the first objective: the fastest machine is on every Pareto front, and comes
        # first. Means over workloads are geometric, so the last digits may differ.
        self.assertAlmostEqual(front[0]["us"], best)
        smallest = min(point["area_mm2"] for point in ran)
        self.assertAlmostEqual(front[-1]["area_mm2"], smallest)
        self.assertIn("chip.lanes", [effect["parameter"] for effect in table.effects()])
        areas = [level for level in table.levels() if level["metric"] == "area_mm2"]
        self.assertTrue(areas)
        self.assertEqual(areas, sorted(areas, key=lambda level: level["most"]))
        for level in areas:
            self.assertGreater(level["machines"], 0)
            self.assertIn("chip.lanes", level["best"])
        self.assertIn("lanes", repr(table))
        self.assertTrue(str(table))

    def test_an_exception_of_progress_ends_the_sweep_and_keeps_its_points(self):
        store = pathlib.Path(self.folder.name) / "cut.sqlite"

        def refuse(done, todo):
            raise KeyError(done)
        with self.assertRaises(KeyError):
            okksim.sweep(self.spec, store, progress=refuse)
        self.assertEqual(len(okksim.sweep(self.spec, store)), 8)

    def test_wrong_specifications_are_refused(self):
        with self.assertRaisesRegex(okksim.ConfigError, "chip.lanez"):
            okksim.sweep(SPEC.replace("chip.lanes", "chip.lanez"))
        with self.assertRaises(okksim.ConfigError):
            okksim.open_store(pathlib.Path(self.folder.name) / "none.sqlite")
        with self.assertRaises(okksim.ConfigError):
            okksim.sweep(pathlib.Path(self.folder.name) / "none.toml")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no python3-pandas")
    def test_pandas(self):
        frame = okksim.sweep(self.spec).to_pandas()
        self.assertEqual(len(frame), 8)
        self.assertIn("us_per_lane", frame.columns)


if __name__ == "__main__":
    unittest.main()

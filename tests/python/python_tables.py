# SPDX-License-Identifier: Apache-2.0
"""Results show themselves as tables and pictures, and become DataFrames."""
import importlib.util
import sys
import unittest
from unittest import mock

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
values = [16, 32, 64]
"""


def has(name):
    return importlib.util.find_spec(name) is not None


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = okksim.zoo("mobilenet_v2", precision="int8", size=32, width=0.25)
        cls.plan = cls.graph.plan()
        cls.result = cls.plan.time()
        cls.table = okksim.sweep(SPEC)

    def test_notebooks_show_tables(self):
        for shown, text in ((self.graph, "image"), (self.plan, "AVG_POOL2D"), (self.result, "DEPTHWISE_CONV2D"),
                            (self.result.operators, "most_time_lost"), (self.result.causes, "MCU computing"),
                            (self.plan.steps, "simulated_us"), (self.table, "chip.lanes"),
                            (self.table.points, "machine_hash"), (self.table.effects(), "chip.lanes"),
                            (okksim.machine(), "chip.lanes")):
            page = shown._repr_html_()
            self.assertIn("<table>", page)
            self.assertIn(text, page)

    def test_text_in_tables_is_escaped_and_long_tables_say_so(self):
        page = okksim.Rows([{"<b>": "<script>"}] * 100)._repr_html_()
        self.assertNotIn("<script>", page)
        self.assertIn("40 more rows", page)  # 100 rows, of which 60 are shown

    def test_causes_are_those_of_the_account(self):
        for row in self.result.causes:
            engine = self.result.account["engines"][row["engine"]]["us_by_cause"]
            self.assertEqual(row["us"], engine[row["cause"]])
        shares = {}
        for row in self.result.causes:
            shares[row["engine"]] = shares.get(row["engine"], 0) + row["share"]
        for engine, share in shares.items():
            self.assertAlmostEqual(share, 1, msg=engine)

    def test_a_machine_may_be_a_name_or_settings(self):
        self.assertEqual(self.graph.plan("bm1684").time().us, self.result.us)
        small = okksim.machine("bm1684", {"chip.lanes": 32})
        self.assertEqual(self.graph.plan(machine={"chip.lanes": 32}).machine, small)
        self.assertEqual(self.graph.plan({"chip.lanes": 32}).time().us, self.graph.plan(small).time().us)
        fast = {"bdc.clock_mhz": 1000}
        self.assertEqual(self.plan.time(fast).us, self.plan.time(okksim.machine(settings=fast)).us)
        self.assertEqual(self.graph.run("bm1684", self.graph.examples).us, self.result.us)

    @unittest.skipUnless(has("pandas"), "no python3-pandas")
    def test_frames_have_all_rows_and_nested_columns(self):
        frame = self.result.to_pandas()
        self.assertEqual(len(frame), len(self.result.operators))
        self.assertEqual(frame["roofline.bound"][3], self.result.operators[3]["roofline"]["bound"])
        self.assertEqual(len(self.result.causes.to_pandas()), len(self.result.causes))
        self.assertEqual(list(self.table.to_pandas()["us"]), [point["us"] for point in self.table.points])
        self.assertEqual(len(self.plan.to_pandas()), len(self.plan.steps))

    @unittest.skipUnless(has("matplotlib"), "no python3-matplotlib")
    def test_pictures_have_the_values(self):
        import matplotlib
        matplotlib.use("Agg")
        # A row for the operator and one per engine for every operator that takes time.
        timed = [operator for operator in self.result.operators if operator["us"] > 0]
        self.assertEqual(len(self.result.plot_timeline().collections), 3 * len(timed))
        placed = [operator for operator in timed if operator["roofline"]["operations_per_byte"]]
        drawn = sum(len(points.get_offsets()) for points in self.result.plot_roofline().collections)
        self.assertLessEqual(len(placed) and 1, drawn)
        axes = self.table.plot_front()
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("area_mm2", "us"))
        self.assertEqual(len(axes.collections[0].get_offsets()), len(self.table))
        self.assertEqual(len(axes.lines[0].get_xdata()), len(self.table.front()))
        self.assertEqual(self.table.plot_front(x="chip.lanes", y="us", axes=axes), axes)
        with self.assertRaisesRegex(ValueError, "no point has values of lanez"):
            self.table.plot_front(x="lanez")

    def test_a_missing_package_is_named_with_its_installation(self):
        for package_name, call in (("pandas", self.result.to_pandas), ("pandas", self.table.to_pandas),
                                   ("matplotlib", self.result.plot_timeline),
                                   ("matplotlib", self.result.plot_roofline), ("matplotlib", self.table.plot_front)):
            hidden = {name: None for name in (package_name, f"{package_name}.pyplot")}
            with mock.patch.dict(sys.modules, hidden), self.assertRaises(ImportError) as caught:
                call()
            self.assertIn(f"apt-get install python3-{package_name}", str(caught.exception))


class Sweeps(unittest.TestCase):
    def test_a_sweep_of_failures_raises_with_its_table(self):
        # 64 KiB of reserved memory in 96 MiB leave no room for the 45 MB of weights in two copies.
        text = SPEC.replace('zoo = "mobilenet_v2"', 'zoo = "resnet18"').replace("width = 0.25\n", "") + \
            '[[axis]]\nparameter = "global.bytes"\nvalues = ["24MiB"]\n' \
            '[[axis]]\nparameter = "global.reserved_bytes"\nvalues = ["8MiB"]\n'
        with self.assertRaisesRegex(okksim.SweepError, "all 3 points failed: .*global memory") as caught:
            okksim.sweep(text)
        self.assertEqual(len(caught.exception.table), 3)
        self.assertTrue(all(point["failure"] for point in caught.exception.table.points))
        self.assertNotIn("--", str(caught.exception))


if __name__ == "__main__":
    unittest.main()

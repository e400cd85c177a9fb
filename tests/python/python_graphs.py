# SPDX-License-Identifier: Apache-2.0
"""Runs of graphs in Python are those of `okksim run` to the digit."""
import os
import pathlib
import signal
import tempfile
import threading
import unittest

import package

import numpy as np
import okksim

ADD = """module { func.func @main(%a: tensor<2x3xf32> {ml_program.identifier = "a"}, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %c = tosa.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32> } }
"""


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.net = pathlib.Path(cls.folder.name) / "net"
        package.okksim("zoo", "mobilenet_v2", "--precision", "int8", "--size", 32, "--width", 0.25,
                       "-o", cls.net)
        cls.file = cls.net / "model.tosa"
        cls.small = okksim.machine("bm1684", {"chip.lanes": 32, "bdc.clock_mhz": 700})
        cls.flags = ["--set", "chip.lanes=32", "--set", "bdc.clock_mhz=700"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_run_is_that_of_the_program(self):
        graph = okksim.load(self.file)
        image = np.load(self.net / "image.npy")
        mine = graph.run(self.small, {"image": image}, bands=True)
        out = pathlib.Path(self.folder.name) / "out"
        theirs = package.okksim_json("run", self.file, *self.flags, "--input",
                                     f"image={self.net}/image.npy", "-o", out)
        self.assertEqual(package.same_report(mine.report, theirs), [])
        self.assertEqual(mine.us, theirs["simulated_us"])
        self.assertEqual(mine.band_us, (theirs["band_us"]["low"], theirs["band_us"]["high"]))
        (name, scores), = mine.outputs.items()
        self.assertEqual(name, graph.outputs[0].name)
        np.testing.assert_array_equal(scores, np.load(next(out.glob("*.npy"))))
        self.assertEqual((scores.shape, scores.dtype),
                         (graph.outputs[0].shape, graph.outputs[0].dtype))

    def test_times_without_data_are_those_of_the_program(self):
        for effort in (0, 1):
            mine = okksim.load(self.file).plan(self.small, effort=effort).time(bands=True)
            theirs = package.okksim_json("run", self.file, *self.flags, "--no-data", f"-O{effort}")
            self.assertEqual(package.same_report(mine.report, theirs), [])
            self.assertEqual(mine.outputs, {})
            self.assertEqual(len(mine.operators), len(theirs["operators"]))

    def test_plan_is_that_of_the_program(self):
        mine = okksim.load(self.file).plan(self.small)
        self.assertEqual(mine.steps, package.okksim_json("plan", self.file, *self.flags)["steps"])

    def test_zoo_is_the_program_s_network(self):
        graph = okksim.zoo("mobilenet_v2", precision="int8", size=32, width=0.25)
        np.testing.assert_array_equal(graph.examples["image"], np.load(self.net / "image.npy"))
        with self.assertRaises(ValueError):
            graph.examples["image"][:] = 0
        self.assertEqual(graph.plan().time().figures, okksim.load(self.file).plan().time().figures)

    def test_a_plan_runs_on_machines_with_its_layout(self):
        plan = okksim.load(self.file).plan()
        faster = plan.time(okksim.machine("bm1684", "bdc.clock_mhz=1000"))
        self.assertLess(faster.us, plan.time().us)
        with self.assertRaisesRegex(okksim.ConfigError, "chip.lanes"):
            plan.time(self.small)

    def test_a_plan_that_was_saved_is_the_plan(self):
        graph = okksim.load(self.file)
        plan = graph.plan(self.small)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "plan.json"
            plan.save(file)
            loaded = graph.load_plan(file)
            self.assertEqual(loaded.difference, "")
            self.assertEqual(loaded.steps, plan.steps)
            self.assertEqual(loaded.machine.hash, self.small.hash)
            faster = loaded.machine.with_("bdc.clock_mhz=1000")
            self.assertEqual(loaded.time(faster).us, plan.time(faster).us)
            mine = package.okksim_json("run", self.file, "--no-data", "--plan", file)
            self.assertEqual(mine["simulated_us"], plan.time().us)
            with self.assertRaisesRegex(okksim.ConfigError, "another graph"):
                okksim.zoo("resnet50", size=32, width=0.25).load_plan(file)

    def test_values_of_a_run_decide_where_its_times_go_on(self):
        plan = okksim.zoo("lstm", size=2, width=0.25).plan()  # a WHILE_LOOP
        with self.assertRaisesRegex(okksim.ProgramFault, r"keep_values=True"):
            plan.time()
        run = plan.run(keep_values=True)
        self.assertGreater(len(run.values), 0)
        for values in (run, run.values):
            self.assertEqual(plan.time(values=values).us, run.us)

    def test_progress_comes_to_the_end_in_this_thread(self):
        told = []
        graph = okksim.load(self.file)
        graph.run(progress=lambda done, steps: told.append((done, steps, threading.get_ident())))
        done, steps, thread = told[-1]
        self.assertEqual((done, thread), (steps, threading.get_ident()))

    def test_an_exception_of_progress_ends_the_run_and_nothing_else(self):
        graph = okksim.zoo("resnet50", size=64)

        def refuse(done, steps):
            raise KeyError(f"{done} of {steps}")
        with self.assertRaises(KeyError):
            graph.run(progress=refuse)
        self.assertGreater(okksim.load(self.file).run().us, 0)

    def test_a_signal_ends_a_run(self):
        graph = okksim.zoo("resnet50", size=64)
        with self.assertRaises(KeyboardInterrupt):
            graph.run(progress=lambda done, steps: os.kill(os.getpid(), signal.SIGINT))
        self.assertGreater(okksim.load(self.file).run().us, 0)

    def test_runs_of_several_threads_do_not_disturb_each_other(self):
        graph = okksim.load(self.file)
        alone = graph.run().outputs
        results = []
        threads = [threading.Thread(target=lambda: results.append(graph.run().outputs))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 3)
        for outputs in results:
            for name, value in alone.items():
                np.testing.assert_array_equal(outputs[name], value)


class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name) / "add.mlir"
        path.write_text(ADD)
        cls.graph = okksim.load(path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_add(self, a, b):
        names = [value.name for value in self.graph.inputs]
        (result,) = self.graph.run(inputs=dict(zip(names, (a, b)))).outputs.values()
        return result

    def test_sums_are_numpy_s(self):
        a = np.arange(6, dtype=np.float32).reshape(2, 3)
        np.testing.assert_array_equal(self.run_add(a, a / 4), a + a / 4)

    def test_lists_columns_and_other_byte_orders_are_taken(self):
        a = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
        b = a.astype(">f4")
        np.testing.assert_array_equal(self.run_add(a, b), a + a)
        np.testing.assert_array_equal(self.run_add([[1, 2, 3], [4, 5, 6]], a[::-1]),
                                      np.array([[1, 2, 3], [4, 5, 6]], np.float32) + a[::-1])

    def test_outputs_outlive_their_result(self):
        a = np.ones((2, 3), np.float32)
        kept = [self.run_add(a, a * n) for n in range(4)]
        for n, value in enumerate(kept):
            np.testing.assert_array_equal(value, a * (n + 1))
        kept[0][0, 0] = 7  # their own memory

    def test_wrong_arrays_are_refused_with_the_name(self):
        a = np.ones((2, 3), np.float32)
        name = self.graph.inputs[0].name
        for wrong, reason in ((a.astype(np.float64), "<f8"), (a[:1], r"\[1,3\]")):
            with self.assertRaisesRegex(okksim.ConfigError, f"input {name}.*{reason}"):
                self.graph.run(inputs={name: wrong})
        with self.assertRaisesRegex(okksim.ConfigError, "inputz"):
            self.graph.run(inputs={"inputz": a})


class Faults(unittest.TestCase):
    def test_a_wrong_graph_is_a_fault_with_its_record(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.mlir"
            path.write_text(ADD.replace("-> tensor<2x3xf32>\n  return %c : tensor<2x3xf32>",
                                        "-> tensor<2x4xf32>\n  return %c : tensor<2x4xf32>")
                            .replace("-> (tensor<2x3xf32>)", "-> (tensor<2x4xf32>)"))
            with self.assertRaises(okksim.ProgramFault) as caught:
                okksim.load(path)
        self.assertEqual(caught.exception.record["code"], "illegal-graph")
        self.assertEqual(caught.exception.record["message"], str(caught.exception))

    def test_what_does_not_fit_a_machine_is_a_fault(self):
        tiny = okksim.machine("bm1684", ["global.bytes=96MiB", "global.reserved_bytes=80MiB"])
        with self.assertRaises(okksim.ProgramFault) as caught:
            okksim.zoo("resnet18", size=32).plan(tiny)  # 45 MB of weights
        self.assertEqual(caught.exception.record["code"], "out-of-memory")

    def test_missing_files_are_config_errors(self):
        with self.assertRaisesRegex(okksim.ConfigError, "nowhere.tosa"):
            okksim.load("/nowhere.tosa")
        with self.assertRaisesRegex(okksim.ConfigError, "mobilenet_v2"):
            okksim.zoo("mobilenet_v3")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Kernels and recordings in Python are those of `okksim kernel` and `okksim replay`."""
import os
import pathlib
import tempfile
import unittest

import package

import numpy as np
import okksim

AXPY = os.environ["OKKSIM_AXPY"]
COUNT = 1000


def launch(x, y, count=COUNT, machine=None):
    """scale * x + y with scale 2 (examples/kernels/axpy_ping_pong.c)."""
    return okksim.kernel(AXPY, "axpy_ping_pong",
                         [okksim.out("f32", [count]), x, y, f"i32={count}", "f32=2"], machine)


class Kernels(unittest.TestCase):
    def setUp(self):
        self.x = np.arange(COUNT, dtype=np.float32)
        self.y = np.ones(COUNT, np.float32)

    def test_results_are_numpy_s(self):
        result = launch(self.x, self.y)
        np.testing.assert_array_equal(result.outputs[0], 2 * self.x + self.y)
        self.assertEqual(result.warnings, [])

    def test_times_and_recordings_are_those_of_the_program(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            np.save(folder / "x.npy", self.x)
            np.save(folder / "y.npy", self.y)
            theirs = package.okksim_json(
                "kernel", AXPY, "--launch", "axpy_ping_pong", "--out", f"{folder}/z.npy:f32[{COUNT}]",
                "--in", folder / "x.npy", "--in", folder / "y.npy", "--arg", f"i32={COUNT}",
                "--arg", "f32=2", "--record", folder / "trace")
            self.assertEqual(launch(self.x, self.y).us, theirs[0]["simulated_us"])
            slow = okksim.machine("bm1684", "gdma.clock_mhz=300")
            theirs = package.okksim_json("replay", folder / "trace", "--set", "gdma.clock_mhz=300")
            mine = okksim.replay(folder / "trace", slow)
            self.assertEqual(mine.us, theirs["launches"][0]["simulated_us"])
            own = okksim.replay(folder / "trace")
            self.assertEqual([(own.launches[0][1])], [own.launches[0][2]])
            self.assertEqual(mine.figures["gdma_commands"], theirs["gdma_commands"])

    def test_faults_have_a_record(self):
        with self.assertRaises(okksim.ProgramFault) as caught:
            okksim.kernel(AXPY, "axpy_ping_pong",  # unallocated memory
                          ["u64=0", self.x, self.y, f"i32={COUNT}", "f32=2"])
        self.assertTrue(caught.exception.record["call_stack"])
        with self.assertRaises(okksim.ProgramFault) as caught:
            okksim.kernel(AXPY, "axpy")
        self.assertEqual(caught.exception.record["code"], "unknown-kernel")
        np.testing.assert_array_equal(launch(self.x, self.y).outputs[0], 2 * self.x + self.y)

    def test_libraries_that_are_none_are_refused(self):
        with self.assertRaises(okksim.ConfigError):
            okksim.kernel("/nowhere.so", "axpy")


if __name__ == "__main__":
    unittest.main()

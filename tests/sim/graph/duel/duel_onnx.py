# SPDX-License-Identifier: Apache-2.0
"""duel_onnx.py [MODELS] [SEED]: runs random ONNX models, and compares the results with slow rules."""
import collections
import os
import pathlib
import re
import sys
import tempfile

import package  # noqa: F401  (skips the test without the Python package)

import numpy as np
import okksim

import onnx_makers_layers
import onnx_makers_moves
import onnx_makers_simple
import onnx_random

MAKERS = onnx_makers_simple.MAKERS + onnx_makers_moves.MAKERS + onnx_makers_layers.MAKERS


def difference(value, found):
    """Returns a text, or None if the result is right."""
    if tuple(found.shape) != value.shape:
        return f"{value.name} has the shape {found.shape} instead of {value.shape}"
    expected, found = value.array.astype(float), found.astype(float)
    if value.array.dtype.kind != "f":
        limit = 0.0
    else:
        limit = 1e-3 * max(1.0, float(np.abs(expected).max())) + value.quantum
    worst = np.abs(expected - found)
    if np.all(worst <= limit):
        return None
    at = np.unravel_index(int(np.argmax(np.where(np.isnan(worst), np.inf, worst))), expected.shape)
    return f"{value.name}{list(map(int, at))} is {found[at]:.6g} instead of {expected[at]:.6g}"


def stored(array):
    return array.astype(np.float32) if array.dtype == np.float64 else array


def run(model, path):
    """Returns the first difference, or None."""
    outputs = model.outputs()
    path.write_bytes(model.file(outputs))
    graph = okksim.load(path)
    result = graph.run("bm1684", {name: stored(array) for name, array in model.inputs})
    for value in outputs:
        text = difference(value, np.asarray(result.outputs[value.name]))
        if text:
            return text
    return None


def keep(model, path, seed, folder):
    if folder:
        target = pathlib.Path(folder) / f"{seed}.onnx"
        target.write_bytes(path.read_bytes())
        np.savez(str(target) + ".npz", **{name: stored(array) for name, array in model.inputs})


def main():
    count, first = (int(n) for n in (sys.argv[1:] + ["60", "1"][len(sys.argv) - 1:]))
    folder = os.environ.get("OKKSIM_DUEL_KEEP")
    wrong, refused, covered = [], collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "model.onnx"
        for seed in range(first, first + count):
            model = onnx_random.build(seed, MAKERS)
            covered.update(model.ops)
            try:
                text = run(model, path)
            except (okksim.ConfigError, okksim.ProgramFault) as error:
                text = re.sub(r"\s+", " ", str(error))
                refused[text[:400]] += 1
            if text:
                wrong.append(seed)
                keep(model, path, seed, folder)
                print(f"seed {seed}, operator set {model.opset}, {' '.join(model.ops)}: {text}"[:700], flush=True)
    print(f"{count} models with {sum(covered.values())} nodes of {len(covered)} operators: {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""duel_tflite.py [MODELS] [SEED]: runs random TensorFlow Lite models and compares the results with slow rules."""
import collections
import os
import pathlib
import re
import sys
import tempfile

import package  # noqa: F401  (skips the test without the Python package)

import numpy as np
import okksim

import tflite_makers
import tflite_random


def build(seed):
    model = tflite_random.Model(seed)
    count = model.between(1, 6)
    for _ in range(40):
        file = model.file
        lists = file.tensors, file.buffers, file.codes, file.operators, model.inputs, model.values, model.ops
        lengths, used = [len(each) for each in lists], set(model.used)
        try:
            model.choice(tflite_makers.MAKERS)(model)
        except tflite_random.Unfit:
            model.used = used
            for each, length in zip(lists, lengths):
                del each[length:]
        if len(model.ops) >= count:
            break
    return model


def run(model, path):
    """Returns the first difference, or None. Integers are equal in every bit."""
    outputs = [v for v in model.values if v.index not in model.used]
    model.file.inputs, model.file.outputs = [n for n, _ in model.inputs], [v.index for v in outputs]
    path.write_bytes(model.file.bytes())
    result = okksim.load(path).run("bm1684", {f"t{n}": array for n, array in model.inputs})
    for value in outputs:
        found = np.asarray(result.outputs[f"t{value.index}"])
        if tuple(found.shape) != value.shape:
            return f"t{value.index} has the shape {found.shape} instead of {value.shape}"
        expected = value.array.astype(float)
        limit = 1e-4 * max(1.0, float(np.abs(expected).max())) if value.array.dtype.kind == "f" else 0
        worst = np.abs(found.astype(float) - expected)
        if not np.all(worst <= limit):
            at = np.unravel_index(int(np.argmax(worst)), expected.shape)
            return f"t{value.index}{list(map(int, at))} is {found[at]} instead of {value.array[at]}"
    return None


def main():
    count, first = (int(n) for n in (sys.argv[1:] + ["60", "1"][len(sys.argv) - 1:]))
    folder = os.environ.get("OKKSIM_DUEL_KEEP")
    wrong, covered = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "model.tflite"
        for seed in range(first, first + count):
            model = build(seed)
            covered.update(model.ops)
            try:
                text = run(model, path)
            except (okksim.ConfigError, okksim.ProgramFault) as error:
                text = re.sub(r"\s+", " ", str(error))
            if text:
                wrong += 1
                print(f"seed {seed}, {model.kind}, {' '.join(model.ops)}: {text}"[:700], flush=True)
                if folder:
                    (pathlib.Path(folder) / f"{seed}.tflite").write_bytes(path.read_bytes())
    print(f"{count} models with {sum(covered.values())} operators of {len(covered)} kinds: {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

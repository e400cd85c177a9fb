# SPDX-License-Identifier: Apache-2.0
"""Bad files of TensorFlow Lite: each is refused with a message that names the operator or the tensor."""
import sys
import tempfile

import package  # noqa: F401  (skips the test without the Python package)

import numpy as np
import okksim

import tflite_file
from tflite_file import Table

WEIGHTS = np.ones((2, 3, 3, 2), np.float32)


def whole(*values):
    return np.array(values, np.int32)


def window(p=0, sw=1, sh=1, a=0, dw=1, dh=1):
    return Table(("b", p), ("i", sw), ("i", sh), ("b", a), ("i", dw), ("i", dh))


def file(number, kind=0, options=None, extra=(), shape=(1, 4, 4, 2), out=None, ek="float32", q=None, custom=None):
    """One operator; `extra` are constants, or the numbers of tensors."""
    made = tflite_file.File()
    x, y = made.tensor(ek, shape, **(q or {})), made.tensor(ek, out or shape, **(q or {}))
    made.inputs, made.outputs = [x], [y]
    inputs = [x] + [each if isinstance(each, int) else made.constant(each) for each in extra]
    made.op(number, inputs, [y], kind, options, custom)
    return made


def spoilt(change):
    """ABS of a file that `change` has spoilt."""
    made = file(101)
    change(made)
    return made


def field(tables, number, value):
    return lambda made: getattr(made, tables)[0].fields.__setitem__(number, value)


def outputs(*numbers):
    return lambda made: made.outputs.__init__(numbers)


def outside(offset):
    def change(made):
        made.tensor("float32", (2,), data=b"")
        made.buffers[-1] = Table(None, ("Q", offset), ("Q", 8))
        made.op(0, [2, 2], [made.tensor("float32", (2,))], 11, Table())
    return change


def per_channel(scales, zeros, axis):
    made = tflite_file.File()
    x = made.tensor("int8", (1, 4, 4, 2), [0.5], [0])
    w = made.constant(WEIGHTS.astype(np.int8), [0.5] * scales, [0] * zeros, axis)
    y = made.tensor("int8", (1, 4, 4, 2), [0.5], [0])
    made.op(3, [x, w], [y], 1, window())
    made.inputs, made.outputs = [x], [y]
    return made


def one_operator(inputs, results, number=101):
    """An operator of tensors 0, 1 and 2; tensor 0 is the input, and 1 the output."""
    made = tflite_file.File()
    for _ in range(3):
        made.tensor("float32", (2,))
    made.inputs, made.outputs = [0], [1]
    made.op(number, inputs, results, 11 if number == 0 else 0, Table() if number == 0 else None)
    return made


CASES = [
    lambda: file(3, 1, window()),
    lambda: file(3, 0, None, [WEIGHTS]),
    lambda: file(3, 1, window(sw=0), [WEIGHTS]),
    lambda: file(3, 1, window(sw=-1), [WEIGHTS]),
    lambda: file(3, 1, window(dw=0), [WEIGHTS]),
    lambda: file(3, 1, window(p=9), [WEIGHTS]),
    lambda: file(3, 1, window(a=9), [WEIGHTS]),
    lambda: file(3, 1, window(), [WEIGHTS[0]]),
    lambda: file(3, 1, window(), [np.ones((2, 3, 3, 5), np.float32)]),
    lambda: file(3, 1, window(p=1), [np.ones((2, 7, 7, 2), np.float32)]),
    lambda: file(3, 1, window(), [WEIGHTS, np.ones(5, np.float32)]),
    lambda: file(3, 5, Table(("b", 0), ("i", 1)), [WEIGHTS]),
    lambda: file(3, 1, window(sw=2**31-1), [WEIGHTS]),
    lambda: file(3, 1, window(p=1, dw=2**31-1), [WEIGHTS]),
    lambda: file(3, 1, window(), [WEIGHTS], out=(1, 9, 9, 9)),
    lambda: file(3, 1, window(), [WEIGHTS.astype(np.int8)], ek="int8"),
    lambda: file(3, 1, window(), [WEIGHTS.astype(np.int8)], ek="int8", q=dict(scales=[.5], zeros=[])),
    lambda: file(0, 11, Table(), [0], ek="int8"),
    lambda: file(0, 11, Table(), [0], ek="int8", q=dict(scales=[.5, .5], zeros=[0, 0], axis=3)),
    lambda: file(0, 11, Table(), [0], ek="int8", q=dict(scales=[0.], zeros=[0])),
    lambda: file(0, 11, Table(), [0], ek="int8", q=dict(scales=[-1.], zeros=[0])),
    lambda: file(0, 11, Table(), [0], ek="int8", q=dict(scales=[float("nan")], zeros=[0])),
    lambda: file(0, 11, Table(), [0], ek="int8", q=dict(scales=[float("inf")], zeros=[0])),
    lambda: file(0, 11, Table(), [0], ek="int8", q=dict(scales=[.5], zeros=[999])),
    lambda: file(0, 11, Table(), [0], ek="int16", q=dict(scales=[.5], zeros=[5])),
    lambda: file(0, 11, Table(), [np.ones(5, np.float32)]),
    lambda: file(0, 11, Table(), [np.ones(2, np.int32)]),
    lambda: file(17),
    lambda: file(17, 5, Table(("b", 0), ("i", 1), ("i", 1), ("i", 0), ("i", 1))),
    lambda: file(17, 5, Table(("b", 0), ("i", 0), ("i", 1), ("i", 1), ("i", 1))),
    lambda: file(17, 5, Table(("b", 1), ("i", 1), ("i", 1), ("i", 9), ("i", 1))),
    lambda: file(25),
    lambda: file(22, 0, None, [whole(-1, -1)]),
    lambda: file(22, 0, None, [whole(5, 5)], out=(5, 5)),
    lambda: file(39, 0, None, [whole(0, 0, 1, 2)]),
    lambda: file(39, 0, None, [whole(0, 1)]),
    lambda: file(39, 0, None, [whole(0, 1, 2, 9)]),
    lambda: file(2, 10, Table(("i", 7)), [0]),
    lambda: file(2, 10, Table(("i", 3)), [np.ones((1, 3, 4, 2), np.float32)]),
    lambda: file(34, 0, None, [np.array([[0, 0], [-1, 0], [0, 0], [0, 0]], np.int32)]),
    lambda: file(34, 0, None, [whole(1, 1)]),
    lambda: file(34, 0, None, [np.array([[0, 0], [2**31-1, 2**31-1], [2**31-1, 0], [0, 0]], np.int32)]),
    lambda: file(100, 77, Table(("b", 0)), [np.array([[0, 0], [5, 0], [0, 0], [0, 0]], np.int32)]),
    lambda: file(65, 0, None, [whole(0, 9, 0, 0), whole(1, 1, 1, 1)]),
    lambda: file(65, 0, None, [whole(0, 1, 0, 0), whole(1, 9, 1, 1)]),
    lambda: file(45, 32, Table(("i", 0)), [whole(0, 0, 0, 0), whole(1, 1, 1, 1), whole(0, 1, 1, 1)]),
    lambda: file(36, 23, Table(("i", 1)), [whole(9)]),
    lambda: file(36, 23, Table(("i", 9)), [whole(0)]),
    lambda: file(36, 23, Table(("i", 1)), [whole(-1)]),
    lambda: file(40, 27, Table(("b", 1)), [whole(7)]),
    lambda: file(56, 40, Table(("b", 2)), [np.array(9, np.int32)], ek="float32"),
    lambda: file(56, 40, Table(("b", 0)), [np.array(1, np.int32)]),
    lambda: file(69, 0, None, [whole(1, -1, 1, 1)]),
    lambda: file(69, 0, None, [whole(2**31-1, 2**31-1, 2**31-1, 1)]),
    lambda: file(94, 0, None, [], shape=(4,), ek="int32"),
    lambda: file(130, 0, None, [whole(2**30, 4, 4, 2)]),
    lambda: file(49, 35, Table(("i", 0)), []),
    lambda: file(9999),
    lambda: file(-5 & 0x7f),
    lambda: file(32, custom="MyOp"),
    lambda: file(32, custom="FlexFoo"),
    lambda: file(23, 15, Table(None, None, ("B", 0), ("B", 0)), [whole(0, 5)]),
    lambda: file(97, 74, Table(), [whole(-3, 5)]),
    lambda: file(23, 15, Table(None, None, ("B", 1), ("B", 1)), [whole(5, 5)]),
    lambda: file(26, 19, Table(("i", 0))),
    lambda: file(26, 19, Table(("i", 3))),
    lambda: file(5, 94, Table(("i", 2))),
    lambda: file(9, 8, Table(("b", 0)), [np.ones((3, 7), np.float32)]),
    lambda: file(101, shape=(1,)*9),
    lambda: file(101, shape=(0, 3)),
    lambda: file(101, shape=(-1, 3)),
    lambda: file(101, shape=(2**31-1, 2**31-1, 4)),
    lambda: file(101, ek=5),
    lambda: file(101, ek=8),
    lambda: file(101, ek=77),
    lambda: file(101, ek=10),
    lambda: file(0, 11, Table(), [0], ek=5),
    lambda: spoilt(field("tensors", 2, ("I", 99))),
    lambda: spoilt(field("tensors", 2, ("I", 2 ** 32 - 1))),
    lambda: spoilt(field("operators", 0, ("I", 9))),
    lambda: spoilt(outputs()),
    lambda: spoilt(outputs(99)),
    lambda: spoilt(outputs(-1)),
    lambda: spoilt(outside(10 ** 9)),
    lambda: spoilt(outside(2 ** 64 - 4)),
    lambda: per_channel(3, 3, 0),
    lambda: per_channel(2, 3, 0),
    lambda: per_channel(2, 2, 9),
    lambda: one_operator([77], [1]),
    lambda: one_operator([-7], [1]),
    lambda: one_operator([2], [1]),
    lambda: one_operator([1], [0]),
    lambda: one_operator([0], [0]),
    lambda: one_operator([0], [1, 1]),
    lambda: one_operator([1, 0], [1], 0),
]


def refusal(data, path):
    with open(path, "wb") as stream:
        stream.write(data)
    try:
        okksim.load(path)
    except (okksim.ConfigError, okksim.ProgramFault) as error:
        return str(error)
    return ""


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/bad.tflite"
        for number, case in enumerate(CASES):
            text = refusal(case().bytes(), path)
            if not any(word in text for word in ("subgraphs[0]", "buffers[", "operator 0 ")):
                wrong += 1
                print(f"case {number} is accepted, or its message names no operator: {text[:300]!r}")
        good = file(101).bytes()
        # The last bytes may be padding.
        for size in range(1, len(good) - 16):
            if not refusal(good[:size], path):
                wrong += 1
                print(f"the first {size} of {len(good)} bytes are accepted")
    print(f"{len(CASES)} bad files: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

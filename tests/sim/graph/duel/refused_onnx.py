# SPDX-License-Identifier: Apache-2.0
"""Bad ONNX nodes: each is refused with a message that names its node or its value, and the reason."""
import sys
import tempfile

import package  # noqa: F401  (skips the test without the Python package)

import numpy as np
import okksim

import onnx_file

X = [("x", "float32", (1, 3, 4, 4))]


def reals(*shape):
    return np.ones(shape)


def whole(*values):
    return np.array(values, np.int64)


def floats(*shape):
    return [("x", "float32", shape)]


def file(op, inputs, attributes=None, weights=(), opset=17, ins=None, outs=("y",), domain=""):
    node = onnx_file.node(op, inputs, outs, attributes or {}, domain)
    return onnx_file.model([node], [onnx_file.tensor(*each) for each in weights],
                           [onnx_file.value(*each) for each in (X if ins is None else ins)],
                           [onnx_file.value(name, "float32") for name in outs], opset)


CASES = [
    lambda: file("Conv", ["x", "w"], {"strides": 1.5}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Softmax", ["x"], {"axis": "one"}),
    lambda: file("Conv", ["x", "w"], {"strides": 2}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"auto_pad": "SAME"}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x"]),
    lambda: file("Add", ["x"]),
    lambda: file("Add", ["x", ""]),
    lambda: file("Relu", ["x", "x"]),
    lambda: file("Relu", ["x"], outs=["y", "z"]),
    lambda: file("Split", ["x"], {"axis": 1}, outs=["y", "z"]),
    lambda: file("Add", ["x", "nothing"]),
    lambda: file("Conv", ["x", "w"], {}, [("w", reals(2, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {}, [("w", reals(2, 5, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"group": 2}, [("w", reals(2, 1, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"group": 0}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"group": 3}, [("w", reals(4, 1, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"kernel_shape": [2, 2]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"strides": [0, 1]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"strides": [-1, 1]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"strides": [1]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"pads": [1, 1]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"pads": [2**40, 1, 1, 1]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"strides": [2**40, 1]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"dilations": [2**62, 1]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {"pads": [-1, 0, 0, 0]}, [("w", reals(2, 3, 3, 3))]),
    lambda: file("Conv", ["x", "w"], {}, [("w", reals(2, 3, 7, 7))]),
    lambda: file("Conv", ["x", "w", "b"], {}, [("w", reals(2, 3, 3, 3)), ("b", reals(3))]),
    lambda: file("Conv", ["x", "w"], {}, [("w", reals(2, 3, 3, 3).astype(np.int32))]),
    lambda: file("MaxPool", ["x"]),
    lambda: file("MaxPool", ["x"], {"kernel_shape": [0, 1]}),
    lambda: file("MaxPool", ["x"], {"kernel_shape": [9, 9]}),
    lambda: file("MaxPool", ["x"], {"kernel_shape": [2, 2], "pads": [2, 2, 2, 2]}),
    lambda: file("AveragePool", ["x"], {"kernel_shape": [2, 2], "pads": [3, 3, 3, 3]}),
    lambda: file("LpPool", ["x"], {"kernel_shape": [2, 2], "p": 0}),
    lambda: file("Gemm", ["x", "w"], {}, [("w", reals(4, 4))]),
    lambda: file("Gemm", ["x", "w"], {}, [("w", reals(5, 4))], ins=floats(2, 3)),
    lambda: file("Gemm", ["x", "w", "c"], {}, [("w", reals(3, 4)), ("c", reals(7))], ins=floats(2, 3)),
    lambda: file("MatMul", ["x", "w"], {}, [("w", reals(5, 4))]),
    lambda: file("MatMul", ["x", "w"], {}, [("w", np.array(1.0))]),
    lambda: file("MatMul", ["x", "w"], {}, [("w", reals(2, 4, 4))], ins=floats(3, 4, 4)),
    lambda: file("Add", ["x", "w"], {}, [("w", reals(5))]),
    lambda: file("Add", ["x", "w"], {}, [("w", whole(1))]),
    lambda: file("Relu", ["x"], ins=[("x", "bool", (2, ))]),
    lambda: file("Reshape", ["x", "s"], {}, [("s", whole(-1, -1))]),
    lambda: file("Reshape", ["x", "s"], {}, [("s", whole(-2, 3))]),
    lambda: file("Reshape", ["x", "s"], {}, [("s", whole(7, 7))]),
    lambda: file("Reshape", ["x", "s"], {}, [("s", whole(1, 3, 4, 4, 0))]),
    lambda: file("Reshape", ["x", "s"], {}, [("s", whole(2**40, 2**40))]),
    lambda: file("Reshape", ["x", "s"], {}, [("s", reals(2))]),
    lambda: file("Reshape", ["x", "s"], {}, [("s", np.array([[1, 48]]))]),
    lambda: file("Transpose", ["x"], {"perm": [0, 0, 1, 2]}),
    lambda: file("Transpose", ["x"], {"perm": [0, 1]}),
    lambda: file("Transpose", ["x"], {"perm": [0, 1, 2, -1]}),
    lambda: file("Concat", ["x", "x"], {"axis": 4}),
    lambda: file("Concat", ["x", "x"], {}),
    lambda: file("Concat", ["x", "w"], {"axis": 0}, [("w", reals(3))]),
    lambda: file("Split", ["x", "s"], {"axis": 1}, [("s", whole(1, 1))], outs=["y", "z"]),
    lambda: file("Split", ["x", "s"], {"axis": 1}, [("s", whole(4, -1))], outs=["y", "z"]),
    lambda: file("Split", ["x", "s"], {"axis": 1}, [("s", whole(1, 1, 1))], outs=["y", "z"]),
    lambda: file("Split", ["x", "s"], {"axis": 1, "num_outputs": 2}, [("s", whole(1, 2))], outs=["y", "z"], opset=18),
    lambda: file("Slice", ["x", "a", "b", "c", "d"], {}, [("a", whole(0)), ("b", whole(1)),
                                                           ("c", whole(0)), ("d", whole(0))]),
    lambda: file("Slice", ["x", "a", "b", "c"], {}, [("a", whole(0, 0)), ("b", whole(1, 1)), ("c", whole(0, 0))]),
    lambda: file("Slice", ["x", "a", "b"], {}, [("a", whole(0, 0)), ("b", whole(1))]),
    lambda: file("Slice", ["x", "a", "b", "c"], {}, [("a", whole(0)), ("b", whole(1)), ("c", whole(9))]),
    lambda: file("Pad", ["x", "p"], {}, [("p", whole(1, 1))]),
    lambda: file("Pad", ["x", "p"], {"mode": "mirror"}, [("p", whole(*[0]*8))]),
    lambda: file("Pad", ["x", "p"], {"mode": "reflect"}, [("p", whole(0, 0, 4, 0, 0, 0, 0, 0))]),
    lambda: file("Pad", ["x", "p"], {}, [("p", whole(0, 0, -5, 0, 0, 0, 0, 0))]),
    lambda: file("Pad", ["x", "p"], {}, [("p", whole(0, 0, 2**33, 2**33, 0, 0, 0, 0))]),
    lambda: file("Gather", ["x", "i"], {"axis": 1}, [("i", whole(3))]),
    lambda: file("Gather", ["x", "i"], {"axis": 7}, [("i", whole(0))]),
    lambda: file("Gather", ["x", "i"], {}, [("i", reals(1))]),
    lambda: file("GatherND", ["x", "i"], {}, [("i", whole(0, 0, 0, 0, 0))]),
    lambda: file("ScatterElements", ["x", "i", "u"], {}, [("i", np.zeros((1, 1, 1, 1), np.int64)), ("u", reals(2))]),
    lambda: file("Expand", ["x", "s"], {}, [("s", whole(1, 2, 4, 4))]),
    lambda: file("Expand", ["x", "s"], {}, [("s", whole(2**20, 2**20))], ins=floats(1)),
    lambda: file("Tile", ["x", "s"], {}, [("s", whole(2**30, 1, 1, 2**30))]),
    lambda: file("Tile", ["x", "s"], {}, [("s", whole(-1, 1, 1, 1))]),
    lambda: file("Tile", ["x", "s"], {}, [("s", whole(1, 1))]),
    lambda: file("Squeeze", ["x", "a"], {}, [("a", whole(1))]),
    lambda: file("Unsqueeze", ["x", "a"], {}, [("a", whole(0, 0))]),
    lambda: file("Unsqueeze", ["x", "a"], {}, [("a", whole(9))]),
    lambda: file("ReduceSum", ["x", "a"], {}, [("a", whole(4))]),
    lambda: file("ReduceSum", ["x", "a"], {}, [("a", whole(1, 1))]),
    lambda: file("ReduceMean", ["x", "a"], {}, [("a", whole(1))], opset=13),
    lambda: file("Softmax", ["x"], {"axis": 4}),
    lambda: file("TopK", ["x", "k"], {}, [("k", whole(9))], outs=["y", "z"]),
    lambda: file("TopK", ["x", "k"], {}, [("k", whole(-1))], outs=["y", "z"]),
    lambda: file("ArgMax", ["x"], {"axis": -5}),
    lambda: file("CumSum", ["x", "a"], {}, [("a", whole(8))]),
    lambda: file("DepthToSpace", ["x"], {"blocksize": 2}),
    lambda: file("DepthToSpace", ["x"], {"blocksize": 0}),
    lambda: file("SpaceToDepth", ["x"], {"blocksize": 3}),
    lambda: file("Resize", ["x", "", "s", "z"], {}, [("s", reals(4)), ("z", whole(1, 3, 4, 4))]),
    lambda: file("Resize", ["x"], {}),
    lambda: file("Resize", ["x", "", "s"], {"mode": "area"}, [("s", reals(4))]),
    lambda: file("Resize", ["x", "", "s"], {"coordinate_transformation_mode": "x"}, [("s", reals(4))]),
    lambda: file("Resize", ["x", "", "s"], {}, [("s", np.zeros(4))]),
    lambda: file("Resize", ["x", "", "s"], {}, [("s", -reals(4))]),
    lambda: file("Resize", ["x", "", "s"], {}, [("s", reals(4)*1e9)]),
    lambda: file("Resize", ["x", "", "s"], {}, [("s", reals(4)*np.nan)]),
    lambda: file("BatchNormalization", ["x", "s", "s", "s", "s"], {}, [("s", reals(4))]),
    lambda: file("BatchNormalization", ["x", "s", "s", "s", "s"], {"training_mode": 1}, [("s", reals(3))]),
    lambda: file("GroupNormalization", ["x", "s", "s"], {"num_groups": 2}, [("s", reals(2))], opset=18),
    lambda: file("LayerNormalization", ["x", "s"], {"axis": 5}, [("s", reals(4))]),
    lambda: file("LayerNormalization", ["x", "s"], {}, [("s", reals(5))]),
    lambda: file("LRN", ["x"], {"size": 0}),
    lambda: file("QuantizeLinear", ["x", "s", "z"], {}, [("s", np.array(.5)), ("z", reals(1))]),
    lambda: file("QuantizeLinear", ["x", "s", "z"], {"axis": 9}, [("s", reals(3)), ("z", np.zeros(3, np.int8))]),
    lambda: file("QuantizeLinear", ["x", "s", "z"], {"axis": 1}, [("s", reals(4)), ("z", np.zeros(4, np.int8))]),
    lambda: file("QuantizeLinear", ["x", "s", "z"], {"axis": 1}, [("s", reals(3)), ("z", np.zeros(2, np.int8))]),
    lambda: file("DequantizeLinear", ["x", "s"], {}, [("s", np.array(.5))]),
    lambda: file("Einsum", ["x", "x"], {"equation": "ij, jk->ik"}),
    lambda: file("Einsum", ["x"], {"equation": "ab1d->a"}),
    lambda: file("Einsum", ["x"], {}),
    lambda: file("Cast", ["x"], {"to": 8}),
    lambda: file("Cast", ["x"], {"to": 99}),
    lambda: file("Cast", ["x"], {}),
    lambda: file("Frobnicate", ["x"]),
    lambda: file("Relu", ["x"], domain="ai.acme"),
    lambda: file("OneHot", ["x", "d", "v"], {}, [("d", whole(-1)), ("v", reals(2))], ins=[("x", "int64", (2, ))]),
    lambda: file("ConstantOfShape", ["s"], {}, [("s", whole(2**20, 2**20))], ins=[]),
    lambda: file("ConstantOfShape", ["s"], {}, [("s", whole(-1))], ins=[]),
    lambda: file("Range", ["a", "b", "c"], {}, [("a", np.array(0)), ("b", np.array(2 ** 60)),
                                                  ("c", np.array(1))], ins=[]),
    lambda: file("Range", ["a", "b", "c"], {}, [("a", np.array(0)), ("b", np.array(5)), ("c", np.array(0))], ins=[]),
    lambda: file("Relu", ["x"], opset=99),
    lambda: file("Relu", ["x"], opset=0),
    lambda: file("Gelu", ["x"], opset=17),
    lambda: file("Upsample", ["x", "s"], {}, [("s", reals(4))], opset=13),
    lambda: file("Relu", ["x"], ins=floats(2**31, 2**31)),
    lambda: file("Relu", ["x"], ins=floats(2**62, 4)),
    lambda: file("Relu", ["x"], ins=[("x", "float64", (2, ))]),
    lambda: file("NonZero", ["x"]),
    lambda: file("RandomNormal", [], {"shape": [2]}, ins=[]),
    lambda: file("Clip", ["x", "l"], {}, [("l", reals(2))]),
    lambda: file("Pow", ["x", "w"], {}, [("w", np.array([True]))]),
    lambda: file("LSTM", ["x", "w", "r"], {"hidden_size": 2}, [("w", reals(1, 8, 3)), ("r", reals(1, 8, 9))],
                 ins=floats(2, 1, 3)),
    lambda: file("LSTM", ["x", "w", "r"], {"hidden_size": 2, "direction": "up"},
                 [("w", reals(1, 8, 3)), ("r", reals(1, 8, 2))], ins=floats(2, 1, 3)),
    lambda: file("GRU", ["x", "w", "r"], {}, [("w", reals(1, 6, 3)), ("r", reals(1, 6, 7))], ins=floats(2, 1, 3)),
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
        for number, case in enumerate(CASES):
            text = refusal(case(), f"{scratch}/bad.onnx")
            if not any(word in text for word in ("node_y", "tensor y", "node y", "opset_import")):
                wrong += 1
                print(f"case {number} is accepted, or its message names no node: {text[:300]!r}")
    print(f"{len(CASES)} bad files: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

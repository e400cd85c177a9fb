#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small_cnn.onnx and labels.txt, as an exporter would: a network with two residual blocks and random weights.

Usage: export_small_cnn.py [FOLDER]. It needs no packages. With PyTorch, torch.onnx.export writes such files."""
import pathlib
import random
import struct
import sys

FLOAT, INT, INTS = 1, 2, 7  # types of attributes


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, float):
        return data(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, FLOAT)
    if isinstance(value, int):
        return data(1, name) + number(3, value) + number(20, INT)
    return data(1, name) + b"".join(number(8, each) for each in value) + number(20, INTS)


class Model:
    """Nodes and weights of a graph. Each method returns the name of its result."""

    def __init__(self):
        self.nodes, self.weights, self.random = b"", b"", random.Random(1)

    def node(self, kind, inputs, **attributes):
        result = f"{kind.lower()}_{self.nodes.count(b'/node/')}"
        message = b"".join(data(1, name) for name in inputs) + data(2, result) + data(3, f"/node/{result}") + data(4, kind)
        self.nodes += data(1, message + b"".join(data(5, attribute(*item)) for item in attributes.items()))
        return result

    def weight(self, name, shape, low, high):
        count = 1
        for size in shape:
            count *= size
        values = struct.pack(f"<{count}f", *(self.random.uniform(low, high) for _ in range(count)))
        self.weights += data(5, b"".join(number(1, size) for size in shape) + number(2, FLOAT) + data(8, name) + data(9, values))
        return name

    def conv(self, x, name, inputs, outputs, kernel, stride=1):
        limit = (3 / (inputs * kernel * kernel)) ** 0.5
        weight = self.weight(name + ".weight", [outputs, inputs, kernel, kernel], -limit, limit)
        x = self.node("Conv", [x, weight], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)
        scales = [self.weight(f"{name}.bn.{part}", [outputs], low, 1.2) for part, low in
                  (("scale", 0.8), ("bias", -0.2), ("mean", -0.2), ("variance", 0.8))]
        return self.node("BatchNormalization", [x] + scales, epsilon=1e-5)


def value(name, shape):
    dims = b"".join(data(1, data(2, size) if isinstance(size, str) else number(1, size)) for size in shape)
    return data(1, name) + data(2, data(1, number(1, FLOAT) + data(2, dims)))


def build(classes=10):
    model = Model()
    x = model.node("Relu", [model.conv("image", "stem", 3, 16, 3, 2)])
    x = model.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for block, (inputs, outputs) in enumerate(((16, 16), (16, 32))):
        stride = 1 if inputs == outputs else 2
        y = model.node("Relu", [model.conv(x, f"block{block}.0", inputs, outputs, 3, stride)])
        y = model.conv(y, f"block{block}.1", outputs, outputs, 3)
        if inputs != outputs:
            x = model.conv(x, f"block{block}.skip", inputs, outputs, 1, stride)
        x = model.node("Relu", [model.node("Add", [x, y])])
    x = model.node("Flatten", [model.node("GlobalAveragePool", [x])])
    weight = model.weight("head.weight", [classes, 32], -0.3, 0.3)
    logits = model.node("Gemm", [x, weight, model.weight("head.bias", [classes], -0.1, 0.1)], transB=1)
    graph = model.nodes + data(2, "small_cnn") + model.weights
    graph += data(11, value("image", ["batch", 3, 64, 64])) + data(12, value(logits, ["batch", classes]))
    return number(1, 8) + data(2, "export_small_cnn.py") + data(7, graph) + data(8, data(1, "") + number(2, 17))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "small_cnn.onnx").write_bytes(build())
    (folder / "labels.txt").write_text("".join(f"class {n}\n" for n in range(10)))

# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files message by message. The code of the reader is not used."""
import struct

import numpy as np

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
         "float16": 10, "float64": 11}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field, value):
    return varint(field << 3) + varint(value)


def real(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def file_type(array):
    """Floating-point values are computed as float64 and stored as float32."""
    return "float32" if array.dtype == np.float64 else array.dtype.name


def tensor(name, array):
    kind = file_type(array)
    out = b"".join(integer(1, size) for size in array.shape) + integer(2, TYPES[kind])
    return out + data(8, name) + data(9, array.astype(kind).tobytes())


def attribute(name, value):
    out = data(1, name)
    if isinstance(value, np.ndarray):
        return out + data(5, tensor("", value)) + integer(20, 4)
    if isinstance(value, str):
        return out + data(4, value) + integer(20, 3)
    if isinstance(value, float):
        return out + real(2, value) + integer(20, 1)
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], float):
            return out + b"".join(real(7, each) for each in value) + integer(20, 6)
        if value and isinstance(value[0], str):
            return out + b"".join(data(9, each) for each in value) + integer(20, 8)
        return out + b"".join(integer(8, int(each)) for each in value) + integer(20, 7)
    return out + integer(3, int(value)) + integer(20, 2)


def node(op, inputs, outputs, attributes, domain=""):
    out = b"".join(data(1, name) for name in inputs) + b"".join(data(2, name) for name in outputs)
    out += data(3, "node_" + outputs[0]) + data(4, op)
    out += b"".join(data(5, attribute(*each)) for each in attributes.items())
    return out + (data(7, domain) if domain else b"")


def value(name, kind, shape=None):
    """Declares a value; a dimension may be a number or a name."""
    body = integer(1, TYPES[kind])
    if shape is not None:
        sizes = (data(2, size) if isinstance(size, str) else integer(1, size) for size in shape)
        body += data(2, b"".join(data(1, size) for size in sizes))
    return data(1, name) + data(2, data(1, body))


def model(nodes, weights, inputs, outputs, opset, more=b""):
    """Each argument of the graph is a list of encoded messages."""
    graph = b"".join(data(1, each) for each in nodes) + data(2, "random")
    graph += b"".join(data(5, each) for each in weights)
    graph += b"".join(data(11, each) for each in inputs) + b"".join(data(12, each) for each in outputs)
    return integer(1, 8) + data(7, graph) + data(8, data(1, "") + integer(2, opset)) + more

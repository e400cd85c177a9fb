# SPDX-License-Identifier: Apache-2.0
"""Writes files of TensorFlow Lite: a small FlatBuffer writer and the tables of the format."""
import struct

import numpy as np

TYPES = {"float32": 0, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7, "int8": 9}


class Table:
    """Fields by number: a scalar as (format, value), bytes, text, a table, or a list of them."""

    def __init__(self, *fields):
        self.fields = {n: value for n, value in enumerate(fields) if value is not None}


class Numbers:
    """A vector of scalars."""

    def __init__(self, letter, values):
        self.letter, self.values = letter, list(values)


class Writer:
    """Children follow their table, so that every offset is positive."""

    def __init__(self):
        self.out = bytearray()

    def align(self, size, ahead=0):
        while (len(self.out) + ahead) % size:
            self.out.append(0)

    def point(self, at):
        struct.pack_into("<I", self.out, at, len(self.out) - at)

    def value(self, at, value):
        if isinstance(value, Table):
            self.table(value, at)
            return
        data = value.encode() if isinstance(value, str) else value
        if isinstance(data, (bytes, bytearray)):
            self.align(16, 4)
            self.point(at)
            self.out += struct.pack("<I", len(data)) + data + b"\0"
        elif isinstance(data, Numbers):
            self.align(8, 4)
            self.point(at)
            self.out += struct.pack(f"<I{len(data.values)}{data.letter}", len(data.values), *data.values)
        else:
            self.align(4)
            self.point(at)
            first = len(self.out) + 4
            self.out += struct.pack("<I", len(data)) + bytes(4 * len(data))
            for n, each in enumerate(data):
                self.value(first + 4 * n, each)

    def table(self, table, at):
        slots, body, places = {}, 4, []
        for number, value in sorted(table.fields.items(), key=lambda each: each[0]):
            letter = value[0] if isinstance(value, tuple) else "I"
            size = struct.calcsize(letter)
            body += -body % size
            slots[number] = body
            places.append((body, letter, value))
            body += size
        count = max(slots, default=-1) + 1
        self.align(2)
        vtable = len(self.out)
        self.out += struct.pack(f"<{count + 2}H", 4 + 2 * count, body, *(slots.get(n, 0) for n in range(count)))
        self.align(8)
        start = len(self.out)
        self.point(at)
        self.out += struct.pack("<i", start - vtable) + bytes(body - 4)
        for place, letter, value in places:
            if isinstance(value, tuple):
                struct.pack_into("<" + letter, self.out, start + place, value[1])
        for place, _, value in places:
            if not isinstance(value, tuple):
                self.value(start + place, value)


def quantised(scales, zeros, axis):
    return Table(None, None, Numbers("f", scales), Numbers("q", zeros), None, None, ("i", axis))


class File:
    """A model of one subgraph."""

    def __init__(self):
        self.buffers, self.tensors, self.codes, self.operators = [Table()], [], [], []
        self.inputs, self.outputs, self.version = [], [], 3

    def tensor(self, kind, shape, scales=None, zeros=None, axis=0, data=None):
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            self.buffers.append(Table(data))
        form = quantised(scales, zeros, axis) if scales is not None else None
        self.tensors.append(Table(Numbers("i", shape), ("b", TYPES.get(kind, kind)), ("I", buffer),
                                  f"t{len(self.tensors)}", form))
        return len(self.tensors) - 1

    def constant(self, array, scales=None, zeros=None, axis=0):
        array = np.asarray(array)
        return self.tensor(array.dtype.name, array.shape, scales, zeros, axis, array.tobytes())

    def op(self, number, inputs, outputs, kind=0, options=None, custom=None):
        """`kind` and `options`: number and table of the union BuiltinOptions."""
        self.codes.append(Table(("b", min(number, 127)), custom, ("i", 1), ("i", number)))
        self.operators.append(Table(("I", len(self.codes) - 1), Numbers("i", inputs), Numbers("i", outputs),
                                    ("B", kind) if kind else None, options))

    def bytes(self):
        writer = Writer()
        writer.out += bytes(4) + b"TFL3"
        graph = Table(self.tensors, Numbers("i", self.inputs), Numbers("i", self.outputs), self.operators)
        writer.table(Table(("I", self.version), self.codes, [graph], None, self.buffers), 0)
        writer.align(16)
        return bytes(writer.out)

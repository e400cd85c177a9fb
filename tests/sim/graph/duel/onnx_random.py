# SPDX-License-Identifier: Apache-2.0
"""A random ONNX model under construction, with the expected numbers of its values."""
import dataclasses

import numpy as np

import onnx_file
import onnx_rules_elementwise
import onnx_rules_layers
import onnx_rules_moves
import onnx_rules_resize

LARGEST = 1500  # elements of a value


class Unfit(Exception):
    """A random choice that gives no legal node; another one is made."""


@dataclasses.dataclass
class Value:
    name: str
    array: np.ndarray
    is_exact: bool = True
    """Every float32 computation gives these numbers, so steps and comparisons may follow."""
    quantum: float = 0.0
    """Largest difference that one quantisation step may cause."""

    @property
    def rank(self):
        return self.array.ndim

    @property
    def shape(self):
        return self.array.shape


class Model:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.opset = int(self.random.integers(7, 24))
        self.nodes, self.weights, self.values, self.inputs, self.used = [], [], [], [], set()
        self.ops, self.count = [], 0

    def chance(self, share):
        return self.random.random() < share

    def choice(self, items):
        return items[int(self.random.integers(len(items)))]

    def between(self, low, high):
        """An integer from low to high."""
        return int(self.random.integers(low, high + 1))

    def needs(self, opset):
        if self.opset < opset:
            raise Unfit

    def shape(self, low=1, high=4, largest=6):
        sizes = [self.between(1, largest) for _ in range(self.between(low, high))]
        if self.chance(0.3) and sizes:
            sizes[self.between(0, len(sizes) - 1)] = 1
        return tuple(sizes)

    def reals(self, shape, low=-4.0, high=4.0):
        """Multiples of 1/4: sums and products of a few of them are exact."""
        return self.random.integers(int(low * 4), int(high * 4) + 1, size=shape) / 4.0

    def integers(self, shape, low, high, kind="int64"):
        return np.asarray(self.random.integers(low, high + 1, size=shape)).astype(kind)

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def weight(self, array):
        """A constant: an initializer or a node."""
        name, array = self.name("w"), np.asarray(array)
        if self.chance(0.2):
            self.nodes.append(onnx_file.node("Constant", [], [name], {"value": array}))
        else:
            self.weights.append(onnx_file.tensor(name, array))
        return Value(name, array)

    def input(self, array):
        name, array = self.name("x"), np.asarray(array)
        self.inputs.append((name, array))
        return Value(name, array)

    def fresh(self, array, known=0.3):
        return self.weight(array) if self.chance(known) else self.input(array)

    def real(self, low=1, high=4, exact=False, fit=lambda value: True, shape=None, reuse=0.75):
        """A floating-point operand: an earlier value that fits, or a new one."""
        found = [v for v in self.values if v.array.dtype == np.float64 and low <= v.rank <= high and fit(v)
                 and (v.is_exact or not exact) and (shape is None or v.shape == tuple(shape))]
        if found and self.chance(reuse):
            return self.choice(found[-4:])
        for _ in range(50):
            value = Value("", np.zeros(self.shape(low, high) if shape is None else shape))
            if value.array.size <= 600 and fit(value):
                return self.fresh(self.reals(value.shape), 0.1)
        raise Unfit

    def vector(self, values):
        """Integers that decide a shape."""
        return self.weight(np.asarray(values, np.int64))

    def partner(self, shape):
        """A shape that broadcasts with another one."""
        sizes = [1 if self.chance(0.3) else size for size in shape]
        sizes = sizes[self.between(0, len(sizes)):] if self.chance(0.4) else sizes
        if self.chance(0.15):
            sizes = [self.between(1, 3) for _ in range(self.between(0, max(0, 4 - len(shape))))] + (
                sizes if len(sizes) == len(shape) else [1] * (len(shape) - len(sizes)) + list(sizes))
        return tuple(sizes)

    @staticmethod
    def check_broadcast(arrays):
        try:
            np.broadcast_shapes(*(each.shape for each in arrays))
        except ValueError as error:
            raise Unfit from error

    def add(self, op, operands, attributes=None, results=1, exact=False, quantum=0.0):
        attributes = attributes or {}
        arrays = [None if each is None else each.array for each in operands]
        if op in ("Max", "Min", "Sum", "Mean"):
            self.check_broadcast(arrays)
        with np.errstate(all="ignore"):
            found = (onnx_rules_elementwise.evaluate(op, arrays, attributes, self.opset)
                     or onnx_rules_moves.evaluate(op, arrays, attributes, self.opset, results)
                     or onnx_rules_layers.evaluate(op, arrays, attributes, self.opset)
                     or onnx_rules_resize.evaluate(op, arrays, attributes, self.opset))
        for array in found:
            # int64 needs one more dimension for its words, and the machine has 6 dimensions.
            most = 5 if array.dtype == np.int64 else 6
            if not 0 < array.size <= LARGEST or array.ndim > most or not np.all(np.isfinite(array)):
                raise Unfit
            if np.max(np.abs(array.astype(float))) > 1e4:
                raise Unfit
        is_exact = exact and all(each is None or each.is_exact for each in operands)
        steps = [each.quantum for each in operands if each is not None]
        names = [self.name(f"v{i}_") for i in range(len(found))]
        self.nodes.append(onnx_file.node(op, ["" if each is None else each.name for each in operands], names,
                                         attributes))
        self.ops.append(op)
        self.used.update(each.name for each in operands if each is not None)
        made = [Value(name, array, is_exact, max([quantum] + steps)) for name, array in zip(names, found)]
        self.values += made
        return made

    def outputs(self):
        """Values that no node reads, and sometimes one that is read."""
        return [v for v in self.values if v.name not in self.used or self.chance(0.1)][-6:]

    def file(self, outputs):
        inputs = [onnx_file.value(name, onnx_file.file_type(array), array.shape) for name, array in self.inputs]
        ends = [onnx_file.value(v.name, onnx_file.file_type(v.array)) for v in outputs]
        return onnx_file.model(self.nodes, self.weights, inputs, ends, self.opset)


def build(seed, makers):
    """Returns a model of up to 12 nodes."""
    model = Model(seed)
    count = model.between(1, 3) if model.chance(0.5) else model.between(3, 12)
    for _ in range(200):
        lists = model.nodes, model.weights, model.inputs, model.values, model.ops
        lengths, used = [len(each) for each in lists], set(model.used)
        try:
            model.choice(makers)(model)
        except Unfit:
            model.used = used
            for each, length in zip(lists, lengths):
                del each[length:]
        if len(model.ops) >= count:
            break
    return model

# SPDX-License-Identifier: Apache-2.0
"""A random model of TensorFlow Lite under construction, with the expected numbers of its values."""
import dataclasses

import numpy as np

import tflite_file


class Unfit(Exception):
    """A random choice that gives no legal operator."""


@dataclasses.dataclass
class Value:
    index: int
    array: np.ndarray
    scale: float = 0.0
    zero: int = 0

    @property
    def shape(self):
        return self.array.shape

    @property
    def steps(self):
        return self.array.astype(np.int64) - self.zero


class Model:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.kind = self.choice(["int8", "int8", "uint8", "int16", "float32"])
        self.is_real = self.kind == "float32"
        self.file, self.values, self.used, self.ops, self.inputs = tflite_file.File(), [], set(), [], []

    def chance(self, share):
        return self.random.random() < share

    def choice(self, items):
        return items[int(self.random.integers(len(items)))]

    def between(self, low, high):
        return int(self.random.integers(low, high + 1))

    def scale(self):
        return float(np.float32(self.random.uniform(0.005, 0.2)))

    def zero(self):
        return {"int8": self.between(-100, 100), "uint8": self.between(20, 230)}.get(self.kind, 0)

    def form(self, same=None):
        if self.is_real:
            return {}
        scale, zero = (same.scale, same.zero) if same else (self.scale(), self.zero())
        return {"scale": scale, "zero": zero}

    def numbers(self, shape):
        if self.is_real:
            return (self.random.integers(-16, 17, size=shape) / 4).astype(np.float32)
        limits = np.iinfo(self.kind)
        return self.random.integers(limits.min, limits.max + 1, size=shape).astype(self.kind)

    def declared(self, shape, kind=None, scale=None, zero=0):
        scales = {} if scale is None else {"scales": [scale], "zeros": [zero]}
        return self.file.tensor(kind or self.kind, shape, **scales)

    def input(self, shape, same=None):
        form, array = self.form(same), self.numbers(shape)
        index = self.declared(shape, **form)
        self.inputs.append((index, array))
        return Value(index, array, **form)

    def image(self, rank=4, fit=lambda v: True):
        found = [v for v in self.values if v.array.ndim == rank and v.array.dtype == np.dtype(self.kind) and fit(v)]
        if found and self.chance(0.6):
            return self.choice(found)
        for _ in range(40):
            shape = [self.between(1, 2)] + [self.between(1, 7) for _ in range(rank - 1)]
            if fit(Value(0, np.zeros(shape))):
                return self.input(shape)
        raise Unfit

    def partner(self, x, same=None):
        shape = [1 if self.chance(0.3) else n for n in x.shape]
        return self.input(shape[self.between(0, len(shape) - 1) if self.chance(0.3) else 0:], same)

    def result(self, name, number, inputs, array, kind=0, options=None, form=None, element=None):
        if self.is_real and not element and np.abs(array).max() > 1e4:
            raise Unfit
        form = form or {}
        array = array.astype(element or self.kind)
        index = self.declared(array.shape, element or self.kind, **form)
        self.file.op(number, [v if isinstance(v, int) else v.index for v in inputs], [index], kind, options)
        self.used.update(v.index for v in inputs if isinstance(v, Value))
        self.ops.append(name)
        self.values.append(Value(index, array, **form))

    def constant(self, array, **form):
        return self.file.constant(np.asarray(array), **form)

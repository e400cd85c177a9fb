# SPDX-License-Identifier: Apache-2.0
"""Random operators of TensorFlow Lite that compute."""
import numpy as np

import tflite_file
from tflite_file import Table
from tflite_makers_moves import moved
from tflite_random import Unfit
from tflite_rules import activated, bounds, convolution, depthwise, multiplier, pool, scaled, scaled_wide, stored


def layer(m):
    """CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED."""
    name = m.choice(["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
    x = m.image()
    kernel = [m.between(1, min(3, n)) for n in x.shape[1:3]]
    strides, dilations = [m.between(1, 2), m.between(1, 3)], [m.between(1, 2), m.between(1, 2)]
    is_same, activation = m.chance(0.5), m.between(0, 3)
    if not is_same and any((k - 1) * d + 1 > n for k, d, n in zip(kernel, dilations, x.shape[1:3])):
        raise Unfit
    channels = x.shape[3]
    outputs = {"CONV_2D": m.between(1, 5), "DEPTHWISE_CONV_2D": channels * m.between(1, 3)}.get(name, m.between(1, 6))
    shape = {"CONV_2D": (outputs, *kernel, channels), "DEPTHWISE_CONV_2D": (1, *kernel, outputs)}.get(
        name, (outputs, channels))
    axis = 3 if name == "DEPTHWISE_CONV_2D" else 0
    form = m.form()
    w, w_index, scales = weights(m, shape, axis, name)
    left = x.array.astype(float) if m.is_real else x.steps
    if name == "CONV_2D":
        sums = convolution(left, w, strides, dilations, is_same)
    elif name == "DEPTHWISE_CONV_2D":
        sums = depthwise(left, w, strides, dilations, is_same)
    else:
        sums = left.reshape(-1, channels) @ w.T
    inputs, sums, is_wide = with_bias(m, [x, w_index], sums, outputs, scales, x)
    array = requantised(m, sums, scales, x, form, activation, is_wide)
    number, kind = {"CONV_2D": (3, 1), "DEPTHWISE_CONV_2D": (4, 2)}.get(name, (9, 8))
    padding, steps = ("b", 0 if is_same else 1), [("i", strides[1]), ("i", strides[0])]
    spread = [("i", dilations[1]), ("i", dilations[0])]
    if name == "CONV_2D":
        options = Table(padding, *steps, ("b", activation), *spread)
    elif name == "DEPTHWISE_CONV_2D":
        options = Table(padding, *steps, ("i", outputs // channels), ("b", activation), *spread)
    else:
        options = Table(("b", activation))
    m.result(name, number, inputs, array, kind, options, form)


def weights(m, shape, axis, name):
    """Returns numbers (without zero point), the tensor and one scale per output."""
    count = shape[axis]
    if m.is_real:
        w = (m.random.integers(-4, 5, size=shape) / 4).astype(np.float32)
        return w.astype(float), m.constant(w), np.ones(count)
    if m.kind == "uint8":
        w, zero, scale = m.random.integers(0, 256, size=shape), m.between(100, 150), m.scale()
        return w - zero, m.constant(w.astype("uint8"), scales=[scale], zeros=[zero]), np.full(count, scale)
    w = m.random.integers(-127, 128, size=shape)
    scales = [m.scale() for _ in range(count)] if m.chance(0.6) and name != "FULLY_CONNECTED" else [m.scale()]
    tensor = m.constant(w.astype("int8"), scales=scales, zeros=[0] * len(scales), axis=axis)
    return w, tensor, np.broadcast_to(np.array(scales), count)


def with_bias(m, inputs, sums, outputs, scales, x):
    is_wide = m.kind == "int16"
    if m.chance(0.3):
        return inputs, sums, is_wide
    if m.is_real:
        bias = (m.random.integers(-8, 9, size=outputs) / 4).astype(np.float32)
        return inputs + [m.constant(bias)], sums + bias, False
    kind = "int64" if is_wide and m.chance(0.7) else "int32"
    bias = m.random.integers(-1000, 1000, size=outputs).astype(kind)
    form = [float(np.float32(x.scale * s)) for s in (scales if len(set(scales)) > 1 else scales[:1])]
    return inputs + [m.constant(bias, scales=form, zeros=[0] * len(form))], sums + bias, kind == "int64"


def requantised(m, sums, scales, x, form, activation, is_wide):
    if m.is_real:
        return activated(sums, activation)
    rule = scaled_wide if is_wide else scaled
    ratios = [x.scale * float(s) / form["scale"] for s in scales]
    if max(np.abs(sums).max() * max(ratios), 0) > 2 ** 30 or min(multiplier(r)[1] for r in ratios) < -24:
        raise Unfit
    parts = [rule(sums[..., n], ratio) for n, ratio in enumerate(ratios)]
    return stored(np.stack(parts, -1), m.kind, form["scale"], form["zero"], activation)


def arithmetic(m):
    name = m.choice(["ADD", "SUB", "MUL"])
    x = m.image(m.between(1, 4))
    y, activation, form = m.partner(x), m.between(0, 3), m.form()
    if m.chance(0.4):
        x, y = y, x
    number, kind = {"ADD": (0, 11), "SUB": (41, 28), "MUL": (18, 21)}[name]
    function = {"ADD": np.add, "SUB": np.subtract, "MUL": np.multiply}[name]
    if m.is_real:
        array = activated(function(x.array.astype(float), y.array.astype(float)), activation)
    elif name == "MUL":
        ratio = x.scale * y.scale / form["scale"]
        array = stored(scaled(x.steps * y.steps, ratio), m.kind, form["scale"], form["zero"], activation)
    else:
        shift, twice = 15 if m.kind == "int16" else 20, 2 * max(x.scale, y.scale)
        parts = [scaled(v.steps << shift, v.scale / twice) for v in (x, y)]
        array = stored(scaled(function(*parts), twice / (2 ** shift * form["scale"])), m.kind, form["scale"],
                       form["zero"], activation)
    options = Table(("b", activation)) if name == "MUL" else Table(("b", activation), ("b", 0))
    m.result(name, number, [x, y], array, kind, options, form)


def pooled(m):
    x = m.image()
    is_max, is_same, activation = m.chance(0.5), m.chance(0.5), m.between(0, 3)
    kernel = [m.between(1, min(4, n)) for n in x.shape[1:3]]
    strides, form = [m.between(1, 3), m.between(1, 3)], m.form(x)
    array = pool(is_max, x.array.astype(float if m.is_real else np.int64), kernel, strides, is_same)
    array = activated(array, activation) if m.is_real else np.clip(
        array, *bounds(m.kind, x.scale, x.zero, activation))
    options = Table(("b", 0 if is_same else 1), ("i", strides[1]), ("i", strides[0]), ("i", kernel[1]),
                    ("i", kernel[0]), ("b", activation))
    m.result("MAX_POOL_2D" if is_max else "AVERAGE_POOL_2D", 17 if is_max else 1, [x], array, 5, options, form)


def reduced(m):
    name = m.choice(["MEAN", "SUM"])
    x = m.image(m.between(2, 4))
    axes = sorted(int(n) for n in m.random.permutation(x.array.ndim)[:m.between(1, x.array.ndim)])
    keeps, form = m.between(0, 1), m.form()
    count = int(np.prod([x.shape[n] for n in axes])) if name == "MEAN" else 1
    total = (x.array.astype(float) if m.is_real else x.steps).sum(tuple(axes), keepdims=bool(keeps))
    array = total / count if m.is_real else stored(
        scaled(total, x.scale / (form["scale"] * count)), m.kind, form["scale"], form["zero"])
    listed = [n - x.array.ndim if m.chance(0.3) else n for n in axes]
    m.result(name, 40 if name == "MEAN" else 74, [x, m.constant(np.array(listed, np.int32))], np.asarray(array), 27,
             Table(("b", keeps)), form)


def rectified(m):
    name = m.choice(["RELU", "RELU6", "RELU_N1_TO_1", "LEAKY_RELU"])
    x, form = m.image(m.between(1, 4)), m.form()
    activation = {"RELU": 1, "RELU6": 3, "RELU_N1_TO_1": 2}.get(name, 0)
    number, alpha = {"RELU": 19, "RELU6": 21, "RELU_N1_TO_1": 20}.get(name, 98), float(np.float32(0.3))
    if m.is_real:
        real = x.array.astype(float)
        array = activated(real, activation) if activation else np.where(real < 0, alpha * real, real)
    else:
        ratio = x.scale / form["scale"]
        array = scaled(x.steps, ratio)
        if not activation:
            array = np.where(x.steps >= 0, array, scaled(x.steps, alpha * x.scale / form["scale"]))
        array = stored(array, m.kind, form["scale"], form["zero"], activation)
    m.result(name, number, [x], array, 0 if activation else 75, None if activation else Table(("f", alpha)), form)


def compared(m):
    x = m.image(m.between(1, 4))
    y = m.partner(x)
    name = m.choice(["LESS", "GREATER", "GREATER_EQUAL", "LESS_EQUAL", "EQUAL", "NOT_EQUAL"])
    number = {"LESS": 58, "GREATER": 61, "GREATER_EQUAL": 62, "LESS_EQUAL": 63, "EQUAL": 71, "NOT_EQUAL": 72}[name]
    if not m.is_real:
        y = m.input(y.shape, x)
    array = getattr(np, name.lower())(x.array, y.array)
    m.result(name, number, [x, y], array, element="bool")


def extremum(m):
    x = m.image(m.between(1, 4))
    y = m.partner(x, None if m.is_real else x)
    name = m.choice(["MAXIMUM", "MINIMUM"])
    m.result(name, 55 if name == "MAXIMUM" else 57, [x, y], getattr(np, name.lower())(x.array, y.array),
             form=m.form(x))


def positions(m):
    x = m.image(m.between(1, 4))
    axis, is_largest = m.between(0, x.array.ndim - 1), m.chance(0.5)
    array = (np.argmax if is_largest else np.argmin)(x.array, axis)
    kind = m.choice(["int32", "int64"])
    m.result("ARG_MAX" if is_largest else "ARG_MIN", 56 if is_largest else 79,
             [x, m.constant(np.array(axis - (x.array.ndim if m.chance(0.3) else 0), np.int32))], np.asarray(array),
             40 if is_largest else 57, Table(("b", tflite_file.TYPES[kind])), element=kind)


def requantise(m):
    if m.is_real:
        raise Unfit
    x, form = m.image(m.between(1, 4)), m.form()
    array = stored(scaled(x.steps, x.scale / form["scale"]), m.kind, form["scale"], form["zero"])
    m.result("QUANTIZE", 114, [x], array, form=form)


MAKERS = [layer, layer, layer, arithmetic, arithmetic, pooled, reduced, rectified, compared, extremum, positions,
          requantise, moved, moved, moved]

# SPDX-License-Identifier: Apache-2.0
"""Resize of the ONNX specification: each axis is one matrix of weights."""
import math

import numpy as np


def coordinate(mode, place, scale, size, length, roi):
    """Returns the position in the input of an element of the result."""
    if mode == "asymmetric":
        return place / scale
    if mode == "half_pixel":
        return (place + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (place + 0.5) / scale - 0.5 if length > 1 else 0.0
    if mode == "half_pixel_symmetric":
        adjustment = length / (scale * size)
        return size / 2 * (1 - adjustment) + (place + 0.5) / scale - 0.5
    if mode == "align_corners":
        return place * (size - 1) / (length - 1) if length > 1 else 0.0
    start, end = roi
    if length > 1:
        return start * (size - 1) + place * (end - start) * (size - 1) / (length - 1)
    return 0.5 * (start + end) * (size - 1)


def nearest(x, mode):
    if mode == "floor":
        return math.floor(x)
    if mode == "ceil":
        return math.ceil(x)
    return math.ceil(x - 0.5) if mode == "round_prefer_floor" else math.floor(x + 0.5)


def cubic(distance, a):
    d = abs(distance)
    if d <= 1:
        return (a + 2) * d ** 3 - (a + 3) * d ** 2 + 1
    return a * d ** 3 - 5 * a * d ** 2 + 8 * a * d - 4 * a if d < 2 else 0.0


def taps(a, mode, at, scale):
    """Returns pairs of input position and weight for one coordinate."""
    if mode == "nearest":
        return [(nearest(at, a.get("nearest_mode", "round_prefer_floor")), 1.0)]
    stretch = max(1.0, 1 / scale) if a.get("antialias", 0) else 1.0
    reach = (1 if mode == "linear" else 2) * stretch
    coefficient = a.get("cubic_coeff_a", -0.75)
    result = []
    for place in range(math.floor(at - reach), math.ceil(at + reach) + 1):
        d = (place - at) / stretch
        weight = max(0.0, 1 - abs(d)) if mode == "linear" else cubic(d, coefficient)
        result.append((place, weight))
    return result


def axis_matrix(a, mode, size, length, scale, roi):
    matrix, outside = np.zeros((length, size)), []
    transform = a.get("coordinate_transformation_mode", "half_pixel")
    for place in range(length):
        at = coordinate(transform, place, scale, size, length, roi)
        if transform == "tf_crop_and_resize" and (at < 0 or at > size - 1):
            outside.append(place)
            continue
        pairs = taps(a, mode, at, scale)
        if a.get("exclude_outside", 0):
            pairs = [(n, w) for n, w in pairs if 0 <= n < size]
        total = sum(w for _, w in pairs)
        for n, w in pairs:
            matrix[place, min(max(n, 0), size - 1)] += w / total
    return matrix, outside


def lengths_and_scales(x, a, scales, sizes, axes):
    policy = a.get("keep_aspect_ratio_policy", "stretch")
    if scales is not None:
        return [math.floor(x.shape[axis] * s) for axis, s in zip(axes, scales)], list(scales)
    ratios = [size / x.shape[axis] for axis, size in zip(axes, sizes)]
    if policy == "stretch":
        return [int(size) for size in sizes], ratios
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return [math.floor(x.shape[axis] * ratio + 0.5) for axis in axes], [ratio] * len(axes)


def resize(x, a, opset):
    """Operands are those of Resize 11: x, roi, scales, sizes; earlier ones become attributes of it."""
    if opset < 11:
        a = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", **a}
        scales, sizes, roi = (a["scales"] if opset < 9 else x[1]), None, None
    else:
        roi, scales, sizes = (None if n is None or not len(n) else n for n in (list(x[1:]) + [None] * 3)[:3])
    data = x[0]
    axes = [n % data.ndim for n in a.get("axes", range(data.ndim))]
    lengths, ratios = lengths_and_scales(data, a, scales, sizes, axes)
    fill = np.zeros(data.shape, bool)
    for i, axis in enumerate(axes):
        window = (roi[i], roi[i + len(axes)]) if roi is not None and len(roi) else None
        if lengths[i] == data.shape[axis] and ratios[i] == 1 and window is None:
            continue
        matrix, outside = axis_matrix(a, a.get("mode", "nearest"), data.shape[axis], lengths[i], ratios[i], window)
        data = np.moveaxis(np.tensordot(matrix, data, (1, axis)), 0, axis)
        fill = np.moveaxis(np.tensordot(matrix, fill.astype(float), (1, axis)) != 0, 0, axis)
        fill[(slice(None),) * axis + (outside,)] = True
    return [np.where(fill, a.get("extrapolation_value", 0.0), data)]


def evaluate(op, x, a, opset):
    return resize(x, a, opset) if op in ("Resize", "Upsample") else None

# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic of the reference kernels of TensorFlow Lite, and windows over images (N,H,W,C)."""
import math

import numpy as np


def away(x):
    """Rounds half away from zero."""
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def multiplier(m):
    fraction, exponent = math.frexp(m)
    number = int(away(fraction * 2.0 ** 31))
    if number == 2 ** 31:
        number, exponent = number // 2, exponent + 1
    return (0, 0) if exponent < -31 else (number, exponent)


def scaled(x, m):
    """x m with two roundings."""
    number, exponent = multiplier(m)
    left, right = max(exponent, 0), max(-exponent, 0)
    product = np.asarray(x, np.int64) * 2 ** left * number
    nudged = product + np.where(product >= 0, 2 ** 30, 1 - 2 ** 30)
    high = np.sign(nudged) * (np.abs(nudged) // 2 ** 31)
    mask = (1 << right) - 1
    return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))


def scaled_wide(x, m):
    """The rule of INT16 with sums of 64 bits: one rounding."""
    number, exponent = multiplier(m)
    short = 0x7FFF if number >= 0x7FFF0000 else (number + 2 ** 15) >> 16
    return (np.asarray(x, np.int64) * short + 2 ** (14 - exponent)) >> (15 - exponent)


ACTIVATIONS = {0: (None, None), 1: (0.0, None), 2: (-1.0, 1.0), 3: (0.0, 6.0)}


def bounds(kind, scale, zero, activation):
    low, high = ACTIVATIONS[activation]
    limits = np.iinfo(kind)
    low = limits.min if low is None else max(limits.min, zero + int(away(np.float32(low) / np.float32(scale))))
    high = limits.max if high is None else min(limits.max, zero + int(away(np.float32(high) / np.float32(scale))))
    return low, high


def stored(x, kind, scale, zero, activation=0):
    return np.clip(x + zero, *bounds(kind, scale, zero, activation)).astype(kind)


def activated(x, activation):
    low, high = ACTIVATIONS[activation]
    return np.clip(x, -np.inf if low is None else low, np.inf if high is None else high)


def window(size, k, stride, dilation, is_same):
    """Returns the number of results of one axis and the padding at its start."""
    reach = (k - 1) * dilation + 1
    if not is_same:
        return (size - reach) // stride + 1, 0
    count = -(-size // stride)
    return count, max((count - 1) * stride + reach - size, 0) // 2


def patches(x, kernel, strides, dilations, is_same, fill):
    """Yields (y, x of the kernel, cells of all windows, mask of cells inside the image)."""
    counts = [window(x.shape[1 + i], kernel[i], strides[i], dilations[i], is_same) for i in range(2)]
    for ky in range(kernel[0]):
        for kx in range(kernel[1]):
            rows = np.arange(counts[0][0]) * strides[0] - counts[0][1] + ky * dilations[0]
            columns = np.arange(counts[1][0]) * strides[1] - counts[1][1] + kx * dilations[1]
            inside = (((rows >= 0) & (rows < x.shape[1]))[:, None]
                      & ((columns >= 0) & (columns < x.shape[2]))[None])[None, :, :, None]
            cells = x[:, np.clip(rows, 0, x.shape[1] - 1)][:, :, np.clip(columns, 0, x.shape[2] - 1)]
            yield ky, kx, np.where(inside, cells, fill), inside


def convolution(x, w, strides, dilations, is_same):
    """Weights O,H,W,I; x may have several groups of I channels."""
    groups, per_out = x.shape[3] // w.shape[3], w.shape[0] * w.shape[3] // x.shape[3]
    result = 0
    for ky, kx, cells, _ in patches(x, w.shape[1:3], strides, dilations, is_same, 0):
        parts = [np.einsum("nhwc,oc->nhwo", cells[..., g * w.shape[3]:(g + 1) * w.shape[3]],
                           w[g * per_out:(g + 1) * per_out, ky, kx]) for g in range(groups)]
        result = result + np.concatenate(parts, 3)
    return result


def depthwise(x, w, strides, dilations, is_same):
    times = w.shape[3] // x.shape[3]
    result = 0
    for ky, kx, cells, _ in patches(x, w.shape[1:3], strides, dilations, is_same, 0):
        result = result + np.repeat(cells, times, 3) * w[0, ky, kx]
    return result


def pool(is_max, x, kernel, strides, is_same):
    largest, total, count = None, 0, 0
    for _, _, cells, inside in patches(x, kernel, strides, (1, 1), is_same, 0):
        total, count = total + cells * inside, count + inside.astype(np.int64)
        cells = np.where(inside, cells, -(1 << 40))
        largest = cells if largest is None else np.maximum(largest, cells)
    if is_max:
        return largest
    if x.dtype.kind == "f":
        return total / count
    return np.sign(total) * ((np.abs(total) + count // 2) // count)

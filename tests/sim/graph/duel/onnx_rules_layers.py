# SPDX-License-Identifier: Apache-2.0
"""Windows, products, normalisations and quantisation of the ONNX specification, in float64."""
import itertools

import numpy as np


def window_pads(a, sizes, kernel, strides, dilations):
    """Returns the pads (all starts, then all ends) of a convolution or a pool."""
    auto, rank = a.get("auto_pad", "NOTSET"), len(sizes)
    if auto == "NOTSET":
        return list(a.get("pads", [0] * 2 * rank))
    if auto == "VALID":
        return [0] * 2 * rank
    starts, ends = [], []
    for size, k, s, d in zip(sizes, kernel, strides, dilations):
        total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        starts.append(total // 2 if auto == "SAME_UPPER" else total - total // 2)
        ends.append(total - starts[-1])
    return starts + ends


def spatial(x, a, kernel):
    rank = x.ndim - 2
    strides, dilations = a.get("strides", [1] * rank), a.get("dilations", [1] * rank)
    return strides, dilations, window_pads(a, x.shape[2:], kernel, strides, dilations)


def convolution(x, w, bias, a):
    kernel, groups = w.shape[2:], a.get("group", 1)
    strides, dilations, pads = spatial(x, a, kernel)
    rank = len(kernel)
    padded = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[i + rank]) for i in range(rank)])
    sizes = [(padded.shape[2 + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(rank)]
    result = np.zeros([x.shape[0], w.shape[0]] + sizes)
    per_in, per_out = w.shape[1], w.shape[0] // groups
    for at in itertools.product(*map(range, kernel)):
        part = padded[(slice(None), slice(None)) + tuple(
            slice(at[i] * dilations[i], at[i] * dilations[i] + (sizes[i] - 1) * strides[i] + 1, strides[i])
            for i in range(rank))]
        for g in range(groups):
            outputs = slice(g * per_out, (g + 1) * per_out)
            result[:, outputs] += np.einsum("nc...,oc->no...", part[:, g * per_in:(g + 1) * per_in],
                                            w[(outputs, slice(None)) + at])
    return result if bias is None else result + bias.reshape([1, -1] + [1] * rank)


def transposed_convolution(x, w, bias, a):
    kernel, groups, rank = w.shape[2:], a.get("group", 1), x.ndim - 2
    strides, dilations = a.get("strides", [1] * rank), a.get("dilations", [1] * rank)
    extra = a.get("output_padding", [0] * rank)
    full = [s * (n - 1) + (k - 1) * d + 1 for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations)]
    per_in, per_out = w.shape[0] // groups, w.shape[1]
    image = np.zeros([x.shape[0], per_out * groups] + [n + e for n, e in zip(full, extra)])
    for at in itertools.product(*map(range, kernel)):
        place = tuple(slice(at[i] * dilations[i], at[i] * dilations[i] + (x.shape[2 + i] - 1) * strides[i] + 1,
                            strides[i]) for i in range(rank))
        for g in range(groups):
            inputs = slice(g * per_in, (g + 1) * per_in)
            image[(slice(None), slice(g * per_out, (g + 1) * per_out)) + place] += np.einsum(
                "nc...,co->no...", x[:, inputs], w[(inputs, slice(None)) + at])
    pads = transposed_pads(x, a, full, extra, strides)
    crop = tuple(slice(pads[i], image.shape[2 + i] - pads[i + rank]) for i in range(rank))
    result = image[(slice(None), slice(None)) + crop]
    return result if bias is None else result + bias.reshape([1, -1] + [1] * rank)


def transposed_pads(x, a, full, extra, strides):
    auto, rank = a.get("auto_pad", "NOTSET"), len(full)
    wanted = a.get("output_shape")
    if auto == "VALID" or (auto == "NOTSET" and wanted is None):
        return a.get("pads", [0] * 2 * rank) if auto == "NOTSET" else [0] * 2 * rank
    wanted = wanted or [n * s for n, s in zip(x.shape[2:], strides)]
    totals = [max(n + e - size, 0) for n, e, size in zip(full, extra, wanted)]
    small, large = [t // 2 for t in totals], [t - t // 2 for t in totals]
    return small + large if auto == "SAME_UPPER" else large + small


def pool(op, x, a, opset):
    kernel = a["kernel_shape"]
    strides, dilations, pads = spatial(x, a, kernel)
    rank, axes = len(kernel), []
    for i in range(rank):
        span = x.shape[2 + i] + pads[i] + pads[i + rank] - (kernel[i] - 1) * dilations[i] - 1
        count = span // strides[i] + 1
        if a.get("ceil_mode", 0) and -(-span // strides[i]) + 1 > count:
            # A window must begin inside the image or the padding at its start.
            count += 1 if count * strides[i] < x.shape[2 + i] + pads[i] else 0
        axes.append(range(count))
    result = np.zeros(x.shape[:2] + tuple(len(each) for each in axes))
    order = a.get("p", 2)
    for at in itertools.product(*axes):
        rows, counted = [], 1
        for i in range(rank):
            places = [at[i] * strides[i] - pads[i] + n * dilations[i] for n in range(kernel[i])]
            rows.append([p for p in places if 0 <= p < x.shape[2 + i]])
            counted *= len([p for p in places if p < x.shape[2 + i] + pads[i + rank]])
        cells = x[np.ix_(range(x.shape[0]), range(x.shape[1]), *rows)].reshape(x.shape[0], x.shape[1], -1)
        if op == "MaxPool":
            value = cells.max(-1)
        elif op == "LpPool":
            value = (np.abs(cells) ** order).sum(-1) ** (1 / order)
        else:
            value = cells.sum(-1) / (counted if a.get("count_include_pad", 0) else cells.shape[-1])
        result[(slice(None), slice(None)) + at] = value
    return result


def softmax(op, x, a, opset):
    axis = a.get("axis", -1 if opset >= 13 else 1)
    shape = x.shape
    if opset < 13:
        axis %= x.ndim
        x, axis = x.reshape(int(np.prod(shape[:axis])), -1), 1
    if op == "Hardmax":
        first = np.expand_dims(np.argmax(x, axis), axis)
        places = np.arange(x.shape[axis]).reshape([-1 if n == axis % x.ndim else 1 for n in range(x.ndim)])
        return (places == first).astype(float).reshape(shape)
    x = x - x.max(axis, keepdims=True)
    total = np.exp(x).sum(axis, keepdims=True)
    return (x - np.log(total) if op == "LogSoftmax" else np.exp(x) / total).reshape(shape)


def gemm(x, a):
    left = x[0].T if a.get("transA", 0) else x[0]
    right = x[1].T if a.get("transB", 0) else x[1]
    result = a.get("alpha", 1.0) * (left @ right)
    return result + a.get("beta", 1.0) * x[2] if len(x) > 2 else result


def normalised(x, axes, epsilon, is_centred=True):
    mean = x.mean(axes, keepdims=True) if is_centred else 0
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


def batch_normalisation(x, a):
    scale, bias, mean, variance = (each.reshape([1, -1] + [1] * (x[0].ndim - 2)) for each in x[1:5])
    return (x[0] - mean) / np.sqrt(variance + a.get("epsilon", 1e-5)) * scale + bias


def instance_normalisation(x, a):
    shape = [1, -1] + [1] * (x[0].ndim - 2)
    result = normalised(x[0], tuple(range(2, x[0].ndim)), a.get("epsilon", 1e-5))
    return result * x[1].reshape(shape) + x[2].reshape(shape)


def layer_normalisation(op, x, a):
    axes = tuple(range(a.get("axis", -1) % x[0].ndim, x[0].ndim))
    result = normalised(x[0], axes, a.get("epsilon", 1e-5), op == "LayerNormalization") * x[1]
    return result + x[2] if len(x) > 2 else result


def group_normalisation(x, a, opset):
    groups, shape = a["num_groups"], x[0].shape
    grouped = normalised(x[0].reshape(shape[0], groups, -1), (2,), a.get("epsilon", 1e-5))
    form = [1, shape[1]] + [1] * (len(shape) - 2)
    if opset < 21:
        scale, bias = (np.repeat(each, shape[1] // groups).reshape(form) for each in x[1:])
    else:
        scale, bias = (each.reshape(form) for each in x[1:])
    return grouped.reshape(shape) * scale + bias


def lrn(x, a):
    size, squares = a["size"], np.zeros(x.shape)
    before = (size - 1) // 2
    for c in range(x.shape[1]):
        near = x[:, max(0, c - before):c + size - before]
        squares[:, c] = (near ** 2).sum(1)
    return x / (a.get("bias", 1.0) + a.get("alpha", 1e-4) / size * squares) ** a.get("beta", 0.75)


def lp_normalisation(x, a):
    axis, order = a.get("axis", -1), a.get("p", 2)
    return x / (np.abs(x) ** order).sum(axis, keepdims=True) ** (1 / order)


def along(values, axis, rank):
    """Reshapes one number per element of an axis for broadcasting."""
    return values.reshape([-1 if n == axis % rank else 1 for n in range(rank)]) if values.ndim == 1 else values


def quantise(x, a):
    zero = x[2] if len(x) > 2 else np.array(0, np.uint8)
    axis, limits = a.get("axis", 1), np.iinfo(zero.dtype)
    scale, offset = along(x[1], axis, x[0].ndim), along(zero, axis, x[0].ndim).astype(float)
    return np.clip(np.rint(x[0] / scale) + offset, limits.min, limits.max).astype(zero.dtype)


def dequantise(x, a):
    axis = a.get("axis", 1)
    zero = along(x[2], axis, x[0].ndim).astype(float) if len(x) > 2 else 0.0
    return (x[0].astype(float) - zero) * along(x[1], axis, x[0].ndim)


def mean_variance(x, a):
    axes = tuple(axis % x.ndim for axis in a.get("axes", [0, 2, 3]))
    return normalised(x, axes, 1e-9)


def integer_product(x):
    left = x[0].astype(np.int32) - (x[2].astype(np.int32) if len(x) > 2 else 0)
    right = x[1].astype(np.int32) - (x[3].astype(np.int32) if len(x) > 3 else 0)
    return np.matmul(left, right)


LAYERS = {
    "Conv": lambda x, a, n: convolution(x[0], x[1], x[2] if len(x) > 2 else None, a),
    "ConvTranspose": lambda x, a, n: transposed_convolution(x[0], x[1], x[2] if len(x) > 2 else None, a),
    "Gemm": lambda x, a, n: gemm(x, a), "MatMul": lambda x, a, n: np.matmul(x[0], x[1]),
    "MatMulInteger": lambda x, a, n: integer_product(x),
    "Einsum": lambda x, a, n: np.einsum(a["equation"], *x),
    "GlobalAveragePool": lambda x, a, n: x[0].mean(tuple(range(2, x[0].ndim)), keepdims=True),
    "GlobalMaxPool": lambda x, a, n: x[0].max(tuple(range(2, x[0].ndim)), keepdims=True),
    "BatchNormalization": lambda x, a, n: batch_normalisation(x, a),
    "InstanceNormalization": lambda x, a, n: instance_normalisation(x, a),
    "GroupNormalization": group_normalisation, "LRN": lambda x, a, n: lrn(x[0], a),
    "LpNormalization": lambda x, a, n: lp_normalisation(x[0], a),
    "MeanVarianceNormalization": lambda x, a, n: mean_variance(x[0], a),
    "QuantizeLinear": lambda x, a, n: quantise(x, a), "DequantizeLinear": lambda x, a, n: dequantise(x, a),
}


def evaluate(op, x, a, opset):
    if op in LAYERS:
        return [np.asarray(LAYERS[op](x, a, opset))]
    if op in ("Softmax", "LogSoftmax", "Hardmax"):
        return [softmax(op, x[0], a, opset)]
    if op in ("MaxPool", "AveragePool", "LpPool"):
        return [pool(op, x[0], a, opset)]
    if op in ("LayerNormalization", "RMSNormalization"):
        return [layer_normalisation(op, x, a)]
    return None

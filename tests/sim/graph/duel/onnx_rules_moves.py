# SPDX-License-Identifier: Apache-2.0
"""Operators of the ONNX specification that move elements, and reductions."""
import numpy as np


def axes_of(x, a, opset, since, rank):
    """Axes are an attribute, or the second operand from the operator set `since`."""
    axes = a.get("axes") if opset < since else (x[1] if len(x) > 1 else None)
    return None if axes is None else [int(axis) % rank for axis in axes]


def reshape(x, a):
    sizes = [x[0].shape[i] if size == 0 and not a.get("allowzero", 0) else int(size) for i, size in enumerate(x[1])]
    return np.reshape(x[0], sizes)


def unsqueeze(x, a, opset):
    rank = x[0].ndim + len(a["axes"] if opset < 13 else x[1])
    result = x[0]
    for axis in sorted(axes_of(x, a, opset, 13, rank)):
        result = np.expand_dims(result, axis)
    return result


def squeeze(x, a, opset):
    axes = axes_of(x, a, opset, 13, x[0].ndim)
    return np.squeeze(x[0], tuple(axes) if axes is not None else None)


def slices(x, a, opset):
    if opset < 10:
        starts, ends, axes, steps = a["starts"], a["ends"], a.get("axes"), None
    else:
        starts, ends, axes, steps = (list(x[1:]) + [None, None])[:4]
    result = x[0]
    for i, (start, end) in enumerate(zip(starts, ends)):
        axis = int(axes[i]) if axes is not None else i
        step = int(steps[i]) if steps is not None else 1
        size = result.shape[axis]
        start, end = (int(n) + size if n < 0 else int(n) for n in (start, end))
        start = min(max(start, 0), size - 1 if step < 0 else size)
        end = min(max(end, -1), size - 1) if step < 0 else min(max(end, 0), size)
        result = np.take(result, np.arange(start, end, step), axis)
    return result


def split(x, a, opset, results):
    axis = a.get("axis", 0)
    size = x[0].shape[axis]
    lengths = a.get("split") if opset < 13 else (x[1] if len(x) > 1 else None)
    if lengths is None:
        piece = -(-size // results)
        lengths = [min(piece, size - piece * i) for i in range(results)]
    return np.split(x[0], np.cumsum(lengths)[:-1], axis)


def pad(x, a, opset):
    rank, mode = x[0].ndim, a.get("mode", "constant")
    pads = a["pads"] if opset < 11 else x[1]
    value = a.get("value", 0.0) if opset < 11 else (x[2] if len(x) > 2 and x[2] is not None else 0)
    axes = [int(n) % rank for n in x[3]] if len(x) > 3 else range(rank)
    result, count = x[0], len(pads) // 2
    for i, axis in enumerate(axes):
        before, after = int(pads[i]), int(pads[i + count])
        size = x[0].shape[axis]
        places = np.arange(-before, size + after)
        if mode == "constant":
            inside = (places >= 0) & (places < size)
            shape = [len(places) if n == axis else 1 for n in range(rank)]
            result = np.where(inside.reshape(shape), np.take(result, np.clip(places, 0, size - 1), axis), value)
            continue
        if mode == "edge":
            places = np.clip(places, 0, size - 1)
        elif mode == "wrap":
            places = places % size
        else:
            period = max(2 * (size - 1), 1)
            places = places % period
            places = np.where(places >= size, period - places, places)
        result = np.take(result, places, axis)
    return result.astype(x[0].dtype)


def gather_elements(data, indices, axis):
    result = np.zeros(indices.shape, data.dtype)
    for place in np.ndindex(*indices.shape):
        source = list(place)
        source[axis] = indices[place]
        result[place] = data[tuple(source)]
    return result


_COMBINE = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new,
            "max": max, "min": min}


def scatter_elements(data, indices, updates, a):
    result, axis = data.copy(), a.get("axis", 0)
    for place in np.ndindex(*indices.shape):
        target = list(place)
        target[axis] = indices[place]
        target = tuple(target)
        result[target] = _COMBINE[a.get("reduction", "none")](result[target], updates[place])
    return result


def gather_nd(data, indices, batch):
    outer = indices.shape[:-1]
    tail = data.shape[batch + indices.shape[-1]:]
    result = np.zeros(outer + tail, data.dtype)
    for place in np.ndindex(*outer):
        result[place] = data[place[:batch] + tuple(int(n) for n in indices[place])]
    return result


def scatter_nd(data, indices, updates, a):
    result = data.copy()
    combine = np.vectorize(_COMBINE[a.get("reduction", "none")], otypes=[data.dtype])
    for place in np.ndindex(*indices.shape[:-1]):
        target = tuple(int(n) for n in indices[place])
        result[target] = combine(result[target], updates[place])
    return result


def depth_to_space(x, a):
    n, c, h, w = x.shape
    b = a["blocksize"]
    if a.get("mode", "DCR") == "DCR":
        moved = x.reshape(n, b, b, c // b // b, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        moved = x.reshape(n, c // b // b, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return moved.reshape(n, c // b // b, h * b, w * b)


def space_to_depth(x, a):
    n, c, h, w = x.shape
    b = a["blocksize"]
    return x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


def cumsum(x, axis, a):
    result = np.flip(x, axis) if a.get("reverse", 0) else x
    sums = np.cumsum(result, axis, dtype=x.dtype)
    sums = sums - result if a.get("exclusive", 0) else sums
    return np.flip(sums, axis) if a.get("reverse", 0) else sums


def top_k(x, a, opset):
    axis, count = a.get("axis", -1), int(a["k"] if opset < 10 else x[1][0])
    order = np.argsort(-x[0] if a.get("largest", 1) else x[0], axis, kind="stable")
    order = np.take(order, np.arange(count), axis)
    return [np.take_along_axis(x[0], order, axis), order.astype(np.int64)]


def arg(op, x, a):
    axis, best = a.get("axis", 0), np.argmax if op == "ArgMax" else np.argmin
    if a.get("select_last_index", 0):
        result = x.shape[axis] - 1 - best(np.flip(x, axis), axis)
    else:
        result = best(x, axis)
    return (np.expand_dims(result, axis) if a.get("keepdims", 1) else np.asarray(result)).astype(np.int64)


REDUCTIONS = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceProd": np.prod,
    "ReduceL1": lambda x, **o: np.sum(np.abs(x), **o),
    "ReduceL2": lambda x, **o: np.sqrt(np.sum(x * x, **o)),
    "ReduceLogSum": lambda x, **o: np.log(np.sum(x, **o)),
    "ReduceLogSumExp": lambda x, **o: np.log(np.sum(np.exp(x), **o)),
    "ReduceSumSquare": lambda x, **o: np.sum(x * x, **o),
}


def reduction(op, x, a, opset):
    axes = axes_of(x, a, opset, 13 if op == "ReduceSum" else 18, x[0].ndim)
    if not axes:
        if a.get("noop_with_empty_axes", 0):
            return x[0]
        axes = range(x[0].ndim)
    return np.asarray(REDUCTIONS[op](x[0], axis=tuple(axes), keepdims=bool(a.get("keepdims", 1)))).astype(x[0].dtype)


def one_hot(x, a):
    depth, (off, on) = int(np.ravel(x[1])[0]), x[2]
    axis = a.get("axis", -1) % (x[0].ndim + 1)
    indices = np.expand_dims(np.where(x[0] < 0, x[0] + depth, x[0]), axis)
    places = np.arange(depth).reshape([depth if n == axis else 1 for n in range(indices.ndim)])
    return np.where(indices == places, on, off)


def reverse_sequence(x, lengths, a):
    batch, time = a.get("batch_axis", 1), a.get("time_axis", 0)
    moved = np.moveaxis(x.copy(), (batch, time), (0, 1))
    for row, length in enumerate(lengths):
        moved[row, :length] = moved[row, :length][::-1].copy()
    return np.moveaxis(moved, (0, 1), (batch, time))


def center_crop_pad(x, sizes, a):
    for i, size in enumerate(sizes):
        axis = a["axes"][i] if "axes" in a else i
        old, size = x.shape[axis], int(size)
        if size < old:
            start = (old - size) // 2
            x = np.take(x, np.arange(start, start + size), axis)
        else:
            before = (size - old) // 2
            x = np.pad(x, [(before, size - old - before) if n == axis % x.ndim else (0, 0) for n in range(x.ndim)])
    return x


def _flatten(x, a):
    axis = a.get("axis", 1)
    return np.reshape(x, (int(np.prod(x.shape[:axis])), -1))


def _trilu(x, a):
    return (np.triu if a.get("upper", 1) else np.tril)(x[0], int(x[1]) if len(x) > 1 else 0)


MOVES = {
    "Reshape": lambda x, a, n: reshape(x, a), "Unsqueeze": unsqueeze, "Squeeze": squeeze, "Slice": slices, "Pad": pad,
    "Flatten": lambda x, a, n: _flatten(x[0], a),
    "Transpose": lambda x, a, n: np.transpose(x[0], a.get("perm")),
    "Concat": lambda x, a, n: np.concatenate(x, a.get("axis", 1)),
    "Gather": lambda x, a, n: np.take(x[0], x[1], a.get("axis", 0)),
    "GatherElements": lambda x, a, n: gather_elements(x[0], x[1], a.get("axis", 0)),
    "ScatterElements": lambda x, a, n: scatter_elements(*x, a),
    "GatherND": lambda x, a, n: gather_nd(x[0], x[1], a.get("batch_dims", 0)),
    "ScatterND": lambda x, a, n: scatter_nd(*x, a),
    "Tile": lambda x, a, n: np.tile(x[0], [int(count) for count in x[1]]),
    "Expand": lambda x, a, n: x[0] * np.ones([int(size) for size in x[1]], x[0].dtype),
    "DepthToSpace": lambda x, a, n: depth_to_space(x[0], a),
    "SpaceToDepth": lambda x, a, n: space_to_depth(x[0], a),
    "CumSum": lambda x, a, n: cumsum(x[0], int(np.ravel(x[1])[0]), a),
    "OneHot": lambda x, a, n: one_hot(x, a),
    "ReverseSequence": lambda x, a, n: reverse_sequence(x[0], x[1], a),
    "CenterCropPad": lambda x, a, n: center_crop_pad(x[0], x[1], a),
    "Trilu": lambda x, a, n: _trilu(x, a),
}


def evaluate(op, x, a, opset, results):
    if op in MOVES:
        return [np.asarray(MOVES[op](x, a, opset))]
    if op in REDUCTIONS:
        return [reduction(op, x, a, opset)]
    if op in ("ArgMax", "ArgMin"):
        return [arg(op, x[0], a)]
    if op == "TopK":
        return top_k(x, a, opset)
    return split(x, a, opset, results) if op == "Split" else None

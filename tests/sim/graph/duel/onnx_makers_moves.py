# SPDX-License-Identifier: Apache-2.0
"""Random nodes that move elements."""
import numpy as np

from onnx_random import Unfit


def value(m, low=1, high=5, fit=lambda v: True):
    """Mostly a floating-point operand, sometimes integers."""
    if m.chance(0.8):
        return m.real(low, high, fit=fit)
    for _ in range(20):
        kind = m.choice(["int64", "int32", "bool", "uint8", "int8"])
        made = m.integers(m.shape(low, min(high, 4)), 0 if kind == "uint8" else -9, 9, kind)
        found = m.fresh(made)
        if fit(found):
            return found
    raise Unfit


def listed(m, op, x, name, values, since, more=()):
    """A list is an attribute, or an operand from the operator set `since`."""
    if m.opset < since:
        m.add(op, [x], {name: [int(n) for n in values]}, exact=True)
    else:
        m.add(op, [x, m.vector(values)], exact=True)


def reshape(m):
    x = value(m)
    rest, sizes = x.array.size, []
    for _ in range(m.between(0, 3)):
        divisors = [n for n in range(1, rest + 1) if rest % n == 0]
        sizes.append(m.choice(divisors))
        rest //= sizes[-1]
    sizes.append(rest)
    if m.chance(0.5):
        sizes[m.between(0, len(sizes) - 1)] = -1
    for i in range(min(len(sizes), x.rank)):
        if sizes[i] == x.shape[i] and m.chance(0.4):
            sizes[i] = 0
    m.add("Reshape", [x, m.vector(sizes)], exact=True)


def transpose(m):
    x = value(m)
    a = {"perm": [int(n) for n in m.random.permutation(x.rank)]} if m.chance(0.8) else {}
    m.add("Transpose", [x], a, exact=True)


def flatten(m):
    x = value(m)
    m.add("Flatten", [x], {"axis": m.between(0 if m.opset < 11 else -x.rank, x.rank)} if m.chance(0.8) else {},
          exact=True)


def squeeze(m):
    x = value(m, fit=lambda v: 1 in v.shape)
    ones = [n for n in range(x.rank) if x.shape[n] == 1]
    if m.chance(0.2):
        m.add("Squeeze", [x], exact=True)
        return
    axes = ones[:m.between(1, len(ones))]
    if m.opset >= 11 and m.chance(0.4):
        axes = [n - x.rank for n in axes]
    listed(m, "Squeeze", x, "axes", axes, 13)


def unsqueeze(m):
    x = value(m, 0, 4)
    count = m.between(1, 2)
    axes = [int(n) for n in m.random.permutation(x.rank + count)[:count]]
    if m.opset >= 11 and m.chance(0.3):
        axes = [n - x.rank - count for n in axes]
    if m.opset < 11:
        axes.sort()
    listed(m, "Unsqueeze", x, "axes", axes, 13)


def concat(m):
    x = value(m)
    axis = m.between(0, x.rank - 1)
    parts = [x]
    for _ in range(m.between(0, 2)):
        sizes = list(x.shape)
        sizes[axis] = m.between(1, 3)
        if x.array.dtype == np.float64:
            parts.append(m.real(0, 5, shape=sizes, reuse=0.5))
        else:
            parts.append(m.fresh(m.integers(sizes, 0, 1, x.array.dtype.name)))
    if m.chance(0.5):
        parts.reverse()
    m.add("Concat", parts, {"axis": axis - (x.rank if m.opset >= 11 and m.chance(0.4) else 0)}, exact=True)


def split(m):
    x = value(m)
    axis = m.between(0 if m.opset < 11 else -x.rank, x.rank - 1)
    size, a, operands = x.shape[axis], {"axis": axis}, [x]
    count = m.between(1, min(3, size))
    if m.opset >= 18 and m.chance(0.5):
        a["num_outputs"] = count
        if (count - 1) * -(-size // count) >= size:
            raise Unfit
    elif m.chance(0.3) and size % count == 0 and m.opset < 18:
        pass
    else:
        cuts = sorted(int(n) for n in m.random.permutation(np.arange(1, size))[:count - 1])
        lengths = np.diff([0] + cuts + [size])
        if m.opset < 13:
            a["split"] = [int(n) for n in lengths]
        else:
            operands.append(m.vector(lengths))
        count = len(lengths)
    m.add("Split", operands, a, results=count, exact=True)


def sliced(m):
    x = value(m)
    axes = [int(n) for n in m.random.permutation(x.rank)[:m.between(1, x.rank)]]
    starts, ends, steps = [], [], []
    for axis in axes:
        size = x.shape[axis]
        step = m.choice([1, 1, 2, 3, -1, -2]) if m.opset >= 10 else 1
        start, end = sorted((m.between(0, size - 1), m.between(1, size)))
        if step < 0:
            start, end = m.between(0, size + 2), m.choice([-2**31, -2**62, -size - 1, 0])
        start -= size if step > 0 and m.chance(0.3) else 0
        if step > 0:
            end = m.choice([end, end - size if end < size else size, 2**31 - 1, 2**63 - 1, size + 3])
        starts.append(start), ends.append(end), steps.append(step)
    names = [n - x.rank if m.opset >= 10 and m.chance(0.3) else n for n in axes]
    if m.opset < 10:
        m.add("Slice", [x], {"starts": starts, "ends": ends, "axes": names}, exact=True)
        return
    kind = np.int64 if max(map(abs, ends)) >= 2**31 or m.chance(0.6) else np.int32
    lists = [starts, ends, names] + ([steps] if min(steps) < 1 or max(steps) > 1 or m.chance(0.3) else [])
    m.add("Slice", [x] + [m.weight(np.array(each, kind)) for each in lists], exact=True)


def padded(m):
    mode = m.choice(["constant", "constant", "reflect", "edge"] + (["wrap"] if m.opset >= 19 else []))
    x = m.real(1, 4) if m.opset < 11 or mode != "constant" else value(m, 1, 4, lambda v: v.array.dtype != bool)
    pads = [0] * 2 * x.rank
    for axis in range(x.rank):
        size = x.shape[axis]
        most = {"reflect": size - 1, "wrap": size}.get(mode, 3)
        low = -(size // 3) if mode == "constant" else 0
        pads[axis], pads[axis + x.rank] = m.between(low, min(most, 3)), m.between(low, min(most, 3))
    if m.opset < 11:
        a = {"pads": pads, "mode": mode}
        m.add("Pad", [x], {**a, "value": 1.5} if m.chance(0.5) else a, exact=True)
        return
    operands, is_real = [x, m.vector(pads)], x.array.dtype == np.float64
    if m.chance(0.5):
        operands.append(m.weight(np.array(2.25 if is_real else 3).astype(x.array.dtype)))
    if m.opset >= 18 and m.chance(0.4):
        axes = [int(n) for n in m.random.permutation(x.rank)[:m.between(1, x.rank)]]
        operands[1] = m.vector([pads[n] for n in axes] + [pads[n + x.rank] for n in axes])
        operands = (operands + [None])[:3] + [m.vector([n - x.rank if m.chance(0.3) else n for n in axes])]
    m.add("Pad", operands, {"mode": mode}, exact=True)


def indices(m, shape, size, negative=True):
    kind = m.choice(["int64", "int32"])
    low = -size if negative and m.opset >= 11 and m.chance(0.4) else 0
    return m.fresh(m.integers(shape, low, size - 1, kind), 0.5)


def gather(m):
    x = value(m)
    axis = m.between(-x.rank, x.rank - 1)
    m.add("Gather", [x, indices(m, m.shape(0, 2, 3), x.shape[axis])], {"axis": axis}, exact=True)


def gather_elements(m):
    m.needs(11)
    x = value(m, 1, 4)
    axis = m.between(-x.rank, x.rank - 1)
    sizes = [m.between(1, size) for size in x.shape]
    sizes[axis] = m.between(1, 4)
    m.add("GatherElements", [x, indices(m, sizes, x.shape[axis])], {"axis": axis}, exact=True)


def scatter_elements(m):
    m.needs(11)
    x = m.real(1, 4)
    axis = m.between(-x.rank, x.rank - 1)
    sizes, a = [m.between(1, size) for size in x.shape], {"axis": axis}
    reduction = m.choice(["none", "add", "mul", "max", "min"][:1 if m.opset < 16 else 3 if m.opset < 18 else 5])
    if reduction == "none":
        lane = np.moveaxis(np.zeros(sizes), axis, 0).shape
        order = np.stack([m.random.permutation(x.shape[axis])[:lane[0]] for _ in range(int(np.prod(lane[1:])))], -1)
        places = m.fresh(np.moveaxis(order.reshape(lane), 0, axis).astype(np.int64), 0.5)
    else:
        places, a["reduction"] = indices(m, sizes, x.shape[axis]), reduction
    m.add("ScatterElements", [x, places, m.real(1, 4, shape=sizes)], a, exact=reduction != "mul")


def gather_nd(m):
    m.needs(11)
    x = value(m, 1, 4)
    batch = m.between(0, x.rank - 1) if m.opset >= 12 and m.chance(0.5) else 0
    depth = m.between(1, x.rank - batch)
    outer = x.shape[:batch] + m.shape(0, 2, 3)
    lists = np.stack([m.integers(outer, -x.shape[batch + n] if m.chance(0.3) else 0, x.shape[batch + n] - 1)
                      for n in range(depth)], -1)
    m.add("GatherND", [x, m.fresh(lists, 0.5)], {"batch_dims": batch} if batch else {}, exact=True)


def scatter_nd(m):
    m.needs(11)
    x = m.real(1, 4)
    depth = m.between(1, x.rank)
    space = x.shape[:depth]
    reduction = m.choice(["none", "add", "mul", "max", "min"][:1 if m.opset < 16 else 3 if m.opset < 18 else 5])
    count = m.between(1, min(4, int(np.prod(space))))
    flat = m.random.permutation(int(np.prod(space)))[:count]
    if reduction != "none":
        flat = m.integers((count,), 0, int(np.prod(space)) - 1)
    lists = np.stack(np.unravel_index(flat, space), -1).astype(np.int64)
    updates = m.real(1, 5, shape=(count,) + x.shape[depth:])
    m.add("ScatterND", [x, m.fresh(lists, 0.5), updates], {"reduction": reduction} if reduction != "none" else {},
          exact=reduction != "mul")


def tile(m):
    x = value(m, 1, 4)
    m.add("Tile", [x, m.vector([m.between(1, 3) for _ in x.shape])], exact=True)


def expand(m):
    m.needs(8)
    x = value(m, 0, 4, lambda v: v.array.dtype != bool)
    sizes = [size if size > 1 and m.chance(0.7) else (1 if size > 1 else m.between(1, 4)) for size in x.shape]
    m.add("Expand", [x, m.vector([m.between(1, 3)] * m.between(0, 1) + sizes)], exact=True)


def blocks(m):
    block = m.between(1, 3)
    if m.chance(0.5):
        x = m.real(4, 4, fit=lambda v: v.shape[1] % block ** 2 == 0)
        a = {"mode": m.choice(["DCR", "CRD"])} if m.opset >= 11 and m.chance(0.7) else {}
        m.add("DepthToSpace", [x], {"blocksize": block, **a}, exact=True)
    else:
        x = m.real(4, 4, fit=lambda v: v.shape[2] % block == 0 and v.shape[3] % block == 0)
        m.add("SpaceToDepth", [x], {"blocksize": block}, exact=True)


def triangle(m):
    m.needs(14)
    x = m.real(2, 4)
    operands = [x] if m.chance(0.4) else [x, m.weight(np.array(m.between(-3, 3), np.int64))]
    m.add("Trilu", operands, {"upper": m.between(0, 1)} if m.chance(0.7) else {}, exact=True)


def one_hot(m):
    m.needs(9)
    depth = m.between(2, 5)
    x = m.fresh(m.integers(m.shape(1, 3), -depth if m.opset >= 11 else 0, depth - 1, m.choice(["int64", "int32"])))
    axis = m.choice([-1] + list(range(-x.rank - 1, x.rank + 1)))
    size = m.weight(np.array(depth if m.chance(0.5) else [depth], np.int64))
    m.add("OneHot", [x, size, m.weight(np.array([0.5, 2.0]))], {"axis": axis}, exact=True)


def reversed_rows(m):
    m.needs(10)
    x = m.real(2, 4)
    time = m.between(0, 1)
    lengths = m.fresh(m.integers((x.shape[1 - time],), 1, x.shape[time]), 0.5)
    m.add("ReverseSequence", [x, lengths], {"time_axis": time, "batch_axis": 1 - time}, exact=True)


def cropped(m):
    m.needs(18)
    x = m.real(1, 4)
    axes = [int(n) for n in m.random.permutation(x.rank)[:m.between(1, x.rank)]]
    a = {"axes": axes}
    m.add("CenterCropPad", [x, m.vector([m.between(1, 7) for _ in axes])], a, exact=True)


MAKERS = [reshape, reshape, transpose, transpose, transpose, flatten, squeeze, unsqueeze, concat, concat, split, sliced,
          sliced, padded, padded, gather, gather_elements, scatter_elements, gather_nd, scatter_nd, tile, expand,
          blocks, triangle, one_hot, reversed_rows, cropped]

# SPDX-License-Identifier: Apache-2.0
"""Random operators of TensorFlow Lite that move elements."""
import numpy as np

from tflite_file import Table
from tflite_random import Value


def moved(m):
    name = m.choice(["RESHAPE", "TRANSPOSE", "PAD", "SLICE", "STRIDED_SLICE", "TILE", "GATHER", "MIRROR_PAD",
                     "REVERSE_V2", "SPACE_TO_DEPTH", "RESIZE_NEAREST_NEIGHBOR", "CONCATENATION", "PACK", "EXPAND_DIMS"])
    x = m.image(4 if name in ("SPACE_TO_DEPTH", "RESIZE_NEAREST_NEIGHBOR") else m.between(1, 4))
    MOVES[name](m, name, x, x.array, x.array.ndim)


def emit(m, name, number, x, operands, array, kind=0, options=None):
    inputs = [x] + [m.constant(np.array(each, np.int32)) if not isinstance(each, Value) else each for each in operands]
    m.result(name, number, inputs, np.array(array), kind, options, m.form(x))


def padded(m, name, x, a, rank):
    is_mirror = name == "MIRROR_PAD"
    mode = m.between(0, 1)
    pads = [[m.between(0, min(2, n - 1 + mode) if is_mirror else 2) for _ in range(2)] for n in a.shape]
    if is_mirror:
        array = np.pad(a, pads, mode="symmetric" if mode else "reflect")
        emit(m, name, 100, x, [pads], array, 77, Table(("b", mode)))
    else:
        emit(m, name, 34, x, [pads], np.pad(a, pads, constant_values=x.zero))


def strided(m, name, x, a, rank):
    begin, end, steps, masks, parts = [], [], [], [0, 0, 0], []
    for n, size in enumerate(a.shape):
        step = m.choice([1, 1, 2, -1])
        low, high = sorted((m.between(0, size - 1), m.between(0, size - 1)))
        first, last = (low, high + 1) if step > 0 else (high, low - 1)
        if m.chance(0.2) and step > 0:
            masks[2] |= 1 << n
            parts.append(first)
        else:
            open_first, open_last = m.chance(0.3), m.chance(0.3) or last < 0
            masks[0] |= open_first << n
            masks[1] |= open_last << n
            parts.append(slice(None if open_first else first, None if open_last else last, step))
        begin.append(first - size if m.chance(0.3) else first), end.append(last), steps.append(step)
    emit(m, name, 45, x, [begin, end, steps], np.asarray(a[tuple(parts)]), 32,
         Table(("i", masks[0]), ("i", masks[1]), ("i", 0), ("i", 0), ("i", masks[2])))


def simple(m, name, x, a, rank):
    perm, axis = [int(n) for n in m.random.permutation(rank)], m.between(0, rank - 1)
    begin = [m.between(0, n - 1) for n in a.shape]
    size = [m.between(1, n - b) for n, b in zip(a.shape, begin)]
    counts, rows = [m.between(1, 2) for _ in a.shape], m.random.integers(0, a.shape[axis], size=m.between(1, 3))
    if name == "TRANSPOSE":
        emit(m, name, 39, x, [perm], a.transpose(perm))
    elif name == "RESHAPE":
        emit(m, name, 22, x, [[-1, a.shape[-1]]], a.reshape(-1, a.shape[-1]))
    elif name == "SLICE":
        emit(m, name, 65, x, [begin, [-1 if b + n == full and m.chance(0.5) else n for b, n, full in zip(
            begin, size, a.shape)]], a[tuple(slice(b, b + n) for b, n in zip(begin, size))])
    elif name == "TILE":
        emit(m, name, 69, x, [counts], np.tile(a, counts))
    elif name == "GATHER":
        emit(m, name, 36, x, [rows], np.take(a, rows, axis), 23, Table(("i", axis - (rank if m.chance(0.3) else 0))))
    elif name == "REVERSE_V2":
        emit(m, name, 105, x, [[axis]], np.flip(a, axis))
    elif name == "EXPAND_DIMS":
        emit(m, name, 70, x, [axis - rank - 1], np.expand_dims(a, axis))
    elif name == "PACK":
        y = m.input(a.shape, x)
        emit(m, name, 83, x, [y], np.stack([a, y.array], axis), 59, Table(("i", 2), ("i", axis)))
    else:
        y = m.input([m.between(1, 3) if n == axis else size for n, size in enumerate(a.shape)], x)
        emit(m, name, 2, x, [y], np.concatenate([a, y.array], axis), 10, Table(("i", axis - rank)))


def spatial(m, name, x, a, rank):
    n, h, w, c = a.shape
    if name == "SPACE_TO_DEPTH":
        b = m.choice([k for k in (1, 2, 3) if h % k == 0 and w % k == 0])
        array = a.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, h // b, w // b, -1)
        emit(m, name, 26, x, [], array, 19, Table(("i", b)))
        return
    sizes = [m.between(1, 9), m.between(1, 9)]
    mode = m.choice(["", "align", "half"])

    def places(old, new):
        at = np.arange(new).astype(np.float32)
        ratio = np.float32((old - 1) / (new - 1) if mode == "align" and new > 1 else old / new)
        at = away_places((at + np.float32(0.5 if mode == "half" else 0)) * ratio, mode)
        return np.minimum(at, old - 1)
    emit(m, name, 97, x, [sizes], a[:, places(h, sizes[0])][:, :, places(w, sizes[1])], 74,
         Table(("b", mode == "align"), ("b", mode == "half")))


def away_places(x, mode):
    return np.floor(x + np.float32(0.5 if mode == "align" else 0)).astype(int)


MOVES = {name: simple for name in ("RESHAPE", "TRANSPOSE", "SLICE", "TILE", "GATHER", "REVERSE_V2", "CONCATENATION",
                                   "PACK", "EXPAND_DIMS")}
MOVES.update({"PAD": padded, "MIRROR_PAD": padded, "STRIDED_SLICE": strided, "SPACE_TO_DEPTH": spatial,
              "RESIZE_NEAREST_NEIGHBOR": spatial})

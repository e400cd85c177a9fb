# SPDX-License-Identifier: Apache-2.0
"""Random windows, products, normalisations and quantised islands."""
import numpy as np

from onnx_random import Unfit


def image(m, low=3, high=5, channels=None):
    return m.real(low, high, fit=lambda v: channels is None or v.shape[1] % channels == 0)


def window(m, x, has_dilations=True):
    """Random attributes of a window over the spatial axes of x."""
    rank = x.rank - 2
    kernel = [m.between(1, min(3, size)) for size in x.shape[2:]]
    a = {"kernel_shape": kernel}
    if m.chance(0.7):
        a["strides"] = [m.between(1, 3) for _ in kernel]
    if has_dilations and m.chance(0.4):
        a["dilations"] = [m.between(1, 2) for _ in kernel]
    auto = m.choice(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    if auto != "NOTSET" or m.chance(0.2):
        a["auto_pad"] = auto
    if auto == "NOTSET" and m.chance(0.7):
        a["pads"] = [m.between(0, kernel[n % rank] - 1) for n in range(2 * rank)]
    pads = a.get("pads", [0] * 2 * rank)
    for n, k in enumerate(kernel):
        reach = (k - 1) * a.get("dilations", [1] * rank)[n] + 1
        if x.shape[2 + n] + (pads[n] + pads[n + rank] if auto == "NOTSET" else 0) < reach:
            raise Unfit
    return a


def convolution(m):
    x = image(m)
    a = window(m, x)
    groups = m.choice([n for n in range(1, x.shape[1] + 1) if x.shape[1] % n == 0])
    outputs = groups * m.between(1, 3)
    w = m.fresh(m.reals((outputs, x.shape[1] // groups, *a["kernel_shape"]), -1, 1), 0.8)
    operands = [x, w] + ([m.fresh(m.reals((outputs,)), 0.8)] if m.chance(0.6) else [])
    if groups > 1 or m.chance(0.1):
        a["group"] = groups
    if m.chance(0.3):
        del a["kernel_shape"]
    m.add("Conv", operands, a)


def transposed(m):
    x = image(m, 3, 4)
    rank = x.rank - 2
    groups = m.choice([n for n in range(1, x.shape[1] + 1) if x.shape[1] % n == 0])
    kernel = [m.between(1, 4) for _ in range(rank)]
    w = m.fresh(m.reals((x.shape[1], m.between(1, 3), *kernel), -1, 1), 0.8)
    strides, dilations = [m.between(1, 3) for _ in kernel], [m.choice([1, 1, 2]) for _ in kernel]
    a = {"strides": strides, "dilations": dilations, "group": groups}
    full = [s * (n - 1) + (k - 1) * d + 1 for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations)]
    kind = m.between(0, 3)
    if kind == 0:
        a["pads"] = [m.between(0, min(2, (kernel[n % rank] - 1) * dilations[n % rank])) for n in range(2 * rank)]
        if any(f <= a["pads"][n] + a["pads"][n + rank] for n, f in enumerate(full)):
            raise Unfit
    elif kind == 1:
        a["output_shape"] = [max(1, f - m.between(0, 3)) for f in full]
        if m.chance(0.5):
            a["auto_pad"] = m.choice(["SAME_UPPER", "SAME_LOWER"])
    elif kind == 2:
        a["auto_pad"] = m.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        if any(f < n * s for f, n, s in zip(full, x.shape[2:], strides)) and a["auto_pad"] != "VALID":
            raise Unfit
    if kind in (0, 3) and m.chance(0.4):
        a["output_padding"] = [m.between(0, max(s, d) - 1) for s, d in zip(strides, dilations)]
    bias = [m.fresh(m.reals((w.shape[1] * groups,)), 0.8)] if m.chance(0.6) else []
    m.add("ConvTranspose", [x, w] + bias, a)


def pool(m):
    op = m.choice(["MaxPool", "AveragePool", "MaxPool", "AveragePool", "LpPool"])
    x = image(m)
    a = window(m, x, m.opset >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op])
    if m.chance(0.3) and m.opset >= {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[op] and (
            a.get("auto_pad", "NOTSET") == "NOTSET"):
        a["ceil_mode"] = 1
    if op == "AveragePool" and m.chance(0.5):
        a["count_include_pad"] = m.between(0, 1)
    if op == "AveragePool" and a.get("count_include_pad") and a.get("auto_pad", "NOTSET").startswith("SAME"):
        raise Unfit
    if op == "LpPool" and m.chance(0.5):
        a["p"] = m.between(1, 3)
    m.add(op, [x], a, exact=op == "MaxPool")


def whole_pool(m):
    m.add(m.choice(["GlobalAveragePool", "GlobalMaxPool"]), [image(m)])


def matrices(m):
    inner = m.between(1, 5)
    left, right = m.shape(0, 3, 3), m.shape(0, 3, 3)
    if m.chance(0.6):
        right = m.partner(left)
    left, right = left[:3], right[:3]
    try:
        np.broadcast_shapes(left, right)
    except ValueError as error:
        raise Unfit from error
    left = left + (m.between(1, 5), inner) if left or m.chance(0.7) else (inner,)
    right = right + (inner, m.between(1, 5)) if right or m.chance(0.7) else (inner,)
    m.add("MatMul", [m.real(1, 5, shape=left), m.fresh(m.reals(right, -2, 2), 0.5)])


def gemm(m):
    x = m.real(2, 2)
    a = {k: m.between(0, 1) for k in ("transA", "transB") if m.chance(0.5)}
    a.update({k: float(m.choice([0.5, 2.0, -1.0])) for k in ("alpha", "beta") if m.chance(0.3)})
    rows, inner = x.shape[::-1] if a.get("transA") else x.shape
    columns = m.between(1, 5)
    w = m.fresh(m.reals((columns, inner) if a.get("transB") else (inner, columns), -2, 2), 0.7)
    bias = m.choice([(rows, columns), (columns,), (1, columns), (rows, 1), (1,), (), (1, 1)])
    operands = [x, w] + ([m.fresh(m.reals(bias), 0.6)] if m.opset < 11 or m.chance(0.7) else [])
    m.add("Gemm", operands, a)


def einsum(m):
    m.needs(12)
    equation = m.choice(["ij,jk->ik", "bij,bjk->bik", "bhid,bhjd->bhij", "ij,ij->i", "i,j->ij", "ijk->kji", "ij->",
                         "bij,jk->bik", "abc,cd->dab", "ii->i", "...ij,...jk->...ik", "ij,kj", "i,i->", "ab,cd->abcd"])
    sizes = {letter: m.between(1, 4) for letter in "abcdijkhz"}
    terms = equation.split("->")[0].split(",")
    dots = m.shape(0, 2, 3)
    shapes = [(dots if "..." in t else ()) + tuple(sizes[c] for c in t.replace("...", "")) for t in terms]
    m.add("Einsum", [m.real(0, 5, shape=shape) for shape in shapes], {"equation": equation})


def softmax(m):
    x = m.real(1, 5)
    op = m.choice(["Softmax", "Softmax", "LogSoftmax", "Hardmax"])
    if op == "Hardmax":
        x = m.real(1, 5, exact=True)
    axis = m.between(0 if m.opset < 11 else -x.rank, x.rank - 1)
    a = {"axis": axis} if m.chance(0.8) or (x.rank == 1) else {}
    m.add(op, [x], a)


def normalised(m):
    kind = m.choice(["BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization", "LRN",
                     "LpNormalization", "MeanVarianceNormalization", "RMSNormalization"])
    m.needs({"LayerNormalization": 17, "GroupNormalization": 18, "MeanVarianceNormalization": 9,
             "RMSNormalization": 23}.get(kind, 7))
    is_batch = kind == "BatchNormalization"
    x = m.real(2 if is_batch or kind in ("LayerNormalization", "LpNormalization", "RMSNormalization") else 3, 5,
               fit=lambda v: v.array.size >= 4 * v.shape[0] * v.shape[1] or is_batch)
    c = x.shape[1]
    vector = lambda low=0.5, n=c: m.fresh(m.reals((n,), low, 2), 0.8)
    a = {"epsilon": 0.125} if m.chance(0.7) and kind[:2] not in ("LR", "Lp", "Me") else {}
    operands = [x]
    if is_batch:
        operands += [vector(-1), vector(-1), vector(-1), vector()]
    elif kind == "InstanceNormalization":
        operands += [vector(), vector(-1)]
    elif kind == "GroupNormalization":
        a["num_groups"] = m.choice([n for n in range(1, c + 1) if c % n == 0])
        count = a["num_groups"] if m.opset < 21 else c
        operands += [vector(0.5, count), vector(-1, count)]
    elif kind in ("LayerNormalization", "RMSNormalization"):
        a["axis"] = axis = m.between(-x.rank, x.rank - 1)
        operands.append(m.fresh(m.reals(x.shape[axis % x.rank:], -1, 2), 0.8))
        if kind == "LayerNormalization" and m.chance(0.6):
            operands.append(m.fresh(m.reals(x.shape[axis % x.rank:], -1, 2), 0.8))
    elif kind == "LRN":
        a = {"size": m.choice([1, 3, 5, 2]), "alpha": 0.25, "bias": 1.5}
    elif kind == "LpNormalization":
        a = {"p": m.between(1, 2), "axis": m.between(-1, x.rank - 1)}
    elif kind == "MeanVarianceNormalization":
        a = {"axes": sorted(int(n) for n in m.random.permutation(x.rank)[:m.between(1, x.rank)])}
        if x.rank == 4 and m.chance(0.3):
            a = {}
    if kind not in ("LRN", "BatchNormalization", "LpNormalization") and x.array.std() < 0.3:
        raise Unfit
    m.add(kind, operands, a)


MODES = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]


def resized(m):
    x = m.real(3, 5, fit=lambda v: v.array.size <= 300)
    mode = m.choice(["nearest", "linear"] + (["cubic"] if m.opset >= 11 and x.rank == 4 else []))
    axes = list(range(2, x.rank))
    scales = [float(m.choice([0.5, 2.0, 1.0, 1.5, 3.0])) for _ in axes]
    whole = [1.0, 1.0] + scales
    if any(int(n * s) < 1 for n, s in zip(x.shape, whole)) or x.rank == 5 and mode != "nearest":
        raise Unfit
    if m.opset < 11:
        op = "Resize" if m.opset == 10 else "Upsample"
        if op == "Upsample" and min(scales) < 1:
            raise Unfit
        a = {"mode": mode}
        m.add(op, [x] if m.opset < 9 else [x, m.weight(np.array(whole))],
              {**a, "scales": whole} if m.opset < 9 else a)
        return
    a = {"mode": mode, "coordinate_transformation_mode": m.choice(
        MODES + (["half_pixel_symmetric"] if m.opset >= 19 else []))}
    if mode == "nearest":
        a["nearest_mode"] = m.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic":
        a.update({"cubic_coeff_a": -0.5} if m.chance(0.5) else {}, **({"exclude_outside": 1} if m.chance(0.3) else {}))
    if m.opset >= 18 and mode != "nearest" and m.chance(0.3):
        a["antialias"] = 1
    is_some = m.opset >= 18 and m.chance(0.5)
    if is_some:
        a["axes"] = axes
    empty = None if m.opset >= 13 else m.weight(np.array([]))
    if m.chance(0.5):
        m.add("Resize", [x, empty, m.weight(np.array(scales if is_some else whole))], a)
        return
    sizes = [m.between(1, 8) for _ in axes]
    if is_some and m.chance(0.4):
        a["keep_aspect_ratio_policy"] = m.choice(["not_larger", "not_smaller", "stretch"])
    none = None if m.opset >= 13 else m.weight(np.array([]))
    m.add("Resize", [x, empty, none, m.vector(sizes if is_some else list(x.shape[:2]) + sizes)], a)


def zero_point(m, kind, shape=()):
    limits = np.iinfo(kind)
    return m.weight(m.integers(shape, limits.min // 2, limits.max // 2, kind))


def island(m):
    """Quantised and dequantised values, also with one scale per channel."""
    m.needs(10)
    kind = m.choice(["uint8", "int8"])
    x = m.real(1, 4, exact=True)
    a, shape = {}, ()
    if m.opset >= 13 and m.chance(0.4):
        a = {"axis": m.between(-x.rank, x.rank - 1)}
        shape = (x.shape[a["axis"]],)
    scale = m.weight(m.random.integers(1, 8, size=shape) / 16.0)
    operands = [x, scale] + ([zero_point(m, kind, shape)] if m.chance(0.8) else [])
    q, = m.add("QuantizeLinear", operands, a, exact=True)
    m.add("DequantizeLinear", [q] + operands[1:], a, exact=True)


def integer_product(m):
    m.needs(10)
    kinds = m.choice(["uint8", "int8"]), m.choice(["uint8", "int8"])
    inner = m.between(1, 6)
    x = m.input(m.integers(m.shape(0, 2, 3) + (m.between(1, 4), inner), 0, 100, kinds[0]))
    w = m.fresh(m.integers((inner, m.between(1, 4)), 0, 100, kinds[1]), 0.7)
    zeros = [m.weight(np.array(m.between(0, 60), kind)) for kind in kinds][:m.between(0, 2)]
    m.add("MatMulInteger", [x, w] + zeros, exact=True)


MAKERS = [convolution, convolution, convolution, transposed, transposed, pool, pool, pool, whole_pool, matrices,
          matrices, gemm, einsum, softmax, softmax, normalised, normalised, resized, resized, resized, island,
          integer_product]

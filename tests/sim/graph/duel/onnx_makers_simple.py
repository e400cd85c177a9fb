# SPDX-License-Identifier: Apache-2.0
"""Random element-wise nodes, moves and reductions."""
import numpy as np

from onnx_random import Unfit

_SINCE = {"Round": 11, "Sign": 9, "Erf": 9, "Sinh": 9, "Cosh": 9, "Asinh": 9, "Acosh": 9, "Atanh": 9, "HardSwish": 14,
          "Mish": 18, "ThresholdedRelu": 10, "Shrink": 9, "Gelu": 20, "Celu": 12}
_EXACT = {"Abs", "Neg", "Relu", "Identity", "Floor", "Ceil", "Round", "Sign"}
_STEPS = {"Floor", "Ceil", "Round", "Sign", "Shrink", "ThresholdedRelu"}
_UNARY = ["Abs", "Neg", "Exp", "Sqrt", "Floor", "Ceil", "Round", "Sign", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan",
          "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Tanh", "Sigmoid", "Erf", "Softplus", "Identity", "Reciprocal",
          "Relu", "Softsign", "HardSwish", "Mish", "LeakyRelu", "Elu", "Celu", "Selu", "HardSigmoid",
          "ThresholdedRelu", "Gelu", "Shrink", "Log"]


def unary(m):
    op = m.choice(_UNARY)
    m.needs(_SINCE.get(op, 1))
    x = m.real(0, 5, exact=op in _STEPS)
    if np.abs(x.array).max() > 6 and op not in _EXACT:
        raise Unfit
    if op in ("Log", "Sqrt", "Reciprocal", "Tan", "Asin", "Acos", "Acosh", "Atanh") and (
            op != "Reciprocal" and op != "Tan"):
        low, high = {"Log": (0.2, 9), "Sqrt": (0, 9), "Acosh": (1.1, 9)}.get(op, (-0.9, 0.9))
        if x.array.min() < low or x.array.max() > high:
            raise Unfit
    if op == "Reciprocal" and np.abs(x.array).min() < 0.2 or op == "Tan" and np.abs(np.cos(x.array)).min() < 0.2:
        raise Unfit
    a = {}
    if op in ("LeakyRelu", "Elu", "Celu", "ThresholdedRelu", "HardSigmoid", "Selu") and m.chance(0.6):
        a["alpha"] = float(m.choice([0.25, 0.5, 1.5]))
    if op == "HardSigmoid" and m.chance(0.5):
        a["beta"] = 0.25
    if op == "Gelu" and m.chance(0.5):
        a["approximate"] = "tanh"
    if op == "Shrink":
        a = {"lambd": 1.0, "bias": float(m.choice([0.0, 0.5]))}
    m.add(op, [x], a, exact=op in _EXACT)


def binary(m):
    op = m.choice(["Add", "Sub", "Mul", "Div", "Pow", "PRelu", "Max", "Min", "Sum", "Mean"])
    x = m.real(0, 4)
    y = m.real(0, 5, shape=m.partner(x.shape))
    if op == "PRelu":
        sizes = np.broadcast_shapes(x.shape, y.shape)
        if sizes != x.shape:
            raise Unfit
    if op == "Div" and np.abs(y.array).min() < 0.2:
        raise Unfit
    if op == "Pow":
        y = m.weight(np.array(float(m.choice([2, 3, 1, 0]))))
    operands = [x, y]
    if op in ("Max", "Min", "Sum", "Mean"):
        m.needs(8)
        operands += [m.real(0, 4, shape=m.partner(x.shape)) for _ in range(m.between(0, 2))]
        operands = operands[m.between(0, 1):]
    if op not in ("PRelu", "Pow") and m.chance(0.5):
        operands.reverse()
    if op == "Div" and np.abs(operands[1].array).min() < 0.2:
        raise Unfit
    m.add(op, operands, exact=op in ("Add", "Sub", "Max", "Min", "Sum"))


def compared(m):
    op = m.choice(["Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"])
    m.needs({"GreaterOrEqual": 12, "LessOrEqual": 12, "Equal": 11}.get(op, 9))
    x = m.real(0, 4, exact=True)
    y = m.real(0, 4, exact=True, shape=m.partner(x.shape))
    flags, = m.add(op, [x, y] if m.chance(0.5) else [y, x], exact=True)
    kind = m.between(0, 3)
    if kind == 0:
        flags, = m.add("Not", [flags], exact=True)
    elif kind == 1:
        other = m.fresh(m.integers(m.partner(flags.shape), 0, 1, "bool"))
        flags, = m.add(m.choice(["And", "Or", "Xor"]), [flags, other], exact=True)
    if m.chance(0.6):
        x = m.real(0, 4, shape=m.partner(flags.shape))
        m.add("Where", [flags, x, m.real(0, 4, shape=m.partner(np.broadcast_shapes(flags.shape, x.shape)))], exact=True)
    elif m.chance(0.5):
        m.add("Cast", [flags], {"to": int(m.choice([1, 6, 7]))}, exact=True)


def whole(m):
    """Arithmetic of integers."""
    kind = m.choice(["int32", "int64"])
    op = m.choice(["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Abs",
                   "Neg", "Equal", "Less", "Cast", "Sign"])
    m.needs({"Mod": 10, "Max": 12, "Min": 12, "Less": 9, "Sign": 9}.get(op, 18 if "Bit" in op else 7))
    x = m.fresh(m.integers(m.shape(0, 4), -40, 40, kind))
    y = m.fresh(m.integers(m.partner(x.shape), -9, 9, kind))
    if op in ("Div", "Mod"):
        y = m.fresh(np.where(y.array == 0, 3, y.array).astype(kind))
    if op in ("Abs", "Neg", "Cast", "Sign"):
        m.add(op, [x], {"to": int(m.choice([1, 6, 7, 9]))} if op == "Cast" else {}, exact=True)
    else:
        m.add(op, [x, y], {"fmod": m.between(0, 1)} if op == "Mod" else {}, exact=True)


def float_modulo(m):
    m.needs(10)
    x = m.real(0, 4, exact=True, reuse=0.3)
    m.add("Mod", [x, m.fresh(m.choice([-1.5, 1.25, 2.0, 0.75]) * np.ones(m.partner(x.shape)))], {"fmod": 1},
          exact=False)


def shifted(m):
    m.needs(11)
    kind = m.choice(["uint8", "uint32"][:1])
    x = m.fresh(m.integers(m.shape(1, 3), 0, 255, kind))
    m.add("BitShift", [x, m.fresh(m.integers(m.partner(x.shape), 0, 7, kind))],
          {"direction": m.choice(["LEFT", "RIGHT"])}, exact=True)


def clip(m):
    x = m.real(0, 5)
    low, high = (m.choice([None, -1.5, 0.0, 0.25]), m.choice([None, 1.0, 6.0]))
    if m.opset < 11:
        m.add("Clip", [x], {k: v for k, v in (("min", low), ("max", high)) if v is not None}, exact=True)
        return
    operands = [x] + [None if n is None else m.weight(np.array(n)) for n in (low, high)]
    while operands[-1] is None:
        operands.pop()
    m.add("Clip", operands, exact=True)


def cast(m):
    x = m.real(0, 4, exact=True)
    m.add("Cast", [x], {"to": int(m.choice([6, 7, 9, 1]))}, exact=True)


def reduce(m):
    op = m.choice(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                   "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"])
    x = m.real(1, 5)
    if op == "ReduceLogSum":
        x, = m.add("Abs", [m.real(1, 4)])
    if op in ("ReduceLogSumExp", "ReduceProd") and np.abs(x.array).max() > 5:
        raise Unfit
    count = m.between(0, x.rank)
    axes = [int(n) - (x.rank if m.chance(0.3) else 0) for n in m.random.permutation(x.rank)[:count]]
    a = {} if m.chance(0.3) else {"keepdims": m.between(0, 1)}
    operands = [x]
    if m.opset >= (13 if op == "ReduceSum" else 18):
        if m.chance(0.3):
            a["noop_with_empty_axes"] = m.between(0, 1)
        if axes or m.chance(0.3):
            operands.append(m.vector(axes))
        if not axes and a.get("noop_with_empty_axes"):
            op = m.choice(["ReduceSum", "ReduceMax", "ReduceMean"])
            m.needs(18)
    elif axes:
        a["axes"] = axes
    result = m.add(op, operands, a)[0]
    if op == "ReduceLogSum" and result.array.min() < -2:
        raise Unfit


def arg(m):
    x = m.real(1, 5, exact=True)
    a = {"axis": m.between(0 if m.opset < 11 else -x.rank, x.rank - 1), "keepdims": m.between(0, 1)}
    if m.opset >= 12 and m.chance(0.5):
        a["select_last_index"] = m.between(0, 1)
    m.add(m.choice(["ArgMax", "ArgMin"]), [x], a, exact=True)


def top(m):
    x = m.real(1, 4, exact=True)
    axis = m.between(0 if m.opset < 11 else -x.rank, x.rank - 1)
    count, a = m.between(1, x.shape[axis]), {"axis": axis}
    if m.opset < 10:
        a["k"] = count
    if m.opset >= 11 and m.chance(0.5):
        a["largest"] = m.between(0, 1)
    m.add("TopK", [x] if m.opset < 10 else [x, m.vector([count])], a, results=2, exact=True)


def running_sum(m):
    m.needs(11)
    x = m.real(1, 4) if m.chance(0.7) else m.fresh(m.integers(m.shape(1, 3), -9, 9, m.choice(["int32", "int64"])))
    axis = m.weight(np.array(m.between(-x.rank, x.rank - 1), m.choice(["int32", "int64"])))
    m.add("CumSum", [x, axis], {k: m.between(0, 1) for k in ("exclusive", "reverse") if m.chance(0.6)})


MAKERS = [unary, unary, unary, binary, binary, binary, compared, whole, float_modulo, shifted, clip, cast, reduce,
          reduce, arg, top, running_sum]

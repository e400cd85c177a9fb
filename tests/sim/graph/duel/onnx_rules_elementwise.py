# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators of the ONNX specification. Floating-point values are float64."""
import math

import numpy as np

_erf = np.vectorize(math.erf, otypes=[float])


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _softplus(x):
    return np.log1p(np.exp(x))


UNARY = {
    "Abs": np.abs, "Neg": np.negative, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Floor": np.floor,
    "Ceil": np.ceil, "Round": np.rint, "Sign": np.sign, "Sin": np.sin, "Cos": np.cos, "Tan": np.tan,
    "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan, "Sinh": np.sinh, "Cosh": np.cosh,
    "Asinh": np.arcsinh, "Acosh": np.arccosh, "Atanh": np.arctanh, "Tanh": np.tanh, "Sigmoid": _sigmoid,
    "Erf": _erf, "Softplus": _softplus, "Not": np.logical_not, "Identity": np.array,
    "Reciprocal": lambda x: 1 / x,
    "Relu": lambda x: np.maximum(x, 0),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Mish": lambda x: x * np.tanh(_softplus(x)),
    "BitwiseNot": np.invert,
}


def _gelu(x, a):
    if a.get("approximate", "none") == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


def _shrink(x, a):
    bias, limit = a.get("bias", 0.0), a.get("lambd", 0.5)
    return np.where(x < -limit, x + bias, np.where(x > limit, x - bias, 0.0))


SHAPED = {
    "LeakyRelu": lambda x, a: np.where(x < 0, a.get("alpha", 0.01) * x, x),
    "Elu": lambda x, a: np.where(x < 0, a.get("alpha", 1.0) * np.expm1(x), x),
    "Celu": lambda x, a: np.maximum(x, 0) + np.minimum(0, a.get("alpha", 1.0) * np.expm1(x / a.get("alpha", 1.0))),
    "Selu": lambda x, a: a.get("gamma", 1.0507009873554804) * np.where(
        x > 0, x, a.get("alpha", 1.6732632423543772) * np.expm1(x)),
    "HardSigmoid": lambda x, a: np.clip(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1),
    "ThresholdedRelu": lambda x, a: np.where(x > a.get("alpha", 1.0), x, 0.0),
    "Gelu": _gelu,
    "Shrink": _shrink,
}


def _divide(x, y):
    if x.dtype.kind == "f":
        return x / y
    return (np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))).astype(x.dtype)


def _modulo(x, y, a):
    return np.fmod(x, y) if a.get("fmod", 0) else np.mod(x, y)


def _shift(x, y, a):
    return np.left_shift(x, y) if a["direction"] == "LEFT" else np.right_shift(x, y)


BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": _divide, "Equal": np.equal,
    "Greater": np.greater, "Less": np.less, "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal,
    "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
    "Pow": lambda x, y: np.power(x, y).astype(x.dtype),
    "PRelu": lambda x, y: np.where(x < 0, x * y, x),
}
MANY = {
    "Max": lambda all: np.maximum.reduce(np.broadcast_arrays(*all)),
    "Min": lambda all: np.minimum.reduce(np.broadcast_arrays(*all)),
    "Sum": lambda all: np.add.reduce(np.broadcast_arrays(*all)),
    "Mean": lambda all: np.add.reduce(np.broadcast_arrays(*all)) / len(all),
}


def _clip(x, a, opset):
    low, high = a.get("min"), a.get("max")
    if opset >= 11:
        low, high = (list(x[1:]) + [None, None])[:2]
    result = x[0]
    result = result if low is None else np.maximum(result, low)
    return result if high is None else np.minimum(result, high)


def _cast(x, a):
    kinds = {1: "float64", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool"}
    return (np.trunc(x) if x.dtype.kind == "f" and a["to"] != 9 and a["to"] != 1 else x).astype(kinds[a["to"]])


def evaluate(op, x, a, opset):
    """Returns the results of an operator, or None if this file does not have it."""
    if op in UNARY:
        return [UNARY[op](x[0])]
    if op in SHAPED:
        return [SHAPED[op](x[0], a)]
    if op in BINARY:
        return [BINARY[op](x[0], x[1])]
    if op in MANY:
        return [MANY[op](x)]
    if op == "Mod":
        return [_modulo(x[0], x[1], a)]
    if op == "BitShift":
        return [_shift(x[0], x[1], a)]
    if op == "Clip":
        return [_clip(x, a, opset)]
    if op == "Cast":
        return [_cast(x[0], a)]
    if op == "Where":
        return [np.where(x[0], x[1], x[2])]
    return None

// SPDX-License-Identifier: Apache-2.0
#include "sim/zoo/transformer_layers.h"

#include <cmath>

namespace okksim::sim::zoo {

using namespace okksim::tosa;

namespace {

TensorIndex widen(NetworkBuilder& b, const Feature& x) {
    return b.options().precision == Precision::kFp16 ? b.cast(x.tensor, DType::kFp32, x.shape)
                                                     : x.tensor;
}

TensorIndex narrow(NetworkBuilder& b, TensorIndex x, const Shape& shape) {
    return b.options().precision == Precision::kFp16 ? b.cast(x, DType::kFp16, shape) : x;
}

/// Returns the shape with a last axis of size 1.
Shape reduced(Shape shape) {
    shape.back() = 1;
    return shape;
}

TensorIndex reduce_sum(NetworkBuilder& b, TensorIndex x, DType type, const Shape& shape) {
    ReduceSumAttributes attributes;
    attributes.axis = static_cast<std::int32_t>(shape.size()) - 1;
    return b.op(OpCode::kReduceSum, attributes, {x}, type, reduced(shape));
}

TensorIndex reduce_max(NetworkBuilder& b, TensorIndex x, DType type, const Shape& shape) {
    ReduceMaxAttributes attributes;
    attributes.axis = static_cast<std::int32_t>(shape.size()) - 1;
    attributes.nan_mode = NanPropagationMode::kPropagate;
    return b.op(OpCode::kReduceMax, attributes, {x}, type, reduced(shape));
}

/// Returns an int32 constant that broadcasts.
TensorIndex integer(NetworkBuilder& b, const Shape& shape, std::int64_t value) {
    return b.graph().constant(DType::kI32, Shape(shape.size(), 1), {value});
}

TensorIndex real(NetworkBuilder& b, const Shape& shape, double value) {
    return b.reals(DType::kFp32, Shape(shape.size(), 1), {value});
}

TensorIndex softmax_real(NetworkBuilder& b, const Feature& x) {
    const Shape line = reduced(x.shape);
    const DType type = DType::kFp32;
    const TensorIndex wide = widen(b, x);
    const TensorIndex largest = reduce_max(b, wide, type, x.shape);
    const TensorIndex below = b.op(OpCode::kSub, {wide, largest}, type, x.shape);
    const TensorIndex powers = b.op(OpCode::kExp, {below}, type, x.shape);
    const TensorIndex total = reduce_sum(b, powers, type, x.shape);
    const TensorIndex share = b.op(OpCode::kReciprocal, {total}, type, line);
    return narrow(b, b.multiply(powers, share, type, x.shape), x.shape);
}

/// Adds a TABLE of 513 int16 values; entry i is round(value(i - 256)).
template <typename Function>
TensorIndex table16(NetworkBuilder& b, TensorIndex x, const Shape& shape, const Function& value) {
    std::vector<std::int64_t> entries;
    for (int i = -256; i <= 256; ++i) {
        entries.push_back(static_cast<std::int64_t>(std::nearbyint(value(i))));
    }
    return b.op(OpCode::kTable, {x, b.integers(DType::kI16, entries)}, DType::kI32, shape);
}

/// Computes exp(x - max(x)) in units of about 2^-22 (32767 * 128).
TensorIndex exponentials(NetworkBuilder& b, const Feature& x) {
    const Shape line = reduced(x.shape);
    const int zero = x.quantisation.zero_point;
    const TensorIndex largest = reduce_max(b, x.tensor, DType::kI8, x.shape);
    const TensorIndex wide = b.rescale(x.tensor, DType::kI8, zero, DType::kI32, 0, {1.0}, x.shape);
    const TensorIndex top = b.rescale(largest, DType::kI8, zero, DType::kI32, 0, {1.0}, line);
    const TensorIndex below = b.op(OpCode::kSub, {wide, top}, DType::kI32, x.shape);
    // -255 .. 0 times 128, so that each value selects an exact entry of the table.
    const TensorIndex position = b.rescale(below, DType::kI32, 0, DType::kI16, 0, {128.0}, x.shape);
    return table16(b, position, x.shape, [&](int i) {
        return i > 0 ? 32767.0 : 32767.0 * std::exp(x.quantisation.scale * i);
    });
}

TensorIndex softmax_int8(NetworkBuilder& b, const Feature& x) {
    const Shape line = reduced(x.shape);
    const DType type = DType::kI32;
    const TensorIndex powers = exponentials(b, x);
    const TensorIndex total = reduce_sum(b, powers, type, x.shape);
    // total = (1 + f) 2^(31 - zeros) with 0 <= f < 1; f selects the reciprocal.
    const TensorIndex zeros = b.op(OpCode::kClz, {total}, type, line);
    const TensorIndex left = b.op(OpCode::kSub, {zeros, integer(b, line, 1)}, type, line);
    const TensorIndex normal = b.op(OpCode::kLogicalLeftShift, {total, left}, type, line);
    const TensorIndex fraction =
        b.op(OpCode::kSub, {normal, integer(b, line, std::int64_t{1} << 30)}, type, line);
    const TensorIndex position =
        b.rescale(fraction, type, 0, DType::kI16, 0, {std::ldexp(1.0, -15)}, line);
    const TensorIndex reciprocal = table16(
        b, position, line, [](int i) { return i < 0 ? 32767.0 : 32767.0 / (1.0 + i / 256.0); });
    // powers * reciprocal / 2^14 = share * 2^(39 - zeros); then share * 2^16.
    const TensorIndex product = b.multiply(powers, reciprocal, type, x.shape, 14);
    const TensorIndex right = b.op(OpCode::kSub, {integer(b, line, 23), zeros}, type, line);
    const TensorIndex share =
        b.op(OpCode::kArithmeticRightShift, ArithmeticRightShiftAttributes{true}, {product, right},
             type, x.shape);
    return b.rescale(share, type, 0, DType::kI8, -128, {std::ldexp(1.0, -8)}, x.shape);
}

/// Scale and offset of a normalised value, per channel.
struct Affine {
    std::vector<double> scale;
    std::vector<double> offset;
};

Affine random_affine(NetworkBuilder& b, std::int64_t channels) {
    Affine affine;
    Random random = b.next_stream();
    for (std::int64_t c = 0; c < channels; ++c) {
        affine.scale.push_back(1.0 + 0.1 * random.normal());
        affine.offset.push_back(0.1 * random.normal());
    }
    return affine;
}

TensorIndex layer_norm_real(NetworkBuilder& b, const Feature& x, const Affine& affine) {
    const Shape line = reduced(x.shape);
    const DType type = DType::kFp32;
    Shape channels(x.shape.size(), 1);
    channels.back() = x.shape.back();
    const double share = 1.0 / static_cast<double>(x.shape.back());
    const auto mean = [&](TensorIndex values) {
        return b.multiply(reduce_sum(b, values, type, x.shape), real(b, line, share), type, line);
    };
    const TensorIndex wide = widen(b, x);
    const TensorIndex centred = b.op(OpCode::kSub, {wide, mean(wide)}, type, x.shape);
    const TensorIndex variance = mean(b.multiply(centred, centred, type, x.shape));
    const TensorIndex raised = b.op(OpCode::kAdd, {variance, real(b, line, 1e-5)}, type, line);
    const TensorIndex root = b.op(OpCode::kRsqrt, {raised}, type, line);
    const TensorIndex normal = b.multiply(centred, root, type, x.shape);
    const TensorIndex scaled =
        b.multiply(normal, b.reals(type, channels, affine.scale), type, x.shape);
    const TensorIndex result =
        b.op(OpCode::kAdd, {scaled, b.reals(type, channels, affine.offset)}, type, x.shape);
    return narrow(b, result, x.shape);
}

/// Computes 8 (x - mean) as int32, in units of the input's scale.
TensorIndex centred_int8(NetworkBuilder& b, const Feature& x) {
    const DType type = DType::kI32;
    const std::int64_t channels = x.shape.back();
    const TensorIndex wide =
        b.rescale(x.tensor, DType::kI8, x.quantisation.zero_point, type, 0, {1.0}, x.shape);
    const TensorIndex total = reduce_sum(b, wide, type, x.shape);
    const TensorIndex times = b.multiply(wide, integer(b, x.shape, channels), type, x.shape);
    const TensorIndex difference = b.op(OpCode::kSub, {times, total}, type, x.shape);
    return b.rescale(difference, type, 0, type, 0, {8.0 / static_cast<double>(channels)}, x.shape);
}

TensorIndex layer_norm_int8(NetworkBuilder& b, const Feature& x, const Affine& affine,
                            const Quantisation& result) {
    const Shape line = reduced(x.shape);
    const DType type = DType::kI32;
    const double deviation = x.moments.deviation() / x.quantisation.scale;
    const TensorIndex centred = centred_int8(b, x);
    const TensorIndex squares =
        reduce_sum(b, b.multiply(centred, centred, type, x.shape), type, x.shape);
    // The expected sum of squares becomes 8192 = 64 entries of the table; the largest value is 4
    // times that.
    const double expected = 64.0 * static_cast<double>(x.shape.back()) * deviation * deviation;
    const TensorIndex position =
        b.rescale(squares, type, 0, DType::kI16, 0, {8192.0 / expected}, line);
    constexpr double kOne = 8191.0;
    const TensorIndex root = table16(
        b, position, line, [&](int i) { return kOne / std::sqrt(std::max(i / 64.0, 1.0 / 16.0)); });
    const TensorIndex normal = b.multiply(centred, root, type, x.shape, 8);
    const double unit = 256.0 / (8.0 * deviation * kOne * 128.0);
    Shape channels(x.shape.size(), 1);
    channels.back() = x.shape.back();
    std::vector<std::int64_t> offsets;
    std::vector<double> factors;
    for (std::size_t c = 0; c < affine.scale.size(); ++c) {
        const double scale = affine.scale[c] * unit;
        offsets.push_back(static_cast<std::int64_t>(std::nearbyint(affine.offset[c] / scale)));
        factors.push_back(scale / result.scale);
    }
    const TensorIndex moved =
        b.op(OpCode::kAdd, {normal, b.graph().constant(type, channels, offsets)}, type, x.shape);
    return b.rescale(moved, type, 0, DType::kI8, result.zero_point, factors, x.shape);
}

}  // namespace

Feature matmul(NetworkBuilder& b, const Feature& left, const Feature& right, double factor,
               const Moments& expected) {
    Feature result{0, {left.shape[0], left.shape[1], right.shape[2]}, expected, {}, 0.0};
    const Shape& shape = result.shape;
    result.error = left.error + right.error + 2.0 * b.rounding() +
                   static_cast<double>(left.shape[2]) * std::ldexp(1.0, -48) / 3.0;
    if (b.is_quantised()) {
        const TensorIndex sums =
            b.op(OpCode::kMatmul,
                 {left.tensor, right.tensor, b.integers(DType::kI8, {left.quantisation.zero_point}),
                  b.integers(DType::kI8, {right.quantisation.zero_point})},
                 DType::kI32, shape);
        result.quantisation = quantise_range(range_of(Activation::kNone, expected));
        const double scale = factor * left.quantisation.scale * right.quantisation.scale;
        result.tensor = b.rescale(sums, DType::kI32, 0, DType::kI8, result.quantisation.zero_point,
                                  {scale / result.quantisation.scale}, shape);
        return result;
    }
    const TensorIndex zero = b.reals(b.type(), {1}, {0.0});
    TensorIndex sums =
        b.op(OpCode::kMatmul, {left.tensor, right.tensor, zero, zero}, DType::kFp32, shape);
    if (factor != 1.0) sums = b.multiply(sums, real(b, shape, factor), DType::kFp32, shape);
    result.tensor = narrow(b, sums, shape);
    return result;
}

Feature softmax(NetworkBuilder& b, const Feature& x) {
    const auto count = static_cast<double>(x.shape.back());
    Feature result = x;
    // Shares of log-normal numbers.
    result.moments = {1.0 / count, (std::exp(x.moments.variance) - 1.0) / (count * count)};
    // An absolute error of the exponent is a relative error of the power.
    result.error = x.error * x.moments.square() + 4.0 * b.rounding();
    result.quantisation = {1.0 / 256.0, -128};
    result.tensor = b.is_quantised() ? softmax_int8(b, x) : softmax_real(b, x);
    return result;
}

Feature layer_norm(NetworkBuilder& b, const Feature& x) {
    const Affine affine = random_affine(b, x.shape.back());
    Feature result = x;
    result.moments = {0.0, 1.02};  // 1 + 0.1^2 of the scales, 0.1^2 of the offsets
    result.error = x.error + 4.0 * b.rounding();
    result.quantisation = quantise_range(range_of(Activation::kNone, result.moments));
    result.tensor = b.is_quantised() ? layer_norm_int8(b, x, affine, result.quantisation)
                                     : layer_norm_real(b, x, affine);
    return result;
}

}  // namespace okksim::sim::zoo

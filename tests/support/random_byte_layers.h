// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/graph/builder.h"
#include "tests/support/random_branch.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// A random int8 network with its inputs, as converters of quantised networks write it. It has
/// branches, convolutions with RESCALE and CLAMP, sums of two rescaled values, tables, pools,
/// concatenations and slices.
class RandomByteLayers {
 public:
    /// With `branches`, control flow is between some of the layers; with `head`, a fully connected
    /// layer ends the network.
    explicit RandomByteLayers(std::uint64_t seed, bool branches = false, bool head = false)
        : random_(seed), branches_(branches), head_(head) {}

    sim::graph::Graph make() {
        zero_ = random_.pick({0, -128, -7, 5});
        values_.push_back(input({random_.pick({1, 1, 2}), random_.between(3, 20),
                                 random_.between(3, 20), random_.pick({1, 3, 8, 64, 70, 130})}));
        const std::int64_t layers = random_.between(2, 9);
        for (std::int64_t i = 0; i < layers; ++i) {
            values_.push_back(next());
            if (!branches_ || !random_.one_in(3)) continue;
            Value& last = values_.back();
            last.tensor =
                add_branch(builder_, random_, last.tensor, DType::kI8, last.shape, inputs_);
        }
        if (head_) values_.push_back(fully_connected(values_.back()));
        builder_.output(values_.back().tensor);
        if (random_.one_in(4)) builder_.output(values_[values_.size() / 2].tensor);
        return builder_.finish();
    }
    const std::vector<sim::graph::HostTensor>& inputs() const { return inputs_; }

 private:
    using DType = tosa::DType;
    using OpCode = tosa::OpCode;
    using Shape = sim::graph::Shape;
    using TensorIndex = sim::graph::TensorIndex;

    struct Value {
        TensorIndex tensor = 0;
        Shape shape;
    };

    std::vector<std::int64_t> numbers(const Shape& shape, std::int64_t low, std::int64_t high) {
        std::vector<std::int64_t> values(*sim::graph::element_count(shape));
        for (std::int64_t& value : values) value = random_.between(low, high);
        return values;
    }
    Value input(const Shape& shape) {
        std::vector<std::byte> bytes;
        for (const std::int64_t value : numbers(shape, -128, 127)) {
            bytes.push_back(static_cast<std::byte>(static_cast<std::int8_t>(value)));
        }
        inputs_.push_back(sim::graph::make_host_tensor(DType::kI8, shape, std::move(bytes)));
        return {builder_.input(DType::kI8, shape), shape};
    }
    TensorIndex zero(std::int64_t value) { return builder_.constant(DType::kI8, {1}, {value}); }

    /// Most values continue from the latest value, some from an earlier one.
    Value next() {
        const Value& x = random_.one_in(4)
                             ? values_[static_cast<std::size_t>(random_.below(values_.size()))]
                             : values_.back();
        switch (random_.below(10)) {
            case 0: return clamp(x);
            case 1:
            case 2: return add_other(x);
            case 3: return table(x);
            case 4: return pool(x);
            case 5: return random_.one_in(2) ? concat(x) : crop(x);
            case 6: return convolution(x, true);
            case 7:
            case 8: return product(x);
            default: return convolution(x, false);
        }
    }

    /// value * scale, with all choices of a converter.
    TensorIndex rescale(TensorIndex x, const Shape& shape, DType from, DType to, double scale,
                        std::int64_t input_zero, bool per_channel) {
        const auto count = static_cast<std::size_t>(per_channel ? shape[3] : 1);
        std::vector<std::int64_t> multipliers, shifts;
        for (std::size_t i = 0; i < count; ++i) {
            int exponent = 0;
            const double own = scale * static_cast<double>(random_.between(60, 140)) / 100;
            const double fraction = std::frexp(own, &exponent);
            multipliers.push_back(static_cast<std::int64_t>(std::ldexp(fraction, 31)));
            shifts.push_back(31 - exponent);
        }
        const auto channels = static_cast<std::int64_t>(count);
        const tosa::RescaleAttributes attributes{.scale32 = true,
                                                 .rounding_mode = tosa::RoundingMode::kSingleRound,
                                                 .per_channel = per_channel,
                                                 .input_unsigned = false,
                                                 .output_unsigned = false};
        return builder_.add(OpCode::kRescale, attributes,
                            {x, builder_.constant(DType::kI32, {channels}, multipliers),
                             builder_.constant(DType::kI8, {channels}, shifts),
                             builder_.constant(from, {1}, {input_zero}),
                             builder_.constant(to, {1}, {to == DType::kI8 ? zero_ : 0})},
                            to, shape);
    }

    Value convolution(const Value& x, bool depthwise) {
        const std::int64_t taps = random_.pick({1, 1, 3});
        const auto pad = static_cast<std::int32_t>(taps > 1 ? random_.between(0, 1) : 0);
        const auto step = static_cast<std::int32_t>(random_.pick({1, 1, 2}));
        const std::int64_t channels =
            depthwise ? x.shape[3] : random_.pick({1, 5, 32, 64, 100, 128});
        Shape shape{x.shape[0], 0, 0, channels};
        std::array<std::int32_t, 4> pads{pad, pad, pad, pad};
        for (std::size_t axis = 1; axis < 3; ++axis) {
            if (x.shape[axis] + 2 * pad < taps) return clamp(x);
            // Strides end at the last position.
            const std::int64_t rest = (x.shape[axis] + 2 * pad - taps) % step;
            pads[2 * axis - 1] += static_cast<std::int32_t>(rest == 0 ? 0 : step - rest);
            shape[axis] =
                (x.shape[axis] + pads[2 * axis - 2] + pads[2 * axis - 1] - taps) / step + 1;
        }
        const Shape weight_shape =
            depthwise ? Shape{taps, taps, channels, 1} : Shape{channels, taps, taps, x.shape[3]};
        const auto weights =
            builder_.constant(DType::kI8, weight_shape, numbers(weight_shape, -127, 127));
        const Shape bias_shape{random_.one_in(4) ? 1 : channels};
        const auto bias =
            builder_.constant(DType::kI32, bias_shape, numbers(bias_shape, -20000, 20000));
        const std::vector<TensorIndex> operands{x.tensor, weights, bias, zero(zero_), zero(0)};
        const TensorIndex sums =
            depthwise ? builder_.add(OpCode::kDepthwiseConv2d,
                                     tosa::DepthwiseConv2dAttributes{
                                         pads, {step, step}, {1, 1}, false, DType::kI32},
                                     operands, DType::kI32, shape)
                      : builder_.add(
                            OpCode::kConv2d,
                            tosa::Conv2dAttributes{pads, {step, step}, {1, 1}, false, DType::kI32},
                            operands, DType::kI32, shape);
        const double terms = static_cast<double>(taps * taps * (depthwise ? 1 : x.shape[3]));
        const double scale = 1 / (60 * std::sqrt(terms));
        const Value result{
            rescale(sums, shape, DType::kI32, DType::kI8, scale, 0, !random_.one_in(3)), shape};
        return random_.one_in(2) ? clamp(result) : result;
    }

    /// Reshapes the feature map to one pixel of many channels, and adds a convolution on it. A
    /// small feature map also gets more channels than a command takes.
    Value fully_connected(const Value& x) {
        const std::int64_t images = x.shape[0];
        const std::int64_t elements = x.shape[1] * x.shape[2] * x.shape[3];
        const std::int64_t channels =
            elements < 200 ? random_.pick({10, 4096, 4200}) : random_.pick({10, 70, 200});
        const Shape pixel{images, 1, 1, elements}, shape{images, 1, 1, channels};
        const TensorIndex flat = builder_.add(
            OpCode::kReshape, tosa::NoAttributes{},
            {x.tensor, builder_.shape_value({images, 1, 1, elements})}, DType::kI8, pixel);
        const Shape weight_shape{channels, 1, 1, elements};
        const auto weights =
            builder_.constant(DType::kI8, weight_shape, numbers(weight_shape, -127, 127));
        const auto bias = builder_.constant(DType::kI32, {1}, {random_.between(-20000, 20000)});
        const auto step = static_cast<std::int32_t>(random_.pick({1, 1, 2}));
        const TensorIndex sums = builder_.add(
            OpCode::kConv2d,
            tosa::Conv2dAttributes{{0, 0, 0, 0}, {step, step}, {1, 1}, false, DType::kI32},
            {flat, weights, bias, zero(zero_), zero(0)}, DType::kI32, shape);
        const double scale = 1 / (60 * std::sqrt(static_cast<double>(elements)));
        const Value result{
            rescale(sums, shape, DType::kI32, DType::kI8, scale, 0, !random_.one_in(3)), shape};
        if (random_.one_in(8)) builder_.output(flat);  // the pixel has another reader, too
        return random_.one_in(2) ? clamp(result) : result;
    }

    Value clamp(const Value& x) {
        tosa::ClampAttributes limits;
        const std::int64_t low = random_.pick({-128, -128, -100, -7});
        const std::int64_t high = random_.pick({127, 127, 90, 3});
        limits.min_val.bytes[0] = static_cast<std::uint8_t>(low);
        limits.max_val.bytes[0] = static_cast<std::uint8_t>(high);
        limits.min_val.size = limits.max_val.size = 1;
        return {builder_.add(OpCode::kClamp, limits, {x.tensor}, DType::kI8, x.shape), x.shape};
    }

    /// A smooth function, or one of a few steps.
    Value table(const Value& x) {
        std::vector<std::int64_t> entries;
        const double width = static_cast<double>(random_.between(10, 60));
        const bool steps = random_.one_in(4);
        for (int value = -128; value < 128; ++value) {
            const double smooth = 120 * std::tanh(value / width);
            entries.push_back(steps ? value / 40 * 30 : std::lround(smooth));
        }
        const auto operand = builder_.constant(DType::kI8, {256}, entries);
        return {builder_.add(OpCode::kTable, tosa::NoAttributes{}, {x.tensor, operand}, DType::kI8,
                             x.shape),
                x.shape};
    }

    /// RESCALE, RESCALE, ADD, RESCALE of another value of the shape, or of an input.
    Value add_other(const Value& x) {
        TensorIndex other = x.tensor;
        for (const Value& value : values_) {
            if (value.shape == x.shape) other = value.tensor;
        }
        if (random_.one_in(3)) other = input(x.shape).tensor;
        const auto up = [&](TensorIndex value) {
            return rescale(value, x.shape, DType::kI8, DType::kI32, 1 << 19, zero_, false);
        };
        const TensorIndex first = up(x.tensor), second = up(other);
        const TensorIndex sum =
            builder_.add(OpCode::kAdd, tosa::NoAttributes{}, {first, second}, DType::kI32, x.shape);
        const Value result{
            rescale(sum, x.shape, DType::kI32, DType::kI8, 1.0 / (1 << 19), 0, false), x.shape};
        return random_.one_in(2) ? clamp(result) : result;
    }

    /// MUL, RESCALE with another value of the shape, or with a feature map of one pixel. The
    /// operands may be scaled before.
    Value product(const Value& x) {
        Shape shape = x.shape;
        if (random_.one_in(2)) shape[1] = shape[2] = 1;
        const TensorIndex other =
            shape == x.shape && random_.one_in(2) ? x.tensor : input(shape).tensor;
        const bool scales = random_.one_in(2);
        const auto up = [&](TensorIndex value, const Shape& own) {
            return scales ? rescale(value, own, DType::kI8, DType::kI32, 1.0, zero_, false) : value;
        };
        std::vector<TensorIndex> operands{up(x.tensor, x.shape), up(other, shape)};
        if (random_.one_in(2)) std::swap(operands[0], operands[1]);
        operands.push_back(zero(0));
        const TensorIndex product =
            builder_.add(OpCode::kMul, tosa::NoAttributes{}, operands, DType::kI32, x.shape);
        const Value result{
            rescale(product, x.shape, DType::kI32, DType::kI8, 1.0 / (1 << 8), 0, false), x.shape};
        return random_.one_in(2) ? clamp(result) : result;
    }

    Value pool(const Value& x) {
        const auto size = static_cast<std::int32_t>(random_.pick({3, 5}));
        const std::int32_t pad = size / 2;
        return {
            builder_.add(OpCode::kMaxPool2d,
                         tosa::MaxPool2dAttributes{{size, size}, {1, 1}, {pad, pad, pad, pad}, {}},
                         {x.tensor}, DType::kI8, x.shape),
            x.shape};
    }

    Value concat(const Value& x) {
        Shape shape = x.shape;
        std::vector<TensorIndex> parts{x.tensor};
        for (const Value& value : values_) {
            const bool fits = std::equal(shape.begin(), shape.begin() + 3, value.shape.begin());
            if (!fits || parts.size() == 3 || shape[3] > 200) continue;
            parts.push_back(value.tensor);
            shape[3] += value.shape[3];
        }
        return {builder_.add(OpCode::kConcat, tosa::ConcatAttributes{3}, parts, DType::kI8, shape),
                shape};
    }

    Value crop(const Value& x) {
        Shape begin(4, 0);
        Shape shape = x.shape;
        for (std::size_t axis = 1; axis < 3; ++axis) {
            begin[axis] = random_.between(0, shape[axis] - 1);
            shape[axis] = random_.between(1, shape[axis] - begin[axis]);
        }
        return {builder_.add(OpCode::kSlice, tosa::NoAttributes{},
                             {x.tensor, builder_.shape_value(begin), builder_.shape_value(shape)},
                             DType::kI8, shape),
                shape};
    }

    RandomSource random_;
    bool branches_, head_;
    sim::graph::GraphBuilder builder_;
    std::vector<sim::graph::HostTensor> inputs_;
    std::vector<Value> values_;
    std::int64_t zero_ = 0;  ///< zero point of all values
};

}  // namespace okksim::tests

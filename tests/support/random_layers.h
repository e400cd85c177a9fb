// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "sim/graph/builder.h"
#include "tests/support/half_numbers.h"
#include "tests/support/random_branch.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// A random network of fp32, fp16 or bf16 layers with branches, and its inputs. Numbers have few
/// bits, and no layer adds more than ten, so all sums are exact in any order.
class RandomLayers {
 public:
    /// With `branches`, control flow is between some of the layers; with `head`, two fully
    /// connected layers end the network.
    explicit RandomLayers(std::uint64_t seed, bool branches = false,
                          tosa::DType type = tosa::DType::kFp32, bool head = false)
        : random_(seed), branches_(branches), head_(head), type_(type) {}

    sim::graph::Graph make() {
        Value value = input({random_.pick({1, 1, 2}), random_.between(4, 24),
                             random_.between(4, 24), random_.pick({1, 3, 8, 64, 70, 130})});
        values_.push_back(value);
        const std::int64_t layers = random_.between(2, 9);
        for (std::int64_t i = 0; i < layers; ++i) {
            values_.push_back(next());
            if (!branches_ || !random_.one_in(3)) continue;
            Value& last = values_.back();
            last.tensor = add_branch(builder_, random_, last.tensor, type_, last.shape, inputs_);
        }
        if (head_) add_head();
        builder_.output(values_.back().tensor);
        if (random_.one_in(4)) builder_.output(values_[values_.size() / 2].tensor);
        return builder_.finish();
    }
    const std::vector<sim::graph::HostTensor>& inputs() const { return inputs_; }

 private:
    using DType = tosa::DType;
    using OpCode = tosa::OpCode;
    using NanPropagationMode = tosa::NanPropagationMode;
    using Shape = sim::graph::Shape;
    using TensorIndex = sim::graph::TensorIndex;

    struct Value {
        TensorIndex tensor = 0;
        Shape shape;
    };

    /// Random numbers out of 0, 1, -1, 2 and -2.
    std::vector<float> numbers(const Shape& shape) {
        std::vector<float> values(*sim::graph::element_count(shape));
        for (float& value : values) value = static_cast<float>(random_.between(-2, 2));
        return values;
    }
    TensorIndex constant(const Shape& shape) {
        return builder_.constant_bytes(type_, shape, float_bytes(type_, numbers(shape)));
    }
    TensorIndex zero_point() {
        return builder_.constant_bytes(type_, {1}, float_bytes(type_, {0.0f}));
    }
    Value input(const Shape& shape) {
        inputs_.push_back(
            sim::graph::make_host_tensor(type_, shape, float_bytes(type_, numbers(shape))));
        return {builder_.input(type_, shape), shape};
    }
    Value add(OpCode op, const tosa::Attributes& attributes,
              const std::vector<TensorIndex>& operands, const Shape& shape) {
        return {builder_.add(op, attributes, operands, type_, shape), shape};
    }

    /// Most values continue from the latest value, some from an earlier one.
    Value next() {
        const Value& x = random_.one_in(4)
                             ? values_[static_cast<std::size_t>(random_.below(values_.size()))]
                             : values_.back();
        switch (random_.below(10)) {
            case 0: return clamp(x);
            case 1: return add_other(x);
            case 2: return pool(x, random_.one_in(2));
            case 3: return concat(x);
            case 4: return crop(x);
            case 5: return convolution(x, true);
            case 6: return sign(x);
            case 7: return with_number(x);
            case 8: return with_pixel(x);
            default: return convolution(x, false);
        }
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
        const Value limited = clamp(x);
        const TensorIndex zero = zero_point();
        const TensorIndex bias = constant({random_.one_in(4) ? 1 : channels});
        if (depthwise) {
            return add(
                OpCode::kDepthwiseConv2d,
                tosa::DepthwiseConv2dAttributes{pads, {step, step}, {1, 1}, false, DType::kFp32},
                {limited.tensor, constant({taps, taps, channels, 1}), bias, zero, zero}, shape);
        }
        return add(OpCode::kConv2d,
                   tosa::Conv2dAttributes{pads, {step, step}, {1, 1}, false, DType::kFp32},
                   {limited.tensor, constant({channels, taps, taps, x.shape[3]}), bias, zero, zero},
                   shape);
    }

    /// Reshapes the feature map to one pixel and adds layers on pixels. A layer of few inputs may
    /// give more channels than a command takes.
    void add_head() {
        const Value map = clamp(values_.back());
        const Shape& from = map.shape;
        const Shape pixel{from[0], 1, 1, from[1] * from[2] * from[3]};
        Value x{builder_.add(OpCode::kReshape, tosa::NoAttributes{},
                             {map.tensor, builder_.shape_value(pixel)}, type_, pixel),
                pixel};
        constexpr std::int64_t kFew = 300;
        const std::int64_t most = pixel[3] <= kFew ? random_.pick({64, 4096, 4160}) : 70;
        for (const std::int64_t channels : {most, random_.pick({5, 64, 100})}) {
            x = add(OpCode::kConv2d,
                    tosa::Conv2dAttributes{{}, {1, 1}, {1, 1}, false, DType::kFp32},
                    {x.tensor, constant({channels, 1, 1, x.shape[3]}), constant({channels}),
                     zero_point(), zero_point()},
                    {x.shape[0], 1, 1, channels});
            x = clamp(x);
            values_.push_back(x);
        }
    }

    Value clamp(const Value& x) {
        const auto mode =
            random_.one_in(2) ? NanPropagationMode::kPropagate : NanPropagationMode::kIgnore;
        return add(OpCode::kClamp,
                   tosa::ClampAttributes{float_element(type_, -2), float_element(type_, 2), mode},
                   {x.tensor}, x.shape);
    }

    /// A sum with another value of the shape, or with an input.
    Value add_other(const Value& x) {
        TensorIndex other = x.tensor;
        for (const Value& value : values_) {
            if (value.shape == x.shape) other = value.tensor;
        }
        if (random_.one_in(3)) other = input(x.shape).tensor;
        const OpCode op = random_.one_in(2) ? OpCode::kAdd : OpCode::kSub;
        return add(op, tosa::NoAttributes{}, {x.tensor, other}, x.shape);
    }

    Value sign(const Value& x) {
        if (random_.one_in(2)) return add(OpCode::kAbs, tosa::NoAttributes{}, {x.tensor}, x.shape);
        return add(OpCode::kNegate, tosa::NoAttributes{}, {x.tensor, zero_point(), zero_point()},
                   x.shape);
    }

    /// An operator of two operands, one of which broadcasts.
    Value with_operand(const Value& x, TensorIndex other) {
        const bool is_first = random_.one_in(3);
        std::vector<TensorIndex> operands{is_first ? other : x.tensor, is_first ? x.tensor : other};
        const auto nan_mode = NanPropagationMode::kPropagate;
        switch (random_.below(5)) {
            case 0: return add(OpCode::kAdd, tosa::NoAttributes{}, operands, x.shape);
            case 1: return add(OpCode::kSub, tosa::NoAttributes{}, operands, x.shape);
            case 2:
                return add(OpCode::kMaximum, tosa::MaximumAttributes{nan_mode}, operands, x.shape);
            case 3:
                return add(OpCode::kMinimum, tosa::MinimumAttributes{nan_mode}, operands, x.shape);
            default: break;
        }
        operands.push_back(builder_.constant_bytes(DType::kI8, {1}, std::vector<std::byte>(1)));
        const Value product = add(OpCode::kMul, tosa::NoAttributes{}, operands, x.shape);
        return clamp(product);
    }
    /// A constant of one number, or of one per channel.
    Value with_number(const Value& x) {
        return with_operand(x, constant({1, 1, 1, random_.one_in(2) ? 1 : x.shape[3]}));
    }
    /// A feature map of one pixel.
    Value with_pixel(const Value& x) {
        return with_operand(x, input({x.shape[0], 1, 1, x.shape[3]}).tensor);
    }

    /// 2 x 2, so that means are exact; maxima with a margin.
    Value pool(const Value& x, bool maximum) {
        if (x.shape[1] % 2 != 0 || x.shape[2] % 2 != 0) return clamp(x);
        const Shape half{x.shape[0], x.shape[1] / 2, x.shape[2] / 2, x.shape[3]};
        if (!maximum) {
            return add(OpCode::kAvgPool2d,
                       tosa::AvgPool2dAttributes{{2, 2}, {2, 2}, {}, DType::kFp32},
                       {x.tensor, zero_point(), zero_point()}, half);
        }
        const auto mode =
            random_.one_in(2) ? NanPropagationMode::kPropagate : NanPropagationMode::kIgnore;
        if (random_.one_in(2)) {
            return add(OpCode::kMaxPool2d, tosa::MaxPool2dAttributes{{2, 2}, {2, 2}, {}, mode},
                       {x.tensor}, half);
        }
        const auto size = static_cast<std::int32_t>(random_.pick({3, 5}));
        const std::int32_t pad = size / 2;
        return add(OpCode::kMaxPool2d,
                   tosa::MaxPool2dAttributes{{size, size}, {1, 1}, {pad, pad, pad, pad}, mode},
                   {x.tensor}, x.shape);
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
        return add(OpCode::kConcat, tosa::ConcatAttributes{3}, parts, shape);
    }

    Value crop(const Value& x) {
        Shape begin(4, 0);
        Shape shape = x.shape;
        for (std::size_t axis = 1; axis < 3; ++axis) {
            begin[axis] = random_.between(0, shape[axis] - 1);
            shape[axis] = random_.between(1, shape[axis] - begin[axis]);
        }
        return add(OpCode::kSlice, tosa::NoAttributes{},
                   {x.tensor, builder_.shape_value(begin), builder_.shape_value(shape)}, shape);
    }

    RandomSource random_;
    bool branches_, head_;
    DType type_;
    sim::graph::GraphBuilder builder_;
    std::vector<sim::graph::HostTensor> inputs_;
    std::vector<Value> values_;
};

}  // namespace okksim::tests

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/graph/builder.h"
#include "sim/graph/host_tensor.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// One to three operators on fp32 feature maps, as in real networks.
class SmallGraph {
 public:
    explicit SmallGraph(RandomSource& random) : random_(random) {}

    sim::graph::Graph make() {
        shape_ = {random_.pick({1, 1, 2}), side(), 0, random_.pick({16, 32, 64, 96, 128, 256})};
        shape_[2] = random_.one_in(2) ? shape_[1] : side();
        value_ = builder_.input(tosa::DType::kFp32, shape_);
        const std::int64_t count = random_.between(1, 3);
        for (std::int64_t i = 0; i < count; ++i) add_next();
        builder_.output(value_);
        return builder_.finish();
    }
    const std::string& text() const { return text_; }

 private:
    std::int64_t side() { return random_.pick({7, 13, 14, 20, 28, 40, 56}); }

    sim::graph::TensorIndex constant(const sim::graph::Shape& shape) {
        return builder_.constant(shape,
                                 std::vector<float>(*sim::graph::element_count(shape), 1.0f));
    }
    void add(tosa::OpCode op, const tosa::Attributes& attributes,
             std::vector<sim::graph::TensorIndex> inputs, const sim::graph::Shape& shape) {
        value_ = builder_.add(op, attributes, std::move(inputs), tosa::DType::kFp32, shape);
        shape_ = shape;
        text_ += " " + std::string(tosa::op_name(op)) + sim::graph::shape_text(shape);
    }
    void add_next() {
        switch (random_.below(6)) {
            case 0: return convolution(true);
            case 1:
                return add(tosa::OpCode::kAdd, tosa::NoAttributes{},
                           {value_, builder_.input(tosa::DType::kFp32, shape_)}, shape_);
            case 2: return mean();
            default: return convolution(false);
        }
    }
    void convolution(bool depthwise) {
        const std::int64_t taps = depthwise ? 3 : random_.pick({1, 3});
        const auto step = static_cast<std::int32_t>(random_.pick({1, 1, 2}));
        const auto pad = static_cast<std::int32_t>(taps / 2);
        sim::graph::Shape shape = shape_;
        std::array<std::int32_t, 4> pads{pad, pad, pad, pad};
        for (std::size_t axis = 1; axis < 3; ++axis) {
            const std::int64_t rest = (shape_[axis] + 2 * pad - taps) % step;
            pads[2 * axis - 1] -= static_cast<std::int32_t>(rest);
            if (pads[2 * axis - 1] < 0) pads[2 * axis - 1] += step;
            shape[axis] =
                (shape_[axis] + pads[2 * axis - 2] + pads[2 * axis - 1] - taps) / step + 1;
        }
        if (!depthwise) shape[3] = random_.pick({16, 32, 64, 128, 256});
        const sim::graph::TensorIndex zero = builder_.constant({1}, {0.0f});
        const sim::graph::TensorIndex bias = constant({shape[3]});
        if (depthwise) {
            return add(tosa::OpCode::kDepthwiseConv2d,
                       tosa::DepthwiseConv2dAttributes{
                           pads, {step, step}, {1, 1}, false, tosa::DType::kFp32},
                       {value_, constant({taps, taps, shape[3], 1}), bias, zero, zero}, shape);
        }
        add(tosa::OpCode::kConv2d,
            tosa::Conv2dAttributes{pads, {step, step}, {1, 1}, false, tosa::DType::kFp32},
            {value_, constant({shape[3], taps, taps, shape_[3]}), bias, zero, zero}, shape);
    }
    void mean() {
        if (shape_[1] % 2 != 0 || shape_[2] % 2 != 0) return convolution(false);
        const sim::graph::TensorIndex zero = builder_.constant({1}, {0.0f});
        add(tosa::OpCode::kAvgPool2d,
            tosa::AvgPool2dAttributes{{2, 2}, {2, 2}, {}, tosa::DType::kFp32}, {value_, zero, zero},
            {shape_[0], shape_[1] / 2, shape_[2] / 2, shape_[3]});
    }

    RandomSource& random_;
    sim::graph::GraphBuilder builder_;
    sim::graph::TensorIndex value_ = 0;
    sim::graph::Shape shape_;
    std::string text_;
};

}  // namespace okksim::tests

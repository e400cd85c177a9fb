// SPDX-License-Identifier: Apache-2.0
// Operators that combine many elements: sections 2.3, 2.9 and 2.12.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/reference/tosa/case_maker.h"

namespace okksim::tests {

namespace check = sim::check;

void CaseMaker::make_reduction() {
    Shape whole = shape(rank(1));
    Domain domain;
    domain.specials = op_ != OpCode::kReduceSum && op_ != OpCode::kReduceProduct;
    if (op_ == OpCode::kReduceSum) {
        domain.lowest = -(1 << 17), domain.highest = 1 << 17;
    } else if (op_ == OpCode::kReduceProduct) {
        domain.low = 0.5, domain.high = 1.7;
    }
    const auto operand = input(in_type(), whole, domain);
    const std::int32_t axis = axis_of(whole);
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t count = whole[at];
    tosa::Attributes attributes;
    switch (op_) {
        case OpCode::kArgmax: attributes = tosa::ArgmaxAttributes{axis, nan_mode()}; break;
        case OpCode::kReduceAll: attributes = tosa::ReduceAllAttributes{axis}; break;
        case OpCode::kReduceAny: attributes = tosa::ReduceAnyAttributes{axis}; break;
        case OpCode::kReduceMax: attributes = tosa::ReduceMaxAttributes{axis, nan_mode()}; break;
        case OpCode::kReduceMin: attributes = tosa::ReduceMinAttributes{axis, nan_mode()}; break;
        case OpCode::kReduceProduct:
            attributes = tosa::ReduceProductAttributes{axis};
            rule_ = check::ReduceProductRule{count};
            break;
        default:
            attributes = tosa::ReduceSumAttributes{axis};
            if (tosa::is_floating_point(in_type())) {
                const DType sum = in_type() == DType::kBf16 ? DType::kFp32 : in_type();
                rule_ = dot_rule(count, sum, in_type(), false);
            }
    }
    if (op_ == OpCode::kArgmax) {
        whole.erase(whole.begin() + axis);
    } else {
        whole[at] = 1;
    }
    finish(attributes, {operand}, out_type(), whole);
}

void CaseMaker::make_pool() {
    Shape in = shape(4), out = in;
    std::array<std::int32_t, 2> kernel{}, stride{};
    std::array<std::int32_t, 4> pad{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        std::int64_t& extent_in = in[axis + 1];
        kernel[axis] =
            static_cast<std::int32_t>(extent(std::min<std::int64_t>(extent_in + 3, 8192)));
        stride[axis] = static_cast<std::int32_t>(extent(random_.one_in(4) ? 30 : 3));
        pad[2 * axis] = static_cast<std::int32_t>(random_.below(kernel[axis]));
        pad[2 * axis + 1] = static_cast<std::int32_t>(random_.below(kernel[axis]));
        if (random_.one_in(3)) pad[2 * axis] = pad[2 * axis + 1] = 0;
        if (extent_in + pad[2 * axis] + pad[2 * axis + 1] < kernel[axis]) {
            extent_in = kernel[axis];
        }
        // The input grows until the stride divides.
        const std::int64_t rest =
            (extent_in + pad[2 * axis] + pad[2 * axis + 1] - kernel[axis]) % stride[axis];
        if (rest != 0) extent_in += stride[axis] - rest;
        out[axis + 1] =
            (extent_in + pad[2 * axis] + pad[2 * axis + 1] - kernel[axis]) / stride[axis] + 1;
    }
    say("kernel " + std::to_string(kernel[0]) + "x" + std::to_string(kernel[1]) + " stride " +
        std::to_string(stride[0]) + "," + std::to_string(stride[1]) + " pad " +
        std::to_string(pad[0]) + "," + std::to_string(pad[1]) + "," + std::to_string(pad[2]) + "," +
        std::to_string(pad[3]));
    Domain domain;
    if (op_ == OpCode::kMaxPool2d) {
        domain.specials = true;
        const auto operand = input(in_type(), in, domain);
        finish(tosa::MaxPool2dAttributes{kernel, stride, pad, nan_mode()}, {operand}, in_type(),
               out);
        return;
    }
    const auto operand = input(in_type(), in, domain);
    const DType sum = type(ArgumentType::kAccumulator);
    const auto in_zero = one(in_type(), zero_point(in_type()));
    const auto out_zero = one(in_type(), zero_point(in_type()));
    if (tosa::is_floating_point(in_type())) {
        rule_ = dot_rule(std::int64_t{kernel[0]} * kernel[1], sum, in_type(), false);
    }
    finish(tosa::AvgPool2dAttributes{kernel, stride, pad, sum}, {operand, in_zero, out_zero},
           in_type(), out);
}

/// Random windows along every spatial axis.
CaseMaker::Windows CaseMaker::random_windows() {
    const bool transposed = op_ == OpCode::kTransposeConv2d;
    Windows windows;
    windows.axes = op_ == OpCode::kConv3d ? 3 : 2;
    for (std::size_t i = 0; i < windows.axes; ++i) {
        const std::int64_t kernel = random_.between(1, random_.one_in(6) ? 9 : 3);
        const std::int64_t stride = random_.between(1, 3), dilation = random_.between(1, 2);
        std::int64_t in = random_.between(1, (windows.axes == 3 ? 7 : 14) + limit_ / 8000);
        std::int64_t padding = 0;
        for (std::size_t side = 0; side < 2; ++side) {
            const std::int64_t pad = transposed ? random_.between(1 - kernel, 3) : random_.below(3);
            windows.pad[2 * i + side] = static_cast<std::int32_t>(pad);
            padding += pad;
        }
        if (transposed) {
            std::int64_t out = (in - 1) * stride + padding + kernel;
            for (; out < 1; out += stride) ++in;
            windows.output.push_back(out);
        } else {
            const std::int64_t window = (kernel - 1) * dilation + 1;
            in = std::max(in, window - padding);
            while ((in + padding - window) % stride != 0) ++in;
            windows.output.push_back((in + padding - window) / stride + 1);
        }
        windows.input.push_back(in);
        windows.kernel.push_back(kernel);
        windows.stride[i] = static_cast<std::int32_t>(stride);
        windows.dilation[i] = static_cast<std::int32_t>(dilation);
        say("stride " + std::to_string(stride) + " dilation " + std::to_string(dilation) + " pad " +
            std::to_string(windows.pad[2 * i]) + "," + std::to_string(windows.pad[2 * i + 1]));
    }
    return windows;
}

tosa::Attributes CaseMaker::convolution_attributes(const Windows& windows) const {
    const DType sum = type(ArgumentType::kAccumulator);
    const auto& [axes, pad, stride, dilation, in, kernel, out] = windows;
    const std::array<std::int32_t, 4> pad2{pad[0], pad[1], pad[2], pad[3]};
    const std::array<std::int32_t, 2> stride2{stride[0], stride[1]};
    const std::array<std::int32_t, 2> dilation2{dilation[0], dilation[1]};
    switch (op_) {
        case OpCode::kConv3d: return tosa::Conv3dAttributes{pad, stride, dilation, true, sum};
        case OpCode::kTransposeConv2d:
            return tosa::TransposeConv2dAttributes{pad2, stride2, true, sum};
        case OpCode::kDepthwiseConv2d:
            return tosa::DepthwiseConv2dAttributes{pad2, stride2, dilation2, true, sum};
        default: return tosa::Conv2dAttributes{pad2, stride2, dilation2, true, sum};
    }
}

void CaseMaker::make_convolution() {
    const bool depthwise = op_ == OpCode::kDepthwiseConv2d;
    const Windows windows = random_windows();
    const std::int64_t most_channels = 40 + limit_ / 2000;
    const std::int64_t in_channels = extent(most_channels), out_channels = extent(most_channels);
    const std::int64_t multiplier = random_.between(1, 3);
    Shape in = windows.input, out = windows.output, weight = windows.kernel;
    in.insert(in.begin(), random_.between(1, 2));
    in.push_back(in_channels);
    out.insert(out.begin(), in[0]);
    out.push_back(depthwise ? in_channels * multiplier : out_channels);
    if (depthwise) {
        weight.insert(weight.end(), {in_channels, multiplier});
    } else {
        weight.insert(weight.begin(), out_channels);
        weight.push_back(in_channels);
    }
    const DType weight_type = type(ArgumentType::kWeight), result = out_type();
    const Domain domain{-1.0, 1.0, 0, 0, false, false};
    const Domain bias_domain{-1.0, 1.0, -100000, 100000, false, false};
    const auto data = input(in_type(), in, domain);
    say("weight " + sim::graph::shape_text(weight));
    const auto weights = random_.one_in(4)
                             ? input(weight_type, weight, domain)
                             : constant(random_value(weight_type, weight, domain, random_));
    const auto bias =
        constant(random_value(result, {random_.one_in(3) ? 1 : out.back()}, bias_domain, random_));
    const auto in_zero = one(in_type(), zero_point(in_type()));
    const auto weight_zero =
        one(weight_type, weight_type == DType::kI8 ? zero_point(weight_type) : 0);
    const std::int64_t terms = reference::elements(windows.kernel) * (depthwise ? 1 : in_channels);
    if (tosa::is_floating_point(result)) {
        rule_ = dot_rule(terms, type(ArgumentType::kAccumulator), result, true);
    }
    finish(convolution_attributes(windows), {data, weights, bias, in_zero, weight_zero}, result,
           out);
}

void CaseMaker::make_matmul() {
    const std::int64_t batch = random_.between(1, 4);
    const std::int64_t most = 60 + limit_ / 1000;
    const std::int64_t height = extent(most), depth = extent(5 * most), width = extent(most);
    const Domain domain{-1.0, 1.0, 0, 0, false, false};
    const auto left = input(in_type(), {batch, height, depth}, domain);
    const auto right = input(in_type(), {batch, depth, width}, domain);
    const auto left_zero = one(in_type(), zero_point(in_type()));
    const auto right_zero = one(in_type(), zero_point(in_type()));
    if (tosa::is_floating_point(out_type())) {
        rule_ = dot_rule(depth, out_type(), out_type(), false);
    }
    finish(tosa::NoAttributes{}, {left, right, left_zero, right_zero}, out_type(),
           {batch, height, width});
}

void CaseMaker::make_fourier() {
    const std::int64_t height = std::int64_t{1} << random_.below(6);
    const std::int64_t width = std::int64_t{1} << random_.below(6);
    const Shape in{random_.between(1, 3), height, width};
    const auto real = input(DType::kFp32, in, {});
    Shape out = in;
    if (op_ == OpCode::kRfft2d) {
        out[2] = width / 2 + 1;
        outputs_ = {builder_.tensor(DType::kFp32, out), builder_.tensor(DType::kFp32, out)};
        builder_.add_with_outputs(op_, tosa::Rfft2dAttributes{true}, {real}, outputs_);
        rule_ = dot_rule(height * width, DType::kFp32, DType::kFp32, false);
        return;
    }
    const auto imaginary = input(DType::kFp32, in, {});
    outputs_ = {builder_.tensor(DType::kFp32, out), builder_.tensor(DType::kFp32, out)};
    builder_.add_with_outputs(op_, tosa::Fft2dAttributes{random_.one_in(2), true},
                              {real, imaginary}, outputs_);
    rule_ = dot_rule(2 * height * width, DType::kFp32, DType::kFp32, false);
}

void CaseMaker::make_resize() {
    Shape in{random_.between(1, 2), random_.between(1, 12), random_.between(1, 12), extent(40)};
    Shape out = in;
    std::vector<std::int64_t> scale, offset, border;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        std::int64_t n, d, o, b, extent_out;
        do {
            n = random_.between(1, 12);
            d = random_.between(1, 12);
            o = random_.between(-n, n);
            b = random_.between(-n, n - 1);
            extent_out = (in[axis + 1] - 1) * n - o + b;
        } while (d >= 16 * n || extent_out < 0 || extent_out % d != 0);
        scale.insert(scale.end(), {n, d});
        offset.push_back(o);
        border.push_back(b);
        out[axis + 1] = extent_out / d + 1;
    }
    for (const std::int64_t number : scale) say(std::to_string(number));
    const bool bilinear =
        tosa::is_floating_point(in_type()) ? random_.one_in(2) : in_type() != out_type();
    const Value value = random_value(in_type(), in, {}, random_);
    double largest = 0;
    for (const double element : value.real) largest = std::max(largest, std::abs(element));
    const auto operand = add_input(value);
    if (tosa::is_floating_point(in_type())) rule_ = check::RelativeRule{largest, 0.006, 20.0};
    const auto mode = bilinear ? tosa::ResizeMode::kBilinear : tosa::ResizeMode::kNearestNeighbor;
    say(bilinear ? "BILINEAR" : "NEAREST");
    finish(tosa::ResizeAttributes{mode},
           {operand, builder_.shape_value(scale), builder_.shape_value(offset),
            builder_.shape_value(border)},
           out_type(), out);
}

}  // namespace okksim::tests

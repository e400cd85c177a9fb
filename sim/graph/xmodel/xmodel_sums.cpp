// SPDX-License-Identifier: Apache-2.0
// Sums of products, of all types.
#include <algorithm>
#include <cstring>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

namespace {

/// Products of two digits are at most 2^14, so sums stay below 2^31.
constexpr std::int64_t kMostProducts = (std::int64_t{1} << 17) - 2;

std::array<std::int32_t, 4> to_int32(const std::array<std::int64_t, 4>& values) {
    std::array<std::int32_t, 4> result{};
    std::copy(values.begin(), values.end(), result.begin());
    return result;
}

/// Returns the integers of a constant of up to 32 bits.
std::vector<std::int64_t> integers_of(const Value& value) {
    std::vector<std::int64_t> result;
    const std::size_t size = value.type.bytes();
    for (std::size_t at = 0; at + size <= value.data.size(); at += size) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, value.data.data() + at, std::min<std::size_t>(size, 4));
        const int unused = 32 - 8 * static_cast<int>(size);
        result.push_back(static_cast<std::int32_t>(bits << unused) >> unused);
    }
    return result;
}

}  // namespace

std::optional<Lowering::ZeroPoints> Lowering::zero_points(TensorIndex x) {
    const DType type = ops_.type(x);
    if (!is_floating_point(type)) return std::nullopt;
    const TensorIndex input_zero = ops_.block().constant(type, {1}, {0}, "input_zp");
    return ZeroPoints{input_zero, ops_.block().constant(type, {1}, {0}, "other_zp")};
}

TensorIndex Lowering::multiplied(const Product& product, TensorIndex x, TensorIndex weights,
                                 TensorIndex bias) {
    const DType type = ops_.type(x);
    const bool is_real = is_floating_point(type);
    const DType sums = is_real ? type : DType::kI32;
    const DType accumulator = is_real ? DType::kFp32 : DType::kI32;
    const auto [input_zero, weight_zero] =
        product.zero_points ? *product.zero_points
                            : ZeroPoints{ops_.number(type, 1, 0), ops_.number(type, 1, 0)};
    const std::vector<TensorIndex> inputs{x, weights, bias, input_zero, weight_zero};
    const auto& [y_axis, x_axis] = product.windows;
    const auto padding = to_int32(product.padding);
    const auto stride = attribute_pair(y_axis.stride, x_axis.stride);
    const auto dilation = attribute_pair(y_axis.dilation, x_axis.dilation);
    Attributes attributes = Conv2dAttributes{padding, stride, dilation, false, accumulator};
    if (product.op == OpCode::kDepthwiseConv2d) {
        attributes = DepthwiseConv2dAttributes{padding, stride, dilation, false, accumulator};
    } else if (product.op == OpCode::kTransposeConv2d) {
        attributes = TransposeConv2dAttributes{padding, stride, false, accumulator};
    }
    Shape output = product.output;
    if (product.op != OpCode::kDepthwiseConv2d) output[3] = ops_.shape(weights)[0];
    return ops_.block().add(product.op, attributes, inputs, sums, output, "sums");
}

TensorIndex Lowering::summed(const Call& call, const Product& product, TensorIndex x,
                             TensorIndex weights, Value* bias, const Value& result) {
    const ElementType& type = call.input().type;
    if (type.is_fixed()) return fixed_sums(call, product, x, weights, bias, result);
    if (type.is_integer()) return wide_sums(call, product, x, weights, bias);
    const TensorIndex added =
        bias != nullptr ? ops_.reshape(tensors_.declared(*bias), {product.output[3]}, "bias")
                        : ops_.number(type.device_type(), 1, 0);
    return multiplied(product, x, weights, added);
}

TensorIndex Lowering::narrow_sums(const Product& product, TensorIndex x, TensorIndex weights,
                                  Value* bias) {
    TensorIndex added = ops_.number(DType::kI32, 1, 0);
    const Shape channels{product.output[3]};
    if (bias != nullptr && bias->is_constant) {
        added = ops_.block().constant(DType::kI32, channels, integers_of(*bias), "bias");
    } else if (bias != nullptr) {
        const TensorIndex flat = ops_.reshape(tensors_.declared(*bias), channels, "bias");
        added = ops_.cast(flat, DType::kI32, "bias_widened");
    }
    return multiplied(product, x, weights, added);
}

// Let x = sum of x_i 256^i, and likewise w. Digit k of the product is the sum of x_i w_(k - i). A
// convolution computes this in one operator. Its input channels are all digits of x, its output
// channels all digits of the result.
TensorIndex Lowering::wide_sums(const Call& call, const Product& product, TensorIndex x,
                                TensorIndex weights, Value* bias) {
    const ElementType& type = call.input().type;
    const std::size_t count = type.bytes();
    if (product.products * static_cast<std::int64_t>(count) > kMostProducts) {
        throw UnsupportedPart(
            "sums of " + std::to_string(product.products) + " products of " + type.name(), false);
    }
    const TensorIndex zero = ops_.number(DType::kI32, 1, 0);
    if (count == 1) return digits_.join(type, {narrow_sums(product, x, weights, bias)});
    const std::vector<TensorIndex> xs = digits_.split(type, x, false);
    const std::vector<TensorIndex> ws = digits_.split(type, weights, false);
    std::vector<TensorIndex> sums;
    if (product.op == OpCode::kDepthwiseConv2d) {
        for (std::size_t k = 0; k < count; ++k) {
            sums.push_back(multiplied(product, xs[0], ws[k], zero));
            for (std::size_t i = 1; i <= k; ++i) {
                const TensorIndex more = multiplied(product, xs[i], ws[k - i], zero);
                sums[k] = ops_.binary(OpCode::kAdd, sums[k], more, "digit_sum");
            }
        }
    } else {
        const Shape shape = ops_.shape(ws[0]);
        const TensorIndex none =
            ops_.tile(ops_.number(DType::kI8, shape.size(), 0), shape, "no_digit");
        std::vector<TensorIndex> rows;
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<TensorIndex> row;
            for (std::size_t i = 0; i < count; ++i) row.push_back(i <= k ? ws[k - i] : none);
            rows.push_back(ops_.concat(row, 3, "weight_digits"));
        }
        const TensorIndex all = multiplied(product, ops_.concat(xs, 3, "input_digits"),
                                           ops_.concat(rows, 0, "weights"), zero);
        for (std::size_t k = 0; k < count; ++k) {
            const Shape start{0, 0, 0, static_cast<std::int64_t>(k) * product.output[3]};
            sums.push_back(ops_.slice(all, start, product.output, "digit_sum"));
        }
    }
    if (bias != nullptr) {
        const TensorIndex flat =
            tensors_.reshape(type, tensors_.declared(*bias), {product.output[3]}, "bias");
        const std::vector<TensorIndex> bs = digits_.split(type, flat, false);
        for (std::size_t k = 0; k < count; ++k) {
            const TensorIndex digit = ops_.cast(bs[k], DType::kI32, "bias_digit");
            sums[k] = ops_.binary(OpCode::kAdd, sums[k], digit, "with_bias");
        }
    }
    return digits_.join(type, sums);
}

// Sums have fi + fw fraction bits, the bias fb. A bias with more fraction bits keeps `kept` of
// them. The last bit is set if any lower bit was set ("round to odd"). With two bits below the
// result's last digit, every rounding equals that of the exact number.
TensorIndex Lowering::fixed_sums(const Call& call, const Product& product, TensorIndex x,
                                 TensorIndex weights, Value* bias, const Value& result) {
    constexpr int kLeastCut = -16, kMostBiasShift = 22;
    constexpr std::int64_t kRoom = std::int64_t{1} << 30, kBeyond = 512;
    const int sum_point = fix_point(call, call.input()) + fix_point(call, *call.weights);
    const int out_point = fix_point(call, result);
    int cut = sum_point - out_point;
    int kept = 0;
    bool is_limited = false;
    TensorIndex added = ops_.number(DType::kI32, 1, 0);
    if (product.products > kMostProducts || cut < kLeastCut) {
        throw UnsupportedPart("fixed-point sums of " + std::to_string(product.products) +
                                  " products from fix_point " + std::to_string(sum_point) + " to " +
                                  std::to_string(out_point),
                              false);
    }
    std::int64_t bound = product.products << 14;
    if (bias != nullptr) {
        if (!bias->is_constant)
            throw UnsupportedPart("fixed-point bias that is no constant", false);
        const int below = fix_point(call, *bias) - sum_point;
        kept = std::min(std::max(below, 0), std::max(1, 2 - cut));
        // Without fraction bits to cut off, larger sums saturate for every bias.
        is_limited = cut <= 0 && bound << kept >= kRoom;
        if (is_limited) bound = kBeyond;
        if (below < -kMostBiasShift || bound << kept >= kRoom) {
            throw UnsupportedPart("fixed-point bias far from the fix_point of its sums", false);
        }
        std::vector<std::int64_t> values = integers_of(*bias);
        for (std::int64_t& value : values) {
            if (below <= kept) {
                value = value * (std::int64_t{1} << (kept - below));
                continue;
            }
            const int dropped = std::min(below - kept, 32);
            const bool is_inexact = (value & ((std::int64_t{1} << dropped) - 1)) != 0;
            value = (value >> dropped) | (is_inexact ? 1 : 0);
        }
        bound = (bound << kept) + (std::int64_t{128} << std::max(kept - below, 0));
        added = ops_.block().constant(DType::kI32, {product.output[3]}, values, "bias");
    }
    TensorIndex sums =
        multiplied(product, x, weights, kept == 0 ? added : ops_.number(DType::kI32, 1, 0));
    if (kept > 0) {
        if (is_limited) {
            const auto most = static_cast<double>(kBeyond);
            sums =
                ops_.binary(OpCode::kMinimum, sums, ops_.number(DType::kI32, 4, most), "limited");
            sums =
                ops_.binary(OpCode::kMaximum, sums, ops_.number(DType::kI32, 4, -most), "limited");
        }
        const TensorIndex bits = ops_.number(DType::kI32, 4, kept);
        sums = ops_.binary(OpCode::kLogicalLeftShift, sums, bits, "aligned");
        sums = ops_.binary(OpCode::kAdd, sums, added, "with_bias");
        cut += kept;
    }
    const TensorIndex scaled = fixed_.scaled(sums, cut, result.rounding, bound);
    return fixed_.activated(call.node, scaled, out_point, result.rounding);
}

}  // namespace okksim::sim::graph::xmodel

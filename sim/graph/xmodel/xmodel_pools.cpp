// SPDX-License-Identifier: Apache-2.0
// Pools.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

namespace {

/// Limits the size of constants that describe windows.
void require_room(std::int64_t count, const char* what) {
    constexpr std::int64_t kMost = std::int64_t{1} << 24;
    if (count > kMost) throw UnsupportedPart(std::string(what) + " of that size", false);
}

bool fits_pool(const WindowAxis& axis) {
    return axis.before < axis.kernel && axis.used_after() < axis.kernel;
}

std::array<std::int32_t, 4> pool_padding(const Windows& w) {
    return {static_cast<std::int32_t>(w.y.before), static_cast<std::int32_t>(w.y.used_after()),
            static_cast<std::int32_t>(w.x.before), static_cast<std::int32_t>(w.x.used_after())};
}

Shape explicit_padding(const Windows& w) {
    return {0, 0, w.y.before, w.y.used_after(), w.x.before, w.x.used_after(), 0, 0};
}

/// The DPU's factor n / 2^m of a mean.
struct PoolFactor {
    std::int32_t multiplier = 1;
    int shift = 0;
};

PoolFactor pool_factor(std::int64_t height, std::int64_t width) {
    struct Row {
        std::int64_t size;
        PoolFactor factor;
    };
    constexpr Row kKnown[] = {
        {3, {7, 6}}, {5, {10, 8}}, {6, {7, 8}}, {7, {21, 10}}, {14, {21, 12}}};
    for (const Row& row : kKnown) {
        if (height == row.size && width == row.size) return row.factor;
    }
    const double area = static_cast<double>(height * width);
    const int shifts = static_cast<int>(std::ceil(std::log2(area * 128)));
    PoolFactor best{0, 0};
    double least = 1.0;
    for (int shift = 0; shift < shifts; ++shift) {
        const double power = std::ldexp(1.0, shift);
        const double multiplier = std::round(power / area);
        const double difference = std::fabs(multiplier / power - 1.0 / area);
        if (difference >= least) continue;
        least = difference;
        best = {static_cast<std::int32_t>(multiplier), shift};
    }
    return best;
}

}  // namespace

Windows Lowering::pool_windows(const Call& call) {
    require_rank(call, call.input(), 4);
    const Shape maps = maps_shape(call, call.input());
    const bool is_global = call.node.flag(call.is_oplib() ? "is_global" : "global", false);
    read_pad_mode(call.node, call.vocabulary);
    if (!is_global) return read_windows(call.node, call.vocabulary, maps, nullptr);
    const auto stride = read_pair(call.node, call.vocabulary, "strides", "stride", {1, 1});
    const auto padding = read_padding(call.node, call.vocabulary);
    if (stride != std::array<std::int64_t, 2>{1, 1} ||
        padding != std::array<std::int64_t, 4>{0, 0, 0, 0}) {
        call.node.illegal("is_global", "true", "a global pool has strides of 1 and no padding");
    }
    return {{maps[1], maps[1], 1, 1, 0, 0, 1}, {maps[2], maps[2], 1, 1, 0, 0, 1}};
}

TensorIndex Lowering::window_sums(const Windows& windows, TensorIndex x, std::int32_t weight) {
    const Shape& shape = ops_.shape(x);
    const std::int64_t channels = shape[3];
    require_room(channels, "mean over feature maps");
    require_room(windows.y.kernel * windows.x.kernel * channels, "mean over windows");
    Product product{
        OpCode::kDepthwiseConv2d,
        windows,
        {shape[0], windows.y.output, windows.x.output, channels},
        {windows.y.before, windows.y.used_after(), windows.x.before, windows.x.used_after()},
        0};
    const Shape kernel{windows.y.kernel, windows.x.kernel, channels, 1};
    const std::vector<std::int64_t> ones(*element_count(kernel), weight);
    const TensorIndex weights = ops_.block().constant(DType::kI8, kernel, ones, "ones");
    return multiplied(product, x, weights, ops_.number(DType::kI32, 1, 0));
}

std::vector<std::int64_t> Lowering::divisors(const Call& call, const Windows& windows) const {
    require_room(std::max(windows.y.output, windows.x.output), "mean over feature maps");
    require_room(windows.y.output * windows.x.output, "mean over feature maps");
    const bool with_pad = call.node.flag("count_include_pad", true);
    const bool with_beyond = with_pad && call.node.flag("count_include_invalid", true);
    const auto counts = [&](const WindowAxis& axis) {
        std::vector<std::int64_t> taps;
        for (std::int64_t i = 0; i < axis.output; ++i) {
            taps.push_back(with_beyond ? axis.kernel
                                       : axis.taps(i, with_pad ? -axis.before : 0,
                                                   axis.input + (with_pad ? axis.after : 0)));
        }
        return taps;
    };
    std::vector<std::int64_t> result;
    const auto columns = counts(windows.x);
    for (const std::int64_t rows : counts(windows.y)) {
        for (const std::int64_t taps : columns) {
            result.push_back(std::max<std::int64_t>(rows * taps, 1));
        }
    }
    return result;
}

// AVG_POOL2D divides by the taps inside the input. Padding that counts is therefore explicit. The
// mean of a window that counts fewer taps is corrected.
TensorIndex Lowering::float_means(const Call& call, const Windows& windows, TensorIndex x) {
    const DType type = ops_.type(x);
    const bool counts_input = !call.node.flag("count_include_pad", true);
    const bool is_direct = counts_input && fits_pool(windows.y) && fits_pool(windows.x);
    if (!is_direct) {
        x = ops_.pad(x, explicit_padding(windows), ops_.number(type, 1, 0), "padded");
    }
    const AvgPool2dAttributes attributes{
        attribute_pair(windows.y.kernel, windows.x.kernel),
        attribute_pair(windows.y.stride, windows.x.stride),
        is_direct ? pool_padding(windows) : std::array<std::int32_t, 4>{}, DType::kFp32};
    const TensorIndex zero = ops_.block().constant(type, {1}, {0}, "zp");
    const Shape shape{ops_.shape(x)[0], windows.y.output, windows.x.output, ops_.shape(x)[3]};
    const TensorIndex means =
        ops_.block().add(OpCode::kAvgPool2d, attributes, {x, zero, zero}, type, shape, "means");
    const std::vector<std::int64_t> counts = divisors(call, windows);
    const std::int64_t area = windows.y.kernel * windows.x.kernel;
    if (is_direct || std::all_of(counts.begin(), counts.end(),
                                 [&](std::int64_t count) { return count == area; })) {
        return means;
    }
    const Shape map{1, shape[1], shape[2], 1};
    const TensorIndex taps = ops_.block().constant(DType::kI32, map, counts, "taps");
    const TensorIndex share =
        ops_.unary(OpCode::kReciprocal, ops_.cast(taps, DType::kFp32, "taps_real"), "share");
    const TensorIndex factor =
        ops_.product(share, ops_.number(DType::kFp32, 4, static_cast<double>(area)), "correction");
    return ops_.product(means, ops_.cast(factor, type, "correction"), "corrected");
}

void Lowering::avg_pool(const Call& call, Value& result) {
    require_arithmetic(call.input());
    const ElementType& type = call.input().type;
    if (type.is_fixed()) return fixed_pool(call, result);
    const Windows windows = pool_windows(call);
    const TensorIndex x = cropped(tensors_.feature_map(call.input(), call.vocabulary), windows);
    if (type.is_float()) return set_maps(call, result, float_means(call, windows, x));
    std::vector<TensorIndex> sums;
    for (const TensorIndex digit : digits_.split(type, x, true)) {
        sums.push_back(window_sums(windows, digit, 1));
    }
    const std::vector<std::int64_t> counts = divisors(call, windows);
    const bool is_uniform =
        std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) == counts.end();
    const TensorIndex taps =
        is_uniform ? ops_.number(DType::kI32, 4, static_cast<double>(counts[0]))
                   : ops_.block().constant(DType::kI32, {1, windows.y.output, windows.x.output, 1},
                                           counts, "taps");
    set_maps(call, result, digits_.join(type, digits_.divide(sums, taps)));
}

void Lowering::fixed_pool(const Call& call, Value& result) {
    require_arithmetic(call.input());
    const std::string kind = call.node.text("type", "AVG");
    if (kind == "MAX") return max_pool(call, result);
    if (kind != "AVG") call.node.illegal("type", kind, "type is MAX or AVG");
    const Windows windows = pool_windows(call);
    const TensorIndex x = cropped(tensors_.feature_map(call.input(), call.vocabulary), windows);
    const std::int64_t area = windows.y.kernel * windows.x.kernel;
    const PoolFactor factor = pool_factor(windows.y.kernel, windows.x.kernel);
    const int cut = factor.shift + fix_point(call, call.input()) - fix_point(call, result);
    const std::int64_t bound = (area * factor.multiplier) << 7;
    if (factor.multiplier > 127 || bound >= std::int64_t{1} << 30) {
        throw UnsupportedPart("fixed-point mean over " + std::to_string(area) + " values", false);
    }
    const TensorIndex sums = window_sums(windows, x, factor.multiplier);
    set_maps(call, result, fixed_.scaled(sums, cut, result.rounding, bound));
}

void Lowering::max_pool(const Call& call, Value& result) {
    require_order(call.input());
    const ElementType& type = call.input().type;
    const Windows windows = pool_windows(call);
    TensorIndex x = cropped(tensors_.feature_map(call.input(), call.vocabulary), windows);
    if (type.is_integer() && type.bits >= 32) {
        return set_maps(call, result, wide_maximum(call.input(), windows, x));
    }
    if (type.is_wide()) {
        const TensorIndex maxima = wide_maximum(call.input(), windows, order_bits(x));
        return set_maps(call, result, order_bits(maxima));
    }
    const DType device = ops_.type(x);
    std::array<std::int32_t, 4> padding = pool_padding(windows);
    if (!fits_pool(windows.y) || !fits_pool(windows.x)) {
        const double least = type.is_float() ? -std::numeric_limits<double>::infinity()
                                             : -std::ldexp(1.0, type.bits - 1);
        x = ops_.pad(x, explicit_padding(windows), ops_.number(device, 1, least), "padded");
        padding = {};
    }
    const MaxPool2dAttributes attributes{attribute_pair(windows.y.kernel, windows.x.kernel),
                                         attribute_pair(windows.y.stride, windows.x.stride),
                                         padding, NanPropagationMode::kPropagate};
    const Shape shape{ops_.shape(x)[0], windows.y.output, windows.x.output, ops_.shape(x)[3]};
    TensorIndex maxima =
        ops_.block().add(OpCode::kMaxPool2d, attributes, {x}, device, shape, "maxima");
    if (type.is_fixed()) {
        maxima = fixed_.moved(maxima, fix_point(call, call.input()), fix_point(call, result),
                              result.rounding);
    }
    set_maps(call, result, maxima);
}

/// Returns the elements that windows cover, [N, windows, taps, C]. Taps outside are the smallest
/// number.
TensorIndex Lowering::gathered_windows(const Value& value, const Windows& windows, TensorIndex x) {
    const Shape maps = ops_.shape(x);
    const std::int64_t width = maps[3] * (value.type.is_wide() ? 2 : 1);
    const std::int64_t rows = maps[1] * maps[2];
    const TensorIndex flat = ops_.reshape(x, {maps[0], rows, width}, "pixels");
    const double lowest = std::numeric_limits<std::int32_t>::min();
    TensorIndex least = ops_.number(DType::kI32, 3, lowest);
    if (value.type.is_wide()) {
        least = ops_.concat({ops_.number(DType::kI32, 3, 0), least}, 2, "least");
    }
    least = ops_.tile(least, {maps[0], 1, maps[3]}, "least_pixel");
    const TensorIndex pixels = ops_.concat({flat, least}, 1, "with_least");
    std::vector<std::int64_t> indices;
    const auto& [y, w] = windows;
    std::int64_t count = 1;
    for (const std::int64_t size : {maps[0], y.output, w.output, y.kernel * w.kernel}) {
        require_room(size, "maximum over feature maps");
        count *= size;
        require_room(count, "maximum over feature maps");
    }
    for (std::int64_t n = 0; n < maps[0]; ++n) {
        for (std::int64_t i = 0; i < y.output * w.output; ++i) {
            for (std::int64_t tap = 0; tap < y.kernel * w.kernel; ++tap) {
                const std::int64_t row = i / w.output * y.stride - y.before + tap / w.kernel;
                const std::int64_t column = i % w.output * w.stride - w.before + tap % w.kernel;
                const bool inside = row >= 0 && row < maps[1] && column >= 0 && column < maps[2];
                indices.push_back(inside ? row * maps[2] + column : rows);
            }
        }
    }
    const std::int64_t places = y.output * w.output, taps = y.kernel * w.kernel;
    const TensorIndex list =
        ops_.block().constant(DType::kI32, {maps[0], places * taps}, indices, "taps");
    return ops_.reshape(ops_.gather(pixels, list, "gathered"), {maps[0], places, taps, width},
                        "windows");
}

// Computes the maximum of 64-bit elements: the greatest high word and, among its candidates, the
// greatest low word. Low words are unsigned, so flipping their top bit gives the order of signed
// numbers.
TensorIndex Lowering::wide_maximum(const Value& value, const Windows& windows, TensorIndex x) {
    const Shape maps = ops_.shape(x);
    const Shape result{maps[0], windows.y.output, windows.x.output, maps[3]};
    const TensorIndex all = gathered_windows(value, windows, x);
    if (!value.type.is_wide()) {
        return ops_.reshape(ops_.reduce_max(all, 2, "maxima"), result, "maps");
    }
    Shape split = ops_.shape(all);
    split.back() /= 2;
    split.push_back(2);
    const TensorIndex pairs = ops_.reshape(all, split, "pairs");
    const TensorIndex low = digits_.word(pairs, 0), high = digits_.word(pairs, 1);
    const TensorIndex lowest =
        ops_.number(DType::kI32, 4, std::numeric_limits<std::int32_t>::min());
    const TensorIndex top = ops_.reduce_max(high, 2, "top");
    const TensorIndex candidate = ops_.test(OpCode::kEqual, high, top, "candidate");
    const TensorIndex ordered = ops_.binary(OpCode::kBitwiseXor, low, lowest, "ordered");
    const TensorIndex kept = ops_.select(candidate, ordered, lowest, "kept");
    const TensorIndex below =
        ops_.binary(OpCode::kBitwiseXor, ops_.reduce_max(kept, 2, "below"), lowest, "low");
    return digits_.pair(ops_.reshape(below, result, "low_maps"),
                        ops_.reshape(top, result, "high_maps"));
}

}  // namespace okksim::sim::graph::xmodel

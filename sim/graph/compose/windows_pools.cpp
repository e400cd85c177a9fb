// SPDX-License-Identifier: Apache-2.0
// Maxima and means of windows. Both are computed direction by direction if they are not planes.
#include <algorithm>
#include <array>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/window_fit.h"
#include "sim/graph/compose/windows.h"

namespace okksim::sim::graph::compose {

namespace {

std::array<std::int32_t, 2> pair_of(std::int64_t y, std::int64_t x) {
    return {static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)};
}

std::array<std::int32_t, 4> padding_of(const Windows& w) {
    return {static_cast<std::int32_t>(w[0].before), static_cast<std::int32_t>(w[0].after),
            static_cast<std::int32_t>(w[1].before), static_cast<std::int32_t>(w[1].after)};
}

/// Repeats the elements of dilated windows, so that they become windows without dilation.
Fitted undilated(OperatorBuilder& ops, Fitted fit) {
    for (std::size_t i = 0; i < fit.windows.size(); ++i) {
        WindowAxis& axis = fit.windows[i];
        if (axis.dilation == 1 || axis.kernel == 1) continue;
        KnownIndices taps{{fit.counts[i] * axis.kernel}, {}};
        for (std::int64_t at = 0; at < fit.counts[i]; ++at) {
            for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
                taps.values.push_back(at * axis.stride + tap * axis.dilation);
            }
        }
        fit.x = gather(ops, fit.x, taps, 1 + i);
        axis = {axis.kernel, axis.kernel, 1, 0, 0};
    }
    return fit;
}

bool is_dilated(const Windows& windows) {
    return std::any_of(windows.begin(), windows.end(),
                       [](const WindowAxis& axis) { return axis.dilation > 1 && axis.kernel > 1; });
}

PaddingLimit pool_limit(const Windows& windows) {
    return is_dilated(windows) ? PaddingLimit::kNone : PaddingLimit::kBelowKernel;
}

TensorIndex maxima_of_plane(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                            bool ceil_mode) {
    const DType type = ops.type(x);
    const Fitted fit =
        undilated(ops, fitted(ops, x, windows, ceil_mode, lowest_value(type), pool_limit(windows)));
    const MaxPool2dAttributes attributes{pair_of(fit.windows[0].kernel, fit.windows[1].kernel),
                                         pair_of(fit.windows[0].stride, fit.windows[1].stride),
                                         padding_of(fit.windows), NanPropagationMode::kPropagate};
    return ops.block().add(OpCode::kMaxPool2d, attributes, {fit.x}, type,
                           map_shape(ops.shape(fit.x), fit.counts), "maxima");
}

/// Number of elements that divide the sum of a window.
enum class Divisor {
    kImage,   ///< those in the feature map
    kPadded,  ///< those in the feature map and its padding
    kKernel,
};

std::vector<double> divisors(const WindowAxis& axis, std::int64_t input, std::int64_t count,
                             Divisor divisor) {
    std::vector<double> result;
    const std::int64_t first = divisor == Divisor::kImage ? 0 : -axis.before;
    const std::int64_t limit = input + (divisor == Divisor::kImage ? 0 : axis.after);
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t taps = 0;
        for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
            const std::int64_t at = i * axis.stride - axis.before + tap * axis.dilation;
            taps += (at >= first && at < limit) || divisor == Divisor::kKernel ? 1 : 0;
        }
        result.push_back(static_cast<double>(std::max<std::int64_t>(taps, 1)));
    }
    return result;
}

TensorIndex means_of_plane(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                           bool ceil_mode, Divisor divisor) {
    const DType type = ops.type(x);
    const Shape maps = ops.shape(x);
    const PaddingLimit limit =
        divisor == Divisor::kImage ? pool_limit(windows) : PaddingLimit::kNone;
    Fitted fit = fitted(ops, x, windows, ceil_mode, 0, limit);
    const bool is_direct = std::any_of(fit.windows.begin(), fit.windows.end(),
                                       [](const WindowAxis& a) { return a.before + a.after > 0; });
    fit = undilated(ops, std::move(fit));
    const AvgPool2dAttributes attributes{pair_of(fit.windows[0].kernel, fit.windows[1].kernel),
                                         pair_of(fit.windows[0].stride, fit.windows[1].stride),
                                         padding_of(fit.windows), DType::kFp32};
    const TensorIndex zero = ops.number(type, 1, 0);
    const TensorIndex means =
        ops.block().add(OpCode::kAvgPool2d, attributes, {fit.x, zero, zero}, type,
                        map_shape(ops.shape(fit.x), fit.counts), "means");
    // AVG_POOL2D divides by the elements in its feature map, which is all of the explicit padding.
    if (is_direct) return means;
    const double area = static_cast<double>(windows[0].kernel * windows[1].kernel);
    std::vector<double> factors;
    for (const double rows : divisors(windows[0], maps[1], fit.counts[0], divisor)) {
        for (const double columns : divisors(windows[1], maps[2], fit.counts[1], divisor)) {
            factors.push_back(area / (rows * columns));
        }
    }
    if (std::all_of(factors.begin(), factors.end(), [](double f) { return f == 1; })) return means;
    const TensorIndex factor =
        real_values(ops, type, {1, fit.counts[0], fit.counts[1], 1}, factors, "correction");
    return ops.product(means, factor, "corrected");
}

/// Applies a pool of planes to 1 to 3 directions.
template <typename Pool>
TensorIndex by_planes(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                      const Pool& pool) {
    const Shape maps = ops.shape(x);
    if (windows.size() == 2) return pool(x, windows);
    if (windows.size() == 1) {
        const TensorIndex plane = pool(as_plane(ops, x), as_plane(windows));
        return ops.reshape(plane, {maps[0], ops.shape(plane)[2], maps[2]}, "line");
    }
    TensorIndex plane = ops.reshape(x, {maps[0] * maps[1], maps[2], maps[3], maps[4]}, "planes");
    plane = pool(plane, {windows[1], windows[2]});
    const std::int64_t rows = ops.shape(plane)[1], columns = ops.shape(plane)[2];
    plane = ops.reshape(plane, {maps[0], maps[1], rows * columns, maps[4]}, "depths");
    plane = pool(plane, {windows[0], WindowAxis{}});
    return ops.reshape(plane, {maps[0], ops.shape(plane)[1], rows, columns, maps[4]}, "space");
}

TensorIndex means(OperatorBuilder& ops, TensorIndex x, const Windows& windows, bool ceil_mode,
                  Divisor divisor) {
    return by_planes(ops, x, windows, [&](TensorIndex plane, const Windows& two) {
        return means_of_plane(ops, plane, two, ceil_mode, divisor);
    });
}

TensorIndex powered(OperatorBuilder& ops, TensorIndex x, double p) {
    if (p == 2) return ops.product(x, x, "squares");
    const TensorIndex size = ops.unary(OpCode::kAbs, x, "magnitudes");
    if (p == 1) return size;
    return ops.binary(OpCode::kPow, size, ops.number(ops.type(x), ops.rank(x), p), "powers");
}

TensorIndex rooted(OperatorBuilder& ops, TensorIndex x, double p) {
    if (p == 1) return x;
    return ops.binary(OpCode::kPow, x, ops.number(ops.type(x), ops.rank(x), 1 / p), "roots");
}

/// Applies a reduction of axis 1 to [N, spatial, C].
template <typename Reduce>
TensorIndex globally(OperatorBuilder& ops, TensorIndex x, const Reduce& reduce) {
    const Shape maps = ops.shape(x);
    const TensorIndex flat =
        ops.reshape(x, {maps[0], extent(maps, 1, maps.size() - 1), maps.back()}, "elements");
    return ops.reshape(reduce(flat), map_shape(maps, std::vector<std::int64_t>(maps.size() - 2, 1)),
                       "global");
}

/// Sum of all spatial elements times a factor. Sums of narrow types are fp32.
TensorIndex global_sum(OperatorBuilder& ops, TensorIndex x, double factor) {
    return globally(ops, x, [&](TensorIndex flat) {
        const TensorIndex sums = ops.reduce_sum(ops.cast(flat, DType::kFp32, "wide"), 1, "sums");
        if (factor == 1) return sums;
        return ops.product(sums, ops.number(DType::kFp32, 3, factor), "means");
    });
}

}  // namespace

TensorIndex max_pool(OperatorBuilder& ops, TensorIndex x, const Windows& windows, bool ceil_mode) {
    return by_planes(ops, x, windows, [&](TensorIndex plane, const Windows& two) {
        return maxima_of_plane(ops, plane, two, ceil_mode);
    });
}

TensorIndex average_pool(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                         const MeanOptions& options) {
    return means(ops, x, windows, options.ceil_mode,
                 options.count_include_pad ? Divisor::kPadded : Divisor::kImage);
}

TensorIndex lp_pool(OperatorBuilder& ops, TensorIndex x, const Windows& windows, double p,
                    bool ceil_mode) {
    double area = 1;
    for (const WindowAxis& axis : windows) area *= static_cast<double>(axis.kernel);
    const DType type = ops.type(x);
    const TensorIndex wide = ops.cast(x, DType::kFp32, "wide");
    const TensorIndex mean =
        means(ops, powered(ops, wide, p), windows, ceil_mode, Divisor::kKernel);
    const TensorIndex sum = ops.product(mean, ops.number(DType::kFp32, ops.rank(x), area), "sums");
    return ops.cast(rooted(ops, sum, p), type, "norm");
}

TensorIndex global_max_pool(OperatorBuilder& ops, TensorIndex x) {
    return globally(ops, x, [&](TensorIndex flat) { return ops.reduce_max(flat, 1, "maxima"); });
}

TensorIndex global_average_pool(OperatorBuilder& ops, TensorIndex x) {
    constexpr std::int64_t kMostKernel = 8192;  // of TOSA's level 8K
    const Shape maps = ops.shape(x);
    if (maps.size() == 4 && maps[1] <= kMostKernel && maps[2] <= kMostKernel) {
        return average_pool(ops, x, {{maps[1], 1, 1, 0, 0}, {maps[2], 1, 1, 0, 0}});
    }
    const double count = static_cast<double>(extent(maps, 1, maps.size() - 1));
    return ops.cast(global_sum(ops, x, 1 / count), ops.type(x), "mean");
}

TensorIndex global_lp_pool(OperatorBuilder& ops, TensorIndex x, double p) {
    const DType type = ops.type(x);
    const TensorIndex wide = ops.cast(x, DType::kFp32, "wide");
    return ops.cast(rooted(ops, global_sum(ops, powered(ops, wide, p), 1), p), type, "norm");
}

}  // namespace okksim::sim::graph::compose

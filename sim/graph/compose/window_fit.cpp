// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/window_fit.h"

#include <algorithm>

#include "sim/graph/compose/host_values.h"

namespace okksim::sim::graph::compose {

namespace {

/// Padding and cut of one direction. The kept elements are [start, start + size).
struct FittedAxis {
    std::int64_t start = 0;
    std::int64_t size = 0;
    std::int64_t before = 0;
    std::int64_t after = 0;
};

FittedAxis fitted_axis(const WindowAxis& axis, std::int64_t input, std::int64_t count) {
    FittedAxis result;
    result.start = std::max<std::int64_t>(-axis.before, 0);
    result.before = std::max<std::int64_t>(axis.before, 0);
    const std::int64_t limit = input + std::min<std::int64_t>(axis.after, 0);
    const std::int64_t span = (count - 1) * axis.stride + axis.reach();
    // A slice has at least one element, so windows in the padding alone keep one too many.
    result.size = std::clamp<std::int64_t>(span - result.before, 1,
                                           std::max(limit - result.start, std::int64_t{1}));
    result.after = span - result.before - result.size;
    return result;
}

bool accepts(PaddingLimit limit, const WindowAxis& axis, const FittedAxis& fit) {
    if (fit.after < 0) return false;
    if (limit == PaddingLimit::kAny) return true;
    if (limit == PaddingLimit::kNone) return fit.before == 0 && fit.after == 0;
    return fit.before < axis.kernel && fit.after < axis.kernel;
}

}  // namespace

Fitted fitted(OperatorBuilder& ops, TensorIndex x, const Windows& windows, bool ceil_mode,
              double value, PaddingLimit limit) {
    const Shape shape = ops.shape(x);
    Fitted result{x, windows, {}};
    Shape start(shape.size(), 0), size = shape, padding(2 * shape.size(), 0), kept;
    bool is_direct = true;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        result.counts.push_back(window_count(windows[i], shape[1 + i], ceil_mode));
        const FittedAxis fit = fitted_axis(windows[i], shape[1 + i], result.counts[i]);
        start[1 + i] = fit.start;
        size[1 + i] = fit.size;
        padding[2 + 2 * i] = result.windows[i].before = fit.before;
        padding[3 + 2 * i] = result.windows[i].after = fit.after;
        is_direct = is_direct && accepts(limit, windows[i], fit);
    }
    result.x = ops.slice(x, start, size, "used");
    if (is_direct) return result;
    Shape cut = size;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        cut[1 + i] += padding[2 + 2 * i] + padding[3 + 2 * i];
        padding[3 + 2 * i] = std::max<std::int64_t>(padding[3 + 2 * i], 0);
        result.windows[i].before = result.windows[i].after = 0;
    }
    result.x = ops.pad(result.x, padding, ops.number(ops.type(x), 1, value), "padded");
    result.x = ops.slice(result.x, Shape(shape.size(), 0), cut, "used");
    return result;
}

Shape map_shape(const Shape& maps, const std::vector<std::int64_t>& spatial) {
    Shape result{maps.front()};
    result.insert(result.end(), spatial.begin(), spatial.end());
    result.push_back(maps.back());
    return result;
}

Windows as_plane(const Windows& windows) { return {WindowAxis{}, windows[0]}; }

TensorIndex as_plane(OperatorBuilder& ops, TensorIndex x) {
    Shape shape = ops.shape(x);
    shape.insert(shape.begin() + 1, 1);
    return reshaped(ops, x, shape);
}

}  // namespace okksim::sim::graph::compose

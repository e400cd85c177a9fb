// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/windows.h"

#include <algorithm>
#include <numeric>

#include "sim/graph/compose/host_values.h"

namespace okksim::sim::graph::compose {

namespace {

void set_padding(WindowAxis& axis, std::int64_t total, OddPadding odd) {
    const std::int64_t less = total / 2;
    axis.before = odd == OddPadding::kBefore ? total - less : less;
    axis.after = total - axis.before;
}

WeightsLayout layout(Shape from, std::vector<std::int32_t> perms) {
    Shape to;
    for (const std::int32_t axis : perms) to.push_back(from[static_cast<std::size_t>(axis)]);
    return {std::move(from), std::move(perms), std::move(to)};
}

/// Returns the dimensions from `first` on, with other ones before and after.
std::vector<std::int32_t> perms_around(std::vector<std::int32_t> before, std::size_t first,
                                       std::size_t count, const std::vector<std::int32_t>& after) {
    for (std::size_t i = 0; i < count; ++i) before.push_back(static_cast<std::int32_t>(first + i));
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

}  // namespace

WindowAxis same_padded(WindowAxis axis, std::int64_t input, OddPadding odd) {
    const std::int64_t count = (input + axis.stride - 1) / axis.stride;
    const std::int64_t total = (count - 1) * axis.stride + axis.reach() - input;
    set_padding(axis, std::max<std::int64_t>(total, 0), odd);
    return axis;
}

std::int64_t window_count(const WindowAxis& axis, std::int64_t input, bool ceil_mode) {
    const std::int64_t room = input + axis.before + axis.after - axis.reach();
    if (room < 0) return 0;
    const std::int64_t count = room / axis.stride + 1;
    const bool has_rest = room % axis.stride != 0;
    return ceil_mode && has_rest && count * axis.stride < input + axis.before ? count + 1 : count;
}

WindowAxis transposed_padding(WindowAxis axis, std::int64_t input, std::int64_t output,
                              std::int64_t output_padding, OddPadding odd) {
    const std::int64_t whole = (input - 1) * axis.stride + axis.reach() + output_padding;
    const std::int64_t total = whole - output;
    // Too small a result grows at its end.
    if (total < 0) {
        axis.before = 0;
        axis.after = total;
        return axis;
    }
    set_padding(axis, total, odd);
    return axis;
}

WeightsLayout weights_layout(const Shape& weights, std::int64_t groups) {
    const std::size_t directions = weights.size() - 2;
    if (groups == 1 || weights[1] != 1)
        return layout(weights, perms_around({0}, 2, directions, {1}));
    Shape from = weights;
    from[0] = groups;
    from[1] = weights[0] / groups;
    return layout(from, perms_around({}, 2, directions, {0, 1}));
}

WeightsLayout transposed_weights_layout(const Shape& weights, std::int64_t groups) {
    const std::size_t directions = weights.size() - 2;
    if (groups == 1) return layout(weights, perms_around({1}, 2, directions, {0}));
    if (weights[0] == groups) return layout(weights, perms_around({}, 2, directions, {0, 1}));
    Shape from = weights;
    from[0] = weights[0] / groups;
    from.insert(from.begin(), groups);
    WeightsLayout result = layout(from, perms_around({0, 2}, 3, directions, {1}));
    result.to[1] *= groups;
    result.to.erase(result.to.begin());
    return result;
}

TensorIndex arranged_weights(OperatorBuilder& ops, TensorIndex weights,
                             const WeightsLayout& layout) {
    return rearranged(ops, weights, layout.from, layout.perms, layout.to);
}

bool is_depthwise(std::int64_t input_channels, std::int64_t groups) {
    return groups > 1 && groups == input_channels;
}

}  // namespace okksim::sim::graph::compose

// SPDX-License-Identifier: Apache-2.0
// Sections 2.12, 2.13 and 2.5.17 (TABLE).
#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/base/errors.h"
#include "tests/reference/tosa/operators.h"

namespace okksim::reference {
namespace {

void cast(const Node& node) {
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    for (std::size_t i = 0; i < static_cast<std::size_t>(input.count()); ++i) {
        if (output.is_float()) {
            output.real[i] =
                round_to(output.type,
                         input.is_float() ? input.real[i] : static_cast<double>(input.integer[i]));
        } else if (output.type == DType::kBool) {
            output.integer[i] = input.is_float() ? input.real[i] != 0 : input.integer[i] != 0;
        } else if (input.is_float()) {
            const double rounded = std::nearbyint(input.real[i]);  // ties to even
            output.integer[i] = static_cast<std::int64_t>(
                std::clamp(rounded, static_cast<double>(lowest(output.type)),
                           static_cast<double>(highest(output.type))));
        } else {
            output.integer[i] = wrap(output.type, input.integer[i]);
        }
    }
}

std::int64_t extended(DType type, std::int64_t value, bool is_unsigned) {
    if (!is_unsigned || value >= 0) return value;
    return value + 2 * (highest(type) + 1);
}

/// One element's scaling and the range of its result.
struct Scaling {
    std::int64_t multiplier, shift, zero_point, low, high;
};

/// Limits that INEXACT_ROUND allows for the result (2.13.2).
std::pair<std::int64_t, std::int64_t> inexact_limits(std::int64_t value, const Scaling& scaling) {
    const double exact = static_cast<double>(value) * static_cast<double>(scaling.multiplier) *
                         std::exp2(-static_cast<double>(scaling.shift));
    const auto zero = static_cast<double>(scaling.zero_point);
    const double error = 0.5 + (3.0 * std::abs(exact) + std::abs(exact + zero)) * 0x1p-24;
    const auto clip = [&](double limit) {
        return static_cast<std::int64_t>(
            std::clamp(limit, static_cast<double>(scaling.low), static_cast<double>(scaling.high)));
    };
    return {clip(std::ceil(exact - error + zero)), clip(std::floor(exact + error + zero))};
}

void rescale(const Node& node) {
    const auto& attributes = node.attributes<tosa::RescaleAttributes>();
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    const auto channels = static_cast<std::size_t>(attributes.per_channel ? input.shape.back() : 1);
    const std::int64_t in_zero =
        extended(input.type, node.in[3]->integer[0], attributes.input_unsigned);
    const std::int64_t out_zero =
        extended(output.type, node.in[4]->integer[0], attributes.output_unsigned);
    const bool double_round = attributes.rounding_mode == tosa::RoundingMode::kDoubleRound;
    std::int64_t low = lowest(output.type), high = highest(output.type);
    if (attributes.output_unsigned) low = 0, high = 2 * high + 1;
    const bool inexact = attributes.rounding_mode == tosa::RoundingMode::kInexactRound;
    for (std::size_t i = 0; i < input.integer.size(); ++i) {
        const std::size_t c = i % channels;
        const std::int64_t value =
            extended(input.type, input.integer[i], attributes.input_unsigned) - in_zero;
        const Scaling scaling{node.in[1]->integer[c], node.in[2]->integer[c], out_zero, low, high};
        const std::int64_t scaled =
            apply_scale(value, scaling.multiplier, static_cast<int>(scaling.shift), double_round);
        output.integer[i] = wrap(output.type, std::clamp(scaled + out_zero, low, high));
        if (!inexact) continue;
        const auto [least, most] = inexact_limits(value, scaling);
        output.least.push_back(wrap(output.type, least));
        output.most.push_back(wrap(output.type, most));
    }
}

void table(const Node& node) {
    const Value& input = *node.in[0];
    const std::vector<std::int64_t>& entries = node.in[1]->integer;
    for (std::size_t i = 0; i < input.integer.size(); ++i) {
        const std::int64_t value = input.integer[i];
        if (input.type == DType::kI8) {
            node.out[0]->integer[i] = entries[static_cast<std::size_t>(value + 128)];
            continue;
        }
        const auto index = static_cast<std::size_t>((value + 32768) >> 7);
        const std::int64_t slope = entries[index + 1] - entries[index];
        node.out[0]->integer[i] = entries[index] * 128 + slope * (value & 0x7F);
    }
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

/// Position of an output element on the input's axis: two neighbours, and the distance from the
/// first one in units of 1 / scale.
struct Sample {
    std::int64_t first, second, distance;
};

Sample sample(std::int64_t out, std::int64_t n, std::int64_t d, std::int64_t offset,
              std::int64_t extent) {
    const std::int64_t position = out * d + offset;
    const std::int64_t floor = floor_divide(position, n);
    return {std::max<std::int64_t>(floor, 0), std::min(floor + 1, extent - 1),
            position - floor * n};
}

template <typename T>
T interpolate(const std::vector<T>& v, std::size_t v00, std::size_t v01, std::size_t v10,
              std::size_t v11, T dy, T dx, T unit_y, T unit_x) {
    return v[v00] * (unit_y - dy) * (unit_x - dx) + v[v01] * (unit_y - dy) * dx +
           v[v10] * dy * (unit_x - dx) + v[v11] * dy * dx;
}

}  // namespace

void conversion(const Node& node) {
    switch (node.op.op) {
        case OpCode::kCast: cast(node); return;
        case OpCode::kRescale: rescale(node); return;
        case OpCode::kTable: table(node); return;
        default: OKKSIM_CHECK(false);
    }
}

void resize(const Node& node) {
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    const std::vector<std::int64_t>& scale = node.in[1]->integer;
    const std::vector<std::int64_t>& offset = node.in[2]->integer;
    const bool nearest =
        node.attributes<tosa::ResizeAttributes>().mode == tosa::ResizeMode::kNearestNeighbor;
    for_each_position(output.shape, [&](const Shape& index, std::int64_t flat) {
        const Sample y = sample(index[1], scale[0], scale[1], offset[0], input.shape[1]);
        const Sample x = sample(index[2], scale[2], scale[3], offset[1], input.shape[2]);
        const auto at = [&](std::int64_t row, std::int64_t column) {
            return static_cast<std::size_t>(
                ((index[0] * input.shape[1] + row) * input.shape[2] + column) * input.shape[3] +
                index[3]);
        };
        const auto to = static_cast<std::size_t>(flat);
        if (nearest) {
            const std::size_t from = at(2 * y.distance >= scale[0] ? y.second : y.first,
                                        2 * x.distance >= scale[2] ? x.second : x.first);
            if (input.is_float()) {
                output.real[to] = input.real[from];
            } else {
                output.integer[to] = input.integer[from];
            }
            return;
        }
        const std::size_t v00 = at(y.first, x.first), v01 = at(y.first, x.second);
        const std::size_t v10 = at(y.second, x.first), v11 = at(y.second, x.second);
        if (input.is_float()) {
            const double dy = static_cast<double>(y.distance) / static_cast<double>(scale[0]);
            const double dx = static_cast<double>(x.distance) / static_cast<double>(scale[2]);
            output.real[to] = interpolate(input.real, v00, v01, v10, v11, dy, dx, 1.0, 1.0);
        } else {
            output.integer[to] = interpolate(input.integer, v00, v01, v10, v11, y.distance,
                                             x.distance, scale[0], scale[2]);
        }
    });
}

}  // namespace okksim::reference
